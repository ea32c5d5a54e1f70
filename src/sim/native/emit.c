/* Writes the code of a segment. It does the first lanes of all operations, then the next ones:
 * lanes know nothing of each other, and a vector register holds 16, or 8. Values stay in vector
 * registers while they are read; what is read behind the segment is written to the warp's
 * registers. */
#include "sim/native/addresses.h"
#include "sim/native/forms.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t base_registers[] = {WL_R10, WL_R11, WL_RBX, WL_RBP,
                                         WL_R12, WL_R13, WL_R14, WL_R15};
#define CALLER_OWNED 2 /* of these, which need not be saved */

/* One more than the highest register offset of the segment, in words. */
static uint32_t count_words(const struct native_emitter *e)
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

/* Whether anybody sees what an operation does: it writes memory, or what is read behind the segment
 * or in it, by next; an address is no longer read there. */
static bool is_needed(const struct native_emitter *e, uint32_t at, const struct wl_op *op,
                      const struct wl_native_operands *all, const uint32_t *next)
{
    const uint8_t form = wl_native_rows[op->code].form;
    bool is_read = form == WL_NATIVE_STORE || form == WL_NATIVE_GLOBAL || form == WL_NATIVE_SHARED;
    for (uint32_t w = 0; w < all->write_count; w++) {
        const struct wl_native_operand *written = &all->writes[w];
        const uint16_t lives = op->lives[written->field];
        is_read |= lives == 0 || at + lives >= e->segment->count ||
                   next[written->offset / 4] != NATIVE_NEVER;
    }
    return is_read;
}

void native_find_next_reads(struct native_emitter *e, const bool *only)
{
    const uint32_t words = count_words(e);
    uint32_t *next = wl_alloc(words * sizeof *next);
    memset(next, 0xff, words * sizeof *next);
    for (uint32_t at = e->segment->count; at-- > 0;) {
        const struct wl_op *op = &e->program->ops[e->segment->first + at];
        const struct wl_native_operands all = wl_native_operands(op);
        e->is_needed[at] = only                  ? only[at]
                           : e->segment->is_free ? true
                                                 : is_needed(e, at, op, &all, next);
        if (!e->is_needed[at])
            continue;
        for (uint32_t w = all.write_count; w-- > 0;) { /* of two to one register the last counts */
            e->next_of_writes[at][w] = next[all.writes[w].offset / 4];
            next[all.writes[w].offset / 4] = NATIVE_NEVER;
        }
        for (uint32_t k = 0; k < all.read_count; k++)
            e->next_of_reads[at][k] = next[all.reads[k].offset / 4];
        for (uint32_t k = 0; k < all.read_count; k++)
            next[all.reads[k].offset / 4] = at;
    }
    free(next);
}

static void need_base(struct native_emitter *e, enum native_base base)
{
    if (e->bases[base] != WL_NO_GPR)
        return;
    if (e->bases_used == sizeof base_registers) {
        e->has_failed = true;
        return;
    }
    e->bases[base] = base_registers[e->bases_used++];
}

static void find_bases(struct native_emitter *e)
{
    memset(e->bases, WL_NO_GPR, sizeof e->bases);
    e->bases_used = 0;
    for (uint32_t i = 0; i < e->segment->slot_count; i++)
        need_base(e, NATIVE_BASE_SLOT + i);
    for (uint32_t at = 0; at < e->segment->count; at++) {
        const struct wl_op *op = &e->program->ops[e->segment->first + at];
        const struct wl_native_operands all = wl_native_operands(op);
        for (uint32_t k = 0; k < all.read_count; k++)
            if (native_find_parameter(e, all.reads[k].offset))
                need_base(e, NATIVE_BASE_PARAMETERS);
        if (op->code == WL_OP_LOAD_PARAM && !native_find_parameter(e, op->dst))
            need_base(e, NATIVE_BASE_PARAMETERS);
        if (e->segment->is_free &&
            (op->code == WL_OP_LOAD_SHARED || op->code == WL_OP_STORE_SHARED))
            need_base(e, NATIVE_BASE_SHARED);
        if (op->code != WL_OP_SPECIAL || op->kind == WL_SPECIAL_LANEID)
            continue;
        need_base(e, op->kind <= WL_SPECIAL_TID_Z ? NATIVE_BASE_THREADS
                     : op->kind >= WL_SPECIAL_CTAID_X && op->kind <= WL_SPECIAL_CTAID_Z
                         ? NATIVE_BASE_BLOCK
                         : NATIVE_BASE_LAUNCH);
    }
}

