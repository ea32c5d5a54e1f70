#include "show/page/longest.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/keys.h"
#include "report/tables.h"

static const char duration_name[] = "gpu__time_duration.sum";

struct timed {
    const struct wl_report_launch *launch;
    double time_ns; /* 0: not known */
};

static int by_time(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? 1 : -1;
    return a->launch->key < b->launch->key ? -1 : a->launch->key > b->launch->key;
}

static int by_key(const void *left, const void *right)
{
    const struct wl_report_launch *a = *(const struct wl_report_launch *const *)left,
                                  *b = *(const struct wl_report_launch *const *)right;
    return a->key < b->key ? -1 : a->key > b->key;
}

bool wl_longest_stand_for_all(const struct wl_view_context *context)
{
    enum { most_counted = 2000 };
    size_t counted = 0;
    for (size_t i = 0; i < context->launch_count && counted <= most_counted; i++)
        counted += wl_report_attribute(context->launches[i], "launch__uncounted") == NULL;
    return counted > most_counted;
}

static struct timed *sort_by_time(const struct wl_view_context *context)
{
    struct timed *all = wl_alloc_zero(context->launch_count + 1, sizeof *all);
    for (size_t i = 0; i < context->launch_count; i++) {
        enum wl_mark mark;
        all[i].launch = context->launches[i];
        wl_report_value(all[i].launch, duration_name, &all[i].time_ns, &mark);
    }
    if (context->launch_count)
        qsort(all, context->launch_count, sizeof *all, by_time);
    return all;
}

struct wl_longest wl_longest_choose(const struct wl_view_context *context)
{
    enum { most_of_kernel = 4, most = 100 };
    struct wl_longest longest = {wl_alloc_zero(most + 1, sizeof *longest.launches), 0};
    struct wl_keys kernels = {0};
    unsigned *taken = wl_alloc_zero(context->launch_count + 1, sizeof *taken);
    struct timed *all = sort_by_time(context);
    for (size_t i = 0; i < context->launch_count && longest.count < most; i++) {
        const void *kernel = all[i].launch->kernel;
        int64_t number;
        wl_keys_intern(&kernels, &kernel, sizeof kernel, &number);
        if (taken[number]++ < most_of_kernel)
            longest.launches[longest.count++] = all[i].launch;
    }
    qsort(longest.launches, longest.count, sizeof *longest.launches, by_key);
    wl_keys_free(&kernels);
    free(all);
    free(taken);
    return longest;
}
