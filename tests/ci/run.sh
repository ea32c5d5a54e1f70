#!/usr/bin/env bash
# run.sh: the steps of examples/ci, taken out of its YAML files and of action.yml, keep the committed budget; and a
# kernel made slower breaks it. Environment: WARPLENS, SOURCE.
set -euo pipefail
command -v clang >/dev/null || { echo "skipped: there is no clang (Debian package clang)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -r "$SOURCE/examples/ci" "$folder/ci"
cd "$folder/ci"
PATH=$(dirname "$WARPLENS"):/usr/bin:/bin
unset WARPLENS_GPU

# The commands of the step NAME: its block `run: |`.
step_of() { # FILE NAME
    awk -v name="$2" '
        /^ *- name: / { is_step = $0 ~ "- name: " name "$"; is_run = 0 }
        is_run && /^ *$/ { next }
        is_run { match($0, /^ */); if (RLENGTH <= depth) is_run = 0; else print }
        is_step && /^ *run: \|$/ { is_run = 1; match($0, /^ */); depth = RLENGTH }' "$1"
}

# The list KEY of a job of GitLab.
list_of() { # FILE KEY
    awk -v key="$2" '/^  [a-z_]+:/ { is_list = $1 == key ":" } is_list && sub(/^    - /, "")' "$1"
}

run_step() { # STATUS FILE NAME
    local commands status=0
    commands=$(step_of "$2" "$3")
    [ -n "$commands" ] || { echo "$2 has no step '$3'"; exit 1; }
    bash -eo pipefail -c "$commands" >log 2>&1 || status=$?
    [ $status = "$1" ] || { echo "$3: exit status $status, not $1"; cat log; exit 1; }
}

export PROGRAM=./transpose GPU=h200 BUDGET=kernels.budget SARIF=warplens.sarif GITHUB_STEP_SUMMARY=$folder/summary.md
action=$SOURCE/action.yml
run_step 0 .github/workflows/kernels.yml Build
run_step 0 "$action" Profile
run_step 0 "$action" Findings
grep -q '"version": "2.1.0"' warplens.sarif
[ -s kernels.budget ]
run_step 0 "$action" Budget
grep -q '| ok | `transpose` | `gpu__time_duration.sum` |' "$GITHUB_STEP_SUMMARY"
mv kernels.budget kept
run_step 0 "$action" Budget # the first run writes it
diff <(sed 's/[0-9.]*us.*//; s/+.*//' kept) <(sed 's/[0-9.]*us.*//; s/+.*//' kernels.budget)
mv kept kernels.budget

list_of .gitlab-ci.yml script >commands
[ "$(wc -l <commands)" = 3 ]
bash -e commands >log 2>&1 || { cat log; exit 1; }
grep -q 'failures="0"' kernels.xml

sed -i 's/tile_size + 1/tile_size/' transpose.cu
run_step 0 .github/workflows/kernels.yml Build
run_step 0 "$action" Profile
run_step 11 "$action" Budget
grep -q '| \*\*failed\*\* | `transpose` | `memory_l1_wavefronts_shared` |' "$GITHUB_STEP_SUMMARY"
