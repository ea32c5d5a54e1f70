/* Writes the code of a segment. It does the first 16 lanes of all operations, then the others:
 * lanes know nothing of each other, and a vector register holds 16. Values stay in vector registers
 * while they are read; what is read behind the segment is written to the warp's registers. */
#include "sim/native/native.h"

#include <stdlib.h>
#include <string.h>

#define VECTORS 29 /* that hold values */
enum { TEMPORARY_A = 29, TEMPORARY_B = 30, TEMPORARY_C = 31 };
enum { MASK_A = 1, MASK_B = 2, MASK_C = 3 };
#define PIECES 2
#define PIECE_LANES 16
#define NEVER UINT32_MAX

/* Memory that is read through a general register of its own. */
enum base {
    BASE_SLOT,
    BASE_THREADS = WL_NATIVE_SLOTS,
    BASE_BLOCK,
    BASE_LAUNCH,
    BASE_PARAMETERS,
    BASE_COUNT
};
static const uint8_t base_registers[] = {WL_R10, WL_R11, WL_RBX, WL_RBP,
                                         WL_R12, WL_R13, WL_R14, WL_R15};
#define CALLER_OWNED 2 /* of these, which need not be saved */

/* Half of a 64-bit register of the piece, or a 32-bit one. */
#define KEY(offset, half) ((uint64_t)(offset) << 1 | (half))
#define NO_KEY UINT64_MAX

struct held {
    uint64_t key;
    uint32_t next; /* operation that reads it next, or NEVER */
    bool is_raw;   /* a NaN in it may be another than the canonical one */
    bool is_dirty; /* the warp's registers do not have it, and it will be read */
    bool is_wide;
    bool is_pinned; /* by the operation at hand */
};

/* A value that need not be in a register: it is somewhere in memory, or a literal. */
struct elsewhere {
    uint64_t key;
    struct wl_operand_place place;
};

struct emitter {
    struct wl_assembly *code;
    const struct wl_program *program;
    const struct wl_native_segment *segment;
    uint32_t piece, at; /* at: operation, counted from the segment's first */
    const struct wl_op *op;
    const struct wl_native_row *row;
    struct wl_native_operands operands;
    uint32_t (*next_of_reads)[WL_NATIVE_READS];
    uint32_t (*next_of_writes)[WL_NATIVE_WRITES];
    struct held held[VECTORS];
    WL_VECTOR(struct elsewhere) elsewhere;
    uint8_t bases[BASE_COUNT]; /* WL_NO_GPR: not needed */
    uint8_t bases_used;
    bool has_failed;
};

static const struct wl_encoding move_load = {2, 1, 0, 0x6f}, move_store = {2, 1, 0, 0x7f};
static const struct wl_encoding broadcast_32 = {1, 2, 0, 0x58}, broadcast_64 = {1, 2, 1, 0x59};
static const struct wl_encoding add_32 = {1, 1, 0, 0xfe}, add_64 = {1, 1, 1, 0xd4};
static const struct wl_encoding subtract_32 = {1, 1, 0, 0xfa}, subtract_64 = {1, 1, 1, 0xfb};
static const struct wl_encoding xor_32 = {1, 1, 0, 0xef};
static const struct wl_encoding and_32 = {1, 1, 0, 0xdb}, or_64 = {1, 1, 1, 0xeb};
static const struct wl_encoding shift_left_64 = {1, 1, 1, 0xf3};
static const struct wl_encoding compare_floats = {0, 1, 0, 0xc2};
static const struct wl_encoding compare_32 = {1, 3, 0, 0x1f}, compare_64 = {1, 3, 1, 0x1f};
static const struct wl_encoding test_not_32 = {2, 2, 0, 0x27};
static const struct wl_encoding extract_half = {1, 3, 1, 0x3b};
static const struct wl_encoding extend_zeros = {1, 2, 0, 0x35};
static const struct wl_encoding permute_32 = {1, 2, 0, 0x36}, permute_two_32 = {1, 2, 0, 0x76};

static struct wl_operand_place vector(uint32_t number)
{
    return (struct wl_operand_place){.kind = WL_OPERAND_VECTOR, .vector = (uint8_t)number};
}

static struct wl_operand_place memory(uint8_t base, int32_t offset)
{
    return (struct wl_operand_place){.kind = WL_OPERAND_MEMORY, .base = base, .offset = offset};
}

static struct wl_operand_place literal(struct emitter *e, const void *bytes, uint32_t size_bytes)
{
    return (struct wl_operand_place){.kind = WL_OPERAND_LITERAL,
                                     .broadcasts = size_bytes < 64,
                                     .offset = wl_assembly_literal(e->code, bytes, size_bytes)};
}

static struct wl_operand_place literal_32(struct emitter *e, uint32_t value)
{
    return literal(e, &value, sizeof value);
}

static struct wl_operand_place literal_64(struct emitter *e, uint64_t value)
{
    return literal(e, &value, sizeof value);
}

static void emit(struct emitter *e, struct wl_encoding encoding, uint32_t dst, uint32_t source1,
                 struct wl_operand_place source2, int immediate)
{
    wl_assembly_vector(e->code, encoding, (uint8_t)dst, (uint8_t)source1, source2, 0, false,
                       immediate);
}

static void emit_masked(struct emitter *e, struct wl_encoding encoding, uint32_t dst,
                        uint32_t source1, struct wl_operand_place source2, uint8_t mask)
{
    wl_assembly_vector(e->code, encoding, (uint8_t)dst, (uint8_t)source1, source2, mask, false, -1);
}

/* dst = the place, element by element. */
static void fetch(struct emitter *e, uint32_t dst, struct wl_operand_place place, bool is_wide)
{
    const bool broadcasts = place.kind != WL_OPERAND_VECTOR && place.broadcasts;
    place.broadcasts = false; /* that instruction reads one element anyway */
    emit(e, broadcasts ? is_wide ? broadcast_64 : broadcast_32 : move_load, dst, 0, place, -1);
}

/* ---- values and where they are ---- */

