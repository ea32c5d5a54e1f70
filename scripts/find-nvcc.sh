#!/bin/sh
# find-nvcc.sh: prints the path of nvcc; exits 1 where there is none or WARPLENS_NO_NVCC is set.
[ -z "${WARPLENS_NO_NVCC:-}" ] || exit 1
command -v nvcc && exit 0
for nvcc in "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    [ -x "$nvcc" ] && echo "$nvcc" && exit 0
done
exit 1
