#!/bin/sh
# The first advice on a simulated H200, Nsight Compute's highest global estimate on a real one, and what the next
# step of the ladder gained there.
# usage: advice_gains.sh BUILD-FOLDER; LIMIT_S=seconds a run may take (900); KEEP=1: reports that are there are not
# made again. Estimates and durations of the H200 are in advice_readings.csv; nothing else reads them.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/accuracy
readings=$here/advice_readings.csv
"$here/build.sh" "$build"

# program, step, next step, size, the rule whose cause the next step removes
pairs='gemm 0 1 2048 global-uncoalesced
gemm 1 2 2048 global-reuse
gemm 2 3 2048 shared-pressure
gemm 3 4 2048 shared-bank
spmv 1 2 201 short-rows
spmv 2 3 201 occupancy-blocks
stencil 2 3 4096 occupancy-blocks
stencil 4 5 4096 load-width
ado 2 3 1024 global-uncoalesced
ado 3 4 1024 shared-reduction'

reading() # run, column
{
    awk -F, -v run="$1" -v column="$2" '$1 == run { print $column }' "$readings"
}

echo "$pairs" | while read -r program step next size rule; do
    run=${program}_${step}_$size
    report=$out/${run}_advice.wlr
    [ -x "$out/$program" ] || continue
    if [ -z "${KEEP:-}" ] || [ ! -f "$report" ]; then
        timeout "${LIMIT_S:-900}" "$build/warplens" profile -q -f -o "$report" --gpu h200 --whatif \
            -k 'regex:^(avg_|gemm_|spmv_|stencil_)' -c 1 "$out/$program" "$step" "$size" >"$out/${run}_advice.out" 2>&1 ||
            { echo "advice: $run did not finish (see $out/${run}_advice.out)" >&2; continue; }
    fi
    # of warnings: the rank of the rule, the first one, and its gain
    "$build/warplens" show "$report" --page advice --csv | awk -F'","' -v rule="$rule" '
        $3 == "warning" {
            rank++
            if (rank == 1) { first = $2; gain = $12 }
            if ($2 == rule && !at) at = rank
        }
        END { print at ? at : "-", first ? first : "-", 100 * gain }' |
    while read -r rank first gain; do
        echo "$program $step to $next,$rule,$rank,$first,$gain,$(reading "$run" 3)" \
            ",$(reading "$run" 2),$(reading "${program}_${next}_$size" 2)" | tr -d ' ' | sed 's/to/ to /; s/^[a-z]*/& /'
    done
done | awk -F, '
    function off(a, b) { return a > b ? a - b : b - a }
    BEGIN {
        print "\n## Advice beside what steps gained\n\n| step | cause that it removes | rank here | first advice | predicted gain | highest estimate of ncu | measured gain |"
        print "|---|---|---|---|---|---|---|"
    }
    {
        measured = 100 * (1 - $8 / $7)
        printf "| %s | %s | %s | %s | %.0f %% | %.0f %% | %.0f %% |\n", $1, $2, $3, $4, $5, $6, measured
        ours += off($5, measured); theirs += off($6, measured); count++
        found += $3 == "1" || $3 == "2"
    }
    END {
        if (count)
            printf "\nThe cause is first or second advice in %d of %d. Mean error of the gain: %.1f points; of ncu'"'"'s: %.1f.\n", found, count, ours / count, theirs / count
    }'
