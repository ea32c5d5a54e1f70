/* When CUPTI is asked for migrations of managed memory: they cost a program without any two seconds
 * at its end (H100, two devices), so they wait for its first. Owns nothing. */
#ifndef WL_COLLECT_CUPTI_UNIFIED_H
#define WL_COLLECT_CUPTI_UNIFIED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "hardware/library.h"

/* Asks CUPTI to report an event to the trace's callback. */
typedef enum wl_code wl_cupti_listen(int domain, uint32_t call, struct wl_error *error);

/* Listens for what makes managed memory (an allocation, a module with a `__managed__` variable), or
 * for the driver's start where faults are wanted too: those of pageable memory need neither. False:
 * CUPTI reports none of these. */
bool wl_cupti_unified_listen(const struct wl_cupti *cupti, bool has_faults,
                             wl_cupti_listen *listen);

/* Whether an event that came is one of those. On the thread that caused it. */
bool wl_cupti_unified_is_due(bool has_faults, int domain, uint32_t call, const void *data);

/* Migrations of each device's pages; faults too where they are wanted, as they cost much. CUPTI
 * takes this only from an initialised driver. False: this driver, GPU or CUPTI does not report
 * them. */
bool wl_cupti_unified_configure(const struct wl_cupti *cupti, bool has_faults);

#endif
