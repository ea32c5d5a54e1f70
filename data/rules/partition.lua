-- How the work is divided among threads, warps and blocks, seen on the ladder of times (data/metrics/ladder.lua): these
-- rules need a duration.

-- From a load to its value out of device memory with many others on their way: up to 1,767 cycles of an H200
-- (bench/gpu/model, loaded).
local device_memory_ns = 900

local function each_sm(launch)
    return launch.m["launch__grid_size"] / launch.m["launch__sm_count"]
end

-- A thread with more loads and stores than this has its work already.
local most_accesses = 12

-- The part of the sectors that accesses touch beyond what they must, without those that are merely shifted by some elements
-- (one sector more each) and those of threads that take a few neighbours one by one, which L1 still has.
local function scattered_part(launch)
    local own, all = 0, 0
    for _, instruction in ipairs(launch.instructions) do
        local sectors, ideal = instruction["memory_l2_theoretical_sectors_global"] or 0,
            instruction["memory_l2_theoretical_sectors_global_ideal"] or 0
        local requests = instruction["l1tex__t_requests"] or 0
        all = all + sectors
        local is_shifted = sectors - ideal <= 1.01 * requests and ideal >= 1.9 * requests
        if sectors > 0 and not is_shifted and not advice.is_by_pieces(launch, instruction) then
            own = own + sectors - ideal
        end
    end
    return all > 0 and own / all or 0
end

local function is_global_access(instruction)
    return advice.is(instruction, "ld.global") or advice.is(instruction, "st.global") or
        advice.is(instruction, "ld.global.nc")
end

-- Threads that only load, compute and store elements of their own: no barrier, shuffle or shared memory, and no loop
-- that loads. Returns the width of most accesses, the instruction that is one, and how many loads a thread has; nil where
-- they do more.
local function find_elementwise(launch)
    local widths, all, accesses, loads = {}, 0, 0, 0
    local found, most = nil, 0
    for _, instruction in ipairs(launch.instructions) do
        local count = instruction["inst_executed"] or 0
        if count > 0 and (advice.is(instruction, "bar") or advice.is(instruction, "shfl") or
            string.find(instruction.opcode, ".shared", 1, true) or advice.is(instruction, "atom") or
            advice.is(instruction, "red")) then
            return nil
        elseif count > 0 and is_global_access(instruction) then
            local width = advice.width(instruction)
            if count > 1.01 * launch.m["ptx__warps_launched.sum"] then
                return nil
            end
            widths[width] = (widths[width] or 0) + count
            all = all + count
            accesses = accesses + 1
            loads = loads + (advice.is(instruction, "ld.global") and 1 or 0)
            if count > most then
                found, most = instruction, count
            end
        end
    end
    local narrow = (widths[1] or 0) + (widths[2] or 0) + (widths[4] or 0)
    if not found or narrow < 0.8 * all or accesses > most_accesses then
        return nil
    end
    return (widths[4] or 0) > 0.5 * all and 4 or (widths[2] or 0) > 0.5 * all and 2 or
        (widths[1] or 0) > 0.5 * all and 1 or 4, found, loads
end

-- The part of the warps that go to global memory at all: others end at a guard before.
local function working_part(launch)
    local most = 0
    for _, instruction in ipairs(launch.instructions) do
        local is_access = is_global_access(instruction) or advice.is(instruction, "atom") or advice.is(instruction, "red")
        most = is_access and math.max(most, instruction["inst_executed"] or 0) or most
    end
    return math.min(1, most / math.max(1, launch.m["ptx__warps_launched.sum"]))
end

-- Whether what all warps do is no more than to find out that there is nothing to do.
local function ends_at_guard(launch)
    local warps, own = launch.m["ptx__warps_launched.sum"], 0
    for _, instruction in ipairs(launch.instructions) do
        local executed = instruction["inst_executed"] or 0
        if executed > 0 and (advice.is(instruction, "bar") or advice.is(instruction, "shfl")) then
            return false
        end
        own = own + (executed >= 0.9 * warps and executed or 0)
    end
    return own <= 20 * warps
end