/* The warp will wait for its global loads; where accesses are counted or checked, a function does
 * that. */
static void emit_counting(struct native_emitter *e, uintptr_t count)
{
    struct wl_assembly *code = e->code;
    const uint32_t saved = e->bases_used > CALLER_OWNED ? e->bases_used - CALLER_OWNED : 0;
    const uint32_t pushes = 2 + (saved % 2 == 0); /* 16 bytes align the stack in functions */
    static const uint8_t kept[] = {WL_RDI, WL_RSI, WL_RAX};
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, sm), 8);
    wl_assembly_add_immediate(code, WL_RAX, offsetof(struct wl_sm, turn_loads),
                              e->segment->global_loads);
    if (!e->program->native->checks) {
        wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
        wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, run), 8);
        wl_assembly_test_small(code, WL_RAX, offsetof(struct wl_run, count), 1);
        wl_assembly_jump_if(code, WL_IF_ZERO, NATIVE_LABEL_COUNTED);
    }
    native_emit_now(e);
    for (uint32_t i = 0; i < pushes; i++)
        wl_assembly_push(code, kept[i]);
    wl_assembly_call(code, e->segment, count);
    for (uint32_t i = pushes; i-- > 0;)
        wl_assembly_pop(code, kept[i]);
    wl_assembly_load(code, WL_R8, WL_RDI, offsetof(struct wl_warp, registers), 8);
    wl_assembly_label(code, NATIVE_LABEL_COUNTED);
}

/* Where the launch, the block, its memory, the warp's threads and the parameters are. */
static void emit_launch_bases(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    if (e->bases[NATIVE_BASE_SHARED] != WL_NO_GPR)
        wl_assembly_load(code, e->bases[NATIVE_BASE_SHARED], WL_RDI,
                         offsetof(struct wl_warp, shared), 8);
    if (e->bases[NATIVE_BASE_BLOCK] != WL_NO_GPR)
        wl_assembly_load(code, e->bases[NATIVE_BASE_BLOCK], WL_RDI, offsetof(struct wl_warp, cta),
                         8);
    if (e->bases[NATIVE_BASE_THREADS] == WL_NO_GPR && e->bases[NATIVE_BASE_LAUNCH] == WL_NO_GPR &&
        e->bases[NATIVE_BASE_PARAMETERS] == WL_NO_GPR)
        return;
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
    wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, run), 8);
    wl_assembly_load(code, WL_RCX, WL_RAX, offsetof(struct wl_run, launch), 8);
    if (e->bases[NATIVE_BASE_LAUNCH] != WL_NO_GPR)
        wl_assembly_lea(code, e->bases[NATIVE_BASE_LAUNCH], WL_RCX, 0);
    if (e->bases[NATIVE_BASE_PARAMETERS] != WL_NO_GPR)
        wl_assembly_load(code, e->bases[NATIVE_BASE_PARAMETERS], WL_RCX,
                         offsetof(struct wl_sim_launch, parameters), 8);
    if (e->bases[NATIVE_BASE_THREADS] == WL_NO_GPR)
        return;
    const enum wl_gpr threads = e->bases[NATIVE_BASE_THREADS];
    wl_assembly_load(code, threads, WL_RDI, offsetof(struct wl_warp, index), 4);
    wl_assembly_multiply(code, threads, sizeof *((struct wl_run *)NULL)->thread_index);
    wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_run, thread_index), 8);
    wl_assembly_arithmetic(code, WL_ADD, threads, WL_RAX, true);
}

