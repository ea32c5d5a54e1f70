#!/bin/bash
# many_launches.sh [BUILD [REPORT]]: what pages of a report of very many launches cost, in seconds of processor time (the
# least of three runs). Without REPORT: of 100,000 launches of six kernels and shapes, counted once each.
set -eu
build=$(cd "${1:-build}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
report=${2:-}
if [ -z "$report" ]; then
    "$build/tests/make_reports" loop "$folder"
    report=$folder/loop.wlr
fi

least() {
    local best=
    for _ in 1 2 3; do
        spent=$(TIMEFORMAT='%U %S'; { time "$@" >"$folder/out" 2>&1; } 2>&1 | awk '{ print $1 + $2 }')
        best=$(printf '%s\n' $best $spent | sort -g | head -1)
    done
    echo "$best"
}

echo "| page | processor time, s |"
echo "|---|---|"
echo "| \`show --page summary\` | $(least "$build/warplens" show --page summary "$report") |"
echo "| \`guide\` | $(least "$build/warplens" guide "$report") |"
echo "| \`export --html\` | $(least "$build/warplens" export -f -q --html "$folder/page.html" "$report") |"
echo "size of the page: $(stat -c %s "$folder/page.html") bytes"
