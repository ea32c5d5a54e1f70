/* Formulas on launches whose values are chosen by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "analyse/metric/metric.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct wl_metric_catalog *catalog;

static int make(void **state)
{
    (void)state;
    struct wl_error error = {0};
    enum wl_code code = wl_metric_catalog_create(NULL, &catalog, &error);
    if (code != WL_OK)
        print_message("%s\n", error.message);
    return code;
}

static int drop(void **state)
{
    (void)state;
    wl_metric_catalog_free(catalog);
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct wl_record_value *)left)->name,
                  ((const struct wl_record_value *)right)->name);
}

static const struct wl_report_process process = {.record = {.collector = "sim"}};
static const struct wl_record_attribute device_facts[] = {
    {"device__attribute_multiprocessor_count", NULL, 132},
    {"device__attribute_warp_size", NULL, 32},
    {"device__attribute_max_warps_per_multiprocessor", NULL, 64},
    {"device__attribute_schedulers_per_multiprocessor", NULL, 4},
    {"device__attribute_l2_slices", NULL, 96},
    {"device__attribute_compute_capability_major", NULL, 9},
    {"device__model_fp16_per_cycle", NULL, 0},
    {"device__model_fp32_per_cycle", NULL, 128},
    {"device__model_sm_clock_hz", NULL, 1e9},
    {"device__model_memory_bandwidth_bytes_per_s", NULL, 4e12},
};
static const struct wl_record_device device = {.attributes = device_facts,
                                               .attribute_count = COUNT(device_facts)};

/* A launch of 256 blocks of 256 threads with these values, which it sorts as a report has them. */
static struct wl_report_launch launch_of(struct wl_record_value *values, size_t count)
{
    if (count > 0)
        qsort(values, count, sizeof *values, by_name);
    return (struct wl_report_launch){
        .process = &process,
        .device = &device,
        .record = {.grid = {16, 16, 1},
                   .block = {256, 1, 1},
                   .values = values,
                   .value_count = count},
    };
}

static void is_number(struct wl_metric_set *set, const char *name, double number, enum wl_mark mark)
{
    const struct wl_metric_value *value = wl_metric_get(set, name);
    if (!value->is_present)
        fail_msg("%s is absent: %s", name, value->reason);
    if (fabs(value->number - number) > 1e-9 * (1 + fabs(number)))
        fail_msg("%s is %.17g, not %.17g", name, value->number, number);
    if (value->mark != mark)
        fail_msg("%s is %s", name, wl_metric_mark_name(value->mark));
}

static void is_absent(struct wl_metric_set *set, const char *name, const char *reason)
{
    const struct wl_metric_value *value = wl_metric_get(set, name);
    assert_false(value->is_present);
    assert_string_equal(value->reason, reason);
}

/* ---- formulas, with what Nsight Compute read for gemm_3_2048 on an H200 where it is exact ---- */

static void global_memory(void **state)
{
    (void)state;
    struct wl_record_value values[] = {
        {"memory_l2_theoretical_sectors_global", 20971520, WL_MARK_EXACT},
        {"memory_l2_theoretical_sectors_global_ideal", 17301504, WL_MARK_EXACT},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 16777216, WL_MARK_EXACT},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1048576, WL_MARK_EXACT},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 1000, WL_MARK_MODELLED},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum", 3000, WL_MARK_MODELLED},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0, WL_MARK_EXACT},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 0, WL_MARK_EXACT},
        {"smsp__sass_data_bytes_mem_global_op_ld.sum", 134217728, WL_MARK_EXACT},
    };
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "derived__memory_l2_theoretical_sectors_global_excessive", 3670016,
              WL_MARK_EXACT);
    is_number(set, "derived__memory_l2_theoretical_sectors_global_excessive_pct", 17.5,
              WL_MARK_EXACT);
    is_number(set, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 16,
              WL_MARK_EXACT);
    is_number(set, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", 25, WL_MARK_MODELLED);
    is_number(set, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 8,
              WL_MARK_EXACT);
    is_number(set, "gld_efficiency", 25, WL_MARK_EXACT);
    is_absent(set, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
              "the launch has no global stores");
    is_absent(set, "l1tex__t_sector_hit_rate.pct",
              "needs l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum: not given by the "
              "collector sim");
    wl_metric_set_free(set);
}

