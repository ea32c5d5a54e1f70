/* An open report, as reader.c fills it on opening and details.c later. */
#ifndef WL_REPORT_READER_H
#define WL_REPORT_READER_H

#include "base/arena.h"
#include "base/memory.h"
#include "report/keys.h"
#include "report/report.h"
#include "report/rows.h"

/* Rows of one set_id within the array of all. */
struct wl_report_set {
    int64_t id;
    size_t first, count;
};
struct wl_report_sets {
    WL_VECTOR_FIELDS(struct wl_report_set);
};

/* Instruction values as the launches that share them see them. */
struct wl_report_instruction_set {
    const char **names;
    uint8_t *marks;
    size_t name_count;
    struct wl_record_instruction_value *values;
    size_t value_count;
};

struct wl_report_source_text {
    bool is_loaded;
    const char *text, *reason;
};

struct wl_report {
    char *path;
    struct wl_arena arena;
    struct wl_rows_file file;
    WL_VECTOR(const char *) names;         /* by id - 1 */
    int64_t *names_sorted;                 /* ids in order of their texts */
    struct wl_report_source_text *sources; /* by name id - 1 */
    WL_VECTOR(struct wl_record_attribute) session, attributes;
    WL_VECTOR(struct wl_record_value) values;
    struct wl_report_sets attribute_sets, value_sets;
    /* keys are positions + 1, those of launches positions */
    WL_VECTOR(struct wl_report_process) processes;
    WL_VECTOR(struct wl_record_device) devices;
    WL_VECTOR(struct wl_record_module) modules;
    WL_VECTOR(struct wl_report_kernel) kernels;
    WL_VECTOR(struct wl_report_launch) launches;
    WL_VECTOR(struct wl_report_note) notes;
    WL_VECTOR(const char *) streams;           /* file name of each process's stream */
    int64_t *instruction_set_ids;              /* of each launch, 0: none */
    bool *kernel_is_loaded, *launch_is_loaded; /* by position */
    WL_VECTOR(struct wl_report_instruction_set) instruction_sets;
    /* wl_report_short_name: positions + 1 of names among the short ones */
    bool are_names_short;
    struct wl_keys demangled;
    WL_VECTOR(const char *) short_names;
    struct wl_keys instruction_set_keys; /* set and kernel to position + 1 in instruction_sets */
};

/* Opens PATH itself, whatever stands beside it. */
enum wl_code wl_report_open_file(const char *path, struct wl_report **report,
                                 struct wl_error *error);

#endif
