local function l1_row(label, space, kind, instructions)
    local tail = "_pipe_lsu_mem_" .. space .. "_op_" .. kind
    local looks_up = kind == "ld" or kind == "st"
    return {
        label, instructions, "l1tex__t_requests" .. tail .. ".sum", "l1tex__t_sectors" .. tail .. ".sum",
        "l1tex__average_t_sectors_per_request" .. tail .. ".ratio",
        looks_up and "l1tex__t_sector" .. tail .. "_hit_rate.pct" or "",
        looks_up and "l1tex__t_sectors" .. tail .. "_lookup_miss.sum" or "",
    }
end

local function shared_row(label, kind, instructions)
    return {
        label, instructions, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" .. kind .. ".sum",
        "derived__l1tex__average_wavefronts_per_inst_mem_shared_op_" .. kind .. ".ratio",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" .. kind .. ".sum",
    }
end

local l2 = "lts__t_sectors_srcunit_tex_op_"

return {
    identifier = "MemoryWorkloadAnalysis_Tables",
    name = "Memory Workload Analysis Tables",
    description = "Requests, sectors and wavefronts of each kind of access at each level of the memory.",
    order = 32,
    sets = { "full" },
    tables = {
        {
            name = "Shared Memory",
            columns = { "Instructions", "Wavefronts", "Wavefronts/Inst", "Bank Conflicts" },
            rows = {
                shared_row("Shared Load", "ld", "smsp__sass_inst_executed_op_shared_ld.sum"),
                shared_row("Shared Store", "st", "smsp__sass_inst_executed_op_shared_st.sum"),
                shared_row("Shared Atomic", "atom", "smsp__inst_executed_op_shared_atom.sum"),
                -- without it the wavefronts of the rows would not add up to the total
                { "Other", "", "derived__l1tex__data_pipe_lsu_wavefronts_mem_shared_op_other.sum", "", "" },
                {
                    "Total", "smsp__sass_inst_executed_op_shared.sum",
                    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "derived__memory_l1_conflicts_shared_nway",
                    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                },
            },
        },
        {
            name = "L1/TEX Cache",
            columns = { "Instructions", "Requests", "Sectors", "Sectors/Req", "Hit Rate %", "Sector Misses" },
            rows = {
                l1_row("Global Load", "global", "ld", "smsp__sass_inst_executed_op_global_ld.sum"),
                l1_row("Global Store", "global", "st", "smsp__sass_inst_executed_op_global_st.sum"),
                l1_row("Global Atomic", "global", "atom", "smsp__inst_executed_op_global_atom.sum"),
                l1_row("Global Reduction", "global", "red", "smsp__inst_executed_op_global_red.sum"),
                l1_row("Local Load", "local", "ld", "smsp__sass_inst_executed_op_local_ld.sum"),
                l1_row("Local Store", "local", "st", "smsp__sass_inst_executed_op_local_st.sum"),
                {
                    "Total", "", "l1tex__t_requests_pipe_lsu.sum", "l1tex__t_sectors_pipe_lsu.sum", "",
                    "l1tex__t_sector_hit_rate.pct", "l1tex__t_sectors_pipe_lsu_lookup_miss.sum",
                },
            },
        },
        {
            name = "L2 Cache",
            columns = { "Requests", "Sectors", "Hit Rate %", "Sector Misses" },
            rows = {
                { "L1/TEX Read", "", l2 .. "read.sum", "lts__t_sector_op_read_hit_rate.pct", l2 .. "read_lookup_miss.sum" },
                { "L1/TEX Write", "", l2 .. "write.sum", "lts__t_sector_op_write_hit_rate.pct", l2 .. "write_lookup_miss.sum" },
                { "L1/TEX Atomic", "", l2 .. "atom.sum", "", "" },
                { "L1/TEX Reduction", "", l2 .. "red.sum", "", "" },
                {
                    "L1/TEX Total", "lts__t_requests_srcunit_tex.sum", "lts__t_sectors_srcunit_tex.sum",
                    "lts__t_sector_hit_rate.pct", "lts__t_sectors_srcunit_tex_lookup_miss.sum",
                },
            },
        },
        {
            name = "Device Memory",
            columns = { "Sectors", "Bytes" },
            rows = {
                { "Load", "dram__sectors_read.sum", "dram__bytes_read.sum" },
                { "Store", "dram__sectors_write.sum", "dram__bytes_write.sum" },
                { "Total", "dram__sectors.sum", "dram__bytes.sum" },
            },
        },
    },
}
