/* Launches of the same kernel and shape, put together: warplens.kinds() gives {launch, id, shape, count, ns, timed, least,
 * most, mark, launches} of each, those that take most first; launch stands for the others and is a counted one where there
 * are lists of launches; wholes are then those that the page came with whole. warplens.kindOf(launch) gives the one that a
 * launch belongs to, where there are lists. */
(() => {
    const { data, value, triple } = warplens;
    const time_metric = "gpu__time_duration.sum";

    /* A table of kinds is what can be read: launches are very many, and alike. */
    warplens.kindsAreBetter = () => {
        const lists = warplens.lists();
        return lists !== null && 2 * warplens.kinds().length <= lists.ids.length;
    };

    function add(kind, ns, mark) {
        kind.count++;
        if (ns === null || ns === undefined) return;
        kind.least = kind.timed ? Math.min(kind.least, ns) : ns;
        kind.most = kind.timed ? Math.max(kind.most, ns) : ns;
        kind.ns += ns;
        kind.timed++;
        kind.mark = Math.max(kind.mark || 0, mark);
    }

    const empty = (shape) => ({ shape, count: 0, timed: 0, ns: 0, least: 0, most: 0 });

    /* Sums come with the lists; which launches are of a kind is found in them. */
    function ofLists(lists) {
        const { of_kind, mark, groups } = lists,
            { kernel, grids, blocks } = lists.own,
            found = new Map();
        const own = kernel.map((number, k) => {
            const shape = triple(grids.slice(3 * k, 3 * k + 3)) + "×" + triple(blocks.slice(3 * k, 3 * k + 3)),
                key = number + " " + shape;
            if (!found.has(key)) found.set(key, { shape, mark, positions: [], wholes: [] });
            return found.get(key);
        });
        of_kind.forEach((kind, position) => own[kind].positions.push(position));
        for (const { id } of lists.wholes) {
            const launch = lists.find(id);
            own[of_kind[launch.position]].wholes.push(launch);
        }
        return groups.launch.map((id, i) => {
            const launch = lists.find(id),
                kind = own[of_kind[launch.position]],
                timed = groups.ns[i] === null ? 0 : groups.count[i];
            Object.assign(kind, { launch, id, timed, count: groups.count[i], ns: groups.ns[i] || 0, least: groups.least[i], most: groups.most[i] });
            Object.defineProperty(kind, "launches", { get: () => kind.positions.map((at) => lists.at(at)) });
            return kind;
        });
    }

    function ofLaunches() {
        const found = new Map(),
            index = data("launches").metrics.findIndex((metric) => metric.name === time_metric);
        for (const launch of warplens.launches()) {
            const shape = triple(launch.grid_size) + "×" + triple(launch.block_size),
                key = launch.kernel_name + " " + shape,
                time = index < 0 ? {} : value(launch, index);
            if (!found.has(key)) found.set(key, { ...empty(shape), launch, id: launch.id, launches: [] });
            add(found.get(key), time.number, time.mark);
            found.get(key).launches.push(launch);
        }
        return [...found.values()];
    }

    /* The same objects each time, as long as the data are those. */
    let known = { of: null, kinds: [] };
    warplens.kinds = () => {
        const lists = warplens.lists(),
            of = lists || data("launches");
        if (known.of !== of) known = { of, kinds: lists ? ofLists(lists) : ofLaunches().sort((a, b) => b.ns - a.ns) };
        return known.kinds;
    };

    /* What tells a launch's kernel from the others here. */
    warplens.shortName = (launch) => launch.short_name || launch.function;

    warplens.kindOf = (launch) => {
        const shape = triple(launch.grid_size) + "×" + triple(launch.block_size);
        const ofLaunch = (kind) => kind.shape === shape && kind.launch.kernel_name === launch.kernel_name && kind.positions.includes(launch.position);
        return warplens.kinds().find(ofLaunch) || null;
    };
})();
