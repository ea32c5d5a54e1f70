local function unit(label, name)
    return {
        label, name .. "__cycles_active.avg", name .. "__cycles_active.min", name .. "__cycles_active.max",
        name .. "__cycles_elapsed.sum",
    }
end

return {
    identifier = "WorkloadDistribution",
    name = "GPU and Memory Workload Distribution",
    description = "How long the units of each kind worked: on average, the least and the most busy one. A model in which " ..
        "one SM stands for all knows the average of SMs only.",
    order = 90,
    sets = { "full", "roofline" },
    tables = {
        {
            name = "Unit",
            columns = { "Active, Average", "Active, Least", "Active, Most", "Elapsed, All" },
            rows = {
                unit("SM", "sm"), unit("SM Sub-Partition", "smsp"), unit("L1/TEX", "l1tex"), unit("L2 Slice", "lts"),
                unit("DRAM Channel", "dram"),
            },
        },
    },
}
