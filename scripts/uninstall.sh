#!/bin/sh
# uninstall.sh BUILD [DESTDIR]: removes the files that the last `make install` of this build folder installed, and the
# folders of ours that are empty then.
set -eu
manifest=$1/install_manifest.txt
root=${2:-}
[ -f "$manifest" ] || { echo "Nothing was installed from $1 (there is no $manifest)." >&2; exit 3; }
while IFS= read -r file || [ -n "$file" ]; do
    rm -f "$root$file"
    folder=$(dirname "$root$file")
    # folders that are ours alone go with their last file
    while case $folder in */warplens | */warplens/*) true ;; *) false ;; esac; do
        rmdir "$folder" 2>/dev/null || break
        folder=$(dirname "$folder")
    done
done <"$manifest"
echo "Removed $(grep -c '' "$manifest") files."
