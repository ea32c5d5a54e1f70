#include "api/cufft/library.h"

#include <stddef.h>
#include <string.h>

#include "api/cufft/lines.h"
#include "api/cufft/passes.h"
#include "base/count.h"

/* Lengths that a kernel of cuFFT transforms at once, as read on an H200; longer ones take one more
 * for each factor of that. */
enum { LENGTH_MOST = 4096 };

/* Of kernels of one kind of numbers: as the program has them, as they are computed with. */
struct told {
    struct wl_device_library is;
    const char *numbers;
    double stored_bytes, inner_bytes;
};

/* The parameters of warplens_fft_..._give, as far as they are looked at. */
struct given {
    int form; /* 0: all elements are complex */
    const void *from;
    void *to;
    long long count;
    int size[3];
};

static const struct told *told_of(const struct wl_device_library *self)
{
    return (const struct told *)(const void *)((const char *)self - offsetof(struct told, is));
}

/* Times that the elements are read and written for lines of n. */
static int passes_of(int n)
{
    int passes = n > 1;
    const int padded = wl_cufft_padded(n);
    for (int rest = padded ? padded : n; rest > LENGTH_MOST; rest /= LENGTH_MOST)
        passes++;
    return padded ? 3 * passes : passes; /* there, and back from what it is convolved with */
}

/* All of a transform, whose last kernel this is. */
static bool tell_transform(const struct wl_device_library *self, const void *parameters,
                           const uint32_t grid[3], struct wl_library_work *work)
{
    const struct given *given = parameters;
    double elements = (double)given->count;
    int passes = 0;
    (void)grid;
    for (size_t i = 0; i < WL_COUNT(given->size); i++) {
        elements *= given->size[i];
        passes += passes_of(given->size[i]);
    }
    const double complex_bytes = 2 * told_of(self)->inner_bytes;
    *work = (struct wl_library_work){
        .call = WL_LIBRARY_PASSES,
        .count = passes > 0 ? passes : 1,
        /* real numbers are half as many bytes */
        .bytes = 2 * elements * complex_bytes * (given->form ? 0.5 : 1) * (passes > 0 ? passes : 1),
    };
    return true;
}

static double bytes_of(const struct told *told, const struct wl_cufft_side *side)
{
    return side->form == WL_CUFFT_INNER    ? 2 * told->inner_bytes
           : side->form == WL_CUFFT_SINGLE ? told->stored_bytes
                                           : 2 * told->stored_bytes;
}

/* One pass of ours: where the library takes more or fewer for a dimension, its share of those. */
static bool tell_pass(const struct wl_device_library *self, const void *parameters,
                      const uint32_t grid[3], struct wl_library_work *work)
{
    const struct wl_cufft_pass *pass = parameters;
    const struct told *told = told_of(self);
    const double share = (pass->whole > 1 ? passes_of(pass->whole) : 1) /
                         (pass->n < pass->whole ? 2.0 : 1.0),
                 elements = (double)pass->lines * pass->n, middle = pass->whole / 2 + 1.0;
    (void)grid;
    *work = (struct wl_library_work){
        .call = pass->is_part ? WL_LIBRARY_FUSED : WL_LIBRARY_PASSES,
        .count = share,
        .bytes = share * elements *
                 (bytes_of(told, &pass->in) * (pass->is_half ? middle / pass->whole : 1) +
                  bytes_of(told, &pass->out) * pass->kept / pass->whole),
    };
    return true;
}

void wl_cufft_set_library(struct wl_device_kernel *kernel, const char *numbers, const char *what)
{
    static const struct told wholes[] = {{{tell_transform}, "f64", 8, 8},
                                         {{tell_transform}, "f32", 4, 4},
                                         {{tell_transform}, "f16", 2, 4},
                                         {{tell_transform}, "bf16", 2, 4}},
                             passes[] = {{{tell_pass}, "f64", 8, 8},
                                         {{tell_pass}, "f32", 4, 4},
                                         {{tell_pass}, "f16", 2, 4},
                                         {{tell_pass}, "bf16", 2, 4}};
    const bool is_pass = strcmp(what, "pass") == 0;
    if (!is_pass && strcmp(what, "give") != 0)
        wl_device_kernel_set_fused(kernel);
    for (size_t i = 0; i < WL_COUNT(passes) && (is_pass || strcmp(what, "give") == 0); i++)
        if (strcmp(numbers, passes[i].numbers) == 0)
            wl_device_kernel_set_library(kernel, is_pass ? &passes[i].is : &wholes[i].is);
}
