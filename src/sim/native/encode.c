#include "sim/native/encode.h"

#include <stdlib.h>
#include <string.h>

#define VECTOR_BYTES 64

static void byte(struct wl_assembly *code, unsigned value)
{
    WL_PUSH(&code->bytes, (uint8_t)value);
}

static void word32(struct wl_assembly *code, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        byte(code, value >> (8 * i) & 0xff);
}

static void word64(struct wl_assembly *code, uint64_t value)
{
    word32(code, (uint32_t)value);
    word32(code, (uint32_t)(value >> 32));
}

void wl_assembly_free(struct wl_assembly *code)
{
    free(code->bytes.items);
    free(code->pool.items);
    free(code->literals.items);
    free(code->jumps.items);
    free(code->labels.items);
    memset(code, 0, sizeof *code);
}

static size_t pool_start(const struct wl_assembly *code)
{
    return (code->bytes.count + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
}

size_t wl_assembly_size(const struct wl_assembly *code)
{
    return pool_start(code) + code->pool.count;
}

static void fill(uint8_t *memory, const struct wl_fixup *fixup, size_t target)
{
    const int32_t distance = (int32_t)((int64_t)target - (int64_t)fixup->end);
    memcpy(memory + fixup->at, &distance, sizeof distance);
}

void wl_assembly_write(const struct wl_assembly *code, uint8_t *memory)
{
    const size_t pool = pool_start(code);
    memcpy(memory, code->bytes.items, code->bytes.count);
    memset(memory + code->bytes.count, 0xcc, pool - code->bytes.count);
    if (code->pool.count)
        memcpy(memory + pool, code->pool.items, code->pool.count);
    for (size_t i = 0; i < code->literals.count; i++)
        fill(memory, &code->literals.items[i], pool + code->literals.items[i].target);
    for (size_t i = 0; i < code->jumps.count; i++)
        fill(memory, &code->jumps.items[i], code->labels.items[code->jumps.items[i].target]);
}

int32_t wl_assembly_literal(struct wl_assembly *code, const void *bytes, uint32_t size_bytes)
{
    for (size_t at = 0; at + size_bytes <= code->pool.count; at += size_bytes)
        if (memcmp(code->pool.items + at, bytes, size_bytes) == 0)
            return (int32_t)at;
    while (code->pool.count % size_bytes)
        WL_PUSH(&code->pool, 0);
    const size_t at = code->pool.count;
    for (uint32_t i = 0; i < size_bytes; i++)
        WL_PUSH(&code->pool, ((const uint8_t *)bytes)[i]);
    return (int32_t)at;
}

/* ModRM, SIB and displacement of memory at a general register. scale: of a displacement of 8 bits;
 * 0: it has 32 whatever it is. */
static void scaled_operand(struct wl_assembly *code, unsigned reg, enum wl_gpr base, int32_t offset,
                           int32_t scale)
{
    const bool is_short =
        scale && offset % scale == 0 && offset / scale >= INT8_MIN && offset / scale <= INT8_MAX;
    byte(code, (is_short ? 0x40 : 0x80) | (reg & 7) << 3 | (base & 7));
    if ((base & 7) == WL_RSP)
        byte(code, 0x24);
    if (is_short)
        byte(code, (unsigned)(offset / scale) & 0xff);
    else
        word32(code, (uint32_t)offset);
}

static void memory_operand(struct wl_assembly *code, unsigned reg, enum wl_gpr base, int32_t offset)
{
    scaled_operand(code, reg, base, offset, 1);
}

/* How EVEX scales displacements of 8 bits (Intel SDM, 2.7.5): by an element that is broadcast, or
 * by the vector where the instruction reads or writes a whole one. 0: of others. */
static int32_t displacement_scale(struct wl_encoding encoding, const struct wl_operand_place *place)
{
    static const uint8_t whole[] = {0x6f, 0x7f, 0xfe, 0xfa, 0xd4, 0xfb, 0xdb, 0xeb, 0xef};
    const bool is_fused = encoding.map == 2 && encoding.opcode >= 0x98 && encoding.opcode <= 0xbe;
    bool is_whole = is_fused;
    for (size_t i = 0; i < sizeof whole && encoding.map == 1; i++)
        is_whole |= encoding.opcode == whole[i];
    return place->broadcasts ? (encoding.wide ? 8 : 4) : is_whole ? 64 : 0;
}

/* The operand that ModRM's r/m names, with what follows the instruction's displacement. */
static void place_operand(struct wl_assembly *code, struct wl_encoding encoding, unsigned reg,
                          const struct wl_operand_place *place, uint32_t bytes_behind)
{
    if (place->kind == WL_OPERAND_VECTOR) {
        byte(code, 0xc0 | (reg & 7) << 3 | (place->vector & 7));
    } else if (place->kind == WL_OPERAND_MEMORY) {
        scaled_operand(code, reg, place->base, place->offset,
                       code->is_256 ? 1 : displacement_scale(encoding, place));
    } else {
        byte(code, (reg & 7) << 3 | 5);
        const uint32_t at = (uint32_t)code->bytes.count;
        word32(code, 0);
        WL_PUSH(&code->literals,
                ((struct wl_fixup){at, at + 4 + bytes_behind, (uint32_t)place->offset}));
    }
}

/* reg: of the field reg, source1: vvvv. */
static void evex(struct wl_assembly *code, struct wl_encoding encoding, unsigned reg,
                 unsigned source1, const struct wl_operand_place *place, unsigned mask, bool zeroes)
{
    unsigned low = 0, high = 0; /* bits 3 and 4 of what r/m names */
    if (place->kind == WL_OPERAND_VECTOR) {
        low = place->vector >> 3 & 1;
        high = place->vector >> 4 & 1;
    } else if (place->kind == WL_OPERAND_MEMORY) {
        low = place->base >> 3 & 1;
    }
    const bool rounds = place->kind == WL_OPERAND_VECTOR && place->rounds;
    const bool broadcasts = place->kind != WL_OPERAND_VECTOR && place->broadcasts;
    byte(code, 0x62);
    byte(code, (~reg >> 3 & 1) << 7 | (~high & 1) << 6 | (~low & 1) << 5 | (~reg >> 4 & 1) << 4 |
                   encoding.map);
    byte(code, encoding.wide << 7 | (~source1 & 15) << 3 | 1 << 2 | encoding.prefix);
    byte(code, (unsigned)zeroes << 7 | (rounds ? place->rounds : 2u) << 5 | /* length or rounding */
                   (unsigned)(broadcasts || rounds) << 4 | (~source1 >> 4 & 1) << 3 | mask);
    byte(code, encoding.opcode);
}

/* VEX, of two bytes if they do: map, W and prefix as in EVEX; reg and r/m bits 3. */
static void vex(struct wl_assembly *code, struct wl_encoding encoding, unsigned reg,
                unsigned source1, unsigned low, bool is_256)
{
    const unsigned last = (~source1 & 15) << 3 | (unsigned)is_256 << 2 | encoding.prefix;
    const unsigned above = (~reg >> 3 & 1) << 7;
    if (encoding.map == 1 && !encoding.wide && !low) {
        byte(code, 0xc5);
        byte(code, above | last);
    } else {
        byte(code, 0xc4);
        byte(code, above | 1 << 6 | (~low & 1) << 5 | encoding.map);
        byte(code, encoding.wide << 7 | last);
    }
    byte(code, encoding.opcode);
}

static void vector_prefix(struct wl_assembly *code, struct wl_encoding encoding, unsigned reg,
                          unsigned source1, const struct wl_operand_place *place, unsigned mask,
                          bool zeroes)
{
    const unsigned named = place->kind == WL_OPERAND_VECTOR   ? place->vector
                           : place->kind == WL_OPERAND_MEMORY ? place->base
                                                              : 0;
    if (code->is_256)
        vex(code, encoding, reg, source1, named >> 3 & 1, true);
    else
        evex(code, encoding, reg, source1, place, mask, zeroes);
}

void wl_assembly_vector(struct wl_assembly *code, struct wl_encoding encoding, uint8_t dst,
                        uint8_t source1, struct wl_operand_place source2, uint8_t mask, bool zeroes,
                        int immediate)
{
    vector_prefix(code, encoding, dst, source1, &source2, mask, zeroes);
    place_operand(code, encoding, dst, &source2, immediate >= 0);
    if (immediate >= 0)
        byte(code, (unsigned)immediate);
}

void wl_assembly_vector_store(struct wl_assembly *code, struct wl_encoding encoding,
                              struct wl_operand_place dst, uint8_t source, uint8_t mask,
                              int immediate)
{
    vector_prefix(code, encoding, source, 0, &dst, mask, false);
    place_operand(code, encoding, source, &dst, immediate >= 0);
    if (immediate >= 0)
        byte(code, (unsigned)immediate);
}

void wl_assembly_set(struct wl_assembly *code, enum wl_gpr dst, uint32_t value)
{
    byte(code, 0xb8 | dst); /* mov */
    word32(code, value);
}

void wl_assembly_mask_set(struct wl_assembly *code, uint8_t mask, uint16_t bits)
{
    wl_assembly_set(code, WL_RAX, bits);
    vex(code, (struct wl_encoding){0, 1, 0, 0x92}, mask, 0, 0, false); /* kmovw */
    byte(code, 0xc0 | (mask & 7u) << 3 | WL_RAX);
}

void wl_assembly_mask_load(struct wl_assembly *code, uint8_t mask, enum wl_gpr base, int32_t offset)
{
    vex(code, (struct wl_encoding){0, 1, 0, 0x90}, mask, 0, base >> 3 & 1, false); /* kmovw */
    memory_operand(code, mask, base, offset);
}

void wl_assembly_mask_move(struct wl_assembly *code, enum wl_gpr dst, uint8_t mask)
{
    vex(code, (struct wl_encoding){0, 1, 0, 0x93}, dst, 0, 0, false); /* kmovw */
    byte(code, 0xc0 | (dst & 7u) << 3 | mask);
}

void wl_assembly_mask_shift(struct wl_assembly *code, uint8_t dst, uint8_t mask, uint8_t count)
{
    vex(code, (struct wl_encoding){1, 3, 1, 0x30}, dst, 0, 0, false); /* kshiftrw */
    byte(code, 0xc0 | (dst & 7u) << 3 | mask);
    byte(code, count);
}

void wl_assembly_mask_of(struct wl_assembly *code, uint8_t mask, enum wl_gpr source)
{
    vex(code, (struct wl_encoding){0, 1, 0, 0x92}, mask, 0, source >> 3 & 1, false); /* kmovw */
    byte(code, 0xc0 | (mask & 7u) << 3 | (source & 7u));
}

void wl_assembly_mask_store(struct wl_assembly *code, uint8_t mask, enum wl_gpr base,
                            int32_t offset, uint32_t bytes)
{
    const bool is_word = bytes == 2; /* kmovw, kmovd */
    vex(code, (struct wl_encoding){!is_word, 1, !is_word, 0x91}, mask, 0, base >> 3 & 1, false);
    memory_operand(code, mask, base, offset);
}

void wl_assembly_mask_join(struct wl_assembly *code, uint8_t dst, uint8_t high, uint8_t low,
                           uint32_t bits)
{
    vex(code, (struct wl_encoding){bits == 8, 1, 0, 0x4b}, dst, high, 0, true); /* kunpck */
    byte(code, 0xc0 | (dst & 7u) << 3 | low);
}

void wl_assembly_mask_logic(struct wl_assembly *code, enum wl_mask_logic op, uint8_t dst, uint8_t a,
                            uint8_t b)
{
    vex(code, (struct wl_encoding){0, 1, 0, (uint8_t)op}, dst, a, 0, true);
    byte(code, 0xc0 | (dst & 7u) << 3 | b);
}

void wl_assembly_mask_not(struct wl_assembly *code, uint8_t dst, uint8_t mask)
{
    vex(code, (struct wl_encoding){0, 1, 0, 0x44}, dst, 0, 0, false); /* knotw */
    byte(code, 0xc0 | (dst & 7u) << 3 | mask);
}

void wl_assembly_mask_test(struct wl_assembly *code, uint8_t mask1, uint8_t mask2)
{
    vex(code, (struct wl_encoding){0, 1, 0, 0x98}, mask1, 0, 0, false); /* kortestw */
    byte(code, 0xc0 | (mask1 & 7u) << 3 | mask2);
}

static void rex(struct wl_assembly *code, bool wide, unsigned reg, unsigned low)
{
    const unsigned value = 0x40 | (unsigned)wide << 3 | (reg >> 3 & 1) << 2 | (low >> 3 & 1);
    if (value != 0x40)
        byte(code, value);
}

static void general_memory(struct wl_assembly *code, unsigned opcode, bool wide, unsigned reg,
                           enum wl_gpr base, int32_t offset)
{
    rex(code, wide, reg, base);
    byte(code, opcode);
    memory_operand(code, reg, base, offset);
}

void wl_assembly_prefetch(struct wl_assembly *code, bool writes, enum wl_gpr base, int32_t offset)
{
    enum { KIND = 1 }; /* prefetchw, or prefetcht0 */
    rex(code, false, KIND, base);
    byte(code, 0x0f);
    byte(code, writes ? 0x0d : 0x18);
    memory_operand(code, KIND, base, offset);
}

void wl_assembly_load(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr base, int32_t offset,
                      uint32_t bytes)
{
    if (bytes > 2) {
        general_memory(code, 0x8b, bytes == 8, dst, base, offset);
        return;
    }
    rex(code, false, dst, base);
    byte(code, 0x0f); /* movzx */
    byte(code, bytes == 2 ? 0xb7 : 0xb6);
    memory_operand(code, dst, base, offset);
}

void wl_assembly_store(struct wl_assembly *code, enum wl_gpr source, enum wl_gpr base,
                       int32_t offset, uint32_t bytes)
{
    if (bytes == 2)
        byte(code, 0x66);
    general_memory(code, bytes == 1 ? 0x88 : 0x89, bytes == 8, source, base, offset);
}

static void indexed(struct wl_assembly *code, unsigned opcode, unsigned reg,
                    struct wl_indexed_place place, uint32_t bytes)
{
    const unsigned value = 0x40 | (unsigned)(bytes == 8) << 3 | (reg >> 3 & 1) << 2 |
                           (unsigned)(place.index >> 3 & 1) << 1 | (place.base >> 3 & 1);
    if (value != 0x40)
        byte(code, value);
    byte(code, opcode);
    byte(code, 0x84 | (reg & 7) << 3);
    byte(code, (place.scale == 8 ? 3u : 2u) << 6 | (place.index & 7u) << 3 | (place.base & 7u));
    word32(code, (uint32_t)place.offset);
}

void wl_assembly_load_indexed(struct wl_assembly *code, enum wl_gpr dst,
                              struct wl_indexed_place place, uint32_t bytes)
{
    indexed(code, 0x8b, dst, place, bytes);
}

void wl_assembly_store_indexed(struct wl_assembly *code, enum wl_gpr source,
                               struct wl_indexed_place place, uint32_t bytes)
{
    indexed(code, 0x89, source, place, bytes);
}

void wl_assembly_load_extended(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr base,
                               int32_t offset, uint32_t bytes, enum wl_extension extension)
{
    const bool is_wide = extension == WL_EXTEND_SIGN_64;
    if (extension == WL_EXTEND_ZEROS || bytes == 8 || (bytes == 4 && !is_wide)) {
        wl_assembly_load(code, dst, base, offset, bytes);
    } else if (bytes == 4) {
        general_memory(code, 0x63, true, dst, base, offset); /* movsxd */
    } else {
        rex(code, is_wide, dst, base);
        byte(code, 0x0f); /* movsx */
        byte(code, bytes == 2 ? 0xbf : 0xbe);
        memory_operand(code, dst, base, offset);
    }
}

void wl_assembly_extend_16(struct wl_assembly *code, enum wl_gpr dst)
{
    rex(code, false, dst, dst);
    byte(code, 0x0f); /* movzx */
    byte(code, 0xb7);
    byte(code, 0xc0 | (dst & 7u) << 3 | (dst & 7u));
}

void wl_assembly_add_to(struct wl_assembly *code, enum wl_gpr dst, uint32_t value)
{
    rex(code, false, 0, dst);
    byte(code, 0x81);
    byte(code, 0xc0 | (dst & 7u));
    word32(code, value);
}

void wl_assembly_lowest_bit(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr source)
{
    byte(code, 0xf3); /* tzcnt; where there is none, bsf */
    rex(code, false, dst, source);
    byte(code, 0x0f);
    byte(code, 0xbc);
    byte(code, 0xc0 | (dst & 7u) << 3 | (source & 7u));
}

void wl_assembly_lea(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr base, int32_t offset)
{
    general_memory(code, 0x8d, true, dst, base, offset);
}

void wl_assembly_arithmetic(struct wl_assembly *code, enum wl_arithmetic op, enum wl_gpr dst,
                            enum wl_gpr source, bool wide)
{
    rex(code, wide, dst, source);
    byte(code, op);
    byte(code, 0xc0 | (dst & 7u) << 3 | (source & 7u));
}

void wl_assembly_arithmetic_memory(struct wl_assembly *code, enum wl_arithmetic op, enum wl_gpr dst,
                                   enum wl_gpr base, int32_t offset, bool wide)
{
    general_memory(code, op, wide, dst, base, offset);
}

void wl_assembly_test_memory(struct wl_assembly *code, enum wl_gpr source, enum wl_gpr base,
                             int32_t offset)
{
    general_memory(code, 0x85, false, source, base, offset);
}

void wl_assembly_compare_zero(struct wl_assembly *code, enum wl_gpr base, int32_t offset)
{
    general_memory(code, 0x83, true, 7, base, offset);
    byte(code, 0);
}

void wl_assembly_not(struct wl_assembly *code, enum wl_gpr dst)
{
    rex(code, false, 0, dst);
    byte(code, 0xf7);
    byte(code, 0xd0 | (dst & 7u));
}

void wl_assembly_set_address(struct wl_assembly *code, enum wl_gpr dst, const void *address)
{
    rex(code, true, 0, dst);
    byte(code, 0xb8 | (dst & 7u));
    word64(code, (uint64_t)(uintptr_t)address);
}

void wl_assembly_shift_left(struct wl_assembly *code, enum wl_gpr dst, uint8_t count)
{
    rex(code, false, 0, dst);
    byte(code, 0xc1);
    byte(code, 0xe0 | (dst & 7u));
    byte(code, count);
}

void wl_assembly_multiply(struct wl_assembly *code, enum wl_gpr dst, int32_t factor)
{
    rex(code, true, dst, dst);
    byte(code, 0x69);
    byte(code, 0xc0 | (dst & 7u) << 3 | (dst & 7u));
    word32(code, (uint32_t)factor);
}

void wl_assembly_increment(struct wl_assembly *code, enum wl_gpr base, int32_t offset)
{
    general_memory(code, 0xff, true, 0, base, offset);
}

void wl_assembly_add_immediate(struct wl_assembly *code, enum wl_gpr base, int32_t offset,
                               uint32_t value)
{
    general_memory(code, 0x81, false, 0, base, offset);
    word32(code, value);
}

void wl_assembly_test_small(struct wl_assembly *code, enum wl_gpr base, int32_t offset,
                            uint32_t bytes)
{
    if (bytes == 2)
        byte(code, 0x66);
    general_memory(code, bytes == 2 ? 0x83 : 0x80, false, 7, base, offset);
    byte(code, 0);
}

/* vzeroupper: what runs next may use the legacy encodings. */
static void zero_upper(struct wl_assembly *code)
{
    byte(code, 0xc5);
    byte(code, 0xf8);
    byte(code, 0x77);
}

void wl_assembly_call(struct wl_assembly *code, const void *argument, uintptr_t address)
{
    zero_upper(code);
    byte(code, 0x48); /* mov rsi, imm64 */
    byte(code, 0xbe);
    word64(code, (uint64_t)(uintptr_t)argument);
    byte(code, 0x48); /* mov rax, imm64 */
    byte(code, 0xb8);
    word64(code, address);
    byte(code, 0xff); /* call rax */
    byte(code, 0xd0);
}

void wl_assembly_push(struct wl_assembly *code, enum wl_gpr source)
{
    rex(code, false, 0, source);
    byte(code, 0x50 | (source & 7u));
}

void wl_assembly_pop(struct wl_assembly *code, enum wl_gpr dst)
{
    rex(code, false, 0, dst);
    byte(code, 0x58 | (dst & 7u));
}

void wl_assembly_return(struct wl_assembly *code)
{
    zero_upper(code);
    byte(code, 0xc3);
}

void wl_assembly_jump_if(struct wl_assembly *code, enum wl_condition condition, uint32_t label)
{
    byte(code, 0x0f);
    byte(code, condition);
    const uint32_t at = (uint32_t)code->bytes.count;
    word32(code, 0);
    WL_PUSH(&code->jumps, ((struct wl_fixup){at, at + 4, label}));
}

uint32_t wl_assembly_new_label(struct wl_assembly *code)
{
    WL_PUSH(&code->labels, 0);
    return (uint32_t)code->labels.count - 1;
}

void wl_assembly_label(struct wl_assembly *code, uint32_t label)
{
    code->labels.items[label] = (uint32_t)code->bytes.count;
}

void wl_assembly_leave(struct wl_assembly *code, const void *argument, uintptr_t address)
{
    byte(code, 0x48); /* mov rdx, imm64 */
    byte(code, 0xba);
    word64(code, (uint64_t)(uintptr_t)argument);
    byte(code, 0x48); /* mov rax, imm64 */
    byte(code, 0xb8);
    word64(code, address);
    byte(code, 0xff); /* jmp rax */
    byte(code, 0xe0);
}

void wl_assembly_jump_indexed(struct wl_assembly *code, struct wl_indexed_place place)
{
    zero_upper(code);
    indexed(code, 0xff, 4, place, 4);
}
