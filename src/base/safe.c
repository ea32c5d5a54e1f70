#include "base/safe.h"
#include "base/count.h"

size_t wl_safe_decode(const char *string, uint32_t *character)
{
    const unsigned char *bytes = (const unsigned char *)string;
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t form = 0; form < 4; form++) {
        if ((bytes[0] & forms[form].mask) != forms[form].lead)
            continue;
        uint32_t value = bytes[0] & (unsigned char)~forms[form].mask;
        for (size_t i = 1; i <= form; i++) {
            if ((bytes[i] & 0xc0) != 0x80)
                return 0;
            value = value << 6 | (bytes[i] & 0x3f);
        }
        if (value < forms[form].least || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
            return 0;
        *character = value;
        return form + 1;
    }
    return 0;
}

bool wl_safe_is_plain(uint32_t character)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},     {0x61c, 0x61c},
                  {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                  {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < WL_COUNT(ranges); i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return false;
    return true;
}

void wl_safe_add_escaped(uint32_t character, struct wl_text *out)
{
    if (character < 0x80)
        wl_text_addf(out, "\\x%02x", (unsigned)character);
    else
        wl_text_addf(out, character > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)character);
}

/* Up to the end of the string, or of the line where lines are kept; returns what follows. */
static const char *add_line(const char *string, bool keeps_lines, struct wl_text *out)
{
    size_t column = 0;
    while (*string != '\0' && !(keeps_lines && *string == '\n')) {
        uint32_t character = 0;
        size_t taken = wl_safe_decode(string, &character), before = out->length;
        if (character == '\t' && taken == 1) {
            do
                wl_text_add_char(out, ' ');
            while (++column % 4 != 0);
        } else if (taken == 0) {
            wl_text_addf(out, "\\x%02x", (unsigned)(unsigned char)*string);
            column += out->length - before;
            taken = 1;
        } else if (!wl_safe_is_plain(character)) {
            wl_safe_add_escaped(character, out);
            column += out->length - before;
        } else {
            wl_text_add_bytes(out, string, taken);
            column++;
        }
        string += taken;
    }
    return string;
}

void wl_safe_add(const char *string, struct wl_text *out)
{
    wl_text_add(out, "");
    add_line(string, false, out);
}

void wl_safe_add_lines(const char *string, struct wl_text *out)
{
    wl_text_add(out, "");
    while (*(string = add_line(string, true, out)) != '\0') {
        wl_text_add_char(out, '\n');
        string++;
    }
}

void wl_safe_add_valid(const char *string, struct wl_text *out)
{
    wl_text_add(out, "");
    while (*string != '\0') {
        uint32_t character = 0;
        size_t taken = wl_safe_decode(string, &character);
        if (taken == 0)
            wl_text_add(out, "\xef\xbf\xbd");
        else
            wl_text_add_bytes(out, string, taken);
        string += taken ? taken : 1;
    }
}
