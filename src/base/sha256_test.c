#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void hash_gives(const char *text, size_t piece, const char *expected)
{
    struct wl_sha256 hash;
    char hex[WL_SHA256_HEX_LENGTH + 1];
    wl_sha256_begin(&hash);
    for (size_t at = 0, length = strlen(text); at < length; at += piece)
        wl_sha256_add(&hash, text + at, length - at < piece ? length - at : piece);
    wl_sha256_end(&hash, hex);
    assert_string_equal(hex, expected);
}

/* the examples of FIPS 180-4 */
static void published_examples(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 70; piece++) {
        hash_gives("", piece, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        hash_gives("abc", piece,
                   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        hash_gives("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", piece,
                   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        hash_gives("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                   piece, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    }
}

static void a_million_letters(void **state)
{
    (void)state;
    struct wl_sha256 hash;
    char hex[WL_SHA256_HEX_LENGTH + 1], letters[1000];
    memset(letters, 'a', sizeof letters);
    wl_sha256_begin(&hash);
    for (int i = 0; i < 1000; i++)
        wl_sha256_add(&hash, letters, sizeof letters);
    wl_sha256_end(&hash, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/wl-sha256-XXXXXX", hex[WL_SHA256_HEX_LENGTH + 1];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, "abc", 3), 3);
    close(descriptor);
    assert_int_equal(wl_sha256_file(path, hex, NULL), WL_OK);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    unlink(path);
    struct wl_error error = {0};
    assert_int_equal(wl_sha256_file("/no/such/file", hex, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "cannot open /no/such/file: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(a_million_letters),
        cmocka_unit_test(a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
