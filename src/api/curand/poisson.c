/* Poisson's distribution, for the generators and for kernels of the program that draw by
 * themselves. */
#include "api/curand/poisson.h"

#include <math.h>
#include <stddef.h>

#include "api/common/stand_in.h"

enum { OK = 0, NOT_INITIALIZED = 101, ALLOCATION_FAILED = 102, OUT_OF_RANGE = 104 };

bool wl_curand_is_lambda(double lambda)
{
    return lambda > 0 && lambda <= WL_CURAND_LAMBDA_MAX;
}

struct wl_curand_poisson wl_curand_poisson_range(double lambda)
{
    const double wide = 9 * sqrt(lambda), least = floor(lambda - wide);
    const uint32_t begin = least > 0 ? (uint32_t)least : 0;
    return (struct wl_curand_poisson){begin, (uint32_t)(lambda + wide) + 20 - begin};
}

/* From the most probable value on both ways, by the quotient of neighbours, lambda / k. */
void wl_curand_poisson_fill(double lambda, struct wl_curand_poisson range, double *probabilities)
{
    const uint32_t mode = (uint32_t)lambda - range.least;
    double sum = 1;
    probabilities[mode] = 1;
    for (uint32_t i = mode; i-- > 0; sum += probabilities[i])
        probabilities[i] = probabilities[i + 1] * (range.least + i + 1) / lambda;
    for (uint32_t i = mode + 1; i < range.length; sum += probabilities[i++])
        probabilities[i] = probabilities[i - 1] * lambda / (range.least + i);
    for (uint32_t i = 0; i < range.length; i++)
        probabilities[i] /= sum;
}

/* ---- distributions for kernels: what curand_kernel.h reads ---- */

/* G. Marsaglia, W. W. Tsang and J. Wang's square histogram ("Fast generation of discrete random
 * variables", Journal of Statistical Software 11, 2004): of u in [j / length, (j + 1) / length) the
 * value is least + j if u < bounds[j], otherwise least + others[j]. */
struct histogram {
    const double *bounds, *on_host_bounds;
    const uint32_t *others, *on_host_others;
    uint32_t is_of_host;
};
struct shifted {
    struct histogram *histogram, *on_host;
    uint32_t least, length, is_of_host;
};
struct distribution {
    struct distribution *self;
    struct shifted *table, *on_host;
    double deviation, mean;
    int method;
    uint32_t is_of_host;
};
enum { BY_HISTOGRAM = 5 }; /* curandMethod_t */

/* All of a distribution, in device memory, which the host reads here too. */
struct block {
    struct distribution distribution;
    struct shifted shifted;
    struct histogram histogram;
    double values[]; /* bounds, one more than there are values, as u can be 1; then others */
};

/* The poorest gives what it lacks to the richest, again and again. shares: probabilities; places:
 * room for as many numbers. */
static void square(uint32_t length, double *shares, uint32_t *places, double *bounds,
                   uint32_t *others)
{
    const double width = 1.0 / length;
    uint32_t poor = 0, rich = length;
    for (uint32_t i = 0; i < length; i++) {
        bounds[i] = (i + 1) * width;
        others[i] = i;
        places[shares[i] < width ? poor++ : --rich] = i;
    }
    while (poor > 0 && rich < length) {
        const uint32_t from = places[rich], to = places[--poor];
        bounds[to] = to * width + shares[to];
        others[to] = from;
        shares[from] -= width - shares[to];
        if (shares[from] < width) {
            rich++;
            places[poor++] = from;
        }
    }
    bounds[length] = 0;
    others[length] = others[length - 1];
}

int curandCreatePoissonDistribution(double lambda, struct distribution **made)
{
    struct block *block;
    if (!made || !wl_curand_is_lambda(lambda))
        return OUT_OF_RANGE;
    if (wl_device_check())
        return NOT_INITIALIZED;
    const struct wl_curand_poisson range = wl_curand_poisson_range(lambda);
    const size_t bytes = sizeof *block + (range.length + 1) * (sizeof(double) + sizeof(uint32_t));
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, (void **)&block))
        return ALLOCATION_FAILED;
    uint32_t *others = (uint32_t *)(block->values + range.length + 1);
    double *shares = wl_alloc_zero(range.length, sizeof *shares);
    uint32_t *places = wl_alloc_zero(range.length, sizeof *places);
    wl_curand_poisson_fill(lambda, range, shares);
    square(range.length, shares, places, block->values, others);
    free(shares);
    free(places);
    block->histogram = (struct histogram){block->values, block->values, others, others, 0};
    block->shifted =
        (struct shifted){&block->histogram, &block->histogram, range.least, range.length, 0};
    block->distribution = (struct distribution){.self = &block->distribution,
                                                .table = &block->shifted,
                                                .on_host = &block->shifted,
                                                .deviation = sqrt(lambda),
                                                .mean = lambda,
                                                .method = BY_HISTOGRAM};
    wl_device_memory_tell_written(block, bytes);
    *made = &block->distribution;
    return OK;
}

int curandDestroyDistribution(struct distribution *distribution)
{
    if (!distribution)
        return NOT_INITIALIZED;
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, distribution);
    return OK;
}
