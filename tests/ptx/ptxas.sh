#!/bin/sh
# ptxas.sh PTXAS: fails where PTXAS does not take a test kernel, but for those that must fail or say
# "ptxas no". Eight at a time, which costs as much as two; where that fails (ptxas 13.0 dies of some mixtures, and of very
# many files), one by one.
set -eu
ptxas=$1
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# each case of a file that has several, as a file
for file in generated/*.ptx; do
    awk -v folder="$folder" 'sub(/^\/\/% case /, "") { if (out) close(out); out = folder "/" $0 ".ptx"; next } { print >out }' "$file"
done
find . "$folder" -name "*.ptx" ! -path "./generated/*" -exec awk '
    FNR == 1 { put() ; name = FILENAME; target = "sm_90"; is_left_out = 0 }
    /^\/\/% (fails|ptxas no)/ { is_left_out = 1 }
    /^\.target *sm_(9.|1)/ && match($0, /sm_[0-9a-z]*/) { target = substr($0, RSTART, RLENGTH) }
    END { put() }
    function put() { if (name != "" && !is_left_out) print target, name }' {} + >"$folder/all"
[ "$(wc -l <"$folder/all")" -gt 300 ] || { echo "there are too few test kernels"; exit 1; }
failures=0
check() { # TARGET FILES...
    check_target=$1
    shift
    [ $# != 0 ] || return 0
    if "$ptxas" -arch="$check_target" "$@" -o /dev/null >"$folder/log" 2>&1; then return; fi
    for file in "$@"; do
        "$ptxas" -arch="$check_target" "$file" -o /dev/null >"$folder/log" 2>&1 && continue
        sed -n 1,3p "$folder/log"
        failures=$((failures + 1))
    done
}
sort "$folder/all" >"$folder/sorted"
last=
set --
while read -r target file; do
    if [ "$target" != "$last" ] || [ $# = 8 ]; then
        check "$last" "$@"
        set --
    fi
    last=$target
    set -- "$@" "$file"
done <"$folder/sorted"
check "$last" "$@"
echo "$failures test kernels are refused"
[ "$failures" = 0 ]
