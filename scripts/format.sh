#!/bin/sh
# format.sh [--check]: clang-format over our C files; with --check says which are not formatted.
set -eu
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format) || {
    echo "format.sh: clang-format-14 is missing (Debian package clang-format-14)" >&2
    exit 3
}
files=$(git ls-files --cached --others --exclude-standard 'src/*.[ch]' 'include/*.[ch]' \
    'tests/*.[ch]' 'bench/*.[ch]')
if [ "${1:-}" = --check ]; then
    echo "$files" | xargs "$tool" --dry-run -Werror
else
    echo "$files" | xargs "$tool" -i
fi
