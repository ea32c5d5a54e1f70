"""Joins the benchmark's labels with the profiler's row of each launch, in order."""
import csv
import sys

METRICS = ["gpc__cycles_elapsed.max", "sm__cycles_active.max", "smsp__inst_executed.sum",
           "gpu__time_duration.sum"]


def read(path):
    lines = [line for line in open(path) if not line.startswith("==") and "," in line]
    return list(csv.DictReader(lines))


labels = read(sys.argv[1])
rows = [row for row in read(sys.argv[2]) if row.get("ID")]  # the row of units has no number
if len(labels) != len(rows):
    sys.exit(f"{len(labels)} labels, {len(rows)} launches")
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["name", "operations", "warps", "blocks", "cycles", "active_cycles", "instructions",
              "duration_ns"])
for label, row in zip(labels, rows):
    values = [row[name].replace(",", "") for name in METRICS]
    out.writerow([label["name"], label["operations"], label["warps"], label["blocks"], *values])