-- Whether threads look something up in constant memory: that is work, however many elements a thread takes.
local function indexes_constants(launch)
    for _, instruction in ipairs(launch.instructions) do
        if advice.is(instruction, "ld.const") and #advice.address_registers(instruction) > 0 then
            return true
        end
    end
    return false
end

-- The load of a loop in which each thread walks a row of its own: neighbouring threads are far apart, turn by turn, and
-- no threads sum up together. nil where there is none.
local function find_walk(launch)
    local m = launch.m
    for _, instruction in ipairs(launch.instructions) do
        if (instruction["inst_executed"] or 0) > 0 and (advice.is(instruction, "shfl") or advice.is(instruction, "bar")) then
            return nil
        end
    end
    local inside = {}
    for _, loop in ipairs(advice.loops(launch)) do
        for index = loop.first, loop.last do
            inside[index] = true
        end
    end
    return advice.top(launch, function(instruction)
        local requests = instruction["l1tex__t_requests"] or 0
        local step, parameter = advice.stride(launch, instruction)
        local is_far = (step and (parameter ~= "" or math.abs(step) >= 32)) or
            (instruction["memory_l2_theoretical_sectors_global"] or 0) >= 16 * requests
        return inside[instruction.index] and advice.is(instruction, "ld.global") and is_far and step ~= 0 and
            not advice.is_indirect(launch, instruction) and not advice.is_chased(launch, instruction) and
            (instruction["inst_executed"] or 0) >= 16 * m["ptx__warps_launched.sum"] and
            instruction["memory_l2_theoretical_sectors_global"]
    end)
end

-- Whether threads store to global memory turn by turn: element by element, with nothing to be summed up.
local function stores_in_loops(launch)
    for _, loop in ipairs(advice.loops(launch)) do
        for index = loop.first, loop.last do
            if advice.is(launch.instructions[index], "st.global") and (launch.instructions[index]["inst_executed"] or 0) > 0 then
                return true
            end
        end
    end
    return false
end

-- How much of the GPU the grid would fill once, and whether its shared memory is what stands in the way of more: the
-- tiles of a block then are larger than such a grid can afford.
local function filled(launch)
    local m = launch.m
    local waves = m["launch__waves_per_multiprocessor"]
    if m("launch__occupancy_limiter") ~= "shared memory" or waves > 1.5 then
        return waves, false
    end
    local blocks = math.min(m["launch__occupancy_limit_registers"], m["launch__occupancy_limit_warps"],
        m["launch__occupancy_limit_blocks"])
    return math.min(waves, m["launch__grid_size"] / math.max(1, blocks * m["launch__sm_count"])), true
end

-- The part of the sectors out of L2 that loads through lists of indices take: these stay scattered however rows are divided.
local function gathered_part(launch)
    local function missed(instruction)
        return advice.is(instruction, "ld.global") and instruction["l1tex__t_sectors_lookup_miss"] or 0
    end
    local gathered = advice.sum(launch, function(instruction)
        return advice.is_indirect(launch, instruction) and missed(instruction)
    end)
    return gathered / math.max(1, advice.sum(launch, missed))
end

