/* Sums that SMs keep come in the order of blocks, a block's in its own, in however many steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sim/sums.h"

enum { SMS = 5, BLOCKS = 70000, CELLS = 3, RESIDENT = 4 };

struct bench {
    struct wl_sm sms[SMS];
    struct wl_hand hands[SMS];
    float cells[CELLS];
    double wide;
    uint32_t random;
    struct wl_sums sums;
};

static uint32_t draw(struct bench *bench, uint32_t below)
{
    bench->random = bench->random * 1664525 + 1013904223;
    return (bench->random >> 8) % below;
}

static int set_up(void **state)
{
    struct bench *bench = wl_alloc_aligned(WL_APART, sizeof *bench);
    bench->random = 7;
    for (uint32_t i = 0; i < SMS; i++) {
        bench->sms[i].hand = &bench->hands[i];
        bench->sms[i].cta_count = RESIDENT;
        bench->sms[i].ctas = wl_alloc_zero(RESIDENT, sizeof *bench->sms[i].ctas);
    }
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    for (uint32_t i = 0; i < SMS; i++) {
        free(bench->sms[i].kept.items);
        free(bench->sms[i].ctas);
    }
    wl_sums_end(&bench->sums);
    free(bench);
    return 0;
}

static void keep(struct bench *bench, uint32_t sm, uint64_t block, float value)
{
    struct wl_kept kept = {(uint64_t)(uintptr_t)&bench->cells[draw(bench, CELLS)], 0, block};
    memcpy(&kept.operand, &value, sizeof value);
    if (draw(bench, 4) == 0) {
        const double wide = value;
        memcpy(&kept.operand, &wide, sizeof wide);
        kept.place = (uint64_t)(uintptr_t)&bench->wide + 1;
    }
    WL_PUSH(&bench->sms[sm].kept, kept);
}

/* What is to come of all that the SMs keep: block after block, each on one SM. */
static void add_plainly(const struct bench *bench, uint64_t blocks, float cells[CELLS],
                        double *wide)
{
    size_t at[SMS] = {0};
    for (uint64_t block = 0; block < blocks; block++) {
        const uint32_t sm = (uint32_t)block % SMS;
        for (;
             at[sm] < bench->sms[sm].kept.count && bench->sms[sm].kept.items[at[sm]].block == block;
             at[sm]++) {
            const struct wl_kept *kept = &bench->sms[sm].kept.items[at[sm]];
            float value;
            double of_double;
            memcpy(&value, &kept->operand, sizeof value);
            memcpy(&of_double, &kept->operand, sizeof of_double);
            if (kept->place & 1)
                *wide += of_double;
            else
                cells[(float *)(uintptr_t)kept->place - bench->cells] += value;
        }
    }
}

/* Sums of all sizes, whose order shows; the SMs have their blocks in the order of their numbers. */
static void keep_blocks(struct bench *bench, uint64_t first, uint64_t end)
{
    for (uint64_t block = first; block < end; block++)
        for (uint32_t i = draw(bench, 5); i > 0; i--)
            keep(bench, (uint32_t)block % SMS, block,
                 (float)(1 + draw(bench, 1000)) * (draw(bench, 2) ? 1e-3F : -3e4F));
}

static void blocks_follow_each_other(void **state)
{
    struct bench *bench = *state;
    float cells[CELLS] = {0};
    double wide = 0;
    keep_blocks(bench, 0, BLOCKS);
    add_plainly(bench, BLOCKS, cells, &wide);
    wl_sums_add(&bench->sums, bench->sms, SMS, 40000);
    for (uint32_t i = 0; i < SMS; i++)
        for (size_t k = 0; k < bench->sms[i].kept.count; k++)
            assert_true(bench->sms[i].kept.items[k].block >= 40000);
    wl_sums_add(&bench->sums, bench->sms, SMS, UINT64_MAX);
    wl_sums_add(&bench->sums, bench->sms, SMS, UINT64_MAX);
    assert_memory_equal(bench->cells, cells, sizeof cells);
    assert_memory_equal(&bench->wide, &wide, sizeof wide);
}

/* The SM still runs block 301, and has 302 and 303 in hand; of those before, all have ended. */
static void unfinished_blocks_wait(void **state)
{
    struct bench *bench = *state;
    uint64_t in_hand[] = {302, 303};
    bench->sms[2].ctas[3].is_live = true;
    bench->sms[2].ctas[3].linear = 301;
    bench->hands[4].blocks = in_hand;
    bench->hands[4].count = 2;
    keep_blocks(bench, 0, 400);
    wl_sums_relieve(&bench->sums, bench->sms, SMS, 400);
    size_t kept = 0;
    for (uint32_t i = 0; i < SMS; i++)
        kept += bench->sms[i].kept.count;
    assert_true(kept > 400); /* few need not be added yet */
    for (uint32_t i = 0; i < 1 << 20; i++)
        keep(bench, 1, 17, 1);
    wl_sums_relieve(&bench->sums, bench->sms, SMS, 400);
    kept = 0;
    for (uint32_t i = 0; i < SMS; i++)
        for (size_t k = 0; k < bench->sms[i].kept.count; k++, kept++)
            assert_true(bench->sms[i].kept.items[k].block >= 301);
    assert_true(kept > 0);
    for (uint32_t i = 0; i < 1 << 20; i++)
        keep(bench, 1, 350, 1);
    wl_sums_relieve(&bench->sums, bench->sms, SMS, 400);
    assert_true(bench->sums.most > 2 << 20); /* what waits is not looked at each time */
    wl_sums_add(&bench->sums, bench->sms, SMS, UINT64_MAX);
    bench->sms[2].ctas[3].is_live = false;
    keep_blocks(bench, 300, 400);
    for (uint32_t i = 0; i < 3 << 20; i++)
        keep(bench, 1, 301, 1);
    wl_sums_relieve(&bench->sums, bench->sms, SMS, 400);
    for (uint32_t i = 0; i < SMS; i++)
        for (size_t k = 0; k < bench->sms[i].kept.count; k++)
            assert_true(bench->sms[i].kept.items[k].block >= 302);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {TEST(blocks_follow_each_other),
                                       TEST(unfinished_blocks_wait)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
