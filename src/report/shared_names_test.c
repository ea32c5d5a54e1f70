/* Names that several things share are known, whichever came first; one thing that comes twice
 * shares its name with nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/shared_names.h"

static void names_of_several_things_are_shared(void **state)
{
    (void)state;
    struct wl_shared_names names = {0};
    wl_shared_names_add(&names, "tile", "void tile<8>(int)");
    wl_shared_names_add(&names, "scale", "scale(float *)");
    wl_shared_names_add(&names, "scale", "scale(float *)");
    assert_false(wl_shared_names_is_shared(&names, "tile"));
    wl_shared_names_add(&names, "tile", "void tile<4>(int)");
    wl_shared_names_add(&names, "tile", "void tile<4>(int)");
    assert_true(wl_shared_names_is_shared(&names, "tile"));
    assert_false(wl_shared_names_is_shared(&names, "scale"));
    assert_false(wl_shared_names_is_shared(&names, "nobody"));
    wl_shared_names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_several_things_are_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
