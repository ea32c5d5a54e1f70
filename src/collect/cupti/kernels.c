#include "collect/cupti/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/demangle.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "binary/binary.h"
#include "binary/lines.h"

/* A program may load libraries of hundreds of megabytes; their code is not kept. */
enum {
    saved_bytes_max = 16 << 20,
    module_bytes_max = 64 << 20,
    modules_bytes_max = 256 << 20,
    instruction_bytes = 16
};

struct wl_collect_module {
    uint64_t id;
    uint64_t crc; /* CUPTI's name for it */
    uint8_t *bytes;
    size_t size_bytes;
    struct wl_cubin kernels;
    bool is_parsed, is_sent;
};

/* ---- modules ---- */

void wl_collect_module_add(struct wl_collect_kernels *kernels, const void *cubin, size_t size_bytes)
{
    static const char magic[] = "\177ELF";
    if (!cubin || size_bytes < sizeof magic || size_bytes > module_bytes_max ||
        kernels->module_bytes + size_bytes > modules_bytes_max || memcmp(cubin, magic, 4) != 0)
        return;
    struct wl_collect_module *module = wl_alloc_zero(1, sizeof *module);
    module->bytes = wl_alloc(size_bytes);
    module->size_bytes = size_bytes;
    memcpy(module->bytes, cubin, size_bytes);
    module->id = kernels->modules.count + 1;
    kernels->module_bytes += size_bytes;
    WL_PUSH(&kernels->modules, module);
}

static void parse_module(struct wl_collect_module *module)
{
    if (module->is_parsed)
        return;
    module->is_parsed = true;
    wl_cubin_read(module->bytes, module->size_bytes, &module->kernels, NULL);
}

/* The last module that has it; kernels of the same name in several cannot be distinguished. */
static void find_code(struct wl_collect_kernels *kernels, struct wl_collect_kernel *kernel)
{
    for (size_t i = kernels->modules.count; i-- > 0 && !kernel->module;) {
        struct wl_collect_module *module = kernels->modules.items[i];
        parse_module(module);
        for (size_t k = 0; k < module->kernels.count; k++) {
            const struct wl_cubin_kernel *found = &module->kernels.items[k];
            if (strcmp(found->name, kernel->mangled) != 0)
                continue;
            kernel->module = module;
            kernel->code_bytes = found->code_bytes;
            kernel->barriers = found->barriers;
            kernel->spill_store_bytes = found->spill_store_bytes;
            kernel->spill_load_bytes = found->spill_load_bytes;
            break;
        }
    }
}

/* For the launcher, which disassembles it when the program has ended. */
static void save_code(const struct wl_collect_kernels *kernels,
                      const struct wl_collect_module *module, const char *name)
{
    char *path =
        wl_string_format("%s/%s.cubin", kernels->core->input.settings->stream_folder, name);
    if (module->size_bytes <= saved_bytes_max)
        wl_file_write(path, (const char *)module->bytes, module->size_bytes, NULL);
    free(path);
}

static void read_crc(const struct wl_collect_kernels *kernels, struct wl_collect_module *module)
{
    struct wl_cupti_cubin_crc crc = {WL_CUPTI_INIT(wl_cupti_cubin_crc),
                                     .cubin_bytes = module->size_bytes, .cubin = module->bytes};
    if (!module->crc && kernels->core->cupti.cuptiGetCubinCrc &&
        kernels->core->cupti.cuptiGetCubinCrc(&crc) == 0)
        module->crc = crc.crc;
}

static void send_module(struct wl_collect_kernels *kernels, struct wl_collect_module *module)
{
    const struct wl_sink *sink = kernels->core->input.sink;
    if (module->is_sent)
        return;
    read_crc(kernels, module);
    char *name = wl_string_format("cubin-%016llx", (unsigned long long)module->crc);
    struct wl_record_module record = {.id = module->id, .name = name, .text = "", .options = ""};
    if (sink->put_module)
        sink->put_module(sink->self, &record);
    if (kernels->is_code_wanted)
        save_code(kernels, module, name);
    module->is_sent = true;
    free(name);
}

