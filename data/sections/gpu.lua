return {
    identifier = "DeviceAttributes",
    name = "GPU",
    description = "The GPU that ran the kernel, or the model of one.",
    order = 3,
    sets = { "detailed", "full" },
    metrics = {
        { "Name", "device__attribute_display_name" },
        { "# SMs", "device__attribute_multiprocessor_count" },
        { "SM Clock", "device__model_sm_clock_hz" },
        { "L2 Size", "device__attribute_l2_cache_size" },
        { "Memory Size", "device__attribute_total_memory" },
        { "Memory Bandwidth, Peak", "device__model_memory_bandwidth_bytes_per_s" },
        { "FP32 Operations, Peak", "device__peak_flops_sp" },
        { "FP64 Operations, Peak", "device__peak_flops_dp" },
        { "Cache Control", "launch__cache_control" },
        { "Global Loads Cached in L1", "launch__l1_global_loads" },
    },
}
