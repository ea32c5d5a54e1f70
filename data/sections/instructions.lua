return {
    identifier = "InstructionStats",
    name = "Instruction Statistics",
    description = "PTX instructions executed by warps and by threads, and how full the warps were.",
    order = 60,
    sets = { "full" },
    metrics = {
        { "Executed PTX Instructions", "ptx__inst_executed.sum" },
        { "Executed PTX Instructions, Threads", "ptx__thread_inst_executed.sum" },
        { "Executed PTX Instructions, Predicated-On Threads", "ptx__thread_inst_executed_pred_on.sum" },
        { "PTX Instructions Per Warp", "ptx__inst_executed_per_warp.ratio" },
        { "Avg. Active Threads Per Warp", "ptx__thread_inst_executed_per_inst_executed.ratio" },
        { "Avg. Not Predicated Off Threads Per Warp", "ptx__thread_inst_executed_pred_on_per_inst_executed.ratio" },
        { "Warps", "ptx__warps_launched.sum" },
        { "Barriers", "ptx__barriers_executed.sum" },
    },
    tables = {
        {
            name = "PTX Instructions by Kind (threads)",
            columns = { "Instructions" },
            rows = {
                { "Floating-Point Add, Multiply, Fused", "ptx__thread_inst_executed_op_fp_pred_on.sum" },
                { "Integer and Logic", "ptx__thread_inst_executed_op_integer_pred_on.sum" },
                { "Conversion", "ptx__thread_inst_executed_op_conversion_pred_on.sum" },
                { "Control", "ptx__thread_inst_executed_op_control_pred_on.sum" },
                { "Memory", "ptx__thread_inst_executed_op_memory_pred_on.sum" },
            },
        },
    },
}
