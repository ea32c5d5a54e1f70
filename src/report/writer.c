#include "report/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/safe.h"
#include "base/text.h"
#include "record/collectors.h"
#include "record/stream/running.h"
#include "report/digest.h"
#include "report/inserter.h"
#include "report/keys.h"
#include "report/launch_order.h"
#include "report/schema.h"
#include "report/sources.h"
#include "report/timeline_rows.h"
#include "warplens/version.h"

/* A note waits for the end of its stream: the launch it is about may come after it. */
struct pending_note {
    enum wl_note_severity severity;
    char *code, *text, *hint;
    int64_t launch_number;
};

struct pending_process {
    bool has_record, has_end;
    uint64_t pid, parent_pid, start_ns, end_ns;
    char *host, *executable, *executable_hash, *command_line, *version, *collector;
    int64_t rank, rank_count;
    int exit_code;
};

/* A process that has its row. */
struct known_process {
    uint64_t pid, first_ns; /* of its events; 0: it has none */
    char *host;
    int64_t id;
};

struct wl_report_writer {
    struct wl_inserter inserter;
    char *path;
    struct wl_sink sink;
    struct wl_keys names, source_files;
    /* by digest of their content; the id is the row's, or the set's */
    struct wl_keys modules, kernels, attribute_sets, value_sets, instruction_value_sets;
    int64_t session_rows, device_rows, launch_rows, note_rows;
    bool are_launches_unordered;
    struct wl_timeline_rows trace;

    /* of the stream at hand */
    int64_t process_id;
    char *stream_name;
    struct pending_process process;
    const struct known_process *joined; /* whose row the stream's process has */
    uint64_t first_ns, last_launch;
    struct wl_keys stream_devices, stream_modules, stream_kernels, stream_launches;
    WL_VECTOR(struct pending_note) notes;
    WL_VECTOR(struct known_process) known; /* of streams before this one */
};

/* Names come from programs: bytes that are no UTF-8 are replaced here, for all that read them. */
static int64_t name_id(struct wl_report_writer *writer, const char *name)
{
    int64_t id;
    struct wl_text text = {0};
    wl_safe_add_valid(name ? name : "", &text);
    if (!wl_keys_intern(&writer->names, text.data, text.length, &id))
        WL_INSERT(&writer->inserter, WL_TABLE_NAMES, WL_INTEGER(id), WL_TEXT(text.data));
    wl_text_free(&text);
    return id;
}

static int64_t trace_name_id(void *self, const char *name)
{
    return name_id(self, name);
}

static bool intern_digest(struct wl_keys *keys, const struct wl_digest *digest, int64_t *id)
{
    return wl_keys_intern(keys, digest, sizeof *digest, id);
}

static void digest_real(struct wl_digest *digest, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wl_digest_add_integer(digest, bits);
}

static enum wl_mark valid_mark(unsigned mark)
{
    return mark <= WL_MARK_PREDICTED ? (enum wl_mark)mark : WL_MARK_PREDICTED;
}

static struct wl_cell number_or_null(const struct wl_record_attribute *attribute)
{
    /* not a number: the row says that the attribute was asked for and not known */
    if (attribute->text || isnan(attribute->number))
        return WL_NULL;
    return WL_REAL(attribute->number);
}

/* 0 for an empty set. */
static int64_t put_attributes(struct wl_report_writer *writer,
                              const struct wl_record_attribute *attributes, size_t count)
{
    if (count == 0)
        return 0;
    struct wl_digest digest = {0};
    for (size_t i = 0; i < count; i++) {
        wl_digest_add_text(&digest, attributes[i].name);
        wl_digest_add_text(&digest, attributes[i].text);
        digest_real(&digest, attributes[i].text ? 0 : attributes[i].number);
    }
    int64_t set_id;
    if (intern_digest(&writer->attribute_sets, &digest, &set_id))
        return set_id;
    for (size_t i = 0; i < count; i++)
        WL_INSERT(&writer->inserter, WL_TABLE_ATTRIBUTES, WL_INTEGER(set_id), WL_INTEGER(i),
                  WL_INTEGER(name_id(writer, attributes[i].name)),
                  WL_TEXT_OR_NULL(attributes[i].text), number_or_null(&attributes[i]));
    return set_id;
}

