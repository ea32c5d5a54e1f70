#!/bin/sh
# compile.sh nvcc|cc SOURCE.cu PROGRAM [OPTIONS...]: compiles for an H200 with nvcc (NVCC names it) or with `warplens cc`.
# Where COMPILED names the folder in which the build has done so already (wl_compiled_program), its program is taken.
# Environment: WARPLENS, NVCC, COMPILED.
set -eu
compiler=$1 source=$2 program=$3
shift 3
ready=${COMPILED:-}/$(basename "$source" .cu).$compiler
if [ -n "${COMPILED:-}" ] && [ -x "$ready" ]; then
    cp "$ready" "$program"
elif [ "$compiler" = nvcc ]; then
    exec "$NVCC" -O3 -arch=sm_90 -cudart=shared -lineinfo "$source" -o "$program" "$@"
else
    exec "$WARPLENS" cc "$source" -o "$program" "$@"
fi
