/* What transforms of lines of one length need: tables in device memory. A length with a large prime
 * factor is transformed by way of a power of two (L. I. Bluestein, "A linear filtering approach to
 * the computation of discrete Fourier transform", IEEE Trans. Audio Electroacoustics 18, 1970):
 * with j k = (j^2 + k^2 - (j - k)^2) / 2 it is a convolution. */
#ifndef WL_API_CUFFT_LINES_H
#define WL_API_CUFFT_LINES_H

#include <stdbool.h>

struct wl_cufft_lines {
    int n, padded; /* padded: that power of two, or 0 */
    void *roots;   /* exp(-2 pi i k / n), of padded if there is one */
    void *chirp;   /* exp(-pi i k^2 / n) */
    void *filter;  /* the transform of what elements are convolved with, divided by padded */
};

/* False: there is no memory for it. Free it either way. */
bool wl_cufft_lines_make(struct wl_cufft_lines *made, int n, bool is_double);
void wl_cufft_lines_free(struct wl_cufft_lines *lines);
/* The power of two for n elements; 0: they are transformed as they are. */
int wl_cufft_padded(int n);
/* The next radix of a transform of n elements, more than 1. */
int wl_cufft_radix(int n);

#endif
