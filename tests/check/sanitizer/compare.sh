#!/usr/bin/env bash
# compare.sh sanitizer|warplens FOLDER: compiles the cases beside this script with nvcc (NVCC names it), runs
# each under compute-sanitizer (on a machine with a GPU) or `warplens check-memory` (WARPLENS names it), and
# prints a row a case: file, case, tool that is to find it, errors found, whether the line marked in the
# source is among those told, first message. The outputs stay in FOLDER. Right cases run under every tool:
# compute-sanitizer has one a run, warplens all in one.
set -u
checker=$1 folder=$2
source=$(cd "$(dirname "$0")" && pwd)
: "${NVCC:=nvcc}" "${WARPLENS:=warplens}" "${JOBS:=$(nproc)}"
mkdir -p "$folder"
tools=all
[ "$checker" = sanitizer ] && tools="memcheck racecheck initcheck synccheck"
for file in memory api order right; do
    "$NVCC" -arch=sm_90 -lineinfo -cudart=shared "$source/$file.cu" -o "$folder/$file" || exit 1
done

run() { # FILE CASE TOOL
    local file=$1 name=$2 tool=$3 out=$folder/$1.$2.$3 leak=no
    [ "$tool" = leakcheck ] && { tool=memcheck leak=full; }
    if [ "$checker" = sanitizer ]; then
        local leaks=()
        [ "$tool" = memcheck ] && leaks=(--leak-check "$leak")
        timeout -s KILL 60 compute-sanitizer --tool "$tool" "${leaks[@]}" --error-exitcode 9 \
            "$folder/$file" "$name" >"$out" 2>&1
    else
        timeout -s KILL 120 "$WARPLENS" check-memory --tool "$tool" --leak-check "$leak" --error-exitcode 9 \
            --instruction-limit 200000000 "$folder/$file" "$name" >"$out" 2>&1
    fi
    echo "exit $?" >>"$out"
    local line told=- first errors
    line=$(grep -n "wrong: .*\<$name\>" "$source/$file.cu" | head -1 | cut -d: -f1)
    if [ -n "$line" ]; then
        if grep -qE "$file\.cu:$line\b" "$out"; then told=yes; else told=no; fi
    fi
    errors=$(sed -nE 's/.*(ERROR|RACECHECK) SUMMARY: ([0-9]+) .*/\2/p' "$out" | tail -1)
    first=$(grep -E '^=========' "$out" | grep -vE 'COMPUTE-SANITIZER|CHECK-MEMORY|SUMMARY' | head -1 |
        sed 's/^========= *//; s/,/;/g' | cut -c1-90)
    echo "$file,$name,$3,${errors:-?},$told,$(tail -1 "$out"),$first"
}
export -f run
export checker folder source WARPLENS
for file in memory api order right; do
    "$folder/$file" --list 2>/dev/null | while read -r name tool; do
        if [ "$tool" = none ]; then
            for every in $tools; do echo "$file $name $every"; done
        else
            echo "$file $name $tool"
        fi
    done
done >"$folder/cases"
echo "file,case,tool,errors,line,exit,first message"
xargs -P "$JOBS" -L 1 bash -c 'run "$0" "$1" "$2"' <"$folder/cases" | LC_ALL=C sort
