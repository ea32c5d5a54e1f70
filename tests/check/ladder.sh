#!/bin/sh
# ladder.sh PROGRAM SIZE STEPS: compiles examples/PROGRAM/PROGRAM.cu with nvcc (NVCC names it) and looks
# whether `warplens check-memory` finds nothing in any step, from 0 to STEPS-1. Environment: WARPLENS,
# SOURCE, NVCC.
set -eu
program=$1 size=$2 steps=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
libraries=
[ "$program" = averaging ] && libraries=-lcublas
"$SOURCE/tests/support/compile.sh" nvcc "$SOURCE/examples/$program/$program.cu" app $libraries
step=0
while [ "$step" -lt "$steps" ]; do
    "$WARPLENS" check-memory --leak-check full ./app "$step" "$size" >output 2>&1 || { cat output; exit 1; }
    grep -qx '========= ERROR SUMMARY: 0 errors' output || { cat output; exit 1; }
    step=$((step + 1))
done
