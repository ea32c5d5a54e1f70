#!/bin/sh
# mock.sh APP MOCK LIBRARY EXPECTED: calls of a program of the MPICH family as LIBRARY records them into MOCK,
# which is its MPI library, too; and nothing recorded, nothing changed, without a recorder.
set -eu
found=$(LD_PRELOAD="$3 $2" WARPLENS_TRACE_ENGINE=$2 "$1")
[ "$found" = "$(cat "$4")" ] || { printf '%s\n' "$found" | diff "$4" -; exit 1; }
# on a simulated clock: it is held within calls that communicate, and goes on by what they cost
found=$(LD_PRELOAD="$3 $2" WARPLENS_TRACE_ENGINE=$2 MOCK_CLOCK=1 PMIX_NAMESPACE=mock.$$ "$1")
[ "$found" = "$(cat "$4.clock")" ] || { printf '%s\n' "$found" | diff "$4.clock" -; exit 1; }
! ls /dev/shm/*mock.$$ 2>/dev/null
for engine in "" /nonexistent/engine.so "$3"; do
    found=$(LD_PRELOAD="$3 $2" WARPLENS_TRACE_ENGINE=$engine "$1")
    [ "$found" = "$(tail -n 1 "$4")" ] || { printf 'with engine %s: %s\n' "$engine" "$found"; exit 1; }
done
