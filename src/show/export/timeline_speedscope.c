/* speedscope's JSON: a profile of openings and closings for each row. What belongs to a row must
 * stand together, so each row's is kept until the end. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/export/timeline_writer.h"

struct row {
    struct wl_text events;
    uint64_t last_ns;
};

/* Samples of the processor of a thread. */
struct sampled {
    struct wl_text name, stacks, weights; /* stacks: lists of frames, outermost first */
    uint64_t total_ns;
};

struct speedscope {
    struct wl_text frames;
    WL_VECTOR(struct sampled) sampled;
    WL_VECTOR_FIELDS(struct row);
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

static void add_frame(struct speedscope *self, const char *text, uint32_t name)
{
    wl_text_addf(&self->frames, "%s{\"name\":", name > 1 ? ",\n" : "");
    wl_timeline_add_json(text, &self->frames);
    wl_text_add_char(&self->frames, '}');
}

static void open(struct wl_timeline_writer *writer, size_t track,
                 const struct wl_report_event *event, uint32_t name, bool is_new)
{
    struct speedscope *self = writer->self;
    if (is_new)
        add_frame(self, event->name, name);
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

/* ---- samples of the processor ---- */

static void add_to_stack(struct wl_timeline_writer *writer, const char *text, struct wl_text *stack)
{
    int64_t name;
    if (!wl_keys_intern(&writer->names, text, strlen(text), &name))
        add_frame(writer->self, text, (uint32_t)name);
    wl_text_addf(stack, "%s%" PRId64,
                 stack->length && stack->data[stack->length - 1] != '[' ? "," : "", name - 1);
}

static void add_sample(void *taker, const struct wl_timeline_sample *sample)
{
    struct wl_timeline_writer *writer = taker;
    struct speedscope *self = writer->self;
    size_t count = self->sampled.count;
    if (!count || strcmp(self->sampled.items[count - 1].name.data, sample->track) != 0) {
        struct sampled made = {0};
        wl_text_add(&made.name, sample->track);
        WL_PUSH(&self->sampled, made);
    }
    struct sampled *sampled = &self->sampled.items[self->sampled.count - 1];
    char *copy = wl_string_copy(sample->callers), *rest = copy;
    wl_text_add(&sampled->stacks, sampled->stacks.length ? ",\n[" : "[");
    for (char *frame; (frame = strsep(&rest, ";"));)
        if (*frame)
            add_to_stack(writer, frame, &sampled->stacks);
    add_to_stack(writer, sample->function, &sampled->stacks);
    wl_text_add_char(&sampled->stacks, ']');
    wl_text_addf(&sampled->weights, "%s%" PRIu64, sampled->weights.length ? "," : "",
                 sample->sampled_ns);
    sampled->total_ns += sample->sampled_ns;
    free(copy);
}

static void write_sampled(struct wl_timeline_writer *writer, struct sampled *sampled, bool is_first)
{
    struct wl_text quoted = {0};
    wl_timeline_add_json(sampled->name.data, &quoted);
    fprintf(writer->out,
            "%s{\"type\":\"sampled\",\"name\":%s,\"unit\":\"nanoseconds\",\"startValue\":0,"
            "\"endValue\":%" PRIu64 ",\"samples\":[\n%s],\n\"weights\":[%s]}",
            is_first ? "" : ",\n", quoted.data, sampled->total_ns, sampled->stacks.data,
            sampled->weights.data);
    wl_text_free(&quoted);
    wl_text_free(&sampled->name);
    wl_text_free(&sampled->stacks);
    wl_text_free(&sampled->weights);
}

static void end(struct wl_timeline_writer *writer)
{
    struct speedscope *self = writer->self;
    struct wl_error ignored = {0}; /* the events that were read before it are of the same table */
    wl_timeline_samples_take(writer, add_sample, writer, &ignored);
    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":"
          "\"warplens\",\"shared\":{\"frames\":[\n",
          writer->out);
    if (self->frames.length)
        fwrite(self->frames.data, 1, self->frames.length, writer->out);
    fputs("]},\n\"profiles\":[", writer->out);
    for (size_t i = 0; i < self->count; i++)
        write_row(writer, i);
    for (size_t i = 0; i < self->sampled.count; i++)
        write_sampled(writer, &self->sampled.items[i], self->count + i == 0);
    fputs("]}\n", writer->out);
    free(self->sampled.items);
    wl_text_free(&self->frames);
    free(self->items);
    free(self);
}

const struct wl_timeline_form_functions wl_timeline_speedscope = {
    .begin = begin, .track = track, .open = open, .close = close, .end = end};
