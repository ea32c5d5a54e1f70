#!/usr/bin/env python3
"""What tracing and counting cost a step of a program of run.py: bare and each way once a turn, in an order that changes
from turn to turn, as a machine's mood changes within minutes. Prints every run, then a row a way in Markdown: the
median, and the median of what each turn's run takes of that turn's bare run.

usage: turns.py --warplens FILE [--program NAME] [--ways NAMES] [--steps N] [--seconds N]
  --program NAME  of run.py (default: eager)
  --ways NAMES    of run.py, ',' between (default: trace-cuda,trace,triage)
"""
import argparse
import importlib.util
import os
import statistics
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("python_bench", os.path.join(HERE, "run.py"))
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)


def turns(asked, program, ways, work):
    begun, longest, runs, turn = time.time(), 20, {way: [] for way in ways}, 0
    while time.time() - begun + longest * len(ways) < asked.seconds:
        for way in ways[turn % len(ways):] + ways[:turn % len(ways)]:
            words = [word.format(w=asked.warplens, o=os.path.join(work, way)) for word in bench.WAYS[way]]
            run = bench.Run(words + program.command(asked.steps), {"PYTHONUNBUFFERED": "1", **program.environment}, 120,
                            os.path.join(work, "log"))
            print("<!-- %d %s: %s ms a step, %.1f s, %s -->" % (
                turn, way, run.step, run.seconds, "ended well" if run.status == 0 else run.trouble()), flush=True)
            longest = max(longest, run.seconds)
            runs[way].append(run)
        turn += 1
    return runs


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--warplens", required=True)
    parser.add_argument("--program", default="eager")
    parser.add_argument("--ways", default="trace-cuda,trace,triage")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=540)
    asked = parser.parse_args()
    asked.warplens = os.path.abspath(asked.warplens)
    program = next(program for program in bench.PROGRAMS if program.name == asked.program)
    ways = ["bare"] + asked.ways.split(",")
    with tempfile.TemporaryDirectory() as work:
        runs = turns(asked, program, ways, work)
    print("\n| way | runs | ms a step | least | of the turn's bare | s in all | s after the end |\n|---|---|---|---|---|---|---|")
    for way in ways:
        good = [(run, bare) for run, bare in zip(runs[way], runs["bare"]) if run.step and bare.step]
        if good:
            print("| %s | %d | %.1f | %.1f | %.2f | %.1f | %.1f |" % (
                way, len(good), statistics.median(run.step for run, _ in good), min(run.step for run, _ in good),
                statistics.median(run.step / bare.step for run, bare in good),
                statistics.median(run.seconds for run, _ in good),
                statistics.median(run.after for run, _ in good if run.after is not None)))


if __name__ == "__main__":
    main()