static struct wl_operand_place home(const struct emitter *e, uint32_t offset, bool is_wide,
                                    uint32_t half)
{
    return memory(WL_R8, (int32_t)(offset + e->piece * (is_wide ? 128 : 64) + half * 64));
}

static uint32_t find_held(const struct emitter *e, uint64_t key)
{
    for (uint32_t i = 0; i < VECTORS; i++)
        if (e->held[i].key == key)
            return i;
    return VECTORS;
}

static const struct elsewhere *find_elsewhere(const struct emitter *e, uint64_t key)
{
    for (size_t i = e->elsewhere.count; i-- > 0;)
        if (e->elsewhere.items[i].key == key)
            return &e->elsewhere.items[i];
    return NULL;
}

static void release(struct emitter *e, uint32_t number)
{
    e->held[number] = (struct held){.key = NO_KEY, .next = NEVER};
}

/* Makes every NaN the canonical one (PTX ISA, 9.7.3). */
static void make_canonical(struct emitter *e, uint32_t number)
{
    if (!e->held[number].is_raw)
        return;
    e->held[number].is_raw = false;
    emit(e, compare_floats, MASK_C, number, vector(number), 3);
    struct wl_operand_place nan = literal_32(e, 0x7fffffff);
    nan.broadcasts = false;
    emit_masked(e, broadcast_32, number, 0, nan, MASK_C);
}

static void write_home(struct emitter *e, uint32_t number)
{
    const struct held *held = &e->held[number];
    make_canonical(e, number);
    wl_assembly_vector_store(e->code, move_store,
                             home(e, (uint32_t)(held->key >> 1), held->is_wide, held->key & 1),
                             (uint8_t)number, -1);
    e->held[number].is_dirty = false;
}

/* A vector register for a new value: a free one, or the one whose value is read last. */
static uint32_t take_vector(struct emitter *e)
{
    uint32_t chosen = VECTORS;
    for (uint32_t i = 0; i < VECTORS; i++) {
        if (e->held[i].is_pinned)
            continue;
        if (e->held[i].key == NO_KEY) {
            chosen = i;
            break;
        }
        if (chosen == VECTORS || e->held[i].next > e->held[chosen].next)
            chosen = i;
    }
    if (chosen == VECTORS) { /* cannot be: an operation pins fewer than there are */
        e->has_failed = true;
        return 0;
    }
    if (e->held[chosen].key != NO_KEY && e->held[chosen].is_dirty)
        write_home(e, chosen);
    release(e, chosen);
    e->held[chosen].is_pinned = true;
    return chosen;
}

/* Whether the segment is of the kernel itself: called functions have other registers. */
static bool is_of_kernel(const struct emitter *e)
{
    for (uint32_t i = 1; i < e->program->function_count; i++)
        if (e->segment->first >= e->program->functions[i].op)
            return false;
    return true;
}

static const struct wl_parameter_register *find_parameter(const struct emitter *e, uint32_t offset)
{
    for (uint32_t i = 0; i < e->program->parameter_register_count && is_of_kernel(e); i++)
        if (e->program->parameter_registers[i].offset == offset)
            return &e->program->parameter_registers[i];
    return NULL;
}

/* A constant of the program, or a parameter that is one for the launch. */
static bool find_constant(struct emitter *e, uint32_t offset, struct wl_operand_place *place)
{
    if (!is_of_kernel(e))
        return false;
    const struct wl_parameter_register *parameter = find_parameter(e, offset);
    if (parameter) {
        *place = memory(e->bases[BASE_PARAMETERS], (int32_t)parameter->parameter);
        place->broadcasts = true;
        return true;
    }
    for (uint32_t i = 0; i < e->program->constant_count; i++) {
        const struct wl_constant *constant = &e->program->constants[i];
        if (constant->offset != offset)
            continue;
        *place = constant->width_bytes == 8 ? literal_64(e, constant->bits)
                                            : literal_32(e, (uint32_t)constant->bits);
        return true;
    }
    return false;
}

static bool is_wide_read(const struct emitter *e, uint32_t k)
{
    return e->operands.reads[k].operand_class == WL_CLASS_64;
}

/* The value of operand k in a vector register. */
static uint32_t in_vector(struct emitter *e, uint32_t k, uint32_t half);

/* Operand k where it is; in a vector register if it is read again, or may hold another NaN. */
static struct wl_operand_place find_place(struct emitter *e, uint32_t k, uint32_t half)
{
    const struct wl_native_operand *operand = &e->operands.reads[k];
    const uint64_t key = KEY(operand->offset, half);
    const uint32_t number = find_held(e, key);
    if (number < VECTORS) {
        if (!(e->row->flags & WL_NATIVE_FLOAT))
            make_canonical(e, number);
        e->held[number].is_pinned = true;
        return vector(number);
    }
    const struct elsewhere *found = find_elsewhere(e, key);
    struct wl_operand_place place;
    if (found)
        return found->place;
    if (find_constant(e, operand->offset, &place))
        return place;
    if (e->next_of_reads[e->at][k] != NEVER)
        return vector(in_vector(e, k, half));
    return home(e, operand->offset, is_wide_read(e, k), half);
}

static uint32_t in_vector(struct emitter *e, uint32_t k, uint32_t half)
{
    const struct wl_native_operand *operand = &e->operands.reads[k];
    const uint64_t key = KEY(operand->offset, half);
    uint32_t number = find_held(e, key);
    if (number < VECTORS) {
        if (!(e->row->flags & WL_NATIVE_FLOAT))
            make_canonical(e, number);
        e->held[number].is_pinned = true;
        return number;
    }
    const bool is_wide = is_wide_read(e, k);
    const struct elsewhere *found = find_elsewhere(e, key);
    struct wl_operand_place place = home(e, operand->offset, is_wide, half);
    if (found)
        place = found->place;
    else
        find_constant(e, operand->offset, &place);
    number = take_vector(e);
    fetch(e, number, place, is_wide);
    e->held[number] = (struct held){
        .key = key, .next = e->next_of_reads[e->at][k], .is_wide = is_wide, .is_pinned = true};
    return number;
}