/* The first lane's addresses, which have been checked. */
static void emit_slot_bases(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    if (!e->segment->slot_count)
        return;
    native_emit_plans(e);
    wl_assembly_increment(code, WL_RDX,
                          e->is_masked ? NATIVE_PLAN(e->segment, partly)
                                       : NATIVE_PLAN(e->segment, executions));
    wl_assembly_load(code, WL_R9, WL_RDI, offsetof(struct wl_warp, shared), 8);
    for (uint32_t i = 0; i < e->segment->slot_count; i++) {
        const enum wl_gpr base = e->bases[NATIVE_BASE_SLOT + i];
        wl_assembly_load(code, base, WL_RDX, NATIVE_PLAN_SLOT(e->segment, i, lanes), 8);
        if (!e->segment->slots[i].is_global)
            wl_assembly_arithmetic(code, WL_ADD, base, WL_R9, true);
    }
    for (uint32_t i = 0; i < e->segment->store_count && !e->is_masked; i++)
        native_prefetch_store(e, e->segment->stores[i]);
    if (!e->is_masked)
        native_emit_ahead(e);
    if (e->segment->store_count && !e->stores_at_once)
        wl_assembly_lea(code, WL_R9, WL_RAX, offsetof(struct wl_worker, stored));
}

void native_begin_piece(struct native_emitter *e)
{
    for (uint32_t i = 0; i < e->vectors; i++)
        native_release(e, i);
    e->elsewhere.count = 0;
    native_release_masks(e);
}

void native_begin_operation(struct native_emitter *e)
{
    e->op = &e->program->ops[e->segment->first + e->at];
    e->row = &wl_native_rows[e->op->code];
    e->operands = wl_native_operands(e->op);
}

/* Jumps to the label if all lanes of the piece are off. */
static void skip_piece(struct native_emitter *e, uint32_t label)
{
    const uint32_t bytes = e->host->piece_lanes / 8;
    wl_assembly_test_small(e->code, WL_RDI,
                           (int32_t)(offsetof(struct wl_warp, active) + e->piece * bytes), bytes);
    wl_assembly_jump_if(e->code, WL_IF_ZERO, label);
}

uint32_t native_begin_active(struct native_emitter *e)
{
    const uint32_t end = wl_assembly_new_label(e->code);
    skip_piece(e, end);
    e->host->begin_masked(e);
    return end;
}

uint32_t native_exit_label(struct native_emitter *e)
{
    if (e->at == 0)
        return NATIVE_LABEL_MISS_LATE;
    const struct native_exit exit = {e->at, wl_assembly_new_label(e->code)};
    WL_PUSH(&e->exits, exit);
    return exit.label;
}

/* All operations of the phase for so many pieces from that one on. What one piece waits for in a
 * row of operations, another does not. */
static void emit_pieces(struct native_emitter *e, uint32_t first)
{
    e->piece = first;
    native_begin_piece(e);
    const uint32_t end = e->is_masked ? native_begin_active(e) : 0;
    for (e->at = e->phase; e->at < e->phase_end && !e->has_failed; e->at++) {
        if (!e->is_needed[e->at])
            continue;
        native_begin_operation(e);
        for (e->piece = first; e->piece < first + e->together; e->piece++) {
            e->host->forms[e->row->form](e);
            native_end_operation(e);
        }
    }
    if (e->is_masked)
        wl_assembly_label(e->code, end);
}

static bool writes(const struct wl_op *op, uint32_t offset)
{
    const struct wl_native_operands all = wl_native_operands(op);
    for (uint32_t w = 0; w < all.write_count; w++)
        if (all.writes[w].offset == offset)
            return true;
    return false;
}

/* Whether two operations of a phase, of which one is a shuffle, may not be in it: the shuffle reads
 * what other pieces have before the phase, or have no more. */
static bool is_apart(const struct wl_op *before, const struct wl_op *op)
{
    return (op->code == WL_OP_SHUFFLE && writes(before, op->a)) ||
           (before->code == WL_OP_SHUFFLE && writes(op, before->a));
}

