/* Launches of the reports. Of very many the page has lists, a field each, and a few launches whole, with their values;
 * the others are views of a place in the lists, made when somebody asks for them. */
(() => {
    const { data } = warplens;

    class Lists {
        constructor({ kernels, wheres, kinds, groups, id_steps, start_steps_ns, of_kind, duration_ns, failed, mark }, wholes) {
            const sums = (steps) => {
                let sum = 0;
                return Float64Array.from(steps, (step) => (sum += step));
            };
            Object.assign(this, { kernels, wheres, groups, of_kind, duration_ns, mark, wholes });
            this.own = kinds;
            this.ids = sums(id_steps);
            this.starts = sums(start_steps_ns);
            this.failed = new Set(failed);
            this.kinds = [];
            this.views = [];
            this.list = null;
            this.whole = new Map(wholes.map((launch) => [launch.id, launch]));
        }

        /* What launches of a kind share. */
        kind(number) {
            if (!this.kinds[number]) {
                const { kernel, where, grids, blocks } = this.own;
                this.kinds[number] = {
                    ...this.wheres[where[number]],
                    ...this.kernels[kernel[number]],
                    grid_size: grids.slice(3 * number, 3 * number + 3),
                    block_size: blocks.slice(3 * number, 3 * number + 3),
                    message: "",
                    notes: [],
                };
            }
            return this.kinds[number];
        }

        at(position) {
            return (this.views[position] = this.views[position] || new View(this, position));
        }

        all() {
            return (this.list = this.list || Array.from(this.of_kind, (kind, position) => this.at(position)));
        }

        /* Ids ascend. */
        find(id) {
            let from = 0,
                to = this.ids.length;
            while (from < to) {
                const middle = (from + to) >> 1;
                if (this.ids[middle] < id) from = middle + 1;
                else to = middle;
            }
            return this.ids[from] === id ? this.at(from) : null;
        }
    }

    /* A launch at a place of the lists; whole: the launch with its values, once it is there. */
    class View {
        constructor(lists, position) {
            this.lists = lists;
            this.position = position;
            this.id = lists.ids[position];
            this.whole = lists.whole.get(this.id) || null;
        }
        get duration_ns() {
            return this.lists.duration_ns[this.position];
        }
        get start_ns() {
            return this.lists.starts[this.position];
        }
        get mark() {
            return this.lists.mark;
        }
        get status() {
            return this.lists.failed.has(this.position) ? "failed" : "done";
        }
    }
    const fields =
        "kernel_name function short_name is_stand_in grid_size block_size message notes values uncounted process_id process_name host_name context stream device cc nvtx_range";
    for (const field of fields.split(" "))
        Object.defineProperty(View.prototype, field, {
            get() {
                const kind = this.lists.kind(this.lists.of_kind[this.position]);
                return this.whole && field in this.whole ? this.whole[field] : kind[field];
            },
        });

    /* The lists of a report that has them, else null. */
    warplens.lists = (number = 0) => {
        const report = data("launches") && data("launches").reports[number];
        if (report && report.bare) {
            report.lists = new Lists(report.bare, report.launches);
            delete report.bare;
            delete report.launches;
        }
        return (report && report.lists) || null;
    };

    warplens.launches = (number = 0) => {
        const lists = warplens.lists(number);
        if (lists) return lists.all();
        const report = data("launches") && data("launches").reports[number];
        return report ? report.launches : [];
    };

    /* The launch of an id of the first report, or null. */
    warplens.launch = (id) => {
        const lists = warplens.lists();
        return (lists ? lists.find(id) : warplens.launches().find((launch) => launch.id === id)) || null;
    };

    /* Launches of the first report whose values the page came with, in the order of its other sections. */
    warplens.wholes = () => (warplens.lists() ? warplens.lists().wholes : warplens.launches());

    /* Brings the values of launches that came without them; gives those that are new. */
    warplens.fill = async (wanted) => {
        const lacking = wanted.filter((launch) => !launch.values),
            own = data("launches");
        if (!lacking.length) return lacking;
        const { data: answer } = await warplens.workbench.section("launches:" + lacking.map(({ id }) => id).join(","));
        if (!answer || own !== data("launches")) return [];
        const base = own.values.length,
            unit_base = own.units.length;
        for (const item of answer.values)
            own.values.push(typeof item === "string" ? item : [item[0], item[1] + 3 * unit_base, ...item.slice(2)]);
        own.units.push(...answer.units);
        const whole = new Map(answer.reports[0].launches.map((each) => [each.id, each]));
        for (const launch of lacking) {
            const found = whole.get(launch.id);
            if (found) launch.whole = { ...found, values: found.values.map((at) => at + base) };
        }
        return lacking;
    };
})();
