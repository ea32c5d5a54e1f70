/* Requests to L2 that go to lines that others of their SM went to, against the same requests one by
 * one. */
#include "sim/l2.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

/* SMs 0 and 1, and 4 and 5, are nearer to one half of an L2 of two. */
static const struct wl_gpu gpus[] = {
    {.sm_count = 6, .sms_per_tpc = 2, .tpcs_per_gpc = 1, .l2_bytes = 512 << 10, .l2_partitions = 1},
    {.sm_count = 6, .sms_per_tpc = 2, .tpcs_per_gpc = 1, .l2_bytes = 4 << 20, .l2_partitions = 2},
    {.sm_count = 6, .sms_per_tpc = 2, .tpcs_per_gpc = 1, .l2_bytes = 64 << 20, .l2_partitions = 2},
};

static struct wl_l2_counts counts_of(const struct wl_l2 *l2)
{
    struct wl_l2_counts counts;
    wl_l2_count(l2, &counts);
    return counts;
}

static struct wl_l2_request random_request(uint32_t time, uint32_t all)
{
    static const enum wl_l2_kind kinds[] = {WL_L2_READ,  WL_L2_READ,   WL_L2_READ,     WL_L2_WRITE,
                                            WL_L2_WRITE, WL_L2_ATOMIC, WL_L2_REDUCTION};
    enum wl_l2_kind kind = kinds[rand() % 7];
    uint32_t sectors = 1 + (uint32_t)rand() % 15, words = 0;
    for (uint32_t sector = 0; sector < 4; sector++)
        if (sectors >> sector & 1)
            words |= (kind == WL_L2_WRITE ? (rand() & 1 ? 0xffu : 0x0fu) : 1u) << (8 * sector);
    return wl_l2_request_make(0x7f0000000 + (uint64_t)rand() % all, sectors, kind, words, time);
}

enum { REPEATING_SMS = 5, REPEATING_REQUESTS = 6000, REPEATED_LINES = 6 };

/* What an SM sends in an epoch, much of it to lines that it sent to before. */
struct repeating {
    struct wl_l2_request requests[REPEATING_REQUESTS], plain[REPEATING_REQUESTS];
    uint8_t answers[REPEATING_REQUESTS], expected_answers[REPEATING_REQUESTS];
    struct wl_l2_repeats repeats;
    uint32_t line_counts[REPEATED_LINES];
    size_t count;
};

/* Among so many lines in all. */
static void add_lines(struct repeating *of, uint32_t all)
{
    struct wl_l2_lines lines = {{0}};
    const uint32_t count = rand() % 2 ? WL_L2_LINES : 8 + (uint32_t)rand() % 24;
    const uint32_t apart = rand() % 2 ? 1 + (uint32_t)rand() % 8 : 0;
    uint64_t line = 0x7f0000000 + (uint64_t)rand() % all;
    for (uint32_t i = 0; i < count; i++) {
        lines.line[i] = line;
        line += apart ? apart : 1 + (uint32_t)rand() % (all / 32);
    }
    of->line_counts[of->repeats.lines.count] = count;
    WL_PUSH(&of->repeats.lines, lines);
}

/* A run, which as a rule goes to all of the lines; now and then to none. Returns its last time. */
static uint32_t add_run(struct repeating *of, uint32_t time)
{
    const uint32_t number = (uint32_t)rand() % REPEATED_LINES, all = of->line_counts[number];
    const uint32_t sector = (uint32_t)rand() % 2;
    const uint32_t words = (rand() % 8 ? 0xfu << (rand() % 2 * 4) : 1u << rand() % 8)
                           << (8 * sector);
    const struct wl_l2_run run = {.first = (uint32_t)of->count,
                                  .count = rand() % 6 ? all : (uint32_t)rand() % all,
                                  .lines = number,
                                  .words = words,
                                  .time = time + 1};
    for (uint32_t i = 0; i < run.count; i++)
        of->requests[of->count++] = wl_l2_request_make(of->repeats.lines.items[number].line[i],
                                                       1u << sector, WL_L2_WRITE, words, ++time);
    WL_PUSH(&of->repeats.runs, run);
    return time;
}

