/* Blocks keep what is in them whatever size they get, and are used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/metric/blocks.h"
#include "base/count.h"

static void fill(char *block, size_t bytes, unsigned value)
{
    for (size_t i = 0; i < bytes; i++)
        block[i] = (char)(value + i);
}

static void assert_filled(const char *block, size_t bytes, unsigned value)
{
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(block[i], (char)(value + i));
}

static void contents_stay(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,    15,   16,    17,    511,   512,   513,   640, 641,
                                   1024, 1025, 32767, 32768, 32769, 70000, 40000, 3};
    struct wl_blocks blocks = {0};
    char *kept[WL_COUNT(sizes)];
    for (size_t i = 0; i < WL_COUNT(sizes); i++) {
        char *block = NULL;
        size_t held = 0;
        for (size_t j = 0; j <= i; j++) {
            block = wl_blocks_resize(&blocks, block, held, sizes[j]);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 16, 0);
            assert_filled(block, held < sizes[j] ? held : sizes[j], (unsigned)i);
            fill(block, held = sizes[j], (unsigned)i);
        }
        kept[i] = block;
    }
    for (size_t i = 0; i < WL_COUNT(sizes); i++) /* nobody has written over another's */
        assert_filled(kept[i], sizes[i], (unsigned)i);
    wl_blocks_free(&blocks);
}

static void what_is_given_back_is_used_again(void **state)
{
    (void)state;
    struct wl_blocks blocks = {0};
    char *first = wl_blocks_resize(&blocks, NULL, 0, 100);
    assert_ptr_equal(wl_blocks_resize(&blocks, first, 100, 112), first); /* has room for it */
    assert_null(wl_blocks_resize(&blocks, first, 112, 0));
    assert_ptr_equal(wl_blocks_resize(&blocks, NULL, 0, 97), first);
    assert_null(wl_blocks_resize(&blocks, NULL, 0, 0));
    wl_blocks_free(&blocks);
}

/* A sandbox that goes frees what its Lua holds, large tables and texts too (seen by the leak
 * checker): in any order of giving back. */
static void all_is_freed(void **state)
{
    (void)state;
    struct wl_blocks blocks = {0};
    void *large[4];
    for (size_t i = 0; i < WL_COUNT(large); i++)
        large[i] = wl_blocks_resize(&blocks, NULL, 0, 100000 + i);
    wl_blocks_resize(&blocks, large[1], 100001, 0);
    large[2] = wl_blocks_resize(&blocks, large[2], 100002, 900000);
    wl_blocks_resize(&blocks, large[3], 100003, 0);
    for (size_t i = 0; i < 100000; i++)
        assert_non_null(wl_blocks_resize(&blocks, NULL, 0, 1 + i % 90));
    wl_blocks_free(&blocks);
    assert_null(blocks.pieces);
    assert_null(blocks.large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_stay),
        cmocka_unit_test(what_is_given_back_is_used_again),
        cmocka_unit_test(all_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
