/* Ceilings: what a GPU can reach at most, measured by kernels and copies of our own on the GPU at
 * hand, or computed from its description. */
#ifndef WL_HARDWARE_CEILINGS_H
#define WL_HARDWARE_CEILINGS_H

#include "base/error.h"
#include "base/text.h"
#include "hardware/driver.h"

enum wl_ceiling {
#define CEILING(field, unit, text) WL_CEILING_##field,
#include "hardware/ceilings.def"
#undef CEILING
    WL_CEILING_COUNT,
};

struct wl_ceilings {
    double values[WL_CEILING_COUNT]; /* 0: not known */
};

/* Static: "dram_copy", "byte/s", "Device memory, copied (read and written)". */
const char *wl_ceiling_name(enum wl_ceiling ceiling);
const char *wl_ceiling_unit(enum wl_ceiling ceiling);
const char *wl_ceiling_text(enum wl_ceiling ceiling);

/* What follows from the description: units, widths and clocks. */
void wl_ceilings_of_gpu(const struct wl_gpu *gpu, struct wl_ceilings *ceilings);

/* Measures them on a device that nothing else uses, in a context of its own; takes some seconds. A
 * ceiling that cannot be measured there (memory, capability) stays 0. Errors: WL_ERR_UNSUPPORTED.
 */
enum wl_code wl_ceilings_measure(const struct wl_cuda *cuda, int device, const struct wl_gpu *gpu,
                                 struct wl_ceilings *ceilings, struct wl_error *error);

/* As "name=value" lines. False: a line is none of ours. */
void wl_ceilings_print(const struct wl_ceilings *ceilings, struct wl_text *text);
bool wl_ceilings_parse(const char *text, struct wl_ceilings *ceilings);

#endif
