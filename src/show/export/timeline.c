#include "show/export/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/nsys.h"
#include "report/tables.h"
#include "show/export/timeline_writer.h"
#include "show/format/format.h"

static const struct wl_timeline_form_functions *const forms[WL_TIMELINE_FORM_COUNT] = {
    [WL_TIMELINE_FORM_CHROME] = &wl_timeline_chrome,
    [WL_TIMELINE_FORM_PERFETTO] = &wl_timeline_perfetto,
    [WL_TIMELINE_FORM_SPEEDSCOPE] = &wl_timeline_speedscope,
    [WL_TIMELINE_FORM_FOLDED] = &wl_timeline_folded,
    [WL_TIMELINE_FORM_PPROF] = &wl_timeline_pprof,
};

/* ---- for all forms ---- */

void wl_timeline_add_json(const char *string, struct wl_text *out)
{
    struct wl_text text = {0};
    wl_format_utf8(string, &text);
    wl_text_add_char(out, '"');
    for (const char *next = text.data ? text.data : ""; *next; next++) {
        if (*next == '"' || *next == '\\')
            wl_text_addf(out, "\\%c", *next);
        else if ((unsigned char)*next < 0x20)
            wl_text_addf(out, "\\u%04x", (unsigned char)*next);
        else
            wl_text_add_char(out, *next);
    }
    wl_text_add_char(out, '"');
    wl_text_free(&text);
}

/* Who is given the facts. */
struct taker {
    void (*take)(void *self, const struct wl_timeline_fact *fact);
    void *self;
};

static void tell_number(const struct taker *taker, const char *name, int64_t number)
{
    taker->take(taker->self, &(struct wl_timeline_fact){.name = name, .number = number});
}

static void tell_sizes(const struct taker *taker, const char *name, uint64_t x, uint64_t y,
                       uint64_t z)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, x, y, z);
    taker->take(taker->self, &(struct wl_timeline_fact){.name = name, .text = text});
}

static void tell_where(uint64_t word, const struct taker *taker)
{
    tell_number(taker, "device", WL_TIMELINE_WHERE_DEVICE(word));
    tell_number(taker, "context", WL_TIMELINE_WHERE_CONTEXT(word));
    tell_number(taker, "stream", WL_TIMELINE_WHERE_STREAM(word));
}

static void tell_grid(uint64_t word, const struct taker *taker)
{
    tell_sizes(taker, "grid", word >> 32, word >> 16 & 0xffff, word & 0xffff);
}

static void tell_block(uint64_t word, const struct taker *taker)
{
    tell_sizes(taker, "block", word >> 48, word >> 32 & 0xffff, word >> 16 & 0xffff);
    tell_number(taker, "registers", (int64_t)(word & 0xffff));
}

static void tell_shared(uint64_t word, const struct taker *taker)
{
    tell_number(taker, "shared_static_bytes", (int64_t)(word >> 32));
    tell_number(taker, "shared_dynamic_bytes", (int64_t)(word & 0xffffffff));
}

static const struct {
    const char *word;
    void (*tell)(uint64_t word, const struct taker *taker);
} packed[] = {
    {"packed_where", tell_where},
    {"packed_grid", tell_grid},
    {"packed_block", tell_block},
    {"packed_shared", tell_shared},
};

static bool tell_packed(const char *name, uint64_t word, const struct taker *taker)
{
    for (size_t i = 0; i < WL_COUNT(packed); i++)
        if (strcmp(packed[i].word, name) == 0) {
            packed[i].tell(word, taker);
            return true;
        }
    return false;
}

void wl_timeline_list_facts(const struct wl_report_event *event,
                            void (*take)(void *self, const struct wl_timeline_fact *fact),
                            void *self)
{
    const struct wl_timeline_category_info *info = &wl_timeline_categories[event->category];
    const struct taker taker = {take, self};
    tell_number(&taker, "correlation", event->correlation);
    if (event->flags & WL_TIMELINE_PREDICTED)
        tell_number(&taker, "predicted", 1);
    for (int word = 0; word < WL_TIMELINE_WORDS; word++) {
        const char *name = info->words[word];
        if (!*name || (!event->words[word] && !event->texts[word]))
            continue;
        if (event->texts[word])
            take(self, &(struct wl_timeline_fact){.name = name, .text = event->texts[word]});
        else if (!tell_packed(name, event->words[word], &taker))
            tell_number(&taker, name, (int64_t)event->words[word]);
    }
}

const char *wl_timeline_stack(const struct wl_report_event *event)
{
    const struct wl_timeline_category_info *info = &wl_timeline_categories[event->category];
    for (int word = 0; word < WL_TIMELINE_WORDS; word++)
        if (strcmp(info->words[word], "stack_name") == 0)
            return event->texts[word];
    return NULL;
}

const char *wl_timeline_category_name(const struct wl_report_event *event)
{
    return wl_timeline_categories[event->category].name;
}

/* ---- processes ---- */

static const struct wl_record_process *process_of(const struct wl_timeline_writer *writer,
                                                  size_t process)
{
    size_t count;
    return &wl_report_processes(writer->report, &count)[process].record;
}

