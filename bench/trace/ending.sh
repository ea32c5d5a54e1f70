#!/bin/sh
# ending.sh BUILD_FOLDER [LAUNCHES [CALLS [ROUNDS]]]: what `warplens trace -t cuda` does after the program's end, on a
# driver and a CUPTI that do nothing (tests/cupti): CALLS other calls are recorded with each launch, 14 as in a
# transformer of PyTorch's. Prints for each round the events, the seconds after the end, and the processor time of
# warplens alone: on a busy machine the first says little.
set -eu
build=$(cd "$1" && pwd)
launches=${2:-75000} calls=${3:-14} rounds=${4:-5}
mock=$build/tests/cupti-mock
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export MOCK="calls=$calls" LD_LIBRARY_PATH="$mock" WARPLENS_CUPTI="$mock/whole/libcupti.so.13" XDG_CACHE_HOME="$folder"
cat >program <<END
#!/bin/sh
"$mock/app" launch=$launches >/dev/null
date +%s.%N >ended
END
chmod +x program

# processor time of children of the shell that reads this, in seconds: `times` has it as 1m2.345s
seconds() {
    sed -n '2s/\([0-9]*\)m\([0-9.]*\)s \([0-9]*\)m\([0-9.]*\)s/\1 \2 \3 \4/p' |
        awk '{ print 60 * $1 + $2 + 60 * $3 + $4 }'
}

round=0
while [ $round -lt "$rounds" ]; do
    round=$((round + 1))
    sh -c '"$1" trace -f -o report -t cuda --cuda-trace-all-apis yes ./program >/dev/null 2>&1; date +%s.%N >done; times' \
        sh "$build/warplens" >all
    cp ended end
    seconds <all >all_s
    "$build/warplens" show report.wlr --report recording_sum --csv | awk -F, 'NR == 2 { print $2 }' >events
    # the program alone, recorded the same way: its share of the processor time
    mkdir -p stream
    rm -f stream/*.wls
    printf 'collector=hw\nstream_folder=%s/stream\ncupti_library=%s\ntrace=cuda\ntrace_driver=yes\n' "$folder" \
        "$WARPLENS_CUPTI" >settings
    WARPLENS_SETTINGS=$folder/settings CUDA_INJECTION64_PATH=$build/lib/libwarplens-cupti.so \
        sh -c './program; times' >own
    seconds <own >own_s
    paste events end done all_s own_s |
        awk '{ printf "%d events, %.2f s after the end, %.2f s of processor time\n", $1, $3 - $2, $4 - $5 }'
done
