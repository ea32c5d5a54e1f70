#!/usr/bin/env python3
"""Builds public programs, profiles them on the simulated H200 and compares each kernel with what a real one read.

usage: run.py [options] BUILD-FOLDER CHECKOUTS-FOLDER [PROGRAM...]

programs.txt says which programs, of which checkouts at which commits; nothing is fetched here. readings.csv has what Nsight Compute 2025.3.1 read
on an H200 (driver 580.159.04): ncu --clock-control none --filter-mode per-launch-config -c 1, of each kernel the first launch of a grid and block. A
line for each kernel: time, instructions, and counts that differ. Programs that do not build, or do not end in time, are named and left out.
"""

import argparse
import collections
import concurrent.futures
import csv
import os
import re
import shlex
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DURATION = "gpu__time_duration.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
OPTIONS = ["--filter-mode", "per-launch-config", "-c", "1", "--gpu", "h200"]
NVCC = "-O3 -std=c++17 -lineinfo -w -gencode arch=compute_90,code=[compute_90,sm_90] -cudart shared"


def read_programs(wanted):
    """Name to folder, sources and options."""
    programs = {}
    with open(os.path.join(HERE, "programs.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            name, *rest = [part.strip() for part in line.split("|")]
            if not wanted or name in wanted:
                programs[name] = rest
    return programs


def plain_name(kernel):
    """A kernel's name without parameters, spaces and casts of template arguments, which tools print in ways of their own."""
    name = re.sub(r"\s|\(anonymousnamespace\)|<unnamed>|\((bool|int|unsignedint|char|long)\)", "", re.sub(r"^void ", "", kernel).replace(" ", ""))
    return re.sub(r"\(.*", "", name)


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def read_readings():
    """Program to its kernels in their order: key and metrics."""
    readings = collections.defaultdict(list)
    with open(os.path.join(HERE, "readings.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (plain_name(row["kernel"]), row["grid"], row["block"])
            values = {name: number(value) for name, value in row.items() if "__" in name}
            readings[row["program"]].append((key, values))
    return readings


def simulate(build, checkouts, limit_s, name, program):
    """Rows of the profiled launches, or why there are none."""
    folder, sources, options = program
    folder = HERE if folder == "-" else os.path.join(checkouts, folder)
    out = os.path.join(build, "accuracy-programs")
    os.makedirs(out, exist_ok=True)
    binary, report = os.path.join(out, name), os.path.join(out, name + ".wlr")
    if not os.path.exists(binary):
        command = [os.environ.get("NVCC", "nvcc"), *NVCC.split(), *shlex.split(options), "-include", "cstddef", "-include", "cstdint"]
        try:
            built = subprocess.run([*command, "-o", binary, *sources.split()], cwd=folder, capture_output=True, text=True, check=False)
        except OSError as error:
            return str(error)
        if built.returncode:
            return "does not build: " + (built.stderr or built.stdout).strip().splitlines()[-1]
    start = os.path.dirname(folder) if os.path.isdir(os.path.join(folder, "../data")) and os.path.isdir(os.path.join(folder, "../demo")) else folder
    command = [os.path.join(build, "warplens"), "profile", "-q", "-f", *OPTIONS, "-o", report, binary]
    try:
        subprocess.run(command, cwd=start, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        return f"has not ended after {limit_s} s"
    names = [name for name in next(csv.reader(open(os.path.join(HERE, "readings.csv"), encoding="utf-8"))) if "__" in name]
    show = [os.path.join(build, "warplens"), "show", report, "--page", "raw", "--csv", "--metrics", ",".join(names)]
    shown = subprocess.run(show, capture_output=True, text=True, check=False)
    if shown.returncode:
        return "has no report: " + shown.stderr.strip()
    return [row for row in csv.DictReader(shown.stdout.splitlines()) if row.get("ID")]


def compare(name, readings, rows, totals):
    """Prints a line for each kernel that was read and simulated."""
    left = collections.defaultdict(list)
    for row in rows:
        left[(plain_name(row["Kernel Name"]), row["Grid Size"], row["Block Size"])].append(row)
    for key, read in readings:
        if not left[key]:
            continue
        row = left[key].pop(0)
        off = {metric: number(row.get(metric) or "") for metric in read}
        if not read[DURATION] or off[DURATION] is None:
            continue
        time = off[DURATION] / read[DURATION] - 1
        totals["times"].append(abs(time))
        differ = []
        for metric, value in read.items():
            if not metric.startswith("l1tex") or value is None or off[metric] is None:
                continue
            totals[metric].append(off[metric] == value)
            if off[metric] != value:
                differ.append(f"{metric[7:-4]} {off[metric]:g}, not {value:g}")
        instructions = off[INSTRUCTIONS] / read[INSTRUCTIONS] - 1 if off[INSTRUCTIONS] else -1
        print(f"{name:26} {key[0][:36]:36} {read[DURATION] / 1e3:9.1f} us {100 * time:+7.1f} % instructions {100 * instructions:+6.1f} %  {'; '.join(differ)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("checkouts")
    parser.add_argument("program", nargs="*")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a program may take")
    options = parser.parse_args()
    build, checkouts = os.path.abspath(options.build), os.path.abspath(options.checkouts)
    programs, readings = read_programs(set(options.program)), read_readings()
    totals, left_out = collections.defaultdict(list), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {name: pool.submit(simulate, build, checkouts, options.limit, name, program) for name, program in programs.items()}
        for name, run in runs.items():
            rows = run.result()
            if isinstance(rows, str):
                left_out.append(f"{name} {rows}")
            else:
                compare(name, readings[name], rows, totals)
    times = totals.pop("times", [])
    if times:
        within = sum(error <= 0.25 for error in times)
        print(f"{len(times)} kernels: durations off by {100 * statistics.median(times):.1f} % (median), {100 * statistics.mean(times):.1f} % (mean), {within} within 25 %")
    for metric, equal in totals.items():
        print(f"{metric}: equal on {sum(equal)} of {len(equal)}")
    for line in left_out:
        print(line, file=sys.stderr)
    return 0 if times else 1


if __name__ == "__main__":
    sys.exit(main())
