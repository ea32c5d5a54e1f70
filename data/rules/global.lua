-- How warps read and write global memory.

local function sectors(instruction)
    return instruction["memory_l2_theoretical_sectors_global"] or 0
end
local function ideal(instruction)
    return instruction["memory_l2_theoretical_sectors_global_ideal"] or 0
end
local function excess(instruction)
    return sectors(instruction) - ideal(instruction)
end

-- A contiguous access that begins in the middle of a sector or line touches one more of them, no more.
local function is_misaligned(instruction)
    local requests = instruction["l1tex__t_requests"] or 0
    return requests > 0 and excess(instruction) <= 1.01 * requests and
        sectors(instruction) >= 2 * requests and ideal(instruction) >= 1.9 * requests
end

-- Where it goes is data: through a list of indices, from one node to the next, or an atomic, which goes where it must.
local function is_by_data(launch, instruction)
    return advice.is_indirect(launch, instruction) or advice.is_chased(launch, instruction) or
        advice.is(instruction, "atom") or advice.is(instruction, "red")
end

-- What the units would still need of their cycles if these instructions touched no more than they must.
local function parts_without(launch, is_meant)
    local tags, kept_tags, l2_saved = 0, 0, 0
    for _, instruction in ipairs(launch.instructions) do
        local own = instruction["memory_l1_tag_requests_global"] or 0
        tags = tags + own
        if own > 0 and is_meant(instruction) then
            kept_tags = kept_tags + math.min(own, math.max(instruction["l1tex__t_requests"] or 0, ideal(instruction) / 4))
            local touched = advice.is(instruction, "st") and sectors(instruction) or
                instruction["l1tex__t_sectors_lookup_miss"] or 0
            l2_saved = l2_saved + math.max(0, touched - ideal(instruction))
        else
            kept_tags = kept_tags + own
        end
    end
    local m = launch.m
    local l2 = m("lts__t_sectors_srcunit_tex.sum") or 0
    local bytes, asked = m("dram__bytes.sum") or 0, m("smsp__sass_data_bytes_mem_global.sum") or 0
    return {
        l1 = tags > 0 and kept_tags / tags or 1,
        l2 = l2 > 0 and math.max(0, 1 - l2_saved / l2) or 1,
        dram = bytes > 0 and asked > 0 and math.min(1, asked / bytes) or 1,
    }
end

