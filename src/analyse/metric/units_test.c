#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/metric/units.h"
#include "base/count.h"

static void values_scale_by_thousands(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *unit;
        double scaled;
        const char *scaled_unit;
    } cases[] = {
        {65536, "byte", 65.536, "Kbyte"},
        {8192, "byte/block", 8.192, "Kbyte/block"},
        {999, "byte", 999, "byte"},
        {1000, "byte", 1, "Kbyte"},
        {0, "byte/block", 0, "byte/block"},
        {31e6, "byte", 31, "Mbyte"},
        {71.76e9, "byte/s", 71.76, "Gbyte/s"},
        {5e15, "byte", 5000, "Tbyte"},
        {504928, "ns", 504.928, "us"},
        {3e12, "ns", 3000, "s"},
        {1.98e9, "hz", 1.98, "Ghz"},
        {-2500, "byte", -2.5, "Kbyte"},
        {123456, "inst", 123456, "inst"},
        {123456, "", 123456, ""},
        {2000, "bytes", 2000, "bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double scaled = 0;
        char unit[32];
        bool is_scaled = wl_unit_scale(cases[i].value, cases[i].unit, &scaled, unit, sizeof unit);
        assert_true(scaled > cases[i].scaled - 1e-9 && scaled < cases[i].scaled + 1e-9);
        assert_string_equal(unit, cases[i].scaled_unit);
        assert_int_equal(is_scaled, strcmp(cases[i].unit, cases[i].scaled_unit) != 0);
    }
}

static void numbers_are_read_with_their_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        const char *unit; /* NULL: none; "" : refused */
    } cases[] = {
        {"700000", 700000, NULL},
        {"4us", 4000, "ns"},
        {"4 us", 4000, "ns"},
        {"1.5Gbyte", 1.5e9, "byte"},
        {"2KiB", 2048, "byte"},
        {"2 MB", 2e6, "byte"},
        {"80%", 80, "%"},
        {"1.98GHz", 1.98e9, "hz"},
        {"1e3ms", 1e9, "ns"},
        {"-3us", -3000, "ns"},
        {"", 0, ""},
        {"us", 0, ""},
        {"4parsec", 0, ""},
        {"4us2", 0, ""},
        {"nan", 0, ""},
        {"inf", 0, ""},
    };
    for (size_t i = 0; i < WL_COUNT(cases); i++) {
        double value = 0;
        const char *unit = "";
        bool is_read = wl_unit_read(cases[i].text, &value, &unit);
        assert_int_equal(is_read, !cases[i].unit || *cases[i].unit);
        if (!is_read)
            continue;
        assert_true(value > cases[i].value - 1e-6 && value < cases[i].value + 1e-6);
        if (cases[i].unit)
            assert_string_equal(unit, cases[i].unit);
        else
            assert_null(unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_scale_by_thousands),
                                       cmocka_unit_test(numbers_are_read_with_their_unit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
