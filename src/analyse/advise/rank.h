/* The order of findings: by what they save of everything, and of one kernel the cheaper change
 * first where gains are about equal. */
#ifndef WL_ANALYSE_ADVISE_RANK_H
#define WL_ANALYSE_ADVISE_RANK_H

#include <stddef.h>

#include "analyse/advise/advice.h"

/* Orders findings: warnings before notes; then by score. Of one kernel, and of all that have none,
 * gains within 5 points of its time count as equal, and the rule's order decides. shares are what
 * the launches weigh, 0 to 1, the sum of a kernel's being the most that its findings can save.
 * Writes overlaps. */
void wl_advice_rank(struct wl_advice *findings, size_t count,
                    const struct wl_report_launch *const *launches, const double *shares,
                    size_t launch_count);

#endif
