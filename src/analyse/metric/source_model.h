/* What the source page shows of a launch: values of each instruction, summed for each source line.
 */
#ifndef WL_ANALYSE_METRIC_SOURCE_MODEL_H
#define WL_ANALYSE_METRIC_SOURCE_MODEL_H

#include "analyse/metric/metric.h"
#include "base/arena.h"
#include "report/report.h"

/* A column: a count of the collector, or computed from two. */
struct wl_source_column {
    const char *name, *label;
    enum wl_source_operation {
        WL_SOURCE_VALUE,      /* left */
        WL_SOURCE_DIFFERENCE, /* left - right */
        WL_SOURCE_SHARE_PCT,  /* 100 left / (left + right): no sum of lines makes sense of it */
        WL_SOURCE_SUM,        /* of those counts from left on whose bits are set in added */
    } operation;
    size_t left, right; /* indices of counts */
    uint64_t added;
    enum wl_mark mark;
    bool is_basic; /* said of every instruction, even if it is zero */
    bool is_shown; /* in text: it belongs to the short list and is not zero everywhere */
};

/* A source line with instructions, or from which code was inlined. */
struct wl_source_line {
    const char *file;
    uint32_t line;                  /* 0: instructions without a line */
    double *counts;                 /* of its own instructions */
    double *inlined;                /* of instructions inlined at it; NULL if none */
    WL_VECTOR(size_t) instructions; /* indices into the kernel's, in order */
    const char *inlined_names;      /* "f, g": what was inlined at it; NULL if none */
};

struct wl_source_file {
    const char *name, *reason; /* reason: why there is no text, else NULL */
    const char **lines;        /* text of line 1 at [0]; not NUL-terminated: see lengths */
    size_t *lengths;
    size_t line_count;
};

struct wl_source_model {
    const struct wl_report_launch *launch;
    const struct wl_record_instruction *instructions;
    size_t instruction_count, count_count;
    double **counts; /* of each instruction */
    double *totals;
    struct wl_source_column *columns;
    size_t column_count;
    struct wl_source_line *lines; /* by file, then line; those without a line last */
    size_t line_count;
    struct wl_source_file *files;
    size_t file_count;
    bool has_lines;                     /* any instruction has a source line */
    const struct wl_source_column *top; /* of --top, or NULL */
    const struct wl_source_line *top_line;
    struct wl_arena arena;
};

/* top: name of the column whose leading line is looked for, or NULL. Errors: those of loading from
 * the report; WL_ERR_USAGE for an unknown top. */
enum wl_code wl_source_build(struct wl_report *report, const struct wl_report_launch *launch,
                             const char *top, struct wl_source_model *model,
                             struct wl_error *error);
void wl_source_free(struct wl_source_model *model);

/* Finds the line that leads a column. Errors: WL_ERR_USAGE: there is no such column. */
enum wl_code wl_source_find_top(struct wl_source_model *model, const char *name,
                                struct wl_error *error);
/* Positions of columns, in the order asked for; free(items). */
struct wl_source_choice {
    WL_VECTOR_FIELDS(size_t);
};
/* The columns of a list, "stall_long_sb,inst_executed": names as --top takes them,
 * "regex:EXPRESSION", "group:smsp__pcsamp_warp_stall_reasons" (those that are not zero everywhere).
 * Names that the catalog has for launches only are left out. Errors: WL_ERR_USAGE: one is of
 * neither. */
enum wl_code wl_source_choose(const struct wl_source_model *model,
                              const struct wl_metric_catalog *catalog, const char *list,
                              struct wl_source_choice *choice, struct wl_error *error);

/* The column that says best where time goes: what warps stood at, else what they executed; NULL if
 * nothing was counted. */
const struct wl_source_column *wl_source_find_heat(const struct wl_source_model *model);
/* A column of counts; false where it has no value (nothing was looked up). */
bool wl_source_read(const struct wl_source_column *column, const double *counts, double *value);
/* The value in percent of the kernel's total; false as above, or where the total is 0. */
bool wl_source_read_percent(const struct wl_source_model *model,
                            const struct wl_source_column *column, const double *counts,
                            double *value);
/* False for a zero that is only noise: sectors of an addition. */
bool wl_source_is_telling(const struct wl_source_column *column, const double *counts);
const struct wl_source_file *wl_source_find_file(const struct wl_source_model *model,
                                                 const char *name);
/* Text of a line, or "" if there is none; in the model's arena. */
const char *wl_source_line_text(struct wl_source_model *model, const char *file, uint32_t line);

#endif
