/* Times of what libraries do in steps that wait for one another. Internal to timing/library. */
#ifndef WL_TIMING_LIBRARY_STEPS_H
#define WL_TIMING_LIBRARY_STEPS_H

#include "timing/library.h"

/* Of work of the kind WL_LIBRARY_STEPS, in nanoseconds, by the GPU's file with what it leaves out
 * assumed. */
double wl_library_steps_ns(const struct wl_gpu *gpu, const struct wl_library_work *work);

/* Multiply-adds of an SM in a cycle. */
double wl_library_rate(const struct wl_gpu *gpu, enum wl_library_element element);

#endif
