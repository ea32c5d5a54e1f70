/* Test cases written as PTX: one kernel with its launch and what it must give in comments. Read by
 * src/sim/ptx_test.c (simulated) and tests/ptx/on_gpu.c (hardware); C library only.
 *
 *   //% grid 2 1 1                 default 1 1 1
 *   //% block 64 1 1               default 32 1 1
 *   //% shared 1024                dynamic shared memory
 *   //% gpu h200                   model GPU, default h200; its counts hold for that one only
 *   //% buffer a u32[32] = 1 2 3   memory; the last value repeats: "= 7" fills, "= i" counts from 0
 *   //% texture t a 4 4 0 u8 4 linear clamp   texture or surface object over a buffer whose rows
 *                                  lie side by side: width, height, depth (0: fewer dimensions),
 *                                  type and number of channels, then any of linear normalized float
 *                                  layered cube wrap clamp mirror border (colors 0.25 0.5 0.75 1)
 *   //% arg a                      a buffer's address, in the order of the kernel's parameters
 *   //% arg t                      a texture's handle
 *   //% arg u32 5                  or a number (u8 ... u64, s8 ... s64, f32, f64)
 *   //% expect a u32[32] = 1 2 3   what memory holds afterwards; a[8] starts at byte 8
 *   //% expect a f32[2] within 1e-6 1e-30 = 0.1 0.2   relative and absolute error allowed
 *   //% count NAME = 12            a counter's total
 *   //% prints TEXT                what the kernel prints, with \n for a new line, or a GPU for it
 * of a failed assertion
 *   //% characters 12             how many characters it prints, instead of which
 *   //% fails TEXT                 the launch (or lowering) fails with a message that contains
 * TEXT; addresses as in finds
 *   //% mapped                    what lies around the buffers in their 4 KiB is mapped, too
 *   //% unwritten a               nobody has written the buffer
 *   //% finds TEXT                a finding of a run with all checks, in order; {a+8} is an
 * address. Such a run finds nothing else
 *   //% ptxas no                   no code of today's targets: neither ptxas nor hardware takes it
 *
 * A file may hold several cases, each a module of its own behind a line "//% case NAME";
 * ptx_case_next.
 *
 * Numbers: decimal, 0x hex (bits, for floats too), "inf", "-inf", "nan" (any NaN when expected),
 * "_" (anything). f16 and bf16 values are written as
 * bits. */
#ifndef WL_SUPPORT_PTX_CASE_H
#define WL_SUPPORT_PTX_CASE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX_CASE_BUFFERS 20
#define PTX_CASE_TEXTURES 8
#define PTX_CASE_PAGE_BYTES 4096u
#define PTX_CASE_ARGUMENTS 32

struct ptx_case_buffer {
    char name[32];
    uint8_t *bytes; /* what it holds at first */
    size_t size_bytes;
};

struct ptx_case_texture {
    char name[32], type[8], words[80];
    int buffer;
    uint32_t width, height, depth, channels;
};

struct ptx_case_argument {
    int buffer; /* index, or -1: a number (of a texture: its index + 1) */
    uint64_t bits;
};

struct ptx_case {
    char gpu[32], fails[256], prints[512], entry[128];
    uint32_t grid[3], block[3], shared_bytes;
    size_t characters; /* 0: prints says which */
    struct ptx_case_buffer buffers[PTX_CASE_BUFFERS];
    int buffer_count;
    struct ptx_case_argument arguments[PTX_CASE_ARGUMENTS];
    int argument_count;
    struct ptx_case_texture textures[PTX_CASE_TEXTURES];
    int texture_count;
    bool is_refused; /* ptxas no */
    bool is_mapped;
    uint32_t unwritten; /* buffers, a bit each */
    char message[400];  /* of the first thing wrong, else empty */
};

/* A numbers' list: "u32[32] within 1e-6 0 = 1 2 3". */
struct ptx_case_array {
    char type[8];
    size_t width_bytes, count;
    uint64_t *bits;
    bool *is_nan, *is_any;
    double relative, absolute;
};

static inline uint64_t ptx_case_number(const char *word, const char *type, bool *is_nan)
{
    bool is_float = type[0] == 'f', is_double = strcmp(type, "f64") == 0;
    uint64_t bits = 0;
    *is_nan = strcmp(word, "nan") == 0;
    if (is_float && strcmp(type, "f16") && strncmp(word, "0x", 2) != 0) {
        double value = strtod(word, NULL);
        float single = (float)value;
        memcpy(&bits, is_double ? (void *)&value : (void *)&single, is_double ? 8 : 4);
        return bits;
    }
    return word[0] == '-' ? (uint64_t)strtoll(word, NULL, 0) : strtoull(word, NULL, 0);
}

