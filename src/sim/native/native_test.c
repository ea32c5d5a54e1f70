/* Compiled segments beside the executor's functions: generated kernels of random operations on odd
 * values, and loops over shared memory in many patterns, give the same bits and the same counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "ptx/lower/lower.h"
#include "sim/native/native.h"
#include "sim/place.h"
#include "sim/sim.h"

#define KERNELS 300
#define OPERATIONS 60
#define THREADS 128
#define THREAD_BYTES 128 /* in and out: eight registers of 32 bits, from 64 on four of 64 */
#define DOUBLE_AT 96     /* and from here on four of double precision */

enum { BUFFER_BYTES = THREADS * THREAD_BYTES, BLOCKS = 2 };

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

/* Of 32 bits: numbers of all kinds that are special to somebody. */
static uint32_t odd_word(void)
{
    static const uint32_t odd[] = {0,          1,          31,         32,         33,
                                   0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000,
                                   0x7fc00000, 0xffc00001, 0x7f800001, 0x00000001, 0x807fffff,
                                   0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff, 63};
    const uint32_t random = draw(1u << 16) << 16 | draw(1u << 16);
    return draw(3) ? odd[draw(sizeof odd / sizeof *odd)] : random;
}

static const char *const templates[] = {
#include "sim/native/native_templates.def"
};

/* Operands: where they are few, all values of two pieces have vectors at once. */
static const uint32_t many[] = {['r'] = 8, ['d'] = 4, ['e'] = 4, ['p'] = 4, ['h'] = 4},
                      few[] = {['r'] = 3, ['d'] = 1, ['e'] = 1, ['p'] = 4, ['h'] = 1};

static void add_operation(struct wl_text *text, const uint32_t *counts)
{
    const char *c = templates[draw(sizeof templates / sizeof *templates)];
    bool is_operand = false; /* behind the operation's name */
    for (; *c; c++) {
        is_operand |= *c == ' ';
        const bool is_name = is_operand && strchr(" ,{|!", c[-1]) && strchr(",;}|", c[1]);
        if (is_name && strchr("rdeph", *c))
            wl_text_addf(text, "%%%c%u", *c, draw(counts[(unsigned char)*c]));
        else if (is_name && *c == 'i')
            wl_text_addf(text, "%u", odd_word());
        else if (is_name && *c == 'l')
            wl_text_addf(text, "%u", draw(3) ? 1u << draw(5) : draw(32));
        else if (is_name && *c == 'f')
            wl_text_addf(text, "0f%08x", odd_word());
        else
            wl_text_add_char(text, *c);
    }
    wl_text_add(text, "\n");
}

#define HEAD                                                                          \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                 \
    ".visible .entry k(.param .u64 from, .param .u64 to, .param .u32 n)\n{\n"         \
    ".reg .b32 %r<16>; .reg .b64 %d<16>, %e<4>; .reg .pred %p<6>; .reg .b16 %h<4>;\n" \
    ".shared .align 16 .b8 s[4096]; .reg .b32 %l<2>;\n"                               \
    "mov.b32 %l0, 8; mov.b32 %l1, 0x101f;\n"                                          \
    "ld.param.u64 %d8, [from]; ld.param.u64 %d9, [to];\n"                             \
    "mov.u32 %r8, %tid.x; mov.u32 %r9, %ctaid.x; mov.u32 %r10, %ntid.x;\n"            \
    "mad.lo.s32 %r8, %r9, %r10, %r8; mul.wide.u32 %d10, %r8, 128;\n"                  \
    "add.s64 %d8, %d8, %d10; add.s64 %d9, %d9, %d10;\n"

static void add_loads(struct wl_text *text)
{
    for (int i = 0; i < 8; i++)
        wl_text_addf(text, "ld.global.b32 %%r%d, [%%d8+%d]; ld.global.b64 %%%c%d, [%%d8+%d];\n", i,
                     4 * i, i < 4 ? 'd' : 'e', i % 4, DOUBLE_AT - 32 + 8 * i);
    for (int i = 0; i < 4; i++)
        wl_text_addf(text, "setp.lt.s32 %%p%d, %%r%d, %%r%d; cvt.u16.u32 %%h%d, %%r%d;\n", i, i,
                     i + 4, i, i);
}

static void add_stores(struct wl_text *text)
{
    for (int i = 0; i < 8; i++)
        wl_text_addf(text, "st.global.b32 [%%d9+%d], %%r%d; st.global.b64 [%%d9+%d], %%%c%d;\n",
                     4 * i, i, DOUBLE_AT - 32 + 8 * i, i < 4 ? 'd' : 'e', i % 4);
    wl_text_add(text, "ret;\n}\n");
}

