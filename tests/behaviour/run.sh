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

# Of the programs whose outcome was read on an H200, check-memory names what is wrong.
"$WARPLENS" check-memory --race global "$work/behaviour" >"$work/raced.out" 2>/dev/null
compare raced
named() { # MESSAGE KERNEL: is it among the findings?
    grep -A 1 "^========= $1" "$work/raced.out" | grep -q " at $2(" && return
    echo "check-memory --race global does not say '$1' of $2" >&2
    status=1
}
named 'Race on shared memory, write after read' next_round
named 'Race on global memory, write after read' add_alone
named 'Mask of lanes that do not come' skipped_shuffle
exit $status
