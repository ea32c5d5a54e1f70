/* Values of 8 and 16 bits, which have registers of 32. */
#include "sim/native/forms.h"

enum { SHIFT_RIGHT_SIGNED = 4, SHIFT_LEFT = 6 };

static void shift(struct native_emitter *e, uint32_t way, uint32_t dst, uint32_t source,
                  uint32_t count)
{
    static const struct wl_encoding shift_32 = {1, 1, 0, 0x72};
    native_emit(e, shift_32, way, dst, native_vector(source), (int)count);
}

uint32_t native_short_up(struct native_emitter *e, struct wl_operand_place place,
                         uint32_t temporary)
{
    native_fetch(e, temporary, place, false);
    shift(e, SHIFT_LEFT, temporary, temporary, 16);
    return temporary;
}

/* dst = the source's low bits, all but so many, extended as the row has it. */
static void extend(struct native_emitter *e, uint32_t dst, uint32_t source)
{
    const uint32_t count = e->row->number;
    if (e->row->flags & WL_NATIVE_ZEROS) {
        native_emit(e, native_and_32, dst, source, native_literal_32(e, UINT32_MAX >> count), -1);
        return;
    }
    shift(e, SHIFT_LEFT, dst, source, count);
    shift(e, SHIFT_RIGHT_SIGNED, dst, dst, count);
}

void native_emit_extend(struct native_emitter *e)
{
    if (e->row->bits == 32) {
        const uint32_t a = native_in_vector(e, 0, 0), d = native_take_vector(e);
        extend(e, d, a);
        if (e->row->flags & WL_NATIVE_SHORT)
            native_emit(e, native_and_32, d, d, native_literal_32(e, 0xffff), -1);
        native_define(e, 0, 0, d, false);
        return;
    }
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_half_place(e, 0, half, NATIVE_TEMPORARY_A).vector;
        const uint32_t d = native_take_vector(e);
        extend(e, NATIVE_TEMPORARY_A, a);
        native_emit(e, e->row->encoding, d, 0, native_vector(NATIVE_TEMPORARY_A), -1);
        native_define(e, 0, half, d, false);
    }
}

void native_emit_binary_short(struct native_emitter *e)
{
    const uint32_t a = native_in_vector(e, 0, 0);
    const struct wl_operand_place b = native_second_place(e, 0);
    const uint32_t d = native_take_vector(e);
    native_emit(e, e->row->encoding, d, a, b, -1);
    native_emit(e, native_and_32, d, d, native_literal_32(e, 0xffff), -1);
    native_define(e, 0, 0, d, false);
}

/* The instruction adds the product of the high halves, of which one is 0. */
void native_emit_multiply_short(struct native_emitter *e)
{
    const uint32_t a = native_in_vector(e, 0, 0);
    native_emit(e, native_and_32, NATIVE_TEMPORARY_A, a, native_literal_32(e, 0xffff), -1);
    native_fetch(e, NATIVE_TEMPORARY_B, native_second_place(e, 0), false);
    const uint32_t d = native_take_vector(e);
    native_emit(e, e->row->encoding, d, NATIVE_TEMPORARY_A, native_vector(NATIVE_TEMPORARY_B), -1);
    native_define(e, 0, 0, d, false);
}
