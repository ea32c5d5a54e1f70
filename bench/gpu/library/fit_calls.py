#!/usr/bin/env python3
"""Fits the rows of src/timing/library_steps.c to what calls.py printed with two seeds.

    fit_calls.py FIT.csv CHECK.csv

Prints a row for each call and type, and by what factor predictions of CHECK.csv are off: the median, 90 of 100, the most.
Needs numpy and scipy. Costs are not below zero, and those whose sum of relative squares is least."""
import csv
import math
import sys

import numpy as np
from scipy.optimize import nnls

# An H200: the readings are of one. Costs are cycles, of thousands of operations, or of millions that all SMs share.
CYCLES = 1980
SMS = 132
GATES = (1, 4, 3)
FACTORS = ("potrf", "getrf", "geqrf", "orgqr", "syevd", "gesvd", "syevj", "gesvdj")


def sizes(call, numbers):
    """As the costs of a row in src/timing/library_steps.c."""
    n = numbers[0]
    if call in FACTORS:
        return [1, n, 0, n * n / 1e3, n ** 3 / 1e6]
    if call in ("potrs", "getrs", "trsm"):
        is_narrow = numbers[1] <= 8
        return [1, n * is_narrow, n * (not is_narrow), 0, n * n * numbers[1] / 1e6]
    if call.endswith("_batched"):
        rounds = math.ceil(numbers[1] / SMS / 4)
        return [1, n, 0, n * n * rounds / 1e3, n ** 3 * numbers[1] / 1e6]
    cell, inputs, hidden, steps, images, _ = numbers
    gates = hidden * GATES[cell]
    is_large = hidden > 192
    return [1, steps, steps * is_large, steps * images * gates / 1e3, steps * gates * hidden / 1e3 * is_large,
            steps * gates * hidden / 1e3 * (not is_large), steps * gates * hidden * images / 1e6,
            steps * images * gates * inputs / 1e6]


def load(name):
    with open(name) as file:
        return [(row["call"], row["type"], [int(n) for n in row["numbers"].split()], float(row["us"]) * CYCLES)
                for row in csv.DictReader(file)]


def group(row):
    """Networks in training take what they take without."""
    return row[0], row[1], row[2][5] if row[0] == "rnn" else 0


def main():
    fit, check = load(sys.argv[1]), load(sys.argv[2])
    for key in dict.fromkeys(group(row) for row in fit):
        if key[0].startswith("sp") or (key[0] == "rnn" and key[2] == 1):
            continue
        own = [row for row in fit if group(row) == key]
        costs, _ = nnls(np.array([np.array(sizes(row[0], row[2])) / row[3] for row in own]), np.ones(len(own)))
        off = sorted(max(took / predicted, predicted / took) for name, _, numbers, took in (row for row in check if group(row) == key)
                     for predicted in [float(np.dot(costs, sizes(name, numbers)))])
        print(*key, "{" + ", ".join(f"{cost:.4g}" for cost in costs) + "}", f"off: {off[len(off) // 2]:.2f}, {off[int(0.9 * len(off))]:.2f}, "
              f"{off[-1]:.2f} of {len(off)}")


if __name__ == "__main__":
    sys.exit(main())
