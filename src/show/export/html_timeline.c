/* The events of a trace for the timeline page: each field of all events by itself, as varints,
 * deflated, in base64. A million events are read in a fraction of a second. */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/base64.h"
#include "base/memory.h"
#include "report/events.h"
#include "report/keys.h"
#include "report/tables.h"
#include "show/export/html.h"
#include "show/export/tracks.h"
#include "show/format/json.h"
#include "show/page/fields.h"

/* Fields of an event, in the order of the page. */
enum field { START, LENGTH, NAME, CATEGORY, ROW, DEPTH, CORRELATION, AMOUNT, FIELD_COUNT };

struct timeline {
    struct wl_tracks tracks;
    struct wl_keys names;
    uint32_t *known; /* by name of the report: 1 + position among those of the page */
    size_t known_count;
    json_t *name_list;
    struct wl_text fields[FIELD_COUNT];
    uint64_t first_ns, before_ns, count;
    uint32_t before_correlation;
};

static void add_varint(struct wl_text *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        wl_text_add_char(out, (char)(value | 128));
    wl_text_add_char(out, (char)value);
}

/* Small numbers of either sign become small numbers. */
static uint64_t fold(int64_t number)
{
    return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static void pass_end(void *self, size_t track, uint64_t time_ns, uint32_t name)
{
    (void)self;
    (void)track;
    (void)time_ns;
    (void)name;
}

/* Position of a name among those of the page, where equal texts stand once; known: what was found
 * so far of each name of the report, 0: nothing. */
static uint32_t place_name(struct timeline *timeline, const struct wl_report *report, uint32_t name)
{
    int64_t found;
    if (name < timeline->known_count && timeline->known[name])
        return timeline->known[name] - 1;
    const char *text = wl_report_event_name(report, name);
    if (!wl_keys_intern(&timeline->names, text, strlen(text), &found))
        json_array_append_new(timeline->name_list, wl_json_text(text));
    if (name >= timeline->known_count) {
        size_t count = 2 * (size_t)name + 64;
        uint32_t *known = wl_alloc_zero(count, sizeof *known);
        if (timeline->known_count)
            memcpy(known, timeline->known, timeline->known_count * sizeof *known);
        free(timeline->known);
        timeline->known = known;
        timeline->known_count = count;
    }
    timeline->known[name] = (uint32_t)found;
    return (uint32_t)found - 1;
}

/* Starts and correlations are what they add to those of the event before. */
static void take(struct timeline *timeline, const struct wl_report *report,
                 const struct wl_report_span *span)
{
    struct wl_text *fields = timeline->fields;
    const struct wl_report_event event = {.category = (enum wl_timeline_category)span->category,
                                          .start_ns = span->start_ns,
                                          .end_ns = span->end_ns,
                                          .process = span->process,
                                          .thread = span->thread,
                                          .words = {span->where}};
    size_t track = wl_tracks_place(&timeline->tracks, &event, pass_end, timeline);
    size_t depth = timeline->tracks.items[track].open.count;
    if (!timeline->count++)
        timeline->first_ns = timeline->before_ns = span->start_ns;
    add_varint(&fields[START], span->start_ns - timeline->before_ns);
    add_varint(&fields[LENGTH], span->end_ns - span->start_ns);
    add_varint(&fields[NAME], place_name(timeline, report, span->name));
    add_varint(&fields[CATEGORY], span->category);
    add_varint(&fields[ROW], track);
    add_varint(&fields[DEPTH], depth);
    add_varint(&fields[CORRELATION],
               fold((int64_t)span->correlation - (int64_t)timeline->before_correlation));
    add_varint(&fields[AMOUNT], span->amount);
    timeline->before_ns = span->start_ns;
    timeline->before_correlation = span->correlation;
    wl_tracks_open(&timeline->tracks, track, &event, 0);
}

/* All fields, one after another, deflated. NULL where there is no memory for it. */
static json_t *pack_fields(struct timeline *timeline)
{
    struct wl_text all = {0};
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        wl_text_add_bytes(&all, timeline->fields[i].data, timeline->fields[i].length);
        wl_text_free(&timeline->fields[i]);
    }
    uLongf count = compressBound(all.length);
    unsigned char *packed = wl_alloc_zero(count, 1);
    json_t *string = NULL;
    if (compress2(packed, &count, (const Bytef *)all.data, all.length, Z_DEFAULT_COMPRESSION) ==
        Z_OK) {
        struct wl_text text = {0};
        wl_base64_add(packed, count, &text);
        string = json_stringn(text.data ? text.data : "", text.length);
        wl_text_free(&text);
    }
    free(packed);
    wl_text_free(&all);
    return string;
}

static const char *host_of(const struct wl_report_process *process)
{
    return process->record.host ? process->record.host : "";
}

static bool has_hosts(const struct wl_report_process *processes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(host_of(&processes[i]), host_of(&processes[0])) != 0)
            return true;
    return false;
}

static json_t *describe_rows(struct wl_html *html, const struct timeline *timeline)
{
    size_t count;
    const struct wl_report_process *processes =
        wl_report_processes(html->reports[0].report, &count);
    json_t *rows = json_array();
    for (size_t i = 0; i < timeline->tracks.count; i++) {
        const struct wl_track *track = &timeline->tracks.items[i];
        const struct wl_record_process *process = &processes[track->process].record;
        struct wl_text name = {0};
        wl_track_print_name(track, &name);
        json_t *row = json_pack("{s:o, s:b, s:I, s:I}", "name", wl_json_text(name.data),
                                "is_device", track->is_device, "process",
                                (json_int_t)track->process, "pid", (json_int_t)process->pid);
        if (process->rank >= 0)
            json_object_set_new(row, "rank", json_integer(process->rank));
        if (has_hosts(processes, count))
            json_object_set_new(row, "host", wl_json_text(host_of(&processes[track->process])));
        json_array_append_new(rows, row);
        wl_text_free(&name);
    }
    return rows;
}

enum wl_code wl_html_timeline(struct wl_html *html, json_t *section, struct wl_error *error)
{
    struct wl_report *report = html->reports[0].report;
    if (wl_report_event_count(report) == 0)
        return WL_OK;
    struct timeline timeline = {.name_list = json_array()};
    struct wl_report_span *spans = NULL;
    size_t count = 0;
    enum wl_code code = wl_report_spans(report, &spans, &count, error);
    for (size_t i = 0; i < count; i++)
        take(&timeline, report, &spans[i]);
    free(spans);
    json_t *categories = json_array();
    for (int i = 0; i < WL_TIMELINE_CATEGORY_COUNT; i++)
        json_array_append_new(categories, json_string(wl_timeline_categories[i].name));
    json_object_set_new(section, "count", json_integer((json_int_t)timeline.count));
    json_object_set_new(section, "names", timeline.name_list);
    json_object_set_new(section, "categories", categories);
    json_object_set_new(section, "rows", describe_rows(html, &timeline));
    json_object_set_new(section, "is_simulated", json_boolean(wl_report_is_simulated(report)));
    json_t *events = pack_fields(&timeline);
    if (!events && !code)
        code = wl_error_set(error, WL_ERR_MEMORY, "out of memory for the events of the page");
    json_object_set_new(section, "events", events);
    wl_tracks_free(&timeline.tracks);
    wl_keys_free(&timeline.names);
    free(timeline.known);
    return code;
}
