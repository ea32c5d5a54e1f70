#!/bin/sh
# Runs programs of a public suite that run.sh has built, and that passed, under `warplens check-memory`,
# and writes a table of what it says of them. Fetches and builds nothing.
#
#   false_alarms.sh [-b BUILD] [-w WORK] [-l LIMIT_S] SUITE [NAME...] >TABLE
#
#   SUITE, NAME, -b, -w  as for run.sh
#   -l                   limit of a program in seconds of processor time (default 60)
#
# errors.txt beside this file says which errors the programs really have. Ends with 1 if check-memory
# says anything else. WORK/SUITE.alarms/NAME.log has what it said.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=build work='' limit=60
while getopts b:w:l: option; do
    case $option in
    b) build=$OPTARG ;;
    w) work=$OPTARG ;;
    l) limit=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
build=$(cd "$build" && pwd) || exit 2
work=$(cd "${work:-$build/suites}" && pwd) || exit 2
suite=${1:-} logs=$work/${1:-}.alarms
if [ -z "$suite" ] || [ ! -s "$work/$suite.results" ]; then
    sed -n '2,/^set -u/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
shift
mkdir -p "$logs"
nvcc=${NVCC:-nvcc}
toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v "$nvcc")")")")

# NAME's known error whose pattern FILE has: its reason.
known_error() {
    while IFS='|' read -r program pattern reason; do
        [ "$(echo "$program" | sed 's/ *$//')" = "$1" ] || continue
        pattern=$(echo "$pattern" | sed 's/^ *//; s/ *$//')
        grep -q -e "$pattern" "$2" && { echo "$reason" | sed 's/^ *//'; return; }
    done <"$here/errors.txt"
}

alarms=0 programs=0
check_row() {
    place=$work/$suite/$(echo "$name" | tr / .)
    log=$logs/$(echo "$name" | tr / .).log
    [ -x "$place/program.exe" ] || return
    words=$(sed -n "s:^$name *|\([^|]*\)|.*:\1:p" "$here/$suite.txt")
    environment=''
    for word in $words; do
        case $word in [A-Z]*=*) environment="$environment $word" ;; esac
    done
    start=$(date +%s)
    (
        # shellcheck disable=SC3045
        ulimit -t "$limit"
        # shellcheck disable=SC2086
        cd "$place" && CUDA_PATH=$toolkit env $environment timeout -k 5 $((limit * 10)) \
            "$build/warplens" check-memory --log-file "$log" ./program.exe $arguments \
            >"$log.output" 2>&1 </dev/null
    )
    seconds=$(($(date +%s) - start))
    summary=$(sed -n 's/^========= ERROR SUMMARY: //p' "$log" 2>/dev/null)
    programs=$((programs + 1))
    reason=''
    if [ "$summary" = '1 error' ] && grep -q 'ended by signal 9 (Killed)' "$log"; then
        summary="0 errors within $limit s" # the limit ended it
    fi
    case $summary in
    '') summary='not done' ;;
    '0 errors'*) ;;
    *)
        reason=$(known_error "$name" "$log")
        [ -n "$reason" ] || { alarms=$((alarms + 1)) reason='**false alarm**'; }
        ;;
    esac
    [ -z "$arguments" ] || arguments="\`$arguments\`"
    echo "| $name | $arguments | $summary | $seconds | $reason |"
}

echo '| program | arguments | check-memory | seconds | errors it really has |'
echo '|---|---|---|---|---|'
while IFS='|' read -r name result _ arguments _; do
    [ "$result" = passed ] || continue
    wanted=yes
    if [ $# -gt 0 ]; then
        wanted=''
        for word in "$@"; do
            case $name in "$word" | */"$word") wanted=yes ;; esac
        done
    fi
    [ -z "$wanted" ] || check_row
done <"$work/$suite.results"
echo "$suite: $programs programs, $alarms false alarms" >&2
[ "$alarms" = 0 ]
