#!/usr/bin/env python3
"""Compares what a trace on the GPU of this machine says of kernels with what the program's own CUDA events say
(timed.cu), and with the kernel profiler: one process (streams, a graph, NVTX), two at a time, and four MPI ranks.
Prints Markdown; fails where they differ by more than 1% (processes that share the GPU: 5%).
usage: agree.py WARPLENS TIMED [TIMED_MPI]
TIMED is timed.cu beside this: nvcc -O3 -arch=sm_90 -o timed timed.cu
TIMED_MPI the same for MPI: nvcc -O3 -arch=sm_90 -DWITH_MPI -ccbin mpicxx -o timed_mpi timed.cu"""
import csv
import glob
import os
import subprocess
import sys
import tempfile

warplens, timed = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
timed_mpi = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
differ = False


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout


def of_events(output):
    """What the program printed: "a+b,launches,us", of each process."""
    found = {}
    for line in output.splitlines():
        words = line.split(",")
        if len(words) == 3 and words[1].isdigit():
            found.setdefault(words[0], []).append((int(words[1]), float(words[2])))
    return {name: (sum(n for n, _ in rows), sum(n * us for n, us in rows) / sum(n for n, _ in rows))
            for name, rows in found.items()}


def table(report, name):
    return list(csv.DictReader(run(warplens, "show", report, "--report", name, "--csv").splitlines()))


def of_trace(report):
    return {row["Name"].split("(")[0]: (int(row["Instances"]), float(row["Avg (ns)"]) / 1000)
            for row in table(report, "cuda_gpu_kern_sum")}


def of_profile(report):
    rows = list(csv.DictReader(run(warplens, "show", report, "--page", "raw", "--csv").splitlines()))
    times = {}
    for row in rows:
        value = row.get("gpu__time_duration.sum", "")
        if row["ID"] and value:
            times.setdefault(row["Kernel Name"].split("(")[0], []).append(float(value) / 1000)
    return times


def compare(title, output, report, profiled, most_pct):
    global differ
    kernels = of_trace(report)
    for name, (launches, us) in of_events(output).items():
        parts = name.split("+")
        traced = sum(kernels[part][1] for part in parts)
        all_there = all(kernels[part][0] == launches for part in parts)
        off = 100 * (us - traced) / traced
        differ |= not all_there or abs(off) > most_pct
        spread = ""
        if len(parts) == 1 and parts[0] in profiled:
            times = profiled[parts[0]]
            spread = f"{min(times):.1f} to {max(times):.1f}"
        print(f"| {title} | {name} | {launches}{'' if all_there else ' (not all in the trace)'} | {us:.1f} | "
              f"{traced:.1f} | {off:+.2f}% | {spread} |")


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    run(warplens, "profile", "-q", "-f", "-o", "profiled", "--metrics", "gpu__time_duration.sum", "--replay-mode",
        "kernel", timed, "12")
    profiled = of_profile("profiled.wlr")
    print("| run | kernel | launches | its events, us | trace, us | events off by | kernel profiler, us |")
    print("|---|---|---|---|---|---|---|")
    compare("one process", run(warplens, "trace", "-q", "-f", "-o", "one", timed), "one.wlr", profiled, 1)
    ranges = {row["Range"]: int(row["Instances"]) for row in table("one.wlr", "nvtx_sum")}
    two = f"'{timed}' & '{timed}'; wait"
    compare("two processes", run(warplens, "trace", "-q", "-f", "-o", "two", "sh", "-c", two), "two.wlr", profiled, 5)
    if timed_mpi:
        output = run("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", warplens, "trace", "-q", "-f", "-o",
                     "ranks", timed_mpi)
        run(warplens, "merge", "-f", "-o", "all", *sorted(glob.glob("ranks*.wlr")))
        compare("four ranks", output, "all.wlr", profiled, 5)
        calls = {row["Name"]: int(row["Instances"]) for row in table("all.wlr", "mpi_event_sum")}
        print(f"\nCalls of MPI: {calls}")
    print(f"\nRanges of NVTX: {ranges}")
    sys.exit(differ or sorted(ranges) != [":alone", ":beside", ":graph"])


main()