static bool is_read_later(const struct emitter *e, uint32_t w)
{
    const uint16_t lives = e->op->lives[e->operands.writes[w].field];
    return lives == 0 || e->at + lives >= e->segment->count;
}

/* What the register held before is gone; `kept`: the vector that holds its new value. */
static void forget(struct emitter *e, uint64_t key, uint32_t kept)
{
    const uint32_t number = find_held(e, key);
    if (number < VECTORS && number != kept)
        release(e, number);
    for (size_t i = e->elsewhere.count; i-- > 0;)
        if (e->elsewhere.items[i].key == key)
            e->elsewhere.items[i].key = NO_KEY;
}

/* The vector holds what the operation writes to its register w. */
static void define(struct emitter *e, uint32_t w, uint32_t half, uint32_t number, bool is_raw)
{
    const struct wl_native_operand *operand = &e->operands.writes[w];
    const uint64_t key = KEY(operand->offset, half);
    forget(e, key, number);
    const uint32_t next = e->next_of_writes[e->at][w];
    e->held[number] = (struct held){.key = key,
                                    .next = next,
                                    .is_raw = is_raw,
                                    .is_dirty = next != NEVER,
                                    .is_wide = operand->operand_class == WL_CLASS_64,
                                    .is_pinned = true};
    if (is_read_later(e, w))
        write_home(e, number);
}

/* The same for a value that is somewhere else. */
static void define_elsewhere(struct emitter *e, uint32_t w, uint32_t half,
                             struct wl_operand_place place)
{
    const struct wl_native_operand *operand = &e->operands.writes[w];
    const bool is_wide = operand->operand_class == WL_CLASS_64;
    if (is_read_later(e, w)) {
        const uint32_t number = take_vector(e);
        fetch(e, number, place, is_wide);
        define(e, w, half, number, false);
        return;
    }
    const uint64_t key = KEY(operand->offset, half);
    forget(e, key, VECTORS);
    WL_PUSH(&e->elsewhere, ((struct elsewhere){key, place}));
}

/* After an operation: values that nobody reads any more leave their registers. */
static void end_operation(struct emitter *e)
{
    for (uint32_t k = 0; k < e->operands.read_count; k++)
        for (uint32_t half = 0; half < 2; half++) {
            const uint32_t number = find_held(e, KEY(e->operands.reads[k].offset, half));
            bool is_written = false;
            for (uint32_t w = 0; w < e->operands.write_count; w++)
                is_written |= e->operands.writes[w].offset == e->operands.reads[k].offset;
            if (number < VECTORS && !is_written)
                e->held[number].next = e->next_of_reads[e->at][k];
        }
    for (uint32_t i = 0; i < VECTORS; i++) {
        e->held[i].is_pinned = false;
        if (e->held[i].key != NO_KEY && e->held[i].next == NEVER)
            release(e, i);
    }
}

/* ---- predicates: 16 bits of each piece, in the warp's registers ---- */

static int32_t predicate_offset(const struct emitter *e, uint32_t offset)
{
    return (int32_t)(offset + 2 * e->piece);
}

/* The predicate's bits of this piece are the low 16 of eax. Written whole in the last piece, for
 * who reads 32 bits next waits for no two writes. */
static void write_predicate(struct emitter *e, uint32_t offset)
{
    if (e->piece == 0) {
        wl_assembly_store(e->code, WL_RAX, WL_R8, (int32_t)offset, 2);
        return;
    }
    wl_assembly_shift_left(e->code, WL_RAX, 16);
    wl_assembly_load(e->code, WL_RCX, WL_R8, (int32_t)offset, 2);
    wl_assembly_arithmetic(e->code, WL_OR, WL_RAX, WL_RCX, false);
    wl_assembly_store(e->code, WL_RAX, WL_R8, (int32_t)offset, 4);
}

static struct wl_operand_place immediate_place(struct emitter *e, bool is_wide)
{
    return is_wide ? literal_64(e, (uint64_t)e->op->imm) : literal_32(e, (uint32_t)e->op->imm);
}

/* The second operand of a row that may have an immediate. */
static struct wl_operand_place second_place(struct emitter *e, uint32_t half)
{
    return e->row->flags & WL_NATIVE_HAS_IMMEDIATE ? immediate_place(e, e->row->bits == 64)
                                                   : find_place(e, 1, half);
}

static void emit_compare(struct emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t a = in_vector(e, 0, half);
        emit(e, e->row->encoding, MASK_A + half, a, second_place(e, half), e->row->number);
    }
    wl_assembly_mask_move(e->code, WL_RAX, MASK_A);
    if (is_wide) {
        wl_assembly_mask_move(e->code, WL_RCX, MASK_B);
        wl_assembly_shift_left(e->code, WL_RCX, 8);
        wl_assembly_arithmetic(e->code, WL_OR, WL_RAX, WL_RCX, false);
    }
    write_predicate(e, e->op->dst);
}

static void emit_predicate_logic(struct emitter *e)
{
    const struct wl_op *op = e->op;
    wl_assembly_load(e->code, WL_RAX, WL_R8, predicate_offset(e, op->a), 2);
    wl_assembly_load(e->code, WL_RCX, WL_R8, predicate_offset(e, op->b), 2);
    const bool is_move = op->kind > 2, negates = op->kind == 4;
    if (((op->flags & WL_OPF_NEGATED) != 0) != negates)
        wl_assembly_not(e->code, WL_RCX);
    static const enum wl_arithmetic operations[] = {WL_AND, WL_OR, WL_XOR};
    if (is_move)
        wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    wl_assembly_arithmetic(e->code, is_move ? WL_OR : operations[op->kind], WL_RAX, WL_RCX, false);
    write_predicate(e, op->dst);
}

static void emit_predicate_constant(struct emitter *e)
{
    const uint32_t value = e->op->imm ? WL_FULL_MASK : 0;
    wl_assembly_store_immediate(e->code, value, WL_R8, (int32_t)e->op->dst, e->piece ? 4 : 2);
}

