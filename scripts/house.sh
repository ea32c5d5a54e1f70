#!/bin/sh
# house.sh [SOURCE_FOLDER]: the longest product files, the headers that reach the most files and the files
# that reach the most headers, both through all levels of #include. Ends with status 1 where a product file
# has more than 800 lines or a header more than 300 (src/hardware/abi.h mirrors a foreign interface and is free),
# or where one divides for the count of an array, which WL_COUNT of base/count.h gives. The caches and the executor
# (src/sim/l1*, l2*, native/, exec/) still divide.
set -eu
cd "${1:-$(dirname "$0")/..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find src include data -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.js' -o -name '*.css' -o -name '*.lua' \) |
    grep -vE '_(test|fuzz)\.[ch]$' | sort >"$work/files"
if [ ! -s "$work/files" ]; then
    echo "house.sh: no product files under $(pwd); give the folder that holds src/" >&2
    exit 2
fi

# FILE LINES
xargs awk 'FNR == 1 && NR > 1 { print file, lines } { file = FILENAME; lines = FNR } END { print file, lines }' \
    <"$work/files" >"$work/lines"

echo 'longest product files (lines):'
sort -k2,2nr "$work/lines" | head -n 10 | awk '{ printf "%7d %s\n", $2, $1 }'
echo 'longest headers (lines):'
grep '\.h ' "$work/lines" | sort -k2,2nr | head -n 10 | awk '{ printf "%7d %s\n", $2, $1 }'

# Pairs FILE INCLUDED of our own files, then all that each file reaches.
xargs grep -HoE '^ *# *include +"[A-Za-z0-9_./-]+"' <"$work/files" |
    sed 's/: *# *include *"/ /; s/"$//' >"$work/includes"
awk '
    FNR == NR { known[$1] = 1; next }
    {
        folder = $1
        sub(/\/[^\/]*$/, "", folder)
        to = ""
        if (("src/" $2) in known) to = "src/" $2
        else if (("include/" $2) in known) to = "include/" $2
        else if ((folder "/" $2) in known) to = folder "/" $2
        if (to != "") direct[$1] = direct[$1] " " to
    }
    function visit(file,    next_files, count, i) {
        count = split(direct[file], next_files, " ")
        for (i = 1; i <= count; i++)
            if (!(next_files[i] in seen)) {
                seen[next_files[i]] = 1
                visit(next_files[i])
            }
    }
    END {
        for (file in known) {
            split("", seen)
            visit(file)
            reached = 0
            for (to in seen)
                if (to != file) {
                    reached++
                    from[to]++
                }
            print "out", reached, file
        }
        for (to in from) print "in", from[to], to
    }
' "$work/files" "$work/includes" >"$work/reach"
echo 'farthest include fan-in (files that reach the header):'
grep '^in ' "$work/reach" | sort -k2,2nr -k3 | head -n 10 | awk '{ printf "%7d %s\n", $2, $3 }'
echo 'farthest include fan-out (files reached):'
grep '^out ' "$work/reach" | sort -k2,2nr -k3 | head -n 10 | awk '{ printf "%7d %s\n", $2, $3 }'

status=0
awk '
    $1 == "src/hardware/abi.h" { next }
    { limit = $1 ~ /\.h$/ ? 300 : 800 }
    $2 > limit {
        print $1 ": " $2 " lines, at most " limit ": split it" >"/dev/stderr"
        wrong = 1
    }
    END { exit wrong }
' "$work/lines" || status=1
grep '\.[ch]$\|\.def$' "$work/files" | grep -vE '^src/(base/count\.h|sim/(l[12]|native/|exec/))' |
    xargs grep -nE 'sizeof ?\(?([A-Za-z0-9_.>-]+)\)? ?/ ?sizeof ?\(?(\* ?\(?\1\b|\1\[0\])' >"$work/divisions" || true
if [ -s "$work/divisions" ]; then
    cat "$work/divisions" >&2
    echo "house.sh: WL_COUNT (src/base/count.h) counts the elements of an array" >&2
    status=1
fi
exit $status
