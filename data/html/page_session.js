/* What was run, on which GPU, with which settings, and what was skipped or failed. */
(() => {
    const { h, data } = warplens;

    function words(key) {
        const text = key.replace(/_/g, " ");
        return text[0].toUpperCase() + text.slice(1);
    }

    function facts(object) {
        return h(
            "table",
            { class: "metrics" },
            h(
                "tbody",
                {},
                Object.entries(object).map(([key, fact]) =>
                    h(
                        "tr",
                        {},
                        h("th", { scope: "row" }, key.includes("__") ? key : words(key)),
                        h("td", {}, fact === null ? "n/a" : String(fact)),
                    ),
                ),
            ),
        );
    }

    function show(container) {
        const session = data("session");
        for (const [key, group] of Object.entries(session)) {
            if (key === "marks" || key === "notes") continue;
            const list = Array.isArray(group) ? group : [group];
            list.forEach((object) =>
                container.append(h("section", { class: "card" }, h("h2", {}, words(key)), facts(object))),
            );
        }
        if (session.notes && session.notes.length)
            container.append(
                h(
                    "section",
                    { class: "card" },
                    h("h2", {}, "Notes"),
                    session.notes.map((note) =>
                        h(
                            "p",
                            { class: "note note-" + note.severity },
                            note.text + (note.hint ? " — " + note.hint : ""),
                        ),
                    ),
                ),
            );
    }

    warplens.addPage({ id: "session", title: "Session", order: 90, show });
})();
