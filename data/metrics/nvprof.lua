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
absent("needs a predicted or measured time, which this launch has not", {
    "gld_throughput", "gst_throughput", "gld_requested_throughput", "gst_requested_throughput",
    "local_load_throughput", "local_store_throughput", "shared_load_throughput", "shared_store_throughput",
    "l2_read_throughput", "l2_write_throughput", "l2_tex_read_throughput", "l2_tex_write_throughput",
    "l2_atomic_throughput", "tex_cache_throughput", "dram_utilization", "l2_utilization", "shared_utilization",
    "tex_utilization", "tex_fu_utilization", "ldst_fu_utilization", "cf_fu_utilization", "special_fu_utilization",
    "single_precision_fu_utilization", "double_precision_fu_utilization", "half_precision_fu_utilization",
    "flop_sp_efficiency", "flop_dp_efficiency", "flop_hp_efficiency", "stall_exec_dependency", "stall_other",
    "stall_texture", "stall_sleeping",
})
absent("see derived__local_spilling_requests_pct", { "local_memory_overhead" })
absent("memory of the host is not part of the model", {
    "sysmem_read_bytes", "sysmem_write_bytes", "sysmem_read_throughput", "sysmem_write_throughput",
    "sysmem_read_transactions", "sysmem_write_transactions", "sysmem_utilization", "pcie_total_data_received",
    "pcie_total_data_transmitted", "nvlink_total_data_received", "nvlink_total_data_transmitted",
})
return rows
