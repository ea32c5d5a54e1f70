/* L2 and device memory against hand-computed cases, readings of an H200
 * (docs/evidence/h200-microbenchmarks.md) and a plain reference. */
#include "sim/l2.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/memory.h"

enum { MIB = 1 << 20 };

static const struct wl_gpu whole = {
    .sm_count = 4, .sms_per_tpc = 2, .tpcs_per_gpc = 1, .l2_bytes = 2 * MIB, .l2_partitions = 1};
/* SMs 0 and 1 are nearer to one half, 2 and 3 to the other. */
static const struct wl_gpu halves = {
    .sm_count = 4, .sms_per_tpc = 2, .tpcs_per_gpc = 1, .l2_bytes = 2 * MIB, .l2_partitions = 2};

static void feed_one(struct wl_l2 *l2, uint32_t sm, struct wl_l2_request request)
{
    struct wl_l2_trace trace = {&request, 1, sm, NULL, NULL};
    wl_l2_feed(l2, NULL, 1, &trace, 1);
}

static void read_line(struct wl_l2 *l2, uint32_t sm, uint64_t line, uint32_t sectors)
{
    feed_one(l2, sm, wl_l2_request_make(line, sectors, WL_L2_READ, 0, 0));
}

static void write_line(struct wl_l2 *l2, uint32_t sm, uint64_t line, uint32_t words)
{
    uint32_t sectors = 0;
    for (uint32_t sector = 0; sector < 4; sector++)
        sectors |= (uint32_t)((words >> (8 * sector) & 0xff) != 0) << sector;
    feed_one(l2, sm, wl_l2_request_make(line, sectors, WL_L2_WRITE, words, 0));
}

static struct wl_l2_counts counts_of(const struct wl_l2 *l2)
{
    struct wl_l2_counts counts;
    wl_l2_count(l2, &counts);
    return counts;
}

/* "sectors" and "pairs" of bench/gpu/memory/l2.cu. */
static void test_device_memory_answers_in_pairs(void **state)
{
    (void)state;
    struct wl_l2 *l2 = wl_l2_create(&whole);
    read_line(l2, 0, 5, 0x1);
    struct wl_l2_counts counts = counts_of(l2);
    assert_int_equal(counts.reads, 1);
    assert_int_equal(counts.read_hits, 0);
    assert_int_equal(counts.read_misses, 2);
    assert_int_equal(counts.dram_read_bytes, 64);
    read_line(l2, 0, 5, 0x2);
    assert_int_equal(counts_of(l2).read_hits, 1);
    read_line(l2, 0, 5, 0xf);
    counts = counts_of(l2);
    assert_int_equal(counts.reads, 6);
    assert_int_equal(counts.read_hits, 3);
    assert_int_equal(counts.read_misses, 4);
    assert_int_equal(counts.dram_read_bytes, 128);
    assert_int_equal(counts.requests, 3);
    wl_l2_free(l2);
}

/* Lines side by side are opened once for both, and again where others were read between; what L2
 * has opens nothing. */
static void test_rows_are_opened(void **state)
{
    (void)state;
    enum { LINES = 512, APART = 32 };
    struct wl_l2 *l2 = wl_l2_create(&whole);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 0, line, 0xf);
    assert_int_equal(counts_of(l2).dram_openings, LINES / 2);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 0, line, 0xf);
    assert_int_equal(counts_of(l2).dram_openings, LINES / 2);
    wl_l2_begin(l2, false);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 0, line * APART, 1);
    assert_int_equal(counts_of(l2).dram_openings, LINES);
    wl_l2_begin(l2, false);
    for (int half = 0; half < 2; half++)
        for (uint64_t line = 0; line < 8 * 4096; line++)
            read_line(l2, 0, 2 * line + 1, half ? 4 : 1);
    assert_in_range(counts_of(l2).dram_openings, 2 * 8 * 4096 * 0.99, 2 * 8 * 4096);
    wl_l2_free(l2);
}

/* "0then2": what one half's SM read, the other half's SM misses for the half of it that is not at
 * home there, without device memory. */