/* Of a free segment, whose accesses are phases of their own. */
static bool is_free_access(const struct native_emitter *e, uint32_t at)
{
    const uint8_t form = wl_native_rows[e->program->ops[e->segment->first + at].code].form;
    return e->segment->is_free &&
           (form == WL_NATIVE_SHARED || form == WL_NATIVE_GLOBAL || form == WL_NATIVE_STORE);
}

static uint32_t find_phase_end(const struct native_emitter *e)
{
    const struct wl_op *ops = &e->program->ops[e->segment->first];
    for (uint32_t end = e->phase + 1; end < e->segment->count; end++) {
        if (is_free_access(e, end))
            return end;
        for (uint32_t at = e->phase; at < end; at++)
            if (is_apart(&ops[at], &ops[end]))
                return end;
    }
    return e->segment->count;
}

/* Whether operations of the phase write registers of 64 bits. */
static bool writes_wide(const struct native_emitter *e)
{
    bool is_wide = false;
    for (uint32_t at = e->phase; at < e->phase_end; at++) {
        const struct wl_native_operands all =
            wl_native_operands(&e->program->ops[e->segment->first + at]);
        for (uint32_t w = 0; w < all.write_count; w++)
            is_wide |= all.writes[w].operand_class == WL_CLASS_64;
    }
    return is_wide;
}

/* All pieces of the operations up to a shuffle of what they write, or to an access of a free
 * segment, then those of the next. */
static void emit_phases(struct native_emitter *e)
{
    for (e->phase = 0; e->phase < e->segment->count; e->phase = e->phase_end) {
        if (is_free_access(e, e->phase)) {
            e->at = e->phase;
            e->phase_end = e->phase + 1;
            native_begin_operation(e);
            native_emit_access(e);
            continue;
        }
        e->phase_end = find_phase_end(e);
        e->is_wide_masked = writes_wide(e);
        for (uint32_t piece = 0; piece < e->host->pieces; piece += e->together)
            emit_pieces(e, piece);
    }
}

static void emit_pops(struct native_emitter *e)
{
    for (uint32_t i = e->bases_used; i-- > CALLER_OWNED;)
        wl_assembly_pop(e->code, base_registers[i]);
}

/* Where somebody looks at accesses, those of free segments are the executor's. */
static void emit_free_checks(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, worker), 8);
    wl_assembly_load(code, WL_RAX, WL_RAX, offsetof(struct wl_worker, run), 8);
    wl_assembly_test_small(code, WL_RAX, offsetof(struct wl_run, count), 1);
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, NATIVE_LABEL_MISS);
    wl_assembly_compare_zero(code, WL_RDI, offsetof(struct wl_warp, trace));
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, NATIVE_LABEL_MISS);
}

/* On to the operation behind the segment: at once, unless somebody watches what each does. */
static void emit_going_on(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    const int32_t bytes = (int32_t)(e->segment->count * sizeof(struct wl_op));
    const uint32_t watched = wl_assembly_new_label(code);
    wl_assembly_lea(code, WL_RSI, WL_RSI, bytes);
    wl_assembly_test_small(code, WL_RDI, offsetof(struct wl_warp, is_watched), 1);
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, watched);
    wl_assembly_load(code, WL_RAX, WL_RDI, offsetof(struct wl_warp, is_masked), 4);
    const struct wl_indexed_place run = {WL_RSI, WL_RAX, 8, offsetof(struct wl_op, run)};
    wl_assembly_jump_indexed(code, run);
    wl_assembly_label(code, watched);
    wl_assembly_lea(code, WL_RAX, WL_RSI, 0);
    wl_assembly_return(code);
}

/* The ways out of a free segment before it has ended: its other operations are the executor's. */
static void emit_exits(struct native_emitter *e)
{
    for (size_t i = 0; i < e->exits.count; i++) {
        wl_assembly_label(e->code, e->exits.items[i].label);
        emit_pops(e);
        wl_assembly_lea(e->code, WL_RAX, WL_RSI,
                        (int32_t)(e->exits.items[i].at * sizeof(struct wl_op)));
        wl_assembly_return(e->code);
    }
}

