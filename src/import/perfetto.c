/* Traces in Perfetto's protobuf: packets whose events begin and end slices on tracks. Numbers of
 * fields are those of protos/perfetto/trace/trace_packet.proto and what it includes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/count.h"
#include "import/perfetto_state.h"
#include "import/trace_event.h"

enum { TRACE_PACKET = 1 };
enum packet {
    PACKET_FTRACE = 1,
    PACKET_PROCESS_TREE = 2,
    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLEARED = 41,
    PACKET_PROCESS = 43,
    PACKET_THREAD = 44,
    PACKET_COMPRESSED = 50,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_TRACK = 60,
    PACKET_FIELDS
};
enum { DEFAULT_EVENT = 11, DEFAULT_CLOCK = 58, DEFAULT_TRACK = 11 };
enum {
    EVENT_CATEGORY_NUMBER = 3,
    EVENT_FACT = 4,
    EVENT_LEGACY = 6,
    EVENT_TYPE = 9,
    EVENT_NAME_NUMBER = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
};
enum { LEGACY_NAME_NUMBER = 1, LEGACY_PHASE = 2, LEGACY_DURATION = 3 };
enum {
    FACT_NAME_NUMBER = 1,
    FACT_BOOL = 2,
    FACT_UNSIGNED = 3,
    FACT_SIGNED = 4,
    FACT_DOUBLE = 5,
    FACT_TEXT = 6,
    FACT_NAME = 10,
    FACT_TEXT_NUMBER = 17,
};
enum type { OTHER, SLICE_BEGIN, SLICE_END, INSTANT, COUNTER, STATE, WHOLE_SLICE };
enum {
    MOST_DEPTH = 64,
    MOST_UNPACKED_BYTES = 512 << 20,
    MOST_UNREAD_KINDS = 200,
    MOST_FIELD = 1000
};

struct event {
    uint64_t time_ns, duration_ns, order;
    int64_t pid;
    uint32_t track, name, category; /* texts */
    uint8_t type;
    json_t *facts; /* NULL: none */
};

/* What is open on a track, above what was open before. */
struct open {
    size_t event;
    uint32_t below; /* from 1 */
};

struct reading {
    struct wl_import_target *target;
    struct wl_perfetto state;
    WL_VECTOR(struct event) events;
    WL_VECTOR(struct open) open;
    size_t unpacked_bytes;
    uint64_t left_out, counters, untimed, unread[MOST_UNREAD_KINDS];
};

/* ---- facts of an event ---- */

static const char *interned(struct reading *reading, uint64_t sequence,
                            enum wl_perfetto_interned kind, uint64_t number)
{
    uint32_t id = wl_perfetto_find_interned(&reading->state, sequence, kind, number);
    return wl_perfetto_text_of(&reading->state, id);
}

/* NULL: it is none of the plain kinds. */
static json_t *value_of(struct reading *reading, uint64_t sequence,
                        const struct wl_protobuf_field *part)
{
    switch (part->number) {
    case FACT_BOOL:
        return json_boolean(part->value);
    case FACT_UNSIGNED:
    case FACT_SIGNED:
        return json_integer((json_int_t)part->value);
    case FACT_DOUBLE:
        return json_real(wl_protobuf_double(part));
    case FACT_TEXT:
        return json_stringn((const char *)part->bytes, part->wire == 2 ? part->length : 0);
    case FACT_TEXT_NUMBER:
        return json_string(interned(reading, sequence, WL_PERFETTO_TEXT, part->value));
    default:
        return NULL;
    }
}

static void take_fact(struct reading *reading, uint64_t sequence,
                      const struct wl_protobuf_field *field, struct event *event)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    const char *name = "";
    json_t *value = NULL;
    while (wl_protobuf_next(&message, &part)) {
        json_t *found = value_of(reading, sequence, &part);
        if (part.number == FACT_NAME)
            name = wl_perfetto_text_of(&reading->state, wl_perfetto_text(&reading->state, &part));
        else if (part.number == FACT_NAME_NUMBER)
            name = interned(reading, sequence, WL_PERFETTO_FACT, part.value);
        if (found) {
            json_decref(value);
            value = found;
        }
    }
    if (value && *name) {
        event->facts = event->facts ? event->facts : json_object();
        json_object_set(event->facts, name, value);
    }
    json_decref(value);
}

/* ---- events ---- */

