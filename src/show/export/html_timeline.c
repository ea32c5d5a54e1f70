/* The events of a trace for the timeline page. Numbers are varints in base64, some ten bytes an
 * event: a million of them are read in a fraction of a second. */
#include <string.h>

#include "report/events.h"
#include "report/keys.h"
#include "report/tables.h"
#include "show/export/html.h"
#include "show/export/tracks.h"
#include "show/format/json.h"
#include "show/page/fields.h"

struct timeline {
    struct wl_tracks tracks;
    struct wl_keys names;
    json_t *name_list;
    struct wl_text bytes;
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

/* Each event: since the one before, length, name, category, row, depth, correlation since the one
 * before. */
static void take(void *self, const struct wl_report_event *event)
{
    struct timeline *timeline = self;
    int64_t name;
    if (!wl_keys_intern(&timeline->names, event->name, strlen(event->name), &name))
        json_array_append_new(timeline->name_list, wl_json_text(event->name));
    size_t track = wl_tracks_place(&timeline->tracks, event, pass_end, timeline);
    size_t depth = timeline->tracks.items[track].open.count;
    if (!timeline->count++)
        timeline->first_ns = timeline->before_ns = event->start_ns;
    add_varint(&timeline->bytes, event->start_ns - timeline->before_ns);
    add_varint(&timeline->bytes, event->end_ns - event->start_ns);
    add_varint(&timeline->bytes, (uint64_t)name - 1);
    add_varint(&timeline->bytes, event->category);
    add_varint(&timeline->bytes, track);
    add_varint(&timeline->bytes, depth);
    add_varint(&timeline->bytes,
               fold((int64_t)event->correlation - (int64_t)timeline->before_correlation));
    timeline->before_ns = event->start_ns;
    timeline->before_correlation = event->correlation;
    wl_tracks_open(&timeline->tracks, track, event, 0);
}

static json_t *encode(const struct wl_text *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct wl_text text = {0};
    for (size_t i = 0; i < bytes->length; i += 3) {
        uint32_t group = 0;
        size_t length = bytes->length - i < 3 ? bytes->length - i : 3;
        for (size_t j = 0; j < 3; j++)
            group = group << 8 | (j < length ? (unsigned char)bytes->data[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            wl_text_add_char(&text, j <= length ? digits[group >> (18 - 6 * j) & 63] : '=');
    }
    json_t *string = json_stringn(text.data ? text.data : "", text.length);
    wl_text_free(&text);
    return string;
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
    enum wl_code code = wl_report_events(report, 0, take, &timeline, error);
    json_t *categories = json_array();
    for (int i = 0; i < WL_TIMELINE_CATEGORY_COUNT; i++)
        json_array_append_new(categories, json_string(wl_timeline_categories[i].name));
    json_object_set_new(section, "count", json_integer((json_int_t)timeline.count));
    json_object_set_new(section, "names", timeline.name_list);
    json_object_set_new(section, "categories", categories);
    json_object_set_new(section, "rows", describe_rows(html, &timeline));
    json_object_set_new(section, "is_simulated", json_boolean(wl_report_is_simulated(report)));
    json_object_set_new(section, "events", encode(&timeline.bytes));
    wl_tracks_free(&timeline.tracks);
    wl_keys_free(&timeline.names);
    wl_text_free(&timeline.bytes);
    return code;
}
