#include "cmd/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/rank.h"

#define AT(field) offsetof(struct wl_command, field)

static const struct wl_option general_rows[] = {
    {"GENERAL", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"help", 'h', WL_OPTION_FLAG, AT(wants_help), NULL, "this text"},
    {"version", 'v', WL_OPTION_FLAG, AT(wants_version), NULL, "the version of warplens"},
    {"quiet", 'q', WL_OPTION_FLAG, AT(is_quiet), NULL, "no messages but errors"},
    {"log-file", 0, WL_OPTION_TEXT, AT(log_file), "FILE",
     "pages and messages go to FILE; or to 'stdout', 'stderr'"},
    {.name = NULL},
};

static const struct wl_option file_rows[] = {
    {"REPORT", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"export", 'o', WL_OPTION_TEXT, AT(export_path), "FILE",
     "write this report (.wlr is added); %p process, %h host, %q{VAR} environment, %i first free "
     "number, %% percent sign; default: warplens-report%i"},
    {"force-overwrite", 'f', WL_OPTION_FLAG, AT(overwrite), NULL, "replace a report that is there"},
    {"import", 'i', WL_OPTION_TEXT, AT(import_path), "FILE",
     "run nothing, show this report: as `warplens show FILE`"},
    {"import-source", 0, WL_OPTION_SWITCH, AT(import_source), "yes|no",
     "keep the text of the source files in the report; default: yes"},
    {"source-folders", 0, WL_OPTION_COLONS, AT(source_folders), "FOLDERS",
     "where to look for source files that are not where the compiler saw them; ':' between"},
    {.name = NULL},
};

static const struct wl_option trace_rows[] = {
    {"TRACE", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"trace", 't', WL_OPTION_COMMAS, AT(traced), "NAMES",
     "what to record, ',' between: cuda, cublas, nvtx, openacc, openmp, mpi, osrt, none; default: "
     "all of them"},
    {"output", 'o', WL_OPTION_TEXT, AT(export_path), "FILE",
     "write this report (.wlr is added); %p process, %h host, %q{VAR} environment, %i first free "
     "number, %% percent sign; default: warplens-report%i"},
    {"force-overwrite", 'f', WL_OPTION_FLAG, AT(overwrite), NULL, "replace a report that is there"},
    {"stats", 0, WL_OPTION_SWITCH, AT(wants_stats), "true|false",
     "print the summary tables when the program has ended"},
    {"report", 'r', WL_OPTION_COMMAS, AT(tables), "NAMES",
     "print these tables, ',' between: cuda_api_sum, cuda_gpu_trace, …"},
    {"delay", 'y', WL_OPTION_TEXT, AT(trace_delay), "SECONDS",
     "begin so long after the program; of the clock on the wall"},
    {"duration", 'd', WL_OPTION_TEXT, AT(trace_duration), "SECONDS",
     "record no longer than that; the program goes on"},
    {"capture-range", 'c', WL_OPTION_CHOICE, AT(capture_range), "none|cudaProfilerApi|nvtx",
     "record only between cudaProfilerStart and cudaProfilerStop, or in the NVTX range of "
     "--nvtx-capture"},
    {"nvtx-capture", 'p', WL_OPTION_TEXT, AT(nvtx_capture), "RANGE",
     "the push/pop range of --capture-range nvtx: name or name@domain"},
    {"cudabacktrace", 0, WL_OPTION_CHOICE, AT(trace_stacks), "none|all|kernel|memory|sync",
     "record which functions called CUDA, at these calls; each costs some microseconds"},
    {"kernel-count", 0, WL_OPTION_NUMBER, AT(kernel_count), "N", "end after N kernels"},
    {"collector", 0, WL_OPTION_CHOICE, AT(collector), "auto|sim|hw",
     "as for profile: measure on the GPU of this machine, or simulate one"},
    {"acc-time", 0, WL_OPTION_FLAG, AT(wants_acc_time), NULL,
     "print the times of OpenACC regions by line; also with WARPLENS_ACC_TIME=1 in the "
     "environment"},
    {"rank", 0, WL_OPTION_TEXT, AT(ranks), "RANKS",
     "record these ranks of a parallel program: 0,4-7; others run unrecorded; default: all"},
    {"csv", 0, WL_OPTION_FLAG, AT(csv), NULL, "tables as CSV"},
    {"json", 0, WL_OPTION_FLAG, AT(json), NULL, "tables as JSON"},
    {.name = NULL},
};