/* Sectors that are asked for one by one take a look-up of L2 each and, if absent, 1.8 more; lines
 * that are read whole two cycles of a slice. */
static void least_time_of_l2(void **state)
{
    (void)state;
    struct {
        double requests, sectors, missed, cycles;
    } rows[] = {
        {9.6e6, 38.4e6, 38.4e6, 2e5}, {8.16e6, 8.16e6, 0, 1e5}, {8.16e6, 8.16e6, 16.32e6, 2.8e5}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wl_record_value values[] = {
            {"lts__t_requests_srcunit_tex.sum", rows[i].requests, WL_MARK_MODELLED},
            {"lts__t_sectors_srcunit_tex.sum", rows[i].sectors, WL_MARK_MODELLED},
            {"lts__t_sectors_srcunit_tex_lookup_miss.sum", rows[i].missed, WL_MARK_MODELLED},
        };
        struct wl_report_launch launch = launch_of(values, COUNT(values));
        struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
        is_number(set, "warplens__floor_l2.cycle", rows[i].cycles, WL_MARK_MODELLED);
        wl_metric_set_free(set);
    }
}

/* The stencil of the Oxford course on a K40: loads of 8 and 6 sectors where 4 would do, 53.3%. */
static void load_efficiency(void **state)
{
    (void)state;
    struct wl_record_value values[] = {
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3 * 8 + 6, WL_MARK_EXACT},
        {"smsp__sass_data_bytes_mem_global_op_ld.sum", 4 * 128, WL_MARK_EXACT},
    };
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "gld_efficiency", 100 * 4 / 7.5, WL_MARK_EXACT);
    wl_metric_set_free(set);
}

static void shared_memory(void **state)
{
    (void)state;
    struct wl_record_value values[] = {
        {"memory_l1_wavefronts_shared", 90177536, WL_MARK_EXACT},
        {"memory_l1_wavefronts_shared_ideal", 54525952, WL_MARK_EXACT},
        {"smsp__sass_inst_executed_op_shared_ld.sum", 16777216, WL_MARK_EXACT},
        {"smsp__sass_inst_executed_op_shared_st.sum", 2621440, WL_MARK_EXACT},
        {"smsp__inst_executed_op_shared_atom.sum", 0, WL_MARK_EXACT},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 5, WL_MARK_EXACT},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 6, WL_MARK_MODELLED},
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", 7, WL_MARK_EXACT},
    };
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "derived__memory_l1_wavefronts_shared_excessive", 35651584, WL_MARK_EXACT);
    is_number(set, "smsp__sass_inst_executed_op_shared.sum", 19398656, WL_MARK_EXACT);
    is_number(set, "derived__memory_l1_conflicts_shared_nway", 90177536.0 / 19398656,
              WL_MARK_EXACT);
    is_number(set, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 18, WL_MARK_MODELLED);
    wl_metric_set_free(set);
}

static void caches_and_device_memory(void **state)
{
    (void)state;
    struct wl_record_value values[] = {
        {"lts__t_sectors_srcunit_tex_op_read.sum", 100, WL_MARK_MODELLED},
        {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 60, WL_MARK_MODELLED},
        {"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum", 40, WL_MARK_MODELLED},
        {"lts__t_sectors_srcunit_tex_op_write.sum", 20, WL_MARK_MODELLED},
        {"lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum", 20, WL_MARK_MODELLED},
        {"lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum", 0, WL_MARK_MODELLED},
        {"lts__t_sectors_srcunit_tex_op_atom.sum", 3, WL_MARK_MODELLED},
        {"lts__t_sectors_srcunit_tex_op_red.sum", 5, WL_MARK_MODELLED},
        {"dram__bytes_read.sum", 1280, WL_MARK_MODELLED},
        {"dram__bytes_write.sum", 320, WL_MARK_MODELLED},
    };
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "lts__t_sectors_srcunit_tex.sum", 128, WL_MARK_MODELLED);
    is_number(set, "lts__t_bytes_srcunit_tex.sum", 4096, WL_MARK_MODELLED);
    is_number(set, "l2_tex_hit_rate", 100 * 80 / 120.0, WL_MARK_MODELLED);
    is_number(set, "dram__bytes.sum", 1600, WL_MARK_MODELLED);
    is_number(set, "dram_read_transactions", 40, WL_MARK_MODELLED);
    wl_metric_set_free(set);
}

