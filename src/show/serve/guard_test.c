#include "show/serve/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_hosts(void **state)
{
    (void)state;
    static const char *const good[] = {"127.0.0.1", "127.0.0.1:80", "localhost:65535", "[::1]:9",
                                       "localhost"};
    static const char *const bad[] = {"",
                                      "evil.example",
                                      "127.0.0.1.evil.example",
                                      "localhost.evil.example:80",
                                      "localhost:",
                                      "localhost:80@evil.example",
                                      "127.0.0.1:80 evil",
                                      "evil.example:127.0.0.1",
                                      "0.0.0.0:80",
                                      "[::1].evil:80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(wl_guard_allows_host(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(wl_guard_allows_host(bad[i]));
    assert_false(wl_guard_allows_host(NULL));
}

static void test_origins(void **state)
{
    (void)state;
    assert_true(wl_guard_allows_origin(NULL, "localhost:1"));
    assert_true(wl_guard_allows_origin("http://localhost:1", "localhost:1"));
    assert_false(wl_guard_allows_origin("http://localhost:2", "localhost:1"));
    assert_false(wl_guard_allows_origin("https://localhost:1", "localhost:1"));
    assert_false(wl_guard_allows_origin("http://evil.example", "localhost:1"));
    assert_false(wl_guard_allows_origin("null", "localhost:1"));
    assert_false(wl_guard_allows_origin("", "localhost:1"));
}

/* A token is good once; what it gives is the key, which nothing else is. */
static void test_secrets(void **state)
{
    (void)state;
    struct wl_guard guard;
    char token[WL_SERVE_SECRET_LENGTH + 1], key[WL_SERVE_SECRET_LENGTH + 1] = "", header[64];
    assert_true(wl_guard_init(&guard));
    wl_guard_token(&guard, token);
    assert_false(wl_guard_redeem(&guard, "", key));
    assert_false(wl_guard_redeem(&guard, "00000000000000000000000000000000", key));
    assert_string_equal(key, "");
    assert_true(wl_guard_redeem(&guard, token, key));
    assert_false(wl_guard_redeem(&guard, token, key));
    snprintf(header, sizeof header, "Bearer %s", key);
    assert_true(wl_guard_allows_key(&guard, header));
    assert_false(wl_guard_allows_key(&guard, key));
    assert_false(wl_guard_allows_key(&guard, NULL));
    assert_false(wl_guard_allows_key(&guard, "Bearer "));
    header[7] = header[7] == '0' ? '1' : '0';
    assert_false(wl_guard_allows_key(&guard, header));
    wl_guard_free(&guard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hosts), cmocka_unit_test(test_origins),
                                       cmocka_unit_test(test_secrets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
