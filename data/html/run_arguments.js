/* The arguments of the next runs, edited as they would stand on a command line and shown word by word before they are
 * run. The program is that of the command line and stays. No shell reads them: $ and * stand for themselves. */
warplens.runArguments = (() => {
    const { h } = warplens;

    /* Words of a text with quotes and backslashes as a shell has them; null where a quote is not closed. */
    function split(text) {
        const words = [];
        let word = null,
            quote = "";
        for (let i = 0; i < text.length; i++) {
            const sign = text[i];
            if (quote) {
                if (sign === quote) quote = "";
                else if (sign === "\\" && quote === '"' && /["\\$`]/.test(text[i + 1] || "")) word += text[++i];
                else word += sign;
            } else if (/\s/.test(sign)) {
                if (word !== null) words.push(word);
                word = null;
            } else {
                word = word === null ? "" : word;
                if (sign === "'" || sign === '"') quote = sign;
                else if (sign === "\\" && i + 1 < text.length) word += text[++i];
                else word += sign;
            }
        }
        if (quote) return null;
        return word === null ? words : words.concat(word);
    }

    function quoted(word) {
        return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
    }

    const join = (words) => words.map(quoted).join(" ");

    /* Asks for other arguments than words; run is called with them once they were confirmed. */
    function edit(program, words, run) {
        const field = h("textarea", { rows: 3, cols: 60, "aria-label": "Arguments" }, join(words)),
            list = h("ol", { class: "words", "aria-label": "Arguments as the program gets them" }),
            problem = h("p", { class: "note", role: "alert", hidden: true }, "A quote is not closed."),
            confirm = h("button", { class: "run", type: "submit", value: "run" }, "Run this");
        const update = () => {
            const found = split(field.value);
            problem.hidden = found !== null;
            confirm.disabled = found === null;
            list.replaceChildren(...(found || []).map((word) => h("li", {}, h("code", {}, word === "" ? "(empty)" : word))));
        };
        const dialog = h(
            "dialog",
            {
                class: "arguments",
                onclose: () => {
                    const found = split(field.value);
                    if (dialog.returnValue === "run" && found) run(found);
                    dialog.remove();
                },
            },
            h("h2", {}, "Run with other arguments"),
            h("p", {}, h("code", {}, quoted(program)), " stays; its arguments, quoted as for a shell:"),
            field,
            h("p", { class: "facts" }, "The program gets:"),
            list,
            problem,
            h("form", { method: "dialog" }, confirm, " ", h("button", { value: "" }, "Cancel")),
        );
        field.addEventListener("input", update);
        update();
        document.body.append(dialog);
        dialog.showModal();
        field.focus();
    }

    return { split, join, edit };
})();