static void emit_from_predicate(struct emitter *e)
{
    wl_assembly_mask_load(e->code, MASK_A, WL_R8, predicate_offset(e, e->op->a));
    struct wl_operand_place one = literal_32(e, (uint32_t)e->op->imm);
    one.broadcasts = false;
    const uint32_t d = take_vector(e);
    wl_assembly_vector(e->code, broadcast_32, (uint8_t)d, 0, one, MASK_A, true, -1);
    define(e, 0, 0, d, false);
}

static void emit_select(struct emitter *e)
{
    const bool is_wide = e->row->bits == 64, negates = e->op->flags & WL_OPF_NEGATED;
    wl_assembly_mask_load(e->code, MASK_A, WL_R8, predicate_offset(e, e->op->c));
    if (is_wide)
        wl_assembly_mask_shift(e->code, MASK_B, MASK_A, 8);
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t otherwise = in_vector(e, negates ? 0 : 1, half);
        const struct wl_operand_place chosen = find_place(e, negates ? 1 : 0, half);
        const uint32_t d = take_vector(e);
        emit_masked(e, e->row->encoding, d, otherwise, chosen, (uint8_t)(MASK_A + half));
        define(e, 0, half, d, false);
    }
}

/* ---- arithmetic ---- */

/* Subnormal elements become zero of the same sign. */
static void flush(struct emitter *e, uint32_t number)
{
    emit(e, test_not_32, MASK_C, number, literal_32(e, 0x7f800000), -1);
    emit_masked(e, and_32, number, number, literal_32(e, 0x80000000), MASK_C);
}

/* A copy without subnormals in a temporary register. */
static uint32_t flushed(struct emitter *e, struct wl_operand_place place, uint32_t temporary)
{
    fetch(e, temporary, place, false);
    flush(e, temporary);
    return temporary;
}

static void emit_binary_flushed(struct emitter *e)
{
    const uint32_t a = flushed(e, find_place(e, 0, 0), TEMPORARY_A);
    const uint32_t b = flushed(e, second_place(e, 0), TEMPORARY_B);
    const uint32_t d = take_vector(e);
    emit(e, e->row->encoding, d, a, vector(b), -1);
    flush(e, d);
    define(e, 0, 0, d, true);
}

static void emit_binary(struct emitter *e)
{
    const bool is_float = e->row->flags & WL_NATIVE_FLOAT;
    if (e->row->flags & WL_NATIVE_FLUSHES) {
        emit_binary_flushed(e);
        return;
    }
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        struct wl_operand_place a = find_place(e, 0, half), b = second_place(e, half);
        if (a.kind != WL_OPERAND_VECTOR && b.kind == WL_OPERAND_VECTOR &&
            e->row->flags & WL_NATIVE_COMMUTES) {
            const struct wl_operand_place swap = a;
            a = b;
            b = swap;
        }
        const uint32_t source = a.kind == WL_OPERAND_VECTOR ? a.vector : in_vector(e, 0, half);
        const uint32_t d = take_vector(e);
        emit(e, e->row->encoding, d, source, b, -1);
        define(e, 0, half, d, is_float);
    }
}

static void emit_unary(struct emitter *e)
{
    const bool is_float = e->row->flags & WL_NATIVE_FLOAT;
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        const struct wl_operand_place a = find_place(e, 0, half);
        const uint32_t d = take_vector(e);
        emit(e, e->row->encoding, d, 0, a, -1);
        define(e, 0, half, d, is_float);
    }
}

static void emit_with_literal(struct emitter *e)
{
    static const uint64_t literals[] = {[WL_NATIVE_ALL_BITS] = ~0ull,
                                        [WL_NATIVE_LOW_8] = 0xff,
                                        [WL_NATIVE_LOW_16] = 0xffff,
                                        [WL_NATIVE_SIGN_32] = 0x80000000,
                                        [WL_NATIVE_BUT_SIGN_32] = 0x7fffffff,
                                        [WL_NATIVE_SIGN_64] = 0x8000000000000000,
                                        [WL_NATIVE_BUT_SIGN_64] = 0x7fffffffffffffff};
    const uint64_t value = literals[e->row->number];
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        const uint32_t a = in_vector(e, 0, half), d = take_vector(e);
        emit(e, e->row->encoding, d, a,
             e->row->bits == 64 ? literal_64(e, value) : literal_32(e, (uint32_t)value), -1);
        define(e, 0, half, d, false);
    }
}

static void emit_negate(struct emitter *e)
{
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        const struct wl_operand_place a = find_place(e, 0, half);
        const uint32_t d = take_vector(e);
        emit(e, xor_32, TEMPORARY_A, TEMPORARY_A, vector(TEMPORARY_A), -1);
        emit(e, e->row->encoding, d, TEMPORARY_A, a, -1);
        define(e, 0, half, d, false);
    }
}

static void emit_multiply_add(struct emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t a = in_vector(e, 0, half);
        emit(e, e->row->encoding, TEMPORARY_A, a, find_place(e, 1, half), -1);
        const struct wl_operand_place c = find_place(e, 2, half);
        const uint32_t d = take_vector(e);
        emit(e, is_wide ? add_64 : add_32, d, TEMPORARY_A, c, -1);
        define(e, 0, half, d, false);
    }
}

/* d = a * b + c, rounded once. The sum grows where c is if nobody reads c any more. */
static void emit_fused(struct emitter *e)
{
    const bool is_wide = e->row->bits == 64, is_float = e->row->flags & WL_NATIVE_FLOAT;
    const bool flushes = e->row->flags & WL_NATIVE_FLUSHES;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        uint32_t a =
            flushes ? flushed(e, find_place(e, 0, half), TEMPORARY_A) : in_vector(e, 0, half);
        struct wl_operand_place b = find_place(e, 1, half), c = find_place(e, 2, half);
        if (flushes)
            b = vector(flushed(e, b, TEMPORARY_B));
        uint32_t d;
        if (c.kind == WL_OPERAND_VECTOR && !flushes && e->next_of_reads[e->at][2] == NEVER &&
            c.vector != a && (b.kind != WL_OPERAND_VECTOR || c.vector != b.vector)) {
            d = c.vector;
            if (e->held[d].key != KEY(e->operands.writes[0].offset, half))
                e->held[d].key = NO_KEY;
        } else {
            d = take_vector(e);
            fetch(e, d, c, is_wide);
            if (flushes)
                flush(e, d);
        }
        emit(e, e->row->encoding, d, a, b, -1);
        if (flushes)
            flush(e, d);
        define(e, 0, half, d, is_float);
    }
}

