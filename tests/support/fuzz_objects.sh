#!/usr/bin/env bash
# fuzz_objects.sh CLANG FOLDER SOURCES...: compiles sources for libFuzzer, with sanitizers, into FOLDER; what is there
# already stays, if it is newer than its source and all headers. Environment: JOBS; LEVEL, of optimization (1).
# Clang takes longer to start than to compile one of them without optimization: each job is one process of clang's own
# compiler, with the options that clang gives it. It names an object as the file that it compiles, which includes the source.
set -euo pipefail
clang=$1 folder=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$folder"
header=$(find "$root/src" "$root/include" "$root/tests/support" -name '*.[hd]*' -type f -printf '%T@ %p\n' | sort -n | tail -1)
header=${header#* }
files=()
for source in "$@"; do
    object=$folder/${source//\//_}.o
    if [ ! "$object" -nt "$source" ] || [ ! "$object" -nt "$header" ]; then
        files+=("${object%.o}.c")
        printf '#include "%s"\n' "$source" >"${object%.o}.c"
    fi
done
[ ${#files[@]} -gt 0 ] || exit 0

command=$("$clang" -### -x c -std=gnu11 -D_GNU_SOURCE -I"$root/src" -I"$root/include" -I"$root/tests" -O"${LEVEL:-1}" -gline-tables-only \
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -c /dev/null -o object 2>&1 | tail -1)
eval "words=($command)" # clang quotes them for a shell
compiler=()
for ((i = 0; i < ${#words[@]}; i++)); do
    case ${words[i]} in
    -o | -main-file-name) i=$((i + 1)) ;;
    /dev/null) ;;
    *) compiler+=("${words[i]}") ;;
    esac
done
jobs=${JOBS:-1}
printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -n $(((${#files[@]} + jobs - 1) / jobs)) "${compiler[@]}"
