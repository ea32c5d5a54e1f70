#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/count.h"
#include "base/memory.h"
#include "record/stream/format.h"
#include "record/stream/stream.h"

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
#include <uthash.h>

static const char time_name[] = "gpu__time_duration.sum";

/* What came after its launch. */
struct late {
    uint64_t launch_id, duration_ns;
    struct wl_record_left_out left_out;
    UT_hash_handle hh;
};

struct replay {
    struct late *times;
    const char *path;
    FILE *file;
    uint64_t size_bytes, offset; /* of the file; of what was read */
    const struct wl_sink *sink;
    struct wl_stream_summary *summary;
    struct wl_error *error;
    unsigned char *payload;
    size_t payload_capacity;
};

/* ---- one record ---- */

/* The sink's function may be NULL. */
#define DELIVER(name)                                                                \
    static void deliver_##name(struct replay *replay, struct wl_codec *codec)        \
    {                                                                                \
        struct wl_record_##name record = {0};                                        \
        wl_codec_##name(codec, &record);                                             \
        if (!codec->is_bad && codec->next == codec->end && replay->sink->put_##name) \
            replay->sink->put_##name(replay->sink->self, &record);                   \
    }
DELIVER(process)
DELIVER(device)
DELIVER(module)
DELIVER(kernel)
DELIVER(note)
DELIVER(trace_names)
DELIVER(trace)
DELIVER(trace_end)
#undef DELIVER

static bool has_time(const struct wl_record_launch *record)
{
    for (size_t i = 0; i < record->value_count; i++)
        if (strcmp(record->values[i].name, time_name) == 0)
            return true;
    return false;
}

/* Gives the record the values that came later, in a list of which the caller is the owner. */
static struct wl_record_value *with_late(struct wl_record_launch *record, const struct late *late)
{
    const struct wl_record_value more[] = {
        {time_name, has_time(record) ? 0 : (double)late->duration_ns, WL_MARK_EXACT},
        {"launch__left_out.sum", (double)late->left_out.launches, WL_MARK_EXACT},
        {"launch__left_out_time.sum", (double)late->left_out.total_ns, WL_MARK_EXACT},
    };
    struct wl_record_value *values =
        wl_alloc((record->value_count + WL_COUNT(more)) * sizeof *more);
    if (record->value_count)
        memcpy(values, record->values, record->value_count * sizeof *values);
    for (size_t i = 0; i < WL_COUNT(more); i++)
        if (more[i].value > 0)
            values[record->value_count++] = more[i];
    record->values = values;
    return values;
}

static void deliver_launch(struct replay *replay, struct wl_codec *codec)
{
    struct wl_record_launch record = {0};
    struct late *late = NULL;
    wl_codec_launch(codec, &record);
    if (codec->is_bad || codec->next != codec->end || !replay->sink->put_launch)
        return;
    HASH_FIND(hh, replay->times, &record.id, sizeof record.id, late);
    struct wl_record_value *values = late ? with_late(&record, late) : NULL;
    replay->sink->put_launch(replay->sink->self, &record);
    free(values);
}

/* Read before everything else. */
static void deliver_times(struct replay *replay, struct wl_codec *codec)
{
    struct wl_record_times record = {0};
    (void)replay;
    wl_codec_times(codec, &record);
}

static void deliver_left_out(struct replay *replay, struct wl_codec *codec)
{
    struct wl_record_left_out record = {0};
    (void)replay;
    wl_codec_left_out(codec, &record);
}

static void note_dropped(const struct replay *replay, const struct wl_stream_end *end)
{
    char text[256];
    snprintf(text, sizeof text, "%" PRIu64 " records of the program could not be written: %s",
             end->dropped, end->reason);
    struct wl_record_note note = {WL_NOTE_WARNING, "records-dropped", text,
                                  "make room where the report is written, or choose another folder",
                                  -1};
    if (replay->sink->put_note)
        replay->sink->put_note(replay->sink->self, &note);
}

static void deliver_end(struct replay *replay, struct wl_codec *codec)
{
    struct wl_stream_end end = {0};
    wl_codec_end(codec, &end);
    if (codec->is_bad || codec->next != codec->end)
        return;
    replay->summary->has_end = true;
    replay->summary->dropped = end.dropped;
    if (end.dropped > 0)
        note_dropped(replay, &end);
    if (replay->sink->put_end)
        replay->sink->put_end(replay->sink->self, (int)end.exit_code, end.end_ns);
}

static void (*const deliverers[])(struct replay *, struct wl_codec *) = {
    [WL_STREAM_PROCESS] = deliver_process, [WL_STREAM_DEVICE] = deliver_device,
    [WL_STREAM_MODULE] = deliver_module,   [WL_STREAM_KERNEL] = deliver_kernel,
    [WL_STREAM_LAUNCH] = deliver_launch,   [WL_STREAM_NOTE] = deliver_note,
    [WL_STREAM_END] = deliver_end,         [WL_STREAM_TRACE_NAMES] = deliver_trace_names,
    [WL_STREAM_TRACE] = deliver_trace,     [WL_STREAM_TRACE_END] = deliver_trace_end,
    [WL_STREAM_TIMES] = deliver_times,     [WL_STREAM_LEFT_OUT] = deliver_left_out,
};

/* ---- the file ---- */

static enum wl_code corrupt(struct replay *replay, uint64_t offset, const char *what)
{
    wl_error_set(replay->error, WL_ERR_CORRUPT, "%s", what);
    wl_error_set_where(replay->error, "%s: byte %" PRIu64, replay->path, offset);
    return WL_ERR_CORRUPT;
}

static enum wl_code read_bytes(struct replay *replay, void *bytes, size_t length)
{
    if (fread(bytes, 1, length, replay->file) != length) {
        wl_error_set(replay->error, WL_ERR_INPUT, "cannot read the stream: %s",
                     ferror(replay->file) ? strerror(errno) : "it became shorter");
        wl_error_set_where(replay->error, "%s", replay->path);
        return WL_ERR_INPUT;
    }
    replay->offset += length;
    return WL_OK;
}

static uint64_t left(const struct replay *replay)
{
    return replay->size_bytes - replay->offset;
}

static enum wl_code read_file_header(struct replay *replay)
{
    unsigned char header[WL_STREAM_FILE_HEADER_BYTES];
    if (left(replay) < sizeof header) {
        replay->summary->is_torn = true;
        return WL_OK;
    }
    enum wl_code code = read_bytes(replay, header, sizeof header);
    if (code != WL_OK)
        return code;
    uint32_t version = wl_stream_read_u32(header + 8);
    if (memcmp(header, WL_STREAM_MAGIC, 8) != 0 || version == 0)
        return corrupt(replay, 0, "not a stream of Warplens");
    if (version > WL_STREAM_VERSION) {
        wl_error_set(replay->error, WL_ERR_VERSION,
                     "the stream has format %" PRIu32 ", this warplens reads up to %d", version,
                     WL_STREAM_VERSION);
        wl_error_set_where(replay->error, "%s", replay->path);
        wl_error_set_hint(replay->error, "read it with the warplens that made it");
        return WL_ERR_VERSION;
    }
    if (wl_stream_read_u32(header + 12) != 0)
        return corrupt(replay, 12, "the stream's header is damaged");
    replay->summary->bytes = sizeof header;
    return WL_OK;
}

static enum wl_code deliver(struct replay *replay, uint32_t kind, size_t length, uint64_t start)
{
    /* the first record may be empty, before there is memory for any */
    unsigned char none = 0, *payload = length ? replay->payload : &none;
    struct wl_codec codec = {.next = payload, .end = payload + length};
    if (kind == 0 || kind >= WL_COUNT(deliverers))
        return corrupt(replay, start, "a record of the stream is of an unknown kind");
    deliverers[kind](replay, &codec);
    bool is_good = !codec.is_bad && codec.next == codec.end;
    wl_codec_free(&codec);
    if (!is_good)
        return corrupt(replay, start, "a record of the stream cannot be understood");
    replay->summary->records++;
    replay->summary->bytes = replay->offset;
    return WL_OK;
}

/* is_torn is set where the file ends within the record. */
static enum wl_code read_record(struct replay *replay)
{
    unsigned char header[WL_STREAM_FRAME_HEADER_BYTES];
    uint64_t start = replay->offset;
    enum wl_code code;
    if (left(replay) < sizeof header) {
        replay->summary->is_torn = true;
        return WL_OK;
    }
    if ((code = read_bytes(replay, header, sizeof header)) != WL_OK)
        return code;
    uint32_t length = wl_stream_read_u32(header);
    if (wl_stream_read_u32(header + 12) != wl_stream_crc32(header, 12))
        return corrupt(replay, start, "the header of a record is damaged (checksum)");
    if (length > WL_STREAM_PAYLOAD_BYTES_MAX)
        return corrupt(replay, start, "a record of the stream is too long");
    if (left(replay) < length) {
        replay->summary->is_torn = true;
        return WL_OK;
    }
    if (length > replay->payload_capacity) {
        free(replay->payload);
        replay->payload = wl_alloc(length);
        replay->payload_capacity = length;
    }
    if (length > 0 && (code = read_bytes(replay, replay->payload, length)) != WL_OK)
        return code;
    if (wl_stream_read_u32(header + 8) != wl_stream_crc32(replay->payload, length))
        return corrupt(replay, start, "a record of the stream is damaged (checksum)");
    return deliver(replay, wl_stream_read_u32(header + 4), length, start);
}

/* ---- times that come after their launches ---- */

static struct late *find_late(struct replay *replay, uint64_t launch_id)
{
    struct late *late = NULL;
    HASH_FIND(hh, replay->times, &launch_id, sizeof launch_id, late);
    if (late)
        return late;
    late = wl_alloc_zero(1, sizeof *late);
    late->launch_id = launch_id;
    HASH_ADD(hh, replay->times, launch_id, sizeof late->launch_id, late);
    return late;
}

/* The first of each is kept. */
static void keep_times(struct replay *replay, struct wl_codec *codec)
{
    struct wl_record_times record = {0};
    wl_codec_times(codec, &record);
    for (size_t i = 0; !codec->is_bad && i < record.count; i++) {
        struct late *late = find_late(replay, record.items[i].launch_id);
        if (!late->duration_ns)
            late->duration_ns = record.items[i].duration_ns;
    }
}

static void keep_left_out(struct replay *replay, struct wl_codec *codec)
{
    struct wl_record_left_out record = {0};
    wl_codec_left_out(codec, &record);
    if (!codec->is_bad && !find_late(replay, record.launch_id)->left_out.launches)
        find_late(replay, record.launch_id)->left_out = record;
}

static void (*const keepers[])(struct replay *, struct wl_codec *) = {
    [WL_STREAM_TIMES] = keep_times,
    [WL_STREAM_LEFT_OUT] = keep_left_out,
};

/* Goes over the headers alone; what is damaged is found when all is read. */
static void find_times(struct replay *replay)
{
    unsigned char header[WL_STREAM_FRAME_HEADER_BYTES];
    long begin = ftell(replay->file);
    while (fread(header, 1, sizeof header, replay->file) == sizeof header) {
        uint32_t length = wl_stream_read_u32(header), kind = wl_stream_read_u32(header + 4);
        if (wl_stream_read_u32(header + 12) != wl_stream_crc32(header, 12) ||
            length > WL_STREAM_PAYLOAD_BYTES_MAX ||
            (uint64_t)ftell(replay->file) + length > replay->size_bytes)
            break;
        if (kind >= WL_COUNT(keepers) || !keepers[kind]) {
            if (fseek(replay->file, (long)length, SEEK_CUR) != 0)
                break;
            continue;
        }
        unsigned char *payload = wl_alloc((size_t)length + 1);
        struct wl_codec codec = {.next = payload, .end = payload + length};
        if (fread(payload, 1, length, replay->file) == length &&
            wl_stream_read_u32(header + 8) == wl_stream_crc32(payload, length))
            keepers[kind](replay, &codec);
        wl_codec_free(&codec);
        free(payload);
    }
    clearerr(replay->file);
    fseek(replay->file, begin, SEEK_SET);
}

static void free_times(struct replay *replay)
{
    struct late *late, *next;
    HASH_ITER(hh, replay->times, late, next)
    {
        HASH_DEL(replay->times, late);
        free(late);
    }
}

static enum wl_code open_file(struct replay *replay)
{
    struct stat status;
    replay->file = fopen(replay->path, "rbe");
    if (!replay->file || fstat(fileno(replay->file), &status) != 0 || !S_ISREG(status.st_mode)) {
        wl_error_set(replay->error, WL_ERR_INPUT, "cannot open the stream: %s",
                     replay->file ? "not a file" : strerror(errno));
        wl_error_set_where(replay->error, "%s", replay->path);
        return WL_ERR_INPUT;
    }
    replay->size_bytes = (uint64_t)status.st_size;
    return WL_OK;
}

enum wl_code wl_stream_replay(const char *path, const struct wl_sink *sink,
                              struct wl_stream_summary *summary, struct wl_error *error)
{
    struct wl_stream_summary unused;
    struct replay replay = {
        .path = path, .sink = sink, .summary = summary ? summary : &unused, .error = error};
    *replay.summary = (struct wl_stream_summary){0};
    enum wl_code code = open_file(&replay);
    if (code == WL_OK)
        code = read_file_header(&replay);
    if (code == WL_OK && !replay.summary->is_torn)
        find_times(&replay);
    while (code == WL_OK && !replay.summary->is_torn && left(&replay) > 0)
        code = read_record(&replay);
    if (replay.file)
        fclose(replay.file);
    free(replay.payload);
    free_times(&replay);
    return code;
}
