#include "cmd/trace_forms.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/export/timeline.h"

static const struct {
    const char *name, *suffix;
    enum wl_timeline_form form;
} forms[] = {
    {"sqlite", ".sqlite", WL_TIMELINE_FORM_NSYS},
    {"chrome", ".json", WL_TIMELINE_FORM_CHROME},
    {"perfetto", ".perfetto-trace", WL_TIMELINE_FORM_PERFETTO},
    {"speedscope", ".speedscope.json", WL_TIMELINE_FORM_SPEEDSCOPE},
    {"folded", ".folded", WL_TIMELINE_FORM_FOLDED},
    {"pprof", ".pb.gz", WL_TIMELINE_FORM_PPROF},
};

/* nsys's forms that need libraries of theirs. */
static const char *const others[] = {"arrow", "arrowdir",  "parquetdir", "hdf",
                                     "json",  "jsonlines", "text",       "info"};

static int find(const char *name, size_t length)
{
    for (size_t i = 0; i < WL_COUNT(forms); i++)
        if (strlen(forms[i].name) == length && strncmp(forms[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

static bool is_none(const char *name, size_t length)
{
    return !length || (length == 4 && strncmp(name, "none", 4) == 0);
}

static enum wl_code fail_unknown(const char *name, size_t length, struct wl_error *error)
{
    bool is_of_nsys = false;
    for (size_t i = 0; i < WL_COUNT(others); i++)
        is_of_nsys |= strlen(others[i]) == length && strncmp(others[i], name, length) == 0;
    wl_error_set(error, WL_ERR_USAGE, "there is no trace format %.*s", (int)length, name);
    return wl_error_set_hint(error, is_of_nsys ? "--export sqlite has the same tables; `warplens "
                                                 "show REPORT --report all --json` prints them"
                                               : "the formats are sqlite, chrome, perfetto, "
                                                 "speedscope, folded, pprof, none");
}

enum wl_code wl_tracing_forms_check(const char *names, struct wl_error *error)
{
    for (const char *name = names ? names : ""; *name;) {
        size_t length = strcspn(name, ",");
        if (!is_none(name, length) && find(name, length) < 0)
            return fail_unknown(name, length, error);
        name += length + (name[length] == ',');
    }
    return WL_OK;
}

static enum wl_code write_form(struct wl_report *report, int form, const char *report_path,
                               bool overwrite, const struct wl_console *console,
                               struct wl_error *error)
{
    size_t length = strlen(report_path);
    bool has_suffix = length > 4 && strcmp(report_path + length - 4, ".wlr") == 0;
    char *path = wl_string_format("%.*s%s", (int)(has_suffix ? length - 4 : length), report_path,
                                  forms[form].suffix);
    enum wl_code code = WL_OK;
    if (!overwrite && access(path, F_OK) == 0) {
        code = wl_error_set(error, WL_ERR_OUTPUT, "the file exists already (%s)", path);
        wl_error_set_hint(error, "-f true replaces it");
    }
    if (!code)
        code = wl_export_trace(report, forms[form].form, path, error);
    if (!code)
        wl_console_say(console, "%s: %s", forms[form].name, path);
    free(path);
    return code;
}

enum wl_code wl_tracing_forms_write(const char *names, const char *report_path, bool overwrite,
                                    const struct wl_console *console, struct wl_error *error)
{
    struct wl_report *report = NULL;
    struct wl_error other = {0};
    if (!names || !*names)
        return WL_OK;
    enum wl_code code = wl_report_open(report_path, &report, error);
    for (const char *name = code ? "" : names; *name;) {
        size_t length = strcspn(name, ",");
        int form = find(name, length);
        enum wl_code written = form < 0 ? WL_OK
                                        : write_form(report, form, report_path, overwrite, console,
                                                     code ? &other : error);
        code = code ? code : written;
        name += length + (name[length] == ',');
    }
    wl_report_close(report);
    return code;
}
