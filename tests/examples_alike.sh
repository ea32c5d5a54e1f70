#!/bin/sh
# examples_alike.sh PROGRAM SIZE STEPS: whether clang with our headers makes of a ladder what nvcc makes of
# it, as far as memory sees it: the same accesses, sectors and wavefronts; and both find their results right.
# Environment: WARPLENS, SOURCE, NVCC.
set -eu
program=$1 size=$2 steps=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
source=$SOURCE/examples/$program/$program.cu
libraries=
[ "$program" = averaging ] && libraries=-lcublas
metrics=smsp__sass_inst_executed_op_global_ld.sum,smsp__sass_inst_executed_op_global_st.sum
metrics=$metrics,smsp__sass_inst_executed_op_shared_ld.sum,smsp__sass_inst_executed_op_shared_st.sum
metrics=$metrics,memory_l2_theoretical_sectors_global,memory_l2_theoretical_sectors_global_ideal
metrics=$metrics,memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal,ptx__barriers_executed.sum
metrics=$metrics,launch__shared_mem_per_block_static

"$SOURCE/tests/support/compile.sh" nvcc "$source" nvcc $libraries
"$SOURCE/tests/support/compile.sh" cc "$source" clang $libraries

count() { # PROGRAM STEP
    "$WARPLENS" profile -q -f --no-prediction --source-folders "$SOURCE/examples" -o run -k "regex:^$program|^average|^sgemm" "./$1" "$2" "$size" >output 2>&1 ||
        { cat output >&2; exit 1; }
    grep -qx 'result: right' output || { cat output >&2; exit 1; }
    "$WARPLENS" show run.wlr --metrics "$metrics" --csv | awk -F'","' '{ print $5, $13, $15 }' >"$1.txt"
    [ "$(wc -l <"$1.txt")" -gt 10 ] || { cat "$1.txt" >&2; exit 1; }
}

step=0
while [ "$step" -lt "$steps" ]; do
    count nvcc "$step"
    count clang "$step"
    diff nvcc.txt clang.txt || { echo "$program, step $step: < nvcc, > clang" >&2; exit 1; }
    step=$((step + 1))
done
