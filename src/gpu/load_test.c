#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/embedded.h"
#include "base/folder.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "gpu/keys.h"

static char *folder;

static int make_folder(void **state)
{
    (void)state;
    return wl_folder_create_temporary("wl-gpu-test", &folder, NULL);
}

static int remove_folder(void **state)
{
    (void)state;
    int code = wl_folder_remove(folder, NULL);
    free(folder);
    return code;
}

static void write_model(const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    assert_int_equal(wl_file_write(path, text, strlen(text), NULL), WL_OK);
}

static void test_every_embedded_model_loads(void **state)
{
    (void)state;
    size_t count = 0;
    for (const char *const *name = wl_gpu_list(); *name; name++, count++) {
        struct wl_gpu gpu;
        struct wl_error error = {0};
        if (wl_gpu_load(*name, NULL, &gpu, &error))
            fail_msg("%s: %s: %s", *name, error.where, error.message);
        assert_string_equal(gpu.name, *name);
        assert_true(gpu.l2_bytes % gpu.l2_line_bytes == 0);
        wl_gpu_free(&gpu);
    }
    assert_int_equal(count, 17);
}

/* A data sheet's bandwidth is its bus width times its data rate, and its peak FLOP rate follows
 * from SMs, FMA units and clock: a slip of the pen in a file shows here. */
static void test_peaks_are_those_of_the_data_sheets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double tflops;
    } sheets[] = {{"k40", 4.29},      {"k620", 0.863},   {"v100", 15.7}, {"t4", 8.1},
                  {"a100", 19.5},     {"rtx3090", 35.6}, {"h100", 66.9}, {"rtx4090", 82.6},
                  {"l4", 30.3},       {"h200", 66.9},    {"a10", 31.2},  {"l40s", 91.6},
                  {"gh200", 67},      {"b200", 75},      {"orin", 5.32}, {"rtx5090", 104.8},
                  {"rtx4060m", 14.56}};
    for (size_t i = 0; i < sizeof sheets / sizeof sheets[0]; i++) {
        struct wl_gpu gpu;
        assert_int_equal(wl_gpu_load(sheets[i].name, NULL, &gpu, NULL), WL_OK);
        double bandwidth = gpu.memory_bus_bits / 8.0 * gpu.memory_clock_hz * 2;
        double tflops = gpu.sm_count * gpu.fp32_per_cycle * 2 * gpu.sm_clock_hz / 1e12;
        assert_true(bandwidth > 0.99 * gpu.memory_bandwidth_bytes_per_s);
        assert_true(bandwidth < 1.01 * gpu.memory_bandwidth_bytes_per_s);
        assert_true(tflops > 0.99 * sheets[i].tflops && tflops < 1.01 * sheets[i].tflops);
        wl_gpu_free(&gpu);
    }
}

static void test_every_embedded_value_names_its_source(void **state)
{
    (void)state;
    for (const struct wl_embedded_file *file = wl_embedded_gpus; file->name; file++) {
        char *text = strdup(file->content), *rest = NULL;
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            if (line[0] == '#' || strncmp(line, "parent", 6) == 0)
                continue;
            if (!strstr(line, "  # "))
                fail_msg("%s: no source: %s", file->name, line);
        }
        free(text);
    }
}

/* Every line of defaults.gpu can be read, and gives what it says to a GPU of which nothing is
 * known. */
static void test_defaults_are_complete(void **state)
{
    (void)state;
    const struct wl_embedded_file *file = wl_embedded_gpus;
    while (strcmp(file->name, "defaults.gpu") != 0)
        file++;
    struct wl_gpu bare = {.l2_slices = 10, .xu_per_cycle = 16}, gpu = bare, whole;
    wl_gpu_assume(&bare, &whole);
    char *text = strdup(file->content), *rest = NULL;
    struct wl_gpu_rule rule;
    size_t count = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char name[64];
        if (line[0] == '#')
            continue;
        if (!wl_gpu_rule_read(line, &rule))
            fail_msg("cannot be read: %s", line);
        wl_gpu_rule_apply(&rule, &gpu);
        assert_int_equal(sscanf(line, "%63s", name), 1);
        const struct wl_gpu_key *key = wl_gpu_key_find(name);
        assert_false(wl_gpu_key_is_required(key));
        assert_true(wl_gpu_key_get(key, &whole) > 0);
        assert_true(wl_gpu_key_get(key, &whole) == wl_gpu_key_get(key, &gpu));
        count++;
    }
    free(text);
    assert_int_equal(count, 57);
    assert_true(whole.l2_atomic_cycles == 1.45 && whole.l2_far_cycles == 185);
    assert_int_equal(whole.alu_latency, 6);
    assert_int_equal(whole.xu_latency, 19);
    assert_int_equal(whole.dram_latency, 500);
    assert_int_equal(whole.dram_least_latency, 400);
    assert_true(whole.copy_efficiency == 0.9);
    assert_true(whole.l2_write_bytes_per_cycle == 10 * 20.8);
    assert_true(whole.l2_port_write_bytes_per_cycle == 32);
}

