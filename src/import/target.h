/* What an imported file becomes: records into the writer of a new report. */
#ifndef WL_IMPORT_TARGET_H
#define WL_IMPORT_TARGET_H

#include "base/error.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "record/record.h"
#include "report/writer.h"

struct wl_import_name;

struct wl_import_target {
    struct wl_report_writer *writer;
    const char *path;             /* of the file that is read */
    struct wl_text content;       /* of a file that is read whole, unpacked */
    bool is_packed;               /* by gzip */
    struct wl_import_name *names; /* of the process at hand */
    struct wl_timeline_record *batch;
    size_t batch_count;
    uint32_t name_count;
    uint64_t events, launches, notes, streams;
    bool has_process;
    struct { /* of the process that begins next, where the file says so */
        int64_t rank, count;
        bool is_known;
    } rank;
    struct { /* the model of the GPU that was looked for last: launches are mostly of one */
        char *name;
        uint32_t sm_count;
        bool is_known;
        struct wl_gpu gpu;
    } model;
};

/* What is known of a process: executable is shown as its program; NULL where nothing is. */
void wl_import_begin_process(struct wl_import_target *target, const char *tool, uint64_t pid,
                             const char *executable, const char *host, uint64_t start_ns);
void wl_import_end_process(struct wl_import_target *target);

/* The id of a name of events, of the process at hand. Bytes that are no UTF-8 become U+FFFD. */
uint32_t wl_import_name(struct wl_import_target *target, const char *text);
void wl_import_event(struct wl_import_target *target, const struct wl_timeline_record *record);
void wl_import_device(struct wl_import_target *target, const struct wl_record_device *device);
void wl_import_launch(struct wl_import_target *target, const struct wl_record_launch *launch);
/* Something that was not understood; hint may be "". */
void wl_import_note(struct wl_import_target *target, const char *code, const char *text,
                    const char *hint);
const struct wl_sink *wl_import_sink(struct wl_import_target *target);

/* target->path as it is in messages. */
enum wl_code wl_import_fail(const struct wl_import_target *target, enum wl_code code,
                            struct wl_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The formats: is_it looks at the first bytes, read fills the target. */
struct wl_import_format {
    const char *name;
    bool (*is_it)(const struct wl_text *content);
    enum wl_code (*read)(struct wl_import_target *target, struct wl_error *error);
};
extern const struct wl_import_format wl_import_sqlite, wl_import_chrome, wl_import_ncu_csv,
    wl_import_ncu_details, wl_import_ncu_source, wl_import_ncu_report, wl_import_rocprof,
    wl_import_perfetto, wl_import_nsys_json, wl_import_rocprof_json;

#endif
