-- What the counters of a real GPU say of a whole kernel, where no counts of its instructions are in the report: which
-- line it is they do not say.

local function has_lines(launch, metric)
    for _, instruction in ipairs(launch.instructions) do
        if (instruction[metric] or 0) > 0 then
            return true
        end
    end
    return false
end

local l1 = "l1tex__throughput.avg.pct_of_peak_sustained_active"
local units = {
    { name = "l1", title = "L1", metric = l1 },
    { name = "sm", title = "the SM", metric = "sm__throughput.avg.pct_of_peak_sustained_elapsed" },
    { name = "l2", title = "L2", metric = "lts__throughput.avg.pct_of_peak_sustained_elapsed" },
    { name = "dram", title = "device memory", metric = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed" },
}

-- The part of the time that is saved where each unit keeps this part of its work, beside what others do: the busiest
-- unit's time before and after.
local function saved_of(launch, parts)
    local m, before, after = launch.m, 0, 0
    for _, unit in ipairs(units) do
        local busy = math.min(100, m(unit.metric) or 0)
        before = math.max(before, busy)
        after = math.max(after, busy * (parts[unit.name] or 1))
    end
    return math.max(0, before - after) / 100
end

local function how(launch, parts)
    local texts = {}
    for _, unit in ipairs(units) do
        local busy = math.min(100, launch.m(unit.metric) or 0)
        if parts[unit.name] and busy > 0 then
            texts[#texts + 1] = string.format("of the %.0f%% of the time in which %s works %.0f%% remain", busy, unit.title,
                busy * parts[unit.name])
        end
    end
    return table.concat(texts, ", ") .. ", where no other unit is busier"
end

-- What L2 and device memory keep if only sectors of which all is asked for are moved: what L1 misses, and what device
-- memory moves beyond the bytes that are asked for. Of metrics that every collector of a real GPU has, so that the same
-- launch has the same gain whoever counted it.
local function parts_below(m, kept, asked_bytes)
    local ideal, hits = asked_bytes / 32, m("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum")
    local l2, dram = m("lts__t_sectors_srcunit_tex.sum") or 0, m("dram__bytes.sum") or 0
    local misses = hits and m["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] - hits
    return {
        l1 = kept,
        l2 = misses and l2 > 0 and misses > ideal and math.max(kept, 1 - (misses - ideal) / l2) or nil,
        dram = dram > asked_bytes and math.max(kept, asked_bytes / dram) or nil,
    }
end

-- 32 lanes that ask for neighbouring words of 4 bytes.
local sectors_of_full_request = 4

-- Sectors of loads or of stores, those of them that hold nothing that was asked for, and those that are more than
-- requests of 32 words need: lanes that read one word, and lanes that are switched off, ask for few bytes and need no
-- fewer sectors.
local function sectors_of(m, op)
    local all = m["l1tex__t_sectors_pipe_lsu_mem_global_op_" .. op .. ".sum"]
    local bytes = all > 0 and m["smsp__sass_average_data_bytes_per_sector_mem_global_op_" .. op .. ".ratio"] or 32
    local requests = m("l1tex__t_requests_pipe_lsu_mem_global_op_" .. op .. ".sum") or 0
    return all, all * math.max(0, 1 - bytes / 32), math.max(0, all - sectors_of_full_request * requests), bytes
end

return {
    {
        id = "global-sectors",
        name = "Sectors that hold little of what was asked for",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 105,
        group = "global-access",
        needs = { l1 },
        description = "Global memory is read and written in sectors of 32 bytes. Counted for the whole kernel by a real " ..
            "GPU: how many of those bytes were asked for, and how many sectors a request takes. Fires when a quarter of the " ..
            "sectors hold nothing that was asked for and are more than 32 neighbouring words need, and the counts of " ..
            "instructions, of which global-uncoalesced is, are not in the report.",
        advice = "Let neighbouring threads (threadIdx.x) take neighbouring elements. Simulated (--collector sim), or with " ..
            "--instruction-counts, the report says which line it is.",
        apply = function(launch)
            local m = launch.m
            local loads, unused_loads, more_loads, load_bytes = sectors_of(m, "ld")
            local stores, unused_stores, more_stores, store_bytes = sectors_of(m, "st")
            local all, unused = loads + stores, unused_loads + unused_stores
            unused = math.min(unused, more_loads + more_stores)
            if all == 0 or unused < 0.25 * all or has_lines(launch, "memory_l2_theoretical_sectors_global") then
                return nil
            end
            local asked = loads * load_bytes + stores * store_bytes
            local parts = parts_below(m, 1 - unused / all, asked)
            local of_loads = unused_loads >= unused_stores
            return {
                title = string.format("%s of each 32-byte sector that is %s were asked for",
                    advice.plural(of_loads and load_bytes or store_bytes, "byte"), of_loads and "loaded" or "stored"),
                evidence = {
                    { metric = "smsp__sass_average_data_bytes_per_sector_mem_global_op_" .. (of_loads and "ld" or "st") ..
                        ".ratio", threshold = 24 },
                    { metric = "l1tex__t_sectors_pipe_lsu_mem_global_op_" .. (of_loads and "ld" or "st") .. ".sum" },
                    { metric = l1 },
                },
                saved = saved_of(launch, parts),
                how = how(launch, parts),
                confidence = "medium",
            }
        end,
    },
    {
        id = "shared-conflicts",
        name = "Bank conflicts, counted for the whole kernel",
        section = "MemoryWorkloadAnalysis",
        stage = "memory",
        order = 205,
        group = "shared-access",
        needs = { l1 },
        description = "Lanes that ask one bank of shared memory for different words are served one after another. Fires " ..
            "when a fifth of the wavefronts of shared memory are such conflicts, and the counts of instructions, of which " ..
            "shared-bank is, are not in the report.",
        advice = "Pad rows of shared arrays by one element, or exchange the index by XOR with the row. Simulated " ..
            "(--collector sim), or with --instruction-counts, the report says which line it is.",
        apply = function(launch)
            local m = launch.m
            local all, conflicts = m["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"],
                m["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]
            if all == 0 or conflicts < 0.2 * all or has_lines(launch, "memory_l1_wavefronts_shared") then
                return nil
            end
            local parts = { l1 = 1 - conflicts / all }
            return {
                title = string.format("%s of %s wavefronts of shared memory are bank conflicts", advice.count(conflicts),
                    advice.count(all)),
                evidence = {
                    { metric = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", threshold = 0.2 * all },
                    { metric = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum" },
                    { metric = l1 },
                },
                saved = saved_of(launch, parts),
                how = how(launch, parts),
                confidence = "medium",
            }
        end,
    },
}
