#!/bin/sh
# kill.sh COUNT: COUNT times, profiles a program that launches often and kills it, or warplens, at a
# random moment. The report must open afterwards, and have every launch that was over by then.
# Environment: WARPLENS, BUILD, SEED (default 1).
set -u
count=$1 seed=${SEED:-1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# A number below $1 that looks random.
random_below() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    number=$((seed / 65536 % $1))
}

# Whether somebody still has the program's arguments.
is_running() {
    grep -qsF "$folder/marks" /proc/[0-9]*/cmdline
}

fail() {
    echo "kill $turn ($victim after $delay ms, $launches launches): $1"
    cat log
    exit 1
}

at_work=0 reports=0 turn=0
while [ "$turn" -lt "$count" ]; do
    turn=$((turn + 1))
    rm -rf marks log show report.wlr report.wlr.stream
    random_below 2500 && launches=$((number + 1))
    random_below 400 && delay=$((number + 30))
    random_below 2 && victim=$([ "$number" = 0 ] && echo program || echo warplens)
    "$WARPLENS" profile -q -o report "$BUILD/tests/cli-programs/many" count "$folder/marks" "$launches" \
        >log 2>&1 &
    profiler=$!
    sleep "0.$(printf %03d "$delay")"
    program=
    children=/proc/$profiler/task/$profiler/children
    [ ! -e "$children" ] || read -r program _ <"$children"
    if [ "$victim" = program ]; then
        [ -z "$program" ] || kill -9 "$program" 2>/dev/null
        wait $profiler
        status=$?
        case $status in 0 | 1 | 7) ;; *) fail "warplens ended with $status" ;; esac
    else
        kill -9 $profiler 2>/dev/null
        wait $profiler 2>/dev/null
        while is_running; do # the program goes on to its end
            sleep 0.02
        done
    fi
    finished=0
    [ ! -f marks ] || finished=$(wc -c <marks)
    [ "$finished" = 0 ] || [ "$finished" = "$launches" ] || at_work=$((at_work + 1))
    if [ ! -e report.wlr ] && [ ! -e report.wlr.stream ]; then
        [ "$finished" = 0 ] || fail "no report of $finished launches"
        continue
    fi
    "$WARPLENS" show report.wlr --page raw --csv --metrics launch__grid_size >show 2>>log
    status=$?
    case $status in
    0) shown=$(($(wc -l <show) - 2)) ;; # names, units
    3 | 7) shown=0 ;;
    *) fail "show ended with $status" ;;
    esac
    reports=$((reports + 1))
    [ "$shown" -ge "$finished" ] || fail "$finished launches were over, $shown are in the report"
    [ "$shown" -le "$((finished + 1))" ] || fail "$shown launches of $finished"
done
echo "$count kills, $at_work while launches ran; $reports reports have every launch"
