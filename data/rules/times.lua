-- What shows only with times: how near a kernel comes to the peaks, and how many warps really were there.

local compute = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
local memory = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
local issue_active = "smsp__issue_active.avg.pct_of_peak_sustained_active"
local achieved = "sm__warps_active.avg.pct_of_peak_sustained_active"
local theoretical = "sm__maximum_warps_per_active_cycle_pct"

-- What a launch takes by itself where no model of the GPU says it, as in data/gpus/defaults.gpu.
local launch_ns = 1450

-- What is not waiting and takes half of the time or more.
local function half_of_time(m)
    local all = m("gpu__time_duration.sum")
    local steps = { { "launch", "the launch itself takes most of the time" },
        { "atomics", "atomics in one place take most of the time" },
        { "starts", "starting blocks takes most of the time" }, { "idle", "most of the SMs have no block" } }
    for _, step in ipairs(steps) do
        local ns = m("warplens__ladder_" .. step[1] .. ".ns")
        if ns and all and ns >= 0.5 * all then
            return step[2]
        end
    end
    return nil
end

return {
    {
        id = "near-peak",
        name = "How near the kernel is to the peaks of the GPU",
        section = "SpeedOfLight",
        stage = "bound",
        order = 890,
        needs = { compute, memory },
        description = "Compares the busiest compute unit and the busiest memory unit with their peaks: 80% and more is a " ..
            "kernel that uses the GPU well, below 20% for both is one that waits (latency), from 60% the higher one bounds it. Where the GPU's ceilings " ..
            "were measured, 90% of what a copy reaches is the end for device memory.",
        advice = "Above 80% of a peak only less work helps; below 60% of both look at what warps wait for.",
        apply = function(launch)
            local m = launch.m
            -- modelled parts of a peak can come out above it
            local of_compute, of_memory = math.min(100, m[compute]), math.min(100, m[memory])
            local most = math.max(of_compute, of_memory)
            local text
            if most >= 80 then
                text = "near the peak: only less work for that unit makes it faster"
            elseif most < 20 then
                text = "neither compute nor memory is busy: " .. (half_of_time(m) or "latency-bound")
            elseif most < 60 then
                text = "neither compute nor memory is near its peak"
            elseif math.abs(of_compute - of_memory) < 10 then
                text = "compute and memory are balanced"
            else
                text = "bound by " .. (of_compute > of_memory and "compute" or "memory")
            end
            -- known where `warplens ceilings` has measured the GPU
            local of_ceiling, reached = m("derived__dram_of_ceiling.pct"), ""
            if of_ceiling then
                reached = string.format(", %.0f%% of the bandwidth that a copy reaches on this GPU", of_ceiling)
                text = of_ceiling >= 90 and "at the ceiling of device memory: only less traffic makes it faster" or text
            end
            return {
                severity = "note",
                title = string.format("%.0f%% of the compute peak, %.0f%% of the memory peak%s: %s", of_compute, of_memory,
                    reached, text),
                evidence = { { metric = compute, threshold = 60 }, { metric = memory, threshold = 60 } },
            }
        end,
    },
    {
        id = "issue-slots",
        name = "Schedulers often have nothing to issue",
        section = "SchedulerStats",
        stage = "stalls",
        order = 590,
        group = "issue",
        needs = { issue_active, "smsp__warps_active.avg.per_cycle_active", "smsp__warps_eligible.avg.per_cycle_active" },
        description = "Each scheduler can issue an instruction each cycle, if one of its warps is ready. Fires when it does " ..
            "in fewer than 60% of cycles.",
        advice = "Have more warps (occupancy), or warps that wait less: see the findings about stalls.",
        apply = function(launch)
            local m = launch.m
            local issue = m[issue_active]
            if issue >= 60 then
                return nil
            end
            return {
                severity = "note",
                todo = m("warplens__ladder_is_full") == 1 and "The SMs have about all warps that they hold: let these wait less, see the " ..
                    "findings about stalls." or nil,
                title = string.format("an instruction every %.1f cycles, from %.1f warps of which %.2f are ready",
                    100 / math.max(issue, 0.01), m["smsp__warps_active.avg.per_cycle_active"],
                    m["smsp__warps_eligible.avg.per_cycle_active"]),
                evidence = { { metric = issue_active, threshold = 60 },
                    { metric = "smsp__warps_active.avg.per_cycle_active" },
                    { metric = "smsp__warps_eligible.avg.per_cycle_active" } },
            }
        end,
    },
    {
        id = "achieved-occupancy",
        name = "Fewer warps than there could be",
        section = "Occupancy",
        stage = "occupancy",
        order = 440,
        group = "occupancy",
        needs = { achieved },
        description = "Fewer warps were active than theory allows: blocks of unequal length, a short tail, or a grid that " ..
            "ends soon. Fires when the difference is more than 10 points and the grid fills the GPU.",
        advice = "Give blocks equal work, use smaller blocks, and a grid of several waves.",
        apply = function(launch)
            local m = launch.m
            local could, was = m[theoretical], m[achieved]
            if could - was <= 10 or m["launch__waves_per_multiprocessor"] < 1 then
                return nil
            end
            return {
                severity = "note", -- what is seen; why is another finding
                title = string.format("%.0f%% of the warps were active, %.0f%% could have been", was, could),
                evidence = { { metric = achieved, threshold = could - 10 }, { metric = theoretical } },
                confidence = "low",
            }
        end,
    },
    {
        id = "imbalance",
        name = "Some units have more to do than others",
        section = "WorkloadDistribution",
        stage = "grid",
        order = 25,
        group = "grid",
        needs = { "sm__cycles_active.max", "sm__cycles_active.avg" },
        description = "The busiest SM works longer than the average one: blocks of unequal length, or too few of them. " ..
            "Fires when the difference is 10% of the time (SMs with equal blocks differ by up to 9% on an H100), and more " ..
            "than a launch takes by itself: SMs do not begin at once.",
        advice = "Divide the work more evenly, or into more and smaller blocks that are dealt as SMs get free.",
        apply = function(launch)
            local m = launch.m
            local most, mean = m["sm__cycles_active.max"], m["sm__cycles_active.avg"]
            local idle = most > 0 and 1 - mean / most or 0
            local cycles = m("sm__cycles_elapsed.max") or m("gpc__cycles_elapsed.max") or most
            local ns = math.max(0, most - mean) / math.max(cycles, most, 1) * (m("gpu__time_duration.sum") or 0)
            if idle < 0.1 or ns < (m("device__model_launch_overhead_ns") or launch_ns) then
                return nil
            end
            return {
                title = string.format("the busiest SM works %s cycles, the average one %s", advice.count(most),
                    advice.count(mean)),
                evidence = { { metric = "sm__cycles_active.max" }, { metric = "sm__cycles_active.avg" } },
                saved = math.min(0.95, idle, advice.step(launch, "idle") or 1),
                how = "all SMs as busy as the average one",
                confidence = "medium",
            }
        end,
    },
}
