#include "record/stream/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NO_TEXT UINT32_MAX /* length of a text that is NULL */

/* Row k holds what a byte does to the sum when k more bytes follow it. */
static uint32_t crc_table[8][256];

/* Early: another constructor may begin a stream. */
__attribute__((constructor(101))) static void fill_crc_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
        crc_table[0][byte] = crc;
    }
    for (int row = 1; row < 8; row++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t before = crc_table[row - 1][byte];
            crc_table[row][byte] = before >> 8 ^ crc_table[0][before & 255];
        }
}

/* Little-endian, as a compiler sees at once. */
static uint32_t load_u32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

uint32_t wl_stream_crc32(const void *bytes, size_t length)
{
    const unsigned char *next = bytes;
    uint32_t crc = 0xffffffff;
    for (; length >= 8; length -= 8, next += 8) {
        uint32_t low = crc ^ load_u32(next), high = load_u32(next + 4);
        crc = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^
              crc_table[5][low >> 16 & 255] ^ crc_table[4][low >> 24] ^ crc_table[3][high & 255] ^
              crc_table[2][high >> 8 & 255] ^ crc_table[1][high >> 16 & 255] ^
              crc_table[0][high >> 24];
    }
    while (length-- > 0)
        crc = crc >> 8 ^ crc_table[0][(crc ^ *next++) & 255];
    return ~crc;
}

