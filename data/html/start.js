/* Shows the page that the address names, definitions, and keys. Comes last of the scripts. */
(() => {
    const { h, data, definition, shownPages, address, go } = warplens;
    const main = document.getElementById("main");
    const bubble = document.getElementById("definition");
    let keys = {};

    /* ---- definitions on hover and focus ---- */

    function hideDefinition() {
        bubble.hidden = true;
        document
            .querySelectorAll("[aria-describedby=definition]")
            .forEach((node) => node.removeAttribute("aria-describedby"));
    }

    function showDefinition(node) {
        const found = node.dataset.define
            ? definition(node.dataset.define)
            : { title: "", lines: node.dataset.text.split("\n") };
        if (!found) return;
        bubble.replaceChildren(
            found.title ? h("strong", {}, found.title) : "",
            ...found.lines.filter((line) => line).map((line) => h("p", {}, line)),
        );
        bubble.hidden = false;
        node.setAttribute("aria-describedby", "definition");
        const place = node.getBoundingClientRect();
        const left = Math.max(
            4,
            Math.min(place.left, document.documentElement.clientWidth - bubble.offsetWidth - 4),
        );
        const isBelow = place.bottom + bubble.offsetHeight + 8 < innerHeight;
        bubble.style.left = left + scrollX + "px";
        bubble.style.top =
            (isBelow ? place.bottom + 4 : place.top - bubble.offsetHeight - 4) + scrollY + "px";
    }

    function onPoint(event) {
        const node = event.target.closest ? event.target.closest("[data-define], [data-text]") : null;
        hideDefinition();
        if (node) showDefinition(node);
    }

    /* ---- pages ---- */

    /* A part of the address; one that is not well-formed stands for itself. */
    function decode(part) {
        try {
            return decodeURIComponent(part);
        } catch (failure) {
            return part;
        }
    }

    /* Shows the page of the address; the promise is kept when it stands. */
    async function show() {
        const parts = location.hash.slice(1).split("?")[0].split("/").map(decode);
        const pages = shownPages();
        const page = pages.find((each) => each.id === parts[0]) || pages[0];
        hideDefinition();
        keys = {};
        document.body.dataset.page = page.id;
        document
            .getElementById("pages")
            .replaceChildren(
                ...pages.map((each) =>
                    h(
                        "a",
                        { href: address(each.id), "aria-current": each === page ? "page" : null },
                        each.title,
                    ),
                ),
            );
        const current = document.querySelector("#pages [aria-current]");
        current.parentNode.scrollLeft = current.offsetLeft - current.parentNode.offsetLeft - 40; /* on a phone it may be out of sight */
        const container = h("div", {});
        const isKnown = page.id === parts[0] || parts[0] === "";
        main.replaceChildren(container);
        if (!isKnown) container.append(h("p", { class: "note" }, "There is no page “" + parts[0] + "” here."));
        if (warplens.isServed && page.needs) {
            container.append(h("p", { class: "count" }, "…"));
            await warplens.need(page.needs);
            if (!container.isConnected) return;
            container.replaceChildren();
        }
        const shown = page.show(container, isKnown ? parts.slice(1) : [], keys);
        scrollTo(0, 0);
        await shown;
    }

    /* ---- keys ---- */

    function listKeys() {
        const rows = Object.entries({ ...keys, ...(warplens.workbench ? warplens.workbench.keys : {}) }).concat([
            ["1 … " + shownPages().length, ["page", null]],
            ["?", ["this list", null]],
        ]);
        const dialog = h(
            "dialog",
            { class: "keys", onclose: () => dialog.remove() },
            h("h2", {}, "Keys"),
            h(
                "table",
                {},
                h(
                    "tbody",
                    {},
                    rows.map(([key, [meaning]]) =>
                        h("tr", {}, h("td", {}, h("kbd", {}, key)), h("td", {}, meaning)),
                    ),
                ),
            ),
            h("form", { method: "dialog" }, h("button", {}, "Close")),
        );
        document.body.append(dialog);
        dialog.showModal();
    }

    function onKey(event) {
        const isWriting = event.target.matches("input, select, textarea");
        if (event.key === "Escape") {
            hideDefinition();
            if (isWriting) event.target.blur();
        }
        if (
            isWriting ||
            event.ctrlKey ||
            event.altKey ||
            event.metaKey ||
            document.querySelector("dialog[open]")
        )
            return;
        const page = shownPages()[Number(event.key) - 1];
        const own = warplens.workbench ? warplens.workbench.keys : {};
        if (keys[event.key]) keys[event.key][1](event);
        else if (own[event.key]) own[event.key][1](event);
        else if (event.key === "?") listKeys();
        else if (page) go(page.id);
        else return;
        event.preventDefault();
    }

    function showMarks() {
        const legend = data("session").marks.map((mark) => [
            h("span", { class: "mark mark-" + mark.name }, mark.sign),
            " " + mark.name + ": " + mark.meaning,
        ]);
        document
            .getElementById("marks")
            .replaceChildren(
                "Every value has a mark: ",
                ...legend.flatMap((part, i) => (i ? ["; ", ...part] : part)),
                ".",
            );
    }

    function showSubtitle() {
        const { session = {}, processes = [], devices = [] } = data("session");
        const subtitle = document.getElementById("subtitle"),
            title = document.querySelector("h1");
        subtitle.textContent = [
            session.command_line || (processes.length ? processes[0].command_line : null),
            processes.length > 1 ? processes.length + " processes" : null,
            devices.length ? devices[0].name : null,
        ]
            .filter((part) => part)
            .join(" · ");
        subtitle.title = subtitle.textContent;
        title.title = title.textContent;
    }

    /* What every page stands on, then the page; again when a window of the workbench shows another run. */
    async function begin() {
        if (warplens.isServed) await warplens.need(["session", "parts"]);
        showMarks();
        showSubtitle();
        await show();
        document.documentElement.dataset.ready = "yes";
    }

    /* What stays below the header knows how high that is. */
    new ResizeObserver(([header]) => document.documentElement.style.setProperty("--header", header.target.offsetHeight + "px")).observe(
        document.querySelector("header"),
    );
    document.addEventListener("mouseover", onPoint);
    document.addEventListener("focusin", onPoint);
    document.addEventListener("focusout", hideDefinition);
    document.addEventListener("keydown", onKey);
    addEventListener("hashchange", show);
    if (warplens.isServed) warplens.workbench.start(begin);
    else begin();
})();
