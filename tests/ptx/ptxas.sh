#!/bin/sh
# ptxas.sh PTXAS: fails where PTXAS does not take a test kernel, but for those that must fail or say
# "ptxas no".
set -eu
cd "$(dirname "$0")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failures=0
for file in *.ptx generated/*.ptx; do
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
