/* Which kernels are worth work: those that take much time and are far from what the GPU reaches. */
#ifndef WL_ANALYSE_ADVISE_CANDIDATES_H
#define WL_ANALYSE_ADVISE_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>

#include "report/report.h"

struct wl_candidate {
    char *name;       /* demangled */
    char *path;       /* of its profile; NULL: there is none */
    double share_pct; /* of the time of all kernels */
    double busy_pct;  /* of the busiest unit's peak, in its profile; 0 where that is not known */
    char *short_name; /* for messages */
};

/* The busiest unit of the first launch, in % of its peak; 0: not known. */
double wl_candidate_busy_pct(struct wl_report *report);

/* What there is to gain, in % of the time of all kernels: if the busiest unit were always busy. */
double wl_candidate_gain_pct(const struct wl_candidate *candidate);

/* Those with most to gain first, of the same the longer; those without a profile last. */
void wl_candidates_sort(struct wl_candidate *candidates, size_t count);

#endif
