/* The heap of kernels: what is allocated, freed, and lies between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim/heap.h"

static void test_blocks(void **state)
{
    (void)state;
    struct wl_heap *heap = wl_heap_create();
    assert_int_equal(wl_heap_allocate(heap, 0, 0), 0);
    assert_false(wl_heap_has(heap, 0x1000, 4));
    assert_int_equal(wl_heap_allocate(heap, WL_HEAP_BYTES, 0), 0);
    uint64_t a = wl_heap_allocate(heap, 40, 0), b = wl_heap_allocate(heap, 8, 0);
    assert_int_equal(a % 16, 0);
    assert_true(wl_heap_has(heap, a, 40));
    assert_true(wl_heap_has(heap, b, 1 << 20)); /* mapped, though given to nobody */
    assert_int_equal(wl_heap_nearest(heap, b + 4096).start, b);
    assert_false(wl_heap_has(heap, b, WL_HEAP_BYTES));
    assert_false(wl_heap_has(heap, a - 64, 64));
    struct wl_heap_block block = wl_heap_nearest(heap, a + 39);
    assert_int_equal(block.start, a);
    assert_int_equal(block.size_bytes, 40);
    assert_false(block.is_freed);
    assert_int_equal(wl_heap_nearest(heap, a + 41).start, a); /* behind it */
    assert_int_equal(wl_heap_nearest(heap, b - 1).start, b);  /* before it */
    assert_int_equal(wl_heap_nearest(heap, a - 16).start, a); /* nothing is before the first */
    wl_heap_free(heap);
}

static void test_release(void **state)
{
    (void)state;
    struct wl_heap *heap = wl_heap_create();
    uint64_t a = wl_heap_allocate(heap, 100, 0), b = wl_heap_allocate(heap, 100, 0);
    assert_true(wl_heap_release(heap, 0));
    assert_false(wl_heap_release(heap, a + 4));
    assert_false(wl_heap_release(heap, 64));
    assert_true(wl_heap_release(heap, a));
    assert_false(wl_heap_release(heap, a));
    assert_true(wl_heap_nearest(heap, a).is_freed);
    assert_int_equal(wl_heap_allocate(heap, 90, 0), a); /* of the same size class */
    assert_int_equal(wl_heap_nearest(heap, a).size_bytes, 90);
    assert_true(wl_heap_release(heap, b));
    wl_heap_free(heap);
}

static void test_full(void **state)
{
    (void)state;
    struct wl_heap *heap = wl_heap_create();
    const uint64_t quarter = WL_HEAP_BYTES / 4 - 16;
    uint64_t last = 0;
    for (int i = 0; i < 4; i++)
        assert_int_not_equal(last = wl_heap_allocate(heap, quarter, 0), 0);
    assert_int_equal(wl_heap_allocate(heap, 1, 0), 0);
    assert_true(wl_heap_release(heap, last));
    assert_int_equal(wl_heap_allocate(heap, quarter, 0), last);
    wl_heap_free(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_full),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