static void test_the_other_half_misses_half(void **state)
{
    (void)state;
    enum { LINES = 4096 };
    struct wl_l2 *l2 = wl_l2_create(&halves);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 0, line, 0xf);
    assert_int_equal(counts_of(l2).read_misses, 4 * LINES);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 1, line, 0xf);
    assert_int_equal(counts_of(l2).read_misses, 4 * LINES);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 2, line, 0xf);
    struct wl_l2_counts counts = counts_of(l2);
    assert_in_range(counts.read_misses, 5.8 * LINES, 6.2 * LINES);
    assert_int_equal(counts.dram_read_bytes, 128 * LINES);
    wl_l2_free(l2);
}

/* "stale2": a write drops the copy of the half that is neither home nor the writer's. */
static void test_writes_drop_stale_copies(void **state)
{
    (void)state;
    enum { LINES = 2048 };
    struct wl_l2 *l2 = wl_l2_create(&halves);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 2, line, 0xf);
    for (uint64_t line = 0; line < LINES; line++)
        write_line(l2, 0, line, 0xffffffff);
    uint64_t before = counts_of(l2).read_misses;
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 0, line, 0xf); /* the writer finds all of it */
    assert_int_equal(counts_of(l2).read_misses, before);
    for (uint64_t line = 0; line < LINES; line++)
        read_line(l2, 2, line, 0xf);
    assert_in_range(counts_of(l2).read_misses - before, 1.8 * LINES, 2.2 * LINES);
    assert_int_equal(counts_of(l2).dram_read_bytes, 128 * LINES);
    wl_l2_free(l2);
}

/* "write": nothing is written back up to 7/16 of L2, and all that goes beyond. */
static void test_dirty_share(void **state)
{
    (void)state;
    const struct wl_gpu *gpus[] = {&whole, &halves};
    for (int g = 0; g < 2; g++) {
        struct wl_l2 *l2 = wl_l2_create(gpus[g]);
        const uint64_t limit = 2 * MIB / 128 * 7 / 16;
        for (uint64_t line = 0; line < limit * 7 / 8; line++)
            write_line(l2, (uint32_t)line % 4, line, 0xffffffff);
        assert_int_equal(counts_of(l2).dram_write_bytes, 0);
        for (uint64_t line = limit * 7 / 8; line < 3 * limit; line++)
            write_line(l2, (uint32_t)line % 4, line, 0xffffffff);
        struct wl_l2_counts counts = counts_of(l2);
        assert_in_range(counts.dram_write_bytes, 1.95 * limit * 128, 2.05 * limit * 128);
        assert_int_equal(counts.dram_read_bytes, 0);
        assert_int_equal(counts.writes, 12 * limit);
        assert_int_equal(counts.write_hits, 12 * limit);
        wl_l2_free(l2);
    }
}

/* "copy": of a stream read and a stream written, a third of L2 is left unwritten. */
static void test_a_copy_leaves_a_third(void **state)
{
    (void)state;
    struct wl_l2 *l2 = wl_l2_create(&halves);
    const uint64_t lines = 8 * MIB / 128;
    for (uint64_t line = 0; line < lines; line++) {
        read_line(l2, (uint32_t)line % 4, line, 0xf);
        write_line(l2, (uint32_t)line % 4, line + 1000000, 0xffffffff);
    }
    uint64_t left = 8 * MIB - counts_of(l2).dram_write_bytes;
    assert_in_range(left, 0.30 * 2 * MIB, 0.37 * 2 * MIB);
    wl_l2_free(l2);
}

