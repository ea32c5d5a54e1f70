/* For this room only: pprof's profile.proto, packed with gzip: stacks with their values. */
#ifndef WL_SHOW_EXPORT_PPROF_H
#define WL_SHOW_EXPORT_PPROF_H

#include "base/error.h"
#include "base/text.h"
#include "report/keys.h"

/* Begin with wl_pprof_type for each value, then add samples; wl_pprof_finish frees it. */
struct wl_pprof {
    struct wl_keys strings, functions, locations;
    struct wl_text body; /* fields of the profile so far */
};

/* What the next value of all samples is: "time", "nanoseconds". */
void wl_pprof_type(struct wl_pprof *profile, const char *type, const char *unit);
/* The id of a place: a function, and its file and line where they are known ("" and 0). */
uint64_t wl_pprof_location(struct wl_pprof *profile, const char *function, const char *file,
                           uint32_t line);
/* A stack, innermost first, and its values in the order of their types. */
void wl_pprof_sample(struct wl_pprof *profile, const uint64_t *locations, size_t location_count,
                     const uint64_t *values, size_t value_count);
/* Adds the packed profile to out. Errors: WL_ERR_MEMORY. */
enum wl_code wl_pprof_finish(struct wl_pprof *profile, struct wl_text *out, struct wl_error *error);

#endif
