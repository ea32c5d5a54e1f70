/* speedscope's JSON: a profile of openings and closings for each row. What belongs to a row must
 * stand together, so each row's is kept until the end. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "show/export/timeline_writer.h"

struct row {
    struct wl_text events;
    uint64_t last_ns;
};

struct speedscope {
    struct wl_text frames;
    struct row *items;
    size_t count, capacity;
};

static void begin(struct wl_timeline_writer *writer)
{
    writer->self = wl_alloc_zero(1, sizeof(struct speedscope));
}

static void track(struct wl_timeline_writer *writer, size_t index)
{
    struct speedscope *self = writer->self;
    struct row row = {0};
    (void)index;
    WL_PUSH(self, row);
}

static void add_event(struct wl_timeline_writer *writer, size_t track, char type, uint32_t name,
                      uint64_t time_ns)
{
    struct speedscope *self = writer->self;
    struct row *row = &self->items[track];
    row->last_ns = time_ns;
    wl_text_addf(&row->events, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
                 row->events.length ? ",\n" : "", type, name - 1, time_ns - writer->first_ns);
}

static void open(struct wl_timeline_writer *writer, size_t track,
                 const struct wl_report_event *event, uint32_t name, bool is_new)
{
    struct speedscope *self = writer->self;
    if (is_new) {
        wl_text_addf(&self->frames, "%s{\"name\":", name > 1 ? ",\n" : "");
        wl_timeline_add_json(event->name, &self->frames);
        wl_text_add_char(&self->frames, '}');
    }
    add_event(writer, track, 'O', name, event->start_ns);
}

static void close(struct wl_timeline_writer *writer, size_t track, uint64_t time_ns, uint32_t name)
{
    add_event(writer, track, 'C', name, time_ns);
}

static void write_row(struct wl_timeline_writer *writer, size_t index)
{
    struct speedscope *self = writer->self;
    struct row *row = &self->items[index];
    struct wl_text name = {0}, quoted = {0};
    wl_timeline_add_track(writer, &writer->tracks.items[index], &name);
    wl_timeline_add_json(name.data, &quoted);
    fprintf(writer->out,
            "%s{\"type\":\"evented\",\"name\":%s,\"unit\":\"nanoseconds\",\"startValue\":0,"
            "\"endValue\":%" PRIu64 ",\"events\":[\n",
            index ? ",\n" : "", quoted.data, row->last_ns - writer->first_ns);
    fwrite(row->events.data, 1, row->events.length, writer->out);
    fputs("]}", writer->out);
    wl_text_free(&row->events);
    wl_text_free(&name);
    wl_text_free(&quoted);
}

static void end(struct wl_timeline_writer *writer)
{
    struct speedscope *self = writer->self;
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":"
          "\"warplens\",\"shared\":{\"frames\":[\n",
          writer->out);
    if (self->frames.length)
        fwrite(self->frames.data, 1, self->frames.length, writer->out);
    fputs("]},\n\"profiles\":[", writer->out);
    for (size_t i = 0; i < self->count; i++)
        write_row(writer, i);
    fputs("]}\n", writer->out);
    wl_text_free(&self->frames);
    free(self->items);
    free(self);
}

const struct wl_timeline_form_functions wl_timeline_speedscope = {
    .begin = begin, .track = track, .open = open, .close = close, .end = end};
