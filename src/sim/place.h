/* Memory whose address decides what the caches do: at the same place in every run of a program, so
 * that counts are the same. Internal to sim/. */
#ifndef WL_SIM_PLACE_H
#define WL_SIM_PLACE_H

#include <stddef.h>

/* Zeroed pages that come as they are used; elsewhere if all places are taken. NULL: there is no
 * memory. Freed by munmap. */
void *wl_place_map(size_t bytes);

#endif
