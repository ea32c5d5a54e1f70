#!/bin/sh
# rooms_test.sh SOURCE_FOLDER: a room (folder of src/) includes only rooms that stand left of it in the
# order of docs/architecture.md, where the same list must be.
set -eu
cd "$1"

order="base trace gpu binary warp machine ptx sim timing device cudart cuda cublas nvrtc cupti collect stream inject measure mpi acc system report metric advise view draw export cmd"
status=0

fail() {
    echo "$*" >&2
    status=1
}

grep -qF "$order" docs/architecture.md || fail "docs/architecture.md does not list the rooms as: $order"

position() {
    number=0
    for room in $order; do
        number=$((number + 1))
        [ "$room" = "$1" ] && echo $number && return
    done
    echo 0
}

for folder in src/*/; do
    room=$(basename "$folder")
    own=$(position "$room")
    [ "$own" != 0 ] || { fail "src/$room is not in the list of rooms"; continue; }
    included=$(grep -rhoE '^ *# *include +"[a-z0-9_-]+/' "$folder" | sed 's/.*"//; s,/$,,' | sort -u)
    for other in $included; do
        [ "$other" = warplens ] && continue
        theirs=$(position "$other")
        if [ "$theirs" = 0 ]; then
            [ -d "src/$room/$other" ] || fail "src/$room includes \"$other/...\", which is no room"
        elif [ "$theirs" -gt "$own" ]; then
            fail "src/$room includes $other, which stands right of it:"
            grep -rnE "^ *# *include +\"$other/" "$folder" >&2 || true
        fi
    done
done
exit $status