static int64_t put_values(struct wl_report_writer *writer, const struct wl_record_value *values,
                          size_t count)
{
    if (count == 0)
        return 0;
    struct wl_digest digest = {0};
    for (size_t i = 0; i < count; i++) {
        wl_digest_add_text(&digest, values[i].name);
        digest_real(&digest, values[i].value);
        wl_digest_add_integer(&digest, values[i].mark);
    }
    int64_t set_id;
    if (intern_digest(&writer->value_sets, &digest, &set_id))
        return set_id;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i].value)) /* a value that is not known is absent */
            WL_INSERT(&writer->inserter, WL_TABLE_METRIC_VALUES, WL_INTEGER(set_id),
                      WL_INTEGER(name_id(writer, values[i].name)), WL_REAL(values[i].value),
                      WL_INTEGER(valid_mark(values[i].mark)));
    return set_id;
}

static int64_t put_instruction_values(struct wl_report_writer *writer,
                                      const struct wl_record_launch *record)
{
    if (record->instruction_value_count == 0)
        return 0;
    struct wl_digest digest = {0};
    for (size_t i = 0; i < record->instruction_value_name_count; i++) {
        wl_digest_add_text(&digest, record->instruction_value_names[i]);
        wl_digest_add_integer(&digest, record->instruction_value_marks[i]);
    }
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &record->instruction_values[i];
        wl_digest_add_integer(&digest, (uint64_t)value->instruction << 32 | value->name);
        digest_real(&digest, value->value);
    }
    int64_t set_id;
    if (intern_digest(&writer->instruction_value_sets, &digest, &set_id))
        return set_id;
    int64_t *name_ids = wl_alloc_zero(record->instruction_value_name_count, sizeof *name_ids);
    bool *has_values = wl_alloc_zero(record->instruction_value_name_count, sizeof *has_values);
    for (size_t i = 0; i < record->instruction_value_name_count; i++)
        name_ids[i] = name_id(writer, record->instruction_value_names[i]);
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &record->instruction_values[i];
        if (value->name >= record->instruction_value_name_count || isnan(value->value))
            continue;
        has_values[value->name] = true;
        WL_INSERT(&writer->inserter, WL_TABLE_INSTRUCTION_VALUES, WL_INTEGER(set_id),
                  WL_INTEGER(name_ids[value->name]), WL_INTEGER(value->instruction),
                  WL_REAL(value->value),
                  WL_INTEGER(valid_mark(record->instruction_value_marks[value->name])));
    }
    /* what was counted and is 0 everywhere must not look as if it had not been counted */
    for (size_t i = 0; i < record->instruction_value_name_count; i++)
        if (!has_values[i])
            WL_INSERT(&writer->inserter, WL_TABLE_INSTRUCTION_VALUES, WL_INTEGER(set_id),
                      WL_INTEGER(name_ids[i]), WL_INTEGER(0), WL_REAL(0),
                      WL_INTEGER(valid_mark(record->instruction_value_marks[i])));
    free(name_ids);
    free(has_values);
    return set_id;
}

/* ---- the sink ---- */

static const struct known_process *find_known(const struct wl_report_writer *writer, uint64_t pid,
                                              const char *host)
{
    for (size_t i = writer->known.count; i-- > 0;)
        if (writer->known.items[i].pid == pid && strcmp(writer->known.items[i].host, host) == 0)
            return &writer->known.items[i];
    return NULL;
}

static int64_t process_row(const struct wl_report_writer *writer)
{
    return writer->joined ? writer->joined->id : writer->process_id;
}

static void put_process(void *self, const struct wl_record_process *record)
{
    struct wl_report_writer *writer = self;
    struct pending_process *process = &writer->process;
    if (process->has_record)
        return;
    free(process->host);
    *process = (struct pending_process){
        .has_record = true,
        .pid = record->pid,
        .parent_pid = record->parent_pid,
        .start_ns = record->start_ns,
        .host = wl_string_copy(record->host),
        .executable = wl_string_copy(record->executable),
        .executable_hash = wl_string_copy(record->executable_hash),
        .command_line = wl_string_copy(record->command_line),
        .version = wl_string_copy(record->version),
        .collector = wl_string_copy(record->collector),
        .rank = record->rank,
        .rank_count = record->rank_count,
        .exit_code = -1,
    };
    if (wl_collector_facts_of(record->collector)->joins_another)
        writer->joined = find_known(writer, record->pid, record->host);
}

