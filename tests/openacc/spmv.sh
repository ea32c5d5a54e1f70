#!/bin/sh
# spmv.sh: profiles the four forms of examples/spmv/spmv_acc.c on the simulated GPU, and compares their
# grids, blocks and the sectors of their source lines with spmv.txt. Ends with 77 (skipped) where gcc cannot
# offload to NVIDIA GPUs. Environment: WARPLENS, SOURCE.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g "$SOURCE/examples/spmv/spmv_acc.c" -o spmv_acc -lm || exit

for form in 0 1 2 3; do
    GOMP_OPENACC_DIM=1024 "$WARPLENS" profile -q -o "$form" --page summary --source-folders "$SOURCE/examples/spmv" ./spmv_acc "$form" 16 >output 2>&1 ||
        { cat output; exit 1; }
    grep -qx 'result: right' output || { cat output; exit 1; }
    block=$("$WARPLENS" show "$form.wlr" --page raw --metrics launch__grid_size --csv |
        sed -n 's/.*"(1024, 1, 1)","\(([0-9, ]*)\)".*/\1/p;s/.*"\(([0-9, ]*)\)","(1024, 1, 1)".*/\1/p' | head -n 1)
    "$WARPLENS" show "$form.wlr" --page source --print-source cuda --csv |
        awk -F'","' -v form="$form" -v block="$block" '
            NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
            $column["Kind"] == "line" && $column["Source"] ~ /sum \+=|y\[row\] = sum/ {
                source = $column["Source"]
                gsub(/ /, "", source)
                print form, block, source, $column["memory_l2_theoretical_sectors_global"],
                    $column["memory_l2_theoretical_sectors_global_ideal"]
            }'
done >found.txt
# nvc's name of a kernel: its function, and the line of its construct
line=$(grep -n 'pragma acc parallel loop gang vector_length(128)' "$SOURCE/examples/spmv/spmv_acc.c" | cut -d: -f1)
"$WARPLENS" profile -q -k "vector_of_128_${line}_gpu" -o named ./spmv_acc 1 16 >output 2>&1 &&
    "$WARPLENS" show named.wlr --page summary -k "regex:_${line}_gpu$" | grep -q 'vector_of_128\$_omp_fn\$0' ||
    { echo "vector_of_128_${line}_gpu is no kernel:" >&2; cat output >&2; exit 1; }
"$WARPLENS" profile -q -k vector_of_128_1_gpu -o none ./spmv_acc 1 16 >output 2>&1
[ $? = 7 ] || { echo "vector_of_128_1_gpu is a kernel:" >&2; cat output >&2; exit 1; }
sed '/^#/d; s/  */ /g' "$SOURCE/tests/openacc/spmv.txt" >wanted.txt
# another compiler than the recorded one loads other numbers of sectors: lines and shapes are the same
[ "$(gcc -dumpversion | cut -d. -f1)" = 12 ] || sed -i 's/ [0-9]* [0-9]*$//' wanted.txt found.txt
diff wanted.txt found.txt || { echo "< wanted, > found" >&2; exit 1; }
