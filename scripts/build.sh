#!/usr/bin/env bash
# build.sh BUILD [TARGET...]: runs ninja, and says a line each tenth of the way; prints what the compiler says.
set -o pipefail
build=$1
shift
NINJA_STATUS='@%f %t@' ninja -C "$build" "$@" 2>&1 | awk '
    match($0, /^@[0-9]+ [0-9]+@/) {
        split(substr($0, 2, RLENGTH - 2), steps, " ")
        tenth = int(steps[1] * 10 / steps[2])
        if (steps[2] >= 20 && tenth > last) { print "building " steps[1] " of " steps[2]; fflush() }
        last = tenth
        next
    }
    /^ninja: (Entering directory|no work to do)/ { next }
    { print; fflush() }'
