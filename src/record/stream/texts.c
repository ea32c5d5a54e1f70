#include "record/stream/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/stream/pass.h"
#include "record/stream/stream.h"

struct module {
    uint64_t id;
    char *name;
};

struct rewrite {
    struct wl_stream_pass pass;
    const struct wl_stream_texts *texts;
    WL_VECTOR(struct module) modules;
};

static void put_module(void *self, const struct wl_record_module *record)
{
    struct rewrite *rewrite = self;
    struct module module = {record->id, wl_string_copy(record->name)};
    WL_PUSH(&rewrite->modules, module);
    rewrite->pass.out->put_module(rewrite->pass.out->self, record);
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
    rewrite->pass.out->put_kernel(rewrite->pass.out->self, &written);
    for (size_t i = 0; i < 2 * count; i++)
        free(kept[i]);
    free(kept);
    free(instructions);
}

enum wl_code wl_stream_add_texts(const char *path, const struct wl_stream_texts *texts,
                                 const char *folder, struct wl_error *error)
{
    struct wl_stream_writer *writer = NULL;
    enum wl_code code = wl_stream_writer_open(folder, &writer, error);
    if (code)
        return code;
    struct rewrite rewrite = {.texts = texts, .pass.out = wl_stream_writer_sink(writer)};
    struct wl_sink sink = wl_stream_pass_sink(&rewrite.pass);
    sink.put_module = put_module;
    sink.put_kernel = put_kernel;
    code = wl_stream_replay(path, &sink, NULL, error);
    wl_stream_writer_close(writer);
    for (size_t i = 0; i < rewrite.modules.count; i++)
        free(rewrite.modules.items[i].name);
    free(rewrite.modules.items);
    return code;
}
