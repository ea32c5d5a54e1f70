/* L1 against hand-computed cases, readings of an H200 (docs/evidence/h200-microbenchmarks.md) and a
 * plain reference. */
#include "sim/l1_again.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct wl_gpu hopper = {
    .l1_line_bytes = 128, .l1_sector_bytes = 32, .l1_miss_bytes = 32};
static const struct wl_gpu kepler = {.l1_line_bytes = 128,
                                     .l1_sector_bytes = 32,
                                     .l1_miss_bytes = 128,
                                     .l1_ways = 4,
                                     .readonly_bytes = 49152};

/* A store of sectors, wholly written or not, by an instruction of one line, far from others. */
static uint32_t store(struct wl_l1 *l1, uint64_t line, uint32_t sectors, uint32_t full)
{
    static uint32_t place = 0;
    return wl_l1_store(l1, line, sectors, full, 1, place += 1000, 0).missed;
}

static void test_loads_by_sector(void **state)
{
    (void)state;
    struct wl_l1 *l1 = wl_l1_create(&hopper, 16384, true);
    assert_int_equal(wl_l1_load(l1, 7, 0x3), 0x3);
    assert_int_equal(wl_l1_load(l1, 7, 0x7), 0x4); /* the same line again */
    assert_int_equal(wl_l1_load(l1, 8, 0xf), 0xf);
    assert_int_equal(wl_l1_load(l1, 7, 0xf), 0x8); /* and after another */
    assert_int_equal(wl_l1_load(l1, 7, 0xf), 0);
    assert_int_equal(wl_l1_fetched(l1, 0x2), 0x2);
    wl_l1_reset(l1);
    assert_int_equal(wl_l1_load(l1, 7, 0x1), 0x1);
    wl_l1_free(l1);
}

static void test_a_miss_fetches_the_line_on_kepler(void **state)
{
    (void)state;
    struct wl_l1 *l1 = wl_l1_create(&kepler, 16384, true);
    assert_int_equal(wl_l1_load(l1, 7, 0x1), 0x1);
    assert_int_equal(wl_l1_fetched(l1, 0x1), 0xf);
    assert_int_equal(wl_l1_fetched(l1, 0), 0);
    assert_int_equal(wl_l1_load(l1, 7, 0xf), 0);
    wl_l1_free(l1);
}

static void test_loads_pass_by_where_l1_is_off(void **state)
{
    (void)state;
    struct wl_l1 *l1 = wl_l1_create(&kepler, 16384, false);
    assert_int_equal(wl_l1_load(l1, 7, 0x5), 0x5);
    assert_int_equal(wl_l1_load(l1, 7, 0x5), 0x5);
    assert_int_equal(wl_l1_fetched(l1, 0x5), 0x5); /* a line only where it is kept */
    assert_int_equal(store(l1, 7, 0x5, 0x5), 0x5);
    wl_l1_free(l1);
    l1 = wl_l1_create(&hopper, 0, true); /* all of it is shared memory */
    assert_int_equal(wl_l1_load(l1, 7, 0x5), 0x5);
    assert_int_equal(wl_l1_load(l1, 7, 0x5), 0x5);
    wl_l1_free(l1);
}

static void test_read_only_cache_fetches_sectors(void **state)
{
    (void)state;
    struct wl_l1 *readonly = wl_l1_create_readonly(&kepler);
    assert_int_equal(wl_l1_load(readonly, 7, 0x1), 0x1);
    assert_int_equal(wl_l1_fetched(readonly, 0x1), 0x1);
    assert_int_equal(wl_l1_load(readonly, 7, 0x3), 0x2);
    assert_int_equal(wl_l1_load(readonly, 7, 0x3), 0);
    for (uint64_t line = 0; line < 49152 / 128; line++)
        wl_l1_load(readonly, 1000 + line, 0xf);
    assert_int_equal(wl_l1_load(readonly, 7, 0x3), 0x3);
    wl_l1_free(readonly);
}

