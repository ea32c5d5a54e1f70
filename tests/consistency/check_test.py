#!/usr/bin/env python3
"""Each way of contradicting oneself is found by check.py: pages that agree, then one thing changed in them."""
import copy

import check

KERNEL = {"launch": 0, "kernel": "k(float *)", "verdict": "go on", "duration_ns": 1000.0, "least_ns": 300.0, "room": 0.7,
          "open": 0.4, "unit": "l2", "unit_part": 0.5, "ladder_ns": {"launch": 100.0, "ideal": 200.0, "excess": 300.0, "wait": 400.0}}
FINDING = {"id": "global-uncoalesced", "severity": "warning", "launch": 0, "kernel": "k(float *)", "title": "far apart",
           "advice": "exchange the indices",
           "gain": {"saved": 0.4, "factor": 1 / 0.6, "obtained": "what-if", "saved_ns": 400.0, "confidence": "medium",
                    "how": "timed again without uncoalesced: 600 ns instead of 1000 ns"}}
GUIDE = """The rest is about k(float *).
2. What bounds it?
   next: warplens show run.wlr --page source -k k
5. Is it done?
   no: global-uncoalesced saves 40% (1.67x), 400.00 ns
"""


class Pages(check.Report):
    def __init__(self):
        self.warplens, self.path, self.faults = "true", "run.wlr", []
        self.advice = {"kernels": [copy.deepcopy(KERNEL)], "findings": [copy.deepcopy(FINDING)]}
        cause = {"cause": "uncoalesced", "duration_ns": 600.0}
        self.whatif = {"whatif": [{"id": 0, "duration_ns": 1000.0, "causes": [cause], "bounds": [], "pairs": []}]}
        self.sarif = {"runs": [{"results": [{"ruleId": FINDING["id"], "properties": {"saved": 0.4}}]}]}
        self.guide, self.text, self.details = GUIDE, "", ""
        self.summary = {"launches": [{"id": 0, "metrics": {"gpu__time_duration.sum": {"value": 1000.0}}}]}
        self.details_json = {"launches": [{"id": 0, "sections": [
            {"findings": [{"rule": FINDING["id"], "estimated_speedup_pct": 40.0}]}]}]}
        shown = copy.deepcopy(self.advice)
        shown["findings"][0]["gain"]["saved_shown"] = "400 ns"
        self.html = {"advice": shown, "whatif": {"launches": {"0": {"parts": 0}}, "parts": [{"uncoalesced": 0.6}]},
                     "guide": {"steps": [{"answers": [{"text": "no: global-uncoalesced saves 40% (1.67x), 400.00 ns"}]}]}}

    def finding(self):
        return self.advice["findings"][0]

    def kernel(self):
        return self.advice["kernels"][0]


def stop(pages):
    pages.kernel()["verdict"] = "stop"


def stop_with_room(pages):
    stop(pages)
    pages.finding()["severity"] = "note"
    pages.kernel()["open"] = 0.0


def beyond_the_ceiling(pages):
    pages.finding()["gain"].update(saved=0.8, factor=5.0, obtained="formula", how="by counts")


def not_the_sum(pages):
    pages.kernel()["ladder_ns"]["wait"] = 300.0


def other_in_sarif(pages):
    pages.sarif["runs"][0]["results"][0]["properties"]["saved"] = 0.3


def other_on_whatif(pages):
    pages.whatif["whatif"][0]["causes"][0]["duration_ns"] = 700.0


def other_in_html(pages):
    pages.html["advice"]["findings"][0]["gain"]["saved"] = 0.3


def other_shown(pages):
    pages.html["advice"]["findings"][0]["gain"]["saved_shown"] = "0.5 us"


def other_part(pages):
    pages.html["whatif"]["parts"][0]["uncoalesced"] = 0.9


def other_walk(pages):
    pages.html["guide"]["steps"][0]["answers"][0]["text"] = "yes: stop here"


def other_details(pages):
    pages.details_json["launches"][0]["sections"][0]["findings"][0]["estimated_speedup_pct"] = 12.0


def other_duration(pages):
    pages.summary["launches"][0]["metrics"]["gpu__time_duration.sum"]["value"] = 900.0


def cost(pages):
    pages.whatif["whatif"][0]["causes"].append({"cause": "barriers", "duration_ns": 1100.0})


def guide_says_stop(pages):
    pages.guide = GUIDE.replace("no: global", "yes: stop here: global")


def no_command(pages):
    pages.guide = GUIDE.replace("run.wlr", "it's.wlr")


def command_that_fails(pages):
    pages.warplens = "false"


FAULTS = {stop: "stop, and a gain of 40%", stop_with_room: "stop, and 70% is left", beyond_the_ceiling: "where 70.0% is left",
          not_the_sum: "the ladder has 900.0 ns of 1000.0", other_in_sarif: "SARIF says", other_on_whatif: "by uncoalesced on the what-if page",
          other_in_html: "HTML says {'saved': 0.3", other_shown: "HTML shows 0.5 us of 400.0 ns", other_part: "HTML says 0.9000 of the time",
          other_walk: "HTML's walk says 'yes: stop here'", other_details: "12.00 % on the details page",
          other_duration: "takes 900.0 ns on the summary", cost: "1100.0 ns without barriers", guide_says_stop: "the verdict is go on",
          no_command: "is no command", command_that_fails: "ends with 1"}


def faults_of(change):
    pages = Pages()
    change(pages)
    for look in (check.check_ladders, check.check_gains, check.check_whatif, check.check_texts, check.check_html, check.check_durations,
                 check.check_commands):
        look(pages)
    return "\n".join(pages.faults)


assert faults_of(lambda pages: None) == "", faults_of(lambda pages: None)
for change, words in FAULTS.items():
    assert words in faults_of(change), f"{change.__name__}: {faults_of(change)}"
print(f"{len(FAULTS)} contradictions are found")
