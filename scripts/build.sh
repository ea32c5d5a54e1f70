#!/usr/bin/env bash
# build.sh BUILD [TARGET...]: runs ninja, and says a line each tenth of the way; prints what the compiler says. Not by awk:
# Debian 13's reads a pipe to its end before it looks at the first line.
set -o pipefail
build=$1
shift
last=0
NINJA_STATUS='@%f %t@' ninja -C "$build" "$@" 2>&1 | while IFS= read -r line || [ -n "$line" ]; do
    if [[ $line =~ ^@([0-9]+)\ ([0-9]+)@ ]]; then
        made=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
        tenth=$((made * 10 / all))
        [ "$all" -lt 20 ] || [ $tenth -le $last ] || echo "building $made of $all"
        last=$tenth
    elif [[ ! $line =~ ^ninja:\ (Entering\ directory|no\ work\ to\ do) ]]; then
        printf '%s\n' "$line"
    fi
done
