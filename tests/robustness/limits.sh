#!/bin/sh
# limits.sh LAUNCHES: threads that launch at once, the largest grid, and many launches with flat memory.
# Environment: WARPLENS, BUILD.
set -eu
launches=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
many=$BUILD/tests/cli-programs/many

# the number of launches in a report: all lines but names and units
count_launches() {
    echo $(($("$WARPLENS" show "$1" --page raw --csv --metrics launch__grid_size | wc -l) - 2))
}

"$WARPLENS" profile -q -o threads "$many" threads 16 20 >log || { cat log; exit 1; }
[ "$(count_launches threads.wlr)" = 320 ]

"$WARPLENS" profile -q -o largest --page raw --csv --metrics ptx__threads_launched.sum "$many" largest >log ||
    { cat log; exit 1; }
grep -q '"2147483647"' log || { cat log; exit 1; }

LD_LIBRARY_PATH=$BUILD/lib "$many" flat "$launches"
"$WARPLENS" profile -q -o flat "$many" flat "$launches" >log || { cat log; exit 1; }
grep 'memory grew' log
[ "$(count_launches flat.wlr)" = "$launches" ]