/* Events as Chrome's format has them, which Chrome itself writes into Perfetto's. */
static void take_legacy(struct reading *reading, uint64_t sequence,
                        const struct wl_protobuf_field *field, struct event *event)
{
    static const struct {
        char phase;
        enum type type;
    } phases[] = {{'B', SLICE_BEGIN}, {'E', SLICE_END}, {'X', WHOLE_SLICE}, {'I', INSTANT},
                  {'i', INSTANT},     {'R', INSTANT},   {'C', COUNTER}};
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == LEGACY_NAME_NUMBER && !event->name)
            event->name =
                wl_perfetto_find_interned(&reading->state, sequence, WL_PERFETTO_NAME, part.value);
        else if (part.number == LEGACY_DURATION && part.value < (uint64_t)4e15)
            event->duration_ns = part.value * 1000;
        else if (part.number == LEGACY_PHASE)
            for (size_t i = 0; i < WL_COUNT(phases); i++)
                if (event->type == OTHER && part.value == (unsigned char)phases[i].phase)
                    event->type = (uint8_t)phases[i].type;
    }
}

static void take_event(struct reading *reading, uint64_t sequence,
                       const struct wl_protobuf_field *field, struct event *event)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    struct wl_perfetto *state = &reading->state;
    uint64_t track = wl_perfetto_find_sequence(state, sequence)->track;
    while (wl_protobuf_next(&message, &part)) {
        switch (part.number) {
        case EVENT_TYPE:
            event->type = part.value <= STATE ? (uint8_t)part.value : OTHER;
            break;
        case EVENT_TRACK:
            track = part.value;
            break;
        case EVENT_NAME:
            event->name = wl_perfetto_text(state, &part);
            break;
        case EVENT_NAME_NUMBER:
            event->name = wl_perfetto_find_interned(state, sequence, WL_PERFETTO_NAME, part.value);
            break;
        case EVENT_CATEGORY:
            event->category = event->category ? event->category : wl_perfetto_text(state, &part);
            break;
        case EVENT_CATEGORY_NUMBER: /* of several the first */
            if (!event->category)
                event->category =
                    wl_perfetto_find_interned(state, sequence, WL_PERFETTO_CATEGORY, part.value);
            break;
        case EVENT_FACT:
            take_fact(reading, sequence, &part, event);
            break;
        case EVENT_LEGACY:
            take_legacy(reading, sequence, &part, event);
            break;
        default:
            break;
        }
    }
    event->track = wl_perfetto_find_track(state, track);
}

static void add_event(struct reading *reading, uint64_t sequence,
                      const struct wl_protobuf_field *field, const uint64_t *time, uint32_t clock)
{
    struct event event = {.order = reading->events.count};
    bool has_time =
        time && wl_perfetto_time(&reading->state, sequence, clock, *time, &event.time_ns);
    take_event(reading, sequence, field, &event);
    bool is_slice = event.type == SLICE_BEGIN || event.type == SLICE_END || event.type == INSTANT ||
                    event.type == WHOLE_SLICE;
    reading->counters += event.type == COUNTER;
    reading->left_out += event.type == OTHER || event.type == STATE;
    reading->untimed += is_slice && !has_time;
    if (is_slice && has_time)
        WL_PUSH(&reading->events, event);
    else
        json_decref(event.facts);
}

/* ---- packets ---- */

static bool read_packets(struct reading *reading, struct wl_protobuf *trace, bool is_unpacked);

static void unpack(struct reading *reading, const struct wl_protobuf_field *field)
{
    enum { CHUNK = 1 << 13 };
    char chunk[CHUNK];
    struct wl_text text = {0};
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)field->bytes,
                       .avail_in = (uInt)field->length};
    int code = inflateInit(&stream);
    if (code != Z_OK)
        return;
    while (code == Z_OK && reading->unpacked_bytes + text.length < MOST_UNPACKED_BYTES) {
        stream.next_out = (Bytef *)chunk;
        stream.avail_out = CHUNK;
        code = inflate(&stream, Z_NO_FLUSH);
        wl_text_add_bytes(&text, chunk, CHUNK - stream.avail_out);
    }
    inflateEnd(&stream);
    reading->left_out += code != Z_STREAM_END;
    if (text.data) {
        /* nothing points into it later: texts are kept */
        const unsigned char *bytes = (const unsigned char *)text.data;
        struct wl_protobuf inner = {bytes, bytes + text.length, false};
        reading->unpacked_bytes += text.length;
        reading->left_out += !read_packets(reading, &inner, true);
    }
    wl_text_free(&text);
}