/* All up to where the segment's own operations begin. */
static void emit_beginning(struct native_emitter *e, uintptr_t count)
{
    const struct wl_native_segment *segment = e->segment;
    wl_assembly_load(e->code, WL_R8, WL_RDI, offsetof(struct wl_warp, registers), 8);
    if (segment->slot_count)
        native_emit_checks(e);
    if (segment->is_free)
        emit_free_checks(e);
    for (uint32_t i = CALLER_OWNED; i < e->bases_used; i++)
        wl_assembly_push(e->code, base_registers[i]);
    if (segment->is_derived) {
        emit_launch_bases(e);
        native_emit_slices(e);
    }
    if (!segment->is_free && (segment->global_loads || segment->stores_global ||
                              (segment->slot_count && e->program->native->checks)))
        emit_counting(e, count);
    emit_slot_bases(e);
    emit_launch_bases(e);
}

bool wl_native_has_bases(const struct wl_program *program, const struct wl_native_segment *segment)
{
    struct native_emitter e = {.program = program, .segment = segment};
    find_bases(&e);
    return !e.has_failed;
}

/* Writes the code, with so many pieces together. Returns how many vectors held values at once. */
static uint32_t emit_all(struct native_emitter *e, uint32_t together, uintptr_t miss,
                         uintptr_t count)
{
    struct wl_assembly *code = e->code;
    e->together = together;
    e->has_failed = false;
    e->exits.count = 0;
    e->keeps_masks = together == e->host->pieces && !e->host->is_256;
    e->stores_at_once = together == e->host->pieces && native_may_store_at_once(e);
    while (code->labels.count < NATIVE_LABELS)
        wl_assembly_new_label(code);
    find_bases(e);
    emit_beginning(e, count);
    native_find_next_reads(e, NULL);
    e->most_held = 0;
    emit_phases(e);
    if (!e->segment->is_free)
        native_emit_stores(e);
    emit_pops(e);
    emit_going_on(e);
    emit_exits(e);
    wl_assembly_label(code, NATIVE_LABEL_MISS_LATE);
    if (e->segment->is_derived || e->segment->is_free)
        emit_pops(e);
    wl_assembly_label(code, NATIVE_LABEL_MISS);
    if (e->segment->slot_count || e->segment->is_free)
        wl_assembly_leave(code, e->segment, miss);
    return e->most_held;
}

/* How many pieces are done together: as many as there are vectors for the values of. */
static uint32_t choose_together(const struct native_emitter *e, uint32_t most_held)
{
    uint32_t together = e->is_masked ? 1 : e->host->pieces;
    while (together > 1 && most_held * together > e->vectors)
        together /= 2;
    return together;
}

bool wl_native_emit(const struct wl_program *program, const struct wl_native_segment *segment,
                    bool is_masked, uintptr_t miss, uintptr_t count, struct wl_assembly *code)
{
    const struct native_host *host = code->is_256 ? &native_host_256 : &native_host_512;
    struct native_emitter e = {.host = host,
                               .code = code,
                               .program = program,
                               .segment = segment,
                               .vectors = is_masked ? host->vectors_masked : host->vectors,
                               .is_masked = is_masked};
    e.is_needed = wl_alloc(segment->count);
    e.next_of_reads = wl_alloc(segment->count * sizeof *e.next_of_reads);
    e.next_of_writes = wl_alloc(segment->count * sizeof *e.next_of_writes);
    const uint32_t most_held = emit_all(&e, 1, miss, count);
    const uint32_t together = choose_together(&e, most_held);
    if (!e.has_failed && together > 1) {
        const bool is_256 = code->is_256;
        wl_assembly_free(code);
        *code = (struct wl_assembly){.is_256 = is_256};
        emit_all(&e, together, miss, count);
    }
    free(e.is_needed);
    free(e.next_of_reads);
    free(e.next_of_writes);
    free(e.elsewhere.items);
    free(e.exits.items);
    return !e.has_failed;
}
