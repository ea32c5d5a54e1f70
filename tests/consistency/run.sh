#!/bin/sh
# run.sh nvcc|cc cases|followed|fixtures|examples: profiles the programs and looks for contradictions in what is said of them
# (check.py); of the cases also whether loads and stores alone, and arithmetic alone, take as long as programs that were
# cut down to them; of the followed also whether what is advised brings what it promised (followed.py). Environment: WARPLENS, SOURCE, NVCC.
set -eu
compiler=$1
part=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }

compile() { # SOURCE PROGRAM LIBRARIES
    source=$1
    program=$2
    shift 2
    if [ "$compiler" = nvcc ]; then
        "$NVCC" -O3 -arch=sm_90 -cudart=shared -lineinfo "$source" "$@" -o "$program"
    else
        "$WARPLENS" cc "$source" "$@" -o "$program"
    fi
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
    compile "$SOURCE/tests/rules/fixtures.cu" fixtures
    profile fixtures ./fixtures
    profile k40 --gpu k40 ./fixtures
    ;;
examples)
    for ladder in "averaging 4 16 v100 -lcublas" "stencil 6 516 k40" "spmv 3 30 v100" "gemm 4 256 h200"; do
        set -- $ladder
        compile "$SOURCE/examples/$1/$1.cu" "$1" ${5:-}
        for step in $(seq 0 "$2"); do
            profile "$1-$step" --gpu "$4" "./$1" "$step" "$3"
        done
    done
    ;;
esac
python3 "$SOURCE/tests/consistency/check.py" "$WARPLENS" ./*.wlr
