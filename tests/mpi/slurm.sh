#!/bin/sh
# slurm.sh: starts a Slurm of one node in a folder of its own, without munge and as whoever runs this, and in it
# `srun -n 4 warplens trace` of an MPI program; ends it again. Ends with 77 (skipped) where there is no Slurm
# with PMIx, no Open MPI, or gcc cannot offload. Environment: WARPLENS, SOURCE.
set -u
PATH=$PATH:/usr/sbin
skip() {
    echo "skipped: $*"
    exit 77
}
for tool in slurmctld slurmd srun mpicc; do
    command -v $tool >/dev/null || skip "there is no $tool (Debian packages slurmctld, slurmd, slurm-client, libopenmpi-dev)"
done
folder=$(mktemp -d) || exit 1
end() {
    for daemon in slurmd slurmctld; do
        [ -s "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")" 2>/dev/null
    done
    tries=0
    while { [ -e "$folder/slurmd.pid" ] || [ -e "$folder/slurmctld.pid" ]; } && [ $tries -lt 50 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    rm -rf "$folder"
}
trap end EXIT
cd "$folder" || exit 1
mkdir state spool
host=$(uname -n | cut -d. -f1)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<EOF
ClusterName=test$$
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/builtin
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
EOF
SLURM_CONF=$folder/slurm.conf
export SLURM_CONF
slurmctld >output 2>&1 && slurmd >>output 2>&1 || skip "slurmctld and slurmd do not start: $(tail -n 1 output)"
srun --mpi=list 2>&1 | grep -q pmix || skip "this Slurm has no PMIx"
tries=0
until timeout 60 srun -n 1 true >output 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 2 ] || skip "srun reaches no slurmd: $(tail -n 1 output)"
    sleep 1
done

fail() {
    echo "$1" >&2
    cat output >&2
    exit 1
}

cp "$SOURCE/examples/mpi/stripes.c" .
mpi_flags=$(mpicc --showme:compile) && mpi_libraries=$(mpicc --showme:link) || skip "mpicc is not that of Open MPI"
"$SOURCE/tests/openacc/gcc.sh" -fopenacc -O2 -g $mpi_flags stripes.c -o stripes -lm $mpi_libraries || exit
timeout 600 srun -n 4 --overcommit --mpi=pmix "$WARPLENS" trace -o run ./stripes >output 2>&1 || fail srun
grep -qx ok output || fail "wrong result"
"$WARPLENS" merge -o all run-rank*.wlr >output 2>&1 || fail merge
[ "$(grep -c '^ *[0-3] .*[0-9]' output)" = 4 ] || fail "four ranks"
"$WARPLENS" show all.wlr --report mpi_event_trace --csv >events.csv || fail "mpi_event_trace"
[ "$(grep -c MPI_Allreduce events.csv)" = 4 ] || fail "calls of MPI"
exit 0
