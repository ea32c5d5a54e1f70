#!/bin/sh
# right.sh nvcc|cc: right.cu as nvcc has compiled it into COMPILED, or as `warplens cc` does. check-memory must find
# nothing in it, and with one core, with two and once more what it prints, counts and instruction
# tables must be the same to the byte. Ends with 77 (skipped) where there is no clang for `warplens cc`.
# Environment: WARPLENS, SOURCE, COMPILED.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
if [ "$1" = nvcc ]; then
    cp "$COMPILED/right" right
else
    command -v clang >/dev/null || command -v clang-14 >/dev/null ||
        { echo "skipped: there is no clang (Debian package clang)"; exit 77; }
    "$WARPLENS" cc "$SOURCE/tests/programs/right.cu" -o right
fi

for threads in 1 2; do
    "$WARPLENS" check-memory --leak-check full --threads $threads ./right >"checked.$threads" 2>&1 || {
        cat "checked.$threads"
        exit 1
    }
    grep -qx '========= ERROR SUMMARY: 0 errors' "checked.$threads" || { cat "checked.$threads"; exit 1; }
done
cmp checked.1 checked.2

# The process's number is the one thing that differs.
for run in 1 2 again; do
    threads=$run
    [ "$run" = again ] && threads=2
    "$WARPLENS" profile --quiet --threads "$threads" -o "$run" ./right >"printed.$run"
    "$WARPLENS" show "$run.wlr" --page raw --csv | sed 's/^\("[^"]*"\),"[0-9]*"/\1/' >"raw.$run"
    "$WARPLENS" show "$run.wlr" --page source --csv >"source.$run"
    for kind in printed raw source; do
        [ -s "$kind.$run" ]
        cmp "$kind.1" "$kind.$run"
    done
done
