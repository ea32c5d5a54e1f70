#!/bin/sh
# make.sh CATEGORY PATTERN OUT OBJECTS: puts OUT.o and OUT.S together, which export what the objects
# export, each function whose name matches the pattern behind a trampoline that records its calls as
# CATEGORY (a number of timeline/record.h). Objects of a file entry.c keep their own functions unrecorded,
# and what they point to are the trampolines.
set -eu
category=$1
pattern=$2
out=$3
shift 3
: "${NM:=nm}" "${OBJCOPY:=objcopy}" "${LD:=ld}"

# What only reads the state of the thread is no work of the program, and some do not answer a number.
ignored='(GetLastError|PeekAtLastError|GetErrorString|GetErrorName|CreateChannelDesc|GetStatusName|GetStatusString)$'

rm -rf "$out.objects"
mkdir -p "$out.objects"
for object in "$@"; do
    case $object in
    */entry.c.o) ;;
    *) "$NM" --defined-only --extern-only "$object" ;;
    esac
done | awk '$2 == "T" || $2 == "W" { print $3 }' | grep -E "$pattern" | grep -Ev "$ignored" |
    sort -u >"$out.names"
[ -s "$out.names" ] || { echo "make.sh: no function matches $pattern" >&2; exit 1; }

sed 's/.*/& wl_traced_&/' "$out.names" >"$out.renamed"
for object in "$@"; do
    copy=$out.objects/$(echo "$object" | tr / _)
    case $object in
    */entry.c.o) cp "$object" "$copy" ;;
    *) "$OBJCOPY" --redefine-syms="$out.renamed" "$object" "$copy" ;;
    esac
done
"$LD" -r -o "$out.o" "$out.objects"/*
rm -rf "$out.objects"

{
    echo "#define CATEGORY $category"
    echo '#include "timeline/calls/trampoline.S"'
    sed -E 's/^(__)?(.*)$/TRACED_CALL \1\2, \2/; s/, (.*)_(ptsz|ptds)$/, \1/' "$out.names"
} >"$out.S"
