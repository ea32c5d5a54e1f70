/* How numbers, units and hostile texts are written. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "show/format/format.h"
#include "show/format/table.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void is_text(struct wl_text *text, const char *expected)
{
    assert_string_equal(text->data ? text->data : "", expected);
    wl_text_free(text);
}

static void numbers_for_people(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {7, "7"},
        {999, "999"},
        {1000, "1,000"},
        {-1234567, "-1,234,567"},
        {9.728355, "9.73"},
        {1.5, "1.50"},
        {123456.789, "123,456.79"},
        {0.0049, "0.0049"},
        {0.00012345, "0.000123"},
        {-0.001, "-0.001"},
        {0.01, "0.01"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wl_text text = {0};
        wl_format_number(cases[i].value, &text);
        is_text(&text, cases[i].text);
    }
}

static void numbers_for_programs(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {9867264, "9867264"},
                 {9007199254740991, "9007199254740991"},
                 {0.1, "0.1"},
                 {100.0 / 3, "33.333333333333336"},
                 {-2.5, "-2.5"},
                 {1e20, "1e+20"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wl_text text = {0};
        wl_format_plain(cases[i].value, &text);
        is_text(&text, cases[i].text);
    }
}

static void metrics_scale_where_asked(void **state)
{
    (void)state;
    struct wl_text number = {0}, unit = {0};
    struct wl_metric_value value = {.is_present = true, .number = 65536, .unit = "byte"};
    wl_format_metric(&value, WL_UNITS_AUTO, &number, &unit);
    is_text(&number, "65.54");
    is_text(&unit, "Kbyte");
    wl_format_metric(&value, WL_UNITS_BASE, &number, &unit);
    is_text(&number, "65,536");
    is_text(&unit, "byte");
    value.number = 31e6;
    wl_format_metric(&value, WL_UNITS_AUTO, &number, &unit);
    is_text(&number, "31.00");
    is_text(&unit, "Mbyte");
    value.is_present = false;
    wl_format_metric(&value, WL_UNITS_AUTO, &number, &unit);
    is_text(&number, "n/a");
    is_text(&unit, "byte");
}

static void control_characters_are_shown(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *safe, *csv, *utf8;
    } cases[] = {
        {"plain", "plain", "\"plain\"", "plain"},
        {"", "", "\"\"", ""},
        {"a\tb", "a   b", "\"a\tb\"", "a\tb"},
        {"\t\tx", "        x", "\"\t\tx\"", "\t\tx"},
        {"\x1b[31m", "\\x1b[31m", "\"\\x1b[31m\"", "\x1b[31m"},
        {"a\nb\r", "a\\x0ab\\x0d", "\"a\\x0ab\\x0d\"", "a\nb\r"},
        {"say \"hi\"", "say \"hi\"", "\"say \"\"hi\"\"\"", "say \"hi\""},
        {"\xc3\xa9", "\xc3\xa9", "\"\xc3\xa9\"", "\xc3\xa9"},
        {"\xff", "\\xff", "\"\xef\xbf\xbd\"", "\xef\xbf\xbd"},
        {"\xc3", "\\xc3", "\"\xef\xbf\xbd\"", "\xef\xbf\xbd"},
        /* too long a form of '/', a surrogate, beyond the last character */
        {"\xc0\xaf", "\\xc0\\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
         "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
         "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
         "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
        /* C1 control, change of writing direction, tag character */
        {"\xc2\x9b", "\\u009b", "\"\\u009b\"", "\xc2\x9b"},
        {"\xe2\x80\xae", "\\u202e", "\"\\u202e\"", "\xe2\x80\xae"},
        {"\xf3\xa0\x80\x81", "\\U000e0001", "\"\\U000e0001\"", "\xf3\xa0\x80\x81"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct wl_text text = {0};
        wl_format_safe(cases[i].raw, &text);
        is_text(&text, cases[i].safe);
        wl_format_csv(cases[i].raw, &text);
        is_text(&text, cases[i].csv);
        wl_format_utf8(cases[i].raw, &text);
        is_text(&text, cases[i].utf8);
    }
}

static void text_is_wrapped(void **state)
{
    (void)state;
    struct wl_text text = {0};
    wl_format_wrap("  Note: ", "one two three four", 20, &text);
    is_text(&text, "  Note: one two\n        three four\n");
    wl_format_wrap("", "a-word-longer-than-the-line b", 10, &text);
    is_text(&text, "a-word-longer-than-the-line\nb\n");
    wl_format_wrap("x ", "", 10, &text);
    is_text(&text, "x \n");
}

