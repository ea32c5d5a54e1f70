#include "show/page/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

struct entry {
    struct {
        const struct wl_report_kernel *kernel;
        uint32_t grid[3], block[3];
    } key; /* has no padding */
    size_t index;
    UT_hash_handle hh;
};

static int by_time(const void *left, const void *right)
{
    const struct wl_kind *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return a->launch->key < b->launch->key ? -1 : 1;
}

static bool is_counted(const struct wl_report_launch *launch)
{
    return wl_report_attribute(launch, "launch__uncounted") == NULL;
}

static void add(struct wl_kind *kind, const struct wl_report_launch *launch)
{
    double time_ns;
    enum wl_mark mark;
    if (kind->launches++ == 0 || (!is_counted(kind->launch) && is_counted(launch)))
        kind->launch = launch;
    if (!wl_report_value(launch, "gpu__time_duration.sum", &time_ns, &mark))
        return;
    kind->least_ns = kind->timed && kind->least_ns < time_ns ? kind->least_ns : time_ns;
    kind->most_ns = kind->timed && kind->most_ns > time_ns ? kind->most_ns : time_ns;
    kind->total_ns += time_ns;
    kind->timed++;
}

void wl_kinds_make(const struct wl_view_context *context, struct wl_kinds *kinds)
{
    struct entry *entries = NULL, *entry, *next;
    *kinds =
        (struct wl_kinds){.items = wl_alloc_zero(context->launch_count + 1, sizeof *kinds->items)};
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        struct entry key = {0};
        key.key.kernel = launch->kernel;
        memcpy(key.key.grid, launch->record.grid, sizeof key.key.grid);
        memcpy(key.key.block, launch->record.block, sizeof key.key.block);
        HASH_FIND(hh, entries, &key.key, sizeof key.key, entry);
        if (!entry) {
            entry = wl_alloc_zero(1, sizeof *entry);
            entry->key = key.key;
            entry->index = kinds->count++;
            HASH_ADD(hh, entries, key, sizeof entry->key, entry);
        }
        add(&kinds->items[entry->index], launch);
    }
    HASH_ITER(hh, entries, entry, next)
    {
        HASH_DEL(entries, entry);
        free(entry);
    }
    for (size_t i = 0; i < kinds->count; i++)
        kinds->total_ns += kinds->items[i].total_ns;
    if (kinds->count)
        qsort(kinds->items, kinds->count, sizeof *kinds->items, by_time);
}

void wl_kinds_free(struct wl_kinds *kinds)
{
    free(kinds->items);
    *kinds = (struct wl_kinds){0};
}

bool wl_kinds_are_better(const struct wl_view_context *context, const struct wl_kinds *kinds)
{
    enum { many = 40, alike = 2 };
    return context->launch_count > many && kinds->count * alike <= context->launch_count;
}
