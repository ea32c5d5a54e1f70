#include "show/page/shares.h"

#include <stdlib.h>

#include "base/memory.h"

static bool read_number(struct wl_metric_set *set, const char *name, double *number)
{
    const struct wl_metric_value *value = wl_metric_get(set, name);
    if (!value->is_present || value->text)
        return false;
    *number = value->number;
    return true;
}

static struct wl_share *find_share(struct wl_shares *shares, const struct wl_report_launch *launch)
{
    for (size_t i = 0; i < shares->count; i++)
        if (shares->items[i].launch->kernel == launch->kernel)
            return &shares->items[i];
    shares->items[shares->count] = (struct wl_share){.launch = launch, .heaviest_ns = -1};
    return &shares->items[shares->count++];
}

static int by_time(const void *left, const void *right)
{
    const struct wl_share *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return a->launch->key < b->launch->key ? -1 : 1;
}

static void add(struct wl_view_context *context, struct wl_shares *shares, const char *metric)
{
    shares->count = 0;
    shares->total_ns = 0;
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
        double time_ns = 0;
        shares->has_durations &= read_number(set, metric, &time_ns);
        struct wl_share *share = find_share(shares, launch);
        if (time_ns > share->heaviest_ns) {
            share->heaviest_ns = time_ns;
            share->launch = launch;
        }
        share->time_ns += time_ns;
        share->launch_count++;
        share->is_stand_in = launch->kernel && launch->kernel->module.is_stand_in;
        shares->total_ns += time_ns;
        wl_metric_set_free(set);
    }
}

void wl_shares_make(struct wl_view_context *context, struct wl_shares *shares)
{
    *shares = (struct wl_shares){
        .items = wl_alloc_zero(context->launch_count + 1, sizeof *shares->items),
        .has_durations = true,
    };
    add(context, shares, "gpu__time_duration.sum");
    if (!shares->has_durations)
        add(context, shares, "warplens__floor.ns");
    if (shares->count)
        qsort(shares->items, shares->count, sizeof *shares->items, by_time);
}

void wl_shares_free(struct wl_shares *shares)
{
    free(shares->items);
    *shares = (struct wl_shares){0};
}
