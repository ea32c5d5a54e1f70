#!/bin/sh
# Builds the programs of a public suite with nvcc, runs each on the simulated GPU and writes a table
# of results. Fetches nothing: FOLDER is a checkout of github.com/NVIDIA/cuda-samples, of
# github.com/zjin-lcf/HeCBench or of github.com/karpathy/llm.c. See README.md beside this file.
#
#   run.sh [-b BUILD] [-w WORK] [-l LIMIT_S] [-r] SUITE FOLDER [NAME...]
#
#   SUITE  cuda-samples, hecbench or llm.c: names the table SUITE.txt beside this file
#   NAME   only these rows; default all
#   -b     build folder of Warplens (default: build)
#   -w     where programs are built and results kept (default: suites/ in the build folder)
#   -l     limit of a program in seconds of processor time (default 60); ten times that by the clock
#   -r     build again what is built already
#
# WORK/SUITE.results gets a line for each row: name|result|seconds|arguments|reason.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=build work='' limit=60 again=''
while getopts b:w:l:r option; do
    case $option in
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    l) limit=$OPTARG ;;
    r) again=yes ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -lt 2 ] || [ ! -f "$here/$1.txt" ] || [ ! -d "$2" ]; then
    sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
suite=$1 folder=$(cd "$2" && pwd)
shift 2
build=$(cd "$build" && pwd) || exit 2
[ -x "$build/warplens" ] || { echo "run.sh: no warplens in $build" >&2; exit 2; }
mkdir -p "${work:=$build/suites}" && work=$(cd "$work" && pwd)/$suite || exit 2
mkdir -p "$work"
nvcc=${NVCC:-nvcc}
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v "$nvcc")")")")

case $suite in
cuda-samples) root=$folder/Samples includes="-I$folder/Common" ;;
hecbench) root=$folder/src includes="-I$folder/src/include" ;;
llm.c) root=$folder/dev includes='' ;;
esac

# The folder of a program: of one that is a file among others theirs.
folder_of() {
    if [ -f "$root/$1" ]; then dirname "$root/$1"; else echo "$root/$1"; fi
}

# Sets trimmed to $1 without the spaces around it; starts no process, as there are hundreds of rows.
trim() {
    trimmed=${1#"${1%%[![:space:]]*}"}
    trimmed=${trimmed%"${trimmed##*[![:space:]]}"}
}

# Builds $name in $place from $sources: files and options of nvcc, and
# fatbin:SOURCE=FILE or ptx:SOURCE=FILE for what the program loads by itself, headers:NAME for what of
# the toolkit's it looks for, include:FOLDER for another program's headers, and NAME=VALUE for its
# environment when it runs.
build_program() {
    mkdir -p "$place" && cp -rsf "$(folder_of "$name")/." "$place/" && cd "$place" || return 1
    inputs=''
    for word in $sources; do
        case $word in
        fatbin:* | ptx:*)
            form=${word%%:*} file=${word#*:}
            # shellcheck disable=SC2086
            "$nvcc" "-$form" $architecture -lineinfo $includes -o "${file#*=}" "${file%%=*}" || return 1
            ;;
        include:*) inputs="$inputs -I$root/${word#include:}" ;;
        headers:*) cp -rs "$toolkit/include/${word#*:}" . ;;
        [A-Z]*=*) ;;
        *) inputs="$inputs $word" ;;
        esac
    done
    # Words are meant to be split and patterns to be expanded, here in the folder of the program.
    # shellcheck disable=SC2086
    "$nvcc" -cudart shared -lineinfo $architecture -O2 -std=c++17 --extended-lambda --expt-relaxed-constexpr -I. $includes \
        $inputs -o program.exe
}
architecture='-arch=sm_90'

reason_of_failure() {
    if [ "$status" -ge 124 ] && [ "$status" -le 152 ] && [ "$status" != 127 ] && [ "$status" != 134 ] &&
        [ "$status" != 139 ]; then
        echo "not done within $limit s"
        return
    fi
    line=$(grep -m1 '^warplens: ' "$place/run.log" ||
        grep -m1 -i -E 'error|fail|mismatch|waive|incorrect|assert' "$place/run.log" ||
        grep -v '^[[:space:]]*$' "$place/run.log" | tail -n 1)
    echo "exit code $status: $line" | tr '|\t' '/ ' | sed "s:$folder/::g; s:$place/::g" | cut -c 1-200
}

