#include "import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/count.h"
#include "base/memory.h"
#include "import/launch.h"
#include "import/target.h"
#include "report/part.h"
#include "report/report.h"

/* What is held in memory at once; a database is not. Of the head the format is told: what a program
 * printed may stand before a table of ncu's. */
enum { MOST_BYTES = 512 << 20, CHUNK = 1 << 13, HEAD_BYTES = 1 << 20 };

/* The tables that may stand behind a program's output come first. */
static const struct wl_import_format *const formats[] = {
    &wl_import_sqlite,     &wl_import_ncu_report, &wl_import_ncu_details,  &wl_import_ncu_csv,
    &wl_import_ncu_source, &wl_import_nsys_json,  &wl_import_rocprof_json, &wl_import_chrome,
    &wl_import_perfetto,   &wl_import_rocprof,
};
static const char known[] =
    "known are nsys's SQLite and JSON, nvprof's SQLite, Chrome and PyTorch traces (.json, "
    ".json.gz), Perfetto traces, .ncu-rep, `ncu --csv` of the pages raw, "
    "details and source, rocprofv3's CSV and JSON";

/* Opens a regular file and nothing else: a FIFO would block, and the file is read more than once.
 */
static enum wl_code open_file(struct wl_import_target *target, gzFile *file, struct wl_error *error)
{
    struct stat status;
    int descriptor = open(target->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum wl_code code = WL_OK;
    *file = NULL;
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        code = wl_import_fail(target, WL_ERR_INPUT, error, "cannot open the file");
    else if (!S_ISREG(status.st_mode))
        code = wl_import_fail(target, WL_ERR_INPUT, error, "not a regular file");
    else if (!(*file = gzdopen(descriptor, "rb")))
        code = wl_import_fail(target, WL_ERR_INPUT, error, "cannot open the file");
    if (code && descriptor >= 0)
        close(descriptor);
    return code;
}

/* Reads the file, whole or its head, packed with gzip or not. */
static enum wl_code read_content(struct wl_import_target *target, size_t most,
                                 struct wl_error *error)
{
    char chunk[CHUNK];
    int got = 0;
    gzFile file;
    enum wl_code code = open_file(target, &file, error);
    if (code)
        return code;
    target->content.length = 0;
    target->is_packed = !gzdirect(file);
    while (target->content.length < most && (got = gzread(file, chunk, sizeof chunk)) > 0)
        wl_text_add_bytes(&target->content, chunk, (size_t)got);
    gzclose(file);
    if (got < 0)
        return wl_import_fail(target, WL_ERR_CORRUPT, error, "the file cannot be unpacked or read");
    if (target->content.length >= MOST_BYTES) {
        wl_import_fail(target, WL_ERR_INPUT, error, "the file is too large");
        return wl_error_set_hint(error, "at most %d Mbyte are read; nsys's SQLite may be larger",
                                 MOST_BYTES >> 20);
    }
    if (!target->content.data)
        wl_text_add(&target->content, "");
    return WL_OK;
}

static enum wl_code refuse(struct wl_import_target *target, const struct wl_import_format *format,
                           struct wl_error *error)
{
    if (format == &wl_import_sqlite) {
        wl_import_fail(target, WL_ERR_INPUT, error, "a database that is packed cannot be opened");
        return wl_error_set_hint(error, "unpack it: gunzip %s", target->path);
    }
    wl_import_fail(target, WL_ERR_INPUT, error,
                   target->content.length ? "the format of the file is not known"
                                          : "the file is empty");
    return wl_error_set_hint(error, "%s", known);
}

static const struct wl_import_format *find_format(const struct wl_text *head)
{
    for (size_t i = 0; i < WL_COUNT(formats); i++)
        if (formats[i]->is_it(head))
            return formats[i];
    return NULL;
}

/* SQLite's application_id. */
static bool is_own(const struct wl_text *head)
{
    enum { ID_AT = 68, ID_BYTES = 4 };
    return head->length >= ID_AT + ID_BYTES && memcmp(head->data + ID_AT, "WLRP", ID_BYTES) == 0;
}

static enum wl_code read_into(struct wl_import_target *target,
                              const struct wl_import_format *format, struct wl_error *error)
{
    enum wl_code code =
        format == &wl_import_sqlite ? WL_OK : read_content(target, MOST_BYTES, error);
    if (!code)
        code = format->read(target, error);
    wl_import_end_process(target);
    if (code || target->events || target->launches)
        return code;
    wl_import_fail(target, WL_ERR_NOTHING, error, "it holds neither events nor kernel launches");
    return wl_error_set_hint(error, "it was read as %s", format->name);
}

static enum wl_code write_part(struct wl_import_target *target, const char *part,
                               const struct wl_import_format *format, struct wl_error *error)
{
    static const struct wl_report_writer_sources sources = {
        .refusal = "not stored: the report was made of another tool's file"};
    const struct wl_record_attribute session[] = {
        {.name = "imported_from", .text = target->path},
        {.name = "imported_format", .text = format->name},
    };
    struct wl_error unused = {0};
    enum wl_code code = wl_report_writer_open(part, &target->writer, error);
    if (code)
        return code;
    wl_report_writer_put_session(target->writer, session, WL_COUNT(session));
    code = read_into(target, format, error);
    enum wl_code closed = wl_report_writer_close(target->writer, &sources, code ? &unused : error);
    return code ? code : closed;
}

enum wl_code wl_import(const char *path, const char *report_path, bool overwrite,
                       struct wl_import_done *done, struct wl_error *error)
{
    struct wl_import_target target = {.path = path};
    struct wl_report_part part = {0};
    const struct wl_import_format *format = NULL;
    if (access(path, R_OK) != 0)
        return errno == ENOENT
                   ? wl_import_fail(&target, WL_ERR_INPUT, error, "there is no such file")
                   : wl_import_fail(&target, WL_ERR_INPUT, error, "cannot open the file: %s",
                                    strerror(errno));
    enum wl_code code = read_content(&target, HEAD_BYTES, error);
    if (!code && is_own(&target.content)) {
        code = wl_import_fail(&target, WL_ERR_INPUT, error, "it is a report of Warplens already");
        wl_error_set_hint(error, "`warplens show FILE` prints its pages");
    }
    if (!code) {
        format = find_format(&target.content);
        if (!format || (format == &wl_import_sqlite && target.is_packed))
            code = refuse(&target, format, error);
    }
    if (!code) {
        code = wl_report_part_begin(&part, report_path, overwrite, error);
        if (!code)
            code = write_part(&target, part.path, format, error);
        code = wl_report_part_end(&part, code, error);
    }
    if (done && format)
        *done = (struct wl_import_done){format->name, target.events, target.launches, target.notes};
    wl_import_forget_model(&target);
    wl_text_free(&target.content);
    return code;
}
