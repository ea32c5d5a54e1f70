#!/bin/sh
# run.sh nvcc|cc cases|followed|fixtures|examples|programs|stored: profiles the programs and looks for contradictions in what is said of them
# (check.py); of the cases also whether loads and stores alone, and arithmetic alone, take as long as programs that were
# cut down to them; of the followed also whether what is advised brings what it promised (followed.py). Of the fixtures
# it reads what rules/profile.sh has profiled, of the examples what ladders_advice.sh has, which runs with nvcc only.
# programs: what holds a program as a whole back, by optimize, and of two ranks, merged; stored: what real GPUs gave, imported,
# and whether the checker finds each kind of contradiction (check_test.py).
# Environment: WARPLENS, SOURCE, NVCC, REPORTS, PAGES.
set -eu
compiler=$1
part=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

compile() { # SOURCE PROGRAM LIBRARIES
    "$SOURCE/tests/support/compile.sh" "$compiler" "$@"
}

profile() { # REPORT OPTIONS... -- PROGRAM ARGUMENTS
    name=$1
    shift
    "$WARPLENS" profile -q -f -o "$name" "$@" >"$name.log" 2>&1 || { cat "$name.log"; exit 1; }
}

case $part in
cases)
    compile "$SOURCE/tests/consistency/cases.cu" cases
    profile cases ./cases
    profile asked --whatif ./cases
    "$WARPLENS" optimize -q -f -o program ./cases >program.log 2>&1 || { cat program.log; exit 1; }
    python3 "$SOURCE/tests/consistency/alone.py" "$WARPLENS" cases.wlr asked.wlr
    ;;
followed)
    compile "$SOURCE/tests/consistency/followed.cu" followed
    profile followed ./followed
    python3 "$SOURCE/tests/consistency/followed.py" "$WARPLENS" followed.wlr
    ;;
programs)
    compile "$SOURCE/tests/consistency/program.cu" program
    for mode in launches copies pageable waits allocations; do
        "$WARPLENS" optimize -q -f -o "$mode" ./program "$mode" >"$mode.log" 2>&1 || { cat "$mode.log"; exit 1; }
    done
    for rank in 0 1; do
        RANK=$rank WORLD_SIZE=2 "$WARPLENS" trace -q -f -o ranks ./program pageable >trace.log 2>&1 || { cat trace.log; exit 1; }
        RANK=$rank WORLD_SIZE=2 "$WARPLENS" profile -q -f -c 2 -o counts ./program pageable >counts.log 2>&1 || { cat counts.log; exit 1; }
    done
    "$WARPLENS" merge -q -o ranks ranks-rank?.wlr
    "$WARPLENS" merge -q -o counts counts-rank?.wlr
    "$WARPLENS" show ranks.wlr --page advice | grep -q 'rank-imbalance: the busiest of 2 GPUs' ||
        { echo "that one rank has twice the work is not said" >&2; exit 1; }
    rm ./*-rank?.wlr
    ;;
stored)
    python3 -B "$SOURCE/tests/consistency/check_test.py"
    for readings in tests/rules/hardware.csv tests/accuracy/readings.csv tests/accuracy/suite/readings.csv; do
        python3 "$SOURCE/tests/consistency/stored.py" "$(echo "${readings%.csv}" | tr / -)" "$SOURCE/$readings"
    done
    cp "$SOURCE/tests/foreign/ncu_h100.csv" "$SOURCE/tests/foreign/occupancy.csv" "$SOURCE/tests/foreign/sectors.csv" .
    for table in *.csv; do
        "$WARPLENS" import -q -o "${table%.csv}" "$table"
    done
    ;;
fixtures)
    cp "$REPORTS"/*.wlr .
    ;;
examples)
    steps() { # PROGRAM FIRST LAST SIZE GPU LIBRARIES
        compile "$SOURCE/examples/$1/$1.cu" "$1" ${6:-}
        for step in $(seq "$2" "$3"); do
            profile "$1-$step" --gpu "$5" "./$1" "$step" "$4"
        done
    }
    if [ "$compiler" = nvcc ]; then
        cp "$REPORTS"/*.wlr .
        steps stencil 1 1 516 k40 # the one that they leave out
    else
        steps averaging 0 4 16 v100 -lcublas
        steps stencil 0 6 516 k40
        steps spmv 0 3 30 v100
        steps gemm 0 4 256 h200
    fi
    ;;
esac
python3 "$SOURCE/tests/consistency/check.py" "$WARPLENS" ./*.wlr
