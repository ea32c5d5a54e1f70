/* Perfetto's protobuf: packets of track descriptors, beginnings and ends of slices. Numbers of
 * fields are those of protos/perfetto/trace/trace_packet.proto and what it includes. */
#include "show/export/protobuf_writer.h"
#include "show/export/timeline_writer.h"

enum { TRACE_PACKET = 1 };
enum { PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_TRACK = 60 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
    EVENT_FACT = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_FLOW = 47,
    EVENT_LAST_FLOW = 48,
};
enum { FACT_SIGNED = 4, FACT_TEXT = 6, FACT_NAME = 10 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, SEQUENCE = 1 };

static void add_text(int field, const char *text, struct wl_text *out)
{
    size_t length = 0;
    while (text[length])
        length++;
    wl_protobuf_add_bytes(field, text, length, out);
}

/* Takes what stands in line as a field of a packet, and writes the packet. */
static void write_packet(struct wl_timeline_writer *writer, int field, const uint64_t *timestamp_ns)
{
    struct wl_text packet = {0}, whole = {0};
    if (timestamp_ns)
        wl_protobuf_add_number(PACKET_TIMESTAMP, *timestamp_ns, &packet);
    wl_protobuf_add_number(PACKET_SEQUENCE, SEQUENCE, &packet);
    wl_protobuf_add_bytes(field, writer->line.data, writer->line.length, &packet);
    wl_protobuf_add_bytes(TRACE_PACKET, packet.data, packet.length, &whole);
    fwrite(whole.data, 1, whole.length, writer->out);
    writer->line.length = 0;
    wl_text_free(&packet);
    wl_text_free(&whole);
}

/* Processes have even numbers, rows odd ones. */
static uint64_t process_uuid(size_t process)
{
    return 2 * ((uint64_t)process + 1);
}

static uint64_t track_uuid(size_t track)
{
    return 2 * (uint64_t)track + 1;
}

static bool is_first_of_process(const struct wl_tracks *tracks, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (tracks->items[i].process == tracks->items[index].process)
            return false;
    return true;
}

static void tell_process(struct wl_timeline_writer *writer, size_t index)
{
    struct wl_text description = {0}, name = {0};
    wl_timeline_add_process(writer, index, &name);
    wl_protobuf_add_number(PROCESS_PID, wl_timeline_pid(writer, index), &description);
    add_text(PROCESS_NAME, name.data, &description);
    wl_protobuf_add_number(TRACK_UUID, process_uuid(index), &writer->line);
    wl_protobuf_add_bytes(TRACK_PROCESS, description.data, description.length, &writer->line);
    write_packet(writer, PACKET_TRACK, NULL);
    wl_text_free(&name);
    wl_text_free(&description);
}

/* The row of a thread itself; its further rows lie below it. */
static size_t first_layer(const struct wl_tracks *tracks, size_t index)
{
    const struct wl_track *track = &tracks->items[index];
    for (size_t i = 0; i < index; i++) {
        const struct wl_track *other = &tracks->items[i];
        if (other->process == track->process && !other->is_device &&
            other->number == track->number && !other->layer)
            return i;
    }
    return index;
}

static void add_thread(struct wl_timeline_writer *writer, const struct wl_track *track,
                       const char *name)
{
    struct wl_text description = {0};
    wl_protobuf_add_number(THREAD_PID, wl_timeline_pid(writer, track->process), &description);
    wl_protobuf_add_number(THREAD_TID, track->number & INT32_MAX, &description);
    add_text(THREAD_NAME, name, &description);
    wl_protobuf_add_bytes(TRACK_THREAD, description.data, description.length, &writer->line);
    wl_text_free(&description);
}

static void track(struct wl_timeline_writer *writer, size_t index)
{
    const struct wl_track *track = &writer->tracks.items[index];
    struct wl_text name = {0};
    if (is_first_of_process(&writer->tracks, index))
        tell_process(writer, track->process);
    wl_track_print_name(track, &name);
    wl_protobuf_add_number(TRACK_UUID, track_uuid(index), &writer->line);
    size_t parent = track->is_device ? index : first_layer(&writer->tracks, index);
    wl_protobuf_add_number(TRACK_PARENT,
                           parent == index ? process_uuid(track->process) : track_uuid(parent),
                           &writer->line);
    add_text(TRACK_NAME, name.data, &writer->line);
    if (!track->is_device && parent == index)
        add_thread(writer, track, name.data);
    write_packet(writer, PACKET_TRACK, NULL);
    wl_text_free(&name);
}

static void add_fact(void *self, const struct wl_timeline_fact *fact)
{
    struct wl_text *line = self, whole = {0};
    add_text(FACT_NAME, fact->name, &whole);
    if (fact->text)
        add_text(FACT_TEXT, fact->text, &whole);
    else
        wl_protobuf_add_number(FACT_SIGNED, (uint64_t)fact->number, &whole);
    wl_protobuf_add_bytes(EVENT_FACT, whole.data, whole.length, line);
    wl_text_free(&whole);
}

static void open(struct wl_timeline_writer *writer, size_t track,
                 const struct wl_report_event *event, uint32_t name, bool is_new)
{
    struct wl_text *line = &writer->line;
    (void)name;
    (void)is_new;
    wl_protobuf_add_number(EVENT_TYPE, SLICE_BEGIN, line);
    wl_protobuf_add_number(EVENT_TRACK, track_uuid(track), line);
    add_text(EVENT_CATEGORY, wl_timeline_category_name(event), line);
    add_text(EVENT_NAME, event->name, line);
    if (event->correlation)
        wl_protobuf_add_fixed(writer->tracks.items[track].is_device ? EVENT_LAST_FLOW : EVENT_FLOW,
                              (uint64_t)event->process << 32 | event->correlation, line);
    wl_timeline_list_facts(event, add_fact, line);
    write_packet(writer, PACKET_EVENT, &event->start_ns);
}

static void close(struct wl_timeline_writer *writer, size_t track, uint64_t time_ns, uint32_t name)
{
    (void)name;
    wl_protobuf_add_number(EVENT_TYPE, SLICE_END, &writer->line);
    wl_protobuf_add_number(EVENT_TRACK, track_uuid(track), &writer->line);
    write_packet(writer, PACKET_EVENT, &time_ns);
}

const struct wl_timeline_form_functions wl_timeline_perfetto = {
    .track = track, .open = open, .close = close};
