/* Families of texture and surface instructions, whose objects are handles in registers: tex, tld4,
 * txq, suld, sust, sured, suq; tex also through a texture reference, a variable of the module whose
 * object is known by now. Surface references, separate samplers and offsets are not modelled. */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lowering.h"

#define REGISTERS_MAX 16

static const char *const geometry_words[] = {
    [WL_TEXTURE_1D] = "1d",      [WL_TEXTURE_2D] = "2d",   [WL_TEXTURE_3D] = "3d",
    [WL_TEXTURE_A1D] = "a1d",    [WL_TEXTURE_A2D] = "a2d", [WL_TEXTURE_CUBE] = "cube",
    [WL_TEXTURE_ACUBE] = "acube"};

struct object_words {
    int geometry; /* -1: none */
    int edge;     /* enum wl_surface_edge, -1: none */
    int count;    /* elements */
    uint8_t gather;
    bool has_level, is_formatted;
    int atomic; /* sured: row of reductions, -1 */
};

static const char *const edge_words[] = {
    [WL_SURFACE_TRAP] = "trap", [WL_SURFACE_CLAMP] = "clamp", [WL_SURFACE_ZERO] = "zero"};
static const char *const component_words[] = {"r", "g", "b", "a"};
static const char *const reduction_words[] = {"add", "min", "max", "and", "or"};

static bool find_word(const char *word, const char *const *words, size_t count, int *found)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) != 0)
            continue;
        *found = (int)i;
        return true;
    }
    return false;
}

/* False if a modifier is not known: nearly all sizes and types are read by lower_type. */
static bool read_words(const struct wl_ptx_instruction *instruction, struct object_words *words)
{
    *words = (struct object_words){.geometry = -1, .edge = -1, .count = 1, .atomic = -1};
    const bool is_surface = instruction->opcode[0] == 's';
    for (int i = 0; i < instruction->modifier_count; i++) {
        const char *word = instruction->modifiers[i];
        int component;
        if (find_word(word, geometry_words, WL_COUNT(geometry_words), &words->geometry) ||
            wl_ptx_type_from_name(word) != WL_PTX_TYPE_NONE)
            continue;
        if (strcmp(word, "v2") == 0 || strcmp(word, "v4") == 0) {
            words->count = word[1] - '0';
        } else if (is_surface && find_word(word, edge_words, WL_COUNT(edge_words), &words->edge)) {
            continue;
        } else if (is_surface &&
                   find_word(word, reduction_words, WL_COUNT(reduction_words), &words->atomic)) {
            continue;
        } else if (!is_surface && find_word(word, component_words, 4, &component)) {
            words->gather = (uint8_t)(component + 1);
        } else if (strcmp(word, "level") == 0 || strcmp(word, "grad") == 0) {
            words->has_level = true;
        } else if (is_surface && (strcmp(word, "p") == 0 || strcmp(word, "b") == 0)) {
            words->is_formatted = word[0] == 'p';
        } else {
            static const char *const hints[] = {"ca", "cg", "cs", "cv", "wb", "wt", "base"};
            int ignored;
            if (!find_word(word, hints, WL_COUNT(hints), &ignored))
                return false;
        }
    }
    return words->geometry >= 0;
}

/* A register with the handle; false: there is none. */
static bool find_handle(struct lowering *lowering, const struct wl_ptx_operand *object,
                        bool may_be_reference, uint32_t *handle)
{
    const struct wl_ptx_lower_input *input = lowering->input;
    if (object->kind != WL_PTX_OPERAND_ADDRESS || object->integer)
        return false;
    if (object->reg >= 0) {
        *handle = lower_register_of(lowering, object->reg);
        return lower_register_class(lowering, *handle) == WL_CLASS_64;
    }
    const uint64_t found = may_be_reference && object->name && input->reference
                               ? input->reference(input->self, object->name)
                               : 0;
    if (found)
        *handle = lower_constant(lowering, WL_CLASS_64, found);
    return found;
}