/* "seq" of bench/gpu/memory/access.cu: S0 S32, L0 S32, S0 L0, S0 L4, S0 L32, L0 L32 A0 L32. */
static void test_stores_and_atomics_as_on_hardware(void **state)
{
    (void)state;
    struct wl_l1 *l1 = wl_l1_create(&hopper, 16384, true);
    assert_int_equal(store(l1, 1, 0x1, 0), 0x1);
    assert_int_equal(store(l1, 1, 0x2, 0), 0); /* the tag is there */
    assert_int_equal(wl_l1_load(l1, 2, 0x1), 0x1);
    assert_int_equal(store(l1, 2, 0x2, 0), 0);
    assert_int_equal(store(l1, 3, 0x1, 0x1), 0x1);
    assert_int_equal(wl_l1_load(l1, 3, 0x1), 0); /* wholly written */
    assert_int_equal(store(l1, 4, 0x1, 0), 0x1);
    assert_int_equal(wl_l1_load(l1, 4, 0x1), 0x1); /* partly written */
    assert_int_equal(store(l1, 5, 0x1, 0x1), 0x1);
    assert_int_equal(wl_l1_load(l1, 5, 0x2), 0x2);
    assert_int_equal(wl_l1_load(l1, 6, 0x3), 0x3);
    wl_l1_drop(l1, 6);
    assert_int_equal(wl_l1_load(l1, 6, 0x2), 0x2); /* the whole line is gone */
    wl_l1_free(l1);
}

static void test_stores_back_to_back(void **state)
{
    (void)state;
    struct wl_l1 *l1 = wl_l1_create(&hopper, 16384, true);
    struct wl_l1_stored stored = wl_l1_store(l1, 1, 0xf, 0, 4, 100, 7);
    assert_int_equal(stored.missed, 0xf);
    assert_int_equal(stored.joins, WL_L1_NEW_REQUEST);
    stored = wl_l1_store(l1, 1, 0xf, 0, 4, 101, 8); /* the next instruction joins */
    assert_int_equal(stored.missed, 0);
    assert_int_equal(stored.joins, 7);
    stored = wl_l1_store(l1, 1, 0xf, 0, 4, 102, 8);
    assert_int_equal(stored.joins, 7);
    stored = wl_l1_store(l1, 1, 0xf, 0, 4, 104, 8); /* one lies between */
    assert_int_equal(stored.missed, 0);
    assert_int_equal(stored.joins, WL_L1_NEW_REQUEST);
    wl_l1_forget_stores(l1);
    stored = wl_l1_store(l1, 1, 0xf, 0, 4, 105, 0);
    assert_int_equal(stored.joins, WL_L1_NEW_REQUEST);
    wl_l1_store(l1, 2, 0xf, 0, 8, 200, 1); /* eight lines: too many to join */
    stored = wl_l1_store(l1, 2, 0xf, 0, 8, 201, 2);
    assert_int_equal(stored.joins, WL_L1_NEW_REQUEST);
    assert_int_equal(stored.missed, 0xf);
    stored = wl_l1_store(l1, 2, 0xf, 0, 8, 202, 3);
    assert_int_equal(stored.missed, 0);
    wl_l1_free(l1);
}

static void test_hits_wait_for_lines_on_their_way(void **state)
{
    (void)state;
    struct wl_l1 *l1 = wl_l1_create(&hopper, 16384, true);
    wl_l1_load(l1, 1, 0xf);
    wl_l1_set_arrival(l1, 1000);
    wl_l1_load(l1, 2, 0xf);
    wl_l1_set_arrival(l1, 1500);
    wl_l1_load(l1, 1, 0xf);
    assert_in_range(wl_l1_arrival(l1, 600), 1000, 1064);
    assert_int_equal(wl_l1_arrival(l1, 1100), 1100); /* it has come */
    wl_l1_load(l1, 2, 0xf);
    assert_in_range(wl_l1_arrival(l1, 1100), 1500, 1564);
    assert_int_equal(wl_l1_arrival(l1, 1000000), 1000000);
    wl_l1_free(l1);
}

