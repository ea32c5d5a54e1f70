#!/bin/sh
# launch_cost.sh BUILD_FOLDER [LAUNCHES [ROUNDS [MOST_NS]]]: what our own code costs a launch while a trace is
# recorded from CUPTI's records, on a driver and a CUPTI that do nothing (tests/cupti). Alternately the
# mock keeps its records to itself, and gives them to us: the difference of the CPU time of the launching
# thread, on which the mock delivers, is ours. Prints each round and the median; with MOST_NS fails if
# the least difference is more.
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
while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    without=$(measure deliver=0)
    with=$(measure deliver=1)
    echo "$without $with" | awk '{ printf "%.1f ns without, %.1f ns with: %.1f ns\n", $1, $2, $2 - $1 }'
done | tee "$folder/rounds"
sed 's/.*: \(.*\) ns/\1/' "$folder/rounds" | sort -n | awk -v most="$most" '
    { value[NR] = $1 }
    END {
        printf "%.1f ns a launch (median of %d rounds)\n", value[int((NR + 1) / 2)], NR
        exit most && value[1] > most
    }'
