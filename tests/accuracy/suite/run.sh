#!/bin/sh
# Builds kernels of a public suite, profiles each on the simulated H200 and compares with readings.csv.
# Fetches nothing: FOLDER is a checkout of github.com/zjin-lcf/HeCBench.
# usage: run.sh BUILD-FOLDER FOLDER; LIMIT_S=seconds a run may take (60), JOBS=runs at a time (1)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
trim() { echo "$1" | sed 's/^ *//; s/ *$//'; }

# One line of kernels.txt, a run whose program is built: its report beside the others.
if [ "$1" = --one ]; then
    build=$2 suite=$3 line=$4
    out=$build/accuracy-suite
    run=$(trim "$(echo "$line" | cut -d'|' -f1)") program=$(trim "$(echo "$line" | cut -d'|' -f2)")
    arguments=$(echo "$line" | cut -d'|' -f4) kernel=$(trim "$(echo "$line" | cut -d'|' -f5)")
    [ -x "$out/$program" ] || exit 0
    # arguments are words
    # shellcheck disable=SC2086
    (cd "$suite/src/$program-cuda" && timeout "${LIMIT_S:-60}" "$build/warplens" profile -q -f -o "$out/$run.wlr" \
        --gpu h200 -k "regex:^$kernel\$" -c 1 "$out/$program" $arguments) >"$out/$run.log" 2>&1 || {
        rm -f "$out/$run.wlr"
        echo "accuracy: $run did not finish (see $out/$run.log)" >&2
    }
    exit 0
fi

build=$(cd "$1" && pwd)
suite=$(cd "$2" && pwd)
out=$build/accuracy-suite
mkdir -p "$out"
rm -f "$out"/*.wlr
lines=$(grep -v '^#\|^$' "$here/kernels.txt")
echo "$lines" | while IFS='|' read -r _ program sources _ _; do
    program=$(trim "$program")
    [ ! -x "$out/$program" ] || continue
    # sources are words
    # shellcheck disable=SC2086
    (cd "$suite/src/$program-cuda" && "${NVCC:-nvcc}" -cudart shared -lineinfo -arch=sm_90 -O3 -std=c++17 \
        --extended-lambda -I. -I../include $sources -o "$out/$program") >"$out/$program.log" 2>&1 ||
        echo "accuracy: $program does not build (see $out/$program.log)" >&2
done
echo "$lines" | tr '\n' '\0' | xargs -0 -P "${JOBS:-1}" -n 1 "$here/run.sh" --one "$build" "$suite"
reports=
for run in $(echo "$lines" | cut -d'|' -f1); do
    [ ! -f "$out/$run.wlr" ] || reports="$reports $out/$run.wlr"
done
# shellcheck disable=SC2086
"$build/tests/accuracy_compare" "$here/readings.csv" $reports
