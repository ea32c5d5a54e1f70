#!/bin/sh
# stencil_k40.sh nvcc|cc: the first steps of examples/stencil on a K40 must show the L2 transactions per load that the
# profiler of the Oxford course showed, whatever the size (there 4,100, sixteen times as many in all): 8 and 6 of ideally
# 4 with blocks of 8 x 8; with L1, whose misses fetch whole lines, 20 and 18; with blocks of 32 x 2 and L1, 8 and 7.5.
# Environment: WARPLENS, SOURCE, COMPILED.
set -eu
compiler=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Sectors and ideal sectors per execution of each load from global memory, and how many loads have them.
loads() { # REPORT
    "$WARPLENS" show "$1" --page source --print-source ptx --csv | awk -F'","' '
        NR == 1 { for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); column[$i] = i } next }
        $column["Source"] ~ /^ld\.global/ {
            executed = $column["inst_executed"]
            print $column["memory_l2_theoretical_sectors_global"] / executed, \
                  $column["memory_l2_theoretical_sectors_global_ideal"] / executed
        }' | sort -n | uniq -c | awk '{ printf "%s%dx%s/%s", (NR > 1 ? " " : ""), $1, $2, $3 }'
}

metric() { # REPORT NAME
    "$WARPLENS" show "$1" --metrics "$2" --csv | awk -F'","' 'NR > 1 { print $15 }'
}

status=0
expect() { # WHAT FOUND WANTED
    [ "$2" = "$3" ] && return
    echo "$1: $2, not $3" >&2
    status=1
}

check() { # PROGRAM STEP LOADS TRANSACTIONS EFFICIENCY
    "$WARPLENS" profile -q -f --no-prediction --source-folders "$SOURCE/examples" -o run --gpu k40 "./$1" "$2" 1028 >output 2>&1 || { cat output; exit 1; }
    grep -qx 'result: right' output || { cat output; exit 1; }
    expect "$1, step $2: sectors/ideal a load" "$(loads run.wlr)" "$3"
    expect "$1, step $2: gld_transactions" "$(metric run.wlr gld_transactions)" "$4"
    expect "$1, step $2: gld_efficiency" "$(printf %.1f "$(metric run.wlr gld_efficiency)")" "$5"
}

"$SOURCE/tests/support/compile.sh" "$compiler" "$SOURCE/examples/stencil/stencil.cu" plain
if [ "$compiler" = nvcc ]; then
    cp "$COMPILED/stencil_cached.nvcc" cached
else
    "$WARPLENS" cc "$SOURCE/examples/stencil/stencil.cu" -o cached -Xptxas -dlcm=ca
fi
check plain 0 "4x6/4 12x8/4" 3932160 53.3
check cached 1 "4x18/4 12x20/4" 10223616 20.5
check cached 2 "4x7.5/4 12x8/4" 4128768 50.8
expect "theoretical occupancy at 32 x 2" "$(metric run.wlr sm__maximum_warps_per_active_cycle_pct)" 50
exit $status
