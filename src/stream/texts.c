#include "stream/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stream/stream.h"

struct module {
    uint64_t id;
    char *name;
};

struct rewrite {
    const struct wl_stream_texts *texts;
    const struct wl_sink *out;
    struct {
        struct module *items;
        size_t count, capacity;
    } modules;
};

static void put_process(void *self, const struct wl_record_process *record)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_process(rewrite->out->self, record);
}

static void put_device(void *self, const struct wl_record_device *record)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_device(rewrite->out->self, record);
}

static void put_module(void *self, const struct wl_record_module *record)
{
    struct rewrite *rewrite = self;
    struct module module = {record->id, wl_string_copy(record->name)};
    WL_PUSH(&rewrite->modules, module);
    rewrite->out->put_module(rewrite->out->self, record);
}

static const char *module_name(const struct rewrite *rewrite, uint64_t id)
{
    for (size_t i = rewrite->modules.count; i-- > 0;)
        if (rewrite->modules.items[i].id == id)
            return rewrite->modules.items[i].name;
    return "";
}

static void put_kernel(void *self, const struct wl_record_kernel *record)
{
    const struct rewrite *rewrite = self;
    const struct wl_stream_texts *texts = rewrite->texts;
    const char *module = module_name(rewrite, record->module_id), *text, *opcode;
    size_t count = record->instruction_count;
    struct wl_record_kernel written = *record;
    struct wl_record_instruction *instructions = wl_alloc_zero(count + 1, sizeof *instructions);
    char **kept = wl_alloc_zero(2 * count + 1, sizeof *kept);
    for (size_t i = 0; i < count; i++) {
        instructions[i] = record->instructions[i];
        if (!texts->find(texts->self, module, record->mangled, instructions[i].index, &text,
                         &opcode))
            continue;
        instructions[i].text = kept[2 * i] = wl_string_copy(text);
        instructions[i].opcode = kept[2 * i + 1] = wl_string_copy(opcode);
    }
    written.instructions = instructions;
    rewrite->out->put_kernel(rewrite->out->self, &written);
    for (size_t i = 0; i < 2 * count; i++)
        free(kept[i]);
    free(kept);
    free(instructions);
}

static void put_launch(void *self, const struct wl_record_launch *record)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_launch(rewrite->out->self, record);
}

static void put_note(void *self, const struct wl_record_note *record)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_note(rewrite->out->self, record);
}

static void put_trace_names(void *self, const struct wl_record_trace_names *record)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_trace_names(rewrite->out->self, record);
}

static void put_trace(void *self, const struct wl_record_trace *record)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_trace(rewrite->out->self, record);
}

static void put_trace_end(void *self, const struct wl_record_trace_end *record)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_trace_end(rewrite->out->self, record);
}

static void put_end(void *self, int exit_code, uint64_t end_ns)
{
    const struct rewrite *rewrite = self;
    rewrite->out->put_end(rewrite->out->self, exit_code, end_ns);
}

enum wl_code wl_stream_add_texts(const char *path, const struct wl_stream_texts *texts,
                                 const char *folder, struct wl_error *error)
{
    struct wl_stream_writer *writer = NULL;
    enum wl_code code = wl_stream_writer_open(folder, &writer, error);
    if (code)
        return code;
    struct rewrite rewrite = {.texts = texts, .out = wl_stream_writer_sink(writer)};
    const struct wl_sink sink = {
        .self = &rewrite,
        .put_process = put_process,
        .put_device = put_device,
        .put_module = put_module,
        .put_kernel = put_kernel,
        .put_launch = put_launch,
        .put_note = put_note,
        .put_end = put_end,
        .put_trace_names = put_trace_names,
        .put_trace = put_trace,
        .put_trace_end = put_trace_end,
    };
    code = wl_stream_replay(path, &sink, NULL, error);
    wl_stream_writer_close(writer);
    for (size_t i = 0; i < rewrite.modules.count; i++)
        free(rewrite.modules.items[i].name);
    free(rewrite.modules.items);
    return code;
}
