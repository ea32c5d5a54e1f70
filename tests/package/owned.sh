#!/bin/sh
# owned.sh: what root builds in a user's tree is the user's, and what the user does not own elsewhere is left alone; the
# exit status is that of the command. Environment: SOURCE.
set -eu
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make files of other users"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p tree/scripts tree/build
touch elsewhere
cp "$SOURCE/scripts/owned.sh" tree/scripts
chown -R 65534:65534 tree 2>/dev/null || { echo "skipped: this root cannot make files of other users"; exit 77; }
status=0
(cd tree && scripts/owned.sh build sh -c 'mkdir build/a && touch "build/a/b c" && ln -s ../../elsewhere build/link && exit 3') || status=$?
[ $status = 3 ]
[ -z "$(find tree ! -user 65534)" ] || { echo "still root's:"; find tree ! -user 65534; exit 1; }
[ "$(stat -c %u elsewhere)" = 0 ]
