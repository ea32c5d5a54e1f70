#!/bin/sh
# run-tests.sh BUILD [CTEST-OPTIONS...]: runs tests, as many at a time as there are cores (JOBS says otherwise), and
# says at the end which were skipped, and why. Fails where one fails, or is skipped without saying why.
set -u
build=$1
shift
log=$build/Testing/Temporary/LastTest.log   # what they printed
ends=$build/Testing/Temporary/run-tests.log # how they ended
rm -f "$log" "$ends"
ctest --test-dir "$build" -j"${JOBS:-$(nproc)}" --output-on-failure --output-log "$ends" "$@"
status=$?
[ -f "$log" ] && [ -f "$ends" ] || exit $status

# A test is skipped whole (it ends with 77), or cases of a cmocka program are. Both print "skipped: WHY" before.
awk '
    NR == FNR { # a line of ends: "109/195 Test #109: cupti.disassembly ....***Skipped   0.03 sec"
        if (/\*\*\*Skipped/ && match($0, /#[0-9]+: /)) {
            name = substr($0, RSTART + RLENGTH)
            sub(/[ .]*\*\*\*.*/, "", name)
            is_skipped[name] = 1
        }
        next
    }
    /^[0-9]+\/[0-9]+ Testing: / { test = $3; why = ""; next }
    sub(/^skipped: /, "") { why = $0; next }
    /^\[  SKIPPED \] tests: / { next } # heads the summary of cmocka 1.1.7
    /^\[  SKIPPED \] [a-z]/ {
        if (!((test, $4) in cases)) { cases[test, $4]; put(test " (" $4 ")", why) }
        why = ""
        next
    }
    /^<end of output>$/ { if (test in is_skipped) put(test, why) }
    function put(what, why) {
        count++
        lines[count] = "  " what ": " (why == "" ? "does not say why" : why)
        silent += why == ""
    }
    END {
        if (count) print "\nSkipped, and why:"
        for (i = 1; i <= count; i++) print lines[i]
        exit silent > 0
    }' "$ends" "$log" || status=1
exit $status