static const struct wl_option optimize_rows[] = {
    {"OPTIMIZE", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"kernels", 0, WL_OPTION_NUMBER, AT(kernel_count), "N",
     "take the N kernels with most to gain by time and head-room, of 2 N that are profiled, each "
     "in a run of its own; default: 3"},
    {.name = NULL},
};

static const struct wl_option collector_rows[] = {
    {"COLLECTOR", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"collector", 0, WL_OPTION_CHOICE, AT(collector), "auto|sim|hw",
     "hw: measure on the GPU of this machine; sim: simulate one; auto (default): measure if there "
     "is one and no --gpu is given"},
    {"replay-mode", 0, WL_OPTION_CHOICE, AT(replay_mode),
     "auto|kernel|application|none|spread|range|app-range",
     "hw: kernel, run each launch again for each pass of counters; spread, run none again: each of "
     "like launches (kernel, grid, block, shared memory) carries one pass; auto (default), the "
     "first of like launches again, and spread over those that follow; application, run the "
     "program again for each pass, for samples and for counts at instructions; range and "
     "app-range, count as one what runs between cudaProfilerStart and Stop, or in ranges of "
     "--nvtx-include, and run its launches or the program again; none, no counters"},
    {"graph-profiling", 0, WL_OPTION_CHOICE, AT(graph_profiling), "auto|node|graph",
     "auto (default): hw: graph, a graph is counted as a whole, each launch of it a pass; sim: "
     "node, its kernels one by one"},
    {"twin", 0, WL_OPTION_FLAG, AT(twin), NULL,
     "hw: simulate the program as well, on the model most like the GPU, and compare"},
    {"warp-sampling", 0, WL_OPTION_CHOICE, AT(warp_sampling), "auto|on|off",
     "hw: sample where warps stand; default: with the sets detailed and full"},
    {"warp-sampling-interval", 0, WL_OPTION_TEXT, AT(warp_sampling_interval), "auto|0..26",
     "hw: a sample every 2^(5+N) cycles"},
    {"instruction-counts", 0, WL_OPTION_CHOICE, AT(instruction_counts), "auto|on|off",
     "hw: count at each instruction; default: with the sets detailed and full"},
    {"interactive", 0, WL_OPTION_FLAG, AT(interactive), NULL,
     "stop before each kernel and read from stdin what to do; `help` there lists the commands"},
    {.name = NULL},
};

static const struct wl_option gpu_rows[] = {
    {"SIMULATED GPU", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"gpu", 0, WL_OPTION_TEXT, AT(gpu), "NAME", "model to simulate; default: h200"},
    {"gpu-folder", 0, WL_OPTION_TEXT, AT(gpu_folder), "FOLDER", "look here first for NAME.gpu"},
    {"cache-control", 0, WL_OPTION_CHOICE, AT(cache_control), "all|none",
     "also hw; all: caches are cold before each launch (default); none: they keep what they hold"},
    {"l1-global", 0, WL_OPTION_CHOICE, AT(l1_global), "on|off",
     "whether L1 caches global loads; default: as compiled (-dlcm) and as the model does"},
    {"strict-arch", 0, WL_OPTION_FLAG, AT(strict_arch), NULL,
     "PTX for a newer GPU than the model gives error 209, as on hardware"},
    {"no-prediction", 0, WL_OPTION_FLAG, AT(skip_prediction), NULL,
     "count only: no durations, no warp states"},
    {"whatif", 0, WL_OPTION_FLAG, AT(whatif), NULL,
     "predict also what each launch would take without each of its troubles"},
    {"threads", 0, WL_OPTION_NUMBER, AT(threads), "N", "simulate on N cores; default: all"},
    {"budget", 0, WL_OPTION_NUMBER, AT(budget), "N",
     "stop a launch when one of its warps has run N instructions; default: never"},
    {.name = NULL},
};

