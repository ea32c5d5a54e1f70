#!/bin/sh
# reports.sh: makes in REPORTS what several tests of the page look at: reports of make_reports.c, their pages, and the
# details of one as JSON. Environment: WARPLENS, MAKE_REPORTS, REPORTS.
set -eu
mkdir -p "$REPORTS"
cd "$REPORTS"
rm -rf ./*.wlr ./*.stream # make_reports writes over none
for kind in some more long; do
    "$MAKE_REPORTS" $kind .
done
for kind in some long; do
    "$WARPLENS" export $kind.wlr -q -f --html $kind.html
done
"$WARPLENS" show some.wlr --page details --json >some.details.json
