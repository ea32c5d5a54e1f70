#!/bin/sh
# run.sh SOURCE_FOLDER: compiles wrong.cu with nvcc (NVCC names it), runs each case of wrong.txt under
# `warplens check-memory` and compares what it prints, word for word. A case in wrong.txt:
#
#   == OPTIONS -- ARGUMENT | EXIT
#   lines of standard output
#
# With "update" as second argument wrong.txt is written anew. Environment: WARPLENS, NVCC.
set -eu
source=$1/tests/check
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$NVCC" -arch=sm_90 -gencode arch=compute_90,code=compute_90 -cudart=shared -lineinfo \
    "$source/wrong.cu" -o "$folder/wrong"
cd "$folder"
grep '^== ' "$source/wrong.txt" >cases
while IFS= read -r line; do
    words=${line#== }
    words=${words%" | "*}
    status=0
    # shellcheck disable=SC2086 # options are words
    "$WARPLENS" check-memory ${words%%-- *} ./wrong ${words##*-- } >output 2>errors || status=$?
    echo "== $words | $status"
    sed "s|$source/||g" output
done <cases >printed
if [ "${2:-}" = update ]; then
    cp printed "$source/wrong.txt"
fi
diff -u "$source/wrong.txt" printed