static const struct wl_option check_rows[] = {
    {"CHECKS", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"tool", 0, WL_OPTION_COMMAS, AT(tools), "NAMES",
     "memcheck, racecheck, initcheck, synccheck, ',' between; default: all of them"},
    {"leak-check", 0, WL_OPTION_CHOICE, AT(leak_check), "no|full",
     "full: device memory that the program does not free is an error; default: no"},
    {"destroy-on-device-error", 0, WL_OPTION_CHOICE, AT(destroy_on_error), "kernel|context",
     "context: the first error ends its launch, and the program gets cudaErrorIllegalAddress; "
     "default: kernel, all errors of all launches are found"},
    {"error-exitcode", 0, WL_OPTION_NUMBER, AT(error_exitcode), "N",
     "exit status if errors were found; default: 1"},
    {"print-limit", 0, WL_OPTION_NUMBER, AT(print_limit), "N",
     "print no more than N errors, 0: all; default: 100"},
    {"save", 0, WL_OPTION_TEXT, AT(export_path), "FILE",
     "keep the report of the run (.wlr is added)"},
    {"force-overwrite", 'f', WL_OPTION_FLAG, AT(overwrite), NULL, "replace a report that is there"},
    {.name = NULL},
};

#define NAME_BASES "function|demangled|mangled"

static const struct wl_option launch_rows[] = {
    {"WHICH LAUNCHES", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"kernel-name", 'k', WL_OPTION_TEXT, AT(kernel_name), "NAME",
     "kernels of this name, or 'regex:EXPRESSION'"},
    {"launch-skip", 's', WL_OPTION_NUMBER, AT(launch_skip), "N", "not the first N that match"},
    {"launch-count", 'c', WL_OPTION_NUMBER, AT(launch_count), "N", "no more than N; default: all"},
    {"rank", 0, WL_OPTION_TEXT, AT(ranks), "RANKS",
     "of these ranks of a parallel program: 0,4-7; others run unrecorded; default: all"},
    {"kernel-regex", 0, WL_OPTION_TEXT, AT(kernel_regex), "EXPRESSION", NULL},
    {"kernels", 0, WL_OPTION_TEXT, AT(kernel_regex), "EXPRESSION", NULL},
    {.name = NULL},
};

static const struct wl_option filter_rows[] = {
    {"kernel-name-base", 0, WL_OPTION_CHOICE, AT(kernel_name_base), NAME_BASES,
     "which name --kernel-name is compared with; default: function"},
    {"kernel-regex-base", 0, WL_OPTION_CHOICE, AT(kernel_name_base), NAME_BASES, NULL},
    {"kernel-id", 0, WL_OPTION_TEXT, AT(kernel_id), "C:S:NAME:N",
     "context, stream, name and how many-eth launch of it; empty parts match all"},
    {"launch-skip-before-match", 0, WL_OPTION_NUMBER, AT(launch_skip_before_match), "N",
     "not the first N launches, whatever they are"},
    {"profile-from-start", 0, WL_OPTION_SWITCH, AT(profile_from_start), "on|off",
     "off: only between cudaProfilerStart and cudaProfilerStop; default: on"},
    {"nvtx", 0, WL_OPTION_FLAG, AT(is_so_anyway), NULL, NULL},
    {"forward-signals", 0, WL_OPTION_FLAG, AT(is_so_anyway), NULL, NULL},
    {"nvtx-include", 0, WL_OPTION_LINES, AT(nvtx_include), "RANGE",
     "only in this push/pop range: 'Domain@range/inner/', may be repeated"},
    {"nvtx-exclude", 0, WL_OPTION_LINES, AT(nvtx_exclude), "RANGE", "not in this range"},
    {.name = NULL},
};

static const struct wl_option table_rows[] = {
    {"TABLES", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"report", 'r', WL_OPTION_COMMAS, AT(tables), "NAMES",
     "tables of a trace, ',' between: cuda_api_sum, cuda_gpu_kern_sum, …; 'all': all summaries"},
    {.name = NULL},
};

