/* What-if of 200 kernels that chance made: no cause costs time when it is taken away, causes that
 * have nothing to do with each other have no more than the whole between them, and neither loads
 * and stores alone nor arithmetic alone take longer than both. */
#include <math.h>

#include "support/device_support.h"

enum { KERNELS = 200, VALUES = 96, ELEMENTS = 1 << 16 };

static struct {
    char name[VALUES][320];
    double number[VALUES];
    size_t count;
} seen;

static bool begin_launch(void *self, const struct wl_device_launch *launch)
{
    (void)self, (void)launch;
    return true;
}

static void end_launch(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self, (void)launch, (void)error;
    seen.count = 0;
    for (size_t i = 0; counts && i < counts->value_count; i++) {
        const char *name = counts->values[i].name;
        bool is_wanted =
            strncmp(name, "whatif__", 8) == 0 || strcmp(name, "gpu__time_duration.sum") == 0;
        if (!is_wanted || seen.count == VALUES)
            continue;
        snprintf(seen.name[seen.count], sizeof seen.name[0], "%s", name);
        seen.number[seen.count++] = counts->values[i].value;
    }
}

static const struct wl_device_observer observer = {.launch_begin = begin_launch,
                                                   .launch_end = end_launch};

/* ---- kernels ---- */

static uint32_t chance = 1;

static uint32_t draw(uint32_t below)
{
    chance = chance * 1664525u + 1013904223u;
    return (chance >> 8) % below;
}

/* A piece of a kernel: %rd2 is the address of the thread's word, %f1 what it computes, %r5 a place
 * in shared memory. */
static void add_piece(struct wl_text *body, uint32_t number)
{
    static const char *const pieces[] = {
        "ld.global.f32 %%f2, [%%rd2+%u];\nadd.f32 %%f1, %%f1, %%f2;\n",
        "ld.global.f32 %%f3, [%%rd3+%u];\nfma.rn.f32 %%f1, %%f3, %%f3, %%f1;\n",
        "st.global.f32 [%%rd2+%u], %%f1;\n",
        "st.shared.f32 [%%r5+%u], %%f1;\nld.shared.f32 %%f4, [%%r6];\nadd.f32 %%f1, %%f1, %%f4;\n",
        "red.global.add.f32 [%%rd1+%u], %%f1;\n",
    };
    static const char *const plain[] = {
        "bar.sync 0;\n",
        "ex2.approx.ftz.f32 %f1, %f1;\n",
        "mul.f32 %f5, %f1, %f1;\nadd.f32 %f1, %f5, %f1;\n",
    };
    uint32_t kind = draw(10);
    if (kind < 5) {
        wl_text_addf(body, pieces[kind], 128 * draw(8)); /* NOLINT: formats of this file */
    } else if (kind < 8) {
        wl_text_add(body, plain[kind - 5]);
    } else if (kind == 8) {
        for (uint32_t i = 4 + draw(60); i > 0; i--)
            wl_text_add(body, "fma.rn.f32 %f1, %f1, %f1, %f0;\n");
    } else {
        wl_text_addf(body,
                     "setp.lt.u32 %%p1, %%r7, %u;\n@!%%p1 bra OVER%u;\n"
                     "fma.rn.f32 %%f1, %%f1, %%f1, %%f0;\nst.global.f32 [%%rd2], %%f1;\nOVER%u:\n",
                     4 + draw(28), number, number);
    }
}

static char *make_kernel(uint32_t stride, uint32_t turns)
{
    struct wl_text body = {0};
    wl_text_addf(
        &body,
        PTX_HEADER(
            60) ".visible .entry k(.param .u64 p)\n{\n.shared .align 16 .b8 s[16384];\n"
                ".reg .pred %%p<4>;\n.reg .b32 %%r<12>;\n.reg .b64 %%rd<6>;\n.reg .f32 %%f<8>;\n"
                "ld.param.u64 %%rd1, [p];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\n"
                "mov.u32 %%r3, %%ntid.x;\nmad.lo.u32 %%r4, %%r2, %%r3, %%r1;\nand.b32 %%r4, %%r4, 16383;\n"
                "mul.wide.u32 %%rd2, %%r4, 4;\nadd.u64 %%rd2, %%rd1, %%rd2;\n"
                "mul.lo.u32 %%r8, %%r4, %u;\nand.b32 %%r8, %%r8, 16383;\nmul.wide.u32 %%rd3, %%r8, 4;\n"
                "add.u64 %%rd3, %%rd1, %%rd3;\nand.b32 %%r7, %%r1, 31;\nmov.u32 %%r5, s;\n"
                "mul.lo.u32 %%r6, %%r7, %u;\nadd.u32 %%r6, %%r5, %%r6;\nmov.f32 %%f0, 0f3F800000;\n"
                "mov.f32 %%f1, %%f0;\nmov.u32 %%r9, 0;\nLOOP:\n",
        stride, 4 * stride);
    for (uint32_t i = 3 + draw(8); i > 0; i--)
        add_piece(&body, i);
    wl_text_addf(&body,
                 "add.u32 %%r9, %%r9, 1;\nsetp.lt.u32 %%p2, %%r9, %u;\n@%%p2 bra LOOP;\n"
                 "st.global.f32 [%%rd2], %%f1;\nret;\n}\n",
                 turns);
    return wl_text_take(&body);
}

