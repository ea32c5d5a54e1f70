#!/bin/sh
# The four ladders through ncu's files: is the first finding of a report imported from ncu the one that the hardware
# collector's report of the same program has? Needs a GPU, ncu and nvcc; FOLDER keeps the files, so that the comparison
# runs again anywhere: bench/gpu/compare/first.sh WARPLENS FOLDER compare
# usage: bench/gpu/compare/first.sh WARPLENS FOLDER [measure] [compare]      RUNS=PATTERN (of grep -E): only those of `runs`
set -eu
here=$(cd "$(dirname "$0")" && pwd)
warplens=${1:?usage: first.sh WARPLENS FOLDER [measure] [compare]} folder=${2:?usage: first.sh WARPLENS FOLDER}
shift 2
parts=${*:-measure compare}
mkdir -p "$folder"
small='(ado_1_2|ado_[2-5]_132|gemm_[0-4]_512|spmv_[0-3]_64|stencil_[0-6]_1024)'
wanted() { grep -E "^${RUNS:-$small} " "$here/runs"; }

measure() {
    programs=$(mktemp -d)
    for name in ado gemm spmv stencil; do
        nvcc -O3 -lineinfo -arch="${ARCH:-sm_90}" -o "$programs/$name" \
            "$here/../../../tests/accuracy/workloads/$name.cu" -lcublas 2>>"$folder/trouble" &
    done
    wait
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$folder/machine"
    ncu --version | tail -2 | head -1 >>"$folder/machine"
    wanted | while read -r run program arguments; do
        # shellcheck disable=SC2086
        {
            ncu --clock-control none --set full -f -o "$folder/$run" "$programs/$program" $arguments
            "$warplens" profile -q -f --set full -o "$folder/$run.ours" "$programs/$program" $arguments
        } >/dev/null 2>>"$folder/trouble" </dev/null || echo "$run failed" >&2
        ncu -i "$folder/$run.ncu-rep" --page raw --csv >"$folder/$run.raw.csv" 2>/dev/null
    done
    ncu -i "$folder/gemm_3_512.ncu-rep" --page details --csv >"$folder/gemm_3_512.details.csv" 2>/dev/null || true
    ncu -i "$folder/gemm_3_512.ncu-rep" --page source --csv >"$folder/gemm_3_512.source.csv" 2>/dev/null || true
    rm -rf "$programs"
}

# the first finding of a report about a launch: its name
first() {
    "$warplens" show "$1" --page advice --json 2>>"$folder/trouble" |
        python3 -c 'import json, sys
found = [f for f in json.load(sys.stdin)["findings"] if f["launch"] is not None]
print(found[0]["id"] if found else "-")' 2>>"$folder/trouble" || echo '?'
}

compare() {
    same=0 all=0
    echo "| run | ours | .ncu-rep | raw page | |"
    echo "|---|---|---|---|---|"
    for ours in "$folder"/*.ours.wlr; do
        run=$(basename "$ours" .ours.wlr)
        for kind in ncu-rep raw.csv; do
            "$warplens" import -q -f -o "$folder/$run.$kind.wlr" "$folder/$run.$kind" >/dev/null 2>>"$folder/trouble" || true
        done
        a=$(first "$ours") b=$(first "$folder/$run.ncu-rep.wlr") c=$(first "$folder/$run.raw.csv.wlr")
        all=$((all + 1)) word=
        if [ "$a" = "$b" ] && [ "$a" = "$c" ]; then same=$((same + 1)) word=same; fi
        echo "| $run | $a | $b | $c | $word |"
    done
    echo
    echo "the same first finding: $same of $all"
}

for part in $parts; do "$part"; done
