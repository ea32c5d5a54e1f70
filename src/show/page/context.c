#include "show/page/context.h"

#include <stdlib.h>

#include "base/kernel_name.h"
#include "base/memory.h"
#include "base/rank.h"
#include "record/pattern.h"
#include "report/tables.h"
#include "show/page/advice_text.h"

static bool is_of_ranks(const struct wl_view_options *options,
                        const struct wl_report_launch *launch)
{
    return wl_rank_list_has(options->ranks, launch->process ? launch->process->record.rank : -1);
}

/* A kernel of GCC's is found by nvc's name, too: its construct is in the first of its lines. */
static bool has_nvc_name(struct wl_report *report, const struct wl_report_kernel *kernel,
                         const struct wl_pattern *pattern)
{
    uint32_t line = 0;
    char *alias = wl_kernel_nvc_name(kernel->record.function, 1); /* is it any? */
    bool is_of_gcc = alias && wl_report_load_instructions(report, kernel, NULL) == WL_OK;
    free(alias);
    for (size_t i = 0; is_of_gcc && i < kernel->record.instruction_count; i++) {
        const struct wl_record_instruction *instruction = &kernel->record.instructions[i];
        bool is_own = instruction->line && !(instruction->inlined_at && *instruction->inlined_at);
        if (is_own && (!line || instruction->line < line))
            line = instruction->line;
    }
    alias = is_of_gcc ? wl_kernel_nvc_name(kernel->record.function, line) : NULL;
    bool is_found = alias && wl_pattern_matches(pattern, alias);
    free(alias);
    return is_found;
}

static bool has_name(struct wl_report *report, const struct wl_report_launch *launch,
                     const struct wl_pattern *pattern)
{
    const struct wl_report_kernel *kernel = launch->kernel;
    const char *name = kernel && kernel->record.function ? kernel->record.function : "";
    return wl_pattern_matches(pattern, name) || (*name && has_nvc_name(report, kernel, pattern));
}

/* Launches by --rank, -k, -s and -c; a name is looked for in the function's name, as when
 * profiling. */
static enum wl_code choose_launches(struct wl_view_context *context, struct wl_error *error)
{
    const struct wl_view_options *options = context->options;
    struct wl_pattern pattern = {0};
    if (options->kernel_name && options->kernel_name[0] != '\0') {
        enum wl_code code =
            wl_pattern_parse("--kernel-name", options->kernel_name, &pattern, error);
        if (code != WL_OK)
            return code;
    }
    size_t count = 0;
    uint64_t skipped = 0;
    const struct wl_report_launch *launches = wl_report_launches(context->report, &count);
    context->launches = wl_alloc_zero(count, sizeof *context->launches);
    for (size_t i = 0; i < count; i++) {
        if (!has_name(context->report, &launches[i], &pattern) ||
            !is_of_ranks(options, &launches[i]))
            continue;
        if (skipped++ < options->launch_skip)
            continue;
        if (options->launch_count && context->launch_count >= options->launch_count)
            break;
        context->launches[context->launch_count++] = &launches[i];
    }
    wl_pattern_free(&pattern);
    bool has_trace = (options->page == WL_PAGE_ADVICE || options->page == WL_PAGE_GUIDE) &&
                     count == 0 && wl_report_event_count(context->report) > 0;
    if (context->launch_count == 0 && options->page != WL_PAGE_SESSION && !has_trace) {
        wl_error_set(error, WL_ERR_NOTHING,
                     count ? "these options select no launch of the report"
                           : "the report holds no kernel launch");
        return wl_error_set_hint(error, "%s",
                                 count ? "see --page summary without --rank, --kernel-name, "
                                         "--launch-skip and --launch-count"
                                       : "see --page session for what was skipped or failed");
    }
    return WL_OK;
}

/* Sections of the details page. All is counted anyway, so that without a choice all is shown. */
static enum wl_code choose_sections(struct wl_view_context *context, struct wl_error *error)
{
    const struct wl_view_options *options = context->options;
    bool is_free = !options->sections && !options->set && !options->metrics;
    size_t count = 0;
    wl_sections_all(context->sections, &count);
    context->chosen = wl_alloc_zero(count, sizeof *context->chosen);
    return wl_sections_choose(context->sections, options->sections, is_free ? "full" : options->set,
                              context->chosen, &context->chosen_count, error);
}

/* Names of --metrics; those that only launches have are looked for in the first few. */
static enum wl_code choose_metrics(struct wl_view_context *context, struct wl_error *error)
{
    bool is_of_lines = context->options->page == WL_PAGE_SOURCE; /* which has names of its own */
    if (!context->options->metrics || is_of_lines)
        return WL_OK;
    struct wl_metric_set *sets[8];
    size_t count = context->launch_count < 8 ? context->launch_count : 8;
    for (size_t i = 0; i < count; i++)
        sets[i] = wl_metric_set_create(context->catalog, context->launches[i]);
    context->names.keeps_unknown = true;
    enum wl_code code = wl_metric_names_parse(context->catalog, sets, count,
                                              context->options->metrics, &context->names, error);
    for (size_t i = 0; i < count; i++)
        wl_metric_set_free(sets[i]);
    return code;
}

static enum wl_code choose(struct wl_view_context *context, struct wl_error *error)
{
    const char *folder = context->options->section_folder;
    enum wl_code code = wl_metric_catalog_create(folder, &context->catalog, error);
    if (code == WL_OK)
        code = wl_sections_load(context->catalog, folder, &context->sections, error);
    if (code == WL_OK)
        code = choose_launches(context, error);
    if (code == WL_OK)
        code = choose_sections(context, error);
    return code == WL_OK ? choose_metrics(context, error) : code;
}

enum wl_code wl_view_context_open(struct wl_report *report, const struct wl_view_options *options,
                                  struct wl_view_context *context, struct wl_error *error)
{
    *context = (struct wl_view_context){.report = report, .options = options};
    return choose(context, error);
}

void wl_view_context_close(struct wl_view_context *context)
{
    wl_metric_names_free(&context->names);
    if (context->advice)
        wl_view_advice_release(context->advice);
    free(context->advice);
    free(context->launches);
    free(context->chosen);
    wl_sections_free(context->sections);
    wl_metric_catalog_free(context->catalog);
    *context = (struct wl_view_context){0};
}
