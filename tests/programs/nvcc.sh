#!/bin/sh
# nvcc.sh SOURCE_FOLDER BUILD_FOLDER EXPECTED NVCC_ARGUMENTS...: compiles with nvcc and the shared
# runtime, runs the program on the simulated GPU, and looks for EXPECTED in what it prints. Ends with
# 77 (skipped) where there is no nvcc.
set -u
source_folder=$1 build=$2 expected=$3
shift 3
nvcc=$("$source_folder/scripts/find-nvcc.sh") ||
    { echo "skipped: there is no nvcc"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$source_folder/tests/programs" || exit 1
"$nvcc" -cudart shared -o "$folder/program" "$@" || exit 1
cd "$folder" || exit 1
LD_PRELOAD=$build/lib/libcudart.so.13:$build/lib/libcudart.so.12 ./program >output 2>&1
status=$?
cat output
grep -qF -- "$expected" output || { echo "ended with $status, without: $expected"; exit 1; }
