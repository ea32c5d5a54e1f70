/* A sink that hands every record on to another: for what reads a stream, changes some of its
 * records and writes the rest as they were. */
#ifndef WL_RECORD_STREAM_PASS_H
#define WL_RECORD_STREAM_PASS_H

#include "record/record.h"

/* First member of the struct that its user's own functions get as self. */
struct wl_stream_pass {
    const struct wl_sink *out;
};

/* The sink of pass, which replaces in it what it does itself. Valid as long as pass. */
struct wl_sink wl_stream_pass_sink(struct wl_stream_pass *pass);

#endif
