#include "sim/native/emitter.h"

#include <stdlib.h>
#include <string.h>

const struct wl_encoding native_move_load = {2, 1, 0, 0x6f}, native_move_store = {2, 1, 0, 0x7f};
static const struct wl_encoding broadcast_32 = {1, 2, 0, 0x58}, broadcast_64 = {1, 2, 1, 0x59},
                                broadcast_64_of_256 = {1, 2, 0, 0x59};
const struct wl_encoding native_add_32 = {1, 1, 0, 0xfe}, native_add_64 = {1, 1, 1, 0xd4};
const struct wl_encoding native_subtract_32 = {1, 1, 0, 0xfa}, native_subtract_64 = {1, 1, 1, 0xfb};
const struct wl_encoding native_xor_32 = {1, 1, 0, 0xef};
const struct wl_encoding native_and_32 = {1, 1, 0, 0xdb}, native_and_64 = {1, 1, 1, 0xdb},
                         native_or_64 = {1, 1, 1, 0xeb};
const struct wl_encoding native_shift_left_64 = {1, 1, 1, 0xf3};
const struct wl_encoding native_extend_zeros = {1, 2, 0, 0x35};
const struct wl_encoding native_permute_32 = {1, 2, 0, 0x36};

struct wl_operand_place native_vector(uint32_t number)
{
    return (struct wl_operand_place){.kind = WL_OPERAND_VECTOR, .vector = (uint8_t)number};
}

struct wl_operand_place native_memory(uint8_t base, int32_t offset)
{
    return (struct wl_operand_place){.kind = WL_OPERAND_MEMORY, .base = base, .offset = offset};
}

static struct wl_operand_place literal(struct native_emitter *e, const void *bytes,
                                       uint32_t size_bytes)
{
    return (struct wl_operand_place){.kind = WL_OPERAND_LITERAL,
                                     .broadcasts = size_bytes < e->host->vector_bytes,
                                     .offset = wl_assembly_literal(e->code, bytes, size_bytes)};
}

struct wl_operand_place native_literal_vector(struct native_emitter *e, const void *bytes)
{
    return literal(e, bytes, e->host->vector_bytes);
}

/* One element; a whole vector of them where the host has no broadcasts. */
struct wl_operand_place native_literal(struct native_emitter *e, const void *bytes,
                                       uint32_t size_bytes)
{
    uint8_t all[32];
    if (!e->host->is_256)
        return literal(e, bytes, size_bytes);
    for (uint32_t at = 0; at < sizeof all; at += size_bytes)
        memcpy(all + at, bytes, size_bytes);
    return literal(e, all, sizeof all);
}

struct wl_operand_place native_literal_32(struct native_emitter *e, uint32_t value)
{
    return native_literal(e, &value, sizeof value);
}

struct wl_operand_place native_literal_64(struct native_emitter *e, uint64_t value)
{
    return native_literal(e, &value, sizeof value);
}

static bool is_broadcast(struct wl_operand_place place)
{
    return place.kind != WL_OPERAND_VECTOR && place.broadcasts;
}

void native_emit(struct native_emitter *e, struct wl_encoding encoding, uint32_t dst,
                 uint32_t source1, struct wl_operand_place source2, int immediate)
{
    if (e->host->is_256 && is_broadcast(source2)) {
        native_fetch(e, NATIVE_TEMPORARY_C, source2, encoding.wide);
        source2 = native_vector(NATIVE_TEMPORARY_C);
    }
    wl_assembly_vector(e->code, encoding, (uint8_t)dst, (uint8_t)source1, source2, 0, false,
                       immediate);
}

void native_store(struct native_emitter *e, struct wl_operand_place dst, uint32_t source)
{
    wl_assembly_vector_store(e->code, native_move_store, dst, (uint8_t)source, 0, -1);
}

void native_broadcast(struct native_emitter *e, uint32_t dst, struct wl_operand_place place,
                      bool is_wide)
{
    place.broadcasts = false; /* the instruction reads one element anyway */
    native_emit(e,
                !is_wide          ? broadcast_32
                : e->host->is_256 ? broadcast_64_of_256
                                  : broadcast_64,
                dst, 0, place, -1);
}

