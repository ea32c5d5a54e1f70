#include "collect/sim/collector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- what a sink got, in short ---- */

static struct wl_text log_text;
static struct {
    struct wl_record_value items[256];
    size_t count;
} values;
static struct wl_text instruction_text;
static double device_sms, device_slices;

static void log_device(void *self, const struct wl_record_device *r)
{
    (void)self;
    wl_text_addf(&log_text, "device %s %s %u.%u\n", r->model, r->name, r->capability_major,
                 r->capability_minor);
    for (size_t i = 0; i < r->attribute_count; i++) {
        if (strcmp(r->attributes[i].name, "device__attribute_multiprocessor_count") == 0)
            device_sms = r->attributes[i].number;
        if (strcmp(r->attributes[i].name, "device__attribute_l2_slices") == 0)
            device_slices = r->attributes[i].number;
    }
}

static void log_module(void *self, const struct wl_record_module *r)
{
    (void)self;
    wl_text_addf(&log_text, "module %llx '%s' '%s' '%s' %u%s\n", (unsigned long long)r->id, r->name,
                 r->text, r->options, r->architecture, r->is_stand_in ? " stand-in" : "");
}

static void log_kernel(void *self, const struct wl_record_kernel *r)
{
    (void)self;
    wl_text_addf(&log_text, "kernel %llx of %llx %s|%s|%s\n", (unsigned long long)r->id,
                 (unsigned long long)r->module_id, r->mangled, r->demangled, r->function);
    for (size_t i = 0; i < r->instruction_count; i++) {
        const struct wl_record_instruction *in = &r->instructions[i];
        wl_text_addf(&log_text, "  %u:%u %s|%s|%s|%s:%u:%u|%s|%s\n", in->index, in->text_line,
                     in->text, in->opcode, in->pipe, in->file, in->line, in->column, in->inlined_at,
                     in->function);
    }
}

static void log_launch(void *self, const struct wl_record_launch *r)
{
    (void)self;
    wl_text_addf(&log_text, "launch %llu of %llx %s '%s' '%s'", (unsigned long long)r->id,
                 (unsigned long long)r->kernel_id, r->status == WL_LAUNCH_DONE ? "done" : "failed",
                 r->message, r->range);
    for (size_t i = 0; i < r->attribute_count; i++)
        wl_text_addf(&log_text, " %s=%s", r->attributes[i].name + strlen("launch__"),
                     r->attributes[i].text);
    wl_text_add(&log_text, "\n");
    assert_true(r->value_count <= 256);
    memcpy(values.items, r->values, r->value_count * sizeof *r->values);
    values.count = r->value_count;
    wl_text_free(&instruction_text);
    for (size_t i = 0; i < r->instruction_value_count; i++)
        wl_text_addf(&instruction_text, "%u %s=%g/%d\n", r->instruction_values[i].instruction,
                     r->instruction_value_names[r->instruction_values[i].name],
                     r->instruction_values[i].value,
                     r->instruction_value_marks[r->instruction_values[i].name]);
}

static void log_note(void *self, const struct wl_record_note *r)
{
    (void)self;
    wl_text_addf(&log_text, "note %d %s: %s; %s\n", r->severity, r->code, r->text, r->hint);
}

static const struct wl_sink log_sink = {.put_device = log_device,
                                        .put_module = log_module,
                                        .put_kernel = log_kernel,
                                        .put_launch = log_launch,
                                        .put_note = log_note};

static void assert_logged(const char *expected)
{
    assert_string_equal(log_text.data ? log_text.data : "", expected);
    wl_text_free(&log_text);
}

static void assert_value(const char *name, double expected, enum wl_mark mark)
{
    for (size_t i = 0; i < values.count; i++) {
        if (strcmp(values.items[i].name, name) != 0)
            continue;
        if (values.items[i].value != expected || values.items[i].mark != mark)
            fail_msg("%s is %g (mark %d)", name, values.items[i].value, values.items[i].mark);
        return;
    }
    fail_msg("%s is missing", name);
}

/* ---- a device layer ---- */

