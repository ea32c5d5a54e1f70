#include "collect/output.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/rank.h"
#include "base/text.h"
#include "collect/process.h"
#include "record/stream/stream.h"

enum wl_code wl_output_read_settings(const char *path, struct wl_settings *settings,
                                     bool *is_wanted, struct wl_error *error)
{
    struct wl_text content = {0};
    wl_settings_init(settings);
    enum wl_code code = wl_file_read(path, &content, error);
    if (code == WL_OK)
        code = wl_settings_parse(content.data ? content.data : "", settings, error);
    bool is_other = settings->only_application && settings->launcher_pid != (uint64_t)getppid();
    *is_wanted =
        code != WL_OK || (!is_other && wl_rank_list_has(settings->ranks, wl_rank_read().rank));
    wl_text_free(&content);
    return code;
}

bool wl_output_open(struct wl_output *output, const char *folder, const char *collector,
                    struct wl_error *error)
{
    struct wl_process_facts facts;
    if (output->writer)
        return true;
    if (wl_stream_writer_open(folder, &output->writer, error) != WL_OK)
        return false;
    output->writer_pid = getpid();
    output->sink = *wl_stream_writer_sink(output->writer);
    wl_process_facts_read(collector, &facts);
    output->sink.put_process(output->sink.self, &facts.record);
    wl_process_facts_free(&facts);
    return true;
}

bool wl_output_is_ours(const struct wl_output *output)
{
    return output->writer && output->writer_pid == getpid();
}

void wl_output_abandon(struct wl_output *output)
{
    if (output->writer)
        wl_stream_writer_abandon(output->writer);
    *output = (struct wl_output){0};
}

void wl_output_close(struct wl_output *output)
{
    wl_stream_writer_close(output->writer);
    *output = (struct wl_output){0};
}

void wl_output_note(const struct wl_output *output, enum wl_note_severity severity,
                    const char *code, const char *text, const char *hint)
{
    struct wl_record_note note = {severity, code, text, hint, -1};
    if (output->sink.put_note)
        output->sink.put_note(output->sink.self, &note);
}

void wl_output_refuse(const struct wl_output *output, const struct wl_error *error)
{
    char *text = wl_string_format("nothing is recorded: %s%s%s", error->message,
                                  error->where[0] ? ": " : "", error->where);
    wl_output_note(output, WL_NOTE_ERROR, "collector-off", text, error->hint);
    free(text);
}

void wl_output_note_memory(const struct wl_output *output)
{
    wl_output_note(output, WL_NOTE_ERROR, "collector-off", "recording stopped: out of memory",
                   "launches from here on are missing");
}
