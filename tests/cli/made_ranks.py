#!/usr/bin/env python3
"""made_ranks.py FILE WORK...: writes nsys's SQLite of an MPI program with one rank for each number: five steps, in each of which the
rank computes for WORK microseconds on the host, runs a kernel of 50 us, and meets the others in MPI_Allreduce."""
import sqlite3
import sys

NAMES = ("cudaLaunchKernel", "smooth(float *)", "MPI_Allreduce")
LAUNCH, KERNEL, REDUCE = range(1, 4)
LAUNCH_NS, KERNEL_NS = 5_000, 50_000

works = [1000 * int(word) for word in sys.argv[2:]]
database = sqlite3.connect(sys.argv[1])
database.executescript("""
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT,
  returnValue INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
  globalPid INT, demangledName INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT,
  staticSharedMemory INT, dynamicSharedMemory INT);
CREATE TABLE MPI_COLLECTIVES_EVENTS(start INT, end INT, globalTid INT, textId INT, commHandle INT, rootRank INT, size INT,
  recvSize INT);
CREATE TABLE MPI_RANKS(globalTid INT, rank INT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INT, name TEXT, value TEXT);
""")
database.executemany("INSERT INTO StringIds VALUES(?, ?)", enumerate(NAMES, 1))
for rank, work in enumerate(works):
    pid, now = rank << 56 | 40 << 24, 0  # each on a host of its own, with one process number
    thread = pid + 40
    database.execute("INSERT INTO MPI_RANKS VALUES(?, ?)", (thread, rank))
    database.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(?, 'Hostname', ?)", (rank << 56, f"node{rank}"))
    for step in range(5):
        launched, met = now + LAUNCH_NS, now + LAUNCH_NS + KERNEL_NS + max(works) + 10_000
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, 0, ?, ?, ?, 0)", (now, launched, thread, step + 1, LAUNCH))
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, 1, 7, ?, ?, ?, 16, 8, 1, 1, 128, 1, 1, 0, 0)",
                         (launched, launched + KERNEL_NS, step + 1, pid, KERNEL))
        database.execute("INSERT INTO MPI_COLLECTIVES_EVENTS VALUES(?, ?, ?, ?, 1, NULL, 8, 8)",
                         (launched + KERNEL_NS + work, met, thread, REDUCE))
        now = met
database.commit()