static const char *generate_of(struct wl_text *text, const uint32_t *counts)
{
    wl_text_add(text, HEAD);
    add_loads(text);
    for (int i = 0; i < OPERATIONS; i++) {
        add_operation(text, counts);
        if (draw(20) == 0)
            wl_text_addf(text, "bra L%d;\nL%d:\n", i, i);
    }
    for (int i = 0; i < 4 && counts == few; i++)
        wl_text_addf(text, "selp.b32 %%r%d, %%r%d, 7, %%p%d;\n", i + 4, i % 3, i);
    add_stores(text);
    return text->data;
}

static const char *generate(struct wl_text *text)
{
    return generate_of(text, many);
}

static const char *generate_few(struct wl_text *text)
{
    generate_of(text, few);
    return text->data;
}

/* Operations that only some lanes do, and what all have then. */
static const char *generate_apart(struct wl_text *text)
{
    wl_text_add(text, HEAD);
    add_loads(text);
    for (int part = 0; part < 4; part++) {
        wl_text_addf(text, "@%sp%u bra L%d;\n", draw(2) ? "!%" : "%", draw(4), part);
        for (int i = 0; i < OPERATIONS / 4; i++)
            add_operation(text, many);
        wl_text_addf(text, "L%d:\n", part);
    }
    add_stores(text);
    return text->data;
}

/* A loop that sums loads of shared memory: each lane from address lane * stride % modulus. */
static const char *generate_loop(struct wl_text *text)
{
    const uint32_t strides[] = {0, 4, 8, 16, 32, 64, 128}, width = 1u << draw(3);
    const bool is_wide = draw(3) == 0; /* offsets in registers of 64 bits, whose low half counts */
    const char name = is_wide ? 'd' : 'r';
    const uint32_t bits = is_wide ? 64 : 32;
    wl_text_add(text, HEAD);
    add_loads(text);
    wl_text_add(text, "mov.u32 %r11, %tid.x; shl.b32 %r12, %r11, 5; mov.u32 %r13, s;\n"
                      "add.s32 %r12, %r12, %r13; st.shared.b32 [%r12], %r0;\n"
                      "st.shared.b32 [%r12+4], %r1; st.shared.b32 [%r12+8], %r2;\n"
                      "st.shared.b32 [%r12+12], %r3; st.shared.b32 [%r12+16], %r4; bar.sync 0;\n");
    for (uint32_t slot = 0; slot < 2; slot++)
        wl_text_addf(text,
                     "and.b32 %%r%u, %%r11, %u; mul.lo.u32 %%r%u, %%r%u, %u; add.s32 %%r%u, %%r%u, "
                     "%%r13;\n",
                     14 + slot, (2u << draw(5)) - 1, 14 + slot, 14 + slot,
                     strides[draw(7)] * (width > 1 ? 4 : 1), 14 + slot, 14 + slot);
    if (is_wide)
        wl_text_add(text, "mov.b64 %d14, {%r14,%r0}; mov.b64 %d15, {%r15,%r13};\n");
    wl_text_add(text, "mov.u32 %r12, 0;\nLOOP:\n");
    for (int i = 0; i < 6; i++) {
        const uint32_t slot = 14 + draw(2), offset = 4 * width * draw(8);
        if (width == 4)
            wl_text_addf(text, "ld.shared.v4.f32 {%%r4,%%r5,%%r6,%%r7}, [%%%c%u+%u];\n", name, slot,
                         offset);
        else if (width == 2)
            wl_text_addf(text, "ld.shared.v2.f32 {%%r4,%%r5}, [%%%c%u+%u];\n", name, slot, offset);
        else
            wl_text_addf(text, "ld.shared.f32 %%r%u, [%%%c%u+%u];\n", 4 + draw(4), name, slot,
                         offset);
        wl_text_addf(text, "fma.rn.f32 %%r%u, %%r%u, %%r%u, %%r%u;\n", draw(4), 4 + draw(4),
                     4 + draw(4), draw(4));
    }
    /* the place moves on: other phases, and in the end beyond what was learnt */
    wl_text_addf(text,
                 "add.s%u %%%c14, %%%c14, %u; add.s%u %%%c15, %%%c15, %u;\n"
                 "add.s32 %%r12, %%r12, 1; setp.lt.u32 %%p4, %%r12, 24; @%%p4 bra LOOP;\n",
                 bits, name, name, 4 * width * draw(2), bits, name, name, 4 * width * draw(3));
    add_stores(text);
    return text->data;
}

/* A loop of loads from addresses that it computes: lanes lie to each other as in most rounds
 * before, but where an offset comes round; a register holds one address after the other. */