/* The fields that are read, by their numbers. */
struct packet_fields {
    struct wl_protobuf_field items[PACKET_FIELDS];
    bool has[PACKET_FIELDS];
};

static bool is_told_without_note(uint32_t number)
{
    /* how the trace was made, and by whom; a packet's own properties */
    static const uint32_t numbers[] = {3,  9,  33, 34, 35, 36, 42, 45, 46, 48,
                                       51, 67, 69, 79, 87, 89, 90, 98, 107};
    for (size_t i = 0; i < WL_COUNT(numbers); i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static bool is_read(uint32_t number)
{
    return number == PACKET_PROCESS_TREE || number == PACKET_CLOCKS || number == PACKET_TIME ||
           (number >= PACKET_SEQUENCE && number <= PACKET_FLAGS) || number == PACKET_CLEARED ||
           number == PACKET_PROCESS || number == PACKET_THREAD || number == PACKET_COMPRESSED ||
           (number >= PACKET_CLOCK && number <= PACKET_TRACK);
}

static bool split_packet(struct reading *reading, const struct wl_protobuf_field *field,
                         struct packet_fields *fields)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    while (wl_protobuf_next(&message, &part)) {
        if (is_read(part.number)) {
            fields->items[part.number] = part;
            fields->has[part.number] = true;
        } else if (!is_told_without_note(part.number)) {
            reading->unread[part.number < MOST_UNREAD_KINDS ? part.number : 0]++;
        }
    }
    return !message.is_bad;
}

static void take_defaults(struct wl_perfetto_sequence *sequence,
                          const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part, inner;
    sequence->clock = 0;
    sequence->track = 0;
    while (wl_protobuf_next(&message, &part)) {
        struct wl_protobuf event = wl_protobuf_within(&part);
        if (part.number == DEFAULT_CLOCK)
            sequence->clock = (uint32_t)part.value;
        else if (part.number == DEFAULT_EVENT)
            while (wl_protobuf_next(&event, &inner))
                if (inner.number == DEFAULT_TRACK)
                    sequence->track = inner.value;
    }
}

/* Of programs from before tracks had descriptors: a sequence describes its thread. */
static void take_old_descriptor(struct reading *reading, uint64_t sequence,
                                const struct packet_fields *fields)
{
    const uint64_t own = UINT64_MAX - sequence;
    uint32_t index = wl_perfetto_find_track(&reading->state, own);
    struct wl_perfetto_track *track = &reading->state.tracks.items[index];
    if (fields->has[PACKET_PROCESS])
        wl_perfetto_take_process(&reading->state, &fields->items[PACKET_PROCESS], track);
    if (fields->has[PACKET_THREAD]) {
        wl_perfetto_take_thread(&fields->items[PACKET_THREAD], track);
        wl_perfetto_find_sequence(&reading->state, sequence)->track = own;
    }
}

/* What a packet says of others holds for its own event, wherever it stands in it. */
static void take_packet(struct reading *reading, const struct packet_fields *fields)
{
    const struct wl_protobuf_field *items = fields->items;
    struct wl_perfetto *state = &reading->state;
    const uint64_t sequence = fields->has[PACKET_SEQUENCE] ? items[PACKET_SEQUENCE].value : 0;
    const uint64_t time = items[PACKET_TIME].value;
    struct wl_perfetto_sequence *own = wl_perfetto_find_sequence(state, sequence);
    if ((items[PACKET_FLAGS].value & 1) || items[PACKET_CLEARED].value) {
        own->generation++;
        own->clock = 0;
        own->track = 0;
    }
    if (fields->has[PACKET_DEFAULTS])
        take_defaults(own, &items[PACKET_DEFAULTS]);
    if (fields->has[PACKET_INTERNED])
        wl_perfetto_take_interned(state, sequence, &items[PACKET_INTERNED]);
    if (fields->has[PACKET_CLOCKS])
        wl_perfetto_take_clocks(state, sequence, &items[PACKET_CLOCKS]);
    if (fields->has[PACKET_PROCESS_TREE])
        wl_perfetto_take_process_tree(state, &items[PACKET_PROCESS_TREE]);
    if (fields->has[PACKET_TRACK])
        wl_perfetto_take_track(state, &items[PACKET_TRACK]);
    if (fields->has[PACKET_PROCESS] || fields->has[PACKET_THREAD])
        take_old_descriptor(reading, sequence, fields);
    if (fields->has[PACKET_EVENT])
        add_event(reading, sequence, &items[PACKET_EVENT], fields->has[PACKET_TIME] ? &time : NULL,
                  (uint32_t)items[PACKET_CLOCK].value);
}

/* False where the bytes are no packets, or cut off. */
static bool read_packets(struct reading *reading, struct wl_protobuf *trace, bool is_unpacked)
{
    struct wl_protobuf_field field;
    while (wl_protobuf_next(trace, &field)) {
        struct packet_fields fields = {0};
        if (field.number != TRACE_PACKET || field.wire != 2)
            continue;
        reading->left_out += !split_packet(reading, &field, &fields);
        if (fields.has[PACKET_COMPRESSED] && !is_unpacked)
            unpack(reading, &fields.items[PACKET_COMPRESSED]);
        else
            take_packet(reading, &fields);
    }
    return !trace->is_bad;
}

/* ---- slices ---- */

/* Which process and thread a track is of: its own, or those of what it lies below. */
static void place(const struct reading *reading, uint32_t index, int64_t *pid, uint32_t *thread)
{
    const struct wl_perfetto_track *tracks = reading->state.tracks.items;
    struct wl_keys *keys = (struct wl_keys *)&reading->state.track_keys;
    bool has_thread = false;
    *thread = 0;
    *pid = -1;
    for (int depth = 0; depth < MOST_DEPTH && *pid < 0; depth++) {
        const struct wl_perfetto_track *track = &tracks[index];
        if (track->has_tid && !has_thread) {
            *thread = (uint32_t)track->tid;
            has_thread = true;
        }
        if (track->has_pid)
            *pid = track->pid;
        int64_t parent = track->parent ? wl_keys_find_number(keys, track->parent) : 0;
        if (!parent)
            break;
        index = (uint32_t)(parent - 1);
    }
}

static int compare_events(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void put(struct reading *reading, const struct event *event, uint64_t end_ns)
{
    int64_t pid;
    struct wl_import_trace_event found = {
        .name = wl_perfetto_text_of(&reading->state, event->name),
        .category = wl_perfetto_text_of(&reading->state, event->category),
        .args = event->facts,
        .start_ns = event->time_ns,
        .end_ns = end_ns,
        .is_mark = event->type == INSTANT,
    };
    place(reading, event->track, &pid, &found.thread);
    wl_import_trace_event(reading->target, &found);
}

static void match(struct reading *reading, size_t index)
{
    const struct event *event = &reading->events.items[index];
    struct wl_perfetto_track *track = &reading->state.tracks.items[event->track];
    const struct open open = {index, track->top};
    switch (event->type) {
    case SLICE_BEGIN:
        WL_PUSH(&reading->open, open);
        track->top = (uint32_t)reading->open.count;
        break;
    case SLICE_END:
        if (!track->top) {
            reading->left_out++;
            break;
        }
        const struct open *top = &reading->open.items[track->top - 1];
        track->top = top->below;
        put(reading, &reading->events.items[top->event], event->time_ns);
        reading->open.items[top - reading->open.items].event = SIZE_MAX;
        break;
    default:
        put(reading, event, event->time_ns + event->duration_ns);
        break;
    }
}

/* Events of tracks that are below no process belong to the first that there is. */
static void put_processes(struct reading *reading)
{
    struct event *events = reading->events.items;
    const size_t count = reading->events.count;
    int64_t first = -1;
    uint32_t thread;
    for (size_t i = 0; i < count; i++) {
        place(reading, events[i].track, &events[i].pid, &thread);
        first = first < 0 ? events[i].pid : first;
    }
    for (size_t i = 0; i < count; i++)
        events[i].pid = events[i].pid < 0 ? (first < 0 ? 0 : first) : events[i].pid;
    if (count)
        qsort(events, count, sizeof *events, compare_events);
    for (size_t i = 0; i < count; i++) {
        uint32_t name = wl_perfetto_process_name(&reading->state, events[i].pid);
        if (i == 0 || events[i].pid != events[i - 1].pid)
            wl_import_begin_process(reading->target, "perfetto", (uint64_t)events[i].pid,
                                    name ? wl_perfetto_text_of(&reading->state, name) : NULL, NULL,
                                    events[i].time_ns);
        match(reading, i);
    }
    for (size_t i = 0; i < reading->open.count; i++)
        reading->left_out += reading->open.items[i].event != SIZE_MAX;
}

/* ---- what was not read ---- */

static void note_count(struct reading *reading, const char *code, uint64_t count, const char *what)
{
    char *text = wl_string_format("%" PRIu64 " %s", count, what);
    if (count)
        wl_import_note(reading->target, code, text, "");
    free(text);
}

static void note_unread(struct reading *reading)
{
    static const struct {
        uint32_t number;
        const char *name;
    } kinds[] = {{PACKET_FTRACE, "ftrace_events"}, {7, "sys_stats"},
                 {37, "profile_packet"},           {39, "android_log"},
                 {52, "gpu_counter_event"},        {53, "gpu_render_stage_event"},
                 {54, "streaming_profile_packet"}, {62, "vulkan_memory_event"},
                 {65, "vulkan_api_event"},         {66, "perf_sample"},
                 {133, "zstd_compressed_packets"}};
    struct wl_text text = {0};
    for (uint32_t number = 0; number < MOST_UNREAD_KINDS; number++) {
        const char *name = NULL;
        for (size_t i = 0; i < WL_COUNT(kinds); i++)
            name = kinds[i].number == number ? kinds[i].name : name;
        if (!reading->unread[number])
            continue;
        wl_text_add(&text, text.length ? ", " : "");
        if (name)
            wl_text_addf(&text, "%s (%" PRIu64 ")", name, reading->unread[number]);
        else
            wl_text_addf(&text, "field %" PRIu32 " (%" PRIu64 ")", number, reading->unread[number]);
    }
    if (text.length) {
        char *whole = wl_string_format("of packets these are not read: %s", text.data);
        wl_import_note(reading->target, "import-left-out", whole, "");
        free(whole);
    }
    wl_text_free(&text);
}

static enum wl_code read_perfetto(struct wl_import_target *target, struct wl_error *error)
{
    struct reading reading = {.target = target};
    struct wl_protobuf trace = {
        (const unsigned char *)target->content.data,
        (const unsigned char *)target->content.data + target->content.length, false};
    enum wl_code code = WL_OK;
    if (!read_packets(&reading, &trace, false))
        code = wl_import_fail(target, WL_ERR_CORRUPT, error,
                              "the trace is cut off or damaged at byte %zu",
                              (size_t)(trace.next - (const unsigned char *)target->content.data));
    if (!code) {
        put_processes(&reading);
        note_count(&reading, "import-left-out", reading.left_out,
                   "events or packets were damaged, had no end or no beginning, or are of no kind "
                   "that is read");
        note_count(
            &reading, "import-left-out", reading.untimed,
            "events had an invalid time, or one of a clock that the trace does not describe");
        note_count(&reading, "import-left-out", reading.counters,
                   "values of counters are not read");
        note_unread(&reading);
    }
    for (size_t i = 0; i < reading.events.count; i++)
        json_decref(reading.events.items[i].facts);
    free(reading.events.items);
    free(reading.open.items);
    wl_perfetto_free(&reading.state);
    return code;
}

static bool begins_as_packet(const unsigned char *bytes, const unsigned char *end)
{
    struct wl_protobuf packet = {bytes, end, false};
    struct wl_protobuf_field part = {0};
    wl_protobuf_next(&packet, &part);
    return part.number > 0 && part.number <= MOST_FIELD;
}

/* A trace has no mark of its own: what begins with a packet of fields that packets have is one. */
static bool is_perfetto(const struct wl_text *content)
{
    const unsigned char *bytes = (const unsigned char *)content->data,
                        *end = bytes + content->length;
    struct wl_protobuf trace = {bytes, end, false};
    struct wl_protobuf_field field, part;
    if (!content->length || bytes[0] != (TRACE_PACKET << 3 | 2))
        return false;
    bool is_whole = wl_protobuf_next(&trace, &field);
    bool goes_on = trace.next >= end || *trace.next == (TRACE_PACKET << 3 | 2);
    if (!is_whole) /* it goes on behind what was read; a text has no such byte in the second place
                    */
        return content->length > 2 && (bytes[1] & 0x80) && field.value < MOST_UNPACKED_BYTES &&
               field.bytes && field.bytes < end && begins_as_packet(field.bytes, end);
    size_t fields = 0;
    struct wl_protobuf packet = wl_protobuf_within(&field);
    while (wl_protobuf_next(&packet, &part))
        fields += part.number <= MOST_FIELD;
    return !packet.is_bad && fields > 0 && goes_on;
}

const struct wl_import_format wl_import_perfetto = {"Perfetto trace", is_perfetto, read_perfetto};
