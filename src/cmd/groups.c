#include "cmd/groups.h"

#define GENERAL(field, ...) WL_ROW(struct wl_general_options, field, __VA_ARGS__)
#define REPORT(field, ...) WL_ROW(struct wl_report_options, field, __VA_ARGS__)
#define MEASURE(field, ...) WL_ROW(struct wl_measure_options, field, __VA_ARGS__)
#define PAGE(field, ...) WL_ROW(struct wl_page_options, field, __VA_ARGS__)

const struct wl_option wl_general_rows[] = {
    WL_ROWS_HEADING("GENERAL"),
    GENERAL(wants_help, FLAG, "help", 'h', NULL, "this text"),
    GENERAL(wants_version, FLAG, "version", 'v', NULL, "the version of warplens"),
    GENERAL(is_quiet, FLAG, "quiet", 'q', NULL, "print no messages but errors"),
    GENERAL(log_file, TEXT, "log-file", 0, "FILE",
            "pages and messages go to FILE; or to 'stdout', 'stderr'"),
    WL_ROWS_END,
};

const struct wl_option wl_report_rows[] = {
    WL_ROWS_HEADING("REPORT"),
    REPORT(path, TEXT, "export", 'o', "FILE", WL_REPORT_PATH_HELP),
    WL_OVERWRITE_ROW(struct wl_report_options, overwrite, "overwrite an existing report"),
    REPORT(
        import_source, SWITCH, "import-source", 0, "yes|no",
        "keep the text of the source files in the report: of those under the working folder, the "
        "program's or --source-folders; default: yes"),
    REPORT(source_folders, COLONS, "source-folders", 0, "FOLDERS",
           "where to look for source files that have moved since compilation; ':' between"),
    WL_ROWS_END,
};

const struct wl_option wl_measure_rows[] = {
    MEASURE(graph_profiling, CHOICE, "graph-profiling", 0, "auto|node|graph",
            "auto (default): hw: graph, a graph is counted as a whole, each launch of it a pass; "
            "sim: node, its kernels one by one"),
    MEASURE(twin, FLAG, "twin", 0, NULL,
            "hw: simulate the program as well, on the model most like the GPU, and compare"),
    MEASURE(warp_sampling, CHOICE, "warp-sampling", 0, "auto|on|off",
            "hw: sample warps and their stall reasons; default: with the sets detailed and full"),
    MEASURE(warp_sampling_interval, TEXT, "warp-sampling-interval", 0, "auto|0..26",
            "hw: a sample every 2^(5+N) cycles"),
    MEASURE(warp_sampling_interval, TEXT, "sampling-interval", 0, "auto|0..26",
            NULL), /* as ncu before 2024 has it */
    MEASURE(
        instruction_counts, CHOICE, "instruction-counts", 0, "auto|on|off",
        "hw: count executions per machine instruction; default: with the sets detailed and full"),
    WL_ROWS_END,
};

const struct wl_option wl_always_rows[] = {
    {.name = "nvtx", .kind = WL_OPTION_ALWAYS},
    {.name = "forward-signals", .kind = WL_OPTION_ALWAYS},
    {.name = "verbose", .kind = WL_OPTION_ALWAYS},
    WL_ROWS_END,
};

const struct wl_option wl_page_rows[] = {
    WL_ROWS_HEADING("PAGES"),
    PAGE(page, CHOICE, "page", 0, wl_view_page_list + 1,
         "what to print; default: details and summary, only summary if there are many launches"),
    PAGE(csv, FLAG, "csv", 0, NULL, "as CSV, in base units"),
    PAGE(json, FLAG, "json", 0, NULL, "as JSON, in base units"),
    PAGE(sarif, FLAG, "sarif", 0, NULL, "advice page: as SARIF 2.1.0"),
    PAGE(markdown, FLAG, "markdown", 0, NULL, "advice page: as Markdown"),
    PAGE(units, CHOICE, "print-units", 0, "auto|base",
         "auto: Kbyte, msecond (default); base: byte, second"),
    PAGE(summary, CHOICE, "print-summary", 0, "none|per-kernel|per-gpu|per-nvtx",
         "minimum, maximum and mean of launches put together"),
    PAGE(print_source, TEXT, "print-source", 0, "cuda,ptx|cuda|ptx",
         "source page: which text; default: cuda,ptx"),
    PAGE(print_source, TEXT, "view-source", 0, "cuda,ptx|cuda|ptx", NULL),
    PAGE(top, TEXT, "top", 0, "METRIC",
         "source page: mark the line with the highest value of this metric"),
    PAGE(percent, FLAG, "percent", 0, NULL, "source page: values as percent of the kernel's total"),
    PAGE(metrics.set, TEXT, "set", 0, "NAME", "set of sections: --list-sets"),
    PAGE(metrics.sections, COMMAS, "section", 0, "NAME", "a section: --list-sections; repeatable"),
    PAGE(
        metrics.metrics, COMMAS, "metrics", 0, "NAMES",
        "these metrics, ',' between; also regex:EXPRESSION, group:SECTION or group:SET, and "
        "breakdown:THROUGHPUT, the metrics it is the maximum of; on the source page columns of lines, "
        "as stall_long_sb or group:smsp__pcsamp_warp_stall_reasons"),
    PAGE(rules, COMMAS, "rule", 0, "NAME",
         "advice page, or findings of the details page: only this rule: --list-rules; repeatable"),
    PAGE(applies_rules, SWITCH, "apply-rules", 0, "yes|no",
         "details page: what the rules find, below the sections; default: yes"),
    PAGE(has_rule_details, FLAG, "print-rule-details", 0, NULL,
         "with them the values they were found by"),
    PAGE(details, CHOICE, "print-details", 0, "all|header|body",
         "details page: the metrics of each section, its tables, or both (default)"),
    PAGE(metric_name, CHOICE, "print-metric-name", 0, "label|name|label-name",
         "details page as text: what metrics are called; default: label"),
    WL_SECTION_FOLDER_ROW(struct wl_page_options, metrics.section_folder, WL_OWN_SECTIONS),
    PAGE(lists.sets, FLAG, "list-sets", 0, NULL, "list the sets and exit"),
    PAGE(lists.sections, FLAG, "list-sections", 0, NULL, "list the sections and exit"),
    PAGE(lists.rules, FLAG, "list-rules", 0, NULL, "list the rules and exit"),
    PAGE(lists.metrics, FLAG, "list-metrics", 0, NULL, NULL),
    PAGE(lists.metrics, FLAG, "query-metrics", 0, NULL, "list the metrics and exit"),
    WL_ROWS_END,
};

void wl_page_options_init(struct wl_page_options *options)
{
    *options = (struct wl_page_options){
        .page = -1,
        .units = -1,
        .summary = -1,
        .applies_rules = true,
    };
}

enum wl_code wl_page_options_check(const struct wl_page_options *options, struct wl_error *error)
{
    if (options->csv && options->json)
        return wl_error_set(error, WL_ERR_USAGE, "--csv and --json exclude each other");
    if (options->csv + options->json + options->sarif + options->markdown > 1)
        return wl_error_set(error, WL_ERR_USAGE,
                            "only one of --csv, --json, --sarif and --markdown can be given");
    return WL_OK;
}

enum wl_view_format wl_page_options_format(const struct wl_page_options *options)
{
    return options->csv ? WL_FORMAT_CSV : options->json ? WL_FORMAT_JSON : WL_FORMAT_TEXT;
}
