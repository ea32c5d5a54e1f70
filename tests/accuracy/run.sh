#!/bin/sh
# Profiles the ladders of workloads/ on the simulated H200 and compares with readings.csv.
# usage: run.sh BUILD-FOLDER; SIZES=small|all (all), LIMIT_S=seconds a run may take (120)
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/accuracy
sizes=${SIZES:-all}
"$here/build.sh" "$build"
runs=$(cut -d, -f1 "$here/readings.csv" | sed 1d | sort -u)
small='ado_1_2 ado_2_132 ado_3_132 ado_4_132 ado_5_132 gemm_0_512 gemm_1_512 gemm_2_512 gemm_3_512 gemm_4_512
spmv_0_64 spmv_1_64 spmv_2_64 spmv_3_64 stencil_0_1024 stencil_2_1024 stencil_3_1024 stencil_4_1024
stencil_5_1024 stencil_6_1024'
[ "$sizes" = small ] && runs=$small
reports=
for run in $runs; do
    program=${run%%_*}
    step=${run#*_}; step=${step%%_*}
    size=${run##*_}
    [ -x "$out/$program" ] || continue
    report=$out/$run.wlr
    rm -f "$report"
    start=$(date +%s)
    if timeout "${LIMIT_S:-120}" "$build/warplens" profile -q -f -o "$report" --gpu h200 \
        -k 'regex:^(avg_|gemm_|spmv_|stencil_)' "$out/$program" "$step" "$size" >"$out/$run.log" 2>&1; then
        reports="$reports $report"
    else
        echo "accuracy: $run did not finish in ${LIMIT_S:-120} s (see $out/$run.log)" >&2
    fi
    echo "$run $(($(date +%s) - start)) s" >>"$out/times"
done
# shellcheck disable=SC2086
"$build/tests/accuracy_compare" "$here/readings.csv" $reports
