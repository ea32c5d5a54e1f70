#!/usr/bin/env python3
"""alone.py WARPLENS REPORT...: of kernels NAME_whole, "loads and stores alone" must take as long as NAME_memory, a program
with nothing else, within 15 %, and "arithmetic alone" as long as NAME_arithmetic. A kernel without memory has none."""
import json
import subprocess
import sys

TOLERANCE = 0.15
status = 0
for path in sys.argv[2:]:
    page = subprocess.run([sys.argv[1], "show", path, "--page", "whatif", "--json"], capture_output=True, text=True, check=True)
    rows = {row["kernel"].split("(")[0]: row for row in json.loads(page.stdout)["whatif"]}
    compared = 0
    for name, row in rows.items():
        bounds = {bound["cause"]: bound["duration_ns"] for bound in row["bounds"]}
        for cause, other in (("math", "_memory"), ("memory", "_arithmetic")):
            changed = rows.get(name.replace("_whole", other)) if name.endswith("_whole") else None
            if not changed:
                continue
            compared += 1
            error = bounds[cause] / changed["duration_ns"] - 1
            print(f"{path}: {name} without {cause}: {bounds[cause]:.0f} ns, as a program {changed['duration_ns']:.0f} ns, {100 * error:+.1f} %")
            status |= abs(error) > TOLERANCE
        if name == "no_memory" and bounds["math"] > 0.1 * row["duration_ns"]:
            print(f"{path}: no_memory has loads and stores of {bounds['math']:.0f} ns", file=sys.stderr)
            status = 1
    if compared < 4:
        print(f"{path}: only {compared} programs were compared", file=sys.stderr)
        status = 1
sys.exit(status)
