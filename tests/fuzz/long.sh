#!/usr/bin/env bash
# long.sh BUILD HOURS FOLDER SEED...: runs the executor's fuzzer (BUILD/tests/execute_fuzz, of a build with
# -DWL_SANITIZE=ON) in turns of TEXTS texts (2000), seed after seed, until the hours are over, and prints a row a
# seed: texts, launches (each text that can be lowered is run counted, plain and with all checks), how they ended,
# findings. A turn that ends with anything but 0, or takes longer than TURN_S seconds (600), is a finding; the text that was
# run last is kept in FOLDER. SIGTERM ends the run after the turn at hand. Exit status 1: findings.
set -u
shopt -s nullglob
build=$1 hours=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")/.." && pwd)
: "${TEXTS:=2000}" "${TURN_S:=600}"
mkdir -p "$folder"
end=$(awk -v now="$(date +%s)" -v hours="$hours" 'BEGIN { print int(now + hours * 3600) }')
begin=$(date +%s)
stopped=
trap 'stopped=1' TERM INT
turn=0
: >"$folder/turns.csv"
while [ -z "$stopped" ] && [ "$(date +%s)" -lt "$end" ]; do
    for seed in "$@"; do
        [ -z "$stopped" ] || break
        own=$(((seed * 7919 + turn * 104729) % 4294967291))
        last=$folder/last.ptx
        WL_FUZZ_COUNTS=1 WL_FUZZ_LAST=$last timeout -k 10 "$TURN_S" "$build/tests/execute_fuzz" "$own" "$TEXTS" \
            "$here"/ptx/*/*.ptx "$here"/check/*.ptx "$here"/fuzz/execute/*.ptx \
            >"$folder/output" 2>"$folder/errors"
        status=$?
        [ -n "$stopped" ] && [ "$status" -ne 0 ] && break
        if [ "$status" -ne 0 ]; then
            cp "$last" "$folder/finding-$seed-$own.ptx"
            cp "$folder/errors" "$folder/finding-$seed-$own.txt"
        fi
        grep -E '^[0-9]+ ' "$folder/output" |
            awk -v seed="$seed" -v own="$own" -v status="$status" '
                { number = $1; $1 = ""; sub(/^ /, ""); print seed "," own "," status "," $0 "," number }
                END { if (!NR) print seed "," own "," status ",none,0" }' >>"$folder/turns.csv"
    done
    turn=$((turn + 1))
done
minutes=$((($(date +%s) - begin) / 60))
times >"$folder/times"
processor=$(awk 'NR == 2 { split($1, user, /[ms]/); split($2, own, /[ms]/)
    print int(user[1] + own[1] + (user[2] + own[2]) / 60 + 0.5) }' "$folder/times")
awk -F, -v minutes="$minutes" -v processor="$processor" '
    { sum[$1, $4] += $5; seeds[$1]; if (!(($1, $2) in seen)) { seen[$1, $2] = 1; turns[$1]++; bad[$1] += $3 != 0 } }
    END {
        n = split("ended,illegal address,misaligned,trap,assert,unsupported,budget", names, ",")
        print "minutes: " minutes ", of a processor: " processor
        for (seed in seeds) {
            launches = 0
            for (i = 1; i <= n; i++) launches += sum[seed, names[i]]
            printf "seed %s: %d texts, %d launches (", seed, sum[seed, "texts"], launches
            for (i = 1; i <= n; i++) printf "%s%d %s", (i > 1 ? ", " : ""), sum[seed, names[i]], names[i]
            printf "), %d turns, %d findings\n", turns[seed], bad[seed]
            all += bad[seed]
        }
        exit all > 0
    }' "$folder/turns.csv"
