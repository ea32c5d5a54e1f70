#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/core/beside.h"
#include "device/core/handles.h"
#include "device/kernel/state.h"
#include "device/memory/state.h"
#include "ptx/lower/lower.h"

#define WRAPPER_MAGIC 0x466243B1u
#define CONTAINER_MAGIC 0xBA55ED50u
#define CONTAINER_HEADER_BYTES 16
#define ELF_MAGIC 0x464C457Fu

static const char wrong_text[] = "the PTX of the kernel has an error";

static struct wl_device_module *add_module(const char *name)
{
    struct wl_device_module *module = wl_alloc_zero(1, sizeof *module);
    module->name = wl_string_copy(name);
    module->next = wl_device_kernels.modules;
    if (module->next)
        module->next->previous = module;
    wl_device_kernels.modules = module;
    return module;
}

struct wl_device_module *wl_device_module_register(const void *wrapper)
{
    wl_device_enter_beside();
    struct wl_device_module *module = add_module("program");
    module->wrapper = wrapper;
    wl_device_leave();
    return module;
}

/* Where they are in one piece of memory, the lowest is its start. */
static void drop_variables(const struct wl_device_image *image)
{
    uint64_t lowest = 0;
    for (uint32_t i = 0; image->parsed && i < image->parsed->variable_count; i++) {
        const uint64_t address = image->variable_addresses[i];
        if (address && wl_device.options.padding_bytes)
            wl_device_memory_drop(address);
        else if (address && (!lowest || address < lowest))
            lowest = address;
    }
    if (lowest)
        wl_device_memory_drop(lowest);
}

static void free_image(struct wl_device_image *image)
{
    drop_variables(image);
    free(image->variable_addresses);
    if (image->parsed)
        wl_ptx_module_free(image->parsed);
    free(image->ptx.bytes);
    free(image->ptx.options);
    free(image->ptx.source_name);
}

void wl_device_module_free(struct wl_device_module *module)
{
    struct wl_device_kernel *kernel, *next;
    HASH_ITER(hh, module->kernels, kernel, next)
    {
        HASH_DEL(module->kernels, kernel);
        wl_device_kernel_free(kernel);
    }
    for (size_t i = 0; i < module->image_count; i++)
        free_image(&module->images[i]);
    free(module->images);
    wl_cubin_free(&module->cubin);
    if (module->next)
        module->next->previous = module->previous;
    if (module->previous)
        module->previous->next = module->next;
    else
        wl_device_kernels.modules = module->next;
    free(module->name);
    free(module);
}

static void unload(void *module)
{
    wl_device_module_free(module);
}

/* A program that ends unloads, too. */
void wl_device_module_unload(struct wl_device_module *module)
{
    wl_device_enter_at_end();
    if (wl_device_beside_is_busy())
        wl_device_beside_add(&(struct wl_device_task){.finish = unload, .self = module});
    else
        unload(module);
    wl_device_leave();
}

/* Keeps the text as one more image of the module. */
static void take_text(struct wl_device_module *module, const char *text, bool copies)
{
    module->images = wl_resize(module->images, module->image_count + 1, sizeof *module->images);
    struct wl_device_image *image = &module->images[module->image_count++];
    *image = (struct wl_device_image){0};
    image->text_bytes = strlen(text);
    if (copies)
        image->ptx.bytes = (uint8_t *)wl_string_copy(text);
    image->text = copies ? (const char *)image->ptx.bytes : text;
    image->info.name = module->name;
    image->info.options = "";
    image->info.is_stand_in = module->is_stand_in;
}

/* Joined texts: a magic line, then each text with its NUL, then an empty one. One of them may be a
 * limit of registers. Programs keep such images in files, as hashcat does: old ones are read. */
static const char joined_magic[] = "//warplens-joined-ptx\n";
static const char limit_mark[] = "//registers ";

void *wl_device_module_join(const char *const *texts, size_t count, uint32_t register_limit,
                            size_t *size_bytes)
{
    struct wl_text joined = {0};
    wl_text_add(&joined, joined_magic);
    if (register_limit) {
        wl_text_addf(&joined, "%s%u", limit_mark, register_limit);
        wl_text_add_char(&joined, '\0');
    }
    for (size_t i = 0; i < count; i++)
        if (*texts[i])
            wl_text_add_bytes(&joined, texts[i], strlen(texts[i]) + 1);
    wl_text_add_char(&joined, '\0');
    *size_bytes = joined.length;
    return wl_text_take(&joined);
}

