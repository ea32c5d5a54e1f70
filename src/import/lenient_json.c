#include "import/lenient_json.h"

#include <string.h>

#include "base/count.h"
#include "base/safe.h"

/* raw.data ends with a 0 byte. */
struct scan {
    const char *next, *end;
    struct wl_text *out;
    size_t depth;
    bool begins_with_list;
};

static void copy_string(struct scan *scan)
{
    wl_text_add_char(scan->out, *scan->next++);
    while (scan->next < scan->end && *scan->next != '"') {
        uint32_t character = 0;
        size_t length = wl_safe_decode(scan->next, &character);
        bool is_escape = *scan->next == '\\' && scan->next + 1 < scan->end;
        if (length == 0 || character < ' ') {
            wl_text_add(scan->out, length ? " " : "\xef\xbf\xbd");
            scan->next++;
        } else {
            wl_text_add_bytes(scan->out, scan->next, is_escape ? 2 : length);
            scan->next += is_escape ? 2 : length;
        }
    }
    if (scan->next < scan->end)
        wl_text_add_char(scan->out, *scan->next++);
}

static const char *skip_spaces(const char *next, const char *end)
{
    while (next < end && strchr(" \t\r\n", *next) && *next)
        next++;
    return next;
}

/* Numbers that JSON does not have; false where there is none. */
static bool take_number(struct scan *scan)
{
    static const char *const words[] = {"-Infinity", "Infinity", "-NaN", "NaN",
                                        "-inf",      "inf",      "nan"};
    for (size_t i = 0; i < WL_COUNT(words); i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->next) >= length &&
            strncmp(scan->next, words[i], length) == 0) {
            wl_text_add(scan->out, "null");
            scan->next += length;
            return true;
        }
    }
    return false;
}

static void copy_other(struct scan *scan)
{
    const char *behind = skip_spaces(scan->next + 1, scan->end);
    bool is_last = behind == scan->end;
    char character = *scan->next;
    if (character == '[' || character == '{') {
        scan->depth++;
    } else if ((character == ']' || character == '}') && scan->depth) {
        scan->depth--;
    } else if (character == ',' && (is_last || *behind == ']' || *behind == '}')) {
        character = ' ';
    } else if (take_number(scan)) {
        return;
    }
    wl_text_add_char(scan->out, character);
    scan->next++;
}

void wl_lenient_json(const struct wl_text *raw, struct wl_text *out, bool *is_open)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    struct scan scan = {.next = raw->data, .end = raw->data + raw->length, .out = out};
    if (raw->length >= 3 && memcmp(raw->data, byte_order_mark, 3) == 0)
        scan.next += 3;
    const char *first = skip_spaces(scan.next, scan.end);
    scan.begins_with_list = first < scan.end && *first == '[';
    while (scan.next < scan.end)
        if (*scan.next == '"')
            copy_string(&scan);
        else
            copy_other(&scan);
    *is_open = scan.begins_with_list && scan.depth == 1;
    if (*is_open)
        wl_text_add_char(out, ']');
}
