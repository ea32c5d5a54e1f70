#!/usr/bin/env python3
"""run.py WARPLENS FOLDER [first|second|both [h100]]: profiles what pairs.tsv has before each change (of FOLDER/bin; reports stay
in FOLDER and are not made again) on a simulated H200, or what pairs-h100.tsv has on an H100, and reports how often the first finding is what the change did, how far its gain is off, and
how often it is a change that made the kernel slower. The halves are distinguished by the parity of the CRC of the line's runs:
look at the first one only while changing rules."""
import json
import subprocess
import sys
import zlib
from pathlib import Path

warplens, folder, part, gpu = (sys.argv[1:] + ["both", "h200"][len(sys.argv) - 3:])[:4]
folder = Path(folder)
TIME_LIMIT_S = 600
LADDERS = {"ado", "gemm", "spmv", "stencil"}  # rules were written on them


def half_of(before, after):
    if before.split()[0] in LADDERS:
        return "first"
    return "first" if zlib.crc32(f"{before} -> {after}".encode()) % 2 == 0 else "second"


def profile(run, kernel):
    report = folder / (run.replace(" ", "-") + "-" + kernel + ("" if gpu == "h200" else "-" + gpu) + ".wlr")
    if not report.exists():
        program, *arguments = run.split()
        try:
            subprocess.run([warplens, "profile", "-q", "-f", "--gpu", gpu, "-o", report, "-c", "1", "-k", kernel, folder / "bin" / program,
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


class Sums:
    def __init__(self):
        self.faster = self.right = self.slower = self.bad = self.missing = 0
        self.errors, self.all_errors = [], []

    def text(self):
        def mean(errors):
            return f"{sum(errors) / len(errors):.1f} points" if errors else "-"
        return (f"first finding right: {self.right} of {self.faster}; mean error of its gain, where right: {mean(self.errors)}"
                f" ({len(self.errors)}), of all first findings with one: {mean(self.all_errors)} ({len(self.all_errors)}); advised "
                f"what made it slower: {self.bad} of {self.slower}; not profiled: {self.missing}.")


sums = {"first": Sums(), "second": Sums()}
print("| half | before | kernel | after | came | first finding | promised | |")
print("|---|---|---|---|---|---|---|---|")
for line in (Path(__file__).parent / ("pairs.tsv" if gpu == "h200" else f"pairs-{gpu}.tsv")).read_text().splitlines():
    if line.startswith("#") or not line:
        continue
    before, kernel, before_us, after, after_us, rules = line.split("\t")
    half = half_of(before, after)
    own = sums[half]
    if part not in ("both", half):
        continue
    report = profile(before, kernel)
    finding = report and first_finding(report)
    if not finding:
        own.missing += 1
        print(f"| {half} | {before} | `{kernel}` | {after} | | not profiled | | |")
        continue
    came = 100 * (1 - float(after_us) / float(before_us))
    promised = 100 * finding["gain"]["saved"] if finding["gain"] else None
    is_slower, names = rules.startswith("-"), rules.split()
    is_named = finding["id"] in names
    if is_slower:
        own.slower += 1
        own.bad += is_named
        verdict = "advised what made it slower" if is_named else ""
    else:
        own.faster += 1
        own.right += is_named
        verdict = "right" if is_named else "other"
        if promised is not None:
            own.all_errors.append(abs(promised - came))
            if is_named:
                own.errors.append(abs(promised - came))
    print(f"| {half} | {before} | `{kernel}` | {after} | {came:.0f} % | {finding['id']} | "
          f"{'' if promised is None else f'{promised:.0f} %'} | {verdict} |")
print()
for half, own in sums.items():
    if part in ("both", half):
        print(f"{half.capitalize()} half: {own.text()}")