static void put_device(void *self, const struct wl_record_device *record)
{
    struct wl_report_writer *writer = self;
    int64_t id = ++writer->device_rows;
    int64_t set_id = put_attributes(writer, record->attributes, record->attribute_count);
    WL_INSERT(&writer->inserter, WL_TABLE_DEVICES, WL_INTEGER(id), WL_INTEGER(writer->process_id),
              WL_INTEGER(record->device_id), WL_TEXT(record->model), WL_TEXT(record->name),
              WL_INTEGER(record->capability_major), WL_INTEGER(record->capability_minor),
              WL_ID_OR_NULL(set_id));
    wl_keys_set_number(&writer->stream_devices, record->device_id, id);
}

static void put_module(void *self, const struct wl_record_module *record)
{
    struct wl_report_writer *writer = self;
    struct wl_digest digest = {0};
    int64_t id;
    wl_digest_add_text(&digest, record->name);
    wl_digest_add_text(&digest, record->text);
    wl_digest_add_text(&digest, record->options);
    wl_digest_add_integer(&digest, record->architecture);
    wl_digest_add_integer(&digest, record->is_stand_in);
    if (!intern_digest(&writer->modules, &digest, &id))
        WL_INSERT(&writer->inserter, WL_TABLE_MODULES, WL_INTEGER(id), WL_TEXT(record->name),
                  WL_TEXT(record->options), WL_INTEGER(record->architecture),
                  WL_INTEGER(record->is_stand_in), WL_TEXT(record->text));
    wl_keys_set_number(&writer->stream_modules, record->id, id);
}

static void note_source_file(struct wl_report_writer *writer, const char *file)
{
    int64_t id, order;
    if (!file || !*file)
        return;
    id = name_id(writer, file);
    wl_keys_intern(&writer->source_files, &id, sizeof id, &order);
}

/* "file:line:column" of each caller, a line each; a file name may itself hold colons. */
static void note_caller_files(struct wl_report_writer *writer, const char *inlined_at)
{
    while (inlined_at && *inlined_at) {
        size_t line_length = strcspn(inlined_at, "\n");
        char *file = wl_string_copy_length(inlined_at, line_length);
        for (int part = 0; part < 2; part++) {
            char *colon = strrchr(file, ':');
            if (colon)
                *colon = '\0';
        }
        note_source_file(writer, file);
        free(file);
        inlined_at += line_length + (inlined_at[line_length] == '\n');
    }
}

static void put_instruction(struct wl_report_writer *writer, int64_t kernel_id,
                            const struct wl_record_instruction *record)
{
    bool has_file = record->file && *record->file;
    WL_INSERT(&writer->inserter, WL_TABLE_INSTRUCTIONS, WL_INTEGER(kernel_id),
              WL_INTEGER(record->index), WL_INTEGER(record->text_line), WL_TEXT(record->text),
              WL_TEXT(record->opcode), WL_TEXT(record->pipe),
              WL_ID_OR_NULL(has_file ? name_id(writer, record->file) : 0), WL_INTEGER(record->line),
              WL_INTEGER(record->column), WL_TEXT(record->inlined_at), WL_TEXT(record->function));
    note_source_file(writer, record->file);
    note_caller_files(writer, record->inlined_at);
}

static void digest_instruction(struct wl_digest *digest, const struct wl_record_instruction *record)
{
    wl_digest_add_integer(digest, (uint64_t)record->index << 32 | record->text_line);
    wl_digest_add_integer(digest, (uint64_t)record->line << 32 | record->column);
    const char *const texts[] = {record->text, record->opcode,     record->pipe,
                                 record->file, record->inlined_at, record->function};
    for (size_t i = 0; i < WL_COUNT(texts); i++)
        wl_digest_add_text(digest, texts[i]);
}

/* Stands in for a record that the stream had to drop, so that what refers to it is kept. */
static int64_t missing_module(struct wl_report_writer *writer, uint64_t number)
{
    put_module(writer, &(struct wl_record_module){.id = number, .name = "(not recorded)"});
    return wl_keys_find_number(&writer->stream_modules, number);
}