/* dst = the place, element by element. */
void native_fetch(struct native_emitter *e, uint32_t dst, struct wl_operand_place place,
                  bool is_wide)
{
    if (is_broadcast(place))
        native_broadcast(e, dst, place, is_wide);
    else
        native_emit(e, native_move_load, dst, 0, place, -1);
}

/* ---- values and where they are ---- */

enum { PIECE_SHIFT = 40 };

uint64_t native_key(const struct native_emitter *e, uint32_t offset, uint32_t half)
{
    return (uint64_t)e->piece << PIECE_SHIFT | (uint64_t)offset << 1 | half;
}

/* Where the warp's registers have a value, whichever piece it is of. */
static struct wl_operand_place home(const struct native_emitter *e, uint64_t key, bool is_wide)
{
    const uint32_t bytes = e->host->vector_bytes, piece = (uint32_t)(key >> PIECE_SHIFT);
    const uint32_t half = key & 1, offset = (uint32_t)(key >> 1);
    return native_memory(WL_R8, (int32_t)(offset + (piece * (is_wide ? 2 : 1) + half) * bytes));
}

static uint32_t find_held(const struct native_emitter *e, uint64_t key)
{
    for (uint32_t i = 0; i < e->vectors; i++)
        if (e->held[i].key == key)
            return i;
    return e->vectors;
}

static const struct native_elsewhere *find_elsewhere(const struct native_emitter *e, uint64_t key)
{
    for (size_t i = e->elsewhere.count; i-- > 0;)
        if (e->elsewhere.items[i].key == key)
            return &e->elsewhere.items[i];
    return NULL;
}

struct wl_operand_place native_find_written(const struct native_emitter *e, uint32_t offset,
                                            uint32_t half)
{
    const uint32_t number = find_held(e, native_key(e, offset, half));
    const struct native_elsewhere *found = find_elsewhere(e, native_key(e, offset, half));
    return number < e->vectors ? native_vector(number)
           : found             ? found->place
                               : (struct wl_operand_place){.kind = WL_OPERAND_NONE};
}

void native_release(struct native_emitter *e, uint32_t number)
{
    e->held[number] = (struct native_held){.key = NATIVE_NO_KEY, .next = NATIVE_NEVER};
}

void native_make_canonical(struct native_emitter *e, uint32_t number)
{
    if (!e->held[number].is_raw)
        return;
    e->held[number].is_raw = false;
    e->host->make_canonical(e, number);
}

/* Writes the vector to its place in the warp's registers. */
static void write_home(struct native_emitter *e, uint32_t number)
{
    const struct native_held *held = &e->held[number];
    const struct wl_operand_place place = home(e, held->key, held->is_wide);
    e->has_failed |= e->is_ahead;
    if (e->is_masked)
        e->host->store_active(e, number, place, held->is_wide, held->key & 1);
    else
        native_store(e, place, number);
    e->held[number].is_dirty = false;
}

/* The vector is needed for another value; who reads this one next finds it at its place. Nobody
 * does behind the segment, so a NaN in it may be any. */
static void put_aside(struct native_emitter *e, uint32_t number)
{
    const struct native_held held = e->held[number];
    write_home(e, number);
    if (held.is_raw)
        WL_PUSH(&e->elsewhere,
                ((struct native_elsewhere){held.key, home(e, held.key, held.is_wide), true}));
}

/* A vector register for a new value: a free one, or the one whose value is read last. */
uint32_t native_take_vector(struct native_emitter *e)
{
    uint32_t chosen = e->vectors;
    for (uint32_t i = 0; i < e->vectors; i++) {
        if (e->held[i].is_pinned)
            continue;
        if (e->held[i].key == NATIVE_NO_KEY) {
            chosen = i;
            break;
        }
        if (chosen == e->vectors || e->held[i].next > e->held[chosen].next)
            chosen = i;
    }
    if (chosen == e->vectors) { /* cannot be: an operation pins fewer than there are */
        e->has_failed = true;
        return 0;
    }
    if (e->held[chosen].key != NATIVE_NO_KEY && e->held[chosen].is_dirty)
        put_aside(e, chosen);
    native_release(e, chosen);
    e->held[chosen].is_pinned = true;
    return chosen;
}

