#!/bin/sh
# Builds contention.cu, or with PROGRAM=rows, mix or pages that one, and reads its launches' counters with ncu; or takes them from the model, where
# WARPLENS names `warplens` (then GPU chooses the model).
# usage: bench/gpu/model/contention.sh OUT.csv [suite...]
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: contention.sh OUT.csv [suite...]}
shift
program=${PROGRAM:-contention}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stall() { printf ',smsp__average_warps_issue_stalled_%s_per_issue_active.ratio' "$@"; }
metrics=gpc__cycles_elapsed.max,sm__cycles_active.max,smsp__inst_executed.sum,gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active,dram__bytes_read.sum,dram__bytes_write.sum
metrics=$metrics,lts__t_requests_srcunit_tex.sum,lts__t_sectors_srcunit_tex.sum,sm__inst_executed_pipe_adu.sum$(stall mio_throttle lg_throttle long_scoreboard short_scoreboard drain no_instruction imc_miss)
[ "$program" != contention ] && metrics=$metrics,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct,lts__t_sectors.sum
nvcc -O2 -std=c++17 -arch="${ARCH:-sm_90}" -cudart shared -o "$work/$program" "$here/$program.cu"
if [ -n "$WARPLENS" ]; then
    metrics=$(echo "$metrics" | sed 's/,sm__inst_executed_pipe_adu.sum//') # counted on hardware alone
    "$WARPLENS" profile --gpu "${GPU:-h200}" --metrics "$metrics" --csv --page raw --print-units base \
        -f -o "$work/report" --log-file "$work/profile.csv" "$work/$program" "$@" >"$work/labels.csv"
else
    ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" \
        --log-file "$work/profile.csv" "$work/$program" "$@" >"$work/labels.csv"
fi
python3 "$here/counters.py" "$work/labels.csv" "$work/profile.csv" "$metrics" >"$out"
