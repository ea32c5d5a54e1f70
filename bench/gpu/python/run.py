#!/usr/bin/env python3
"""Programs of PyTorch, Triton, JAX and CuPy on the GPUs of this machine, bare and profiled in turns: whether exit
status, output and results are those of a bare run, and what profiling costs. Prints Markdown; builds nothing; what is
missing is skipped with its reason, and every command has a limit of time.

usage: run.py --warplens FILE [--out FOLDER] [--quick] [--only NAMES] [--runs N] [--seconds N] [--no-ncu]
  --warplens FILE  the program of an installed prefix or a build folder
  --out FOLDER     where logs, pages and the table go: results.md, logs.tar.gz, eager.wlr
  --quick          fits five minutes: fewer steps, one run of each
  --only NAMES     only these rows, ',' between: a program (eager, triton, ...) or PROGRAM/WAY (eager/triage)
  --runs N         how often each program is run bare and with triage (default: 3; 20 for "never harmed")
  --seconds N      begin nothing more after that (default: 280 with --quick, else 1500)
"""
import argparse
import csv
import glob
import importlib.util
import io
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def module(name):
    return importlib.util.find_spec(name) is not None


def gpu_count():
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return sum(line.startswith("GPU ") for line in listed.splitlines())


class Program:
    def __init__(self, name, words, needs, quick_steps, steps, gpus=1, environment=None):
        self.name, self.words, self.needs, self.gpus = name, words, needs, gpus
        self.quick_steps, self.steps = quick_steps, steps
        self.environment = environment or {}

    def why_not(self, gpus):
        if gpus < self.gpus:
            return "needs %d GPUs, %d here" % (self.gpus, gpus)
        missing = [name for name in self.needs if not module(name)]
        return "no Python package " + ", ".join(missing) if missing else ""

    def command(self, steps, more=()):
        return [word.replace("HERE", HERE) for word in self.words] + ["--steps", str(steps), *more]


PYTHON = sys.executable
TOOLKITS = sorted({os.path.dirname(file) for pattern in ("extras/CUPTI/lib64", "targets/*/lib")
                   for file in glob.glob("/usr/local/cuda*/%s/libcupti.so*" % pattern)})
TWO_CUPTIS = {"LD_LIBRARY_PATH": TOOLKITS[0] if TOOLKITS else ""}
PROGRAMS = [
    Program("eager", [PYTHON, "HERE/transformer.py"], ["torch"], 20, 200),
    Program("triton", [PYTHON, "HERE/triton_kernels.py"], ["torch", "triton"], 50, 200),
    Program("jax", [PYTHON, "HERE/jax_mlp.py"], ["jax"], 50, 200),
    Program("cupy", [PYTHON, "HERE/cupy_mix.py"], ["cupy"], 50, 200),
    Program("ddp", [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
                    "HERE/transformer.py", "--mode", "ddp"], ["torch"], 20, 200, gpus=2),
    Program("compiled", [PYTHON, "HERE/transformer.py", "--mode", "compiled"], ["torch", "triton"], 20, 200),
    Program("two-cuptis", [PYTHON, "HERE/transformer.py"], ["torch"], 10, 50, environment=TWO_CUPTIS),
]

# Ways to run a program: the words before it. {w}: warplens, {o}: the report.
PROFILE = ["{w}", "profile", "-f", "-o", "{o}", "--page", "session"]
TRACE = ["{w}", "trace", "-f", "-o", "{o}"]
WAYS = {
    "bare": [],
    "triage": PROFILE,
    "trace-cuda": TRACE + ["-t", "cuda"],
    "trace-waits": TRACE + ["-t", "cuda", "--cuda-event-trace", "yes"],
    "trace": TRACE,
    "trace-python": TRACE + ["-t", "cuda", "--python-backtrace", "cuda"],
    "full": PROFILE + ["--set", "full"],
    "full-20": PROFILE + ["--set", "full", "-c", "20"],
    "replay-100": PROFILE + ["--set", "basic", "--replay-mode", "kernel", "-c", "100"],
    "ncu-100": ["ncu", "--clock-control", "none", "--set", "basic", "-c", "100", "-f", "-o", "{o}"],
}


