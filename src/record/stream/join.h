/* Puts together what several runs of a program measured. */
#ifndef WL_RECORD_STREAM_JOIN_H
#define WL_RECORD_STREAM_JOIN_H

#include <stddef.h>

#include "base/error.h"

struct wl_stream_joined {
    size_t joined;  /* launches that got more */
    size_t missing; /* launches of the other run that the first does not have alike */
};

/* Writes a stream into folder that is the one at path, with the counts at instructions (and the
 * totals of samples) that the same launches have in the stream at other: launches with the same
 * number, kernel, grid and block. Errors: those of reading and writing streams; a file that was
 * begun is left. joined is filled in every case. */
enum wl_code wl_stream_join(const char *path, const char *other, const char *folder,
                            struct wl_stream_joined *joined, struct wl_error *error);

#endif
