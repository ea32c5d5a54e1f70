#!/bin/sh
# examples.sh nvcc|cc PROGRAM SIZE STEPS: compiles examples/PROGRAM/PROGRAM.cu with nvcc (NVCC names it)
# or with `warplens cc`, profiles each step from 0 to STEPS-1 at that size, and looks whether the program
# found its result right and the report has its launches. Environment: WARPLENS, SOURCE.
set -eu
compiler=$1 program=$2 size=$3 steps=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
source=$SOURCE/examples/$program/$program.cu
libraries=
[ "$program" = averaging ] && libraries=-lcublas

"$SOURCE/tests/support/compile.sh" "$compiler" "$source" app $libraries

step=0
while [ "$step" -lt "$steps" ]; do
    "$WARPLENS" profile --source-folders "$SOURCE/examples" -o "$step" --page summary ./app "$step" "$size" >output 2>&1 || { cat output; exit 1; }
    grep -qx 'result: right' output || { cat output; exit 1; }
    "$WARPLENS" show "$step.wlr" --page source --print-source cuda >source.txt
    grep -q "File: .*$program.cu" source.txt || { head -20 source.txt; exit 1; }
    step=$((step + 1))
done
