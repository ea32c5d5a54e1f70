/* Traces in Chrome's Trace Event Format: of PyTorch (Kineto), of Warplens, and of other programs,
 * whose events become ranges. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/lenient_json.h"
#include "import/target.h"
#include "import/trace_event.h"

enum { MOST_OPEN = 1024 };

/* What is open on a thread: of phases B and E. */
struct open {
    int64_t pid, thread;
    double start_us;
    const char *name, *category;
    json_t *args;
};

struct reading {
    struct wl_import_target *target;
    json_t *events;
    double base_ns;
    bool is_predicted;
    WL_VECTOR(int64_t) pids;
    WL_VECTOR(struct open) open;
    uint64_t left_out;
};

/* Threads and processes may be named by texts. */
static int64_t id_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        return (int64_t)json_integer_value(value);
    const char *text = json_string_value(value);
    uint32_t hash = 2166136261u;
    if (text && *text && strspn(text, "0123456789") == strlen(text))
        return strtoll(text, NULL, 10);
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return text ? hash & 0x7fffffff : (int64_t)wl_import_json_number(value);
}

static void put(struct reading *reading, const struct open *event, double end_us, bool is_mark)
{
    const double start_ns = event->start_us * 1000, end_ns = end_us * 1000;
    struct wl_import_trace_event found = {
        .name = event->name,
        .category = event->category,
        .args = event->args,
        .thread = (uint32_t)event->thread,
        .is_mark = is_mark,
        .is_predicted = reading->is_predicted,
    };
    if (!isfinite(start_ns) || fabs(start_ns) > 4e18 || fabs(end_ns) > 4e18 ||
        start_ns + reading->base_ns < 0) {
        reading->left_out++;
        return;
    }
    /* the base is a whole number of nanoseconds since 1970 that a double cannot hold with its last
     */
    found.start_ns = (uint64_t)reading->base_ns + (uint64_t)llround(start_ns);
    found.end_ns = found.start_ns + (end_ns > start_ns ? (uint64_t)llround(end_ns - start_ns) : 0);
    wl_import_trace_event(reading->target, &found);
}

static void close_open(struct reading *reading, int64_t thread, double end_us)
{
    for (size_t i = reading->open.count; i-- > 0;) {
        if (reading->open.items[i].thread != thread)
            continue;
        put(reading, &reading->open.items[i], end_us, false);
        memmove(&reading->open.items[i], &reading->open.items[i + 1],
                (--reading->open.count - i) * sizeof *reading->open.items);
        return;
    }
    reading->left_out++;
}

static void take(struct reading *reading, json_t *object)
{
    const char *phase = wl_import_json_text(object, "ph");
    const json_t *time = json_object_get(object, "ts");
    struct open event = {
        .pid = id_of(object, "pid"),
        .thread = id_of(object, "tid"),
        .start_us = wl_import_json_number(time),
        .name = wl_import_json_text(object, "name"),
        .category = wl_import_json_text(object, "cat"),
        .args = json_object_get(object, "args"),
    };
    if (!time)
        return;
    switch (phase[0]) {
    case 'X':
        put(reading, &event, event.start_us + wl_import_json_number(json_object_get(object, "dur")),
            false);
        break;
    case 'B':
        if (reading->open.count < MOST_OPEN)
            WL_PUSH(&reading->open, event);
        else
            reading->left_out++;
        break;
    case 'E':
        close_open(reading, event.thread, event.start_us);
        break;
    case 'i':
    case 'I':
    case 'R':
        put(reading, &event, event.start_us, true);
        break;
    default: /* flows, counters, metadata */
        break;
    }
}

/* GPUs are processes of their own to PyTorch, numbered from 0: their events belong to the host's.
 */
static bool is_of_gpu(const json_t *event)
{
    const char *category = wl_import_json_text(event, "cat");
    return wl_import_category_is_of_gpu(category) || strcmp(category, "gpu_user_annotation") == 0;
}

