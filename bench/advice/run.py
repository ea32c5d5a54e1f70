#!/usr/bin/env python3
"""run.py WARPLENS FOLDER [first|second|both]: profiles what pairs.tsv has before each change (of FOLDER/bin; reports stay in
FOLDER and are not made again), and reports how often the first finding is what the change did, how far its gain is off, and
how often it is a change that made the kernel slower. The halves are told apart by the parity of the CRC of the line's runs:
look at the first one only while changing rules."""
import json
import subprocess
import sys
import zlib
from pathlib import Path

warplens, folder, part = sys.argv[1], Path(sys.argv[2]), (sys.argv[3:] or ["both"])[0]
TIME_LIMIT_S = 600


def half_of(before, after):
    return "first" if zlib.crc32(f"{before} -> {after}".encode()) % 2 == 0 else "second"


def profile(run, kernel):
    report = folder / (run.replace(" ", "-") + "-" + kernel + ".wlr")
    if not report.exists():
        program, *arguments = run.split()
        try:
            subprocess.run([warplens, "profile", "-q", "-f", "-o", report, "-c", "1", "-k", kernel, folder / "bin" / program,
                            *arguments], capture_output=True, timeout=TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            pass
    return report if report.exists() else None


def first_finding(report):
    page = subprocess.run([warplens, "show", report, "--page", "advice", "--json"], capture_output=True, text=True)
    if page.returncode:
        return None
    findings = [f for f in json.loads(page.stdout)["findings"] if f["severity"] == "warning"]
    return findings[0] if findings else {"id": "none", "gain": None}


faster = right = bad = slower = missing = 0
errors = []
print("| half | before | kernel | after | came | first finding | promised | |")
print("|---|---|---|---|---|---|---|---|")
for line in (Path(__file__).parent / "pairs.tsv").read_text().splitlines():
    if line.startswith("#") or not line:
        continue
    before, kernel, before_us, after, after_us, rules = line.split("\t")
    half = half_of(before, after)
    if part not in ("both", half):
        continue
    report = profile(before, kernel)
    finding = report and first_finding(report)
    if not finding:
        missing += 1
        print(f"| {half} | {before} | `{kernel}` | {after} | | not profiled | | |")
        continue
    came = 100 * (1 - float(after_us) / float(before_us))
    promised = 100 * finding["gain"]["saved"] if finding["gain"] else None
    is_slower, names = rules.startswith("-"), rules.split()
    is_named = finding["id"] in names
    if is_slower:
        slower += 1
        bad += is_named
        verdict = "advised what made it slower" if is_named else ""
    else:
        faster += 1
        right += is_named
        verdict = "right" if is_named else "other"
        if is_named and promised is not None:
            errors.append(abs(promised - came))
    print(f"| {half} | {before} | `{kernel}` | {after} | {came:.0f} % | {finding['id']} | "
          f"{'' if promised is None else f'{promised:.0f} %'} | {verdict} |")
print()
print(f"First finding right: {right} of {faster}. Mean error of its gain: "
      f"{sum(errors) / len(errors) if errors else 0:.1f} points. Advised what made it slower: {bad} of {slower}. "
      f"Not profiled: {missing}.")
