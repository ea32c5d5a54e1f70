#!/bin/sh
# check.sh FOLDER: each library of FOLDER exports the names of its list (tests/exports/NAME.txt for
# NAME.so.*), no more and no fewer, and libwarplens-gpu.so none that nobody asks for. In a list, FILE is the
# name of the library's file, which is the version of names that programs import by version.
# WL_UPDATE_GOLDEN=1 writes the lists.
set -eu
lists=$(dirname "$(realpath "$0")")
: "${NM:=nm}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail() {
    echo "$1" >&2
    status=1
}

# LIBRARY:ADDRESS KIND NAME. A: a version; U, w: what others give; what a sanitizer adds is not ours.
libraries=$(cd "$1" && find . -maxdepth 1 -name 'lib*.so*' -type f -printf '%f\n' | LC_ALL=C sort)
# shellcheck disable=SC2086 # libraries are words
(cd "$1" && "$NM" -D -A $libraries) | awk -v work="$work" '
    { library = $1; sub(/:.*/, "", library); kind = $(NF - 1) }
    kind == "A" || $NF ~ /^_*(asan|odr_asan|ubsan|sancov)[._]/ { next }
    kind == "U" || kind == "w" || kind == "v" { print $NF > (work "/wanted"); next }
    { at = index($NF, "@@" library); print at ? substr($NF, 1, at - 1) "@@FILE" : $NF > (work "/" library) }'

for library in $libraries; do
    list=$lists/${library%.so*}.txt
    touch "$work/$library"
    LC_ALL=C sort -o "$work/$library" "$work/$library"
    [ -z "${WL_UPDATE_GOLDEN:-}" ] || cp "$work/$library" "$list"
    [ -f "$list" ] || { fail "$library has no list tests/exports/${list##*/}"; continue; }
    cmp -s "$list" "$work/$library" && continue
    fail "$library (< not exported, > exported although tests/exports/${list##*/} has it not):"
    diff "$list" "$work/$library" | grep '^[<>]' >&2
done
for list in "$lists"/*.txt; do
    name=${list##*/}
    ls "$1/${name%.txt}".so* >/dev/null 2>&1 || fail "there is no library ${name%.txt}, which has a list"
done

# What libwarplens-gpu.so offers: to the libraries over it, to those that find it at run time.
printf 'wl_openacc_event\nwl_timeline_engine\n' | LC_ALL=C sort -u "$work/wanted" - >"$work/used"
for name in $(grep '^wl_' "$work/libwarplens-gpu.so" | LC_ALL=C comm -23 - "$work/used"); do
    fail "libwarplens-gpu.so exports $name, which no library of ours uses"
done
exit $status
