-- Global and local memory, L1, L2 and device memory. A sector is 32 bytes, by definition of these names.

local sector_bytes = 32

local function ratio(a, b, why)
    if b == 0 then
        return nil, why
    end
    return a / b
end

local function sum(m, names)
    local total = 0
    for _, name in ipairs(names) do
        total = total + m[name]
    end
    return total
end

local rows = {}
local function row(name, unit, description, formula)
    rows[#rows + 1] = { name = name, unit = unit, description = description, formula = formula }
end

-- instructions
row("smsp__sass_inst_executed_op_global.sum", "inst", "global memory instructions executed by warps", function(m)
    return sum(m, {
        "smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_global_st.sum",
        "smsp__inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum",
    })
end)
row("smsp__sass_inst_executed_op_local.sum", "inst", "local memory instructions executed by warps", function(m)
    return sum(m, { "smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum" })
end)

-- L1: requests, sectors, hits. Atomics and reductions pass L1 by and never hit.
local l1 = "l1tex__t_%s_pipe_lsu_mem_%s_op_%s%s.sum"
local operations = { global = { "ld", "st", "atom", "red" }, ["local"] = { "ld", "st" } }
local words = { ld = "loads", st = "stores", atom = "atomics", red = "reductions" }

local function l1_names(quantity, space, kinds, suffix)
    local names = {}
    for _, kind in ipairs(kinds) do
        names[#names + 1] = string.format(l1, quantity, space, kind, suffix or "")
    end
    return names
end

for _, quantity in ipairs({ "requests", "sectors" }) do
    for _, space in ipairs({ "global", "local" }) do
        row("l1tex__t_" .. quantity .. "_pipe_lsu_mem_" .. space .. ".sum", string.sub(quantity, 1, -2),
            quantity .. " of all " .. space .. " accesses to L1",
            function(m) return sum(m, l1_names(quantity, space, operations[space])) end)
    end
    row("l1tex__t_" .. quantity .. "_pipe_lsu.sum", string.sub(quantity, 1, -2),
        quantity .. " of all global and local accesses to L1",
        function(m)
            return m["l1tex__t_" .. quantity .. "_pipe_lsu_mem_global.sum"] +
                m["l1tex__t_" .. quantity .. "_pipe_lsu_mem_local.sum"]
        end)
end
row("l1tex__t_bytes_pipe_lsu.sum", "byte", "bytes of the sectors of all global and local accesses to L1",
    function(m) return sector_bytes * m["l1tex__t_sectors_pipe_lsu.sum"] end)
row("l1tex__t_bytes.sum", "byte", "as l1tex__t_bytes_pipe_lsu.sum: textures are not among them",
    function(m) return m["l1tex__t_bytes_pipe_lsu.sum"] end)
row("lts__t_bytes.sum", "byte", "bytes of the sectors that were asked of L2",
    function(m) return sector_bytes * m["lts__t_sectors.sum"] end)
for _, result in ipairs({ "hit", "miss" }) do
    row("l1tex__t_sectors_pipe_lsu_lookup_" .. result .. ".sum", "sector",
        "sectors of loads and stores " .. (result == "hit" and "" or "not ") .. "found in L1",
        function(m)
            local suffix = "_lookup_" .. result
            return sum(m, l1_names("sectors", "global", { "ld", "st" }, suffix)) +
                sum(m, l1_names("sectors", "local", { "ld", "st" }, suffix))
        end)
end
row("l1tex__t_sector_hit_rate.pct", "%", "sectors found in L1, of those looked up", function(m)
    return ratio(100 * m["l1tex__t_sectors_pipe_lsu_lookup_hit.sum"], m["l1tex__t_sectors_pipe_lsu.sum"],
        "nothing was looked up in L1")
end)

for _, space in ipairs({ "global", "local" }) do
    for _, kind in ipairs(operations[space]) do
        local tail = "_pipe_lsu_mem_" .. space .. "_op_" .. kind
        local what = space .. " " .. words[kind]
        local none = "the launch has no " .. what
        row("l1tex__average_t_sectors_per_request" .. tail .. ".ratio", "sector/request",
            "sectors per request of " .. what,
            function(m)
                return ratio(m["l1tex__t_sectors" .. tail .. ".sum"], m["l1tex__t_requests" .. tail .. ".sum"], none)
            end)
        if kind == "ld" or kind == "st" then
            row("l1tex__t_sector" .. tail .. "_hit_rate.pct", "%", "sectors of " .. what .. " found in L1",
                function(m)
                    local hits = m["l1tex__t_sectors" .. tail .. "_lookup_hit.sum"]
                    return ratio(100 * hits, hits + m["l1tex__t_sectors" .. tail .. "_lookup_miss.sum"], none)
                end)
        end
    end
end
for _, space in ipairs({ "global", "local" }) do
    row("l1tex__t_sector_pipe_lsu_mem_" .. space .. "_hit_rate.pct", "%",
        "sectors of all " .. space .. " accesses found in L1",
        function(m)
            return ratio(100 * sum(m, l1_names("sectors", space, { "ld", "st" }, "_lookup_hit")),
                m["l1tex__t_sectors_pipe_lsu_mem_" .. space .. ".sum"], "the launch has no " .. space .. " accesses")
        end)
end
for _, kind in ipairs({ "ld", "st" }) do
    local what = "global " .. words[kind]
    local name = "smsp__sass_average_data_bytes_per_sector_mem_global_op_" .. kind
    row(name .. ".ratio", "byte/sector", "bytes that threads used of each sector of " .. what, function(m)
        return ratio(m["smsp__sass_data_bytes_mem_global_op_" .. kind .. ".sum"],
            m["l1tex__t_sectors_pipe_lsu_mem_global_op_" .. kind .. ".sum"], "the launch has no " .. what)
    end)
    row(name .. ".pct", "%", "bytes that threads used, of those that the sectors of " .. what .. " carry",
        function(m) return 100 * m[name .. ".ratio"] / sector_bytes end)
end
row("smsp__sass_data_bytes_mem_global.sum", "byte", "bytes that threads read and wrote in global memory", function(m)
    return m["smsp__sass_data_bytes_mem_global_op_ld.sum"] + m["smsp__sass_data_bytes_mem_global_op_st.sum"]
end)

-- what coalescing would save
row("derived__memory_l2_theoretical_sectors_global_excessive", "sector",
    "sectors that the global accesses touch beyond those that contiguous ones would",
    function(m)
        return m["memory_l2_theoretical_sectors_global"] - m["memory_l2_theoretical_sectors_global_ideal"]
    end)
row("derived__memory_l2_theoretical_sectors_global_excessive_pct", "%",
    "excessive sectors, of all that the global accesses touch",
    function(m)
        return ratio(100 * m["derived__memory_l2_theoretical_sectors_global_excessive"],
            m["memory_l2_theoretical_sectors_global"], "the launch has no global accesses")
    end)

-- L2
local read, write = "lts__t_sectors_srcunit_tex_op_read", "lts__t_sectors_srcunit_tex_op_write"
row("lts__t_sectors_srcunit_tex.sum", "sector", "sectors that L1 asked of L2", function(m)
    return sum(m, { read .. ".sum", write .. ".sum", "lts__t_sectors_srcunit_tex_op_atom.sum",
        "lts__t_sectors_srcunit_tex_op_red.sum" })
end)
for _, result in ipairs({ "hit", "miss" }) do
    row("lts__t_sectors_srcunit_tex_lookup_" .. result .. ".sum", "sector",
        "sectors read and written that L2 " .. (result == "hit" and "held" or "did not hold"),
        function(m) return m[read .. "_lookup_" .. result .. ".sum"] + m[write .. "_lookup_" .. result .. ".sum"] end)
end
for _, case in ipairs({
    { "lts__t_sector_hit_rate.pct", "lts__t_sectors_srcunit_tex", "read and written" },
    { "lts__t_sector_op_read_hit_rate.pct", read, "read" },
    { "lts__t_sector_op_write_hit_rate.pct", write, "written" },
}) do
    row(case[1], "%", "sectors " .. case[3] .. " that L2 held", function(m)
        local hits = m[case[2] .. "_lookup_hit.sum"]
        return ratio(100 * hits, hits + m[case[2] .. "_lookup_miss.sum"], "no sector of L2 was " .. case[3])
    end)
end
-- Of all of L2's clients. The simulated L2 has the SMs' alone, which is known by what only it counts.
local others = "L2's clients other than the SMs are not counted"
for _, kind in ipairs({ { "requests", "", "request" }, { "sectors", "", "sector" }, { "sectors", "_op_read", "sector" },
    { "sectors", "_op_write", "sector" }, { "sectors", "_op_atom", "sector" }, { "sectors", "_op_red", "sector" },
    { "sectors", "_lookup_hit", "sector" }, { "sectors", "_lookup_miss", "sector" } }) do
    local from = "lts__t_" .. kind[1] .. "_srcunit_tex" .. kind[2] .. ".sum"
    row("lts__t_" .. kind[1] .. kind[2] .. ".sum", kind[3],
        "as " .. from .. ", of all clients of L2; the simulated one has no others", function(m)
            if not m("ptx__flop_count_sp.sum") then
                return nil, others
            end
            return m[from]
        end)
end
row("lts__average_t_sectors_per_request_srcunit_tex.ratio", "sector/request", "sectors per request from L1 to L2",
    function(m)
        return ratio(m["lts__t_sectors_srcunit_tex.sum"], m["lts__t_requests_srcunit_tex.sum"],
            "L1 asked nothing of L2")
    end)
row("lts__t_bytes_srcunit_tex.sum", "byte", "bytes of the sectors that L1 asked of L2",
    function(m) return sector_bytes * m["lts__t_sectors_srcunit_tex.sum"] end)
-- what L1s ask for at one time is read once, and goes to each of them
row("l1tex__m_xbar2l1tex_read_bytes.sum", "byte", "bytes that L1s received from L2: what loads did not find in L1",
    function(m)
        return sector_bytes * sum(m, {
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
            "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_miss.sum",
            "l1tex__t_sectors_pipe_tex_mem_texture_lookup_miss.sum",
            "l1tex__t_sectors_pipe_tex_mem_surface_op_ld_lookup_miss.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        })
    end)
row("l1tex__m_l1tex2xbar_write_bytes.sum", "byte", "bytes that L1 wrote to L2",
    function(m) return sector_bytes * m[write .. ".sum"] end)

-- device memory
row("dram__bytes.sum", "byte", "bytes read from and written to device memory",
    function(m) return m["dram__bytes_read.sum"] + m["dram__bytes_write.sum"] end)
for _, name in ipairs({ "", "_read", "_write" }) do
    row("dram__sectors" .. name .. ".sum", "sector", "sectors of device memory" ..
        (name == "" and "" or name == "_read" and " read" or " written"),
        function(m) return m["dram__bytes" .. name .. ".sum"] / sector_bytes end)
end

-- local memory
row("derived__local_spilling_requests", "request", "requests to L1 for local memory: register spills, arrays on the stack",
    function(m) return m["l1tex__t_requests_pipe_lsu_mem_local.sum"] end)
row("derived__local_spilling_requests_pct", "%", "local requests, of all global and local ones", function(m)
    return ratio(100 * m["derived__local_spilling_requests"], m["l1tex__t_requests_pipe_lsu.sum"],
        "the launch has no global or local accesses")
end)

return rows
