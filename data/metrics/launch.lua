-- Launch facts and theoretical occupancy. Rows without a formula say what a name means; a collector
-- gives its value. A formula is used only where the collector does not give that name itself.

local function least(m, names)
    local best
    for _, name in ipairs(names) do
        local value = m(name)
        if value and (not best or value < best) then
            best = value
        end
    end
    return best
end

local limits = {
    "launch__occupancy_limit_barriers",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
}

local function blocks_per_sm(m)
    local blocks = least(m, limits)
    if not blocks then
        return nil, "the collector gives no launch__occupancy_limit_..."
    end
    return blocks
end

return {
    { name = "launch__grid_size", description = "blocks of the grid" },
    { name = "launch__block_size", description = "threads of a block" },
    { name = "launch__thread_count", unit = "thread", description = "threads of the launch" },
    { name = "launch__grid_dim_x", description = "blocks of the grid in x" },
    { name = "launch__grid_dim_y", description = "blocks of the grid in y" },
    { name = "launch__grid_dim_z", description = "blocks of the grid in z" },
    { name = "launch__block_dim_x", description = "threads of a block in x" },
    { name = "launch__block_dim_y", description = "threads of a block in y" },
    { name = "launch__block_dim_z", description = "threads of a block in z" },
    { name = "launch__context_id", description = "number of the context" },
    { name = "launch__stream_id", description = "number of the stream" },
    { name = "launch__device_id", description = "number of the device" },
    { name = "launch__registers_per_thread", unit = "register/thread", description = "registers of a thread" },
    { name = "launch__shared_mem_config_size", unit = "byte", description = "part of the data cache that serves as shared memory" },
    { name = "launch__shared_mem_per_block_static", unit = "byte/block", description = "shared memory that the kernel declares" },
    { name = "launch__shared_mem_per_block_dynamic", unit = "byte/block", description = "shared memory that the launch asks for" },
    { name = "launch__shared_mem_per_block_driver", unit = "byte/block", description = "shared memory that the system takes for each block" },
    {
        name = "launch__shared_mem_per_block",
        unit = "byte/block",
        description = "all shared memory of a block",
        formula = function(m)
            return m["launch__shared_mem_per_block_static"] + m["launch__shared_mem_per_block_dynamic"] +
                (m("launch__shared_mem_per_block_driver") or 0)
        end,
    },
    { name = "launch__local_mem_per_thread", unit = "byte/thread", description = "local memory of a thread: its stack and spills" },
    { name = "launch__func_cache_config", description = "preference between L1 and shared memory" },
    { name = "launch__stack_size", unit = "byte", description = "stack of a thread" },
    {
        name = "launch__sm_count",
        unit = "SM",
        description = "multiprocessors of the device",
        formula = function(m) return m["device__attribute_multiprocessor_count"] end,
    },
    { name = "device__attribute_multiprocessor_count", unit = "SM", description = "multiprocessors of the device" },
    { name = "device__attribute_warp_size", unit = "thread", description = "threads of a warp" },
    { name = "device__attribute_max_warps_per_multiprocessor", unit = "warp", description = "warps that a multiprocessor holds at most" },
    { name = "device__attribute_display_name", description = "name of the GPU" },
    { name = "device__attribute_l2_cache_size", unit = "byte", description = "size of L2" },
    { name = "device__attribute_l2_slices", description = "slices of L2" },
    { name = "device__attribute_total_memory", unit = "byte", description = "size of device memory" },
    { name = "device__model_sm_clock_hz", unit = "hz", description = "clock of the SMs" },
    { name = "device__model_memory_clock_hz", unit = "hz", description = "clock of device memory" },
    { name = "device__model_memory_bandwidth_bytes_per_s", unit = "byte/s", description = "peak bandwidth of device memory" },
    { name = "device__model_dram_efficiency", description = "part of the peak bandwidth that kernels reach; 0: not known" },
    { name = "device__model_dram_ecc_share", description = "check bits in device memory for each bit of data; 0: none there, or not known" },
    { name = "device__model_block_interval_cycles", unit = "cycle", description = "cycles between two blocks that the GPU starts; as times are predicted where its model does not say it" },
    { name = "device__model_launch_overhead_ns", unit = "ns", description = "what a launch takes besides the time in which SMs are active; as times are predicted where its model does not say it" },
    { name = "device__model_fp16_per_cycle", description = "half-precision instructions of an SM in a cycle, in threads" },
    { name = "device__model_fp32_per_cycle", description = "single-precision instructions of an SM in a cycle, in threads" },
    { name = "device__model_tensor_per_cycle", description = "multiply-adds of 16 bits of the tensor cores of an SM in a cycle" },
    { name = "device__model_fp64_per_cycle", description = "double-precision instructions of an SM in a cycle, in threads" },
    { name = "launch__call_stack", description = "the functions of the program that led to a launch, outermost first (--call-stack)" },
    { name = "launch__cache_control", description = "whether caches were emptied before the launch" },
    { name = "launch__cluster_size", unit = "block", description = "blocks of a cluster" },
    { name = "launch__cluster_dim_x", description = "blocks of a cluster in x" },
    { name = "launch__cluster_dim_y", description = "blocks of a cluster in y" },
    { name = "launch__cluster_dim_z", description = "blocks of a cluster in z" },
    { name = "launch__l1_global_loads", description = "whether global loads are cached in L1" },
    {
        name = "launch__occupancy_limiter",
        description = "what limits the blocks that an SM holds",
        formula = function(m) -- of reports of others, which have only the limits
            local limiter, least = nil, math.huge
            for _, limit in ipairs({ { "warps", "warps" }, { "blocks", "blocks" }, { "registers", "registers" },
                { "barriers", "barriers" }, { "shared_mem", "shared memory" } }) do -- as src/gpu/occupancy.c
                local blocks = m("launch__occupancy_limit_" .. limit[1])
                if blocks and blocks < least then
                    limiter, least = limit[2], blocks
                end
            end
            return limiter, "its limits are not in this report"
        end,
    },
    { name = "launch__is_library_time", description = "yes: the launch takes what the kernels of a library would, for which " ..
        "this one stands in" },
    { name = "launch__registers_source", description = "where the number of registers comes from: cubin, ptxas, or an estimate (liveness)" },
    { name = "kernel__spill_store_bytes", unit = "byte/thread", description = "bytes of registers spilled, as ptxas tells" },
    { name = "kernel__spill_load_bytes", unit = "byte/thread", description = "bytes of spilled registers loaded, as ptxas tells" },
    { name = "device__attribute_schedulers_per_multiprocessor", description = "warp schedulers of a multiprocessor" },
    { name = "launch__occupancy_limit_barriers", unit = "block", description = "blocks that an SM holds as far as barriers go" },
    { name = "launch__occupancy_limit_blocks", unit = "block", description = "blocks that an SM holds at most, whatever they need" },
    { name = "launch__occupancy_limit_registers", unit = "block", description = "blocks that an SM holds as far as registers go" },
    { name = "launch__occupancy_limit_shared_mem", unit = "block", description = "blocks that an SM holds as far as shared memory goes" },
    { name = "launch__occupancy_limit_warps", unit = "block", description = "blocks that an SM holds as far as warps go" },
    {
        name = "launch__warps_per_block",
        unit = "warp",
        description = "warps of a block",
        formula = function(m)
            return math.ceil(m["launch__block_size"] / m["device__attribute_warp_size"])
        end,
    },
    {
        name = "launch__occupancy_blocks_per_multiprocessor",
        unit = "block",
        description = "blocks that an SM holds: the least of the limits",
        formula = blocks_per_sm,
    },
    {
        name = "launch__waves_per_multiprocessor",
        description = "how often the blocks of the grid fill all SMs",
        formula = function(m)
            local blocks = m["launch__occupancy_blocks_per_multiprocessor"]
            if blocks == 0 then
                return nil, "no block of this kernel fits on an SM"
            end
            return m["launch__grid_size"] / (blocks * m["launch__sm_count"])
        end,
    },
    {
        name = "sm__maximum_warps_avg_per_active_cycle",
        unit = "warp",
        description = "warps that an SM holds of this kernel, in theory",
        formula = function(m)
            return m["launch__occupancy_blocks_per_multiprocessor"] * m["launch__warps_per_block"]
        end,
    },
    {
        name = "sm__maximum_warps_per_active_cycle_pct",
        unit = "%",
        description = "theoretical occupancy: warps that an SM holds of this kernel, of those it could hold",
        formula = function(m)
            return 100 * m["sm__maximum_warps_avg_per_active_cycle"] /
                m["device__attribute_max_warps_per_multiprocessor"]
        end,
    },
}