static void arithmetic(void **state)
{
    (void)state;
    struct wl_record_value values[] = {
        {"ptx__inst_executed.sum", 10, WL_MARK_EXACT},
        {"ptx__thread_inst_executed.sum", 240, WL_MARK_EXACT},
        {"ptx__branches_executed.sum", 4, WL_MARK_EXACT},
        {"ptx__branches_divergent.sum", 1, WL_MARK_EXACT},
        {"ptx__thread_inst_executed_op_fadd_pred_on.sum", 1, WL_MARK_EXACT},
        {"ptx__thread_inst_executed_op_fmul_pred_on.sum", 2, WL_MARK_EXACT},
        {"ptx__thread_inst_executed_op_ffma_pred_on.sum", 1000, WL_MARK_EXACT},
        {"dram__bytes_read.sum", 400, WL_MARK_MODELLED},
        {"dram__bytes_write.sum", 100, WL_MARK_MODELLED},
        {"ptx__inst_executed_pipe_fma.sum", 7, WL_MARK_EXACT},
    };
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "flop_count_sp", 2003, WL_MARK_EXACT);
    is_number(set, "derived__arithmetic_intensity_dram_sp.ratio", 2003 / 500.0, WL_MARK_MODELLED);
    is_number(set, "device__peak_flops_sp", 2 * 128 * 132 * 1e9, WL_MARK_EXACT);
    is_number(set, "device__roofline_ridge_dram_sp.ratio", 8.448, WL_MARK_EXACT);
    is_absent(set, "device__roofline_ridge_dram_hp.ratio",
              "needs device__peak_flops_hp: the device has no half-precision arithmetic");
    is_number(set, "ptx__branch_efficiency.pct", 75, WL_MARK_EXACT);
    is_number(set, "ptx__thread_inst_executed_per_inst_executed.ratio", 24, WL_MARK_EXACT);
    assert_string_equal(wl_metric_get(set, "ptx__busiest_pipe")->text, "fma");
    wl_metric_set_free(set);
}

/* What a real GPU counts: machine instructions, none of half precision. */
static void roofline_of_hardware(void **state)
{
    (void)state;
    struct wl_record_value values[] = {
        {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 10, WL_MARK_EXACT},
        {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 20, WL_MARK_EXACT},
        {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 100, WL_MARK_EXACT},
        {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 0, WL_MARK_EXACT},
        {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", 0, WL_MARK_EXACT},
        {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", 1, WL_MARK_EXACT},
        {"gpu__time_duration.sum", 4, WL_MARK_EXACT},
        {"dram__bytes.sum", 23, WL_MARK_EXACT},
        {"lts__t_sectors_srcunit_tex.sum", 2, WL_MARK_EXACT},
        {"ptx__inst_executed.sum", 46, WL_MARK_EXACT},
    };
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "derived__flop_count_sp.sum", 230, WL_MARK_EXACT);
    is_number(set, "derived__flop_count.sum", 232, WL_MARK_EXACT);
    is_number(set, "derived__arithmetic_intensity_dram_sp.ratio", 10, WL_MARK_EXACT);
    is_number(set, "derived__arithmetic_intensity_l2_sp.ratio", 230 / 64.0, WL_MARK_EXACT);
    is_number(set, "derived__flops_sp.per_second", 57.5e9, WL_MARK_EXACT);
    is_number(set, "derived__flops_dp.per_second", 0.5e9, WL_MARK_EXACT);
    is_number(set, "derived__inst_per_byte_dram.ratio", 46 * 32 / 23.0, WL_MARK_EXACT);
    assert_false(wl_metric_get(set, "derived__flop_count_hp.sum")->is_present);
    assert_false(wl_metric_get(set, "derived__arithmetic_intensity_l1_sp.ratio")->is_present);
    wl_metric_set_free(set);
}

static void occupancy(void **state)
{
    (void)state;
    struct wl_record_value values[] = {
        {"launch__occupancy_limit_blocks", 32, WL_MARK_EXACT},
        {"launch__occupancy_limit_registers", 2, WL_MARK_PREDICTED},
        {"launch__occupancy_limit_warps", 8, WL_MARK_EXACT},
    };
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "launch__grid_size", 256, WL_MARK_EXACT);
    is_number(set, "launch__thread_count", 65536, WL_MARK_EXACT);
    is_number(set, "launch__waves_per_multiprocessor", 256 / 264.0, WL_MARK_PREDICTED);
    is_number(set, "sm__maximum_warps_per_active_cycle_pct", 25, WL_MARK_PREDICTED);
    wl_metric_set_free(set);
}

