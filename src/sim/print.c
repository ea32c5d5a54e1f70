/* Device printf, with the conversions that the CUDA programming guide lists; what it leaves open is
 * as an H100 has it (tests/ptx/print/). Texts are read as loads of the lane would read them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sim/found.h"
#include "sim/local.h"
#include "sim/print.h"

/* The programming guide's limit. */
#define ARGUMENTS_MAX 32
/* Characters of a text, and of a field: the buffer that hardware keeps for printf
 * (cudaLimitPrintfFifoSize). */
#define FIELD_MAX (1 << 20)

/* ---- memory as the lane sees it ---- */

struct lane {
    struct wl_warp *warp;
    const struct wl_op *op;
    uint32_t index;
};

/* Memory from an address on. count 0: outside, but in a page that is mapped: reads as zeros. */
struct span {
    const uint8_t *bytes;
    size_t count;
};

static struct span span_of(const uint8_t *base, uint64_t size, uint64_t offset)
{
    return offset < size ? (struct span){base + offset, (size_t)(size - offset)} : (struct span){0};
}

static struct span local_span(const struct wl_warp *warp, uint32_t lane, uint64_t offset)
{
    const struct wl_program *program = warp->worker->run->program;
    if (offset >= program->local_bytes)
        return (struct span){0};
    return (struct span){warp->local + wl_local_place(program, lane, offset),
                         (size_t)wl_local_run_bytes(program, offset)};
}

/* The rest of what the address lies in, or as much of it as lies together; without a word if it
 * lies nowhere. */
static struct span peek(const struct wl_warp *warp, uint64_t address, uint32_t lane)
{
    const struct wl_run *run = warp->worker->run;
    const uint64_t window = address & WL_WINDOW_MASK, offset = address & ~WL_WINDOW_MASK;
    if (window == WL_LOCAL_WINDOW)
        return local_span(warp, lane, offset);
    if (window == WL_SHARED_WINDOW)
        return span_of(warp->shared, run->shared_bytes, offset);
    const struct wl_finding_place place = wl_found_place(run, address, 1);
    if (place.where != WL_PLACE_ACROSS)
        return (struct span){0};
    return span_of((const uint8_t *)(uintptr_t)place.start, place.size_bytes,
                   address - place.start);
}

/* A byte that lies in nothing is read. False: the warp has faulted. */
static bool read_outside(const struct lane *lane, uint64_t address)
{
    const struct wl_run *run = lane->warp->worker->run;
    const uint64_t window = address & WL_WINDOW_MASK;
    uint64_t addresses[WL_LANES] = {0};
    addresses[lane->index] = window == WL_LOCAL_WINDOW ? address & ~WL_WINDOW_MASK : address;
    if (window == WL_LOCAL_WINDOW)
        return wl_found_beyond_local(lane->warp, lane->op, addresses, 1, WL_SITE_LOAD,
                                     (uint32_t)1 << lane->index);
    if (window != WL_SHARED_WINDOW)
        return wl_found_outside(lane->warp, lane->op, addresses, 1, WL_SITE_LOAD,
                                (uint32_t)1 << lane->index);
    lane->warp->active = (uint32_t)1 << lane->index;
    return wl_warp_fault(
               lane->warp, lane->op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
               "shared offset %" PRIu64 " (1 byte) is beyond the block's %" PRIu32 " bytes",
               (uint64_t)(address & ~WL_WINDOW_MASK), run->shared_bytes) != NULL;
}

static size_t length_in(struct span span, size_t limit)
{
    return strnlen((const char *)span.bytes, span.count < limit ? span.count : limit);
}

/* A text up to its NUL, at most FIELD_MAX characters. False: the warp has faulted. */
static bool read_text(const struct lane *lane, uint64_t address, struct wl_text *text)
{
    for (size_t total = 0; total < FIELD_MAX;) {
        const struct span span = peek(lane->warp, address + total, lane->index);
        const size_t length = span.count ? length_in(span, FIELD_MAX - total) : 0;
        if (!span.count)
            return read_outside(lane, address + total);
        wl_text_add_bytes(text, span.bytes, length);
        if (length < span.count)
            return true;
        total += length;
    }
    return true;
}

