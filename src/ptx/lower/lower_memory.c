/* Families of memory instructions: ld, st, atom, red. */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"

/* Modifiers of a load or store besides its type, and their effect on the model. */
enum word_effect {
    EFFECT_NONE,
    EFFECT_SPACE,
    EFFECT_VECTOR,
    EFFECT_NONCOHERENT,
    EFFECT_BYPASS,
    EFFECT_SHARE
};

struct word_row {
    const char *word;
    enum word_effect effect;
    int value; /* enum wl_ptx_space, or elements */
};

static const struct word_row word_rows[] = {
    {"global", EFFECT_SPACE, WL_PTX_SPACE_GLOBAL},
    {"shared", EFFECT_SPACE, WL_PTX_SPACE_SHARED},
    {"shared::cta", EFFECT_SPACE, WL_PTX_SPACE_SHARED},
    {"shared::cluster", EFFECT_SPACE, WL_PTX_SPACE_SHARED},
    {"local", EFFECT_SPACE, WL_PTX_SPACE_LOCAL},
    {"const", EFFECT_SPACE, WL_PTX_SPACE_CONST},
    {"param", EFFECT_SPACE, WL_PTX_SPACE_PARAM},
    {"param::entry", EFFECT_SPACE, WL_PTX_SPACE_PARAM},
    {"param::func", EFFECT_SPACE, WL_PTX_SPACE_PARAM},
    {"v2", EFFECT_VECTOR, 2},
    {"v4", EFFECT_VECTOR, 4},
    {"nc", EFFECT_NONCOHERENT, 0},
    {"cg", EFFECT_BYPASS, 0},
    {"cv", EFFECT_BYPASS, 0},
    {"volatile", EFFECT_SHARE, 0},
    {"relaxed", EFFECT_SHARE, 0},
    {"acquire", EFFECT_SHARE, 0},
    {"mmio", EFFECT_SHARE, 0},
    {"release", EFFECT_NONE, 0},
    {"weak", EFFECT_NONE, 0},
    {"ca", EFFECT_NONE, 0},
    {"cs", EFFECT_NONE, 0},
    {"lu", EFFECT_NONE, 0},
    {"wb", EFFECT_NONE, 0},
    {"wt", EFFECT_NONE, 0},
    {"cta", EFFECT_NONE, 0},
    {"cluster", EFFECT_NONE, 0},
    {"async", EFFECT_NONE, 0},
    {"mbarrier::complete_tx::bytes", EFFECT_NONE, 0},
    {"gpu", EFFECT_NONE, 0},
    {"sys", EFFECT_NONE, 0},
    {"unified", EFFECT_NONE, 0},
};

struct access_words {
    enum wl_ptx_space space;
    int count;
    uint8_t flags;
    bool is_shared_between_blocks;
};

static bool read_words(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                       struct access_words *words)
{
    *words = (struct access_words){.space = WL_PTX_SPACE_NONE, .count = 1};
    for (int i = 0; i < instruction->modifier_count; i++) {
        const char *word = instruction->modifiers[i];
        bool is_hint = strncmp(word, "L1::", 4) == 0 || strncmp(word, "L2::", 4) == 0;
        if (is_hint || wl_ptx_type_from_name(word) != WL_PTX_TYPE_NONE)
            continue;
        const struct word_row *row = NULL;
        for (size_t k = 0; k < WL_COUNT(word_rows) && !row; k++)
            row = strcmp(word_rows[k].word, word) == 0 ? &word_rows[k] : NULL;
        if (!row) {
            lower_unsupported(lowering);
            return false;
        }
        switch (row->effect) {
        case EFFECT_SPACE:
            words->space = (enum wl_ptx_space)row->value;
            break;
        case EFFECT_VECTOR:
            words->count = row->value;
            break;
        case EFFECT_NONCOHERENT:
            words->flags |= WL_OPF_NONCOHERENT;
            break;
        case EFFECT_BYPASS:
            words->flags |= WL_OPF_BYPASS_L1;
            break;
        case EFFECT_SHARE:
            words->flags |= WL_OPF_BYPASS_L1;
            words->is_shared_between_blocks = true;
            break;
        case EFFECT_NONE:
            break;
        }
    }
    return true;
}

static const struct wl_ptx_operand *element(const struct wl_ptx_operand *operand, int k)
{
    return operand->kind == WL_PTX_OPERAND_VECTOR ? &operand->items[k] : operand;
}

