#!/usr/bin/env bash
# run.sh [update]: runs the cases under `warplens check-memory` and compares with warplens.csv whether errors
# were found, whether the line at fault was told, and the exit status. With "update" warplens.csv is written
# again. Environment: WARPLENS, NVCC, JOBS.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export JOBS=${JOBS:-2}
"$here/compare.sh" warplens "$folder/outputs" >"$folder/all.csv"
awk -F, -v OFS=, 'NR == 1 { print "file", "case", "tool", "found", "line", "exit"; next }
    { print $1, $2, $3, ($4 == "?" ? "?" : ($4 > 0) ? "yes" : "no"), $5, $6 }' "$folder/all.csv" >"$folder/warplens.csv"
if [ "${1:-}" = update ]; then
    cp "$folder/warplens.csv" "$here/warplens.csv"
fi
diff -u "$here/warplens.csv" "$folder/warplens.csv"
