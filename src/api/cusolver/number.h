/* Numbers of matrices as the host computes with them, whatever their type. */
#ifndef WL_API_CUSOLVER_NUMBER_H
#define WL_API_CUSOLVER_NUMBER_H

#include <complex.h>
#undef I /* a name of tables elsewhere */

#include "api/cusolver/cusolver.h"

typedef double complex wl_number;

static inline wl_number wl_number_get(char letter, const void *values, int64_t i)
{
    switch (letter) {
    case 's':
        return ((const float *)values)[i];
    case 'd':
        return ((const double *)values)[i];
    case 'c':
        return ((const float complex *)values)[i];
    default:
        return ((const double complex *)values)[i];
    }
}

static inline void wl_number_put(char letter, void *values, int64_t i, wl_number value)
{
    switch (letter) {
    case 's':
        ((float *)values)[i] = (float)creal(value);
        break;
    case 'd':
        ((double *)values)[i] = creal(value);
        break;
    case 'c':
        ((float complex *)values)[i] = (float complex)value;
        break;
    default:
        ((double complex *)values)[i] = value;
    }
}

/* To a number that is real: of the precision that the letter says. */
static inline void wl_number_put_real(char letter, void *values, int64_t i, double value)
{
    wl_number_put(wl_solver_real_bytes_of(letter) == sizeof(float) ? 's' : 'd', values, i, value);
}

#endif
