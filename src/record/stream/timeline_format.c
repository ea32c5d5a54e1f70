/* Events of a trace: each is written as its difference from the one before it, in some ten bytes
 * where they are alike. */
#include <string.h>

#include "base/memory.h"
#include "record/stream/format.h"

/* More in one record would make readers allocate too much for a damaged count. */
enum { EVENTS_MAX = 1 << 20, FIELDS = 7 + WL_TIMELINE_WORDS, VARINT_BYTES_MAX = 10 };

static void spread(const struct wl_timeline_record *record, uint64_t fields[FIELDS])
{
    fields[0] = record->start;
    fields[1] = record->end > record->start ? record->end - record->start : 0;
    fields[2] = record->name;
    fields[3] = record->category;
    fields[4] = record->flags;
    fields[5] = record->thread;
    fields[6] = record->correlation;
    memcpy(fields + 7, record->words, sizeof record->words);
}

static void gather(const uint64_t fields[FIELDS], struct wl_timeline_record *record)
{
    record->start = fields[0];
    record->end = fields[0] + fields[1];
    record->name = (uint32_t)fields[2];
    record->category = (uint16_t)fields[3];
    record->flags = (uint16_t)fields[4];
    record->thread = (uint32_t)fields[5];
    record->correlation = (uint32_t)fields[6];
    memcpy(record->words, fields + 7, sizeof record->words);
}

/* Small numbers of either sign become small numbers. */
static uint64_t fold(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t folded)
{
    return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

static unsigned char *write_varint(unsigned char *next, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *next++ = (unsigned char)(value | 128);
    *next++ = (unsigned char)value;
    return next;
}

static uint64_t read_varint(struct wl_codec *codec)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (codec->next == codec->end)
            break;
        unsigned char byte = *codec->next++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    codec->is_bad = true;
    return 0;
}

/* A bit for each field that differs, then the differences. */
static void write_event(struct wl_codec *codec, const struct wl_timeline_record *record,
                        uint64_t before[FIELDS])
{
    unsigned char bytes[3 + FIELDS * VARINT_BYTES_MAX];
    uint64_t fields[FIELDS], mask = 0;
    spread(record, fields);
    for (int i = 0; i < FIELDS; i++)
        mask |= (uint64_t)(fields[i] != before[i]) << i;
    unsigned char *next = write_varint(bytes, mask);
    for (int i = 0; i < FIELDS; i++)
        if (mask >> i & 1)
            next = write_varint(next, fold(fields[i] - before[i]));
    memcpy(before, fields, sizeof fields);
    wl_text_add_bytes(codec->out, bytes, (size_t)(next - bytes));
}

static void read_event(struct wl_codec *codec, struct wl_timeline_record *record,
                       uint64_t before[FIELDS])
{
    uint64_t mask = read_varint(codec);
    for (int i = 0; i < FIELDS; i++)
        if (mask >> i & 1)
            before[i] += unfold(read_varint(codec));
    gather(before, record);
    codec->is_bad = codec->is_bad || mask >> FIELDS || !before[3] ||
                    before[3] >= WL_TIMELINE_CATEGORY_COUNT || before[2] > UINT32_MAX ||
                    before[0] > INT64_MAX || before[1] > INT64_MAX - before[0];
}

void wl_codec_trace(struct wl_codec *codec, struct wl_record_trace *record)
{
    uint64_t before[FIELDS] = {0};
    if (codec->out) {
        unsigned char count[VARINT_BYTES_MAX];
        unsigned char *end = write_varint(count, record->count);
        wl_text_add_bytes(codec->out, count, (size_t)(end - count));
        for (size_t i = 0; i < record->count; i++)
            write_event(codec, &record->records[i], before);
        return;
    }
    uint64_t count = read_varint(codec);
    if (codec->is_bad || count > EVENTS_MAX || count > (size_t)(codec->end - codec->next)) {
        codec->is_bad = true;
        return;
    }
    struct wl_timeline_record *made = wl_alloc_zero((size_t)count, sizeof *made);
    void *array = made;
    WL_PUSH(&codec->arrays, array);
    for (size_t i = 0; i < count && !codec->is_bad; i++)
        read_event(codec, &made[i], before);
    record->records = made;
    record->count = (size_t)count;
}
