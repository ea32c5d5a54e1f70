#!/usr/bin/env python3
"""stored.py NAME READINGS: what hardware gave, a value a line (kernel or run and kernel, metric, value), as NAME-NUMBER.csv, raw pages
of ncu, one a file for at most as many launches as have the same metrics."""
import csv
import sys

LEADING = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device",
           "CC"]
# units of what readings hold, by what their names end in; others have none
UNITS = [("time_duration.sum", "ns"), (".pct", "%"), ("pct_of_peak_sustained_elapsed", "%"), ("pct_of_peak_sustained_active", "%"),
         ("bytes_read.sum", "byte"), ("bytes_write.sum", "byte"), ("bytes.sum", "byte"), ("cycles_active.avg", "cycle"),
         ("cycles_active.max", "cycle"), ("cycles_elapsed.max", "cycle")]

name, path = sys.argv[1:3]
launches = {}
with open(path, newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        launches.setdefault((row.get("run", "run"), row["kernel"]), {})[row["metric"]] = row["value"]
tables = {}
for (run, kernel), values in launches.items():
    tables.setdefault(tuple(sorted(values)), []).append((kernel, values))
for number, (metrics, rows) in enumerate(tables.items()):
    with open(f"{name}-{number}.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, quoting=csv.QUOTE_ALL)
        table.writerow([*LEADING, *metrics])
        table.writerow([""] * len(LEADING) + [next((unit for end, unit in UNITS if metric.endswith(end)), "") for metric in metrics])
        for launch, (kernel, values) in enumerate(rows):
            table.writerow([launch, 1, "app", "host", kernel, 1, 7, "", "", 0, "9.0",
                            *(values[metric] for metric in metrics)])
print(f"{name}: {len(launches)} launches in {len(tables)} tables")
