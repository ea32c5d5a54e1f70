local l1 = "l1tex__t_sectors_pipe_lsu_mem_"
local shared = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
local columns = { "Transactions", "Bandwidth", "Utilization %" }

return {
    identifier = "NvvpMemory",
    name = "Memory Bandwidth And Utilization",
    description = "The Visual Profiler's table: loads and stores of each memory, their bandwidth, and how much of its "
        .. "peak that is.",
    order = 90,
    sets = { "nvvp" },
    tables = {
        {
            name = "Shared Memory",
            columns = columns,
            rows = {
                { "Shared Loads", shared .. "_op_ld.sum", "shared_load_throughput", "" },
                { "Shared Stores", shared .. "_op_st.sum", "shared_store_throughput", "" },
                { "Shared Total", shared .. ".sum", "nvvp__shared_throughput", "" },
            },
        },
        {
            name = "Unified Cache",
            columns = columns,
            rows = {
                { "Local Loads", l1 .. "local_op_ld.sum", "local_load_throughput", "" },
                { "Local Stores", l1 .. "local_op_st.sum", "local_store_throughput", "" },
                { "Global Loads", l1 .. "global_op_ld.sum", "gld_throughput", "" },
                { "Global Stores", l1 .. "global_op_st.sum", "gst_throughput", "" },
                {
                    "Unified Total", "l1tex__t_sectors_pipe_lsu.sum", "nvvp__l1_throughput",
                    "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
                },
            },
        },
        {
            name = "L2 Cache",
            columns = columns,
            rows = {
                { "Reads", "lts__t_sectors_srcunit_tex_op_read.sum", "l2_tex_read_throughput", "" },
                { "Writes", "lts__t_sectors_srcunit_tex_op_write.sum", "l2_tex_write_throughput", "" },
                {
                    "L2 Total", "lts__t_sectors_srcunit_tex.sum", "nvvp__l2_throughput",
                    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                },
            },
        },
        {
            name = "Device Memory",
            columns = columns,
            rows = {
                { "Reads", "dram__sectors_read.sum", "dram__bytes_read.sum.per_second", "" },
                { "Writes", "dram__sectors_write.sum", "dram__bytes_write.sum.per_second", "" },
                { "ECC Overhead", "ecc_transactions", "ecc_throughput", "" },
                {
                    "Device Total", "dram__sectors.sum", "dram__bytes.sum.per_second",
                    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                },
            },
        },
    },
}
