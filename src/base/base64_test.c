#include "base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The test vectors of RFC 4648, and bytes above 127. */
static void test_vectors(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xfe\xfb", "//77"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wl_text text = {0};
        wl_text_add(&text, "");
        wl_base64_add((const unsigned char *)cases[i][0], strlen(cases[i][0]), &text);
        assert_string_equal(text.data ? text.data : "", cases[i][1]);
        wl_text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
