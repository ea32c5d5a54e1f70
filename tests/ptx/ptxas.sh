#!/bin/sh
# ptxas.sh PTXAS: fails where PTXAS does not take a test kernel, but for those that must fail or say
# "ptxas no".
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
log=$folder/log
trap 'rm -rf "$folder"' EXIT
failures=0
# each case of a file that has several, as a file
for file in generated/*.ptx; do
    awk -v folder="$folder" 'sub(/^\/\/% case /, "") { if (out) close(out); out = folder "/" $0 ".ptx"; next } { print >out }' "$file"
done
for file in $(find . -name "*.ptx" ! -path "./generated/*") "$folder"/*.ptx; do
    grep -Eq '^//% (fails|ptxas no)' "$file" && continue
    target=$(sed -n 's/^\.target *\(sm_[0-9a-z]*\).*/\1/p' "$file")
    case $target in sm_9?*|sm_1*) ;; *) target=sm_90 ;; esac
    if ! "$1" -arch="$target" "$file" -o /dev/null >"$log" 2>&1; then
        sed -n 1,3p "$log"
        failures=$((failures + 1))
    fi
done
echo "$failures test kernels are refused"
[ "$failures" = 0 ]
