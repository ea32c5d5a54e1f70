#!/bin/sh
# demo.sh: what README shows below `make demo`, up to the next headline, is what scripts/demo.sh prints, in its order; to
# the last digit where the compiler is the one of Debian 12, whose output README shows, numbers and units of time aside with another
# (its kernels may just fall short of a millisecond).
# No toolkit is used. Environment: BUILD, SOURCE.
set -eu
command -v clang >/dev/null || { echo "skipped: there is no clang (Debian package clang)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"
"$SOURCE/scripts/without-cuda.sh" "$SOURCE/scripts/demo.sh" "$BUILD" demo >printed 2>&1 || { cat printed; exit 1; }
sed -n '/^    \$ make demo$/,/^#/ s/^    //p' "$SOURCE/README.md" | sed 1d >shown
if ! clang --version | grep -q 'version 14\.'; then
    for file in printed shown; do
        sed -E 's/[0-9][0-9,.]*/N/g; s/  */ /g; s/N [num]s\b/N s/g' $file >plain
        mv plain $file
    done
fi
[ "$(wc -l <shown)" -gt 10 ] || { echo "README shows nothing of make demo"; exit 1; }
awk '
    NR == FNR { shown[++count] = $0; next }
    found < count && $0 == shown[found + 1] { found++ }
    END {
        if (found == count) exit 0
        print "make demo does not print, or not in this order: " shown[found + 1]
        exit 1
    }' shown printed || { cat printed; exit 1; }