static void write_integer(unsigned char *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t read_integer(const unsigned char *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

uint32_t wl_stream_read_u32(const unsigned char bytes[4])
{
    return (uint32_t)read_integer(bytes, 4);
}

void wl_stream_write_u32(unsigned char bytes[4], uint32_t value)
{
    write_integer(bytes, value, 4);
}

/* ---- fields ---- */

static uint64_t integer(struct wl_codec *codec, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    if (codec->out) {
        write_integer(bytes, value, size);
        wl_text_add_bytes(codec->out, bytes, size);
        return value;
    }
    if (codec->is_bad || (size_t)(codec->end - codec->next) < size) {
        codec->is_bad = true;
        return 0;
    }
    value = read_integer(codec->next, size);
    codec->next += size;
    return value;
}

/* Fields are only written to when reading: what is passed for writing may be constant. */
static void u64(struct wl_codec *codec, uint64_t *field)
{
    uint64_t value = integer(codec, *field, 8);
    if (!codec->out)
        *field = value;
}

static void i64(struct wl_codec *codec, int64_t *field)
{
    uint64_t value = integer(codec, (uint64_t)*field, 8);
    if (!codec->out)
        *field = (int64_t)value;
}

static void u32(struct wl_codec *codec, uint32_t *field)
{
    uint64_t value = integer(codec, *field, 4);
    if (!codec->out)
        *field = (uint32_t)value;
}

static void boolean(struct wl_codec *codec, bool *field)
{
    uint64_t value = integer(codec, *field, 1);
    if (codec->out)
        return;
    codec->is_bad = codec->is_bad || value > 1;
    *field = value == 1;
}

/* A value of an enum whose last one is limit; the caller stores it when reading. */
static unsigned choice(struct wl_codec *codec, unsigned value, unsigned limit)
{
    value = (unsigned)integer(codec, value, 1);
    if (codec->out || value <= limit)
        return value;
    codec->is_bad = true;
    return 0;
}

static void real(struct wl_codec *codec, double *field)
{
    uint64_t bits;
    memcpy(&bits, field, sizeof bits);
    bits = integer(codec, bits, 8);
    if (!codec->out)
        memcpy(field, &bits, sizeof bits);
}

/* Length, bytes and a NUL, so that what is read can be pointed at. */
static void text(struct wl_codec *codec, const char **field)
{
    size_t length = codec->out && *field ? strlen(*field) : 0;
    if (length > WL_STREAM_PAYLOAD_BYTES_MAX)
        length = WL_STREAM_PAYLOAD_BYTES_MAX; /* such a record is dropped as a whole */
    uint64_t stored = integer(codec, codec->out && !*field ? NO_TEXT : length, 4);
    if (codec->out) {
        if (*field) {
            wl_text_add_bytes(codec->out, *field, length);
            wl_text_add_char(codec->out, '\0');
        }
        return;
    }
    *field = NULL;
    if (stored == NO_TEXT)
        return;
    if (codec->is_bad || (size_t)(codec->end - codec->next) <= stored ||
        codec->next[stored] != '\0') {
        codec->is_bad = true;
        return;
    }
    *field = (const char *)codec->next;
    codec->next += stored + 1;
}

/* The same where NULL has no meaning: it becomes "". */
static void plain_text(struct wl_codec *codec, const char **field)
{
    const char *given = codec->out && *field ? *field : "";
    text(codec, &given);
    if (!codec->out)
        *field = given ? given : "";
}

/* An array of items, each at least least_bytes long in the payload: no count is believed that the
 * payload cannot hold. When reading, *items becomes zeroed memory. */
static void array(struct wl_codec *codec, const void **items, size_t *count, size_t item_bytes,
                  size_t least_bytes)
{
    uint64_t stored = integer(codec, codec->out ? *count : 0, 4);
    if (codec->out)
        return;
    if (codec->is_bad || stored > (size_t)(codec->end - codec->next) / least_bytes) {
        codec->is_bad = true;
        stored = 0;
    }
    *count = (size_t)stored;
    *items = NULL;
    if (stored == 0)
        return;
    void *made = wl_alloc_zero(*count, item_bytes);
    WL_PUSH(&codec->arrays, made);
    *items = made;
}

void wl_codec_free(struct wl_codec *codec)
{
    for (size_t i = 0; i < codec->arrays.count; i++)
        free(codec->arrays.items[i]);
    free(codec->arrays.items);
    memset(&codec->arrays, 0, sizeof codec->arrays);
}

/* ---- records ---- */

static void attributes(struct wl_codec *codec, const struct wl_record_attribute **items,
                       size_t *count)
{
    const void *found = *items;
    array(codec, &found, count, sizeof **items, 16);
    *items = found;
    for (size_t i = 0; i < *count; i++) {
        struct wl_record_attribute *item = (struct wl_record_attribute *)&(*items)[i];
        plain_text(codec, &item->name);
        text(codec, &item->text);
        real(codec, &item->number);
    }
}

void wl_codec_process(struct wl_codec *codec, struct wl_record_process *record)
{
    u64(codec, &record->pid);
    u64(codec, &record->parent_pid);
    plain_text(codec, &record->host);
    plain_text(codec, &record->executable);
    plain_text(codec, &record->executable_hash);
    plain_text(codec, &record->command_line);
    u64(codec, &record->start_ns);
    plain_text(codec, &record->version);
    plain_text(codec, &record->collector);
    i64(codec, &record->rank);
    i64(codec, &record->rank_count);
}

void wl_codec_device(struct wl_codec *codec, struct wl_record_device *record)
{
    u32(codec, &record->device_id);
    plain_text(codec, &record->model);
    plain_text(codec, &record->name);
    u32(codec, &record->capability_major);
    u32(codec, &record->capability_minor);
    attributes(codec, &record->attributes, &record->attribute_count);
}

void wl_codec_module(struct wl_codec *codec, struct wl_record_module *record)
{
    u64(codec, &record->id);
    plain_text(codec, &record->name);
    plain_text(codec, &record->text);
    plain_text(codec, &record->options);
    u32(codec, &record->architecture);
    boolean(codec, &record->is_stand_in);
}

static void instruction(struct wl_codec *codec, struct wl_record_instruction *item)
{
    u32(codec, &item->index);
    u32(codec, &item->text_line);
    plain_text(codec, &item->text);
    plain_text(codec, &item->opcode);
    plain_text(codec, &item->pipe);
    plain_text(codec, &item->file);
    u32(codec, &item->line);
    u32(codec, &item->column);
    plain_text(codec, &item->inlined_at);
    plain_text(codec, &item->function);
}

void wl_codec_kernel(struct wl_codec *codec, struct wl_record_kernel *record)
{
    u64(codec, &record->id);
    u64(codec, &record->module_id);
    plain_text(codec, &record->mangled);
    plain_text(codec, &record->demangled);
    plain_text(codec, &record->function);
    const void *found = record->instructions;
    array(codec, &found, &record->instruction_count, sizeof *record->instructions, 46);
    record->instructions = found;
    for (size_t i = 0; i < record->instruction_count; i++)
        instruction(codec, (struct wl_record_instruction *)&record->instructions[i]);
    attributes(codec, &record->attributes, &record->attribute_count);
}

static void values(struct wl_codec *codec, struct wl_record_launch *record)
{
    const void *found = record->values;
    array(codec, &found, &record->value_count, sizeof *record->values, 14);
    record->values = found;
    for (size_t i = 0; i < record->value_count; i++) {
        struct wl_record_value *item = (struct wl_record_value *)&record->values[i];
        plain_text(codec, &item->name);
        real(codec, &item->value);
        unsigned mark = choice(codec, item->mark, WL_MARK_PREDICTED);
        if (!codec->out)
            item->mark = (enum wl_mark)mark;
    }
}

static void instruction_values(struct wl_codec *codec, struct wl_record_launch *record)
{
    const void *names = record->instruction_value_names, *marks = record->instruction_value_marks;
    array(codec, &names, &record->instruction_value_name_count, sizeof(char *), 6);
    record->instruction_value_names = names;
    if (!codec->out && record->instruction_value_name_count > 0) {
        void *made = wl_alloc_zero(record->instruction_value_name_count, 1);
        WL_PUSH(&codec->arrays, made);
        marks = made;
    }
    record->instruction_value_marks = marks;
    for (size_t i = 0; i < record->instruction_value_name_count; i++) {
        uint8_t *mark = (uint8_t *)&record->instruction_value_marks[i];
        plain_text(codec, (const char **)&record->instruction_value_names[i]);
        unsigned read = choice(codec, *mark, WL_MARK_PREDICTED);
        if (!codec->out)
            *mark = (uint8_t)read;
    }
    const void *found = record->instruction_values;
    array(codec, &found, &record->instruction_value_count, sizeof *record->instruction_values, 16);
    record->instruction_values = found;
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        struct wl_record_instruction_value *item =
            (struct wl_record_instruction_value *)&record->instruction_values[i];
        u32(codec, &item->instruction);
        u32(codec, &item->name);
        real(codec, &item->value);
        codec->is_bad = codec->is_bad || item->name >= record->instruction_value_name_count;
    }
}

void wl_codec_launch(struct wl_codec *codec, struct wl_record_launch *record)
{
    u64(codec, &record->id);
    u64(codec, &record->kernel_id);
    u32(codec, &record->device_id);
    u32(codec, &record->context_id);
    u32(codec, &record->stream_id);
    for (size_t i = 0; i < 3; i++)
        u32(codec, &record->grid[i]);
    for (size_t i = 0; i < 3; i++)
        u32(codec, &record->block[i]);
    u64(codec, &record->shared_dynamic_bytes);
    u64(codec, &record->start_ns);
    u64(codec, &record->simulated_for_ns);
    record->status = (enum wl_launch_status)choice(codec, record->status, WL_LAUNCH_FAILED);
    plain_text(codec, &record->message);
    plain_text(codec, &record->range);
    values(codec, record);
    attributes(codec, &record->attributes, &record->attribute_count);
    instruction_values(codec, record);
}

void wl_codec_times(struct wl_codec *codec, struct wl_record_times *record)
{
    const void *found = record->items;
    array(codec, &found, &record->count, sizeof *record->items, 16);
    record->items = found;
    for (size_t i = 0; i < record->count; i++) {
        u64(codec, (uint64_t *)&record->items[i].launch_id);
        u64(codec, (uint64_t *)&record->items[i].duration_ns);
    }
}

void wl_codec_left_out(struct wl_codec *codec, struct wl_record_left_out *record)
{
    u64(codec, &record->launch_id);
    u64(codec, &record->launches);
    u64(codec, &record->total_ns);
}

void wl_codec_note(struct wl_codec *codec, struct wl_record_note *record)
{
    record->severity = (enum wl_note_severity)choice(codec, record->severity, WL_NOTE_ERROR);
    plain_text(codec, &record->code);
    plain_text(codec, &record->text);
    plain_text(codec, &record->hint);
    i64(codec, &record->launch_id);
}

void wl_codec_end(struct wl_codec *codec, struct wl_stream_end *record)
{
    i64(codec, &record->exit_code);
    u64(codec, &record->end_ns);
    u64(codec, &record->dropped);
    plain_text(codec, &record->reason);
}

void wl_codec_trace_names(struct wl_codec *codec, struct wl_record_trace_names *record)
{
    const void *found = record->names;
    u32(codec, &record->first_id);
    array(codec, &found, &record->count, sizeof *record->names, 5);
    record->names = found;
    for (size_t i = 0; i < record->count; i++)
        plain_text(codec, (const char **)&record->names[i]);
}

void wl_codec_trace_end(struct wl_codec *codec, struct wl_record_trace_end *record)
{
    u64(codec, &record->records);
    u64(codec, &record->dropped);
    u64(codec, &record->waited_ns);
    u64(codec, &record->ring_bytes);
    real(codec, &record->record_ns);
    i64(codec, &record->clock_jump_ns);
    boolean(codec, &record->is_simulated);
}
