#!/bin/sh
# gcc.sh ARGUMENTS...: gcc, offloading to NVIDIA GPUs. Ends with 77 where it cannot (Debian:
# gcc-12-offload-nvptx, libgomp-plugin-nvptx1).
set -u
# a ptxas in PATH refuses the old targets that gcc emits
PATH=/usr/bin:/bin
export PATH
messages=$(mktemp) || exit 1
trap 'rm -f "$messages"' EXIT
printf 'int main(void)\n{\n    int x = 0;\n#pragma acc parallel copy(x)\n    x = 1;\n    return x;\n}\n' |
    gcc -fopenacc -foffload=nvptx-none -x c - -o /dev/null 2>/dev/null ||
    { echo "skipped: gcc cannot offload to NVIDIA GPUs (Debian packages gcc-12-offload-nvptx or of the gcc that is there, libgomp-plugin-nvptx1)"; exit 77; }
gcc -foffload=nvptx-none "$@" 2>"$messages" || { cat "$messages" >&2; exit 1; }
