/* Which counters go into which pass, asked of CUPTI's host side: no GPU is needed for it.
 *
 * All metrics are given to CUPTI at once, as it packs only what it sees together. What the chip
 * does not have is refused, and named; what cannot be counted together is split into parts, each
 * with passes of its own. */
#ifndef WL_HARDWARE_PLAN_H
#define WL_HARDWARE_PLAN_H

#include "base/memory.h"
#include "hardware/library.h"

/* Metrics that are counted together. */
struct wl_cupti_part {
    const char **metrics; /* strings of the plan */
    size_t metric_count;
    uint8_t *config; /* for the device side */
    size_t config_bytes;
    size_t passes;
    struct wl_cupti_host *host; /* evaluates what was counted */
};

struct wl_cupti_plan {
    const struct wl_cupti *cupti;
    char *names; /* storage of the metrics' names */
    WL_VECTOR(struct wl_cupti_part) parts;
    WL_VECTOR(const char *) refused; /* the chip does not have them */
    size_t passes;                   /* of all parts */
};

/* metrics: names, a newline behind each. chip: "GH100". availability: what cuptiProfilerGetCounter-
 * Availability gave for the device, or NULL. An empty plan is no error. Errors: WL_ERR_UNSUPPORTED.
 * Free it with wl_cupti_plan_free, also after an error. */
enum wl_code wl_cupti_plan_make(const struct wl_cupti *cupti, const char *chip,
                                const uint8_t *availability, const char *metrics,
                                struct wl_cupti_plan *plan, struct wl_error *error);
void wl_cupti_plan_free(struct wl_cupti_plan *plan);

/* The values of a part's metrics in range number `range` of a counter image; values has a place for
 * each, and holds NaN where a pass has not covered the range. Errors: WL_ERR_UNSUPPORTED. */
enum wl_code wl_cupti_part_evaluate(const struct wl_cupti *cupti, const struct wl_cupti_part *part,
                                    const uint8_t *image, size_t image_bytes, size_t range,
                                    double *values, struct wl_error *error);

/* Adds the metrics of a set ("triage", "basic", "detailed", "full"; "" is triage), a line each.
 * False: no such set. */
bool wl_cupti_set_metrics(const char *set, struct wl_text *metrics);

/* Replaces lines "regex:EXPRESSION" by the names of the chip that it is found in, and names without
 * a suffix by those with the usual ones; other lines stay. Errors: WL_ERR_USAGE for a bad
 * expression, WL_ERR_UNSUPPORTED. */
enum wl_code wl_cupti_expand_metrics(const struct wl_cupti *cupti, const char *chip,
                                     const char *metrics, struct wl_text *expanded,
                                     struct wl_error *error);

/* The chip that GPUs of this compute capability (90) have, for planning before one is opened; NULL
 * where it is not known. Those of the same capability differ in size only. */
const char *wl_cupti_chip_of(uint32_t capability);

/* All names a chip has, a line each, as "BASE.SUFFIX": for `regex:`. Errors: WL_ERR_UNSUPPORTED. */
enum wl_code wl_cupti_chip_metrics(const struct wl_cupti *cupti, const char *chip,
                                   struct wl_text *names, struct wl_error *error);

#endif
