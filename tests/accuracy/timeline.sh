#!/bin/sh
# What events of workloads/pipeline.cu say on the simulated clock, beside an H200 (timeline_readings.csv).
# usage: timeline.sh BUILD-FOLDER
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
out=$build/accuracy
mkdir -p "$out"
nvcc=$("$here/../../scripts/find-nvcc.sh" || true)
if [ -n "$nvcc" ]; then
    "$nvcc" -O3 -lineinfo -arch=sm_90 -cudart=shared -o "$out/pipeline" "$here/workloads/pipeline.cu"
else
    "$build/warplens" cc -O3 -o "$out/pipeline" "$here/workloads/pipeline.cu"
fi
"$build/warplens" trace -q -f -o "$out/pipeline" --gpu h200 "$out/pipeline" once >"$out/pipeline.csv"
printf '\n## The simulated clock beside an H200\n\n'
echo '| by events | H200, ms | simulated, ms | difference |'
echo '|---|---|---|---|'
sed 's/"//g; s/,\([0-9.]*\)$/;\1/' "$here/timeline_readings.csv" | awk -F';' -v simulated="$out/pipeline.csv" '
    BEGIN {
        while ((getline line < simulated) > 0) {
            at = match(line, /,[0-9.]*$/)
            found[substr(line, 1, at - 1)] = substr(line, at + 1)
        }
    }
    $1 in found { printf "| %s | %s | %s | %+.0f %% |\n", $1, $2, found[$1], 100 * (found[$1] / $2 - 1) }'
