#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/parse/parse.h"

/* In the order of enum wl_ptx_type. */
const struct wl_ptx_type_row wl_ptx_type_rows[] = {
    {"", 0},      {"b8", 1},   {"b16", 2},    {"b32", 4},        {"b64", 8},
    {"b128", 16}, {"u8", 1},   {"u16", 2},    {"u32", 4},        {"u64", 8},
    {"s8", 1},    {"s16", 2},  {"s32", 4},    {"s64", 8},        {"f16", 2},
    {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4}, {"tf32", 4},       {"f32", 4},
    {"f64", 8},   {"pred", 1}, {"texref", 8}, {"samplerref", 8}, {"surfref", 8},
};
const int wl_ptx_type_row_count = WL_COUNT(wl_ptx_type_rows);
_Static_assert(WL_COUNT(wl_ptx_type_rows) == WL_PTX_SURFREF + 1, "one row per type");

static const struct wl_ptx_type_row *type_row(enum wl_ptx_type type)
{
    return &wl_ptx_type_rows[(unsigned)type < (unsigned)wl_ptx_type_row_count ? type : 0];
}

size_t wl_ptx_type_bytes(enum wl_ptx_type type)
{
    return type_row(type)->bytes;
}

const char *wl_ptx_type_name(enum wl_ptx_type type)
{
    return type_row(type)->name;
}

enum wl_ptx_type wl_ptx_type_from_name(const char *word)
{
    for (int type = 1; type < wl_ptx_type_row_count; type++)
        if (wl_ptx_type_rows[type].name[0] == word[0] &&
            strcmp(wl_ptx_type_rows[type].name, word) == 0)
            return (enum wl_ptx_type)type;
    return WL_PTX_TYPE_NONE;
}

void wl_ptx_module_free(struct wl_ptx_module *module)
{
    if (!module)
        return;
    struct wl_ptx_arena *arena = module->arena;
    if (arena->parser)
        wl_ptx_parser_free(arena->parser);
    wl_ptx_names_free(&arena->names);
    struct wl_arena blocks = arena->blocks; /* the arena lies in its own blocks */
    wl_arena_free(&blocks);
}

/* What name means at module scope, or NULL. */
static const struct wl_ptx_binding *find_binding(const struct wl_ptx_module *module,
                                                 const char *name, enum wl_ptx_binding_kind kind)
{
    const struct wl_ptx_symbol *symbol =
        wl_ptx_names_find(&module->arena->names, name, strlen(name));
    return symbol && symbol->binding && symbol->binding->kind == kind ? symbol->binding : NULL;
}

struct wl_ptx_function *wl_ptx_module_find_function(const struct wl_ptx_module *module,
                                                    const char *name)
{
    const struct wl_ptx_binding *binding = find_binding(module, name, WL_PTX_BOUND_FUNCTION);
    return binding ? &module->functions[binding->index] : NULL;
}

const struct wl_ptx_variable *wl_ptx_module_find_variable(const struct wl_ptx_module *module,
                                                          const char *name)
{
    const struct wl_ptx_binding *binding = find_binding(module, name, WL_PTX_BOUND_VARIABLE);
    return binding ? &module->variables[binding->index] : NULL;
}

const char *wl_ptx_module_file_name(const struct wl_ptx_module *module, uint32_t number)
{
    for (uint32_t i = 0; i < module->file_count; i++)
        if (module->files[i].number == number)
            return module->files[i].name;
    return NULL;
}

bool wl_ptx_instruction_has(const struct wl_ptx_instruction *instruction, const char *modifier)
{
    for (int i = 0; i < instruction->modifier_count; i++)
        if (strcmp(instruction->modifiers[i], modifier) == 0)
            return true;
    return false;
}
