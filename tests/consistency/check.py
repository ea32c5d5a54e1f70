#!/usr/bin/env python3
"""check.py WARPLENS REPORT...: reads what each page says of each report and fails where two things that are said cannot
both be true: a stop beside a gain or much that is left, a gain beyond the ceiling, amounts that do not add up, two
gains for one cause, a cause whose end costs time, more than 100 % of a floor, a page or the data of the HTML page with
another number than the advice has, a command that cannot be pasted into a shell. Where PAGES names the program made of
pages.c, it prints the pages of a report in one run; of the last of several, those that `warplens show` prints must be the same."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

EPSILON = 1e-6
CHANGEABLE = {"shared-conflicts", "uncoalesced", "barriers", "divergence", "idle-warps", "occupancy-registers",
              "occupancy-shared", "occupancy-blocks", "tail-wave", "atomics", "constants", "local-memory",
              "special-functions", "nonfused"}
MOST_LEFT, LEAST_GAIN = 0.25, 0.05  # src/analyse/advise/ladder.h


class Report:
    def __init__(self, warplens, path, is_compared=False):
        self.warplens, self.path, self.faults, self.printed = warplens, path, [], {}
        if os.environ.get("PAGES"):
            self.printed = self.read_pages(os.environ["PAGES"])
        for options, text in self.printed.items() if is_compared else ():
            if self.show(*options.split()) != text:
                self.fault("warplens show %s prints something else than pages.c", options)
        self.advice = self.read_json("--page", "advice", "--json")
        self.whatif = self.read_json("--page", "whatif", "--json") or {"whatif": []}
        self.sarif = self.read_json("--sarif")
        self.guide = self.read("--page", "guide")
        self.text = self.read("--page", "advice")
        self.details = self.read("--page", "details")
        self.details_json = self.read_json("--page", "details", "--json") or {"launches": []}
        self.summary = self.read_json("--page", "summary", "--json") or {"launches": []}
        self.html = self.read_html()

    def read_pages(self, program):
        """What pages.c prints, by the options of the page."""
        run, printed = subprocess.run([program, self.path], capture_output=True), {}
        if run.returncode:
            self.fault("its pages: %s", run.stderr.decode())
        rest = run.stdout
        while rest:
            head, _, rest = rest.partition(b"\n")
            options, size = head.decode().split(": ")
            printed[options], rest = rest[:int(size)].decode(), rest[int(size):]
        return printed

    def read(self, *options):
        return self.printed[" ".join(options)] if " ".join(options) in self.printed else self.show(*options)

    def show(self, *options):
        run = subprocess.run([self.warplens, "show", self.path, *options], capture_output=True, text=True)
        return run.stdout if run.returncode == 0 else ""

    def read_json(self, *options):
        text = self.read(*options)
        return json.loads(text) if text else None

    def program(self):
        """The words with which the report's program was started."""
        session = self.read_json("--page", "session", "--json") or {}
        return shlex.split(session.get("session", {}).get("command_line", ""))

    def read_html(self):
        """The sections of data that the page has, by name."""
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            run = subprocess.run([self.warplens, "export", self.path, "-q", "--html", page], capture_output=True, text=True)
            if run.returncode:
                self.fault("no HTML page: %s", run.stderr)
                return {}
            with open(page, encoding="utf-8") as file:
                sections = re.findall(r'<script type="application/json" id="data-([a-z]+)">(.*?)</script>', file.read(), re.S)
        return {name: json.loads(text) for name, text in sections}

    def fault(self, format, *values):
        self.faults.append(f"{self.path}: " + format % values)


def findings_of(report, kernel):
    return [f for f in report.advice["findings"] if f.get("kernel") == kernel]