static void emit_three_logic(struct emitter *e)
{
    const struct wl_operand_place a = find_place(e, 0, 0), c = find_place(e, 2, 0);
    const uint32_t b = in_vector(e, 1, 0);
    const uint32_t d = take_vector(e);
    fetch(e, d, a, false);
    emit(e, e->row->encoding, d, b, c, (int)(e->op->imm & 0xff));
    define(e, 0, 0, d, false);
}

/* ---- between 32 and 64 bits ---- */

/* Eight lanes of operand k, as a place of 32 bytes that widening instructions read. */
static struct wl_operand_place half_place(struct emitter *e, uint32_t k, uint32_t half,
                                          uint32_t temporary)
{
    const uint32_t number = in_vector(e, k, 0);
    if (half == 0)
        return vector(number);
    wl_assembly_vector_store(e->code, extract_half, vector(temporary), (uint8_t)number, 1);
    return vector(temporary);
}

static void emit_widen(struct emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const struct wl_operand_place a = half_place(e, 0, half, TEMPORARY_A);
        const uint32_t d = take_vector(e);
        emit(e, e->row->encoding, d, 0, a, -1);
        define(e, 0, half, d, false);
    }
}

/* Eight lanes of a factor in the low halves of 64 bits. */
static uint32_t spread(struct emitter *e, uint32_t k, uint32_t half, uint32_t temporary)
{
    if (k == 1 && e->row->flags & WL_NATIVE_HAS_IMMEDIATE) {
        fetch(e, temporary, literal_64(e, (uint32_t)e->op->imm), true);
        return temporary;
    }
    emit(e, extend_zeros, temporary, 0, half_place(e, k, half, temporary), -1);
    return temporary;
}

static void emit_multiply_wide(struct emitter *e)
{
    const bool adds = e->row->flags & WL_NATIVE_ADDS;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = spread(e, 0, half, TEMPORARY_A), b = spread(e, 1, half, TEMPORARY_B);
        if (adds) {
            emit(e, e->row->encoding, TEMPORARY_A, a, vector(b), -1);
            const struct wl_operand_place c = find_place(e, 2, half);
            const uint32_t d = take_vector(e);
            emit(e, add_64, d, TEMPORARY_A, c, -1);
            define(e, 0, half, d, false);
        } else {
            const uint32_t d = take_vector(e);
            emit(e, e->row->encoding, d, a, vector(b), -1);
            define(e, 0, half, d, false);
        }
    }
}

static void emit_shift_wide(struct emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = in_vector(e, 0, half), count = spread(e, 1, half, TEMPORARY_B);
        const uint32_t d = take_vector(e);
        emit(e, e->row->encoding, d, a, vector(count), -1);
        define(e, 0, half, d, false);
    }
}

/* d = the 32-bit words of operand 0 that start at word `first`, every other one. */
static uint32_t every_other(struct emitter *e, uint32_t first)
{
    uint32_t places[PIECE_LANES];
    for (uint32_t i = 0; i < PIECE_LANES; i++)
        places[i] = 2 * i + first;
    const uint32_t low = in_vector(e, 0, 0), high = in_vector(e, 0, 1), d = take_vector(e);
    fetch(e, d, literal(e, places, sizeof places), false);
    emit(e, permute_two_32, d, low, vector(high), -1);
    return d;
}

static void emit_narrow(struct emitter *e)
{
    define(e, 0, 0, every_other(e, 0), false);
}

static void emit_unpack(struct emitter *e)
{
    for (uint32_t w = 0; w < e->operands.write_count; w++)
        define(e, w, 0, every_other(e, e->operands.writes[w].field), false);
}

static void emit_pack(struct emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t low = spread(e, 0, half, TEMPORARY_A),
                       high = spread(e, 1, half, TEMPORARY_B);
        const uint64_t count[8] = {32, 0};
        emit(e, shift_left_64, TEMPORARY_B, high, literal(e, count, sizeof count), -1);
        const uint32_t d = take_vector(e);
        emit(e, or_64, d, low, vector(TEMPORARY_B), -1);
        define(e, 0, half, d, false);
    }
}

/* ---- moves, the launch's values, shared memory ---- */

static void emit_move(struct emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const struct wl_operand_place a = find_place(e, 0, half);
        if (a.kind == WL_OPERAND_LITERAL || (a.kind == WL_OPERAND_MEMORY && a.base != WL_R8)) {
            define_elsewhere(e, 0, half, a);
            continue;
        }
        const uint32_t d = take_vector(e);
        fetch(e, d, a, is_wide);
        define(e, 0, half, d, false);
    }
}

static void emit_immediate(struct emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++)
        define_elsewhere(e, 0, half, immediate_place(e, is_wide));
}

static void emit_special(struct emitter *e)
{
    const enum wl_special special = e->op->kind;
    struct wl_operand_place place;
    if (special == WL_SPECIAL_LANEID) {
        uint32_t lanes[PIECE_LANES];
        for (uint32_t i = 0; i < PIECE_LANES; i++)
            lanes[i] = i + PIECE_LANES * e->piece;
        place = literal(e, lanes, sizeof lanes);
    } else if (special <= WL_SPECIAL_TID_Z) {
        place = memory(e->bases[BASE_THREADS],
                       (int32_t)(special * WL_LANES * 4 + e->piece * PIECE_LANES * 4));
    } else if (special <= WL_SPECIAL_NTID_Z || special >= WL_SPECIAL_NCTAID_X) {
        const bool is_block = special <= WL_SPECIAL_NTID_Z;
        place =
            memory(e->bases[BASE_LAUNCH],
                   (int32_t)((is_block ? offsetof(struct wl_sim_launch, block)
                                       : offsetof(struct wl_sim_launch, grid)) +
                             4 * (special - (is_block ? WL_SPECIAL_NTID_X : WL_SPECIAL_NCTAID_X))));
        place.broadcasts = true;
    } else {
        place = memory(e->bases[BASE_BLOCK],
                       (int32_t)(offsetof(struct wl_cta, id) + 4 * (special - WL_SPECIAL_CTAID_X)));
        place.broadcasts = true;
    }
    define_elsewhere(e, 0, 0, place);
}

