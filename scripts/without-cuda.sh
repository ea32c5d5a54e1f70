#!/bin/sh
# without-cuda.sh COMMAND...: runs it as on a machine without the CUDA toolkit: WARPLENS_NO_NVCC=1 is
# set (our tests and tools look for nvcc and ptxas only where it is not), and the folders that hold
# nvcc, ptxas or libcudart are taken out of PATH and LD_LIBRARY_PATH.
set -eu

filter() {
    kept=""
    old_ifs=$IFS
    IFS=:
    for folder in $1; do
        [ -n "$folder" ] || continue
        [ -e "$folder/nvcc" ] || [ -e "$folder/ptxas" ] || [ -e "$folder/libcudart.so" ] && continue
        kept="$kept${kept:+:}$folder"
    done
    IFS=$old_ifs
    echo "$kept"
}

WARPLENS_NO_NVCC=1
PATH=$(filter "$PATH")
LD_LIBRARY_PATH=$(filter "${LD_LIBRARY_PATH:-}")
export WARPLENS_NO_NVCC PATH LD_LIBRARY_PATH
[ -n "$LD_LIBRARY_PATH" ] || unset LD_LIBRARY_PATH
unset CUDA_HOME CUDA_PATH CUDACXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS
exec "$@"
