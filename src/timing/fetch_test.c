/* What fetching code and constants costs, and that warps wait for it in the replay. */
#include <math.h>

#include "support/timed_run.h"
#include "timing/fetch.h"

static const struct timing_fetching costs = {.code_lines = 4,
                                             .near_lines = 8,
                                             .line_cycles = 20,
                                             .jump_cycles = 70,
                                             .far_line_cycles = 100,
                                             .far_jump_cycles = 500,
                                             .parameter_cycles = 50,
                                             .constant_cycles = 200,
                                             .first_constant_cycles = 300};
static const struct timing_code code = {.line_count = 16};

static void lines_follow_each_other_and_jumps_wait(void **state)
{
    (void)state;
    struct fetch fetch;
    fetch_init(&fetch, &costs, &code);
    assert_int_equal(fetch_code(&fetch, 0, 1000), 1000); /* a launch has it */
    assert_int_equal(fetch_code(&fetch, 1, 1008), 1020);
    assert_int_equal(fetch_code(&fetch, 2, 1100), 1040); /* since then */
    assert_int_equal(fetch_code(&fetch, 6, 1200), 1270);
    assert_int_equal(fetch_code(&fetch, 1, 1300), 1020);
    fetch_free(&fetch);
}

static void the_oldest_line_makes_room(void **state)
{
    (void)state;
    struct fetch fetch;
    fetch_init(&fetch, &costs, &code);
    for (uint32_t line = 0; line < 5; line++)
        fetch_code(&fetch, line, 1000);
    assert_int_equal(fetch_code(&fetch, 1, 2000), 1020);
    assert_int_equal(fetch_code(&fetch, 0, 2000), 2070);
    assert_int_equal(fetch_code(&fetch, 1, 2100), 2090); /* behind line 0 again */
    fetch_free(&fetch);
}

static void code_far_from_the_entry_is_slow_once(void **state)
{
    (void)state;
    struct fetch fetch;
    fetch_init(&fetch, &costs, &code);
    fetch_code(&fetch, 0, 0);
    assert_int_equal(fetch_code(&fetch, 10, 1000), 1500);
    assert_int_equal(fetch_code(&fetch, 11, 1500), 1600);
    for (uint32_t line = 0; line < 4; line++)
        fetch_code(&fetch, line, 2000);
    assert_int_equal(fetch_code(&fetch, 10, 3000), 3070);
    fetch_free(&fetch);
}

static void constants_come_line_by_line(void **state)
{
    (void)state;
    struct fetch fetch;
    uint32_t other = TIMING_PARAMETER_LINES;
    fetch_init(&fetch, &costs, &code);
    assert_true(fetch_constant(&fetch, TIMING_FIRST_PARAMETERS, 1000) <= 1000);
    assert_int_equal(fetch_constant(&fetch, 1, 1000), 1050);
    assert_int_equal(fetch_constant(&fetch, 2, 1000), 1100); /* one after the other */
    assert_int_equal(fetch_constant(&fetch, 1, 2000), 1050);
    assert_int_equal(fetch_constant(&fetch, other, 2000), 2500);
    assert_int_equal(fetch_constant(&fetch, other + 3, 3000), 3200);
    fetch_free(&fetch);
}

/* Instructions that need nothing of each other: one warp issues them faster than they come. */
#define INDEPENDENT                                                    \
    "fma.rn.f32 %f2, %f2, %f2, %f2;\nfma.rn.f32 %f3, %f3, %f3, %f3;\n" \
    "fma.rn.f32 %f4, %f4, %f4, %f4;\nfma.rn.f32 %f5, %f5, %f5, %f5;\n"
#define BEGIN "mov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\nmov.f32 %f5, %f1;\n"
#define END                                                                    \
    "add.f32 %f1, %f2, %f3;\nadd.f32 %f1, %f1, %f4;\nadd.f32 %f1, %f1, %f5;\n" \
    "st.global.f32 [%rd0], %f1;\n"

static struct wl_timing timed(const char *before, const char *line, uint32_t times,
                              const char *after, uint32_t threads)
{
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    char *body = repeat(before, line, times, after);
    begin(&run, body, 1, threads);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    end(&run);
    free(body);
    return timing;
}

static void long_code_waits_for_its_instructions(void **state)
{
    (void)state;
    double cycles[2];
    for (int i = 0; i < 2; i++) {
        struct run run;
        char *body = repeat(BEGIN, INDEPENDENT, i ? 576 : 64, END);
        begin(&run, body, 1, 32);
        cycles[i] = cycles_with(&run, 0);
        end(&run);
        free(body);
    }
    double lines = 512.0 * 4 * 16 / TIMING_CODE_LINE_BYTES;
    assert_true(fabs(cycles[1] - cycles[0] - lines * 24) < 100);
    struct wl_timing many = timed(BEGIN, INDEPENDENT, 576, END, 32);
    double waited = many.states[WL_TIMING_NO_INSTRUCTION];
    assert_true(waited > lines * 14 && waited < lines * 20 + 450);
    wl_timing_free(&many);
}

/* 16 warps: while one waits for exponentials, others may add, since two of these wait in a queue.
 */
static void special_functions_wait_in_a_queue(void **state)
{
    (void)state;
    static const char turn[] =
        "ex2.approx.ftz.f32 %f2, %f2;\nex2.approx.ftz.f32 %f3, %f3;\n"
        "ex2.approx.ftz.f32 %f4, %f4;\nex2.approx.ftz.f32 %f5, %f5;\n" INDEPENDENT INDEPENDENT;
    struct wl_timing few = timed(BEGIN, turn, 16, END, 512);
    struct wl_timing many = timed(BEGIN, turn, 80, END, 512);
    /* four warps of a scheduler, four exponentials of eight cycles each: nothing else shows */
    double each = (many.cycles - few.cycles) / 64;
    assert_true(each > 4 * 4 * 8 - 1 && each < 4 * 4 * 8 * 1.05);
    assert_true(many.states[WL_TIMING_MIO_THROTTLE] > 0.2 * many.warp_cycles);
    assert_true(many.states[WL_TIMING_MATH_PIPE_THROTTLE] < 0.01 * many.warp_cycles);
    wl_timing_free(&few);
    wl_timing_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_follow_each_other_and_jumps_wait),
        cmocka_unit_test(the_oldest_line_makes_room),
        cmocka_unit_test(code_far_from_the_entry_is_slow_once),
        cmocka_unit_test(constants_come_line_by_line),
        cmocka_unit_test(long_code_waits_for_its_instructions),
        cmocka_unit_test(special_functions_wait_in_a_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
