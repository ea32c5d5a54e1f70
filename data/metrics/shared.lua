-- Shared memory: wavefronts and bank conflicts.

local function ratio(a, b, why)
    if b == 0 then
        return nil, why
    end
    return a / b
end

local none = "the launch has no shared accesses"
local rows = {}
local function row(name, unit, description, formula)
    rows[#rows + 1] = { name = name, unit = unit, description = description, formula = formula }
end

row("smsp__sass_inst_executed_op_shared.sum", "inst", "shared memory instructions executed by warps", function(m)
    return m["smsp__sass_inst_executed_op_shared_ld.sum"] + m["smsp__sass_inst_executed_op_shared_st.sum"] +
        m["smsp__inst_executed_op_shared_atom.sum"]
end)
local function all(m, name)
    return m[name .. "_op_ld.sum"] + m[name .. "_op_st.sum"] + m[name .. "_op_atom.sum"]
end
row("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront",
    "wavefronts of all shared accesses, and of what goes through their pipe besides: shuffles, reads of threadIdx",
    function(m)
        return all(m, "l1tex__data_pipe_lsu_wavefronts_mem_shared") + m["ptx__shared_pipe_exchanges.sum"]
    end)
row("derived__l1tex__data_pipe_lsu_wavefronts_mem_shared_op_other.sum", "wavefront",
    "wavefronts of what goes through the pipe of shared memory but accesses none: shuffles, reads of threadIdx",
    function(m)
        return m["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] -
            all(m, "l1tex__data_pipe_lsu_wavefronts_mem_shared")
    end)
row("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "",
    "extra wavefronts of all shared accesses because of bank conflicts",
    function(m) return all(m, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared") end)
for _, case in ipairs({
    { "ld", "smsp__sass_inst_executed_op_shared_ld.sum", "loads" },
    { "st", "smsp__sass_inst_executed_op_shared_st.sum", "stores" },
    { "atom", "smsp__inst_executed_op_shared_atom.sum", "atomics" },
}) do
    row("derived__l1tex__average_wavefronts_per_inst_mem_shared_op_" .. case[1] .. ".ratio", "wavefront/inst",
        "wavefronts per instruction of shared " .. case[3],
        function(m)
            return ratio(m["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" .. case[1] .. ".sum"], m[case[2]],
                "the launch has no shared " .. case[3])
        end)
end
row("derived__memory_l1_wavefronts_shared_excessive", "wavefront",
    "wavefronts of shared accesses beyond those that conflict-free ones would need",
    function(m) return m["memory_l1_wavefronts_shared"] - m["memory_l1_wavefronts_shared_ideal"] end)
row("derived__memory_l1_wavefronts_shared_excessive_pct", "%", "excessive wavefronts, of all of shared accesses",
    function(m)
        return ratio(100 * m["derived__memory_l1_wavefronts_shared_excessive"], m["memory_l1_wavefronts_shared"], none)
    end)
row("derived__memory_l1_conflicts_shared_nway", "", "wavefronts per shared instruction", function(m)
    return ratio(m["memory_l1_wavefronts_shared"], m["smsp__sass_inst_executed_op_shared.sum"], none)
end)

return rows
