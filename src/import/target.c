#include "import/target.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/safe.h"

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
#include <uthash.h>

enum { BATCH = 4096 };

struct wl_import_name {
    char *text;
    uint32_t id;
    UT_hash_handle hh;
};

const struct wl_sink *wl_import_sink(struct wl_import_target *target)
{
    return wl_report_writer_sink(target->writer);
}

void wl_import_begin_process(struct wl_import_target *target, const char *tool, uint64_t pid,
                             const char *executable, const char *host, uint64_t start_ns)
{
    char name[80];
    const struct wl_record_process record = {
        .pid = pid,
        .host = host ? host : "",
        .executable = executable ? executable : "",
        .executable_hash = "",
        .command_line = executable ? executable : "",
        .start_ns = start_ns,
        .version = "imported",
        .collector = tool,
        .rank = target->rank.is_known ? target->rank.rank : -1,
        .rank_count = target->rank.is_known ? target->rank.count : -1,
    };
    wl_import_end_process(target);
    snprintf(name, sizeof name, "import-%" PRIu64 "-%" PRIu64 ".wls", pid, ++target->streams);
    wl_report_writer_begin_stream(target->writer, name);
    wl_import_sink(target)->put_process(wl_import_sink(target)->self, &record);
    target->has_process = true;
    target->rank.is_known = false;
}

static void flush(struct wl_import_target *target)
{
    const struct wl_record_trace record = {target->batch, target->batch_count};
    if (target->batch_count)
        wl_import_sink(target)->put_trace(wl_import_sink(target)->self, &record);
    target->batch_count = 0;
}

static void forget_names(struct wl_import_target *target)
{
    struct wl_import_name *name, *next;
    HASH_ITER(hh, target->names, name, next)
    {
        HASH_DEL(target->names, name);
        free(name->text);
        free(name);
    }
    target->name_count = 0;
}

void wl_import_end_process(struct wl_import_target *target)
{
    const struct wl_stream_summary summary = {.has_end = true};
    const struct wl_error damage = {0};
    if (!target->has_process)
        return;
    flush(target);
    forget_names(target);
    wl_import_sink(target)->put_end(wl_import_sink(target)->self, -1, 0);
    wl_report_writer_end_stream(target->writer, &summary, &damage);
    target->has_process = false;
    free(target->batch);
    target->batch = NULL;
}

uint32_t wl_import_name(struct wl_import_target *target, const char *text)
{
    struct wl_import_name *name = NULL;
    if (!text)
        return 0;
    HASH_FIND_STR(target->names, text, name);
    if (name)
        return name->id;
    struct wl_text clean = {0};
    wl_safe_add_valid(text, &clean);
    const char *shown = clean.data ? clean.data : "";
    const struct wl_record_trace_names record = {target->name_count + 1, &shown, 1};
    flush(target);
    wl_import_sink(target)->put_trace_names(wl_import_sink(target)->self, &record);
    wl_text_free(&clean);
    name = wl_alloc_zero(1, sizeof *name);
    name->text = wl_string_copy(text);
    name->id = ++target->name_count;
    HASH_ADD_KEYPTR(hh, target->names, name->text, strlen(name->text), name);
    return name->id;
}

void wl_import_event(struct wl_import_target *target, const struct wl_timeline_record *record)
{
    if (!target->batch)
        target->batch = wl_alloc_zero(BATCH, sizeof *target->batch);
    target->batch[target->batch_count] = *record;
    if (record->end < record->start)
        target->batch[target->batch_count].end = record->start;
    target->events++;
    if (++target->batch_count == BATCH)
        flush(target);
}

void wl_import_device(struct wl_import_target *target, const struct wl_record_device *device)
{
    wl_import_sink(target)->put_device(wl_import_sink(target)->self, device);
}

void wl_import_launch(struct wl_import_target *target, const struct wl_record_launch *launch)
{
    wl_import_sink(target)->put_launch(wl_import_sink(target)->self, launch);
    target->launches++;
}

void wl_import_note(struct wl_import_target *target, const char *code, const char *text,
                    const char *hint)
{
    const struct wl_record_note note = {WL_NOTE_WARNING, code, text, hint, -1};
    if (!target->has_process)
        wl_import_begin_process(target, "import", 0, NULL, NULL, 0);
    wl_import_sink(target)->put_note(wl_import_sink(target)->self, &note);
    target->notes++;
}

enum wl_code wl_import_fail(const struct wl_import_target *target, enum wl_code code,
                            struct wl_error *error, const char *format, ...)
{
    va_list arguments;
    struct wl_text text = {0};
    va_start(arguments, format);
    wl_text_addv(&text, format, arguments);
    va_end(arguments);
    wl_error_set(error, code, "%s", text.data);
    wl_error_set_where(error, "%s", target->path);
    wl_text_free(&text);
    return code;
}
