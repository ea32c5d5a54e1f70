#!/usr/bin/env python3
"""Which of the program's own Python functions launched how much: Warplens (--python-backtrace) beside PyTorch's own
profiler (with_stack), each on one step of transformer.py. Prints Markdown.

usage: lines.py --warplens FILE [--out FOLDER]
"""
import argparse
import bisect
import csv
import io
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = [sys.executable, os.path.join(HERE, "transformer.py"), "--steps", "5"]
NO_PYTHON = "(a thread without Python)"


def is_own(file):
    return os.path.exists(os.path.join(HERE, os.path.basename(file))) # it names installed files without their folders


def by_profiler(file):
    """{function: [launches, us]} of a Chrome trace of PyTorch's profiler."""
    subprocess.run(PROGRAM + ["--torch-stacks", file], check=True, stdout=subprocess.DEVNULL, timeout=200)
    with open(file) as text:
        events = [event for event in json.load(text)["traceEvents"] if event.get("ph") == "X"]
    calls, functions, found = {}, {}, {}
    for event in events:
        if event.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls[event["args"]["correlation"]] = event
        elif event.get("cat") == "python_function":
            place = re.match(r"(.*)\((\d+)\): (.*)$", event["name"])
            if place and is_own(place.group(1)):
                functions.setdefault(event["tid"], []).append(
                    (event["ts"], event["ts"] + event["dur"], os.path.basename(place.group(1)) + " " + place.group(3)))
    for rows in functions.values():
        rows.sort()
    starts = {thread: [row[0] for row in rows] for thread, rows in functions.items()}
    for event in events:
        if event.get("cat") != "kernel":
            continue
        call = calls.get(event["args"]["correlation"])
        name = NO_PYTHON
        if call and call["tid"] in functions:
            at = bisect.bisect_right(starts[call["tid"]], call["ts"]) - 1
            while at >= 0 and functions[call["tid"]][at][1] < call["ts"]:
                at -= 1
            if at >= 0:
                name = functions[call["tid"]][at][2]
        row = found.setdefault(name, [0, 0.0])
        row[0] += 1
        row[1] += event["dur"]
    return found


def by_warplens(warplens, report):
    """The same by function, and {line: [launches, us]}."""
    subprocess.run([warplens, "trace", "-q", "-f", "-o", report, "-t", "cuda", "--python-backtrace", "cuda", "-c",
                    "cudaProfilerApi"] + PROGRAM + ["--one-step", "yes"], check=True, stdout=subprocess.DEVNULL, timeout=200)
    shown = subprocess.run([warplens, "show", report, "--csv", "--report", "python_line_sum"], check=True,
                           capture_output=True, text=True).stdout
    functions, lines = {}, {}
    for row in csv.DictReader(io.StringIO(shown)):
        launches, us = int(row["Launches"]), float(row["Total Time (ns)"]) / 1000
        lines[row["Line"]] = [launches, us, row["Most Of It"]]
        place = re.match(r"(.*):\d+ (.*)$", row["Line"])
        name = NO_PYTHON if not place else os.path.basename(place.group(1)) + " " + place.group(2).split(".")[-1]
        found = functions.setdefault(name, [0, 0.0])
        found[0] += launches
        found[1] += us
    return functions, lines


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--warplens", required=True)
    parser.add_argument("--out", default=".")
    asked = parser.parse_args()
    theirs = by_profiler(os.path.join(asked.out, "stacks.json"))
    ours, lines = by_warplens(os.path.abspath(asked.warplens), os.path.join(asked.out, "lines.wlr"))
    print("| function | launches, PyTorch | Warplens | us, PyTorch | Warplens | |")
    print("|---|---|---|---|---|---|")
    for name in sorted(set(theirs) | set(ours), key=lambda name: -theirs.get(name, [0, 0])[1]):
        left, right = theirs.get(name, [0, 0.0]), ours.get(name, [0, 0.0])
        ratio = "%+.1f %%" % (100 * (right[1] / left[1] - 1)) if left[1] else ""
        print("| %s | %d | %d | %.1f | %.1f | %s |" % (name, left[0], right[0], left[1], right[1], ratio))
    print("\n| line | launches | us | most of it |\n|---|---|---|---|")
    for line, row in sorted(lines.items(), key=lambda item: -item[1][1]):
        print("| %s | %d | %.1f | `%s` |" % (line, row[0], row[1], row[2]))


if __name__ == "__main__":
    main()
