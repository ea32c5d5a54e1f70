#include "collect/python_lines.h"

/* What is read of a table; reading on behind its end gives zeros. */
struct cursor {
    const uint8_t *at, *end;
};

static uint8_t next_byte(struct cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at++ : 0;
}

/* ---- 3.9: how far the code goes on, and the lines ---- */

static int line_of_pairs(struct cursor cursor, int first_line, size_t offset)
{
    size_t code = 0;
    int line = first_line;
    while (cursor.end - cursor.at >= 2) {
        code += next_byte(&cursor);
        if (code > offset)
            break;
        line += (int8_t)next_byte(&cursor);
    }
    return line;
}

/* ---- 3.10: how long a range of the code is, and how far its line lies from that before ---- */

static int line_of_ranges(struct cursor cursor, int first_line, size_t offset)
{
    enum { no_line = -128 };
    size_t code = 0;
    int line = first_line;
    while (cursor.end - cursor.at >= 2) {
        code += next_byte(&cursor);
        int8_t step = (int8_t)next_byte(&cursor);
        if (step != no_line)
            line += step;
        if (code > offset)
            return step == no_line ? first_line : line;
    }
    return first_line;
}

/* ---- 3.11: entries of a kind and a length, with numbers of six bits a byte ---- */

static uint32_t next_number(struct cursor *cursor)
{
    uint32_t number = 0;
    for (unsigned shift = 0; shift < 32; shift += 6) {
        uint8_t byte = next_byte(cursor);
        number |= (uint32_t)(byte & 63) << shift;
        if (!(byte & 64))
            break;
    }
    return number;
}

static int next_signed(struct cursor *cursor)
{
    uint32_t number = next_number(cursor);
    return number & 1 ? -(int)(number >> 1) : (int)(number >> 1);
}

/* The kinds of entries of which something is asked; those below ONE_LINE are of the line before. */
enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NO_LOCATION = 15 };

static int line_step(struct cursor *cursor, unsigned kind)
{
    if (kind == LONG || kind == NO_COLUMNS)
        return next_signed(cursor);
    return kind >= ONE_LINE && kind < NO_COLUMNS ? (int)kind - ONE_LINE : 0;
}

static int line_of_locations(struct cursor cursor, int first_line, size_t offset)
{
    size_t code = 0;
    int line = first_line;
    while (cursor.at < cursor.end) {
        uint8_t head = next_byte(&cursor);
        unsigned kind = head >> 3 & 15;
        code += 2 * ((size_t)(head & 7) + 1);
        line += line_step(&cursor, kind);
        if (code > offset)
            return kind == NO_LOCATION ? first_line : line;
        while (cursor.at < cursor.end &&
               !(*cursor.at & 128)) /* the next one begins with that bit */
            cursor.at++;
    }
    return first_line;
}

int wl_python_line(enum wl_python_lines form, const uint8_t *table, size_t size_bytes,
                   int first_line, size_t offset_bytes)
{
    static int (*const forms[])(struct cursor, int, size_t) = {
        [WL_PYTHON_LINES_PAIRS] = line_of_pairs,
        [WL_PYTHON_LINES_RANGES] = line_of_ranges,
        [WL_PYTHON_LINES_LOCATIONS] = line_of_locations,
    };
    return forms[form]((struct cursor){table, table + size_bytes}, first_line, offset_bytes);
}
