-- Names that end like this and have no row of their own. The longest suffix that fits is used.

local no_time = "needs a predicted or measured time of this kernel, which this launch has not"
local no_units = "counts are kept for the whole device, not for each of its units"

-- How many of a unit the device has, by the beginning of the metric's name.
local function instances(m, base)
    for _, unit in ipairs({ "sm__", "l1tex__" }) do
        if string.sub(base, 1, #unit) == unit then
            return m["launch__sm_count"]
        end
    end
    if string.sub(base, 1, 6) == "smsp__" then
        return m["launch__sm_count"] * m["device__attribute_schedulers_per_multiprocessor"]
    end
    if string.sub(base, 1, 5) == "lts__" then
        return m["device__attribute_l2_slices"]
    end
    return nil
end

local rows = {
    {
        suffix = ".avg",
        formula = function(m, base)
            local count = instances(m, base)
            if not count then
                return nil, "it is not known how many units share this count"
            end
            return m[base .. ".sum"] / count
        end,
    },
    { suffix = ".max", absent = no_units },
    { suffix = ".min", absent = no_units },
}
for _, rollup in ipairs({ ".sum", ".avg", ".max", ".min" }) do
    for _, submetric in ipairs({
        ".per_second", ".per_cycle_active", ".per_cycle_elapsed", ".pct_of_peak_sustained_active",
        ".pct_of_peak_sustained_elapsed", ".peak_sustained", ".peak_sustained_active", ".peak_sustained_elapsed",
        ".peak_sustained_active.per_second", ".peak_sustained_elapsed.per_second",
    }) do
        rows[#rows + 1] = { suffix = rollup .. submetric, absent = no_time }
    end
end
return rows