/* Returns false if text is malformed. Free with ptx_case_array_free. */
static inline bool ptx_case_read_array(const char *text, struct ptx_case_array *array)
{
    unsigned count = 0;
    int used = 0;
    *array = (struct ptx_case_array){0};
    if (sscanf(text, " %7[a-z0-9][%u] %n", array->type, &count, &used) != 2 || used == 0)
        return false;
    text += used;
    if (sscanf(text, "within %lf %lf %n", &array->relative, &array->absolute, &used) == 2)
        text += used;
    if (*text != '=')
        return false;
    const char *type = array->type;
    array->width_bytes = strstr(type, "64")   ? 8
                         : strstr(type, "32") ? 4
                         : strstr(type, "16") ? 2
                                              : 1;
    array->count = count;
    array->bits = calloc(count + 1, sizeof *array->bits);
    array->is_nan = calloc(count + 1, sizeof *array->is_nan);
    array->is_any = calloc(count + 1, sizeof *array->is_any);
    char word[40] = "0";
    for (size_t i = 0; i < count; i++) {
        used = 0;
        char next[40];
        if (sscanf(text + 1, "%39s%n", next, &used) == 1) {
            memcpy(word, next, sizeof word);
            text += used;
        }
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        bool is_index = strcmp(word, "i") == 0;
        array->is_any[i] = strcmp(word, "_") == 0;
        array->bits[i] = ptx_case_number(is_index ? number : word, type, &array->is_nan[i]);
    }
    return true;
}

static inline void ptx_case_array_free(struct ptx_case_array *array)
{
    free(array->bits);
    free(array->is_nan);
    free(array->is_any);
}

static inline int ptx_case_find_buffer(const struct ptx_case *self, const char *name)
{
    for (int i = 0; i < self->buffer_count; i++)
        if (strcmp(self->buffers[i].name, name) == 0)
            return i;
    return -1;
}

/* Memory for a buffer at the start of a page, with a page of nothing else before and after it: what
 * a case does beside its buffers depends on no other allocation. Freed by ptx_case_room_free. */
static inline uint8_t *ptx_case_room_alloc(size_t size_bytes)
{
    size_t page_count = (size_bytes + PTX_CASE_PAGE_BYTES) / PTX_CASE_PAGE_BYTES;
    uint8_t *room = aligned_alloc(PTX_CASE_PAGE_BYTES, (page_count + 2) * PTX_CASE_PAGE_BYTES);
    return room + PTX_CASE_PAGE_BYTES;
}

static inline void ptx_case_room_free(uint8_t *bytes)
{
    if (bytes)
        free(bytes - PTX_CASE_PAGE_BYTES);
}

static inline void ptx_case_read_buffer(struct ptx_case *self, const char *rest)
{
    struct ptx_case_buffer *buffer = &self->buffers[self->buffer_count];
    struct ptx_case_array array = {0};
    int used = 0;
    if (self->buffer_count == PTX_CASE_BUFFERS ||
        sscanf(rest, "%31s%n", buffer->name, &used) != 1 ||
        !ptx_case_read_array(rest + used, &array)) {
        snprintf(self->message, sizeof self->message, "malformed buffer: %.200s", rest);
        return;
    }
    self->buffer_count++;
    buffer->size_bytes = array.count * array.width_bytes;
    buffer->bytes = ptx_case_room_alloc(buffer->size_bytes);
    for (size_t i = 0; i < array.count; i++)
        memcpy(buffer->bytes + i * array.width_bytes, &array.bits[i], array.width_bytes);
    ptx_case_array_free(&array);
}

static inline void ptx_case_read_texture(struct ptx_case *self, const char *rest)
{
    struct ptx_case_texture *texture = &self->textures[self->texture_count];
    char buffer[32] = "";
    if (self->texture_count == PTX_CASE_TEXTURES ||
        sscanf(rest, "%31s %31s %u %u %u %7s %u %79[^\n]", texture->name, buffer, &texture->width,
               &texture->height, &texture->depth, texture->type, &texture->channels,
               texture->words) < 7 ||
        (texture->buffer = ptx_case_find_buffer(self, buffer)) < 0)
        snprintf(self->message, sizeof self->message, "malformed texture: %.200s", rest);
    else
        self->texture_count++;
}