static const struct wl_option page_rows[] = {
    {"PAGES", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"page", 0, WL_OPTION_CHOICE, AT(page),
     "summary|details|source|raw|session|advice|whatif|guide",
     "what to print; default: details and summary, only summary if there are many launches"},
    {"csv", 0, WL_OPTION_FLAG, AT(csv), NULL, "as CSV, in base units"},
    {"json", 0, WL_OPTION_FLAG, AT(json), NULL, "as JSON, in base units"},
    {"sarif", 0, WL_OPTION_FLAG, AT(sarif), NULL, "advice page: as SARIF 2.1.0"},
    {"markdown", 0, WL_OPTION_FLAG, AT(markdown), NULL, "advice page: as Markdown"},
    {"print-units", 0, WL_OPTION_CHOICE, AT(units), "auto|base",
     "auto: Kbyte, msecond (default); base: byte, second"},
    {"print-summary", 0, WL_OPTION_CHOICE, AT(summary), "none|per-kernel|per-gpu|per-nvtx",
     "least, most and mean of launches put together"},
    {"print-source", 0, WL_OPTION_TEXT, AT(print_source), "cuda,ptx|cuda|ptx",
     "source page: which text; default: cuda,ptx"},
    {"view-source", 0, WL_OPTION_TEXT, AT(print_source), "cuda,ptx|cuda|ptx", NULL},
    {"top", 0, WL_OPTION_TEXT, AT(top), "METRIC", "source page: the line that leads this metric"},
    {"percent", 0, WL_OPTION_FLAG, AT(percent), NULL,
     "source page: values as percent of the kernel's total"},
    {"set", 0, WL_OPTION_TEXT, AT(set), "NAME", "set of sections: --list-sets"},
    {"section", 0, WL_OPTION_COMMAS, AT(sections), "NAME",
     "a section: --list-sections; repeatable"},
    {"metrics", 0, WL_OPTION_COMMAS, AT(metrics), "NAMES",
     "these metrics, ',' between; also regex:EXPRESSION, group:SECTION or group:SET, and "
     "breakdown:THROUGHPUT, what it is the largest of"},
    {"rule", 0, WL_OPTION_COMMAS, AT(rules), "NAME",
     "advice page: only this rule: --list-rules; repeatable"},
    {"section-folder", 0, WL_OPTION_TEXT, AT(section_folder), "FOLDER",
     "sections, metrics and rules of your own (.lua)"},
    {"list-sets", 0, WL_OPTION_FLAG, AT(list_sets), NULL, "list the sets and end"},
    {"list-sections", 0, WL_OPTION_FLAG, AT(list_sections), NULL, "list the sections and end"},
    {"list-rules", 0, WL_OPTION_FLAG, AT(list_rules), NULL, "list the rules and end"},
    {"list-metrics", 0, WL_OPTION_FLAG, AT(query_metrics), NULL, NULL},
    {"query-metrics", 0, WL_OPTION_FLAG, AT(query_metrics), NULL, "list the metrics and end"},
    {.name = NULL},
};

static const struct wl_option gpus_rows[] = {
    {"GPUS", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"verbose", 0, WL_OPTION_FLAG, AT(is_verbose), NULL, "every value and where it comes from"},
    {"gpu-folder", 0, WL_OPTION_TEXT, AT(gpu_folder), "FOLDER", "look here first for NAME.gpu"},
    {.name = NULL},
};

static const struct wl_option ceilings_rows[] = {
    {"CEILINGS", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"gpu", 0, WL_OPTION_TEXT, AT(gpu), "NAME", "of a model instead: what its description says"},
    {"gpu-folder", 0, WL_OPTION_TEXT, AT(gpu_folder), "FOLDER", "look here first for NAME.gpu"},
    {"again", 0, WL_OPTION_FLAG, AT(measure_again), NULL,
     "measure even if this GPU was measured with this driver before"},
    {"json", 0, WL_OPTION_FLAG, AT(json), NULL, "as JSON, in base units"},
    {.name = NULL},
};

static const struct wl_option metrics_rows[] = {
    {"METRICS", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"section-folder", 0, WL_OPTION_TEXT, AT(section_folder), "FOLDER",
     "sections, metrics and rules of your own (.lua)"},
    {"list-sets", 0, WL_OPTION_FLAG, AT(list_sets), NULL, "list the sets of sections instead"},
    {"list-sections", 0, WL_OPTION_FLAG, AT(list_sections), NULL, "list the sections instead"},
    {"list-rules", 0, WL_OPTION_FLAG, AT(list_rules), NULL, "list the rules instead"},
    {.name = NULL},
};

