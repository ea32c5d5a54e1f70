/* Options that verbs share: small structs, each with its rows. A verb puts those that it has into a
 * struct of its own, and lists their rows; options that go to a collector are rows of
 * record/settings.def. */
#ifndef WL_CMD_GROUPS_H
#define WL_CMD_GROUPS_H

#include "base/options.h"
#include "record/settings.h"
#include "run/request.h"
#include "show/page/view.h"

/* Of every verb, and the first member of its struct. */
struct wl_general_options {
    bool wants_help, wants_version, is_quiet;
    const char *log_file;
    int found_status; /* no option: exit status of a run in which nothing failed */
};
extern const struct wl_option wl_general_rows[];

extern const struct wl_option wl_report_rows[];  /* struct wl_report_options */
extern const struct wl_option wl_measure_rows[]; /* struct wl_measure_options */
extern const struct wl_option wl_always_rows[];  /* of ncu: what always happens */
extern const struct wl_option wl_refused_rows[]; /* of ncu: what cannot be given */
extern const struct wl_option wl_nsys_rows[];    /* of nsys: what changes nothing or cannot be */

/* Questions about metrics, sections, sets and rules. */
struct wl_list_options {
    bool metrics, sets, sections, rules;
};

/* What is printed of a report. */
struct wl_page_options {
    int page, units, summary; /* -1: not given */
    int details, metric_name; /* enum wl_view_details, enum wl_view_metric_name */
    bool csv, json, sarif, markdown, percent, applies_rules, has_rule_details;
    const char *print_source, *top;
    struct wl_text rules;
    struct wl_metric_options metrics;
    struct wl_list_options lists;
};
extern const struct wl_option wl_page_rows[];
void wl_page_options_init(struct wl_page_options *options);
/* Errors: WL_ERR_USAGE where two forms are asked for. */
enum wl_code wl_page_options_check(const struct wl_page_options *options, struct wl_error *error);
/* Of pages that are text, CSV or JSON. */
enum wl_view_format wl_page_options_format(const struct wl_page_options *options);

/* Rows for one member of a verb's struct. */
#define WL_TABLE(type, member, rows)      \
    {                                     \
        (rows), offsetof(type, member), 0 \
    }
/* The options of these groups (enum wl_settings_group) of its member `settings`. */
#define WL_SETTINGS_TABLE(type, groups)                         \
    {                                                           \
        wl_settings_options, offsetof(type, settings), (groups) \
    }
#define WL_TABLES_END \
    {                 \
        NULL, 0, 0    \
    }

/* A row of a table: an option whose value goes into field of type. */
#define WL_ROW(type, field, how, spelled, short, value, text)                \
    {                                                                        \
        .name = (spelled), .letter = (short), .kind = WL_OPTION_##how,       \
        .offset = offsetof(type, field), .argument = (value), .help = (text) \
    }
#define WL_ROWS_HEADING(text)                     \
    {                                             \
        .name = (text), .kind = WL_OPTION_HEADING \
    }
#define WL_ROWS_END  \
    {                \
        .name = NULL \
    }

#define WL_REPORT_PATH_HELP                                                                  \
    "write this report (.wlr is added); %p process, %h host, %q{VAR} environment, %i first " \
    "free number, %% percent sign; default: warplens-report%i"
/* Rows of this meaning and spelling stand in several verbs. */
#define WL_OVERWRITE_ROW(type, field, text) \
    WL_ROW(type, field, CONFIRM, "force-overwrite", 'f', "true|false", text)
#define WL_SECTION_FOLDER_ROW(type, field, text) \
    WL_ROW(type, field, TEXT, "section-folder", 0, "FOLDER", text)
#define WL_OWN_SECTIONS "sections, metrics and rules of your own (.lua)"
#define WL_OWN_METRICS "metrics and rules of your own (.lua)"

#endif