static struct wl_program_instruction program_instructions[] = {
    {.text = "ld.global.f32 %f1, [%rd4]",
     .opcode = "ld.global.f32",
     .pipe = WL_PIPE_LSU,
     .text_line = 12,
     .file = "a.cu",
     .line = 7,
     .column = 3},
    {.text = "ret",
     .opcode = "ret",
     .pipe = WL_PIPE_CBU,
     .text_line = 13,
     .function = "_ZN1a5innerILi2EEEvf",
     .inlined_at = "a.cu:9:1"},
};
static struct wl_program program = {.name = "_Z9gemm_warpILi8EEviPKfS1_Pf",
                                    .instructions = program_instructions,
                                    .instruction_count = 2,
                                    .shared_static_bytes = 8192,
                                    .local_bytes = 16};
static struct wl_ptx_module ptx = {.target_sm = 90, .text = ".version 9.0"};
static const struct wl_device_module_info module = {.id = 1, .ptx = &ptx, .name = "a.cu"};
static const struct wl_device_kernel_info kernel = {.id = 1,
                                                    .module = &module,
                                                    .mangled = "_Z9gemm_warpILi8EEviPKfS1_Pf",
                                                    .program = &program,
                                                    .registers_per_thread = 121,
                                                    .registers_source = "cubin"};

static struct wl_device_launch gemm_launch(uint64_t id)
{
    return (struct wl_device_launch){.id = id,
                                     .kernel = &kernel,
                                     .module = &module,
                                     .mangled = kernel.mangled,
                                     .context_id = 1,
                                     .stream_id = 7,
                                     .grid = {16, 16, 1},
                                     .block = {256, 1, 1},
                                     .shared_dynamic_bytes = 512,
                                     .l1_global_loads = true};
}

static const char *const open_ranges[] = {"step", "D@solve", "@x@y"};
static size_t give_ranges(const char *const **ranges)
{
    *ranges = open_ranges;
    return 3;
}

/* ---- tests ---- */

static struct wl_settings settings;
static struct wl_filter *filter;
static void *collector;
static const struct wl_device_observer *observer;

static void begin_with(const char *lines, size_t (*ranges)(const char *const **))
{
    wl_settings_init(&settings);
    assert_int_equal(wl_settings_parse(lines, &settings, NULL), WL_OK);
    assert_int_equal(wl_filter_create(&settings, &filter, NULL), WL_OK);
    struct wl_collector_input input = {&settings, filter, &log_sink, ranges};
    assert_int_equal(wl_sim_collector.start(&input, &collector, NULL), WL_OK);
    observer = wl_sim_collector_observer(collector);
}

static void end(void)
{
    wl_sim_collector.stop(collector);
    wl_filter_free(filter);
    wl_settings_free(&settings);
    wl_text_free(&instruction_text);
}

static bool run(const struct wl_device_launch *launch, const struct wl_sim_counts *counts,
                const struct wl_error *error)
{
    bool is_counted = observer->launch_begin(observer->self, launch);
    observer->launch_end(observer->self, launch, is_counted ? counts : NULL, error);
    return is_counted;
}

static void things_are_sent_once_in_order(void **state)
{
    (void)state;
    struct wl_sim_counts counts = {0};
    struct wl_device_launch launch = gemm_launch(0);
    begin_with("cache_control=none", give_ranges);
    assert_true(run(&launch, &counts, NULL));
    assert_logged("device h200 NVIDIA H200 9.0\n"
                  "module 1 'a.cu' '.version 9.0' '' 90\n"
                  "kernel 1 of 1 _Z9gemm_warpILi8EEviPKfS1_Pf|"
                  "void gemm_warp<8>(int, const float *, const float *, float *)|gemm_warp\n"
                  "  0:12 ld.global.f32 %f1, [%rd4]|ld.global.f32|lsu|a.cu:7:3||\n"
                  "  1:13 ret|ret|cbu|:0:0|a.cu:9:1|inner\n"
                  "launch 0 of 1 done '' 'step/D@solve/x@y' cache_control=none l1_global_loads=on "
                  "is_cooperative=no is_stand_in=no registers_source=cubin\n");
    assert_true(device_sms == 132);
    assert_true(device_slices > 0);

    launch.id = 1;
    assert_true(run(&launch, &counts, NULL));
    assert_logged("launch 1 of 1 done '' 'step/D@solve/x@y' cache_control=none l1_global_loads=on "
                  "is_cooperative=no is_stand_in=no registers_source=cubin\n");

    wl_sim_collector.forget(collector);
    launch.id = 2;
    assert_true(run(&launch, &counts, NULL));
    assert_non_null(strstr(log_text.data, "device h200"));
    assert_non_null(strstr(log_text.data, "module 1 "));
    assert_non_null(strstr(log_text.data, "kernel 1 of 1 "));
    wl_text_free(&log_text);
    end();
}

