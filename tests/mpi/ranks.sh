#!/bin/sh
# ranks.sh: four ranks of an MPI program with OpenACC, each on a simulated GPU of its own: traced, profiled
# and merged. Ends with 77 (skipped) where there is no Open MPI or gcc cannot offload. Environment:
# WARPLENS, SOURCE.
set -u
skip() {
    echo "skipped: $*"
    exit 77
}
command -v mpirun >/dev/null && command -v mpicc >/dev/null || skip "there is no Open MPI (Debian packages openmpi-bin, libopenmpi-dev)"
folder=$(mktemp -d) || exit 1
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1
cp "$SOURCE/examples/mpi/stripes.c" .
mpi_flags=$(mpicc --showme:compile) && mpi_libraries=$(mpicc --showme:link) || skip "mpicc is not that of Open MPI"
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g $mpi_flags stripes.c -o stripes -lm $mpi_libraries || exit
launch() {
    mpirun --allow-run-as-root --oversubscribe -n 4 "$@" >output 2>&1
}

fail() {
    echo "$1" >&2
    cat output >&2
    exit 1
}

# the program alone, then traced: one report for each rank
launch "$WARPLENS" trace -o run ./stripes || fail trace
grep -qx ok output || fail "wrong result"
for rank in 0 1 2 3; do
    [ -s "run-rank$rank.wlr" ] || fail "no report of rank $rank"
done
"$WARPLENS" merge -o all run-rank*.wlr >output 2>&1 || fail merge
grep -q 'Imbalance Across Ranks' output || fail "no tables of ranks"

# what each rank told MPI, in order; MPI_Recv knows what came although the program did not ask
"$WARPLENS" show all.wlr --report mpi_event_trace --csv >events.csv || fail "mpi_event_trace"
awk -F, 'NR > 1 { print $4, $3, $7, $8, $9 * 1e6, $10 * 1e6, $11 }' events.csv | tr -d '"' | sort -s -k1,1n >found.txt
if [ -n "${WL_UPDATE_GOLDEN:-}" ]; then
    cp found.txt "$SOURCE/tests/mpi/ranks.txt"
fi
diff "$SOURCE/tests/mpi/ranks.txt" found.txt || fail "< wanted, > found"

# on the simulated clocks all ranks leave a collective at the same time, and who came first waited
awk -F, '$3 == "\"MPI_Allreduce\"" { print $1 + $2 }' events.csv | sort -u >ends.txt
[ "$(wc -l <ends.txt)" = 1 ] || { cat events.csv; fail "ranks leave MPI_Allreduce at different times"; }

# regions of all ranks by line, and of some
"$WARPLENS" acc-time all.wlr >output 2>&1 || fail acc-time
grep -q '13: kernel launched 12 times' output || fail "kernels of all ranks"
"$WARPLENS" acc-time --rank 1,3 all.wlr >output 2>&1
grep -q '13: kernel launched 6 times' output || fail "kernels of two ranks"

# as nsys's SQLite and back: ranks, calls of MPI with their peers, regions of OpenACC with their lines
"$WARPLENS" export -q --nsys-sqlite all.sqlite all.wlr || fail "nsys-sqlite"
"$WARPLENS" import -q -o back all.sqlite || fail "import of nsys-sqlite"
for report in all back; do
    "$WARPLENS" stats -q -r mpi_event_sum,openacc_sum,rank_imbalance_sum $report.wlr >$report.tables || fail "tables of $report"
    "$WARPLENS" stats -q -r rank_sum $report.wlr | cut -c1-100 | awk '{ print $1, $2, $3, $7 }' >$report.ranks
    "$WARPLENS" acc-time $report.wlr >$report.regions || fail "regions of $report"
done
cat all.tables back.tables >output
cmp all.tables back.tables && cmp all.ranks back.ranks && cmp all.regions back.regions || fail "nsys-sqlite lost something"

# one report of all ranks where warplens starts mpirun
"$WARPLENS" trace -o outside mpirun --allow-run-as-root --oversubscribe -n 4 ./stripes >output 2>&1 || fail outside
"$WARPLENS" show outside.wlr --report rank_sum --csv >output || fail "rank_sum"
[ "$(grep -c '^[0-3],' output)" = 4 ] || fail "four ranks in one report"

# profiling: names by %q, only some ranks, merged
launch "$WARPLENS" profile -q -o 'part%q{OMPI_COMM_WORLD_RANK}' --rank 0-1 ./stripes || fail profile
[ -e part0.wlr ] && [ -e part1.wlr ] && ! [ -e part2.wlr ] || fail "reports of ranks 0 and 1 only"
"$WARPLENS" merge -o parts part*.wlr >output 2>&1 || fail "merge of profiles"
grep -q 'Profiled Launches by Rank' output || fail "launches by rank"
"$WARPLENS" show parts.wlr --rank 1 --page summary >output || fail "summary of rank 1"
[ "$(grep -c 'smooth' output)" = 3 ] || fail "three launches of rank 1"
exit 0
