/* Checks that the lanes' addresses lie to each other as the code expects, and the first one where
 * the worker's plan has it. Where lanes are off that is where the first would be. */
#include "sim/native/addresses.h"

#include <string.h>

void native_emit_plans(struct native_emitter *e)
{
    wl_assembly_load(e->code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
    wl_assembly_load(e->code, WL_RDX, WL_RAX, offsetof(struct wl_worker, plans), 8);
}

/* Jumps away unless the vectors of addresses (one or two) from lane `from` on lie to the first
 * address as the code expects, which is in NATIVE_TEMPORARY_A. */
static void check_vectors(struct native_emitter *e, const struct wl_native_address *address,
                          const struct wl_operand_place *vectors, uint32_t count, uint32_t from,
                          uint32_t label)
{
    const bool is_wide = address->is_global;
    const void *expected[2];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lane = from + i * e->host->vector_bytes / (is_wide ? 8 : 4);
        expected[i] = is_wide ? (const void *)&address->far[lane] : &address->near[lane];
    }
    e->host->check(e, is_wide, vectors, expected, count, label);
}

/* Vector `vector` of addresses that stand in memory from there on, as in a register: of a wide one
 * of an offset the low halves of two, in a register that holds no value yet. */
static struct wl_operand_place address_vector(struct native_emitter *e,
                                              const struct wl_native_address *address,
                                              struct wl_operand_place from, uint32_t vector)
{
    enum { LOW, HIGH, RESULTS };
    const int32_t bytes = (int32_t)e->host->vector_bytes, at = (int32_t)vector * bytes;
    if (address->is_global || !address->is_wide)
        return native_memory(from.base, from.offset + at);
    native_fetch(e, LOW, native_memory(from.base, from.offset + 2 * at), false);
    native_fetch(e, HIGH, native_memory(from.base, from.offset + 2 * at + bytes), false);
    e->host->every_other(e, 0, LOW, HIGH, RESULTS + vector % 2);
    return native_vector(RESULTS + vector % 2);
}

/* Jumps away unless the first lane's address, in rax, is where the worker's plan has it. */
static void check_place(struct native_emitter *e, uint32_t slot, uint32_t label)
{
    struct wl_assembly *code = e->code;
    wl_assembly_load(code, WL_RCX, WL_RDX, NATIVE_PLAN_SLOT(e->segment, slot, phase), 4);
    wl_assembly_arithmetic(code, WL_XOR, WL_RCX, WL_RAX, false);
    wl_assembly_test_memory(code, WL_RCX, WL_RDX, NATIVE_PLAN_SLOT(e->segment, slot, phase_mask));
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, label);
    wl_assembly_arithmetic_memory(code, WL_SUB, WL_RAX, WL_RDX,
                                  NATIVE_PLAN_SLOT(e->segment, slot, least), true);
    wl_assembly_arithmetic_memory(code, WL_COMPARE, WL_RAX, WL_RDX,
                                  NATIVE_PLAN_SLOT(e->segment, slot, room), true);
    wl_assembly_jump_if(code, WL_IF_ABOVE, label);
}

/* rax = what the first lane's address would be by that of the first lane that is on. */
static void find_first(struct native_emitter *e, const struct wl_native_address *address,
                       struct wl_operand_place from)
{
    struct wl_assembly *code = e->code;
    const bool is_wide = address->is_global;
    const uint32_t bytes = is_wide ? 8 : 4;
    const struct wl_indexed_place lane = {from.base, WL_R10, address->is_wide ? 8 : 4, from.offset},
                                  distance = {WL_RCX, WL_R10, (uint8_t)bytes, 0};
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, active), 4);
    wl_assembly_lowest_bit(code, WL_R10, WL_RAX);
    wl_assembly_load_indexed(code, WL_RAX, lane, bytes);
    wl_assembly_set_address(code, WL_RCX, is_wide ? (const void *)address->far : address->near);
    wl_assembly_load_indexed(code, WL_RCX, distance, bytes);
    wl_assembly_arithmetic(code, WL_SUB, WL_RAX, WL_RCX, is_wide);
}

