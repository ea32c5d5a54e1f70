#!/bin/sh
# Measures the examples with the hardware collector and with ncu, on the GPU of this machine, and prints
# how far they agree and what each costs, as Markdown. Needs nvcc, ncu and python3.
# usage: bench/hardware/run.sh WARPLENS [PROGRAMS-FOLDER]   (the folder keeps what is built)
set -e
here=$(cd "$(dirname "$0")" && pwd)
warplens=${1:?usage: run.sh WARPLENS [PROGRAMS-FOLDER]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=${2:-$work/programs}
mkdir -p "$programs"
for source in "$here"/../../examples/gemm/gemm.cu "$here"/../../examples/spmv/spmv.cu \
    "$here"/../../examples/stencil/stencil.cu "$here"/../../examples/averaging/averaging.cu "$here"/many.cu; do
    program=$programs/$(basename "$source" .cu)
    [ -x "$program" ] || nvcc -O3 -lineinfo -arch="${ARCH:-sm_90}" -o "$program" "$source" -lcublas 2>"$work/nvcc" ||
        { cat "$work/nvcc" >&2; exit 1; }
done

milliseconds() {
    start=$(date +%s%N)
    "$@" >/dev/null 2>"$work/errors" || true
    echo $((($(date +%s%N) - start) / 1000000))
}

echo "GPU: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1); $(ncu --version | tail -2 | head -1)"
echo
echo "| run | launches | metrics | within 1% | within 5% | more | furthest |"
echo "|---|---|---|---|---|---|---|"
while read -r run program arguments; do
    # shellcheck disable=SC2086
    "$warplens" profile -q -f -o "$work/$run" --set full --replay-mode application "$programs/$program" $arguments \
        >/dev/null 2>>"$work/trouble" || true
    # shellcheck disable=SC2086
    ncu --set full --cache-control none --clock-control none -f -o "$work/$run" "$programs/$program" $arguments \
        >/dev/null 2>>"$work/trouble" || true
    "$warplens" show "$work/$run.wlr" --page raw --csv >"$work/ours.csv"
    ncu -i "$work/$run.ncu-rep" --page raw --csv --print-units base >"$work/theirs.csv"
    python3 "$here/compare.py" metrics "$run" "$work/ours.csv" "$work/theirs.csv"
done <"$here/runs"

echo
echo "| run | source page | executions | sectors | ideal sectors | wavefronts | ideal wavefronts | hottest line |"
echo "|---|---|---|---|---|---|---|---|"
for run in gemm_3 spmv_0 stencil_0; do
    [ -f "$work/$run.wlr" ] || continue
    "$warplens" show "$work/$run.wlr" --page source --csv >"$work/ours.csv"
    ncu -i "$work/$run.ncu-rep" --page source --csv --print-source sass >"$work/theirs.csv"
    python3 "$here/compare.py" source "$run" "$work/ours.csv" "$work/theirs.csv"
done

echo
echo "| what | bare, ms | Warplens, ms | ncu, ms |"
echo "|---|---|---|---|"
cost() { # NAME PROGRAM-AND-ARGUMENTS | OURS | THEIRS
    bare=$(milliseconds $2)
    ours=$(milliseconds "$warplens" profile -q -f -o "$work/cost" $3 $2)
    theirs=-
    [ -z "$4" ] || theirs=$(milliseconds ncu --clock-control none -f -o "$work/cost" $4 $2)
    echo "| $1 | $bare | $ours | $theirs |"
}
many=$programs/many gemm=$programs/gemm
cost "gemm 4, nothing but a session" "$gemm 4 2048" "--metrics gpu__time_duration.sum" ""
cost "gemm 4, triage; ncu basic" "$gemm 4 2048" "" "--set basic"
cost "gemm 4, full" "$gemm 4 2048" "--set full" "--set full"
cost "20 tiny launches, basic, each replayed" "$many 20" "--set basic --replay-mode kernel" "--set basic"
cost "200 tiny launches, basic" "$many 200" "--set basic" ""
cost "100,000 tiny launches, samples by line" "$many 100000" "--replay-mode auto --metrics none__ --warp-sampling on --warp-sampling-interval 5" ""
echo
"$programs/many" 100000
"$warplens" profile -q -f -o "$work/many" --metrics none__ --warp-sampling on --warp-sampling-interval 5 \
    "$programs/many" 100000 2>/dev/null || true
"$warplens" show "$work/many.wlr" --page session --json | python3 "$here/compare.py" notes
cat "$work/trouble" >&2
