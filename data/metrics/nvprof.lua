-- nvprof's names: aliases where the meaning is the same, else why not.

local rows = {}
local aliases = {
    { "branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct" },
    { "gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct" },
    { "gst_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct" },
    { "gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" },
    { "gst_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" },
    { "gld_transactions_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio" },
    { "gst_transactions_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio" },
    { "global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" },
    { "global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum" },
    { "global_atomic_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum" },
    { "global_reduction_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum" },
    { "local_load_requests", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum" },
    { "local_store_requests", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum" },
    { "local_load_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum" },
    { "local_store_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum" },
    { "local_load_transactions_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_ld.ratio" },
    { "local_store_transactions_per_request", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_st.ratio" },
    { "shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum" },
    { "shared_store_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum" },
    { "shared_load_transactions_per_request", "derived__l1tex__average_wavefronts_per_inst_mem_shared_op_ld.ratio" },
    { "shared_store_transactions_per_request", "derived__l1tex__average_wavefronts_per_inst_mem_shared_op_st.ratio" },
    { "shared_efficiency", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct" },
    { "inst_executed_global_loads", "smsp__sass_inst_executed_op_global_ld.sum" },
    { "inst_executed_global_stores", "smsp__sass_inst_executed_op_global_st.sum" },
    { "inst_executed_global_atomics", "smsp__inst_executed_op_global_atom.sum" },
    { "inst_executed_global_reductions", "smsp__inst_executed_op_global_red.sum" },
    { "inst_executed_local_loads", "smsp__sass_inst_executed_op_local_ld.sum" },
    { "inst_executed_local_stores", "smsp__sass_inst_executed_op_local_st.sum" },
    { "inst_executed_shared_loads", "smsp__sass_inst_executed_op_shared_ld.sum" },
    { "inst_executed_shared_stores", "smsp__sass_inst_executed_op_shared_st.sum" },
    { "inst_executed_shared_atomics", "smsp__inst_executed_op_shared_atom.sum" },
    { "global_hit_rate", "l1tex__t_sector_pipe_lsu_mem_global_hit_rate.pct" },
    { "local_hit_rate", "l1tex__t_sector_pipe_lsu_mem_local_hit_rate.pct" },
    { "l2_tex_hit_rate", "lts__t_sector_hit_rate.pct" },
    { "l2_tex_read_hit_rate", "lts__t_sector_op_read_hit_rate.pct" },
    { "l2_tex_write_hit_rate", "lts__t_sector_op_write_hit_rate.pct" },
    { "l2_tex_read_transactions", "lts__t_sectors_srcunit_tex_op_read.sum" },
    { "l2_tex_write_transactions", "lts__t_sectors_srcunit_tex_op_write.sum" },
    { "dram_read_bytes", "dram__bytes_read.sum" },
    { "dram_write_bytes", "dram__bytes_write.sum" },
    { "dram_read_transactions", "dram__sectors_read.sum" },
    { "dram_write_transactions", "dram__sectors_write.sum" },
    { "flop_count_sp", "ptx__flop_count_sp.sum" },
    { "flop_count_dp", "ptx__flop_count_dp.sum" },
    { "flop_count_hp", "ptx__flop_count_hp.sum" },
    { "unique_warps_launched", "ptx__warps_launched.sum" },
    { "achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active" },
    { "eligible_warps_per_cycle", "smsp__warps_eligible.avg.per_cycle_active" },
    { "ipc", "sm__inst_executed.avg.per_cycle_active" },
    { "issued_ipc", "sm__inst_issued.avg.per_cycle_active" },
    { "issue_slot_utilization", "smsp__issue_active.avg.pct_of_peak_sustained_active" },
    { "sm_efficiency", "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed" },
    { "dram_read_throughput", "dram__bytes_read.sum.per_second" },
    { "dram_write_throughput", "dram__bytes_write.sum.per_second" },
    { "stall_memory_dependency", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio" },
    { "stall_sync", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio" },
    { "stall_constant_memory_dependency", "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio" },
    { "stall_inst_fetch", "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio" },
    { "stall_not_selected", "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio" },
    { "stall_memory_throttle", "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio" },
    { "stall_pipe_busy", "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio" },
}
for _, precision in ipairs({ { "sp", "f" }, { "dp", "d" }, { "hp", "h" } }) do
    for _, operation in ipairs({ "add", "mul", "fma" }) do
        aliases[#aliases + 1] = {
            "flop_count_" .. precision[1] .. "_" .. operation,
            "ptx__thread_inst_executed_op_" .. precision[2] .. operation .. "_pred_on.sum",
        }
    end
end
for _, alias in ipairs(aliases) do
    rows[#rows + 1] = { name = alias[1], alias_of = alias[2], description = "nvprof's name" }
end

local function absent(reason, names)
    for _, name in ipairs(names) do
        rows[#rows + 1] = { name = name, description = "nvprof's name", absent = reason }
    end
end
local machine = "counts machine instructions: not available from PTX"
absent("global loads go the way of L1; see l1tex__t_sector_hit_rate.pct", {
    "tex_cache_hit_rate", "tex_cache_transactions", "texture_load_requests", "inst_executed_tex_ops",
})
absent(machine .. "; see ptx__inst_executed.sum", { "inst_issued", "issue_slots" })
absent(machine .. "; see ptx__inst_executed_per_warp.ratio", { "inst_per_warp" })
absent(machine, { "inst_replay_overhead", "ldst_executed", "ldst_issued", "cf_executed", "cf_issued", "inst_misc",
    "inst_inter_thread_communication", "flop_count_sp_special" })
absent(machine .. "; see ptx__thread_inst_executed_op_integer_pred_on.sum", { "inst_integer" })
absent(machine .. "; see ptx__thread_inst_executed_op_conversion_pred_on.sum", { "inst_bit_convert" })
absent(machine .. "; see ptx__thread_inst_executed_op_control_pred_on.sum", { "inst_control" })
absent(machine .. "; see ptx__thread_inst_executed_op_memory_pred_on.sum", { "inst_compute_ld_st" })
absent(machine .. "; see ptx__inst_executed_pipe_fma.sum", { "inst_fp_32" })
absent(machine .. "; see ptx__inst_executed_pipe_fp64.sum", { "inst_fp_64" })
absent(machine .. "; see ptx__inst_executed_pipe_fp16.sum", { "inst_fp_16" })
absent(machine .. "; see ptx__thread_inst_executed_per_inst_executed.ratio", { "warp_execution_efficiency" })
absent(machine .. "; see ptx__thread_inst_executed_pred_on_per_inst_executed.ratio", { "warp_nonpred_execution_efficiency" })
absent("counts the other clients of L2 too; see lts__t_sectors_srcunit_tex_op_read.sum and ..._op_write.sum", {
    "l2_read_transactions", "l2_write_transactions",
})
absent("see lts__t_sectors_srcunit_tex_op_atom.sum and ..._op_red.sum", {
    "l2_atomic_transactions", "atomic_transactions", "atomic_transactions_per_request",
})
-- Bytes in a second: sectors of 32 bytes, wavefronts of 128, or what threads asked for.
local function rate(name, unit_bytes, counted, description)
    rows[#rows + 1] = {
        name = name, unit = "byte/s", hidden = true, description = "nvprof's name: " .. description,
        formula = function(m)
            local duration = m["gpu__time_duration.sum"]
            if duration == 0 then
                return nil, "the launch took no time"
            end
            return m[counted] * unit_bytes * 1e9 / duration
        end,
    }
end
rate("gld_throughput", 32, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors of global loads")
rate("gst_throughput", 32, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors of global stores")
rate("gld_requested_throughput", 1, "smsp__sass_data_bytes_mem_global_op_ld.sum", "bytes that threads read")
rate("gst_requested_throughput", 1, "smsp__sass_data_bytes_mem_global_op_st.sum", "bytes that threads wrote")
rate("local_load_throughput", 32, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sectors of local loads")
rate("local_store_throughput", 32, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sectors of local stores")
rate("shared_load_throughput", 128, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared loads")
rate("shared_store_throughput", 128, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared stores")
rate("l2_tex_read_throughput", 32, "lts__t_sectors_srcunit_tex_op_read.sum", "what L1 reads from L2")
rate("l2_tex_write_throughput", 32, "lts__t_sectors_srcunit_tex_op_write.sum", "what L1 writes to L2")

-- Nvprof has levels from 0 (idle) to 10 (max).
local function level(name, percent)
    rows[#rows + 1] = {
        name = name, unit = "", hidden = true, description = "nvprof's name: level of use, 0 to 10",
        formula = function(m) return math.min(10, math.ceil(m[percent] / 10)) end,
    }
end
level("dram_utilization", "dram__throughput.avg.pct_of_peak_sustained_elapsed")
level("l2_utilization", "lts__throughput.avg.pct_of_peak_sustained_elapsed")
level("tex_utilization", "l1tex__throughput.avg.pct_of_peak_sustained_active")

for _, precision in ipairs({ "sp", "dp", "hp" }) do
    rows[#rows + 1] = {
        name = "flop_" .. precision .. "_efficiency", unit = "%", hidden = true, description = "nvprof's name: of the peak",
        formula = function(m)
            local peak = m["device__peak_flops_" .. precision]
            if peak == 0 then
                return nil, "the GPU has no such peak"
            end
            return 100 * m["derived__flops_" .. precision .. ".per_second"] / peak
        end,
    }
end
absent("one unit of several generations ago; see --page details", {
    "l2_read_throughput", "l2_write_throughput", "l2_atomic_throughput", "tex_cache_throughput", "shared_utilization",
    "tex_fu_utilization", "ldst_fu_utilization", "cf_fu_utilization", "special_fu_utilization",
    "single_precision_fu_utilization", "double_precision_fu_utilization", "half_precision_fu_utilization",
})
absent("its reasons are counted separately now: see smsp__average_warps_issue_stalled_*", {
    "stall_exec_dependency", "stall_other", "stall_texture", "stall_sleeping",
})
absent("loads of the read-only path are not distinguished from other global loads; see gld_requested_throughput", {
    "nc_gld_requested_throughput", "nc_gld_throughput",
})
absent("see derived__local_spilling_requests_pct", { "local_memory_overhead" })
absent("memory of the host is not part of the model", {
    "sysmem_read_bytes", "sysmem_write_bytes", "sysmem_read_throughput", "sysmem_write_throughput",
    "sysmem_read_transactions", "sysmem_write_transactions", "sysmem_utilization", "pcie_total_data_received",
    "pcie_total_data_transmitted", "nvlink_total_data_received", "nvlink_total_data_transmitted",
})

-- Events: counts, under the names that nvprof has for them.
for _, alias in ipairs({
    { "shared_load", "smsp__sass_inst_executed_op_shared_ld.sum" },
    { "shared_store", "smsp__sass_inst_executed_op_shared_st.sum" },
    { "shared_ld_bank_conflict", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum" },
    { "shared_st_bank_conflict", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum" },
    { "l1_shared_bank_conflict", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum" },
    { "shared_ld_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum" },
    { "shared_st_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum" },
    { "l1_shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum" },
    { "l1_shared_store_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum" },
    { "global_load", "smsp__sass_inst_executed_op_global_ld.sum" },
    { "global_store", "smsp__sass_inst_executed_op_global_st.sum" },
    { "gld_request", "smsp__sass_inst_executed_op_global_ld.sum" },
    { "gst_request", "smsp__sass_inst_executed_op_global_st.sum" },
    { "local_load", "smsp__sass_inst_executed_op_local_ld.sum" },
    { "local_store", "smsp__sass_inst_executed_op_local_st.sum" },
    { "global_atom_cas", "smsp__inst_executed_op_global_atom.sum" },
    { "atom_count", "smsp__inst_executed_op_global_atom.sum" },
    { "gred_count", "smsp__inst_executed_op_global_red.sum" },
    { "shared_atom", "smsp__inst_executed_op_shared_atom.sum" },
    { "branch", "ptx__branches_executed.sum" },
    { "divergent_branch", "ptx__branches_divergent.sum" },
    { "warps_launched", "ptx__warps_launched.sum" },
    { "threads_launched", "launch__thread_count" },
    { "sm_cta_launched", "launch__grid_size" },
    { "active_cycles", "sm__cycles_active.sum" },
    { "elapsed_cycles_sm", "sm__cycles_elapsed.sum" },
    { "not_predicated_off_thread_inst_executed", "ptx__thread_inst_executed_pred_on.sum" },
}) do
    rows[#rows + 1] = { name = alias[1], alias_of = alias[2], description = "nvprof's event" }
end
local function no_event(reason, names)
    for _, name in ipairs(names) do
        rows[#rows + 1] = { name = name, description = "nvprof's event", absent = reason }
    end
end
no_event("parts of device memory are not distinguished; see dram__sectors_read.sum and dram__sectors_write.sum", {
    "fb_subp0_read_sectors", "fb_subp1_read_sectors", "fb_subp0_write_sectors", "fb_subp1_write_sectors",
})
no_event("slices of L2 are not distinguished; see lts__t_sectors_op_read.sum and lts__t_sectors_op_write.sum", {
    "l2_subp0_total_read_sector_queries", "l2_subp1_total_read_sector_queries",
    "l2_subp0_total_write_sector_queries", "l2_subp1_total_write_sector_queries",
    "l2_subp0_read_sector_misses", "l2_subp1_read_sector_misses",
})
no_event(machine .. "; see ptx__inst_executed.sum", { "inst_issued0", "inst_issued1", "inst_issued2" })
no_event("sizes of accesses are not distinguished; see smsp__sass_data_bytes_mem_global_op_ld.sum", {
    "gld_inst_8bit", "gld_inst_16bit", "gld_inst_32bit", "gld_inst_64bit", "gld_inst_128bit",
    "gst_inst_8bit", "gst_inst_16bit", "gst_inst_32bit", "gst_inst_64bit", "gst_inst_128bit",
})
no_event("it is of GPUs before Maxwell, which replay instructions", {
    "global_ld_mem_divergence_replays", "global_st_mem_divergence_replays", "shared_load_replay",
    "shared_store_replay", "uncached_global_load_transaction", "global_store_transaction",
    "l1_global_load_hit", "l1_global_load_miss", "l1_local_load_hit", "l1_local_load_miss",
})
no_event("programs do not count it", {
    "prof_trigger_00", "prof_trigger_01", "prof_trigger_02", "prof_trigger_03", "prof_trigger_04", "prof_trigger_05",
    "prof_trigger_06", "prof_trigger_07",
})
no_event("it is a metric of each warp's cycles; see sm__warps_active.avg.per_cycle_active", { "active_warps" })
return rows
