/* Short names of the kernels of a trace, of which the report has only the demangled names. */
#include <stdlib.h>
#include <string.h>

#include "base/kernel_name.h"
#include "report/reader.h"
#include "report/shared_names.h"

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

/* A name that has no kernel with a launch, and may be a kernel's: its short name, else NULL. */
static char *short_name_of(const struct wl_report *report, const char *demangled)
{
    if (!may_be_kernel(demangled) || wl_keys_find(&report->demangled, demangled, strlen(demangled)))
        return NULL;
    char *function = wl_kernel_function_of(demangled);
    char *name = wl_kernel_short_name(demangled, function);
    free(function);
    return name;
}

/* A kernel that is launched keeps that name. Two with the same name are distinguished by their
 * template arguments. */
static void shorten_all(struct wl_report *report)
{
    struct wl_shared_names names = {0};
    for (size_t i = 0; i < report->kernels.count; i++) {
        const struct wl_report_kernel *kernel = &report->kernels.items[i];
        add(report, kernel->record.demangled, kernel->short_name);
        wl_shared_names_add(&names, kernel->short_name, kernel->record.demangled);
    }
    for (size_t i = 0; i < report->names.count; i++) {
        char *name = short_name_of(report, report->names.items[i]);
        if (name)
            wl_shared_names_add(&names, name, report->names.items[i]);
        free(name);
    }
    for (size_t i = 0; i < report->names.count; i++) {
        const char *demangled = report->names.items[i];
        char *name = short_name_of(report, demangled);
        if (!name)
            continue;
        if (wl_shared_names_is_shared(&names, name)) {
            char *function = wl_kernel_function_of(demangled);
            free(name);
            name = wl_kernel_name_with_arguments(demangled, function);
            free(function);
        }
        add(report, demangled, keep(report, name));
    }
    wl_shared_names_free(&names);
    report->are_names_short = true;
}

const char *wl_report_short_name(struct wl_report *report, const char *demangled)
{
    if (!report->are_names_short)
        shorten_all(report);
    int64_t position = wl_keys_find(&report->demangled, demangled, strlen(demangled));
    return position ? report->short_names.items[position - 1] : demangled;
}
