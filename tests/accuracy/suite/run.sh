#!/bin/sh
# Builds kernels of a public suite, profiles each on the simulated H200 and compares with readings.csv.
# Fetches nothing: FOLDER is a checkout of github.com/zjin-lcf/HeCBench.
# usage: run.sh BUILD-FOLDER FOLDER; LIMIT_S=seconds a run may take (60)
set -eu
build=$(cd "$1" && pwd)
suite=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/accuracy-suite
mkdir -p "$out"
reports=
trim() { echo "$1" | sed 's/^ *//; s/ *$//'; }
while IFS='|' read -r run program sources arguments kernel; do
    case $run in '#'* | '') continue ;; esac
    run=$(trim "$run") program=$(trim "$program") kernel=$(trim "$kernel")
    place=$suite/src/$program-cuda report=$out/$run.wlr
    if [ ! -x "$out/$program" ]; then
        # sources are words
        # shellcheck disable=SC2086
        (cd "$place" && "${NVCC:-nvcc}" -cudart shared -lineinfo -arch=sm_90 -O3 -std=c++17 --extended-lambda -I. \
            -I../include $sources -o "$out/$program") >"$out/$program.log" 2>&1 ||
            { echo "accuracy: $program does not build (see $out/$program.log)" >&2; continue; }
    fi
    rm -f "$report"
    # shellcheck disable=SC2086
    if (cd "$place" && timeout "${LIMIT_S:-60}" "$build/warplens" profile -q -f -o "$report" --gpu h200 \
        -k "regex:^$kernel\$" -c 1 "$out/$program" $arguments) >"$out/$run.log" 2>&1; then
        reports="$reports $report"
    else
        echo "accuracy: $run did not finish (see $out/$run.log)" >&2
    fi
done <"$here/kernels.txt"
# shellcheck disable=SC2086
"$build/tests/accuracy_compare" "$here/readings.csv" $reports