static void take_joined(struct wl_device_module *module, const char *joined)
{
    for (const char *text = joined + strlen(joined_magic); *text; text += strlen(text) + 1) {
        if (strncmp(text, limit_mark, strlen(limit_mark)) == 0)
            module->register_limit = (uint32_t)strtoul(text + strlen(limit_mark), NULL, 10);
        else
            take_text(module, text, true);
    }
}

static int read_image(struct wl_device_module *module, const void *bytes)
{
    struct wl_fatbin fatbin = {0};
    struct wl_error error = {0};
    uint32_t magic;
    uint64_t size_bytes;
    enum wl_code code;
    memcpy(&magic, bytes, sizeof magic);
    if (magic == ELF_MAGIC) {
        wl_device_note(2, "no-image",
                       "load PTX instead; where nvcc compiled it while the program runs, PyCUDA "
                       "say, put the folder nvcc beside the simulated libraries before PATH",
                       "the program loads machine code, which the simulated GPU cannot run "
                       "(error 209)");
        return WL_DEVICE_NO_IMAGE;
    }
    if (magic == WRAPPER_MAGIC) {
        code = wl_fatbin_read_wrapper(bytes, &fatbin, &error);
    } else if (magic == CONTAINER_MAGIC) {
        memcpy(&size_bytes, (const char *)bytes + 8, sizeof size_bytes);
        code = wl_fatbin_read(bytes, size_bytes + CONTAINER_HEADER_BYTES, &fatbin, &error);
    } else if (!strncmp(bytes, joined_magic, strlen(joined_magic))) {
        take_joined(module, bytes);
        return WL_DEVICE_OK;
    } else if (!strstr(bytes, ".version")) {
        return WL_DEVICE_INVALID_IMAGE;
    } else {
        take_text(module, bytes, true);
        return WL_DEVICE_OK;
    }
    int result = WL_DEVICE_INVALID_IMAGE;
    if (code == WL_OK)
        result = wl_device_image_choose(&fatbin, module);
    else
        wl_device_note(2, "bad-image", error.hint,
                       "the program's fat binary cannot be read: %s%s%s", error.message,
                       *error.where ? " at " : "", error.where);
    wl_fatbin_free(&fatbin);
    return result;
}

int wl_device_module_open(struct wl_device_module *module)
{
    if (module->is_loaded)
        return module->load_code;
    module->is_loaded = true;
    module->load_code = read_image(module, module->wrapper);
    return module->load_code;
}

static bool is_placed(const struct wl_ptx_variable *variable)
{
    return !variable->is_extern &&
           (variable->space == WL_PTX_SPACE_GLOBAL || variable->space == WL_PTX_SPACE_CONST);
}

/* Of each variable of global memory, as an H200 has them (tests/behaviour): what accesses touch
 * hangs on it, and what lies behind a variable. */
enum { VARIABLE_ALIGNMENT = 256 };

/* Lays the variables of the space out behind what there is; the number of bytes then. UINT64_MAX:
 * one is larger than the GPU's memory. */
static uint64_t lay_out_space(struct wl_device_image *image, enum wl_ptx_space space,
                              uint64_t alignment, uint64_t size_bytes)
{
    const struct wl_ptx_module *parsed = image->parsed;
    size_bytes = wl_align_up(size_bytes, VARIABLE_ALIGNMENT);
    for (uint32_t i = 0; i < parsed->variable_count; i++) {
        const struct wl_ptx_variable *variable = &parsed->variables[i];
        if (!is_placed(variable) || variable->space != space)
            continue;
        if (variable->size_bytes > wl_device.gpu.memory_bytes)
            return UINT64_MAX;
        size_bytes = wl_align_up(size_bytes,
                                 variable->alignment > alignment ? variable->alignment : alignment);
        image->variable_addresses[i] = size_bytes;
        size_bytes += variable->size_bytes;
    }
    return size_bytes;
}

/* All in one piece of memory: constants, then the others. */
static int lay_out_together(struct wl_device_image *image)
{
    const struct wl_ptx_module *parsed = image->parsed;
    uint64_t base = 0, size_bytes = lay_out_space(image, WL_PTX_SPACE_CONST, 1, 0);
    if (size_bytes != UINT64_MAX)
        size_bytes = lay_out_space(image, WL_PTX_SPACE_GLOBAL, VARIABLE_ALIGNMENT, size_bytes);
    if (size_bytes == UINT64_MAX ||
        (size_bytes && wl_device_memory_take(WL_DEVICE_MEMORY_MODULE, size_bytes, 0, &base))) {
        memset(image->variable_addresses, 0,
               parsed->variable_count * sizeof *image->variable_addresses);
        return WL_DEVICE_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < parsed->variable_count; i++)
        if (is_placed(&parsed->variables[i]))
            image->variable_addresses[i] += base;
    return WL_DEVICE_OK;
}