static void test_defaults_stand_behind_the_model(void **state)
{
    (void)state;
    struct wl_gpu bare = {.alu_latency = 9, .dram_efficiency = 0.7, .fp64_latency = 3}, whole;
    wl_gpu_assume(&bare, &whole);
    assert_int_equal(whole.alu_latency, 9);
    assert_int_equal(whole.fp64_latency, 3);
    assert_int_equal(whole.half_latency, 9);
    assert_true(whole.copy_efficiency == 0.7);
    struct wl_gpu error;
    assert_int_equal(wl_gpu_load("defaults", NULL, &error, NULL), WL_ERR_USAGE);
}

static void test_wrong_defaults_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "# nothing",
        "alu_latency",
        "alu_latency =",
        "alu_latncy = 4",
        "alu_latency = 0",
        "alu_latency = l2_latncy",
        "alu_latency = l2_latency -",
        "alu_latency = l2_latency - 4",
        "alu_latency = l2_latency * x",
    };
    struct wl_gpu_rule rule;
    for (size_t i = 0; i < WL_COUNT(lines); i++)
        if (wl_gpu_rule_read(lines[i], &rule))
            fail_msg("read: %s", lines[i]);
}

static void test_list_is_in_order_of_age(void **state)
{
    (void)state;
    uint32_t last = 0;
    for (const char *const *name = wl_gpu_list(); *name; name++) {
        struct wl_gpu gpu;
        assert_int_equal(wl_gpu_load(*name, NULL, &gpu, NULL), WL_OK);
        assert_true(gpu.released >= last);
        last = gpu.released;
        wl_gpu_free(&gpu);
    }
    assert_string_equal(wl_gpu_list()[0], "k40");
}

static void test_values_of_every_kind(void **state)
{
    (void)state;
    struct wl_gpu gpu;
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, NULL), WL_OK);
    assert_string_equal(gpu.full_name, "NVIDIA H200");
    assert_int_equal(gpu.capability_major, 9);
    assert_int_equal(gpu.capability_minor, 0);
    assert_int_equal(gpu.sm_count, 132);
    assert_int_equal(gpu.shared_per_sm_bytes, 233472);
    assert_int_equal(gpu.l2_bytes, 62914560);
    assert_int_equal(gpu.max_grid_dim[0], 2147483647);
    assert_int_equal(gpu.max_grid_dim[2], 65535);
    assert_int_equal(gpu.shared_carveout_count, 10);
    assert_int_equal(gpu.shared_carveouts_kib[9], 228);
    assert_true(gpu.l1_unified);
    assert_int_equal(gpu.l1_global_loads, WL_L1_ON);
    assert_true(gpu.sm_clock_hz == 1.98e9);
    wl_gpu_free(&gpu);
    assert_null(gpu.notes);

    assert_int_equal(wl_gpu_load("k40", NULL, &gpu, NULL), WL_OK);
    assert_int_equal(gpu.l1_global_loads, WL_L1_OFF);
    assert_int_equal(gpu.l1_miss_bytes, 128);
    wl_gpu_free(&gpu);
}

