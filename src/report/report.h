/* The report file (.wlr, SQLite; docs/formats/report-schema.md). This room is the only one that
 * knows the tables. Reading gives plain structures; strings and arrays belong to the report and
 * live until it is closed. */
#ifndef WL_REPORT_REPORT_H
#define WL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/collectors.h"
#include "record/record.h"

/* ---- writing ---- */

struct wl_report_build {
    const char *stream_folder; /* all streams in it are recorded, in order of start */
    const char *report_path;
    bool overwrite;             /* -f */
    const char *source_folders; /* --source-folders, ':'-separated, or NULL: where to look for
                                   source files that the program was not compiled next to */
    const char *program;        /* its file, or NULL: sources beside it are stored, too */
    bool import_source;         /* store the text of the source files */
    bool
        is_recovered; /* from streams that may be anybody's: no source is stored unless asked for */
    const struct wl_record_attribute *session; /* settings to keep: options, versions */
    size_t session_count;
};
/* Builds the database from streams: into a temporary file beside it, then renamed, so that a reader
 * never sees half of one; works where locks and mmap are refused. Torn streams give what is whole,
 * with a note. Errors: WL_ERR_OUTPUT (where = path; hint says what to do), WL_ERR_NOTHING if no
 * stream. */
enum wl_code wl_report_build(const struct wl_report_build *build, struct wl_error *error);

/* Keeps in the stream folder, which must be there, how its report is to be built: if this process
 * is killed before it has built it, wl_report_open builds the same. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_report_save_plan(const struct wl_report_build *build, struct wl_error *error);

/* ---- reading ---- */

struct wl_report;

struct wl_report_merge {
    const char *const *paths; /* of the reports */
    size_t count;
    const char *report_path;
    bool overwrite;
};
/* Several reports, of the ranks of a parallel program, say, into one: in order of their ranks, then
 * as named. Their streams are turned into reports first where that was left undone. Takes as much
 * memory for large reports as for small ones. Errors: those of wl_report_open, WL_ERR_OUTPUT. */
enum wl_code wl_report_merge(const struct wl_report_merge *merge, struct wl_error *error);

/* Opens a finished report read-only. If PATH.stream/ holds what the report lacks (the recorder was
 * killed), builds the report first, and removes PATH.stream/ if all of it could be read and its
 * processes have ended; not while the recorder still runs. The file may be damaged or hostile.
 * Errors (where = path): WL_ERR_INPUT, WL_ERR_CORRUPT, WL_ERR_VERSION (made by a newer version);
 * those of wl_report_build. */
enum wl_code wl_report_open(const char *path, struct wl_report **report, struct wl_error *error);
/* The same where a report that must be built first is to have the text of source files: of those
 * under the working folder or source_folders (may be NULL). wl_report_open stores none then, as the
 * streams may come from anywhere. */
enum wl_code wl_report_open_with_sources(const char *path, const char *source_folders,
                                         struct wl_report **report, struct wl_error *error);
void wl_report_close(struct wl_report *report);

struct wl_report_process {
    int64_t key;
    struct wl_record_process record;
    int exit_code; /* -1 unknown */
    bool is_torn;  /* its stream ended early */
    uint64_t dropped;
};
struct wl_report_kernel {
    int64_t key;                    /* unique in the report */
    struct wl_record_kernel record; /* instructions filled by wl_report_load_instructions */
    struct wl_record_module module; /* text filled by wl_report_load_instructions */
    const char *short_name;         /* for tables; kernels of one report differ in it */
    const char *family;             /* whose it is: "cuBLAS", ...; NULL: not known */
};
struct wl_report_launch {
    int64_t key; /* unique in the report; order of launch: ID as shown, from 0 */
    const struct wl_report_process *process;
    const struct wl_report_kernel *kernel;
    const struct wl_record_device *device;
    /* values and attributes filled, values in order of their names; instruction values by
     * wl_report_load_launch, in order of name, then instruction */
    struct wl_record_launch record;
};
struct wl_report_note {
    const struct wl_report_process *process;
    struct wl_record_note record;
    int64_t launch_key; /* -1 */
};

/* Everything but per-instruction data, in order. */
const struct wl_report_process *wl_report_processes(struct wl_report *report, size_t *count);
const struct wl_report_launch *wl_report_launches(struct wl_report *report, size_t *count);
const struct wl_report_note *wl_report_notes(struct wl_report *report, size_t *count);
/* Session settings: name/text pairs. */
const struct wl_record_attribute *wl_report_session(struct wl_report *report, size_t *count);

/* What to know of whoever made the launch's values. Never NULL. */
const struct wl_collector_facts *wl_report_collector(const struct wl_report_launch *launch);

/* What the device of that number is called; NULL: it is not known, or processes have different
 * ones. */
const char *wl_report_device_name(const struct wl_report *report, uint32_t device_id);

/* A launch's raw value by name; false if the collector did not give it. The launch's values must be
 * in order of their names. */
bool wl_report_value(const struct wl_report_launch *launch, const char *name, double *value,
                     enum wl_mark *mark);
/* A launch's attribute (launch facts) by name, looked for in launch, kernel, then device; NULL if
 * absent. */
const struct wl_record_attribute *wl_report_attribute(const struct wl_report_launch *launch,
                                                      const char *name);

/* A kernel's name for tables: as in wl_report_kernel, of kernels of a trace too; demangled itself
 * where the report has no such name, or it is no kernel's. For ever, as long as the report is open.
 */
const char *wl_report_short_name(struct wl_report *report, const char *demangled);

/* Loads instructions and PTX text of a kernel (once). */
enum wl_code wl_report_load_instructions(struct wl_report *report,
                                         const struct wl_report_kernel *kernel,
                                         struct wl_error *error);
/* Loads the per-instruction values of a launch (once). */
enum wl_code wl_report_load_launch(struct wl_report *report, const struct wl_report_launch *launch,
                                   struct wl_error *error);
/* Text of a source file as it was when recorded, or NULL if it was not found; then *reason says
 * why. */
const char *wl_report_source(struct wl_report *report, const char *file, const char **reason);

#endif
