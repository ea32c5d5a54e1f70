/* For tests: a report of three launches whose every number is chosen by hand.
 *
 * Launch 0 and 1: scale<4>, which loads 16 bytes a thread with a stride, has a two-way bank
 * conflict and inlines a function. Launch 2: a kernel without source lines that failed. */
#ifndef WL_SUPPORT_PAGE_SAMPLE_H
#define WL_SUPPORT_PAGE_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "record/stream/stream.h"
#include "report/report.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct sample {
    char *folder;
    struct wl_report *report;
    bool has_no_source; /* set before: the report gets no source text */
    bool has_long_name; /* set before: a kernel's function has a long name */
};

static const char sample_source[] = "// Scales a vector.\n"
                                    "__device__ float twice(float x) {\n"
                                    "    return 2 * x;\n"
                                    "}\n"
                                    "\n"
                                    "template <int N>\n"
                                    "__global__ void scale(float *x, int n) {\n"
                                    "    __shared__ float t[64];\n"
                                    "    int i = blockIdx.x * N + threadIdx.x;\n"
                                    "    if (i < n)\n"
                                    "\tx[i] = twice(x[i]); // load, store\n"
                                    "}\n";

static const struct wl_record_attribute sample_device[] = {
    {"device__attribute_multiprocessor_count", NULL, 132},
    {"device__attribute_warp_size", NULL, 32},
    {"device__attribute_max_warps_per_multiprocessor", NULL, 64},
    {"device__attribute_schedulers_per_multiprocessor", NULL, 4},
    {"device__attribute_l2_slices", NULL, 96},
    {"device__attribute_display_name", "NVIDIA H200", 0},
    {"device__model_fp32_per_cycle", NULL, 128},
    {"device__model_fp64_per_cycle", NULL, 64},
    {"device__model_fp16_per_cycle", NULL, 256},
    {"device__model_sm_clock_hz", NULL, 1980e6},
    {"device__model_memory_bandwidth_bytes_per_s", NULL, 4.8e12},
};