static void emit_parameter(struct emitter *e)
{
    if (find_parameter(e, e->op->dst))
        return; /* which has it anyway */
    struct wl_operand_place place = memory(e->bases[BASE_PARAMETERS], (int32_t)e->op->imm);
    place.broadcasts = true;
    for (uint32_t half = 0; half < (e->op->flags & WL_OPF_DST64 ? 2u : 1u); half++)
        define_elsewhere(e, 0, half, place);
}

/* Words that lanes of a piece load in no simple order, of the two vectors of memory at the place.
 */
static void emit_permuted(struct emitter *e, uint32_t w, const uint32_t *places,
                          struct wl_operand_place from, bool is_one_vector)
{
    const uint32_t d = take_vector(e);
    fetch(e, TEMPORARY_A, literal(e, places, PIECE_LANES * sizeof *places), false);
    if (is_one_vector) {
        emit(e, permute_32, d, TEMPORARY_A, from, -1);
    } else {
        struct wl_operand_place behind = from;
        behind.offset += 64;
        fetch(e, TEMPORARY_B, from, false);
        fetch(e, d, vector(TEMPORARY_A), false);
        emit(e, permute_two_32, d, TEMPORARY_B, behind, -1);
    }
    define(e, w, 0, d, false);
}

static void emit_shared(struct emitter *e)
{
    const uint32_t slot = wl_native_slot_of(e->segment, e->op);
    const uint32_t *offset = &e->segment->slots[slot].near[PIECE_LANES * e->piece];
    int32_t low = 0;
    uint32_t span = 0, places[PIECE_LANES];
    bool is_uniform = true, is_run = true;
    for (uint32_t i = 0; i < PIECE_LANES; i++)
        low = (int32_t)(offset[i] - offset[0]) < low ? (int32_t)(offset[i] - offset[0]) : low;
    for (uint32_t i = 0; i < PIECE_LANES; i++) {
        const uint32_t distance = offset[i] - offset[0] - (uint32_t)low;
        places[i] = distance / 4;
        span = distance > span ? distance : span;
        is_uniform &= distance == 0;
        is_run &= distance == 4 * i;
    }
    span += 4;
    struct wl_operand_place from = memory(
        e->bases[BASE_SLOT + slot], (int32_t)((uint32_t)e->op->imm + offset[0] + (uint32_t)low));
    if (span > 128)
        e->has_failed = true;
    for (uint32_t w = 0; w < e->operands.write_count; w++) {
        struct wl_operand_place here = from;
        here.offset += 4 * e->operands.writes[w].field;
        here.broadcasts = is_uniform;
        if (is_uniform || is_run)
            define_elsewhere(e, w, 0, here);
        else
            emit_permuted(e, w, places, here, span <= 64);
    }
}

/* Loaded at once and only here: another thread of the host may write there. */
static void emit_global(struct emitter *e)
{
    const uint32_t slot = wl_native_slot_of(e->segment, e->op), bytes = e->op->width_bytes;
    const uint32_t lanes = 64 / bytes;
    for (uint32_t half = 0; half < bytes / 4; half++) {
        const uint64_t *far = &e->segment->slots[slot].far[PIECE_LANES * e->piece + lanes * half];
        bool is_uniform = true, is_run = true;
        for (uint32_t i = 0; i < lanes; i++) {
            is_uniform &= far[i] == far[0];
            is_run &= far[i] == far[0] + (uint64_t)bytes * i;
        }
        const int64_t way = e->op->imm + (int64_t)far[0];
        if ((!is_uniform && !is_run) || way != (int32_t)way) {
            e->has_failed = true;
            return;
        }
        struct wl_operand_place from = memory(e->bases[BASE_SLOT + slot], (int32_t)way);
        from.broadcasts = is_uniform;
        const uint32_t d = take_vector(e);
        fetch(e, d, from, bytes == 8);
        define(e, 0, half, d, false);
    }
}

static void (*const forms[])(struct emitter *) = {
    [WL_NATIVE_BINARY] = emit_binary,
    [WL_NATIVE_SHIFT_WIDE] = emit_shift_wide,
    [WL_NATIVE_MULTIPLY_ADD] = emit_multiply_add,
    [WL_NATIVE_MULTIPLY_WIDE] = emit_multiply_wide,
    [WL_NATIVE_NEGATE] = emit_negate,
    [WL_NATIVE_UNARY] = emit_unary,
    [WL_NATIVE_WITH_LITERAL] = emit_with_literal,
    [WL_NATIVE_THREE_LOGIC] = emit_three_logic,
    [WL_NATIVE_MOVE] = emit_move,
    [WL_NATIVE_IMMEDIATE] = emit_immediate,
    [WL_NATIVE_WIDEN] = emit_widen,
    [WL_NATIVE_NARROW] = emit_narrow,
    [WL_NATIVE_PACK] = emit_pack,
    [WL_NATIVE_UNPACK] = emit_unpack,
    [WL_NATIVE_FUSED] = emit_fused,
    [WL_NATIVE_COMPARE] = emit_compare,
    [WL_NATIVE_SELECT] = emit_select,
    [WL_NATIVE_PREDICATE_LOGIC] = emit_predicate_logic,
    [WL_NATIVE_PREDICATE_CONSTANT] = emit_predicate_constant,
    [WL_NATIVE_FROM_PREDICATE] = emit_from_predicate,
    [WL_NATIVE_SPECIAL] = emit_special,
    [WL_NATIVE_PARAMETER] = emit_parameter,
    [WL_NATIVE_SHARED] = emit_shared,
    [WL_NATIVE_GLOBAL] = emit_global,
};

/* ---- the whole ---- */