static const char *generate_computed(struct wl_text *text)
{
    static const char *const strides[] = {"0", "1", "1", "1", "2", "33"};
    wl_text_add(text, HEAD);
    add_loads(text);
    wl_text_addf(
        text,
        "ld.param.u64 %%d11, [from]; mov.u32 %%r11, %%tid.x; mov.u32 %%r13, s;\n"
        "shl.b32 %%r12, %%r11, 3; add.s32 %%r12, %%r12, %%r13; st.shared.b64 [%%r12], %%d1;\n"
        "bar.sync 0; mov.u32 %%r12, 0; mov.u64 %%d12, %u;\nLOOP:\n",
        32 * draw(9));
    for (int i = 0; i < 4; i++) {
        const bool is_wide = draw(3) == 0;
        wl_text_addf(text, "mul.lo.u32 %%r14, %%r11, %s; mad.lo.u32 %%r14, %%r12, %u, %%r14;\n",
                     strides[draw(6)], draw(3) * 24);
        wl_text_addf(text, "and.b32 %%r15, %%r14, %u; mul.wide.u32 %%d13, %%r15, 4;\n",
                     draw(2) ? 255 : 2047);
        wl_text_addf(text, "add.s64 %%d13, %%d13, %%d11; ld.global.f32 %%r%u, [%%d13+%u];\n",
                     4 + draw(4), 4 * draw(9));
        wl_text_addf(text, "add.s64 %%d13, %%d13, %%d12; ld.global.f32 %%r%u, [%%d13];\n",
                     4 + draw(4));
        if (draw(2))
            wl_text_addf(text,
                         "and.b32 %%r15, %%r14, 127; shl.b32 %%r15, %%r15, 2;\n"
                         "add.s32 %%r15, %%r15, %%r13; %sld.shared.f32 %%r%u, [%%%s15+%u];\n",
                         is_wide ? "cvt.u64.u32 %d15, %r15; add.s64 %d15, %d15, 0x700000000; " : "",
                         4 + draw(4), is_wide ? "d" : "r", 4 * draw(9));
        for (int k = 0; k < 3; k++)
            wl_text_addf(text, "fma.rn.f32 %%r%u, %%r%u, %%r%u, %%r%u;\n", draw(4), 4 + draw(4),
                         4 + draw(4), draw(4));
    }
    /* some go on to where no memory is, or where words do not begin */
    wl_text_addf(text,
                 "add.s64 %%d12, %%d12, %u;\n"
                 "add.s32 %%r12, %%r12, 1; setp.lt.u32 %%p4, %%r12, 48; @%%p4 bra LOOP;\n",
                 (const uint32_t[]){0, 0, 0, 0, 4096, 32}[draw(6)]);
    if (draw(8) == 0)
        wl_text_add(text, "add.s64 %d12, %d12, 2; bra LOOP;\n");
    add_stores(text);
    return text->data;
}

/* A loop of loads of two or four elements, lanes one behind the other, at one place, or apart. */
static const char *generate_vectors(struct wl_text *text)
{
    static const uint32_t strides[] = {0, 1, 1, 1, 2};
    wl_text_add(text, HEAD);
    add_loads(text);
    wl_text_add(text, "ld.param.u64 %d11, [from]; mov.u32 %r11, %tid.x; mov.u32 %r12, 0;\nLOOP:\n");
    for (int i = 0; i < 4; i++) {
        const uint32_t bytes = 8 << draw(2);
        wl_text_addf(text,
                     "mul.lo.u32 %%r14, %%r11, %u; mad.lo.u32 %%r14, %%r12, %u, %%r14;\n"
                     "and.b32 %%r15, %%r14, 4080; cvt.u64.u32 %%d13, %%r15;\n"
                     "add.s64 %%d13, %%d13, %%d11;\n",
                     bytes * strides[draw(5)], 16 * draw(3));
        if (bytes == 8)
            wl_text_addf(text, "ld.global.v2.f32 {%%r%u,%%r%u}, [%%d13+%u];\n", 4 + draw(2),
                         6 + draw(2), 8 * draw(9));
        else
            wl_text_addf(text, "ld.global.v4.f32 {%%r%u,%%r4,%%r7,%%r6}, [%%d13+%u];\n",
                         draw(2) ? 5 : 13, 16 * draw(9));
        for (int k = 0; k < 3; k++)
            wl_text_addf(text, "fma.rn.f32 %%r%u, %%r%u, %%r%u, %%r%u;\n", draw(4), 4 + draw(4),
                         4 + draw(4), draw(4));
    }
    /* some go on to where elements do not begin */
    wl_text_addf(text,
                 "add.s64 %%d11, %%d11, %u;\n"
                 "add.s32 %%r12, %%r12, 1; setp.lt.u32 %%p4, %%r12, 48; @%%p4 bra LOOP;\n",
                 (const uint32_t[]){0, 0, 16, 4}[draw(4)]);
    add_stores(text);
    return text->data;
}

#define VECTOR_STORE(bytes) \
    "mul.wide.u32 %%d13, %%r11, " #bytes "; add.s64 %%d13, %%d13, %%d11; st.global."

/* A loop that changes memory in place, where lanes store what others load before and behind: in
 * both memories, in registers that are written again, at places that come round. */