/* The arguments lie as vprintf's C layout has them, each aligned to its size. */
struct arguments {
    uint64_t address;
    uint32_t offset;
    int32_t count;
};

/* False: the warp has faulted. */
static bool next_argument(const struct lane *lane, struct arguments *arguments, uint32_t size_bytes,
                          uint64_t *bits)
{
    arguments->offset = (arguments->offset + size_bytes - 1) / size_bytes * size_bytes;
    const uint64_t address = arguments->address + arguments->offset;
    uint32_t there = 0;
    *bits = 0;
    for (struct span span; there < size_bytes; there += (uint32_t)span.count) {
        span = peek(lane->warp, address + there, lane->index);
        span.count = span.count < size_bytes - there ? span.count : size_bytes - there;
        if (!span.count)
            break;
        memcpy((uint8_t *)bits + there, span.bytes, span.count);
    }
    arguments->offset += size_bytes;
    arguments->count++;
    return there == size_bytes || read_outside(lane, address + there);
}

/* ---- conversions ---- */

struct conversion {
    char flags[8]; /* each at most once */
    bool has_precision, is_width_argument;
    int width, precision; /* at most FIELD_MAX */
    int longs;            /* of l, ll, z, j and t; -1, -2: h, hh */
    char letter;          /* 0: none that is known */
};

static const char *read_number(const char *at, int *number)
{
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        *number = *number * 10 + (*at - '0') < FIELD_MAX ? *number * 10 + (*at - '0') : FIELD_MAX;
    return at;
}

/* Reads what stands behind a '%'; returns what follows. */
static const char *read_conversion(const char *at, struct conversion *conversion)
{
    memset(conversion, 0, sizeof *conversion);
    for (; *at && strchr("#0- +", *at); at++)
        if (!strchr(conversion->flags, *at))
            conversion->flags[strlen(conversion->flags)] = *at;
    conversion->is_width_argument = *at == '*';
    at = *at == '*' ? at + 1 : read_number(at, &conversion->width);
    conversion->has_precision = *at == '.';
    if (*at == '.')
        at = read_number(at + 1, &conversion->precision);
    for (; *at == 'l' && conversion->longs < 2; at++)
        conversion->longs++;
    for (; *at == 'h' && conversion->longs <= 0 && conversion->longs > -2; at++)
        conversion->longs--;
    if (conversion->longs == 0 && *at && strchr("zjt", *at)) {
        conversion->longs = 2;
        at++;
    }
    conversion->letter = *at && strchr("cdiouxXpeEfFgGaAs%", *at) ? *at : '\0';
    return *at ? at + 1 : at;
}

static bool is_one_of(char letter, const char *letters)
{
    return strchr(letters, letter) != NULL;
}

