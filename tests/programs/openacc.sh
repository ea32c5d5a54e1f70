#!/bin/sh
# openacc.sh SOURCE_FOLDER BUILD_FOLDER: an OpenACC program on the simulated GPU. Ends with 77 (skipped)
# where gcc cannot offload to NVIDIA GPUs (Debian: gcc-offload-nvptx).
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
# a ptxas in PATH refuses the old targets that gcc emits
PATH=/usr/bin:/bin
export PATH
gcc -fopenacc -foffload=nvptx-none -O2 -g -o "$folder/program" "$1/tests/programs/openacc.c" \
    2>"$folder/messages" || exit 77
LD_LIBRARY_PATH=$2/lib ACC_DEVICE_TYPE=nvidia "$folder/program" >"$folder/output" 2>&1
cat "$folder/output"
grep -qx ok "$folder/output"