def check_ladders(report):
    for kernel in report.advice["kernels"]:
        name = kernel["kernel"]
        warnings = [f for f in findings_of(report, name) if f["severity"] == "warning"]
        gains = [f["gain"]["saved"] if f["gain"] else 1 for f in warnings]
        if kernel["verdict"] == "stop" and any(gain >= LEAST_GAIN for gain in gains):
            report.fault("%s: stop, and a gain of %.0f%%", name, 100 * max(gains))
        if kernel["verdict"] == "go on" and not warnings:
            report.fault("%s: go on, and nothing found", name)
        if "ladder_ns" not in kernel:
            if kernel["verdict"] == "stop":
                report.fault("%s: stop, and what is left is not known", name)
            continue
        steps, duration = kernel["ladder_ns"], kernel["duration_ns"]
        if min(steps.values()) < 0:
            report.fault("%s: a step of the ladder is negative: %s", name, steps)
        if abs(sum(steps.values()) - duration) > EPSILON * duration:
            report.fault("%s: the ladder has %.1f ns of %.1f", name, sum(steps.values()), duration)
        if abs(kernel["room"] - (1 - kernel["least_ns"] / duration)) > EPSILON:
            report.fault("%s: room %.4f, least %.1f of %.1f ns", name, kernel["room"], kernel["least_ns"], duration)
        if kernel["verdict"] == "stop" and kernel["room"] > MOST_LEFT + EPSILON:
            report.fault("%s: stop, and %.0f%% is left", name, 100 * kernel["room"])
        if kernel["verdict"] == "stop" and kernel["open"] >= LEAST_GAIN:
            report.fault("%s: stop, and a what-if gains %.0f%%", name, 100 * kernel["open"])
        if kernel["unit_part"] > 1 + EPSILON:
            report.fault("%s: its busiest unit works for %.0f%% of the time", name, 100 * kernel["unit_part"])


def check_gains(report):
    rooms = {k["launch"]: k["room"] for k in report.advice["kernels"] if "room" in k}
    causes = {}
    for row in report.whatif["whatif"]:
        for cause in row["causes"] + row["bounds"]:
            causes[row["id"], cause["cause"]] = (cause["duration_ns"], row["duration_ns"])
    opens = {k["launch"]: k["open"] for k in report.advice["kernels"] if "open" in k}
    for row in report.whatif["whatif"]:
        best = max([1 - c["duration_ns"] / row["duration_ns"] for c in row["causes"] if c["cause"] in CHANGEABLE] + [0])
        if row["id"] in opens and abs(min(best, rooms[row["id"]]) - opens[row["id"]]) > EPSILON:
            report.fault("launch %s: %.4f is open, by the what-if page %.4f", row["id"], opens[row["id"]], best)
    by_cause = {}
    for finding in report.advice["findings"]:
        gain, what = finding["gain"], f"{finding['id']} of launch {finding.get('launch')}"
        if not gain:
            continue
        saved, room = gain["saved"], rooms.get(finding.get("launch"))
        if not 0 <= saved < 1:
            report.fault("%s: saves %.3f", what, saved)
        if room is not None and not finding.get("lowers_least") and saved > room + EPSILON:
            report.fault("%s: saves %.1f%%, where %.1f%% is left", what, 100 * saved, 100 * room)
        if saved < 1 and abs(gain["factor"] * (1 - saved) - 1) > 1e-3:
            report.fault("%s: saves %.3f, factor %.3f", what, saved, gain["factor"])
        if gain.get("saved_program", 0) > saved + EPSILON:
            report.fault("%s: saves more of the program than of itself", what)
        match = re.match(r"timed again without ([a-z0-9-]+): ", gain["how"])
        if gain["obtained"] == "what-if" and not match:
            report.fault("%s: a what-if without its cause: %s", what, gain["how"])
        if match:
            key = (finding["launch"], match[1])
            if key not in causes:
                report.fault("%s: the what-if page has no %s", what, match[1])
                continue
            without, duration = causes[key]
            own = 1 - without / duration
            limit = own if finding.get("lowers_least") or room is None else min(own, room)
            if abs(saved - limit) > 1e-4:
                report.fault("%s: saves %.4f here and %.4f by %s on the what-if page", what, saved, limit, match[1])
            if abs(by_cause.setdefault(key, saved) - saved) > 1e-4:
                report.fault("%s: two gains for %s: %.4f and %.4f", what, match[1], saved, by_cause[key])
    results = report.sarif["runs"][0]["results"] if report.sarif else []
    for finding, result in zip(report.advice["findings"], results):
        saved = finding["gain"]["saved"] if finding["gain"] else None
        if result["ruleId"] != finding["id"] or abs((result["properties"].get("saved") or 0) - (saved or 0)) > EPSILON:
            report.fault("SARIF says %s %s, advice %s %s", result["ruleId"], result["properties"].get("saved"),
                         finding["id"], saved)