static void put_kernel(void *self, const struct wl_record_kernel *record)
{
    struct wl_report_writer *writer = self;
    struct wl_digest digest = {0};
    int64_t id, module_id = wl_keys_find_number(&writer->stream_modules, record->module_id);
    if (!module_id)
        module_id = missing_module(writer, record->module_id);
    int64_t set_id = put_attributes(writer, record->attributes, record->attribute_count);
    wl_digest_add_integer(&digest, (uint64_t)module_id);
    wl_digest_add_integer(&digest, (uint64_t)set_id);
    wl_digest_add_text(&digest, record->mangled);
    wl_digest_add_text(&digest, record->demangled);
    wl_digest_add_text(&digest, record->function);
    for (size_t i = 0; i < record->instruction_count; i++)
        digest_instruction(&digest, &record->instructions[i]);
    if (!intern_digest(&writer->kernels, &digest, &id)) {
        WL_INSERT(&writer->inserter, WL_TABLE_KERNELS, WL_INTEGER(id), WL_INTEGER(module_id),
                  WL_TEXT(record->mangled), WL_TEXT(record->demangled), WL_TEXT(record->function),
                  WL_ID_OR_NULL(set_id));
        for (size_t i = 0; i < record->instruction_count; i++)
            put_instruction(writer, id, &record->instructions[i]);
    }
    wl_keys_set_number(&writer->stream_kernels, record->id, id);
}

static int64_t missing_kernel(struct wl_report_writer *writer, uint64_t number)
{
    static const char name[] = "(not recorded)";
    put_kernel(writer, &(struct wl_record_kernel){.id = number,
                                                  .module_id = UINT64_MAX,
                                                  .mangled = name,
                                                  .demangled = name,
                                                  .function = name});
    return wl_keys_find_number(&writer->stream_kernels, number);
}

static int64_t missing_device(struct wl_report_writer *writer, uint32_t number)
{
    put_device(writer, &(struct wl_record_device){.device_id = number, .name = "(not recorded)"});
    return wl_keys_find_number(&writer->stream_devices, number);
}

static void put_launch(void *self, const struct wl_record_launch *record)
{
    struct wl_report_writer *writer = self;
    if (wl_inserter_has_failed(&writer->inserter))
        return;
    int64_t id = writer->launch_rows++;
    int64_t kernel_id = wl_keys_find_number(&writer->stream_kernels, record->kernel_id);
    int64_t device_id = wl_keys_find_number(&writer->stream_devices, record->device_id);
    if (!kernel_id)
        kernel_id = missing_kernel(writer, record->kernel_id);
    if (!device_id)
        device_id = missing_device(writer, record->device_id);
    int64_t attribute_set = put_attributes(writer, record->attributes, record->attribute_count);
    int64_t value_set = put_values(writer, record->values, record->value_count);
    int64_t instruction_set = put_instruction_values(writer, record);
    WL_INSERT(&writer->inserter, WL_TABLE_LAUNCHES, WL_INTEGER(id), WL_INTEGER(writer->process_id),
              WL_INTEGER(record->id), WL_INTEGER(kernel_id), WL_INTEGER(device_id),
              WL_INTEGER(record->context_id), WL_INTEGER(record->stream_id),
              WL_INTEGER(record->grid[0]), WL_INTEGER(record->grid[1]), WL_INTEGER(record->grid[2]),
              WL_INTEGER(record->block[0]), WL_INTEGER(record->block[1]),
              WL_INTEGER(record->block[2]), WL_INTEGER(record->shared_dynamic_bytes),
              WL_INTEGER(record->start_ns), WL_INTEGER(record->simulated_for_ns),
              WL_INTEGER(record->status == WL_LAUNCH_DONE ? WL_LAUNCH_DONE : WL_LAUNCH_FAILED),
              WL_TEXT(record->message), WL_TEXT(record->range), WL_ID_OR_NULL(attribute_set),
              WL_ID_OR_NULL(value_set), WL_ID_OR_NULL(instruction_set));
    wl_keys_set_number(&writer->stream_launches, record->id, id + 1);
    writer->are_launches_unordered =
        writer->are_launches_unordered || record->id < writer->last_launch;
    writer->last_launch = record->id;
}