static const char *generate_in_place(struct wl_text *text)
{
    wl_text_add(text, HEAD);
    add_loads(text);
    wl_text_addf(
        text,
        "ld.param.u64 %%d11, [to]; mov.u32 %%r11, %%tid.x; mov.u32 %%r13, s;\n"
        "mul.wide.u32 %%d12, %%r9, %u; add.s64 %%d11, %%d11, %%d12;\n"
        "shl.b32 %%r12, %%r11, 3; add.s32 %%r12, %%r12, %%r13; st.shared.b64 [%%r12], %%d1;\n"
        "bar.sync 0; mov.u32 %%r12, 0;\nLOOP:\n",
        BUFFER_BYTES);
    for (int i = 0; i < 4; i++) {
        const uint32_t at = 8 * draw(3), wide = 4 + 4 * draw(2);
        wl_text_addf(text,
                     "mad.lo.u32 %%r14, %%r12, %u, %%r11; and.b32 %%r14, %%r14, 511;\n"
                     "mul.wide.u32 %%d13, %%r14, %u; add.s64 %%d13, %%d13, %%d11;\n"
                     "shl.b32 %%r15, %%r11, 2; add.s32 %%r15, %%r15, %%r13;\n"
                     "mov.b64 %%d15, {%%r15,%%r0};\n",
                     draw(3) * 8, wide);
        if (draw(2))
            wl_text_addf(text, "ld.global.f32 %%r%u, [%%d13+%u];\n", 4 + draw(4), 4 * draw(9));
        if (draw(2))
            wl_text_addf(text, "ld.shared.f32 %%r%u, [%%r15+%u];\n", 4 + draw(4), 4 * draw(9));
        for (int k = 0; k < 3; k++) {
            const uint32_t stored = draw(4);
            wl_text_addf(text, "fma.rn.f32 %%r%u, %%r%u, %%r%u, %%r%u;\n", stored, 4 + draw(4),
                         4 + draw(4), draw(4));
            if (draw(2))
                wl_text_addf(text, "st.shared.f32 [%%%s15+%u], %%r%u;\n", draw(3) ? "r" : "d",
                             4 * draw(9), stored);
            else if (wide == 4)
                wl_text_addf(text, "st.global.f32 [%%d13+%u], %%r%u;\n", 4 * draw(9), stored);
            else
                wl_text_addf(text, "st.global.b64 [%%d13+%u], %%d%u;\n", at, draw(4));
        }
        if (draw(2))
            wl_text_addf(text, "ld.shared.f32 %%r%u, [%%r15+%u];\n", 4 + draw(4), 4 * draw(9));
        if (draw(2))
            wl_text_addf(text, draw(2) ? VECTOR_STORE(16) "v4.f32 [%%d13], {%%r0,%%r2,%%r5,%%r3};\n"
                                       : VECTOR_STORE(8) "v2.f32 [%%d13], {%%r1,%%r3};\n");
    }
    wl_text_add(text, "add.s32 %r12, %r12, 1; setp.lt.u32 %p4, %r12, 48; @%p4 bra LOOP;\n");
    add_stores(text);
    return text->data;
}

/* A loop of loads from anywhere in the input, of all sizes, which in the end of some kernels leave
 * memory or come to where their elements do not begin. */
static const char *generate_scattered(struct wl_text *text)
{
    static const char *const forms[] = {
        "ld.global.u8 %r4",  "ld.global.s8 %r4",           "ld.global.s16 %r4",
        "ld.global.u32 %r4", "ld.global.v2.u32 {%r4,%r5}", "ld.global.v4.u32 {%r4,%r5,%r6,%r7}",
        "ld.global.u64 %d2", "ld.global.s32 %d2",          "ld.global.v2.u64 {%d2,%d3}"};
    wl_text_add(text, HEAD);
    add_loads(text);
    wl_text_add(text, "ld.param.u64 %d11, [from]; mov.u32 %r12, 0; mov.u64 %d12, 0;\nLOOP:\n");
    for (int i = 0; i < 4; i++)
        wl_text_addf(text,
                     "mad.lo.u32 %%r14, %%r14, 1664525, %%r8; shr.u32 %%r15, %%r14, 8;\n"
                     "and.b32 %%r15, %%r15, 16368; cvt.u64.u32 %%d13, %%r15;\n"
                     "add.s64 %%d13, %%d13, %%d11; add.s64 %%d13, %%d13, %%d12;\n"
                     "%s, [%%d13+%u]; xor.b32 %%r0, %%r0, %%r4; add.s32 %%r1, %%r1, %%r5;\n"
                     "xor.b32 %%r2, %%r2, %%r6; add.s32 %%r3, %%r3, %%r7;\n"
                     "add.s64 %%d0, %%d0, %%d2; xor.b64 %%d1, %%d1, %%d3;\n",
                     forms[draw(9)], 16 * draw(3));
    wl_text_addf(text,
                 "setp.eq.u32 %%p4, %%r12, 90; selp.b64 %%d12, %u, %%d12, %%p4;\n"
                 "add.s32 %%r12, %%r12, 1; setp.lt.u32 %%p4, %%r12, 96; @%%p4 bra LOOP;\n",
                 (const uint32_t[]){0, 0, 1 << 20, 2}[draw(4)]);
    add_stores(text);
    return text->data;
}

