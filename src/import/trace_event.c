#include "import/trace_event.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

/* Categories of PyTorch and others, where they are not called as ours. */
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
    {"kernel_dispatch", WL_TIMELINE_KERNEL}, /* rocprofv3's, in Perfetto's form */
    {"memory_copy", WL_TIMELINE_MEMCPY},
    {"hip_api", WL_TIMELINE_CUDA_RUNTIME},
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

bool wl_import_category_is_of_gpu(const char *category)
{
    return wl_timeline_categories[category_of(category)].side == WL_TIMELINE_SIDE_DEVICE;
}

const char *wl_import_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

double wl_import_json_number(const json_t *value)
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
    double number = wl_import_json_number(value);
    return number > 0 && number < 0x1p63 ? (uint64_t)number : 0;
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
            record->words[i] = *wl_import_json_text(args, word)
                                   ? wl_import_name(target, wl_import_json_text(args, word))
                                   : 0;
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

void wl_import_trace_event(struct wl_import_target *target,
                           const struct wl_import_trace_event *event)
{
    struct wl_timeline_record record = {
        .category = (uint16_t)category_of(event->category),
        .thread = event->thread,
        .start = event->start_ns,
        .end = event->end_ns,
    };
    if (event->is_mark && record.category == WL_TIMELINE_NVTX_PUSHPOP)
        record.category = WL_TIMELINE_NVTX_MARK;
    fill(event->name, event->args, event->category, target, &record);
    bool is_predicted = event->is_predicted || word_of(event->args, "predicted") != 0;
    if (is_predicted && wl_import_category_is_of_gpu(event->category))
        record.flags |= WL_TIMELINE_PREDICTED;
    record.name = wl_import_name(target, event->name);
    wl_import_event(target, &record);
}