/* The handle and the coordinates of `[object, {x, y}]`; at counts the registers. */
static bool add_place(struct lowering *lowering, const struct wl_ptx_operand *operand,
                      enum wl_texture_geometry geometry, bool is_float, uint32_t *registers,
                      uint8_t *at)
{
    const uint32_t count = wl_texture_coordinates(geometry);
    const bool is_layered =
        geometry == WL_TEXTURE_A1D || geometry == WL_TEXTURE_A2D || geometry == WL_TEXTURE_ACUBE;
    const bool is_texture = lowering->instruction->opcode[0] == 't';
    uint32_t handle = 0;
    if (operand->kind != WL_PTX_OPERAND_VECTOR || operand->item_count != 2 ||
        !find_handle(lowering, &operand->items[0], is_texture, &handle))
        return false;
    const struct wl_ptx_operand *vector = &operand->items[1];
    const bool is_vector = vector->kind == WL_PTX_OPERAND_VECTOR;
    if ((is_vector ? vector->item_count : 1) < count)
        return false;
    registers[(*at)++] = handle;
    for (uint32_t i = 0; i < count; i++)
        registers[(*at)++] =
            lower_source(lowering, is_vector ? &vector->items[i] : vector, WL_CLASS_32,
                         is_float && !(is_layered && i == 0) ? WL_PTX_F32 : WL_PTX_S32);
    return true;
}

