#include "analyse/advise/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A finding with what its order is made of. */
struct ranked {
    struct wl_advice advice;
    const struct wl_report_kernel *kernel; /* or NULL */
    double gain;                           /* of the time of its kernel */
    double weight; /* its score, or that of one which stands behind it in its kernel */
    size_t place;  /* in its kernel */
};

struct kernel_share {
    const struct wl_report_kernel *kernel;
    double share;
};

static int compare_numbers(double left, double right)
{
    return left < right ? -1 : left > right;
}

static int compare_kernels(const struct wl_report_kernel *a, const struct wl_report_kernel *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    return compare_numbers((double)a->key, (double)b->key);
}

static int by_kernel_alone(const void *left, const void *right)
{
    const struct kernel_share *a = left, *b = right;
    return compare_kernels(a->kernel, b->kernel);
}

static int compare_places(const struct wl_advice_place *a, const struct wl_advice_place *b)
{
    int order = strcmp(a->file, b->file);
    if (order == 0)
        order = compare_numbers(a->line, b->line);
    if (order == 0)
        order = compare_numbers(a->column, b->column);
    if (order == 0)
        order = compare_numbers(a->instruction ? a->instruction->index : 0,
                                b->instruction ? b->instruction->index : 0);
    return order;
}

static int by_kernel(const void *left, const void *right)
{
    const struct ranked *first = left, *second = right;
    const struct wl_advice *a = &first->advice, *b = &second->advice;
    int order = (int)b->severity - (int)a->severity;
    if (order == 0)
        order = compare_kernels(first->kernel, second->kernel);
    /* gains are not known to the last point: of about equal ones the cheaper change comes first */
    if (order == 0)
        order = compare_numbers(round(second->gain * 20), round(first->gain * 20));
    if (order == 0)
        order = compare_numbers(a->rule->order, b->rule->order);
    if (order == 0)
        order = strcmp(a->rule->id, b->rule->id);
    if (order == 0)
        order = compare_numbers(round(b->score * 1e6), round(a->score * 1e6));
    if (order == 0)
        order = compare_numbers(a->launch ? (double)a->launch->key : -1,
                                b->launch ? (double)b->launch->key : -1);
    if (order == 0)
        order = compare_places(&a->place, &b->place);
    return order ? order : strcmp(a->title, b->title);
}

static int by_weight(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    int order = (int)b->advice.severity - (int)a->advice.severity;
    if (order == 0)
        order = compare_numbers(round(b->weight * 1e6), round(a->weight * 1e6));
    if (order == 0)
        order = compare_kernels(a->kernel, b->kernel);
    return order ? order : compare_numbers((double)a->place, (double)b->place);
}

/* What the launches of each kernel weigh together, ordered by kernel; how many kernels. */
static size_t sum_shares(const struct wl_report_launch *const *launches, const double *shares,
                         size_t count, struct kernel_share *sums)
{
    size_t kernels = 0;
    for (size_t i = 0; i < count; i++)
        sums[i] = (struct kernel_share){launches[i]->kernel, shares[i]};
    if (count > 1)
        qsort(sums, count, sizeof *sums, by_kernel_alone);
    for (size_t i = 0; i < count; i++) {
        if (kernels > 0 && sums[kernels - 1].kernel == sums[i].kernel)
            sums[kernels - 1].share += sums[i].share;
        else
            sums[kernels++] = sums[i];
    }
    return kernels;
}

static void find_overlaps(struct ranked *ranked, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct wl_advice *own = &ranked[i].advice;
        own->overlaps = 0;
        for (size_t j = 0; j < i && own->overlaps == 0; j++) {
            const struct wl_advice *other = &ranked[j].advice;
            if (other->overlaps == 0 && ranked[i].kernel == ranked[j].kernel &&
                strcmp(own->group, other->group) == 0)
                own->overlaps = j + 1;
        }
    }
}

void wl_advice_rank(struct wl_advice *findings, size_t count,
                    const struct wl_report_launch *const *launches, const double *shares,
                    size_t launch_count)
{
    if (count == 0)
        return;
    struct ranked *ranked = wl_alloc_zero(count, sizeof *ranked);
    struct kernel_share *sums = wl_alloc_zero(launch_count + 1, sizeof *sums);
    size_t kernels = sum_shares(launches, shares, launch_count, sums);
    for (size_t i = 0; i < count; i++) {
        struct kernel_share key = {findings[i].launch ? findings[i].launch->kernel : NULL, 0};
        const struct kernel_share *own =
            key.kernel ? bsearch(&key, sums, kernels, sizeof *sums, by_kernel_alone) : NULL;
        double share = own && own->share > 0 ? own->share : 1;
        ranked[i] = (struct ranked){
            .advice = findings[i], .kernel = key.kernel, .gain = findings[i].score / share};
    }
    qsort(ranked, count, sizeof *ranked, by_kernel);
    for (size_t i = count; i-- > 0;) {
        ranked[i].place = i;
        ranked[i].weight = ranked[i].advice.score;
        bool is_followed = i + 1 < count && ranked[i + 1].kernel == ranked[i].kernel &&
                           ranked[i + 1].advice.severity == ranked[i].advice.severity;
        if (is_followed && ranked[i].weight < ranked[i + 1].weight)
            ranked[i].weight = ranked[i + 1].weight;
    }
    qsort(ranked, count, sizeof *ranked, by_weight);
    find_overlaps(ranked, count);
    for (size_t i = 0; i < count; i++)
        findings[i] = ranked[i].advice;
    free(ranked);
    free(sums);
}
