-- Clock cycles of the units of an SM, where the collector gives those of SMs only: they share its clock, and in the
-- model they work whenever the SM has a warp.

local function row(name, description, formula)
    return { name = name, unit = "cycle", description = description, formula = formula }
end

local function elapsed(m)
    return m["gpc__cycles_elapsed.max"] * m["launch__sm_count"]
end

local function active(m)
    return m["sm__cycles_active.avg"]
end

local function per_sm(m)
    return m["device__attribute_schedulers_per_multiprocessor"]
end

return {
    row("sm__cycles_elapsed.max", "clock cycles that passed", function(m) return m["gpc__cycles_elapsed.max"] end),
    row("sm__cycles_elapsed.sum", "clock cycles that passed, of all SMs together", elapsed),
    row("sm__cycles_active.sum", "clock cycles in which SMs had a warp, all together",
        function(m) return active(m) * m["launch__sm_count"] end),
    row("smsp__cycles_elapsed.sum", "clock cycles that passed, of all sub-partitions together",
        function(m) return elapsed(m) * per_sm(m) end),
    row("smsp__cycles_active.avg", "clock cycles in which a sub-partition had a warp, on average", active),
    row("smsp__cycles_active.sum", "clock cycles in which sub-partitions had a warp, all together",
        function(m) return active(m) * m["launch__sm_count"] * per_sm(m) end),
    row("l1tex__cycles_elapsed.sum", "clock cycles that passed, of all L1 caches together", elapsed),
    row("l1tex__cycles_active.avg", "clock cycles in which L1 worked, on average: those in which its SM had a warp", active),
}
