/* Which launches are profiled: ncu's -k, --kernel-id, -s, -c, --launch-skip-before-match,
 * --profile-from-start, --nvtx-include/-exclude. One implementation for every collector.
 * Not thread-safe: the caller holds the launch lock. */
#ifndef WL_RECORD_FILTER_H
#define WL_RECORD_FILTER_H

#include "record/settings.h"

struct wl_filter;

/* Compiles the expressions. Errors: WL_ERR_USAGE with the bad expression in the message. */
enum wl_code wl_filter_create(const struct wl_settings *settings, struct wl_filter **filter,
                              struct wl_error *error);
void wl_filter_free(struct wl_filter *filter);

struct wl_filter_launch {
    const char *mangled, *demangled, *function;
    uint32_t context_id, stream_id;
    const char *const
        *ranges; /* open NVTX push/pop ranges of the thread, "domain@name" or "name" */
    size_t range_count;
    const uint32_t *grid, *block; /* three each, or NULL */
    const char *alias;            /* a further name of the function: that of nvc; or NULL */
};

/* True if this launch is to be profiled. Counts every launch it is asked about. With the setting
 * `interactive` it waits for the user's answer. */
bool wl_filter_accept(struct wl_filter *filter, const struct wl_filter_launch *launch);
/* Whether NVTX ranges, outermost first, are within those of --nvtx-include, and of --nvtx-exclude
 * none is. False where nothing is included by name. */
bool wl_filter_has_ranges(const struct wl_filter *filter, const char *const *ranges, size_t count);
/* cudaProfilerStart/Stop. */
void wl_filter_set_active(struct wl_filter *filter, bool active);
/* True once -c launches have been profiled and no more will be. */
bool wl_filter_is_finished(const struct wl_filter *filter);

#endif
