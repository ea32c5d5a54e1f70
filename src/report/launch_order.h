/* Numbers of launches in a report: in the order in which a process made them. */
#ifndef WL_REPORT_LAUNCH_ORDER_H
#define WL_REPORT_LAUNCH_ORDER_H

#include "report/inserter.h"

/* Gives the launches of each process, which were added in the order in which their records came (a
 * collector sends one when its values are there), the ids of that process's launches in order of
 * their numbers; notes follow. A failure is the inserter's. */
void wl_launch_order_renumber(struct wl_inserter *inserter);

#endif