static void test_folder_comes_first_and_inherits(void **state)
{
    (void)state;
    write_model("mine.gpu", "# mine\nparent = h200\nsm_count = 66  # half of it\r\n"
                            "memory_bandwidth = 2.4 TB/s\n");
    struct wl_gpu gpu;
    struct wl_error error = {0};
    assert_int_equal(wl_gpu_load("mine", folder, &gpu, &error), WL_OK);
    assert_string_equal(gpu.name, "mine");
    assert_string_equal(gpu.full_name, "NVIDIA H200");
    assert_int_equal(gpu.sm_count, 66);
    assert_true(gpu.memory_bandwidth_bytes_per_s == 2.4e12);
    assert_non_null(strstr(gpu.notes, "sm_count = 66  # half of it\n"));
    assert_null(strstr(gpu.notes, "sm_count = 132"));
    assert_non_null(strstr(gpu.notes, "full_name = NVIDIA H200  # device (from h200)\n"));
    assert_non_null(strstr(gpu.notes, "(from k40)\n"));
    wl_gpu_free(&gpu);

    write_model("h200.gpu", "parent = h100\nfull_name = Other\n");
    assert_int_equal(wl_gpu_load("h200", folder, &gpu, &error), WL_OK);
    assert_string_equal(gpu.full_name, "Other");
    wl_gpu_free(&gpu);
}

static void test_unknown_name(void **state)
{
    (void)state;
    struct wl_gpu gpu;
    struct wl_error error = {0};
    assert_int_equal(wl_gpu_load("h300", folder, &gpu, &error), WL_ERR_USAGE);
    assert_string_equal(error.message, "unknown GPU \"h300\"");
    assert_string_equal(error.hint,
                        "known are: k40, k620, v100, t4, a100, rtx3090, a10, orin, h100, "
                        "rtx4090, rtx4060m, l4, gh200, l40s, h200, b200, rtx5090");
    assert_int_equal(wl_gpu_load("../h200", folder, &gpu, &error), WL_ERR_USAGE);
    assert_string_equal(error.message, "unknown GPU \"../h200\"");
}

/* As its maker writes it; a file of that very name comes first. */
static void test_name_in_capitals(void **state)
{
    (void)state;
    struct wl_gpu gpu;
    struct wl_error error = {0};
    assert_int_equal(wl_gpu_load("RTX4090,clock_mhz=700", folder, &gpu, &error), WL_OK);
    assert_string_equal(gpu.name, "rtx4090");
    wl_gpu_free(&gpu);
    write_model("RTX4090.gpu", "parent = h100\nfull_name = Mine\n");
    assert_int_equal(wl_gpu_load("RTX4090", folder, &gpu, &error), WL_OK);
    assert_string_equal(gpu.full_name, "Mine");
    wl_gpu_free(&gpu);
}

