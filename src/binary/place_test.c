#include "binary/place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

static uint32_t line_of_call;

static __attribute__((noinline)) uintptr_t return_address(void)
{
    return (uintptr_t)__builtin_return_address(0);
}

static __attribute__((noinline)) uintptr_t call_here(void)
{
    line_of_call = __LINE__ + 1;
    uintptr_t address = return_address();
    __asm__ volatile("" ::: "memory"); /* no tail call */
    return address;
}

static void a_call_has_its_line(void **state)
{
    (void)state;
    struct wl_source_place place;
    assert_true(wl_source_place_find(call_here() - 1, &place));
    assert_string_equal(place.function, "call_here");
    if (place.file) { /* these tests may be built without -g */
        assert_non_null(strstr(place.file, "place_test.c"));
        assert_int_equal(place.line, line_of_call);
    }
    wl_source_place_free(&place);
    assert_null(place.file);
}

static void what_is_no_code_has_no_place(void **state)
{
    (void)state;
    struct wl_source_place place;
    void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_false(wl_source_place_find((uintptr_t)page, &place));
    assert_false(wl_source_place_find(0, &place));
    assert_null(place.file);
    assert_null(place.function);
    munmap(page, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_has_its_line),
        cmocka_unit_test(what_is_no_code_has_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