class Run:
    """One command, in a process group of its own that is ended when its time is over."""

    def __init__(self, command, environment, limit, log):
        self.limit, self.out, self.err = limit, log + ".out", log + ".err"
        start = time.time()
        with open(self.out, "w") as out, open(self.err, "w") as err:
            err.write("$ %s\n" % " ".join(command))
            err.flush()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                                       env={**os.environ, **environment})
            try:
                self.status = process.wait(limit)
            except subprocess.TimeoutExpired:
                self.status = "over %d s" % limit
                for number in (signal.SIGTERM, signal.SIGKILL):
                    try:
                        os.killpg(process.pid, number)
                        process.wait(8)
                        break
                    except (ProcessLookupError, subprocess.TimeoutExpired):
                        continue
        self.seconds = time.time() - start
        with open(self.out, errors="replace") as file:
            self.lines = file.read().splitlines()
        ended = [float(line.split()[2]) for line in self.lines if line.startswith("time: end ")]
        self.after = start + self.seconds - max(ended) if ended else None
        step = [float(line.split()[2]) for line in self.lines if line.startswith("time: step_ms ")]
        self.step = max(step) if step else None
        self.said = [line for line in self.lines if line.startswith("result: ")]

    def trouble(self):
        with open(self.err, errors="replace") as file:
            lines = [line for line in file.read().splitlines() if line.strip()]
        return " / ".join(lines[-2:])[:300]


def numbers(lines):
    return [float(word) for line in lines for word in line.split()[2:]]


def same(bare, other):
    """Results as bare ones; where bare runs differ among themselves, within what they differ by (or 0.1%)."""
    if other.status != 0:
        return "exit %s" % other.status
    if not bare or not bare[0].said:
        return "no bare run"
    if not other.said:
        return "no results"
    if any(other.said == run.said for run in bare):
        return "yes"
    mine, all_bare = numbers(other.said), [numbers(run.said) for run in bare]
    if len(mine) != len(all_bare[0]):
        return "NO: other results"
    for at, value in enumerate(mine):
        least, most = min(run[at] for run in all_bare), max(run[at] for run in all_bare)
        slack = (most - least) + 1e-3 * abs(most)
        if not least - slack <= value <= most + slack:
            return "NO: %g, bare %g" % (value, all_bare[0][at])
    return "within 0.1%"


