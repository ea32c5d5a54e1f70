#!/usr/bin/env bash
# libfuzzer.sh CLANG WORK_FOLDER CORPUS_FOLDERS SECONDS SOURCES_AND_OPTIONS...
# Several folders have `:` between them.
# Builds a fuzzer and runs it. What it finds (crash-..., timeout-..., oom-...) stays in WORK_FOLDER.
# Environment: OBJECTS, a folder for the object files that several fuzzers share.
set -eu
clang=$1 work=$2 corpus=$3 seconds=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)
objects=${OBJECTS:-$work/objects}
mkdir -p "$work/corpus"
sources=() linked=() options=()
for word in "$@"; do
    case $word in
    -*) options+=("$word") ;;
    *) sources+=("$word") linked+=("$objects/${word//\//_}.o") ;;
    esac
done
"$here/support/fuzz_objects.sh" "$clang" "$objects" "${sources[@]}"
"$clang" -fsanitize=fuzzer,address,undefined -o "$work/fuzzer" "${linked[@]}" "${options[@]}"
# New texts go to the first folder, so the corpus in the source stays as it is.
cd "$work"
# shellcheck disable=SC2046 # folders are words
exec ./fuzzer -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 "$work/corpus" $(echo "$corpus" | tr : ' ')
