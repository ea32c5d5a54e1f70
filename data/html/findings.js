/* Findings where they belong: at a section, at a line, in lists. A finding has one number, its place in Advice, on every
 * page. */
warplens.findings = (() => {
    const { h, data, address } = warplens;

    /* "saves 13% (1.15×)", or "" where no gain is known. */
    function gainText(finding) {
        if (!finding.gain) return "";
        const { saved, factor } = finding.gain;
        if (saved < 0.005) return "saves less than 1%";
        return "saves " + (saved >= 0.995 ? "more than 99" : Math.round(100 * saved)) + "% (" + factor.toFixed(2) + "×)";
    }

    /* The gain with its mark, and how it was obtained. */
    function gain(finding) {
        if (!finding.gain) return h("span", { class: "gain none" }, "gain not known");
        const { saved_shown: time, obtained, how, confidence } = finding.gain;
        return h(
            "span",
            {
                class: "gain",
                tabindex: 0,
                "data-text": (obtained === "what-if" ? "timed again: " : "by formula: ") + how + "; confidence " + confidence,
            },
            gainText(finding) + (time ? ", " + time : ""),
            h("span", { class: "mark mark-predicted", title: "predicted", "aria-label": "predicted" }, " ?"),
        );
    }

    /* The number, which leads to the finding in Advice. */
    function badge(finding) {
        return h(
            "a",
            {
                class: "badge badge-" + finding.severity,
                href: address("advice", finding.number),
                "aria-label": "finding " + finding.number,
            },
            finding.number,
        );
    }

    /* Where it is: a link to the line, or to the launch. */
    function place(finding) {
        const { place } = finding;
        const launch = warplens.launch(finding.launch);
        const name =
            place && place.file
                ? place.file.replace(/.*\//, "") + ":" + place.line + (place.column ? ":" + place.column : "")
                : launch
                  ? warplens.shortName(launch)
                  : finding.kernel || "program";
        if (launch && place && warplens.hasSource(launch))
            return h(
                "a",
                {
                    href: place.file ? address("source", launch.id, place.file, place.line) : address("source", launch.id),
                    title: place.file,
                },
                name,
            );
        return launch ? h("a", { href: address("details", launch.id) }, name) : name;
    }

    /* Findings that a launch has. */
    function of(launch) {
        return data("advice").findings.filter(
            (finding) =>
                finding.launch === launch.id || (finding.launches > 1 && finding.kernel === launch.kernel_name),
        );
    }

    /* One of a list of findings. */
    function item(finding) {
        const text = gainText(finding);
        return h(
            "li",
            { class: "has-badge" },
            badge(finding),
            " ",
            h("a", { href: address("advice", finding.number) }, finding.id),
            ": " + finding.title + (text ? "; " + text : ""),
            text ? h("span", { class: "mark mark-predicted", "aria-label": "predicted" }, " ?") : null,
        );
    }

    /* The whole of it, where what it is about is shown. */
    function note(finding) {
        return h(
            "div",
            { class: "finding-note finding finding-" + finding.severity, "data-finding": finding.number },
            h("p", {}, badge(finding), " ", h("strong", {}, finding.id), " at ", place(finding), ": " + finding.title + " ", gain(finding)),
            h("p", { class: "todo" }, finding.advice),
        );
    }

    /* In a row of code whose text has so many letters: the numbers of those at the line, and where the text leaves room for it the
     * rule of the first and what it saves. */
    function margin(list, letters = 0) {
        if (!list.length) return null;
        const [first] = list,
            gain = gainText(first);
        const say = (finding) =>
            finding.number + ". " + finding.id + ": " + finding.title + (finding.gain ? "; " + gainText(finding) + " ?" : "") + ". " + finding.advice;
        return h(
            "span",
            { class: "margin margin-" + first.severity, style: "--letters:" + letters, tabindex: 0, "data-text": list.map(say).join("\n") },
            list.map(badge),
            h("span", { class: "words" }, " " + first.id + (gain ? " " + gain + " ?" : "")),
        );
    }

    return { gainText, gain, badge, place, of, item, note, margin };
})();
