#!/bin/sh
# ptxas.sh PTXAS: fails where PTXAS does not take a test kernel, but for those that must fail or say
# "ptxas no". Eight at a time, which costs as much as two, but of the random ones three: ptxas 13.0 dies of more, and of some
# mixtures; of two that print after half a minute, so one of those. Where that fails, or takes long, by halves.
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
    function put() { if (name != "" && !is_left_out) print target, name ~ /\/random_/ ? 3 : name ~ /\/print\// ? 1 : 8, name }' {} + >"$folder/all"
[ "$(wc -l <"$folder/all")" -gt 300 ] || { echo "there are too few test kernels"; exit 1; }
failures=0
checked=0
check() { # TARGET FILES...
    [ $# -gt 1 ] || return 0
    (
        [ $# = 2 ] || ulimit -t 5
        "$ptxas" -arch="$@" -o /dev/null || exit 1
    ) >"$folder/log" 2>&1 && { checked=$((checked + $# - 1)); return; }
    if [ $# = 2 ]; then
        sed -n 1,3p "$folder/log"
        failures=$((failures + 1))
        return
    fi
    halves "$(($# / 2))" "$@"
}
halves() { # COUNT TARGET FILES...: the first COUNT of them, and then the others
    printf '%s\n' "$@" >"$folder/halves.$#"
    check "$2" $(sed -n "3,$((2 + $1))p" "$folder/halves.$#")
    check "$2" $(sed "1,$((2 + $1))d" "$folder/halves.$#")
}
sort "$folder/all" >"$folder/sorted"
last=
set --
while read -r target most file; do
    if [ "$target" != "$last" ] || [ $# -ge "$most" ]; then
        check "$last" "$@"
        set --
    fi
    last=$target
    set -- "$@" "$file"
done <"$folder/sorted"
check "$last" "$@"
[ $((checked + failures)) = "$(wc -l <"$folder/all")" ] || { echo "not all were checked"; exit 1; }
echo "$failures test kernels are refused"
[ "$failures" = 0 ]