static bool is_of_kernel(const struct native_emitter *e)
{
    return wl_native_is_of_kernel(e->program, e->segment->first);
}

const struct wl_parameter_register *native_find_parameter(const struct native_emitter *e,
                                                          uint32_t offset)
{
    for (uint32_t i = 0; i < e->program->parameter_register_count && is_of_kernel(e); i++)
        if (e->program->parameter_registers[i].offset == offset)
            return &e->program->parameter_registers[i];
    return NULL;
}

/* A constant of the program, or a parameter that is one for the launch. */
static bool find_constant(struct native_emitter *e, uint32_t offset, struct wl_operand_place *place)
{
    if (!is_of_kernel(e))
        return false;
    const struct wl_parameter_register *parameter = native_find_parameter(e, offset);
    if (parameter) {
        *place = native_memory(e->bases[NATIVE_BASE_PARAMETERS], (int32_t)parameter->parameter);
        place->broadcasts = true;
        return true;
    }
    for (uint32_t i = 0; i < e->program->constant_count; i++) {
        const struct wl_constant *constant = &e->program->constants[i];
        if (constant->offset != offset)
            continue;
        *place = constant->width_bytes == 8 ? native_literal_64(e, constant->bits)
                                            : native_literal_32(e, (uint32_t)constant->bits);
        return true;
    }
    return false;
}

bool native_is_constant_register(const struct native_emitter *e, uint32_t offset)
{
    bool is_constant = native_find_parameter(e, offset) != NULL;
    for (uint32_t i = 0; i < e->program->constant_count && is_of_kernel(e); i++)
        is_constant |= e->program->constants[i].offset == offset;
    return is_constant;
}

static bool is_wide_read(const struct native_emitter *e, uint32_t k)
{
    return e->operands.reads[k].operand_class == WL_CLASS_64;
}

/* Operand k where it is; in a vector register if it is read again, or may hold another NaN. */
struct wl_operand_place native_find_place(struct native_emitter *e, uint32_t k, uint32_t half)
{
    const struct wl_native_operand *operand = &e->operands.reads[k];
    const uint64_t key = native_key(e, operand->offset, half);
    const uint32_t number = find_held(e, key);
    if (number < e->vectors) {
        if (!(e->row->flags & WL_NATIVE_FLOAT))
            native_make_canonical(e, number);
        e->held[number].is_pinned = true;
        return native_vector(number);
    }
    const struct native_elsewhere *found = find_elsewhere(e, key);
    const bool is_read_again = e->next_of_reads[e->at][k] != NATIVE_NEVER;
    const bool must_be_vector = found && found->is_raw && !(e->row->flags & WL_NATIVE_FLOAT);
    struct wl_operand_place place = {.kind = WL_OPERAND_NONE};
    if (found)
        place = found->place;
    else
        find_constant(e, operand->offset, &place);
    if (place.kind != WL_OPERAND_NONE && !must_be_vector &&
        !(e->host->is_256 && is_broadcast(place) && is_read_again))
        return place;
    if (place.kind != WL_OPERAND_NONE || is_read_again)
        return native_vector(native_in_vector(e, k, half));
    return home(e, key, is_wide_read(e, k));
}

uint32_t native_in_vector(struct native_emitter *e, uint32_t k, uint32_t half)
{
    const struct wl_native_operand *operand = &e->operands.reads[k];
    const uint64_t key = native_key(e, operand->offset, half);
    uint32_t number = find_held(e, key);
    if (number < e->vectors) {
        if (!(e->row->flags & WL_NATIVE_FLOAT))
            native_make_canonical(e, number);
        e->held[number].is_pinned = true;
        return number;
    }
    const bool is_wide = is_wide_read(e, k);
    const struct native_elsewhere *found = find_elsewhere(e, key);
    struct wl_operand_place place = home(e, key, is_wide);
    const bool is_raw = found && found->is_raw;
    if (found)
        place = found->place;
    else
        find_constant(e, operand->offset, &place);
    number = native_take_vector(e);
    native_fetch(e, number, place, is_wide);
    e->held[number] = (struct native_held){.key = key,
                                           .next = e->next_of_reads[e->at][k],
                                           .is_raw = is_raw,
                                           .is_wide = is_wide,
                                           .is_pinned = true};
    if (!(e->row->flags & WL_NATIVE_FLOAT))
        native_make_canonical(e, number);
    return number;
}

