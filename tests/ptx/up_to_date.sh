#!/bin/sh
# up_to_date.sh GENERATE FOLDER: fails where tests/ptx/generated is not what GENERATE writes (into FOLDER).
set -eu
mkdir -p "$2"
rm -f "$2"/*.ptx
"$1" "$2"
if ! diff -rq "$2" "$(dirname "$0")/generated"; then
    echo "write the cases again: ninja ptx_cases" >&2
    exit 1
fi