static const struct wl_record_value sample_values[] = {
    {"dram__bytes_read.sum", 1536, WL_MARK_MODELLED},
    {"dram__bytes_write.sum", 0, WL_MARK_MODELLED},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", 0, WL_MARK_EXACT},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 16, WL_MARK_EXACT},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 0, WL_MARK_EXACT},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", 0, WL_MARK_EXACT},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 32, WL_MARK_EXACT},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 16, WL_MARK_EXACT},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 16, WL_MARK_EXACT},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 128, WL_MARK_EXACT},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 64, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", 64, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 64, WL_MARK_EXACT},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", 16, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum", 48, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", 0, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_miss.sum", 0, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0, WL_MARK_EXACT},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", 0, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_miss.sum", 0, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_tex_mem_surface_op_ld_lookup_miss.sum", 0, WL_MARK_MODELLED},
    {"l1tex__t_sectors_pipe_tex_mem_texture_lookup_miss.sum", 0, WL_MARK_MODELLED},
    {"launch__occupancy_limit_barriers", 32, WL_MARK_EXACT},
    {"launch__occupancy_limit_blocks", 32, WL_MARK_EXACT},
    {"launch__occupancy_limit_registers", 21, WL_MARK_PREDICTED},
    {"launch__occupancy_limit_shared_mem", 28, WL_MARK_EXACT},
    {"launch__occupancy_limit_warps", 32, WL_MARK_EXACT},
    {"launch__registers_per_thread", 48, WL_MARK_PREDICTED},
    {"launch__shared_mem_config_size", 65536, WL_MARK_EXACT},
    {"launch__shared_mem_per_block_driver", 1024, WL_MARK_EXACT},
    {"launch__shared_mem_per_block_static", 256, WL_MARK_EXACT},
    {"lts__t_requests_srcunit_tex.sum", 40, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_atom.sum", 0, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_read.sum", 64, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 16, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum", 48, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_red.sum", 0, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_write.sum", 64, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum", 64, WL_MARK_MODELLED},
    {"lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum", 0, WL_MARK_MODELLED},
    {"memory_l1_tag_requests_global", 48, WL_MARK_EXACT},
    {"memory_l1_wavefronts_shared", 32, WL_MARK_EXACT},
    {"memory_l1_wavefronts_shared_ideal", 16, WL_MARK_EXACT},
    {"memory_l2_theoretical_sectors_global", 192, WL_MARK_EXACT},
    {"memory_l2_theoretical_sectors_global_ideal", 128, WL_MARK_EXACT},
    {"memory_l2_theoretical_sectors_local", 0, WL_MARK_EXACT},
    {"ptx__barriers_executed.sum", 0, WL_MARK_EXACT},
    {"ptx__blocks_launched.sum", 8, WL_MARK_EXACT},
    {"ptx__branches_divergent.sum", 4, WL_MARK_EXACT},
    {"ptx__branches_executed.sum", 16, WL_MARK_EXACT},
    {"ptx__inst_executed.sum", 160, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_alu.sum", 32, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_cbu.sum", 32, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_const.sum", 16, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_fma.sum", 32, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_fp16.sum", 0, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_fp64.sum", 0, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_lsu.sum", 48, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_tensor.sum", 0, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_tex.sum", 0, WL_MARK_EXACT},
    {"ptx__inst_executed_pipe_xu.sum", 0, WL_MARK_EXACT},
    {"ptx__shared_pipe_exchanges.sum", 16, WL_MARK_MODELLED},
    {"ptx__thread_inst_executed.sum", 3584, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_control_pred_on.sum", 1024, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_conversion_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_dadd_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_dfma_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_dmul_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_fadd_pred_on.sum", 512, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_ffma_pred_on.sum", 1024, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_fmul_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_hadd_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_hfma_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_hmul_pred_on.sum", 0, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_integer_pred_on.sum", 512, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_op_memory_pred_on.sum", 1536, WL_MARK_EXACT},
    {"ptx__thread_inst_executed_pred_on.sum", 3200, WL_MARK_EXACT},
    {"ptx__threads_launched.sum", 512, WL_MARK_EXACT},
    {"ptx__warps_launched.sum", 16, WL_MARK_EXACT},
    {"smsp__inst_executed_op_global_atom.sum", 0, WL_MARK_EXACT},
    {"smsp__inst_executed_op_global_red.sum", 0, WL_MARK_EXACT},
    {"smsp__inst_executed_op_shared_atom.sum", 0, WL_MARK_EXACT},
    {"smsp__sass_data_bytes_mem_global_op_ld.sum", 2048, WL_MARK_EXACT},
    {"smsp__sass_data_bytes_mem_global_op_st.sum", 2048, WL_MARK_EXACT},
    {"smsp__sass_inst_executed_op_global_ld.sum", 16, WL_MARK_EXACT},
    {"smsp__sass_inst_executed_op_global_st.sum", 16, WL_MARK_EXACT},
    {"smsp__sass_inst_executed_op_local_ld.sum", 0, WL_MARK_EXACT},
    {"smsp__sass_inst_executed_op_local_st.sum", 0, WL_MARK_EXACT},
    {"smsp__sass_inst_executed_op_shared_ld.sum", 16, WL_MARK_EXACT},
    {"smsp__sass_inst_executed_op_shared_st.sum", 0, WL_MARK_EXACT},
};

static const char *const sample_count_names[] = {
    "inst_executed",
    "thread_inst_executed",
    "branch_divergent",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "l1tex__t_sectors_lookup_hit",
    "l1tex__t_sectors_lookup_miss",
    "memory_l2_theoretical_sectors_local",
};
static const uint8_t sample_count_marks[] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 0};