/* Each in memory of its own, so that what runs from one into the next is seen. */
static int lay_out_apart(struct wl_device_image *image)
{
    const struct wl_ptx_module *parsed = image->parsed;
    for (uint32_t i = 0; i < parsed->variable_count; i++) {
        const struct wl_ptx_variable *variable = &parsed->variables[i];
        const uint64_t size_bytes = variable->size_bytes ? variable->size_bytes : 1;
        if (is_placed(variable) && wl_device_memory_take(WL_DEVICE_MEMORY_MODULE, size_bytes, 0,
                                                         &image->variable_addresses[i]))
            return WL_DEVICE_OUT_OF_MEMORY;
    }
    return WL_DEVICE_OK;
}

static void lay_out_variables(struct wl_device_image *image)
{
    image->variable_addresses =
        wl_alloc_zero(image->parsed->variable_count + 1, sizeof *image->variable_addresses);
    image->parse_code =
        wl_device.options.padding_bytes ? lay_out_apart(image) : lay_out_together(image);
}

int wl_device_refuse_text(struct wl_error *error)
{
    wl_device_note(2, "bad-ptx", error->hint, "%s: %s", error->where, error->message);
    *error = (struct wl_error){0};
    wl_error_set(error, WL_ERR_INPUT, "%s", wrong_text);
    return WL_DEVICE_INVALID_PTX;
}

static int parse_image(struct wl_device_module *module, struct wl_device_image *image)
{
    struct wl_error error = {0};
    if (image->is_parsed)
        return image->parse_code;
    image->is_parsed = true;
    /* what a program loads as text is checked whole, as a driver does that compiles it */
    const bool is_compiled = module->wrapper || module->is_stand_in;
    if ((is_compiled ? wl_ptx_module_open : wl_ptx_module_parse)(
            image->text, image->text_bytes, image->info.name, &image->parsed, &error)) {
        image->parse_code = wl_device_refuse_text(&error);
        return image->parse_code;
    }
    image->info.id = wl_device_number_next(WL_DEVICE_NUMBER_MODULE);
    image->info.ptx = image->parsed;
    lay_out_variables(image);
    wl_device_module_initialise(module, image);
    return image->parse_code;
}

/* Parses only images whose text mentions the name: a library of device code can be large. */
static struct wl_device_image *open_image(struct wl_device_module *module, size_t index,
                                          const char *name, int *code)
{
    struct wl_device_image *image = &module->images[index];
    if (!image->is_parsed && name && !strstr(image->text, name))
        return NULL;
    int result = parse_image(module, image);
    if (result && *code == WL_DEVICE_OK)
        *code = result;
    return result ? NULL : image;
}

static uint64_t find_in_image(const struct wl_device_image *image, const char *name,
                              const struct wl_ptx_variable **found)
{
    const struct wl_ptx_variable *variable = wl_ptx_module_find_variable(image->parsed, name);
    if (!variable)
        return 0;
    if (found)
        *found = variable;
    return image->variable_addresses[variable - image->parsed->variables];
}

const struct wl_ptx_module *wl_device_module_image(struct wl_device_module *module, size_t index)
{
    int ignored = WL_DEVICE_OK;
    for (size_t i = index; i < module->image_count; i++) {
        const struct wl_device_image *image = open_image(module, i, NULL, &ignored);
        if (image)
            return image->parsed;
    }
    return NULL;
}

const struct wl_ptx_function *wl_device_module_find_function(struct wl_device_module *module,
                                                             const char *name,
                                                             const struct wl_ptx_module **found)
{
    int ignored = WL_DEVICE_OK;
    for (size_t i = 0; i < module->image_count; i++) {
        const struct wl_device_image *image = open_image(module, i, name, &ignored);
        const struct wl_ptx_function *function =
            image ? wl_ptx_module_find_function(image->parsed, name) : NULL;
        if (function && function->has_body) {
            *found = image->parsed;
            return function;
        }
    }
    return NULL;
}

