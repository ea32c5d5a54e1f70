-- Why warps wait, from times: one rule for each state that a warp can be in when it does not issue.

local issue_active = "smsp__issue_active.avg.pct_of_peak_sustained_active"
local latency = "smsp__average_warp_latency_per_inst_issued.ratio"

local function metric_of(state)
    return "smsp__average_warps_issue_stalled_" .. state .. "_per_issue_active.ratio"
end

-- The instruction where most samples, or exact counts, of this state are.
local function worst(launch, state)
    return advice.top(launch, function(instruction)
        return instruction["smsp__pcsamp_warps_issue_stalled_" .. state] or
            instruction["warp_cycles_stalled_" .. state]
    end)
end

-- Whether special functions and conversions have more of the queue that they share with shared memory.
local function is_of_functions(launch)
    local floors = advice.floors(launch)
    return floors.xu > floors.shared
end

-- How much of a queue an instruction takes.
local queues = {
    mio_throttle = function(instruction, of_functions)
        return of_functions and instruction.pipe == "xu" and instruction["inst_executed"] or
            not of_functions and instruction["memory_l1_wavefronts_shared"] or nil
    end,
    lg_throttle = function(instruction)
        return instruction["memory_l1_tag_requests_global"]
    end,
}

-- What fills the queue that an instruction waits for: another line, where warps do not wait at it.
local function chain_of_queue(launch, instruction, queue)
    local of_functions, chain = is_of_functions(launch), { { at = instruction, text = "warps wait at" } }
    local most = advice.top(launch, function(other)
        return queue(other, of_functions)
    end)
    if most and (most.line ~= instruction.line or most.file ~= instruction.file) then
        chain[2] = { at = most, text = "what fills the queue most" }
    end
    return chain
end