/* A kernel of 1024 threads stores words 8 bytes apart, twice over with more lines between than L1
 * holds: Nsight Compute read 1920 hits of 2048. */
static void test_store_hits_of_a_strided_kernel(void **state)
{
    (void)state;
    struct wl_l1 *l1 = wl_l1_create(&hopper, 240 * 1024, true);
    uint32_t hits = 0;
    for (uint64_t pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < 1024; i++) {
            uint64_t address = 8 * i + 4 * pass;
            hits += store(l1, address >> 7, 1u << (address >> 5 & 3), 0) == 0;
            for (uint64_t k = 0; k < 32; k++)
                wl_l1_load(l1, 100000 + 32 * i + k, 0xf);
        }
    assert_int_equal(hits, 1920);
    wl_l1_free(l1);
}

/* Seven eighths of L1 in consecutive lines stay, as do lines a power of two apart; twice its size
 * leaves nothing. */
static void test_capacity(void **state)
{
    (void)state;
    const uint32_t kib[] = {28, 60, 92, 124, 156, 192, 224, 240, 248};
    for (size_t k = 0; k < sizeof kib / sizeof kib[0]; k++) {
        struct wl_l1 *l1 = wl_l1_create(&hopper, kib[k] * 1024, true);
        uint64_t lines = kib[k] * 8, missed = 0;
        for (int pass = 0; pass < 3; pass++)
            for (uint64_t i = 0; i < lines / 8 * 7; i++)
                missed += wl_l1_load(l1, 0x7f0012345 + i, 1);
        assert_int_equal(missed, lines / 8 * 7);
        wl_l1_reset(l1);
        missed = 0;
        for (int pass = 0; pass < 3; pass++)
            for (uint64_t i = 0; i < 2 * lines; i++)
                missed += wl_l1_load(l1, 0x7f0012345 + i, 1);
        assert_int_equal(missed, 6 * lines); /* least recently used first */
        wl_l1_free(l1);
    }
    for (uint32_t step = 2; step <= 512; step *= 2) {
        struct wl_l1 *l1 = wl_l1_create(&hopper, 240 * 1024, true);
        uint64_t missed = 0;
        for (int pass = 0; pass < 4; pass++)
            for (uint64_t i = 0; i < 1024; i++)
                missed += wl_l1_load(l1, 0x7f0000000 + i * step, 1);
        assert_true(missed < 1024 * 1.25);
        wl_l1_free(l1);
    }
}

/* Sets as lists of lines, most recent first. */
struct plain_set {
    uint64_t line[4];
    uint32_t sectors[4], count;
};

static uint32_t plain_load(struct plain_set *set, uint64_t line, uint32_t sectors)
{
    uint32_t at = 0, valid = 0;
    while (at < set->count && set->line[at] != line)
        at++;
    if (at < set->count)
        valid = set->sectors[at];
    else if (set->count < 4)
        at = set->count++;
    else
        at = 3;
    memmove(&set->line[1], &set->line[0], at * sizeof set->line[0]);
    memmove(&set->sectors[1], &set->sectors[0], at * sizeof set->sectors[0]);
    set->line[0] = line;
    set->sectors[0] = valid | sectors;
    return sectors & ~valid;
}

static void test_random_loads_against_reference(void **state)
{
    (void)state;
    const struct wl_gpu gpu = {.l1_miss_bytes = 32, .l1_ways = 4};
    struct wl_l1 *l1 = wl_l1_create(&gpu, 24 * 1024, true);
    assert_int_equal(l1->set_count, 48);
    struct plain_set *sets = calloc(l1->set_count, sizeof *sets);
    srand(2);
    for (int i = 0; i < 200000; i++) {
        uint64_t line = (0x7ffff0000u + (uint64_t)(rand() % 300)) << (i / 50000);
        uint32_t sectors = 1 + (uint32_t)rand() % 15;
        struct plain_set *set = &sets[wl_l1_find_set(l1, line) - l1->sets];
        assert_int_equal(wl_l1_load(l1, line, sectors), plain_load(set, line, sectors));
    }
    free(sets);
    wl_l1_free(l1);
}