/* The least line in the file of the first instruction that has one. */
static bool find_place(const struct wl_ptx_module *module, const struct wl_ptx_function *function,
                       const char **file, uint32_t *line)
{
    uint32_t number = 0;
    *line = 0;
    if (wl_ptx_function_read(module, function, NULL))
        return false;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        int32_t index = function->instructions[i].location;
        const struct wl_ptx_location *location = index < 0 ? NULL : &module->locations[index];
        if (!location || !location->line || (*line && location->file != number))
            continue;
        number = location->file;
        if (!*line || location->line < *line)
            *line = location->line;
    }
    *file = *line ? wl_ptx_module_file_name(module, number) : NULL;
    return *file != NULL;
}

bool wl_device_kernel_place(const char *name, const char **file, uint32_t *line)
{
    bool is_found = false;
    wl_device_enter_beside();
    for (struct wl_device_module *module = wl_device_kernels.modules; module && !is_found;
         module = module->next) {
        const struct wl_ptx_module *parsed;
        const struct wl_ptx_function *function =
            wl_device_module_find_function(module, name, &parsed);
        is_found = function && function->is_entry && find_place(parsed, function, file, line);
    }
    wl_device_leave();
    return is_found;
}

uint64_t wl_device_module_resolve(struct wl_device_module *module,
                                  const struct wl_device_image *image, const char *name)
{
    int ignored = WL_DEVICE_OK;
    uint64_t address = find_in_image(image, name, NULL);
    for (size_t i = 0; !address && i < module->image_count; i++) {
        const struct wl_device_image *other = open_image(module, i, name, &ignored);
        if (other)
            address = find_in_image(other, name, NULL);
    }
    if (!address) {
        /* an address that no data has, only good for telling functions apart */
        const struct wl_ptx_function *function = wl_ptx_module_find_function(image->parsed, name);
        const struct wl_ptx_module *found;
        if (!function || !function->has_body)
            function = wl_device_module_find_function(module, name, &found);
        address = (uint64_t)(uintptr_t)function;
    }
    return address;
}

void wl_device_module_initialise(struct wl_device_module *module, struct wl_device_image *image)
{
    for (uint32_t i = 0; image->parsed && i < image->parsed->variable_count; i++) {
        const struct wl_ptx_variable *variable = &image->parsed->variables[i];
        uint8_t *place = (uint8_t *)(uintptr_t)image->variable_addresses[i];
        if (!place)
            continue;
        if (variable->initial)
            memcpy(place, variable->initial, variable->size_bytes);
        else
            memset(place, 0, variable->size_bytes);
        for (uint32_t r = 0; r < variable->relocation_count; r++) {
            const struct wl_ptx_relocation *relocation = &variable->relocations[r];
            if (relocation->offset + relocation->width_bytes > variable->size_bytes)
                continue;
            uint64_t value = wl_device_module_resolve(module, image, relocation->symbol) +
                             (uint64_t)relocation->addend;
            memcpy(place + relocation->offset, &value, relocation->width_bytes);
        }
    }
}

struct wl_device_image *wl_device_module_find_entry(struct wl_device_module *module,
                                                    const char *name, int *code,
                                                    struct wl_error *error)
{
    *code = wl_device_module_open(module);
    for (size_t i = 0; i < module->image_count; i++) {
        struct wl_device_image *image = open_image(module, i, name, code);
        const struct wl_ptx_function *function =
            image ? wl_ptx_module_find_function(image->parsed, name) : NULL;
        if (function && function->is_entry && function->has_body) {
            *code = WL_DEVICE_OK;
            return image;
        }
    }
    if (*code == WL_DEVICE_OK)
        *code = WL_DEVICE_INVALID_FUNCTION;
    wl_error_set(error, WL_ERR_INPUT,
                 *code == WL_DEVICE_NO_IMAGE      ? "the program has no PTX for the model GPU"
                 : *code == WL_DEVICE_INVALID_PTX ? wrong_text
                                                  : "no PTX defines the kernel");
    return NULL;
}

int wl_device_module_prepare(struct wl_device_module *module)
{
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_module_open(module);
    for (size_t i = 0; code == WL_DEVICE_OK && i < module->image_count; i++)
        open_image(module, i, NULL, &code);
    wl_device_leave();
    return code;
}

