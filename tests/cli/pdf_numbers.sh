#!/bin/sh
# pdf_numbers.sh REPORT PDF: every metric of the details page stands in the PDF, with the same number, unit
# and mark. A row of the page is "Label  Unit  Number  Mark", one of the PDF "Label  Number Unit Mark".
set -eu
pdftotext -layout "$2" - | tr -d ' ' >.pdf-lines # it guesses spaces
"$WARPLENS" show "$1" --page details |
    awk '/^    [A-Z#]/ && $NF ~ /^[=~?]$/ && $(NF - 1) ~ /^[0-9][0-9,.]*$/ {
        mark = $NF; number = $(NF - 1); unit = ""
        sub(/ *[^ ]* [=~?]$/, ""); sub(/^    /, "")
        if (match($0, /   *[^ ]*$/)) { unit = substr($0, RSTART); gsub(/ /, "", unit); sub(/   *[^ ]*$/, "") }
        if ($0 !~ /[=~?]/) print $0 "|" unit "|" number "|" mark
    }' >.page-rows
count=0
while IFS='|' read -r label unit number mark; do
    grep -qF -- "$(echo "$label$number$unit$mark" | tr -d ' ')" .pdf-lines || {
        echo "not in the PDF: $label $number $unit $mark"
        exit 1
    }
    count=$((count + 1))
done <.page-rows
[ "$count" -gt 20 ] || { echo "only $count rows were compared"; exit 1; }