static bool check_elements(struct lowering *lowering, const struct wl_ptx_operand *operand,
                           int count)
{
    if (operand->kind == WL_PTX_OPERAND_VECTOR ? operand->item_count == (uint32_t)count
                                               : count == 1)
        return true;
    lower_fail(lowering, WL_ERR_INPUT, "%s needs %d elements", lowering->instruction->opcode,
               count);
    return false;
}

void lower_set_address(struct lowering *lowering, struct wl_op *op, uint32_t base, int64_t offset)
{
    op->imm = offset;
    op->a = base;
    if (base == NO_REGISTER)
        op->flags |= WL_OPF_NO_ADDRESS;
    else if (lower_register_class(lowering, base) == WL_CLASS_32)
        op->flags |= WL_OPF_ADDRESS32;
}

bool lower_address(struct lowering *lowering, const struct wl_ptx_operand *operand,
                   enum wl_ptx_space *space, uint32_t *base, int64_t *offset)
{
    *base = NO_REGISTER;
    *offset = operand->integer;
    if (operand->kind != WL_PTX_OPERAND_ADDRESS) {
        lower_unsupported(lowering);
        return false;
    }
    if (operand->name) {
        enum wl_ptx_space found;
        uint64_t address;
        if (!lower_find_variable(lowering, operand->name, &found, &address)) {
            lower_fail(lowering, WL_ERR_UNSUPPORTED, "symbol %s has no address here",
                       operand->name);
            return false;
        }
        if (*space == WL_PTX_SPACE_NONE)
            *space = found;
        if (found == WL_PTX_SPACE_LOCAL && lowering->is_called)
            *base = lower_local_address(lowering, WL_CLASS_64, (int64_t)address);
        else
            *offset = (int64_t)((uint64_t)*offset + address);
    } else if (operand->reg >= 0) {
        *base = lower_register_of(lowering, operand->reg);
        if (lower_register_class(lowering, *base) == WL_CLASS_PREDICATE) {
            lower_fail(lowering, WL_ERR_INPUT, "a predicate cannot be an address");
            return false;
        }
    }
    return true;
}

/* More than any has (PTX ISA, "Kernel Function Parameters": 32,764 bytes). */
enum { PARAMETER_BYTES_MAX = 1 << 16 };

/* ld.param / st.param of a call's variables: moves between registers. */
static void move_parameter(struct lowering *lowering, const struct wl_ptx_operand *value,
                           uint32_t variable, int64_t offset, enum wl_ptx_type type, int count,
                           bool is_load)
{
    for (int k = 0; k < count; k++)
        lower_move_parameter(lowering, element(value, k), variable,
                             offset + k * (int64_t)wl_ptx_type_bytes(type), type, is_load);
}

/* Binds the registers of a vector (or one) to dst, b, c, d of a memory operation. */
static void bind_elements(struct lowering *lowering, const struct wl_ptx_operand *value, int count,
                          enum wl_ptx_type type, bool is_load, uint32_t registers[4],
                          enum wl_operand_class *operand_class)
{
    *operand_class = lower_class_of_type(type);
    for (int k = 0; k < count; k++) {
        const struct wl_ptx_operand *operand = element(value, k);
        if (operand->kind ==
            WL_PTX_OPERAND_REGISTER) /* registers may be wider than what is loaded */
            *operand_class =
                lower_register_class(lowering, lower_register_of(lowering, operand->reg));
        lower_check_width(lowering, operand, type);
    }
    for (int k = 0; k < 4; k++)
        registers[k] = NO_REGISTER;
    for (int k = 0; k < count; k++)
        registers[k] = is_load ? lower_destination(lowering, element(value, k), *operand_class)
                               : lower_source(lowering, element(value, k), *operand_class, type);
}

static const uint8_t element_fields[4] = {FIELD_DST, FIELD_B, FIELD_C, FIELD_D};

static struct wl_op *emit_access(struct lowering *lowering, enum wl_opcode code,
                                 const uint32_t registers[4], int count, enum wl_ptx_type type,
                                 bool is_load, uint32_t base)
{
    uint8_t fields = 0;
    for (int k = 0; k < count; k++)
        fields |= element_fields[k];
    uint8_t address = base == NO_REGISTER ? 0 : FIELD_A;
    struct wl_op *op = lower_emit(lowering, code, is_load ? fields : 0,
                                  (uint8_t)((is_load ? 0 : fields) | address));
    op->dst = registers[0];
    op->b = registers[1];
    op->c = registers[2];
    op->d = registers[3];
    op->count = (uint8_t)count;
    op->width_bytes = (uint8_t)wl_ptx_type_bytes(type);
    return op;
}

