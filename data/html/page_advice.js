/* What the rules found, best first, with evidence and links to lines. */
(() => {
    const { h, data, term, address, launches } = warplens;
    const { place, gain, badge } = warplens.findings;

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
            "details",
            { class: "card finding finding-" + finding.severity, id: "finding-" + number },
            h(
                "summary",
                {},
                badge(finding),
                " ",
                h("strong", {}, place(finding)),
                " ",
                h("span", { class: "rule" }, term(finding.id, finding.id)),
                " ",
                h("span", { class: "title" }, finding.title),
                " ",
                gain(finding),
            ),
            leader
                ? h(
                      "p",
                      { class: "overlap" },
                      "overlaps ",
                      h("a", { href: address("advice", leader.number) }, "finding " + leader.number),
                      ": do not add them",
                  )
                : null,
            evidence(finding),
            chain(finding),
            h("p", { class: "todo" }, finding.advice),
            h(
                "p",
                { class: "facts" },
                finding.launch !== null && finding.section
                    ? [h("a", { href: address("details", finding.launch, finding.section) }, "Its section"), " · "]
                    : null,
                (finding.kernel ? finding.kernel + ", " : "") +
                    (finding.launches > 1
                        ? finding.launches + " launches have it, most in launch " + finding.launch
                        : finding.launch === null
                          ? "the whole program"
                          : "launch " + finding.launch),
            ),
        );
    }

    /* ---- which are shown ---- */

    const choice = { text: "", kernel: "", kind: "" };
    const kinds = {
        "": ["all kinds", () => true],
        warning: ["warnings", (finding) => finding.severity !== "note"],
        gain: ["with a known gain", (finding) => Boolean(finding.gain)],
        line: ["at a line", (finding) => Boolean(finding.place && finding.place.file)],
    };

    function isShown(finding) {
        const text = [
            finding.id,
            finding.title,
            finding.kernel,
            finding.advice,
            finding.place ? finding.place.file + ":" + finding.place.line : "",
        ]
            .join(" ")
            .toLowerCase();
        return (
            kinds[choice.kind][1](finding) &&
            (choice.kernel === "" || finding.kernel === choice.kernel) &&
            choice.text
                .toLowerCase()
                .split(/\s+/)
                .every((word) => text.includes(word))
        );
    }

    function selectField(name, label, options, update) {
        const field = h(
            "select",
            { "aria-label": label },
            options.map(([value, title]) =>
                h("option", { value, selected: choice[name] === value }, title),
            ),
        );
        field.addEventListener("change", () => {
            choice[name] = field.value;
            update();
        });
        return field;
    }

    function filters(findings, update, keys) {
        const names = [...new Set(findings.map((finding) => finding.kernel).filter((name) => name))];
        const search = h("input", {
            type: "search",
            placeholder: "Search rules, lines, texts",
            "aria-label": "Search findings",
            value: choice.text,
        });
        search.addEventListener("input", () => {
            choice.text = search.value.trim();
            update();
        });
        keys["/"] = ["search", () => search.focus()];
        return [
            search,
            names.length > 1
                ? selectField("kernel", "Kernel", [["", "all kernels"], ...names.map((name) => [name, name])], update)
                : null,
            selectField("kind", "Kind", Object.entries(kinds).map(([value, [title]]) => [value, title]), update),
        ];
    }

    function skips(list) {
        if (!list || !list.length) return null;
        return h(
            "details",
            {},
            h("summary", {}, list.length + (list.length === 1 ? " rule" : " rules") + " could not say anything"),
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

    function openOnes(list, isOpen) {
        list.querySelectorAll("details.finding").forEach((each) => (each.open = isOpen));
    }

    function show(container, rest, keys) {
        const advice = data("advice"),
            { findings } = advice;
        const list = h("div", { class: "findings" }),
            count = h("span", { class: "count", role: "status" });
        const isKnown = findings.some((finding) => String(finding.number) === rest[0]);
        const { text = choice.text, kernel = choice.kernel, kind = choice.kind } = warplens.readState();
        Object.assign(choice, { text, kernel, kind: kinds[kind] ? kind : "" });
        if (!findings.some((finding) => finding.kernel === choice.kernel)) choice.kernel = "";
        if (isKnown) Object.assign(choice, { text: "", kernel: "", kind: "" });
        if (rest[0] && !isKnown)
            container.append(h("p", { class: "note" }, "There is no finding " + rest[0] + " here."));
        const update = () => {
            const shown = findings.filter(isShown);
            list.replaceChildren(...shown.map((finding) => card(finding, findings)));
            count.textContent = findings.length
                ? (shown.length === findings.length ? "" : shown.length + " of ") +
                  findings.length +
                  (findings.length === 1 ? " finding" : " findings") +
                  ", best first"
                : "No finding: nothing that the rules look for.";
            if (shown.length && !rest[0]) list.firstChild.open = true;
            warplens.keepState(choice);
        };
        keys.o = ["open all", () => openOnes(list, true)];
        keys.c = ["close all", () => openOnes(list, false)];
        if (advice.looked_at)
            container.append(
                h(
                    "p",
                    { class: "note" },
                    "The rules looked at the " +
                        advice.looked_at +
                        " longest of " +
                        launches().length.toLocaleString("en") +
                        " launches, some of each kernel.",
                ),
            );
        container.append(
            h(
                "div",
                { class: "bar" },
                findings.length > 1 ? filters(findings, update, keys) : null,
                count,
                findings.length > 1 ? h("button", { onclick: () => openOnes(list, true) }, "Open all") : null,
            ),
            list,
            skips(advice.skipped) || "",
        );
        update();
        const chosen = document.getElementById("finding-" + rest[0]);
        if (!chosen) return;
        chosen.open = true;
        setTimeout(() => chosen.scrollIntoView(), 0);
    }

    warplens.addPage({ id: "advice", title: "Advice", order: 30, needs: ["advice", "launches", "source"], show });
})();