def check_whatif(report):
    for row in report.whatif["whatif"]:
        single = {c["cause"]: c["duration_ns"] for c in row["causes"] + row["bounds"]}
        for cause, ns in single.items():
            if ns > row["duration_ns"] * (1 + EPSILON) or ns <= 0:
                report.fault("launch %s: %.1f ns without %s, %.1f with it", row["id"], ns, cause, row["duration_ns"])
        for pair in row["pairs"]:
            least = min(single[c] for c in pair["cause"].split("+"))
            if pair["duration_ns"] > least * (1 + EPSILON):
                report.fault("launch %s: without %s it takes longer than without one of them", row["id"], pair["cause"])


def check_texts(report):
    pages = {"guide": report.guide, "advice": report.text, "details": report.details}
    for name, text in pages.items():
        flat = re.sub(r"\s+", " ", text)
        if re.search(r"saves 0% \(1\.00x\)", flat):
            report.fault("%s: 'saves 0%% (1.00x)'", name)
        if re.search(r"[0-9.]+x is left", flat):
            report.fault("%s: so many times are left", name)
        for match in re.finditer(r"works for ([0-9.]+)%|([0-9.]+)% of the (?:compute|memory) peak|at ([0-9.]+)% of what", flat):
            if max(float(part) for part in match.groups() if part) > 100:
                report.fault("%s: %s", name, match[0])
        for match in re.finditer(r"; the rest: ([^;]*?)(?= evidence:| Metric|$|\n)", flat):
            parts = [float(p) for p in re.findall(r" ([0-9]+)%", match[1])]
            if sum(parts) > 104:
                report.fault("%s: parts of more than all: %s", name, match[0])
        whole = re.search(r"The program takes .*? Of that: (.*?)(?:Best first|most to gain|next:|$)", flat)
        lines = re.findall(r"^ {3} {1,3}([0-9.]+)%  ", text, re.M) if whole else []
        if lines and sum(map(float, lines)) > 101:
            report.fault("%s: parts of the program add up to %.1f%%", name, sum(map(float, lines)))
    if len(re.findall(r"; the rest: ", report.guide)) > 1:
        report.fault("the guide says twice what the rest is")
    done = re.search(r"5\. Is it done\?\n(.*?)(?=\n   verdict:|\n  Marks|\Z)", report.guide, re.S)
    about = re.search(r"The rest is about (.*?)\.\n2\.", report.guide, re.S)
    if done and about:
        kernel_name, answer = re.sub(r"\s+", " ", about[1]), re.sub(r"\s+", " ", done[1]).strip()
        for kernel in report.advice["kernels"]:
            if kernel["kernel"] != kernel_name:
                continue
            begins = {"stop": "yes: ", "go on": "no: ", "open": ("perhaps not: ", "not known: ")}[kernel["verdict"]]
            if not answer.startswith(begins):
                report.fault("the guide says '%s', the verdict is %s", answer, kernel["verdict"])
            if "how much is left" not in answer and answer.startswith("not known"):
                report.fault("the guide says '%s', though what is left is known", answer)
            if kernel["verdict"] == "open" and "perhaps not" in answer and "another kernel, or less work" in report.guide:
                report.fault("the guide says '%s', and to look at another kernel", answer)
            if ("stop here" in answer) != (kernel["verdict"] == "stop"):
                report.fault("the guide says '%s', the verdict is %s", answer, kernel["verdict"])


SHOWN_UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def check_html(report):
    """Findings, gains, verdicts, ladders, what-ifs and the walk of the page are those of the other pages."""
    advice = report.html.get("advice", {"findings": [], "kernels": []})
    if advice.get("kernels") != report.advice["kernels"]:
        report.fault("HTML has other verdicts or ladders than the advice")
    ours, theirs = report.advice["findings"], advice["findings"]
    if len(ours) != len(theirs):
        report.fault("HTML has %d findings, the advice %d", len(theirs), len(ours))
    for own, other in zip(ours, theirs):
        for key in ("id", "launch", "severity", "title"):
            if own.get(key) != other.get(key):
                report.fault("%s: HTML has another %s: %s", own["id"], key, other.get(key))
        gain, shown = own["gain"] or {}, other["gain"] or {}
        if any(shown.get(key) != value for key, value in gain.items()):
            report.fault("%s: HTML says %s, the advice %s", own["id"], shown, gain)
        words = shown.get("saved_shown", "").replace(",", "").split()
        if "saved_ns" in gain and (len(words) != 2 or abs(float(words[0]) * SHOWN_UNITS[words[1]] - gain["saved_ns"]) >
                                   0.01 * gain["saved_ns"] + 0.01 * SHOWN_UNITS[words[1]]):
            report.fault("%s: HTML shows %s of %.1f ns", own["id"], shown.get("saved_shown"), gain["saved_ns"])
    whatif = report.html.get("whatif", {})
    for row in report.whatif["whatif"]:
        launch = whatif.get("launches", {}).get(str(row["id"]))
        if not launch:
            report.fault("HTML has no what-if of launch %s", row["id"])
            continue
        parts = whatif["parts"][launch["parts"]]
        for cause in row["causes"] + row["bounds"]:
            part = cause["duration_ns"] / row["duration_ns"]
            if abs(parts.get(cause["cause"], 1) - part) > 1e-4:
                report.fault("launch %s without %s: HTML says %.4f of the time, the what-if page %.4f", row["id"], cause["cause"],
                             parts.get(cause["cause"], 1), part)
    flat = re.sub(r"\s+", " ", report.guide.replace(report.path, os.path.basename(report.path)))
    for step in report.html.get("guide", {}).get("steps", []):
        for answer in step["answers"]:
            if re.sub(r"\s+", " ", answer["text"]).strip() not in flat:
                report.fault("HTML's walk says '%s', the guide does not", answer["text"])