/* ---- kernels ---- */

struct wl_collect_kernel *wl_collect_kernel_find(struct wl_collect_kernels *kernels,
                                                 const char *mangled)
{
    struct wl_collect_kernel *kernel = NULL;
    HASH_FIND_STR(kernels->items, mangled, kernel);
    if (kernel)
        return kernel;
    kernel = wl_alloc_zero(1, sizeof *kernel);
    kernel->mangled = wl_string_copy(mangled);
    kernel->demangled = wl_demangle(mangled);
    kernel->function = wl_demangle_function(mangled);
    kernel->id = ++kernels->count;
    kernel->carveout_pct = -1;
    HASH_ADD_KEYPTR(hh, kernels->items, kernel->mangled, strlen(kernel->mangled), kernel);
    return kernel;
}

void wl_collect_kernel_read_attributes(const struct wl_collect_kernels *kernels,
                                       struct wl_collect_kernel *kernel,
                                       struct wl_cuda_function *function)
{
    static const struct {
        int attribute;
        size_t offset;
    } rows[] = {
        {WL_CUDA_FUNCTION_REGISTERS, offsetof(struct wl_collect_kernel, registers)},
        {WL_CUDA_FUNCTION_SHARED_BYTES, offsetof(struct wl_collect_kernel, shared_bytes)},
        {WL_CUDA_FUNCTION_LOCAL_BYTES, offsetof(struct wl_collect_kernel, local_bytes)},
        {WL_CUDA_FUNCTION_CONSTANT_BYTES, offsetof(struct wl_collect_kernel, constant_bytes)},
        {WL_CUDA_FUNCTION_MAX_THREADS, offsetof(struct wl_collect_kernel, max_threads)},
        {WL_CUDA_FUNCTION_CARVEOUT, offsetof(struct wl_collect_kernel, carveout_pct)},
    };
    int value = 0;
    if (kernel->has_attributes || !function)
        return;
    /* launches take kernels of libraries, too; only functions have attributes */
    if (kernels->core->cuda.function_attribute(&value, WL_CUDA_FUNCTION_REGISTERS, function) != 0) {
        struct wl_cuda_function *own = NULL;
        if (kernels->core->cuda.kernel_function(&own, function) != 0 || !own)
            return;
        function = own;
    }
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (kernels->core->cuda.function_attribute(&value, rows[i].attribute, function) == 0)
            memcpy((char *)kernel + rows[i].offset, &value, sizeof value);
    kernel->has_attributes = kernel->registers > 0;
}

/* Texts that the records of a kernel's instructions point to. */
struct texts {
    WL_VECTOR_FIELDS(char *);
};

static const char *keep(struct texts *texts, char *text)
{
    WL_PUSH(texts, text);
    return text;
}

/* "file:line:column" of each caller, innermost first. */
static char *describe_callers(const struct wl_cubin_lines *lines, const struct wl_cubin_line *row)
{
    struct wl_text text = {0};
    for (int depth = 0; row->caller && depth < 32; depth++) {
        row = &lines->items[row->caller - 1];
        wl_text_addf(&text, "%s%s:%u:%u", text.length ? "\n" : "", row->file, row->line,
                     row->column);
    }
    return wl_text_take(&text);
}

static void place(struct wl_record_instruction *record, const struct wl_cubin_lines *lines,
                  struct texts *texts)
{
    size_t found = wl_cubin_lines_find(lines, record->index * instruction_bytes);
    if (found >= lines->count)
        return;
    const struct wl_cubin_line *row = &lines->items[found];
    record->file = row->file;
    record->line = row->line;
    record->column = row->column;
    if (!row->caller)
        return;
    record->inlined_at = keep(texts, describe_callers(lines, row));
    record->function = keep(texts, wl_demangle_function(row->function));
}