/* ---- rules of evaluation ---- */

static void known_names_say_why_they_are_absent(void **state)
{
    (void)state;
    struct wl_record_value values[] = {{"smsp__inst_executed_op_ldgsts.sum", 8, WL_MARK_EXACT},
                                       {"ptx__inst_executed.sum", 0, WL_MARK_EXACT},
                                       {"ptx__thread_inst_executed.sum", 0, WL_MARK_EXACT},
                                       {"dram__bytes_write.sum", NAN, WL_MARK_EXACT}};
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_absent(set, "gpu__time_duration.sum",
              "needs a predicted or measured time of this kernel, which this launch has not");
    is_absent(set, "ipc",
              "needs a predicted or measured time of this kernel, which this launch has not");
    is_absent(set, "dram__bytes_read.sum.per_second",
              "needs a predicted or measured time of this kernel, which this launch has not");
    is_absent(set, "lts__t_requests_srcunit_tex.avg.per_second",
              "needs a predicted or measured time of this kernel, which this launch has not");
    is_absent(set, "smsp__inst_executed.sum",
              "counts machine instructions: not available from PTX; see ptx__inst_executed.sum");
    is_absent(set, "dram__bytes_read.sum", "not given by the collector sim");
    is_absent(set, "dram__bytes_write.sum", "the result is no finite number");
    is_absent(set, "ptx__thread_inst_executed_per_inst_executed.ratio",
              "no instruction was executed");
    is_absent(set, "inst_executed", "kept for each instruction: see the source page");
    is_absent(set, "nonsense", "unknown metric");
    is_absent(set, "nonsense.avg", "unknown metric");
    is_absent(set, "smsp__inst_executed_op_ldgsts.max",
              "counts are kept for the whole device, not for each of its units");
    is_number(set, "smsp__inst_executed_op_ldgsts.avg", 8 / (132.0 * 4), WL_MARK_EXACT);
    is_absent(set, "ptx__inst_executed.avg", "it is not known how many units share this count");
    launch.record.status = WL_LAUNCH_FAILED;
    is_absent(set, "dram__bytes_read.avg", "it is not known how many units share this count");
    wl_metric_set_free(set);
    set = wl_metric_set_create(catalog, &launch);
    is_absent(set, "dram__bytes.sum", "needs dram__bytes_read.sum: the launch failed");
    wl_metric_set_free(set);
}

static void a_value_of_the_collector_comes_first(void **state)
{
    (void)state;
    struct wl_record_value values[] = {{"dram__bytes.sum", 7, WL_MARK_EXACT},
                                       {"dram__bytes_read.sum", 1, WL_MARK_MODELLED},
                                       {"dram__bytes_write.sum", 2, WL_MARK_MODELLED},
                                       {"gpu__time_duration.sum", 5, WL_MARK_EXACT},
                                       {"new__counter.sum", 9, WL_MARK_EXACT}};
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    is_number(set, "dram__bytes.sum", 7, WL_MARK_EXACT);
    is_number(set, "gpu__time_duration.sum", 5, WL_MARK_EXACT);
    is_number(set, "new__counter.sum", 9, WL_MARK_EXACT);
    wl_metric_set_free(set);
}

static void the_list_has_each_metric_once(void **state)
{
    (void)state;
    struct wl_record_value values[] = {{"dram__bytes_read.sum", 1, WL_MARK_MODELLED},
                                       {"new__counter.sum", 9, WL_MARK_EXACT}};
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    size_t count = 0, seen = 0;
    const struct wl_metric_value *const *list = wl_metric_set_list(set, &count);
    for (size_t i = 0; i < count; i++) {
        seen += strcmp(list[i]->name, "dram__bytes_read.sum") == 0;
        assert_int_not_equal(strncmp(list[i]->name, "warplens__remark", 16), 0);
        if (i > 0)
            assert_true(list[i - 1]->is_present > list[i]->is_present ||
                        strcmp(list[i - 1]->name, list[i]->name) < 0);
    }
    assert_int_equal(seen, 1);
    wl_metric_set_free(set);
}

