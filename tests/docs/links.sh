#!/bin/sh
# links.sh [FOLDER]: every relative link of every .md file of FOLDER (of this repository) leads to a file, and
# every page of docs/ that other files name is there.
set -eu
cd "${1:-$(dirname "$0")/../..}"
status=0
checked=0

files() { # PATTERN...: what git has, or what lies here where there is no git (the sources of a release)
    git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null ||
        find . -name .git -prune -o -name 'build*' -prune -o -type f -print | sed 's|^\./||'
}

dead() { # FILE TEXT
    echo "$1: leads nowhere: $2" >&2
    status=1
}

for page in $(files '*.md' | grep '\.md$'); do
    [ -e "$page" ] || continue
    for link in $(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//'); do
        case $link in *:* | '#'*) continue ;; esac
        checked=$((checked + 1))
        [ -e "$(dirname "$page")/${link%%#*}" ] || dead "$page" "$link"
    done
done
# docs/... in comments, messages and scripts
for mention in $(files src data docs tests bench scripts include examples README.md CONTRIBUTING.md Makefile |
    xargs grep -IoE '(^|[^A-Za-z0-9_./-])docs/[A-Za-z0-9_/-]+\.(md|csv)' 2>/dev/null | sed 's/:[^:]*docs/:docs/' | sort -u); do
    checked=$((checked + 1))
    [ -e "${mention#*:}" ] || dead "${mention%%:*}" "${mention#*:}"
done
echo "$checked links"
[ "$checked" -gt 100 ] || { echo "that is too few: were any files read?" >&2; exit 1; }
exit $status
