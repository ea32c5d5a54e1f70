local function level(label, name)
    return { label, "derived__inst_per_byte_" .. name .. ".ratio", "device__inst_per_byte_" .. name .. ".ratio" }
end

local function precision(label, name)
    local intensity = "derived__arithmetic_intensity_%s_" .. name .. ".ratio"
    return {
        label, string.format(intensity, "dram"), string.format(intensity, "l2"), string.format(intensity, "l1"),
        "derived__flops_" .. name .. ".per_second", "device__peak_flops_" .. name,
    }
end

return {
    identifier = "SpeedOfLight_RooflineChart",
    name = "GPU Speed Of Light Roofline Chart",
    description = "What the launch does per byte at each level of the memory, beside what the GPU is made for.",
    order = 11,
    sets = { "detailed", "full", "roofline" },
    tables = {
        {
            name = "Roofline",
            columns = { "DRAM (flop/byte)", "L2 (flop/byte)", "L1 (flop/byte)", "Achieved", "Peak" },
            rows = { precision("Half (FP16)", "hp"), precision("Single (FP32)", "sp"), precision("Double (FP64)", "dp") },
        },
        {
            name = "Instructions per Byte",
            columns = { "Kernel", "Balance of the GPU" },
            rows = { level("Device Memory", "dram"), level("L2", "l2"), level("L1", "l1") },
        },
    },
}
