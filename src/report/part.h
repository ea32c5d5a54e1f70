/* A report is made beside its place, PATH.part-HOST-PID, and put there when it is whole. */
#ifndef WL_REPORT_PART_H
#define WL_REPORT_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct wl_report_part {
    char *path; /* where it is made; NULL: nowhere */
    const char *report_path;
    bool overwrite;
};

/* Makes an empty file, and removes what killed builds of the same report left. report_path must
 * live on. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_report_part_begin(struct wl_report_part *part, const char *report_path,
                                  bool overwrite, struct wl_error *error);
/* code WL_OK: syncs it and puts it in its place; else, and on an error, removes it. Returns code,
 * or WL_ERR_OUTPUT. To be called whatever begin gave. */
enum wl_code wl_report_part_end(struct wl_report_part *part, enum wl_code code,
                                struct wl_error *error);

/* The name of this host as names of streams and parts have it. */
void wl_report_host_name(char *host, size_t size);

#endif
