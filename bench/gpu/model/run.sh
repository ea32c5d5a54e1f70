#!/bin/sh
# Builds a micro-benchmark and reads cycles, time and instructions of every launch, of stalls.cu, fetch.cu and branches.cu the states of
# warps, too: on a GPU with ncu, or with `warplens profile` where WARPLENS names it (then GPU chooses the model).
# usage: bench/gpu/model/run.sh OUT.csv [microbench|stalls|fetch|branches]
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh OUT.csv [microbench|stalls|fetch|branches]}
program=${2:-microbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
metrics=gpc__cycles_elapsed.max,sm__cycles_active.max,smsp__inst_executed.sum,gpu__time_duration.sum
if [ "$program" = stalls ] || [ "$program" = fetch ] || [ "$program" = branches ]; then
    for state in barrier branch_resolving dispatch_stall drain imc_miss lg_throttle long_scoreboard \
        math_pipe_throttle membar mio_throttle no_instruction not_selected selected short_scoreboard \
        sleeping tex_throttle wait; do
        metrics=$metrics,smsp__average_warps_issue_stalled_${state}_per_issue_active.ratio
    done
fi
nvcc -O2 -arch="${ARCH:-sm_90}" -cudart shared -o "$work/$program" "$here/$program.cu"
if [ -n "$WARPLENS" ]; then
    "$WARPLENS" profile --gpu "${GPU:-h200}" --metrics "$metrics" --csv --page raw --print-units base \
        -f -o "$work/report" --log-file "$work/profile.csv" "$work/$program" "${SCALE:-1}" >"$work/labels.csv"
else
    ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
        --log-file "$work/profile.csv" "$work/$program" "${SCALE:-16}" >"$work/labels.csv"
fi
python3 "$here/table.py" "$work/labels.csv" "$work/profile.csv" >"$out" || {
    cp "$work/labels.csv" "$out.labels"
    cp "$work/profile.csv" "$out.profile"
    exit 1
}
