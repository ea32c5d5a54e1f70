#!/bin/sh
# Measures the programs of tests/accuracy/workloads with the hardware collector and with ncu, on the GPU of this
# machine, and prints how far they agree and what each costs, as Markdown. Needs ncu, python3, and nvcc where
# PROGRAMS-FOLDER does not hold the programs yet.
# usage: bench/gpu/compare/run.sh WARPLENS [PROGRAMS-FOLDER [PART...]]
# parts: ceilings cost spread samples twin programs source pipe; default: all. The folder keeps what is built.
# KEEP=FOLDER keeps the reports and the pages that are compared. RUNS=PATTERN (of grep -E): of the file runs only those.
set -e
here=$(cd "$(dirname "$0")" && pwd)
warplens=${1:?usage: run.sh WARPLENS [PROGRAMS-FOLDER [PART...]]}
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ -n "$KEEP" ] || trap 'rm -rf "$work"' EXIT
programs=${2:-$work/programs}
[ $# -lt 2 ] && shift || shift 2
parts=${*:-ceilings cost spread samples twin programs source pipe}
mkdir -p "$programs"
build() { # SOURCE PROGRAM OPTIONS
    [ -x "$programs/$2" ] || nvcc -O3 -lineinfo -arch="${ARCH:-sm_90}" $3 -o "$programs/$2" "$1" -lcublas 2>"$work/nvcc" ||
        { cat "$work/nvcc" >&2; exit 1; }
}
for name in ado gemm spmv stencil; do
    build "$here/../../../tests/accuracy/workloads/$name.cu" $name ""
    build "$here/../../../tests/accuracy/workloads/$name.cu" ${name}_shared "-cudart shared"
done
build "$here/many.cu" many ""
build "$here/pipe.cu" pipe ""
many=$programs/many gemm=$programs/gemm

has() { case " $parts " in *" $1 "*) ;; *) false ;; esac }
ours() { "$warplens" profile -q -f "$@" >/dev/null 2>>"$work/trouble" || true; }
theirs() { ncu --clock-control none -f "$@" >/dev/null 2>>"$work/trouble" || true; }
milliseconds() {
    start=$(date +%s%N)
    "$@" >/dev/null 2>>"$work/trouble" || true
    echo $((($(date +%s%N) - start) / 1000000))
}
kilobytes() { if [ -s "$1" ]; then echo $(($(wc -c <"$1") / 1024)); else echo -; fi; }
memory() { # of the largest process, in MB
    rm -f "$work/memory"
    /usr/bin/time -f %M -o "$work/memory" "$@" >/dev/null 2>>"$work/trouble" || true
    [ -s "$work/memory" ] && echo $(($(tail -1 "$work/memory") / 1024)) || echo -
}
wanted() { grep -E "^(${RUNS:-.*}) " "$here/runs"; }

echo "GPU: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1); $(ncu --version | tail -2 | head -1)"

if has ceilings; then
    printf '\n## Ceilings\n\n'
    XDG_CACHE_HOME=$work "$warplens" ceilings 2>/dev/null
fi

cost() { # NAME PROGRAM-AND-ARGUMENTS OURS THEIRS
    bare=$(milliseconds $2)
    mine=$(milliseconds "$warplens" profile -q -f -o "$work/cost" $3 $2)
    other=-
    rm -f "$work/cost.ncu-rep"
    [ -z "$4" ] || other=$(milliseconds ncu --clock-control none -f -o "$work/cost" $4 $2)
    echo "| $1 | $bare | $mine | $other | $(kilobytes "$work/cost.wlr") | $(kilobytes "$work/cost.ncu-rep") | $(memory "$warplens" profile -q -f -o "$work/cost" $3 $2) |"
}
if has cost; then
    printf '\n## What it costs\n\n'
    echo "| what | bare, ms | Warplens, ms | ncu, ms | report, KB | ncu's, KB | memory, MB |"
    echo "|---|---|---|---|---|---|---|"
    cost "gemm 4, nothing but a session" "$gemm 4 2048" "--metrics gpu__time_duration.sum" ""
    cost "gemm 4, triage; ncu basic" "$gemm 4 2048" "" "--set basic"
    cost "gemm 4, full" "$gemm 4 2048" "--set full" "--set full"
    cost "200 tiny launches, nothing but a session" "$many 200" "--metrics gpu__time_duration.sum --replay-mode spread" ""
    cost "200 tiny launches, basic, spread" "$many 200" "--set basic --replay-mode spread" ""
    cost "200 tiny launches, basic, auto" "$many 200" "--set basic" ""
    cost "200 tiny launches, basic, each replayed" "$many 200" "--set basic --replay-mode kernel" "--set basic"
fi

if has spread; then
    printf '\n## Spread beside each replayed: many 200, basic\n\n'
    for mode in spread kernel; do
        ours -o "$work/$mode" --set basic --replay-mode $mode "$many" 200
        "$warplens" show "$work/$mode.wlr" --page raw --csv >"$work/$mode.csv"
    done
    python3 "$here/compare.py" spread "$work/spread.csv" "$work/kernel.csv"
