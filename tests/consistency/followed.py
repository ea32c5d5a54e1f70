#!/usr/bin/env python3
"""followed.py WARPLENS REPORT: of kernels NAME_before the first finding must be of the rule below, and promise what NAME_after
takes less, within 20 points (30 where its confidence is low); of those whose change is useless, the named rules must not
promise 10 % or more."""
import json
import subprocess
import sys

TOLERANCES = {"high": 0.20, "medium": 0.20, "low": 0.30}
RULES = {"each": {"global-atomics"}, "sum": {"atomics-one-place", "short-blocks"}, "few": {"few-threads"},
         "count": {"few-threads"},
         "tree": {"short-blocks"}, "added": {"atomics-one-place"}, "turns": {"loads-in-turn"}, "column": {"few-threads", "small-grid"},
         "sparse": {"thread-per-row", "global-uncoalesced"}, "sorted": {"gathered-data"}, "point": {"short-threads"}, "vectors": {"global-uncoalesced"},
         "table": {"constant-scattered"}, "double": {"double"}, "divide": {"integer-division"}, "power": {"power-function"},
         "structures": {"global-uncoalesced"}, "bytes": {"short-threads"},
         "kept": {"global-accumulator"}, "edges": {"atomics-scattered"}, "quotient": {"float-division"}, "bits": {"bit-loop"}, "chain": {"dependent-arithmetic"}, "row": {"short-rows"},
         "entries": {"global-atomics"}, "keys": {"local-memory"}, "waves": {"accurate-functions"},
         "tiles": {"few-threads"}, "pixel": {"short-threads"}, "shifted": {"short-threads"}, "smallest": {"local-memory"}}
USELESS = {"much": {"short-threads", "load-width"}, "gather": {"load-width", "short-threads"},
           "moves": {"global-accumulator"}, "single": {"few-threads", "thread-per-row", "small-grid"},
           "chase": {"thread-per-row", "few-threads", "small-grid", "global-uncoalesced"}}
MOST_USELESS = 0.10
TOLD = {"column": "divide the loop"}  # what would be slower otherwise

page = subprocess.run([sys.argv[1], "show", sys.argv[2], "--page", "advice", "--json"], capture_output=True, text=True, check=True)
advice = json.loads(page.stdout)
durations = {kernel["kernel"].split("(")[0]: kernel.get("duration_ns") for kernel in advice["kernels"]}
status = 0
for name, rules in RULES.items():
    findings = [f for f in advice["findings"] if f.get("kernel", "").split("(")[0] == name + "_before" and
                f["severity"] == "warning"]
    first = findings[0] if findings else None
    if durations[name + "_before"] is None:  # clang's code calls the host for powf: no time is predicted
        print(f"{name}: no time")
        continue
    came = 1 - durations[name + "_after"] / durations[name + "_before"]
    promised = first["gain"]["saved"] if first and first["gain"] else 0
    print(f"{name}: {first['id'] if first else 'none'} promised {100 * promised:.0f} %, {100 * came:.0f} % came")
    if not first or first["id"] not in rules or abs(promised - came) > TOLERANCES[first["gain"]["confidence"]]:
        print(f"{name}: not what was done", file=sys.stderr)
        status = 1
    if first and TOLD.get(name, "") not in first["advice"]:
        print(f"{name}: is told to '{first['advice']}'", file=sys.stderr)
        status = 1
for name, rules in USELESS.items():
    if durations[name + "_before"] is None: # clang's code calls the host for powf: no time is predicted
        print(f"{name}: no time, nothing promised")
        status |= any(f["gain"] and f["id"] in rules for f in advice["findings"]
                      if f.get("kernel", "").startswith(name + "_") and f["severity"] == "warning")
        continue
    came = 1 - durations[name + "_useless"] / durations[name + "_before"]
    for finding in advice["findings"]:
        if finding.get("kernel", "").split("(")[0] == name + "_before" and finding["id"] in rules and finding["gain"]:
            promised = finding["gain"]["saved"]
            print(f"{name}: {finding['id']} promised {100 * promised:.0f} %, {100 * came:.0f} % came")
            if promised >= MOST_USELESS:
                print(f"{name}: {finding['id']} is useless there", file=sys.stderr)
                status = 1
sys.exit(status)
