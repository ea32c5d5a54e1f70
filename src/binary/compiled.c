#include "binary/compiled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static struct wl_compiled_kernel *add_kernel(const char *ptx_hash, uint32_t architecture,
                                             const char *name, size_t name_length,
                                             struct wl_compiled *compiled)
{
    struct wl_compiled_kernel kernel = {.architecture = architecture};
    snprintf(kernel.ptx_hash, sizeof kernel.ptx_hash, "%s", ptx_hash);
    kernel.name = wl_string_copy_length(name, name_length);
    kernel.source = wl_string_format("ptxas for sm_%" PRIu32, architecture);
    WL_PUSH(compiled, kernel);
    return &compiled->items[compiled->count - 1];
}

/* ---- ptxas's output ---- */

static const char entry_words[] = "Compiling entry function '";
static const char function_words[] = "Function properties for ";

static bool is_name(const struct wl_compiled_kernel *kernel, const char *text)
{
    return kernel && strlen(kernel->name) == strcspn(text, " \r\n") &&
           !strncmp(kernel->name, text, strlen(kernel->name));
}

void wl_compiled_read_output(const char *output, const char *ptx_hash, uint32_t architecture,
                             struct wl_compiled *compiled)
{
    struct wl_compiled_kernel *kernel = NULL;
    bool is_of_kernel = false; /* the lines that follow, not of a function it calls */
    for (const char *line = output, *next; *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        char *text = wl_string_copy_length(line, length);
        const char *found;
        unsigned stores, loads, registers;
        if ((found = strstr(text, entry_words))) {
            found += strlen(entry_words);
            kernel = add_kernel(ptx_hash, architecture, found, strcspn(found, "'"), compiled);
            is_of_kernel = true;
        } else if ((found = strstr(text, function_words))) {
            is_of_kernel = is_name(kernel, found + strlen(function_words));
        } else if (is_of_kernel &&
                   sscanf(text, "%*u bytes stack frame, %u bytes spill stores, %u bytes spill",
                          &stores, &loads) == 2) {
            kernel->spill_store_bytes = stores;
            kernel->spill_load_bytes = loads;
        } else if (is_of_kernel && (found = strstr(text, ": Used ")) &&
                   sscanf(found, ": Used %u registers", &registers) == 1) {
            kernel->registers = registers;
        }
        free(text);
    }
}

/* ---- the file ---- */

void wl_compiled_print(const struct wl_compiled *compiled, struct wl_text *out)
{
    for (size_t i = 0; i < compiled->count; i++) {
        const struct wl_compiled_kernel *kernel = &compiled->items[i];
        wl_text_addf(out, "kernel %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %s\n",
                     kernel->ptx_hash, kernel->architecture, kernel->registers,
                     kernel->spill_store_bytes, kernel->spill_load_bytes, kernel->name);
    }
    for (const char *note = compiled->notes.data; note && *note;) {
        size_t length = strcspn(note, "\n");
        wl_text_addf(out, "note %.*s\n", (int)length, note);
        note += length + (note[length] == '\n');
    }
}

static bool parse_line(const char *line, struct wl_compiled *compiled)
{
    char hash[65];
    uint32_t numbers[4];
    int end = 0;
    if (!strncmp(line, "note ", 5)) {
        wl_text_addf(&compiled->notes, "%s\n", line + 5);
        return true;
    }
    if (sscanf(line, "kernel %64s %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %n", hash,
               &numbers[0], &numbers[1], &numbers[2], &numbers[3], &end) != 5 ||
        !end || !line[end])
        return false;
    struct wl_compiled_kernel *kernel =
        add_kernel(hash, numbers[0], line + end, strlen(line + end), compiled);
    kernel->registers = numbers[1];
    kernel->spill_store_bytes = numbers[2];
    kernel->spill_load_bytes = numbers[3];
    return true;
}

enum wl_code wl_compiled_parse(const char *text, struct wl_compiled *compiled,
                               struct wl_error *error)
{
    for (unsigned number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");
        char *line = wl_string_copy_length(text, length);
        bool is_good = length == 0 || parse_line(line, compiled);
        free(line);
        if (!is_good) {
            wl_error_set(error, WL_ERR_CORRUPT, "the line tells of no kernel");
            return wl_error_set_where(error, "compiled:%u", number);
        }
        text += length + (text[length] == '\n');
    }
    return WL_OK;
}

void wl_compiled_free(struct wl_compiled *compiled)
{
    for (size_t i = 0; i < compiled->count; i++) {
        free(compiled->items[i].name);
        free(compiled->items[i].source);
    }
    free(compiled->items);
    wl_text_free(&compiled->notes);
    *compiled = (struct wl_compiled){0};
}

const struct wl_compiled_kernel *wl_compiled_find(const struct wl_compiled *compiled,
                                                  const char *ptx_hash, const char *name)
{
    for (size_t i = 0; compiled && i < compiled->count; i++)
        if (compiled->items[i].registers && !strcmp(compiled->items[i].ptx_hash, ptx_hash) &&
            !strcmp(compiled->items[i].name, name))
            return &compiled->items[i];
    return NULL;
}
