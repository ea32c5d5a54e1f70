#!/bin/sh
# demo.sh BUILD_FOLDER [FOLDER]: profiles the five steps of a matrix multiplication (examples/gemm) on a model of a small
# GPU, a Quadro K620, and asks what holds the slowest back. What it writes is in FOLDER, else demo/ of the build folder.
# Uses nvcc where there is one, else `warplens cc`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
folder=${2:-$build/demo}
mkdir -p "$folder"
cd "$folder"
PATH=$build:$PATH
rm -rf gemm.cu gemm ladder.wlr ladder.wlr.stream ladder.html
cp "$root/examples/gemm/gemm.cu" .

run() {
    printf '\n$ %s\n' "$*"
    sh -c "$*"
}

if nvcc=$("$root/scripts/find-nvcc.sh"); then
    PATH=$PATH:$(dirname "$nvcc")
    run 'nvcc -O3 -arch=sm_90 -cudart=shared -lineinfo gemm.cu -o gemm'
else
    run 'warplens cc gemm.cu -o gemm'
fi
run "warplens profile -q --gpu k620 -o ladder sh -c 'for step in 0 1 2 3 4; do ./gemm \$step 384; done'"
run 'warplens guide ladder.wlr'
run 'warplens show ladder.wlr -k gemm_warp_tile -c 1 --page source --print-source cuda --top memory_l1_wavefronts_shared'
run 'warplens export ladder.wlr -q --html ladder.html'
printf '\nThe report is %s\n' "$PWD/ladder.wlr"
printf 'The same, to look at in a browser: %s\n' "$PWD/ladder.html"