FAMILY(texture)
{
    struct object_words words;
    uint32_t registers[REGISTERS_MAX];
    uint8_t used = 0;
    const struct wl_ptx_operand *operands = instruction->operands;
    const enum wl_ptx_type from = lower_type(instruction, 0), to = lower_type(instruction, 1);
    const bool is_gather = strcmp(instruction->opcode, "tld4") == 0;
    const int operand_count = instruction->operand_count;
    bool is_good = read_words(instruction, &words) && operand_count >= 2 && words.count == 4 &&
                   is_gather == (words.gather > 0) && wl_ptx_type_bytes(to) == 4 &&
                   (from == WL_PTX_F32 || from == WL_PTX_S32) &&
                   (words.has_level ? operand_count <= 4 : operand_count == 2) &&
                   operands[0].kind == WL_PTX_OPERAND_VECTOR && operands[0].item_count == 4 &&
                   operands[0].second_reg < 0;
    for (int i = 0; is_good && i < 4; i++)
        registers[used++] = lower_destination(lowering, &operands[0].items[i], WL_CLASS_32);
    if (!is_good || !add_place(lowering, &operands[1], (enum wl_texture_geometry)words.geometry,
                               from == WL_PTX_F32, registers, &used)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t site = lower_new_site(lowering, WL_SITE_TEXTURE, WL_SITE_LOAD);
    struct wl_op *op =
        lower_emit_list(lowering, WL_OP_TEXTURE_FETCH, 0, registers, 4, (uint8_t)(used - 4));
    op->kind = (uint8_t)words.geometry;
    op->width_bytes = words.gather;
    op->flags = from == WL_PTX_S32 ? WL_OPF_SIGNED : 0;
    op->site = site;
}

/* The elements of a surface access in registers that hold their type. */
static bool add_elements(struct lowering *lowering, const struct wl_ptx_operand *operand, int count,
                         enum wl_ptx_type type, bool is_load, uint32_t *registers, uint8_t *used)
{
    const bool is_vector = operand->kind == WL_PTX_OPERAND_VECTOR;
    const enum wl_operand_class operand_class = lower_class_of_type(type);
    if ((is_vector ? (int)operand->item_count : 1) != count)
        return false;
    for (int i = 0; i < count; i++) {
        const struct wl_ptx_operand *item = is_vector ? &operand->items[i] : operand;
        registers[(*used)++] = is_load ? lower_destination(lowering, item, operand_class)
                                       : lower_source(lowering, item, operand_class, type);
    }
    return true;
}

static void finish_surface(struct wl_op *op, const struct object_words *words,
                           enum wl_ptx_type type, uint32_t site)
{
    op->kind = (uint8_t)words->geometry;
    op->width_bytes = (uint8_t)wl_ptx_type_bytes(type);
    op->count = (uint8_t)words->count;
    op->flags = wl_ptx_type_bytes(type) == 8 ? WL_OPF_DST64 : 0;
    op->imm = words->edge | (words->is_formatted ? WL_SURFACE_FORMATTED : 0);
    op->site = site;
}

FAMILY(surface_load)
{
    struct object_words words;
    uint32_t registers[REGISTERS_MAX];
    uint8_t used = 0;
    const enum wl_ptx_type type = lower_type(instruction, 0);
    bool is_good = read_words(instruction, &words) && instruction->operand_count == 2 &&
                   type != WL_PTX_TYPE_NONE && words.edge >= 0 && !words.is_formatted &&
                   words.atomic < 0 &&
                   add_elements(lowering, &instruction->operands[0], words.count, type, true,
                                registers, &used);
    uint8_t defs = used;
    if (!is_good || !add_place(lowering, &instruction->operands[1],
                               (enum wl_texture_geometry)words.geometry, false, registers, &used)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t site = lower_new_site(lowering, WL_SITE_SURFACE, WL_SITE_LOAD);
    struct wl_op *op =
        lower_emit_list(lowering, WL_OP_SURFACE_LOAD, 0, registers, defs, (uint8_t)(used - defs));
    finish_surface(op, &words, type, site);
}

/* The atomic of a reduction; -1 if there is none. */
static int find_atomic(int reduction, enum wl_ptx_type type)
{
    static const struct {
        enum wl_ptx_type type;
        int atomics[WL_COUNT(reduction_words)];
    } rows[] = {
        {WL_PTX_U32, {WL_ATOMIC_ADD_U32, WL_ATOMIC_MIN_U32, WL_ATOMIC_MAX_U32, -1, -1}},
        {WL_PTX_S32, {WL_ATOMIC_ADD_U32, WL_ATOMIC_MIN_S32, WL_ATOMIC_MAX_S32, -1, -1}},
        {WL_PTX_B32, {-1, -1, -1, WL_ATOMIC_AND_B32, WL_ATOMIC_OR_B32}},
        {WL_PTX_U64, {WL_ATOMIC_ADD_U64, -1, -1, -1, -1}},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].type == type)
            return rows[i].atomics[reduction];
    return -1;
}

/* sust and sured: `[surface, {x}], {values}` */
FAMILY(surface_store)
{
    struct object_words words;
    uint32_t registers[REGISTERS_MAX];
    uint8_t used = 0;
    const enum wl_ptx_type type = lower_type(instruction, 0);
    const bool is_reduction = strcmp(instruction->opcode, "sured") == 0;
    bool is_good = read_words(instruction, &words) && instruction->operand_count == 2 &&
                   type != WL_PTX_TYPE_NONE && words.edge >= 0 &&
                   (words.atomic >= 0) == is_reduction && !(is_reduction && words.is_formatted);
    int atomic = is_good && is_reduction ? find_atomic(words.atomic, type) : 0;
    if (!is_good || atomic < 0 ||
        !add_place(lowering, &instruction->operands[0], (enum wl_texture_geometry)words.geometry,
                   false, registers, &used) ||
        !add_elements(lowering, &instruction->operands[1], words.count, type, false, registers,
                      &used)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t site =
        lower_new_site(lowering, WL_SITE_SURFACE, is_reduction ? WL_SITE_REDUCTION : WL_SITE_STORE);
    struct wl_op *op = lower_emit_list(
        lowering, is_reduction ? WL_OP_SURFACE_REDUCE : WL_OP_SURFACE_STORE, 0, registers, 0, used);
    finish_surface(op, &words, type, site);
    op->spare = (uint16_t)atomic;
}

/* txq and suq */
FAMILY(query)
{
    static const char *const words[] = {[WL_TEXTURE_WIDTH] = "width",
                                        [WL_TEXTURE_HEIGHT] = "height",
                                        [WL_TEXTURE_DEPTH] = "depth",
                                        [WL_TEXTURE_ARRAY_SIZE] = "array_size",
                                        [WL_TEXTURE_LEVELS] = "num_mipmap_levels",
                                        [WL_TEXTURE_SAMPLES] = "num_samples"};
    const struct wl_ptx_operand *operands = instruction->operands;
    int property = lower_choose(instruction, words, WL_COUNT(words));
    bool is_good = property >= 0 && instruction->operand_count == 2 &&
                   instruction->modifier_count == 2 && operands[1].kind == WL_PTX_OPERAND_ADDRESS &&
                   operands[1].reg >= 0;
    uint32_t handle = is_good ? lower_register_of(lowering, operands[1].reg) : 0;
    if (!is_good || lower_register_class(lowering, handle) != WL_CLASS_64) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t dst = lower_destination(lowering, &operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_TEXTURE_QUERY, dst, handle, NO_REGISTER, NO_REGISTER);
    lowering->ops.items[lowering->ops.count - 1].op.kind = (uint8_t)property;
}
