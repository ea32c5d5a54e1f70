#!/usr/bin/env bash
# site.sh FOLDER: the pages of docs/, README.md and CONTRIBUTING.md as HTML that needs no server, with pandoc. Links between pages are
# turned to .html; every page has the list of all in its head.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
site=$1
mkdir -p "$site"
site=$(cd "$site" && pwd)
cd "$source"
pages=$(find README.md CONTRIBUTING.md CHANGELOG.md docs examples -name '*.md' | sort)
for page in $pages; do
    target=$site/${page%.md}.html
    up=$(dirname "$page" | sed 's:[^/.][^/]*:..:g')
    mkdir -p "$(dirname "$target")"
    navigation=$(mktemp)
    {
        echo '<nav>'
        for other in $pages; do
            title=$(sed -n 's/^# //p' "$other" | head -n 1)
            printf '<a href="%s/%s.html">%s</a>\n' "$up" "${other%.md}" "$title"
        done
        echo '</nav>'
    } >"$navigation"
    sed -E 's/\]\(([^):]*)\.md(#[^)]*)?\)/](\1.html\2)/g' "$page" |
        pandoc -f gfm -t html5 -s --metadata title="$(sed -n 's/^# //p' "$page" | head -n 1)" \
            --css "$up/site.css" -B "$navigation" -o "$target"
    rm -f "$navigation"
done
find docs -name '*.png' -o -name '*.svg' | while read -r picture; do
    mkdir -p "$site/$(dirname "$picture")"
    cp "$picture" "$site/$picture"
done
cp docs/site.css "$site/site.css"
cp "$site/README.html" "$site/index.html"
echo "$site/index.html"
