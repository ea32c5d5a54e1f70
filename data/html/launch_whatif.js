/* What a launch would take without causes of delay, which can be switched off together: the times are of the launch
 * simulated again without them. What was not simulated together is no sum: its least known part is told, and a window of
 * the workbench can have it simulated. */
warplens.causes = (() => {
    const { h, readState, keepState, mark } = warplens;
    const least = 0.005; /* of the time: what saves less makes no difference */
    const predicted = 2;

    const key = (ids) => [...ids].sort().join("+");

    function shown(ns) {
        return warplens.shownTime(ns);
    }

    class Switches {
        constructor({ causes, parts, launches }, launch) {
            const own = launches[launch.id];
            this.launch = launch;
            this.duration_ns = own.duration_ns;
            this.parts = new Map(Object.entries(parts[own.parts]).map(([ids, part]) => [key(ids.split("+")), part]));
            this.causes = causes
                .filter(({ id }) => this.parts.has(id))
                .sort((a, b) => this.parts.get(a.id) - this.parts.get(b.id));
            const known = new Set(this.causes.filter((cause) => !cause.is_bound).map(({ id }) => id));
            this.off = new Set((readState().without || "").split(" ").filter((id) => known.has(id)));
            this.told = h("p", { class: "whatif-told", role: "status" });
            this.bar = h("div", { class: "whatif-whole" });
            this.ask = h("p", { class: "facts" });
        }

        /* {part, isKnown}: of what is off together; where that was not simulated, the least that is known of some of it. */
        together() {
            const ids = [...this.off],
                whole = ids.length ? this.parts.get(key(ids)) : 1;
            if (whole !== undefined) return { part: whole, isKnown: true };
            const isIn = (some) => some.split("+").every((id) => this.off.has(id));
            return { part: Math.min(...[...this.parts].filter(([some]) => isIn(some)).map(([, part]) => part)), isKnown: false };
        }

        textOf(id) {
            return this.causes.find((cause) => cause.id === id).text;
        }

        update() {
            const { part, isKnown } = this.together(),
                ns = part * this.duration_ns,
                names = [...this.off].map((id) => this.textOf(id));
            this.told.replaceChildren(
                names.length ? "Without " + names.join(", and ") + ": " : "As it is: ",
                h("strong", { class: "whatif-time", "data-value": isKnown ? ns : null }, (isKnown ? "" : "at most ") + shown(ns)),
                " ",
                mark(predicted),
                names.length ? (isKnown ? ", saves " : ", saves at least ") + (100 * (1 - part)).toFixed(1) + " %" + (part > 0 ? " (" + (1 / part).toFixed(2) + "×)" : "") : "",
            );
            this.bar.replaceChildren(h("i", { style: "width:" + 100 * part + "%" }));
            this.tellMore(isKnown);
            keepState({ without: [...this.off].join(" ") });
        }

        /* How what was not simulated together can be had. */
        tellMore(isKnown) {
            if (isKnown) return this.ask.replaceChildren();
            const { workbench } = warplens,
                ids = [...this.off].join("+");
            this.ask.replaceChildren(
                "These were not simulated together. ",
                warplens.isServed && workbench.canRun()
                    ? h("button", { onclick: () => workbench.simulate(ids) }, "Simulate them")
                    : h("code", {}, "warplens profile --whatif --whatif-together " + ids + " ./app"),
            );
        }

        row(cause) {
            const part = this.parts.get(cause.id),
                isOff = this.off.has(cause.id);
            const box = cause.is_bound
                ? null
                : h("input", {
                      type: "checkbox",
                      value: cause.id,
                      checked: isOff,
                      onchange: (event) => {
                          if (event.target.checked) this.off.add(cause.id);
                          else this.off.delete(cause.id);
                          this.update();
                      },
                  });
            return h(
                "tr",
                { "data-cause": cause.id },
                h("th", { scope: "row" }, h("label", {}, box, " " + cause.text)),
                h("td", { class: "bars" }, h("div", { class: "whatif-bar" }, h("i", { style: "width:" + 100 * part + "%" }))),
                h("td", { class: "number", "data-value": part * this.duration_ns }, shown(part * this.duration_ns), " ", mark(predicted)),
                h("td", { class: "number" }, part < 1 - least ? "-" + (100 * (1 - part)).toFixed(1) + " %" : "same"),
            );
        }

        table(causes) {
            return h("table", { class: "metrics whatif" }, h("tbody", {}, causes.map((cause) => this.row(cause))));
        }

        card() {
            const isFelt = (cause) => this.parts.get(cause.id) < 1 - least || this.off.has(cause.id);
            const own = this.causes.filter((cause) => !cause.is_bound),
                felt = own.filter(isFelt),
                others = own.filter((cause) => !isFelt(cause)),
                bounds = this.causes.filter((cause) => cause.is_bound);
            this.update();
            return h(
                "section",
                { class: "card whatif-card", id: "section-whatif" },
                h("h2", {}, "What if"),
                h("p", { class: "facts" }, "The launch simulated again without each cause of delay. Several can be off together; savings do not add up."),
                this.told,
                this.bar,
                this.ask,
                felt.length ? this.table(felt) : h("p", {}, "No single cause saves half a percent."),
                others.length || bounds.length
                    ? h(
                          "details",
                          {},
                          h("summary", {}, others.length + " that make no difference, and what is left of half the work"),
                          others.length ? this.table(others) : null,
                          bounds.length ? [h("p", { class: "facts" }, "Bounds: without the"), this.table(bounds)] : null,
                      )
                    : null,
            );
        }
    }

    /* A card of a launch; null where it was not simulated again. */
    return (section, launch) => (section && section.launches[launch.id] ? new Switches(section, launch).card() : null);
})();
