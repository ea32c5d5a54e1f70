#!/bin/sh
# Runs behaviour.cu and documented.cu of tests/behaviour on a real GPU and compares each outcome with what the simulated GPU gives.
# usage: bench/gpu/behaviour/run.sh [RUNS]   RUNS: 5; ARCH: native
# A line that differs from run to run is named as such. Exit status 1: an outcome is not the expected one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cases=$here/../../../tests/behaviour
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || true
for case in behaviour:expected documented:documented; do
    program=${case%:*} lines=$cases/${case#*:}.txt
    nvcc -O3 -arch="${ARCH:-native}" -o "$work/$program" "$cases/$program.cu"
    for run in $(seq "${1:-5}"); do
        timeout 60 "$work/$program" >"$work/$program.$run" 2>/dev/null || echo "$program, run $run: exit status $?"
    done
    cp "$lines" "$work/lines"
    while read -r line; do
        name=${line%%:*}
        seen=$(grep -h "^$name: " "$work/$program".[0-9]* | sort | uniq -c | sort -rn | sed 's/^ *//')
        if printf '%s\n' "$seen" | cut -d' ' -f2- | grep -qxF -- "$line" &&
            [ "$(printf '%s\n' "$seen" | wc -l)" = "$(grep -c "^$name: " "$lines")" ]; then
            echo "same    $line"
        else
            echo "differs $line; on this GPU, with the number of runs:"
            printf '%s\n' "$seen" | sed 's/^/          /'
            status=1
        fi
    done <"$work/lines"
done
exit $status
