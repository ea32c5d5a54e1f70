#!/bin/sh
# check.sh FOLDER: each library of FOLDER exports the names of its list (tests/exports/NAME.txt for
# NAME.so.*), no more and no fewer, and libwarplens-gpu.so none that nobody asks for. In a list, FILE is the
# name of the library's file, which is the version of names that programs import by version.
# WL_UPDATE_GOLDEN=1 writes the lists.
set -u
lists=$(dirname "$(realpath "$0")")
: "${NM:=nm}"
cd "$1" || exit 1
status=0

fail() {
    echo "$1" >&2
    status=1
}

exported() { # A: a version; what a sanitizer adds is not ours
    "$NM" -D --defined-only "$1" | awk '$(NF - 1) != "A" { print $NF }' | grep -vE '^_*(asan|odr_asan|ubsan|sancov)[._]' |
        sed "s/@@$1\$/@@FILE/" | LC_ALL=C sort
}

for library in lib*.so*; do
    [ -h "$library" ] && continue
    list=$lists/${library%.so*}.txt
    [ -z "${WL_UPDATE_GOLDEN:-}" ] || exported "$library" >"$list"
    [ -f "$list" ] || { fail "$library has no list tests/exports/$(basename "$list")"; continue; }
    exported "$library" | diff "$list" - >/dev/null && continue
    fail "$library (< not exported, > exported although tests/exports/$(basename "$list") has it not):"
    exported "$library" | diff "$list" - | grep '^[<>]' >&2
done
for list in "$lists"/*.txt; do
    name=$(basename "$list" .txt)
    ls "$name".so* >/dev/null 2>&1 || fail "there is no library $name, which has a list"
done

# What libwarplens-gpu.so offers: to the libraries over it, to those that find it at run time.
found_at_run_time="wl_openacc_event wl_timeline_engine"
wanted=$(for library in lib*.so*; do "$NM" -D --undefined-only "$library"; done | awk '{ print $NF }')
for name in $(exported libwarplens-gpu.so | grep '^wl_'); do
    printf '%s\n' $wanted $found_at_run_time | grep -qx "$name" ||
        fail "libwarplens-gpu.so exports $name, which no library of ours uses"
done
exit $status