fi

if has samples; then
    printf '\n## 100,000 tiny launches, samples by line every 2^10 cycles: bare, then sampled\n\n'
    for _ in 1 2 3 4 5 6 7 8 9 10 11; do
        "$many" 100000
        "$warplens" profile -q -f -o "$work/many" --metrics smsp__pcsamp_sample_count --warp-sampling on --warp-sampling-interval 5 \
            "$many" 100000 2>>"$work/trouble" || true
    done >"$work/samples"
    awk '{ print $5 >> (NR % 2 ? "'"$work/bare"'" : "'"$work/sampled"'") }' "$work/samples"
    for kind in bare sampled; do
        echo "$kind: $(sort -n "$work/$kind" | tr '\n' ' ')us a launch"
    done
    paste "$work/bare" "$work/sampled" | awk '{ print $2 / $1 }' | sort -n |
        awk '{ all = all " " $1; ratio[NR] = $1 } END { print "sampled / bare:" all; print "median " ratio[int((NR + 1) / 2)] }'
    "$warplens" show "$work/many.wlr" --page raw | grep pcsamp_sample_count || true
    "$warplens" show "$work/many.wlr" --page session --json | python3 "$here/compare.py" notes
fi

if has twin; then
    printf '\n## Measured and simulated\n\n'
    wanted | head -20 >"$work/list" # the small ones
    while read -r run program arguments; do
        # shellcheck disable=SC2086
        "$warplens" profile -q -f -o "$work/twin" --twin --json --set full "$programs/${program}_shared" $arguments \
            >"$work/$run.twin" 2>>"$work/trouble" </dev/null || true
    done <"$work/list"
    # shellcheck disable=SC2046
    python3 "$here/twin.py" $(sed "s|^\([^ ]*\) .*|$work/\1.twin|" "$work/list")
fi

# What the sections of ncu that hold the metrics of the file metrics need: fewer passes than --set full.
sections="SpeedOfLight MemoryWorkloadAnalysis MemoryWorkloadAnalysis_Chart MemoryWorkloadAnalysis_Tables
    SchedulerStats WarpStateStats InstructionStats LaunchStats Occupancy SourceCounters"
both() { # RUN TIMES PROGRAM ARGUMENTS: pages of both. Ours: counters, then samples and counts at instructions.
    run=$1 times=$2 program=$programs/$3
    shift 3
    set -- -k "regex:avg|gemm|splitK|spmv|stencil" "$program" "$@"
    ours -o "$work/$run" --set full --replay-mode kernel --warp-sampling off --instruction-counts off "$@"
    ours -o "$work/$run.lines" --metrics smsp__pcsamp_sample_count --replay-mode application \
        --warp-sampling on --instruction-counts on "$@"
    "$warplens" show "$work/$run.wlr" --page raw --csv >"$work/$run.ours.csv" || true
    "$warplens" show "$work/$run.lines.wlr" --page raw --csv >"$work/$run.lines.csv" || true
    for page in $times; do
        # shellcheck disable=SC2046
        theirs -o "$work/$run.$page" $(printf -- '--section %s ' $sections) "$@"
        ncu -i "$work/$run.$page.ncu-rep" --page raw --csv --print-units base >"$work/$run.$page.csv"
    done
}
if has programs; then
    printf '\n## Beside ncu\n\n'
    wanted >"$work/list"
    while read -r run program arguments; do
        # shellcheck disable=SC2086
        both "$run" "theirs again" "$program" $arguments </dev/null
        rm -f "$work/$run".*.ncu-rep
    done <"$work/list"
    # shellcheck disable=SC2046
    python3 "$here/compare.py" programs "$work" $(cut -d' ' -f1 "$work/list")
fi

if has source; then
    printf '\n## Instruction by instruction\n\n'
    echo "| run | source page | executions | sectors | ideal sectors | wavefronts | ideal wavefronts | hottest line |"
    echo "|---|---|---|---|---|---|---|---|"
    for run in gemm_3 spmv_0 stencil_0; do
        case $run in gemm*) size=1024 ;; spmv*) size=101 ;; *) size=2048 ;; esac
        both $run theirs ${run%_*} ${run#*_} $size
        "$warplens" show "$work/$run.lines.wlr" --page source --csv >"$work/$run.ours.source.csv"
        ncu -i "$work/$run.theirs.ncu-rep" --page source --csv --print-source sass >"$work/$run.theirs.source.csv"
        python3 "$here/compare.py" source "$run" "$work/$run.ours.source.csv" "$work/$run.theirs.source.csv" || true
    done
fi

if has pipe; then
    printf '\n## Wavefronts in the pipe of shared memory\n\n'
    ours -o "$work/pipe" --replay-mode kernel --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum "$programs/pipe"
    "$warplens" show "$work/pipe.wlr" --page raw --csv --metrics l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
fi
sort "$work/trouble" 2>/dev/null | uniq -c | sort -rn | head -20 >&2
