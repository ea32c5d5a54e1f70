#!/bin/sh
# format.sh [--check]: clang-format 14 over our C files; with --check says which are not formatted. Other versions
# format otherwise: where there is no 14, --check says so and looks at nothing.
set -eu
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$tool" ] || ! "$tool" --version | grep -q 'version 14\.'; then
    echo "format.sh: skipped: there is no clang-format 14 (Debian 12: package clang-format-14)" >&2
    [ "${1:-}" = --check ] && exit 0
    exit 3
fi
files=$(git ls-files --cached --others --exclude-standard 'src/*.[ch]' 'include/*.[ch]' \
    'tests/*.[ch]' 'bench/*.[ch]')
if [ "${1:-}" = --check ]; then
    echo "$files" | xargs "$tool" --dry-run -Werror
else
    echo "$files" | xargs "$tool" -i
fi