static void test_partial_sectors(void **state)
{
    (void)state;
    struct wl_l2 *l2 = wl_l2_create(&whole);
    write_line(l2, 0, 1, 0x0000000f);
    write_line(l2, 0, 1, 0x000000f0); /* completes sector 0 */
    read_line(l2, 0, 1, 0x1);
    assert_int_equal(counts_of(l2).dram_read_bytes, 0);
    write_line(l2, 0, 2, 0x0000000f);
    read_line(l2, 0, 2, 0x1); /* the rest of it must come */
    assert_int_equal(counts_of(l2).dram_read_bytes, 64);
    for (uint64_t line = 100; line < 100 + 4 * 2 * MIB / 128; line++)
        write_line(l2, 0, line, 0x1); /* one word of each line */
    struct wl_l2_counts counts = counts_of(l2);
    assert_in_range(counts.dram_write_bytes / 32, 3 * 2 * MIB / 128, 4 * 2 * MIB / 128);
    assert_in_range(counts.dram_read_bytes, 64 + counts.dram_write_bytes - 64,
                    64 + counts.dram_write_bytes);
    wl_l2_free(l2);
}

/* A slice updates one sector after another; floating-point numbers in one sector take longer. */
static void test_atomics_of_a_slice(void **state)
{
    (void)state;
    struct wl_gpu gpu = whole;
    gpu.l2_slices = 96;
    gpu.l2_atomic_cycles = 2;
    gpu.l2_float_atomic_cycles = 5;
    struct wl_l2 *l2 = wl_l2_create(&gpu);
    struct wl_l2_counts counts;
    for (uint64_t i = 0; i < 100; i++)
        feed_one(l2, 0, wl_l2_request_make(8, 0xf, WL_L2_ATOMIC, 0x01010101, 0));
    wl_l2_count(l2, &counts);
    assert_true(fabs(counts.atomic_cycles - 400 * gpu.l2_atomic_cycles) < 0.01);
    for (uint64_t i = 0; i < 400; i++)
        feed_one(l2, 0, wl_l2_request_make(8, 0x1, WL_L2_REDUCTION | WL_L2_FLOAT, 0x01, 0));
    wl_l2_count(l2, &counts);
    assert_true(fabs(counts.atomic_cycles - 400 * gpu.l2_float_atomic_cycles) < 0.01);
    wl_l2_begin(l2, true);
    for (uint64_t i = 0; i < 40000; i++)
        feed_one(l2, 0, wl_l2_request_make(i * 4, 0x1, WL_L2_ATOMIC, 0x01, 0));
    wl_l2_count(l2, &counts);
    double mean = 40000.0 / gpu.l2_slices * gpu.l2_atomic_cycles;
    assert_true(counts.atomic_cycles > mean && counts.atomic_cycles < 1.25 * mean);
    wl_l2_free(l2);
}

/* "shared words": 32 lanes at one word are 32 sectors in 32 requests; two lanes a word 2 in 2. */
static void test_atomics_by_sharers(void **state)
{
    (void)state;
    struct wl_l2 *l2 = wl_l2_create(&whole);
    feed_one(l2, 0, wl_l2_request_make(9, 0x1, WL_L2_ATOMIC, 32, 0));
    feed_one(l2, 0, wl_l2_request_make(9, 0x3, WL_L2_REDUCTION, 0x0202, 0));
    struct wl_l2_counts counts = counts_of(l2);
    assert_int_equal(counts.atomics, 32);
    assert_int_equal(counts.reductions, 4);
    assert_int_equal(counts.requests, 34);
    assert_int_equal(counts.updated_sectors, 3);
    assert_int_equal(counts.dram_read_bytes, 64); /* what is not there is fetched */
    assert_int_equal(counts.dram_write_bytes, 0);
    wl_l2_free(l2);
}