/* free() the result. */
static struct wl_record_instruction *make_instructions(const struct wl_collect_kernel *kernel,
                                                       const struct wl_cubin_lines *lines,
                                                       size_t *count, struct texts *texts)
{
    *count = kernel->code_bytes / instruction_bytes;
    struct wl_record_instruction *records = wl_alloc_zero(*count + 1, sizeof *records);
    for (size_t i = 0; i < *count; i++) {
        records[i] = (struct wl_record_instruction){
            .index = (uint32_t)i,
            .text = keep(texts, wl_string_format("0x%04zx", i * instruction_bytes)),
            .opcode = "",
            .pipe = "",
            .file = "",
            .inlined_at = "",
            .function = "",
        };
        place(&records[i], lines, texts);
    }
    return records;
}

static void add_number(struct wl_attribute_list *list, const char *name, double number)
{
    WL_PUSH(list, ((struct wl_record_attribute){name, NULL, number}));
}

static void describe(struct wl_collect_kernels *kernels, const struct wl_collect_kernel *kernel)
{
    struct wl_attribute_list *list = &kernels->attributes;
    list->count = 0;
    if (kernel->has_attributes) {
        WL_PUSH(list, ((struct wl_record_attribute){"kernel__registers_source", "driver", 0}));
        add_number(list, "kernel__registers_per_thread", kernel->registers);
        add_number(list, "kernel__shared_static_bytes", kernel->shared_bytes);
        add_number(list, "kernel__local_bytes", kernel->local_bytes);
        add_number(list, "kernel__max_threads_per_block", kernel->max_threads);
    }
    if (!kernel->module)
        return;
    add_number(list, "kernel__barriers", kernel->barriers);
    add_number(list, "kernel__spill_store_bytes", kernel->spill_store_bytes);
    add_number(list, "kernel__spill_load_bytes", kernel->spill_load_bytes);
}

void wl_collect_kernel_send(struct wl_collect_kernels *kernels, struct wl_collect_kernel *kernel)
{
    const struct wl_sink *sink = kernels->core->input.sink;
    size_t count = 0;
    struct texts texts = {0};
    struct wl_cubin_lines lines = {0};
    if (kernel->is_sent)
        return;
    kernel->is_sent = true;
    find_code(kernels, kernel);
    if (kernel->module)
        send_module(kernels, kernel->module);
    bool has_code = kernel->module && kernels->is_code_wanted;
    if (has_code)
        wl_cubin_lines_read(kernel->module->bytes, kernel->module->size_bytes, kernel->mangled,
                            &lines, NULL);
    struct wl_record_instruction *instructions =
        has_code ? make_instructions(kernel, &lines, &count, &texts) : NULL;
    describe(kernels, kernel);
    struct wl_record_kernel record = {
        .id = kernel->id,
        .module_id = kernel->module ? kernel->module->id : 0,
        .mangled = kernel->mangled,
        .demangled = kernel->demangled,
        .function = kernel->function,
        .instructions = instructions,
        .instruction_count = count,
        .attributes = kernels->attributes.items,
        .attribute_count = kernels->attributes.count,
    };
    if (sink->put_kernel)
        sink->put_kernel(sink->self, &record);
    free(instructions);
    for (size_t i = 0; i < texts.count; i++)
        free(texts.items[i]);
    free(texts.items);
    wl_cubin_lines_free(&lines);
}

void wl_collect_kernels_forget(struct wl_collect_kernels *kernels)
{
    struct wl_collect_kernel *kernel, *next;
    for (size_t i = 0; i < kernels->modules.count; i++)
        kernels->modules.items[i]->is_sent = false;
    HASH_ITER(hh, kernels->items, kernel, next)
    {
        kernel->is_sent = false;
    }
}

void wl_collect_kernels_free(struct wl_collect_kernels *kernels)
{
    struct wl_collect_kernel *kernel, *next;
    HASH_ITER(hh, kernels->items, kernel, next)
    {
        HASH_DEL(kernels->items, kernel);
        free(kernel->mangled);
        free(kernel->demangled);
        free(kernel->function);
        free(kernel);
    }
    for (size_t i = 0; i < kernels->modules.count; i++) {
        wl_cubin_free(&kernels->modules.items[i]->kernels);
        free(kernels->modules.items[i]->bytes);
        free(kernels->modules.items[i]);
    }
    free(kernels->modules.items);
    free(kernels->attributes.items);
}
