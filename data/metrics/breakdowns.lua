-- What throughputs are the largest of: `--metrics breakdown:THROUGHPUT`. Of GH100 (H100, H200), and what stands for it on
-- simulated GPUs; where a GPU measures, its own list is asked of CUPTI.
return {
    {
        breakdown = "CTC.TriageCompute.ctc__throughput",
        members = {
            "CTC.TriageCompute.ctc__rx_bytes",
            "CTC.TriageCompute.ctc__tx_bytes",
        },
    },
    {
        breakdown = "PCI.TriageCompute.pcie__throughput",
        members = {
            "PCI.TriageCompute.pcie__read_bytes",
            "PCI.TriageCompute.pcie__write_bytes",
        },
    },
    {
        breakdown = "SM_A.TriageCompute.l1tex__throughput",
        members = {
            "SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts",
            "SM_A.TriageCompute.l1tex__data_pipe_tex_wavefronts",
            "SM_A.TriageCompute.l1tex__lsu_writeback_active",
            "SM_A.TriageCompute.l1tex__m_l1tex2xbar_req_cycles_active_realtime",
            "SM_A.TriageCompute.l1tex__m_xbar2l1tex_read_sectors_realtime",
            "SM_A.TriageCompute.l1tex__tex_writeback_active",
        },
    },
    {
        breakdown = "TriageCompute.sm__throughput",
        members = {
            "SM_A.TriageCompute.sm__inst_executed_pipe_uniform_realtime",
            "SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime",
            "TPC.TriageCompute.sm__inst_executed_realtime",
            "TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime",
            "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime",
            "TPC.TriageCompute.sm__inst_executed_pipe_fmaheavy_realtime",
            "TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime",
            "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime",
        },
    },
    {
        breakdown = "dram__throughput",
        members = {
            "dram__cycles_active",
        },
    },
    {
        breakdown = "fbpa__dram_read_throughput",
        members = {
            "fbpa__dram_read_sectors",
        },
    },
    {
        breakdown = "fbpa__dram_write_throughput",
        members = {
            "fbpa__dram_write_sectors",
        },
    },
    {
        breakdown = "fbpa__throughput",
        members = {
            "fbpa__dram_sectors",
        },
    },
    {
        breakdown = "gpu__compute_memory_access_throughput",
        members = {
            "l1tex__data_bank_reads",
            "l1tex__data_bank_writes",
            "l1tex__data_pipe_lsu_wavefronts",
            "l1tex__data_pipe_tex_wavefronts",
            "l1tex__f_wavefronts",
            "lts__d_atomic_input_cycles_active",
            "lts__d_sectors",
            "lts__t_sectors",
            "lts__t_tag_requests",
            "lts__d_decomp_input_sectors",
        },
    },
    {
        breakdown = "gpu__compute_memory_request_throughput",
        members = {
            "l1tex__lsuin_requests",
            "l1tex__texin_sm2tex_req_cycles_active",
            "l1tex__lsu_writeback_active",
            "l1tex__tex_writeback_active",
            "l1tex__m_l1tex2xbar_req_cycles_active",
            "l1tex__m_xbar2l1tex_read_sectors",
            "lts__lts2xbar_cycles_active",
            "lts__xbar2lts_cycles_active",
            "lts__d_sectors_fill_device",
            "lts__d_sectors_fill_sysmem",
            "l1tex__tmain_requests",
            "l1tex__m_xbar2l1tex_read_sectors_mem_dshared",
            "gpu__dram_throughput",
        },
    },
    {
        breakdown = "gpu__compute_memory_throughput",
        members = {
            "gpu__compute_memory_access_throughput",
            "gpu__compute_memory_request_throughput",
        },
    },
    {
        breakdown = "gpu__dram_throughput",
        members = {
            "dram__throughput",
            "fbpa__throughput",
        },
    },
    {
        breakdown = "l1tex__m_l1tex2xbar_throughput",
        members = {
            "l1tex__m_l1tex2xbar_req_cycles_active",
        },
    },
    {
        breakdown = "l1tex__m_l1tex2xbar_throughput_pipe_lsu",
        members = {
            "l1tex__m_l1tex2xbar_write_sectors_pipe_lsu",
        },
    },
    {
        breakdown = "l1tex__m_l1tex2xbar_throughput_pipe_lsu_mem_dshared",
        members = {
            "l1tex__m_l1tex2xbar_write_sectors_mem_dshared",
        },
    },
    {
        breakdown = "l1tex__m_l1tex2xbar_throughput_pipe_tex",
        members = {
            "l1tex__m_l1tex2xbar_write_sectors_pipe_tex",
        },
    },
    {
        breakdown = "l1tex__m_xbar2l1tex_throughput",
        members = {
            "l1tex__m_xbar2l1tex_read_sectors",
        },
    },
    {
        breakdown = "l1tex__m_xbar2l1tex_throughput_pipe_lsu",
        members = {
            "l1tex__m_xbar2l1tex_read_sectors_pipe_lsu",
        },
    },
    {
        breakdown = "l1tex__m_xbar2l1tex_throughput_pipe_lsu_mem_dshared",
        members = {
            "l1tex__m_xbar2l1tex_read_sectors_mem_dshared",
        },
    },
    {
        breakdown = "l1tex__m_xbar2l1tex_throughput_pipe_tex",
        members = {
            "l1tex__m_xbar2l1tex_read_sectors_pipe_tex",
        },
    },
    {
        breakdown = "l1tex__throughput",
        members = {
            "l1tex__data_bank_reads",
            "l1tex__data_bank_writes",
            "l1tex__data_pipe_lsu_wavefronts",
            "l1tex__data_pipe_tex_wavefronts",
            "l1tex__f_wavefronts",
            "l1tex__lsu_writeback_active",
            "l1tex__lsuin_requests",
            "l1tex__tex_writeback_active",
            "l1tex__texin_sm2tex_req_cycles_active",
            "l1tex__tmain_requests",
            "l1tex__m_l1tex2xbar_throughput",
            "l1tex__m_xbar2l1tex_throughput",
            "l1tex__m_xbar2l1tex_throughput_pipe_lsu_mem_dshared",
        },
    },
    {
        breakdown = "lts__throughput",
        members = {
            "lts__d_atomic_input_cycles_active",
            "lts__d_decomp_input_sectors",
            "lts__d_sectors",
            "lts__d_sectors_fill_device",
            "lts__d_sectors_fill_sysmem",
            "lts__ltcfabric2ltc_cycles_active",
            "lts__lts2xbar_cycles_active_realtime",
            "lts__t_sectors",
            "lts__t_tag_requests",
            "lts__xbar2lts_cycles_active",
        },
    },
    {
        breakdown = "pcie__throughput",
        members = {
            "pcie__read_bytes",
            "pcie__write_bytes",
        },
    },
    {
        breakdown = "sm__instruction_throughput",
        members = {
            "sm__inst_executed",
            "sm__issue_active",
            "sm__mio_inst_issued",
            "sm__inst_executed_pipe_cbu_pred_on_any",
            "sm__pipe_tensor_cycles_active",
            "sm__pipe_fp64_cycles_active",
            "sm__inst_executed_pipe_xu",
            "sm__pipe_alu_cycles_active",
            "sm__pipe_fma_cycles_active",
            "sm__pipe_fmaheavy_cycles_active",
            "sm__pipe_shared_cycles_active",
            "sm__inst_executed_pipe_uniform",
            "sm__pipe_tensor_op_dmma_cycles_active",
            "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active",
        },
    },
    {
        breakdown = "sm__memory_throughput",
        members = {
            "sm__inst_executed_pipe_adu",
            "sm__inst_executed_pipe_lsu",
            "sm__mio_pq_read_cycles_active",
            "sm__mio_pq_write_cycles_active",
            "sm__mio2rf_writeback_active",
            "idc__request_cycles_active",
            "sm__inst_executed_pipe_tex",
            "sm__inst_executed_pipe_ipa",
            "sm__pipe_tma_cycles_active",
        },
    },
    {
        breakdown = "sm__throughput",
        members = {
            "sm__instruction_throughput",
            "sm__memory_throughput",
        },
    },
    {
        breakdown = "tpc__l1tex_m_l1tex2xbar_throughput",
        members = {
            "tpc__l1tex_m_l1tex2xbar_req_cycles_active",
        },
    },
}
