#!/bin/bash
# Builds programs of HeCBench by their own Makefiles, runs each on the GPU of this machine and on the simulated one,
# and compares what they print and how they end. Needs nvcc, make and a GPU; fetches nothing: FOLDER is a checkout
# of github.com/zjin-lcf/HeCBench.
#
#   beside.sh [-b BUILD] [-w WORK] [-l LIMIT_S] [-j JOBS] [-a ARCH] FOLDER [PROGRAM...]
#
#   PROGRAM  only these of beside.txt
#   -b       build folder of Warplens (default: build), or a folder with its lib/
#   -w       where copies are built and results kept (default: beside/ in the build folder)
#   -l       limit of a run in seconds by the clock (default 120)
#   -j       runs side by side (default: as many as there are processors)
#   -a       architecture (default sm_90); the simulated GPU is WARPLENS_GPU's, h100 where that is not set
#
# Lines that tell a time, a rate or the device's name are compared without their numbers; the messages of Warplens
# are left out. WORK/results gets a line for each row: program|same|differs|not built|not run on the GPU|late|reason,
# and the outputs stay beside it. Ends with 1 if any differs.
set -u

build=build work='' limit=120 jobs=$(nproc) arch=sm_90
while getopts b:w:l:j:a: option; do
    case $option in
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    l) limit=$OPTARG ;;
    j) jobs=$OPTARG ;;
    a) arch=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -lt 1 ] || [ ! -d "$1/src" ]; then
    sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
folder=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
shift
[ -e "$build/lib/libcudart.so.13" ] || { echo "beside.sh: no libraries in $build/lib" >&2; exit 2; }
build=$(cd "$build" && pwd)
nvidia-smi -L 2>/dev/null | grep -q '^GPU' || { echo "beside.sh: no GPU here" >&2; exit 2; }
mkdir -p "${work:=$build/beside}" && work=$(cd "$work" && pwd) || exit 2
export build work limit arch

# shellcheck disable=SC2317
build_one() {
    cd "$work/src/$1" 2>/dev/null || return
    timeout 300 make CC="nvcc -cudart shared" ARCH="$arch" SM_ARCH="${arch#sm_}" >"$work/$1.build.log" 2>&1 </dev/null
}
# run_one gpu|simulated NUMBER PROGRAM COMMAND
# shellcheck disable=SC2317
run_one() {
    cd "$work/src/$3" 2>/dev/null || return
    if [ "$1" = simulated ]; then
        export LD_LIBRARY_PATH="$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" WARPLENS_GPU="${WARPLENS_GPU:-h100}"
    fi
    timeout -k 5 "$limit" bash -c "$4" >"$work/$3.$2.$1" 2>&1 </dev/null
    echo $? >"$work/$3.$2.$1.status"
}
export -f build_one run_one

# What is compared: no numbers where a line tells a time or a rate, no messages of Warplens.
plain() {
    grep -av '^warplens: ' "$1" | sed -E '/[Tt]ime|TIME|GB\/s|[Gg][Ff][Ll][Oo][Pp]|GOP|\b[mun]s\b|\bsec|throughput|[Bb]andwidth|\(s\)|\/s\b|[Ss]peed|[Pp]erformance|[Dd]evice|elapsed|GPU|[AP]M$|usage/s/[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?/#/g; s/[ \t]+/ /g'
}

rows=$work/rows
number=0
grep -v '^#' "$here/beside.txt" | grep . | while IFS='|' read -r program command; do
    program=${program// /}
    number=$((number + 1))
    if [ $# -eq 0 ] || printf '%s\n' "$@" | grep -qx "$program"; then
        printf '%s\t%s\t%s\n' "$number" "$program" "${command# }"
    fi
done >"$rows"
mkdir -p "$work/src"
# Programs take data of each other.
[ -e "$work/src/include" ] || cp -r "$folder"/src/. "$work/src/"

# shellcheck disable=SC2016
cut -f 2 "$rows" | sort -u | xargs -P "$jobs" -I{} bash -c 'build_one "$1"' _ {}
for kind in gpu simulated; do
    while IFS=$'\t' read -r number program command; do
        printf '%s\0%s\0%s\0%s\0' "$kind" "$number" "$program" "$command"
    done <"$rows" | xargs -0 -P "$jobs" -n 4 bash -c 'run_one "$@"' _
done

: >"$work/results"
while IFS=$'\t' read -r number program command; do
    gpu=$work/$program.$number.gpu simulated=$work/$program.$number.simulated reason=''
    # shellcheck disable=SC2010
    if ! ls "$work/src/$program" 2>/dev/null | grep -qE '^(main|bin|multimat.*)$'; then
        result='not built'
    elif [ "$(cat "$gpu.status")" != 0 ]; then
        result='not run on the GPU'
    elif grep -qxE '124|137' "$simulated.status"; then
        result=late
    elif [ "$(cat "$simulated.status")" != 0 ]; then
        result=differs reason="status $(cat "$simulated.status")"
    elif ! difference=$(diff <(plain "$gpu") <(plain "$simulated")); then
        result=differs reason=$(printf '%s' "$difference" | grep '^[<>]' | head -2 | tr '\n|' ' /' | cut -c 1-160)
    else
        result=same
    fi
    echo "$program|$result|$command|$reason" >>"$work/results"
done <"$rows"
cut -d '|' -f 2 "$work/results" | sort | uniq -c
! grep -q '|differs|' "$work/results"
