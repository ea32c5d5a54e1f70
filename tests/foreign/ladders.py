#!/usr/bin/env python3
"""ladders.py REPORTS: the raw page of each report of a ladder, written as CSV and imported, has the first finding of the report
itself, with its gain. Rules that read instructions have none in a raw page: in their place stand the counters of the whole
kernel, or nothing. Those counters may find what the instructions tell to be none (a stride whose rest L1 has), as they do in
reports of a real GPU. That a kernel is a stand-in for a library's, which nobody is advised on, a raw page does not tell.
Environment: WARPLENS."""
import glob
import json
import os
import subprocess
import sys
import tempfile

warplens = os.environ["WARPLENS"]
# rules that look at instructions, and what takes their place where there are none
OF_INSTRUCTIONS = {
    "global-uncoalesced": "global-sectors", "shared-bank": "shared-conflicts", "shared-reduction": None, "matrix-vector": None,
    "global-reuse": None, "short-rows": None, "load-width": None, "phases": None, "global-misaligned": None,
}


def findings(report):
    """Of what is found, its rule, kernel and gain; a note does not count."""
    text = subprocess.run([warplens, "show", report, "--page", "advice", "--json"], check=True, capture_output=True, text=True).stdout
    return [(f["id"], f.get("kernel"), f["gain"] and round(f["gain"]["saved"], 3)) for f in json.loads(text)["findings"]
            if f["severity"] == "warning" and not (f.get("kernel") or "").startswith("warplens_")]


def is_same(own, imported):
    """Whether the first that both can find is the same."""
    seen = [finding for finding in own if finding[0] not in OF_INSTRUCTIONS]
    stand_ins = {(OF_INSTRUCTIONS[rule], kernel) for rule, kernel, _ in own if OF_INSTRUCTIONS.get(rule)}
    if own and own[0][0] not in OF_INSTRUCTIONS:
        return imported[:1] == own[:1]
    if own and OF_INSTRUCTIONS[own[0][0]]:
        return bool(imported) and imported[0][:2] == (OF_INSTRUCTIONS[own[0][0]], own[0][1])
    whole = set(filter(None, OF_INSTRUCTIONS.values())) if not own else set()
    return [f for f in imported if f[:2] not in stand_ins and f[0] not in whole][:1] == seen[:1]


def main():
    reports = sorted(glob.glob(os.path.join(sys.argv[1], "*.wlr")))
    if len(reports) < 4:
        print(f"there are only {len(reports)} reports in {sys.argv[1]}")
        return 1
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        table, copy = os.path.join(folder, "raw.csv"), os.path.join(folder, "raw.wlr")
        for report in reports:
            with open(table, "wb") as file:
                subprocess.run([warplens, "show", report, "--page", "raw", "--csv"], check=True, stdout=file)
            subprocess.run([warplens, "import", "-q", "-f", "-o", copy, table], check=True)
            own, imported = findings(report), findings(copy)
            if not is_same(own, imported):
                print(f"{os.path.basename(report)}: found {own}, after import {imported}")
                status = 1
    return status


sys.exit(main())
