/* Who in the program called the simulated GPU, and where memory came from, for check-memory. */
#ifndef WL_COLLECT_SIM_CALLERS_H
#define WL_COLLECT_SIM_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "device/core/observer.h"

/* Return addresses, the innermost first, of functions that are none of a runtime library. */
struct wl_callers {
    void *frames[6];
    int count;
};

/* Loads what is needed to look at the stack, which may not be done within a call. */
void wl_callers_prepare(void);
/* Of the thread that asks; microseconds. */
void wl_callers_take(struct wl_callers *callers);
/* Adds "; VERB at FILE:LINE (FUNCTION), called at FILE:LINE (FUNCTION)" of the innermost three
 * outside the toolkit's headers, up to main; "in FUNCTION" where the line is not known, nothing
 * where nothing is. The first time for a place takes milliseconds. */
void wl_callers_print(const struct wl_callers *callers, const char *verb, struct wl_text *out);

/* Remembers where the memory was allocated or freed: on the thread that asks, one at a time. */
void wl_origins_add(const struct wl_device_memory_change *change);
/* Adds "; allocated at ...", of freed memory "; freed at ..." too, of the allocation that begins
 * there; nothing where it is not known. */
void wl_origins_print(uint64_t start, bool is_freed, struct wl_text *out);

#endif