static const struct wl_option budget_rows[] = {
    {"BUDGET", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"budget", 0, WL_OPTION_TEXT, AT(budget_path), "FILE",
     "limits, one a line: 'KERNEL METRIC <= NUMBER', 'KERNEL finding:RULE <= NUMBER', 'gpu NAME'"},
    {"allow-unlike", 0, WL_OPTION_FLAG, AT(allows_unlike), NULL,
     "a report of another GPU, clock or input than the budget's too"},
    {"junit", 0, WL_OPTION_FLAG, AT(junit), NULL, "as JUnit's XML"},
    {"markdown", 0, WL_OPTION_FLAG, AT(markdown), NULL, "as a table in Markdown"},
    {"section-folder", 0, WL_OPTION_TEXT, AT(section_folder), "FOLDER",
     "metrics and rules of your own (.lua)"},
    {.name = NULL},
};

static const struct wl_option diff_rows[] = {
    {"COMPARISON", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"metrics", 0, WL_OPTION_COMMAS, AT(metrics), "NAMES",
     "compare these metrics; default: time and what explains it"},
    {"all", 0, WL_OPTION_FLAG, AT(compares_all), NULL, "compare every metric of the base report"},
    {"json", 0, WL_OPTION_FLAG, AT(json), NULL, "as JSON, in base units"},
    {"html", 0, WL_OPTION_TEXT, AT(html_path), "FILE",
     "as a page for a browser: as `warplens export NEW --html FILE --baseline BASE`"},
    {"force-overwrite", 'f', WL_OPTION_FLAG, AT(overwrite), NULL, "replace a page that is there"},
    {"allow-unlike", 0, WL_OPTION_FLAG, AT(allows_unlike), NULL,
     "compare reports of different GPUs or clocks too"},
    {"section-folder", 0, WL_OPTION_TEXT, AT(section_folder), "FOLDER",
     "metrics and rules of your own (.lua)"},
    {.name = NULL},
};

static const struct wl_option acc_rows[] = {
    {"OPENACC", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"compiler-log", 0, WL_OPTION_TEXT, AT(compiler_log), "FILE",
     "what nvc -Minfo=accel or gcc -fopt-info-omp said, to be told with the lines"},
    {.name = NULL},
};

static const struct wl_option acc_report_rows[] = {
    {"PAGES", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"csv", 0, WL_OPTION_FLAG, AT(csv), NULL, "as CSV"},
    {"json", 0, WL_OPTION_FLAG, AT(json), NULL, "as JSON"},
    {"rank", 0, WL_OPTION_TEXT, AT(ranks), "RANKS",
     "of these ranks of a parallel program: 0,4-7; default: all"},
    {.name = NULL},
};

static const struct wl_option merge_rows[] = {
    {"REPORT", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"export", 'o', WL_OPTION_TEXT, AT(export_path), "FILE", "write this report (.wlr is added)"},
    {"force-overwrite", 'f', WL_OPTION_FLAG, AT(overwrite), NULL, "replace a report that is there"},
    {.name = NULL},
};

static const struct wl_option export_rows[] = {
    {"EXPORT", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"html", 0, WL_OPTION_TEXT, AT(html_path), "FILE",
     "one page for a browser, which needs nothing beside it"},
    {"pdf", 0, WL_OPTION_TEXT, AT(pdf_path), "FILE", "the whole analysis on paper"},
    {"svg", 0, WL_OPTION_TEXT, AT(svg_folder), "FOLDER",
     "the drawings of each launch: FOLDER/ID-NAME.svg"},
    {"png", 0, WL_OPTION_TEXT, AT(png_folder), "FOLDER",
     "the drawings of each launch: FOLDER/ID-NAME.png"},
    {"chrome", 0, WL_OPTION_TEXT, AT(trace_paths[WL_TIMELINE_FORM_CHROME]), "FILE",
     "of a trace: as JSON for chrome://tracing and ui.perfetto.dev"},
    {"perfetto", 0, WL_OPTION_TEXT, AT(trace_paths[WL_TIMELINE_FORM_PERFETTO]), "FILE",
     "of a trace: as Perfetto's protobuf"},
    {"speedscope", 0, WL_OPTION_TEXT, AT(trace_paths[WL_TIMELINE_FORM_SPEEDSCOPE]), "FILE",
     "of a trace: as JSON for speedscope.app"},
    {"folded", 0, WL_OPTION_TEXT, AT(trace_paths[WL_TIMELINE_FORM_FOLDED]), "FILE",
     "of a trace: stacks and their nanoseconds, for flame graphs"},
    {"nsys-sqlite", 0, WL_OPTION_TEXT, AT(trace_paths[WL_TIMELINE_FORM_NSYS]), "FILE",
     "of a trace: the main tables of `nsys export --type sqlite`"},
    {"baseline", 0, WL_OPTION_LINES, AT(baselines), "REPORT",
     "compare with this report on the page of --html; repeatable"},
    {"allow-unlike", 0, WL_OPTION_FLAG, AT(allows_unlike), NULL,
     "baselines of another GPU or clock too"},
    {"force-overwrite", 'f', WL_OPTION_FLAG, AT(overwrite), NULL, "replace files that are there"},
    {"set", 0, WL_OPTION_TEXT, AT(set), "NAME", "set of sections: `warplens show --list-sets`"},
    {"section", 0, WL_OPTION_COMMAS, AT(sections), "NAME",
     "a section: `warplens show --list-sections`; repeatable"},
    {"metrics", 0, WL_OPTION_COMMAS, AT(metrics), "NAMES",
     "these metrics too, ',' between; 'regex:EXPRESSION' too"},
    {"section-folder", 0, WL_OPTION_TEXT, AT(section_folder), "FOLDER",
     "sections, metrics and rules of your own (.lua)"},
    {.name = NULL},
};

