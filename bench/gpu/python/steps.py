"""What the programs of this folder have in common: so many steps, how long one takes, and results that do not depend
on who watches. Lines that begin with "time:" tell times; all others are the same at each run."""
import argparse
import atexit
import sys
import time


def arguments(steps, **more):
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=steps)
    for name, default in more.items():
        parser.add_argument("--" + name.replace("_", "-"), default=default)
    return parser.parse_args()


def tell_end():
    print("time: end %.6f" % time.time(), flush=True)


def run(step, wait, steps, warm=3):
    """Calls step() so often, after some that are not timed; wait() returns when the GPU has done it all."""
    atexit.register(tell_end)
    for _ in range(warm):
        step()
    wait()
    start = time.perf_counter()
    for _ in range(steps):
        step()
    wait()
    seconds = time.perf_counter() - start
    print("time: step_ms %.4f steps %d" % (seconds / steps * 1e3, steps), flush=True)


def result(name, *numbers):
    print("result:", name, *("%.6g" % float(number) for number in numbers))
    sys.stdout.flush()