struct space_row {
    enum wl_ptx_space space;
    enum wl_opcode load, store, atomic;
    enum wl_site_space site;
};

static const struct space_row space_rows[] = {
    {WL_PTX_SPACE_GLOBAL, WL_OP_LOAD_GLOBAL, WL_OP_STORE_GLOBAL, WL_OP_ATOMIC_GLOBAL,
     WL_SITE_GLOBAL},
    {WL_PTX_SPACE_SHARED, WL_OP_LOAD_SHARED, WL_OP_STORE_SHARED, WL_OP_ATOMIC_SHARED,
     WL_SITE_SHARED},
    {WL_PTX_SPACE_LOCAL, WL_OP_LOAD_LOCAL, WL_OP_STORE_LOCAL, WL_OP_COUNT, WL_SITE_LOCAL},
    {WL_PTX_SPACE_CONST, WL_OP_LOAD_CONST, WL_OP_COUNT, WL_OP_COUNT, WL_SITE_GLOBAL},
    {WL_PTX_SPACE_PARAM, WL_OP_LOAD_CONST, WL_OP_COUNT, WL_OP_COUNT, WL_SITE_GLOBAL},
    {WL_PTX_SPACE_NONE, WL_OP_LOAD_GENERIC, WL_OP_STORE_GENERIC, WL_OP_ATOMIC_GENERIC,
     WL_SITE_GENERIC},
};

static const struct space_row *space_row(enum wl_ptx_space space)
{
    for (size_t i = 0; i < WL_COUNT(space_rows); i++)
        if (space_rows[i].space == space)
            return &space_rows[i];
    return &space_rows[WL_COUNT(space_rows) - 1];
}

enum wl_site_space lower_site_space(enum wl_ptx_space space)
{
    return space_row(space)->site;
}

enum wl_ptx_space lower_space_of(const struct wl_ptx_instruction *instruction)
{
    for (size_t i = 0; i < WL_COUNT(word_rows); i++)
        if (word_rows[i].effect == EFFECT_SPACE &&
            wl_ptx_instruction_has(instruction, word_rows[i].word))
            return (enum wl_ptx_space)word_rows[i].value;
    return WL_PTX_SPACE_NONE;
}

