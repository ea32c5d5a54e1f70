-- The ladder of times of a launch: what of its duration goes where, from the least that this GPU needs up. Each
-- step is what remains of the duration after those before it, so that they add up to it exactly:
--   launch  what a launch costs besides the work of the SMs
--   ideal   the least time for its bytes or operations, on all SMs (ceiling.lua)
--   excess  beyond that, the time in which the busiest unit works: it does more than it must
--   starts  beyond that, starting blocks one after another
--   atomics after the SMs have ended, L2 performs atomics that meet in one place
--   idle    SMs have no block: a grid that does not fill the GPU, its last wave, or blocks of unequal length
--   wait    all units are free, and warps wait
-- Every sentence about how near a launch is to what could be, and every gain that is promised, is held against it.

local rows = {}
local function row(name, unit, description, formula)
    rows[#rows + 1] = { name = "warplens__ladder_" .. name, unit = unit, description = description, formula = formula,
        hidden = true }
end

rows[#rows + 1] = { name = "warplens__atomics.cycle", unit = "cycle",
    description = "cycles for which atomics keep the slice of L2 busy that has most of them", hidden = true }

local function duration(m)
    local ns = m["gpu__time_duration.sum"]
    if ns <= 0 or m("launch__is_library_time") then
        return nil
    end
    return ns
end

-- The cycles of a unit on all SMs, where its floor is of those that have a block.
local function on_all_sms(m, name)
    local cycles = m("warplens__floor_" .. name .. ".cycle")
    return cycles and cycles * m["warplens__busy_sms"] / m["launch__sm_count"]
end

-- For how long each unit works, as times: as read or predicted where that is known, else its floor by counts.
-- Throughputs of the whole come last: units that no other row names.
local function in_cycles(m, cycles)
    return cycles and cycles / m["device__model_sm_clock_hz"] * 1e9
end
local function of_pipe(m, name, floor)
    local share, active = m("sm__inst_executed_pipe_" .. name .. ".avg.pct_of_peak_sustained_active"),
        m("sm__cycles_active.avg")
    local elapsed = m("sm__cycles_elapsed.max") or m("gpc__cycles_elapsed.max")
    if share and active and elapsed and elapsed > 0 then
        return share / 100 * math.min(1, active / elapsed) * duration(m)
    end
    return floor and in_cycles(m, on_all_sms(m, floor))
end
local function of_throughput(m, name, floor)
    local share = m(name .. ".avg.pct_of_peak_sustained_elapsed")
    if share then
        return share / 100 * duration(m)
    end
    return floor and in_cycles(m, floor == "l2" and m("warplens__floor_l2.cycle") or on_all_sms(m, floor))
