#!/bin/sh
# links.sh [FOLDER]: every relative link of every .md file of FOLDER (of this repository) leads to a file, every
# page of docs/ that other files name is there, and so is each file or folder of the sources that a page names.
set -eu
cd "${1:-$(dirname "$0")/../..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
# `src/...` in pages, where NAME and * stand for any name; in the pages about the sources, `name.c` alone, too
files . | sed 's|.*/||' | sort -u >"$work/names"
for mention in $(files '*.md' | grep '\.md$' |
    xargs grep -oE '`(src|tests|scripts|data|bench|cmake|include|examples)/[^` ]*`' | tr -d '`' | sort -u); do
    checked=$((checked + 1))
    for found in $(echo "${mention#*:}" | sed -E 's/[A-Z]{3,}/*/g'); do
        [ -e "$found" ] || dead "${mention%%:*}" "${mention#*:}"
    done
done
for name in $(grep -hoE '`[a-z0-9_]+\.(c|h|def|cmake|sh)`' CONTRIBUTING.md docs/architecture.md | tr -d '`' | sort -u); do
    checked=$((checked + 1))
    grep -qxF "$name" "$work/names" || dead "CONTRIBUTING.md or docs/architecture.md" "$name"
done
echo "$checked links"
[ "$checked" -gt 100 ] || { echo "that is too few: were any files read?" >&2; exit 1; }
exit $status
