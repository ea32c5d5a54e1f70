#!/bin/sh
# figures.sh: each number that README's "How exact it is" says stands in a page that the same paragraph links to.
# Environment: SOURCE.
set -eu
cd "$SOURCE"
sed -n '/^## How exact it is/,/^## Limits/p' README.md |
    awk '/^- / && NR > 1 { printf "\n" } { printf "%s ", $0 }' | grep '^- ' |
    while IFS= read -r paragraph; do
        pages=$(echo "$paragraph" | grep -o '](docs/[^)]*' | cut -c3- | sort -u)
        [ -n "$pages" ] || { echo "no link to a page: $paragraph"; exit 1; }
        for number in $(echo "$paragraph" | sed 's/\[[^]]*\]([^)]*)//g; s/[HK][0-9]*//g' | grep -o '[0-9][0-9.]*[0-9]\|[0-9]'); do
            cat $pages | grep -qE "(^|[^0-9.])$number([^0-9.]|\.[^0-9]|\.?$)" ||
                { echo "$number is not in" $pages: "$paragraph"; exit 1; }
        done
    done
