#!/bin/sh
# Runs programs that Debian has as packages, as they are, on the simulated GPU: none of them was
# built for it. Fetches nothing and installs nothing.
#
#   debian.sh [-b BUILD] [-l LIMIT_S] [-s TESTS] PROGRAM...
#
#   ffmpeg   (package ffmpeg) its filters with CUDA; frames are compared with an H200's (ffmpeg.txt)
#   hashcat  (package hashcat, and the CUDA toolkit's libnvrtc) recovers each mode's own example
#   magma    (libmagma-test of contrib, Debian 12) MAGMA's testers, which check themselves
#   numba    (python3-numba, and the toolkit's libnvvm in CUDA_HOME) Numba's own tests of its CUDA target
#   mumax3   (package mumax3 of contrib, Debian 13) TESTS: the folder test of its sources, whose scripts check themselves
#   astra    (python3-astra-toolbox of contrib, Debian 13, python3-pytest) TESTS: tests/python/unit of its sources
#   pycuda   (python3-pycuda, nvidia-cuda-toolkit, python3-pytest) TESTS: the folder test of its sources
#   -b       build folder of Warplens (default: build)
#   -l       limit of one run in seconds by the clock (default 120; numba, astra, pycuda: 3600)
#
# A line for each run: program|what|passed or failed|seconds|reason.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=build limit=120 tests=
while getopts b:l:s: option; do
    case $option in
    b) build=$OPTARG ;;
    l) limit=$OPTARG ;;
    s) tests=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
if [ $# -lt 1 ]; then
    sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$(cd "$build" && pwd) || exit 2
[ -e "$build/lib/libcuda.so.1" ] || { echo "debian.sh: no libraries in $build/lib" >&2; exit 2; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

simulated() {
    LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} timeout -k 5 "$limit" "$@"
}

# tell PROGRAM WHAT passed|failed BEGAN REASON
tell() {
    [ "$3" = passed ] || failed=1
    printf '%s|%s|%s|%s|%s\n' "$1" "$2" "$3" "$(($(date +%s) - $4))" \
        "$(printf '%s' "$5" | tr '|\n' '/ ' | cut -c1-150)"
}

run_ffmpeg() {
    grep -v '^#' "$here/ffmpeg.txt" | while IFS='|' read -r filter wanted; do
        filter=${filter% } wanted=${wanted# } began=$(date +%s)
        got=$(simulated ffmpeg -hide_banner -y -loglevel error -init_hw_device cuda=c:0 -filter_hw_device c -f lavfi \
            -i testsrc2=size=320x240:rate=10:duration=1 -vf "$filter" -f framemd5 - </dev/null 2>"$work/errors" |
            grep -v '^#' | awk '{print $NF}' | md5sum | cut -d' ' -f1)
        if [ "$got" = "$wanted" ]; then
            tell ffmpeg "$filter" passed "$began" ''
        else
            tell ffmpeg "$filter" failed "$began" "$(tail -1 "$work/errors")"
            touch "$work/failed"
        fi
    done
    [ ! -e "$work/failed" ] || failed=1
}

# Modes of which the example is a plain line; one of each family of algorithms.
run_hashcat() {
    for mode in 0 10 20 50 100 300 500 600 900 1000 1100 1400 1700 1800 2600 3000 3200 5500 5600 6000 6100 6900 7400 \
        7900 8900 9300 10900 11600 11700 12000 14000 14100 17400 22000 25900; do
        began=$(date +%s)
        hashcat -m $mode --example-hashes >"$work/example" 2>/dev/null
        hash=$(sed -n 's/^ *Example\.Hash\.*: //p' "$work/example")
        name=$(sed -n 's/^ *Name\.*: //p' "$work/example")
        sed -n 's/^ *Example\.Pass\.*: //p' "$work/example" >"$work/words"
        simulated hashcat --session "warplens$$" --restore-disable --potfile-disable --hwmon-disable --force \
            -d 1 -m $mode -a 0 -n 1 -u 50 -T 32 "$hash" "$work/words" </dev/null >"$work/log" 2>&1
        if grep -aq 'Status\.*: Cracked' "$work/log"; then
            tell hashcat "$mode $name" passed "$began" ''
        else
            tell hashcat "$mode $name" failed "$began" "$(grep -a . "$work/log" | tail -1)"
        fi
    done
}

run_magma() {
    folder=$(dirname "$(command -v testing_dgemm || ls /usr/lib/libmagma-test/testing/testing_dgemm)") || exit 1
    for tester in "$folder"/testing_*; do
        began=$(date +%s)
        (cd "$work" && simulated "$tester" -n 64 -n 100 -c) >"$work/log" 2>&1
        code=$?
        if [ $code = 0 ] && ! grep -q 'failed' "$work/log"; then
            tell magma "${tester##*/}" passed "$began" ''
        else
            tell magma "${tester##*/}" failed "$began" "code $code; $(grep -m1 'failed\|warplens' "$work/log")"
        fi
    done
}

run_numba() {
    began=$(date +%s)
    [ "$limit" != 120 ] || limit=3600
    NUMBA_CUDA_DRIVER=$build/lib/libcuda.so.1 simulated python3 -m numba.runtests -v numba.cuda.tests >"$work/log" 2>&1
    for result in ERROR FAIL; do
        sed -n "s/^$result: //p" "$work/log" | sort -u | while read -r what; do
            tell numba "$what" failed "$began" $result
        done
    done
    tell numba "$(grep '^Ran ' "$work/log")" "$(grep -q '^OK' "$work/log" && echo passed || echo failed)" "$began" \
        "$(grep '^FAILED\|^OK' "$work/log")"
}

need_tests() {
    [ -d "$tests" ] || { echo "debian.sh: $1 needs -s TESTS, a folder of its sources (see debian.sh without arguments)" >&2; exit 2; }
}

run_mumax3() {
    need_tests mumax3
    for script in "$tests"/*.mx3; do
        began=$(date +%s)
        simulated mumax3 -s -http '' -o "$work/out" "$script" </dev/null >"$work/log" 2>&1
        code=$?
        rm -rf "$work/out"
        case $code in
        0) tell mumax3 "${script##*/}" passed "$began" '' ;;
        124 | 137) tell mumax3 "${script##*/}" failed "$began" "not done within $limit s" ;;
        *) tell mumax3 "${script##*/}" failed "$began" "code $code; $(tail -1 "$work/log")" ;;
        esac
    done
}

