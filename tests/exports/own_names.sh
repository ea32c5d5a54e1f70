#!/bin/sh
# own_names.sh OUT.c OBJECTS: writes functions with all names that objects of our libraries share among
# themselves and no library exports (tests/exports/*.txt): they end the program that is linked to them.
set -eu
out=$1
shift
lists=$(dirname "$(realpath "$0")")
: "${NM:=nm}"
sed 's/@.*//' "$lists"/*.txt | LC_ALL=C sort -u >"$out.exported"
"$NM" --defined-only --extern-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -E '^[A-Za-z][A-Za-z0-9_]*$' |
    LC_ALL=C sort -u | LC_ALL=C comm -23 - "$out.exported" >"$out.names"
rm "$out.exported"
count=$(wc -l <"$out.names")
[ "$count" -gt 1000 ] || { echo "own_names.sh: only $count names" >&2; exit 1; }
cat >"$out" <<'END'
#include <string.h>
#include <unistd.h>

static void called(const char *name)
{
    static const char text[] = "a library of ours called the program's ";
    if (write(2, text, sizeof text - 1) > 0 && write(2, name, strlen(name)) > 0 && write(2, "\n", 1) > 0)
        _exit(99);
    _exit(98);
}

#define OWN(name) void name(void); void name(void) { called(#name); }
END
sed 's/.*/OWN(&)/' "$out.names" >>"$out"
rm "$out.names"