static void list_pids(struct reading *reading)
{
    size_t index;
    json_t *event;
    json_array_foreach(reading->events, index, event)
    {
        int64_t pid = id_of(event, "pid");
        bool is_known = !json_object_get(event, "ts") || is_of_gpu(event);
        for (size_t i = 0; i < reading->pids.count && !is_known; i++)
            is_known = reading->pids.items[i] == pid;
        if (!is_known && reading->pids.count < 1024)
            WL_PUSH(&reading->pids, pid);
    }
    int64_t none = 0;
    if (!reading->pids.count)
        WL_PUSH(&reading->pids, none);
}

static const char *process_name(const struct reading *reading, int64_t pid)
{
    size_t index;
    json_t *event;
    json_array_foreach(reading->events, index, event)
    {
        if (strcmp(wl_import_json_text(event, "name"), "process_name") == 0 &&
            id_of(event, "pid") == pid)
            return wl_import_json_text(json_object_get(event, "args"), "name");
    }
    return NULL;
}

static void put_process(struct reading *reading, size_t position)
{
    int64_t pid = reading->pids.items[position];
    size_t index;
    json_t *event;
    wl_import_begin_process(reading->target, "chrome", (uint64_t)pid, process_name(reading, pid),
                            NULL, (uint64_t)reading->base_ns);
    json_array_foreach(reading->events, index, event)
    {
        bool is_known = false;
        int64_t own = id_of(event, "pid");
        for (size_t i = 0; i < reading->pids.count; i++)
            is_known |= reading->pids.items[i] == own;
        if (own == pid || (!is_known && position == 0))
            take(reading, event);
    }
    while (reading->open.count)
        reading->open.count--, reading->left_out++;
}

static void note_left_out(struct reading *reading)
{
    char text[120];
    snprintf(text, sizeof text, "%llu events had no end or an invalid time",
             (unsigned long long)reading->left_out);
    if (reading->left_out)
        wl_import_note(reading->target, "import-left-out", text, "");
}

/* Strictly, else as Chrome and PyTorch write it when they are ended, or are given names that are no
 * text. */
static json_t *load(struct wl_import_target *target, json_error_t *trouble)
{
    struct wl_text repaired = {0};
    json_error_t ignored;
    bool is_open = false;
    json_t *root = json_loadb(target->content.data, target->content.length, 0, trouble);
    if (root)
        return root;
    wl_lenient_json(&target->content, &repaired, &is_open);
    root = json_loadb(repaired.data ? repaired.data : "", repaired.length, 0, &ignored);
    if (root && is_open)
        wl_import_note(target, "import-open",
                       "the list of events has no end: the file may be cut off", "");
    wl_text_free(&repaired);
    return root;
}

static enum wl_code read_chrome(struct wl_import_target *target, struct wl_error *error)
{
    struct reading reading = {.target = target};
    json_error_t trouble;
    json_t *root = load(target, &trouble);
    if (!root)
        return wl_import_fail(target, WL_ERR_CORRUPT, error, "line %d: %s", trouble.line,
                              trouble.text);
    reading.events = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    if (!json_is_array(reading.events)) {
        json_decref(root);
        return wl_import_fail(target, WL_ERR_INPUT, error, "there is no list traceEvents");
    }
    reading.base_ns = wl_import_json_number(json_object_get(root, "baseTimeNanoseconds"));
    if (reading.base_ns < 0 || reading.base_ns > 4e18)
        reading.base_ns = 0;
    reading.is_predicted = json_is_true(json_object_get(root, "warplensPredicted"));
    list_pids(&reading);
    for (size_t i = 0; i < reading.pids.count; i++)
        put_process(&reading, i);
    note_left_out(&reading);
    json_decref(root);
    free(reading.pids.items);
    free(reading.open.items);
    return WL_OK;
}

static bool is_json(const struct wl_text *content)
{
    const char *at = content->data + strspn(content->data, " \t\r\n\xef\xbb\xbf");
    return (*at == '{' && strstr(at, "\"")) || (*at == '[' && strchr(at, '{'));
}

const struct wl_import_format wl_import_chrome = {"Chrome trace", is_json, read_chrome};
