#!/bin/sh
# ladders_advice.sh nvcc|cc: what is found first in each step of the four ladders, and on which line, on the GPU of
# the ladder's publication. Environment: WARPLENS, SOURCE, NVCC.
set -eu
compiler=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
status=0

fail() {
    echo "$*" >&2
    status=1
}

compile() { # PROGRAM LIBRARIES
    source=$SOURCE/examples/$1/$1.cu
    if [ "$compiler" = nvcc ]; then
        "$NVCC" -O3 -arch=sm_90 -cudart=shared -lineinfo "$source" -o "$@"
    else
        "$WARPLENS" cc "$source" -o "$@"
    fi
}

# The first finding must be RULE on the line that holds TEXT, or the one before where the statement begins there
# ("-": of no line); "done": only notes may be found, and
# what bounds the kernel must be TEXT.
check() { # GPU PROGRAM STEP SIZE RULE TEXT
    "$WARPLENS" profile -q -f -o run --gpu "$1" "./$2" "$3" "$4" >log 2>&1 || { cat log; exit 1; }
    "$WARPLENS" show run.wlr -k 'regex:^(average|gemm|spmv|stencil)' --page advice >advice
    first=$(grep -m1 '^1\. ' advice)
    if [ "$5" = done ]; then
        if grep -E '^[0-9]+\. ' advice | grep -vE ': note: '; then fail "$2, step $3 on $1: not done"; fi
        grep -qF "bound by $6" advice || { fail "$2, step $3 on $1: not bound by $6"; grep 'bound by' advice; }
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

compile averaging -lcublas
check v100 averaging 0 80 small-grid -
check v100 averaging 1 80 global-uncoalesced 'sum += input[(size_t)set * size * size + threadIdx.x * size + i];'
check v100 averaging 2 80 shared-reduction 'products[thread] += products[thread + half];'
check v100 averaging 3 80 matrix-vector 'float sum = sum_of_warp(average * matrix[row * size + thread]);'
check v100 averaging 4 80 done 'device memory'

compile stencil
check k40 stencil 0 1028 global-uncoalesced 'sum += filter[i + 2][j + 2] * input['
check k40 stencil 2 1028 occupancy-blocks -
check k40 stencil 3 1028 read-only-cache 'sum += filter[i + 2][j + 2] * input['
check k40 stencil 4 1028 load-width '* __ldg(&input['
check k40 stencil 6 1028 done 'the load/store path of L1'

compile spmv
check v100 spmv 0 60 global-uncoalesced 'sum += a.values[k] * x[a.columns[k]];'
check v100 spmv 1 60 short-rows 'sum += a.values[k] * x[a.columns[k]];'
check v100 spmv 2 60 occupancy-blocks -
check v100 spmv 3 60 done 'device memory'

compile gemm
check h200 gemm 0 512 global-uncoalesced 'sum += a[row * size + k] * b[k * size + column];'
check h200 gemm 1 512 global-reuse 'sum += a[row * size + k] * b[k * size + column];'
check h200 gemm 2 512 shared-pressure 'sum += tile_a[y][k] * tile_b[k][x];'
check h200 gemm 3 512 small-grid -
check h200 gemm 3 1536 shared-bank '*(const float4 *)&tile_b[k][column'
check h200 gemm 4 1536 done 'the FMA pipe'
exit $status
