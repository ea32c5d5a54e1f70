#!/bin/sh
# run.sh NAME: the program NAME.cu, as nvcc compiled it, on the simulated GPU: not profiled, profiled, by the interpreter
# alone and under check-memory, beside NAME.txt.
# Environment: WARPLENS, BUILD, COMPILED.
set -u
here=$(cd "$(dirname "$0")" && pwd)
name=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$COMPILED/$name" "$work/$name" || exit 1
cd "$work" || exit 1
status=0

compare() { # MODE: the lines of the cases in MODE.out
    grep -E '^[a-z0-9_]+: ' "$1.out" | diff "$here/$name.txt" - >difference && return
    echo "$name, $1 (< expected, > simulated):" >&2
    cat difference >&2
    status=1
}

LD_PRELOAD=$BUILD/lib/libcudart.so.13 LD_LIBRARY_PATH=$BUILD/lib "./$name" >unprofiled.out 2>/dev/null
compare unprofiled
"$WARPLENS" profile -q -f -o all.wlr "./$name" >profiled.out 2>/dev/null
compare profiled
"$WARPLENS" profile -q -f --interpret -o interpreted.wlr "./$name" >interpreted.out 2>/dev/null
compare interpreted
"$WARPLENS" check-memory "./$name" >checked.out 2>checked.err
compare checked
if grep -E '^========= (Race|Out of bounds|Mask|Barrier|Uninitialised)' checked.out; then
    echo "$name: check-memory sees what is not there" >&2
    status=1
fi
exit $status
