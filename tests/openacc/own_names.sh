#!/bin/sh
# own_names.sh: an OpenACC program whose functions have the names of ours (tests/exports/own_names.sh) waits,
# traced and profiled. Ends with 77 (skipped) where gcc cannot offload. Environment: WARPLENS, SOURCE, BUILD.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -rdynamic "$SOURCE/tests/openacc/waits.c" \
    "$BUILD/tests/exports/own_names.c" -o waits || exit
for verb in acc-time profile trace; do
    "$WARPLENS" $verb -o $verb ./waits >output 2>&1 && grep -qx ok output ||
        { echo "$verb:" >&2; cat output >&2; exit 1; }
done
