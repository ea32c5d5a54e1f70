/* `warplens import FILE`: another tool's file as a report. */
#include "import/import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/verbs.h"
#include "report/name.h"

struct options {
    struct wl_general_options general;
    const char *path;
    bool overwrite;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("IMPORT"),
    WL_ROW(struct options, path, TEXT, "output", 'o', "FILE",
           "write this report (.wlr is added); default: the file's name with .wlr"),
    WL_OVERWRITE_ROW(struct options, overwrite, "replace an existing report"),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

/* "a/run.json.gz" becomes "run.wlr" beside it. */
static char *make_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strchr(name + (*name == '.'), '.');
    size_t length = dot ? (size_t)(dot - path) : strlen(path);
    return wl_string_format("%.*s.wlr", (int)length, path);
}

static enum wl_code import(void *given, const struct wl_arguments *arguments,
                           const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    struct wl_import_done done = {0};
    char *path = NULL;
    enum wl_code code = WL_OK;
    if (arguments->count != 1) {
        wl_error_set(error, WL_ERR_USAGE, "import takes one file, not %zu", arguments->count);
        return wl_error_set_hint(error, "warplens import TRACE.json.gz");
    }
    if (options->path)
        code = wl_report_name(options->path, &path, error);
    else
        path = make_path(arguments->items[0]);
    if (!code)
        code = wl_import(arguments->items[0], path, options->overwrite, &done, error);
    if (!code) {
        wl_console_say(console, "%s: %" PRIu64 " events, %" PRIu64 " kernel launches with metrics",
                       done.format, done.events, done.launches);
        if (done.notes)
            wl_console_say(console, "what was not imported: warplens show %s --page session", path);
        wl_console_say(console, "report: %s", path);
    }
    free(path);
    return code;
}

const struct wl_verb wl_verb_import = {
    .name = "import",
    .usage = "import [-o REPORT] FILE",
    .summary = "make a report of another tool's file: nsys, nvprof, ncu, PyTorch, rocprofv3",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .work = import,
};