-- From an instruction that waits back to what wrote the registers it reads, loads first.
local function chain_of(launch, instruction)
    local chain = { { at = instruction, text = "warps wait at" } }
    local _, read = advice.registers(instruction)
    for _, name in ipairs(read) do
        local writer = advice.writer(launch, instruction, name)
        if writer and writer.index ~= instruction.index and (advice.is(writer, "ld") or advice.is(writer, "atom") or
            advice.is(writer, "shfl") or writer.pipe == "xu" or writer.pipe == "fp64") and #chain < 4 then
            chain[#chain + 1] = { at = writer, text = "the value of " .. name .. " that comes from" }
        end
    end
    return chain
end

-- "long_scoreboard" gives "long-scoreboard".
local function spell(name, separator)
    local text = ""
    for index = 1, #name do
        local letter = string.sub(name, index, index)
        text = text .. (letter == "_" and separator or letter)
    end
    return text
end

-- What to do where special functions are what is waited for, not shared memory.
local of_functions = {
    short_scoreboard = "Compute special functions and conversions less often, and put independent work between one and what needs it.",
    mio_throttle = "Issue fewer special functions and conversions: values kept in registers, no way through double precision, " ..
        "arithmetic of the other pipes instead.",
}

-- A taken branch: behind it the next instruction has to be fetched, for twice as long (bench/gpu/model fetch,
-- exponentials.1.adds_0: 3 cycles and 6).
local fetched_behind = 2

local rules = {}
-- behind: a state that follows this one and is counted with it, up to fetched_behind times as much; least: the share of a
-- warp's time, 0.3 if none is given.
local function state(name, cause, description, todo, behind, least)
    local words, queue = spell(name, " "), queues[name]
    least = least or 0.3
    rules[#rules + 1] = {
        id = "stall-" .. spell(name, "-"),
        name = "Warps wait: " .. words,
        section = "WarpStateStats",
        stage = "stalls",
        order = 600 + #rules,
        group = "stall-" .. name,
        cause = cause,
        needs = { issue_active, latency, metric_of(name), behind and metric_of(behind) },
        description = description .. " Fires when schedulers issue in fewer than 80% of cycles and warps spend " ..
            string.format("%.0f%%", 100 * least) .. " of their time so.",
        advice = todo,
        apply = function(launch)
            local m = launch.m
            local issue, all, own = m[issue_active] / 100, m[latency], m[metric_of(name)]
            local evidence = { { metric = metric_of(name), threshold = not behind and least * all or nil } }
            if behind then
                own = own + math.min(m[metric_of(behind)], fetched_behind * own)
                evidence[#evidence + 1] = { metric = metric_of(behind) }
            end
            local share = all > 0 and own / all or 0
            if issue >= 0.8 or share <= least then
                return nil
            end
            evidence[#evidence + 1] = { metric = latency }
            evidence[#evidence + 1] = { metric = issue_active, threshold = 80 }
            local found = worst(launch, name)
            local instead = of_functions[name] and is_of_functions(launch) and of_functions[name]
            return {
                severity = "note", -- what is seen; the causes are findings of their own
                at = found,
                title = string.format("a warp spends %.1f of %.1f cycles between two instructions (%s) waiting: %s", own,
                    all, advice.percent(share), words),
                evidence = evidence,
                chain = found and (queue and chain_of_queue(launch, found, queue) or chain_of(launch, found)) or nil,
                cause = instead and "" or nil, -- what fewer functions gain is said where they are
                todo = instead or nil,
                confidence = "low",
            }
        end,
    }
end

state("long_scoreboard", "memory-latency",
    "The next instruction needs what a load from global, local or texture memory has not brought yet.",
    "Load earlier than the value is needed and several values at once (unroll, prefetch into registers or shared memory), " ..
    "make accesses contiguous, raise hit rates by working on smaller pieces, or have more warps.")
state("short_scoreboard", "shared-conflicts",
    "The next instruction needs what shared memory, a shuffle or a special function has not brought yet.",
    "Remove bank conflicts, use wider shared loads, compute special functions less often, and put independent work between.")
state("mio_throttle", "shared-conflicts",
    "The queue of shared memory, shuffles and special functions is full.",
    "Issue fewer of them: wider loads (float4), values kept in registers, no bank conflicts.")
state("lg_throttle", "uncoalesced",
    "The queue of global and local memory instructions is full.",
    "Issue fewer loads and stores: wider ones, contiguous ones, no local memory; put arithmetic between them.")
state("tex_throttle", "", "The queue of texture instructions is full.",
    "Issue fewer texture instructions at a time, or use plain loads for data that has no use for texture units.")
state("math_pipe_throttle", "",
    "The pipe of the next instruction is busy: arithmetic of one kind is what limits.",
    "This is good as long as that arithmetic is needed: spread it over other pipes, or have less of it.")
state("barrier", "barriers",
    "Warps have reached a barrier and wait for others of their block; on Hopper also those of a warp group that wait for " ..
    "its matrix instructions.",
    "Give the threads of a block equal work between barriers, use smaller blocks so that others go on, fewer barriers, " ..
    "or barriers of a warp (__syncwarp).")
state("membar", "", "A memory fence waits until all earlier accesses are seen by others.",
    "Use the narrowest fence that does (__threadfence_block), and fewer of them.")
state("drain", "", "A warp that has ended waits until its stores are written.",
    "Make the last stores contiguous, or let a warp do more before it ends.")
state("wait", "latency",
    "A fixed number of cycles must pass before the next instruction of this warp.",
    "More warps, or more independent instructions between those that depend on each other.")
state("branch_resolving", "divergence", "A branch is being decided, or what stands behind it fetched.",
    "Fewer branches: unroll short loops, replace conditions by arithmetic or predicates.", "no_instruction", 0.25)
state("no_instruction", "",
    "The next instruction is not there: after jumps, or because the code does not fit the instruction cache.",
    "Unroll less, fewer and shorter branches; for tiny kernels more work in each block.")
state("imc_miss", "", "A constant or parameter is not in the cache for constants.",
    "Let all threads of a warp read the same constant, and few different ones.")
state("dispatch_stall", "", "The dispatcher holds instructions back because of conflicts or lack of resources.",
    "Rare: look at the instructions where it is largest.")
state("sleeping", "", "All threads of the warp sleep (nanosleep).", "Sleep less, or do without polling.")
state("not_selected", "",
    "The warp could issue, but another one was chosen: there are more than enough warps.",
    "Nothing is wrong: fewer warps with more work each would do as well.")
return rules
