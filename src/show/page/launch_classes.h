/* Launches that differ in number and time alone, as most of a report of very many do: what is
 * computed from one of them without its time is true of all. */
#ifndef WL_SHOW_PAGE_LAUNCH_CLASSES_H
#define WL_SHOW_PAGE_LAUNCH_CLASSES_H

#include "report/keys.h"
#include "report/report.h"

/* Zero-initialise; free with wl_launch_classes_free. */
struct wl_launch_classes {
    struct wl_keys launches;
    struct wl_keys values; /* without times, by what they are, and */
    struct wl_keys places; /* by where they stand: launches share them */
};

/* The class of a launch: a number from 0 on, at most one more than the largest before. */
size_t wl_launch_class(struct wl_launch_classes *classes, const struct wl_report_launch *launch);
void wl_launch_classes_free(struct wl_launch_classes *classes);

#endif