bool native_is_read_later(const struct native_emitter *e, uint32_t w)
{
    const uint16_t lives = e->op->lives[e->operands.writes[w].field];
    if (e->is_ahead)
        return false;
    return lives == 0 || e->at + lives >= e->phase_end;
}

/* What the register held before is gone; `kept`: the vector that holds its new value. */
static void forget(struct native_emitter *e, uint64_t key, uint32_t kept)
{
    const uint32_t number = find_held(e, key);
    if (number < e->vectors && number != kept)
        native_release(e, number);
    for (size_t i = e->elsewhere.count; i-- > 0;)
        if (e->elsewhere.items[i].key == key)
            e->elsewhere.items[i].key = NATIVE_NO_KEY;
}

/* The vector holds what the operation writes to its register w. */
void native_define(struct native_emitter *e, uint32_t w, uint32_t half, uint32_t number,
                   bool is_raw)
{
    const struct wl_native_operand *operand = &e->operands.writes[w];
    const uint64_t key = native_key(e, operand->offset, half);
    forget(e, key, number);
    const uint32_t next = e->next_of_writes[e->at][w];
    e->held[number] = (struct native_held){.key = key,
                                           .next = next,
                                           .is_raw = is_raw,
                                           .is_dirty = next != NATIVE_NEVER,
                                           .is_wide = operand->operand_class == WL_CLASS_64,
                                           .is_pinned = true};
    if (native_is_read_later(e, w)) {
        native_make_canonical(e, number);
        write_home(e, number);
    }
}

/* The same for a value that is somewhere else. */
void native_define_elsewhere(struct native_emitter *e, uint32_t w, uint32_t half,
                             struct wl_operand_place place)
{
    const struct wl_native_operand *operand = &e->operands.writes[w];
    const bool is_wide = operand->operand_class == WL_CLASS_64;
    if (native_is_read_later(e, w)) {
        const uint32_t number = native_take_vector(e);
        native_fetch(e, number, place, is_wide);
        native_define(e, w, half, number, false);
        return;
    }
    const uint64_t key = native_key(e, operand->offset, half);
    forget(e, key, e->vectors);
    WL_PUSH(&e->elsewhere, ((struct native_elsewhere){key, place, false}));
}

/* After an operation: values that nobody reads any more leave their registers. */
void native_end_operation(struct native_emitter *e)
{
    for (uint32_t k = 0; k < e->operands.read_count; k++)
        for (uint32_t half = 0; half < 2; half++) {
            const uint32_t number = find_held(e, native_key(e, e->operands.reads[k].offset, half));
            bool is_written = false;
            for (uint32_t w = 0; w < e->operands.write_count; w++)
                is_written |= e->operands.writes[w].offset == e->operands.reads[k].offset;
            if (number < e->vectors && !is_written)
                e->held[number].next = e->next_of_reads[e->at][k];
        }
    uint32_t held = 0;
    for (uint32_t i = 0; i < e->vectors; i++) {
        held += e->held[i].key != NATIVE_NO_KEY;
        e->held[i].is_pinned = false;
        if (e->held[i].key != NATIVE_NO_KEY && e->held[i].next == NATIVE_NEVER)
            native_release(e, i);
    }
    e->most_held = held > e->most_held ? held : e->most_held;
    if (e->keeps_masks)
        native_end_masks(e);
}

struct wl_operand_place native_immediate_place(struct native_emitter *e, bool is_wide)
{
    return is_wide ? native_literal_64(e, (uint64_t)e->op->imm)
                   : native_literal_32(e, (uint32_t)e->op->imm);
}

/* The second operand of a row that may have an immediate. */
struct wl_operand_place native_second_place(struct native_emitter *e, uint32_t half)
{
    return e->row->flags & WL_NATIVE_HAS_IMMEDIATE ? native_immediate_place(e, e->row->bits == 64)
                                                   : native_find_place(e, 1, half);
}
