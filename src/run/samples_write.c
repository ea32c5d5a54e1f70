/* Samples as streams: addresses become functions and lines, stacks that look alike become one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/text.h"
#include "record/collectors.h"
#include "record/stream/stream.h"
#include "run/samples_kept.h"
#include "warplens/version.h"

struct frame {
    int64_t function, file, library; /* names of the stream */
    uint32_t line;
    bool is_ours, is_system;
};

/* What is written for one process. */
struct process {
    const struct wl_samples *samples;
    const struct wl_samples_writing *writing;
    struct wl_keys names, addresses; /* addresses: rows of frames, of the image at hand */
    WL_VECTOR(char *) texts;         /* of names */
    WL_VECTOR(struct frame) frames;
    struct wl_keys by_place; /* rows of records */
    WL_VECTOR(struct wl_timeline_record) records;
    uint64_t samples_in_ours;
};

static int64_t name_id(struct process *process, const char *name)
{
    int64_t id;
    if (!wl_keys_intern(&process->names, name, strlen(name), &id))
        WL_PUSH(&process->texts, wl_string_copy(name));
    return id;
}

/* ---- an address ---- */

static const struct wl_source_map *find_map(const struct wl_source_map *maps, size_t count,
                                            uint64_t address)
{
    for (size_t i = count;
         i-- > 0;) /* what was mapped last has taken the place of what was there */
        if (address - maps[i].start < maps[i].length)
            return &maps[i];
    return NULL;
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static bool is_of_system(const char *library)
{
    static const char *const names[] = {"libc.so",   "libm.so",  "ld-linux", "libpthread",
                                        "libstdc++", "libgcc_s", "[vdso]"};
    for (size_t i = 0; i < WL_COUNT(names); i++)
        if (wl_text_starts(library, names[i]))
            return true;
    return false;
}

/* The functions that only begin a program or a thread. */
static bool is_start(const char *function)
{
    static const char *const names[] = {
        "_start", "__libc_start_main", "__libc_start_call_main", "start_thread", "clone3", "clone"};
    for (size_t i = 0; i < WL_COUNT(names); i++)
        if (strcmp(function, names[i]) == 0)
            return true;
    return false;
}

/* Where the address of a caller is that behind its call, the line is that of the byte before. */
static struct frame read_frame(struct process *process, struct wl_source_maps *places,
                               const struct wl_source_map *map, uint64_t address, bool is_caller)
{
    const char *library = map ? base_name(map->file) : "";
    struct frame frame = {.is_ours =
                              map && wl_text_starts(map->file, process->writing->library_folder),
                          .is_system = is_of_system(library),
                          .library = map ? name_id(process, map->file) : 0};
    struct wl_source_place place;
    bool is_found = wl_source_maps_find(places, address - is_caller, &place);
    if (is_found && place.function) {
        frame.function =
            is_caller && is_start(place.function) ? 0 : name_id(process, place.function);
    } else if (!is_caller || (map && !frame.is_system)) {
        char *name = wl_string_format("(%s)", map ? library : "unknown code");
        frame.function = name_id(process, name);
        free(name);
    }
    if (is_found && place.file) {
        frame.file = name_id(process, place.file);
        frame.line = place.line;
    }
    if (is_found)
        wl_source_place_free(&place);
    return frame;
}

/* All code that the image has, its parent's before its own. */
struct code {
    WL_VECTOR(struct wl_source_map) maps;
    struct wl_source_maps *places;
};

static void add_maps(const struct wl_samples *samples, size_t image, int depth, struct code *code)
{
    const struct wl_sample_image *from = &samples->images.items[image];
    if (from->parent && depth < 64)
        add_maps(samples, from->parent - 1, depth + 1, code);
    for (size_t i = 0; i < from->maps.count; i++)
        WL_PUSH(&code->maps, from->maps.items[i]);
}

static const struct frame *look_up(struct process *process, const struct code *code,
                                   uint64_t address, bool is_caller)
{
    const uint64_t key = address << 1 | is_caller;
    int64_t row = wl_keys_find_number(&process->addresses, key);
    if (!row) {
        const struct wl_source_map *map =
            find_map(code->maps.items, code->maps.count, address - is_caller);
        struct frame frame = read_frame(process, code->places, map, address, is_caller);
        WL_PUSH(&process->frames, frame);
        row = (int64_t)process->frames.count;
        wl_keys_set_number(&process->addresses, key, row);
    }
    return &process->frames.items[row - 1];
}

/* ---- a stack ---- */

/* The simulated GPU, our collector: the first that is none of the system's libraries says it. */
static bool is_in_ours(struct process *process, const struct code *code,
                       const struct wl_sample_stack *stack)
{
    for (uint32_t i = 0; i < stack->depth; i++) {
        const struct frame *frame = look_up(process, code, stack->addresses[i], i > 0);
        if (!frame->is_system)
            return frame->is_ours;
    }
    return false;
}

/* "main;solve", of those that called the innermost, outermost first; 0: none. */
static int64_t name_callers(struct process *process, const struct code *code,
                            const struct wl_sample_stack *stack)
{
    struct wl_text text = {0};
    for (uint32_t i = stack->depth; process->writing->has_stacks && i-- > 1;) {
        int64_t function = look_up(process, code, stack->addresses[i], true)->function;
        if (function)
            wl_text_addf(&text, "%s%s", text.length ? ";" : "", process->texts.items[function - 1]);
    }
    int64_t id = text.length ? name_id(process, text.data) : 0;
    wl_text_free(&text);
    return id;
}

static void add_stack(struct process *process, const struct code *code,
                      const struct wl_sample_stack *stack)
{
    if (is_in_ours(process, code, stack)) {
        process->samples_in_ours += stack->count;
        return;
    }
    struct frame leaf = *look_up(process, code, stack->addresses[0], false);
    int64_t callers = name_callers(process, code, stack);
    const int64_t place[] = {stack->thread, leaf.function, leaf.file,
                             leaf.line,     leaf.library,  callers};
    int64_t row;
    if (!wl_keys_intern(&process->by_place, place, sizeof place, &row)) {
        struct wl_timeline_record record = {
            .start = process->samples->start_ns,
            .end = process->samples->start_ns,
            .name = (uint32_t)leaf.function,
            .category = WL_TIMELINE_CPU_SAMPLE,
            .thread = stack->thread,
            .words = {0, 0, (uint64_t)callers, (uint64_t)leaf.file, leaf.line,
                      (uint64_t)leaf.library},
        };
        WL_PUSH(&process->records, record);
    }
    struct wl_timeline_record *record = &process->records.items[row - 1];
    record->words[0] += stack->count;
    record->words[1] = record->words[0] * 1000000000 / process->writing->frequency_hz;
}

/* ---- a process ---- */

static void add_image(struct process *process, size_t image)
{
    const struct wl_samples *samples = process->samples;
    struct code code = {0};
    add_maps(samples, image, 0, &code);
    code.places = wl_source_maps_open(code.maps.items, code.maps.count);
    for (size_t i = 0; i < samples->stacks.count; i++)
        if (samples->stacks.items[i].image == image)
            add_stack(process, &code, &samples->stacks.items[i]);
    wl_source_maps_free(code.places);
    free(code.maps.items);
    wl_keys_free(&process->addresses);
    process->frames.count = 0;
}

static void add_threads(struct process *process, uint32_t pid)
{
    for (size_t i = 0; i < process->samples->threads.count; i++) {
        const struct wl_sample_thread *thread = &process->samples->threads.items[i];
        struct wl_timeline_record record = {
            .start = process->samples->start_ns,
            .end = process->samples->start_ns,
            .category = WL_TIMELINE_CPU_SWITCH,
            .thread = thread->thread,
            .words = {thread->switches, thread->preempted, thread->waited_ns},
        };
        if (thread->pid == pid)
            WL_PUSH(&process->records, record);
    }
}

/* The file that was executed: the first that the program has, its interpreter apart. */
static const char *executable_of(const struct wl_sample_image *image)
{
    return image->maps.count ? image->maps.items[0].file : image->name;
}

static void put_all(const struct process *process, const struct wl_sample_image *image,
                    const struct wl_sink *sink)
{
    char host[128] = "";
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    const struct wl_record_process record = {
        .pid = image->pid,
        .host = host,
        .executable = executable_of(image),
        .executable_hash = "",
        .command_line = image->name,
        .start_ns = process->samples->start_ns,
        .version = WL_VERSION_STRING,
        .collector = wl_collector_facts[WL_COLLECTOR_ID_SAMPLES].name,
        .rank = -1,
        .rank_count = -1,
    };
    const struct wl_record_trace_names put_names = {1, (const char *const *)process->texts.items,
                                                    process->texts.count};
    const struct wl_record_trace trace = {process->records.items, process->records.count};
    sink->put_process(sink->self, &record);
    if (put_names.count)
        sink->put_trace_names(sink->self, &put_names);
    if (process->samples_in_ours || process->samples->lost || process->samples->not_kept) {
        char *text = wl_string_format(
            "samples of the processor: %" PRIu64 " were in Warplens itself, %" PRIu64
            " were lost, %" PRIu64 " found no room",
            process->samples_in_ours, process->samples->lost, process->samples->not_kept);
        sink->put_note(sink->self,
                       &(struct wl_record_note){WL_NOTE_INFO, "cpu-samples", text, "", -1});
        free(text);
    }
    sink->put_trace(sink->self, &trace);
    sink->put_end(sink->self, -1, wl_clock_realtime_ns());
}

static enum wl_code write_process(const struct wl_samples *samples, size_t last,
                                  const struct wl_samples_writing *writing, struct wl_error *error)
{
    struct process process = {.samples = samples, .writing = writing};
    struct wl_stream_writer *writer = NULL;
    enum wl_code code = WL_OK;
    uint32_t pid = samples->images.items[last].pid;
    for (size_t i = 0; i <= last; i++)
        if (samples->images.items[i].pid == pid)
            add_image(&process, i);
    add_threads(&process, pid);
    if (process.records.count)
        code = wl_stream_writer_open(writing->folder, &writer, error);
    if (writer) {
        put_all(&process, &samples->images.items[last], wl_stream_writer_sink(writer));
        wl_stream_writer_close(writer);
    }
    for (size_t i = 0; i < process.texts.count; i++)
        free(process.texts.items[i]);
    free(process.texts.items);
    wl_keys_free(&process.names);
    wl_keys_free(&process.by_place);
    free(process.frames.items);
    free(process.records.items);
    return code;
}

enum wl_code wl_samples_write(const struct wl_samples *samples,
                              const struct wl_samples_writing *writing, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (size_t i = 0; i < samples->images.count && !code; i++)
        if (wl_keys_find_number(&samples->by_pid, samples->images.items[i].pid) == (int64_t)i + 1)
            code = write_process(samples, i, writing, error);
    return code;
}
