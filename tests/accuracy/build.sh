#!/bin/sh
# Builds the programs of workloads/ into BUILD/accuracy, with nvcc where there is one, else with warplens cc.
# usage: build.sh BUILD-FOLDER
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/accuracy
mkdir -p "$out"
nvcc=$("$here/../../scripts/find-nvcc.sh" || true)
for program in ado gemm spmv stencil; do
    source=$here/workloads/$program.cu
    [ "$out/$program" -nt "$source" ] && continue
    if [ -n "$nvcc" ]; then
        libraries=
        [ $program = ado ] && libraries=-lcublas
        "$nvcc" -O3 -lineinfo -arch=sm_90 -cudart=shared -o "$out/$program" "$source" $libraries
    else
        "$build/warplens" cc -O3 -o "$out/$program" "$source" || echo "accuracy: $program.cu needs nvcc; left out" >&2
    fi
done
