#include "show/page/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/settings.h"

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
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

static bool read_time(const struct wl_view_context *context, const struct wl_report_launch *launch,
                      const char *duration, double *time_ns)
{
    enum wl_mark mark;
    if (wl_report_value(launch, duration, time_ns, &mark)) /* it is faster */
        return true;
    const struct wl_record_attribute *replay = wl_report_attribute(launch, "launch__replay");
    if (replay && wl_replay_facts_named(replay->text)->gives_means)
        return false;
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
    const struct wl_metric_value *value = wl_metric_get(set, duration);
    bool is_known = value->is_present && !value->text;
    *time_ns = is_known ? value->number : 0;
    wl_metric_set_free(set);
    return is_known;
}

/* total_ns is of those that have a duration, until finish(). */
static void add_left_out(struct wl_kind *kind, const struct wl_report_launch *launch)
{
    double count, time_ns;
    enum wl_mark mark;
    if (!wl_report_value(launch, "launch__left_out.sum", &count, &mark) || count < 1)
        return;
    kind->launches += (size_t)count;
    if (!wl_report_value(launch, "launch__left_out_time.sum", &time_ns, &mark))
        return;
    kind->timed += (size_t)count;
    kind->total_ns += time_ns;
}

static void add(const struct wl_view_context *context, const char *duration, struct wl_kind *kind,
                const struct wl_report_launch *launch)
{
    double time_ns;
    bool is_first_counted = kind->launch && !is_counted(kind->launch) && is_counted(launch);
    if (!kind->launch || is_first_counted)
        kind->launch = launch;
    kind->launches++;
    add_left_out(kind, launch);
    if (!read_time(context, launch, duration, &time_ns))
        return;
    bool is_rival = is_counted(launch) || !is_counted(kind->launch);
    if (is_first_counted || !kind->heaviest || (is_rival && time_ns > kind->heaviest_ns)) {
        kind->heaviest = launch;
        kind->heaviest_ns = time_ns;
    }
    kind->least_ns = kind->most_ns > 0 && kind->least_ns < time_ns ? kind->least_ns : time_ns;
    kind->most_ns = kind->most_ns > time_ns ? kind->most_ns : time_ns;
    kind->total_ns += time_ns;
    kind->timed++;
}

static void finish(struct wl_kinds *kinds)
{
    for (size_t i = 0; i < kinds->count; i++) {
        struct wl_kind *kind = &kinds->items[i];
        kind->mean_ns = kind->timed ? kind->total_ns / (double)kind->timed : 0;
        if (kind->timed && kind->timed < kind->launches)
            kind->total_ns = kind->mean_ns * (double)kind->launches;
        if (!kind->heaviest)
            kind->heaviest = kind->launch;
        kinds->total_ns += kind->total_ns;
        kinds->launches += kind->launches;
        *(kind->timed ? &kinds->untimed : &kinds->unknown) += kind->launches - kind->timed;
    }
    if (kinds->count)
        qsort(kinds->items, kinds->count, sizeof *kinds->items, by_time);
}

void wl_kinds_make(const struct wl_view_context *context, const char *duration,
                   struct wl_kinds *kinds)
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
        add(context, duration, &kinds->items[entry->index], launch);
    }
    HASH_ITER(hh, entries, entry, next)
    {
        HASH_DEL(entries, entry);
        free(entry);
    }
    finish(kinds);
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

/* ---- families ---- */

struct family {
    const char *name;
    double ns;
};

static int by_most(const void *left, const void *right)
{
    const struct family *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

bool wl_kinds_add_families(const struct wl_kinds *kinds, struct wl_text *out)
{
    static const char others[] = "others";
    struct family *families = wl_alloc_zero(kinds->count + 1, sizeof *families);
    size_t count = 0;
    bool is_any_known = false;
    for (size_t i = 0; i < kinds->count; i++) {
        const struct wl_report_kernel *kernel = kinds->items[i].launch->kernel;
        const char *name = kernel && kernel->family ? kernel->family : others;
        size_t at = 0;
        while (at < count && strcmp(families[at].name, name) != 0)
            at++;
        count += at == count;
        families[at].name = name;
        families[at].ns += kinds->items[i].total_ns;
        is_any_known = is_any_known || name != others;
    }
    is_any_known = is_any_known && kinds->total_ns > 0;
    if (count)
        qsort(families, count, sizeof *families, by_most);
    for (size_t i = 0; i < count && is_any_known; i++)
        wl_text_addf(out, "%s%s %.0f%%", i ? ", " : "", families[i].name,
                     100 * families[i].ns / kinds->total_ns);
    free(families);
    return is_any_known;
}
