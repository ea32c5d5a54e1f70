#include "sim/deal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BLOCK_INSTRUCTIONS = 1000 };

/* Runs up to `blocks` blocks of a hand one by one; returns the last, or `none`. */
static uint64_t run_blocks(struct wl_hand *hand, uint32_t blocks, uint64_t none)
{
    for (uint64_t block; blocks-- > 0 && wl_hand_take(hand, &block);) {
        none = block;
        wl_hand_end(hand, BLOCK_INSTRUCTIONS, hand->room_at + BLOCK_INSTRUCTIONS);
    }
    return none;
}

/* Every block is dealt once, each SM's in ascending order, whatever the pace of the SMs. */
static void deal_all(uint64_t total, uint32_t sms, uint32_t resident, const uint32_t *pace,
                     bool is_ahead)
{
    struct wl_deal deal;
    unsigned char *seen = calloc(total, 1);
    uint64_t done = 0;
    wl_deal_begin(&deal, total, sms, resident);
    deal.is_ahead = is_ahead;
    for (int round = 0; done < total; round++) {
        assert_true(round < 10000);
        wl_deal_round(&deal);
        for (uint32_t sm = 0; sm < sms; sm++) {
            uint64_t block, last = 0;
            for (uint32_t i = 0; i < pace[sm] && wl_hand_take(&deal.hands[sm], &block); i++) {
                assert_true(block < total && !seen[block]);
                assert_true(i == 0 || block > last);
                last = block;
                seen[block] = 1;
                done++;
                wl_hand_end(&deal.hands[sm], BLOCK_INSTRUCTIONS, done);
            }
        }
    }
    assert_false(wl_deal_round(&deal));
    wl_deal_end(&deal);
    free(seen);
}

static void test_every_block_once(void **state)
{
    (void)state;
    for (int is_ahead = 0; is_ahead < 2; is_ahead++) {
        deal_all(1, 1, 1, (const uint32_t[]){1}, is_ahead);
        deal_all(1000, 4, 2, (const uint32_t[]){1, 2, 3, 50}, is_ahead);
        deal_all(3, 3, 8, (const uint32_t[]){5, 5, 5}, is_ahead);
        deal_all(5000, 2, 16, (const uint32_t[]){1000, 1}, is_ahead);
    }
}

/* Blocks that differ stop an SM where it has room, unless it is dealt ahead whatever they are. */
static void test_ahead(void **state)
{
    (void)state;
    for (int is_ahead = 0; is_ahead < 2; is_ahead++) {
        struct wl_deal deal;
        uint64_t block;
        wl_deal_begin(&deal, 1000, 2, 4);
        deal.is_ahead = is_ahead;
        assert_true(wl_deal_round(&deal));
        for (uint32_t sm = 0; sm < 2; sm++)
            for (uint32_t i = 0; i < 4; i++) {
                assert_true(wl_hand_take(&deal.hands[sm], &block));
                wl_hand_end(&deal.hands[sm], 100 + 1000 * i, i);
            }
        assert_true(wl_deal_round(&deal));
        assert_int_equal(deal.hands[0].count, is_ahead ? 12 : 4);
        wl_deal_end(&deal);
    }
}

/* The first blocks go round the SMs, so that neighbours get neighbours, as many as there is room
 * for. */
static void test_first_round(void **state)
{
    (void)state;
    struct wl_deal deal;
    uint64_t block;
    wl_deal_begin(&deal, 100, 4, 2);
    assert_true(wl_deal_round(&deal));
    for (uint32_t sm = 0; sm < 4; sm++) {
        for (uint64_t k = 0; k < 2; k++) {
            assert_true(wl_hand_take(&deal.hands[sm], &block));
            assert_int_equal(block, sm + 4 * k);
        }
        assert_false(wl_hand_take(&deal.hands[sm], &block));
    }
    assert_false(wl_deal_is_requested(&deal));
    wl_deal_end(&deal);
}

/* Among blocks that differ the next goes to the SM that had room first, none ahead of room. */
static void test_order_of_room(void **state)
{
    (void)state;
    struct wl_deal deal;
    uint64_t block;
    wl_deal_begin(&deal, 100, 4, 1);
    wl_deal_round(&deal);
    for (uint32_t sm = 0; sm < 4; sm++)
        assert_true(wl_hand_take(&deal.hands[sm], &block));
    deal.hands[1].issued = 5000; /* and its block runs on */
    wl_hand_end(&deal.hands[3], 10, 10);
    wl_hand_end(&deal.hands[0], 40, 40);
    wl_hand_end(&deal.hands[2], 20, 20);
    assert_true(wl_deal_is_requested(&deal));
    wl_deal_round(&deal);
    const uint32_t order[] = {3, 2, 0};
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(wl_hand_take(&deal.hands[order[i]], &block));
        assert_int_equal(block, 4 + i);
        assert_false(wl_hand_take(&deal.hands[order[i]], &block));
    }
    assert_false(wl_hand_take(&deal.hands[1], &block));
    assert_false(wl_deal_is_requested(&deal));
    wl_deal_end(&deal);
}

/* Of blocks that are alike, an SM that ends three times as many is dealt about as many more, and no
 * SM gets far behind the block that is next. */
static void test_pace(void **state)
{
    (void)state;
    struct wl_deal deal;
    uint64_t oldest = 0;
    wl_deal_begin(&deal, 100000, 2, 4);
    for (int round = 0; round < 50; round++) {
        wl_deal_round(&deal);
        run_blocks(&deal.hands[0], 60, 0);
        oldest = run_blocks(&deal.hands[1], 20, oldest);
        assert_true(deal.next - oldest < 300);
    }
    assert_true(deal.next > 40 * 75);
    wl_deal_end(&deal);
}

/* How many blocks the SMs are dealt when `odd` blocks of 400 that have ended, a hundred an SM, took
 * `instructions`. */
static uint32_t deal_after(uint32_t odd, uint64_t instructions)
{
    struct wl_deal deal;
    uint64_t block;
    wl_deal_begin(&deal, 10000, 4, 100);
    wl_deal_round(&deal);
    for (uint32_t i = 0; i < 400; i++) {
        struct wl_hand *hand = &deal.hands[i % 4];
        assert_true(wl_hand_take(hand, &block));
        wl_hand_end(hand, i < odd ? instructions : BLOCK_INSTRUCTIONS, i);
        hand->issued = hand->ended;
    }
    wl_deal_round(&deal);
    const uint32_t dealt = (uint32_t)deal.next - 400;
    wl_deal_end(&deal);
    return dealt;
}

/* A few blocks that end early do not keep SMs from being dealt more than they have room for; many,
 * or one that takes longer, do. */
static void test_border(void **state)
{
    (void)state;
    assert_int_equal(deal_after(0, 0), 4 * 300);
    assert_int_equal(deal_after(15, BLOCK_INSTRUCTIONS * 3 / 4), 4 * 300);
    assert_int_equal(deal_after(17, BLOCK_INSTRUCTIONS * 3 / 4), 4 * 100);
    assert_int_equal(deal_after(400, BLOCK_INSTRUCTIONS * 3 / 4), 4 * 300);
    assert_int_equal(deal_after(1, BLOCK_INSTRUCTIONS * 3 / 2), 4 * 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_block_once),
        cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_first_round),
        cmocka_unit_test(test_order_of_room),
        cmocka_unit_test(test_pace),
        cmocka_unit_test(test_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