static void run(const char *text, uint32_t blocks, uint32_t threads)
{
    struct wl_device_module *module;
    void *memory;
    assert_int_equal(wl_device_module_load(text, &module), WL_DEVICE_OK);
    assert_int_equal(
        wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 4 * ELEMENTS + 4096, 0, &memory),
        WL_DEVICE_OK);
    void *parameters[] = {&memory};
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, "k"),
                                        .grid = {blocks, 1, 1},
                                        .block = {threads, 1, 1},
                                        .parameters = parameters};
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
}

/* ---- what must hold ---- */

static double value(const char *name)
{
    for (size_t i = 0; i < seen.count; i++)
        if (strcmp(seen.name[i], name) == 0)
            return seen.number[i];
    fail_msg("there is no %s", name);
    return 0;
}

static size_t sets_seen;

static double saved(const char *cause)
{
    char name[96];
    snprintf(name, sizeof name, "whatif__%s__duration.ns", cause);
    return value("gpu__time_duration.sum") - value(name);
}

/* A set takes no longer than any cause of it, nor than a set that is a part of it. */
static void check_sets(const char *text)
{
    for (size_t i = 0; i < seen.count; i++) {
        char names[320];
        if (!strchr(seen.name[i], '+'))
            continue;
        snprintf(names, sizeof names, "%s", seen.name[i] + strlen("whatif__"));
        *strstr(names, "__duration.ns") = '\0';
        for (char *rest = NULL, *name = strtok_r(names, "+", &rest); name;
             name = strtok_r(NULL, "+", &rest)) {
            char alone[360];
            snprintf(alone, sizeof alone, "whatif__%s__duration.ns", name);
            if (seen.number[i] > value(alone) * (1 + 1e-9))
                fail_msg("%s is longer than %s:\n%s", seen.name[i], alone, text);
        }
        sets_seen++;
    }
}

static void check(const char *text)
{
    double duration_ns = value("gpu__time_duration.sum"), most = duration_ns * (1 + 1e-9);
    size_t causes = 0;
    for (size_t i = 0; i < seen.count; i++) {
        if (strncmp(seen.name[i], "whatif__", 8) != 0 ||
            strncmp(seen.name[i], "whatif__block-", 14) == 0)
            continue;
        causes++;
        if (seen.number[i] <= 0 || seen.number[i] > most)
            fail_msg("%s is %.1f of %.1f ns:\n%s", seen.name[i], seen.number[i], duration_ns, text);
    }
    assert_true(causes >= 19);
    check_sets(text);
    double apart = saved("shared-conflicts") + saved("uncoalesced") + saved("atomics");
    if (apart > most)
        fail_msg("causes apart from each other have %.1f of %.1f ns:\n%s", apart, duration_ns,
                 text);
}

static void causes_of_any_kernel_are_parts_of_it(void **state)
{
    (void)state;
    double longer = 0;
    start_device("h200", &observer);
    wl_device.options.whatif = true;
    wl_device.options.whatif_together = "barriers+uncoalesced+shared-conflicts";
    for (int i = 0; i < KERNELS; i++) {
        char *text = make_kernel(1u << draw(6), 1 + draw(4));
        run(text, 1 + draw(600), 32 * (1 + draw(8)));
        check(text);
        double alone =
            fmax(value("whatif__math__duration.ns"), value("whatif__memory__duration.ns"));
        longer += alone / value("gpu__time_duration.sum") / KERNELS;
        value("whatif__barriers+uncoalesced+shared-conflicts__duration.ns");
        free(text);
    }
    if (sets_seen < 3 * KERNELS)
        fail_msg("only %zu sets", sets_seen);
    shut_device_down();
    /* where both overlap the longer one is nearly all */
    if (longer < 0.7)
        fail_msg("the longer of both has %.2f of the time on average", longer);
}

/* Replays run on as many threads as launches do. */
static void threads_change_no_value(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        char *text = make_kernel(1u << draw(6), 1 + draw(4));
        uint32_t blocks = 1 + draw(600), threads = 32 * (1 + draw(8));
        static double alone[VALUES];
        size_t count = 0;
        for (uint32_t workers = 1; workers <= 3; workers += 2) {
            start_device("h200", &observer);
            wl_device.options.whatif = true;
            wl_device.options.threads = workers;
            run(text, blocks, threads);
            shut_device_down();
            if (workers == 1) {
                count = seen.count;
                memcpy(alone, seen.number, sizeof alone);
            }
        }
        assert_true(count > 19);
        assert_int_equal(seen.count, count);
        assert_memory_equal(seen.number, alone, count * sizeof *alone);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(causes_of_any_kernel_are_parts_of_it),
                                       cmocka_unit_test(threads_change_no_value)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