static void put_note(void *self, const struct wl_record_note *record)
{
    struct wl_report_writer *writer = self;
    struct pending_note note = {
        .severity = record->severity <= WL_NOTE_ERROR ? record->severity : WL_NOTE_ERROR,
        .code = wl_string_copy(record->code),
        .text = wl_string_copy(record->text),
        .hint = wl_string_copy(record->hint),
        .launch_number = record->launch_id,
    };
    WL_PUSH(&writer->notes, note);
}

static void put_end(void *self, int exit_code, uint64_t end_ns)
{
    struct wl_report_writer *writer = self;
    writer->process.has_end = true;
    writer->process.exit_code = exit_code;
    writer->process.end_ns = end_ns;
}

static void put_trace_names(void *self, const struct wl_record_trace_names *record)
{
    struct wl_report_writer *writer = self;
    wl_timeline_rows_put_names(&writer->trace, record);
}

static void put_trace(void *self, const struct wl_record_trace *record)
{
    struct wl_report_writer *writer = self;
    if (!writer->joined) {
        for (size_t i = 0; i < record->count; i++)
            if (!writer->first_ns || record->records[i].start < writer->first_ns)
                writer->first_ns = record->records[i].start;
        wl_timeline_rows_put_events(&writer->trace, writer->process_id, record);
        return;
    }
    /* sums have no time of their own: they shall not make the trace longer */
    for (size_t i = 0; i < record->count; i++) {
        struct wl_timeline_record sum = record->records[i];
        const struct wl_record_trace one = {&sum, 1};
        if (writer->joined->first_ns)
            sum.start = sum.end = writer->joined->first_ns;
        wl_timeline_rows_put_events(&writer->trace, writer->joined->id, &one);
    }
}

static void put_trace_end(void *self, const struct wl_record_trace_end *record)
{
    struct wl_report_writer *writer = self;
    wl_timeline_rows_put_end(&writer->trace, record);
}

/* ---- streams ---- */

/* What the file's name tells, until the process record tells more. */
static void guess_process(struct pending_process *process, const char *stream_name)
{
    char *host = wl_string_copy(stream_name);
    char *start = strrchr(host, '-');
    if (start)
        *start = '\0';
    char *pid = strrchr(host, '-');
    if (pid)
        *pid = '\0';
    *process = (struct pending_process){
        .host = host,
        .pid = pid ? strtoull(pid + 1, NULL, 10) : 0,
        .rank = -1,
        .rank_count = -1,
        .exit_code = -1,
    };
}

void wl_report_writer_begin_stream(struct wl_report_writer *writer, const char *name)
{
    writer->process_id++;
    writer->joined = NULL;
    writer->first_ns = writer->last_launch = 0;
    writer->stream_name = wl_string_copy(name);
    guess_process(&writer->process, name);
}

const struct wl_sink *wl_report_writer_sink(struct wl_report_writer *writer)
{
    return &writer->sink;
}

static void note_trouble(struct wl_report_writer *writer, enum wl_note_severity severity,
                         const char *code, const char *text, const char *hint)
{
    put_note(writer, &(struct wl_record_note){severity, code, text, hint, -1});
}

/* Records that the writer dropped are a note of the stream itself. */
static bool lacks_end(const struct wl_report_writer *writer,
                      const struct wl_stream_summary *summary)
{
    bool is_replaced = summary->replaced_pid && summary->replaced_pid == writer->process.pid;
    return !summary->has_end && !is_replaced;
}

static void note_stream_troubles(struct wl_report_writer *writer,
                                 const struct wl_stream_summary *summary,
                                 const struct wl_error *damage)
{
    char text[1024];
    if (damage->code != WL_OK) {
        snprintf(text, sizeof text,
                 "the stream of process %" PRIu64
                 " is damaged, what follows the damage is lost: %s",
                 writer->process.pid, damage->message);
        note_trouble(writer, WL_NOTE_ERROR, "damaged-stream", text, damage->hint);
    } else if (summary->is_torn) {
        snprintf(text, sizeof text,
                 "the stream of process %" PRIu64 " ends within a record: the process was killed "
                 "or the disk was full; everything before it is here",
                 writer->process.pid);
        note_trouble(writer, WL_NOTE_WARNING, "torn-stream", text, "");
    } else if (lacks_end(writer, summary)) {
        snprintf(text, sizeof text,
                 "process %" PRIu64
                 " did not end by exit() (but a signal, _exit or exec), could not "
                 "write, or still ran when the report was made: what it had finished is here",
                 writer->process.pid);
        note_trouble(writer, WL_NOTE_WARNING, "no-end", text, "");
    }
    if (summary->running) {
        snprintf(text, sizeof text,
                 "process %" PRIu64 " ended in launch %" PRIu64 ", of kernel %s, which is not here",
                 writer->process.pid, summary->running->launch, summary->running->kernel);
        note_trouble(writer, WL_NOTE_WARNING, "ended-in-launch", text, "");
    }
}

