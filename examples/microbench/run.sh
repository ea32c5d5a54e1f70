#!/bin/sh
# Builds the micro-benchmarks and reads cycles, time and instructions of every launch: on a GPU with ncu,
# or with `warplens profile` where WARPLENS names it (then GPU chooses the model).
# usage: examples/microbench/run.sh OUT.csv
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh OUT.csv}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
metrics=gpc__cycles_elapsed.max,sm__cycles_active.max,smsp__inst_executed.sum,gpu__time_duration.sum
nvcc -O2 -arch="${ARCH:-sm_90}" -cudart shared -o "$work/microbench" "$here/microbench.cu"
if [ -n "$WARPLENS" ]; then
    "$WARPLENS" profile --gpu "${GPU:-h200}" --metrics "$metrics" --csv --page raw --print-units base \
        -f -o "$work/report" --log-file "$work/profile.csv" "$work/microbench" "${SCALE:-1}" >"$work/labels.csv"
else
    ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
        --log-file "$work/profile.csv" "$work/microbench" "${SCALE:-16}" >"$work/labels.csv"
fi
python3 "$here/table.py" "$work/labels.csv" "$work/profile.csv" >"$out" || {
    cp "$work/labels.csv" "$out.labels"
    cp "$work/profile.csv" "$out.profile"
    exit 1
}
