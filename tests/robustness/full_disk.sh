#!/bin/sh
# full_disk.sh: profiles a program on a disk that is full from the first write on, from the second, and
# so on until none fails. The program must end as it should, warplens say what is wrong, and once there
# is room again no measurement be lost that was written. What is kept from run to run is on that disk, too. Environment: WARPLENS, BUILD.
set -u
launches=6
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
program=$BUILD/tests/cli-programs/many

# A ptxas takes long to say the same of the same program each time: it is asked once, and its answer is kept elsewhere.
if real=$(command -v ptxas || command -v /usr/local/cuda/bin/ptxas); then
    mkdir tools
    cat >tools/ptxas <<END
#!/bin/sh
for object; do :; done # the last argument
cd "$folder/tools"
[ -e said ] || { "$real" "\$@" >new 2>&1 && cp "\$object" made && mv new said; } || exit 1
dd bs=1M if=made of="\$object" status=none && exec cat said
END
    chmod +x tools/ptxas
    PATH=$folder/tools:$PATH
fi

fail() {
    echo "disk full from write $((after + 1)) on: $1"
    cat log
    exit 1
}

after=0 before=0
while :; do
    rm -rf disk writes marks log show
    mkdir disk
    LD_PRELOAD=$BUILD/tests/cli-programs/libfull_disk.so XDG_CACHE_HOME=$folder/disk/cache ASAN_OPTIONS=verify_asan_link_order=0 \
        FULL_DISK_FOLDER=$folder/disk FULL_DISK_COUNT=$folder/writes FULL_DISK_AFTER=$after \
        "$WARPLENS" profile --page raw -o disk/a "$program" count marks $launches >log 2>&1
    status=$?
    writes=0
    [ ! -f writes ] || writes=$(wc -c <writes)
    finished=0
    [ ! -f marks ] || finished=$(wc -c <marks)
    case $status in
    0) ;;
    6) grep -q 'No space left on device\|disk is full\|disk I/O' log || fail "no message" ;;
    *) fail "warplens ended with $status" ;;
    esac
    # Nothing is run if the disk is full from the start; else the program comes to its end.
    [ "$finished" = $launches ] || [ "$finished" = 0 ] || fail "the program launched $finished times"
    [ "$finished" = 0 ] || grep -qx 'done' log || fail "the program did not end"

    shown=0
    if [ -e disk/a.wlr ] || [ -e disk/a.wlr.stream ]; then
        "$WARPLENS" show disk/a.wlr --page raw --csv >show 2>>log
        case $? in
        0) shown=$(($(wc -l <show) - 2)) ;; # names, units
        3 | 7) ;;
        *) fail "show failed" ;;
        esac
    fi
    [ "$shown" -ge "$before" ] || fail "$shown launches in the report, $before with one write less"
    before=$shown
    [ "$writes" -gt "$after" ] || break
    after=$((after + 1))
done
[ "$status-$shown" = "0-$launches" ] || fail "$shown launches though no write failed"
echo "$after writes, each the last that succeeded once"
