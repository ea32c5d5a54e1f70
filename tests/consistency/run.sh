#!/bin/sh
# run.sh nvcc|cc cases|followed|fixtures|examples: profiles the programs and looks for contradictions in what is said of them
# (check.py); of the cases also whether loads and stores alone, and arithmetic alone, take as long as programs that were
# cut down to them; of the followed also whether what is advised brings what it promised (followed.py). Of the fixtures
# it reads what rules/profile.sh has profiled, of the examples what ladders_advice.sh has, which runs with nvcc only.
# Environment: WARPLENS, SOURCE, NVCC, REPORTS.
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
