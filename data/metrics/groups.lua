-- Groups of metrics under the names that Nsight Compute's sections use: `--metrics group:NAME`. Every section and every
-- set is a group, too.
local function row(name, members)
    return { group = name, members = members }
end

-- PREFIX..op..SUFFIX for each of ops.
local function each(members, prefix, ops, suffix)
    for _, op in ipairs(ops) do
        members[#members + 1] = prefix .. op .. suffix
    end
    return members
end

local shared = each({}, "l1tex__data_pipe_lsu_wavefronts_mem_shared", { "", "_op_ld", "_op_st", "_op_atom" }, ".sum")
each(shared, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared", { "", "_op_ld", "_op_st", "_op_atom" }, ".sum")
each(shared, "smsp__sass_inst_executed_op_shared", { "", "_ld", "_st" }, ".sum")
each(shared, "smsp__inst_executed_op_", { "ldsm", "ldgsts", "shared_atom" }, ".sum")

local first = { "l1tex__t_sector_hit_rate.pct" }
for _, quantity in ipairs({ "requests", "sectors" }) do
    local prefix = "l1tex__t_" .. quantity .. "_pipe_lsu_mem_"
    each(first, prefix .. "global_op_", { "ld", "st", "atom", "red" }, ".sum")
    each(first, prefix .. "local_op_", { "ld", "st" }, ".sum")
end
for _, lookup in ipairs({ "_lookup_hit.sum", "_lookup_miss.sum" }) do
    each(first, "l1tex__t_sectors_pipe_lsu_mem_global_op_", { "ld", "st", "atom", "red" }, lookup)
    each(first, "l1tex__t_sectors_pipe_lsu_mem_local_op_", { "ld", "st" }, lookup)
end

local second = { "lts__t_sector_hit_rate.pct", "lts__t_requests_srcunit_tex.sum", "lts__t_sectors_srcunit_tex.sum" }
each(second, "lts__t_sectors_srcunit_tex_op_", { "read", "write", "atom", "red" }, ".sum")
each(second, "lts__t_requests_srcunit_tex_op_", { "read", "write", "red" }, ".sum")
for _, lookup in ipairs({ "_lookup_hit.sum", "_lookup_miss.sum" }) do
    each(second, "lts__t_sectors_srcunit_tex_op_", { "read", "write", "red" }, lookup)
end

local device = {
    "dram__sectors_read.sum", "dram__sectors_write.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
    "dram__bytes.sum", "dram__bytes.sum.per_second",
}

local chart = {
    "smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_global_st.sum",
    "smsp__sass_inst_executed_op_local_ld.sum", "smsp__sass_inst_executed_op_local_st.sum",
    "smsp__sass_inst_executed_op_shared.sum", "l1tex__t_requests_pipe_lsu.sum", "l1tex__t_sector_hit_rate.pct",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "lts__t_requests_srcunit_tex.sum", "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_write.sum", "lts__t_sector_hit_rate.pct",
    "dram__sectors_read.sum", "dram__sectors_write.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
}

local reasons = {
    "barrier", "branch_resolving", "dispatch_stall", "drain", "gmma", "imc_miss", "lg_throttle", "long_scoreboard",
    "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected",
    "short_scoreboard", "sleeping", "tex_throttle", "wait",
}
local stalls = each({}, "smsp__average_warps_issue_stalled_", reasons, "_per_issue_active.ratio")

return {
    row("memory__shared_table", shared),
    row("memory__first_level_cache_table", first),
    row("memory__l2_cache_table", second),
    row("memory__dram_table", device),
    row("memory__chart", chart),
    row("smsp__average_warps_issue_stalled", stalls),
}