/* One more than the highest register offset of the segment, in words. */
static uint32_t count_words(const struct emitter *e)
{
    uint32_t highest = 0;
    for (uint32_t at = 0; at < e->segment->count; at++) {
        const struct wl_native_operands all =
            wl_native_operands(&e->program->ops[e->segment->first + at]);
        for (uint32_t w = 0; w < all.write_count; w++)
            highest = all.writes[w].offset > highest ? all.writes[w].offset : highest;
        for (uint32_t k = 0; k < all.read_count; k++)
            highest = all.reads[k].offset > highest ? all.reads[k].offset : highest;
    }
    return highest / 4 + 1;
}

/* Who reads a register next, by its offset: no register begins within another. */
static void find_next_reads(struct emitter *e)
{
    const uint32_t words = count_words(e);
    uint32_t *next = wl_alloc(words * sizeof *next);
    memset(next, 0xff, words * sizeof *next);
    for (uint32_t at = e->segment->count; at-- > 0;) {
        const struct wl_op *op = &e->program->ops[e->segment->first + at];
        const struct wl_native_operands all = wl_native_operands(op);
        for (uint32_t w = all.write_count; w-- > 0;) { /* of two to one register the last counts */
            e->next_of_writes[at][w] = next[all.writes[w].offset / 4];
            next[all.writes[w].offset / 4] = NEVER;
        }
        for (uint32_t k = 0; k < all.read_count; k++)
            e->next_of_reads[at][k] = next[all.reads[k].offset / 4];
        for (uint32_t k = 0; k < all.read_count; k++)
            next[all.reads[k].offset / 4] = at;
    }
    free(next);
}

static void need_base(struct emitter *e, enum base base)
{
    if (e->bases[base] != WL_NO_GPR)
        return;
    if (e->bases_used == sizeof base_registers) {
        e->has_failed = true;
        return;
    }
    e->bases[base] = base_registers[e->bases_used++];
}

static void find_bases(struct emitter *e)
{
    memset(e->bases, WL_NO_GPR, sizeof e->bases);
    for (uint32_t i = 0; i < e->segment->slot_count; i++)
        need_base(e, BASE_SLOT + i);
    for (uint32_t at = 0; at < e->segment->count; at++) {
        const struct wl_op *op = &e->program->ops[e->segment->first + at];
        const struct wl_native_operands all = wl_native_operands(op);
        for (uint32_t k = 0; k < all.read_count; k++)
            if (find_parameter(e, all.reads[k].offset))
                need_base(e, BASE_PARAMETERS);
        if (op->code == WL_OP_LOAD_PARAM && !find_parameter(e, op->dst))
            need_base(e, BASE_PARAMETERS);
        if (op->code != WL_OP_SPECIAL || op->kind == WL_SPECIAL_LANEID)
            continue;
        need_base(e, op->kind <= WL_SPECIAL_TID_Z ? BASE_THREADS
                     : op->kind >= WL_SPECIAL_CTAID_X && op->kind <= WL_SPECIAL_CTAID_Z
                         ? BASE_BLOCK
                         : BASE_LAUNCH);
    }
}

enum { LABEL_MISS, LABEL_COUNTED };

#define PLAN_OFFSET(segment, field)                              \
    (int32_t)((segment)->index * sizeof(struct wl_native_plan) + \
              offsetof(struct wl_native_plan, field))

/* Jumps away unless the lanes of an address lie to each other as the code expects; leaves the first
 * one's in rax. */
static void check_pattern(struct emitter *e, const struct wl_native_address *address)
{
    const int32_t base = (int32_t)address->offset;
    const bool is_wide = address->is_global;
    const uint32_t vectors = is_wide ? 4 : 2;
    struct wl_operand_place first = memory(WL_R8, base);
    emit(e, is_wide ? broadcast_64 : broadcast_32, TEMPORARY_A, 0, first, -1);
    for (uint32_t i = 0; i < vectors; i++) {
        fetch(e, TEMPORARY_B, memory(WL_R8, base + 64 * (int32_t)i), false);
        emit(e, is_wide ? subtract_64 : subtract_32, TEMPORARY_B, TEMPORARY_B, vector(TEMPORARY_A),
             -1);
        const void *expected = is_wide ? (const void *)&address->far[8 * i]
                                       : (const void *)&address->near[PIECE_LANES * i];
        emit(e, is_wide ? compare_64 : compare_32, MASK_A + i % 2, TEMPORARY_B,
             literal(e, expected, 64), 4);
        if (i % 2 == 0)
            continue;
        wl_assembly_mask_test(e->code, MASK_A, MASK_B);
        wl_assembly_jump_if(e->code, WL_IF_NOT_ZERO, LABEL_MISS);
    }
    wl_assembly_load(e->code, WL_RAX, WL_R8, base, is_wide ? 8 : 4);
}

/* Jumps away unless all loads of the segment are as its code and the worker's plan expect. */
static void emit_checks(struct emitter *e)
{
    struct wl_assembly *code = e->code;
    const struct wl_native_segment *segment = e->segment;
    wl_assembly_compare_zero(code, WL_RDI, offsetof(struct wl_warp, trace));
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, LABEL_MISS);
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
    wl_assembly_load(code, WL_RDX, WL_RAX, offsetof(struct wl_worker, plans), 8);
    wl_assembly_load(code, WL_RCX, WL_RAX, offsetof(struct wl_worker, learnt), 8);
    wl_assembly_arithmetic_memory(code, WL_COMPARE, WL_RCX, WL_RDX, PLAN_OFFSET(segment, learnt),
                                  true);
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, LABEL_MISS);
    for (uint32_t i = 0; i < segment->slot_count; i++) {
        const int32_t slot =
            PLAN_OFFSET(segment, slots) + (int32_t)(i * sizeof(struct wl_native_slot));
        check_pattern(e, &segment->slots[i]);
        wl_assembly_load(code, WL_RCX, WL_R8, (int32_t)segment->slots[i].offset, 4);
        wl_assembly_arithmetic_memory(code, WL_XOR, WL_RCX, WL_RDX,
                                      slot + (int32_t)offsetof(struct wl_native_slot, phase),
                                      false);
        wl_assembly_test_memory(code, WL_RCX, WL_RDX,
                                slot + (int32_t)offsetof(struct wl_native_slot, phase_mask));
        wl_assembly_jump_if(code, WL_IF_NOT_ZERO, LABEL_MISS);
        wl_assembly_arithmetic_memory(code, WL_SUB, WL_RAX, WL_RDX,
                                      slot + (int32_t)offsetof(struct wl_native_slot, least), true);
        wl_assembly_arithmetic_memory(code, WL_COMPARE, WL_RAX, WL_RDX,
                                      slot + (int32_t)offsetof(struct wl_native_slot, room), true);
        wl_assembly_jump_if(code, WL_IF_ABOVE, LABEL_MISS);
    }
    wl_assembly_increment(code, WL_RDX, PLAN_OFFSET(segment, executions));
}

