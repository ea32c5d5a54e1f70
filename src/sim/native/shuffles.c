/* Shuffles whose lanes the program tells: each lane's value then lies at a place that is known in
 * the warp's registers, which have it by the time that any piece is at the shuffle. */
#include "sim/native/forms.h"

bool wl_native_is_of_kernel(const struct wl_program *program, uint32_t at)
{
    for (uint32_t i = 1; i < program->function_count; i++)
        if (at >= program->functions[i].op)
            return false;
    return true;
}

static bool find_constant_word(const struct wl_program *program, uint32_t offset, uint32_t *word)
{
    for (uint32_t i = 0; i < program->constant_count; i++)
        if (program->constants[i].offset == offset) {
            *word = (uint32_t)program->constants[i].bits;
            return true;
        }
    return false;
}

/* The lane that one reads from, within its segment or not (PTX ISA, shfl.sync). */
static int32_t source_of(enum wl_shuffle kind, int32_t lane, uint32_t b, uint32_t c, bool *inside)
{
    const int32_t amount = b & 31, clamp = c & 31, segment = c >> 8 & 31;
    const int32_t bottom = lane & segment, top = bottom | (clamp & ~segment);
    const int32_t from = kind == WL_SHUFFLE_UP     ? lane - amount
                         : kind == WL_SHUFFLE_DOWN ? lane + amount
                         : kind == WL_SHUFFLE_XOR  ? lane ^ amount
                                                   : bottom | (amount & ~segment);
    *inside = kind == WL_SHUFFLE_UP ? from >= top : from <= top;
    return from;
}

bool wl_native_find_shuffle(const struct wl_program *program, uint32_t at,
                            struct wl_native_shuffle *shuffle)
{
    const struct wl_op *op = &program->ops[at];
    uint32_t b, c;
    *shuffle = (struct wl_native_shuffle){.inside = 0};
    if (op->dst == op->a || op->dst == UINT32_MAX || !wl_native_is_of_kernel(program, at) ||
        !find_constant_word(program, op->b, &b) || !find_constant_word(program, op->c, &c))
        return false;
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        bool is_inside;
        const int32_t from = source_of(op->kind, (int32_t)lane, b, c, &is_inside);
        shuffle->source[lane] = (uint8_t)((is_inside ? (uint32_t)from : lane) & 31);
        shuffle->inside |= (uint32_t)is_inside << lane;
    }
    return true;
}

/* The value of each lane of the piece, read from those of all lanes: by whole vectors, as they were
 * written just before, and a processor takes no value from two writes that wait. */
static void emit_value(struct native_emitter *e, const uint8_t *source)
{
    const uint32_t lanes = e->host->piece_lanes;
    uint32_t words[NATIVE_PIECE_LANES_MOST], least = source[0], most = source[0];
    bool is_uniform = true, is_vector = source[0] % lanes == 0;
    for (uint32_t i = 0; i < lanes; i++) {
        least = source[i] < least ? source[i] : least;
        most = source[i] > most ? source[i] : most;
        is_uniform &= source[i] == source[0];
        is_vector &= source[i] == source[0] + i;
    }
    if (is_uniform || is_vector) {
        struct wl_operand_place from = native_memory(WL_R8, (int32_t)(e->op->a + 4u * source[0]));
        from.broadcasts = is_uniform;
        native_define_elsewhere(e, 0, 0, from);
        return;
    }
    const uint32_t first = least / lanes * lanes;
    for (uint32_t i = 0; i < lanes; i++)
        words[i] = source[i] - first;
    const uint32_t d = native_take_vector(e);
    e->host->permute(e, d, words, native_memory(WL_R8, (int32_t)(e->op->a + 4 * first)),
                     4 * (most + 1 - first));
    native_define(e, 0, 0, d, false);
}

void native_emit_shuffle(struct native_emitter *e)
{
    const uint32_t lanes = e->host->piece_lanes, first = e->piece * lanes;
    struct wl_native_shuffle shuffle;
    if (!wl_native_find_shuffle(e->program, e->segment->first + e->at, &shuffle)) {
        e->has_failed = true;
        return;
    }
    emit_value(e, shuffle.source + first);
    if (e->op->d == UINT32_MAX)
        return;
    wl_assembly_set(e->code, WL_RAX, shuffle.inside >> first & ((1u << lanes) - 1));
    native_write_predicate(e, e->operands.write_count - 1);
}
