#include "import/perfetto_state.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of fields, of the .proto files below protos/perfetto/trace/. */
enum { INTERNED_NUMBER = 1, INTERNED_TEXT = 2 };
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum { CLOCK_ID = 1, CLOCK_TIME = 2, CLOCK_INCREMENTAL = 3, CLOCK_MULTIPLIER = 4 };
enum { TRACK_UUID = 1, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2 };
enum { TREE_PROCESS = 1, TREE_PID = 1, TREE_COMMAND = 3 };

enum { FIRST_OWN_CLOCK = 64, LAST_OWN_CLOCK = 127, MOST_CLOCKS_AT_ONCE = 32 };

static const uint64_t most_ns = (uint64_t)4e18;

uint32_t wl_perfetto_text(struct wl_perfetto *state, const struct wl_protobuf_field *field)
{
    int64_t id = 0;
    if (field->wire != 2)
        return 0;
    size_t length = strnlen((const char *)field->bytes, field->length);
    if (!wl_keys_intern(&state->text_keys, field->bytes, length, &id)) {
        char *text = wl_string_copy_length((const char *)field->bytes, length);
        WL_PUSH(&state->texts, text);
    }
    return (uint32_t)id;
}

const char *wl_perfetto_text_of(const struct wl_perfetto *state, uint32_t id)
{
    return id ? state->texts.items[id - 1] : "";
}

uint32_t wl_perfetto_find_track(struct wl_perfetto *state, uint64_t uuid)
{
    const struct wl_perfetto_track none = {0};
    int64_t id;
    if (!wl_keys_intern(&state->track_keys, &uuid, sizeof uuid, &id))
        WL_PUSH(&state->tracks, none);
    return (uint32_t)(id - 1);
}

struct wl_perfetto_sequence *wl_perfetto_find_sequence(struct wl_perfetto *state, uint64_t number)
{
    const struct wl_perfetto_sequence none = {0};
    int64_t id;
    if (!wl_keys_intern(&state->sequence_keys, &number, sizeof number, &id))
        WL_PUSH(&state->sequences, none);
    return &state->sequences.items[id - 1];
}

/* ---- texts that have a number on their sequence ---- */

struct interned_key {
    uint64_t sequence, kind, number, generation;
};

static struct interned_key key_of(struct wl_perfetto *state, uint64_t sequence, unsigned kind,
                                  uint64_t number)
{
    return (struct interned_key){sequence, kind, number,
                                 wl_perfetto_find_sequence(state, sequence)->generation};
}

uint32_t wl_perfetto_find_interned(struct wl_perfetto *state, uint64_t sequence,
                                   enum wl_perfetto_interned kind, uint64_t number)
{
    const struct interned_key key = key_of(state, sequence, kind, number);
    int64_t id = wl_keys_find(&state->interned_keys, &key, sizeof key);
    return id ? state->interned.items[id - 1] : 0;
}

static void take_interned_text(struct wl_perfetto *state, uint64_t sequence,
                               const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    uint64_t number = 0;
    uint32_t text = 0;
    int64_t id;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == INTERNED_NUMBER)
            number = part.value;
        else if (part.number == INTERNED_TEXT)
            text = wl_perfetto_text(state, &part);
    }
    const struct interned_key key = key_of(state, sequence, field->number, number);
    if (!wl_keys_intern(&state->interned_keys, &key, sizeof key, &id))
        WL_PUSH(&state->interned, text);
    else
        state->interned.items[id - 1] = text;
}

void wl_perfetto_take_interned(struct wl_perfetto *state, uint64_t sequence,
                               const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    while (wl_protobuf_next(&message, &part))
        if (part.number == WL_PERFETTO_CATEGORY || part.number == WL_PERFETTO_NAME ||
            part.number == WL_PERFETTO_FACT || part.number == WL_PERFETTO_TEXT)
            take_interned_text(state, sequence, &part);
}

/* ---- clocks ---- */

