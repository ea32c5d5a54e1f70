#!/bin/sh
# run.sh TEST.js: runs it with node, or skips (77) where there is none.
if ! command -v node >/dev/null; then
    echo "skipped: there is no node (Debian package nodejs)"
    exit 77
fi
exec node "$1"