/* The warp will wait for its global loads; where accesses are counted, a function does that. */
static void emit_counting(struct emitter *e, uintptr_t count)
{
    struct wl_assembly *code = e->code;
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, sm), 8);
    wl_assembly_add_immediate(code, WL_RAX, offsetof(struct wl_sm, turn_loads),
                              e->segment->global_loads);
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
    wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, run), 8);
    wl_assembly_test_byte(code, WL_RAX, offsetof(struct wl_run, count));
    wl_assembly_jump_if(code, WL_IF_ZERO, LABEL_COUNTED);
    wl_assembly_push(code, WL_RDI);
    wl_assembly_push(code, WL_RSI);
    wl_assembly_push(code,
                     WL_RAX); /* the stack is aligned to 16 bytes where functions are called */
    wl_assembly_call(code, e->segment, count);
    wl_assembly_pop(code, WL_RAX);
    wl_assembly_pop(code, WL_RSI);
    wl_assembly_pop(code, WL_RDI);
    wl_assembly_load(code, WL_R8, WL_RDI, offsetof(struct wl_warp, registers), 8);
    wl_assembly_label(code, LABEL_COUNTED);
}

static void emit_bases(struct emitter *e)
{
    struct wl_assembly *code = e->code;
    for (uint32_t i = CALLER_OWNED; i < e->bases_used; i++)
        wl_assembly_push(code, base_registers[i]);
    if (e->segment->slot_count)
        wl_assembly_load(code, WL_R9, WL_RDI, offsetof(struct wl_warp, shared), 8);
    for (uint32_t i = 0; i < e->segment->slot_count; i++) {
        const struct wl_native_address *address = &e->segment->slots[i];
        const enum wl_gpr base = e->bases[BASE_SLOT + i];
        wl_assembly_load(code, base, WL_R8, (int32_t)address->offset, address->is_global ? 8 : 4);
        if (!address->is_global)
            wl_assembly_arithmetic(code, WL_ADD, base, WL_R9, true);
    }
    if (e->bases[BASE_BLOCK] != WL_NO_GPR)
        wl_assembly_load(code, e->bases[BASE_BLOCK], WL_RDI, offsetof(struct wl_warp, cta), 8);
    if (e->bases[BASE_THREADS] == WL_NO_GPR && e->bases[BASE_LAUNCH] == WL_NO_GPR &&
        e->bases[BASE_PARAMETERS] == WL_NO_GPR)
        return;
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
    wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, run), 8);
    wl_assembly_load(code, WL_RCX, WL_RAX, offsetof(struct wl_run, launch), 8);
    if (e->bases[BASE_LAUNCH] != WL_NO_GPR)
        wl_assembly_lea(code, e->bases[BASE_LAUNCH], WL_RCX, 0);
    if (e->bases[BASE_PARAMETERS] != WL_NO_GPR)
        wl_assembly_load(code, e->bases[BASE_PARAMETERS], WL_RCX,
                         offsetof(struct wl_sim_launch, parameters), 8);
    if (e->bases[BASE_THREADS] == WL_NO_GPR)
        return;
    const enum wl_gpr threads = e->bases[BASE_THREADS];
    wl_assembly_load(code, threads, WL_RDI, offsetof(struct wl_warp, index), 4);
    wl_assembly_multiply(code, threads, sizeof *((struct wl_run *)NULL)->thread_index);
    wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_run, thread_index), 8);
    wl_assembly_arithmetic(code, WL_ADD, threads, WL_RAX, true);
}

static void emit_piece(struct emitter *e)
{
    for (uint32_t i = 0; i < VECTORS; i++)
        release(e, i);
    e->elsewhere.count = 0;
    for (e->at = 0; e->at < e->segment->count && !e->has_failed; e->at++) {
        e->op = &e->program->ops[e->segment->first + e->at];
        e->row = &wl_native_rows[e->op->code];
        e->operands = wl_native_operands(e->op);
        forms[e->row->form](e);
        end_operation(e);
    }
}

bool wl_native_emit(const struct wl_program *program, const struct wl_native_segment *segment,
                    uintptr_t miss, uintptr_t count, struct wl_assembly *code)
{
    struct emitter e = {.code = code, .program = program, .segment = segment};
    e.next_of_reads = wl_alloc(segment->count * sizeof *e.next_of_reads);
    e.next_of_writes = wl_alloc(segment->count * sizeof *e.next_of_writes);
    find_next_reads(&e);
    find_bases(&e);
    wl_assembly_load(code, WL_R8, WL_RDI, offsetof(struct wl_warp, registers), 8);
    if (segment->slot_count)
        emit_checks(&e);
    if (segment->global_loads)
        emit_counting(&e, count);
    emit_bases(&e);
    for (e.piece = 0; e.piece < PIECES; e.piece++)
        emit_piece(&e);
    for (uint32_t i = e.bases_used; i-- > CALLER_OWNED;)
        wl_assembly_pop(code, base_registers[i]);
    wl_assembly_lea(code, WL_RAX, WL_RSI, (int32_t)(segment->count * sizeof(struct wl_op)));
    wl_assembly_return(code);
    wl_assembly_label(code, LABEL_MISS);
    if (segment->slot_count)
        wl_assembly_leave(code, segment, miss);
    free(e.next_of_reads);
    free(e.next_of_writes);
    free(e.elsewhere.items);
    return !e.has_failed;
}