/* An access by lanes that lie anywhere in shared memory, the input, or what has been stored. */
static void add_free_access(struct wl_text *text)
{
    static const char *const loads[] = {
        "ld.@.u8 %r4",          "ld.@.s8 %r5",  "ld.@.s16 %r6", "ld.@.u16 %r7",
        "ld.@.u32 %r4",         "ld.@.u64 %d2", "ld.@.s32 %d3", "ld.@.s8 %d2",
        "ld.@.b16 %h0",         "ld.@.s8 %h0",  "ld.@.f32 %r5", "ld.@.v2.u32 {%r4,%r6}",
        "ld.@.v2.u64 {%d2,%d3}"};
    static const char *const stores[] = {
        "st.@.u8 [],%r4", "st.@.u16 [],%r5", "st.@.u32 [],%r6",         "st.@.u64 [],%d2",
        "st.@.u8 [],%d3", "st.@.u16 [],%h0", "st.@.v2.u32 [],{%r7,%r4}"};
    const bool is_store = draw(3) == 0, is_shared = draw(2), is_stored = is_store || draw(2);
    const char *form = is_store ? stores[draw(WL_COUNT(stores))] : loads[draw(WL_COUNT(loads))];
    const char *address = is_shared ? draw(2) ? "%r13" : "%d13" : "%d15";
    wl_text_addf(text, "mad.lo.u32 %%r14, %%r14, 1664525, %%r8; shr.u32 %%r15, %%r14, 8;\n");
    if (draw(3) == 0)
        wl_text_addf(text, "shl.b32 %%r15, %%r11, %u;\n", 3 + draw(2));
    /* what is stored has numbers in double precision in its upper parts, whose NaNs differ */
    wl_text_addf(text, "and.b32 %%r15, %%r15, %u;\n",
                 is_shared                ? 2032
                 : is_stored && !is_store ? 16368 & ~(THREAD_BYTES - 32)
                                          : 16368);
    if (is_shared)
        wl_text_add(text, "mov.u32 %r13, s; add.s32 %r13, %r13, %r15; cvt.u64.u32 %d13, %r13;\n"
                          "add.s64 %d13, %d13, %d12; cvt.u32.u64 %r13, %d13;\n");
    else
        wl_text_addf(text,
                     "cvt.u64.u32 %%d15, %%r15; add.s64 %%d15, %%d15, %%d%u;\n"
                     "add.s64 %%d15, %%d15, %%d12;\n",
                     is_stored ? 14 : 11);
    for (const char *c = form; *c; c++)
        if (*c == '@')
            wl_text_add(text, is_shared ? "shared" : "global");
        else if (*c == '[')
            wl_text_addf(text, "[%s+%u", address, 16 * draw(3));
        else
            wl_text_add_char(text, *c);
    if (!is_store)
        wl_text_addf(text, ",[%s+%u]", address, 16 * draw(3));
    wl_text_add(text, ";\nxor.b32 %r0, %r0, %r4; add.s32 %r1, %r1, %r5; xor.b32 %r2, %r2, %r6;\n"
                      "add.s32 %r3, %r3, %r7; add.s64 %d0, %d0, %d2; xor.b64 %d1, %d1, %d3;\n"
                      "mov.b32 %r12, {%h0,%h0}; add.s32 %r3, %r3, %r12;\n");
}

/* A loop of such accesses by some lanes; in the end of some kernels they leave memory or come to
 * where their elements do not begin. */
static const char *generate_free(struct wl_text *text)
{
    wl_text_add(text, HEAD);
    add_loads(text);
    wl_text_add(text, "mov.u32 %r11, %tid.x; mov.u32 %r10, 0;\n"
                      "ld.param.u64 %d11, [from]; ld.param.u64 %d14, [to]; mov.u64 %d12, 0;\n"
                      "LOOP:\n");
    for (int part = 0; part < 3; part++) {
        wl_text_addf(text,
                     "shr.u32 %%r15, %%r14, 13; and.b32 %%r15, %%r15, %u;\n"
                     "setp.eq.u32 %%p4, %%r15, 0; @%sp4 bra L%d;\n",
                     (2u << draw(4)) - 1, draw(2) ? "!%" : "%", part);
        for (int i = 0; i < 4; i++) {
            add_free_access(text);
            add_operation(text, many);
        }
        wl_text_addf(text, "L%d:\n", part);
    }
    wl_text_addf(text,
                 "setp.eq.u32 %%p4, %%r10, 40; selp.b64 %%d12, %u, %%d12, %%p4;\n"
                 "add.s32 %%r10, %%r10, 1; setp.lt.u32 %%p4, %%r10, 44; @%%p4 bra LOOP;\n",
                 (const uint32_t[]){0, 0, 0, 0, 1 << 20, 2}[draw(6)]);
    add_stores(text);
    return text->data;
}

/* A loop of accesses to lanes one behind the other, or all at one place, that all lanes do at first
 * and then some: at addresses that the loop's body computes, or finds. */