/* Stores of many lines at once against the same line by line: what hits, what L1 holds after, and
 * whether stores behind them join. */
static void test_stores_of_many_lines_at_once(void **state)
{
    (void)state;
    enum { LINES = 32, ROUNDS = 4000 };
    struct wl_l1 *one = wl_l1_create(&hopper, 16 << 10, true);
    struct wl_l1 *many = wl_l1_create(&hopper, 16 << 10, true);
    uint32_t at = 0, request = 0, at_once = 0, joined = 0;
    srand(5);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t count = 1 + (uint32_t)rand() % LINES, apart = 1 + (uint32_t)rand() % 40;
        const uint64_t first = 0x7f0000000 + (uint64_t)(rand() % 300);
        int64_t line[LINES];
        uint32_t sectors[LINES], full[LINES], sets[LINES];
        for (uint32_t i = 0; i < count; i++) {
            line[i] = (int64_t)i * apart;
            sectors[i] = 1 + (uint32_t)rand() % 15;
            full[i] = sectors[i] & (uint32_t)rand();
            sets[i] = wl_l1_find_set_number(many, first + (uint64_t)line[i]);
        }
        at += rand() % 3 ? 5 : 1;
        uint32_t missed = 0, recent = wl_l1_recent_stores(many, at);
        const bool is_fresh = !recent;
        at_once += is_fresh;
        if (is_fresh)
            missed = wl_l1_store_lines(many, first, line, sectors, full, sets, count, at, request);
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t stored = first + (uint64_t)line[i];
            const struct wl_l1_stored a =
                wl_l1_store(one, stored, sectors[i], full[i], count, at, request + i);
            joined += a.joins != WL_L1_NEW_REQUEST;
            missed -= is_fresh ? (uint32_t)__builtin_popcount(a.missed) : 0;
            if (is_fresh)
                continue;
            const struct wl_l1_stored b =
                wl_l1_store_in(many, &many->sets[sets[i]], stored, sectors[i], full[i], count, at,
                               request + i, &recent);
            assert_int_equal(a.missed, b.missed);
            assert_int_equal(a.joins, b.joins);
        }
        assert_int_equal(missed, 0);
        request += count;
        const uint64_t read = rand() % 2 ? 0x7f0000000 + (uint64_t)(rand() % 1500)
                                         : first + (uint64_t)line[count - 1];
        assert_int_equal(wl_l1_load(one, read, 0xf), wl_l1_load(many, read, 0xf));
    }
    assert_true(at_once > ROUNDS / 3 && at_once < ROUNDS && joined > 0);
    wl_l1_free(one);
    wl_l1_free(many);
}

/* A store of some of L1's lines, as the executor passes it. */
struct many_lines {
    uint64_t first;
    int64_t line[32];
    uint32_t sectors[32], full[32], sets[32];
    uint32_t count;
};

static void fill_many(const struct wl_l1 *l1, struct many_lines *many)
{
    const uint32_t apart = 1 + (uint32_t)rand() % 40;
    many->first = 0x7f0000000 + (uint64_t)(rand() % 300);
    many->count = 5 + (uint32_t)rand() % 28;
    for (uint32_t i = 0; i < many->count; i++) {
        many->line[i] = (int64_t)i * apart;
        many->sectors[i] = 1;
        many->full[i] = 0;
        many->sets[i] = wl_l1_find_set_number(l1, many->first + (uint64_t)many->line[i]);
    }
}

