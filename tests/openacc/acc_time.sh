#!/bin/sh
# acc_time.sh: `warplens acc-time` of copies.c and of the forms of spmv, lengths of time left out, beside
# acc_time.txt; where lines come from without debug information; host fallback. Ends with 77 (skipped) where
# gcc cannot offload to NVIDIA GPUs. Environment: WARPLENS, SOURCE.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
cp "$SOURCE/tests/openacc/copies.c" "$SOURCE/tests/openacc/copies.log" "$SOURCE/examples/spmv/spmv_acc.c" .
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g copies.c -o copies || exit
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g spmv_acc.c -o spmv_acc -lm || exit
cp "$SOURCE/tests/openacc/devices.c" "$SOURCE/tests/openacc/waits.c" .
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g waits.c -o waits || exit
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g devices.c -o devices || exit
strip --strip-debug -o stripped copies
export GOMP_OPENACC_DIM=1024

fail() {
    echo "$1" >&2
    cat output messages >&2
    exit 1
}

run() { # NAME COMMAND...: its stdout, without times, behind a headline
    name=$1
    shift
    echo "== $name"
    "$@" >output 2>messages || fail "$name"
    sed 's/\(total\|max\|min\|avg\)=[0-9,.]*/\1=T/g; s/time(us): [0-9,.]*$/time(us): T/; s/[0-9.]*%/P%/g
         s/[0-9,.]* us\b/T us/g'"; s#$folder/##" output
}

{
    run copies "$WARPLENS" acc-time -o copies --compiler-log copies.log ./copies
    for form in 0 1 2 3; do
        run "spmv, form $form" "$WARPLENS" acc-time -o "spmv$form" ./spmv_acc "$form" 16
    done
    for form in 0 1 2 3; do # how often, how many bytes, and names: the others are the table's name and times
        echo "== tables of spmv, form $form"
        "$WARPLENS" show "spmv$form.wlr" --report openacc_sum,cuda_gpu_kern_sum --csv |
            awk -F, 'NF > 2 { print $4, $NF }' | sort
        "$WARPLENS" show "spmv$form.wlr" --report cuda_gpu_mem_size_sum --csv |
            awk -F, '{ print $1, $2, $NF }'
    done
    run "lines of PTX" "$WARPLENS" acc-time -o stripped ./stripped
    run waits "$WARPLENS" acc-time -o waits ./waits
    run "two devices" env WARPLENS_DEVICES=2 "$WARPLENS" acc-time -o devices ./devices
    export ACC_DEVICE_TYPE=host
    run "host fallback" "$WARPLENS" acc-time -o host ./copies
    unset ACC_DEVICE_TYPE
} >found.txt || exit 1
if [ -n "${WL_UPDATE_GOLDEN:-}" ]; then
    cp found.txt "$SOURCE/tests/openacc/acc_time.txt"
fi
# what happened, a line each, of a report and after a run: as many launches and copies as the tables have
"$WARPLENS" acc-time copies.wlr --notify 0x1f >output 2>messages || fail "--notify"
sed "s#$folder/##" output | grep -qx 'launch CUDA kernel  file=copies.c function=step line=12 device=0 threadid=1 grid=[0-9x]* block=32' || fail "launches"
[ "$(grep -c '^launch CUDA kernel' output)" = 6 ] && [ "$(grep -c '^Enter compute region' output)" = 6 ] &&
    [ "$(grep -c '^Leave compute region' output)" = 6 ] && [ "$(grep -c '^download CUDA data.*bytes=80000$' output)" = 6 ] || fail "number of lines"
"$WARPLENS" acc-time copies.wlr --notify 1 | grep -vq '^launch' && fail "--notify 1 has more than launches"
PGI_ACC_NOTIFY=2 "$WARPLENS" trace -q -f -o told ./copies >output 2>messages || fail "PGI_ACC_NOTIFY"
grep -q '^upload CUDA data' output && ! grep -q '^launch' output || fail "PGI_ACC_NOTIFY=2"
"$WARPLENS" acc-time copies.wlr --notify -1 >output 2>messages && fail "--notify -1"
grep -q '1: launches, 2: copies' messages || fail "what --notify takes"
cp "$SOURCE/tests/openacc/acc_time.txt" wanted.txt
# later compilers put what goes to the GPU into fewer transfers
if [ "$(gcc -dumpversion | cut -d. -f1)" != 12 ]; then
    sed -i '/"Enqueue Upload@/d; s/copyin transfers: [0-9]*/copyin transfers: N/
        s/ [0-9]* "\[CUDA memcpy Host-to-Device\]"/ N&/; s/ N [0-9]* "/ N "/' wanted.txt found.txt
fi
diff wanted.txt found.txt || fail "< wanted, > found"

# the environment asks for it, too; a report shows it again, as data, with a log of gcc
WARPLENS_ACC_TIME=1 "$WARPLENS" trace -o again ./copies >output 2>messages || fail "WARPLENS_ACC_TIME"
grep -q 'Accelerator Kernel Timing data' output || fail "WARPLENS_ACC_TIME is ignored"
"$WARPLENS" acc-time --csv copies.wlr >output 2>messages
grep -q '/copies.c","step",12,compute region,kernel,nvidia,"step$_omp_fn$0",\[1024\],\[32\],5,0,' output || fail csv
"$WARPLENS" acc-time --json copies.wlr >output 2>messages
grep -q '"rule": "acc-repeated-copies"' output || fail json
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g -fopt-info-omp=gcc.log spmv_acc.c -o spmv_acc -lm
"$WARPLENS" acc-time --compiler-log gcc.log spmv1.wlr >output 2>messages
grep -q '42, assigned OpenACC vector loop parallelism' output || fail "log of gcc"
grep -q '25, assigned' output && fail "messages of regions that did not run"
"$WARPLENS" acc-time --compiler-log copies.c copies.wlr >output 2>messages && fail "not a log"
grep -q 'the log holds no message of a compiler (copies.c)' messages || fail "not a log"
"$WARPLENS" trace -q -o none true >output 2>messages
"$WARPLENS" profile -q -o counts ./copies >output 2>messages
"$WARPLENS" acc-time counts.wlr >output 2>messages && fail "no OpenACC"
grep -q 'the report holds no OpenACC' messages || fail "no OpenACC"
exit 0
