/* Device printf: the format is walked on the host; arguments lie as vprintf's C layout has them,
 * each aligned to its size. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/state.h"

/* One conversion: the specification's text up to its letter. */
struct conversion {
    char text[32];
    char letter;
    int longs; /* l, ll, z, j, t count as 2; h as -1 */
};

static const char *read_conversion(const char *format, struct conversion *conversion)
{
    size_t used = 0;
    memset(conversion, 0, sizeof *conversion);
    conversion->text[used++] = *format++;
    while (*format && !strchr("diouxXcsfFeEgGaAp%", *format)) {
        if (strchr("lzjt", *format))
            conversion->longs += *format == 'l' ? 1 : 2;
        else if (*format != 'h' && used < sizeof conversion->text - 5)
            conversion->text[used++] = *format;
        format++;
    }
    conversion->letter = *format;
    return *format ? format + 1 : format;
}

static const uint8_t *align_argument(const uint8_t *base, const uint8_t *at, size_t size)
{
    size_t offset = (size_t)(at - base);
    return base + (offset + size - 1) / size * size;
}

static void add_conversion(struct wl_text *out, struct conversion *conversion, const uint8_t *base,
                           const uint8_t **at)
{
    size_t used = strlen(conversion->text);
    bool is_wide = conversion->longs > 0 || strchr("fFeEgGaAps", conversion->letter);
    size_t size = is_wide ? 8 : 4;
    uint64_t bits = 0;
    *at = align_argument(base, *at, size);
    memcpy(&bits, *at, size);
    *at += size;
    if (strchr("fFeEgGaA", conversion->letter)) {
        double value;
        memcpy(&value, &bits, sizeof value);
        conversion->text[used] = conversion->letter;
        wl_text_addf(out, conversion->text, value);
    } else if (conversion->letter == 's') {
        conversion->text[used] = 's';
        wl_text_addf(out, conversion->text, bits ? (const char *)(uintptr_t)bits : "(null)");
    } else if (conversion->letter == 'p') {
        conversion->text[used] = 'p';
        wl_text_addf(out, conversion->text, (void *)(uintptr_t)bits);
    } else if (conversion->letter == 'c') {
        conversion->text[used] = 'c';
        wl_text_addf(out, conversion->text, (int)bits);
    } else {
        memcpy(conversion->text + used, "ll", 2);
        conversion->text[used + 2] = conversion->letter;
        bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
        long long value = is_wide || !is_signed ? (long long)bits : (long long)(int32_t)bits;
        wl_text_addf(out, conversion->text, value);
    }
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

void wl_print_format(const struct wl_run *run, const char *format, const uint8_t *arguments)
{
    struct wl_text out = {0};
    const uint8_t *at = arguments;
    while (*format) {
        if (*format != '%') {
            wl_text_add_char(&out, *format++);
            continue;
        }
        struct conversion conversion;
        format = read_conversion(format, &conversion);
        if (conversion.letter == '%')
            wl_text_add_char(&out, '%');
        else if (conversion.letter && at)
            add_conversion(&out, &conversion, arguments, &at);
    }
    if (out.length && run->options->print)
        run->options->print(run->options->print_self, out.data, out.length);
    else if (out.length)
        fwrite(out.data, 1, out.length, stdout);
    wl_text_free(&out);
}