static struct wl_perfetto_clock *find_clock(struct wl_perfetto *state, uint64_t sequence,
                                            uint32_t number)
{
    const struct wl_perfetto_clock none = {.multiplier_ns = 1};
    bool is_own = number >= FIRST_OWN_CLOCK && number <= LAST_OWN_CLOCK;
    const uint64_t key[2] = {is_own ? sequence : 0, number};
    int64_t id;
    if (!wl_keys_intern(&state->clock_keys, key, sizeof key, &id))
        WL_PUSH(&state->clocks, none);
    return &state->clocks.items[id - 1];
}

struct reading {
    uint32_t number;
    uint64_t time_ns;
};

static struct reading take_clock(struct wl_perfetto *state, uint64_t sequence,
                                 const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    struct wl_perfetto_clock read = {.multiplier_ns = 1, .is_known = true};
    uint32_t number = 0;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == CLOCK_ID)
            number = (uint32_t)part.value;
        else if (part.number == CLOCK_TIME)
            read.last = part.value;
        else if (part.number == CLOCK_INCREMENTAL)
            read.is_incremental = part.value != 0;
        else if (part.number == CLOCK_MULTIPLIER && part.value && part.value < 1000000000)
            read.multiplier_ns = part.value;
    }
    struct wl_perfetto_clock *clock = find_clock(state, sequence, number);
    read.to_realtime_ns = clock->to_realtime_ns;
    read.has_realtime = clock->has_realtime;
    *clock = read;
    bool can_be = read.last <= most_ns / read.multiplier_ns;
    return (struct reading){can_be ? number : 0, can_be ? read.last * read.multiplier_ns : 0};
}

/* What the time since 1970 was when the snapshot was taken, by its own clock or one told before. */
static bool find_realtime(struct wl_perfetto *state, uint64_t sequence,
                          const struct reading *readings, size_t count, uint64_t *realtime_ns)
{
    for (size_t i = 0; i < count; i++)
        if (readings[i].number == WL_PERFETTO_REALTIME) {
            *realtime_ns = readings[i].time_ns;
            return true;
        }
    for (size_t i = 0; i < count; i++) {
        const struct wl_perfetto_clock *clock = find_clock(state, sequence, readings[i].number);
        bool is_shared = readings[i].number && readings[i].number < FIRST_OWN_CLOCK;
        if (is_shared && clock->has_realtime) {
            *realtime_ns = readings[i].time_ns + (uint64_t)clock->to_realtime_ns;
            return true;
        }
    }
    return false;
}

/* The first snapshot of a clock is used: corrected by later ones, time would jump. */
void wl_perfetto_take_clocks(struct wl_perfetto *state, uint64_t sequence,
                             const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    struct reading readings[MOST_CLOCKS_AT_ONCE];
    size_t count = 0;
    uint64_t realtime_ns = 0;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == SNAPSHOT_CLOCK && count < MOST_CLOCKS_AT_ONCE)
            readings[count++] = take_clock(state, sequence, &part);
        else if (part.number == SNAPSHOT_PRIMARY && !state->primary_clock)
            state->primary_clock = (uint32_t)part.value;
    }
    bool has_realtime = find_realtime(state, sequence, readings, count, &realtime_ns);
    for (size_t i = 0; i < count; i++) {
        struct wl_perfetto_clock *clock = find_clock(state, sequence, readings[i].number);
        if (!readings[i].number || clock->has_realtime)
            continue;
        clock->has_realtime = has_realtime;
        if (has_realtime) {
            clock->to_realtime_ns = (int64_t)(realtime_ns - readings[i].time_ns);
            continue;
        }
        /* at least on one scale with the others: the snapshot's first clock */
        clock->to_realtime_ns = (int64_t)(readings[0].time_ns - readings[i].time_ns);
    }
}