static void each_name_has_one_row(void **state)
{
    (void)state;
    size_t count = 0;
    const struct wl_metric_row *rows = wl_metric_list(catalog, &count);
    for (size_t i = 1; i < count; i++)
        if (strcmp(rows[i - 1].name, rows[i].name) >= 0)
            fail_msg("%s is there twice", rows[i].name);
    assert_string_equal(wl_metric_find(catalog, "memory_l2_theoretical_sectors_global")->unit,
                        "sector");
}

static void names_are_expanded(void **state)
{
    (void)state;
    struct wl_record_value values[] = {{"new__counter.sum", 9, WL_MARK_EXACT}};
    struct wl_report_launch launch = launch_of(values, COUNT(values));
    struct wl_metric_set *set = wl_metric_set_create(catalog, &launch);
    struct wl_metric_names names = {0};
    struct wl_error error = {0};
    assert_int_equal(wl_metric_names_parse(catalog, &set, 1,
                                           "new__counter,dram__bytes.sum,dram__bytes.sum,"
                                           "smsp__sass_average_data_bytes_per_sector_mem_global_op_"
                                           "ld,regex:^dram__sectors_.*sum$,gld_efficiency",
                                           &names, &error),
                     WL_OK);
    static const char *const expected[] = {
        "new__counter.sum",
        "dram__bytes.sum",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
        "dram__sectors_read.sum",
        "dram__sectors_write.sum",
        "gld_efficiency"};
    assert_int_equal(names.count, COUNT(expected));
    for (size_t i = 0; i < names.count; i++)
        assert_string_equal(names.items[i], expected[i]);
    wl_metric_names_free(&names);
    assert_int_equal(wl_metric_names_parse(catalog, &set, 1, "gld_eficiency", &names, &error),
                     WL_ERR_USAGE);
    assert_string_equal(error.message, "unknown metric 'gld_eficiency'");
    assert_string_equal(error.hint,
                        "did you mean gld_efficiency, gst_efficiency or sm_efficiency?");
    wl_metric_names_free(&names);
    wl_metric_set_free(set);
}

/* ---- files of the user's ---- */

/* A catalog with one more file; on an error its message is compared. */
static struct wl_metric_catalog *catalog_with(const char *lua, const char *message)
{
    char *folder = NULL;
    struct wl_metric_catalog *created = NULL;
    struct wl_error error = {0};
    assert_int_equal(wl_folder_create_temporary("wl-metric", &folder, NULL), WL_OK);
    char *path = wl_string_format("%s/own.lua", folder);
    assert_int_equal(wl_file_write(path, lua, strlen(lua), NULL), WL_OK);
    enum wl_code code = wl_metric_catalog_create(folder, &created, &error);
    wl_folder_remove(folder, NULL);
    if (!message) {
        assert_string_equal(error.message, "");
        assert_int_equal(code, WL_OK);
    } else {
        char *expected = wl_string_format("%s%s", path, message);
        assert_int_equal(code, WL_ERR_CORRUPT);
        assert_string_equal(error.message, expected);
        assert_null(created);
        free(expected);
    }
    free(path);
    free(folder);
    return created;
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    catalog_with("return 1", ": the file must return a table, not number");
    catalog_with("return {", ":1: unexpected symbol near <eof>");
    catalog_with("return { 5 }", ": row 1 is not a table");
    catalog_with("return { { name = 'x', formla = 1 } }", ": row 1: unknown field 'formla'");
    catalog_with("return { { name = 'x', unit = 1 } }", ": row 1: field 'unit' must be a string");
    catalog_with("return { { unit = 'x' } }", ": row 1: the row has no name");
    catalog_with("return { { name = 'x', mark = 'sure' } }",
                 ": x: mark 'sure' is none of exact, modelled, predicted");
    catalog_with("return { { name = 'x', absent = 'why', alias_of = 'y' } }",
                 ": x: only one of formula, alias_of and absent can be");
    catalog_with(
        "return { { suffix = 'avg', absent = 'why' } }",
        ": row 1: a suffix row needs a suffix that begins with '.' and either 'formula' or "
        "'absent'");
    catalog_with("while true do end", ":1: stopped after 2000000 instructions");
}

static void rules_and_sections_are_left_to_others(void **state)
{
    (void)state;
    struct wl_metric_catalog *own = catalog_with(
        "return { { id = 'r', group = 'g', apply = function() end }, { identifier = 's', group = 'g' } }",
        NULL);
    wl_metric_catalog_free(own);
}

