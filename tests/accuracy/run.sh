#!/bin/sh
# Profiles the ladders of workloads/ on the simulated H200 and compares with readings.csv.
# usage: run.sh BUILD-FOLDER; SIZES=small|all (all), LIMIT_S=seconds a run may take (120), JOBS=runs at a time (1)
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# One run: its report beside the others, or a line that says why there is none.
if [ "$1" = --one ]; then
    build=$2 run=$3
    out=$build/accuracy
    program=${run%%_*}
    step=${run#*_}; step=${step%%_*}
    size=${run##*_}
    [ -x "$out/$program" ] || exit 0
    rm -f "$out/$run.wlr"
    start=$(date +%s)
    timeout "${LIMIT_S:-120}" "$build/warplens" profile -q -f -o "$out/$run.wlr" --gpu h200 \
        -k 'regex:^(avg_|gemm_|spmv_|stencil_)' "$out/$program" "$step" "$size" >"$out/$run.log" 2>&1 || {
        rm -f "$out/$run.wlr"
        echo "accuracy: $run did not finish in ${LIMIT_S:-120} s (see $out/$run.log)" >&2
    }
    echo "$run $(($(date +%s) - start)) s" >>"$out/times"
    exit 0
fi

build=$(cd "$1" && pwd)
out=$build/accuracy
sizes=${SIZES:-all}
"$here/build.sh" "$build"
runs=$(cut -d, -f1 "$here/readings.csv" | sed 1d | sort -u)
small='ado_1_2 ado_2_132 ado_3_132 ado_4_132 ado_5_132 gemm_0_512 gemm_1_512 gemm_2_512 gemm_3_512 gemm_4_512
spmv_0_64 spmv_1_64 spmv_2_64 spmv_3_64 stencil_0_1024 stencil_2_1024 stencil_3_1024 stencil_4_1024
stencil_5_1024 stencil_6_1024'
[ "$sizes" = small ] && runs=$small
for run in $runs; do rm -f "$out/$run.wlr"; done
# shellcheck disable=SC2086
printf '%s\n' $runs | xargs -P "${JOBS:-1}" -n 1 "$here/run.sh" --one "$build"
reports=
for run in $runs; do
    [ ! -f "$out/$run.wlr" ] || reports="$reports $out/$run.wlr"
done
# shellcheck disable=SC2086
"$build/tests/accuracy_compare" "$here/readings.csv" $reports
