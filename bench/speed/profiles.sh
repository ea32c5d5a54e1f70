#!/usr/bin/env bash
# What predictions cost: profiles large runs of the ladders with and without them, in turns, and prints the least time of
# each and of their processor time. A profile may take 1.3 times that without predictions and 10 s, and 30 s
# on 2 cores. usage: profiles.sh BUILD-FOLDER; TURNS (2)
set -euo pipefail
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT
"$root/tests/accuracy/build.sh" "$build"

# Keeps the least of seconds and of processor seconds in the arrays of that name.
profile() # NAME OPTIONS-AND-PROGRAM
{
    local -n least=$1
    shift
    local TIMEFORMAT='%R %U %S' took
    took=$({ time "$build/warplens" profile -q -f -o "$report/run" "$@" >/dev/null 2>&1; } 2>&1) || {
        echo "profiles: $* failed" >&2
        exit 1
    }
    least=$(echo "$took ${least:-}" | awk '{
        wall = $1; busy = $2 + $3
        print (NF > 3 && $4 < wall ? $4 : wall), (NF > 3 && $5 < busy ? $5 : busy)
    }')
}

echo
echo '| profile | without predictions, s | with, s | ratio | ratio of processor time | |'
echo '|---|---|---|---|---|---|'
while read -r program step size; do
    [ -x "$build/accuracy/$program" ] || continue
    with='' without=''
    for ((turn = 0; turn < ${TURNS:-2}; turn++)); do
        profile without --no-prediction "$build/accuracy/$program" "$step" "$size"
        profile with "$build/accuracy/$program" "$step" "$size"
    done
    echo "$program $step $size $without $with" | awk '{
        verdict = $6 <= 1.3 * $4 + 10 && $6 < 30 ? "ok" : "MISS"
        printf "| %s %s %s | %.1f | %.1f | %.2f | %.2f | %s |\n", $1, $2, $3, $4, $6, $6 / $4, $7 / $5, verdict
    }'
done <<RUNS
gemm 2 2048
gemm 4 2048
stencil 0 4096
stencil 6 4096
spmv 0 201
spmv 3 201
RUNS
