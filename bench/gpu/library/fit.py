#!/usr/bin/env python3
"""Fits the rows of src/timing/library.c to readings.

    fit.py product|convolution FIT.csv CHECK.csv

FIT.csv and CHECK.csv: what readings.py printed with two seeds. Prints a row for each type of elements, and by what factor
predictions are off in each file: the median, 90 of 100, and the most. Needs numpy and scipy. What is fitted is the mean of
the logarithms' distances; an efficiency stays below 0.92, a part of the bandwidth below 1."""
import csv
import math
import sys

import numpy as np
from scipy.optimize import minimize

# An H200: the readings are of one.
SMS, CLOCK_HZ, BANDWIDTH, LAUNCH_US = 132, 1.98e9, 4.8e12, 1.45
RATE = {"f32": 128, "tf32": 1024, "f16": 2048, "f64": 128}
BYTES = {"f32": 4, "tf32": 4, "f16": 2, "f64": 8}
TILES = ((32, 32), (32, 64), (64, 32), (64, 64), (64, 128), (128, 64), (128, 128), (128, 256), (256, 128))
NAMES = ("start", "depth", "efficiency", "share", "join", "smaller", "more", "more_depth")


def tiled_us(p, kind, rows, columns, depth, count, size, splits_most):
    """As least_tiled_ns in src/timing/library.c."""
    best = math.inf
    for tile_rows, tile_columns in TILES:
        area = tile_rows * tile_columns
        tiles = math.ceil(rows / tile_rows) * math.ceil(columns / tile_columns) * count
        efficiency = p["efficiency"] * min((area / 16384) ** p["smaller"], 1)
        splits = 1
        while splits <= splits_most and (splits == 1 or depth / splits >= 64):
            part = math.ceil(depth / splits)
            rounds = math.ceil(tiles * splits / SMS)
            busy = rounds * area * part / (RATE[kind] * CLOCK_HZ * efficiency) * 1e6
            waits = math.ceil(rounds / 4) * part * p["depth"]
            us = p["start"] + max(busy, waits, size / (BANDWIDTH * p["share"]) * 1e6)
            if splits > 1:
                us += p["join"] + rows * columns * count * 4 * (splits + 1) / BANDWIDTH * 1e6
            best = min(best, us)
            splits *= 2
    return best


def product_us(p, kind, m, n, k, batch, turned):
    lines = 16 // BYTES[kind]
    if any(extent % lines for extent in (m if turned & 1 else k, k if turned & 2 else n, n)):
        p = dict(p, efficiency=p["efficiency"] * p["more"], depth=p["depth"] * p["more_depth"])
    return tiled_us(p, kind, m, n, k, batch, batch * (m * k + k * n + m * n) * BYTES[kind], 32)


def convolution_us(p, kind, way, images, channels, height, filters, kernel, stride, groups, last):
    out = (height + 2 * (kernel // 2) - kernel) // stride + 1
    taps, places = kernel * kernel, images * out * out
    rows, columns, depth = ((places, filters, channels * taps),
                            (images * height * height, channels, math.ceil(filters * taps / stride ** 2)),
                            (channels * taps, filters, places))[way]
    size = (images * channels * height * height + filters * channels * taps + places * filters) * BYTES[kind]
    us = tiled_us(p, kind, rows, columns, depth, 1, size, 128)
    if not last and kind != "f32" and kernel > 1:
        us += p["more"] + 2 * size / (BANDWIDTH * p["share"]) * 1e6
    return us


def read(path, call):
    found = {}
    with open(path, newline="") as lines:
        for row in csv.DictReader(lines):
            if row["call"] == call:
                kind = "f16" if row["type"] == "bf16" else row["type"]
                numbers = tuple(map(int, row["numbers"].split()))
                group = (kind, numbers[8], numbers[0]) if call == "convolution" else (kind,)
                found.setdefault(group, []).append((kind, numbers, float(row["us"])))
    return found


def off_by(predict, p, readings):
    factors = sorted(math.exp(abs(math.log(predict(p, kind, *numbers) / us))) for kind, numbers, us in readings)
    return (f"{len(factors)}: {factors[len(factors) // 2]:.2f}, {factors[int(len(factors) * 0.9)]:.2f}, "
            f"{factors[-1]:.1f}")


def fit(predict, readings, starts):
    def loss(x):
        p = dict(zip(NAMES, np.exp(x)))
        bounds = (max(0, p["efficiency"] - 0.92) + max(0, 0.15 - p["efficiency"]) + max(0, p["share"] - 1) +
                  0.3 * max(0, p["smaller"] - 1) + 0.3 * max(0, 0.05 - p["smaller"]) + 0.02 * max(0, p["join"] - 12) +
                  0.3 * max(0, LAUNCH_US - p["join"]) + 0.1 * max(0, 1.9 - p["start"]) + max(0, 0.2 - p["more"]))
        return bounds + np.mean([abs(math.log(predict(p, kind, *numbers) / us)) for kind, numbers, us in readings])

    best = None
    for start in starts:
        x = np.log(start)
        for _ in range(3):
            result = minimize(loss, x, method="Nelder-Mead", options={"maxiter": 500, "maxfev": 500})
            x = result.x
        best = result if best is None or result.fun < best.fun else best
    return dict(zip(NAMES, np.exp(best.x)))


def main():
    call, fit_file, check_file = sys.argv[1:4]
    predict, more = (product_us, 0.5) if call == "product" else (convolution_us, 3.0)
    given, check = read(fit_file, call), read(check_file, call)
    cycles = CLOCK_HZ / 1e6
    for group, readings in given.items():
        starts = [(2.1, depth, 0.6, 0.5, 3.0, 0.2, more, 1.5) for depth in (0.002, 0.01, 0.03)]
        p = fit(predict, readings, starts)
        print(" ".join(map(str, group)), "{%.0f, %.1f, %.3f, %.3f, %.3f, %.0f}" % (
            (p["start"] - LAUNCH_US) * cycles, p["depth"] * cycles, p["efficiency"], p["smaller"], p["share"],
            (p["join"] - LAUNCH_US) * cycles), "more %.3f %.2f" % (p["more"], p["more_depth"]),
              "| fitted", off_by(predict, p, readings), "| others", off_by(predict, p, check[group]), flush=True)


if __name__ == "__main__":
    main()