static inline void ptx_case_read_argument(struct ptx_case *self, const char *rest)
{
    char first[32] = "", second[64] = "";
    struct ptx_case_argument *argument = &self->arguments[self->argument_count];
    int words = sscanf(rest, "%31s %63s", first, second);
    argument->buffer = ptx_case_find_buffer(self, first);
    bool is_nan;
    argument->bits = words == 2 ? ptx_case_number(second, first, &is_nan) : 0;
    for (int i = 0; i < self->texture_count && words == 1; i++)
        if (strcmp(self->textures[i].name, first) == 0)
            argument->bits = (uint64_t)i + 1;
    bool is_number = words == 2 || argument->bits;
    if (self->argument_count == PTX_CASE_ARGUMENTS || is_number != (argument->buffer < 0))
        snprintf(self->message, sizeof self->message, "malformed arg: %.200s", rest);
    else
        self->argument_count++;
}

static inline void ptx_case_read_unwritten(struct ptx_case *self, const char *rest)
{
    char name[32] = "";
    sscanf(rest, "%31s", name);
    int buffer = ptx_case_find_buffer(self, name);
    if (buffer < 0)
        snprintf(self->message, sizeof self->message, "no buffer %s", name);
    else
        self->unwritten |= 1u << buffer;
}

static inline void ptx_case_read_prints(struct ptx_case *self, const char *rest)
{
    size_t used = 0;
    for (; *rest && used + 1 < sizeof self->prints; rest++) {
        bool is_line = rest[0] == '\\' && rest[1] == 'n';
        self->prints[used++] = is_line ? '\n' : *rest;
        rest += is_line;
    }
}

static inline void ptx_case_read_directive(struct ptx_case *self, char *line)
{
    char word[16] = "";
    int used = 0;
    sscanf(line, "//%% %15s %n", word, &used);
    char *rest = line + used;
    if (strcmp(word, "grid") == 0)
        sscanf(rest, "%u %u %u", &self->grid[0], &self->grid[1], &self->grid[2]);
    else if (strcmp(word, "block") == 0)
        sscanf(rest, "%u %u %u", &self->block[0], &self->block[1], &self->block[2]);
    else if (strcmp(word, "shared") == 0)
        sscanf(rest, "%u", &self->shared_bytes);
    else if (strcmp(word, "gpu") == 0)
        sscanf(rest, "%31s", self->gpu);
    else if (strcmp(word, "buffer") == 0)
        ptx_case_read_buffer(self, rest);
    else if (strcmp(word, "texture") == 0)
        ptx_case_read_texture(self, rest);
    else if (strcmp(word, "arg") == 0)
        ptx_case_read_argument(self, rest);
    else if (strcmp(word, "fails") == 0)
        sscanf(rest, "%255[^\n]", self->fails);
    else if (strcmp(word, "prints") == 0)
        ptx_case_read_prints(self, rest);
    else if (strcmp(word, "characters") == 0)
        sscanf(rest, "%zu", &self->characters);
    else if (strcmp(word, "ptxas") == 0)
        self->is_refused = true;
    else if (strcmp(word, "mapped") == 0)
        self->is_mapped = true;
    else if (strcmp(word, "unwritten") == 0)
        ptx_case_read_unwritten(self, rest);
    else if (strcmp(word, "expect") != 0 && strcmp(word, "count") != 0 &&
             strcmp(word, "finds") != 0)
        snprintf(self->message, sizeof self->message, "unknown directive %s", word);
}

/* Calls act for every directive line; line is a writable copy. */
static inline void ptx_case_each_directive(const char *text, void (*act)(void *self, char *line),
                                           void *self)
{
    for (const char *at = text; (at = strstr(at, "//%")) != NULL;) {
        size_t length = strcspn(at, "\r\n");
        char *line = calloc(1, length + 1);
        memcpy(line, at, length);
        act(self, line);
        free(line);
        at += length;
    }
}

static inline void ptx_case_act_read(void *self, char *line)
{
    ptx_case_read_directive(self, line);
}

/* Check message afterwards; free with ptx_case_free. */
/* The next case of a file's text behind *at, which goes on to its end: its NAME and its text, of
 * which the line
 * "//% case NAME" is no part. A file without such lines is one case, of no name. False at the end.
 */
static inline bool ptx_case_next(const char **at, char name[64], const char **text, size_t *length)
{
    static const char mark[] = "\n//% case ";
    size_t mark_length = sizeof mark - 2; /* without the new line before it */
    if (!**at)
        return false;
    name[0] = 0;
    *text = *at;
    if (strncmp(*at, mark + 1, mark_length) == 0) {
        sscanf(*at + mark_length, "%63[A-Za-z0-9_]", name);
        *text += strcspn(*text, "\n");
        *text += **text != 0;
    }
    const char *next = strstr(*text, mark);
    *length = next ? (size_t)(next + 1 - *text) : strlen(*text);
    *at = *text + *length;
    return true;
}