static void tables_are_as_wide_as_their_cells(void **state)
{
    (void)state;
    struct wl_table table = {0};
    struct wl_text text = {0};
    wl_table_add_column(&table, "Name", true);
    wl_table_add_column(&table, "Value", false);
    wl_table_add_cell(&table, "caf\xc3\xa9 au lait");
    wl_table_add_cell(&table, "1");
    wl_table_add_cell(&table, "tea");
    wl_table_add_cell(&table, "1,234,567");
    assert_int_equal(wl_table_rows(&table), 2);
    wl_table_print(&table, 2, &text);
    is_text(&text, "  ------------ ---------\n"
                   "  Name             Value\n"
                   "  ------------ ---------\n"
                   "  caf\xc3\xa9 au lait         1\n"
                   "  tea          1,234,567\n"
                   "  ------------ ---------\n");
    wl_table_free(&table);
}

static void names_are_shortened_in_the_middle(void **state)
{
    (void)state;
    struct wl_text text = {0};
    wl_text_add(&text, "void gemm<8>(int)");
    wl_format_shorten_middle(&text, 17);
    is_text(&text, "void gemm<8>(int)");
    wl_text_add(&text, "void gemm<8>(int)");
    wl_format_shorten_middle(&text, 10);
    is_text(&text, "void...nt)");
    wl_text_add(&text, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    wl_format_shorten_middle(&text, 7);
    is_text(&text, "\xc3\xa9\xc3\xa9...\xc3\xa9\xc3\xa9");
}

/* A name, a number with a rank, two without. */
static void make_wide(struct wl_table *table)
{
    wl_table_add_column(table, "Kernel", true);
    wl_table_add_column(table, "Block", false);
    table->columns[1].leaves = 1;
    wl_table_add_column(table, "Excess Sectors  ", false);
    wl_table_add_column(table, "Hits", false);
    wl_table_add_cell(table, "a_kernel_with_a_long_name");
    wl_table_add_cell(table, "(1, 1, 1)");
    wl_table_add_cell(table, "100% =");
    wl_table_add_cell(table, "5");
}

static void prints_in(size_t width, const char *expected, const char *expected_left_out)
{
    struct wl_table table = {0};
    struct wl_text text = {0}, left_out = {0};
    make_wide(&table);
    wl_table_fit(&table, width, &left_out);
    wl_table_print(&table, 0, &text);
    for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= width);
    is_text(&text, expected);
    wl_text_add(&left_out, "");
    is_text(&left_out, expected_left_out);
    wl_table_free(&table);
}

static void wide_tables_give_way(void **state)
{
    (void)state;
    prints_in(60,
              "------------------------- --------- ---------------- ----\n"
              "Kernel                        Block Excess Sectors   Hits\n"
              "------------------------- --------- ---------------- ----\n"
              "a_kernel_with_a_long_name (1, 1, 1)           100% =    5\n"
              "------------------------- --------- ---------------- ----\n",
              "");
    prints_in(50,
              "------------------------- --------- --------- ----\n"
              "                                     Excess\n"
              "Kernel                        Block Sectors   Hits\n"
              "------------------------- --------- --------- ----\n"
              "a_kernel_with_a_long_name (1, 1, 1)    100% =    5\n"
              "------------------------- --------- --------- ----\n",
              "");
    prints_in(40,
              "------------------------- --------- ----\n"
              "                           Excess\n"
              "Kernel                    Sectors   Hits\n"
              "------------------------- --------- ----\n"
              "a_kernel_with_a_long_name    100% =    5\n"
              "------------------------- --------- ----\n",
              "Block");
    prints_in(26,
              "---------------- ---------\n"
              "                  Excess\n"
              "Kernel           Sectors\n"
              "---------------- ---------\n"
              "a_kerne...g_name    100% =\n"
              "---------------- ---------\n",
              "Block, Hits");
    prints_in(16,
              "----------------\n"
              "Kernel\n"
              "----------------\n"
              "a_kerne...g_name\n"
              "----------------\n",
              "Block, Hits, Excess Sectors");
}

static void sentences_are_broken(void **state)
{
    (void)state;
    struct wl_table table = {0};
    struct wl_text text = {0}, left_out = {0};
    wl_table_add_column(&table, "ID", false);
    wl_table_add_column(&table, "What", true);
    table.columns[1].gives = WL_TABLE_WRAPPED;
    wl_table_add_cell(&table, "1");
    wl_table_add_cell(&table, "a sentence that is long, and_a_word_that_is_longer_than_a_line");
    wl_table_fit(&table, 27, &left_out);
    wl_table_print(&table, 0, &text);
    is_text(&text, "-- ------------------------\n"
                   "ID What\n"
                   "-- ------------------------\n"
                   " 1 a sentence that is long,\n"
                   "   and_a_word_that_is_longe\n"
                   "   r_than_a_line\n"
                   "-- ------------------------\n");
    assert_int_equal(left_out.length, 0);
    wl_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_for_people),
        cmocka_unit_test(numbers_for_programs),
        cmocka_unit_test(metrics_scale_where_asked),
        cmocka_unit_test(control_characters_are_shown),
        cmocka_unit_test(text_is_wrapped),
        cmocka_unit_test(tables_are_as_wide_as_their_cells),
        cmocka_unit_test(names_are_shortened_in_the_middle),
        cmocka_unit_test(wide_tables_give_way),
        cmocka_unit_test(sentences_are_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