static int load(struct wl_device_module *module, const void *image, const char *stand_in,
                struct wl_device_module **loaded)
{
    int code = WL_DEVICE_OK;
    module->is_loaded = true;
    module->is_stand_in = stand_in != NULL;
    if (stand_in)
        take_text(module, stand_in, false);
    else
        code = read_image(module, image);
    module->load_code = code;
    for (size_t i = 0; code == WL_DEVICE_OK && i < module->image_count; i++) {
        code = parse_image(module, &module->images[i]);
        if (code == WL_DEVICE_OK)
            code = wl_device_image_check_target(&module->images[i]);
    }
    if (code)
        wl_device_module_free(module);
    else
        *loaded = module;
    return code;
}

void wl_device_module_limit_registers(struct wl_device_module *module, uint32_t limit)
{
    wl_device_enter();
    module->register_limit = limit;
    wl_device_leave();
}

int wl_device_module_load(const void *image, struct wl_device_module **module)
{
    if (!image || !module)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = load(add_module("ptx"), image, NULL, module);
    wl_device_leave();
    return code;
}

int wl_device_module_take_stand_in(const char *text, const char *name,
                                   struct wl_device_module **module)
{
    int code = wl_device_state_check();
    return code ? code : load(add_module(name), NULL, text, module);
}

int wl_device_module_load_stand_in(const char *text, const char *name,
                                   struct wl_device_module **module)
{
    wl_device_enter_beside();
    int code = wl_device_module_take_stand_in(text, name, module);
    wl_device_leave();
    return code;
}

int wl_device_module_symbol(struct wl_device_module *module, const char *name, void **address,
                            size_t *size_bytes)
{
    wl_device_enter_beside();
    uint64_t place = 0;
    const struct wl_ptx_variable *variable = NULL;
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_module_open(module);
    for (size_t i = 0; !place && i < module->image_count; i++) {
        const struct wl_device_image *image = open_image(module, i, name, &code);
        if (image)
            place = find_in_image(image, name, &variable);
    }
    if (place)
        code = WL_DEVICE_OK;
    else if (code == WL_DEVICE_OK)
        code = WL_DEVICE_NOT_FOUND;
    if (place && address)
        *address = (void *)(uintptr_t)place;
    if (place && size_bytes)
        *size_bytes = variable->size_bytes;
    wl_device_leave();
    return code;
}

struct wl_device_kernel *wl_device_module_take_kernel(struct wl_device_module *module,
                                                      const char *name)
{
    struct wl_device_kernel *kernel;
    HASH_FIND_STR(module->kernels, name, kernel);
    if (!kernel) {
        kernel = wl_alloc_zero(1, sizeof *kernel);
        kernel->module = module;
        kernel->name = wl_string_copy(name);
        kernel->carveout_pct = -1;
        HASH_ADD_KEYPTR(hh, module->kernels, kernel->name, strlen(kernel->name), kernel);
    }
    return kernel;
}

int wl_device_module_entry(struct wl_device_module *module, size_t index,
                           struct wl_device_kernel **kernel)
{
    wl_device_enter_beside();
    const char *name = NULL;
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = wl_device_module_open(module);
    for (size_t i = 0; code == WL_DEVICE_OK && !name && i < module->image_count; i++) {
        const struct wl_device_image *image = open_image(module, i, NULL, &code);
        for (uint32_t k = 0; image && !name && k < image->parsed->function_count; k++) {
            const struct wl_ptx_function *function = &image->parsed->functions[k];
            if (function->is_entry && function->has_body && !index--)
                name = function->name;
        }
    }
    if (name)
        *kernel = wl_device_module_take_kernel(module, name);
    else if (code == WL_DEVICE_OK)
        code = WL_DEVICE_NOT_FOUND;
    wl_device_leave();
    return code;
}

struct wl_device_kernel *wl_device_module_kernel(struct wl_device_module *module, const char *name)
{
    wl_device_enter_beside();
    struct wl_device_kernel *kernel = wl_device_module_take_kernel(module, name);
    wl_device_leave();
    return kernel;
}

static const char *variable_in_image(const struct wl_device_image *image, uint64_t address)
{
    for (uint32_t i = 0; image->parsed && i < image->parsed->variable_count; i++)
        if (image->variable_addresses[i] == address)
            return image->parsed->variables[i].name;
    return NULL;
}

const char *wl_device_module_variable_at(uint64_t address)
{
    const char *name = NULL;
    if (!wl_device.options.padding_bytes)
        return NULL;
    for (struct wl_device_module *module = wl_device_kernels.modules; module && !name;
         module = module->next)
        for (size_t i = 0; i < module->image_count && !name; i++)
            name = variable_in_image(&module->images[i], address);
    return name;
}
