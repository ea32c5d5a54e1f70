#!/bin/sh
# tables.sh FOLDER: what `make accuracy` prints goes through, and each of its tables into a CSV file of FOLDER, named by
# its headline; those of single metrics into one, metrics.csv, with the metric as its first column.
#   make accuracy | tests/accuracy/tables.sh docs/evidence/accuracy
set -eu
mkdir -p "$1"
awk -v folder="$1" '
    function quoted(cell) {
        gsub(/^ +| +$/, "", cell)
        gsub(/`/, "", cell)
        if (cell ~ /[",]/) { gsub(/"/, "\"\"", cell); cell = "\"" cell "\"" }
        return cell
    }
    { print }
    /^## / { headline = substr($0, 4); next }
    !/^\|/ { in_table = 0; next }
    /^\|[-|]+\|$/ { next }
    {
        count = split($0, cells, "|")
        line = ""
        for (i = 2; i < count; i++) line = line (i > 2 ? "," : "") quoted(cells[i])
        if (!in_table) { # its head
            in_table = 1
            of_metric = line ~ /^run,H200,simulated,difference,$/
            file = of_metric ? "metrics" : tolower(headline)
            gsub(/[^a-z0-9]+/, "-", file)
            sub(/-$/, "", file)
            file = folder "/" file ".csv"
            sub(/,$/, ",verdict", line)
            sub(/difference,,/, "difference,verdict,", line)
            if (of_metric) line = "metric," line
            if (of_metric && file in written) next
        } else if (of_metric) line = quoted(headline) "," line
        written[file] = 1
        print line >file
    }'