bool wl_perfetto_time(struct wl_perfetto *state, uint64_t sequence, uint32_t number, uint64_t time,
                      uint64_t *time_ns)
{
    if (!number)
        number = wl_perfetto_find_sequence(state, sequence)->clock;
    if (!number)
        number = state->primary_clock ? state->primary_clock : WL_PERFETTO_BOOTTIME;
    struct wl_perfetto_clock *clock = find_clock(state, sequence, number);
    if (!clock->is_known && number >= FIRST_OWN_CLOCK)
        return false;
    if (clock->is_incremental)
        time = clock->last += time;
    if (time > most_ns / clock->multiplier_ns)
        return false;
    *time_ns = time * clock->multiplier_ns + (uint64_t)clock->to_realtime_ns;
    return *time_ns <= most_ns;
}

/* ---- tracks and processes ---- */

static void name_process(struct wl_perfetto *state, int64_t pid, uint32_t name)
{
    int64_t id;
    if (!wl_keys_intern(&state->process_keys, &pid, sizeof pid, &id))
        WL_PUSH(&state->process_names, name);
    else if (name)
        state->process_names.items[id - 1] = name;
}

uint32_t wl_perfetto_process_name(const struct wl_perfetto *state, int64_t pid)
{
    int64_t id = wl_keys_find(&state->process_keys, &pid, sizeof pid);
    return id ? state->process_names.items[id - 1] : 0;
}

void wl_perfetto_take_process(struct wl_perfetto *state, const struct wl_protobuf_field *field,
                              struct wl_perfetto_track *track)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    uint32_t name = 0, command = 0;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == PROCESS_PID)
            track->pid = (int32_t)part.value;
        else if (part.number == PROCESS_NAME)
            name = wl_perfetto_text(state, &part);
        else if (part.number == PROCESS_COMMAND && !command)
            command = wl_perfetto_text(state, &part);
    }
    track->has_pid = true;
    name_process(state, track->pid, name ? name : command);
}

void wl_perfetto_take_thread(const struct wl_protobuf_field *field, struct wl_perfetto_track *track)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == THREAD_PID)
            track->pid = (int32_t)part.value;
        else if (part.number == THREAD_TID)
            track->tid = (int64_t)part.value;
    }
    track->has_pid = track->has_tid = true;
}

void wl_perfetto_take_track(struct wl_perfetto *state, const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    struct wl_perfetto_track track = {0};
    uint64_t uuid = 0;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == TRACK_UUID)
            uuid = part.value;
        else if (part.number == TRACK_PARENT)
            track.parent = part.value;
        else if (part.number == TRACK_PROCESS)
            wl_perfetto_take_process(state, &part, &track);
        else if (part.number == TRACK_THREAD)
            wl_perfetto_take_thread(&part, &track);
    }
    uint32_t index = wl_perfetto_find_track(state, uuid);
    state->tracks.items[index] = track;
}

static void take_tree_process(struct wl_perfetto *state, const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    int64_t pid = 0;
    uint32_t name = 0;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == TREE_PID)
            pid = (int32_t)part.value;
        else if (part.number == TREE_COMMAND && !name)
            name = wl_perfetto_text(state, &part);
    }
    if (!wl_perfetto_process_name(state, pid))
        name_process(state, pid, name);
}

void wl_perfetto_take_process_tree(struct wl_perfetto *state, const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    while (wl_protobuf_next(&message, &part))
        if (part.number == TREE_PROCESS)
            take_tree_process(state, &part);
}

void wl_perfetto_free(struct wl_perfetto *state)
{
    for (size_t i = 0; i < state->texts.count; i++)
        free(state->texts.items[i]);
    free(state->texts.items);
    wl_keys_free(&state->text_keys);
    wl_keys_free(&state->interned_keys);
    wl_keys_free(&state->track_keys);
    wl_keys_free(&state->sequence_keys);
    wl_keys_free(&state->clock_keys);
    wl_keys_free(&state->process_keys);
    free(state->interned.items);
    free(state->tracks.items);
    free(state->sequences.items);
    free(state->clocks.items);
    free(state->process_names.items);
}
