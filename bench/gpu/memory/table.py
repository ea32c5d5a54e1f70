#!/usr/bin/env python3
"""Joins the labels a micro-benchmark printed, one per launch, with ncu's raw CSV page."""
import csv
import sys


def main(labels_path, ncu_path):
    labels = [line.strip() for line in open(labels_path) if line.strip()]
    lines = [line for line in open(ncu_path) if line.startswith('"')]
    rows = list(csv.DictReader(lines))[1:]  # the first row holds the units
    metrics = [name for name in rows[0] if "__" in name or name.startswith("memory_")]
    metrics = [name for name in metrics if not name.startswith(("device__", "launch__", "profiler__"))]
    if len(labels) != len(rows):
        sys.exit(f"{len(labels)} labels but {len(rows)} launches")
    out = csv.writer(sys.stdout)
    out.writerow(["label"] + metrics)
    for label, row in zip(labels, rows):
        out.writerow([label] + [row[name].replace(",", "") for name in metrics])


main(*sys.argv[1:])
