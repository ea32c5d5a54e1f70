#!/bin/sh
# programs.sh NAME FLAGS...: compiles tests/openacc/NAME.c for NVIDIA GPUs and runs it on the simulated one.
# Ends with 77 (skipped) where gcc cannot offload. Environment: SOURCE, BUILD.
set -u
name=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
"$SOURCE/tests/openacc/gcc.sh" -O2 -g "$@" -o "$folder/program" "$SOURCE/tests/openacc/$name.c" -lm || exit
LD_LIBRARY_PATH=$BUILD/lib ACC_DEVICE_TYPE=nvidia OMP_TARGET_OFFLOAD=mandatory "$folder/program" \
    >"$folder/output" 2>&1
cat "$folder/output"
grep -qx ok "$folder/output"
