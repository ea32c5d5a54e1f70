#!/bin/sh
# ladders_advice.sh nvcc|cc [small|published [PROGRAM...]]: what is found first in each step of the ladders, on which line,
# and the verdict at the last step, on the GPU of the publication or one with fewer SMs; "published": at the sizes of the publications, which
# takes some ten minutes. All four ladders, or the PROGRAMs. Environment: WARPLENS, SOURCE, NVCC; REPORTS: a folder in
# which the reports stay, for consistency/run.sh.
set -eu
compiler=$1
sizes=${2:-small}
shift $(($# < 2 ? $# : 2))
programs=${*:-averaging stencil spmv gemm}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
status=0

fail() {
    echo "$*" >&2
    status=1
}

compile() { # PROGRAM LIBRARIES
    "$SOURCE/tests/support/compile.sh" "$compiler" "$SOURCE/examples/$1/$1.cu" "$@"
}

# Leaves the report run.wlr.
profile() { # GPU PROGRAM STEP SIZE
    "$WARPLENS" profile -q -f --source-folders "$SOURCE/examples" -o run --gpu "$1" "./$2" "$3" "$4" >log 2>&1 || { cat log; exit 1; }
    [ -z "${REPORTS:-}" ] || cp run.wlr "$REPORTS/$2-$3-$1-$4.wlr"
}

# The first finding must be RULE on the line that holds TEXT, or the one before where the statement begins there
# ("-": of no line); "done": only notes may be found, and
# what bounds the kernel must be TEXT. The walk ends then: in "stop here", or in saying that nothing is known that helps.
check() { # GPU PROGRAM STEP SIZE RULE TEXT
    profile "$@"
    "$WARPLENS" show run.wlr -k 'regex:^(average|gemm|spmv|stencil)' --page advice >advice
    first=$(grep -m1 '^1\. ' advice)
    if [ "$5" = done ]; then
        if grep -E '^[0-9]+\. ' advice | grep -vE ': note: '; then fail "$2, step $3 on $1: not done"; fi
        grep -qE "(bound by|busiest is) $6" advice ||
            { fail "$2, step $3 on $1: not bound by $6"; grep -E 'bound by|busiest' advice; }
        "$WARPLENS" show run.wlr -k 'regex:^(average|gemm|spmv|stencil)' --page guide >guide
        grep -A1 '^5. Is it done' guide | grep -qE '^   (yes|not known|perhaps not): ' || fail "$2, step $3 on $1: the walk does not end"
        grep -qE "verdict: .*$7" guide || { fail "$2, step $3 on $1: no verdict '$7'"; grep verdict: guide; }
        return 0
    fi
    line=
    [ "$6" = - ] || line=$(grep -nF -- "$6" "$SOURCE/examples/$2/$2.cu" | cut -d: -f1)
    for number in ${line:-0}; do
        case $first in
        *"/$2.cu:$number:"*" $5: "* | *"/$2.cu:$((number - 1)):"*" $5: "*) return 0 ;;
        *.cu:*) ;;
        *": $5: "*) [ "$number" = 0 ] && return 0 ;;
        esac
    done
    fail "$2, step $3 on $1: $5 expected${line:+ on line $line}, found: $first"
}

# What slowed the step down that followed on an H200 must not be advised there.
check_not() { # PROGRAM STEP SIZE RULE [MUST]: RULE is no warning; or, if it is, what to do has the words MUST
    profile h200 "$@"
    "$WARPLENS" show run.wlr -k 'regex:^(spmv|stencil)' --page advice --csv |
        awk -F'","' -v rule="$4" '$2 == rule && $3 == "warning" { print $11 }' >todo
    [ -s todo ] || return 0
    [ -n "${5:-}" ] && grep -qF -- "$5" todo && return 0
    fail "$1, step $2 on h200: $4 advised: $(cat todo)"
}

# PROGRAM SMALL PUBLISHED: the size to run at
size() {
    if [ "$sizes" = published ]; then echo "$2"; else echo "$1"; fi
}

averaging_ladder() {
    compile averaging -lcublas
    sets=$(size 16 1024)
    few=$(size orin v100) # a set is a block: the small ladder tells the same of a GPU with 16 SMs
    check v100 averaging 0 "$(size 4 160)" small-grid - # one block, whatever the sets
    check "$few" averaging 1 "$sets" global-uncoalesced 'sum += input[(size_t)set * size * size + threadIdx.x * size + i];'
    check "$few" averaging 2 "$sets" shared-reduction 'products[thread] += products[thread + half];'
    check "$few" averaging 3 "$sets" matrix-vector 'float sum = sum_of_warp(average * matrix[row * size + thread]);'
    check v100 averaging 4 "$(size 80 1024)" done 'device memory' 'memory-bound at (8|9|100)'
}

stencil_ladder() {
    compile stencil
    edge=$(size 1028 4100)
    check k40 stencil 0 "$edge" global-uncoalesced 'sum += filter[i + 2][j + 2] * input['
    check k40 stencil 2 "$edge" read-only-cache 'sum += filter[i + 2][j + 2] * input['
    check k40 stencil 3 "$edge" read-only-cache 'sum += filter[i + 2][j + 2] * input['
    check k40 stencil 4 "$edge" load-width '* __ldg(&input['
    check k40 stencil 6 "$edge" done 'the load/store path of L1' 'what this GPU reaches'
    check_not stencil 0 "$(size 2052 4100)" global-uncoalesced 'not fewer threads'
    check_not stencil 3 "$(size 2052 4100)" read-only-cache
    check_not stencil 5 "$(size 2052 4100)" load-width
}

spmv_ladder() {
    compile spmv
    grid=$(size 60 201)
    check v100 spmv 0 "$grid" global-uncoalesced 'sum += a.values[k] * x[a.columns[k]];'
    check v100 spmv 1 "$grid" short-rows 'sum += a.values[k] * x[a.columns[k]];'
    check v100 spmv 2 "$grid" occupancy-blocks -
    check v100 spmv 3 "$grid" done 'device memory' 'memory'
    check_not spmv 0 "$grid" global-uncoalesced 'no more than it has elements'
}

gemm_ladder() {
    compile gemm
    order=$(size 512 2048)
    check h200 gemm 0 "$order" global-uncoalesced 'sum += a[row * size + k] * b[k * size + column];'
    check h200 gemm 1 "$order" global-reuse 'sum += a[row * size + k] * b[k * size + column];'
    check h200 gemm 2 "$order" shared-pressure 'sum += tile_a[y][k] * tile_b[k][x];'
    check h200 gemm 3 512 small-grid -
    check h200 gemm 3 2048 shared-bank '*(const float4 *)&tile_b[k][column'
    check h200 gemm 4 2048 done 'the FMA pipe' 'operations|compute'
}

for program in $programs; do
    [ -z "${REPORTS:-}" ] || { mkdir -p "$REPORTS" && rm -f "$REPORTS/$program"-*; }
    "${program}_ladder"
done
exit $status
