/* Loads and stores of free segments: lanes may be off, and the others anywhere. All addresses are
 * checked, a piece after the other; then the lanes that are on move their elements one by one. Who
 * has an address elsewhere than in the memory that its site knows leaves the segment before. */
#include "sim/native/forms.h"

/* Vectors while no value is in any. */
enum { LAST, START, ASTRAY, ADDRESS, ROOM, OTHER };

static bool is_global(const struct wl_op *op)
{
    return op->code == WL_OP_LOAD_GLOBAL || op->code == WL_OP_STORE_GLOBAL;
}

static bool is_load(const struct wl_op *op)
{
    return op->code == WL_OP_LOAD_GLOBAL || op->code == WL_OP_LOAD_SHARED;
}

static uint32_t bytes_of(const struct wl_op *op)
{
    return (uint32_t)op->width_bytes * op->count;
}

static uint32_t element_register(const struct wl_op *op, uint32_t k)
{
    return (const uint32_t[]){op->dst, op->b, op->c, op->d}[k];
}

/* LAST = where an element may begin at most, of shared memory its offset, else from START on, where
 * the memory begins that the site knows. Less than 0: nowhere. */
static void find_room(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    const uint32_t bytes = bytes_of(e->op);
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
    if (!is_global(e->op)) {
        wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, run), 8);
        native_broadcast(e, LAST, native_memory(WL_RAX, offsetof(struct wl_run, shared_bytes)),
                         false);
        native_emit(e, native_subtract_32, LAST, LAST, native_literal_32(e, bytes), -1);
        return;
    }
    const int32_t site = (int32_t)(e->op->site * sizeof(struct wl_site_state));
    wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, sites), 8);
    native_broadcast(
        e, LAST, native_memory(WL_RAX, site + (int32_t)offsetof(struct wl_site_state, range_end)),
        true);
    native_broadcast(
        e, START,
        native_memory(WL_RAX, site + (int32_t)offsetof(struct wl_site_state, range_start)), true);
    native_emit(e, native_subtract_64, LAST, LAST, native_vector(START), -1);
    native_emit(e, native_subtract_64, LAST, LAST, native_literal_64(e, bytes), -1);
}

/* ADDRESS = half `half` of the piece's addresses, or all its offsets. */
static void fetch_address(struct native_emitter *e, uint32_t half)
{
    const int32_t bytes = (int32_t)e->host->vector_bytes, base = (int32_t)e->op->a;
    const int32_t piece = (int32_t)e->piece * bytes;
    if (is_global(e->op)) {
        native_fetch(e, ADDRESS, native_memory(WL_R8, base + 2 * piece + (int32_t)half * bytes),
                     true);
    } else if (e->op->flags & WL_OPF_ADDRESS32) {
        native_fetch(e, ADDRESS, native_memory(WL_R8, base + piece), false);
    } else {
        native_fetch(e, ROOM, native_memory(WL_R8, base + 2 * piece), false);
        native_fetch(e, OTHER, native_memory(WL_R8, base + 2 * piece + bytes), false);
        e->host->every_other(e, 0, ROOM, OTHER, ADDRESS);
    }
}

/* Sets bits of ASTRAY where a lane that is on has an address that is not aligned, or elsewhere. */
static void check_half(struct native_emitter *e, uint32_t half)
{
    const bool is_wide = is_global(e->op);
    const uint32_t bytes = bytes_of(e->op), room = ROOM;
    const struct wl_encoding subtract = is_wide ? native_subtract_64 : native_subtract_32;
    fetch_address(e, half);
    if (e->op->imm)
        native_emit(e, is_wide ? native_add_64 : native_add_32, ADDRESS, ADDRESS,
                    native_immediate_place(e, is_wide), -1);
    uint32_t place = ADDRESS;
    if (is_wide) {
        native_emit(e, subtract, OTHER, ADDRESS, native_vector(START), -1);
        place = OTHER;
    }
    native_emit(e, subtract, room, LAST, native_vector(place), -1);
    native_emit(e, native_or_64, room, room, native_vector(place), -1);
    native_emit(e, is_wide ? native_and_64 : native_and_32, room, room,
                is_wide ? native_literal_64(e, 1ull << 63) : native_literal_32(e, 1u << 31), -1);
    if (bytes > 1) {
        native_emit(e, is_wide ? native_and_64 : native_and_32, ADDRESS, ADDRESS,
                    is_wide ? native_literal_64(e, bytes - 1) : native_literal_32(e, bytes - 1),
                    -1);
        native_emit(e, native_or_64, room, room, native_vector(ADDRESS), -1);
    }
    if (e->is_masked)
        e->host->keep_active(e, room, is_wide, half);
    native_emit(e, native_or_64, ASTRAY, ASTRAY, native_vector(room), -1);
}

static void check_piece(struct native_emitter *e)
{
    const uint32_t end = e->is_masked ? native_begin_active(e) : 0;
    check_half(e, 0);
    if (is_global(e->op))
        check_half(e, 1);
    if (e->is_masked)
        wl_assembly_label(e->code, end);
}