# pytest PROGRAM FILE...: what failed, and how many passed.
run_pytest() {
    program=$1 began=$(date +%s)
    shift
    [ "$limit" != 120 ] || limit=3600
    (cd "$tests" && PATH=$build/lib/nvcc:$PATH simulated python3 -m pytest -q -p no:cacheprovider "$@") >"$work/log" 2>&1
    sed -n 's/^FAILED \([^ ]*\).*/\1/p; s/^ERROR \([^ ]*\).*/\1/p' "$work/log" | while read -r what; do
        tell "$program" "$what" failed "$began" "$(grep -m1 "^E  " "$work/log")"
    done
    last=$(grep -E '[0-9]+ passed' "$work/log" | tail -1)
    if [ -z "$last" ] || printf '%s' "$last" | grep -qE '[0-9]+ (failed|error)'; then
        tell "$program" "$last" failed "$began" "$(tail -1 "$work/log")"
    else
        tell "$program" "$last" passed "$began" ''
    fi
}

for program in "$@"; do
    case $program in
    ffmpeg) run_ffmpeg ;;
    hashcat) run_hashcat ;;
    magma) run_magma ;;
    numba) run_numba ;;
    mumax3) run_mumax3 ;;
    astra) need_tests astra; run_pytest astra . ;;
    # the others fill 8 GB and more
    pycuda) need_tests pycuda; run_pytest pycuda . -k 'not 8gb and not 16gb and not big_array' ;;
    *) echo "debian.sh: ffmpeg, hashcat, magma, numba, mumax3, astra and pycuda are known, not $program" >&2; exit 2 ;;
    esac
done
exit $failed
