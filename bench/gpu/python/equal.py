#!/usr/bin/env python3
"""Whether profiling harms: each program of run.py bare and profiled in turns, until each was profiled so often, and
whether exit status and results are those of its bare runs. What is known is written after every run, so that a run
that is cut short loses nothing. Prints Markdown.

usage: equal.py --warplens FILE [--out FOLDER] [--runs N] [--seconds N] [--only NAMES] [--way WAY]
  --runs N      profiled runs of each program (default: 20)
  --seconds N   begin nothing more after that (default: 520)
  --only NAMES  these programs, ',' between (default: eager,compiled,triton,jax,cupy)
  --way WAY     of run.py (default: triage)
"""
import argparse
import importlib.util
import os
import shutil
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("python_bench", os.path.join(HERE, "run.py"))
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

STEPS = {"eager": 4, "compiled": 6, "triton": 20, "jax": 20, "cupy": 20, "ddp": 4, "two-cuptis": 4}
BARE_EVERY = 6


class Tally:
    def __init__(self, program):
        self.program, self.bare, self.runs, self.checks = program, [], [], []

    def row(self, way, wanted):
        good = sum(check in ("yes", "within 0.1%") for check in self.checks)
        to_the_digit = sum(check == "yes" for check in self.checks)
        bad = sorted({check for check in self.checks if check not in ("yes", "within 0.1%")})
        seconds = [statistics.median(run.seconds for run in runs) if runs else 0 for runs in (self.bare, self.runs)]
        return "| %s | %s | %d | %d of %d (%d asked) | %d | %s | %d | %.1f | %.1f |" % (
            self.program.name, way, STEPS[self.program.name], good, len(self.runs), wanted, to_the_digit,
            "; ".join(bad), len(self.bare), seconds[0], seconds[1])


def write(asked, tallies, heading):
    lines = [heading, "", "| program | way | steps | equal to bare | to the last digit | else | bare runs | s, bare | "
             "s, profiled |", "|---|---|---|---|---|---|---|---|---|"]
    lines += [tally.row(asked.way, asked.runs) for tally in tallies]
    text = "\n".join(lines) + "\n"
    with open(os.path.join(asked.out, "equal.md"), "w") as file:
        file.write(text)
    return text


def one(asked, tally, way, begun, work):
    program = tally.program
    report = os.path.join(work, "report")
    count = len(tally.bare) + len(tally.runs)
    left = asked.seconds + 25 - (time.time() - begun)
    log = os.path.join(asked.out, "%s-%02d-%s" % (program.name, count, way))
    words = [word.format(w=asked.warplens, o=report) for word in bench.WAYS[way]]
    run = bench.Run(words + program.command(STEPS[program.name]), {"PYTHONUNBUFFERED": "1", **program.environment},
                    max(10, min(90, left)), log)
    if run.status == 0:
        for file in (run.out, run.err):
            os.unlink(file)
    return run


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--warplens", required=True)
    parser.add_argument("--out", default="equal-results")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=520)
    parser.add_argument("--only", default="eager,compiled,triton,jax,cupy")
    parser.add_argument("--way", default="triage")
    asked = parser.parse_args()
    asked.warplens = os.path.abspath(asked.warplens)
    os.makedirs(asked.out, exist_ok=True)
    begun, gpus = time.time(), bench.gpu_count()
    heading = "%s: %s; Python %s, %s" % (
        time.strftime("%Y-%m-%d"),
        bench.first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]),
        sys.version.split()[0], bench.versions())
    tallies = []
    for name in asked.only.split(","):
        program = next((program for program in bench.PROGRAMS if program.name == name), None)
        why = program.why_not(gpus) if program else "no such program"
        if why:
            heading += "\n\n%s: skipped: %s" % (name, why)
        else:
            tallies.append(Tally(program))
    work = tempfile.mkdtemp(prefix="warplens-equal-")
    try:
        rounds(asked, tallies, begun, work, heading)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(write(asked, tallies, heading))


def rounds(asked, tallies, begun, work, heading):
    for number in range(asked.runs):
        for tally in tallies:
            longest = max([run.seconds for run in tally.bare + tally.runs], default=15)
            if time.time() - begun + longest > asked.seconds:
                continue
            if number % BARE_EVERY == 0:
                tally.bare.append(one(asked, tally, "bare", begun, work))
            tally.runs.append(one(asked, tally, asked.way, begun, work))
            tally.checks.append(bench.same(tally.bare, tally.runs[-1]))
            write(asked, tallies, heading)


if __name__ == "__main__":
    main()
