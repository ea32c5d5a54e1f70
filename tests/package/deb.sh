#!/bin/sh
# deb.sh: the Debian package and the archive are made of the build folder; lintian, where it is there, has nothing to
# say; what the package holds runs in a root of its own, the archive wherever it is unpacked. Environment: BUILD, PROGRAM.
set -eu
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: there is no dpkg-shlibdeps (Debian package dpkg-dev)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
umask 077 # what is installed is readable for all the same
cpack --config "$BUILD/CPackConfig.cmake" >log 2>&1 || { cat log; exit 1; }
deb=$(ls warplens_*_*.deb)
if command -v lintian >/dev/null; then
    lintian --allow-root "$deb" >lintian.log 2>/dev/null || true
    [ ! -s lintian.log ] || { cat lintian.log; exit 1; }
else
    echo "what lintian would say was not asked: it is not there"
fi
mkdir root
dpkg-deb -x "$deb" root
[ -z "$(find root -mindepth 1 ! -perm -o=r)" ] || { echo "not readable for all:"; find root ! -perm -o=r; exit 1; }
# one question for all of them: dpkg reads its whole list for each
dpkg -s $(dpkg-deb -f "$deb" Depends | sed 's/([^)]*)//g; s/,/ /g') >/dev/null || { echo "the build did not need all that it depends on"; exit 1; }
[ -s root/usr/share/man/man1/warplens-profile.1.gz ] && [ -s root/usr/share/doc/warplens/README.md ]
tar xzf warplens-*.tar.gz
mv warplens-*/ "$folder/un packed"
for tree in "$folder/root/usr" "$folder/un packed"; do
    "$tree/bin/warplens" profile -q -f -o report "$PROGRAM" scale >log 2>&1 || { cat log; exit 1; }
    "$tree/bin/warplens" show report.wlr --page summary | grep -q scale
done