def check_durations(report):
    """Of a launch each page has one duration; details have the findings and gains of the advice."""
    durations = {k["launch"]: k["duration_ns"] for k in report.advice["kernels"] if "duration_ns" in k}
    for launch in report.summary["launches"]:
        metric = launch["metrics"].get("gpu__time_duration.sum", {})
        own, said = metric.get("value"), durations.get(launch["id"])
        if own and said and abs(own - said) > EPSILON * own:
            report.fault("launch %s takes %.1f ns on the summary, %.1f in the advice", launch["id"], own, said)
    gains = {}
    for finding in report.advice["findings"]:
        if finding["gain"] and "launch" in finding:
            gains.setdefault((finding["launch"], finding["id"]), []).append(100 * finding["gain"]["saved"])
    for launch in report.details_json["launches"]:
        for section in launch.get("sections", []):
            for finding in section.get("findings", []):
                said, own = gains.get((launch["id"], finding["rule"])), finding["estimated_speedup_pct"]
                if said and own is not None and min(abs(own - gain) for gain in said) > 0.01:
                    report.fault("%s of launch %s: %.2f %% on the details page, %s in the advice", finding["rule"], launch["id"],
                                 own, said)


def check_commands(report):
    """What follows `next:`, and what a finding says to run, can be pasted where the report lies."""
    commands = set(re.findall(r"^\s*next: (.*)$", report.guide, re.M))
    commands |= {f["advice"] for f in report.advice["findings"] if f.get("advice", "").startswith("warplens ")}
    for command in sorted(commands):
        try:
            words = shlex.split(command, comments=True)
        except ValueError as error:
            report.fault("'%s' is no command: %s", command, error)
            continue
        if words[:1] != ["warplens"]:
            report.fault("'%s' does not begin with warplens", command)
        elif words[1] == "show" and words[2] == report.path and words[3:] in (["--page", "summary"], ["--page", "advice"]):
            continue  # that is how those pages were read
        elif words[1] == "show":
            run = subprocess.run([report.warplens, *words[1:]], capture_output=True, text=True)
            if run.returncode:
                report.fault("'%s' ends with %d: %s", command, run.returncode, run.stderr)
        else:  # it runs the program: as the report's own session did, and with options that there are
            program = report.program()
            if program and words[-len(program):] != program:
                report.fault("'%s' runs another program than %s", command, program)
            options = words[1:len(words) - len(program)]
            run = subprocess.run([report.warplens, *options, "/nothing/there"], capture_output=True, text=True)
            if run.returncode == 2 or "/nothing/there" not in run.stderr:
                report.fault("'%s': %s", command, run.stderr)


def main():
    status = 0
    for path in sys.argv[2:]:
        report = Report(sys.argv[1], path, is_compared=len(sys.argv) > 3 and path == sys.argv[-1])
        if report.advice is None:
            print(f"{path}: the advice cannot be read", file=sys.stderr)
            status = 1
            continue
        check_ladders(report)
        check_gains(report)
        check_whatif(report)
        check_texts(report)
        check_html(report)
        check_durations(report)
        check_commands(report)
        for fault in report.faults:
            print(fault, file=sys.stderr)
            status = 1
        print(f"{path}: {len(report.advice['findings'])} findings, {len(report.advice['kernels'])} kernels, "
              f"{len(report.faults)} contradictions")
    return status


if __name__ == "__main__":
    sys.exit(main())
