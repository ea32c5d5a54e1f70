/* Closest names by edit distance, for "did you mean" hints. */
#ifndef WL_BASE_NEAR_H
#define WL_BASE_NEAR_H

#include <stddef.h>

#include "base/text.h"

struct wl_near {
    const char *word;
    const char *names[3]; /* best first, NULL where there are fewer */
    size_t distances[3];
};

/* Start with {.word = word}, offer every candidate, then read names. Candidates must outlive it. */
void wl_near_offer(struct wl_near *near, const char *name);

/* Adds "PREFIXa, PREFIXb or PREFIXc" to out; nothing if no name is close enough. */
void wl_near_print(const struct wl_near *near, const char *prefix, struct wl_text *out);

#endif
