#!/usr/bin/env python3
"""imported.py [--warplens W] [--seconds S] [--out FOLDER]: on a machine with a GPU and ncu, reads every step of the four
ladders in examples/ with `ncu --set full` and with `warplens profile --set full`, imports what ncu wrote, as report (.ncu-rep) and as
CSV, and prints the first finding of each beside Warplens' own; where they differ, what gains hang on, too. ncu leaves the clocks as they
are, as Warplens does: by default it sets the base clock, at which units are busy for another part of the time. Exit status 1: one
differs."""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

LADDERS = (("averaging", 4, "80", ("-lcublas",)), ("stencil", 6, "516", ()), ("spmv", 3, "30", ()), ("gemm", 4, "512", ()))
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples")


def run(command, folder, output=None):
    """Its standard output, or None where it fails; what it said is then printed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        print("failed:", " ".join(command), (done.stdout + done.stderr)[-600:], file=sys.stderr)
        return None
    if output:
        with open(os.path.join(folder, output), "w") as file:
            file.write(done.stdout)
    return done.stdout


def first_finding(warplens, folder, report):
    """Its rule and kernel, and what it saves; a note does not count."""
    text = run([warplens, "show", report, "--page", "advice", "--json"], folder)
    if text is None:
        return ("unreadable", "", None)
    for finding in json.loads(text)["findings"]:
        if finding["severity"] == "warning":
            gain = finding["gain"]
            return (finding["id"], (finding.get("kernel") or "").split("(")[0], gain["saved"] if gain else None)
    return ("none", "", None)


# of which gains of global-sectors and shared-conflicts are made, and the clock that they hang on
GAIN_METRICS = ("gpu__time_duration.sum", "gpc__cycles_elapsed.max.per_second", "sm__cycles_active.avg",
                "l1tex__throughput.avg.pct_of_peak_sustained_active", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                "lts__throughput.avg.pct_of_peak_sustained_elapsed", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")


def print_metrics(warplens, folder, case, kernel):
    """Of the kernel's launches, in our own report and in the imported one."""
    for kind in ("own", "rep"):
        text = run([warplens, "show", f"{case}-{kind}.wlr", "--page", "raw", "--metrics", ",".join(GAIN_METRICS), "--json"], folder)
        for launch in json.loads(text)["launches"] if text else ():
            if kernel in launch["kernel_name"]:
                values = {name: entry.get("value") for name, entry in launch["metrics"].items()}
                print(f"{case}-{kind}: {values}", file=sys.stderr, flush=True)


def words(finding):
    return finding[0] + (f" {100 * finding[2]:.0f} %" if finding[2] is not None else "")


def read(warplens, folder, case):
    """A row of the table: what ncu wrote, imported in both its forms, beside our own report. It needs no GPU."""
    run(["ncu", "-i", case + ".ncu-rep", "--page", "raw", "--csv"], folder, case + ".csv")
    run([warplens, "import", "-q", "-f", "-o", case + "-rep", case + ".ncu-rep"], folder)
    run([warplens, "import", "-q", "-f", "-o", case + "-csv", case + ".csv"], folder)
    own, rep, csv = (first_finding(warplens, folder, f"{case}-{kind}.wlr") for kind in ("own", "rep", "csv"))
    names = {re.sub(r"^void |<.*", "", finding[1]) for finding in (own, rep, csv)}
    same = own[0] == rep[0] == csv[0] and len(names) == 1
    if not same:
        print_metrics(warplens, folder, case, max(names, key=len))
    print(f"| {case} | `{own[1]}` | {words(own)} | {words(rep)} | {words(csv)} | {'same' if same else 'differs'} |", flush=True)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--warplens", default="warplens")
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--out", help="keep ncu's files and the reports here")
    options = parser.parse_args()
    folder = os.path.abspath(options.out or tempfile.mkdtemp())
    os.makedirs(folder, exist_ok=True)
    warplens = os.path.abspath(options.warplens) if "/" in options.warplens else options.warplens
    start, rows = time.monotonic(), []
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        builds = [pool.submit(run, ["nvcc", "-O3", "-arch=native", "-lineinfo", os.path.join(EXAMPLES, name, name + ".cu"),
                                    *libraries, "-o", name], folder) for name, _, _, libraries in LADDERS]
        if any(build.result() is None for build in builds):
            return 1
        print("| step | kernel | warplens | ncu-rep | ncu CSV | |\n|---|---|---|---|---|---|")
        for name, last, size, _ in LADDERS:
            for step in range(last + 1):
                if time.monotonic() - start > options.seconds:
                    print("the time is over", file=sys.stderr)
                    return 1
                case, program = f"{name}-{step}", ["./" + name, str(step), size]
                # one after the other: both count on the same GPU
                run(["ncu", "--clock-control", "none", "--set", "full", "--import-source", "no", "-f", "-o", case, *program], folder)
                run([warplens, "profile", "--set", "full", "-q", "-f", "-o", case + "-own", *program], folder)
                rows.append(pool.submit(read, warplens, folder, case))
        differ = sum(not row.result() for row in rows)
    print(f"\n{differ} of {len(rows)} differ, {time.monotonic() - start:.0f} s")
    return differ > 0


sys.exit(main())
