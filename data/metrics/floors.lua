-- The least time that counts allow: each unit's work over its peak rate, in cycles of the SMs that have
-- a block. Rules compare these floors; none of them is a prediction. Hidden: asked for by name.

local sector_bytes = 32
local rows = {}
local function row(name, unit, description, formula)
    rows[#rows + 1] = { name = "warplens__floor" .. name, unit = unit, description = description,
        formula = function(m)
            if m("launch__is_library_time") then -- what was counted is of another kernel
                return nil, "the time is that of the library's own kernels, whose work is not counted"
            end
            return formula(m)
        end, hidden = true }
end

-- SMs that have at least one block.
local function busy(m)
    return m["warplens__busy_sms"]
end
rows[#rows + 1] = { name = "warplens__busy_sms", unit = "SM", description = "SMs that have at least one block", hidden = true,
    formula = function(m) return math.min(m["launch__sm_count"], math.max(1, m["launch__grid_size"])) end }

local function over_lanes(m, warps, lanes, what)
    if lanes == 0 then
        return nil, "the rate of " .. what .. " is not known"
    end
    return warps * m["device__attribute_warp_size"] / lanes / busy(m)
end

row("_issue.cycle", "cycle", "cycles to issue the PTX instructions, one a scheduler and cycle", function(m)
    return m["ptx__inst_executed.sum"] / m["device__attribute_schedulers_per_multiprocessor"] / busy(m)
end)
for _, pipe in ipairs({ { "fma", "fp32" }, { "alu", "int32" }, { "fp64", "fp64" }, { "xu", "xu" }, { "fp16", "fp16" } }) do
    row("_" .. pipe[1] .. ".cycle", "cycle", "cycles of the " .. pipe[1] .. " pipe at its peak rate", function(m)
        local warps = m["ptx__inst_executed_pipe_" .. pipe[1] .. ".sum"]
        if warps == 0 then
            return 0
        end
        return over_lanes(m, warps, m["device__model_" .. pipe[2] .. "_per_cycle"], pipe[1])
    end)
end
row("_shared.cycle", "cycle", "cycles of L1 for the wavefronts of shared memory, one a cycle",
    function(m) return m["memory_l1_wavefronts_shared"] / busy(m) end)
row("_l1.cycle", "cycle", "cycles of L1 to look up the lines of global and local accesses, one a cycle", function(m)
    return (m["memory_l1_tag_requests_global"] + m["memory_l2_theoretical_sectors_local"] / 4) / busy(m)
end)
row("_lsu.cycle", "cycle", "cycles of L1 for shared, global and local accesses together",
    function(m) return m["warplens__floor_shared.cycle"] + m["warplens__floor_l1.cycle"] end)
-- Look-ups of L2: one for each line that is asked for, and 1.8 more where it is not there. Where sectors are missed one by
-- one device memory sends two; what is asked for by more sectors at once waits for that longer than for look-ups. A
-- micro-benchmark saw 82 a cycle of 96 slices (docs/models/timing-model.md).
local look_ups_of_a_miss, look_ups_a_slice = 1.8, 0.85
local function look_up_cycles(m, slices)
    local requests, missed = m("lts__t_requests_srcunit_tex.sum"), m("lts__t_sectors_srcunit_tex_lookup_miss.sum")
    if not requests or not missed or requests < m["lts__t_sectors_srcunit_tex.sum"] / 2 then
        return 0
    end
    return (requests + look_ups_of_a_miss * math.min(requests, missed / 2)) / (slices * look_ups_a_slice)
end
row("_l2.cycle", "cycle", "cycles of L2 for its look-ups, or at 64 bytes a slice and cycle, 32 before compute capability 8.0", function(m)
    local slices = m["device__attribute_l2_slices"]
    if slices == 0 then
        return nil, "the number of slices of L2 is not known"
    end
    local bytes = m["device__attribute_compute_capability_major"] >= 8 and 64 or 32
    return math.max(look_up_cycles(m, slices), sector_bytes * m["lts__t_sectors_srcunit_tex.sum"] / (slices * bytes))
end)
row("_dram.cycle", "cycle", "cycles of the SM clock to move the bytes of device memory at its peak bandwidth", function(m)
    return m["dram__bytes.sum"] / m["device__model_memory_bandwidth_bytes_per_s"] * m["device__model_sm_clock_hz"]
end)

-- A barrier costs the way to shared memory and back, and a cycle for each warp that arrives; other blocks of the
-- SM go on meanwhile.
row("_barrier.cycle", "cycle", "cycles that blocks spend in barriers, a trip to shared memory and a cycle a warp each",
    function(m)
        local barriers = m["ptx__barriers_executed.sum"]
        if barriers == 0 then
            return 0
        end
        local warps = m["launch__warps_per_block"]
        local blocks = math.min(math.max(1, m["launch__occupancy_blocks_per_multiprocessor"]),
            math.ceil(m["launch__grid_size"] / busy(m)))
        return barriers / warps / busy(m) / blocks * (2 * m["device__model_shared_latency"] + warps)
    end)

-- The GPU starts one block after another, whatever they do.
row("_blocks.cycle", "cycle", "cycles to start the blocks one after another, as fast as a micro-benchmark saw it", function(m)
    local _ = m["warplens__floor_issue.cycle"] -- alone it says nothing of what bounds a kernel
    local interval = m["device__model_block_interval_cycles"]
    if interval == 0 then
        return nil, "how fast this GPU starts blocks is not known"
    end
    return m["launch__grid_size"] * interval
end)

local units = { "issue", "fma", "alu", "fp64", "xu", "fp16", "lsu", "l2", "dram", "barrier", "blocks" }
row(".cycle", "cycle", "the largest of the floors", function(m)
    local most = 0
    for _, unit in ipairs(units) do
        most = math.max(most, m("warplens__floor_" .. unit .. ".cycle") or 0)
    end
    if most == 0 then
        return nil, "nothing was counted"
    end
    return most
end)
-- Machine code has fewer instructions than PTX: issuing them is named only where it clearly leads. Of about equal
-- ones arithmetic is named, beyond which nothing is left to gain.
local preference = { issue = 0.75, fma = 1.1, fp64 = 1.1, fp16 = 1.1 }
row("_unit", "", "the unit with the largest floor", function(m)
    local name, most = nil, 0
    for _, unit in ipairs(units) do
        local cycles = (m("warplens__floor_" .. unit .. ".cycle") or 0) * (preference[unit] or 1)
        if cycles > most then
            name, most = unit, cycles
        end
    end
    return name, "nothing was counted"
end)
row(".ns", "ns", "the largest of the floors as time", function(m)
    return m["warplens__floor.cycle"] / m["device__model_sm_clock_hz"] * 1e9
end)
return rows
