#include "show/format/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/units.h"
#include "base/memory.h"
#include "base/safe.h"

static const double largest_exact = 9007199254740992.0; /* 2^53 */

static bool is_whole(double value)
{
    return fabs(value) < largest_exact && value == floor(value);
}

void wl_format_grouped(const char *digits, struct wl_text *out)
{
    if (*digits == '-')
        wl_text_add_char(out, *digits++);
    size_t whole = strspn(digits, "0123456789");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            wl_text_add_char(out, ',');
        wl_text_add_char(out, digits[i]);
    }
    wl_text_add(out, digits + whole);
}

static void format_decimals(double value, bool keep_decimals, struct wl_text *out)
{
    char buffer[400];
    if (is_whole(value) && !keep_decimals)
        snprintf(buffer, sizeof buffer, "%.0f", value);
    else if (value != 0 && fabs(value) < 0.005)
        snprintf(buffer, sizeof buffer, "%.3g", value);
    else
        snprintf(buffer, sizeof buffer, "%.2f", value);
    wl_format_grouped(buffer, out);
}

void wl_format_number(double value, struct wl_text *out)
{
    format_decimals(value, false, out);
}

void wl_format_plain(double value, struct wl_text *out)
{
    char buffer[64];
    if (is_whole(value)) {
        snprintf(buffer, sizeof buffer, "%" PRId64, (int64_t)value);
    } else {
        snprintf(buffer, sizeof buffer, "%.15g", value);
        if (strtod(buffer, NULL) != value)
            snprintf(buffer, sizeof buffer, "%.17g", value);
    }
    wl_text_add(out, buffer);
}

void wl_format_metric(const struct wl_metric_value *value, enum wl_view_units units,
                      struct wl_text *number, struct wl_text *unit)
{
    char scaled_unit[64];
    double scaled = value->number;
    bool is_scaled = false;
    if (!value->is_present || value->text) {
        wl_format_safe(value->is_present ? value->text : "n/a", number);
        wl_format_safe(value->unit, unit);
        return;
    }
    if (units == WL_UNITS_AUTO) {
        is_scaled =
            wl_unit_scale(value->number, value->unit, &scaled, scaled_unit, sizeof scaled_unit);
        wl_format_safe(scaled_unit, unit);
    } else {
        wl_format_safe(value->unit, unit);
    }
    format_decimals(scaled, is_scaled, number);
}

void wl_format_safe(const char *string, struct wl_text *out)
{
    wl_safe_add(string, out);
}

void wl_format_utf8(const char *string, struct wl_text *out)
{
    wl_safe_add_valid(string, out);
}

void wl_format_csv(const char *string, struct wl_text *out)
{
    wl_text_add_char(out, '"');
    while (*string != '\0') {
        uint32_t character = 0;
        size_t taken = wl_safe_decode(string, &character);
        if (taken == 0)
            wl_text_add(out, "\xef\xbf\xbd");
        else if (character == '"')
            wl_text_add(out, "\"\"");
        else if (character != '\t' && !wl_safe_is_plain(character))
            wl_safe_add_escaped(character, out);
        else
            wl_text_add_bytes(out, string, taken);
        string += taken ? taken : 1;
    }
    wl_text_add_char(out, '"');
}

void wl_format_markup(const char *string, struct wl_text *out)
{
    static const char special[] = "&<>\"'";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    wl_text_add(out, "");
    for (;;) {
        size_t plain = strcspn(string, special);
        wl_text_add_bytes(out, string, plain);
        string += plain;
        if (*string == '\0')
            break;
        wl_text_add(out, escapes[strchr(special, *string++) - special]);
    }
}

size_t wl_format_width(const char *string)
{
    size_t width = 0;
    for (; *string != '\0'; string++)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

void wl_format_wrap(const char *prefix, const char *string, size_t width, struct wl_text *out)
{
    size_t indent = wl_format_width(prefix), column = indent;
    bool is_first = true;
    wl_text_add(out, prefix);
    while (*string != '\0') {
        size_t length = strcspn(string, " ");
        char *word = strndup(string, length);
        size_t columns = word ? wl_format_width(word) : 0;
        free(word);
        if (!is_first && column + 1 + columns > width) {
            wl_text_addf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            wl_text_add_char(out, ' ');
            column++;
        }
        wl_text_add_bytes(out, string, length);
        column += columns;
        is_first = false;
        string += length;
        string += strspn(string, " ");
    }
    wl_text_add_char(out, '\n');
}

/* Where the character begins that stands after so many columns of a safe text. */
static size_t find_column(const char *text, size_t columns)
{
    size_t at = 0;
    while (columns > 0 && text[at]) {
        do
            at++;
        while (((unsigned char)text[at] & 0xc0) == 0x80);
        columns--;
    }
    return at;
}

void wl_format_shorten_middle(struct wl_text *text, size_t limit)
{
    size_t width = text->data ? wl_format_width(text->data) : 0;
    if (width <= limit || limit < 4)
        return;
    size_t front = (limit - 3 + 1) / 2, back = limit - 3 - front;
    char *end = wl_string_copy(text->data + find_column(text->data, width - back));
    text->length = find_column(text->data, front);
    text->data[text->length] = '\0';
    wl_text_addf(text, "...%s", end);
    free(end);
}

void wl_format_shorten(struct wl_text *text, size_t limit)
{
    if (wl_format_width(text->data) <= limit)
        return;
    text->length = find_column(text->data, limit - 3);
    text->data[text->length] = '\0';
    wl_text_add(text, "...");
}