static const char *generate_partly(struct wl_text *text)
{
    static const char *const loads[] = {
        "ld.global.u32 %r4,[%d11+4];",   "ld.global.u32 %r5,[%d11];",
        "ld.global.u64 %d2,[%d12+8];",   "ld.global.u32 %r6,[%d13+12];",
        "ld.shared.u32 %r7,[%r13+4];",   "ld.shared.u32 %r4,[s+8];",
        "add.s64 %d11,%d11,4;",          "sub.s64 %d12,%d12,%d15;",
        "add.s64 %d15,%d15,8;",          "add.s64 %d13,%d13,%d15;",
        "st.global.u32 [%d14+256],%r4;", "st.global.u64 [%d7],%d2;",
        "st.shared.u32 [%r13],%r5;",     "mov.u64 %d11,%d12;"};
    wl_text_add(text, HEAD);
    add_loads(text);
    wl_text_add(text,
                "mov.u32 %r11, %tid.x; mov.u32 %r10, 0; mov.u32 %r13, s;\n"
                "shl.b32 %r12, %r11, 2; add.s32 %r13, %r13, %r12;\n"
                "st.shared.u32 [%r13], %r0; bar.sync 0; mov.u64 %d15, 8;\n"
                "ld.param.u64 %d13, [from]; ld.param.u64 %d14, [to];\n"
                "mul.wide.u32 %d10, %r8, 4; add.s64 %d11, %d13, %d10;\n"
                "add.s64 %d12, %d11, %d10; add.s64 %d7, %d14, %d10; add.s64 %d7, %d7, %d10;\n"
                "add.s64 %d14, %d14, %d10; add.s64 %d12, %d12, 1024; add.s64 %d13, %d13, 64;\n"
                "and.b32 %r15, %r11, 31; mov.u64 %d5, %d11; mov.u64 %d6, %d12;\nLOOP:\n"
                "mad.lo.u32 %r14, %r10, 1664525, 1013904223; shr.u32 %r12, %r14, 9;\n"
                "xor.b32 %r14, %r14, %r12; setp.lt.u32 %p5, %r10, 24;\n"
                "selp.b32 %r14, -1, %r14, %p5; shr.u32 %r14, %r14, %r15;\n"
                "and.b32 %r14, %r14, 1; setp.eq.u32 %p4, %r14, 0; @%p4 bra NEXT;\n");
    if (draw(2)) /* the loop's own addresses */
        wl_text_add(text, "mov.u64 %d11, %d5; mov.u64 %d12, %d6; mov.u64 %d15, 16;\n");
    for (uint32_t i = 4 + draw(8); i > 0; i--)
        wl_text_addf(text, "%s\n", loads[draw(WL_COUNT(loads))]);
    wl_text_add(text, "xor.b32 %r0, %r0, %r4; add.s32 %r1, %r1, %r5; xor.b32 %r2, %r2, %r6;\n"
                      "add.s32 %r3, %r3, %r7; add.s64 %d0, %d0, %d2;\nNEXT:\n"
                      "ld.param.u64 %d13, [from]; add.s64 %d13, %d13, 64; mov.u64 %d15, 8;\n"
                      "add.s32 %r10, %r10, 1; setp.lt.u32 %p4, %r10, 80; @%p4 bra LOOP;\n");
    add_stores(text);
    return text->data;
}

struct memory {
    uint8_t *bytes, *in, *out;
};
/* Executions of segments that compute addresses, of those that store, and of those that load or
 * store several elements. */
static uint64_t computed_hits, storing_hits, vector_hits, stored_vector_hits;
/* And of those with offsets in shared memory in registers of 64 bits: that begin with them, that
 * compute them. */
static uint64_t wide_hits, wide_computed_hits;
static uint32_t free_compiled, partly_hits;
static bool counts_all = true; /* of the engine that is compared */

static bool has_vectors(const struct wl_program *program, const struct wl_native_segment *segment,
                        enum wl_opcode code)
{
    bool any = false;
    for (uint32_t i = segment->first; i < segment->first + segment->count; i++)
        any |= program->ops[i].code == code && program->ops[i].count > 1;
    return any;
}

static void count_wide(const struct wl_native_segment *segment)
{
    for (uint32_t i = 0; i < segment->slot_count; i++)
        if (segment->slots[i].is_wide && !segment->slots[i].is_global)
            *(segment->slots[i].written_at == WL_NATIVE_UNWRITTEN ? &wide_hits
                                                                  : &wide_computed_hits) +=
                segment->hits;
}

