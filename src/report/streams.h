/* The folder of streams of one run: what is in it, how its report is to be built, and whether it
 * still needs to be. */
#ifndef WL_REPORT_STREAMS_H
#define WL_REPORT_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/report.h"

struct wl_stream_file {
    char *name, *path;
    uint64_t start; /* last number of the name */
    int64_t modified_ns;
};

struct wl_streams {
    WL_VECTOR_FIELDS(struct wl_stream_file);
};

/* Every *.wls of the folder in order of start. Errors: WL_ERR_INPUT, WL_ERR_NOTHING if none. */
enum wl_code wl_streams_list(const char *folder, struct wl_streams *streams,
                             struct wl_error *error);
void wl_streams_free(struct wl_streams *streams);

/* wl_report_build; is_final: every stream was read to its end, and no process writes on. */
enum wl_code wl_report_build_streams(const struct wl_report_build *build, bool *is_final,
                                     struct wl_error *error);

#endif
