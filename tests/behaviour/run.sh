#!/bin/sh
# run.sh: behaviour.cu and documented.cu on the simulated GPU, in every mode, beside expected.txt and documented.txt.
# Environment: WARPLENS, BUILD, COMPILED, where the build has put them as nvcc compiles them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

compare() { # NAME EXPECTED: the lines of the cases in NAME.out
    grep -E '^[a-z_]+: ' "$work/$1.out" | diff "$here/$2.txt" - >"$work/diff" && return
    echo "$2, $1 (< expected, > simulated):" >&2
    cat "$work/diff" >&2
    status=1
}
modes() { # SOURCE EXPECTED
    cp "$COMPILED/$1" "$work/$1" || exit 1
    LD_PRELOAD=$BUILD/lib/libcudart.so.13 "$work/$1" >"$work/unprofiled.out" 2>/dev/null
    compare unprofiled "$2"
    "$WARPLENS" profile -q -f -o "$work/all.wlr" "$work/$1" >"$work/profiled.out" 2>/dev/null
    compare profiled "$2"
    "$WARPLENS" profile -q -f -c 1 -o "$work/one.wlr" "$work/$1" >"$work/one_launch.out" 2>/dev/null
    compare one_launch "$2"
    "$WARPLENS" profile -q -f -k regex:_masks -o "$work/kernel.wlr" "$work/$1" >"$work/one_kernel.out" 2>/dev/null
    compare one_kernel "$2"
    "$WARPLENS" check-memory "$work/$1" >"$work/checked.out" 2>/dev/null
    compare checked "$2"
}
modes documented documented
modes behaviour expected

# Of the programs whose outcome was read on an H200, check-memory names what is wrong.
"$WARPLENS" check-memory --race global "$work/behaviour" >"$work/raced.out" 2>/dev/null
compare raced expected
named() { # MESSAGE KERNEL: is it among the findings?
    grep -A 1 "^========= $1" "$work/raced.out" | grep -q " at $2(" && return
    echo "check-memory --race global does not say '$1' of $2" >&2
    status=1
}
named 'Race on shared memory, write after read' next_round
named 'Race on global memory, write after read' add_alone
named 'Mask of lanes that do not come' skipped_shuffle
exit $status