/* Checks an address that stands in memory, as in a register, of lanes of which some may be off. */
static void check_memory(struct native_emitter *e, uint32_t slot, struct wl_operand_place from,
                         uint32_t label)
{
    const struct wl_native_address *address = &e->segment->slots[slot];
    const bool is_wide = address->is_global;
    const uint32_t lanes = e->host->vector_bytes / (is_wide ? 8 : 4);
    const uint32_t together = e->is_masked && !is_wide ? 1 : 2;
    const int32_t first = NATIVE_PLAN_SLOT(e->segment, slot, lanes);
    e->is_wide_masked = is_wide;
    if (e->is_masked) {
        find_first(e, address, from);
        wl_assembly_store(e->code, WL_RAX, WL_RDX, first, 8);
        native_broadcast(e, NATIVE_TEMPORARY_A, native_memory(WL_RDX, first), is_wide);
    } else {
        native_broadcast(e, NATIVE_TEMPORARY_A, from, is_wide);
    }
    for (uint32_t vector = 0; vector < WL_LANES / lanes; vector += together) {
        struct wl_operand_place vectors[2];
        for (uint32_t i = 0; i < together; i++)
            vectors[i] = address_vector(e, address, from, vector + i);
        e->piece = vector * lanes / e->host->piece_lanes;
        if (e->is_masked)
            e->host->begin_masked(e);
        check_vectors(e, address, vectors, together, vector * lanes, label);
    }
    wl_assembly_load(e->code, WL_RAX, e->is_masked ? WL_RDX : from.base,
                     e->is_masked ? first : from.offset, is_wide ? 8 : 4);
    if (!e->is_masked)
        wl_assembly_store(e->code, WL_RAX, WL_RDX, first, 8);
    check_place(e, slot, label);
}

/* Whether all accesses are of lanes one behind the other, which are counted where lanes are off. */
static bool is_countable_in_part(const struct native_emitter *e)
{
    const struct wl_native_segment *segment = e->segment;
    bool is_countable = true;
    for (uint32_t at = 0; at < segment->count; at++) {
        const struct wl_op *op = &e->program->ops[segment->first + at];
        const uint8_t form = wl_native_rows[op->code].form;
        if (form != WL_NATIVE_SHARED && form != WL_NATIVE_GLOBAL && form != WL_NATIVE_STORE)
            continue;
        const struct wl_native_address *address = &segment->slots[segment->slot_of[at]];
        is_countable &= address->is_global && op->count == 1;
        for (uint32_t lane = 0; lane < WL_LANES && is_countable; lane++)
            is_countable &= address->far[lane] == (uint64_t)lane * op->width_bytes;
    }
    return is_countable;
}

void native_emit_checks(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    const struct wl_native_segment *segment = e->segment;
    wl_assembly_compare_zero(code, WL_RDI, offsetof(struct wl_warp, trace));
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, NATIVE_LABEL_MISS);
    native_emit_plans(e);
    wl_assembly_load(code, WL_RCX, WL_RAX, offsetof(struct wl_worker, learnt), 8);
    wl_assembly_arithmetic_memory(code, WL_COMPARE, WL_RCX, WL_RDX, NATIVE_PLAN(segment, learnt),
                                  true);
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, NATIVE_LABEL_MISS);
    if (e->is_masked && !is_countable_in_part(e)) {
        wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, run), 8);
        wl_assembly_test_small(code, WL_RAX, offsetof(struct wl_run, count), 1);
        wl_assembly_jump_if(code, WL_IF_NOT_ZERO, NATIVE_LABEL_MISS);
    }
    if (e->host->begin_checks)
        e->host->begin_checks(e);
    for (uint32_t i = 0; i < segment->slot_count; i++)
        if (segment->slots[i].written_at == WL_NATIVE_UNWRITTEN)
            check_memory(e, i, native_memory(WL_R8, (int32_t)segment->slots[i].offset),
                         NATIVE_LABEL_MISS);
    if (e->host->end_checks && !segment->is_derived)
        e->host->end_checks(e, NATIVE_LABEL_MISS);
}

/* ---- addresses that the segment computes ---- */

/* Registers of one root have lanes that lie to each other alike: a root is the register that they
 * come from, as the segment finds it, or the operation. */
#define ROOT_OF_OPERATION (1u << 31)
#define ROOT_OF_ALL UINT32_MAX /* lanes that are all the same */

struct roots {
    const struct native_emitter *e;
    uint32_t of[WL_NATIVE_OPERATIONS]; /* by operation: of what it writes first */
};

static uint32_t root_of_register(const struct roots *roots, uint32_t offset, uint32_t before)
{
    const struct native_emitter *e = roots->e;
    const uint32_t writer = wl_native_find_writer(e->program, e->segment, offset, before);
    return writer != WL_NATIVE_UNWRITTEN            ? roots->of[writer]
           : native_is_constant_register(e, offset) ? ROOT_OF_ALL
                                                    : offset;
}

static bool is_encoding(struct wl_encoding a, struct wl_encoding b)
{
    return a.prefix == b.prefix && a.map == b.map && a.wide == b.wide && a.opcode == b.opcode;
}

