#!/usr/bin/env bash
# engines.sh BUILD: profiles programs with compiled segments and with --interpret, and compares all values of all launches
# and lines, and what the programs print. Programs: the ladders of tests/accuracy/workloads, in small sizes. Prints a row a
# program with the processor times of both; ends with status 1 where something differs.
set -euo pipefail
[ $# = 1 ] || { echo 'usage: engines.sh BUILD' >&2; exit 2; }
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v nvcc >/dev/null || { echo 'engines.sh: skipped: there is no nvcc' >&2; exit 3; }
"$root/tests/accuracy/build.sh" "$build" >/dev/null

# without the process's number, addresses and times of the host
values() # REPORT
{
    "$build/warplens" show "$1" --page raw --csv | sed -E 's/^("[0-9]+"),"[0-9]+",/\1,/'
    "$build/warplens" show "$1" --page source --csv
}

profile() # NAME OPTION PROGRAM STEP SIZE
{
    local TIMEFORMAT='%U' name=$1 option=$2 program=$3
    shift 3
    { time "$build/warplens" profile -q -f $option -o "$work/$name.wlr" "$build/accuracy/$program" "$@" \
        >"$work/$name.out" 2>&1; } 2>&1
    values "$work/$name.wlr" >"$work/$name.csv"
}

differs=0
echo '| program | compiled, s | interpreted, s | values |'
echo '|---|---|---|---|'
while read -r program step size; do
    compiled=$(profile compiled '' "$program" "$step" "$size")
    interpreted=$(profile interpreted --interpret "$program" "$step" "$size")
    result=same
    cmp -s "$work/compiled.csv" "$work/interpreted.csv" || { result=DIFFER; differs=1; }
    echo "| $program $step $size | $compiled | $interpreted | $result |"
done <<'RUNS'
gemm 0 128
gemm 1 128
gemm 2 256
gemm 3 256
gemm 4 256
stencil 0 516
stencil 1 516
stencil 2 516
stencil 3 516
stencil 4 516
stencil 5 516
stencil 6 516
spmv 0 20
spmv 1 20
spmv 2 20
spmv 3 20
ado 0 8
ado 1 8
ado 2 8
ado 3 8
ado 4 8
ado 5 8
RUNS
exit $differs
