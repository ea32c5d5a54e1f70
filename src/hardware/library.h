/* libcupti, found and opened at run time; without it nothing here is missed but its measurements.
 */
#ifndef WL_HARDWARE_LIBRARY_H
#define WL_HARDWARE_LIBRARY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "hardware/abi.h"

/* What is lost if a function is not there. */
enum wl_cupti_need {
    WL_CUPTI_NEED_TRACE, /* everything */
    WL_CUPTI_NEED_COUNTERS,
    WL_CUPTI_NEED_SAMPLING,
    WL_CUPTI_NEED_SASS,
    WL_CUPTI_NEED_EXTRA, /* nothing: called where it is there */
    WL_CUPTI_NEED_COUNT,
};

struct wl_cupti {
    void *handle;
    uint32_t version;                  /* of its interface: 130001 */
    bool has[WL_CUPTI_NEED_COUNT];     /* all functions for it are there */
    char missing[WL_CUPTI_NEED_COUNT]; /* how many are not */
#define ENTRY(name, need, parameters) int(*name) parameters;
#include "hardware/entries.def"
#undef ENTRY
};

/* Files named libcupti.so.* where toolkits and Python packages put them, one a line, the best
 * first: $WARPLENS_CUPTI, then $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, the toolkit that nvcc in
 * PATH belongs to, Python packages, and last what the dynamic loader knows by name. driver_major:
 * major number of the CUDA version that the driver knows, 0 if not known: newer libraries come
 * last. */
void wl_cupti_find(uint32_t driver_major, struct wl_text *paths);

/* Opens one of them. Errors: WL_ERR_INPUT where it cannot be loaded, WL_ERR_UNSUPPORTED where not
 * even launches can be traced with it; cupti->handle is then NULL. */
enum wl_code wl_cupti_open(const char *path, struct wl_cupti *cupti, struct wl_error *error);
/* Closes it; only where nothing of it has been called but its host side. */
void wl_cupti_close(struct wl_cupti *cupti);

/* A result in words: name as CUPTI's header has it, what it means, and what the user can do (may be
 * ""). Static; never NULL. */
struct wl_cupti_reason {
    int result;
    const char *name, *meaning, *hint;
};
const struct wl_cupti_reason *wl_cupti_explain(int result);

/* Fills error with a failed call of CUPTI: "CALL failed: MEANING (NAME)". Always an error. */
enum wl_code wl_cupti_fail(struct wl_error *error, const char *call, int result);

#endif