const struct wl_option *const wl_profile_tables[] = {file_rows,    collector_rows,  gpu_rows,
                                                     launch_rows,  filter_rows,     page_rows,
                                                     general_rows, wl_refused_rows, NULL};
const struct wl_option *const wl_timeline_options[] = {trace_rows, acc_rows, gpu_rows, general_rows,
                                                       NULL};
const struct wl_option *const wl_optimize_tables[] = {optimize_rows, file_rows,    collector_rows,
                                                      gpu_rows,      general_rows, NULL};
const struct wl_option *const wl_acc_tables[] = {acc_rows, acc_report_rows, general_rows, NULL};
const struct wl_option *const wl_show_tables[] = {page_rows,    table_rows,      launch_rows,
                                                  general_rows, wl_refused_rows, NULL};
const struct wl_option *const wl_check_tables[] = {check_rows,  gpu_rows,     launch_rows,
                                                   filter_rows, general_rows, NULL};
const struct wl_option *const wl_doctor_tables[] = {general_rows, NULL};
const struct wl_option *const wl_gpus_tables[] = {gpus_rows, general_rows, NULL};
const struct wl_option *const wl_ceilings_tables[] = {ceilings_rows, general_rows, NULL};
const struct wl_option *const wl_metrics_tables[] = {metrics_rows, general_rows, NULL};
const struct wl_option *const wl_budget_tables[] = {budget_rows, general_rows, NULL};
const struct wl_option *const wl_diff_tables[] = {diff_rows, general_rows, NULL};
const struct wl_option *const wl_merge_tables[] = {merge_rows, general_rows, NULL};
const struct wl_option *const wl_export_tables[] = {export_rows, launch_rows, general_rows, NULL};

void wl_command_init(struct wl_command *command)
{
    *command = (struct wl_command){
        .import_source = true,
        .error_exitcode = 1,
        .print_limit = 100,
        .l1_global = -1,
        .profile_from_start = true,
        .page = -1,
        .units = -1,
        .summary = -1,
    };
}

void wl_command_free(struct wl_command *command)
{
    wl_text_free(&command->source_folders);
    wl_text_free(&command->tools);
    wl_text_free(&command->nvtx_include);
    wl_text_free(&command->nvtx_exclude);
    wl_text_free(&command->sections);
    wl_text_free(&command->metrics);
    wl_text_free(&command->rules);
    wl_text_free(&command->traced);
    wl_text_free(&command->tables);
    wl_text_free(&command->baselines);
    free(command->kernel_pattern);
}

enum wl_code wl_command_parse(struct wl_command *command, const struct wl_option *const *tables,
                              char **words, size_t word_count, bool stop_at_argument,
                              struct wl_arguments *arguments, struct wl_error *error)
{
    enum wl_code code =
        wl_options_parse(tables, command, words, word_count, stop_at_argument, arguments, error);
    if (code)
        return code;
    if (command->csv && command->json)
        return wl_error_set(error, WL_ERR_USAGE, "--csv and --json exclude each other");
    if (command->csv + command->json + command->sarif + command->markdown > 1)
        return wl_error_set(error, WL_ERR_USAGE,
                            "only one of --csv, --json, --sarif and --markdown can be");
    if (command->kernel_name && command->kernel_regex)
        return wl_error_set(error, WL_ERR_USAGE,
                            "--kernel-name and --kernel-regex exclude each other");
    if (command->kernel_regex)
        command->kernel_pattern = wl_string_format("regex:%s", command->kernel_regex);
    else
        command->kernel_pattern = wl_string_copy(command->kernel_name);
    if (command->ranks && wl_rank_list_check(command->ranks, error))
        return WL_ERR_USAGE;
    if (command->threads > 4096)
        return wl_error_set(error, WL_ERR_USAGE, "option --threads takes 0 to 4096, not '%llu'",
                            (unsigned long long)command->threads);
    return WL_OK;
}