/* Of the recording of events: what is missing, and what to think of times. */
static void note_trace_troubles(struct wl_report_writer *writer)
{
    enum { JUMP_NS = 1000000000 };
    const struct wl_record_trace_end *end = &writer->trace.end;
    char text[256];
    if (!writer->trace.has_end)
        return;
    if (end->dropped) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " events of process %" PRIu64 " were dropped, because their buffer was "
                 "full",
                 end->dropped, writer->process.pid);
        note_trouble(writer, WL_NOTE_WARNING, "events-dropped", text,
                     "record less: `-t`, `--capture-range`, `--duration`");
    }
    if (end->clock_jump_ns > JUMP_NS || end->clock_jump_ns < -JUMP_NS) {
        snprintf(text, sizeof text,
                 "the system's clock was moved by %.1f s while process %" PRIu64
                 " was recorded: the times of events ignore it",
                 (double)end->clock_jump_ns / 1e9, writer->process.pid);
        note_trouble(writer, WL_NOTE_WARNING, "clock-moved", text, "");
    }
}

static void flush_notes(struct wl_report_writer *writer)
{
    for (size_t i = 0; i < writer->notes.count; i++) {
        struct pending_note *note = &writer->notes.items[i];
        int64_t launch =
            note->launch_number < 0
                ? 0
                : wl_keys_find_number(&writer->stream_launches, (uint64_t)note->launch_number);
        WL_INSERT(&writer->inserter, WL_TABLE_NOTES, WL_INTEGER(++writer->note_rows),
                  WL_INTEGER(process_row(writer)), launch ? WL_INTEGER(launch - 1) : WL_NULL,
                  note->launch_number < 0 ? WL_NULL : WL_INTEGER(note->launch_number),
                  WL_INTEGER(note->severity), WL_TEXT(note->code), WL_TEXT(note->text),
                  WL_TEXT(note->hint));
        free(note->code);
        free(note->text);
        free(note->hint);
    }
    writer->notes.count = 0;
}

static void free_process(struct pending_process *process)
{
    char *const texts[] = {process->host,         process->executable, process->executable_hash,
                           process->command_line, process->version,    process->collector};
    for (size_t i = 0; i < WL_COUNT(texts); i++)
        free(texts[i]);
    *process = (struct pending_process){0};
}

static void flush_process(struct wl_report_writer *writer, const struct wl_stream_summary *summary,
                          bool is_torn)
{
    struct pending_process *process = &writer->process;
    if (writer->joined) {
        writer->process_id--;
        free_process(process);
        return;
    }
    struct known_process known = {.pid = process->pid,
                                  .first_ns = writer->first_ns,
                                  .host = wl_string_copy(process->host ? process->host : ""),
                                  .id = writer->process_id};
    WL_PUSH(&writer->known, known);
    WL_INSERT(
        &writer->inserter, WL_TABLE_PROCESSES, WL_INTEGER(writer->process_id),
        WL_TEXT(writer->stream_name), WL_INTEGER(process->pid), WL_INTEGER(process->parent_pid),
        WL_TEXT(process->host), WL_TEXT(process->executable), WL_TEXT(process->executable_hash),
        WL_TEXT(process->command_line), WL_INTEGER(process->start_ns),
        process->has_end ? WL_INTEGER(process->end_ns) : WL_NULL, WL_TEXT(process->version),
        WL_TEXT(process->collector),
        process->exit_code < 0 ? WL_NULL : WL_INTEGER(process->exit_code), WL_INTEGER(is_torn),
        WL_INTEGER(summary->dropped), process->rank < 0 ? WL_NULL : WL_INTEGER(process->rank),
        process->rank_count < 0 ? WL_NULL : WL_INTEGER(process->rank_count));
    free_process(process);
}

