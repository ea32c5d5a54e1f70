#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/count.h"
#include "collect/python_lines.h"

/* Tables that CPython made of one function of 159 lines, and what it says of them (co_lines(), for
 * 3.9 dis.findlinestarts()): from which offset on the code is of which line. */
struct start {
    size_t offset_bytes;
    int line;
};
static const struct row {
    const char *version;
    enum wl_python_lines form;
    size_t size_bytes, code_bytes, start_count;
    uint8_t table[80];
    struct start starts[16];
} rows[] = {
    {"3.9",
     WL_PYTHON_LINES_PAIRS,
     18,
     36,
     8,
     {0, 1, 2, 1, 2, 255, 4, 3, 4, 1, 8, 1, 2, 255, 8, 127, 0, 25},
     {{0, 2}, {2, 3}, {4, 2}, {8, 5}, {12, 6}, {20, 7}, {22, 6}, {30, 158}}},
    {"3.10",
     WL_PYTHON_LINES_RANGES,
     22,
     36,
     10,
     {2, 1, 2, 1, 4, 255, 4, 3, 8, 1, 2, 1, 8, 255, 0, 127, 2, 25, 2, 1, 2, 255},
     {{0, 2}, {2, 3}, {4, 2}, {8, 5}, {12, 6}, {20, 7}, {22, 6}, {30, 158}, {32, 159}, {34, 158}}},
    {"3.11",
     WL_PYTHON_LINES_LOCATIONS,
     71,
     56,
     11,
     {128, 0,   216, 9,   10,  216, 9,  10,  240, 3,   1,   9,  12,  128, 65,  240, 6, 0,
      8,   9,   240, 0,   2,   5,   18, 221, 12,  13,  136, 97, 144, 17,  240, 0,   1, 13,
      18,  216, 15,  16,  240, 3,   1,  13,  18,  240, 0,   1,  13,  18,  240, 0,   1, 13,
      18,  136, 1,   240, 112, 4,   0,  13,  14,  220, 13,  14, 240, 3,   1,   5,   16},
     {{0, 1},
      {2, 2},
      {4, 3},
      {6, 2},
      {10, 5},
      {14, 6},
      {32, 7},
      {34, 6},
      {42, 158},
      {44, 159},
      {54, 158}}},
    {"3.12",
     WL_PYTHON_LINES_LOCATIONS,
     58,
     64,
     11,
     {128, 0,  216, 9,   10, 216, 9,  10,  240, 3,  1,  9,   12,  128, 65, 241, 6, 0, 8,  9,
      220, 12, 13,  136, 97, 144, 17, 240, 0,   1,  13, 18,  216, 15,  16, 242, 3, 1, 13, 18,
      136, 1,  240, 112, 4,  0,   13, 14,  223, 13, 14, 137, 81,  240, 3,  1,   5, 16},
     {{0, 1},
      {2, 2},
      {4, 3},
      {6, 2},
      {10, 5},
      {14, 6},
      {30, 7},
      {32, 6},
      {40, 158},
      {42, 159},
      {62, 158}}},
    {"3.13",
     WL_PYTHON_LINES_LOCATIONS,
     56,
     72,
     11,
     {128, 0,   216, 9,   10,  216, 9,   10, 240, 3,  1,  9,   12, 128, 65,  246, 6, 0,  8,
      9,   220, 12,  13,  136, 97,  240, 0,  1,   13, 18, 216, 15, 16,  242, 3,   1, 13, 18,
      136, 1,   240, 112, 4,   0,   13,  14, 223, 13, 14, 137, 81, 240, 3,   1,   5, 16},
     {{0, 1},
      {2, 2},
      {4, 3},
      {6, 2},
      {10, 5},
      {24, 6},
      {38, 7},
      {40, 6},
      {48, 158},
      {50, 159},
      {70, 158}}},
};

static void lines_of_each_version(void **state)
{
    (void)state;
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        const struct row *row = &rows[i];
        size_t start = 0;
        for (size_t offset = 0; offset < row->code_bytes; offset += 2) {
            if (start + 1 < row->start_count && row->starts[start + 1].offset_bytes <= offset)
                start++;
            int line = wl_python_line(row->form, row->table, row->size_bytes, 1, offset);
            if (line != row->starts[start].line)
                fail_msg("%s: offset %zu is of line %d, not %d", row->version, offset,
                         row->starts[start].line, line);
        }
    }
}

static void broken_tables_are_not_read_beyond(void **state)
{
    (void)state;
    srand(1);
    for (size_t i = 0; i < 30000; i++) {
        size_t size = (size_t)rand() % 12;
        uint8_t *table = malloc(size ? size : 1); /* a sanitizer sees what is read behind it */
        assert_non_null(table);
        for (size_t at = 0; at < size; at++)
            table[at] = (uint8_t)rand();
        wl_python_line((enum wl_python_lines)(i % 3), table, size, 7, (size_t)rand() % 600);
        free(table);
    }
    assert_int_equal(wl_python_line(WL_PYTHON_LINES_LOCATIONS, NULL, 0, 7, 12), 7);
    assert_int_equal(wl_python_line(WL_PYTHON_LINES_RANGES, NULL, 0, 7, 12), 7);
    assert_int_equal(wl_python_line(WL_PYTHON_LINES_PAIRS, NULL, 0, 7, 12), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_each_version),
        cmocka_unit_test(broken_tables_are_not_read_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
