#!/usr/bin/env bash
# fuzz_objects.sh CLANG FOLDER SOURCES...: compiles sources for libFuzzer, with sanitizers, into FOLDER; what is there
# already stays, if it is newer than its source and all headers. Environment: JOBS.
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
        printf '%s\0%s\0' "$source" "$object"
    fi
done | xargs -0 -r -n 2 -P "${JOBS:-1}" sh -c '"$0" -std=gnu11 -D_GNU_SOURCE -I"$1/src" -I"$1/include" -O1 \
    -gline-tables-only -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined \
    -c "$2" -o "$3.part" && mv "$3.part" "$3"' "$clang" "$root"