void wl_report_writer_end_stream(struct wl_report_writer *writer,
                                 const struct wl_stream_summary *summary,
                                 const struct wl_error *damage)
{
    note_stream_troubles(writer, summary, damage);
    note_trace_troubles(writer);
    wl_timeline_rows_end_stream(&writer->trace, process_row(writer));
    flush_notes(writer);
    flush_process(writer, summary,
                  summary->is_torn || lacks_end(writer, summary) || damage->code != WL_OK);
    free(writer->stream_name);
    writer->stream_name = NULL;
    wl_keys_free(&writer->stream_devices);
    wl_keys_free(&writer->stream_modules);
    wl_keys_free(&writer->stream_kernels);
    wl_keys_free(&writer->stream_launches);
}

/* ---- the whole ---- */

static void put_meta(struct wl_report_writer *writer)
{
    char format[16], created_ns[32];
    snprintf(format, sizeof format, "%d", WL_REPORT_FORMAT);
    snprintf(created_ns, sizeof created_ns, "%" PRIu64, wl_clock_realtime_ns());
    const char *const rows[][2] = {{"format", format},
                                   {"producer", "warplens " WL_VERSION_STRING},
                                   {"created_ns", created_ns}};
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        WL_INSERT(&writer->inserter, WL_TABLE_META, WL_TEXT(rows[i][0]), WL_TEXT(rows[i][1]));
}

enum wl_code wl_report_writer_open(const char *path, struct wl_report_writer **writer,
                                   struct wl_error *error)
{
    struct wl_report_writer *made = wl_alloc_zero(1, sizeof *made);
    made->path = wl_string_copy(path);
    made->sink = (struct wl_sink){.self = made,
                                  .put_process = put_process,
                                  .put_device = put_device,
                                  .put_module = put_module,
                                  .put_kernel = put_kernel,
                                  .put_launch = put_launch,
                                  .put_note = put_note,
                                  .put_end = put_end,
                                  .put_trace_names = put_trace_names,
                                  .put_trace = put_trace,
                                  .put_trace_end = put_trace_end};
    made->trace = (struct wl_timeline_rows){
        .inserter = &made->inserter, .self = made, .name_id = trace_name_id};
    enum wl_code code = wl_inserter_open(&made->inserter, made->path, error);
    if (code != WL_OK) {
        free(made->path);
        free(made);
        return code;
    }
    put_meta(made);
    *writer = made;
    return WL_OK;
}

void wl_report_writer_put_session(struct wl_report_writer *writer,
                                  const struct wl_record_attribute *session, size_t count)
{
    for (size_t i = 0; i < count; i++)
        WL_INSERT(&writer->inserter, WL_TABLE_SESSION, WL_INTEGER(++writer->session_rows),
                  WL_TEXT(session[i].name), WL_TEXT_OR_NULL(session[i].text),
                  number_or_null(&session[i]));
}

static void add_sources(struct wl_report_writer *writer,
                        const struct wl_report_writer_sources *sources)
{
    const char **files = wl_alloc_zero(writer->names.count + 1, sizeof *files);
    wl_keys_list(&writer->names, files);
    for (int64_t id = 1; id <= (int64_t)writer->names.count; id++)
        if (wl_keys_find_number(&writer->source_files, (uint64_t)id))
            wl_report_source_add(&writer->inserter, id, files[id], sources);
    free(files);
}

enum wl_code wl_report_writer_close(struct wl_report_writer *writer,
                                    const struct wl_report_writer_sources *sources,
                                    struct wl_error *error)
{
    add_sources(writer, sources);
    if (writer->are_launches_unordered)
        wl_launch_order_renumber(&writer->inserter);
    enum wl_code code = wl_inserter_close(&writer->inserter, error);
    struct wl_keys *const keys[] = {&writer->names,
                                    &writer->source_files,
                                    &writer->modules,
                                    &writer->kernels,
                                    &writer->attribute_sets,
                                    &writer->value_sets,
                                    &writer->instruction_value_sets};
    for (size_t i = 0; i < WL_COUNT(keys); i++)
        wl_keys_free(keys[i]);
    wl_timeline_rows_free(&writer->trace);
    for (size_t i = 0; i < writer->known.count; i++)
        free(writer->known.items[i].host);
    free(writer->known.items);
    free(writer->notes.items);
    free(writer->path);
    free(writer);
    return code;
}
