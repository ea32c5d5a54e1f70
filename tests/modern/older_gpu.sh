#!/bin/sh
# older_gpu.sh: `predict` on a model that is too old for the program says so, of that model alone.
# Environment: WARPLENS, COMPILED.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$COMPILED/modern_wgmma" "$work/" && cd "$work" || exit 1
"$WARPLENS" predict --gpu rtx4090,h100 ./modern_wgmma >pages 2>messages || {
    cat messages >&2
    exit 1
}
grep -q '^warplens: warning: rtx4090: the PTX of .* is for sm_90a .* error 209$' messages &&
    ! grep -q 'warning: h100' messages && exit 0
echo "expected a warning of rtx4090's, and none of h100's:" >&2
cat messages >&2
exit 1
