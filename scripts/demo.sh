#!/bin/sh
# demo.sh BUILD_FOLDER: compiles one ladder of examples/, profiles a step of it and then all of them on
# a simulated H200. Uses nvcc where there is one, else `warplens cc`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
source_file=$root/examples/gemm/gemm.cu
folder=$build/demo
mkdir -p "$folder"
cd "$folder"
rm -rf gemm gemm.wlr gemm.wlr.stream ladder.wlr ladder.wlr.stream

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
steps='for step in 0 1 2 3 4; do ./gemm $step 512; done'
say "warplens profile -q -o ladder sh -c '$steps'"
"$build/warplens" profile -q -o ladder sh -c "$steps"
say "warplens guide gemm.wlr"
"$build/warplens" guide gemm.wlr
say "warplens export ladder.wlr --html ladder.html"
"$build/warplens" export ladder.wlr -q -f --html ladder.html
printf '\nThe reports are %s and %s\n' "$folder/gemm.wlr" "$folder/ladder.wlr"
printf 'All steps, to look at in a browser: %s\n' "$folder/ladder.html"
