/* Numbers of matrices in memory, as single precision and back, in vectors of the host. */
#ifndef WL_API_CUBLAS_NUMBER_H
#define WL_API_CUBLAS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum wl_number {
    WL_NUMBER_F32, /* the first five as the kernels of epilogue.cu number them */
    WL_NUMBER_F16,
    WL_NUMBER_BF16,
    WL_NUMBER_E4M3,
    WL_NUMBER_E5M2,
    WL_NUMBER_S8,
    WL_NUMBER_S32,
    WL_NUMBER_F64
};

enum { WL_NUMBER_NAN = 0x7fffffff }; /* the only one that operations of the GPU give */

uint32_t wl_number_bytes(enum wl_number type);

/* Whether the host has the instructions that all below need. */
bool wl_number_is_there(void);
/* So many neighbours of a format of at most 32 bits that is no integer. A NaN may become any. */
void wl_number_read(enum wl_number type, const void *from, long long count, float *to);
/* To the nearest, ties to even; what is too large for 8 bits becomes the largest number. */
void wl_number_write(enum wl_number type, void *to, long long count, const float *from);
/* values = values * factor + addends * addend_factor, with one rounding a step; addends: NULL if
 * there are none. A NaN becomes WL_NUMBER_NAN. */
void wl_number_scale(float *values, long long count, float factor, const float *addends,
                     float addend_factor);
/* The same in double precision, where a NaN stays as the host has it. */
void wl_number_scale_f64(double *values, long long count, double factor, const double *addends,
                         double addend_factor);
bool wl_number_has_nan_f64(const double *values, long long count);

#endif
