#!/usr/bin/env python3
"""What each kind of CUPTI's records adds to a step of transformer.py: kinds are switched on and off between blocks of
steps within one process, in turns, so that start-up and the machine's mood do not count. Needs gcc and CUPTI's headers
(kinds.c is built into a temporary folder). Prints Markdown; a row is the median over all turns.

usage: kinds.py [--turns N] [--block STEPS] [--cupti FILE] [--seconds N]
"""
import argparse
import ctypes
import glob
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# enum CUpti_ActivityKind
MEMCPY, MEMSET, DRIVER, RUNTIME, KERNEL, OVERHEAD, SYNCHRONIZATION, MEMORY = 1, 2, 4, 5, 10, 17, 38, 49
CALLS = "Launch,Memcpy,Memset,Synchronize,EventRecord,WaitEvent,Malloc,Free"
LIBRARIES = sorted(glob.glob("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so*") +
                   glob.glob("/usr/local/cuda/targets/*/lib/libcupti.so*"), key=len)
BASE = [KERNEL, MEMCPY, MEMSET]
WAYS = [
    ("nothing", [], ""),
    ("kernels", [KERNEL], ""),
    ("kernels, copies, sets", BASE, ""),
    ("these and calls that launch, copy, wait, allocate", BASE, CALLS),
    ("these and waits (SYNCHRONIZATION)", BASE + [SYNCHRONIZATION], CALLS),
    ("these and memory (MEMORY2)", BASE + [MEMORY], CALLS),
    ("these, waits and memory", BASE + [SYNCHRONIZATION, MEMORY], CALLS),
    ("these and CUPTI's overhead", BASE + [OVERHEAD], CALLS),
    ("kernels, copies, sets, all calls of the runtime", BASE + [RUNTIME], ""),
    ("these and all calls of the driver", BASE + [RUNTIME, DRIVER], ""),
]


def build(folder):
    library = os.path.join(folder, "kinds.so")
    includes = ["-I" + path for path in glob.glob("/usr/local/cuda/include") + glob.glob("/usr/local/cuda/extras/CUPTI/include")]
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", library, *includes, os.path.join(HERE, "kinds.c"), "-ldl"], check=True)
    return ctypes.CDLL(library)


def switch(kinds, way, is_on):
    wrong = [kind for kind in way[1] if kinds.kinds_switch(kind, int(is_on))]
    if way[2]:
        kinds.kinds_switch_calls(way[2].encode(), int(is_on))
    return wrong


def measure(asked, kinds, step, wait):
    begun, taken, wrong, size = time.time(), {}, {}, {}
    for _ in range(10):
        step()
    wait()
    for turn in range(asked.turns):
        for way in WAYS if turn % 2 == 0 else WAYS[::-1]:
            if time.time() - begun > asked.seconds:
                break
            wrong[way[0]] = switch(kinds, way, True)
            step()
            wait()
            kinds.kinds_flush()
            start = time.perf_counter()
            for _ in range(asked.block):
                step()
            wait()
            taken.setdefault(way[0], []).append((time.perf_counter() - start) / asked.block * 1e3)
            size[way[0]] = kinds.kinds_flush() / asked.block
            switch(kinds, way, False)
            print("<!-- %s %.3f -->" % (way[0], taken[way[0]][-1]), flush=True)
    return taken, wrong, size


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--block", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--cupti", default=next(iter(LIBRARIES), "libcupti.so"))
    asked = parser.parse_args()
    sys.path.insert(0, HERE)
    import steps
    with tempfile.TemporaryDirectory() as folder:
        kinds = build(folder)
        kinds.kinds_flush.restype = ctypes.c_ulonglong
        if kinds.kinds_open(asked.cupti.encode()):
            sys.exit("kinds.py: %s cannot be used" % asked.cupti)
        found = {}
        steps.run = lambda step, wait, count, warm=3: found.update(rows=measure(asked, kinds, step, wait)) or sys.exit(0)
        sys.argv = [os.path.join(HERE, "transformer.py"), "--steps", "1"]
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit:
            pass
    taken, wrong, size = found["rows"]
    base = statistics.median(taken["nothing"])
    print("| records of | ms a step | least, most | x nothing | bytes a step | |\n|---|---|---|---|---|---|")
    for name, _, _ in WAYS:
        if name in taken:
            row = taken[name]
            print("| %s | %.3f | %.3f, %.3f | %.3f | %.0f | %s |" % (
                name, statistics.median(row), min(row), max(row), statistics.median(row) / base, size[name],
                "refused: %s" % wrong[name] if wrong[name] else ""))


if __name__ == "__main__":
    main()
