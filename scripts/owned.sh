#!/bin/sh
# owned.sh FOLDER COMMAND...: runs the command. Where root builds in a tree that is a user's (`sudo make demo`), what root
# made in FOLDER of it belongs to that user afterwards, whose next build would fail else.
set -u
folder=$1
shift
"$@"
status=$?
owner=$(stat -c %u:%g "$(dirname "$0")/..")
case $owner in
0:*) ;;
*) [ "$(id -u)" != 0 ] || [ ! -d "$folder" ] || find "$folder" -user root -exec chown -h "$owner" {} + ;;
esac
exit $status
