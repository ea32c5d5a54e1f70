#!/usr/bin/env bash
# fuzz_objects.sh CLANG FOLDER SOURCES...: compiles sources for libFuzzer, with sanitizers, into FOLDER; what is there
# already stays, if it is newer than its source and all headers. Environment: JOBS; LEVEL, of optimization (1).
set -euo pipefail
clang=$1 folder=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$folder"
header=$(find "$root/src" "$root/include" -name '*.[hd]*' -type f -printf '%T@ %p\n' | sort -n | tail -1)
header=${header#* }
for source in "$@"; do
    object=$folder/${source//\//_}.o
    if [ ! "$object" -nt "$source" ] || [ ! "$object" -nt "$header" ]; then
        printf '%s\0-o\0%s\0' "$source" "$object" # clang leaves no half of one
    fi
done | xargs -0 -r -n 3 -P "${JOBS:-1}" "$clang" -std=gnu11 -D_GNU_SOURCE -I"$root/src" -I"$root/include" -O"${LEVEL:-1}" \
    -gline-tables-only -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -c
