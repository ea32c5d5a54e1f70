/* Device printf: the format is walked on the host; arguments lie as vprintf's C layout has them,
 * each aligned to its size. */
#include "sim/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define WIDTH_MAX 4096 /* of a conversion, and its precision */

/* One conversion: flags, width and precision as C has them, and its letter. */
struct conversion {
    char text[40];
    char letter;
    int longs; /* l, ll, z, j, t count as 2; h as -1 */
};

/* What it reads from: the arguments, and where addresses among them lead. */
struct source {
    wl_print_find find;
    const void *self;
    struct wl_print_memory arguments;
    uint64_t at; /* bytes of them that were read */
};

int wl_print_length(struct wl_print_memory memory, const char *other)
{
    const uint64_t most = memory.left < INT32_MAX ? memory.left : INT32_MAX;
    return (int)(memory.left ? strnlen((const char *)memory.bytes, most) : strlen(other));
}

const char *wl_print_text(struct wl_print_memory memory, const char *other)
{
    return memory.left ? (const char *)memory.bytes : other;
}

/* A width or precision; what is greater than any line is cut. */
static const char *read_number(const char *format, char *text)
{
    char *end;
    unsigned long number = strtoul(format, &end, 10);
    snprintf(text + strlen(text), 8, "%u", (unsigned)(number < WIDTH_MAX ? number : WIDTH_MAX));
    return end;
}

static const char *read_conversion(const char *format, struct conversion *conversion)
{
    memset(conversion, 0, sizeof *conversion);
    conversion->text[0] = *format++;
    for (; *format && strchr("-+ #0", *format); format++)
        if (!strchr(conversion->text + 1, *format))
            conversion->text[strlen(conversion->text)] = *format;
    if (*format >= '1' && *format <= '9')
        format = read_number(format, conversion->text);
    if (*format == '.') {
        conversion->text[strlen(conversion->text)] = *format++;
        if (*format >= '0' && *format <= '9')
            format = read_number(format, conversion->text);
    }
    while (*format && !strchr("diouxXcsfFeEgGaAp%", *format)) {
        if (strchr("lzjt", *format))
            conversion->longs += *format == 'l' ? 1 : 2;
        format++;
    }
    conversion->letter = *format;
    return *format ? format + 1 : format;
}

/* False: they end before. */
static bool read_argument(struct source *source, size_t size, uint64_t *bits)
{
    const uint64_t at = (source->at + size - 1) / size * size;
    if (at > source->arguments.left || source->arguments.left - at < size)
        return false;
    memcpy(bits, source->arguments.bytes + at, size);
    source->at = at + size;
    return true;
}

/* Puts what C's printf wants between the flags and the end: a length and the letter. */
static const char *finish(struct conversion *conversion, const char *length)
{
    const size_t used = strlen(conversion->text);
    snprintf(conversion->text + used, sizeof conversion->text - used, "%s%c", length,
             conversion->letter);
    return conversion->text;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* The string's characters, which need not end. */
static void add_string(struct wl_text *out, struct conversion *conversion,
                       const struct source *source, uint64_t address)
{
    const struct wl_print_memory memory = source->find(source->self, address);
    char *copy = wl_string_copy_length(wl_print_text(memory, "(null)"),
                                       (size_t)wl_print_length(memory, "(null)"));
    wl_text_addf(out, finish(conversion, ""), copy);
    free(copy);
}

static bool add_conversion(struct wl_text *out, struct conversion *conversion,
                           struct source *source)
{
    bool is_wide = conversion->longs > 0 || strchr("fFeEgGaAps", conversion->letter);
    uint64_t bits = 0;
    if (!read_argument(source, is_wide ? 8 : 4, &bits))
        return false;
    if (strchr("fFeEgGaA", conversion->letter)) {
        double value;
        memcpy(&value, &bits, sizeof value);
        wl_text_addf(out, finish(conversion, ""), value);
    } else if (conversion->letter == 's') {
        add_string(out, conversion, source, bits);
    } else if (conversion->letter == 'p') {
        wl_text_addf(out, finish(conversion, ""), (void *)(uintptr_t)bits);
    } else if (conversion->letter == 'c') {
        wl_text_addf(out, finish(conversion, ""), (int)bits);
    } else {
        bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
        long long value = is_wide || !is_signed ? (long long)bits : (long long)(int32_t)bits;
        wl_text_addf(out, finish(conversion, "ll"), value);
    }
    return true;
}

void wl_print_format(const struct wl_run *run, wl_print_find find, const void *self,
                     uint64_t format, uint64_t arguments)
{
    struct wl_text out = {0};
    struct source source = {.find = find, .self = self, .arguments = find(self, arguments)};
    const struct wl_print_memory memory = find(self, format);
    char *copy =
        wl_string_copy_length(wl_print_text(memory, ""), (size_t)wl_print_length(memory, ""));
    bool is_good = true;
    for (const char *at = copy; *at && is_good;) {
        if (*at != '%') {
            wl_text_add_char(&out, *at++);
            continue;
        }
        struct conversion conversion;
        at = read_conversion(at, &conversion);
        if (conversion.letter == '%')
            wl_text_add_char(&out, '%');
        else if (conversion.letter && source.arguments.left)
            is_good = add_conversion(&out, &conversion, &source);
    }
    free(copy);
    if (out.length && run->options->print)
        run->options->print(run->options->print_self, out.data, out.length);
    else if (out.length)
        fwrite(out.data, 1, out.length, stdout);
    wl_text_free(&out);
}