class Bench:
    def __init__(self, asked):
        self.asked = asked
        self.begun = time.time()
        self.work = tempfile.mkdtemp(prefix="warplens-python-")
        self.logs = os.path.join(asked.out, "logs")
        os.makedirs(self.logs, exist_ok=True)
        self.table = open(os.path.join(asked.out, "results.md"), "w")
        self.bare = {}
        self.count = 0

    def say(self, text=""):
        print(text, flush=True)
        self.table.write(text + "\n")
        self.table.flush()

    def left(self):
        return self.asked.seconds - (time.time() - self.begun)

    def wanted(self, program, way):
        only = [name for name in self.asked.only.split(",") if name]
        return not only or program.name in only or "%s/%s" % (program.name, way) in only

    def run(self, program, way, steps, limit, more=()):
        self.count += 1
        report = os.path.join(self.work, "%s-%s" % (program.name, way))
        words = [word.format(w=self.asked.warplens, o=report) for word in WAYS[way]]
        log = os.path.join(self.logs, "%02d-%s-%s" % (self.count, program.name, way))
        environment = {"PYTHONUNBUFFERED": "1", "TOKENIZERS_PARALLELISM": "false", **program.environment}
        run = Run(words + program.command(steps, more), environment, max(10, min(limit, self.left() + 20)), log)
        run.report = report + ".wlr"
        return run

    # ---- rows ----

    def row(self, program, way, steps, runs):
        bare = self.bare.get((program.name, steps), [])
        steps_ms = [run.step for run in runs if run.step]
        afters = [run.after for run in runs if run.after is not None]
        base = statistics.median(run.step for run in bare if run.step) if any(run.step for run in bare) else None
        whole = statistics.median(run.seconds for run in bare) if bare else None
        middle = statistics.median(steps_ms) if steps_ms else None
        seconds = statistics.median(run.seconds for run in runs)
        checks = ["yes"] * len(runs) if way == "bare" else [same(bare, run) for run in runs]
        good = sum(check in ("yes", "within 0.1%") for check in checks) if way != "bare" else \
            sum(run.status == 0 and run.said != [] for run in runs)
        bad = [check for check in checks if check not in ("yes", "within 0.1%")]
        launches = self.launches(runs[-1].report, way) if way != "bare" else ""
        self.say("| %s | %s | %d | %d of %d%s | %s | %s | %.1f | %s | %s | %s |" % (
            program.name, way, steps, good, len(runs), " (%s)" % bad[0] if bad else "",
            "%.2f" % middle if middle else "-", "%.2f" % (middle / base) if middle and base else "-", seconds,
            "%+.1f" % (seconds - whole) if whole and way != "bare" else "",
            "%.1f" % statistics.median(afters) if afters else "-", launches))
        for run in runs:
            if run.status != 0:
                self.say("<!-- %s %s: exit %s: %s -->" % (program.name, way, run.status, run.trouble()))

    def launches(self, report, way):
        if not os.path.exists(report) or way.startswith("ncu"):
            return ""
        if way.startswith("trace"):
            text = self.show(report, ["--report", "cuda_gpu_kern_sum", "--csv"])[0]
            rows = list(csv.reader(io.StringIO(text)))
            for at, heads in enumerate(rows):
                if "Instances" in heads:
                    column = heads.index("Instances")
                    return sum(int(row[column]) for row in rows[at + 1:] if len(row) > column and row[column].isdigit())
            return "?"
        text, _ = self.show(report, ["--page", "summary", "--csv"])
        return max(0, len(text.splitlines()) - 1)

    def show(self, report, words, limit=60):
        start = time.time()
        try:
            done = subprocess.run([self.asked.warplens, "show", report, *words], capture_output=True, text=True,
                                  errors="replace", timeout=limit)
            return done.stdout if done.returncode == 0 else done.stdout + done.stderr, time.time() - start
        except subprocess.TimeoutExpired:
            return "(over %d s)" % limit, time.time() - start

    def once(self, program, way, steps, limit, times=1, more=()):
        """Bare and profiled in turns, where it is to be done more than once."""
        if not self.wanted(program, way) or self.left() < 15:
            if self.wanted(program, way):
                self.say("| %s | %s | | left out: no time | | | | | | |" % (program.name, way))
            return None
        runs = []
        bare = self.bare.setdefault((program.name, steps), [])
        for _ in range(times):
            if way != "bare" and (not bare or len(bare) < times):
                bare.append(self.run(program, "bare", steps, limit))
            if self.left() > 10:
                runs.append(self.run(program, way, steps, limit, more))
            if runs and isinstance(runs[-1].status, str):
                break # it would not end the next time either
        if not runs:
            return None
        if way != "bare" and not getattr(bare[0], "is_reported", False):
            bare[0].is_reported = True
            self.row(program, "bare", steps, bare)
        self.row(program, way, steps, runs)
        return runs[-1]

    # ---- what else is kept ----

    def keep_pages(self, name, report):
        """Pages of a report, and how long each takes."""
        if not os.path.exists(report):
            return
        size = os.path.getsize(report)
        took = []
        for page in ("guide", "summary", "advice"):
            text, seconds = self.show(report, ["--page", page])
            took.append("%s %.2f s" % (page, seconds))
            with open(os.path.join(self.logs, "%s.%s.txt" % (name, page)), "w") as file:
                file.write(text[:400000])
        start = time.time()
        subprocess.run([self.asked.warplens, "export", "-f", "--html", os.path.join(self.work, name + ".html"), report], capture_output=True, timeout=120)
        took.append("html %.2f s" % (time.time() - start))
        self.say("<!-- %s: report of %.1f MB; %s -->" % (name, size / 1e6, ", ".join(took)))
        if size < 12e6:
            shutil.copy(report, os.path.join(self.asked.out, name + ".wlr"))

    def compare_profiler(self, program, steps):
        """PyTorch's own profiler beside a trace: launches of a step, and their time."""
        file = os.path.join(self.logs, "torch-profiler.json")
        run = self.run(program, "bare", steps, 120, ["--torch-profiler", file])
        if run.status != 0 or not os.path.exists(file):
            self.say("<!-- PyTorch's profiler: exit %s %s -->" % (run.status, run.trouble()))
            return
        with open(file) as text:
            kernels = json.load(text)
        self.say()
        self.say("PyTorch's profiler, one step: %d launches, %.1f us of kernels and copies" % (
            sum(row["launches"] for row in kernels.values()), sum(row["us"] for row in kernels.values())))

    def finish(self):
        self.table.close()
        with tarfile.open(os.path.join(self.asked.out, "logs.tar.gz"), "w:gz") as archive:
            archive.add(self.logs, "logs")
        shutil.rmtree(self.logs, ignore_errors=True)
        shutil.rmtree(self.work, ignore_errors=True)


