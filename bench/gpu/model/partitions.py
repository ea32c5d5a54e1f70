#!/usr/bin/env python3
"""What a sector and a line take of the way between L2's partitions, beside what the model has (src/timing/values.c).

usage: partitions.py [READINGS.csv] (default: h100-partitions.csv beside this file)

READINGS.csv has, of each run, what ncu read with --clock-control none and
  --metrics breakdown:lts__throughput.avg.pct_of_peak_sustained_elapsed,lts__cycles_elapsed.avg,lts__t_sectors.sum,
            lts__t_sectors_srcunit_tex.sum,lts__t_requests.sum
in percent of the way (lts__ltcfabric2ltc_cycles_active), and the slices of its L2. Sectors that no SM asked for are those
that cross.
"""
import csv
import os
import sys

MODEL = (2.31, 0.78)


def read(path):
    for row in csv.DictReader(open(path)):
        all_sectors, of_sms = float(row["sectors"]), float(row["sectors_of_sms"])
        crossing = all_sectors - of_sms
        busy = float(row["way_pct"]) / 100 * float(row["cycles"]) * float(row["slices"])
        yield crossing / busy, crossing * float(row["requests"]) / all_sectors / busy


def fit(points):
    """The least squares of what is relatively off."""
    a = sum(x * x for x, _ in points)
    b = sum(x * y for x, y in points)
    c = sum(y * y for _, y in points)
    u, v = sum(x for x, _ in points), sum(y for _, y in points)
    return (u * c - v * b) / (a * c - b * b), (a * v - b * u) / (a * c - b * b)


here = os.path.dirname(os.path.abspath(__file__))
readings = list(read(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "h100-partitions.csv")))
for name, (sector, line) in (("best", fit(readings)), ("model", MODEL)):
    off = sum(abs(x * sector + y * line - 1) for x, y in readings) / len(readings)
    print("%s: %.2f cycles a sector, %.2f a line, %.1f %% off on average of %d runs" %
          (name, sector, line, 100 * off, len(readings)))
