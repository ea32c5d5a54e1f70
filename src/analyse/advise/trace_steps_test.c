#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyse/advise/trace_steps.h"
#include "base/memory.h"

struct spans {
    WL_VECTOR_FIELDS(struct wl_report_span);
};

static void add(struct spans *spans, uint32_t process, uint64_t stream, uint32_t name,
                uint64_t start_ns)
{
    struct wl_report_span span = {
        .start_ns = start_ns,
        .end_ns = start_ns + 5,
        .where = stream,
        .name = name,
        .process = process,
        .category = WL_TIMELINE_KERNEL,
    };
    WL_PUSH(spans, span);
}

/* A step of 12 kernels of 9 names, 10 ns apart, and 500 ns to the next. */
static const uint32_t step_names[] = {1, 2, 3, 2, 3, 2, 3, 4, 5, 6, 7, 8};
enum { STEP_KERNELS = sizeof step_names / sizeof *step_names, STEP_NS = 620 };

static uint64_t add_steps(struct spans *spans, uint32_t process, uint64_t start_ns, size_t steps)
{
    for (size_t step = 0; step < steps; step++, start_ns += STEP_NS)
        for (size_t i = 0; i < STEP_KERNELS; i++)
            add(spans, process, 7, step_names[i], start_ns + i * 10);
    return start_ns;
}

static void steps_between_other_work(void **state)
{
    struct spans spans = {0};
    (void)state;
    for (uint32_t i = 0; i < 20; i++) /* what loads the model */
        add(&spans, 0, 7, 20 + i % 3, i * 10);
    add_steps(&spans, 0, 1000, 10);
    for (uint32_t i = 0; i < 9; i++)
        add(&spans, 0, 7, 30 + i, 20000 + i * 10);
    struct wl_timeline_steps steps = wl_timeline_steps_find(spans.items, spans.count);
    assert_int_equal(steps.kernels, STEP_KERNELS);
    assert_int_equal(steps.count, 10);
    assert_int_equal(steps.start_ns, 1000);
    assert_true(steps.end_ns == 20000); /* where what is next begins */
    free(spans.items);
}

static void a_step_with_other_kernels_is_the_end(void **state)
{
    struct spans spans = {0};
    (void)state;
    uint64_t end_ns = add_steps(&spans, 0, 1000, 3);
    for (uint32_t i = 0; i < STEP_KERNELS; i++) /* a step that is another one */
        add(&spans, 0, 7, 40 + i, end_ns + i * 10);
    end_ns = add_steps(&spans, 0, end_ns + STEP_NS, 20);
    add(&spans, 0, 7, 1, end_ns);
    struct wl_timeline_steps steps = wl_timeline_steps_find(spans.items, spans.count);
    assert_int_equal(steps.count, 20);
    assert_int_equal(steps.end_ns - steps.start_ns, 20 * STEP_NS);
    free(spans.items);
}

static void of_several_the_stream_with_most(void **state)
{
    struct spans spans = {0};
    (void)state;
    add_steps(&spans, 3, 1000, 8);
    for (uint32_t i = 0; i < 60; i++)
        add(&spans, 3, 9, 50, 1000 + i * 70);
    for (uint32_t i = 0; i < 30; i++)
        add(&spans, 1, 7, 60 + i, 1000 + i * 70);
    struct wl_timeline_steps steps = wl_timeline_steps_find(spans.items, spans.count);
    assert_int_equal(steps.process, 3);
    assert_int_equal(steps.kernels, STEP_KERNELS);
    assert_int_equal(steps.count, 7); /* where the last ends nobody knows */
    free(spans.items);
}

static void what_is_no_step(void **state)
{
    struct spans spans = {0};
    (void)state;
    assert_int_equal(wl_timeline_steps_find(NULL, 0).count, 0);
    for (uint32_t i = 0; i < 100; i++) /* one kernel again and again */
        add(&spans, 0, 7, 1, i * 10);
    assert_int_equal(wl_timeline_steps_find(spans.items, spans.count).count, 0);
    spans.count = 0;
    srand(3);
    for (uint32_t i = 0; i < 3000; i++)
        add(&spans, 0, 7, (uint32_t)rand() % 9, i * 10);
    assert_int_equal(wl_timeline_steps_find(spans.items, spans.count).count, 0);
    spans.count = 0;
    add_steps(&spans, 0, 1000, 3);
    assert_int_equal(wl_timeline_steps_find(spans.items, spans.count).count, 0);
    free(spans.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_between_other_work),
        cmocka_unit_test(a_step_with_other_kernels_is_the_end),
        cmocka_unit_test(of_several_the_stream_with_most),
        cmocka_unit_test(what_is_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
