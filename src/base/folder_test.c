#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/folder.h"

static void the_way_from_one_folder_to_another(void **state)
{
    static const struct {
        const char *from, *to, *way;
    } cases[] = {
        {"/a/b", "/a/c/d", "../c/d"}, {"/a/b", "/a/b", "."},      {"/a/b", "/a/b/c", "c"},
        {"/a/b/c", "/a", "../.."},    {"/a/b", "/a/bc", "../bc"}, {"/a/bc", "/a/b", "../b"},
        {"/", "/a/b", "a/b"},         {"/a/b", "/", "../.."},     {"/", "/", "."},
        {"/a b/c", "/x", "../../x"},
    };
    (void)state;
    for (size_t i = 0; i < WL_COUNT(cases); i++) {
        char *way = wl_path_relative(cases[i].from, cases[i].to);
        assert_string_equal(way, cases[i].way);
        free(way);
    }
}

static void libraries_are_found_from_a_folder_of_the_build(void **state)
{
    char *folder = wl_path_library_folder("libwarplens-cairo.so");
    char *none = wl_path_library_folder("libwarplens-none.so");
    (void)state;
    assert_string_equal(folder, WL_BUILD_DIR "/lib");
    assert_null(none);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_from_one_folder_to_another),
        cmocka_unit_test(libraries_are_found_from_a_folder_of_the_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
