#include "record/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

static void replace(char **field, const char *text)
{
    free(*field);
    *field = wl_string_copy(text);
}

static void defaults_are_those_of_the_command_line(void **state)
{
    (void)state;
    struct wl_settings settings;
    wl_settings_init(&settings);
    struct wl_text text = {0};
    wl_settings_print(&settings, &text);
    assert_string_equal(text.data, "collector=sim\n"
                                   "gpu=h200\n"
                                   "clock_mhz=0\n"
                                   "gpu_folder=\n"
                                   "stream_folder=\n"
                                   "compiled_file=\n"
                                   "cache_control=all\n"
                                   "l1_global=compiled\n"
                                   "strict_arch=no\n"
                                   "interpret=no\n"
                                   "execute_repeats=no\n"
                                   "predict_time=yes\n"
                                   "whatif=no\n"
                                   "whatif_together=\n"
                                   "threads=0\n"
                                   "kernel_name=\n"
                                   "kernel_name_base=function\n"
                                   "kernel_id=\n"
                                   "launch_skip=0\n"
                                   "launch_count=0\n"
                                   "launch_skip_before_match=0\n"
                                   "filter_mode=global\n"
                                   "kill=no\n"
                                   "only_application=no\n"
                                   "launcher_pid=0\n"
                                   "profile_from_start=yes\n"
                                   "interactive=no\n"
                                   "call_stacks=no\n"
                                   "nvtx_include=\n"
                                   "nvtx_exclude=\n"
                                   "ranks=\n"
                                   "check_memory=no\n"
                                   "check_race=no\n"
                                   "race=shared\n"
                                   "check_init=no\n"
                                   "check_sync=no\n"
                                   "check_leaks=no\n"
                                   "padding_bytes=512\n"
                                   "report_api_errors=explicit\n"
                                   "stop_at_error=no\n"
                                   "instruction_limit=0\n"
                                   "cupti_library=\n"
                                   "counters=\n"
                                   "ceilings=\n"
                                   "replay=auto\n"
                                   "replay_pass=0\n"
                                   "image_folder=\n"
                                   "pc_samples=no\n"
                                   "pc_period=0\n"
                                   "instruction_counts=no\n"
                                   "trace=\n"
                                   "trace_driver=no\n"
                                   "trace_all_apis=no\n"
                                   "trace_waits=no\n"
                                   "trace_faults=no\n"
                                   "trace_delay_ms=0\n"
                                   "trace_duration_ms=0\n"
                                   "trace_kernels=0\n"
                                   "trace_launch_ns=0\n"
                                   "trace_stacks=none\n"
                                   "python_stacks=none\n"
                                   "pytorch=\n"
                                   "trace_range=none\n"
                                   "trace_range_name=\n"
                                   "trace_range_end=\n"
                                   "trace_domains=\n"
                                   "trace_other_domains=\n"
                                   "trace_osrt_ns=1000\n"
                                   "progress=no\n");
    wl_text_free(&text);
    wl_settings_free(&settings);
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    struct wl_settings written, read;
    wl_settings_init(&written);
    replace(&written.gpu, "k40");
    replace(&written.stream_folder, "/tmp/a b=c\\n");
    replace(&written.nvtx_include, "A/\nB\\/x/\n");
    replace(&written.kernel_name, "regex:^a\\\\.b$");
    written.cache_control = WL_CACHE_CONTROL_NONE;
    written.l1_global = WL_OVERRIDE_OFF;
    written.kernel_name_base = WL_NAME_MANGLED;
    written.strict_arch = true;
    written.profile_from_start = false;
    written.threads = UINT32_MAX;
    written.launch_count = UINT64_MAX;
    struct wl_text text = {0};
    wl_settings_print(&written, &text);

    wl_settings_init(&read);
    struct wl_error error = {0};
    assert_int_equal(wl_settings_parse(text.data, &read, &error), WL_OK);
    assert_string_equal(read.gpu, "k40");
    assert_string_equal(read.stream_folder, "/tmp/a b=c\\n");
    assert_string_equal(read.nvtx_include, "A/\nB\\/x/\n");
    assert_string_equal(read.kernel_name, "regex:^a\\\\.b$");
    assert_int_equal(read.cache_control, WL_CACHE_CONTROL_NONE);
    assert_int_equal(read.l1_global, WL_OVERRIDE_OFF);
    assert_int_equal(read.kernel_name_base, WL_NAME_MANGLED);
    assert_true(read.strict_arch);
    assert_false(read.profile_from_start);
    assert_int_equal(read.threads, UINT32_MAX);
    assert_true(read.launch_count == UINT64_MAX);
    wl_text_free(&text);
    wl_settings_free(&written);
    wl_settings_free(&read);
}

static void bad_lines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message, *where;
    } rows[] = {
        {"gpu=h200\nnonsense\n", "no '=' in 'nonsense'", "settings:2"},
        {"gpu=h200\n\ncolour=red\n", "unknown key 'colour'", "settings:3"},
        {"=red", "unknown key ''", "settings:1"},
        {"threads=many", "bad value 'many' for 'threads'", "settings:1"},
        {"threads=4294967296", "bad value '4294967296' for 'threads'", "settings:1"},
        {"threads=-1", "bad value '-1' for 'threads'", "settings:1"},
        {"launch_skip=99999999999999999999", "bad value '99999999999999999999' for 'launch_skip'",
         "settings:1"},
        {"strict_arch=true", "bad value 'true' for 'strict_arch'", "settings:1"},
        {"cache_control=some", "bad value 'some' for 'cache_control'", "settings:1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_settings settings;
        wl_settings_init(&settings);
        struct wl_error error = {0};
        assert_int_equal(wl_settings_parse(rows[i].text, &settings, &error), WL_ERR_CORRUPT);
        assert_string_equal(error.message, rows[i].message);
        assert_string_equal(error.where, rows[i].where);
        wl_settings_free(&settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_command_line),
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(bad_lines_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