static void bad_formulas_make_absent(void **state)
{
    (void)state;
    static const char lua[] =
        "return {\n"
        "{ name = 'a', formula = function(m) return m['b'] end },\n"
        "{ name = 'b', formula = function(m) return m['a'] end },\n"
        "{ name = 'c', formula = function(m) return {} end },\n"
        "{ name = 'd', formula = function(m) return nil, 'not today' end },\n"
        "{ name = 'e', formula = function(m) return m.x.y.z end },\n"
        "{ name = 'f', formula = function(m) while true do end end },\n"
        "{ name = 'g', formula = function(m) return 1 / 0 end },\n"
        "{ name = 'h', formula = function(m) m['x'] = 1 end },\n"
        "{ name = 'i', formula = function(m) return m[1] end },\n"
        "{ name = 'j', mark = 'modelled', formula = function(m) return m('no') or 3 end },\n"
        "{ name = 'k', formula = function(m) local s = 'x' while true do s = s .. s end end },\n"
        "{ name = 'l', formula = function(m) return m['j'] + 1 end },\n"
        "}\n";
    struct wl_metric_catalog *own = catalog_with(lua, NULL);
    struct wl_report_launch launch = launch_of(NULL, 0);
    struct wl_metric_set *set = wl_metric_set_create(own, &launch);
    is_absent(set, "a", "needs a: the formula of a needs itself");
    is_absent(set, "c", "its formula gives a table, not a number");
    is_absent(set, "d", "not today");
    is_absent(set, "e", "needs x: unknown metric");
    assert_non_null(
        strstr(wl_metric_get(set, "f")->reason, "own.lua:7: stopped after 2000000 instructions"));
    is_absent(set, "g", "the result is no finite number");
    assert_non_null(strstr(wl_metric_get(set, "h")->reason, "metrics cannot be assigned"));
    assert_non_null(strstr(wl_metric_get(set, "i")->reason, "metrics are asked for by name"));
    is_number(set, "j", 3, WL_MARK_MODELLED);
    is_absent(set, "k", "its formula uses more memory than it may");
    is_number(set, "l", 4, WL_MARK_MODELLED);
    wl_metric_set_free(set);
    wl_metric_catalog_free(own);
}

static void a_row_of_the_user_replaces_ours(void **state)
{
    (void)state;
    struct wl_metric_catalog *own = catalog_with(
        "return { { name = 'dram__bytes.sum', unit = 'byte', formula = function() return 5 end } }",
        NULL);
    struct wl_report_launch launch = launch_of(NULL, 0);
    struct wl_metric_set *set = wl_metric_set_create(own, &launch);
    is_number(set, "dram__bytes.sum", 5, WL_MARK_EXACT);
    wl_metric_set_free(set);
    wl_metric_catalog_free(own);
}

/* ---- the reference ---- */

static const char marker[] = "<!-- below: the catalog, written by the test metric -->\n";

static void print_rows(struct wl_text *out, const char *title, enum wl_metric_kind kind)
{
    size_t count = 0;
    const struct wl_metric_row *rows = wl_metric_list(catalog, &count);
    wl_text_addf(out, "\n## %s\n\n| Name | %s | Meaning |\n|---|---|---|\n", title,
                 kind == WL_METRIC_ALIAS    ? "Stands for"
                 : kind == WL_METRIC_ABSENT ? "Why it is absent"
                                            : "Unit, mark");
    for (size_t i = 0; i < count; i++) {
        const struct wl_metric_row *row = &rows[i];
        if (row->kind != kind || row->is_hidden)
            continue;
        wl_text_addf(out, "| `%s` | ", row->name);
        if (kind == WL_METRIC_ALIAS)
            wl_text_addf(out, "`%s`", row->alias_of);
        else if (kind == WL_METRIC_ABSENT)
            wl_text_add(out, row->reason);
        else
            wl_text_addf(out, "%s%s%s", row->unit, row->unit[0] ? ", " : "",
                         kind == WL_METRIC_FORMULA ? "formula" : wl_metric_mark_name(row->mark));
        wl_text_addf(out, " | %s |\n", row->description);
    }
}

