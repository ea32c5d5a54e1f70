#!/bin/sh
# rooms_test.sh SOURCE_FOLDER: a room (folder of src/) includes only the rooms that src/rooms.txt allows
# it, every edge of that table is in use, neither the rooms nor their outer folders form a cycle, and
# docs/architecture.md tells of each room. A folder that is no room of its own is part of the one around it.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail() {
    echo "$*" >&2
    status=1
}

grep -v '^#' src/rooms.txt >"$work/table"
cut -d: -f1 "$work/table" >"$work/rooms"
tr -d : <"$work/table" | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort >"$work/allowed"

# The edges as they are: room, included room, file.
find src -name '*.[ch]' -o -name '*.def' | grep -vE '_(test|fuzz)\.[ch]$' |
    xargs grep -HoE '^ *# *include +"[a-z0-9_/-]+\.' | sed 's/: *# *include *"/ /; s,^src/,,; s/\.$//' |
    awk '
        FNR == NR { is_room[$1] = 1; next }
        function room(path) {
            while (sub(/\/[^\/]*$/, "", path))
                if (path in is_room) return path
            return ""
        }
        { from = room($1); to = room($2) }
        from == "" { print "? ? " $1; next }
        to != "" && to != from { print from, to, "src/" $1 }
    ' "$work/rooms" - | sort -u >"$work/found"

awk '
    FNR == NR { is_allowed[$1, $2]; next }
    $1 == "?" { print "src/" $3 " is in no room of src/rooms.txt"; next }
    !(($1, $2) in is_allowed) { print $3 ": src/rooms.txt does not allow " $1 " to include " $2 }
' "$work/allowed" "$work/found" >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "$(cat "$work/wrong")"
cut -d' ' -f1,2 "$work/found" | sort -u | comm -13 - "$work/allowed" >"$work/unused"
while read -r from to; do
    fail "src/rooms.txt: $from does not include $to, or it is no room; take it out"
done <"$work/unused"

# tsort names the members of a cycle. The outer picture: folders of src/ alone.
outer() {
    sed 's,/[^ ]*,,g' "$1" | awk '$1 != $2' | sort -u
}
for edges in "$work/allowed" "$work/outer"; do
    [ "$edges" = "$work/allowed" ] || outer "$work/allowed" >"$edges"
    tsort "$edges" >/dev/null 2>"$work/cycle" || fail "cycle of rooms: $(tr '\n' ' ' <"$work/cycle")"
done

while read -r room; do
    [ -d "src/$room" ] || fail "src/rooms.txt: there is no src/$room"
    grep -qE "^\| *$room *\|" docs/architecture.md || fail "docs/architecture.md has no row of $room"
done <"$work/rooms"
exit $status
