/* The report beside its baselines. */
(() => {
    const { h, data, mark, term } = warplens;

    /* Metrics of which more is better; of the others less is, where either is. */
    const good = /hit_rate|warps_active|warps_per_active|occupancy|efficiency|thread_inst_executed_per_inst_executed/,
        neutral = /launch__|not_selected|inst_executed_pipe|throughput|per_second/; /* a unit that works less may have less to do */

    function verdict(each) {
        if (each.is_noise || !each.change_pct || neutral.test(each.metric)) return "";
        return each.change_pct > 0 === good.test(each.metric) ? " better" : " worse";
    }

    function change(each) {
        const { change_pct: percent, is_noise: isNoise } = each;
        if (percent === null || percent === undefined) return h("td", { class: "number absent" }, "n/a");
        return h(
            "td",
            { class: "number" + (isNoise ? " noise" : verdict(each)), "data-value": percent },
            (percent > 0 ? "+" : "") + percent.toFixed(1) + " %" + (isNoise ? " (noise)" : ""),
            verdict(each) ? h("span", { class: "sign", "aria-label": verdict(each).trim() }, verdict(each) === " better" ? " ✓" : " ✗") : null,
        );
    }

    function side(value, mark) {
        return value && value.shown !== undefined
            ? h(
                  "td",
                  { class: "number", "data-value": value.mean },
                  value.shown,
                  mark
                      ? h(
                            "span",
                            { class: "mark mark-" + mark, "aria-label": mark },
                            " " + data("session").marks.find((each) => each.name === mark).sign,
                        )
                      : null,
              )
            : h("td", { class: "number absent" }, "n/a");
    }

    function bar(each) {
        const percent = Math.max(-100, Math.min(100, each.change_pct || 0));
        return h(
            "td",
            { class: "change" },
            h("div", {
                class: (percent < 0 ? "less" : "more") + verdict(each),
                style: "width:" + Math.abs(percent) / 2 + "%;" + (percent < 0 ? "right" : "left") + ":50%",
            }),
        );
    }

    /* What a metric is called on other pages, and in which section it stands there. */
    function nameOf(metric) {
        const { sections, metrics } = data("launches") || { sections: [] };
        for (const section of sections)
            for (const [label, index] of section.metrics) if (metrics[index].name === metric) return { label, group: section.name };
        return { label: metric, group: "Others" };
    }

    function changeTable(rows, comparison, name, group) {
        const heads = [[group], [comparison.base, "number"], [comparison.new, "number"], ["Change", "number"], [""]];
        const row = (each) =>
            h(
                "tr",
                { "data-metric": each.metric },
                h("th", { scope: "row" }, term(nameOf(each.metric).label, each.metric)),
                side(each.base, each.mark),
                side(each.new, each.mark),
                change(each),
                bar(each),
            );
        return warplens.order(
            h(
                "table",
                { class: "metrics", "data-group": group },
                h("thead", {}, h("tr", {}, heads.map(([text, kind]) => h("th", { scope: "col", class: kind || null }, text)))),
                h("tbody", {}, rows.map(row)),
            ),
            name,
        );
    }

    /* Changes by the section of the metric, in the order in which sections first come. */
    function changeTables(each, comparison) {
        const groups = new Map();
        for (const row of each.changes) {
            const { group } = nameOf(row.metric);
            groups.set(group, (groups.get(group) || []).concat(row));
        }
        const others = groups.get("Others");
        if (others && groups.delete("Others")) groups.set("Others", others);
        return h(
            "div",
            { class: "scroll compare" },
            [...groups].map(([group, rows]) => changeTable(rows, comparison, each.new + " " + group, group)),
        );
    }

    function kernel(each, comparison) {
        return h(
            "section",
            { class: "card" },
            h("h2", {}, each.base === each.new ? each.new : each.base + " → " + each.new),
            changeTables(each, comparison),
            reasons(each.why),
            lines(each.lines, comparison, each.new),
        );
    }

    // Which waits of warps went and came.
    function reasons(why) {
        return why && why.length
            ? h(
                  "ul",
                  { class: "why" },
                  why.map((reason) => h("li", {}, reason.text)),
              )
            : "";
    }

    /* Lines at which more or less was counted, the largest difference first. */
    function lines(list, comparison, kernel) {
        if (!list || !list.length) return "";
        const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 0 });
        const row = (each) =>
            h(
                "tr",
                {},
                h("td", { class: "number" }, each.line || ""),
                h("td", {}, h("code", {}, each.text || "")),
                h("td", {}, term(each.metric, each.metric)),
                h("td", { class: "number" }, number(each.base)),
                h("td", { class: "number" }, number(each.new)),
                h(
                    "td",
                    { class: "number " + (each.new < each.base ? "better" : "worse") },
                    (each.new > each.base ? "+" : "") + number(each.new - each.base),
                ),
            );
        const headings = ["Line", "Text", "Count", comparison.base, comparison.new, "Change"];
        return h(
            "details",
            { open: list.length < 13 },
            h("summary", {}, "Lines that changed (" + list.length + ")"),
            h(
                "div",
                { class: "scroll" },
                warplens.order(h(
                    "table",
                    { class: "metrics" },
                    h(
                        "thead",
                        {},
                        h(
                            "tr",
                            {},
                            headings.map((title, i) =>
                                h("th", { scope: "col", class: i === 0 || i > 2 ? "number" : null }, title),
                            ),
                        ),
                    ),
                    h("tbody", {}, list.map(row)),
                ), "lines of " + kernel),
            ),
        );
    }

    function findings(title, list) {
        return list && list.length
            ? [
                  h("h3", {}, title),
                  h(
                      "ul",
                      {},
                      list.map((finding) =>
                          h(
                              "li",
                              {},
                              term(finding.id, finding.id),
                              ": " + finding.title,
                              h("span", { class: "facts" }, " " + finding.kernel),
                          ),
                      ),
                  ),
              ]
            : [];
    }

    function place(finding) {
        return finding.line ? " on line " + finding.line : "";
    }

    /* What came of it, in a sentence: how much faster, and which findings went and came. */
    function sentence(comparison) {
        const times = comparison.kernels
            .map((each) => each.changes.find((row) => row.metric === "gpu__time_duration.sum"))
            .filter((row) => row && row.base && row.new && row.base.mean > 0 && row.new.mean > 0);
        const sum = (side) =>
            times.reduce((all, row) => all + row[side].mean * (row[side].count || row[side].launches || 1), 0);
        const [before, after] = [sum("base"), sum("new")];
        const factor = after > 0 ? before / after : 0;
        const speed = !times.length
            ? "Times are not known"
            : Math.abs(factor - 1) < 0.005
              ? "As fast as before"
              : factor > 1
                ? factor.toFixed(2) + "× faster"
                : (1 / factor).toFixed(2) + "× slower";
        const list = (findings, verb) =>
            findings && findings.length
                ? findings
                      .slice(0, 3)
                      .map((finding) => finding.id + place(finding))
                      .join(", ") +
                  (findings.length > 3 ? " and " + (findings.length - 3) + " more" : "") +
                  " " +
                  verb
                : null;
        const parts = [list(comparison.vanished, "went"), list(comparison.appeared, "came")].filter((part) => part);
        return h(
            "p",
            { class: "sentence " + (factor > 1.005 ? "better" : factor && factor < 0.995 ? "worse" : "") },
            speed + (parts.length ? ": " + parts.join("; ") : "") + ".",
        );
    }

    /* ---- history ---- */

    /* What all kernels of a report took: {ns, mark}. */
    function timeOf(number) {
        const index = data("launches").metrics.findIndex((metric) => metric.name === "gpu__time_duration.sum");
        let ns = 0,
            sign = 0;
        for (const launch of index < 0 ? [] : warplens.launches(number)) {
            const found = warplens.value(launch, index);
            if (found.number === undefined) continue;
            ns += found.number;
            sign = Math.max(sign, found.mark);
        }
        return { ns, mark: sign };
    }

    /* The runs of the workbench, or the reports of a file: the oldest first. */
    function entries() {
        if (warplens.isServed) {
            const { shown, runs } = warplens.workbench;
            return runs().map(({ number, note, name, time_ns, mark: sign }) => ({
                label: number + ": " + name,
                note: note === "opened" ? "" : " the run took " + note,
                ns: time_ns,
                mark: sign,
                isBase: number === shown.base,
                isShown: number === shown.run,
            }));
        }
        const { reports } = data("launches") || { reports: [] };
        const order = [...reports.keys()].slice(1).concat(reports.length ? [0] : []);
        return order.map((i) => ({ label: reports[i].name, ...timeOf(i), isBase: i === 1, isShown: i === 0 }));
    }

    /* A bar for what the kernels of each run took, and the change since the baseline. */
    function history() {
        const all = entries();
        if (all.filter(({ ns }) => ns > 0).length < 2) return "";
        const most = Math.max(...all.map(({ ns }) => ns)),
            base = all.find((each) => each.isBase && each.ns > 0) || all.find((each) => each.ns > 0);
        const row = (each) => {
            const percent = 100 * (each.ns / base.ns - 1),
                way = Math.abs(percent) < 0.05 ? "" : percent < 0 ? " better" : " worse";
            return h(
                "tr",
                { "aria-current": each.isShown ? "true" : null },
                h(
                    "th",
                    { scope: "row" },
                    each.label,
                    h("span", { class: "facts" }, (each.note || "") + (each.isShown ? " (shown)" : "")),
                ),
                h("td", { class: "bars" }, h("i", { class: way.trim() || "same", style: "width:" + (100 * each.ns) / most + "%" })),
                h("td", { class: "number" }, each.ns ? warplens.shownTime(each.ns) : "n/a", each.ns ? [" ", mark(each.mark)] : null),
                h(
                    "td",
                    { class: "number" + way },
                    each === base ? "baseline" : each.ns ? (percent > 0 ? "+" : "") + percent.toFixed(1) + " %" : "",
                    way && each !== base ? h("span", { class: "sign", "aria-label": way.trim() }, way === " better" ? " ✓" : " ✗") : null,
                ),
            );
        };
        return h(
            "section",
            { class: "card" },
            h("h2", {}, "All kernels, run by run"),
            h("div", { class: "scroll" }, h("table", { class: "metrics history" }, h("tbody", {}, all.map(row)))),
        );
    }

    function show(container) {
        if (!data("compare")) {
            container.append(h("p", { class: "note" }, "There is nothing to compare with: choose a baseline above."), history());
            return;
        }
        data("compare").comparisons.forEach((comparison, i) =>
            container.append(
                sentence(comparison),
                h("p", { class: "facts" }, comparison.base + " → " + comparison.new),
                i ? "" : history(),
                ...comparison.kernels.map((each) => kernel(each, comparison)),
                h(
                    "section",
                    { class: "card" },
                    h("h2", {}, "Findings"),
                    findings("Vanished", comparison.vanished),
                    findings("Appeared", comparison.appeared),
                    (comparison.vanished || []).length + (comparison.appeared || []).length
                        ? null
                        : "The same as before.",
                ),
            ),
        );
    }

    warplens.addPage({
        id: "compare",
        title: "Compare",
        order: 50,
        isThere: () => warplens.has("compare") || (warplens.isServed && warplens.workbench.runs().length > 1),
        needs: ["compare", "launches"],
        show,
    });
})();
