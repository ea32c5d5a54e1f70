#include "api/cufft/lines.h"

#include <complex.h>
#include <math.h>
#include <string.h>
#undef I /* a name of tables elsewhere */

#include "api/common/stand_in.h"

typedef double complex number;

/* Of prime factors up to there each element of a line is a sum of so many. */
enum { FACTOR_MOST = 127, PADDED_MOST = 1 << 30 };

int wl_cufft_radix(int n)
{
    for (int64_t factor = 2; factor * factor <= n; factor++)
        if (n % factor == 0)
            return factor == 2 && n % 4 == 0 ? 4 : (int)factor;
    return n;
}

int wl_cufft_padded(int n)
{
    int largest = 1, padded = 1;
    for (int rest = n; rest > 1; rest /= wl_cufft_radix(rest))
        largest = wl_cufft_radix(rest) > largest ? wl_cufft_radix(rest) : largest;
    if (largest <= FACTOR_MOST || n > PADDED_MOST / 2)
        return 0;
    while (padded < 2 * n - 1)
        padded *= 2;
    return padded;
}

/* exp(-2 pi i k / n) */
static number root_of(int64_t k, int64_t n)
{
    const bool is_quarter = 4 * k % n == 0; /* exactly 0, 1 or -1 */
    const double angle = -2 * 3.14159265358979323846 * (double)k / (double)n, x = cos(angle),
                 y = sin(angle);
    return is_quarter ? rint(x) + rint(y) * _Complex_I : x + y * _Complex_I;
}

/* k^2 / 2 as a fraction of n. */
static number chirp_of(int64_t k, int64_t n)
{
    return root_of(k * k % (2 * n), 2 * n);
}

/* Of a power of two, in place. */
static void transform(number *x, int n)
{
    for (int i = 1, k = 0; i < n; i++) {
        int bit = n / 2;
        for (; k & bit; bit /= 2)
            k ^= bit;
        k ^= bit;
        if (i < k) {
            const number value = x[i];
            x[i] = x[k];
            x[k] = value;
        }
    }
    for (int half = 1; half < n; half *= 2)
        for (int i = 0; i < half; i++) {
            const number root = root_of(i, 2 * (int64_t)half);
            for (int k = i; k < n; k += 2 * half) {
                const number other = x[k + half] * root;
                x[k + half] = x[k] - other;
                x[k] += other;
            }
        }
}

/* A copy in device memory, which the host can write here; NULL: there is none. */
static void *keep(const number *values, int count, bool is_double)
{
    const size_t bytes = (size_t)count * (is_double ? 16 : 8);
    void *made = NULL;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &made))
        return NULL;
    for (int64_t i = 0; i < count; i++)
        if (is_double) {
            ((double *)made)[2 * i] = creal(values[i]);
            ((double *)made)[2 * i + 1] = cimag(values[i]);
        } else {
            ((float *)made)[2 * i] = (float)creal(values[i]);
            ((float *)made)[2 * i + 1] = (float)cimag(values[i]);
        }
    wl_device_memory_tell_written(made, bytes);
    return made;
}

bool wl_cufft_lines_make(struct wl_cufft_lines *made, int n, bool is_double)
{
    const int padded = wl_cufft_padded(n), most = padded ? padded : n;
    number *values = calloc((size_t)most, sizeof *values);
    *made = (struct wl_cufft_lines){.n = n, .padded = padded};
    if (!values)
        return false;
    for (int k = 0; k < most; k++)
        values[k] = root_of(k, most);
    made->roots = keep(values, most, is_double);
    for (int k = 0; padded && k < n; k++)
        values[k] = chirp_of(k, n);
    if (padded) {
        made->chirp = keep(values, n, is_double);
        memset(values, 0, (size_t)most * sizeof *values);
        for (int k = 0; k < n; k++)
            values[k] = values[k ? padded - k : 0] = conj(chirp_of(k, n)) / padded;
        transform(values, padded);
        made->filter = keep(values, padded, is_double);
    }
    free(values);
    return made->roots && (!padded || (made->chirp && made->filter));
}

void wl_cufft_lines_free(struct wl_cufft_lines *lines)
{
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, lines->roots);
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, lines->chirp);
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, lines->filter);
    *lines = (struct wl_cufft_lines){0};
}