-- "neighbouring lanes are 4 x parameter 1 bytes apart"
local function stride_text(launch, instruction)
    local step, parameter = advice.stride(launch, instruction)
    local width = advice.width(instruction)
    if step and step ~= 0 and (launch.block[1] >= 32 or parameter ~= "" or math.abs(step) > width) then
        step = math.abs(step)
        if parameter ~= "" then
            return string.format("neighbouring threads are %d bytes times kernel parameter %s apart", step, parameter)
        elseif step ~= width then
            return string.format("neighbouring threads are %d bytes apart and take %d", step, width)
        end
    end
    local requests = math.max(1, instruction["l1tex__t_requests"] or instruction["inst_executed"] or 1)
    local lanes = (instruction["thread_inst_executed_true"] or 0) / requests
    local own = sectors(instruction) / requests
    local lines = (instruction["memory_l1_tag_requests_global"] or 0) / requests
    if advice.is(instruction, "wmma") then
        return "rows of the fragment are apart, and an access takes a piece of each"
    elseif lanes >= 2 and lines >= 0.9 * lanes then
        return "each thread of a warp is in a 128-byte line of its own"
    elseif launch.block[1] < 32 and launch.block[2] > 1 then
        return string.format("a row of the block is only %d threads wide, so that a warp reads %d pieces",
            launch.block[1], 32 // launch.block[1])
    elseif own > 1 and lanes >= 2 then
        return string.format("a warp touches %.1f lines of 128 bytes", lines)
    end
    return "the threads of a warp are scattered"
end

-- What remains where blocks of small ones become larger, too, so that fewer are started one after another: what is saved of the
-- time without the launch itself, and how; nil where starting them takes less than the rest, or is all that holds it up.
local function saved_in_blocks(launch, threads)
    local m = launch.m
    local all, without = m("gpu__time_duration.sum"), m("whatif__uncoalesced__duration.ns")
    local cycles, own = m("warplens__floor_blocks.cycle"), launch.m["launch__block_size"]
    if not all or not without or not cycles or own >= threads then
        return nil
    end
    local overhead, starts = m("warplens__ladder_launch.ns") or 0, cycles / m["device__model_sm_clock_hz"] * 1e9
    if starts < 0.75 * (without - overhead) or without > 0.95 * all then
        return nil
    end
    local left = math.max(overhead + (m("warplens__ladder_ideal.ns") or 0), without - starts * (1 - own / threads))
    return (all - left) / math.max(1, all - overhead), string.format("%.0f ns without excess sectors, timed again, and of %s blocks " ..
        "that start one after another in %.0f ns %s remain", without, advice.count(m["launch__grid_size"]), starts,
        advice.percent(own / threads))
end

-- What would make the accesses contiguous without a new trouble: blocks that get too small, or more threads for a
-- row than it has elements. And how many threads a block has then, where that is said.
local function remedy(launch, instruction)
    local threads = launch.m["launch__block_size"]
    local step, parameter = advice.stride(launch, instruction)
    if step and step ~= 0 and launch.block[2] * launch.block[3] > 1 and
        (parameter ~= "" or math.abs(step) > advice.width(instruction)) then
        return "threadIdx.x is the index that walks across rows: exchange the indices, so that threadIdx.x takes the " ..
            "neighbouring element; a wider block in x makes it worse."
    end
    if launch.block[1] < 32 and launch.block[2] > 1 then
        local rows = math.max(1, math.max(threads, 128) // 32)
        return string.format("Let a row of the block be 32 threads wide or more, and not fewer threads: %d x %d instead " ..
            "of %d x %d.", 32, rows, launch.block[1], launch.block[2]), 32 * rows
    end
    if advice.is(instruction, "wmma") then
        return "Bring the tile to shared memory first, in rows by loads of 16 bytes a thread (cp.async), and load the " ..
            "fragments from there: every warp of the block finds it there."
    end
    local requests = instruction["l1tex__t_requests"] or 0
    local is_repeated = (instruction["inst_executed"] or 0) >= 2 * launch.m["ptx__warps_launched.sum"]
    if is_repeated and not advice.stride(launch, instruction) and sectors(instruction) >= 8 * requests and
        advice.is(instruction, "ld") then
        return "Each thread walks a row of its own: let several neighbouring threads share a row, no more than it has " ..
            "elements (in a block for each short row most threads would be idle), and take several rows a block."
    end
    return nil
end

-- How often each byte of device memory is loaded, where L1 looks up so much that a tile in shared memory would serve.
local function find_reuse(launch)
    local m = launch.m
    local asked, dram = m["smsp__sass_data_bytes_mem_global_op_ld.sum"], m["dram__bytes_read.sum"]
    local excessive = m("derived__memory_l2_theoretical_sectors_global_excessive_pct") or 0
    if asked == 0 or excessive >= 25 or (m("ptx__flop_count.sum") or 0) == 0 then
        return nil
    end
    local times = asked / math.max(dram, 32)
    return times >= 32 and advice.weight(launch, "l1") >= 0.5 and times or nil
end

-- How many threads of a block load the same bytes by this load, by its addresses: lanes that share a word, as counted,
-- times the rows of the block on whose number the address does not depend.
local function sharers(launch, instruction)
    local bytes = instruction["smsp__sass_data_bytes_mem_global"] or 0
    local threads = instruction["thread_inst_executed_true"] or 0
    if bytes == 0 or threads == 0 then
        return 1
    end
    local names = advice.address_registers(instruction)
    local lanes = math.max(1, threads * advice.width(instruction) / bytes)
    local rows = 1
    if launch.block[1] % 32 == 0 then
        for axis, name in ipairs({ "%tid.x", "%tid.y", "%tid.z" }) do
            if not advice.depends_on(launch, names, name) then
                rows = rows * (axis == 1 and launch.block[1] / 32 or launch.block[axis])
            end
        end
    end
    return lanes * rows
end

return {
    {
        id = "global-uncoalesced",
        name = "Global accesses of a warp are not contiguous",
        section = "SourceCounters",
        stage = "memory",
        order = 100,
        group = "global-access",
        cause = "uncoalesced",
        description = "A warp's access is served in sectors of 32 bytes. If its threads do not read neighbouring " ..
            "addresses, more sectors are moved than hold data that is asked for. Fires when 10% of all sectors of " ..
            "global accesses, and 5% of the time by floors, are such excess.",
        advice = "Let neighbouring threads (threadIdx.x) take neighbouring elements: exchange loops or indices, " ..
            "store structures as separate arrays, or load a tile in rows and use it from shared memory.",
        apply = function(launch)
            local m = launch.m
            if m["memory_l2_theoretical_sectors_global"] == 0 or
                m["derived__memory_l2_theoretical_sectors_global_excessive_pct"] < 10 then
                return nil
            end
            local gathered = 0
            local function is_scattered(instruction)
                return excess(instruction) > 0 and not is_misaligned(instruction) and
                    not advice.is_by_pieces(launch, instruction) and not is_by_data(launch, instruction)
            end
            gathered = advice.sum(launch, function(instruction)
                return excess(instruction) > 0 and is_by_data(launch, instruction) and excess(instruction)
            end)
            local function own(instruction)
                return is_scattered(instruction) and excess(instruction)
            end
            local found = advice.top(launch, own)
            local scattered = advice.sum(launch, own)
            if not found or scattered < 0.1 * m["memory_l2_theoretical_sectors_global"] then
                return nil
            end
            local parts = parts_without(launch, is_scattered)
            local saved = advice.saved(launch, parts)
            local requests = math.max(1, found["l1tex__t_requests"] or found["inst_executed"] or 1)
            local title = string.format("%.1f sectors in each request, %.1f would do: %s", sectors(found) / requests,
                ideal(found) / requests, stride_text(launch, found))
            local todo, threads = remedy(launch, found)
            local in_blocks, how = nil, nil
            if threads then
                in_blocks, how = saved_in_blocks(launch, threads)
            end
            return {
                at = found,
                title = title,
                evidence = {
                    { metric = "derived__memory_l2_theoretical_sectors_global_excessive_pct", threshold = 10 },
                    { metric = "memory_l2_theoretical_sectors_global", value = sectors(found) },
                    { metric = "memory_l2_theoretical_sectors_global_ideal", value = ideal(found) },
                },
                todo = todo,
                -- the replay makes all accesses contiguous, also those through lists of indices, and leaves blocks as they are
                cause = (in_blocks or gathered > 0.1 * (gathered + scattered)) and "" or nil,
                saved = in_blocks or saved,
                how = how or string.format("look-ups of L1 fall to %s, sectors of L2 to %s; %s", advice.percent(parts.l1),
                    advice.percent(parts.l2), advice.floors_text(launch)),
            }
        end,
    },
    {
        id = "gathered-data",
        name = "Gathers of elements that lie apart",
        section = "SourceCounters",
        stage = "memory",
        order = 105,
        group = "gathers",
        needs = { "memory_l2_theoretical_sectors_global" },
        description = "Loads through a list of indices touch a sector of 32 bytes for each thread or two, of which a few bytes " ..
            "are used. Fires where such loads have half of the sectors that miss L1, twice as many as contiguous ones would.",
        advice = "Order the elements, or the list, so that neighbouring threads gather from neighbouring places: sort the list " ..
            "once, number nodes as they are met, work on a piece of the data that fits L2; or gather less: narrower elements, " ..
            "what belongs together side by side. An order that cannot be changed leaves this as it is.",
        apply = function(launch)
            local m = launch.m
            local function is_gather(instruction)
                return advice.is(instruction, "ld.global") and advice.is_indirect(launch, instruction)
            end
            local function missed(instruction)
                return instruction["l1tex__t_sectors_lookup_miss"] or 0
            end
            local function own(instruction)
                return is_gather(instruction) and missed(instruction) > 2 * ideal(instruction) and missed(instruction)
            end
            local found = advice.top(launch, own)
            local all = advice.sum(launch, missed)
            if not found or advice.sum(launch, own) < 0.5 * all then
                return nil
            end
            local parts = parts_without(launch, is_gather)
            local direct = advice.sum(launch, function(instruction)
                return not is_gather(instruction) and excess(instruction)
            end)
            local requests = math.max(1, found["l1tex__t_requests"] or 1)
            return {
                at = found,
                title = string.format("each request gathers from %.1f sectors, %.1f would hold as much: its place is read from memory",
                    sectors(found) / requests, ideal(found) / requests),
                evidence = {
                    { metric = "memory_l2_theoretical_sectors_global", value = sectors(found) },
                    { metric = "memory_l2_theoretical_sectors_global_ideal", value = ideal(found) },
                    { metric = "l1tex__t_sectors_lookup_miss", value = missed(found) },
                },
                cause = direct < 0.1 * m["memory_l2_theoretical_sectors_global"] and "uncoalesced" or nil,
                saved = advice.saved(launch, parts),
                how = string.format("in the order of their places: look-ups of L1 fall to %s, sectors of L2 to %s; %s",
                    advice.percent(parts.l1), advice.percent(parts.l2), advice.floors_text(launch)),
                confidence = "low",
            }
        end,
    },
    {
        id = "global-misaligned",
        name = "Contiguous global accesses that begin between two sectors",
        section = "SourceCounters",
        stage = "memory",
        order = 110,
        group = "global-access",
        description = "The addresses of a warp are contiguous, but the first is no multiple of 32 bytes: one sector " ..
            "more is moved in each request. Fires when such sectors are 10% of all.",
        advice = "Align the beginning of rows: pad them to a multiple of 32 elements (cudaMallocPitch), or shift the " ..
            "index so that a warp begins at a multiple of 32 bytes.",
        apply = function(launch)
            local m = launch.m
            local all = m["memory_l2_theoretical_sectors_global"]
            if all == 0 then
                return nil
            end
            -- what the neighbouring load left in L1 costs nothing: points around one in turn, as in a stencil
            local function own(instruction)
                return is_misaligned(instruction) and
                    2 * (instruction["l1tex__t_sectors_lookup_hit"] or 0) < sectors(instruction) and excess(instruction)
            end
            local share = advice.sum(launch, own) / all
            local found = advice.top(launch, own)
            if not found or share < 0.1 then
                return nil
            end
            local parts = parts_without(launch, is_misaligned)
            local saved = advice.saved(launch, parts)
            return {
                at = found,
                title = string.format("%.2f sectors in each request, %.2f would do: contiguous, but not aligned to 32 bytes",
                    sectors(found) / found["l1tex__t_requests"], ideal(found) / found["l1tex__t_requests"]),
                evidence = {
                    { metric = "memory_l2_theoretical_sectors_global", value = sectors(found) },
                    { metric = "memory_l2_theoretical_sectors_global_ideal", value = ideal(found) },
                },
                saved = saved,
                how = string.format("sectors of L2 fall to %s; %s", advice.percent(parts.l2), advice.floors_text(launch)),
                confidence = "low",
            }
        end,
    },
    {
        id = "global-reuse",
        name = "The same data is loaded again and again",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 120,
        group = "reuse",
        description = "Threads ask L1 for the same bytes many times, and the load/store path is what limits. Fires when " ..
            "loads ask for 32 times the bytes that come from device memory, at least half of the time by floors is in " ..
            "the look-ups of L1, and the kernel multiplies and adds.",
        advice = "Load a tile once a block into shared memory, and from there into registers: a thread that computes " ..
            "4 x 4 results needs a quarter of the loads.",
        apply = function(launch)
            local m = launch.m
            local times = find_reuse(launch)
            if not times then
                return nil
            end
            local found = advice.top(launch, function(instruction)
                return advice.is(instruction, "ld.global") and (instruction["memory_l1_tag_requests_global"] or 0)
            end)
            local shared = sharers(launch, found)
            local function saved_by(left)
                return advice.saved(launch, { l1 = left, l2 = left, issue = 1 - (1 - left) * m["ptx__inst_executed_pipe_lsu.pct"] / 100 })
            end
            local tile = advice.tile_of_thread(launch, saved_by)
            local is_alone = saved_by(0.5) > tile.saved -- the tile in shared memory, of which a thread still loads for each result
            return {
                at = found,
                title = string.format("each byte of device memory is loaded %.0f times%s", times, shared >= 2 and string.format(
                    "; by their addresses %.0f threads of a block load the same here", shared) or ""),
                todo = string.format("Load a tile once a block into shared memory%s, and from there into registers%s.", shared >= 2 and
                    string.format(" (one of %.0f loads)", shared) or "", is_alone and "" or string.format(": a thread that computes " ..
                    "%d x %d results needs %s of the loads again", tile.rows, tile.columns, advice.percent(tile.left))),
                evidence = {
                    { metric = "smsp__sass_data_bytes_mem_global_op_ld.sum" },
                    { metric = "dram__bytes_read.sum" },
                },
                saved = is_alone and saved_by(0.5) or tile.saved,
                how = is_alone and "a tile in shared memory, half of the look-ups: " .. advice.floors_text(launch) or
                    string.format("%d x %d results a thread: %s of the loads; %s", tile.rows, tile.columns,
                        advice.percent(tile.left), advice.floors_text(launch)),
                confidence = "low",
            }
        end,
    },
    {
        id = "read-only-cache",
        name = "Loads that pass L1 by",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 130,
        group = "reuse",
        description = "On this GPU L1 does not keep global loads unless it is told to, so that every repeated load goes " ..
            "to L2. Fires when no load hits L1 and loads ask for twice the bytes that come from device memory.",
        advice = "Mark what is only read const __restrict__ or load it with __ldg, so that it goes through the " ..
            "read-only cache; or compile with -Xptxas -dlcm=ca.",
        apply = function(launch)
            local m = launch.m
            local asked, dram = m["smsp__sass_data_bytes_mem_global_op_ld.sum"], m["dram__bytes_read.sum"]
            local loads, hits = m["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
                m["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"]
            if loads == 0 or hits > 0 or m("device__model_l1_global_loads") ~= "off" or asked < 2 * dram then
                return nil
            end
            local found = advice.top(launch, function(instruction)
                return advice.is(instruction, "ld.global") and sectors(instruction)
            end)
            local parts = { l2 = math.max(0.05, dram / asked) }
            return {
                at = found,
                title = string.format("%s sectors of loads all go to L2, which loads each byte %.1f times",
                    advice.count(loads), asked / math.max(dram, 1)),
                evidence = {
                    { metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum" },
                    { metric = "smsp__sass_data_bytes_mem_global_op_ld.sum" },
                    { metric = "dram__bytes_read.sum" },
                },
                saved = advice.saved(launch, parts),
                how = "every repeated load hits: " .. advice.floors_text(launch),
            }
        end,
    },
    {
        id = "l2-resident",
        name = "Traffic is served by L2",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 140,
        group = "reuse",
        description = "L2 moves many times the bytes that device memory does, and more than any other unit can hide: the " ..
            "data is reused, but from too far away. Fires when L2 has half of the time by floors and moves 4 times the " ..
            "bytes of device memory.",
        advice = "Work on a piece that fits L1 or shared memory until it is done (blocking), or let a thread keep in " ..
            "registers what it will need again.",
        apply = function(launch)
            local m = launch.m
            local all, dram = m["lts__t_bytes_srcunit_tex.sum"], m["dram__bytes.sum"]
            -- sectors that scattered accesses need besides, atomics and local memory are other findings' matter
            local needed = 32 * advice.sum(launch, function(instruction)
                local is_kept = advice.is(instruction, "ld.global") or advice.is(instruction, "st.global")
                return is_kept and math.min(ideal(instruction), instruction["l1tex__t_sectors_lookup_miss"] or
                    ideal(instruction))
            end)
            local l2 = math.min(all, needed)
            if m("device__model_l1_global_loads") == "off" and
                m["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] == 0 then
                return nil -- L1 is the first thing to try: read-only-cache
            end
            if dram == 0 or l2 < 4 * dram or advice.weight(launch, "l2") < 0.5 then
                return nil
            end
            local found = advice.top(launch, function(instruction)
                return advice.is(instruction, "ld.global") and (instruction["l1tex__t_sectors_lookup_miss"] or 0)
            end)
            return {
                at = found,
                title = string.format("L2 moves %.0f times the bytes of device memory", l2 / dram),
                evidence = {
                    { metric = "lts__t_bytes_srcunit_tex.sum" }, { metric = "dram__bytes.sum" },
                    { metric = "lts__t_sector_hit_rate.pct" },
                },
                saved = advice.saved(launch, { l2 = 1 - 0.75 * l2 / math.max(1, all) }),
                how = "a quarter of that traffic of L2: " .. advice.floors_text(launch),
                confidence = "low",
            }
        end,
    },
    {
        id = "load-width",
        name = "Many narrow loads and stores",
        section = "InstructionStats",
        stage = "compute",
        order = 150,
        group = "reuse",
        description = "Threads move 4 bytes or less at a time although their addresses are contiguous, and load/store " ..
            "instructions are a good part of all. Fires when a quarter of the instructions of warps are loads and " ..
            "stores, or half of the time by floors is in L1, of contiguous accesses of at most 4 bytes.",
        advice = "Let a thread compute several neighbouring results, loaded and stored by float2 or float4, so that lanes stay " ..
            "contiguous: what it loaded for one serves the others, and loads get independent of each other (ILP). One by one, " ..
            "neighbours of a thread would be strided among lanes.",
        apply = function(launch)
            local m = launch.m
            local all = m["ptx__inst_executed.sum"]
            local function is_narrow(instruction)
                return (advice.is(instruction, "ld.global") or advice.is(instruction, "st.global")) and
                    advice.width(instruction) <= 4 and excess(instruction) <= 0.3 * sectors(instruction)
            end
            local narrow = advice.sum(launch, function(instruction)
                return is_narrow(instruction) and (instruction["inst_executed"] or 0)
            end)
            local share = all > 0 and narrow / all or 0
            local weight = advice.weight(launch, "l1")
            if find_reuse(launch) then
                return nil -- a tile in shared memory comes first
            end
            if share < 0.05 or (share < 0.25 and weight < 0.4) or advice.weight(launch, "dram") > 0.9 then
                return nil
            end
            local found = advice.top(launch, function(instruction)
                return is_narrow(instruction) and (instruction["inst_executed"] or 0)
            end)
            local narrow_lines = advice.sum(launch, function(instruction)
                return is_narrow(instruction) and (instruction["memory_l1_tag_requests_global"] or 0)
            end) / math.max(1, m["memory_l1_tag_requests_global"])
            local asked, dram = m["smsp__sass_data_bytes_mem_global.sum"], m("dram__bytes.sum") or 0
            local integer = m["ptx__inst_executed_pipe_alu.sum"]
            return {
                at = found,
                title = string.format("%s of the instructions load or store 4 bytes a thread", advice.percent(share)),
                evidence = {
                    { metric = "ptx__inst_executed_pipe_lsu.pct", threshold = 25 },
                    { metric = "smsp__sass_data_bytes_mem_global.sum", value = asked },
                    { metric = "dram__bytes.sum", value = dram },
                },
                saved = advice.saved(launch, { l1 = 1 - 0.4 * narrow_lines, issue = 1 - 0.4 * math.min(1, share + integer / all), alu = 0.6 }),
                how = "two results a thread: about 0.6 of the load/store and index instructions; " ..
                    advice.floors_text(launch),
                confidence = "low",
            }
        end,
    },
}
