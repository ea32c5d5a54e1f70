#!/bin/sh
# run_tests_test.sh: scripts/run-tests.sh lists what was skipped, with its reason, of programs of cmocka (old and new, whose
# summaries differ), too, and fails where none is given. Environment: SOURCE.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

begin() { # the tests of a build folder: NAME and what it prints, then its exit status
    : >CTestTestfile.cmake
    while [ $# != 0 ]; do
        printf '%b\n' "$2" >"$1.out"
        cat >>CTestTestfile.cmake <<END
add_test($1 "sh" "-c" "cat '$folder/$1.out'; exit $3")
set_tests_properties($1 PROPERTIES SKIP_RETURN_CODE 77)
END
        shift 3
    done
}

run() {
    status=0
    "$SOURCE/scripts/run-tests.sh" "$folder" >log 2>&1 || status=$?
    sed -n '/^Skipped, and why:/,$p' log >said
}

old='skipped: there is no nvcc\n[  SKIPPED ] makes\n[  PASSED  ] 1 test(s).\n[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] makes\n\n 1 SKIPPED TEST(S)'
new='skipped: there is no nvcc\n[  SKIPPED ] makes\n[  PASSED  ] 1 test(s).\n[  SKIPPED ] tests: 1 test(s), listed below:\n[  SKIPPED ] makes\n\n 1 SKIPPED TEST(S)'
begin right 'ok' 0 unit.old "$old" 0 unit.new "$new" 0 whole 'skipped: there is no GPU' 77
run
printf '%s\n' 'Skipped, and why:' '  unit.old (makes): there is no nvcc' '  unit.new (makes): there is no nvcc' '  whole: there is no GPU' >wanted
sort wanted >wanted.sorted
sort said | diff -u wanted.sorted - || { cat log; exit 1; }
[ $status = 0 ] || { echo "ends with $status"; cat log; exit 1; }

begin silent 'nothing' 77
run
[ $status != 0 ] && grep -qx '  silent: does not say why' said || { echo "a silent skip is let pass"; cat log; exit 1; }
