/* Poisson's distribution as tables. */
#ifndef WL_API_CURAND_POISSON_H
#define WL_API_CURAND_POISSON_H

#include <stdbool.h>
#include <stdint.h>

enum { WL_CURAND_LAMBDA_MAX = 400000 };

/* The values that are drawn: what lies outside is rarer than 2^-53. */
struct wl_curand_poisson {
    uint32_t least, length;
};

bool wl_curand_is_lambda(double lambda);
struct wl_curand_poisson wl_curand_poisson_range(double lambda);
/* Of each value its probability. */
void wl_curand_poisson_fill(double lambda, struct wl_curand_poisson range, double *probabilities);

#endif
