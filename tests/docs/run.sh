#!/bin/sh
# run.sh PAGE [FOLDER]: runs the commands of a page, lines that begin with "    $ ", in their order in a folder with
# examples/, or in FOLDER of it. Each must succeed. Indented lines below a command, up to the next command or
# headline, are what it prints: each must be in its output, numbers aside. What stands below `make demo` is left to
# demo.sh. Ends with 77 (skipped) where what the page needs is not there: a gcc that offloads, clang, Open MPI.
# Environment: WARPLENS, SOURCE.
set -u
page=$SOURCE/$1
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
cp -r "$SOURCE/examples" examples
cd "${2:-.}" || exit 1
if grep -q -- '-fopenacc' "$page"; then
    "$SOURCE/tests/openacc/gcc.sh" -x c -o probe - </dev/null 2>/dev/null
    [ $? != 77 ] || exit 77 # gcc.sh says why
fi
! grep -q 'warplens cc' "$page" || command -v clang >/dev/null ||
    { echo "skipped: there is no clang (Debian package clang)"; exit 77; }
! grep -q mpirun "$page" || command -v mpirun >/dev/null ||
    { echo "skipped: there is no Open MPI (Debian package openmpi-bin)"; exit 77; }
# no ptxas, which refuses the targets that gcc emits; root may run MPI programs, more than there are cores
PATH=$(dirname "$WARPLENS"):/usr/bin:/bin
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 # Open MPI 4
PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe # Open MPI 5
export PATH OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export PRTE_MCA_rmaps_default_mapping_policy
unset WARPLENS_GPU

plain() {
    sed 's/[0-9][0-9,.]*/N/g; s/  */ /g; s/^ //; s/ $//'
}

: >output
commands=0
is_demo=no
while IFS= read -r line; do
    case $line in
    '    $ make demo') is_demo=yes ;;
    '#'*) is_demo=no shows=no ;;
    esac
    [ $is_demo = no ] || continue
    case $line in
    '    $ '*)
        command=${line#'    $ '}
        commands=$((commands + 1))
        sh -c "$command" >output 2>&1 </dev/null || { echo "$command"; cat output; exit 1; }
        plain <output >plain.txt
        shows=yes
        ;;
    '    '*)
        [ "${shows:-no}" = yes ] || continue
        wanted=$(printf '%s\n' "$line" | plain)
        grep -qxF -- "$wanted" plain.txt || { echo "$command"; echo "does not print: $line"; cat output; exit 1; }
        ;;
    esac
done <"$page"
[ "$commands" -gt 0 ]
