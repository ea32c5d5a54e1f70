#include <fnmatch.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "timing/machine/build.h"

struct cost_row {
    const char *pattern;
    uint8_t kind, count, second_kind, second_count;
};

static const struct cost_row cost_rows[] = {
#define C(pattern, kind, count, second, second_count) \
    {pattern, WL_MACHINE_##kind, count, WL_MACHINE_##second, second_count},
#define S(pattern)
#include "timing/machine/costs.def"
#undef C
#undef S
    {"*", WL_MACHINE_ALU, 1, WL_MACHINE_ALU, 0},
};

static const struct cost_row *find_cost(uint16_t code)
{
    char name[64];
    size_t length = strlen(wl_op_rows[code].name);
    bool is_immediate = wl_op_rows[code].form == WL_FORM_BINARY_IMMEDIATE ||
                        wl_op_rows[code].form == WL_FORM_COMPARE_IMMEDIATE;
    length -= is_immediate ? 2 : 0; /* "_I" */
    length = length < sizeof name ? length : sizeof name - 1;
    memcpy(name, wl_op_rows[code].name, length);
    name[length] = 0;
    const struct cost_row *row = cost_rows;
    while (fnmatch(row->pattern, name, 0) != 0)
        row++;
    return row;
}

struct wl_machine *wl_machine_create(uint32_t block_count)
{
    struct wl_machine *machine = wl_alloc_zero(1, sizeof *machine);
    machine->block_count = block_count;
    machine->blocks = wl_alloc_zero(block_count, sizeof *machine->blocks);
    for (uint32_t i = 0; i < block_count; i++)
        machine->blocks[i] = (struct wl_machine_block){
            .head = i, .base = i, .join = WL_MACHINE_NONE, .turns = 1, .unrolled = WL_MACHINE_NONE};
    WL_PUSH(&machine->operands, WL_MACHINE_NONE); /* so that they have an address */
    return machine;
}

uint32_t wl_machine_add_register(struct wl_machine *machine, enum wl_machine_register kind,
                                 uint64_t constant)
{
    struct wl_machine_value value = {constant, (uint8_t)kind};
    WL_PUSH(&machine->registers, value);
    return (uint32_t)machine->registers.count - 1;
}

/* Known when the launch begins: an operand from constant memory. */
static bool is_uniform_special(const struct wl_op *op)
{
    switch (op->kind) {
    case WL_SPECIAL_NTID_X:
    case WL_SPECIAL_NTID_Y:
    case WL_SPECIAL_NTID_Z:
    case WL_SPECIAL_NCTAID_X:
    case WL_SPECIAL_NCTAID_Y:
    case WL_SPECIAL_NCTAID_Z:
        return true;
    default:
        return false;
    }
}

static enum wl_machine_kind refine(const struct wl_machine_input *input, enum wl_machine_kind kind)
{
    const struct wl_op *op = input->op;
    if (kind == WL_MACHINE_CONVERT && input->pipe == WL_PIPE_ALU)
        return WL_MACHINE_ALU;
    if (kind == WL_MACHINE_CONVERT && input->pipe == WL_PIPE_FP16)
        return WL_MACHINE_HALF;
    if (op->code == WL_OP_SPECIAL && is_uniform_special(op))
        return WL_MACHINE_UNIFORM;
    if (op->code == WL_OP_LOAD_PARAM)
        return WL_MACHINE_UNIFORM;
    if (op->code == WL_OP_WARP_SYNC && op->kind == WL_WARP_SYNC_COMMIT)
        return WL_MACHINE_COMMIT;
    if (op->code == WL_OP_BARRIER_OBJECT && op->kind >= WL_BARRIER_TEST)
        return WL_MACHINE_OBJECT_WAIT;
    if (op->code == WL_OP_BARRIER_OBJECT && op->flags & WL_OPF_BYPASS_L1)
        return WL_MACHINE_OBJECT_TELL;
    if (kind == WL_MACHINE_ATOMIC && !(op->flags & WL_OPF_RESULT) && op->code != WL_OP_ATOMIC_LIST)
        return WL_MACHINE_REDUCTION;
    return kind;
}

static const char *const slow_path_patterns[] = {
#define C(pattern, kind, count, second, second_count)
#define S(pattern) pattern,
#include "timing/machine/costs.def"
#undef C
#undef S
};

bool wl_machine_has_slow_path(uint16_t code)
{
    bool has = false;
    for (size_t i = 0; i < WL_COUNT(slow_path_patterns); i++)
        has |= fnmatch(slow_path_patterns[i], wl_op_rows[code].name, 0) == 0;
    return has;
}

/* Whether lanes may get different results for the same operands: not from one address of memory
 * that all share. */
static bool is_varying(const struct wl_op *op, uint8_t kind)
{
    switch (kind) {
    case WL_MACHINE_SPECIAL:
        return op->kind < WL_SPECIAL_CTAID_X || op->kind > WL_SPECIAL_CTAID_Z;
    case WL_MACHINE_LOAD:
        return op->code == WL_OP_LOAD_LOCAL || op->code == WL_OP_LOAD_GENERIC;
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_SHARED_ATOMIC:
    case WL_MACHINE_SHUFFLE:
    case WL_MACHINE_TEXTURE:
    case WL_MACHINE_BRANCH: /* what a called function returns */
    case WL_MACHINE_UNKNOWN:
        return true;
    default:
        return false;
    }
}

/* Multiply-adds that the tensor pipe does for an operation, in units of 8x8x4 of 16 bits. */
static uint8_t tensor_weight(const struct wl_op *op)
{
    uint32_t shape = (uint32_t)op->imm;
    uint32_t m = shape & 255, n = shape >> 8 & 255, k = shape >> 16 & 255;
    uint32_t bits = wl_matrix_format_bits(op->kind);
    uint32_t weight = m * n / 64 * (k ? k : 256) * (bits ? bits : 16) / 64;
    if (op->imm & WL_MATRIX_SPARSE) /* of each four, two are there */
        weight /= 2;
    return weight == 0 ? 1 : weight > 255 ? 255 : (uint8_t)weight;
}

/* What an operation counts for before machine instructions are chosen (bench/gpu/model/unroll.py).
 * Offsets of addresses are additions; copies and what costs nothing have gone. */
static void count_source(struct wl_machine_source *source, const struct wl_machine_op *op)
{
    bool is_copy = op->kind == WL_MACHINE_MOVE || op->kind == WL_MACHINE_FREE;
    switch (op->kind) {
    case WL_MACHINE_LOAD:
    case WL_MACHINE_STORE:
    case WL_MACHINE_SHARED_LOAD:
    case WL_MACHINE_SHARED_STORE:
        source->count += 1 + (op->imm != 0);
        source->global_loads += op->kind == WL_MACHINE_LOAD;
        source->shared_loads += op->kind == WL_MACHINE_SHARED_LOAD;
        break;
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_REDUCTION:
        source->count += 10;
        break;
    case WL_MACHINE_SHARED_ATOMIC:
        source->count += 13;
        break;
    case WL_MACHINE_ALU: /* of 64 bits, one until halves are distinguished */
    case WL_MACHINE_ADD:
    case WL_MACHINE_IMAD:
        source->count += op->second_count || op->count > 4 ? op->count + op->second_count : 1;
        break;
    default:
        source->count += is_copy ? 0 : (uint32_t)op->count + op->second_count;
        break;
    }
}

static bool adds_floats(const struct wl_op *op)
{
    switch (op->kind) {
    case WL_ATOMIC_ADD_F32:
    case WL_ATOMIC_ADD_FTZ_F32:
    case WL_ATOMIC_ADD_F64:
    case WL_ATOMIC_ADD_F16X2:
    case WL_ATOMIC_ADD_F16:
    case WL_ATOMIC_ADD_BF16:
    case WL_ATOMIC_ADD_BF16X2:
        return true;
    default:
        return false;
    }
}

/* Shared memory adds integers only: floating-point numbers are read, added and swapped for what was
 * read, compared and, if it was another one, all that again (bench/gpu/model contention,
 * shared_float less shared_int, own_words of one warp: 4.7 instructions, 83 cycles; one_word: 6.0
 * of each further lane). */
enum { SUM_ROUND = 6 };

static void expect_loop(struct wl_machine_op *op)
{
    op->count = 2;
    op->second_kind = WL_MACHINE_ALU;
    op->second_count = 3;
    op->lane_count = SUM_ROUND;
}

void wl_machine_add(struct wl_machine *machine, uint32_t block,
                    const struct wl_machine_input *input)
{
    const struct wl_op *from = input->op;
    const struct cost_row *cost = find_cost(from->code);
    bool is_immediate = wl_op_rows[from->code].form == WL_FORM_BINARY_IMMEDIATE ||
                        wl_op_rows[from->code].form == WL_FORM_COMPARE_IMMEDIATE;
    bool is_load = from->code == WL_OP_LOAD_GLOBAL || from->code == WL_OP_LOAD_SHARED ||
                   from->code == WL_OP_LOAD_LOCAL || from->code == WL_OP_LOAD_GENERIC;
    bool is_kept = is_load ? from->kind & WL_LOAD_KEPT
                           : from->code == WL_OP_STORE_SHARED && from->spare & WL_ORDER_STRONG;
    struct wl_machine_op op = {.code = from->code,
                               .kind = (uint8_t)refine(input, cost->kind),
                               .count = cost->count,
                               .second_kind = cost->second_kind,
                               .second_count = cost->second_count,
                               .is_guarded = input->is_guarded,
                               .may_gather = input->may_gather,
                               .instruction = from->instruction,
                               .site = input->site,
                               .address = input->address,
                               .imm = from->imm,
                               .width_bytes = (uint8_t)(from->width_bytes * from->count),
                               .has_imm = is_immediate,
                               .is_kept = is_kept,
                               .is_varying = is_varying(from, refine(input, cost->kind)),
                               .has_slow_path = wl_machine_has_slow_path(from->code),
                               .is_readonly = is_load && from->flags & WL_OPF_NONCOHERENT,
                               .weight = 1,
                               .def_count = (uint8_t)input->def_count,
                               .use_count = (uint8_t)input->use_count,
                               .operands = (uint32_t)machine->operands.count};
    for (uint32_t i = 0; i < input->def_count; i++)
        WL_PUSH(&machine->operands, input->defs[i]);
    for (uint32_t i = 0; i < input->use_count; i++)
        WL_PUSH(&machine->operands, input->uses[i]);
    if (from->code == WL_OP_ATOMIC_SHARED && adds_floats(from))
        expect_loop(&op);
    if (op.kind == WL_MACHINE_TENSOR)
        op.weight = tensor_weight(from);
    if (op.kind == WL_MACHINE_WARPGROUP)
        op.weight = (uint8_t)((tensor_weight(from) + 1) / 2);
    count_source(&machine->blocks[block].source, &op);
    WL_PUSH(&machine->ops, op);
    uint32_t index = (uint32_t)machine->ops.count - 1;
    WL_PUSH(&machine->blocks[block].code, index);
}

void wl_machine_improve(struct wl_machine *machine, uint32_t registers)
{
    wl_machine_fold(machine);
    wl_machine_merge(machine);
    wl_machine_halves(machine);
    wl_machine_fuse(machine);
    wl_machine_predicate(machine);
    wl_machine_select(machine);
    wl_machine_converge(machine);
    wl_machine_unroll(machine);
    wl_machine_divide(machine);
    wl_machine_gather(machine);
    wl_machine_constants(machine);
    wl_machine_expand(machine);
    wl_machine_schedule(machine, registers);
    wl_machine_place(machine);
}
