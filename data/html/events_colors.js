/* Colours of events: a hue for each family of categories, a shade for each name, all of which stand out by a contrast of
 * at least 4.6 from the paper and from the letters on them, which have the colour of the paper. */
warplens.timelineColors = (() => {
    const families = {
        kernel: ["kernels", 145, 60],
        memcpy: ["copies", 210, 75],
        memset: ["copies", 210, 75],
        unified_memory: ["managed memory", 28, 85],
        memory: ["allocations", 180, 60],
        cuda_runtime: ["CUDA calls", 230, 22],
        cuda_driver: ["CUDA calls", 230, 22],
        cuda_library: ["libraries", 265, 45],
        synchronization: ["waits", 0, 65],
        osrt: ["waits", 0, 65],
        nvtx_push_pop: ["ranges", 285, 40],
        nvtx_start_end: ["ranges", 285, 40],
        nvtx_mark: ["ranges", 285, 40],
        openacc: ["OpenACC and OpenMP", 50, 70],
        openmp: ["OpenACC and OpenMP", 50, 70],
        mpi: ["MPI", 325, 60],
    };
    const contrasts = [4.7, 5.8, 7.2];
    const made = new Map();

    function luminance([red, green, blue]) {
        const part = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
        return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
    }

    function fromHsl(hue, saturation, lightness) {
        const most = saturation * Math.min(lightness, 1 - lightness);
        return [0, 8, 4].map((n) => {
            const k = (n + hue / 30) % 12;
            return lightness - most * Math.max(-1, Math.min(k - 3, 9 - k, 1));
        });
    }

    /* The colour of a hue that has this contrast against paper: darker than bright paper, brighter than dark paper. */
    function shade(hue, saturation, contrast, paper) {
        const of = luminance(paper),
            isBright = of > 0.4;
        let low = 0,
            high = 1;
        for (let i = 0; i < 20; i++) {
            const middle = (low + high) / 2,
                own = luminance(fromHsl(hue, saturation, middle));
            const is = isBright ? (of + 0.05) / (own + 0.05) : (own + 0.05) / (of + 0.05);
            if (is > contrast === isBright) low = middle;
            else high = middle;
        }
        return "rgb(" + fromHsl(hue, saturation, isBright ? low : high).map((part) => Math.round(255 * part)) + ")";
    }

    function family(category) {
        return families[category] || ["other", 0, 0];
    }

    /* paper: as getComputedStyle gives it, "rgb(255, 255, 255)". */
    function of(category, name, paper) {
        let hash = 7;
        for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
        const variant = hash % contrasts.length,
            key = category + variant + paper;
        if (!made.has(key)) {
            const [, hue, saturation] = family(category);
            const parts = paper.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
            made.set(key, shade(hue, saturation / 100, contrasts[variant], parts));
        }
        return made.get(key);
    }

    return { of, family, families };
})();
