#!/bin/sh
# What a trace costs a program that launches a tiny kernel again and again, beside what Nsight Systems costs it, on
# the GPU of this machine: alternately bare, with `warplens trace` and with `nsys profile`, each time the program's
# own time. Prints the rounds and their medians as Markdown; then whether all launches are in the trace, in order,
# what the trace itself says that it cost, and the memory of ten times as many launches.
# Fails where launches are missing, or the slowdown is above that with nsys by more than 3%.
# usage: bench/gpu/compare/trace_cost.sh WARPLENS [LAUNCHES [ROUNDS]]
# NSYS=FILE names nsys where it is not in PATH; without one, ours is measured alone. MANY=FILE names the program
# (many.cu beside this), where it is built already.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
warplens=${1:?usage: trace_cost.sh WARPLENS [LAUNCHES [ROUNDS]]} launches=${2:-100000} rounds=${3:-11}
nsys=${NSYS:-$(command -v nsys || true)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
many=${MANY:-$work/many}
[ -x "$many" ] || nvcc -O3 -arch="${ARCH:-sm_90}" -o "$many" "$here/many.cu"

took() { sed -n 's/.* s, \(.*\) us each.*/\1/p'; }
ours() { "$warplens" trace -q -f -t cuda -o "$work/ours" "$many" "$1"; }
theirs() { "$nsys" profile -t cuda --sample=none --cpuctxsw=none -f true -o "$work/theirs" "$many" "$launches" 2>"$work/said"; }
median() { awk -v column="$1" '{ print $column }' "$work/rounds" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

if [ -n "$nsys" ] && ! theirs | took | grep -q .; then
    echo "nsys cannot trace here:" && tail -3 "$work/said"
    nsys=
fi
[ -n "$nsys" ] || echo "nsys is not here: NSYS=FILE names it. Only ours is measured."
"$many" "$launches" >/dev/null
ours "$launches" >/dev/null
echo
echo "$launches launches, us each:"
echo
echo "| round | bare | warplens trace | nsys |"
echo "|---|---|---|---|"
for round in $(seq "$rounds"); do
    bare=$("$many" "$launches" | took) mine=$(ours "$launches" | took) other=-
    [ -z "$nsys" ] || other=$(theirs | took)
    echo "$bare $mine $other" >>"$work/rounds"
    echo "| $round | $bare | $mine | $other |"
done
bare=$(median 1) mine=$(median 2) other=$(median 3)
echo "| median | $bare | $mine | $other |"
echo "$bare $mine $other" | awk '{ printf "| slowdown | | %.2fx |", $2 / $1; if ($3 + 0) printf " %.2fx |\n", $3 / $1; else print " - |" }'
echo

table() { "$warplens" show "$work/ours.wlr" --report "$1" --csv; }
check() {
    table cuda_gpu_trace | awk -F, -v wanted=$(($1 + 1)) '
        /tiny/ { if ($1 + 0 < start + 0 || $3 + 0 <= call + 0) wrong++; start = $1; call = $3; n++ }
        END { printf "%d of %d launches are in the trace, %d of them out of order\n", n, wanted, wrong
              exit n != wanted || wrong }'
    table recording_sum
}
check "$launches"
ten=$((launches * 10))
echo
echo "$ten launches: bare $("$many" $ten | sed 's/.* s, //'); traced $(ours $ten | sed 's/.* s, //')"
check $ten
[ -z "$nsys" ] || echo "$mine $other" | awk '{ exit $1 > 1.03 * $2 }' ||
    { echo "the trace costs more than nsys"; exit 1; }
