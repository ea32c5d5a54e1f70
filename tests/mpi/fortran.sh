#!/bin/sh
# fortran.sh: calls of MPI of a Fortran program with OpenACC, by both of its modules, two ranks. Ends with 77
# (skipped) where there is no Open MPI for Fortran or gcc cannot offload. Environment: WARPLENS, SOURCE.
set -u
skip() {
    echo "skipped: $*"
    exit 77
}
command -v mpirun >/dev/null && command -v gfortran >/dev/null || skip "there is no Open MPI or no gfortran (Debian packages openmpi-bin, libopenmpi-dev, gfortran)"
flags=$(mpif90 --showme:compile 2>/dev/null) && libraries=$(mpif90 --showme:link 2>/dev/null) ||
    skip "there is no mpif90 of Open MPI (Debian package libopenmpi-dev)"
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
"$SOURCE/tests/openacc/gcc.sh" -x c -c -o probe.o /dev/null || exit

fail() {
    echo "$1" >&2
    cat output >&2
    exit 1
}

for define in C F08; do
    PATH=/usr/bin:/bin gfortran -cpp -D$define -g -O2 -fopenacc -foffload=nvptx-none $flags \
        "$SOURCE/tests/mpi/messages.f90" -o messages $libraries >output 2>&1 || fail "gfortran, $define"
    mpirun --allow-run-as-root --oversubscribe -n 2 "$WARPLENS" trace -f -o run ./messages >output 2>&1 ||
        fail "trace, $define"
    grep -qx ok output || fail "wrong result, $define"
    "$WARPLENS" merge -q -f -o all run-rank*.wlr >output 2>&1 || fail merge
    "$WARPLENS" show all.wlr --report mpi_event_trace --csv >events.csv || fail "mpi_event_trace"
    awk -F, 'NR > 1 { print $4, $3, $7, $8, $9 * 1e6, $10 * 1e6, $11 }' events.csv | tr -d '"' |
        sort -s -k1,1n >found.txt
    diff - found.txt <<EOF || fail "< wanted, > found, $define"
0 MPI_Init   0 0 
0 MPI_Send 5 1 800 0 MPI_COMM_WORLD
0 MPI_Bcast  1 0 80 MPI_COMM_WORLD
0 MPI_Allreduce   8 8 MPI_COMM_WORLD
0 MPI_Finalize   0 0 
1 MPI_Init   0 0 
1 MPI_Recv 5 0 0 800 MPI_COMM_WORLD
1 MPI_Bcast  1 80 0 MPI_COMM_WORLD
1 MPI_Allreduce   8 8 MPI_COMM_WORLD
1 MPI_Finalize   0 0 
EOF
done
exit 0
