return {
    identifier = "NvvpOccupancy",
    name = "Occupancy Per SM",
    description = "The Visual Profiler's table: what was achieved and what fits on an SM, beside what the device allows.",
    order = 91,
    sets = { "nvvp" },
    tables = {
        {
            name = "Occupancy Per SM",
            columns = { "Achieved", "Theoretical", "Device Limit" },
            rows = {
                {
                    "Active Blocks", "nvvp__blocks_achieved", "nvvp__blocks_theoretical",
                    "device__attribute_max_blocks_per_multiprocessor",
                },
                {
                    "Active Warps", "sm__warps_active.avg.per_cycle_active", "sm__maximum_warps_avg_per_active_cycle",
                    "device__attribute_max_warps_per_multiprocessor",
                },
                {
                    "Active Threads", "nvvp__threads_achieved", "nvvp__threads_theoretical",
                    "device__attribute_max_threads_per_multiprocessor",
                },
                {
                    "Occupancy %", "sm__warps_active.avg.pct_of_peak_sustained_active",
                    "sm__maximum_warps_per_active_cycle_pct", "",
                },
            },
        },
        {
            name = "Needs of a Block",
            columns = { "Kernel", "Device Limit", "Block Limit" },
            rows = {
                { "Threads/Block", "launch__block_size", "device__attribute_max_threads_per_block", "" },
                { "Warps/Block", "nvvp__warps_per_block", "nvvp__max_warps_per_block", "launch__occupancy_limit_warps" },
                {
                    "Registers/Thread", "launch__registers_per_thread", "device__attribute_max_registers_per_thread",
                    "launch__occupancy_limit_registers",
                },
                {
                    "Shared Memory/Block", "launch__shared_mem_per_block",
                    "device__attribute_max_shared_memory_per_block_optin", "launch__occupancy_limit_shared_mem",
                },
                {
                    "Blocks/SM", "nvvp__blocks_theoretical", "device__attribute_max_blocks_per_multiprocessor",
                    "launch__occupancy_limit_blocks",
                },
            },
        },
    },
}
