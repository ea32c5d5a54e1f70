#!/usr/bin/env bash
# prepare.sh FOLDER: makes FOLDER/bin of public projects, which it fetches: karpathy/llm.c dev/cuda (f1e2ace6) and
# siboehm/SGEMM_CUDA (60cba6f9), with one block size, no timing loop, and dimensions small enough to simulate; some of
# zjin-lcf/HeCBench (f27000a5); and the ladders of tests/accuracy/workloads. FOLDER/llm.c, FOLDER/SGEMM_CUDA and
# FOLDER/HeCBench may be there already, as folders without history. Needs nvcc 13.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out/src/sgemm" "$out/bin"
fetch() { # PROJECT COMMIT [FOLDERS]
    local folder=$out/${1#*/}
    [ -d "$folder" ] || git clone -q --filter=blob:none --no-checkout "https://github.com/$1" "$folder"
    if [ -d "$folder/.git" ]; then git -C "$folder" checkout -q "$2" -- ${3:-.}; fi
}
fetch karpathy/llm.c f1e2ace6
fetch siboehm/SGEMM_CUDA 60cba6f9
suite="matrixT entropy damage filter scan vadd popcount accuracy"
fetch zjin-lcf/HeCBench f27000a5 "$(printf 'src/%s-cuda ' $suite) src/include"
kernels=$out/llm.c/dev/cuda sgemm=$out/SGEMM_CUDA/src
cp "$kernels/common.h" "$out/src/"
cp -r "$sgemm/kernels" "$sgemm/kernels.cuh" "$sgemm/runner.cu" "$sgemm/runner.cuh" "$out/src/sgemm/"
edit() { # PROGRAM [SED-OPTIONS...]
    local program=$1
    shift
    sed -E -e 's/int block_sizes\[\] = \{[^;]*;/int block_sizes[] = {256};/' \
        -e 's/int sqrt_block_sizes\[\] = \{[^;]*;/int sqrt_block_sizes[] = {16};/' \
        -e 's/int repeat_times = [0-9]+;/int repeat_times = 0;/' "$@" "$kernels/$program.cu" >"$out/src/$program.cu"
}
edit layernorm_forward
edit softmax_forward -e 's/int T = 1024;/int T = 128;/'
edit attention_forward -e 's/int B = 8;/int B = 2;/' -e 's/int T = 1024;/int T = 512;/'
edit matmul_forward -e 's/int B = 32;/int B = 1;/'
edit layernorm_backward -e 's/int B = 8;/int B = 4;/'
edit matmul_backward_bias
edit trimat_forward -e 's/int B = 8;/int B = 1;/'
edit fused_residual_forward
edit encoder_forward
edit classifier_fused -e 's/int64_t T = 1024;/int64_t T = 128;/'
edit gelu_forward
options="-O3 -std=c++17 -arch=sm_90 -lineinfo -cudart=shared -w"
g++ -c "$here/cublas_stub.cpp" -o "$out/stub.o"
nvcc $options -I"$out/src/sgemm" "$here/sgemm_one.cu" "$out/src/sgemm/runner.cu" "$out/stub.o" -o "$out/bin/sgemm_one"
for source in "$out"/src/*.cu; do
    nvcc $options -I"$out/src" "$source" "$out/stub.o" -o "$out/bin/$(basename "$source" .cu)"
done
for program in $suite; do
    nvcc $options --extended-lambda -I"$out/HeCBench/src/include" "$out/HeCBench/src/$program-cuda/main.cu" -o "$out/bin/$program"
done
for program in ado spmv gemm stencil; do
    nvcc $options "$here/../../tests/accuracy/workloads/$program.cu" "$out/stub.o" -o "$out/bin/$program"
done
