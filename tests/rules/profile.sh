#!/bin/sh
# profile.sh nvcc|cc GPU [KERNELS]: profiles fixtures.cu on GPU, all kernels of it or those that -k shall choose; the report
# GPU.wlr in the folder REPORTS is what rules/run.sh and consistency/run.sh read. Environment: WARPLENS, SOURCE, NVCC, REPORTS.
set -eu
compiler=$1 gpu=$2 kernels=${3:-regex:.}
mkdir -p "$REPORTS"
cd "$REPORTS"
"$SOURCE/tests/support/compile.sh" "$compiler" "$SOURCE/tests/rules/fixtures.cu" "fixtures.$gpu"
"$WARPLENS" profile -q -f --source-folders "$SOURCE/tests/rules" --gpu "$gpu" -k "$kernels" -o "$gpu" "./fixtures.$gpu" >"$gpu.log" 2>&1 ||
    { cat "$gpu.log"; exit 1; }
