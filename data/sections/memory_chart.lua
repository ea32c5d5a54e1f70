return {
    identifier = "MemoryWorkloadAnalysis_Chart",
    name = "Memory Workload Analysis Chart",
    description = "What goes over each link between the kernel, the caches and device memory; `warplens export` draws it.",
    order = 31,
    sets = { "detailed", "full" },
    tables = {
        {
            name = "Link",
            columns = { "Instructions", "Requests", "Bytes", "Hit Rate %" },
            rows = {
                {
                    "Kernel - Global Memory", "smsp__sass_inst_executed_op_global.sum",
                    "l1tex__t_requests_pipe_lsu_mem_global.sum", "smsp__sass_data_bytes_mem_global.sum", "",
                },
                {
                    "Kernel - Local Memory", "smsp__sass_inst_executed_op_local.sum",
                    "l1tex__t_requests_pipe_lsu_mem_local.sum", "", "",
                },
                {
                    "Kernel - Shared Memory", "smsp__sass_inst_executed_op_shared.sum",
                    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "", "",
                },
                { "L1/TEX Cache", "", "l1tex__t_requests_pipe_lsu.sum", "l1tex__t_bytes_pipe_lsu.sum", "l1tex__t_sector_hit_rate.pct" },
                { "L2 to L1/TEX", "", "", "l1tex__m_xbar2l1tex_read_bytes.sum", "" },
                { "L1/TEX to L2", "", "", "l1tex__m_l1tex2xbar_write_bytes.sum", "" },
                { "L2 Cache", "", "lts__t_requests_srcunit_tex.sum", "lts__t_bytes_srcunit_tex.sum", "lts__t_sector_hit_rate.pct" },
                { "Device Memory to L2", "", "dram__sectors_read.sum", "dram__bytes_read.sum", "" },
                { "L2 to Device Memory", "", "dram__sectors_write.sum", "dram__bytes_write.sum", "" },
            },
        },
    },
}
