/* The report beside its baselines. */
(() => {
    const { h, data, term } = warplens;

    function change(each) {
        const { change_pct: percent, is_noise: isNoise } = each;
        if (percent === null || percent === undefined) return h("td", { class: "number absent" }, "n/a");
        return h(
            "td",
            { class: "number" + (isNoise ? " absent" : "") },
            (percent > 0 ? "+" : "") + percent.toFixed(1) + " %" + (isNoise ? " (noise)" : ""),
        );
    }

    function side(value, mark) {
        return value && value.shown !== undefined
            ? h(
                  "td",
                  { class: "number" },
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
                class: percent < 0 ? "less" : "more",
                style: "width:" + Math.abs(percent) / 2 + "%;" + (percent < 0 ? "right" : "left") + ":50%",
            }),
        );
    }

    function kernel(each, comparison) {
        return h(
            "section",
            { class: "card" },
            h("h2", {}, each.base === each.new ? each.new : each.base + " → " + each.new),
            h(
                "div",
                { class: "scroll" },
                h(
                    "table",
                    { class: "metrics compare" },
                    h(
                        "thead",
                        {},
                        h(
                            "tr",
                            {},
                            h("th", { scope: "col" }, "Metric"),
                            h("th", { scope: "col", class: "number" }, comparison.base),
                            h("th", { scope: "col", class: "number" }, comparison.new),
                            h("th", { scope: "col", class: "number" }, "Change"),
                            h("th", {}),
                        ),
                    ),
                    h(
                        "tbody",
                        {},
                        each.changes.map((row) =>
                            h(
                                "tr",
                                {},
                                h("th", { scope: "row" }, term(row.metric, row.metric)),
                                side(row.base, row.mark),
                                side(row.new, row.mark),
                                change(row),
                                bar(row),
                            ),
                        ),
                    ),
                ),
            ),
            reasons(each.why),
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

    function show(container) {
        for (const comparison of data("compare").comparisons)
            container.append(
                h("h2", {}, comparison.base + " → " + comparison.new),
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
            );
    }

    warplens.addPage({
        id: "compare",
        title: "Compare",
        order: 50,
        isThere: () => data("compare") !== null,
        show,
    });
})();
