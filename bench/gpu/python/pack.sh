#!/bin/sh
# Puts a build of Warplens and the libraries that it needs into one folder, for a machine on which nothing can be
# installed: there, `cp -n FOLDER/libraries/* /usr/local/lib/ && ldconfig`, and FOLDER/bin/warplens runs.
# The machine needs a C library at least as new as this one's.
# usage: bench/gpu/python/pack.sh BUILD FOLDER
set -eu
build=${1:?usage: pack.sh BUILD FOLDER} folder=${2:?usage: pack.sh BUILD FOLDER}
rm -rf "$folder"
DESTDIR= cmake --install "$build" --prefix "$(realpath -m "$folder")" >/dev/null
strip --strip-debug "$folder"/bin/warplens "$folder"/lib/warplens/*.so* "$folder"/lib/*.so* 2>/dev/null || true
mkdir -p "$folder/libraries"
find "$folder/bin" "$folder/lib" -type f \( -name warplens -o -name '*.so*' \) -exec ldd {} + 2>/dev/null |
    awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so' | grep -v "^$(realpath "$folder")" |
    while read -r library; do cp -L "$library" "$folder/libraries/"; done
du -sh "$folder"
