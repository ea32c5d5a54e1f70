#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdalign.h>
#include <string.h>

#include "base/arena.h"

static void blocks_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct wl_arena arena = {0};
    char *previous = NULL;
    for (size_t size = 0; size < 3000; size += 7) {
        char *block = wl_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)block % alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(block[i], 0);
        assert_non_null(block);
        memset(block, 0x5a, size);
        if (previous && size > 7)
            assert_int_equal(previous[size - 8], 0x5a);
        previous = block;
    }
    wl_arena_free(&arena);
    assert_null(arena.blocks);
}

static void large_blocks_leave_the_current_one_in_use(void **state)
{
    (void)state;
    struct wl_arena arena = {0};
    char *first = wl_arena_alloc(&arena, 16);
    char *large = wl_arena_alloc(&arena, 1 << 20);
    char *second = wl_arena_alloc(&arena, 16);
    large[(1 << 20) - 1] = 1;
    assert_ptr_equal(second, first + 16);
    wl_arena_free(&arena);
}

static void copies_have_the_same_content(void **state)
{
    (void)state;
    struct wl_arena arena = {0};
    const int numbers[] = {3, 1, 4, 1, 5};
    const int *copy = wl_arena_copy(&arena, numbers, 5, sizeof *numbers);
    assert_memory_equal(copy, numbers, sizeof numbers);
    assert_string_equal(wl_arena_string(&arena, "abcdef", 3), "abc");
    assert_string_equal(wl_arena_string(&arena, "", 0), "");
    assert_null(wl_arena_copy(&arena, numbers, 0, sizeof *numbers));
    assert_null(wl_arena_array(&arena, 0, 8));
    wl_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_apart),
        cmocka_unit_test(large_blocks_leave_the_current_one_in_use),
        cmocka_unit_test(copies_have_the_same_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
