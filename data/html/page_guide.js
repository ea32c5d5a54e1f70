/* The guided walk: which kernel, what bounds it, why, what next, is it done; each answer leads to where it is shown. */
(() => {
    const { h, data, address } = warplens;
    const titles = { summary: "All launches", details: "Details of this launch", source: "Its source", advice: "All findings" };

    /* A link to the page of this report that shows the answer, and the command that does so on a terminal. */
    function next(answer) {
        const launch = warplens.launch(answer.launch);
        const page = answer.page === "summary" ? "launches" : answer.page.split(" ")[0];
        const isThere = page !== "source" || (launch && warplens.hasSource(launch));
        return h(
            "p",
            { class: "next" },
            isThere ? h("a", { href: address(...[page].concat(launch ? [launch.id] : [])) }, titles[answer.page.split(" ")[0]] + " →") : null,
            h("code", { class: "command" }, answer.text),
        );
    }

    function group(answers, kind, make) {
        const own = answers.filter((answer) => answer.kind === kind);
        return own.length ? make(own) : null;
    }

    /* The parts of the program's time, as the program page has them. */
    function timeParts() {
        const { time } = data("advice") || {};
        return time ? warplens.programTime.parts(time) : null;
    }

    function step(each) {
        const { answers } = each,
            about = answers.find((answer) => answer.kind === "next" && answer.launch !== undefined),
            launch = about ? warplens.launch(about.launch) : null;
        return h(
            "section",
            { class: "card step" },
            h("h2", {}, each.question, launch ? h("span", { class: "facts" }, " " + warplens.shortName(launch)) : null),
            /^0\./.test(each.question) ? timeParts() : null,
            answers
                .filter((answer) => answer.kind === "answer")
                .map((answer) =>
                    h("p", { class: /^\d+ \| /.test(answer.text) ? "answer line" : "answer" }, answer.text),
                ),
            group(answers, "verdict", (own) => own.map((answer) => h("p", { class: "verdict" }, answer.text))),
            group(answers, "evidence", (own) =>
                h(
                    "details",
                    { open: own.length < 4 },
                    h("summary", {}, "Evidence (" + own.length + ")"),
                    h("ul", { class: "evidence" }, own.map((answer) => h("li", {}, answer.text))),
                ),
            ),
            answers.filter((answer) => answer.kind === "next").map(next),
        );
    }

    function show(container) {
        container.append(h("div", { class: "steps" }, data("guide").steps.map(step)));
    }

    warplens.addPage({ id: "guide", title: "Guide", order: 35, needs: ["guide", "launches", "source", "advice"], isThere: () => warplens.has("guide"), show });
})();