/* Characters with blanks up to the width. */
static void add_padded(struct wl_text *out, const struct conversion *conversion, const char *bytes,
                       size_t length)
{
    const size_t width = (size_t)conversion->width;
    const bool is_left = is_one_of('-', conversion->flags);
    for (size_t i = length; i < width && !is_left; i++)
        wl_text_add_char(out, ' ');
    wl_text_add_bytes(out, bytes, length);
    for (size_t i = length; i < width && is_left; i++)
        wl_text_add_char(out, ' ');
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void add_number(struct wl_text *out, const struct conversion *conversion, uint64_t bits)
{
    static const char *const sizes[] = {"hh", "h", "", "l", "ll"};
    const bool is_float = is_one_of(conversion->letter, "eEfFgGaA");
    const char *size = is_float || conversion->letter == 'p' ? "" : sizes[conversion->longs + 2];
    char width[16] = "", precision[16] = "", format[64];
    double value;
    if (conversion->width)
        snprintf(width, sizeof width, "%d", conversion->width);
    if (conversion->has_precision)
        snprintf(precision, sizeof precision, ".%d", conversion->precision);
    snprintf(format, sizeof format, "%%%s%s%s%s%c", conversion->flags, width, precision, size,
             conversion->letter);
    memcpy(&value, &bits, sizeof value);
    if (is_float)
        wl_text_addf(out, format, value);
    else if (conversion->letter == 'p')
        wl_text_addf(out, format, (void *)(uintptr_t)bits);
    else if (conversion->longs > 0)
        wl_text_addf(out, format, bits);
    else
        wl_text_addf(out, format, (uint32_t)bits);
}

static bool add_text(const struct lane *lane, struct wl_text *out,
                     const struct conversion *conversion, uint64_t address)
{
    struct wl_text text = {0};
    const size_t limit = conversion->has_precision ? (size_t)conversion->precision : FIELD_MAX;
    bool is_good = true;
    if (address)
        is_good = read_text(lane, address, &text);
    else if (limit >= strlen("(null)")) /* as the C library has it */
        wl_text_add(&text, "(null)");
    add_padded(out, conversion, text.data ? text.data : "",
               text.length < limit ? text.length : limit);
    wl_text_free(&text);
    return is_good;
}

static bool add_conversion(const struct lane *lane, struct wl_text *out,
                           struct conversion *conversion, struct arguments *arguments)
{
    uint64_t bits = 0;
    if (conversion->is_width_argument) {
        if (!next_argument(lane, arguments, 4, &bits))
            return false;
        int64_t width = (int32_t)bits;
        if (width < 0 && !is_one_of('-', conversion->flags))
            conversion->flags[strlen(conversion->flags)] = '-';
        width = width < 0 ? -width : width;
        conversion->width = width < FIELD_MAX ? (int)width : FIELD_MAX;
    }
    const bool is_wide = is_one_of(conversion->letter, "eEfFgGaAps") ||
                         (conversion->longs > 0 && conversion->letter != 'c');
    if (!next_argument(lane, arguments, is_wide ? 8 : 4, &bits))
        return false;
    if (conversion->letter == 's')
        return add_text(lane, out, conversion, bits);
    if (conversion->letter == 'c')
        add_padded(out, conversion, &(const char){(char)bits}, 1);
    else
        add_number(out, conversion, bits);
    return true;
}

/* False: the warp has faulted. */
static bool add_all(const struct lane *lane, const char *format, struct arguments *arguments,
                    struct wl_text *out)
{
    while (*format) {
        const char *start = format++;
        if (*start != '%') {
            wl_text_add_char(out, *start);
            continue;
        }
        struct conversion conversion;
        format = read_conversion(format, &conversion);
        const int needed = 1 + conversion.is_width_argument;
        if (conversion.letter == '%')
            wl_text_add_char(out, '%');
        else if (!conversion.letter || arguments->count + needed > ARGUMENTS_MAX)
            wl_text_add_bytes(out, start, (size_t)(format - start));
        else if (!add_conversion(lane, out, &conversion, arguments))
            return false;
    }
    return true;
}

/* ---- what the executor calls ---- */

bool wl_print_run(struct wl_warp *warp, const struct wl_op *op, uint32_t lane_index,
                  uint64_t format, uint64_t argument_address, int32_t *result)
{
    const struct wl_sim_options *options = warp->worker->run->options;
    const struct lane lane = {warp, op, lane_index};
    struct arguments arguments = {.address = argument_address};
    struct wl_text text = {0}, out = {0};
    bool is_good = !format || read_text(&lane, format, &text);
    if (is_good && text.length)
        is_good = add_all(&lane, text.data, &arguments, &out);
    if (is_good && out.length && options->print)
        options->print(options->print_self, out.data, out.length);
    else if (is_good && out.length)
        fwrite(out.data, 1, out.length, stdout);
    *result = format ? arguments.count : -1;
    wl_text_free(&text);
    wl_text_free(&out);
    return is_good;
}

const char *wl_print_peek(const struct wl_warp *warp, uint32_t lane, uint64_t address,
                          size_t *length)
{
    const struct span span = peek(warp, address, lane);
    *length = span.count ? length_in(span, FIELD_MAX) : 0;
    return (const char *)span.bytes;
}
