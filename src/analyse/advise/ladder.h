/* The ladder of times of a launch (data/metrics/ladder.lua): what of its duration goes where, from
 * the least that the GPU needs up; what a change can gain at most; and whether there is anything
 * left to do. */
#ifndef WL_ANALYSE_ADVISE_LADDER_H
#define WL_ANALYSE_ADVISE_LADDER_H

#include <stdbool.h>
#include <stddef.h>

#include "analyse/advise/advice.h"
#include "analyse/metric/metric.h"

enum wl_ladder_step {
#define S(id, name) WL_LADDER_##id,
#include "analyse/advise/ladder_steps.def"
#undef S
    WL_LADDER_STEPS
};
const char *wl_ladder_step_name(enum wl_ladder_step step);

struct wl_ladder {
    double duration_ns;
    double steps_ns[WL_LADDER_STEPS]; /* their sum is the duration */
    const char *unit;                 /* that works longest; the set's, or NULL */
    const char *unit_words;           /* the same for people */
    double unit_part;                 /* of the duration in which it works, 0 to 1 */
    const char *rest;                 /* in words, what is beyond the least; the set's */
    double open_part;                 /* what the what-if of one cause gains at most, 0 to 1 */
    const char *open;                 /* that cause in words; the set's, or NULL: none gains */
};

/* False where the launch has no duration, or its least time is not known. */
bool wl_ladder_read(struct wl_metric_set *set, struct wl_ladder *ladder);

/* The least duration that a change can reach which leaves the launch's bytes and operations as they
 * are: what they need, and the launch itself. */
double wl_ladder_least_ns(const struct wl_ladder *ladder);

/* The part of the duration that is beyond that, 0 to 1. */
double wl_ladder_room(const struct wl_ladder *ladder);

enum wl_verdict {
    WL_VERDICT_GO_ON, /* a finding gains something */
    WL_VERDICT_STOP,  /* nothing that was found gains anything, nor does a what-if, and little is
                         left */
    WL_VERDICT_OPEN,  /* nothing that was found gains anything, yet a what-if does, or much is left,
                         or it is not known how much */
};
const char *wl_verdict_name(enum wl_verdict verdict); /* "go on", "stop", "open" */

/* What gains less is no reason to go on, and where less is left a launch is done. Where more is
 * left, up to WL_MOST_LEFT, it is done if nothing is known that takes it away; beyond that nobody
 * says stop. */
#define WL_LEAST_GAIN 0.05
#define WL_MOST_LEFT 0.25

/* Of a kernel with these findings; ladder may be NULL: not known. */
enum wl_verdict wl_verdict_find(const struct wl_ladder *ladder, const struct wl_advice *findings,
                                size_t count, const struct wl_report_kernel *kernel);

#endif
