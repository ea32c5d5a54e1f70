"""Compares pages of Warplens with those of ncu, as rows of a Markdown table.

compare.py metrics RUN OURS.csv NCU.csv [AGAIN.csv]
                                           raw pages, base units; AGAIN: of ncu, run once more
compare.py table FOLDER RUN...             every metric, from FOLDER/RUN.ours.csv, .theirs.csv and .again.csv
compare.py spread SPREAD.csv KERNEL.csv    raw pages of the same program, counted in both ways
compare.py source RUN OURS.csv NCU.csv     source pages, by machine instruction
compare.py notes < SESSION.json            the notes of a report
"""
import csv
import json
import sys


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def distance(ours, theirs):
    """In percent of theirs; nothing for two values next to zero."""
    if max(abs(ours), abs(theirs)) < 1e-3:
        return 0.0
    if theirs == 0:
        return 0.0 if ours == 0 else float("inf")
    return abs(ours - theirs) / abs(theirs) * 100


def launches(path):
    """Rows of a raw page as dictionaries; the row of units is left out."""
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    names = rows[0]
    return [dict(zip(names, row)) for row in rows[2:]]


def alike(ours, theirs):
    """Pairs of launches of the same kernel, grid and block, in order."""
    left = list(theirs)
    for mine in ours:
        names = ("Kernel Name", "Grid Size", "Block Size")
        other = next((row for row in left if all(row[name] == mine[name] for name in names)), None)
        if other:
            left.remove(other)
            yield mine, other


def distances_of(ours, theirs):
    """{metric: how far apart the launches are that lie furthest apart}"""
    distances = {}
    for mine, other in alike(ours, theirs):
        for name in mine.keys() & other.keys():
            if "__" not in name or name.startswith("device__"):
                continue
            left, right = number(mine[name]), number(other[name])
            if left is not None and right is not None:
                distances[name] = max(distances.get(name, 0.0), distance(left, right))
    return distances


def counted(rows):
    return [row for row in rows if row.get("launch__replay") != "none"]


def compare_metrics(run, ours_path, theirs_path, again_path=None):
    ours, theirs = counted(launches(ours_path)), launches(theirs_path)
    distances = distances_of(ours, theirs)
    noise = distances_of(theirs, launches(again_path)) if again_path else {}
    close = sum(far <= 1 for far in distances.values())
    near = sum(1 < far <= 5 for far in distances.values())
    noisy = [name for name, far in distances.items() if 5 < far <= noise.get(name, 0.0)]
    others = sorted(((far, name) for name, far in distances.items() if far > 5 and name not in noisy), reverse=True)
    worst = ", ".join(f"{name} {far:.0f}% ({noise.get(name, 0):.0f}%)" for far, name in others)
    print(f"| {run} | {min(len(ours), len(theirs))} | {len(distances)} | {close} | {near} | {len(noisy)} | {len(others)} | {worst} |")


def far(distance):
    return "=" if distance == 0 else "new" if distance == float("inf") else f"{distance:.2g}%"


def compare_all(folder, runs):
    """A row for each metric, of the last launch of each run: how far from ncu, and ncu from itself."""
    columns = []
    for run in runs:
        pages = [launches(f"{folder}/{run}.{name}.csv") for name in ("ours", "theirs", "again")]
        columns.append((distances_of(pages[0][-1:], pages[1][-1:]), distances_of(pages[1][-1:], pages[2][-1:])))
    print("| metric | " + " | ".join(runs) + " |")
    print("|---|" + "---|" * len(runs))
    names = sorted(set().union(*(mine for mine, _ in columns)))
    plain = [name for name in names if all(mine.get(name, 0) == 0 for mine, _ in columns)]
    for name in names:
        if name in plain:
            continue
        cells = []
        for mine, noise in columns:
            text = far(mine[name]) if name in mine else ""
            again = noise.get(name, 0)
            cells.append(f"{text} ({far(again)})" if again and text not in ("", "=") else text)
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    print(f"\nEqual in all runs: {', '.join(f'`{name}`' for name in plain)}.")


def compare_spread(spread_path, kernel_path):
    spread = next(row for row in launches(spread_path) if row.get("launch__replay") == "spread")
    kernels = [row for row in launches(kernel_path) if row.get("launch__replay") == "kernel"]
    inside, outside = 0, []
    for name in sorted(spread):
        apart = number(spread.get(name + ".spread_pct", "") or "")
        values = [number(row.get(name, "") or "") for row in kernels]
        values = [value for value in values if value is not None]
        if apart is None or not values:
            continue
        mean = number(spread[name])
        room = abs(mean) * apart / 100
        if min(values) <= mean + room and max(values) >= mean - room:
            inside += 1
        else:
            outside.append(f"{name}: {mean:g} +-{apart:.1f}%, each replayed {min(values):g} to {max(values):g}")
    print(f"{inside} metrics agree within the spread, {len(outside)} do not", *outside, sep="\n- ")


COLUMNS = [
    ("inst_executed", "Instructions Executed"),
    ("memory_l2_theoretical_sectors_global", "L2 Theoretical Sectors Global"),
    ("memory_l2_theoretical_sectors_global_ideal", "L2 Theoretical Sectors Global Ideal"),
    ("memory_l1_wavefronts_shared", "L1 Wavefronts Shared"),
    ("memory_l1_wavefronts_shared_ideal", "L1 Wavefronts Shared Ideal"),
]
SAMPLES = ("smsp__pcsamp_sample_count", "# Samples")


def our_instructions(path):
    """Of the first launch: {index: row}, and the line of each."""
    with open(path, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["Kind"] == "instruction"]
    counted_ids = [row["ID"] for row in rows if number(row.get("inst_executed", "") or "")]
    first = counted_ids[0] if counted_ids else ""
    return {int(row["Index"]): row for row in rows if row["ID"] == first}


def their_instructions(path):
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    start = next(i for i, row in enumerate(rows) if "Source" in row and "Address" in row)
    names = rows[start]
    found = []
    for row in rows[start + 1:]:
        if len(row) != len(names) or not row[names.index("Address")].startswith("0x"):
            break
        found.append(dict(zip(names, row)))
    return dict(enumerate(found))


def compare_source(run, ours_path, theirs_path):
    ours, theirs = our_instructions(ours_path), their_instructions(theirs_path)
    cells = []
    for mine, other in COLUMNS:
        same = different = 0
        for index in theirs:
            left = number(ours.get(index, {}).get(mine, "0") or "0") or 0
            right = number(theirs[index].get(other, "0")) or 0
            same, different = same + (left == right), different + (left != right)
        cells.append("all equal" if different == 0 else f"{different} of {same + different} differ")

    def hottest(rows, column):
        lines = {}
        for index, row in rows.items():
            line = ours.get(index, {}).get("Line", "?")
            lines[line] = lines.get(line, 0) + (number(row.get(column, "0") or "0") or 0)
        return max(lines, key=lines.get) if lines else "?"

    left, right = hottest(ours, SAMPLES[0]), hottest(theirs, SAMPLES[1])
    cells.append(f"the same, {left}" if left == right else f"{left}, ncu {right}")
    print(f"| {run} | {len(ours)} and {len(theirs)} instructions | " + " | ".join(cells) + " |")


def main():
    if sys.argv[1] == "notes":
        for note in json.load(sys.stdin).get("notes", []):
            print("-", note.get("text", note))
    elif sys.argv[1] == "metrics":
        compare_metrics(*sys.argv[2:])
    elif sys.argv[1] == "table":
        compare_all(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "spread":
        compare_spread(*sys.argv[2:])
    else:
        compare_source(*sys.argv[2:])


main()
