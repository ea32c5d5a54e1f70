/* The wheel of cycles beside a plain list of when each slot wakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timing/wake.h"

static uint64_t earliest(const uint64_t *at, uint32_t count)
{
    uint64_t first = WAKE_NEVER;
    for (uint32_t i = 0; i < count; i++)
        first = at[i] < first ? at[i] : first;
    return first;
}

/* Sleeps of all lengths, by 64 slots: each wakes when its cycle has come, no sooner, and the next
 * cycle in which one does is known. */
static void wakes_in_time(void **state)
{
    static struct wake wake;
    uint64_t at[WAKE_SLOTS], random = 12345;
    (void)state;
    wake_init(&wake);
    for (uint32_t slot = 0; slot < WAKE_SLOTS; slot++) {
        at[slot] = 1 + slot * slot;
        wake_set(&wake, slot, at[slot]);
    }
    for (int turn = 0; turn < 100000; turn++) {
        uint64_t now = earliest(at, WAKE_SLOTS), expected = 0;
        for (uint32_t slot = 0; slot < WAKE_SLOTS; slot++)
            expected |= (uint64_t)(at[slot] == now) << slot;
        assert_int_equal(wake_next(&wake), now);
        assert_int_equal(wake_advance(&wake, now), expected);
        for (; expected; expected &= expected - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(expected);
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            at[slot] = now + 1 + (random >> 40) % (UINT64_C(1) << (random >> 33) % 12);
            wake_set(&wake, slot, at[slot]);
        }
    }
}

static void open_slots_do_not_wake(void **state)
{
    static struct wake wake;
    (void)state;
    wake_init(&wake);
    assert_int_equal(wake_next(&wake), WAKE_NEVER);
    wake_set(&wake, 3, WAKE_NEVER);
    assert_int_equal(wake_next(&wake), WAKE_NEVER);
    wake_set(&wake, 5, 1000);
    assert_int_equal(wake_next(&wake), 1000);
    assert_int_equal(wake_advance(&wake, 1000), 1 << 5);
    assert_int_equal(wake_next(&wake), WAKE_NEVER);
}

/* A cycle that has gone by counts as the next. */
static void past_cycles_are_the_next(void **state)
{
    static struct wake wake;
    (void)state;
    wake_init(&wake);
    wake_set(&wake, 0, 200);
    assert_int_equal(wake_advance(&wake, 200), 1);
    wake_set(&wake, 0, 17);
    assert_int_equal(wake.at[0], 17);
    assert_int_equal(wake_next(&wake), 201);
    assert_int_equal(wake_advance(&wake, 201), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wakes_in_time),
        cmocka_unit_test(open_slots_do_not_wake),
        cmocka_unit_test(past_cycles_are_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
