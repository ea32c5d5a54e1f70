#!/bin/sh
# Builds the micro-benchmarks and reads their counters with Nsight Compute.
# usage: bench/gpu/memory/run.sh OUT_FOLDER [suite...]   suites: access (short) banks (narrow) coalescer account capacity writes mixed map blocks schedule
# Clocks are left as they are. Results: OUT_FOLDER/SUITE.csv, a row per launch: label, then metrics.
set -e
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: run.sh OUT_FOLDER [suite...]}
shift
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in access banks l2 schedule; do
    nvcc -O2 -arch="${ARCH:-sm_90}" -o "$work/$program" "$here/$program.cu" &
done
wait

l1_metrics=$(for op in global_op_ld global_op_st global_op_atom global_op_red local_op_ld local_op_st; do
    for what in "" _lookup_hit _lookup_miss; do
        printf 'l1tex__t_sectors_pipe_lsu_mem_%s%s.sum,' $op "$what"
    done
done)
l2_metrics=lts__t_requests_srcunit_tex.sum,$(for op in read write atom red; do
    printf 'lts__t_sectors_srcunit_tex_op_%s.sum,' $op
done)
hit_metrics=lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum,lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum,lts__t_sector_hit_rate.pct,
dram_metrics=dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum
bank_metrics=l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum

known=$(ncu --query-metrics --chips "${CHIP:-gh100}" | cut -d' ' -f1)
keep_known() # metrics separated by commas; drops lts__ ones this chip has not
{
    for name in $(echo "$1" | tr , ' '); do
        case $name in
        lts__*) echo "$known" | grep -qx "${name%.*}" || { echo "no metric $name" >&2 && continue; } ;;
        esac
        printf '%s,' "$name"
    done
}

measure() # suite metrics program arguments...
{
    suite=$1 metrics=$(keep_known "$2")
    shift 2
    echo "$suite: start $(date +%T)"
    ncu --clock-control none --csv --page raw --print-units base --metrics "${metrics%,}" \
        --log-file "$work/$suite.ncu" "$@" | grep -v '^==' >"$work/$suite.labels" || true
    python3 "$here/table.py" "$work/$suite.labels" "$work/$suite.ncu" >"$out/$suite.csv" ||
        cp "$work/$suite.ncu" "$work/$suite.labels" "$out/"
    echo "$suite: end $(date +%T)"
}

for suite in ${*:-blocks map schedule access banks coalescer account capacity writes mixed}; do
    case $suite in
    schedule) "$work/schedule" >"$out/schedule.txt" ;;
    blocks) "$work/l2" blocks >"$out/blocks.txt" ;;
    map) "$work/l2" map "$out/latency.txt" ;;
    access) measure access "$l1_metrics$l2_metrics" "$work/access" ;;
    short) measure short "$l1_metrics$l2_metrics" "$work/access" short ;;
    banks) measure banks "$bank_metrics" "$work/banks" ;;
    narrow) measure narrow "$bank_metrics" "$work/banks" narrow ;;
    coalescer) measure coalescer "lts__t_sectors_srcunit_tex_op_read.sum,lts__t_requests_srcunit_tex_op_read.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum" "$work/l2" coalescer ;;
    account | capacity | writes | mixed) measure "$suite" "$l2_metrics$hit_metrics$dram_metrics" "$work/l2" "$suite" ;;
    *) echo "unknown suite: $suite" >&2 && exit 2 ;;
    esac
done