static void counts_and_facts_bear_their_marks(void **state)
{
    (void)state;
    struct wl_instruction_counts instructions[2] = {{.warps = 64, .threads = 2048, .l1_hits = 5},
                                                    {.warps = 64}};
    struct wl_sim_counts counts = {.instructions = instructions,
                                   .instruction_count = 2,
                                   .occupancy = {.limit_blocks = 32,
                                                 .limit_registers = 2,
                                                 .limit_shared = 7,
                                                 .limit_warps = 8,
                                                 .limit_barriers = 32,
                                                 .blocks_per_sm = 2,
                                                 .warps_per_block = 8,
                                                 .warps_per_sm = 16,
                                                 .occupancy_pct = 25,
                                                 .shared_config_bytes = 65536,
                                                 .limiter = "registers"}};
    counts.totals[WL_COUNTER_INST] = UINT64_C(1) << 52;
    counts.totals[WL_COUNTER_DRAM_READ] = 96;
    struct wl_device_launch launch = gemm_launch(0);
    begin_with("", NULL);
    assert_true(run(&launch, &counts, NULL));
    assert_non_null(strstr(log_text.data, " occupancy_limiter=registers\n"));
    wl_text_free(&log_text);
    assert_value("ptx__inst_executed.sum", 4503599627370496.0, WL_MARK_EXACT);
    assert_value("dram__bytes_read.sum", 96, WL_MARK_MODELLED);
    assert_value("dram__bytes_write.sum", 0, WL_MARK_MODELLED); /* zero is a count */
    assert_value("launch__grid_size", 256, WL_MARK_EXACT);
    assert_value("launch__block_size", 256, WL_MARK_EXACT);
    assert_value("launch__thread_count", 65536, WL_MARK_EXACT);
    assert_value("launch__registers_per_thread", 121, WL_MARK_EXACT);
    assert_value("launch__shared_mem_per_block_static", 8192, WL_MARK_EXACT);
    assert_value("launch__shared_mem_per_block_dynamic", 512, WL_MARK_EXACT);
    assert_value("launch__shared_mem_per_block_driver", 1024, WL_MARK_EXACT);
    assert_value("launch__shared_mem_per_block", 9728, WL_MARK_EXACT);
    assert_value("launch__shared_mem_config_size", 65536, WL_MARK_EXACT);
    assert_value("launch__local_mem_per_thread", 16, WL_MARK_EXACT);
    assert_value("launch__occupancy_limit_registers", 2, WL_MARK_EXACT);
    assert_value("launch__occupancy_limit_barriers", 32, WL_MARK_EXACT);
    assert_value("launch__waves_per_multiprocessor", 256.0 / 264, WL_MARK_EXACT);
    assert_value("sm__maximum_warps_per_active_cycle_pct", 25, WL_MARK_EXACT);
    assert_string_equal(instruction_text.data, "0 inst_executed=64/0\n"
                                               "0 thread_inst_executed=2048/0\n"
                                               "0 l1tex__t_sectors_lookup_hit=5/1\n"
                                               "1 inst_executed=64/0\n");
    end();
}

static void what_follows_from_liveness_is_predicted(void **state)
{
    (void)state;
    struct wl_device_kernel_info guessed = kernel;
    guessed.registers_source = "liveness";
    struct wl_sim_counts counts = {.occupancy = {.blocks_per_sm = 1}};
    struct wl_device_launch launch = gemm_launch(0);
    launch.kernel = &guessed;
    begin_with("", NULL);
    assert_true(run(&launch, &counts, NULL));
    assert_value("launch__registers_per_thread", 121, WL_MARK_PREDICTED);
    assert_value("launch__occupancy_limit_registers", 0, WL_MARK_PREDICTED);
    assert_value("launch__occupancy_limit_warps", 0, WL_MARK_EXACT);
    assert_value("launch__waves_per_multiprocessor", 256.0 / 132, WL_MARK_PREDICTED);
    assert_value("sm__maximum_warps_per_active_cycle_pct", 0, WL_MARK_PREDICTED);
    wl_text_free(&log_text);
    end();
}

