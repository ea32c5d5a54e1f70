#!/bin/sh
# run.sh: behaviour.cu on the simulated GPU, in every mode, beside expected.txt. WARPLENS, BUILD, NVCC are set.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

"$NVCC" -O3 -arch=sm_90 -cudart shared -o "$work/behaviour" "$here/behaviour.cu" || exit 1
compare() { # NAME: the lines of the cases in NAME.out
    grep -E '^[a-z_]+: ' "$work/$1.out" | diff "$here/expected.txt" - >"$work/diff" && return
    echo "$1 (< expected, > simulated):" >&2
    cat "$work/diff" >&2
    status=1
}

LD_PRELOAD=$BUILD/lib/libcudart.so.13 "$work/behaviour" >"$work/unprofiled.out"
compare unprofiled
"$WARPLENS" profile -q -f -o "$work/all.wlr" "$work/behaviour" >"$work/profiled.out" 2>&1
compare profiled
"$WARPLENS" profile -q -f -c 1 -o "$work/one.wlr" "$work/behaviour" >"$work/one_launch.out" 2>&1
compare one_launch
"$WARPLENS" check-memory "$work/behaviour" >"$work/checked.out" 2>/dev/null
compare checked
exit $status
