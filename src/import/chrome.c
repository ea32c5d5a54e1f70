/* Traces in Chrome's Trace Event Format: of PyTorch (Kineto), of Warplens, and of other programs,
 * whose events become ranges. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "import/target.h"

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
    struct {
        int64_t *items;
        size_t count, capacity;
    } pids;
    struct {
        struct open *items;
        size_t count, capacity;
    } open;
    uint64_t left_out;
};

/* PyTorch's categories, where they are not called as ours. */
static const struct {
    const char *word;
    enum wl_timeline_category category;
} categories[] = {
    {"kernel", WL_TIMELINE_KERNEL},
    {"Kernel", WL_TIMELINE_KERNEL},
    {"gpu_memcpy", WL_TIMELINE_MEMCPY},
    {"Memcpy", WL_TIMELINE_MEMCPY},
    {"gpu_memset", WL_TIMELINE_MEMSET},
    {"Memset", WL_TIMELINE_MEMSET},
    {"cuda_runtime", WL_TIMELINE_CUDA_RUNTIME},
    {"Runtime", WL_TIMELINE_CUDA_RUNTIME},
    {"cuda_driver", WL_TIMELINE_CUDA_DRIVER},
    {"cuda_sync", WL_TIMELINE_SYNCHRONIZATION},
};

static enum wl_timeline_category category_of(const char *word)
{
    for (size_t i = 0; i < WL_COUNT(categories); i++)
        if (strcmp(categories[i].word, word) == 0)
            return categories[i].category;
    for (int i = 1; i < WL_TIMELINE_CATEGORY_COUNT; i++)
        if (strcmp(wl_timeline_categories[i].name, word) == 0)
            return (enum wl_timeline_category)i;
    return WL_TIMELINE_NVTX_PUSHPOP;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A number, also as text: "stream": "7". */
static double number_of(const json_t *value)
{
    if (json_is_string(value))
        return strtod(json_string_value(value), NULL);
    double number = json_number_value(value);
    return isfinite(number) ? number : 0;
}

static uint64_t word_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_integer(value))
        return (uint64_t)json_integer_value(value);
    double number = number_of(value);
    return number > 0 && number < 0x1p63 ? (uint64_t)number : 0;
}

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
    return text ? hash & 0x7fffffff : (int64_t)number_of(value);
}

/* [16, 1, 1] or "16,1,1" */
static void dimensions_of(const json_t *args, const char *key, uint64_t sizes[3])
{
    const json_t *value = json_object_get(args, key);
    const char *text = json_string_value(value);
    for (size_t i = 0; i < 3; i++) {
        sizes[i] = 0;
        if (json_is_array(value))
            sizes[i] = (uint64_t)json_integer_value(json_array_get(value, i));
        else if (text) {
            char *end = NULL;
            sizes[i] = strtoull(text, &end, 10);
            text = *end == ',' ? end + 1 : end;
        }
    }
}

static uint64_t where_of(const json_t *args)
{
    return WL_TIMELINE_PACK_WHERE(word_of(args, "device"), word_of(args, "context"),
                                  word_of(args, "stream"));
}

static uint64_t either(const json_t *args, const char *ours, const char *theirs)
{
    uint64_t value = word_of(args, ours);
    return value ? value : word_of(args, theirs);
}

static uint64_t copy_kind(const char *name)
{
    static const struct {
        const char *part;
        enum wl_timeline_copy kind;
    } kinds[] = {
        {"HtoD", WL_TIMELINE_COPY_TO_DEVICE},
        {"Host-to-Device", WL_TIMELINE_COPY_TO_DEVICE},
        {"DtoH", WL_TIMELINE_COPY_TO_HOST},
        {"Device-to-Host", WL_TIMELINE_COPY_TO_HOST},
        {"DtoD", WL_TIMELINE_COPY_ON_DEVICE},
        {"Device-to-Device", WL_TIMELINE_COPY_ON_DEVICE},
        {"PtoP", WL_TIMELINE_COPY_BETWEEN_DEVICES},
    };
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        if (strstr(name, kinds[i].part))
            return kinds[i].kind;
    return WL_TIMELINE_COPY_UNKNOWN;
}

/* "Memcpy HtoD (Pageable -> Device)" */
static uint64_t memory_kind(const char *name, bool is_source)
{
    static const char *const words[WL_TIMELINE_MEMORY_KINDS] = {"?",      "Pageable", "Pinned",
                                                                "Device", "Array",    "Managed"};
    const char *arrow = strstr(name, "->");
    if (!arrow)
        return 0;
    for (uint64_t i = 1; i < WL_TIMELINE_MEMORY_KINDS; i++) {
        const char *at = strstr(is_source ? name : arrow, words[i]);
        if (at && (!is_source || at < arrow))
            return i;
    }
    return 0;
}