static inline void ptx_case_read(struct ptx_case *self, const char *text)
{
    *self = (struct ptx_case){.gpu = "h200", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    ptx_case_each_directive(text, ptx_case_act_read, self);
    const char *entry = strstr(text, ".entry");
    if (entry)
        sscanf(entry, ".entry %127[A-Za-z0-9_$]", self->entry);
}

static inline void ptx_case_free(struct ptx_case *self)
{
    for (int i = 0; i < self->buffer_count; i++)
        ptx_case_room_free(self->buffers[i].bytes);
}

static inline double ptx_case_value(uint64_t bits, size_t width_bytes)
{
    double wide;
    float single;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&single, &bits, sizeof single);
    return width_bytes == 8 ? wide : width_bytes == 4 ? single : NAN;
}

static inline bool ptx_case_is_nan(const struct ptx_case_array *array, uint64_t bits)
{
    bool is_bfloat = strcmp(array->type, "bf16") == 0;
    if (array->type[0] != 'f' && !is_bfloat)
        return false;
    return array->width_bytes == 2 ? (bits & 0x7fff) > (is_bfloat ? 0x7f80 : 0x7c00)
                                   : isnan(ptx_case_value(bits, array->width_bytes));
}

static inline bool ptx_case_matches(const struct ptx_case_array *array, size_t i,
                                    uint64_t have_bits)
{
    if (array->is_any[i])
        return true;
    if (array->is_nan[i] && (array->type[0] == 'f' || strcmp(array->type, "bf16") == 0))
        return ptx_case_is_nan(array, have_bits);
    uint64_t mask = array->width_bytes == 8 ? ~0ull : (1ull << (8 * array->width_bytes)) - 1;
    if ((array->bits[i] & mask) == have_bits)
        return true;
    if (array->relative == 0 && array->absolute == 0)
        return false;
    double want = ptx_case_value(array->bits[i], array->width_bytes);
    double have = ptx_case_value(have_bits, array->width_bytes);
    if (isinf(want) || isinf(have))
        return false;
    double bound = fmax(array->relative * fabs(want), array->absolute);
    return fabs(have - want) <= bound;
}

/* Reads an expect directive: the buffer's index, where in it, what. False if it is malformed; free
 * the array with ptx_case_array_free. */
static inline bool ptx_case_read_expect(const struct ptx_case *self, const char *line, int *buffer,
                                        size_t *offset, struct ptx_case_array *array)
{
    char name[32] = "";
    int used = 0;
    const char *rest = line + strcspn(line, " ") + 1;
    rest += strcspn(rest, " ") + 1;
    sscanf(rest, "%31[A-Za-z0-9_]%n", name, &used);
    *buffer = ptx_case_find_buffer(self, name);
    *offset = rest[used] == '[' ? strtoul(rest + used + 1, NULL, 0) : 0;
    used += (int)strcspn(rest + used, " ");
    return *buffer >= 0 && ptx_case_read_array(rest + used, array);
}

/* One expect directive against buffers; contents[i] are the bytes of buffer i now. On a difference
 * writes message (at most 400 bytes); true if all is as expected. */
static inline bool ptx_case_check(const struct ptx_case *self, const char *line,
                                  uint8_t *const *contents, char *message)
{
    size_t offset = 0;
    int buffer;
    struct ptx_case_array array = {0};
    bool is_read = ptx_case_read_expect(self, line, &buffer, &offset, &array);
    size_t end = offset + array.count * array.width_bytes;
    bool is_good = is_read && end <= self->buffers[buffer].size_bytes;
    if (!is_good)
        snprintf(message, 400, "malformed: %.200s", line);
    for (size_t i = 0; i < array.count && is_good; i++) {
        uint64_t have = 0;
        memcpy(&have, contents[buffer] + offset + i * array.width_bytes, array.width_bytes);
        is_good = ptx_case_matches(&array, i, have);
        if (!is_good)
            snprintf(message, 400, "%s[%zu], element %zu, is 0x%llx, expected %s0x%llx",
                     self->buffers[buffer].name, offset, i, (unsigned long long)have,
                     array.is_nan[i] ? "NaN, " : "", (unsigned long long)array.bits[i]);
    }
    ptx_case_array_free(&array);
    return is_good;
}

#endif
