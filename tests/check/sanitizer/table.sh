#!/bin/sh
# table.sh: prints docs/evidence/check-memory-compared.md, made of compute-sanitizer.csv, warplens.csv (run.sh
# update) and missed.txt.
set -eu
cd "$(dirname "$0")"
cat <<'HEAD'
# check-memory beside compute-sanitizer

82 wrong cases and 43 right ones of [tests/check/sanitizer](../../tests/check/sanitizer/README.md), compiled with nvcc
13.0. compute-sanitizer 2025.3.1 ran them on an H100 (driver 580) on 2026-11-22: `compare.sh sanitizer FOLDER`;
`warplens check-memory` simulates an H200: `run.sh`, which is the test `check.sanitizer`. This page is printed by
`tests/check/sanitizer/table.sh`. "line": the line at fault is among those told.

HEAD
awk -F, '
    FILENAME == "missed.txt" { at = index($0, ": "); reason[substr($0, 1, at - 1)] = substr($0, at + 2); next }
    FNR == 1 { next }
    FILENAME == "compute-sanitizer.csv" {
        found = $4 == "?" ? "killed after 60 s" : $4 > 0 ? "found" : "-"
        if ($1 == "right") { if (found != "-") alarm[$2] = alarm[$2] " " $3; next }
        key = $1 "," $2; theirs[key] = found ($5 == "yes" ? ", line" : ""); counts_theirs += found == "found"
        next
    }
    $1 == "right" { right++; if ($4 != "no") ours_alarm[$2] = 1; name[right] = $2; next }
    {
        key = $1 "," $2
        found = $4 == "yes" ? "found" : "-"
        row[++rows] = "| " $2 " | " $3 " | " theirs[key] " | " found ($5 == "yes" ? ", line" : "") " | " reason[$2] " |"
        counts_ours += found == "found"
        if (found == "-" && !($2 in reason)) { print "table.sh: " $2 " is missed without a reason" >"/dev/stderr"; failed = 1 }
    }
    END {
        for (k in alarm) theirs_alarms++
        for (k in ours_alarm) ours_alarms++
        print "| | compute-sanitizer | check-memory |\n|---|---|---|"
        print "| wrong cases with an error found, of " rows " | " counts_theirs " | " counts_ours " |"
        print "| right cases with a false alarm, of " right " | " theirs_alarms + 0 " | " ours_alarms + 0 " |\n"
        print "## Wrong\n\n| case | tool | compute-sanitizer | check-memory | why not |\n|---|---|---|---|---|"
        for (i = 1; i <= rows; i++) print row[i]
        print "\n## False alarms\n\n| case | compute-sanitizer | check-memory |\n|---|---|---|"
        for (i = 1; i <= right; i++)
            if (name[i] in alarm || name[i] in ours_alarm)
                print "| " name[i] " |" alarm[name[i]] " | " (name[i] in ours_alarm ? "yes" : "-") " |"
        exit failed
    }' missed.txt compute-sanitizer.csv warplens.csv
