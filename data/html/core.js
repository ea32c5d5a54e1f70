"use strict";
/* What every page uses. A page is a file page_NAME.js that calls warplens.addPage; its numbers come
 * from C as a JSON text, read with warplens.data("NAME"). Texts go into the document as text only,
 * never as HTML. */
const warplens = (() => {
    const time_metric = "gpu__time_duration.sum";
    const pages = [];
    const sections = new Map();

    const isServed = document.getElementById("data-served") !== null;

    /* A section of the data, parsed when it is first wanted; null if the page has none. Of a served page it is there
     * after need(). */
    function data(name) {
        if (!sections.has(name)) {
            const element = document.getElementById("data-" + name);
            if (isServed) return null;
            sections.set(name, element ? JSON.parse(element.textContent) : null);
        }
        return sections.get(name);
    }

    /* Brings sections that are not there yet from the server (workbench.js). */
    async function need(names) {
        if (!isServed) return;
        await Promise.all(
            names
                .filter((name) => !sections.has(name))
                .map(async (name) => {
                    const answer = await warplens.workbench.section(name);
                    if (!sections.get("definitions")) sections.set("definitions", {});
                    Object.assign(sections.get("definitions"), answer.definitions);
                    sections.set(name, answer.data);
                }),
        );
    }

    /* Whether the report has something of this section. */
    function has(name) {
        return isServed ? Boolean((data("parts") || {})[name]) : data(name) !== null;
    }

    /* All that was brought is of another run now. */
    function forget() {
        sections.clear();
    }

    /* h("td", {class: "number", onclick: f}, "text", node, [more nodes], null) */
    function h(tag, attributes, ...children) {
        const node = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes || {})) {
            if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
            else if (value !== null && value !== undefined && value !== false)
                node.setAttribute(name, value === true ? "" : value);
        }
        node.append(...children.flat(2).filter((child) => child !== null && child !== undefined));
        return node;
    }

    /* ---- values ---- */

    /* Why a launch has nothing but its time here. */
    function reasonOf(launch) {
        return "the page has only the time of this launch: " + (launch.uncounted || "there are very many, and some have all their values");
    }

    /* With two digits behind the point, rounded as C's printf does: the number as it is in binary, halves to the even one. */
    function twoDigits(number) {
        const isHalf = Number.isInteger(number * 8) && Math.abs(number * 200) % 2 === 1,
            low = Math.floor(number * 100);
        const text = isHalf ? ((low % 2 ? low + 1 : low) / 100).toFixed(2) : number.toFixed(2);
        const [whole, part] = text.split(".");
        return whole.replace(/\B(?=(\d{3})+$)/g, ",") + "." + part;
    }

    /* ["80.51", "us"], as the values that come with the page are written. */
    function scaledTime(ns) {
        const units = ["ns", "us", "ms", "s"];
        let size = ns,
            unit = 0;
        for (; size >= 1000 && unit + 1 < units.length; unit++) size /= 1000;
        return [unit === 0 && Number.isInteger(ns) ? String(ns) : twoDigits(size), units[unit]];
    }

    /* What a launch has of metric number index: {shown, unit, mark, number}, or {reason}. Of a launch that is not here
     * whole: its time, and {isLater} where a server has the rest. */
    function value(launch, index) {
        const { values, units, metrics } = data("launches");
        if (!launch.values) {
            const isTime = metrics[index].name === time_metric;
            if ((!isServed || launch.uncounted) && (!isTime || launch.duration_ns === null))
                return { shown: "n/a", unit: "", reason: reasonOf(launch) };
            if (!isTime || launch.duration_ns === null)
                return { shown: "…", unit: "", reason: "it comes when it is looked at", isLater: !isTime };
            const [shown, unit] = scaledTime(launch.duration_ns);
            return { shown, unit, mark: launch.mark, number: launch.duration_ns };
        }
        const item = values[launch.values[index]];
        if (typeof item === "string") return { shown: "n/a", unit: "", reason: item };
        const [shown, code, exact] = item;
        const number =
            exact === undefined ? Number(shown.replace(/,/g, "")) : exact === null ? undefined : exact;
        return { shown, unit: units[Math.floor(code / 3)], mark: code % 3, number };
    }

    function mark(index) {
        const { name, sign, meaning } = data("session").marks[index];
        return h(
            "span",
            { class: "mark mark-" + name, title: name + ": " + meaning, "aria-label": name },
            sign,
        );
    }

    /* A value in one cell, with its unit where the heading does not say it. */
    function cell(launch, index, withUnit) {
        const found = value(launch, index);
        if (found.reason !== undefined)
            return h(
                "td",
                { class: "number absent" },
                h("span", { tabindex: found.isLater ? null : 0, "data-text": found.reason }, found.shown),
            );
        const base = data("launches").metrics[index].unit;
        const hasUnit = found.unit && (withUnit || found.unit !== base);
        return h(
            "td",
            {
                class: "number",
                "data-metric": data("launches").metrics[index].name,
                "data-value": found.number === undefined ? found.shown : found.number,
            },
            found.shown,
            hasUnit ? h("span", { class: "unit" }, " " + found.unit) : null,
            " ",
            mark(found.mark),
        );
    }

    /* A name with its definition on hover and focus; the name alone where there is none. */
    function term(label, name) {
        if (!definition(name)) return h("span", {}, label);
        return h("span", { class: "term", tabindex: 0, "data-define": name }, label);
    }

    /* {title, lines}, or null. */
    function definition(name) {
        return (data("definitions") || {})[name] || null;
    }

    /* ---- drawings ---- */

    /* The drawing at a position of the section drawings, as SVG made by the same code that makes files; name
     * is defined by its title. */
    function drawing(position, name, section) {
        const { drawings, layouts, elements, texts } = section;
        const [layout, ...own] = drawings[position];
        const { width, height, title, description, elements: parts } = layouts[layout];
        const text =
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ' +
            width +
            " " +
            height +
            '">' +
            parts.map((each) => elements[each]).join("") +
            "</svg>";
        const svg = document.importNode(
            new DOMParser().parseFromString(text, "image/svg+xml").documentElement,
            true,
        );
        svg.querySelectorAll("text").forEach((node, i) => (node.textContent = texts[own[i]]));
        svg.setAttribute("role", "group");
        svg.setAttribute("aria-label", title + ". " + description);
        svg.style.maxWidth = width * 1.15 + "px";
        return h("figure", { class: "drawing" }, h("figcaption", {}, name ? term(title, name) : title), svg);
    }

    /* ---- launches ---- */

    /* "80.51 us": every time that a page makes a text of. */
    function shownTime(ns) {
        return scaledTime(ns).join(" ");
    }

    function triple(numbers) {
        return "(" + numbers.join(", ") + ")";
    }

    function launchTitle(launch) {
        return (
            launch.id +
            ": " +
            warplens.shortName(launch) +
            (launch.grid_size[0] ? " " + triple(launch.grid_size) + "×" + triple(launch.block_size) : "")
        );
    }

    /* ---- pages ---- */

    /* page: {id, title, order, needs (sections, before it is shown; isThere asks for those of core only), isThere()
     * (whether the report has something for it),
     * show(container, rest, keys)}: rest is what follows the page in the address, cut at "/"; keys,
     * an object to fill: key to [what it does, function]. */
    function addPage(page) {
        pages.push(page);
    }

    function shownPages() {
        return pages.filter((page) => !page.isThere || page.isThere()).sort((a, b) => a.order - b.order);
    }

    function go(...parts) {
        location.hash = "#" + parts.map(encodeURIComponent).join("/");
    }

    function address(...parts) {
        return "#" + parts.map(encodeURIComponent).join("/");
    }

    /* ---- what the reader chose, in the address behind "?" ---- */

    function readState() {
        return Object.fromEntries(new URLSearchParams(location.hash.split("?")[1] || ""));
    }

    /* Puts some of it into the address; what is empty is left out. */
    function keepState(chosen) {
        const all = Object.entries({ ...readState(), ...chosen }).filter(([, value]) => value !== "" && value !== null && value !== undefined);
        const query = new URLSearchParams(all).toString();
        history.replaceState(null, "", (location.hash.split("?")[0] || "#") + (query ? "?" + query : ""));
    }

    return {
        reasonOf,
        scaledTime,
        readState,
        keepState,
        isServed,
        data,
        need,
        has,
        forget,
        h,
        value,
        mark,
        cell,
        term,
        definition,
        drawing,
        shownTime,
        triple,
        launchTitle,
        addPage,
        shownPages,
        go,
        address,
    };
})();