uint64_t wl_timeline_pid(const struct wl_timeline_writer *writer, size_t process)
{
    size_t count, equal = 0;
    const struct wl_report_process *all = wl_report_processes(writer->report, &count);
    uint64_t pid = all[process].record.pid & INT32_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t other = all[i].record.pid & INT32_MAX;
        equal += i < process && other == pid;
        most = other > most ? other : most;
    }
    return equal ? most + 1 + process : pid;
}

void wl_timeline_add_origin(const struct wl_timeline_writer *writer, size_t process,
                            struct wl_text *out)
{
    size_t count;
    const struct wl_record_process *record = process_of(writer, process);
    wl_report_processes(writer->report, &count);
    if (count < 2)
        return;
    if (record->rank >= 0)
        wl_text_addf(out, "rank %" PRId64, record->rank);
    else
        wl_text_addf(out, "process %" PRIu64, record->pid);
    if (record->host && *record->host)
        wl_text_addf(out, " on %s", record->host);
}

void wl_timeline_add_process(const struct wl_timeline_writer *writer, size_t process,
                             struct wl_text *out)
{
    struct wl_text origin = {0};
    const char *executable = process_of(writer, process)->executable;
    wl_timeline_add_origin(writer, process, &origin);
    wl_text_addf(out, "%s%s%s", executable ? executable : "", origin.length ? ", " : "",
                 origin.length ? origin.data : "");
    wl_text_free(&origin);
}

void wl_timeline_add_track(const struct wl_timeline_writer *writer, const struct wl_track *track,
                           struct wl_text *out)
{
    size_t length = out->length;
    wl_timeline_add_origin(writer, track->process, out);
    wl_text_add(out, out->length > length ? ", " : "");
    wl_track_print_name(track, out);
}

/* ---- writing ---- */

/* What a form is written by. */
struct writing {
    struct wl_timeline_writer writer;
    const struct wl_timeline_form_functions *form;
};

static void end_event(void *self, size_t track, uint64_t time_ns, uint32_t name)
{
    struct writing *writing = self;
    if (writing->form->close)
        writing->form->close(&writing->writer, track, time_ns, name);
}

static void take_event(void *self, const struct wl_report_event *event)
{
    struct writing *writing = self;
    struct wl_timeline_writer *writer = &writing->writer;
    int64_t name;
    if (!writer->first_ns)
        writer->first_ns = event->start_ns;
    bool is_known = wl_keys_intern(&writer->names, event->name, strlen(event->name), &name);
    size_t track = wl_tracks_place(&writer->tracks, event, end_event, writing);
    for (; writer->told_tracks < writer->tracks.count; writer->told_tracks++)
        if (writing->form->track)
            writing->form->track(writer, writer->told_tracks);
    writing->form->open(writer, track, event, (uint32_t)name, !is_known);
    wl_tracks_open(&writer->tracks, track, event, (uint32_t)name);
}

static enum wl_code write_form(struct wl_report *report,
                               const struct wl_timeline_form_functions *form, FILE *out,
                               struct wl_error *error)
{
    struct writing writing = {.writer = {.out = out, .report = report}, .form = form};
    struct wl_timeline_writer *writer = &writing.writer;
    if (form->begin)
        form->begin(writer);
    enum wl_code code = wl_report_events(report, 0, take_event, &writing, error);
    wl_tracks_close(&writer->tracks, end_event, &writing);
    if (form->end)
        form->end(writer);
    wl_tracks_free(&writer->tracks);
    wl_keys_free(&writer->names);
    wl_text_free(&writer->line);
    return code;
}

static enum wl_code fail_output(struct wl_error *error, const char *path)
{
    wl_error_set(error, WL_ERR_OUTPUT, "cannot write the file: %s", strerror(errno));
    return wl_error_set_where(error, "%s", path);
}

static enum wl_code write_part(struct wl_report *report, enum wl_timeline_form form,
                               const char *part, struct wl_error *error)
{
    if (form == WL_TIMELINE_FORM_NSYS)
        return wl_report_write_nsys(report, part, error);
    FILE *out = fopen(part, "wbe");
    if (!out)
        return fail_output(error, part);
    enum wl_code code = wl_report_event_count(report)
                            ? write_form(report, forms[form], out, error)
                            : wl_timeline_write_launches(report, out, error);
    bool has_failed = ferror(out);
    if ((fclose(out) != 0 || has_failed) && !code)
        code = fail_output(error, part);
    return code;
}

enum wl_code wl_export_trace(struct wl_report *report, enum wl_timeline_form form, const char *path,
                             struct wl_error *error)
{
    size_t launches = 0;
    wl_report_launches(report, &launches);
    bool is_of_launches = form == WL_TIMELINE_FORM_PPROF && launches;
    if (wl_report_event_count(report) == 0 && !is_of_launches) {
        wl_error_set(error, WL_ERR_NOTHING, "the report holds no trace");
        return wl_error_set_hint(error, "`warplens trace PROGRAM` makes one");
    }
    char *part = wl_string_format("%s.part-%ld", path, (long)getpid());
    enum wl_code code = write_part(report, form, part, error);
    if (!code && rename(part, path) != 0)
        code = fail_output(error, path);
    if (code)
        unlink(part);
    free(part);
    return code;
}
