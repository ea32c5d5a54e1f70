#!/bin/sh
# nvcc.sh PROGRAM BUILD_FOLDER EXPECTED: runs a program that nvcc compiled, with the shared runtime, on the simulated GPU,
# and looks for EXPECTED in what it prints.
set -u
program=$1 build=$2 expected=$3
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
LD_PRELOAD=$build/lib/libcudart.so.13:$build/lib/libcudart.so.12 "$program" >output 2>&1
status=$?
cat output
grep -qF -- "$expected" output || { echo "ended with $status, without: $expected"; exit 1; }