uint16_t lower_order(const struct wl_ptx_instruction *instruction, bool is_atomic)
{
    static const struct {
        const char *word;
        uint16_t order;
    } rows[] = {
        {"volatile", WL_ORDER_STRONG | WL_ORDER_VOLATILE},
        {"relaxed", WL_ORDER_STRONG},
        {"mmio", WL_ORDER_STRONG},
        {"acquire", WL_ORDER_STRONG | WL_ORDER_ACQUIRE},
        {"release", WL_ORDER_STRONG | WL_ORDER_RELEASE},
        {"acq_rel", WL_ORDER_STRONG | WL_ORDER_ACQUIRE | WL_ORDER_RELEASE},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (wl_ptx_instruction_has(instruction, rows[i].word))
            return rows[i].order;
    return is_atomic ? WL_ORDER_STRONG : 0;
}

static void read_constant_pipe(struct lowering *lowering)
{
    struct wl_program_instruction *row = &lowering->instructions.items[lowering->instruction_index];
    row->pipe = WL_PIPE_CONST;
    row->instruction_class = WL_CLASS_OTHER;
}

/* How a narrow value fills the registers it is loaded to. */
static void set_extension(const struct lowering *lowering, struct wl_op *op, enum wl_ptx_type type,
                          const struct wl_ptx_operand *value, enum wl_operand_class operand_class)
{
    op->flags |= (uint8_t)((lower_is_signed(type) ? WL_OPF_SIGNED : 0) |
                           (operand_class == WL_CLASS_64 ? WL_OPF_DST64 : 0));
    for (int k = 0; k < op->count && lower_is_signed(type); k++) {
        uint32_t reg = lower_register_of(lowering, element(value, k)->reg);
        if (reg != NO_REGISTER && lower_register_bits(lowering, reg) == 16)
            op->kind |= WL_LOAD_SHORT;
    }
}

/* Kernel parameters by name; true if that is what the address is. */
static bool load_parameter(struct lowering *lowering, const struct wl_ptx_operand *value,
                           const struct wl_ptx_operand *address, enum wl_ptx_type type, int count)
{
    int parameter = address->name ? lower_find_parameter(lowering, address->name) : -1;
    if (parameter < 0)
        return false;
    const struct wl_program_parameter *place = &lowering->program->parameters[parameter];
    int64_t last = (int64_t)place->size_bytes - count * (int64_t)wl_ptx_type_bytes(type);
    if (address->integer < 0 || address->integer > last) {
        lower_fail(lowering, WL_ERR_INPUT, "load beyond parameter %s", address->name);
        return true;
    }
    uint32_t registers[4];
    enum wl_operand_class operand_class;
    bind_elements(lowering, value, count, type, true, registers, &operand_class);
    struct wl_op *op =
        emit_access(lowering, WL_OP_LOAD_PARAM, registers, count, type, true, NO_REGISTER);
    op->imm = place->offset + address->integer;
    set_extension(lowering, op, type, value, operand_class);
    return true;
}

/* What a load or store accesses, in registers and in memory. */
struct access {
    bool is_load;
    bool is_wide; /* two halves of one register */
    struct access_words words;
    enum wl_ptx_type type;
    uint16_t order; /* lower_order */
    const struct wl_ptx_operand *value, *address;
};

/* ld.param and st.param of a call's variables or, of loads, of the kernel; true if that is what the
 * address is. */
static bool access_parameter(struct lowering *lowering, const struct access *access)
{
    const struct wl_ptx_operand *address = access->address;
    const int count = access->words.count;
    int64_t offset = address->integer;
    uint32_t variable = address->name
                            ? lower_find_call_parameter(lowering, address->name)
                            : lower_find_pointed_parameter(lowering, address->reg, &offset);
    if (variable != NO_REGISTER && (offset < 0 || offset > PARAMETER_BYTES_MAX)) {
        lower_fail(lowering, WL_ERR_INPUT, "access beyond parameter %s",
                   address->name ? address->name : "of a call");
        return true;
    }
    if (variable != NO_REGISTER) {
        move_parameter(lowering, access->value, variable, offset, access->type, count,
                       access->is_load);
        return true;
    }
    if (access->is_load)
        return load_parameter(lowering, access->value, address, access->type, count);
    lower_unsupported(lowering);
    return true;
}

/* One load or store, of the words' count of elements. */
static void access_elements(struct lowering *lowering, const struct access *access, uint32_t base,
                            int64_t offset)
{
    const bool is_load = access->is_load;
    const struct access_words *words = &access->words;
    const struct space_row *row = space_row(words->space);
    uint32_t registers[4];
    enum wl_operand_class operand_class;
    bind_elements(lowering, access->value, words->count, access->type, is_load, registers,
                  &operand_class);
    uint32_t site = lower_new_site(lowering, row->site, is_load ? WL_SITE_LOAD : WL_SITE_STORE);
    lowering->sites.items[site].is_in_local =
        row->site == WL_SITE_LOCAL ||
        (row->site == WL_SITE_GENERIC && lower_points_to_local(lowering, access->address));
    struct wl_op *op = emit_access(lowering, is_load ? row->load : row->store, registers,
                                   words->count, access->type, is_load, base);
    op->site = site;
    if (is_load) {
        op->flags = words->flags;
        op->kind = words->is_shared_between_blocks ? WL_LOAD_KEPT : 0;
        set_extension(lowering, op, access->type, access->value, operand_class);
    } else {
        op->flags = (uint8_t)(operand_class == WL_CLASS_64 ? WL_OPF_DST64 : 0);
    }
    op->spare = access->order | lower_turn(lowering);
    lower_set_address(lowering, op, base, offset);
    if (!is_load || !words->is_shared_between_blocks)
        return;
    lowering->program->lanes_may_wait = true;
    if (row->site != WL_SITE_SHARED && row->site != WL_SITE_LOCAL)
        lowering->program->blocks_communicate = true;
}

static void access_memory(struct lowering *lowering, struct access *access)
{
    uint32_t base;
    int64_t offset;
    if (!lower_address(lowering, access->address, &access->words.space, &base, &offset))
        return;
    const struct space_row *row = space_row(access->words.space);
    if ((access->is_load ? row->load : row->store) == WL_OP_COUNT) {
        lower_unsupported(lowering);
        return;
    }
    struct lower_piece pieces[2] = {{0, (uint32_t)access->words.count}};
    const uint32_t bytes = (uint32_t)wl_ptx_type_bytes(access->type);
    int count = 1;
    if (access->is_load && !access->is_wide && !access->order &&
        !access->words.is_shared_between_blocks && row->load != WL_OP_LOAD_CONST)
        count = lower_read_pieces(lowering, access->value, bytes, pieces);
    for (int i = 0; i < count; i++) {
        struct access piece = *access;
        struct wl_ptx_operand part = *access->value;
        piece.words.count = (int)pieces[i].count;
        if (part.kind == WL_PTX_OPERAND_VECTOR) {
            part.items += pieces[i].first;
            part.item_count = pieces[i].count;
            piece.value = &part;
        }
        access_elements(lowering, &piece, base, offset + (int64_t)pieces[i].first * bytes);
    }
}

static void lower_access(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                         bool is_load)
{
    if (instruction->operand_count < 2) {
        lower_unsupported(lowering);
        return;
    }
    struct access access = {
        .is_load = is_load,
        .type = lower_type(instruction, 0),
        .order = lower_order(instruction, false),
        .value = &instruction->operands[is_load ? 0 : 1],
        .address = &instruction->operands[is_load ? 1 : 0],
    };
    struct wl_ptx_operand halves[2], pair;
    if (!read_words(lowering, instruction, &access.words))
        return;
    bool is_wide = access.type == WL_PTX_B128;
    if (access.type == WL_PTX_TYPE_NONE ||
        (is_wide &&
         (access.words.count != 1 || !lower_split_wide(lowering, access.value, halves, &pair)))) {
        lower_unsupported(lowering);
        return;
    }
    if (is_wide) {
        access.is_wide = true;
        access.value = &pair;
        access.type = WL_PTX_B64;
        access.words.count = 2;
    }
    if (!check_elements(lowering, access.value, access.words.count))
        return;
    const bool is_parameter = access.words.space == WL_PTX_SPACE_PARAM;
    if (is_parameter || (is_load && access.words.space == WL_PTX_SPACE_CONST))
        read_constant_pipe(lowering);
    if (!is_parameter || !access_parameter(lowering, &access))
        access_memory(lowering, &access);
}

FAMILY(load)
{
    lower_access(lowering, instruction, true);
}

/* st.async and red.async: a barrier object is told of the bytes. */
static void tell_barrier(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                         uint32_t bytes)
{
    if (!wl_ptx_instruction_has(instruction, "async"))
        return;
    if (instruction->operand_count != 3 || lower_space_of(instruction) != WL_PTX_SPACE_SHARED ||
        !wl_ptx_instruction_has(instruction, "mbarrier::complete_tx::bytes")) {
        lower_unsupported(lowering);
        return;
    }
    lower_act_on_barrier(lowering, &instruction->operands[2], WL_BARRIER_COMPLETE,
                         lower_constant(lowering, WL_CLASS_32, bytes), NO_REGISTER);
    lowering->ops.items[lowering->ops.count - 1].op.flags |= WL_OPF_BYPASS_L1;
}

FAMILY(store)
{
    static const char *const vectors[] = {"v2", "v4"};
    const int vector = lower_choose(instruction, vectors, WL_COUNT(vectors));
    lower_access(lowering, instruction, false);
    tell_barrier(lowering, instruction,
                 (uint32_t)wl_ptx_type_bytes(lower_type(instruction, 0)) << (vector + 1));
}

/* ---- atomics ---- */

struct atomic_row {
    const char *word;
    enum wl_ptx_type type;
    enum wl_atomic kind;
    bool is_ordered; /* the result in memory depends on the order of the threads */
};

static const struct atomic_row atomic_rows[] = {
    {"add", WL_PTX_U32, WL_ATOMIC_ADD_U32, false},  {"add", WL_PTX_S32, WL_ATOMIC_ADD_U32, false},
    {"add", WL_PTX_U64, WL_ATOMIC_ADD_U64, false},  {"add", WL_PTX_S64, WL_ATOMIC_ADD_U64, false},
    {"add", WL_PTX_F32, WL_ATOMIC_ADD_F32, true},   {"add", WL_PTX_F64, WL_ATOMIC_ADD_F64, true},
    {"min", WL_PTX_U32, WL_ATOMIC_MIN_U32, false},  {"min", WL_PTX_S32, WL_ATOMIC_MIN_S32, false},
    {"max", WL_PTX_U32, WL_ATOMIC_MAX_U32, false},  {"max", WL_PTX_S32, WL_ATOMIC_MAX_S32, false},
    {"min", WL_PTX_U64, WL_ATOMIC_MIN_U64, false},  {"min", WL_PTX_S64, WL_ATOMIC_MIN_S64, false},
    {"max", WL_PTX_U64, WL_ATOMIC_MAX_U64, false},  {"max", WL_PTX_S64, WL_ATOMIC_MAX_S64, false},
    {"and", WL_PTX_B32, WL_ATOMIC_AND_B32, false},  {"or", WL_PTX_B32, WL_ATOMIC_OR_B32, false},
    {"xor", WL_PTX_B32, WL_ATOMIC_XOR_B32, false},  {"and", WL_PTX_B64, WL_ATOMIC_AND_B64, false},
    {"or", WL_PTX_B64, WL_ATOMIC_OR_B64, false},    {"xor", WL_PTX_B64, WL_ATOMIC_XOR_B64, false},
    {"exch", WL_PTX_B32, WL_ATOMIC_EXCH_B32, true}, {"exch", WL_PTX_B64, WL_ATOMIC_EXCH_B64, true},
    {"cas", WL_PTX_B32, WL_ATOMIC_CAS_B32, true},   {"cas", WL_PTX_B64, WL_ATOMIC_CAS_B64, true},
    {"inc", WL_PTX_U32, WL_ATOMIC_INC_U32, false},  {"dec", WL_PTX_U32, WL_ATOMIC_DEC_U32, false},
};

static const struct atomic_row *find_atomic(const struct wl_ptx_instruction *instruction,
                                            enum wl_ptx_type type)
{
    for (size_t i = 0; i < WL_COUNT(atomic_rows); i++)
        if (atomic_rows[i].type == type && wl_ptx_instruction_has(instruction, atomic_rows[i].word))
            return &atomic_rows[i];
    return NULL;
}

FAMILY(atomic)
{
    if (lower_is_atomic_list(instruction)) {
        lower_atomic_list(lowering, instruction);
        return;
    }
    enum wl_ptx_type type = lower_type(instruction, 0);
    const struct atomic_row *atomic = find_atomic(instruction, type);
    bool has_destination = strcmp(instruction->opcode, "atom") == 0;
    int first = has_destination ? 1 : 0;
    bool is_swap =
        atomic && (atomic->kind == WL_ATOMIC_CAS_B32 || atomic->kind == WL_ATOMIC_CAS_B64);
    if (!atomic || instruction->operand_count < first + 2 + is_swap) {
        lower_unsupported(lowering);
        return;
    }
    enum wl_ptx_space space = lower_space_of(instruction);
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t base;
    int64_t offset;
    if (!lower_address(lowering, &operands[first], &space, &base, &offset))
        return;
    const struct space_row *row = space_row(space);
    enum wl_operand_class operand_class = lower_class_of_type(type);
    bool is_used = has_destination && operands[0].kind == WL_PTX_OPERAND_REGISTER &&
                   lower_is_read(lowering, operands[0].reg);
    uint32_t b = lower_source(lowering, &operands[first + 1], operand_class, type);
    uint32_t c = is_swap ? lower_source(lowering, &operands[first + 2], operand_class, type) : b;
    uint32_t dst = is_used ? lower_destination(lowering, &operands[0], operand_class) : b;
    uint32_t site =
        lower_new_site(lowering, row->site, is_used ? WL_SITE_ATOMIC : WL_SITE_REDUCTION);
    uint8_t uses = (uint8_t)(FIELD_B | FIELD_C | (base == NO_REGISTER ? 0 : FIELD_A) |
                             (is_used ? 0 : FIELD_DST));
    if (row->atomic == WL_OP_COUNT) {
        lower_unsupported(lowering);
        return;
    }
    struct wl_op *op = lower_emit(lowering, row->atomic, is_used ? FIELD_DST : 0, uses);
    op->dst = dst;
    op->b = b;
    op->c = c;
    op->site = site;
    op->kind = (uint8_t)atomic->kind;
    op->spare = lower_order(instruction, true) | lower_turn(lowering);
    op->width_bytes = (uint8_t)wl_ptx_type_bytes(type);
    op->count = 1;
    op->flags = is_used ? WL_OPF_RESULT : 0;
    lower_set_address(lowering, op, base, offset);
    lowering->program->lanes_may_wait |= is_used;
    if (space == WL_PTX_SPACE_SHARED && wl_atomic_adds_floats(atomic->kind))
        lowering->program->has_joined_loads = true; /* a compiler's loop reads what they add to */
    tell_barrier(lowering, instruction, (uint32_t)wl_ptx_type_bytes(type));
    if (space != WL_PTX_SPACE_SHARED && (is_used || atomic->is_ordered))
        lowering->program->blocks_communicate = true;
}
