#!/bin/sh
# run.sh FILE.test: runs the command lines of a test file, in order, in a new empty folder.
#
#   # comment
#   ? COMMAND # WHY           the rest is skipped (exit 77), which is said with WHY, unless this succeeds
#   $ COMMAND                 run by the shell; must succeed
#   ARGUMENTS | EXIT 2 | GREP text | NOT text
#                             run `warplens ARGUMENTS`; its exit status must be 2 (0 if not said), its
#                             stdout and stderr together must contain (or not contain) the texts
#
# ARGUMENTS and COMMAND are read by the shell and may use $WARPLENS, $BUILD, $SOURCE, $PROGRAMS and
# `wait_for FILE`, `wait_end ARGUMENT`.
set -u
file=$1
: "${WARPLENS:?}" "${BUILD:?}" "${SOURCE:?}"
[ -r "$file" ] || { echo "there is no $file" >&2; exit 1; }
[ -x "$WARPLENS" ] || { echo "there is no $WARPLENS" >&2; exit 1; }
PROGRAMS=$BUILD/tests/cli-programs
export WARPLENS BUILD SOURCE PROGRAMS
folder=$(mktemp -d)
trap 'cd /; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
number=0

# for tests: waits up to 200 s until the file is there
wait_for() {
    tries=0
    while ! [ -e "$1" ]; do
        tries=$((tries + 1))
        [ $tries -lt 2000 ] || return 1
        sleep 0.1
    done
}

# for tests: waits up to 200 s until no process has the text among its arguments
wait_end() {
    tries=0
    while grep -qsF -- "$1" /proc/[0-9]*/cmdline; do
        tries=$((tries + 1))
        [ $tries -lt 2000 ] || return 1
        sleep 0.1
    done
}

fail() {
    failures=$((failures + 1))
    echo "$file:$number: $1"
    sed 's/^/    /' .output | head -40
}

has() { # TEXT: in $output
    case $output in *"$1"*) ;; *) return 1 ;; esac
}

# check_conditions CONDITIONS: compares the last command's .output and $status; texts within the shell, which has no process to start
check_conditions() {
    rest=$1
    wanted_exit=0
    case $rest in *GREP\ * | *NOT\ *) output=$(tr -d '\000' <.output) ;; esac
    while [ -n "$rest" ]; do
        condition=${rest%%" | "*}
        case $rest in *" | "*) rest=${rest#*" | "} ;; *) rest= ;; esac
        case $condition in
        "EXIT "*) wanted_exit=${condition#EXIT } ;;
        "GREP "*) has "${condition#GREP }" || fail "not printed: ${condition#GREP }" ;;
        "NOT "*) ! has "${condition#NOT }" || fail "printed: ${condition#NOT }" ;;
        *) fail "no condition: $condition" ;;
        esac
    done
    [ "$status" = "$wanted_exit" ] || fail "exit status $status, not $wanted_exit"
}

while IFS= read -r line; do
    number=$((number + 1))
    case $line in
    "" | "#"*) ;;
    "? "*)
        if ! (eval "${line#? }") >.output 2>&1 </dev/null; then
            echo "skipped: ${line##*# }"
            exit 77
        fi
        ;;
    "\$ "*) (eval "${line#??}") >.output 2>&1 </dev/null || fail "failed: $line" ;;
    *)
        case $line in "| "*) line=" $line" ;; esac
        conditions=
        case $line in *" | "*) conditions=${line#*" | "} ;; esac
        eval "\"\$WARPLENS\" ${line%%" | "*}" >.output 2>&1 </dev/null
        status=$?
        check_conditions "$conditions"
        ;;
    esac
done <"$file"

[ $failures = 0 ] || echo "$failures of the checks in $file failed"
[ $failures = 0 ]