/* "tpcs3": of six SMs of a GPC that read a line together, four share one fetch and two another. */
static void test_coalescer(void **state)
{
    (void)state;
    struct wl_gpu gpu = {
        .sm_count = 32, .l2_bytes = 2 * MIB, .l2_partitions = 1, .l2_coalescer_sms = 16};
    struct wl_l2 *l2 = wl_l2_create(&gpu);
    struct wl_l2_request request = wl_l2_request_make(77, 0xf, WL_L2_READ, 0, 0);
    struct wl_l2_trace traces[6];
    uint8_t answers[6] = {0};
    for (uint32_t sm = 0; sm < 6; sm++)
        traces[sm] = (struct wl_l2_trace){&request, 1, sm, &answers[sm], NULL};
    wl_l2_feed(l2, NULL, 1, traces, 6);
    for (uint32_t sm = 0; sm < 6; sm++)
        assert_int_equal(answers[sm], 4); /* all wait for device memory */
    struct wl_l2_counts counts = counts_of(l2);
    assert_int_equal(counts.reads, 8);
    assert_int_equal(counts.coalesced, 16);
    assert_int_equal(counts.requests, 2);
    traces[0].sm = 16; /* another GPC */
    wl_l2_feed(l2, NULL, 1, traces, 1);
    assert_int_equal(counts_of(l2).reads, 12);
    request.time = 100000; /* long after */
    traces[0].sm = 3;
    wl_l2_feed(l2, NULL, 1, traces, 1);
    assert_int_equal(counts_of(l2).reads, 16);
    wl_l2_begin(l2, true);
    request.time = 0;
    traces[0].sm = 4;
    wl_l2_feed(l2, NULL, 1, traces, 1);
    assert_int_equal(counts_of(l2).read_hits, 4);
    wl_l2_free(l2);
}

/* The answer to a read of the SM's own: sectors of device memory, and above them of the far half.
 */
static uint32_t answer_of(struct wl_l2 *l2, uint32_t sm, uint64_t line, uint32_t sectors,
                          uint32_t time)
{
    struct wl_l2_request request = wl_l2_request_make(line, sectors, WL_L2_READ, 0, time);
    uint8_t answer = 0;
    struct wl_l2_trace trace = {&request, 1, sm, &answer, NULL};
    wl_l2_feed(l2, NULL, 1, &trace, 1);
    return answer;
}

static void test_reads_are_told_whence_they_come(void **state)
{
    (void)state;
    struct wl_l2 *l2 = wl_l2_create(&halves);
    for (uint64_t line = 0; line < 8; line++) {
        assert_int_equal(answer_of(l2, 0, line, 0x7, 0), 3);
        assert_int_equal(answer_of(l2, 1, line, 0x7, 250), 3); /* it is on its way */
        assert_int_equal(answer_of(l2, 1, line, 0x7, 2000), 0);
    }
    uint32_t far = 0;
    for (uint64_t line = 0; line < 8; line++)
        far += answer_of(l2, 2, line, 0xf, 2000);
    assert_true(far > 0 && far < (8 * 4) << WL_L2_FAR_SHIFT && !(far & WL_L2_ANSWER_MASK));
    assert_int_equal(counts_of(l2).read_halves, 4 * 8 * 2);
    /* of each line the first, and from the other half those whose home is the first's */
    uint64_t missed = counts_of(l2).read_lines_missed;
    assert_true(missed > 8 && missed < 16);
    wl_l2_free(l2);
}

static void test_cold_unless_kept(void **state)
{
    (void)state;
    struct wl_l2 *l2 = wl_l2_create(&whole);
    read_line(l2, 0, 5, 0xf);
    wl_l2_begin(l2, true);
    assert_int_equal(counts_of(l2).reads, 0);
    read_line(l2, 0, 5, 0xf);
    assert_int_equal(counts_of(l2).read_hits, 4);
    wl_l2_begin(l2, false);
    read_line(l2, 0, 5, 0xf);
    assert_int_equal(counts_of(l2).read_hits, 0);
    wl_l2_free(l2);
}

/* What writes have put off is forgotten with the lines. */
static void test_cold_forgets_open_lines(void **state)
{
    (void)state;
    struct wl_l2 *l2 = wl_l2_create(&whole);
    write_line(l2, 0, 5, 0x01);
    write_line(l2, 0, 5, 0x02);
    wl_l2_begin(l2, false);
    write_line(l2, 0, 6, 0x01);
    write_line(l2, 0, 5, 0x0f);
    write_line(l2, 0, 5, 0xf0);
    read_line(l2, 0, 5, 0x1);
    assert_int_equal(counts_of(l2).read_hits, 1);
    assert_int_equal(counts_of(l2).dram_read_bytes, 0);
    wl_l2_free(l2);
}