/* instruction, count, value: rows of lines 9, 10, 11 and of the function twice inlined at 11 */
static const struct wl_record_instruction_value sample_counts[] = {
    {0, 0, 16},  {0, 1, 512}, {1, 0, 16},  {1, 1, 512}, {1, 2, 4},   {2, 0, 16},  {2, 1, 512},
    {2, 3, 128}, {2, 4, 64},  {2, 7, 64},  {2, 8, 64},  {3, 0, 16},  {3, 1, 512}, {3, 5, 32},
    {3, 6, 16},  {4, 0, 16},  {4, 1, 512}, {5, 0, 16},  {5, 1, 512}, {5, 3, 64},  {5, 4, 64},
    {5, 7, 16},  {5, 8, 48},  {6, 0, 16},  {6, 1, 512},
};

static inline void sample_put_kernels(const struct wl_sink *sink, const char *name,
                                      const char *function)
{
    static const char file[] = "/home/user/scale.cu";
    sink->put_module(sink->self, &(struct wl_record_module){.id = 1,
                                                            .name = "scale.cu",
                                                            .text = ".visible .entry scale()\n",
                                                            .options = "-O3",
                                                            .architecture = 90});
    const struct wl_record_instruction scale[] = {
        {0, 12, "mad.lo.s32 %r1, %r2, %r3, %r4", "mad.lo.s32", "fma", file, 9, 13, "", ""},
        {1, 13, "@%p1 bra $L_BB0", "bra", "cbu", file, 10, 5, "", ""},
        {2, 15, "ld.global.f32 %f1, [%rd1]", "ld.global.f32", "lsu", file, 11, 16, "", ""},
        {3, 16, "ld.shared.f32 %f2, [%r5]", "ld.shared.f32", "lsu", file, 11, 16, "", ""},
        {4, 17, "add.f32 %f3, %f1, %f1", "add.f32", "fma", file, 3, 14, "/home/user/scale.cu:11:9",
         "twice(float)"},
        {5, 18, "st.global.f32 [%rd1], %f3", "st.global.f32", "lsu", file, 11, 2, "", ""},
        {6, 20, "ret", "ret", "cbu", "", 0, 0, "", ""},
    };
    sink->put_kernel(sink->self, &(struct wl_record_kernel){.id = 1,
                                                            .module_id = 1,
                                                            .mangled = "_Z5scaleILi4EEvPfi",
                                                            .demangled = name,
                                                            .function = function,
                                                            .instructions = scale,
                                                            .instruction_count = COUNT(scale)});
    const struct wl_record_instruction plain[] = {
        {0, 3, "ld.global.u32 %r1, [%rd1]", "ld.global.u32", "lsu", "", 0, 0, "", ""},
        {1, 4, "ret", "ret", "cbu", "", 0, 0, "", ""},
    };
    sink->put_kernel(sink->self, &(struct wl_record_kernel){.id = 2,
                                                            .module_id = 1,
                                                            .mangled = "plain",
                                                            .demangled = "plain",
                                                            .function = "plain",
                                                            .instructions = plain,
                                                            .instruction_count = COUNT(plain)});
}

static inline void sample_put_launches(const struct wl_sink *sink)
{
    static const struct wl_record_attribute facts[] = {
        {"launch__cache_control", "all", 0},
        {"launch__occupancy_limiter", "registers", 0},
        {"launch__registers_source", "liveness", 0}};
    struct wl_record_launch launch = {
        .kernel_id = 1,
        .context_id = 1,
        .stream_id = 7,
        .grid = {4, 2, 1},
        .block = {64, 1, 1},
        .start_ns = 1700000000000000000,
        .simulated_for_ns = 1000,
        .message = "",
        .range = "solve/step",
        .values = sample_values,
        .value_count = COUNT(sample_values),
        .attributes = facts,
        .attribute_count = COUNT(facts),
        .instruction_value_names = sample_count_names,
        .instruction_value_marks = sample_count_marks,
        .instruction_value_name_count = COUNT(sample_count_names),
        .instruction_values = sample_counts,
        .instruction_value_count = COUNT(sample_counts),
    };
    sink->put_launch(sink->self, &launch);
    launch.id = 1;
    launch.range = "";
    sink->put_launch(sink->self, &launch);
    sink->put_launch(sink->self, &(struct wl_record_launch){
                                     .id = 2,
                                     .kernel_id = 2,
                                     .context_id = 1,
                                     .stream_id = 7,
                                     .grid = {1, 1, 1},
                                     .block = {33, 1, 1},
                                     .status = WL_LAUNCH_FAILED,
                                     .message = "illegal address 0x0 in plain, scale.cu:3",
                                     .range = ""});
}

