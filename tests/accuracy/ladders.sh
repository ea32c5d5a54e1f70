#!/bin/sh
# What is found first in each step of the four ladders at the sizes of their publications; says nothing where all is
# as tests/ladders_advice.sh expects.
# usage: ladders.sh BUILD-FOLDER
set -eu
WARPLENS=$(cd "$1" && pwd)/warplens
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
NVCC=$("$SOURCE/scripts/find-nvcc.sh" || true)
export WARPLENS SOURCE NVCC
compiler=nvcc
[ -n "$NVCC" ] || compiler=cc
"$SOURCE/tests/ladders_advice.sh" $compiler published
echo "The ladders tell their story at the sizes of their publications."