/* threads: of a block; where they fill no warp, lanes of the last one are off. */
static enum wl_code run(const char *text, uint32_t threads, const struct memory *memory,
                        enum wl_sim_engine engine, struct wl_sim_counts *counts, uint32_t *compiled)
{
    struct wl_error error = {0};
    struct wl_ptx_module *module;
    struct wl_program *program;
    if (wl_ptx_module_parse(text, strlen(text), "generated", &module, &error))
        fail_msg("%s\n%s", error.message, text);
    struct wl_ptx_lower_input input = {.module = module, .capability = 90};
    input.function = wl_ptx_module_find_function(module, "k");
    if (wl_ptx_lower(&input, &program, &error))
        fail_msg("%s\n%s", error.message, text);
    struct wl_gpu gpu;
    struct wl_sim *sim;
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, &error), WL_OK);
    assert_int_equal(wl_sim_create(&gpu, &sim, &error), WL_OK);
    const uint64_t start = (uint64_t)(uintptr_t)memory->bytes;
    const struct wl_sim_range range = {start, start + 2 * BLOCKS * BUFFER_BYTES};
    uint8_t parameters[24] = {0};
    memcpy(parameters, &memory->in, 8);
    memcpy(parameters + 8, &memory->out, 8);
    parameters[16] = 77;
    struct wl_sim_launch launch = {.program = program,
                                   .grid = {BLOCKS, 1, 1},
                                   .block = {threads, 1, 1},
                                   .parameters = parameters,
                                   .ranges = &range,
                                   .range_count = 1,
                                   .carveout_pct = -1,
                                   .registers_per_thread = program->register_estimate};
    struct wl_sim_options options = {.count = counts_all || engine == WL_ENGINE_INTERPRET,
                                     .threads = 1,
                                     .l1_global_loads = true,
                                     .engine = engine};
    memset(memory->out, 0, BLOCKS * BUFFER_BYTES);
    enum wl_code code = wl_sim_run(sim, &launch, &options, counts, &error);
    for (size_t i = 0; program->native && i < program->native->segments.count; i++) {
        const struct wl_native_segment *segment = program->native->segments.items[i];
        *compiled += (threads < WL_LANES ? segment->masked.code : segment->code) != NULL;
        free_compiled += segment->is_free && segment->masked.code;
        partly_hits += segment->masked.hits;
        computed_hits += segment->is_derived ? segment->hits : 0;
        storing_hits += segment->store_count ? segment->hits : 0;
        count_wide(segment);
        vector_hits += has_vectors(program, segment, WL_OP_LOAD_GLOBAL) ? segment->hits : 0;
        stored_vector_hits += has_vectors(program, segment, WL_OP_STORE_GLOBAL) ? segment->hits : 0;
    }
    wl_sim_free(sim);
    wl_gpu_free(&gpu);
    wl_program_free(program);
    wl_ptx_module_free(module);
    return code;
}

static bool is_same(const uint8_t *a, const uint8_t *b, uint32_t at)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return memcmp(a, b, 8) == 0 || (at % THREAD_BYTES >= DOUBLE_AT && x != x && y != y);
}

/* The engine's results beside the executor's. Returns how many segments were compiled. */
static uint32_t compare_engine(const char *(*make)(struct wl_text *), uint32_t threads,
                               uint32_t kernels, enum wl_sim_engine engine)
{
    struct memory memory = {.bytes = wl_alloc_aligned(4096, 2 * BLOCKS * BUFFER_BYTES)};
    memory.in = memory.bytes;
    memory.out = memory.bytes + BLOCKS * BUFFER_BYTES;
    uint8_t *expected = wl_alloc(BLOCKS * BUFFER_BYTES);
    uint32_t compiled = 0, none = 0;
    for (uint32_t i = 0; i < kernels; i++) {
        seed = 1000 + i;
        struct wl_text text = {0};
        make(&text);
        for (size_t at = 0; at < BLOCKS * BUFFER_BYTES; at += 4) {
            const uint32_t word = odd_word();
            memcpy(memory.in + at, &word, 4);
        }
        struct wl_sim_counts counts = {0}, interpreted = {0};
        const enum wl_code code =
            run(text.data, threads, &memory, WL_ENGINE_INTERPRET, &interpreted, &none);
        memcpy(expected, memory.out, BLOCKS * BUFFER_BYTES);
        assert_int_equal(run(text.data, threads, &memory, engine, &counts, &compiled), code);
        const bool is_alike = counts_all || code == WL_OK; /* others stop wherever they are */
        for (uint32_t at = 0; at < BLOCKS * BUFFER_BYTES && is_alike; at += 8)
            if (!is_same(expected + at, memory.out + at, at)) {
                fprintf(stderr, "%s", text.data);
                fail_msg("kernel %u: thread %u, byte %u differs", i, at / THREAD_BYTES,
                         at % THREAD_BYTES);
            }
        for (int c = 0; c < WL_COUNTER_COUNT && counts_all; c++)
            if (counts.totals[c] != interpreted.totals[c])
                fail_msg("kernel %u: %s is %llu, compiled %llu", i, wl_counter_rows[c].name,
                         (unsigned long long)interpreted.totals[c],
                         (unsigned long long)counts.totals[c]);
        wl_sim_counts_free(&counts);
        wl_sim_counts_free(&interpreted);
        wl_text_free(&text);
    }
    free(expected);
    free(memory.bytes);
    assert_int_equal(none, 0);
    return compiled;
}