/* A small launch pays for the sets that it uses, not for all: pages of memory are counted. The
 * second L2 is made where the first has been. */
static void test_begins_with_little(void **state)
{
    (void)state;
    struct wl_gpu gpu = whole;
    gpu.l2_bytes = 256u << 20;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < 2; i++) {
        struct wl_l2 *l2 = wl_l2_create(&gpu);
        read_line(l2, 0, 5, 0xf);
        wl_l2_begin(l2, false);
        wl_l2_free(l2);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_in_range(after.ru_minflt - before.ru_minflt, 0, 1000);
}

/* SMs are merged by time: SM 1's late reads do not push out what SM 0 reads again before. */
static void test_merged_by_time(void **state)
{
    (void)state;
    struct wl_gpu gpu = whole;
    gpu.l2_bytes = 16 * 128; /* one set */
    struct wl_l2 *l2 = wl_l2_create(&gpu);
    struct wl_l2_request first[32], second[16];
    for (uint32_t i = 0; i < 16; i++) {
        first[i] = wl_l2_request_make(i, 0x3, WL_L2_READ, 0, i);
        first[16 + i] = wl_l2_request_make(i, 0x3, WL_L2_READ, 0, 500 + i);
        second[i] = wl_l2_request_make(100 + i, 0x3, WL_L2_READ, 0, 1000 + i);
    }
    const struct wl_l2_trace traces[] = {{first, 32, 0, NULL, NULL}, {second, 16, 1, NULL, NULL}};
    wl_l2_feed(l2, NULL, 1, traces, 2);
    assert_int_equal(counts_of(l2).read_hits, 32);
    assert_int_equal(counts_of(l2).read_misses, 64);
    wl_l2_free(l2);
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
    uint64_t line = 0x7f0000000 + (uint64_t)(rand() % 40000);
    return wl_l2_request_make(line, sectors, kind, words, time);
}

static void test_shards_do_not_matter(void **state)
{
    (void)state;
    enum { SMS = 8, REQUESTS = 8000 };
    struct wl_gpu gpu = halves;
    gpu.sm_count = SMS;
    gpu.l2_coalescer_sms = 4;
    static struct wl_l2_request requests[SMS][REQUESTS];
    struct wl_l2_trace traces[SMS];
    srand(3);
    for (uint32_t sm = 0; sm < SMS; sm++) {
        uint32_t time = 0;
        for (int i = 0; i < REQUESTS; i++)
            requests[sm][i] = random_request(time += (uint32_t)rand() % 8);
        traces[sm] = (struct wl_l2_trace){requests[sm], REQUESTS, sm, NULL, NULL};
    }
    struct wl_l2_counts first = {0};
    struct wl_pool *pool = wl_pool_create(3);
    const unsigned shards[] = {1, 2, 3, 7, WL_L2_MAX_SHARDS};
    for (size_t k = 0; k < sizeof shards / sizeof shards[0]; k++) {
        struct wl_l2 *l2 = wl_l2_create(&gpu);
        for (int launch = 0; launch < 2; launch++) { /* the second is as cold as the first */
            wl_l2_feed(l2, pool, shards[k], traces, SMS);
            struct wl_l2_counts counts = counts_of(l2);
            if (k == 0 && launch == 0)
                first = counts;
            assert_memory_equal(&counts, &first, sizeof counts);
            wl_l2_begin(l2, false);
        }
        wl_l2_free(l2);
    }
    wl_pool_free(pool);
    assert_true(first.coalesced > 0 && first.dram_write_bytes > 0);
}

enum { UNEVEN_SMS = 12, UNEVEN_REQUESTS = 100000 };

/* SMs that send from nothing to most of an epoch, of lines that move on with the time, so that the
 * rows asked for at the beginning of each part of it were asked for before. */
struct uneven {
    struct wl_l2_request *requests[UNEVEN_SMS];
    uint8_t *answers[UNEVEN_SMS];
    size_t counts[UNEVEN_SMS];
};

