#!/usr/bin/env bash
# compare.sh BEFORE-BUILD AFTER-BUILD: whether AFTER is slower than BEFORE at what `make bench` measures, on a machine that
# does other things too. Each row runs with both builds in turns, in which order alternates, and is judged by the median
# of the turns' ratios of processor time, so that other load, which is the same for two neighbours, cancels out. Rows: the kernels
# of bench/speed/kernels.ptx that both know, and whole profiles of the accuracy ladders' programs. Prints a table and ends
# with status 1 where a median is over LIMIT. Both builds need the targets product and warplens-speed; a warplens-speed of
# before commit 57e0e6f takes wall-clock time, unless its now_s() is changed to CLOCK_PROCESS_CPUTIME_ID.
# Environment: TURNS (5), LIMIT (1.03), KERNELS (sgemm stencil; "": none), ROWS (a regular expression of rows; all).
set -euo pipefail
[ $# = 2 ] || { echo 'usage: compare.sh BEFORE-BUILD AFTER-BUILD' >&2; exit 2; }
before=$(cd "$1" && pwd) after=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
turns=${TURNS:-5} limit=${LIMIT:-1.03} rows=${ROWS:-.} kernels=${KERNELS-sgemm stencil}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for build in "$before" "$after"; do
    for program in warplens bench/warplens-speed; do
        [ -x "$build/$program" ] || { echo "compare: no $build/$program: ninja product warplens-speed" >&2; exit 2; }
    done
done

# the folder with kernels.ptx of the sources that a build folder belongs to
sources() # BUILD
{
    sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt"
}

# NAME MILLISECONDS of each row that is measured on one core; a warplens-speed that takes no KERNEL measures all it has
kernels() # BUILD
{
    local ptx kernel
    ptx=$(sources "$1")/bench/speed/kernels.ptx
    { for kernel in $kernels; do
        "$1/bench/warplens-speed" "$ptx" "$kernel" 2>/dev/null || { "$1/bench/warplens-speed" "$ptx"; break; }
    done; } |
        awk -F' *[|] *' '$2 ~ /1 core$/ && $2 !~ /native/ && $3 + 0 > 0 { gsub(/ /, "_", $2); print $2, $3 }'
}

# NAME MILLISECONDS of each profile, processor time of warplens and the program
profiles() # BUILD
{
    local TIMEFORMAT='%U %S' program step size took
    while read -r program step size; do
        [ -x "$after/accuracy/$program" ] || continue
        took=$({ time "$1/warplens" profile -q -f -o "$work/run" "$after/accuracy/$program" "$step" "$size" \
            >/dev/null 2>&1; } 2>&1) || { echo "compare: $1: $program failed" >&2; exit 1; }
        echo "profile_${program}_${step}_$size $took" | awk '{ print $1, 1000 * ($2 + $3) }'
    done <<'RUNS'
gemm 2 512
stencil 6 1024
spmv 3 101
RUNS
}

measure() # BUILD
{
    { kernels "$1"; profiles "$1"; } | { grep -E "$rows" || true; }
}

if command -v nvcc >/dev/null; then "$root/tests/accuracy/build.sh" "$after"; fi
for ((turn = 0; turn < turns; turn++)); do
    order="before after"
    [ $((turn % 2)) = 0 ] || order="after before"
    for which in $order; do
        build=${!which}
        measure "$build" | sed "s/^/$turn $which /" >>"$work/times"
    done
done

awk -v limit="$limit" '
    { time[$1, $3, $2] = $4 }
    !($3 in seen) { seen[$3] = 1; names[++count] = $3 }
    $1 > last { last = $1 }
    function median(values, n,    i, j, swap) {
        for (i = 1; i < n; i++)
            for (j = i + 1; j <= n; j++)
                if (values[j] < values[i]) { swap = values[i]; values[i] = values[j]; values[j] = swap }
        return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
    }
    END {
        print "| row | before, ms | after, ms | after/before, median (least to most) | |"
        print "|---|---|---|---|---|"
        for (k = 1; k <= count; k++) {
            n = 0; low = 1e9; high = 0
            for (t = 0; t <= last; t++) {
                b = time[t, names[k], "before"]; a = time[t, names[k], "after"]
                if (!(b > 0 && a > 0)) continue
                ratios[++n] = a / b; befores[n] = b; afters[n] = a
                if (a / b < low) low = a / b
                if (a / b > high) high = a / b
            }
            if (!n) continue
            middle = median(ratios, n)
            printf "| %s | %.1f | %.1f | %.3f (%.3f to %.3f) | %s |\n", names[k], median(befores, n),
                median(afters, n), middle, low, high, middle <= limit ? "ok" : "SLOWER"
            if (middle > limit) slower = 1
            judged++
        }
        if (!judged) { print "compare: no row ran with both builds" > "/dev/stderr"; exit 2 }
        exit slower
    }' "$work/times"