/* docs/using/metric-reference.md lists the catalog; WL_UPDATE_GOLDEN=1 rewrites the list. */
static void the_reference_is_the_catalog(void **state)
{
    (void)state;
    static const char path[] = WL_SOURCE_DIR "/docs/using/metric-reference.md";
    struct wl_text present = {0}, wanted = {0};
    assert_int_equal(wl_file_read(path, &present, NULL), WL_OK);
    char *list = strstr(present.data, marker);
    assert_non_null(list);
    wl_text_add_bytes(&wanted, present.data, (size_t)(list - present.data));
    wl_text_add(&wanted, marker);
    print_rows(&wanted, "Values that a collector gives", WL_METRIC_VALUE);
    print_rows(&wanted, "Values of each instruction", WL_METRIC_INSTRUCTION);
    print_rows(&wanted, "Formulas", WL_METRIC_FORMULA);
    print_rows(&wanted, "Other names: nvprof's", WL_METRIC_ALIAS);
    print_rows(&wanted, "Known names that cannot be given", WL_METRIC_ABSENT);
    if (getenv("WL_UPDATE_GOLDEN"))
        assert_int_equal(wl_file_write(path, wanted.data, wanted.length, NULL), WL_OK);
    else
        assert_string_equal(present.data, wanted.data);
    wl_text_free(&present);
    wl_text_free(&wanted);
}

static void groups_and_breakdowns_are_names_that_are_known(void **state)
{
    (void)state;
    struct wl_metric_names names = {0};
    struct wl_error error = {0};
    wl_metric_group_add(catalog, "group:ours", "dram__bytes.sum");
    wl_metric_group_add(catalog, "group:ours", "dram__bytes.sum");
    wl_metric_group_add(catalog, "group:ours", "no__such.sum");
    assert_int_equal(wl_metric_names_parse(catalog, NULL, 0, "group:ours", &names, &error), WL_OK);
    assert_int_equal(names.count, 1);
    assert_string_equal(names.items[0], "dram__bytes.sum");
    wl_metric_names_free(&names);
    struct wl_text members = {0};
    assert_int_equal(wl_metric_group_members(
                         catalog, "breakdown:gpu__dram_throughput.max.pct_of_peak_sustained_active",
                         &members, &error),
                     WL_OK);
    assert_string_equal(members.data, "gpu__dram_throughput.max.pct_of_peak_sustained_active\n"
                                      "dram__throughput.max.pct_of_peak_sustained_active\n"
                                      "dram__cycles_active.max.pct_of_peak_sustained_active\n"
                                      "fbpa__throughput.max.pct_of_peak_sustained_active\n"
                                      "fbpa__dram_sectors.max.pct_of_peak_sustained_active\n");
    wl_text_free(&members);
    assert_int_equal(wl_metric_names_parse(catalog, NULL, 0, "group:our", &names, &error),
                     WL_ERR_USAGE);
    assert_string_equal(error.message, "unknown group of metrics 'our'");
    assert_string_equal(error.hint, "did you mean group:ours?");
    wl_error_clear(&error);
    assert_int_equal(
        wl_metric_names_parse(catalog, NULL, 0, "breakdown:sm__throughptu", &names, &error),
        WL_ERR_USAGE);
    assert_string_equal(error.message,
                        "'sm__throughptu' has no breakdown: it is no throughput that is known");
    assert_non_null(strstr(error.hint, "breakdown:sm__throughput"));
    wl_error_clear(&error);
    wl_metric_group_add(catalog, "group:nothing", "no__such.sum");
    assert_int_equal(wl_metric_names_parse(catalog, NULL, 0, "group:nothing", &names, &error),
                     WL_ERR_USAGE);
    assert_string_equal(error.message, "none of the metrics of 'group:nothing' is there");
    wl_metric_names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_memory),
        cmocka_unit_test(least_time_of_l2),
        cmocka_unit_test(load_efficiency),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(caches_and_device_memory),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(roofline_of_hardware),
        cmocka_unit_test(occupancy),
        cmocka_unit_test(known_names_say_why_they_are_absent),
        cmocka_unit_test(a_value_of_the_collector_comes_first),
        cmocka_unit_test(the_list_has_each_metric_once),
        cmocka_unit_test(each_name_has_one_row),
        cmocka_unit_test(names_are_expanded),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(rules_and_sections_are_left_to_others),
        cmocka_unit_test(bad_formulas_make_absent),
        cmocka_unit_test(a_row_of_the_user_replaces_ours),
        cmocka_unit_test(the_reference_is_the_catalog),
        cmocka_unit_test(groups_and_breakdowns_are_names_that_are_known),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