static void fill_uneven(struct uneven *uneven, uint32_t start)
{
    for (uint32_t sm = 0; sm < UNEVEN_SMS; sm++) {
        uint32_t time = start;
        uneven->counts[sm] = (size_t)UNEVEN_REQUESTS >> sm & ~(size_t)7;
        for (size_t i = 0; i < uneven->counts[sm]; i++) {
            time += (uint32_t)rand() % 16 == 0 ? (uint32_t)rand() % (16u << sm) : 0;
            uneven->requests[sm][i] = random_request(time);
            uneven->requests[sm][i].line = 0xf0000000u + time / 16 + (uint32_t)rand() % 64;
        }
    }
}

/* Counts and answers of some epochs, more requests than are brought into order at a time. */
static struct wl_l2_counts feed_uneven(struct uneven *uneven, struct wl_pool *pool, uint32_t shards,
                                       uint64_t *answers)
{
    enum { EPOCHS = 2 };
    struct wl_gpu gpu = halves;
    gpu.sm_count = UNEVEN_SMS;
    gpu.l2_coalescer_sms = 4;
    struct wl_l2 *l2 = wl_l2_create(&gpu);
    struct wl_l2_trace traces[UNEVEN_SMS];
    srand(9);
    *answers = 0;
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
        fill_uneven(uneven, epoch << 24);
        for (uint32_t sm = 0; sm < UNEVEN_SMS; sm++) {
            memset(uneven->answers[sm], 0, UNEVEN_REQUESTS);
            traces[sm] = (struct wl_l2_trace){uneven->requests[sm], uneven->counts[sm], sm,
                                              sm % 3 ? uneven->answers[sm] : NULL, NULL};
        }
        wl_l2_feed(l2, pool, shards, traces, UNEVEN_SMS);
        for (uint32_t sm = 0; sm < UNEVEN_SMS; sm++)
            for (size_t i = 0; i < uneven->counts[sm]; i++)
                *answers = (*answers ^ uneven->answers[sm][i]) * 0x100000001b3u;
    }
    struct wl_l2_counts counts = counts_of(l2);
    wl_l2_free(l2);
    return counts;
}

static void test_parts_do_not_matter(void **state)
{
    (void)state;
    struct uneven uneven;
    struct wl_pool *pool = wl_pool_create(3);
    for (uint32_t sm = 0; sm < UNEVEN_SMS; sm++) {
        uneven.requests[sm] = wl_alloc(UNEVEN_REQUESTS * sizeof *uneven.requests[sm]);
        uneven.answers[sm] = wl_alloc(UNEVEN_REQUESTS);
    }
    uint64_t expected_answers, answers;
    const struct wl_l2_counts expected = feed_uneven(&uneven, NULL, 1, &expected_answers);
    assert_true(expected.dram_openings > 1000);
    for (uint32_t shards = 2; shards <= WL_L2_MAX_SHARDS; shards = shards * 2 + 1) {
        const struct wl_l2_counts counts = feed_uneven(&uneven, pool, shards, &answers);
        assert_memory_equal(&counts, &expected, sizeof counts);
        assert_true(answers == expected_answers);
    }
    for (uint32_t sm = 0; sm < UNEVEN_SMS; sm++) {
        free(uneven.requests[sm]);
        free(uneven.answers[sm]);
    }
    wl_pool_free(pool);
}

/* One set as a list of lines, most recent first. */
struct plain_line {
    uint64_t line;
    uint32_t valid, dirty;
};
struct plain_l2 {
    struct plain_line lines[17];
    int count;
    uint64_t hits, read_bytes, write_bytes;
};

static struct plain_line *plain_find(struct plain_l2 *l2, uint64_t line)
{
    int at = 0;
    while (at < l2->count && l2->lines[at].line != line)
        at++;
    struct plain_line found = at < l2->count ? l2->lines[at] : (struct plain_line){line, 0, 0};
    l2->count += at == l2->count;
    memmove(&l2->lines[1], &l2->lines[0], (size_t)at * sizeof l2->lines[0]);
    l2->lines[0] = found;
    if (l2->count == 17)
        l2->write_bytes += 32 * (uint64_t)__builtin_popcount(l2->lines[--l2->count].dirty);
    return &l2->lines[0];
}

