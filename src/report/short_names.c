/* Short names of the kernels of a trace, of which the report has only the demangled names. */
#include <stdlib.h>
#include <string.h>

#include "base/kernel_name.h"
#include "report/reader.h"

static const char *keep(struct wl_report *report, char *text)
{
    const char *kept = wl_arena_string(&report->arena, text, strlen(text));
    free(text);
    return kept;
}

static void add(struct wl_report *report, const char *demangled, const char *name)
{
    int64_t position;
    if (!wl_keys_intern(&report->demangled, demangled, strlen(demangled), &position))
        WL_PUSH(&report->short_names, name);
}

/* Of C++, and nothing that the GPU does but kernels ("[CUDA memset]"). */
static bool may_be_kernel(const char *name)
{
    return name && name[0] != '[' && strpbrk(name, "(<:");
}

/* A kernel that is launched keeps that name. Two with the same name are distinguished by their
 * template arguments. */
static void shorten_all(struct wl_report *report)
{
    struct wl_keys taken = {0};
    int64_t position;
    for (size_t i = 0; i < report->kernels.count; i++) {
        const char *name = report->kernels.items[i].short_name;
        add(report, report->kernels.items[i].record.demangled, name);
        wl_keys_intern(&taken, name, strlen(name), &position);
    }
    for (size_t i = 0; i < report->names.count; i++) {
        const char *demangled = report->names.items[i];
        if (!may_be_kernel(demangled) ||
            wl_keys_find(&report->demangled, demangled, strlen(demangled)))
            continue;
        char *function = wl_kernel_function_of(demangled);
        const char *name = keep(report, wl_kernel_short_name(demangled, function));
        if (wl_keys_intern(&taken, name, strlen(name), &position))
            name = keep(report, wl_kernel_name_with_arguments(demangled, function));
        add(report, demangled, name);
        free(function);
    }
    wl_keys_free(&taken);
    report->are_names_short = true;
}

const char *wl_report_short_name(struct wl_report *report, const char *demangled)
{
    if (!report->are_names_short)
        shorten_all(report);
    int64_t position = wl_keys_find(&report->demangled, demangled, strlen(demangled));
    return position ? report->short_names.items[position - 1] : demangled;
}
