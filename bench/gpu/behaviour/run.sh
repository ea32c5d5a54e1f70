#!/bin/sh
# Runs tests/behaviour/behaviour.cu on a real GPU and compares each outcome with what the simulated GPU gives.
# usage: bench/gpu/behaviour/run.sh [RUNS]   RUNS: 5; ARCH: native
# A line that differs from run to run is named as such. Exit status 1: an outcome is not the expected one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cases=$here/../../../tests/behaviour
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || true
nvcc -O3 -arch="${ARCH:-native}" -o "$work/behaviour" "$cases/behaviour.cu"
for run in $(seq "${1:-5}"); do
    timeout 60 "$work/behaviour" >"$work/out.$run" || echo "run $run: exit status $?"
done
while read -r line; do
    name=${line%%:*}
    seen=$(grep -h "^$name: " "$work"/out.* | sort | uniq -c | sort -rn | sed 's/^ *//')
    if [ "$(printf '%s\n' "$seen" | cut -d' ' -f2-)" = "$line" ]; then
        echo "same    $line"
    else
        echo "differs $line; on this GPU, with the number of runs:"
        printf '%s\n' "$seen" | sed 's/^/          /'
        status=1
    fi
done <"$cases/expected.txt"
exit $status