static void plain_read(struct plain_l2 *l2, uint64_t line, uint32_t sectors)
{
    struct plain_line *found = plain_find(l2, line);
    uint32_t missed = sectors & ~found->valid;
    l2->hits += (uint64_t)__builtin_popcount(sectors & found->valid);
    uint32_t pairs = ((missed & 3 ? 3u : 0u) | (missed & 12 ? 12u : 0u)) & ~found->valid;
    l2->read_bytes += 32 * (uint64_t)__builtin_popcount(pairs);
    found->valid |= pairs;
}

static void plain_write(struct plain_l2 *l2, uint64_t line, uint32_t sectors)
{
    struct plain_line *found = plain_find(l2, line);
    found->valid |= sectors;
    found->dirty |= sectors;
    int dirty = 0, oldest = 0;
    for (int i = 0; i < l2->count; i++)
        if (l2->lines[i].dirty) {
            dirty++;
            oldest = i;
        }
    if (dirty > 7) {
        l2->write_bytes += 32 * (uint64_t)__builtin_popcount(l2->lines[oldest].dirty);
        l2->lines[oldest].dirty = 0;
    }
}

static void test_random_requests_against_reference(void **state)
{
    (void)state;
    struct wl_gpu gpu = whole;
    gpu.l2_bytes = 16 * 128; /* one set */
    struct wl_l2 *l2 = wl_l2_create(&gpu);
    struct plain_l2 plain = {0};
    srand(4);
    for (int i = 0; i < 100000; i++) {
        uint64_t line = 0x7ffff00000 + (uint64_t)(rand() % 24);
        uint32_t sectors = 1 + (uint32_t)rand() % 15, words = 0;
        for (uint32_t sector = 0; sector < 4; sector++)
            words |= sectors >> sector & 1 ? 0xffu << (8 * sector) : 0;
        if (rand() % 3) {
            read_line(l2, 0, line, sectors);
            plain_read(&plain, line, sectors);
        } else {
            write_line(l2, 0, line, words);
            plain_write(&plain, line, sectors);
        }
    }
    struct wl_l2_counts counts = counts_of(l2);
    assert_int_equal(counts.read_hits, plain.hits);
    assert_int_equal(counts.dram_read_bytes, plain.read_bytes);
    assert_int_equal(counts.dram_write_bytes, plain.write_bytes);
    wl_l2_free(l2);
}

/* What SMs write to few lines again and again, and now and then read or update. */
static struct wl_l2_request random_rewrite(uint32_t time)
{
    if (rand() % 16 == 0) {
        struct wl_l2_request other = random_request(time);
        other.line = 0xf0000000u + (uint32_t)(rand() % 3000);
        return other;
    }
    const uint32_t sector = (uint32_t)rand() % 4, half = (uint32_t)rand() % 2 ? 3 : 1;
    uint32_t words = rand() % 4 ? 1u << (rand() % 8) : 0xffu, sectors = half << (sector & 2);
    words *= half == 3 ? 0x0101u : 1u;
    words <<= 8 * (sector & 2);
    const bool is_whole = rand() % 40 == 0, is_odd = rand() % 40 == 0;
    /* all of the line; words in other sectors than it says */
    return wl_l2_request_make(0x7f0000000 + (uint64_t)(rand() % 3) * 1000 + (uint64_t)(rand() % 8),
                              is_whole ? 0xf : sectors, WL_L2_WRITE,
                              is_whole || is_odd ? UINT32_MAX : words, time);
}

enum { REWRITING_SMS = 4, REWRITES = 3000 };

/* What an SM sends in an epoch; parted: the same, but behind each write a read of none of the
 * line's sectors asks for it, which nothing else comes of. */
struct rewrites {
    struct wl_l2_request requests[REWRITES], parted[2 * REWRITES];
    uint8_t answers[REWRITES], parted_answers[2 * REWRITES];
    size_t parted_count;
};

