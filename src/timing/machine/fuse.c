/* Pairs of operations that the machine does in one. A row says: an operation of the second set
 * reads what one of the first set writes for it alone; the first goes, the second takes its
 * operands. */
#include "base/count.h"
#include "base/memory.h"
#include "timing/machine/uses.h"

enum {
    SET_ADD32 = 1,
    SET_ADD64 = 2,
    SET_LOGIC = 4,
    SET_SHIFT32 = 8, /* by a constant */
    SET_SHIFT64 = 16,
    SET_MUL32 = 32,
    SET_MUL_WIDE = 64,
    SET_EXTEND = 128, /* 32 to 64 bits with the sign */
    SET_COMPARE = 256,
    SET_PREDICATES = 512,
    SET_NARROW = 1024, /* a narrow value that a load has extended already */
    SET_LOAD = 2048,
};

struct fuse_row {
    uint16_t first, second;
    uint8_t kind, count;   /* of what remains */
    uint8_t most_operands; /* registers and immediates that it may read */
};

static const struct fuse_row fuse_rows[] = {
    {SET_MUL_WIDE, SET_ADD64, WL_MACHINE_IMAD_WIDE, 1, 3},  /* IMAD.WIDE */
    {SET_EXTEND, SET_SHIFT64, WL_MACHINE_IMAD_WIDE, 1, 2},  /* the same, by a power of two */
    {SET_SHIFT64, SET_ADD64, WL_MACHINE_ALU, 2, 3},         /* LEA, LEA.HI.X */
    {SET_EXTEND, SET_ADD64, WL_MACHINE_ALU, 2, 2},          /* IADD3, LEA.HI.X.SX32 */
    {SET_MUL32, SET_ADD32, WL_MACHINE_IMAD, 1, 3},          /* IMAD */
    {SET_SHIFT32, SET_ADD32, WL_MACHINE_ALU, 1, 3},         /* LEA */
    {SET_ADD32, SET_ADD32, WL_MACHINE_ALU, 1, 3},           /* IADD3 */
    {SET_LOGIC, SET_LOGIC, WL_MACHINE_ALU, 1, 3},           /* LOP3 */
    {SET_COMPARE, SET_PREDICATES, WL_MACHINE_ALU, 1, 4},    /* ISETP.AND ... */
    {SET_PREDICATES, SET_PREDICATES, WL_MACHINE_ALU, 1, 3}, /* PLOP3 */
    {SET_LOAD, SET_NARROW, WL_MACHINE_LOAD, 1, 3},          /* LDG.U8 ... */
};

static uint16_t set_of(const struct wl_machine_op *op)
{
    switch (op->code) {
    case WL_OP_ADD_I32:
    case WL_OP_ADD_I32_I:
    case WL_OP_SUB_I32:
    case WL_OP_SUB_I32_I:
    case WL_OP_NEG_S32:
        return SET_ADD32;
    case WL_OP_ADD_I64:
    case WL_OP_ADD_I64_I:
    case WL_OP_SUB_I64:
    case WL_OP_SUB_I64_I:
        return SET_ADD64;
    case WL_OP_AND_B32:
    case WL_OP_AND_B32_I:
    case WL_OP_OR_B32:
    case WL_OP_OR_B32_I:
    case WL_OP_XOR_B32:
    case WL_OP_XOR_B32_I:
    case WL_OP_NOT_B32:
    case WL_OP_LOP3_B32:
        return SET_LOGIC;
    case WL_OP_SHL_B32_I:
        return SET_SHIFT32;
    case WL_OP_SHL_B64_I:
        return SET_SHIFT64;
    case WL_OP_MUL_LO_I32:
    case WL_OP_MUL_LO_I32_I:
        return SET_MUL32;
    case WL_OP_MUL_WIDE_S32:
    case WL_OP_MUL_WIDE_S32_I:
    case WL_OP_MUL_WIDE_U32:
    case WL_OP_MUL_WIDE_U32_I:
        return SET_MUL_WIDE;
    case WL_OP_CVT_S64_S32:
        return SET_EXTEND;
    case WL_OP_PRED_LOGIC:
        return SET_PREDICATES;
    case WL_OP_CVT_U32_U8:
    case WL_OP_CVT_S32_S8:
    case WL_OP_CVT_U32_U16:
    case WL_OP_CVT_S32_S16:
    case WL_OP_CVT_S16_S8:
        return SET_NARROW;
    case WL_OP_LOAD_GLOBAL:
    case WL_OP_LOAD_LOCAL:
        return SET_LOAD;
    default:
        return wl_op_rows[op->code].form == WL_FORM_COMPARE ||
                       wl_op_rows[op->code].form == WL_FORM_COMPARE_IMMEDIATE
                   ? SET_COMPARE
                   : 0;
    }
}

