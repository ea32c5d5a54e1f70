#include "analyse/advise/alike.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
#include <uthash.h>

/* Launches alike, and the first of them that was counted, or the first of all. */
struct kind {
    struct {
        const struct wl_report_kernel *kernel;
        const struct wl_record_device *device;
        uint64_t shared_bytes;
        uint32_t grid[3], block[3];
    } key; /* has no padding but zeros */
    size_t first;
    bool is_counted;
    UT_hash_handle hh;
};

static bool is_uncounted(const struct wl_report_launch *launch)
{
    for (size_t i = 0; i < launch->record.attribute_count; i++)
        if (strcmp(launch->record.attributes[i].name, "launch__uncounted") == 0)
            return true;
    return false;
}

static struct kind *find_kind(struct kind **kinds, const struct wl_report_launch *launch)
{
    struct kind *found = NULL, *made = wl_alloc_zero(1, sizeof *made);
    made->key.kernel = launch->kernel;
    made->key.device = launch->device;
    made->key.shared_bytes = launch->record.shared_dynamic_bytes;
    memcpy(made->key.grid, launch->record.grid, sizeof made->key.grid);
    memcpy(made->key.block, launch->record.block, sizeof made->key.block);
    made->first = SIZE_MAX;
    HASH_FIND(hh, *kinds, &made->key, sizeof made->key, found);
    if (found) {
        free(made);
        return found;
    }
    HASH_ADD(hh, *kinds, key, sizeof made->key, made);
    return made;
}

/* Launches that rules cannot tell from each other. Equal lists of a report are one in memory. */
struct equals {
    struct {
        const struct wl_report_kernel *kernel;
        const struct wl_report_process *process;
        const struct wl_record_device *device;
        const void *attributes, *values, *instruction_values;
        uint64_t shared_bytes;
        uint32_t grid[3], block[3];
    } key; /* has no padding */
    size_t first;
    UT_hash_handle hh;
};

/* Those of launch number index, made if there are none. */
static struct equals *find_equals(struct equals **all, const struct wl_report_launch *launch,
                                  size_t index)
{
    const struct wl_record_launch *record = &launch->record;
    struct equals *found = NULL, *made = wl_alloc_zero(1, sizeof *made);
    made->key.kernel = launch->kernel;
    made->key.process = launch->process;
    made->key.device = launch->device;
    made->key.attributes = record->attributes;
    made->key.values = record->values;
    made->key.instruction_values = record->instruction_values;
    made->key.shared_bytes = record->shared_dynamic_bytes;
    memcpy(made->key.grid, record->grid, sizeof made->key.grid);
    memcpy(made->key.block, record->block, sizeof made->key.block);
    made->first = index;
    HASH_FIND(hh, *all, &made->key, sizeof made->key, found);
    if (found) {
        free(made);
        return found;
    }
    HASH_ADD(hh, *all, key, sizeof made->key, made);
    return made;
}

static bool is_told_alike(const struct wl_record_launch *one, const struct wl_record_launch *other)
{
    return one->status == other->status && one->stream_id == other->stream_id &&
           strcmp(one->range, other->range) == 0;
}

size_t *wl_alike_equals(const struct wl_report_launch *const *launches, size_t count)
{
    size_t *firsts = wl_alloc((count + 1) * sizeof *firsts);
    struct equals *all = NULL, *equals, *next;
    for (size_t i = 0; i < count; i++) {
        size_t first = find_equals(&all, launches[i], i)->first;
        bool is_told = is_told_alike(&launches[i]->record, &launches[first]->record);
        firsts[i] = launches[i]->record.value_count > 0 && is_told ? first : i;
    }
    HASH_ITER(hh, all, equals, next)
    {
        HASH_DEL(all, equals);
        free(equals);
    }
    return firsts;
}

size_t *wl_alike_find(const struct wl_report_launch *const *launches, size_t count)
{
    size_t *stands = wl_alike_equals(launches, count);
    struct kind *kinds = NULL, *kind, *next, **of = wl_alloc_zero(count + 1, sizeof *of);
    for (size_t i = 0; i < count; i++) {
        of[i] = find_kind(&kinds, launches[i]);
        bool is_counted = !is_uncounted(launches[i]);
        if (of[i]->first != SIZE_MAX && (of[i]->is_counted || !is_counted))
            continue;
        of[i]->first = i;
        of[i]->is_counted = is_counted;
    }
    for (size_t i = 0; i < count; i++)
        if (is_uncounted(launches[i]))
            stands[i] = of[i]->first;
    HASH_ITER(hh, kinds, kind, next)
    {
        HASH_DEL(kinds, kind);
        free(kind);
    }
    free(of);
    return stands;
}
