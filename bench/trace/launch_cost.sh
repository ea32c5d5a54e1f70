#!/bin/sh
# launch_cost.sh BUILD_FOLDER [LAUNCHES [ROUNDS [MOST_PERCENT]]]: what our own code costs a launch while a trace is
# recorded from CUPTI's records, on a driver and a CUPTI that do nothing (tests/cupti). Alternately the
# mock keeps its records to itself, and gives them to us: the difference of the CPU time of the launching
# thread, on which the mock delivers, is ours. Prints each round and the median; with MOST_PERCENT
# fails if in no round the difference is less than that part of what a launch takes without, and ends with the first in which
# it is: both are of the same run, so that a slow or busy machine matters to neither.
set -eu
build=$(cd "$1" && pwd)
launches=${2:-1000000} rounds=${3:-11} most=${4:-0}
mock=$build/tests/cupti-mock
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/stream"
cat >"$folder/settings" <<END
collector=hw
stream_folder=$folder/stream
cupti_library=$mock/whole/libcupti.so.13
trace=cuda
END

measure() {
    rm -f "$folder"/stream/*
    MOCK=$1 LD_LIBRARY_PATH=$mock CUDA_INJECTION64_PATH=$build/lib/libwarplens-cupti.so \
        WARPLENS_SETTINGS=$folder/settings "$mock/app" "time=$launches" |
        sed -n 's/.* launches, \(.*\) ns each/\1/p'
}

round=0
: >"$folder/enough"
while [ $round -lt "$rounds" ] && [ ! -s "$folder/enough" ]; do
    round=$((round + 1))
    without=$(measure deliver=0)
    with=$(measure deliver=1)
    echo "$without $with" | awk -v most="$most" -v enough="$folder/enough" '
        most && 100 * ($2 - $1) <= most * $1 { print "yes" >enough }
        { printf "%.1f ns without, %.1f ns with: %.1f ns\n", $1, $2, $2 - $1 }'
done | tee "$folder/rounds"
sed 's/.*: \(.*\) ns/\1/' "$folder/rounds" | sort -n | awk '
    { value[NR] = $1 }
    END { printf "%.1f ns a launch (median of %d rounds)\n", value[int((NR + 1) / 2)], NR }'
awk -v most="$most" '
    { part = 100 * ($4 - $1) / $1; if (NR == 1 || part < least) least = part }
    END { printf "%.0f %% of a launch at least\n", least; exit most && least > most }' "$folder/rounds"
