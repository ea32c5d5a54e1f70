return {
    identifier = "LaunchStats",
    name = "Launch Statistics",
    description = "How the kernel was launched: the grid, and what a block needs of an SM.",
    order = 6,
    sets = { "basic", "detailed", "full" },
    metrics = {
        { "Block Size", "launch__block_size" },
        { "Grid Size", "launch__grid_size" },
        { "Registers Per Thread", "launch__registers_per_thread" },
        { "Shared Memory Configuration Size", "launch__shared_mem_config_size" },
        { "Driver Shared Memory Per Block", "launch__shared_mem_per_block_driver" },
        { "Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic" },
        { "Static Shared Memory Per Block", "launch__shared_mem_per_block_static" },
        { "# SMs", "launch__sm_count" },
        { "Threads", "launch__thread_count" },
        { "Waves Per SM", "launch__waves_per_multiprocessor" },
    },
}
