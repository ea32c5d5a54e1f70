#include "analyse/advise/candidates.h"

#include <stdlib.h>

#include "base/count.h"

double wl_candidate_busy_pct(struct wl_report *report)
{
    static const char *const metrics[] = {
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    };
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    double most = 0;
    for (size_t i = 0; count && i < WL_COUNT(metrics); i++) {
        double value;
        enum wl_mark mark;
        if (wl_report_value(launches, metrics[i], &value, &mark) && value > most)
            most = value;
    }
    return most < 100 ? most : 100;
}

double wl_candidate_gain_pct(const struct wl_candidate *candidate)
{
    return candidate->share_pct * (100 - candidate->busy_pct) / 100;
}

static int compare(const void *a, const void *b)
{
    const struct wl_candidate *x = a, *y = b;
    double gain_x = wl_candidate_gain_pct(x), gain_y = wl_candidate_gain_pct(y);
    if (!x->path != !y->path)
        return x->path ? -1 : 1;
    if (gain_x != gain_y)
        return gain_x > gain_y ? -1 : 1;
    return (x->share_pct < y->share_pct) - (x->share_pct > y->share_pct);
}

void wl_candidates_sort(struct wl_candidate *candidates, size_t count)
{
    qsort(candidates, count, sizeof *candidates, compare);
}