end
local units = {
    { "fma", function(m) return of_pipe(m, "fma", "fma") end },
    { "fp64", function(m) return of_pipe(m, "fp64", "fp64") end },
    { "fp16", function(m) return in_cycles(m, on_all_sms(m, "fp16")) end },
    { "xu", function(m) return of_pipe(m, "xu", "xu") end },
    { "tensor", function(m) return of_pipe(m, "tensor") end },
    { "alu", function(m) return of_pipe(m, "alu", "alu") end },
    { "dram", function(m)
        local share = m("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
        return share and share / 100 * duration(m) or in_cycles(m, m("warplens__floor_dram.cycle"))
    end },
    { "l2", function(m) -- without the way between its partitions, which holds nothing up and memory throughput leaves out
        local memory = of_throughput(m, "gpu__compute_memory_throughput")
        return math.min(of_throughput(m, "lts__throughput", "l2") or 0, memory or math.huge)
    end },
    { "lsu", function(m) return of_throughput(m, "l1tex__throughput", "lsu") end },
    { "issue", function(m)
        local executed = m("smsp__inst_executed.sum")
        return executed and in_cycles(m, executed / m["device__attribute_schedulers_per_multiprocessor"] /
            m["launch__sm_count"]) or in_cycles(m, on_all_sms(m, "issue"))
    end },
    { "adu", function(m) return of_throughput(m, "sm__inst_executed_pipe_adu") end },
    { "sm", function(m) return of_throughput(m, "sm__throughput") end },
    { "memory", function(m) return of_throughput(m, "gpu__compute_memory_throughput") end },
}

-- The busiest unit and its time. Of about equal ones arithmetic is named, beyond which nothing is left to gain; issuing
-- instructions only where it leads; a throughput of the whole, which is that of one of the others, only where it is clearly more.
local preference = { fma = 1.1, fp64 = 1.1, fp16 = 1.1, tensor = 1.1, issue = 0.9, adu = 0.9, sm = 0.85, memory = 0.85 }
local function busiest(m)
    local name, most, weighted = nil, 0, 0
    for _, unit in ipairs(units) do
        local ns = unit[2](m) or 0
        if ns * (preference[unit[1]] or 1) > weighted then
            name, most, weighted = unit[1], ns, ns * (preference[unit[1]] or 1)
        end
    end
    return name, most
end

row("unit", "", "the unit that works longest", function(m)
    if not duration(m) then
        return nil, "the launch has no duration"
    end
    return busiest(m), "nothing was counted"
end)
row("unit.ns", "ns", "for how long the busiest unit works", function(m)
    local all = duration(m)
    if not all then
        return nil, "the launch has no duration"
    end
    local name, most = busiest(m)
    if not name then
        return nil, "nothing was counted"
    end
    return math.min(all, most)
end)
row("unit.pct", "%", "the part of its duration in which the busiest unit works", function(m)
    return 100 * m["warplens__ladder_unit.ns"] / duration(m)
end)

-- ---- the steps ----

local function after(m, names)
    local rest = duration(m)
    for _, name in ipairs(names) do
        rest = rest - m["warplens__ladder_" .. name .. ".ns"]
    end
    return math.max(0, rest)
end

row("launch.ns", "ns", "of the duration, what a launch costs besides the work of the SMs", function(m)
    local all = duration(m)
    if not all then
        return nil, "the launch has no duration"
    end
    return math.min(all, m("device__model_launch_overhead_ns") or 0)
end)
row("ideal.ns", "ns", "of the duration, the least time for the bytes and operations of the launch on all SMs", function(m)
    return math.min(after(m, { "launch" }), m["warplens__ceiling.ns"])
end)
row("excess.ns", "ns", "of the duration, what the busiest unit works beyond the least", function(m)
    return math.min(after(m, { "launch", "ideal" }),
        math.max(0, m["warplens__ladder_unit.ns"] - m["warplens__ladder_ideal.ns"]))
end)
row("starts.ns", "ns", "of the duration, starting blocks one after another beyond the work of all units", function(m)
    local cycles = m("warplens__floor_blocks.cycle") or 0
    return math.min(after(m, { "launch", "ideal", "excess" }),
        math.max(0, in_cycles(m, cycles) - m["warplens__ladder_ideal.ns"] - m["warplens__ladder_excess.ns"]))
end)

-- The time in which SMs have a block, on average; all of it where that is not known.
local function active(m)
    local cycles, elapsed = m("sm__cycles_active.avg"), m("sm__cycles_elapsed.max") or m("gpc__cycles_elapsed.max")
    local all = duration(m)
    return cycles and elapsed and elapsed > 0 and math.min(all, cycles / elapsed * all) or
        all - m["warplens__ladder_launch.ns"]
end
row("atomics.ns", "ns", "of the duration, atomics that L2 performs one after another when the SMs have ended", function(m)
    local rest = after(m, { "launch", "ideal", "excess", "starts" })
    local done = in_cycles(m, m("warplens__atomics.cycle") or 0)
    return math.min(rest, math.max(0, done - math.max(active(m), m["warplens__ladder_ideal.ns"] +
        m["warplens__ladder_excess.ns"] + m["warplens__ladder_starts.ns"])))
end)
row("idle.ns", "ns", "of the duration, SMs that have no block", function(m)
    local rest = after(m, { "launch", "ideal", "excess", "starts", "atomics" })
    local idle = duration(m) - m["warplens__ladder_launch.ns"] - m["warplens__ladder_atomics.ns"] - active(m)
    return math.min(rest, math.max(0, idle))
end)
row("wait.ns", "ns", "of the duration, warps that wait while all units are free", function(m)
    return after(m, { "launch", "ideal", "excess", "starts", "atomics", "idle" })
end)

-- What warps wait for, of that time, by the states in which they were seen.
local kinds = {
    { "memory", "memory", { "long_scoreboard", "lg_throttle", "tex_throttle", "drain", "membar" } },
    { "shared", "shared memory", { "short_scoreboard", "mio_throttle" } },
    { "barrier", "barriers", { "barrier", "gmma" } },
    { "code", "instructions and constants", { "no_instruction", "imc_miss" } },
    { "arithmetic", "results of arithmetic", { "wait", "math_pipe_throttle", "dispatch_stall", "branch_resolving" } },
}
-- Special functions wait in the queue of shared memory.
local function name_of_queue(m)
    local functions = m("warplens__floor_xu.cycle") or 0
    return functions > (m("warplens__floor_shared.cycle") or 0) and "special functions" or "shared memory"
end
row("wait_kind", "", "what most of the waiting is for", function(m)
    local name, most = nil, 0
    for _, kind in ipairs(kinds) do
        local sum = 0
        for _, state in ipairs(kind[3]) do
            sum = sum + (m("smsp__average_warps_issue_stalled_" .. state .. "_per_issue_active.ratio") or 0)
        end
        if sum > most then
            name, most = kind[1] == "shared" and name_of_queue(m) or kind[2], sum
        end
    end
    return name, "no states of warps were read or predicted"
end)
row("is_full", "", "1: the SMs have about all warps that they can hold, and more of them are not to be had; else 0", function(m)
    return m["sm__warps_active.avg.pct_of_peak_sustained_active"] >= 75 and 1 or 0
end)
row("room.pct", "%", "the part of the duration beyond the least that this GPU needs, and the launch", function(m)
    return 100 * after(m, { "launch", "ideal" }) / duration(m)
end)

-- What a what-if takes away that a program can change by itself (src/timing/causes.def has all of them).
local causes = {
    { "shared-conflicts", "bank conflicts" }, { "uncoalesced", "sectors that are not needed" },
    { "barriers", "waiting at barriers" }, { "divergence", "lanes that part" },
    { "idle-warps", "warps that have nothing to do" }, { "occupancy-registers", "the limit of blocks by registers" },
    { "occupancy-shared", "the limit of blocks by shared memory" }, { "occupancy-blocks", "the limits on small blocks" },
    { "tail-wave", "SMs that have no block" }, { "atomics", "atomics that meet in one place" },
    { "constants", "constants at different addresses" }, { "local-memory", "local memory" },
    { "special-functions", "slow special functions" }, { "nonfused", "multiplications that are not fused" },
}
local function most_open(m)
    local words, most = nil, 0
    for _, cause in ipairs(causes) do
        local without = m("whatif__" .. cause[1] .. "__duration.ns")
        if without and duration(m) - without > most then
            words, most = cause[2], duration(m) - without
        end
    end
    return words, most
end
row("open", "", "in words: the cause without which the launch gains most, of those that a program can change", function(m)
    return most_open(m), "it was not timed again, or gains nothing"
end)
row("open.ns", "ns", "how much faster the launch is without that cause, at most what is beyond the least", function(m)
    if not duration(m) then
        return nil, "the launch has no duration"
    end
    local _, most = most_open(m)
    return math.min(most, after(m, { "launch", "ideal" }))
end)

-- ---- in words ----

local words = {
    launch = "the launch itself", starts = "starting blocks", atomics = "atomics in one place",
}
local unit_words = {
    issue = "instructions", fma = "the FMA pipe", alu = "the integer pipe", fp64 = "the double-precision pipe",
    xu = "special functions", fp16 = "the half-precision pipe", lsu = "L1", l2 = "L2", dram = "device memory",
    tensor = "the tensor pipe", adu = "the unit of barriers and constants (ADU)", sm = "a unit of the SMs", memory = "a unit of memory",
}
local function name_of(m, step)
    if step == "excess" then
        return "work of " .. unit_words[m["warplens__ladder_unit"]] .. " beyond the least"
    elseif step == "wait" then
        local kind = m("warplens__ladder_wait_kind")
        return kind and "warps wait, most for " .. kind or "warps wait"
    elseif step == "idle" then
        local blocks, sms = m["launch__grid_size"], m["launch__sm_count"]
        return blocks < sms and string.format("%d of %d SMs have no block", sms - blocks, sms) or
            "SMs have no block left"
    end
    return words[step]
end

row("unit_words", "", "the unit that works longest, in words", function(m)
    return unit_words[m["warplens__ladder_unit"]]
end)
row("rest", "", "in words: what the duration has beyond the least, each part with its amount", function(m)
    local parts, all = {}, duration(m)
    for _, step in ipairs({ "excess", "starts", "atomics", "idle", "wait", "launch" }) do
        local ns = m["warplens__ladder_" .. step .. ".ns"]
        if ns >= 0.005 * all then
            local place = #parts + 1
            while place > 1 and parts[place - 1].ns < ns do
                parts[place] = parts[place - 1]
                place = place - 1
            end
            parts[place] = { ns = ns, text = string.format("%s %.0f%%", name_of(m, step), 100 * ns / all) }
        end
    end
    local text = nil
    for _, part in ipairs(parts) do
        text = (text and text .. ", " or "") .. part.text
    end
    return text or "nothing"
end)
return rows
