#!/bin/sh
# make_install.sh: `make install` with a space in PREFIX and a umask that lets nobody read, as a user who may not write
# into the build folder would find it: nothing is built, all may read what is installed, and `make uninstall` leaves
# nothing. Environment: BUILD, SOURCE.
set -eu
command -v make >/dev/null || { echo "skipped: there is no make (Debian package make)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch before
umask 077
make --no-print-directory -C "$SOURCE" BUILD="$BUILD" PREFIX="$folder/a place" install >log 2>&1 || { cat log; exit 1; }
grep -qx "Installed: $folder/a place/bin/warplens" log || { cat log; exit 1; }
built=$(find "$BUILD/warplens" "$BUILD/lib" "$BUILD/.ninja_log" -newer before)
[ -z "$built" ] || { echo "built by make install: $built"; exit 1; }
unreadable=$(find "a place" ! -type l ! -perm -o=r)
[ -z "$unreadable" ] || { echo "not readable for all: $unreadable"; exit 1; }
"a place/bin/warplens" --version >/dev/null
make --no-print-directory -C "$SOURCE" BUILD="$BUILD" uninstall >log 2>&1 || { cat log; exit 1; }
[ -z "$(find "a place" ! -type d)" ] || { echo "left by make uninstall:"; find "a place" ! -type d; exit 1; }
