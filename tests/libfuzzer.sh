#!/bin/sh
# libfuzzer.sh CLANG WORK_FOLDER CORPUS_FOLDERS SECONDS SOURCES_AND_OPTIONS...
# Several folders have `:` between them.
# Builds a fuzzer and runs it. What it finds (crash-..., timeout-..., oom-...) stays in WORK_FOLDER.
set -eu
clang=$1 work=$2 corpus=$3 seconds=$4
shift 4
source_folder=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$work/corpus"
"$clang" -std=gnu11 -D_GNU_SOURCE -I"$source_folder/src" -I"$source_folder/include" -O1 -g \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -o "$work/fuzzer" "$@"
# New texts go to the first folder, so the corpus in the source stays as it is.
cd "$work"
# shellcheck disable=SC2046 # folders are words
exec ./fuzzer -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 "$work/corpus" $(echo "$corpus" | tr : ' ')