static void launches_filtered_out_leave_their_kernel_once(void **state)
{
    (void)state;
    struct wl_sim_counts counts = {0};
    struct wl_device_launch launch = gemm_launch(0);
    begin_with("kernel_name=other", NULL);
    assert_false(run(&launch, &counts, NULL));
    assert_false(run(&launch, &counts, NULL));
    assert_logged("device h200 NVIDIA H200 9.0\n"
                  "note 0 left-out: launches of gemm_warp were not chosen; \n");
    end();

    begin_with("profile_from_start=no", NULL);
    assert_false(run(&launch, &counts, NULL));
    observer->profiler_switch(observer->self, true);
    assert_true(run(&launch, &counts, NULL));
    wl_text_free(&log_text);
    end();
}

static void failed_launches_say_why(void **state)
{
    (void)state;
    struct wl_sim_counts counts = {0};
    struct wl_error error = {0};
    struct wl_device_launch launch = gemm_launch(4);
    wl_error_set(&error, WL_ERR_PROGRAM, "illegal address");
    wl_error_set_where(&error, "a.cu:7");
    begin_with("", NULL);
    wl_sim_collector.forget(collector);
    assert_true(run(&launch, &counts, &error));
    assert_non_null(strstr(log_text.data, "launch 4 of 1 failed 'illegal address (a.cu:7)' '' "));
    wl_text_free(&log_text);

    /* a kernel that could not be made is listed without instructions, once for all its launches */
    struct wl_error unsupported = {0};
    wl_error_set(&unsupported, WL_ERR_UNSUPPORTED, "wgmma is not supported");
    struct wl_device_launch missing = {
        .id = 5, .mangled = "_Z3badv", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    assert_true(run(&missing, NULL, &unsupported));
    missing.id = 6;
    assert_true(run(&missing, NULL, &unsupported));
    assert_logged("module 0 '' '' '' 0\n"
                  "kernel 4000000000000000 of 0 _Z3badv|bad()|bad\n"
                  "launch 5 of 4000000000000000 failed 'wgmma is not supported' '' "
                  "cache_control=all l1_global_loads=off is_cooperative=no is_stand_in=no\n"
                  "launch 6 of 4000000000000000 failed 'wgmma is not supported' '' "
                  "cache_control=all l1_global_loads=off is_cooperative=no is_stand_in=no\n");
    assert_value("launch__thread_count", 32, WL_MARK_EXACT);
    end();
}

static void notes_pass(void **state)
{
    (void)state;
    begin_with("", NULL);
    observer->note(observer->self, 1, "newer-target", "text", NULL);
    assert_logged("note 1 newer-target: text; \n");
    end();
}

static void host_mathematics_is_noted(void **state)
{
    (void)state;
    struct wl_sim_counts counts = {0};
    struct wl_device_launch launch = gemm_launch(0);
    program.uses_unmodelled_math = true;
    begin_with("", NULL);
    assert_true(run(&launch, &counts, NULL));
    program.uses_unmodelled_math = false;
    assert_non_null(strstr(log_text.data, "note 0 unmodelled-math: void gemm_warp<8>(int, const "
                                          "float *, const float *, float *) calls mathematical "
                                          "functions that the host computes"));
    wl_text_free(&log_text);
    end();
}

static void an_unknown_gpu_is_refused(void **state)
{
    (void)state;
    struct wl_error error = {0};
    wl_settings_init(&settings);
    assert_int_equal(wl_settings_parse("gpu=voodoo2", &settings, NULL), WL_OK);
    struct wl_collector_input input = {&settings, NULL, &log_sink, NULL};
    assert_int_equal(wl_sim_collector.start(&input, &collector, &error), WL_ERR_USAGE);
    assert_null(collector);
    assert_non_null(strstr(error.message, "voodoo2"));
    wl_settings_free(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_are_sent_once_in_order),
        cmocka_unit_test(counts_and_facts_bear_their_marks),
        cmocka_unit_test(what_follows_from_liveness_is_predicted),
        cmocka_unit_test(launches_filtered_out_leave_their_kernel_once),
        cmocka_unit_test(failed_launches_say_why),
        cmocka_unit_test(notes_pass),
        cmocka_unit_test(host_mathematics_is_noted),
        cmocka_unit_test(an_unknown_gpu_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