static void set_text(char **field, const char *value)
{
    if (!value)
        return;
    free(*field);
    *field = wl_string_copy(value);
}

void wl_command_settings(const struct wl_command *command, struct wl_settings *settings)
{
    wl_settings_init(settings);
    set_text(&settings->gpu, command->gpu);
    set_text(&settings->gpu_folder, command->gpu_folder);
    set_text(&settings->kernel_name, command->kernel_pattern);
    set_text(&settings->kernel_id, command->kernel_id);
    set_text(&settings->nvtx_include, command->nvtx_include.data);
    set_text(&settings->nvtx_exclude, command->nvtx_exclude.data);
    set_text(&settings->ranks, command->ranks);
    settings->cache_control = (enum wl_cache_control)command->cache_control;
    settings->l1_global = command->l1_global < 0    ? WL_L1_AS_COMPILED
                          : command->l1_global == 0 ? WL_L1_FORCE_ON
                                                    : WL_L1_FORCE_OFF;
    settings->strict_arch = command->strict_arch;
    settings->predict_time = !command->skip_prediction;
    settings->interactive = command->interactive;
    settings->whatif = command->whatif;
    settings->threads = (uint32_t)command->threads;
    settings->budget = command->budget;
    settings->check_memory = command->check_memory;
    settings->check_race = command->check_race;
    settings->check_init = command->check_init;
    settings->check_sync = command->check_sync;
    settings->check_leaks = command->check_leaks;
    settings->stop_at_error = command->destroy_on_error == 1;
    settings->kernel_name_base = (enum wl_kernel_name_base)command->kernel_name_base;
    settings->launch_skip = command->launch_skip;
    settings->launch_count = command->launch_count;
    settings->launch_skip_before_match = command->launch_skip_before_match;
    settings->profile_from_start = command->profile_from_start;
}

void wl_command_view(const struct wl_command *command, FILE *out, struct wl_view_options *view)
{
    bool is_terminal = isatty(fileno(out));
    struct winsize size = {0};
    const char *no_color = getenv("NO_COLOR");
    if (is_terminal)
        ioctl(fileno(out), TIOCGWINSZ, &size);
    bool is_text = !command->csv && !command->json && !command->sarif && !command->markdown;
    *view = (struct wl_view_options){
        .page = command->page < 0 ? WL_PAGE_DETAILS : (enum wl_view_page)command->page,
        .format = command->csv        ? WL_FORMAT_CSV
                  : command->json     ? WL_FORMAT_JSON
                  : command->sarif    ? WL_FORMAT_SARIF
                  : command->markdown ? WL_FORMAT_MARKDOWN
                                      : WL_FORMAT_TEXT,
        .units = command->units == WL_UNITS_BASE || !is_text ? WL_UNITS_BASE : WL_UNITS_AUTO,
        .summary = command->summary < 0 ? WL_SUMMARY_NONE : (enum wl_view_summary)command->summary,
        .sections = command->sections.data,
        .set = command->set,
        .section_folder = command->section_folder,
        .metrics = command->metrics.data,
        .top = command->top,
        .rules = command->rules.data,
        .percent = command->percent,
        .view_source = command->print_source,
        .width = size.ws_col,
        .color = is_terminal && !(no_color && *no_color),
    };
    if (command->filters_pages) {
        view->kernel_name = command->kernel_pattern;
        view->launch_skip = command->launch_skip;
        view->launch_count = command->launch_count;
        view->ranks = command->ranks;
    }
    if (command->top && command->page < 0)
        view->page = WL_PAGE_SOURCE;
    if ((command->sarif || command->markdown || command->rules.data) && command->page < 0)
        view->page = WL_PAGE_ADVICE;
}
