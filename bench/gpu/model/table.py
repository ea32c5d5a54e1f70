"""Joins a benchmark's labels with the profiler's row of each launch, in order: cycles and
instructions, and warp states where the profiler read them, in % of all that warps did."""
import csv
import sys

METRICS = {"cycles": "gpc__cycles_elapsed.max", "active_cycles": "sm__cycles_active.max",
           "instructions": "smsp__inst_executed.sum", "duration_ns": "gpu__time_duration.sum"}
STATE = ("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio")


def read(path):
    lines = [line for line in open(path) if not line.startswith("==") and "," in line]
    return list(csv.DictReader(lines))


def number(text):
    return float(text.replace(",", "") or 0)


labels = read(sys.argv[1])
rows = [row for row in read(sys.argv[2]) if row.get("ID")]  # the row of units has no number
if len(labels) != len(rows):
    sys.exit(f"{len(labels)} labels, {len(rows)} launches")
columns = [name for name in METRICS if METRICS[name] in rows[0]]
states = [name for name in rows[0] if name.startswith(STATE[0])]
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["name", "operations", "warps", "blocks", *columns,
              *[name[len(STATE[0]):-len(STATE[1])] for name in states]])
for label, row in zip(labels, rows):
    values = [row[METRICS[name]].replace(",", "") for name in columns]
    whole = sum(number(row[name]) for name in states) or 1
    shares = [f"{100 * number(row[name]) / whole:.1f}" for name in states]
    out.writerow([label["name"], label["operations"], label["warps"], label["blocks"], *values,
                  *shares])
