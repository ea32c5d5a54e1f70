"""Compares pages of Warplens with those of ncu, as Markdown.

compare.py programs FOLDER RUN...          raw pages FOLDER/RUN.ours.csv, .lines.csv (samples and counts at
                                           instructions), .theirs.csv and .again.csv (of ncu, run once more):
                                           a row for each run, a row for each metric, and each miss
compare.py spread SPREAD.csv KERNEL.csv    raw pages of the same program, counted in both ways
compare.py source RUN OURS.csv NCU.csv     source pages, by machine instruction
compare.py notes < SESSION.json            the notes of a report
"""
import csv
import fnmatch
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def launches(path):
    """Rows of a raw page as dictionaries; the row of units is left out."""
    try:
        with open(path, newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except FileNotFoundError:
        return []
    names = next((row for row in rows if "Kernel Name" in row), [])
    first = rows.index(names) + 2 if names else len(rows)
    return [dict(zip(names, row)) for row in rows[first:]]


def alike(ours, theirs):
    """Pairs of launches of the same kernel, grid and block, in order."""
    left = list(theirs)
    for mine in ours:
        names = ("Kernel Name", "Grid Size", "Block Size")
        other = next((row for row in left if all(row[name] == mine[name] for name in names)), None)
        if other:
            left.remove(other)
            yield mine, other


# ---- all programs ----

# What must be within 1%: launch facts, instructions, requests, sectors, wavefronts. The rest within 5%.
COUNTS = ("launch__*", "smsp__inst_*.sum", "smsp__sass_*", "smsp__thread_inst_*", "memory_*", "derived__memory_*",
          "l1tex__t_requests_*", "l1tex__t_sectors_*_op_ld.sum", "l1tex__t_sectors_*_op_st.sum",
          "l1tex__t_sectors_*_op_atom.sum", "l1tex__t_sectors_*_op_red.sum", "l1tex__data_pipe_lsu_wavefronts_*",
          "sm__maximum_warps_*")


def limit_pct(metric):
    return 1 if any(fnmatch.fnmatchcase(metric, pattern) for pattern in COUNTS) else 5


def rounding(text):
    """Half of the last digit that ncu prints, where it prints a fraction."""
    return 0.5 * 10 ** -len(text.split(".")[1]) if "." in text else 0.0


def apart(left, right, room):
    """In percent of right, beyond what right is rounded by."""
    distance = max(0.0, abs(left - right) - room)
    if distance == 0:
        return 0.0
    return distance / abs(right) * 100 if right else float("inf")


class Reading:
    """One metric of one launch: ours, ncu's, and ncu's once more."""

    def __init__(self, run, metric, ours, theirs, again):
        self.run, self.metric = run, metric
        self.ours, self.theirs, self.again = number(ours), number(theirs), number(again or "")
        room = rounding(theirs)
        self.pct = apart(self.ours, self.theirs, room)
        self.noise_pct = 0.0 if self.again is None else apart(self.again, self.theirs, 0.0)
        between = sorted(value for value in (self.theirs, self.again) if value is not None)
        self.is_between = between[0] - room <= self.ours <= between[-1] + room
        self.is_close = self.pct <= limit_pct(metric)
        self.is_noise = not self.is_close and (self.pct <= self.noise_pct or self.is_between)
        self.is_miss = not self.is_close and not self.is_noise


def readings_of(folder, run):
    pages = [launches(f"{folder}/{run}.{name}.csv") for name in ("ours", "theirs", "again")]
    ours = [row for row in pages[0] if row.get("launch__replay") != "none"]
    for mine, lines in alike(ours, launches(f"{folder}/{run}.lines.csv")):
        mine.update({name: text for name, text in lines.items() if not mine.get(name)})
    again = {id(theirs): twice for theirs, twice in alike(pages[1], pages[2])}
    found = []
    for mine, theirs in alike(ours, pages[1]):
        twice = again.get(id(theirs), {})
        for metric in sorted(mine.keys() & theirs.keys()):
            is_fact = "__" not in metric and not metric.startswith("memory_")
            if is_fact or metric.startswith("device__"):
                continue
            if number(mine[metric]) is not None and number(theirs[metric]) is not None:
                found.append(Reading(run, metric, mine[metric], theirs[metric], twice.get(metric)))
    return len(pages[1]), found


def short(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def percent(value):
    return "=" if value == 0 else "ncu read 0" if value == float("inf") else f"{value:.2g}%"


def print_runs(runs, counted, readings):
    print("| run | launches | metrics | equal | within the limit | within what two runs of ncu differ by | misses |")
    print("|---|---|---|---|---|---|---|")
    for run in runs:
        of_run = [reading for reading in readings if reading.run == run]
        print(f"| {run} | {counted[run]} | {len(of_run)} | {sum(r.pct == 0 for r in of_run)} | "
              f"{sum(r.is_close and r.pct > 0 for r in of_run)} | {sum(r.is_noise for r in of_run)} | "
              f"{sum(r.is_miss for r in of_run)} |")


def print_metrics(readings):
    by_metric = {}
    for reading in readings:
        by_metric.setdefault(reading.metric, []).append(reading)
    with open(f"{HERE}/metrics") as file:
        wanted = file.read().split()
    absent = [name for name in wanted if name not in by_metric]
    equal = sorted(name for name, of in by_metric.items() if all(r.pct == 0 for r in of))
    print("\n| metric | limit | launches | equal | within the limit | as far as ncu from itself | misses | furthest | "
          "there ncu from itself |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sorted(by_metric):
        of = by_metric[name]
        if name in equal:
            continue
        worst = max(of, key=lambda reading: reading.pct)
        print(f"| `{name}` | {limit_pct(name)}% | {len(of)} | {sum(r.pct == 0 for r in of)} | "
              f"{sum(r.is_close and r.pct > 0 for r in of)} | {sum(r.is_noise for r in of)} | "
              f"{sum(r.is_miss for r in of)} | {percent(worst.pct)}, {worst.run} | {percent(worst.noise_pct)} |")
    print(f"\nEqual in all launches: {', '.join(f'`{name}`' for name in equal)}.")
    if absent:
        print(f"\nNot in both: {', '.join(f'`{name}`' for name in absent)}.")


def explanations():
    with open(f"{HERE}/explanations") as file:
        rows = [line.split("|", 2) for line in file if line.strip() and not line.startswith("#")]
    return [[cell.strip() for cell in row] for row in rows]


def print_misses(readings):
    reasons, groups = explanations(), {}
    for reading in readings:
        if not reading.is_miss:
            continue
        why = next((text for metrics, runs, text in reasons
                    if any(fnmatch.fnmatchcase(reading.metric, pattern) for pattern in metrics.split())
                    and any(fnmatch.fnmatchcase(reading.run, pattern) for pattern in runs.split())), "Not explained")
        groups.setdefault(why, {}).setdefault(reading.metric, []).append(reading)
    for why in sorted(groups, key=lambda text: text == "Not explained"):
        print(f"\n{why}.\n" if why[-1] != "." else f"\n{why}\n")
        print("| metric | misses: Warplens, ncu, ncu once more |\n|---|---|")
        for metric, of in sorted(groups[why].items()):
            cells = [f"{r.run} {short(r.ours)}, {short(r.theirs)}, {'-' if r.again is None else short(r.again)}"
                     for r in sorted(of, key=lambda reading: -reading.pct)]
            rest = f"; {len(cells) - 6} more" if len(cells) > 6 else ""
            print(f"| `{metric}` | {'; '.join(cells[:6])}{rest} |")


def compare_programs(folder, *runs):
    counted, readings = {}, []
    for run in runs:
        counted[run], found = readings_of(folder, run)
        readings += found
    print_runs(runs, counted, readings)
    total = len(readings) or 1
    print(f"\n{len(readings)} readings: {sum(r.pct == 0 for r in readings)} equal, "
          f"{sum(r.is_close and r.pct > 0 for r in readings)} within the limit, "
          f"{sum(r.is_noise for r in readings)} within what two runs of ncu differ by, "
          f"{sum(r.is_miss for r in readings)} misses ({100 * sum(r.is_miss for r in readings) / total:.1f}%).")
    print_metrics(readings)
    print_misses(readings)


# ---- like launches, spread and each replayed ----

def compare_spread(spread_path, kernel_path):
    spread = next(row for row in launches(spread_path) if row.get("launch__replay") == "spread")
    kernels = [row for row in launches(kernel_path) if row.get("launch__replay") == "kernel"]
    inside, outside = 0, []
    for name in sorted(spread):
        room_pct = number(spread.get(name + ".spread_pct", "") or "")
        values = [number(row.get(name, "") or "") for row in kernels]
        values = [value for value in values if value is not None]
        if room_pct is None or not values:
            continue
        mean = number(spread[name])
        room = abs(mean) * room_pct / 100
        if min(values) <= mean + room and max(values) >= mean - room:
            inside += 1
        else:
            outside.append(f"{name}: {mean:g} +-{room_pct:.1f}%, each replayed {min(values):g} to {max(values):g}")
    print(f"{inside} metrics agree within the spread, {len(outside)} do not", *outside, sep="\n- ")


# ---- by machine instruction ----

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


def print_notes():
    for note in json.load(sys.stdin).get("notes", []):
        print("-", note.get("text", note))


COMMANDS = {"programs": compare_programs, "spread": compare_spread, "source": compare_source, "notes": print_notes}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
