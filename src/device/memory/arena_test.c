#include "device/memory/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BASE ((uint64_t)0x210000000000)
#define MIB ((uint64_t)1 << 20)

static struct wl_device_arena arena;

static int open_arena(void **state)
{
    (void)state;
    return wl_device_arena_open(&arena, BASE, 64 * MIB) ? 0 : -1;
}

static int close_arena(void **state)
{
    (void)state;
    wl_device_arena_close(&arena);
    return 0;
}

static uint64_t take(uint64_t bytes)
{
    return wl_device_arena_allocate(&arena, bytes, 2, 0);
}

static void allocations_stand_where_the_driver_puts_them(void **state)
{
    (void)state;
    assert_int_equal(arena.base, BASE);
    assert_int_equal(take(1), BASE);
    assert_int_equal(take(513), BASE + 512);
    assert_int_equal(take(100), BASE + 1536);
    assert_int_equal(take(3 * MIB), BASE + 2 * MIB); /* pages of its own */
    assert_int_equal(take(100), BASE + 2048);        /* small ones fill the first page */
    assert_int_equal(arena.committed_bytes, 6 * MIB);
}

static void freed_room_is_joined_and_used_again(void **state)
{
    (void)state;
    uint64_t a = take(2 * MIB), b = take(2 * MIB), c = take(2 * MIB), d = take(2 * MIB);
    wl_device_arena_free(&arena, b);
    wl_device_arena_free(&arena, c);
    assert_int_equal(arena.committed_bytes, 4 * MIB);
    assert_int_equal(take(4 * MIB), b);
    wl_device_arena_free(&arena, a);
    wl_device_arena_free(&arena, d);
    wl_device_arena_free(&arena, b);
    assert_int_equal(arena.committed_bytes, 0);
    assert_int_equal(arena.vacant.count, 1);
    assert_int_equal(take(64 * MIB), BASE);
}

static void a_full_arena_gives_nothing(void **state)
{
    (void)state;
    assert_int_equal(take(65 * MIB), 0);
    assert_int_equal(take(62 * MIB), BASE);
    assert_int_equal(take(4 * MIB), 0);
    assert_int_not_equal(take(2 * MIB), 0);
    assert_int_equal(take(1), 0);
    assert_int_equal(take(0), 0);
}

static void pages_given_back_read_zero(void **state)
{
    (void)state;
    uint64_t first = take(2 * MIB);
    memset((void *)(uintptr_t)first, 7, 2 * MIB);
    wl_device_arena_free(&arena, first);
    assert_int_equal(take(2 * MIB), first);
    assert_int_equal(*(unsigned char *)(uintptr_t)first, 0);
}

static void addresses_find_their_allocation(void **state)
{
    (void)state;
    uint64_t a = take(100), b = take(100);
    assert_int_equal(wl_device_arena_find(&arena, a + 99)->start, a);
    assert_int_equal(wl_device_arena_find(&arena, b)->start, b);
    assert_int_equal(wl_device_arena_find(&arena, b)->size_bytes, 100);
    assert_null(wl_device_arena_find(&arena, b + 512));
    assert_null(wl_device_arena_find(&arena, BASE - 1));
    wl_device_arena_free(&arena, a);
    assert_null(wl_device_arena_find(&arena, a));
}

static void ranges_are_whole_pages_and_merged(void **state)
{
    (void)state;
    struct wl_device_ranges ranges = {0};
    take(100);
    take(2 * MIB);
    uint64_t hole = take(2 * MIB);
    take(2 * MIB);
    wl_device_arena_free(&arena, hole);
    wl_device_arena_list_ranges(&arena, &ranges);
    assert_int_equal(ranges.count, 2);
    assert_int_equal(ranges.items[0].start, BASE);
    assert_int_equal(ranges.items[0].end, BASE + 4 * MIB);
    assert_int_equal(ranges.items[1].start, BASE + 6 * MIB);
    assert_int_equal(ranges.items[1].end, BASE + 8 * MIB);
    free(ranges.items);
}

static void a_taken_place_moves_the_arena(void **state)
{
    (void)state;
    struct wl_device_arena second;
    assert_true(wl_device_arena_open(&second, BASE, 4 * MIB));
    assert_int_not_equal(second.base, BASE);
    assert_int_equal(second.base % WL_DEVICE_PAGE_BYTES, 0);
    uint64_t start = wl_device_arena_allocate(&second, 4 * MIB, 1, 0);
    assert_int_equal(start, second.base);
    memset((void *)(uintptr_t)start, 1, 4 * MIB);
    wl_device_arena_close(&second);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        TEST(allocations_stand_where_the_driver_puts_them),
        TEST(freed_room_is_joined_and_used_again),
        TEST(a_full_arena_gives_nothing),
        TEST(pages_given_back_read_zero),
        TEST(addresses_find_their_allocation),
        TEST(ranges_are_whole_pages_and_merged),
        TEST(a_taken_place_moves_the_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
