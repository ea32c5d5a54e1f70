#!/usr/bin/env bash
# scripts/build.sh says how far it is while ninja works, prints what the compiler says, and ends as ninja does; and a second
# make has nothing to build: what is configured writes no file that says what it said. Environment: SOURCE.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin
cat >bin/ninja <<'END'
#!/bin/sh
echo "ninja: Entering directory \`build'"
for step in 1 2 3 4; do
    echo "@$step 30@Building C object $step.c.o"
done
tries=0
until [ -e seen ] || [ $tries = 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
[ -e seen ] || echo "nobody has seen what was printed"
echo "a.c:1: error: what the compiler says"
printf 'ninja: build stopped'
exit 3
END
chmod +x bin/ninja
mkfifo output
status=0
PATH=$folder/bin:$PATH "$SOURCE/scripts/build.sh" build >output &
exec 3<output
read -r first <&3
[ "$first" = "building 3 of 30" ] || { echo "printed first: $first"; exit 1; }
touch seen
rest=$(cat <&3)
wait $! || status=$?
[ "$rest" = "a.c:1: error: what the compiler says
ninja: build stopped" ] || { echo "printed: $rest"; exit 1; }
[ $status = 3 ] || { echo "status $status"; exit 1; }
if grep -n 'file(WRITE' "$SOURCE/CMakeLists.txt" "$SOURCE"/src/CMakeLists.txt "$SOURCE"/src/*/*.cmake "$SOURCE"/tests/*.cmake; then
    echo "file(CONFIGURE OUTPUT ... CONTENT ...) leaves a file alone that need not change"
    exit 1
fi
