"""Joins the benchmark's labels with the profiler's row of each launch, in order.

usage: counters.py LABELS PROFILE METRIC,METRIC,...
"""
import csv
import sys

COLUMNS = {
    "gpc__cycles_elapsed.max": "cycles",
    "sm__cycles_active.max": "active_cycles",
    "smsp__inst_executed.sum": "instructions",
    "gpu__time_duration.sum": "duration_ns",
}


def read(path):
    lines = [line for line in open(path) if not line.startswith("==") and "," in line]
    return list(csv.DictReader(lines))


def column(metric):
    short = metric.replace("smsp__average_warps_issue_stalled_", "stalled_")
    return COLUMNS.get(metric, short.replace("_per_issue_active.ratio", ""))


metrics = sys.argv[3].split(",")
labels = read(sys.argv[1])
rows = [row for row in read(sys.argv[2]) if row.get("ID")]  # the row of units has no number
if len(labels) != len(rows):
    sys.exit(f"{len(labels)} labels, {len(rows)} launches")
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["name", "operations", "warps", "blocks", *map(column, metrics)])
for label, row in zip(labels, rows):
    values = [(row.get(name) or "").replace(",", "") for name in metrics]
    out.writerow([label["name"], label["operations"], label["warps"], label["blocks"], *values])