/* hits: counts what the kernels are for; NULL: that something is compiled is enough. */
static void compare(const char *(*make)(struct wl_text *), uint32_t threads, uint32_t kernels,
                    const uint64_t *hits)
{
    for (uint32_t is_256 = 0; is_256 < 2; is_256++) {
        if (is_256 ? !__builtin_cpu_supports("avx2") : !__builtin_cpu_supports("avx512dq")) {
            print_message("the host has no %s: nothing is compiled\n", is_256 ? "AVX2" : "AVX-512");
            continue;
        }
        const uint64_t before = hits ? *hits : 0;
        const uint32_t compiled = compare_engine(
            make, threads, kernels, is_256 ? WL_ENGINE_COMPILE_256 : WL_ENGINE_COMPILE);
        assert_true(compiled >= kernels / 2);
        if (hits)
            assert_true(*hits - before > 250 * kernels);
    }
}

static void operations_give_the_same_bits(void **state)
{
    (void)state;
    compare(generate, THREADS, KERNELS, NULL);
}

static void operations_of_few_registers_give_the_same_bits(void **state)
{
    (void)state;
    compare(generate_few, THREADS, KERNELS, NULL);
}

static void lanes_that_are_off_keep_theirs(void **state)
{
    (void)state;
    for (uint32_t threads = 3; threads < WL_LANES; threads += 9)
        compare(generate_apart, threads, KERNELS / 4, NULL);
}

static void shared_loads_give_the_same_bits_and_counts(void **state)
{
    (void)state;
    compare(generate_loop, THREADS, KERNELS, NULL);
    if (__builtin_cpu_supports("avx2"))
        assert_true(wide_hits > 10 * KERNELS);
}

static void computed_addresses_give_the_same_bits_and_counts(void **state)
{
    (void)state;
    compare(generate_computed, THREADS, KERNELS, &computed_hits);
    if (computed_hits)
        assert_true(wide_computed_hits > 25 * KERNELS);
}

static void vectors_give_the_same_bits_and_counts(void **state)
{
    (void)state;
    compare(generate_vectors, THREADS, KERNELS, &vector_hits);
}

static void stores_give_the_same_bits_and_counts(void **state)
{
    (void)state;
    compare(generate_in_place, THREADS, KERNELS, &storing_hits);
    if (storing_hits)
        assert_true(stored_vector_hits > 100 * KERNELS);
}

static void accesses_by_lanes_that_went_on_give_the_same_bits_and_counts(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const bool is_256 = i >= 2;
        const uint32_t before = partly_hits;
        if (is_256 ? !__builtin_cpu_supports("avx2") : !__builtin_cpu_supports("avx512dq"))
            continue;
        counts_all = i % 2 == 0;
        compare_engine(generate_partly, THREADS, KERNELS,
                       is_256 ? WL_ENGINE_COMPILE_256 : WL_ENGINE_COMPILE);
        assert_true(partly_hits - before > 160 * KERNELS);
    }
    counts_all = true;
}

static void loads_from_anywhere_that_nobody_counts_give_the_same_bits(void **state)
{
    (void)state;
    counts_all = false;
    compare_engine(generate_scattered, THREADS, KERNELS / 2, WL_ENGINE_CHOOSE);
    counts_all = true;
}

static void accesses_by_some_lanes_that_nobody_counts_give_the_same_bits(void **state)
{
    static const uint32_t threads[] = {THREADS, 5, 17, 30};
    (void)state;
    counts_all = false;
    for (size_t i = 0; i < WL_COUNT(threads); i++) {
        const uint32_t before = free_compiled;
        if (__builtin_cpu_supports("avx512dq"))
            compare_engine(generate_free, threads[i], KERNELS / (i ? 4 : 1), WL_ENGINE_COMPILE);
        compare_engine(generate_free, threads[i], KERNELS / (i ? 4 : 1), WL_ENGINE_COMPILE_256);
        if (__builtin_cpu_supports("avx2"))
            assert_true(free_compiled - before >= 3 * KERNELS / 4);
    }
    counts_all = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_give_the_same_bits),
        cmocka_unit_test(operations_of_few_registers_give_the_same_bits),
        cmocka_unit_test(lanes_that_are_off_keep_theirs),
        cmocka_unit_test(shared_loads_give_the_same_bits_and_counts),
        cmocka_unit_test(computed_addresses_give_the_same_bits_and_counts),
        cmocka_unit_test(vectors_give_the_same_bits_and_counts),
        cmocka_unit_test(stores_give_the_same_bits_and_counts),
        cmocka_unit_test(accesses_by_lanes_that_went_on_give_the_same_bits_and_counts),
        cmocka_unit_test(loads_from_anywhere_that_nobody_counts_give_the_same_bits),
        cmocka_unit_test(accesses_by_some_lanes_that_nobody_counts_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
