#!/usr/bin/env bash
# compare.sh sanitizer|warplens FOLDER: compiles the cases beside this script with nvcc (NVCC names it), or takes
# what the build has compiled into COMPILED, runs each under compute-sanitizer (on a machine with a GPU) or `warplens check-memory` (WARPLENS names it), and
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
    [ -z "${COMPILED:-}" ] || { cp "$COMPILED/sanitizer_$file" "$folder/$file" && continue; }
    "$NVCC" -arch=sm_90 -lineinfo -cudart=shared "$source/$file.cu" -o "$folder/$file" || exit 1
done

# the list needs a libcudart.so only to start: Warplens's serves where the loader finds none of the toolkit
libraries=$(dirname "$(command -v "$WARPLENS")")/lib
for file in memory api order right; do
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}${LD_LIBRARY_PATH:+:}$libraries "$folder/$file" --list | while read -r name tool; do
        if [ "$tool" = none ]; then
            for every in $tools; do echo "$file $name $every"; done
        else
            echo "$file $name $tool"
        fi
    done
done >"$folder/cases"

# a case: what it prints and its exit status in FILE.CASE.TOOL
export checker folder WARPLENS
# shellcheck disable=SC2016 # that shell's own words
xargs -P "$JOBS" -L 1 sh -c '
    out=$folder/$0.$1.$2 tool=$2 leak=no
    [ "$tool" = leakcheck ] && tool=memcheck leak=full
    if [ "$checker" = sanitizer ]; then
        leaks=
        [ "$tool" = memcheck ] && leaks="--leak-check $leak"
        timeout -s KILL 60 compute-sanitizer --tool "$tool" $leaks --error-exitcode 9 \
            "$folder/$0" "$1" >"$out" 2>&1
    else
        timeout -s KILL 120 "$WARPLENS" check-memory --tool "$tool" --leak-check "$leak" --error-exitcode 9 \
            --instruction-limit 200000000 "$folder/$0" "$1" >"$out" 2>&1
    fi
    echo "exit $?" >>"$out"' <"$folder/cases"

# the lines marked in the sources, and a row of each output
echo "file,case,tool,errors,line,exit,first message"
for file in memory api order right; do
    awk -v file="$file" 'sub(/.*wrong: /, "") { gsub(/[^0-9A-Za-z_]+/, " "); print file, FNR, $0 }' "$source/$file.cu"
done | awk -v folder="$folder" '
    FILENAME == "-" {
        for (i = 3; i <= NF; i++)
            if (!(($1, $i) in marked)) marked[$1, $i] = $2
        next
    }
    {
        errors = "?"; first = ""
        told = (($1, $2) in marked) ? "no" : "-"
        place = $1 ".cu:" marked[$1, $2]
        while ((getline line < (folder "/" $1 "." $2 "." $3)) > 0) {
            if ((at = index(line, place)) && told == "no" && substr(line, at + length(place), 1) !~ /[0-9A-Za-z_]/)
                told = "yes"
            if (match(line, /(ERROR|RACECHECK) SUMMARY: [0-9]+ /)) {
                split(substr(line, RSTART, RLENGTH), words, " ")
                errors = words[3]
            }
            if (first == "" && line ~ /^=========/ && line !~ /COMPUTE-SANITIZER|CHECK-MEMORY|SUMMARY/) {
                first = line
                sub(/^========= */, "", first)
                gsub(/,/, ";", first)
            }
            last = line
        }
        print $1 "," $2 "," $3 "," errors "," told "," last "," substr(first, 1, 90)
    }' - "$folder/cases" | LC_ALL=C sort
