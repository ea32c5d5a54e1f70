/* The guided walk: which kernel, what bounds it, why, what next, is it done. */
(() => {
    const { h, data } = warplens;

    function show(container) {
        const steps = data("guide").text.split(/\n(?=\d+\. )/);
        container.append(
            ...steps.map((step) =>
                h(
                    "section",
                    { class: "card" },
                    /^\d+\. /.test(step)
                        ? [
                              h("h2", {}, step.split("\n")[0]),
                              h(
                                  "pre",
                                  { class: "guide" },
                                  step
                                      .split("\n")
                                      .slice(1)
                                      .map((line) => line.replace(/^ {3}/, ""))
                                      .join("\n")
                                      .trim(),
                              ),
                          ]
                        : h("pre", { class: "guide" }, step.trim()),
                ),
            ),
        );
    }

    warplens.addPage({ id: "guide", title: "Guide", order: 35, isThere: () => data("guide") !== null, show });
})();
