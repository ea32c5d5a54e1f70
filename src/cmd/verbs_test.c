/* The tables of all verbs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/verbs.h"

static void a_letter_is_one_option(void **state)
{
    (void)state;
    size_t letters = 0;
    for (size_t i = 0; wl_verbs[i]; i++) {
        const char *names[UINT8_MAX + 1] = {0};
        if (!wl_verbs[i]->tables)
            continue;
        struct wl_option_cursor at = wl_options_first(wl_verbs[i]->tables);
        for (; at.row; wl_options_next(&at)) {
            uint8_t letter = (uint8_t)at.row->letter;
            if (!letter)
                continue;
            if (names[letter])
                fail_msg("%s: -%c is --%s and --%s", wl_verbs[i]->name, letter, names[letter],
                         at.row->name);
            names[letter] = at.row->name;
            letters++;
        }
    }
    assert_true(letters > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_is_one_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
