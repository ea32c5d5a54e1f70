#!/bin/sh
# run.sh PROGRAM NAME: runs each case of NAME.txt with the program, NAME.cu compiled by nvcc, under
# `warplens check-memory` and compares what it prints, word for word. A case in NAME.txt:
#
#   == OPTIONS -- ARGUMENT | EXIT
#   lines of standard output
#
# Messages must be plain text. With "update" as third argument NAME.txt is rewritten. Environment: WARPLENS.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
program=$1 name=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$program" "$folder/$name"
cd "$folder"
grep '^== ' "$source/$name.txt" >cases
while IFS= read -r line; do
    words=${line#== }
    words=${words%" | "*}
    status=0
    # shellcheck disable=SC2086 # options are words
    "$WARPLENS" check-memory ${words%%-- *} "./$name" ${words##*-- } >output 2>errors || status=$?
    echo "== $words | $status"
    LC_ALL=C grep '[[:cntrl:]]' errors | cat -v
    sed "s|$source/||g" output
done <cases >printed
if [ "${3:-}" = update ]; then
    cp printed "$source/$name.txt"
fi
diff -u "$source/$name.txt" printed
