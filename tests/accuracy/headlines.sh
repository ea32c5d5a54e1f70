#!/bin/sh
# Published figures of other GPUs (headlines.csv) beside what the simulated ones give, with the reason for each
# that is off. Nothing that simulates reads the figures.
# usage: headlines.sh BUILD-FOLDER
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$build/accuracy/headlines
mkdir -p "$out"
nvcc=$("$root/scripts/find-nvcc.sh" || true)

compile() # PROGRAM SOURCE OPTIONS
{
    program=$out/$1 source=$root/$2
    shift 2
    [ "$program" -nt "$source" ] && return
    if [ -n "$nvcc" ]; then
        "$nvcc" -std=c++17 -O3 -lineinfo -arch=sm_90 -cudart=shared "$@" -o "$program" "$source"
    else
        "$build/warplens" cc -O3 $(echo "$@" | sed 's/-lcublas//') -o "$program" "$source" ||
            echo "headlines: $source needs nvcc; left out" >&2
    fi
}

# Profiles; the report is NAME.wlr. Fails where the program could not be built.
profile() # NAME GPU KERNEL PROGRAM ARGUMENTS
{
    name=$1 gpu=$2 kernel=$3 program=$out/$4
    shift 4
    rm -f "$out/$name.wlr"
    [ -x "$program" ] || return 1
    "$build/warplens" profile -q -f -o "$out/$name" --gpu-folder "$here/gpus" --gpu "$gpu" -k "regex:$kernel" \
        "$program" "$@" >"$out/$name.log" 2>&1
}

# Sum of the metric over the report's launches.
metric() # NAME METRIC
{
    "$build/warplens" show "$out/$1.wlr" --metrics "$2" --csv --print-units base |
        awk -F'","' 'NR > 1 { sum += $15 } END { printf "%.9g", sum }'
}

time_in() # NAME UNITS-PER-SECOND
{
    awk -v ns="$(metric "$1" gpu__time_duration.sum)" -v units="$2" 'BEGIN { printf "%.9g", ns * units / 1e9 }'
}

# judged: "time" must be within a quarter, "ratio" within a tenth, "-" is shown only.
row() # KEY SIMULATED JUDGED REMARK
{
    grep "^$1," "$here/headlines.csv" | awk -F, -v simulated="$2" -v judged="$3" -v remark="$4" '{
        off = 100 * (simulated / $5 - 1)
        limit = judged == "time" ? 25 : 10
        verdict = judged == "-" ? "not judged" : (off <= limit && off >= -limit ? "ok" : "MISS")
        if (sub(/^why: /, "", remark) && verdict == "ok")
            remark = ""
        printf "| %s | %s | %s %s | %.4g | %+.0f %% | %s | %s |\n", $2, $3, $5, $4, simulated, off, verdict, remark
    }'
}

remark() # KEY: why it is off, shown where it is
{
    sed -n "s/^$1|/why: /p" "$here/headlines.remarks"
}

"$here/build.sh" "$build"
compile stencil examples/stencil/stencil.cu
compile stencil_l1 examples/stencil/stencil.cu -Xptxas -dlcm=ca
compile link bench/gpu/model/link.cu

printf '\n## Published figures of other GPUs\n\n'
echo '| what | GPU | published | simulated | difference | | remark |'
echo '|---|---|---|---|---|---|---|'

# Averages and a matrix, on V100. The loop over the sets is the first kernel's own: its time goes with their number.
if profile ado_0 v100 ^avg_ ../ado 1 16; then
    row ado_0 "$(time_in ado_0 64)" time '16 of 1024 sets, times 64'
fi
for step in 1 2 3; do
    profile ado_$step v100 ^avg_ ../ado $((step + 1)) 1024 || continue
    row ado_$step "$(time_in ado_$step 1)" time "$(remark ado_$step)"
done
if [ -s "$out/ado_3.wlr" ]; then
    long=smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
    row ado_3_stall "$(metric ado_3 $long)" - ''
    row ado_3_cycles "$(metric ado_3 'regex:^smsp__average_warps_issue_stalled_.*_per_issue_active.ratio')" - ''
fi
stand_in='cuBLAS is a stand-in here: another kernel'
if profile ado_4 v100 'avg_|gemm' ../ado 5 1024; then
    all=$(time_in ado_4 1)
    profile ado_4_average v100 ^avg_ ../ado 5 1024
    average=$(time_in ado_4_average 1)
    row ado_4 "$all" - "$stand_in"
    row ado_4_average "$average" time ''
    row ado_4_rate "$(awk -v s="$average" 'BEGIN { print 1024 * 1024 * 1024 * 4e-9 / s }')" time 'bytes of the input over the time'
    row ado_4_sgemm "$(awk -v a="$all" -v b="$average" 'BEGIN { print a - b }')" - "$stand_in"
fi
if [ -x "$out/link" ]; then
    "$build/warplens" profile -q -f -o "$out/link" --gpu v100 "$out/link" simulated >"$out/link.csv" 2>&1
    row copy "$(awk -F, '$1 == "on_device" && $2 == 268435456 { print 2 * $2 / $3 }' "$out/link.csv")" time \
        'of the clock; read and written bytes'
fi

# The stencil in its printed form, on K40. The lecture compiles for L1 from its second step on.
for step in 0 1 2 3 4 5 6; do
    program=stencil_l1
    [ $step = 0 ] && program=stencil
    profile stencil_$step k40-745 ^ $program $step 4100 || continue
    row stencil_$step "$(time_in stencil_$step 1000)" time "$(remark stencil_$step)"
    [ $step = 2 ] || continue
    row stencil_2_limit "$(metric stencil_2 sm__maximum_warps_per_active_cycle_pct)" time ''
    row stencil_2_active "$(metric stencil_2 sm__warps_active.avg.pct_of_peak_sustained_active)" time "$(remark stencil_2_active)"
done

# SpMV on V100: theirs is OpenACC by another compiler, so that programs differ.
for step in 0 1 2 3; do
    profile spmv_$step v100 ^spmv_ ../spmv $step 201 || continue
    row spmv_$step "$(time_in spmv_$step 1000)" - "$(remark spmv_$step)"
    [ $step = 0 ] || continue
    row spmv_0_dram "$(metric spmv_0 dram__throughput.avg.pct_of_peak_sustained_elapsed)" - ''
    row spmv_0_sm "$(metric spmv_0 sm__throughput.avg.pct_of_peak_sustained_elapsed)" - ''
done

# SGEMM on K620, 2048 x 2048.
if profile gemm_conflicts k620 ^gemm_ ../gemm 3 2048 && profile gemm_none k620 ^gemm_ ../gemm 4 2048; then
    operations=17179869184
    with=$(metric gemm_conflicts gpu__time_duration.sum) without=$(metric gemm_none gpu__time_duration.sum)
    row gemm_conflicts "$(awk -v n=$operations -v t="$with" 'BEGIN { print n / t }')" - "$(remark gemm)"
    row gemm_none "$(awk -v n=$operations -v t="$without" 'BEGIN { print n / t }')" - "$(remark gemm)"
    row gemm_ratio "$(awk -v a="$with" -v b="$without" 'BEGIN { print a / b }')" ratio '2048 x 2048'
fi
