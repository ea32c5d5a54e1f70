/* What the rules found, best first, with evidence and links to lines. */
(() => {
    const { h, data, term, address, launches } = warplens;

    function place(finding) {
        const { place } = finding;
        const launch = launches().find((each) => each.id === finding.launch);
        const name =
            place && place.file
                ? place.file.replace(/.*\//, "") + ":" + place.line + (place.column ? ":" + place.column : "")
                : launch
                  ? launch.function
                  : finding.kernel || "program";
        if (launch && place && warplens.hasSource(launch))
            return h(
                "a",
                {
                    href: place.file
                        ? address("source", launch.id, place.file, place.line)
                        : address("source", launch.id),
                    title: place.file,
                },
                name,
            );
        return launch ? h("a", { href: address("details", launch.id) }, name) : name;
    }

    function gain(finding) {
        if (!finding.gain) return h("span", { class: "gain none" }, "gain not known");
        const { saved, factor, saved_shown: time, obtained, how, confidence } = finding.gain;
        return h(
            "span",
            {
                class: "gain",
                tabindex: 0,
                "data-text":
                    (obtained === "what-if" ? "timed again: " : "by formula: ") +
                    how +
                    "; confidence " +
                    confidence,
            },
            "saves " + Math.round(100 * saved) + "% (" + factor.toFixed(2) + "×)" + (time ? ", " + time : ""),
            h("span", { class: "mark mark-predicted", title: "predicted", "aria-label": "predicted" }, " ?"),
        );
    }

    function mark(name) {
        const known = data("session").marks.find((each) => each.name === name);
        return known
            ? h(
                  "span",
                  { class: "mark mark-" + name, title: known.meaning, "aria-label": name },
                  " " + known.sign,
              )
            : null;
    }

    function evidence(finding) {
        return h(
            "ul",
            { class: "evidence" },
            finding.evidence.map((each) =>
                h(
                    "li",
                    {},
                    term(each.metric, each.metric),
                    " = " + (each.shown === undefined ? each.value : each.shown),
                    mark(each.mark),
                    each.threshold_shown === undefined ? null : " (threshold " + each.threshold_shown + ")",
                ),
            ),
        );
    }

    function chain(finding) {
        if (!finding.chain.length) return null;
        return h(
            "ol",
            { class: "chain" },
            finding.chain.map((link) =>
                h(
                    "li",
                    {},
                    (link.text || "") + " ",
                    link.place && link.place.file ? place({ ...finding, place: link.place }) : null,
                    link.place && link.place.ptx ? h("code", {}, " " + link.place.ptx) : null,
                ),
            ),
        );
    }

    function card(finding, all) {
        const number = finding.number;
        const leader = all.find((each) => each.number === finding.overlaps);
        return h(
            "section",
            { class: "card finding finding-" + finding.severity, id: "finding-" + number },
            h("h2", {}, number + ". ", place(finding), ": ", term(finding.id, finding.id)),
            h("p", { class: "title" }, finding.title),
            h(
                "p",
                {},
                gain(finding),
                leader
                    ? h(
                          "span",
                          { class: "overlap" },
                          " overlaps ",
                          h("a", { href: address("advice", leader.number) }, "finding " + leader.number),
                          ": do not add them",
                      )
                    : null,
            ),
            evidence(finding),
            chain(finding),
            h("p", { class: "todo" }, finding.advice),
            h(
                "p",
                { class: "facts" },
                (finding.kernel ? finding.kernel + ", " : "") +
                    (finding.launches > 1
                        ? finding.launches + " launches have it, most in launch " + finding.launch
                        : finding.launch === null
                          ? "the whole program"
                          : "launch " + finding.launch),
            ),
        );
    }

    function skips(list) {
        if (!list || !list.length) return null;
        return h(
            "details",
            {},
            h("summary", {}, list.length + " rules could not say anything"),
            h(
                "ul",
                {},
                list.map((skip) =>
                    h(
                        "li",
                        {},
                        Object.entries(skip)
                            .map(
                                ([key, value]) =>
                                    key + ": " + (typeof value === "object" ? JSON.stringify(value) : value),
                            )
                            .join(", "),
                    ),
                ),
            ),
        );
    }

    function show(container, rest) {
        const advice = data("advice");
        const warnings = advice.findings.filter((finding) => finding.severity !== "note");
        container.append(
            h(
                "p",
                { class: "count" },
                warnings.length ? "Best first." : "No finding: nothing that the rules look for.",
            ),
            ...advice.findings.map((finding) => card(finding, advice.findings)),
            skips(advice.skipped) || "",
        );
        const chosen = document.getElementById("finding-" + rest[0]);
        if (chosen) setTimeout(() => chosen.scrollIntoView(), 0);
    }

    /* Findings that a launch has, as they would stand in a list of links. */
    warplens.findingsOf = (launch) =>
        data("advice").findings.filter(
            (finding) =>
                finding.launch === launch.id ||
                (finding.launches > 1 && finding.kernel === launch.kernel_name),
        );
    warplens.findingLink = (finding) => {
        const percent = finding.gain ? " (saves " + Math.round(100 * finding.gain.saved) + "%)" : "";
        return h(
            "li",
            {},
            h("a", { href: address("advice", finding.number) }, finding.id),
            ": " + finding.title + percent,
        );
    };

    warplens.addPage({ id: "advice", title: "Advice", order: 30, show });
})();
