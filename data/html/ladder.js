/* The ladder of times of a kernel, from what cannot be avoided to what can: warplens.ladder(kernel) of one of the advice section's
 * kernels gives a picture with its legend, or null; .parts(kernel) its rungs, .bar(parts, whole) the picture alone. */
warplens.ladder = (() => {
    const { h, mark, shownTime } = warplens;
    /* Rungs of the ladder, from what cannot be avoided to what can. */
    const rungs = [
        ["ideal", "least work", "exact"],
        ["launch", "the launch itself", "dim"],
        ["excess", "work in excess", "bad"],
        ["atomics", "atomics", "modelled"],
        ["starts", "blocks that start", "found"],
        ["idle", "SMs without work", "predicted"],
        ["wait", "warps wait", "link"],
    ];

    function parts(kernel) {
        return rungs
            .map(([key, title, ink]) => ({ title, ink, ns: (kernel.ladder_ns || {})[key] || 0 }))
            .filter((part) => part.ns > 0);
    }

    function bar(own, whole) {
        return h(
            "div",
            { class: "rungs", role: "img", "aria-label": own.map((part) => part.title + " " + shownTime(part.ns)).join(", ") },
            own.map((part) =>
                h("i", {
                    style: "flex-grow:" + part.ns / whole + ";background:var(--" + part.ink + ")",
                    title: part.title + ": " + shownTime(part.ns) + " (" + Math.round((100 * part.ns) / whole) + " %)",
                }),
            ),
        );
    }

    const sum = (own) => own.reduce((all, part) => all + part.ns, 0);

    /* One bar from the least to the time it took; each part says what it is. */
    function ladder(kernel) {
        const own = parts(kernel),
            whole = sum(own);
        if (!whole) return null;
        return h(
            "figure",
            { class: "ladder" },
            bar(own, whole),
            h(
                "figcaption",
                {},
                own.map((part) =>
                    h(
                        "span",
                        { class: "swatch" },
                        h("i", { style: "background:var(--" + part.ink + ")" }),
                        part.title + " " + shownTime(part.ns) + " (" + Math.round((100 * part.ns) / whole) + " %) ",
                        mark(2),
                    ),
                ),
            ),
        );
    }

    return Object.assign(ladder, { rungs, parts, bar, sum });
})();