/* Operands of the pair together, less the register between them; parameters are operands too, one
 * of which an instruction may have. */
static uint32_t count_operands(const struct wl_machine_op *first,
                               const struct wl_machine_op *second)
{
    return first->use_count + first->has_imm + second->use_count + second->has_imm - 1u;
}

static void take_operands(struct wl_machine *machine, const struct wl_machine_op *first,
                          struct wl_machine_op *second, uint32_t through)
{
    uint32_t begin = (uint32_t)machine->operands.count;
    uint8_t count = 0;
    for (uint32_t k = 0; k < second->def_count; k++) {
        uint32_t reg = wl_machine_defs(machine, second)[k];
        WL_PUSH(&machine->operands, reg);
    }
    for (uint32_t k = 0; k < first->use_count; k++, count++) {
        uint32_t reg = wl_machine_op_uses(machine, first)[k];
        WL_PUSH(&machine->operands, reg);
    }
    for (uint32_t k = 0; k < second->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, second)[k];
        if (reg == through)
            continue;
        WL_PUSH(&machine->operands, reg);
        count++;
    }
    second->operands = begin;
    second->use_count = count;
}

/* A load takes over what its extended value is called. */
static void rename_result(struct wl_machine *machine, struct wl_machine_op *load,
                          struct wl_machine_op *narrow)
{
    wl_machine_defs(machine, load)[0] = wl_machine_defs(machine, narrow)[0];
    wl_machine_kill(narrow);
}

static bool fuse_one(struct wl_machine *machine, struct wl_machine_uses *uses, uint32_t block,
                     struct wl_machine_op *second)
{
    uint16_t set = set_of(second);
    for (uint32_t k = 0; k < second->use_count && set; k++) {
        uint32_t through = wl_machine_op_uses(machine, second)[k];
        if (uses->writer[through] >= WL_MACHINE_SEVERAL || uses->reads[through] != 1 ||
            uses->block[through] != block)
            continue;
        struct wl_machine_op *first = &machine->ops.items[uses->writer[through]];
        if (wl_machine_is_dead(first) || first->def_count != 1 ||
            first->is_guarded != second->is_guarded)
            continue;
        for (size_t r = 0; r < WL_COUNT(fuse_rows); r++) {
            const struct fuse_row *row = &fuse_rows[r];
            if (!(set_of(first) & row->first) || !(set & row->second) ||
                (row->first != SET_LOAD && count_operands(first, second) > row->most_operands))
                continue;
            if (row->first == SET_LOAD) {
                rename_result(machine, first, second);
                return true;
            }
            take_operands(machine, first, second, through);
            second->kind = row->kind;
            second->count = row->count;
            second->has_imm |= first->has_imm;
            if (row->second != SET_PREDICATES && row->second != SET_LOGIC)
                second->code = WL_OP_MAD_LO_I32; /* nothing more joins it */
            if (row->second == SET_SHIFT64)
                second->code = WL_OP_MUL_WIDE_S32;
            wl_machine_kill(first);
            return true;
        }
    }
    return false;
}

/* base + what a parameter is multiplied with: IMAD.WIDE does the multiplication again, for nothing.
 */
static void fuse_common(struct wl_machine *machine, const struct wl_machine_uses *uses,
                        struct wl_machine_op *op)
{
    for (uint32_t k = 0; k < op->use_count && set_of(op) == SET_ADD64; k++) {
        uint32_t reg = wl_machine_op_uses(machine, op)[k];
        if (machine->registers.items[reg].kind != WL_MACHINE_COMMON ||
            uses->writer[reg] >= WL_MACHINE_SEVERAL ||
            set_of(&machine->ops.items[uses->writer[reg]]) != SET_MUL_WIDE)
            continue;
        op->kind = WL_MACHINE_IMAD_WIDE;
        op->count = 1;
        op->code = WL_OP_MAD_WIDE_S32;
    }
}

void wl_machine_fuse(struct wl_machine *machine)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        struct wl_machine_uses uses;
        wl_machine_uses_find(machine, &uses);
        for (uint32_t b = 0; b < machine->block_count; b++) {
            struct wl_machine_block *block = &machine->blocks[b];
            for (size_t i = 0; i < block->code.count; i++) {
                struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
                if (wl_machine_is_dead(op))
                    continue;
                fuse_common(machine, &uses, op);
                has_changed |= fuse_one(machine, &uses, b, op);
            }
        }
        wl_machine_uses_free(&uses);
        wl_machine_sweep(machine);
    }
}