/* To any lines, or where runs of any SM go. */
static void add_others(struct repeating *all, struct repeating *of, uint32_t *time, uint32_t lines)
{
    for (int i = rand() % 24; i > 0 && of->count < REPEATING_REQUESTS; i--) {
        struct wl_l2_request request = random_request(*time += (uint32_t)rand() % 4, lines);
        const struct repeating *where = &all[rand() % REPEATING_SMS];
        const uint32_t number = (uint32_t)rand() % REPEATED_LINES;
        if (rand() % 4)
            request.line = (uint32_t)where->repeats.lines.items[number]
                               .line[(uint32_t)rand() % where->line_counts[number]];
        of->requests[of->count++] = request;
    }
}

/* others: of how many runs there are such before one. */
static void fill_repeating(struct repeating *all, struct repeating *of, uint32_t lines, int others)
{
    uint32_t time = (uint32_t)rand() % 64;
    while (of->count + WL_L2_LINES < REPEATING_REQUESTS) {
        if (rand() % others == 0)
            add_others(all, of, &time, lines);
        else
            time = add_run(of, time);
    }
}

static void begin_repeating(struct repeating *of, uint32_t lines)
{
    memset(of->answers, 0, sizeof of->answers);
    memset(of->expected_answers, 0, sizeof of->expected_answers);
    of->count = of->repeats.lines.count = of->repeats.runs.count = 0;
    for (int i = 0; i < REPEATED_LINES; i++)
        add_lines(of, lines);
}

/* Keeps all requests in plain, and empties the places of runs. */
static void empty_runs(struct repeating *of)
{
    memcpy(of->plain, of->requests, sizeof of->plain);
    for (size_t i = 0; i < of->repeats.runs.count; i++) {
        const struct wl_l2_run *run = &of->repeats.runs.items[i];
        memset(&of->requests[run->first], 0xff, run->count * sizeof *of->requests);
    }
}

/* All counts and answers, on one core and on several. */
static void test_known_lines_count_the_same(void **state)
{
    (void)state;
    enum { EPOCHS = 24 };
    struct repeating *all = wl_alloc_zero(REPEATING_SMS, sizeof *all);
    struct wl_pool *pool = wl_pool_create(2);
    uint64_t filled_bytes = 0, openings = 0;
    srand(8);
    for (size_t g = 0; g < sizeof gpus / sizeof gpus[0]; g++) {
        struct wl_l2 *l2 = wl_l2_create(&gpus[g]), *other = wl_l2_create(&gpus[g]);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            struct wl_l2_trace known[REPEATING_SMS], plain[REPEATING_SMS];
            wl_l2_begin(l2, epoch % 4 != 3);
            wl_l2_begin(other, epoch % 4 != 3);
            const uint32_t lines = epoch % 2 ? 2400 : 200000;
            for (uint32_t sm = 0; sm < REPEATING_SMS; sm++)
                begin_repeating(&all[sm], lines);
            for (uint32_t sm = 0; sm < REPEATING_SMS; sm++) {
                struct repeating *of = &all[sm];
                fill_repeating(all, of, lines, epoch % 3 ? 20 : 4);
                empty_runs(of);
                known[sm] =
                    (struct wl_l2_trace){of->requests, of->count, sm, of->answers, &of->repeats};
                plain[sm] =
                    (struct wl_l2_trace){of->plain, of->count, sm, of->expected_answers, NULL};
            }
            wl_l2_feed(l2, pool, 1 + (uint32_t)(epoch / 2) % 3, known, REPEATING_SMS);
            wl_l2_feed(other, pool, 1, plain, REPEATING_SMS);
            const struct wl_l2_counts counts = counts_of(l2), expected = counts_of(other);
            assert_memory_equal(&counts, &expected, sizeof counts);
            filled_bytes += counts.dram_filled_bytes;
            openings += counts.dram_openings;
            for (uint32_t sm = 0; sm < REPEATING_SMS; sm++)
                assert_memory_equal(all[sm].answers, all[sm].expected_answers, all[sm].count);
        }
        wl_l2_free(l2);
        wl_l2_free(other);
    }
    assert_true(filled_bytes > 0 && openings > 0);
    for (uint32_t sm = 0; sm < REPEATING_SMS; sm++) {
        free(all[sm].repeats.lines.items);
        free(all[sm].repeats.runs.items);
    }
    free(all);
    wl_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_lines_count_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