/* Builds and opens it. kernel_name NULL: "void scale<4>(float *, int)". */
static inline void sample_make(struct sample *sample, const char *kernel_name)
{
    assert_int_equal(wl_folder_create_temporary("wl-view", &sample->folder, NULL), WL_OK);
    char *stream = wl_string_format("%s/stream", sample->folder);
    char *source = wl_string_format("%s/scale.cu", sample->folder);
    char *path = wl_string_format("%s/sample.wlr", sample->folder);
    assert_int_equal(mkdir(stream, 0777), 0);
    assert_int_equal(wl_file_write(source, sample_source, strlen(sample_source), NULL), WL_OK);
    struct wl_stream_writer *writer = NULL;
    assert_int_equal(wl_stream_writer_open(stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sink->put_process(sink->self, &(struct wl_record_process){.pid = 4242,
                                                              .parent_pid = 4241,
                                                              .host = "node1",
                                                              .executable = "/home/user/scale",
                                                              .executable_hash = "0123abcd",
                                                              .command_line = "./scale 1000",
                                                              .start_ns = 1700000000000000000,
                                                              .version = "0.1.0",
                                                              .collector = "sim",
                                                              .rank = -1,
                                                              .rank_count = -1});
    sink->put_device(sink->self,
                     &(struct wl_record_device){.model = "h200",
                                                .name = "NVIDIA H200",
                                                .capability_major = 9,
                                                .attributes = sample_device,
                                                .attribute_count = COUNT(sample_device)});
    sample_put_kernels(sink, kernel_name ? kernel_name : "void scale<4>(float *, int)",
                       sample->has_long_name ? "scale_all_the_elements_of_a_long_vector" : "scale");
    sample_put_launches(sink);
    sink->put_note(sink->self, &(struct wl_record_note){WL_NOTE_INFO, "newer-target",
                                                        "the PTX is for sm_100, the model is sm_90",
                                                        "--strict-arch refuses it", -1});
    sink->put_note(sink->self, &(struct wl_record_note){WL_NOTE_WARNING, "unmodelled-math",
                                                        "sin.approx is computed exactly", "", 1});
    sink->put_note(sink->self,
                   &(struct wl_record_note){
                       WL_NOTE_ERROR, "kernel-stopped",
                       "kernel plain stopped: illegal address 0x0 in plain, scale.cu:3", "", -1});
    sink->put_end(sink->self, 0, 1700000000500000000);
    wl_stream_writer_close(writer);
    const struct wl_record_attribute session[] = {{"cache_control", "all", 0},
                                                  {"threads", NULL, 2}};
    struct wl_error error = {0};
    enum wl_code code =
        wl_report_build(&(struct wl_report_build){.stream_folder = stream,
                                                  .report_path = path,
                                                  .source_folders = sample->folder,
                                                  .import_source = !sample->has_no_source,
                                                  .session = session,
                                                  .session_count = COUNT(session)},
                        &error);
    assert_string_equal(error.message, "");
    assert_int_equal(code, WL_OK);
    assert_int_equal(wl_report_open(path, &sample->report, &error), WL_OK);
    free(stream);
    free(source);
    free(path);
}

static inline void sample_remove(struct sample *sample)
{
    wl_report_close(sample->report);
    assert_int_equal(wl_folder_remove(sample->folder, NULL), WL_OK);
    free(sample->folder);
}

#endif
