/* Where the time of a traced program goes, and of one of its steps where they are alike: warplens.programTime(time) of the
 * advice section's time, a card with a bar for each, the parts below, and the kernels that take most. */
(() => {
    const { h, shownTime, address } = warplens;
    const inks = {
        kernel_ns: "exact",
        copies_alone_ns: "link",
        host: "modelled",
        synchronize: "bad",
        copy: "link",
        allocate: "predicted",
        launch: "predicted",
        call: "dim",
        mpi: "found",
        outside_ns: "line",
    };

    const percent = (ns, whole) => ((100 * ns) / whole).toFixed(1) + " %";

    function bar(told) {
        return h(
            "div",
            { class: "rungs", role: "img", "aria-label": told.parts.map((part) => part.text + " " + percent(part.ns, told.ns)).join(", ") },
            told.parts.map((part) =>
                h("i", {
                    class: /_ns$/.test(part.kind) ? null : "idle",
                    style: "flex-grow:" + part.ns / told.ns + ";background-color:var(--" + inks[part.kind] + ")",
                    title: part.text + ": " + shownTime(part.ns) + ", " + percent(part.ns, told.ns),
                }),
            ),
        );
    }

    function parts(told) {
        return h(
            "table",
            { class: "metrics parts" },
            h(
                "tbody",
                {},
                told.parts.map((part) =>
                    h(
                        "tr",
                        {},
                        h(
                            "th",
                            { scope: "row", class: "swatch" },
                            h("i", { class: /_ns$/.test(part.kind) ? null : "idle", style: "background-color:var(--" + inks[part.kind] + ")" }),
                            part.text,
                        ),
                        h("td", { class: "number" }, shownTime(part.ns)),
                        h("td", { class: "number" }, percent(part.ns, told.ns)),
                    ),
                ),
            ),
        );
    }

    function title(told, isStep) {
        const all = shownTime(told.ns);
        if (!isStep) return ["The program takes ", h("strong", {}, all), told.processes > 1 ? "; parts are those of a process on average" : ""];
        const steps = told.steps.toLocaleString("en") + " steps are alike",
            kernels = told.kernels_each ? ", of " + Math.round(told.kernels_each).toLocaleString("en") + " kernels each" : "";
        return ["A step takes ", h("strong", {}, all), "; " + steps + kernels];
    }

    /* Kernels by name; each leads to its times on the timeline. */
    function kernels(told, isStep) {
        if (!told.kernels.length) return "";
        const whole = told.ns;
        const timed = (kernel) => kernel.count - (kernel.unknown || 0); /* launches whose time is known */
        const times = (kernel) => [
            h("td", { class: "number", "data-value": kernel.ns }, shownTime(kernel.ns)),
            h("td", { class: "number", "data-value": kernel.ns / timed(kernel) }, shownTime(kernel.ns / timed(kernel))),
            h("td", { class: "bars" }, h("i", { style: "width:" + (100 * kernel.ns) / told.kernels[0].ns + "%" })),
            h("td", { class: "number", "data-value": kernel.ns / whole }, percent(kernel.ns, whole)),
        ];
        const row = (kernel) =>
            h(
                "tr",
                {},
                h(
                    "th",
                    { scope: "row" },
                    warplens.has("timeline")
                        ? h("a", { href: address("timeline", "", "", kernel.name), title: kernel.name }, kernel.short_name)
                        : kernel.short_name,
                ),
                h("td", { class: "number", "data-value": kernel.count }, kernel.count.toLocaleString("en", { maximumFractionDigits: 1 })),
                timed(kernel) ? times(kernel) : h("td", { colspan: "4" }, "not known"),
            );
        const of = isStep ? " of a step" : "";
        const heads = ["Kernel", "Launches", "Time", "Mean", "", "Share" + of].map((text, i) =>
            h("th", { scope: "col", class: i && text ? "number" : null }, text),
        );
        const rest = told.kernel_names - told.kernels.length;
        return h(
            "section",
            { class: "card" },
            h("h2", {}, "Kernels" + of + ", those that take most"),
            h("div", { class: "scroll" }, warplens.order(h("table", { class: "metrics shares" }, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, told.kernels.map(row))), "kernels" + of)),
            rest > 0 ? h("p", { class: "count" }, rest + " more take less") : "",
        );
    }

    const toldOf = (time) => [time.step, time.program].filter(Boolean);

    const barsOf = (time) => toldOf(time).flatMap((each) => [h("p", {}, title(each, each === time.step)), bar(each), parts(each)]);

    /* withKernels: where no launch was profiled, the kernels of the trace are all there is. */
    warplens.programTime = (time, withKernels) => {
        const [first] = toldOf(time);
        return [
            h(
                "section",
                { class: "card program-time" },
                h("h2", {}, "Where the time goes", time.is_simulated ? h("span", { class: "facts" }, " the GPU's part is predicted") : null),
                barsOf(time),
                time.unknown_lengths
                    ? h(
                          "p",
                          { class: "count" },
                          "The time of " + time.unknown_lengths.toLocaleString("en") + " launches is not known: it is in none of these parts, and the GPU is idle for less.",
                      )
                    : null,
            ),
            withKernels ? kernels(first, first === time.step) : "",
        ];
    };
    warplens.programTime.parts = (time) => h("div", { class: "program-time" }, barsOf(time));
})();
