#!/bin/sh
# demo.sh BUILD_FOLDER: compiles one ladder of examples/ and profiles a step of it on a simulated
# H200. Uses nvcc where there is one, else `warplens cc`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
source_file=$root/examples/gemm/gemm.cu
folder=$build/demo
mkdir -p "$folder"
cd "$folder"
rm -rf gemm gemm.wlr gemm.wlr.stream

say() { printf '\n$ %s\n' "$*"; }

if nvcc=$("$root/scripts/find-nvcc.sh"); then
    say "nvcc -O3 -arch=sm_90 -cudart=shared -lineinfo gemm.cu -o gemm"
    "$nvcc" -O3 -arch=sm_90 -cudart=shared -lineinfo "$source_file" -o gemm
else
    say "warplens cc gemm.cu -o gemm"
    "$build/warplens" cc "$source_file" -o gemm
fi
say "warplens profile -o gemm ./gemm 3 512"
"$build/warplens" profile -o gemm ./gemm 3 512
say "warplens show gemm.wlr --page source --print-source cuda --top memory_l1_wavefronts_shared"
"$build/warplens" show gemm.wlr --page source --print-source cuda --top memory_l1_wavefronts_shared
say "warplens guide gemm.wlr"
"$build/warplens" guide gemm.wlr
printf '\nThe report is %s\n' "$folder/gemm.wlr"