-- The part of the instructions of warps that compute neither from nor with data, nor a value that is stored: indices,
-- comparisons with lengths, loads and stores themselves. A thread that takes several elements shares them out.
local function overhead(launch)
    local own, all = 0, 0
    local addresses, values = {}, {}
    for _, instruction in ipairs(launch.instructions) do
        local is_store, in_address = advice.is(instruction, "st."), {}
        for _, name in ipairs(advice.address_registers(instruction)) do
            addresses[#addresses + 1] = name
            in_address[name] = true
        end
        local _, read = advice.registers(instruction)
        for _, name in ipairs(is_store and read or {}) do
            values[#values + 1] = not in_address[name] and name or nil
        end
    end
    local of_addresses = advice.sources(launch, addresses)
    local of_values, loaded = advice.sources(launch, values), advice.data_registers(launch)
    for _, instruction in ipairs(launch.instructions) do
        local count, uses = instruction["inst_executed"] or 0, false
        local written, read = advice.registers(instruction)
        for _, list in ipairs({ written, read }) do
            for _, name in ipairs(list) do
                uses = uses or loaded[name] or (of_values[name] and not of_addresses[name]) or false
            end
        end
        if not uses or advice.is(instruction, "ld.") or advice.is(instruction, "st.") then
            own = own + count
        end
        all = all + count
    end
    return all > 0 and own / all or 0
end

return {
    {
        id = "thread-per-row",
        name = "A thread for a row, where a warp would do",
        section = "LaunchStats",
        stage = "grid",
        order = 34,
        group = "global-access",
        needs = { "warplens__ladder_wait.ns" },
        description = "Each thread walks a row of its own, so that neighbouring threads are a row apart, and there are fewer " ..
            "threads than the GPU has room for. Fires where the grid fills less than half of the GPU once, and loads of a " ..
            "loop of 16 turns and more touch a sector for each thread.",
        advice = "Let a warp (or a block) take the row: neighbouring threads read neighbouring elements, and what each has is " ..
            "summed up by shuffles. There are 32 times the threads then, each with a 32nd of the work.",
        apply = function(launch)
            local m = launch.m
            local waves = m["launch__waves_per_multiprocessor"]
            local excessive = m("derived__memory_l2_theoretical_sectors_global_excessive_pct") or 0
            if waves >= 0.5 or excessive < 50 then
                return nil
            end
            local found = find_walk(launch)
            if not found or launch.block[2] * launch.block[3] > 1 then
                return nil -- of rows and columns threadIdx.x takes the wrong one: global-uncoalesced says so
            end
            local all, own = m["gpu__time_duration.sum"], m("warplens__ladder_launch.ns") or 0
            local gathered = gathered_part(launch)
            local contiguous = m("whatif__uncoalesced__duration.ns") or all * (1 - excessive / 100)
            local times = math.min(32, 1 / waves)
            local after = math.max((contiguous - own) / times + (all - contiguous) * gathered, m("warplens__ladder_ideal.ns") or 0)
            local rows = m["ptx__threads_launched.sum"]
            return {
                at = found,
                title = string.format("each of %s threads walks a row of its own, a sector for every element; the SMs could " ..
                    "hold %s threads", advice.count(rows), advice.count(rows / waves)),
                evidence = { { metric = "launch__waves_per_multiprocessor", threshold = 0.5 },
                    { metric = "derived__memory_l2_theoretical_sectors_global_excessive_pct", threshold = 50 },
                    { metric = "memory_l2_theoretical_sectors_global",
                        value = found["memory_l2_theoretical_sectors_global"] } },
                todo = stores_in_loops(launch) and "Let neighbouring threads take neighbouring elements: thread t the elements t, " ..
                    "t + the number of threads, ... (i = blockIdx.x * blockDim.x + threadIdx.x; i += gridDim.x * blockDim.x), " ..
                    "and have as many threads as the SMs hold." or nil,
                saved = math.max(0, 1 - (own + after) / all),
                how = string.format("contiguous, %.0f ns, by %.0f times the warps at once, at least what its bytes take%s",
                    contiguous, times, gathered > 0 and string.format("; %s of the sectors out of L2 come through indices and " ..
                    "stay scattered", advice.percent(gathered)) or ""),
                confidence = "medium",
            }
        end,
    },
    {
        id = "idle-blocks",
        name = "Blocks that have nothing to do",
        section = "LaunchStats",
        stage = "grid",
        order = 143,
        group = "partition",
        needs = { "warplens__ladder_starts.ns" },
        description = "Most warps end without an access to global memory: the grid is larger than the work. Fires where fewer go there " ..
            "than half of the blocks are, the others end after 20 instructions or fewer, and starting blocks takes a tenth of the time.",
        advice = "Launch as many threads as there are elements, rounded up to whole blocks.",
        apply = function(launch)
            local m = launch.m
            local part, starts = working_part(launch), advice.step(launch, "starts") or 0
            local warps = m["ptx__warps_launched.sum"]
            -- else each block may have a warp that works
            if part == 0 or part * warps >= 0.5 * m["launch__grid_size"] or starts < 0.1 or not ends_at_guard(launch) then
                return nil
            end
            return {
                title = string.format("%s of %s warps end without an access to global memory: starting blocks takes %s of the time of " ..
                    "the SMs", advice.count(warps * (1 - part)), advice.count(warps), advice.percent(starts)),
                evidence = { { metric = "ptx__warps_launched.sum" }, { metric = "launch__grid_size" },
                    { metric = "warplens__ladder_starts.ns" } },
                saved = starts * (1 - part),
                how = string.format("%s of the blocks, and of the time to start them beyond the work of all units (%s)",
                    advice.percent(part), advice.percent(starts)),
                confidence = "medium",
            }
        end,
    },
    {
        id = "short-threads",
        name = "Threads with an element or two each",
        section = "LaunchStats",
        stage = "grid",
        order = 145,
        group = "partition",
        needs = { "warplens__ladder_wait.ns" },
        description = "Each thread loads, computes and stores one narrow element: starting blocks, computing indices and " ..
            "waiting for a single load take longer than the bytes. Fires where threads move at most 4 bytes at a time, " ..
            "once, without barriers, and these take a sixth of the time.",
        advice = "Let a thread take several neighbouring elements with one wide load and store (float4, 16 bytes), in a grid " ..
            "that is smaller by as much; or fewer blocks that go through the data in strides of the grid.",
        apply = function(launch)
            local m = launch.m
            if scattered_part(launch) >= 0.1 then
                return nil
            end
            local width, found, loads = find_elementwise(launch)
            if not width or working_part(launch) < 0.5 then
                return nil
            end
            local elements = 16 / width
            local is_shifted = (m["derived__memory_l2_theoretical_sectors_global_excessive_pct"] or 0) >= 5
            local unit = m("warplens__ladder_unit")
            -- of what the busiest unit does beyond the least: what does not touch data is shared out
            local indices = (unit == "issue" or unit == "alu" or unit == "lsu" or unit == "adu" or unit == "sm") and
                not indexes_constants(launch) and
                advice.step(launch, "excess") * overhead(launch) or 0
            local wait = m("warplens__ladder_wait_kind") == "memory" and advice.step(launch, "wait") or 0
            local spent = advice.step(launch, "starts") + indices + wait
            -- one way to device memory remains, however few threads go it; of more than two, loads of a thread go it together already
            local work = m["gpu__time_duration.sum"] - (m("warplens__ladder_launch.ns") or 0)
            local kept = math.max(wait * math.min(1, math.max(2, loads) / 2 / elements), math.min(wait, device_memory_ns / work))
            local saved = (spent - wait) * (1 - 1 / elements) + wait - kept
            if m["launch__waves_per_multiprocessor"] < 2 or saved < 0.15 then
                return nil
            end
            return {
                at = found,
                title = string.format("each of %s threads moves elements of %s, once: starts, indices and waiting take " ..
                    "%s of the time of the SMs", advice.count(m["ptx__threads_launched.sum"]), advice.exactly(width, "byte"),
                    advice.percent(spent)),
                evidence = { { metric = "warplens__ladder_starts.ns" }, { metric = "warplens__ladder_excess.ns" },
                    { metric = "warplens__ladder_wait.ns" } },
                todo = is_shifted and "Let a thread take several neighbouring elements with one wide load and store (float4, 16 " ..
                    "bytes), where rows and the first element are aligned to 16 bytes (pad them); or several that are a grid apart " ..
                    "(for (i = global index; i < n; i += gridDim.x * blockDim.x)), in a grid that is smaller by as much." or nil,
                saved = saved,
                how = string.format("%d elements a thread: of starting blocks (%s of the time) and indices (%s) 1 / %d remains, of " ..
                    "waiting (%s) %s of the time", elements, advice.percent(advice.step(launch, "starts")),
                    advice.percent(indices), elements, advice.percent(wait), advice.percent(kept)),
                confidence = "medium",
            }
        end,
    },
    {
        id = "few-threads",
        name = "Too few threads for what they wait for",
        section = "LaunchStats",
        stage = "grid",
        order = 35,
        group = "partition",
        needs = { "warplens__ladder_wait.ns" },
        description = "The grid has far fewer warps than the SMs could hold, and those that there are wait for memory: each " ..
            "does much, one thing after the other. Fires where the grid fills less than half of the GPU once, or would, if shared " ..
            "memory did not limit the blocks of an SM, and waiting for memory takes 30% of the time.",
        advice = "Divide the work among more threads: a warp for what a thread does now, a block for what a warp does, so that " ..
            "neighbouring threads read neighbouring elements.",
        apply = function(launch)
            local m = launch.m
            local waves, is_of_tiles = filled(launch)
            local blocks = m["launch__grid_size"]
            local wait = advice.step(launch, "wait")
            local kind = m("warplens__ladder_wait_kind")
            local turns = advice.turns(launch) -- that could be divided: among more blocks than half of the SMs
            local _, _, loads = find_elementwise(launch)
            local is_one_thing = not is_of_tiles and loads and loads <= 2 -- that cannot be divided
            if waves >= 0.5 or wait < 0.3 or kind ~= "memory" or is_one_thing or
                (blocks < m["launch__sm_count"] / 2 and turns == 0) then
                return nil
            end
            -- each block more brings its own atomics, which wait for each other
            local all, launch_ns = m["gpu__time_duration.sum"], m("warplens__ladder_launch.ns") or 0
            local atomics = (m("warplens__atomics.cycle") or 0) / m["device__model_sm_clock_hz"] * 1e9
            local waiting = (wait + advice.step(launch, "idle")) * (all - launch_ns)
            local times, least = 1, all
            for _, each in ipairs({ 2, 4, 8, 16, 32 }) do
                local own = math.min(each, 1 / waves, turns > 0 and math.max(1, turns) or each)
                local ns = launch_ns + math.max(all - launch_ns - waiting * (1 - 1 / own), atomics * own)
                if ns < 0.95 * least then
                    times, least = own, ns
                end
            end
            if times == 1 then
                return nil
            end
            local found = advice.top(launch, function(instruction)
                return instruction["smsp__pcsamp_warps_issue_stalled_long_scoreboard"] or
                    instruction["warp_cycles_stalled_long_scoreboard"]
            end)
            if advice.chased(launch) then
                return nil -- a way from one value to the next cannot be divided
            end
            return {
                at = found,
                title = string.format("the grid has %s warps, of which the SMs could hold %s: they wait for memory for %s of " ..
                    "the time of the SMs", advice.count(m["ptx__warps_launched.sum"]),
                    advice.count(m["ptx__warps_launched.sum"] / waves), advice.percent(wait)),
                evidence = { { metric = is_of_tiles and "launch__shared_mem_per_block" or "launch__waves_per_multiprocessor",
                    threshold = not is_of_tiles and 0.5 or nil }, { metric = "warplens__ladder_wait.ns" } },
                todo = is_of_tiles and string.format("Divide the work among more blocks with smaller tiles: a block has %s bytes " ..
                    "of shared memory, of which an SM holds %.0f, with %.0f warps each.", advice.count(m["launch__shared_mem_per_block"]),
                    m["launch__occupancy_blocks_per_multiprocessor"], math.ceil(m["launch__block_size"] / 32)) or
                    advice.is_grid_stride(launch) and advice.by_strides(launch, string.format("Launch %.0f blocks in place of %.0f", math.floor(times * blocks),
                    blocks)) or advice.split_loop(launch),
                saved = (1 - least / all) * all / (all - launch_ns),
                how = string.format("%.1f times as many warps, each with less to do: waiting, and SMs without a block, " ..
                    "fall to %s%s", times, advice.percent(1 / times), atomics > 0 and string.format("; atomics in one place " ..
                    "take %.0f ns then", atomics * times) or ""),
                confidence = "medium",
            }
        end,
    },
    {
        id = "short-blocks",
        name = "Blocks that end sooner than the GPU starts them",
        section = "LaunchStats",
        stage = "grid",
        order = 45,
        group = "occupancy",
        cause = "occupancy-blocks",
        needs = { "warplens__ladder_starts.ns" },
        description = "The GPU starts one block after another; blocks that do little end before enough others have begun. " ..
            "Fires where starting blocks of 256 threads and more takes 10% of the time beyond the work of all units, or where " ..
            "each thread of four waves of blocks and more loads once for a sum of its block, and starting, adding up and waiting " ..
            "take 14% of the time.",
        advice = "Start fewer blocks, as many as the GPU holds, which go through the data in strides of the grid " ..
            "(for (i = global index; i < n; i += gridDim.x * blockDim.x)), or let a thread take several elements.",
        apply = function(launch)
            local m = launch.m
            local starts = advice.step(launch, "starts")
            local waves, blocks = m["launch__waves_per_multiprocessor"], m["launch__grid_size"]
            if m["launch__block_size"] < 128 or waves < 2 or find_elementwise(launch) then -- short-threads: that, and more
                return nil
            end
            local load = waves >= 4 and advice.single_load(launch)
            if load then
                local saved = advice.saved_by_strides(launch)
                local atomics = (m("warplens__ladder_atomics.ns") or 0) > 0
                return saved >= 0.1 and {
                    at = load,
                    cause = "",
                    group = atomics and "atomics" or nil, -- the same change as for atomics-one-place
                    title = string.format("each thread of %.0f blocks loads once, and the block waits for it and adds up: starting, " ..
                        "adding up and waiting take %s of the time of the SMs beyond the least", blocks, advice.percent(saved / 0.75)),
                    evidence = { { metric = "warplens__ladder_wait.ns" }, { metric = "warplens__ladder_excess.ns" },
                        { metric = "warplens__ladder_starts.ns" }, { metric = "launch__waves_per_multiprocessor", threshold = 4 } },
                    todo = string.format("Launch %.0f blocks, as many as the SMs hold at once, which go through the data in " ..
                        "strides of the grid (for (i = global index; i < n; i += gridDim.x * blockDim.x)) and add up once; or " ..
                        "let a thread load several elements before the first is used.", advice.blocks_at_once(launch)),
                    saved = saved,
                    how = "each block adds up once for many elements: a quarter of that remains, waiting turn by turn",
                    confidence = "medium",
                } or nil
            end
            if starts < 0.1 or m["launch__block_size"] < 256 then
                return nil
            end
            return {
                title = string.format("starting %s one after another takes %s of the time of the SMs beyond all else",
                    advice.plural(m["launch__grid_size"], "block"), advice.percent(starts)),
                evidence = { { metric = "warplens__ladder_starts.ns" }, { metric = "launch__grid_size" },
                    { metric = "warplens__floor_blocks.cycle" } },
                saved = starts,
                how = "one wave of blocks, started once",
                confidence = "medium",
            }
        end,
    },
    {
        id = "long-blocks",
        name = "Few blocks that take longer than all others",
        section = "WorkloadDistribution",
        stage = "grid",
        order = 26,
        group = "grid",
        cause = "tail-wave",
        needs = { "warplens__ladder_idle.ns" },
        description = "SMs stand idle at the end while the longest blocks go on. Fires where a grid that has a block for each " ..
            "SM leaves SMs without a block for 15% of the time more than its last wave does.",
        advice = "Divide the work of the longest blocks, or let blocks take pieces of work from a counter until there is none; " ..
            "where none takes most of the time by itself it is enough to start the longest first (blocks start in the order of their numbers).",
        apply = function(launch)
            local m = launch.m
            local idle, waves = advice.step(launch, "idle"), m["launch__waves_per_multiprocessor"]
            local of_last_wave = waves >= 1 and 1 - waves / math.ceil(waves) or
                1 - each_sm(launch) / math.ceil(each_sm(launch)) -- tail-wave says both
            if m["launch__grid_size"] < m["launch__sm_count"] or
                not advice.is_of_long_blocks(launch, of_last_wave >= 0.1 and of_last_wave or 0) then
                return nil
            end
            local without = m("whatif__tail-wave__duration.ns")
            if without and without > 0.9 * m["gpu__time_duration.sum"] then
                return nil -- the launch's own way there and back, rather than blocks
            end
            return {
                title = string.format("for %s of the time of the SMs they have no block, while the longest blocks go on",
                    advice.percent(idle)),
                evidence = { { metric = "warplens__ladder_idle.ns" }, { metric = "sm__cycles_active.avg" },
                    { metric = "launch__waves_per_multiprocessor" } },
                saved = math.min(0.95, idle),
                how = "all blocks as long as their mean",
                confidence = "medium",
            }
        end,
    },
}
