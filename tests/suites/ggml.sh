#!/bin/sh
# Builds ggml's test-backend-ops with its CUDA backend and lets it compare each operator on the
# simulated GPU with ggml's own on the host. Fetches nothing: FOLDER is a checkout of
# github.com/ggml-org/ggml. Needs nvcc and CMake; 141 files of CUDA are compiled.
#
#   ggml.sh [-b BUILD] [-w WORK] [-l LIMIT_S] [-j COUNT] FOLDER [OPERATOR...]
#
#   OPERATOR  only these; default all that the backend has
#   -b        build folder of Warplens (default: build)
#   -w        where ggml is built and results kept (default: suites/ in the build folder)
#   -l        limit of an operator in seconds by the clock (default 900)
#   -j        operators side by side (default 1)
#
# WORK/ggml.results gets a line for each operator: name|same|different|seconds|reason.
set -u

build=build work='' limit=900 jobs=1 row=''
while getopts b:w:l:j:r option; do
    case $option in
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    l) limit=$OPTARG ;;
    j) jobs=$OPTARG ;;
    r) row=yes ;; # of one operator, to standard output: what each of several at once runs
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -lt 1 ] || [ ! -f "$1/tests/test-backend-ops.cpp" ]; then
    sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
shift
build=$(cd "$build" && pwd) || exit 2
[ -x "$build/warplens" ] || { echo "ggml.sh: no warplens in $build" >&2; exit 2; }
mkdir -p "${work:=$build/suites}" && work=$(cd "$work" && pwd) || exit 2
program=$work/ggml/bin/test-backend-ops

build_program() {
    cmake -S "$folder" -B "$work/ggml" -DCMAKE_BUILD_TYPE=Release -DGGML_CUDA=ON -DGGML_CUDA_NCCL=OFF \
        -DCMAKE_CUDA_ARCHITECTURES=90-virtual -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared \
        -DGGML_BUILD_TESTS=ON -DGGML_BUILD_EXAMPLES=OFF &&
        cmake --build "$work/ggml" --target test-backend-ops --parallel
}
if [ ! -x "$program" ] && ! build_program >"$work/ggml.build.log" 2>&1; then
    echo "ggml.sh: ggml does not build: see $work/ggml.build.log" >&2
    exit 1
fi

simulated() {
    LD_LIBRARY_PATH=$build/lib timeout -k 5 "$limit" "$program" "$@"
}

# Prints the operator's line of results; nothing if the backend does not have it.
print_row() {
    operator=$1
    log=$(mktemp "$work/ggml.log.XXXXXX") || exit 1
    trap 'rm -f "$log"' EXIT
    began=$(date +%s)
    simulated test -b CUDA0 -o "$operator" >"$log" 2>&1
    status=$?
    seconds=$(($(date +%s) - began))
    # "12/12 tests passed", or what it said of each case until it ended
    totals=$(sed -n 's|^ *\([0-9]*\)/\([0-9]*\) tests passed.*|\1 \2|p' "$log" | head -n 1)
    same=${totals% *} different='' reason=''
    if [ -n "$totals" ]; then
        different=$((${totals#* } - same))
    else
        same=$(grep -c '): .*OK' "$log") different=$(grep -c '): .*FAIL' "$log")
    fi
    case $status in
    0) ;;
    124 | 137) reason="not done within $limit s" ;;
    *) reason="exit code $status: $(grep -m1 -E '^warplens: |error' "$log" | tr '|' '/')" ;;
    esac
    [ "$same$different$reason" = 00 ] || echo "$operator|$same|$different|$seconds|$reason"
}
if [ -n "$row" ]; then
    print_row "$1"
    exit 0
fi

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(simulated --list-ops 2>/dev/null | sed -n 's/^  \([A-Z0-9_]*\) *$/\1/p')
printf '%s\n' "$@" | xargs -P "$jobs" -I '{}' "$0" -r -b "$build" -w "$work" -l "$limit" "$folder" '{}' |
    tee "$work/ggml.new" |
    awk -F'|' '{ printf "%-24s %5s same, %s different, %s s %s\n", $1, $2, $3, $4, $5; fflush() }'

# Operators that were not run keep their former results.
touch "$work/ggml.results"
awk -F'|' 'NR == FNR { new[$1] = $0; next } !($1 in new)' "$work/ggml.new" "$work/ggml.results" |
    cat - "$work/ggml.new" | sort >"$work/ggml.merged"
mv "$work/ggml.merged" "$work/ggml.results"
rm "$work/ggml.new"
awk -F'|' '{ same += $2; different += $3; undone += $5 != "" }
    END { printf "%d operators: %d cases the same, %d different; %d not done\n", NR, same, different, undone }' \
    "$work/ggml.results"