def first_line(command):
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return text.splitlines()[0] if text else ""


def versions():
    found = []
    for name in ("torch", "triton", "jax", "cupy"):
        if module(name):
            from importlib import metadata
            for package in (name, name + "-cuda13x", name + "-cuda12x"):
                try:
                    found.append("%s %s" % (name, metadata.version(package)))
                    break
                except metadata.PackageNotFoundError:
                    continue
    return ", ".join(found)


def begin(bench):
    asked = bench.asked
    gpus = gpu_count()
    bench.say("# Python programs on a GPU")
    bench.say()
    bench.say("%s: %d GPUs, %s; Python %s, %s; %s; %d cores" % (
        time.strftime("%Y-%m-%d"), gpus,
        first_line(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]),
        sys.version.split()[0], versions(), first_line([asked.warplens, "--version"]), os.cpu_count()))
    bench.say()
    try:
        doctor = subprocess.run([asked.warplens, "doctor"], capture_output=True, text=True, timeout=90)
    except (OSError, subprocess.TimeoutExpired) as error:
        bench.say("warplens does not run here: %s" % error)
        return None
    with open(os.path.join(bench.logs, "doctor.txt"), "w") as file:
        file.write(doctor.stdout + doctor.stderr)
    if doctor.returncode > 11 or "error while loading" in doctor.stderr:
        bench.say("warplens does not run here: %s" % doctor.stderr.strip())
        return None
    bench.say("`warplens doctor`: exit %d: %s" % (doctor.returncode, (doctor.stdout.splitlines() or [""])[0]))
    bench.say()
    bench.say("Equal: runs whose exit status and results are those of bare runs. After: from the program's last line to "
              "the end of all.")
    bench.say()
    bench.say("| program | way | steps | equal | ms a step | x bare | s in all | beyond bare, s | s after the end | "
              "launches |")
    bench.say("|---|---|---|---|---|---|---|---|---|---|")
    return gpus


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--warplens", required=True)
    parser.add_argument("--out", default="python-results")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--no-ncu", action="store_true")
    asked = parser.parse_args()
    asked.warplens = os.path.abspath(asked.warplens)
    asked.seconds = asked.seconds or (280 if asked.quick else 1500)
    bench = Bench(asked)
    try:
        gpus = begin(bench)
        if gpus is not None:
            measure(bench, gpus)
    finally:
        bench.finish()


def measure(bench, gpus):
    asked = bench.asked
    quick = asked.quick
    limit = 60 if quick else 300
    here = []
    for program in PROGRAMS:
        why = program.why_not(gpus)
        if program.name == "two-cuptis" and not TOOLKITS:
            why = why or "no toolkit with CUPTI in /usr/local"
        if why:
            bench.say("| %s | | | skipped: %s | | | | | | |" % (program.name, why))
        else:
            here.append(program)
    for program in here:
        steps = program.quick_steps if quick else program.steps
        times = 1 if quick else asked.runs
        slow = 2 if program.name in ("compiled", "ddp") else 1
        if program.name == "compiled": # its kernels are compiled once, and kept
            bench.run(program, "bare", 2, 150)
        last = bench.once(program, "triage", steps, limit * slow, times)
        if last and program.name in ("eager", "compiled", "ddp", "triton"):
            bench.keep_pages(program.name, last.report)
        if program.name == "eager":
            traced = bench.once(program, "trace-cuda", steps, limit, times)
            if traced:
                bench.keep_pages("trace", traced.report)
            bench.once(program, "trace", steps, limit, times)
            bench.once(program, "trace-python", steps, limit, times)
            bench.once(program, "full-20" if quick else "full", steps, limit)
            if not quick:
                bench.once(program, "replay-100", 10, limit)
            if not quick and not asked.no_ncu and shutil.which("ncu"):
                bench.once(program, "ncu-100", 10, limit)
        if program.name in ("triton", "ddp") and bench.left() > 30:
            bench.once(program, "trace-cuda", steps, limit, 1)
    if here and here[0].name == "eager" and bench.left() > 30 and bench.wanted(here[0], "torch-profiler"):
        bench.compare_profiler(here[0], 5)


if __name__ == "__main__":
    main()
