/* Records into the tables of a new report. Equal things are kept once: modules and kernels of
 * several processes, sets of attributes and values of several launches. */
#ifndef WL_REPORT_WRITER_H
#define WL_REPORT_WRITER_H

#include "record/record.h"
#include "record/stream/stream.h"

struct wl_report_writer;

struct wl_report_writer_sources {
    const char *folders, *program; /* as in struct wl_report_build */
    bool import;
    const char *refusal; /* why no file is even looked for, or NULL */
};

/* Writes into a new file. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_report_writer_open(const char *path, struct wl_report_writer **writer,
                                   struct wl_error *error);
void wl_report_writer_put_session(struct wl_report_writer *writer,
                                  const struct wl_record_attribute *session, size_t count);

/* Each stream stands between begin and end; the sink is valid in between. name is that of the
 * stream's file, HOST-PID-START.wls. */
void wl_report_writer_begin_stream(struct wl_report_writer *writer, const char *name);
const struct wl_sink *wl_report_writer_sink(struct wl_report_writer *writer);
/* damage: what stopped the replay, or code WL_OK. */
void wl_report_writer_end_stream(struct wl_report_writer *writer,
                                 const struct wl_stream_summary *summary,
                                 const struct wl_error *damage);

/* Adds the sources that the instructions name and closes the file; frees writer also on failure. */
enum wl_code wl_report_writer_close(struct wl_report_writer *writer,
                                    const struct wl_report_writer_sources *sources,
                                    struct wl_error *error);

#endif