static bool is_uniform_special(const struct wl_op *op)
{
    return op->kind >= WL_SPECIAL_NTID_X && op->kind != WL_SPECIAL_LANEID;
}

/* Of what operation `at` writes. */
static uint32_t root_of_operation(const struct roots *roots, uint32_t at)
{
    const struct wl_op *op = &roots->e->program->ops[roots->e->segment->first + at];
    const struct wl_native_row *row = &wl_native_rows[op->code];
    const struct wl_native_operands all = wl_native_operands(op);
    uint32_t read[WL_NATIVE_READS] = {ROOT_OF_ALL, ROOT_OF_ALL};
    bool is_uniform = row->form != WL_NATIVE_SPECIAL || is_uniform_special(op);
    for (uint32_t k = 0; k < all.read_count; k++) {
        read[k] = root_of_register(roots, all.reads[k].offset, at);
        is_uniform &= read[k] == ROOT_OF_ALL;
    }
    const bool adds = row->form == WL_NATIVE_BINARY && is_encoding(row->encoding, native_add_64);
    const bool subtracts =
        row->form == WL_NATIVE_BINARY && is_encoding(row->encoding, native_subtract_64);
    if (is_uniform)
        return ROOT_OF_ALL;
    if ((adds || subtracts || row->form == WL_NATIVE_MOVE) && read[1] == ROOT_OF_ALL)
        return read[0];
    if (adds && read[0] == ROOT_OF_ALL)
        return read[1];
    return ROOT_OF_OPERATION | at;
}

/* Which of the addresses that are computed need no look at all lanes: they lie as those of another
 * slot, which is looked at. */
static void find_alike(const struct native_emitter *e, const bool *in_slice,
                       bool is_alike[WL_NATIVE_SLOTS])
{
    const struct wl_native_segment *segment = e->segment;
    struct roots roots = {.e = e};
    uint32_t root[WL_NATIVE_SLOTS];
    for (uint32_t at = 0; at < segment->count; at++)
        roots.of[at] = in_slice[at] ? root_of_operation(&roots, at) : ROOT_OF_OPERATION | at;
    for (uint32_t i = 0; i < segment->slot_count; i++) {
        const struct wl_native_address *slot = &segment->slots[i];
        const bool is_derived = slot->written_at != WL_NATIVE_UNWRITTEN;
        root[i] = is_derived ? roots.of[slot->written_at] : slot->offset;
        is_alike[i] = false;
    }
    for (uint32_t i = 0; i < segment->slot_count; i++)
        for (uint32_t k = 0; k < segment->slot_count && !is_alike[i]; k++)
            is_alike[i] = segment->slots[i].written_at != WL_NATIVE_UNWRITTEN &&
                          (k < i || segment->slots[k].written_at == WL_NATIVE_UNWRITTEN) &&
                          !is_alike[k] && root[k] == root[i] && segment->slots[i].is_global &&
                          segment->slots[k].is_global &&
                          memcmp(segment->slots[i].far, segment->slots[k].far,
                                 sizeof segment->slots[i].far) == 0;
}

/* Marks the operations that compute addresses of slots; without those that are so, if there is
 * anything beside. Returns whether any is left. */
static bool find_slices(const struct native_emitter *e, const bool *without, bool *in_slice)
{
    bool any = false;
    memset(in_slice, 0, WL_NATIVE_OPERATIONS * sizeof *in_slice);
    for (uint32_t i = 0; i < e->segment->slot_count; i++) {
        if (e->segment->slots[i].written_at == WL_NATIVE_UNWRITTEN || (without && without[i]))
            continue;
        any = true;
        wl_native_find_slice(e->program, e->segment, e->segment->slots[i].written_at, in_slice);
    }
    return any;
}

/* The vectors of the piece of an address that the operation at hand has just computed. */
static uint32_t find_computed(struct native_emitter *e, const struct wl_native_address *address,
                              struct wl_operand_place vectors[2])
{
    const uint32_t count = address->is_wide ? 2 : 1;
    for (uint32_t half = 0; half < count; half++) {
        vectors[half] = native_find_written(e, address->offset, half);
        e->has_failed |= vectors[half].kind == WL_OPERAND_NONE;
    }
    return count;
}

