#!/bin/sh
# What-if beside truth: for pairs of steps of the ladders, what taking the step's cause away was predicted
# to save, and what the step saved on an H200.
# usage: whatif.sh BUILD-FOLDER; SIZES=small|all (small). Programs are those that run.sh built.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/accuracy

# program, step, next step, cause that the next step removes ('-': no single one does), sizes
pairs='gemm 0 1 uncoalesced 512 2048
gemm 1 2 - 512 2048
gemm 2 3 - 512 2048
gemm 3 4 shared-conflicts 512 2048
spmv 1 2 idle-warps 64 201
spmv 2 3 occupancy-blocks 64 201
stencil 2 3 occupancy-blocks 1024 4096
stencil 4 5 - 1024 4096
ado 2 3 - 132 1024
ado 3 4 barriers 132 1024'

duration() # run: what an H200 took
{
    grep "^$1," "$here/readings.csv" | grep 'gpu__time_duration.sum' | head -1 | sed 's/.*,//'
}

printf '\n## What-if beside what steps saved\n\n'
echo '| step | cause removed | rank | predicted saving | measured saving | time ratio off by |'
echo '|---|---|---|---|---|---|'
echo "$pairs" | while read -r program step next cause small large; do
    size=$small
    [ "${SIZES:-small}" = all ] && size=$large
    run=${program}_${step}_$size
    old=$(duration "$run") new=$(duration "${program}_${next}_$size")
    measured=$(awk "BEGIN { printf \"%.1f\", 100 * (1 - $new / $old) }")
    if [ "$cause" = - ]; then
        echo "| $program $step to $next, $size | no single cause | | | $measured % | |"
        continue
    fi
    "$build/warplens" profile -q -f -o "$out/${run}_whatif" --gpu h200 --whatif --page whatif --csv \
        -k 'regex:^(avg_|gemm_|spmv_|stencil_)' -c 1 "$out/$program" "$step" "$size" \
        >"$out/${run}_whatif.out" 2>&1 || { echo "| $program $step, $size | failed | | | | |"; continue; }
    awk -v cause="$cause" -v measured="$measured" -v name="$program $step to $next, $size" \
        -v old="$("$build/warplens" show "$out/${run}_whatif.wlr" --metrics gpu__time_duration.sum --page raw \
            --print-units base | awk '/gpu__time_duration.sum/ { gsub(",", ""); print $3; exit }')" '
        BEGIN { FS = "\",\"" }
        /^"[0-9]+","/ && NF >= 4 {
            rank++
            id = $3; time = $4
            if (id == cause) { at = rank; without = time }
        }
        END {
            saved = 100 * (1 - without / old)
            off = (1 - saved / 100) / (1 - measured / 100) - 1
            printf "| %s | %s | %d | %.1f %% | %s %% | %+.0f %% |\n", name, cause, at, saved, measured, 100 * off
        }' "$out/${run}_whatif.out"
done