/* Leaves the segment at the operation if an address is none that is known. */
static void check_all(struct native_emitter *e)
{
    for (uint32_t i = 0; i < e->vectors; i++)
        native_release(e, i);
    e->is_wide_masked = is_global(e->op);
    find_room(e);
    native_emit(e, native_xor_32, ASTRAY, ASTRAY, native_vector(ASTRAY), -1);
    for (e->piece = 0; e->piece < e->host->pieces; e->piece++)
        check_piece(e);
    e->host->jump_if_any(e, ASTRAY, native_exit_label(e));
}

/* What the loop over lanes has in general registers. */
#define LEFT WL_RAX
#define LANE WL_RCX
#define PLACE WL_RDX
#define VALUE WL_R9

/* PLACE, LANE's address or its place from `base` on. Returns the way from there. */
static int32_t find_place(struct native_emitter *e)
{
    const bool is_wide = !(e->op->flags & WL_OPF_ADDRESS32);
    struct wl_indexed_place address = {WL_R8, LANE, is_wide ? 8 : 4, (int32_t)e->op->a};
    if (is_global(e->op)) {
        wl_assembly_load_indexed(e->code, PLACE, address, 8);
        return (int32_t)e->op->imm;
    }
    wl_assembly_load_indexed(e->code, PLACE, address, 4);
    if (e->op->imm)
        wl_assembly_add_to(e->code, PLACE, (uint32_t)e->op->imm);
    wl_assembly_arithmetic(e->code, WL_ADD, PLACE, e->bases[NATIVE_BASE_SHARED], true);
    return 0;
}

/* A short signed value goes to a register of 16 bits. */
static void load_value(struct native_emitter *e, int32_t offset)
{
    const bool is_signed = e->op->flags & WL_OPF_SIGNED, is_short = e->op->kind & WL_LOAD_SHORT;
    const bool is_wide = e->op->flags & WL_OPF_DST64;
    const enum wl_extension extension = !is_signed ? WL_EXTEND_ZEROS
                                        : is_wide  ? WL_EXTEND_SIGN_64
                                                   : WL_EXTEND_SIGN_32;
    wl_assembly_load_extended(e->code, VALUE, PLACE, offset, e->op->width_bytes, extension);
    if (is_signed && is_short && !is_wide && e->op->width_bytes < 4)
        wl_assembly_extend_16(e->code, VALUE);
}

static void move_element(struct native_emitter *e, uint32_t k, int32_t way)
{
    const uint32_t element = element_register(e->op, k);
    const uint32_t register_bytes = e->op->flags & WL_OPF_DST64 ? 8 : 4;
    const int32_t offset = way + (int32_t)(k * e->op->width_bytes);
    if (element == UINT32_MAX)
        return;
    const struct wl_indexed_place lane = {WL_R8, LANE, (uint8_t)register_bytes, (int32_t)element};
    if (is_load(e->op)) {
        load_value(e, offset);
        wl_assembly_store_indexed(e->code, VALUE, lane, register_bytes);
    } else {
        wl_assembly_load_indexed(e->code, VALUE, lane, register_bytes);
        wl_assembly_store(e->code, VALUE, PLACE, offset, e->op->width_bytes);
    }
}

static bool moves_nothing(const struct wl_op *op)
{
    bool is_nothing = true;
    for (uint32_t k = 0; k < op->count; k++)
        is_nothing &= element_register(op, k) == UINT32_MAX;
    return is_nothing;
}

static void move_lanes(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    const uint32_t again = wl_assembly_new_label(code);
    wl_assembly_load(code, LEFT, WL_RDI, offsetof(struct wl_warp, active), 4);
    wl_assembly_label(code, again);
    wl_assembly_lowest_bit(code, LANE, LEFT);
    const int32_t way = find_place(e);
    for (uint32_t k = 0; k < e->op->count; k++)
        move_element(e, k, way);
    wl_assembly_lea(code, LANE, LEFT, -1);
    wl_assembly_arithmetic(code, WL_AND, LEFT, LANE, false);
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, again);
}

void native_emit_access(struct native_emitter *e)
{
    check_all(e);
    if (e->op->code == WL_OP_LOAD_GLOBAL) { /* the warp will wait for it */
        wl_assembly_load(e->code, WL_RAX, WL_RDI, offsetof(struct wl_warp, sm), 8);
        wl_assembly_add_immediate(e->code, WL_RAX, offsetof(struct wl_sm, turn_loads), 1);
    }
    if (!moves_nothing(e->op))
        move_lanes(e);
}

bool wl_native_is_free_access(const struct wl_program *program, const struct wl_op *op)
{
    if (op->flags & WL_OPF_NO_ADDRESS || op->imm != (int32_t)op->imm ||
        op->site >= INT32_MAX / sizeof(struct wl_site_state))
        return false;
    switch (op->code) {
    case WL_OP_LOAD_SHARED:
    case WL_OP_STORE_SHARED:
        return !program->reaches_peers;
    case WL_OP_STORE_GLOBAL:
        return !(op->spare & WL_ORDER_TURN) && !(op->flags & WL_OPF_ADDRESS32);
    case WL_OP_LOAD_GLOBAL:
        return !(op->flags & WL_OPF_ADDRESS32);
    default:
        return false;
    }
}
