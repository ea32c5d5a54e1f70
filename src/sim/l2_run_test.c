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
    {.sm_count = 6,
     .sms_per_tpc = 2,
     .tpcs_per_gpc = 1,
     .l2_bytes = 512 << 10,
     .l2_partitions = 2}};

static struct wl_l2_counts counts_of(const struct wl_l2 *l2)
{
    struct wl_l2_counts counts;
    wl_l2_count(l2, &counts);
    return counts;
}

static struct wl_l2_request random_request(uint32_t time)
{
    static const enum wl_l2_kind kinds[] = {WL_L2_READ,  WL_L2_READ,   WL_L2_READ,     WL_L2_WRITE,
                                            WL_L2_WRITE, WL_L2_ATOMIC, WL_L2_REDUCTION};
    enum wl_l2_kind kind = kinds[rand() % 7];
    uint32_t sectors = 1 + (uint32_t)rand() % 15, words = 0;
    for (uint32_t sector = 0; sector < 4; sector++)
        if (sectors >> sector & 1)
            words |= (kind == WL_L2_WRITE ? (rand() & 1 ? 0xffu : 0x0fu) : 1u) << (8 * sector);
    return wl_l2_request_make(0x7f0000000 + (uint64_t)(rand() % 2400), sectors, kind, words, time);
}

enum { REPEATING_SMS = 5, REPEATING_REQUESTS = 6000, REPEATED_LINES = 6 };

/* What an SM sends in an epoch, much of it to lines that it sent to before. */
struct repeating {
    struct wl_l2_request requests[REPEATING_REQUESTS], plain[REPEATING_REQUESTS];
    uint8_t answers[REPEATING_REQUESTS], expected_answers[REPEATING_REQUESTS];
    struct wl_l2_repeats repeats;
    size_t count;
};

static void add_lines(struct repeating *of)
{
    struct wl_l2_lines lines;
    const uint64_t first = 0x7f0000000 + (uint64_t)(rand() % 2000),
                   apart = 1 + (uint64_t)rand() % 8;
    for (uint64_t i = 0; i < WL_L2_LINES; i++)
        lines.line[i] = first + i * apart;
    WL_PUSH(&of->repeats.lines, lines);
}

/* A run, which as a rule goes to all of the lines; now and then to none. Returns its last time. */
static uint32_t add_run(struct repeating *of, uint32_t time)
{
    const uint32_t number = (uint32_t)(rand() % (int)of->repeats.lines.count);
    const uint32_t sector = (uint32_t)rand() % 4, words = 1u << (rand() % 8) << (8 * sector);
    const struct wl_l2_run run = {.first = (uint32_t)of->count,
                                  .count = rand() % 4 ? WL_L2_LINES : (uint32_t)(rand() % 20),
                                  .lines = number,
                                  .words = words,
                                  .time = time + 1};
    for (uint32_t i = 0; i < run.count; i++)
        of->requests[of->count++] = wl_l2_request_make(of->repeats.lines.items[number].line[i],
                                                       1u << sector, WL_L2_WRITE, words, ++time);
    WL_PUSH(&of->repeats.runs, run);
    return time;
}

static void fill_repeating(struct repeating *of)
{
    uint32_t time = (uint32_t)rand() % 64;
    memset(of->answers, 0, sizeof of->answers);
    memset(of->expected_answers, 0, sizeof of->expected_answers);
    of->count = of->repeats.lines.count = of->repeats.runs.count = 0;
    for (int i = 0; i < REPEATED_LINES; i++)
        add_lines(of);
    while (of->count + WL_L2_LINES < REPEATING_REQUESTS) {
        if (rand() % 4) {
            time = add_run(of, time);
            continue;
        }
        for (int i = rand() % 24; i > 0 && of->count < REPEATING_REQUESTS; i--)
            of->requests[of->count++] = random_request(time += (uint32_t)rand() % 4);
    }
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
    enum { EPOCHS = 12 };
    struct repeating *all = wl_alloc_zero(REPEATING_SMS, sizeof *all);
    struct wl_pool *pool = wl_pool_create(2);
    srand(8);
    for (int g = 0; g < 2; g++) {
        struct wl_l2 *l2 = wl_l2_create(&gpus[g]), *other = wl_l2_create(&gpus[g]);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            struct wl_l2_trace known[REPEATING_SMS], plain[REPEATING_SMS];
            wl_l2_begin(l2, epoch % 4 != 3);
            wl_l2_begin(other, epoch % 4 != 3);
            for (uint32_t sm = 0; sm < REPEATING_SMS; sm++) {
                struct repeating *of = &all[sm];
                fill_repeating(of);
                empty_runs(of);
                known[sm] =
                    (struct wl_l2_trace){of->requests, of->count, sm, of->answers, &of->repeats};
                plain[sm] =
                    (struct wl_l2_trace){of->plain, of->count, sm, of->expected_answers, NULL};
            }
            wl_l2_feed(l2, pool, 1 + (uint32_t)epoch % 3, known, REPEATING_SMS);
            wl_l2_feed(other, pool, 1, plain, REPEATING_SMS);
            const struct wl_l2_counts counts = counts_of(l2), expected = counts_of(other);
            assert_memory_equal(&counts, &expected, sizeof counts);
            assert_true(counts.dram_filled_bytes > 0 && counts.read_hits > 0);
            for (uint32_t sm = 0; sm < REPEATING_SMS; sm++)
                assert_memory_equal(all[sm].answers, all[sm].expected_answers, all[sm].count);
        }
        wl_l2_free(l2);
        wl_l2_free(other);
    }
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
