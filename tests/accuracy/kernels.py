#!/usr/bin/env python3
"""Profiles kernels on a simulated GPU and compares each with what Nsight Compute read for it.

usage: kernels.py [options] BUILD-FOLDER READINGS-FOLDER PROGRAMS-FOLDER

READINGS-FOLDER has kernels.tsv (a line for each run: "program arguments", a tab, the kernel) and GPU.csv with the columns run,
kernel, metric, value; PROGRAMS-FOLDER the programs. Lines of kernels.tsv are counted from 1: --half even takes every second, so
that one half can be looked at while the model is built and the other kept as a check. The exit status is 1 when a run failed.
"""

import argparse
import concurrent.futures
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

DURATION = "gpu__time_duration.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
POINTS = {
    "occ": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "mem": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "L1": "l1tex__t_sector_hit_rate.pct",
    "L2": "lts__t_sector_hit_rate.pct",
}
STALL = "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio"
STALLS = (
    "barrier branch_resolving dispatch_stall drain imc_miss lg_throttle long_scoreboard math_pipe_throttle membar mio_throttle "
    "misc no_instruction not_selected short_scoreboard sleeping tex_throttle wait"
).split()


def read_readings(path):
    """(run, kernel) to its metrics; values that are no numbers (grid, block) are left out."""
    readings = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            try:
                readings.setdefault((row["run"], row["kernel"]), {})[row["metric"]] = float(row["value"])
            except ValueError:
                continue
    return readings


def predict(arguments, run, kernel):
    """The metrics of the kernel's first launch on the simulated GPU, or None with the reason on standard error."""
    metrics = [DURATION, INSTRUCTIONS, *POINTS.values(), *(STALL % stall for stall in STALLS)]
    program, *options = run.split()
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.csv")
        command = [os.path.join(arguments.build, "warplens"), "profile", "--gpu", arguments.gpu]
        command += ["-k", f"regex:^{kernel}$", "-c", "1", "--metrics", ",".join(metrics)]
        command += ["--csv", "--page", "raw", "--print-units", "base", "-f", "-o", os.path.join(folder, "report")]
        command += ["--log-file", page, os.path.join(arguments.programs, program), *options]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=arguments.limit_s, check=False)
        except subprocess.TimeoutExpired:
            print(f"{run} {kernel}: longer than {arguments.limit_s} s", file=sys.stderr)
            return None
        rows = []
        if os.path.exists(page):
            with open(page, newline="") as file:
                rows = list(csv.reader(line for line in file if line.startswith('"')))
    if len(rows) < 3:  # names, units, then a row for each launch
        print(f"{run} {kernel}: no launch (exit {done.returncode})", file=sys.stderr)
        return None
    found = {}
    for name, value in zip(rows[0], rows[2]):
        try:
            found[name] = float(value.replace(",", ""))
        except ValueError:
            continue
    missing = [metric for metric in metrics if metric not in found]
    if missing:
        print(f"{run} {kernel}: no value of {', '.join(missing)}", file=sys.stderr)
        return None
    return found


def largest_stall(metrics):
    return max(STALLS, key=lambda stall: metrics.get(STALL % stall, -math.inf))


def compare(run, kernel, read, predicted):
    """Prints the kernel's line; returns what the last lines are made of."""
    time = predicted[DURATION] / read[DURATION] - 1
    count = predicted[INSTRUCTIONS] / read[INSTRUCTIONS] - 1
    points = {name: predicted[metric] - read[metric] for name, metric in POINTS.items()}
    stalls = largest_stall(read), largest_stall(predicted)
    pairs = "  ".join(f"{name} {predicted[metric]:3.0f}/{read[metric]:3.0f}" for name, metric in POINTS.items())
    stall = stalls[0] if stalls[0] == stalls[1] else f"{stalls[1]}, read {stalls[0]}"
    print(f"{run:26} {kernel:32} {read[DURATION] / 1e3:9.1f} us {100 * time:+6.1f} %  instructions {100 * count:+6.1f} %  {pairs}  "
          f"{stall}", flush=True)
    return {"time": abs(time), "count": abs(count), "stall": stalls[0] == stalls[1], **{n: abs(p) for n, p in points.items()}}


def print_summary(results):
    times = sorted(result["time"] for result in results)
    n = len(times)
    median = (times[(n - 1) // 2] + times[n // 2]) / 2
    print(f"{n} kernels: duration mean error {100 * sum(times) / n:.1f} %, median {100 * median:.1f} %, "
          f"{sum(time <= 0.2 for time in times)} within 20 %, {sum(time > 0.4 for time in times)} beyond 40 %")
    print(f"largest stall the same on {sum(result['stall'] for result in results)}; instructions within 10 % on "
          f"{sum(result['count'] <= 0.1 for result in results)}; mean error in points: "
          + ", ".join(f"{name} {sum(result[name] for result in results) / n:.1f}" for name in POINTS))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--half", choices=["odd", "even", "all"], default="all")
    parser.add_argument("--only", metavar="REGEX", default="", help="runs whose 'program arguments kernel' match")
    parser.add_argument("--limit-s", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("build")
    parser.add_argument("readings")
    parser.add_argument("programs")
    arguments = parser.parse_args()
    readings = read_readings(os.path.join(arguments.readings, arguments.gpu + ".csv"))
    with open(os.path.join(arguments.readings, "kernels.tsv")) as file:
        lines = [line.rstrip("\n").split("\t") for line in file if line.strip()]
    chosen = []
    for number, (run, kernel) in enumerate(lines, 1):
        half = "odd" if number % 2 else "even"
        if arguments.half not in (half, "all") or not re.search(arguments.only, f"{run} {kernel}"):
            continue
        read = readings.get((run, kernel), {})
        if DURATION not in read or INSTRUCTIONS not in read:
            continue
        chosen.append((run, kernel, read))
    results, failed = [], 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (run, kernel, read), predicted in zip(chosen, pool.map(lambda one: predict(arguments, one[0], one[1]), chosen)):
            if predicted is None:
                failed += 1
            else:
                results.append(compare(run, kernel, read, predicted))
    if results:
        print_summary(results)
    if failed:
        print(f"{failed} failed", file=sys.stderr)
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
