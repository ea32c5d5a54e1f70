/* A call of the system on its way through libwarplens-system.so, which stands before the C library.
 */
#ifndef WL_INTERPOSE_SYSTEM_CALL_H
#define WL_INTERPOSE_SYSTEM_CALL_H

#include <stdint.h>

#include "timeline/engine.h"

/* What records events in this process, or NULL. */
const struct wl_timeline_engine *wl_system_engine(void);

/* The next function of that name behind this library; of no such function the program ends, as it
 * would without us. */
typedef void wl_system_function(void);
wl_system_function *wl_system_resolve(const char *name);

/* 0: the call is not recorded. caller: where it goes back to; calls of ours are not the program's.
 */
uint64_t wl_system_begin(const void *caller);
/* Records it if it took long enough to matter; errno stays. */
void wl_system_end(const char *name, uint32_t *name_id, uint64_t start, uint64_t result);

#endif
