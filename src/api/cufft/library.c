#include "api/cufft/library.h"

#include <stddef.h>
#include <string.h>

#include "api/cufft/lines.h"
#include "base/count.h"

/* Lengths that a kernel of cuFFT transforms at once, as read on an H200; longer ones take one more
 * for each factor of that. */
enum { LENGTH_MOST = 4096 };

struct told {
    struct wl_device_library is;
    bool is_double;
};

/* The parameters of warplens_fft_..._give, as far as they are looked at. */
struct given {
    int form; /* 0: all elements are complex */
    const void *from;
    void *to;
    long long count;
    int size[3];
};

/* Times that the elements are read and written for lines of n. */
static int passes_of(int n)
{
    int passes = n > 1;
    const int padded = wl_cufft_padded(n);
    for (int rest = padded ? padded : n; rest > LENGTH_MOST; rest /= LENGTH_MOST)
        passes++;
    return padded ? 3 * passes : passes; /* there, and back from what it is convolved with */
}

static bool tell_transform(const struct wl_device_library *self, const void *parameters,
                           const uint32_t grid[3], struct wl_library_work *work)
{
    const struct told *told =
        (const struct told *)(const void *)((const char *)self - offsetof(struct told, is));
    const struct given *given = parameters;
    double elements = (double)given->count;
    int passes = 0;
    (void)grid;
    for (size_t i = 0; i < WL_COUNT(given->size); i++) {
        elements *= given->size[i];
        passes += passes_of(given->size[i]);
    }
    const double complex_bytes = told->is_double ? 16 : 8;
    *work = (struct wl_library_work){
        .call = WL_LIBRARY_PASSES,
        .count = passes > 0 ? passes : 1,
        /* real numbers are half as many bytes */
        .bytes = 2 * elements * complex_bytes * (given->form ? 0.5 : 1) * (passes > 0 ? passes : 1),
    };
    return true;
}

void wl_cufft_set_library(struct wl_device_kernel *kernel, const char *what, bool is_double)
{
    static const struct told transforms[] = {{{tell_transform}, false}, {{tell_transform}, true}};
    if (strcmp(what, "give") == 0)
        wl_device_kernel_set_library(kernel, &transforms[is_double].is);
    else
        wl_device_kernel_set_fused(kernel);
}
