-- How many warps an SM can hold, and what stands in the way of more.

local todo = {
    registers = "Let ptxas use fewer registers (__launch_bounds__, -maxrregcount), or let a thread compute less at a time; " ..
        "look whether that spills.",
    ["shared memory"] = "Use a smaller tile, a narrower type, or dynamic shared memory of just the size that is needed.",
    blocks = "Use larger blocks: an SM holds only so many blocks, however small they are.",
    warps = "Use a block size that divides the threads that an SM holds.",
    barriers = "Use fewer named barriers.",
}

-- Above that more warps have nothing to hide: a unit works nearly all the time (the bound is that of times.lua).
local near_the_peak_pct = 80

-- What more warps would hide, of all cycles between two instructions of a warp; nil: not read.
local function find_hidden(m)
    local all = m("smsp__average_warp_latency_per_inst_issued.ratio")
    local hidden = 0
    for _, state in ipairs({ "long_scoreboard", "short_scoreboard", "wait", "imc_miss", "no_instruction", "branch_resolving",
        "gmma" }) do
        hidden = hidden + (m("smsp__average_warps_issue_stalled_" .. state .. "_per_issue_active.ratio") or 0)
    end
    return all and all > 0 and hidden > 0 and math.min(1, hidden / all) or nil
end

-- Blocks so small that starting them, one after another, takes longer than what they do.
local function find_slow_starts(launch)
    local m = launch.m
    local threads = m["launch__block_size"]
    local step = advice.step(launch, "starts") -- known where there is a duration
    if threads >= 256 or advice.weight(launch, "blocks") < 0.5 or (step and step < 0.05) then
        return nil
    end
    local floors = advice.floors(launch)
    return {
        title = string.format("blocks of only %s: starting %s of them one after another takes %s cycles", advice.exactly(threads, "thread"),
            advice.count(m["launch__grid_size"]), advice.count(floors.blocks)),
        evidence = {
            { metric = "launch__block_size", threshold = 256 },
            { metric = "launch__grid_size" },
            { metric = "warplens__floor_blocks.cycle" },
        },
        todo = "Use larger blocks, or let a block do the work of several: the GPU starts one block after another.",
        saved = advice.saved(launch, { blocks = threads / 256 }),
        how = "blocks of 256 threads; " .. advice.floors_text(launch),
        confidence = "medium",
    }
end

local function rule(id, limiter, name, order, cause, why)
    return {
        id = id,
        name = name,
        section = "Occupancy",
        stage = "occupancy",
        order = order,
        group = "occupancy",
        cause = cause,
        description = why .. " Few warps hide little of the latency of memory. Fires when theoretical occupancy is below " ..
            "80% for this reason. The gain is small where arithmetic limits, or a thread has much independent work.",
        advice = todo[limiter],
        apply = function(launch)
            local m = launch.m
            local occupancy = m["sm__maximum_warps_per_active_cycle_pct"]
            local slow_starts = limiter == "blocks" and find_slow_starts(launch)
            if slow_starts then
                return slow_starts
            end
            if occupancy >= 80 or m["launch__occupancy_limiter"] ~= limiter then
                return nil
            end
            -- a grid that does not fill the GPU once has fewer warps anyway
            if m["launch__waves_per_multiprocessor"] < 1 then
                return nil
            end
            local floors = advice.floors(launch)
            local memory = math.max(floors.l1, floors.l2, floors.dram)
            local other = math.max(floors.fma, floors.alu, floors.fp64, floors.xu, floors.shared, floors.issue)
            local latency = memory > 0 and memory / (memory + other) or 0
            local hidden = other == 0 and find_hidden(m) -- of a launch that was measured floors know the memory alone
            latency = hidden or latency
            local missing = 1 - occupancy / 100
            -- what was read says more than floors, which do not know the work of all pipes
            local busy_pct = m("warplens__ladder_unit.pct") or 0
            if busy_pct >= near_the_peak_pct then
                return nil
            end
            local is_capped = 1 - busy_pct / 100 < missing * latency
            local saved = math.min(missing * latency, 1 - busy_pct / 100)
            return {
                title = string.format("an SM holds %d of %d warps, limited by %s",
                    m["sm__maximum_warps_avg_per_active_cycle"], m["device__attribute_max_warps_per_multiprocessor"],
                    limiter == "blocks" and "blocks of only " .. advice.exactly(m["launch__block_size"], "thread") or limiter),
                evidence = {
                    { metric = "sm__maximum_warps_per_active_cycle_pct", threshold = 80 },
                    { metric = "launch__occupancy_limiter" },
                    { metric = limiter == "registers" and "launch__registers_per_thread" or
                        limiter == "shared memory" and "launch__shared_mem_per_block" or "launch__block_size" },
                },
                saved = saved,
                how = string.format("the latency that the missing %s of the warps would hide, where %s", advice.percent(missing),
                    hidden and string.format("a warp spends %s of its time on what others would hide", advice.percent(latency)) or
                    string.format("memory has %s of the floors", advice.percent(latency))) .. (is_capped and
                    string.format("; no more than the %s in which the busiest unit has no work",
                        advice.percent(1 - busy_pct / 100)) or ""),
                confidence = "low",
            }
        end,
    }
end

return {
    rule("occupancy-blocks", "blocks", "Blocks too small to fill an SM", 40, "occupancy-blocks",
        "An SM holds a limited number of blocks, and the GPU starts them one after another: small ones do not fill it. " ..
        "Fires when starting blocks has half of the time by floors and they have fewer than 256 threads."),
    rule("occupancy-registers", "registers", "Occupancy limited by registers", 410, "occupancy-registers",
        "The registers of an SM are shared by its warps; a kernel that needs many lets few warps in."),
    rule("occupancy-shared", "shared memory", "Occupancy limited by shared memory", 420, "occupancy-shared",
        "The shared memory of an SM is shared by its blocks; large tiles let few blocks in."),
    rule("occupancy-warps", "warps", "Block size does not divide the threads of an SM", 430, "occupancy-blocks",
        "Whole blocks must fit an SM; the rest of its warps stays empty."),
}
