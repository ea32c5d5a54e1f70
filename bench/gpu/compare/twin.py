"""What `warplens profile --twin --json` printed for several runs, as Markdown.

twin.py RUN.twin...     files named RUN.twin; lines before the JSON are the program's
"""
import json
import os
import sys

MARKS = ("exact", "modelled", "predicted")
STEPS = {"exact": (0, 1), "modelled": (1, 5), "predicted": (5, 15)}


def launches(path):
    with open(path) as file:
        text = file.read()
    start = text.find("{\n")
    return json.loads(text[start:])["launches"] if start >= 0 else []


def apart(metric):
    """In percent; of percentages in points."""
    measured, simulated = metric["measured"], metric["simulated"]
    if measured == simulated:
        return 0.0
    if metric["unit"] == "%":
        return abs(simulated - measured)
    return abs(simulated - measured) / abs(measured) * 100 if measured else float("inf")


def value(launch, name, side):
    return next((metric[side] for metric in launch["metrics"] if metric["name"] == name), None)


def kernel(launch):
    name = launch["kernel_name"]
    return name.split("(")[0].removeprefix("void ")


def row(run, launch):
    cells = []
    for mark in MARKS:
        distances = [apart(metric) for metric in launch["metrics"] if metric["mark"] == mark]
        near, far = STEPS[mark]
        cells.append(f"{sum(d <= near for d in distances)}, {sum(d <= far for d in distances)} of {len(distances)}")
    times = [value(launch, "gpu__time_duration.sum", side) for side in ("measured", "simulated")]
    if None in times:
        return f"| {run} | `{kernel(launch)}` | {' | '.join(cells)} | | | |"
    return (f"| {run} | `{kernel(launch)}` | {' | '.join(cells)} | {times[0] / 1000:.1f} | {times[1] / 1000:.1f} | "
            f"{100 * (times[1] / times[0] - 1):+.1f}% |")


def print_metrics(all_launches):
    """Those that are beyond 5% somewhere, by how far half of the launches are."""
    by_name = {}
    for run, launch in all_launches:
        for metric in launch["metrics"]:
            by_name.setdefault((metric["mark"], metric["name"]), []).append((apart(metric), run))
    print("\n| metric | mark | launches | within 5% | median | furthest |\n|---|---|---|---|---|---|")
    for (mark, name), of in sorted(by_name.items(), key=lambda item: (MARKS.index(item[0][0]), item[0][1])):
        of.sort()
        if of[-1][0] <= 5:
            continue
        text = [f"{distance:.3g}%" if distance != float("inf") else "measured 0"
                for distance in (of[len(of) // 2][0], of[-1][0])]
        print(f"| `{name}` | {mark} | {len(of)} | {sum(d <= 5 for d, _ in of)} | {text[0]} | {text[1]}, {of[-1][1]} |")


def main():
    found = [(os.path.basename(path).removesuffix(".twin"), launch) for path in sys.argv[1:] for launch in launches(path)]
    print("| run | kernel | exact: equal, within 1% | modelled: within 1%, 5% | predicted: within 5%, 15% | "
          "measured, us | simulated, us | difference |\n|---|---|---|---|---|---|---|---|")
    for run, launch in found:
        print(row(run, launch))
    print_metrics(found)


main()