static void fill_rewrites(struct rewrites *rewrites, uint32_t time)
{
    memset(rewrites, 0, sizeof *rewrites);
    for (int i = 0; i < REWRITES; i++) {
        const struct wl_l2_request request = random_rewrite(time += (uint32_t)rand() % 8);
        rewrites->requests[i] = rewrites->parted[rewrites->parted_count++] = request;
        const uint64_t line = request.line | (uint64_t)(request.high & 0xffff) << 32;
        if ((request.high >> WL_L2_KIND_SHIFT & 3) == WL_L2_WRITE)
            rewrites->parted[rewrites->parted_count++] =
                wl_l2_request_make(line, 0, WL_L2_READ, 0, time);
    }
}

static void test_writes_put_off_count_the_same(void **state)
{
    (void)state;
    enum { EPOCHS = 8 };
    static struct rewrites rewrites[REWRITING_SMS];
    const struct wl_gpu *gpus[] = {&whole, &halves};
    struct wl_pool *pool = wl_pool_create(2);
    srand(6);
    for (int g = 0; g < 2; g++) {
        struct wl_gpu gpu = *gpus[g];
        gpu.l2_bytes = 128 << 10;
        struct wl_l2 *l2 = wl_l2_create(&gpu), *other = wl_l2_create(&gpu);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            struct wl_l2_trace traces[REWRITING_SMS], parted[REWRITING_SMS];
            wl_l2_begin(l2, epoch != EPOCHS / 2);
            wl_l2_begin(other, epoch != EPOCHS / 2);
            size_t added = 0;
            for (uint32_t sm = 0; sm < REWRITING_SMS; sm++) {
                struct rewrites *of = &rewrites[sm];
                fill_rewrites(of, 0);
                added += of->parted_count - REWRITES;
                traces[sm] = (struct wl_l2_trace){of->requests, REWRITES, sm, of->answers, NULL};
                parted[sm] = (struct wl_l2_trace){of->parted, of->parted_count, sm,
                                                  of->parted_answers, NULL};
            }
            const unsigned shards = 1 + (unsigned)epoch % 3;
            wl_l2_feed(l2, pool, shards, traces, REWRITING_SMS);
            wl_l2_feed(other, pool, shards, parted, REWRITING_SMS);
            struct wl_l2_counts counts = counts_of(l2), expected = counts_of(other);
            counts.requests += added;
            assert_memory_equal(&counts, &expected, sizeof counts);
            assert_true(counts.dram_filled_bytes > 0 && counts.read_hits > 0);
            for (uint32_t sm = 0; sm < REWRITING_SMS; sm++)
                for (size_t i = 0, k = 0; i < REWRITES; i++, k++) {
                    while (rewrites[sm].parted[k].high != rewrites[sm].requests[i].high)
                        k++;
                    assert_int_equal(rewrites[sm].answers[i], rewrites[sm].parted_answers[k]);
                }
        }
        wl_l2_free(l2);
        wl_l2_free(other);
    }
    wl_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_memory_answers_in_pairs),
        cmocka_unit_test(test_the_other_half_misses_half),
        cmocka_unit_test(test_writes_drop_stale_copies),
        cmocka_unit_test(test_dirty_share),
        cmocka_unit_test(test_a_copy_leaves_a_third),
        cmocka_unit_test(test_partial_sectors),
        cmocka_unit_test(test_atomics_by_sharers),
        cmocka_unit_test(test_atomics_of_a_slice),
        cmocka_unit_test(test_coalescer),
        cmocka_unit_test(test_reads_are_told_whence_they_come),
        cmocka_unit_test(test_cold_unless_kept),
        cmocka_unit_test(test_cold_forgets_open_lines),
        cmocka_unit_test(test_begins_with_little),
        cmocka_unit_test(test_merged_by_time),
        cmocka_unit_test(test_rows_are_opened),
        cmocka_unit_test(test_shards_do_not_matter),
        cmocka_unit_test(test_parts_do_not_matter),
        cmocka_unit_test(test_random_requests_against_reference),
        cmocka_unit_test(test_writes_put_off_count_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