/* Checks the piece of such an address. The first lane's goes to the plan. */
static void check_computed(struct native_emitter *e, uint32_t slot, bool is_alike)
{
    const struct wl_native_address *address = &e->segment->slots[slot];
    const bool is_wide = address->is_global;
    const struct wl_operand_place first =
        native_memory(WL_RDX, NATIVE_PLAN_SLOT(e->segment, slot, lanes));
    struct wl_operand_place vectors[2];
    find_computed(e, address, vectors);
    if (e->has_failed)
        return;
    if (address->is_wide && !is_wide)
        vectors[0] = native_low_halves(e, vectors);
    if (e->piece == 0) {
        native_broadcast(e, NATIVE_TEMPORARY_A, vectors[0], is_wide);
        native_store(e, first, NATIVE_TEMPORARY_A);
    } else {
        native_broadcast(e, NATIVE_TEMPORARY_A, first, is_wide);
    }
    if (!is_alike)
        check_vectors(e, address, vectors, is_wide ? 2 : 1, e->piece * e->host->piece_lanes,
                      NATIVE_LABEL_MISS_LATE);
}

/* Where the addresses of a slot are kept until those of all lanes are there. r9: the place. */
static struct wl_operand_place kept_address(uint32_t slot)
{
    return native_memory(WL_R9, (int32_t)(slot * WL_LANES * sizeof(uint64_t)));
}

static void keep_computed(struct native_emitter *e, uint32_t slot)
{
    const struct wl_native_address *address = &e->segment->slots[slot];
    struct wl_operand_place vectors[2], place = kept_address(slot);
    const uint32_t count = find_computed(e, address, vectors);
    place.offset += (int32_t)(e->piece * count * e->host->vector_bytes);
    for (uint32_t half = 0; half < count && !e->has_failed; half++) {
        native_fetch(e, NATIVE_TEMPORARY_A, vectors[half], false);
        native_store(e, place, NATIVE_TEMPORARY_A);
        place.offset += (int32_t)e->host->vector_bytes;
    }
}

/* The operations that compute addresses, for the piece. */
static void emit_slice(struct native_emitter *e, const bool *is_alike)
{
    const struct wl_native_segment *segment = e->segment;
    native_begin_piece(e);
    for (e->at = 0; e->at < segment->count && !e->has_failed; e->at++) {
        if (!e->is_needed[e->at])
            continue;
        native_begin_operation(e);
        e->host->forms[e->row->form](e);
        for (uint32_t i = 0; i < segment->slot_count; i++)
            if (segment->slots[i].written_at == e->at && e->is_masked)
                keep_computed(e, i);
            else if (segment->slots[i].written_at == e->at && (e->piece == 0 || !is_alike[i]))
                check_computed(e, i, is_alike[i]);
        native_end_operation(e);
    }
}

/* What can only be looked at when the addresses of all lanes are there. */
static void end_slices(struct native_emitter *e)
{
    for (uint32_t i = 0; i < e->segment->slot_count; i++) {
        const struct wl_native_address *address = &e->segment->slots[i];
        if (address->written_at == WL_NATIVE_UNWRITTEN)
            continue;
        if (e->is_masked) {
            check_memory(e, i, kept_address(i), NATIVE_LABEL_MISS_LATE);
            continue;
        }
        const int32_t first = NATIVE_PLAN_SLOT(e->segment, i, lanes);
        wl_assembly_load(e->code, WL_RAX, WL_RDX, first, address->is_global ? 8 : 4);
        if (!address->is_global) /* the slot has 64 bits */
            wl_assembly_store(e->code, WL_RAX, WL_RDX, first, 8);
        check_place(e, i, NATIVE_LABEL_MISS_LATE);
    }
}

void native_emit_slices(struct native_emitter *e)
{
    bool in_slice[WL_NATIVE_OPERATIONS], is_alike[WL_NATIVE_SLOTS];
    find_slices(e, NULL, in_slice);
    find_alike(e, in_slice, is_alike);
    native_find_next_reads(e, in_slice);
    e->is_ahead = true;
    e->vectors = e->is_masked ? e->host->vectors_checked_masked : e->host->vectors_checked;
    if (e->is_masked) {
        wl_assembly_load(e->code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
        wl_assembly_lea(e->code, WL_R9, WL_RAX, offsetof(struct wl_worker, stored));
    }
    for (e->piece = 0; e->piece < e->host->pieces; e->piece++) {
        if (e->piece == 1 && !e->is_masked) {
            if (!find_slices(e, is_alike, in_slice))
                break;
            native_find_next_reads(e, in_slice);
        }
        emit_slice(e, is_alike);
    }
    end_slices(e);
    e->is_ahead = false;
    e->vectors = e->is_masked ? e->host->vectors_masked : e->host->vectors;
    if (e->host->end_checks)
        e->host->end_checks(e, NATIVE_LABEL_MISS_LATE);
}
