/* What the libraries that stand before others find in the library of ours that records. They work
 * without it. */
#ifndef WL_INTERPOSE_ENGINE_H
#define WL_INTERPOSE_ENGINE_H

#include "timeline/engine.h"

/* A function of the file that WARPLENS_TRACE_ENGINE names, which is loaded if it is not yet. NULL:
 * there is none. Keeps errno. */
void *wl_interpose_find(const char *function);

/* NULL: there is none, or it is of another version. Keeps errno. */
const struct wl_timeline_engine *wl_interpose_engine(void);

#endif