static void fill_kernel(const json_t *args, struct wl_timeline_record *record)
{
    uint64_t grid[3], block[3];
    dimensions_of(args, "grid", grid);
    dimensions_of(args, "block", block);
    record->words[0] = where_of(args);
    record->words[1] = WL_TIMELINE_PACK_GRID(grid[0], grid[1], grid[2]);
    record->words[2] = WL_TIMELINE_PACK_BLOCK(block[0], block[1], block[2],
                                              either(args, "registers", "registers per thread"));
    record->words[3] = WL_TIMELINE_PACK_SHARED(either(args, "shared_static", "shared memory"),
                                               word_of(args, "shared_dynamic"));
    record->words[4] = either(args, "graph_node", "graph node id");
}

static void fill(const char *name, const json_t *args, const char *category,
                 struct wl_import_target *target, struct wl_timeline_record *record)
{
    const struct wl_timeline_category_info *info = &wl_timeline_categories[record->category];
    record->correlation = (uint32_t)word_of(args, "correlation");
    if (record->category == WL_TIMELINE_KERNEL) {
        fill_kernel(args, record);
        return;
    }
    for (int i = 0; i < WL_TIMELINE_WORDS; i++) {
        const char *word = info->words[i];
        size_t length = strlen(word);
        if (strcmp(word, "packed_where") == 0)
            record->words[i] = where_of(args);
        else if (length > 5 && strcmp(word + length - 5, "_name") == 0)
            record->words[i] =
                *text_of(args, word) ? wl_import_name(target, text_of(args, word)) : 0;
        else if (length)
            record->words[i] = word_of(args, word);
    }
    if (record->category == WL_TIMELINE_MEMCPY && !record->words[2]) {
        record->words[2] = copy_kind(name);
        record->words[3] = memory_kind(name, true);
        record->words[4] = memory_kind(name, false);
    }
    bool is_foreign_range = record->category == WL_TIMELINE_NVTX_PUSHPOP &&
                            strcmp(category, info->name) != 0 && *category;
    if (is_foreign_range)
        record->words[0] = wl_import_name(target, category);
}

static void put(struct reading *reading, const struct open *event, double end_us, bool is_mark)
{
    const double start_ns = event->start_us * 1000, end_ns = end_us * 1000;
    struct wl_timeline_record record = {
        .category = (uint16_t)category_of(event->category),
        .thread = (uint32_t)event->thread,
    };
    if (!isfinite(start_ns) || fabs(start_ns) > 4e18 || fabs(end_ns) > 4e18 ||
        start_ns + reading->base_ns < 0) {
        reading->left_out++;
        return;
    }
    /* the base is a whole number of nanoseconds since 1970 that a double cannot hold with its last
     */
    record.start = (uint64_t)reading->base_ns + (uint64_t)llround(start_ns);
    record.end = record.start + (end_ns > start_ns ? (uint64_t)llround(end_ns - start_ns) : 0);
    if (is_mark && record.category == WL_TIMELINE_NVTX_PUSHPOP)
        record.category = WL_TIMELINE_NVTX_MARK;
    fill(event->name, event->args, event->category, reading->target, &record);
    bool is_of_gpu = wl_timeline_categories[record.category].side == WL_TIMELINE_SIDE_DEVICE;
    if (reading->is_predicted && is_of_gpu)
        record.flags |= WL_TIMELINE_PREDICTED;
    record.name = wl_import_name(reading->target, event->name);
    wl_import_event(reading->target, &record);
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
    const char *phase = text_of(object, "ph");
    const json_t *time = json_object_get(object, "ts");
    struct open event = {
        .pid = id_of(object, "pid"),
        .thread = id_of(object, "tid"),
        .start_us = number_of(time),
        .name = text_of(object, "name"),
        .category = text_of(object, "cat"),
        .args = json_object_get(object, "args"),
    };
    if (!time)
        return;
    switch (phase[0]) {
    case 'X':
        put(reading, &event, event.start_us + number_of(json_object_get(object, "dur")), false);
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
    enum wl_timeline_category category = category_of(text_of(event, "cat"));
    return wl_timeline_categories[category].side == WL_TIMELINE_SIDE_DEVICE ||
           strcmp(text_of(event, "cat"), "gpu_user_annotation") == 0;
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
        if (strcmp(text_of(event, "name"), "process_name") == 0 && id_of(event, "pid") == pid)
            return text_of(json_object_get(event, "args"), "name");
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
    snprintf(text, sizeof text, "%llu events had no end or no time that can be",
             (unsigned long long)reading->left_out);
    if (reading->left_out)
        wl_import_note(reading->target, "import-left-out", text, "");
}

static enum wl_code read_chrome(struct wl_import_target *target, struct wl_error *error)
{
    struct reading reading = {.target = target};
    json_error_t trouble;
    json_t *root = json_loadb(target->content.data, target->content.length, 0, &trouble);
    if (!root)
        return wl_import_fail(target, WL_ERR_CORRUPT, error, "line %d: %s", trouble.line,
                              trouble.text);
    reading.events = json_is_array(root) ? root : json_object_get(root, "traceEvents");
    if (!json_is_array(reading.events)) {
        json_decref(root);
        return wl_import_fail(target, WL_ERR_INPUT, error, "there is no list traceEvents");
    }
    reading.base_ns = number_of(json_object_get(root, "baseTimeNanoseconds"));
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