static void test_bad_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *message, *hint;
    } cases[] = {
        {"parent = h200\nl2_byte = 1 MiB\n", "bad.gpu:2", "unknown key \"l2_byte\"",
         "did you mean l2_bytes or l1_bytes?"},
        {"zzzzzzzz = 1\n", "bad.gpu:1", "unknown key \"zzzzzzzz\"", ""},
        {"\n\nsm_count 5\n", "bad.gpu:3", "expected \"key = value\", not \"sm_count 5\"", ""},
        {"sm_count = many\n", "bad.gpu:1",
         "sm_count wants a whole number from 1 to 4096, not \"many\"", ""},
        {"sm_count = 0\n", "bad.gpu:1", "sm_count wants a whole number from 1 to 4096, not \"0\"",
         ""},
        {"sm_count = 0x10\n", "bad.gpu:1",
         "sm_count wants a whole number from 1 to 4096, not \"0x10\"", ""},
        {"sm_count = -3\n", "bad.gpu:1", "sm_count wants a whole number from 1 to 4096, not \"-3\"",
         ""},
        {"l1_miss_bytes = 32\n", "bad.gpu:1",
         "l1_miss_bytes wants a size such as 48 KiB from 32 to 128, not \"32\"", ""},
        {"sm_clock_hz = 1 GiB\n", "bad.gpu:1",
         "sm_clock_hz wants a frequency such as 1.98 GHz from 1000000 to 100000000000, not "
         "\"1 GiB\"",
         ""},
        {"l1_unified = maybe\n", "bad.gpu:1", "l1_unified wants yes or no, not \"maybe\"", ""},
        {"l1_global_loads = yes\n", "bad.gpu:1", "l1_global_loads wants on or off, not \"yes\"",
         ""},
        {"capability = 90\n", "bad.gpu:1",
         "capability wants a compute capability such as 9.0, not \"90\"", ""},
        {"max_block_dim = 1024 1024\n", "bad.gpu:1",
         "max_block_dim wants three whole numbers, not \"1024 1024\"", ""},
        {"shared_carveouts = 0 8 8 KiB\n", "bad.gpu:1",
         "shared_carveouts wants up to 12 ascending sizes such as 0 16 32 KiB, not \"0 8 8 KiB\"",
         ""},
        {"full_name =\n", "bad.gpu:1", "full_name wants a text of 1 to 95 characters, not \"\"",
         ""},
        {"sm_count = 5\nsm_count = 6\n", "bad.gpu:2", "sm_count is set twice", ""},
        {"parent = h200\nparent = h100\n", "bad.gpu:2", "parent is set twice", ""},
        {"parent = a/b\n", "bad.gpu:1", "parent wants the name of a GPU, not \"a/b\"", ""},
        {"sm_count = 5\nparent = nobody\n", "bad.gpu:2", "unknown parent \"nobody\"",
         "known are: k40, k620, v100, t4, a100, rtx3090, a10, orin, h100, rtx4090, rtx4060m, l4, "
         "gh200, l40s, h200, b200, rtx5090"},
        {"parent = bad\n", "bad.gpu:1", "more than 8 parents: is a GPU its own ancestor?",
         "known are: k40, k620, v100, t4, a100, rtx3090, a10, orin, h100, rtx4090, rtx4060m, l4, "
         "gh200, l40s, h200, b200, rtx5090"},
        {"sm_count = 5\n", "bad.gpu", "full_name is missing", ""},
        {"", "bad.gpu", "full_name is missing", ""},
        {"parent = h200\nmax_threads_per_sm = 1024\n", "bad.gpu",
         "max_threads_per_sm is not max_warps_per_sm x warp_size", ""},
        {"parent = h200\nshared_carveouts = 0 100 KiB\n", "bad.gpu",
         "the largest of shared_carveouts is not shared_per_sm_bytes", ""},
        {"parent = h200\nl1_bytes = 128 KiB\n", "bad.gpu",
         "l1_bytes is less than the shared memory carved out of it", ""},
        {"parent = h200\nshared_per_block_optin_bytes = 228 KiB\n", "bad.gpu",
         "shared_per_block_optin_bytes with the reserved bytes is more than shared_per_sm_bytes",
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_model("bad.gpu", cases[i].text);
        struct wl_gpu gpu;
        struct wl_error error = {0};
        assert_int_equal(wl_gpu_load("bad", folder, &gpu, &error), WL_ERR_INPUT);
        assert_string_equal(error.message, cases[i].message);
        assert_string_equal(error.hint, cases[i].hint);
        size_t length = strlen(cases[i].where), whole = strlen(error.where);
        assert_true(whole >= length);
        assert_string_equal(error.where + whole - length, cases[i].where);
        assert_null(gpu.notes);
        assert_int_equal(gpu.sm_count, 0);
    }
}

static void test_parent_s_fault_names_the_parent_s_file(void **state)
{
    (void)state;
    write_model("child.gpu", "parent = ill\n");
    write_model("ill.gpu", "parent = h200\nsm_count = x\n");
    struct wl_gpu gpu;
    struct wl_error error = {0};
    assert_int_equal(wl_gpu_load("child", folder, &gpu, &error), WL_ERR_INPUT);
    assert_non_null(strstr(error.where, "/ill.gpu:2"));
}

static void test_every_key_is_documented(void **state)
{
    (void)state;
    struct wl_text page = {0};
    assert_int_equal(wl_file_read(WL_SOURCE_DIR "/docs/models/gpu-models.md", &page, NULL), WL_OK);
    for (size_t i = 0; i < wl_gpu_key_count(); i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", wl_gpu_key_name(wl_gpu_key_at(i)));
        if (!strstr(page.data, quoted))
            fail_msg("docs/models/gpu-models.md lacks %s", quoted);
    }
    wl_text_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_embedded_model_loads),
        cmocka_unit_test(test_peaks_are_those_of_the_data_sheets),
        cmocka_unit_test(test_every_embedded_value_names_its_source),
        cmocka_unit_test(test_defaults_are_complete),
        cmocka_unit_test(test_defaults_stand_behind_the_model),
        cmocka_unit_test(test_wrong_defaults_are_refused),
        cmocka_unit_test(test_list_is_in_order_of_age),
        cmocka_unit_test(test_values_of_every_kind),
        cmocka_unit_test(test_folder_comes_first_and_inherits),
        cmocka_unit_test(test_unknown_name),
        cmocka_unit_test(test_name_in_capitals),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_parent_s_fault_names_the_parent_s_file),
        cmocka_unit_test(test_every_key_is_documented),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