# The program's own check, which it may make several times; where it has none, that nothing was refused and no
# kernel failed. Times are not predicted here, which is said to programs that ask for them.
is_right() {
    if [ -n "$expected" ]; then
        grep -a -q -E -e "$expected" "$place/run.log" &&
            ! grep -a -q -E '(^|[^A-Za-z])FAIL(ED|URE)?([^A-Za-z]|$)' "$place/run.log"
    else
        ! grep -a '^warplens: ' "$place/run.log" | grep -v -q 'measured a time with events'
    fi
}

# User and system time of the program, from the line that `times` writes about children: 0m1.20s 0m0.10s
processor_seconds() {
    tail -n 1 "$place/times.log" | tr 'ms' '  ' | awk '{ printf "%.1f", $1 * 60 + $2 + $3 * 60 + $4 }'
}

run_row() {
    place=$work/$(echo "$name" | tr / .)
    case $expected in
    until:*) until=yes expected=${expected#until:} ;;
    *) until='' ;;
    esac
    result=passed reason='' seconds=''
    if [ -n "$left_out" ]; then
        result='left out' reason=$left_out
    elif [ ! -d "$(folder_of "$name")" ]; then
        result=failed reason='no such folder'
    elif { [ -n "$again" ] || [ ! -x "$place/program.exe" ]; } &&
        ! (build_program) >"$place.build.log" 2>&1; then
        result=failed
        reason="does not build: $(grep -m1 -i -E 'error|undefined|cannot' "$place.build.log" |
            sed "s:$place/::g; s:$folder/::g" | tr '|\t' '/ ' | cut -c 1-160)"
    else
        environment=''
        for word in $sources; do
            case $word in [A-Z]*=*) environment="$environment $word" ;; esac
        done
        # shellcheck disable=SC2086
        (
            # shellcheck disable=SC3045
            ulimit -t "$limit"
            cd "$place" || exit 1
            CUDA_PATH=$toolkit LD_LIBRARY_PATH=$build/lib:$toolkit/lib64 \
                env $environment timeout -k 5 $((limit * 10)) ${until:+stdbuf -oL} ./program.exe $arguments \
                >run.log 2>&1 </dev/null &
            running=$!
            while [ -n "$until" ] && kill -0 $running 2>/dev/null; do
                sleep 0.5
                if grep -a -q -E -e "$expected" run.log; then kill $running 2>/dev/null; fi
            done
            wait $running
            code=$?
            if [ -n "$until" ] && [ $code -ge 124 ] && grep -a -q -E -e "$expected" run.log; then code=0; fi
            times >times.log
            exit $code
        )
        status=$?
        seconds=$(processor_seconds)
        if [ $status -ne 0 ] || ! is_right; then
            result=failed reason=$(reason_of_failure)
        fi
    fi
    echo "$name|$result|$seconds|$arguments|$reason" >>"$work.new"
    printf '%-50s %-8s %6s  %s\n' "$name" "$result" "$seconds" "$reason"
}

: >"$work.new"
while IFS='|' read -r name sources arguments expected left_out; do
    case $name in '' | '#'*) continue ;; esac
    trim "$name" && name=$trimmed
    trim "$sources" && sources=$trimmed
    trim "$arguments" && arguments=$trimmed
    trim "$expected" && expected=$trimmed
    trim "$left_out" && left_out=$trimmed
    wanted=yes
    if [ $# -gt 0 ]; then
        wanted=''
        for word in "$@"; do
            case $name in "$word" | */"$word") wanted=yes ;; esac
        done
    fi
    [ -z "$wanted" ] || run_row
done <"$here/$suite.txt"

# Rows that were not run keep their former results.
touch "$work.results"
awk -F'|' 'NR == FNR { new[$1] = $0; next } !($1 in new)' "$work.new" "$work.results" |
    cat - "$work.new" | sort >"$work.merged"
mv "$work.merged" "$work.results"
rm "$work.new"
printf '%s: %s passed, %s failed, %s left out\n' "$suite" \
    "$(grep -c '|passed|' "$work.results")" "$(grep -c '|failed|' "$work.results")" \
    "$(grep -c '|left out|' "$work.results")"
