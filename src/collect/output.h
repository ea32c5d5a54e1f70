/* The stream of this process and what every collector writes to it first: the settings, the process
 * record, notes. Not thread-safe: callers hold the session's lock. */
#ifndef WL_COLLECT_OUTPUT_H
#define WL_COLLECT_OUTPUT_H

#include <sys/types.h>

#include "base/error.h"
#include "record/record.h"
#include "record/settings.h"

struct wl_stream_writer;

struct wl_output {
    struct wl_sink sink; /* of the writer, empty without one */
    struct wl_stream_writer *writer;
    pid_t writer_pid;
};

/* is_wanted: whether this rank is to be recorded; true also where the settings cannot be read. */
enum wl_code wl_output_read_settings(const char *path, struct wl_settings *settings,
                                     bool *is_wanted, struct wl_error *error);

/* Opens the stream in folder, unless it is open, and records the process; collector must stay
 * valid. False: no stream can be opened; error (may be NULL) says why. */
bool wl_output_open(struct wl_output *output, const char *folder, const char *collector,
                    struct wl_error *error);
/* Whether there is a stream, and this process made it. */
bool wl_output_is_ours(const struct wl_output *output);
/* After a fork: the stream is another process's. */
void wl_output_abandon(struct wl_output *output);
void wl_output_close(struct wl_output *output);

/* No effect without a stream. */
void wl_output_note(const struct wl_output *output, enum wl_note_severity severity,
                    const char *code, const char *text, const char *hint);
/* Why nothing is recorded. */
void wl_output_refuse(const struct wl_output *output, const struct wl_error *error);
void wl_output_note_memory(const struct wl_output *output); /* there was none left */

#endif
