#include "show/page/shares.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/keys.h"
#include "show/page/kinds.h"

static struct wl_share *find_share(struct wl_shares *shares, struct wl_keys *kernels,
                                   const struct wl_report_launch *launch)
{
    int64_t number;
    bool is_known =
        wl_keys_intern(kernels, &launch->kernel, sizeof(struct wl_report_kernel *), &number);
    struct wl_share *share = &shares->items[number - 1];
    if (!is_known) {
        *share = (struct wl_share){.launch = launch, .heaviest_ns = -1};
        shares->count++;
    }
    return share;
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
    enum { few = 10 }; /* one of so many may have none */
    struct wl_kinds kinds;
    struct wl_keys kernels = {0};
    wl_kinds_make(context, metric, &kinds);
    shares->count = 0;
    for (size_t i = 0; i < kinds.count; i++) {
        const struct wl_kind *kind = &kinds.items[i];
        struct wl_share *share = find_share(shares, &kernels, kind->launch);
        if (kind->heaviest_ns > share->heaviest_ns) {
            share->heaviest_ns = kind->heaviest_ns;
            share->launch = kind->heaviest;
        }
        share->time_ns += kind->total_ns;
        share->launch_count += kind->launches;
        share->is_stand_in = kind->launch->kernel && kind->launch->kernel->module.is_stand_in;
    }
    shares->total_ns = kinds.total_ns;
    shares->has_durations = kinds.unknown * few <= kinds.launches && shares->total_ns > 0;
    shares->launches = kinds.launches;
    shares->untimed = kinds.unknown;
    wl_kinds_free(&kinds);
    wl_keys_free(&kernels);
}

void wl_shares_make(struct wl_view_context *context, struct wl_shares *shares)
{
    *shares = (struct wl_shares){
        .items = wl_alloc_zero(context->launch_count + 1, sizeof *shares->items),
    };
    add(context, shares, "gpu__time_duration.sum");
    if (!shares->has_durations) {
        const size_t launches = shares->launches, untimed = shares->untimed;
        add(context, shares, "warplens__floor.ns");
        shares->has_durations = false;
        shares->launches = launches;
        shares->untimed = untimed;
    }
    if (shares->count)
        qsort(shares->items, shares->count, sizeof *shares->items, by_time);
}

void wl_shares_free(struct wl_shares *shares)
{
    free(shares->items);
    *shares = (struct wl_shares){0};
}