/* Returns how many sectors missed. */
static uint32_t store_many(struct wl_l1 *l1, const struct many_lines *many, uint32_t warp,
                           uint32_t at, uint32_t request, uint32_t *again_count)
{
    struct wl_l1_again *again = wl_l1_again_at(l1, warp, 3);
    uint32_t recent = wl_l1_recent_stores(l1, at), missed = 0;
    if (!recent && again && wl_l1_is_again(again, many->first, many->line, many->count)) {
        ++*again_count;
        return wl_l1_store_again(l1, again, many->sectors[0], at, request);
    }
    if (!recent) {
        wl_l1_remember(l1, warp, 3, many->first, many->line, many->sets, many->count);
        return wl_l1_store_lines(l1, many->first, many->line, many->sectors, many->full, many->sets,
                                 many->count, at, request);
    }
    for (uint32_t i = 0; i < many->count; i++)
        missed += (uint32_t)__builtin_popcount(
            wl_l1_store_in(l1, &l1->sets[many->sets[i]], many->first + (uint64_t)many->line[i],
                           many->sectors[i], 0, many->count, at, request + i, &recent)
                .missed);
    return missed;
}

/* Stores of warps to lines that they stored to before against the same line by line. */
static void test_stores_to_the_same_lines_again(void **state)
{
    (void)state;
    enum { WARPS = 6, ROUNDS = 20000 };
    struct wl_l1 *one = wl_l1_create(&hopper, 64 << 10, true);
    struct wl_l1 *other = wl_l1_create(&hopper, 64 << 10, true);
    struct many_lines stores[WARPS];
    uint32_t at = 0, request = 0, again_count = 0, joined = 0, missed_again = 0;
    srand(7);
    for (uint32_t warp = 0; warp < WARPS; warp++)
        fill_many(one, &stores[warp]);
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t warp = (uint32_t)rand() % WARPS, before = again_count;
        struct many_lines *many = &stores[warp];
        at += rand() % 8 ? 5 : 1;
        const uint32_t missed = store_many(other, many, warp, at, request, &again_count);
        uint32_t expected = 0;
        for (uint32_t i = 0; i < many->count; i++)
            expected +=
                (uint32_t)__builtin_popcount(wl_l1_store(one, many->first + (uint64_t)many->line[i],
                                                         1, 0, many->count, at, request + i)
                                                 .missed);
        assert_int_equal(missed, expected);
        missed_again += again_count != before ? missed : 0;
        request += many->count;
        const uint64_t line = many->first + (uint64_t)many->line[rand() % (int)many->count];
        if (rand() % 4 == 0) { /* joins the store before, or one of others */
            const struct wl_l1_stored a = wl_l1_store(one, line, 2, 2, 1, at + 1, request);
            const struct wl_l1_stored b = wl_l1_store(other, line, 2, 2, 1, at + 1, request++);
            assert_int_equal(a.missed, b.missed);
            assert_int_equal(a.joins, b.joins);
            joined += a.joins != WL_L1_NEW_REQUEST;
        }
        for (int reads = rand() % 64; reads > 0; reads--) {
            const uint64_t read = 0x7f0000000 + (uint64_t)(rand() % 3000);
            assert_int_equal(wl_l1_load(one, read, 0xf), wl_l1_load(other, read, 0xf));
        }
        if (rand() % 8 == 0) {
            wl_l1_drop(one, line);
            wl_l1_drop(other, line);
        }
        if (rand() % 16 == 0)
            fill_many(one, many);
    }
    assert_true(again_count > ROUNDS / 2 && joined > 0 && missed_again > 0);
    wl_l1_free(one);
    wl_l1_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_by_sector),
        cmocka_unit_test(test_a_miss_fetches_the_line_on_kepler),
        cmocka_unit_test(test_loads_pass_by_where_l1_is_off),
        cmocka_unit_test(test_read_only_cache_fetches_sectors),
        cmocka_unit_test(test_stores_and_atomics_as_on_hardware),
        cmocka_unit_test(test_stores_back_to_back),
        cmocka_unit_test(test_hits_wait_for_lines_on_their_way),
        cmocka_unit_test(test_store_hits_of_a_strided_kernel),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_random_loads_against_reference),
        cmocka_unit_test(test_stores_of_many_lines_at_once),
        cmocka_unit_test(test_stores_to_the_same_lines_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
