/* Special registers in a block of three dimensions, and mov in its forms. */
#include <stdio.h>
#include <string.h>

#include "generate.h"

/* 8 x 3 x 2 threads, of which test_... calls see the linear number in %me. */
static void write_special_registers(void)
{
    enum { WIDTH = 8, HEIGHT = 3, DEPTH = 2, ALL = WIDTH * HEIGHT * DEPTH };
    struct test *test = test_begin("special_registers", "Where a thread is, and who runs with it.");
    uint64_t results[ALL];
    test_threads(test, ALL);
    test_directive(test, "block %d %d %d", WIDTH, HEIGHT, DEPTH);
    test_directive(test, "shared 512");
    test_code(test, ".reg .b32 %%x, %%y, %%z;\n\tmov.u32 %%x, %%tid.x;\n\tmov.u32 %%y, "
                    "%%tid.y;\n\tmov.u32 %%z, %%tid.z;");
    test_code(test, "mad.lo.u32 %%r1, %%z, %d, %%y;\n\tmad.lo.u32 %%me, %%r1, %d, %%x;", HEIGHT,
              WIDTH);
    for (int width_bytes = 1; width_bytes <= 8; width_bytes *= 2)
        test_code(test, "mad.wide.u32 %%out%d, %%me, %d, %%rd0;", width_bytes, width_bytes);
    static const struct {
        const char *name;
        int divisor, modulus, value;
    } rows[] = {{"%tid.x", 1, WIDTH, 0},
                {"%tid.y", WIDTH, HEIGHT, 0},
                {"%tid.z", WIDTH * HEIGHT, DEPTH, 0},
                {"%ntid.x", 0, 0, WIDTH},
                {"%ntid.y", 0, 0, HEIGHT},
                {"%ntid.z", 0, 0, DEPTH},
                {"%ctaid.x", 0, 0, 0},
                {"%ctaid.y", 0, 0, 0},
                {"%ctaid.z", 0, 0, 0},
                {"%nctaid.x", 0, 0, 1},
                {"%nctaid.y", 0, 0, 1},
                {"%nctaid.z", 0, 0, 1},
                {"%laneid", 1, 32, 0},
                {"WARP_SZ", 0, 0, 32},
                {"%dynamic_smem_size", 0, 0, 512}};
    for (size_t k = 0; k < COUNT(rows); k++) {
        for (int i = 0; i < ALL; i++)
            results[i] =
                (uint64_t)(rows[k].divisor ? i / rows[k].divisor % rows[k].modulus : rows[k].value);
        test_always(test, "u32", results, "mov.u32 $, %s", rows[k].name);
        if (k < 3)
            test_always(test, "u64", results, "cvt.u64.u32 $, %s", rows[k].name);
    }
    static const char *const masks[] = {"eq", "lt", "le", "gt", "ge"};
    for (size_t k = 0; k < COUNT(masks); k++) {
        for (int i = 0; i < ALL; i++) {
            uint64_t bit = 1ull << i % 32, below = bit - 1;
            const uint64_t values[] = {bit, below, below | bit, ~(below | bit), ~below};
            results[i] = values[k] & 0xffffffff;
        }
        test_always(test, "u32", results, "mov.u32 $, %%lanemask_%s", masks[k]);
    }
    for (int i = 0; i < ALL; i++)
        results[i] = 1; /* clocks do not run backwards; the others lie in their bounds */
    test_code(
        test,
        "mov.u64 %%rd1, %%clock64;\n\tmov.u32 %%r2, %%clock;\n\tmov.u64 %%rd2, %%globaltimer;");
    test_code(test, "mov.u32 %%r3, %%clock_hi;\n\tmov.u32 %%r4, %%globaltimer_lo;\n\tmov.u32 %%r5, "
                    "%%globaltimer_hi;");
    test_code(
        test,
        "mov.u64 %%rd3, %%clock64;\n\tmov.u64 %%rd4, %%globaltimer;\n\tmov.u64 %%rd5, %%gridid;");
    test_code(test, "setp.le.u64 %%p1, %%rd1, %%rd3;\n\tsetp.le.and.u64 %%p1, %%rd2, %%rd4, %%p1;");
    test_code(test, "mov.u32 %%r6, %%smid;\n\tmov.u32 %%r7, %%nsmid;\n\tsetp.lt.and.u32 %%p1, "
                    "%%r6, %%r7, %%p1;");
    test_code(test, "mov.u32 %%r8, %%nwarpid;\n\tmov.u32 %%r10, %%warpid;\n\tsetp.gt.and.u32 %%p1, "
                    "%%r8, %%r10, %%p1;");
    test_code(test, "mov.u32 %%r9, %%total_smem_size;\n\tsetp.ge.and.u32 %%p1, %%r9, 512, %%p1;");
    test_always(test, "u32", results, "selp.u32 $, 1, 0, %%p1");
    test_end(test);
}

/* Blocks by the number that each finds, in a grid of three dimensions. */
static void write_grid(void)
{
    enum { WIDTH = 3, HEIGHT = 2, DEPTH = 4, ALL = WIDTH * HEIGHT * DEPTH };
    uint64_t zeros[ALL] = {0}, results[ALL];
    struct test *test = test_begin("special_grid", "Where a block is.");
    test_threads(test, 1);
    test_directive(test, "grid %d %d %d", WIDTH, HEIGHT, DEPTH);
    test_buffer(test, "blocks", "u32", zeros, ALL);
    test_code(test,
              "mov.u32 %%r1, %%ctaid.x;\n\tmov.u32 %%r2, %%ctaid.y;\n\tmov.u32 %%r3, %%ctaid.z;");
    test_code(
        test,
        "mov.u32 %%r4, %%nctaid.x;\n\tmov.u32 %%r5, %%nctaid.y;\n\tmov.u32 %%r6, %%nctaid.z;");
    test_code(test, "mad.lo.u32 %%r7, %%r3, %%r5, %%r2;\n\tmad.lo.u32 %%r7, %%r7, %%r4, %%r1;");
    test_code(test, "mad.lo.u32 %%r8, %%r1, 100, %%r2;\n\tmad.lo.u32 %%r8, %%r8, 100, %%r3;");
    test_code(test, "mad.lo.u32 %%r8, %%r8, 100, %%r6;");
    test_code(test, "mad.wide.u32 %%rd1, %%r7, 4, %%blocks;\n\tst.global.u32 [%%rd1], %%r8;");
    for (unsigned i = 0; i < ALL; i++)
        results[i] =
            ((i % WIDTH * 100 + i / WIDTH % HEIGHT) * 100 + i / WIDTH / HEIGHT) * 100 + DEPTH;
    test_expect(test, "blocks", "u32", results, ALL);
    test_end(test);
}

static void write_moves(void)
{
    uint64_t a[THREADS], results[THREADS];
    struct test *test =
        test_begin("mov_forms", "mov of registers, literals, parts, wholes and addresses.");
    for (unsigned i = 0; i < THREADS; i++)
        a[i] = test_random();
    test_input(test, "a", "b64", a);
    test_code(test, ".shared .align 16 .b8 first[48];\n\t.shared .align 16 .b8 second[32];");
    test_code(test, "mov.b64 {%%r1, %%r2}, %%a;\n\tmov.b32 {%%h1, %%h2}, %%r1;\n\tmov.b64 {%%h3, "
                    "%%h4, %%h5, %%h6}, %%a;");
    test_code(test,
              "mov.b64 {_, %%r3}, %%a;\n\tmov.b64 {%%r4, _}, %%a;\n\tmov.b32 {_, %%h7}, %%r2;");
    test_result(test, "b64", a, "mov.b64 $, %%a");
    static const struct {
        const char *instruction, *type;
        unsigned shift;
    } parts[] = {
        {"mov.b32 $, %r1", "b32", 0},  {"mov.u32 $, %r2", "b32", 32}, {"mov.s32 $, %r3", "b32", 32},
        {"mov.f32 $, %r4", "b32", 0},  {"mov.b16 $, %h1", "b16", 0},  {"mov.u16 $, %h2", "b16", 16},
        {"mov.s16 $, %h3", "b16", 0},  {"mov.b16 $, %h4", "b16", 16}, {"mov.b16 $, %h5", "b16", 32},
        {"mov.b16 $, %h6", "b16", 48}, {"mov.b16 $, %h7", "b16", 48}};
    for (size_t k = 0; k < COUNT(parts); k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = type_wrap(parts[k].type, a[i] >> parts[k].shift);
        test_result(test, parts[k].type, results, "%s", parts[k].instruction);
    }
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = a[i] << 32 | a[i] >> 32;
    test_result(test, "b64", results, "mov.b64 $, {%%r2, %%r1}");
    for (unsigned i = 0; i < THREADS; i++)
        results[i] =
            a[i] >> 48 | (a[i] >> 32 & 0xffff) << 16 | (a[i] >> 16 & 0xffff) << 32 | a[i] << 48;
    test_result(test, "b64", results, "mov.b64 $, {%%h6, %%h5, %%h4, %%h3}");
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = (a[i] << 16 | (a[i] >> 16 & 0xffff)) & 0xffffffff;
    test_result(test, "b32", results, "mov.b32 $, {%%h2, %%h1}");
    static const struct {
        const char *instruction, *type;
        uint64_t value;
    } literals[] = {{"mov.u16 $, 65535", "b16", 0xffff},
                    {"mov.s16 $, -2", "b16", 0xfffe},
                    {"mov.b32 $, 0x80000000", "b32", 0x80000000},
                    {"mov.s32 $, -2147483648", "b32", 0x80000000},
                    {"mov.u32 $, 0b1011", "b32", 11},
                    {"mov.u32 $, 017", "b32", 15},
                    {"mov.u32 $, 4000000000U", "b32", 4000000000},
                    {"mov.u32 $, (3 << 4) + 5 * 2 - 1", "b32", 57},
                    {"mov.f32 $, 0f3FC00000", "b32", 0x3fc00000},
                    {"mov.f32 $, 0.1", "b32", 0x3dcccccd},
                    {"mov.f32 $, -1.5e3", "b32", 0xc4bb8000},
                    {"mov.f64 $, 0d3FB999999999999A", "b64", 0x3fb999999999999a},
                    {"mov.f64 $, 0.1", "b64", 0x3fb999999999999a},
                    {"mov.b64 $, 0xffffffffffffffff", "b64", ~0ull},
                    {"mov.s64 $, -3", "b64", ~2ull},
                    {"mov.b64 $, {1, 2}", "b64", 0x200000001},
                    {"mov.b64 $, 0x7fffffffffffffff", "b64", 0x7fffffffffffffff}};
    for (size_t k = 0; k < COUNT(literals); k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = literals[k].value;
        test_result(test, literals[k].type, results, "%s", literals[k].instruction);
    }
    test_code(test, ".reg .b8 %%q<6>;\n\tmov.b32 {%%q0, %%q1, %%q2, %%q3}, %%r1;\n\tmov.b16 {%%q4, "
                    "%%q5}, %%h3;");
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = __builtin_bswap32((uint32_t)a[i]);
    test_result(test, "b32", results, "mov.b32 $, {%%q3, %%q2, %%q1, %%q0}");
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = __builtin_bswap16((uint16_t)a[i]);
    test_result(test, "b16", results, "mov.b16 $, {%%q5, %%q4}");
    /* shared variables lie one behind the other, at their alignment; offsets count */
    test_code(test, "mov.u32 %%r5, first;\n\tmov.u32 %%r6, second;\n\tmov.u64 %%rd1, "
                    "first+8;\n\tmov.u64 %%rd2, first;");
    test_code(
        test,
        "sub.u32 %%r7, %%r6, %%r5;\n\trem.u32 %%r8, %%r7, 16;\n\tsub.s64 %%rd3, %%rd1, %%rd2;");
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = 0;
    test_result(test, "b32", results, "mov.b32 $, %%r8");
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = 8;
    test_result(test, "b64", results, "mov.b64 $, %%rd3");
    test_end(test);
}

/* Kernel parameters in parts, by address, of all sizes. */
static void write_parameters(void)
{
    static const struct {
        const char *type, *text;
        uint64_t value;
    } rows[] = {{"u8", "200", 200},
                {"s8", "-5", (uint64_t)-5},
                {"u16", "60000", 60000},
                {"s16", "-300", (uint64_t)-300},
                {"u32", "4000000000", 4000000000},
                {"s32", "-7", (uint64_t)-7},
                {"u64", "0x123456789abcdef0", 0x123456789abcdef0},
                {"f32", "1.5", 0x3fc00000},
                {"s64", "-9", (uint64_t)-9},
                {"f64", "0.1", 0x3fb999999999999a}};
    uint64_t results[THREADS];
    struct test *test =
        test_begin("parameters", "Kernel parameters of all sizes, in parts and by address.");
    for (size_t k = 0; k < COUNT(rows); k++)
        test_directive(test, "arg %s %s", rows[k].type, rows[k].text);
    for (size_t k = 0; k < COUNT(rows); k++) {
        static const char *const registers[] = {"b16", "b32", "b64"};
        unsigned bits = type_bits(rows[k].type);
        for (unsigned turn = 0; turn < 3; turn++) {
            unsigned width = type_bits(registers[turn]);
            if (width < bits || (type_is_float(rows[k].type) && width != bits))
                continue;
            for (unsigned i = 0; i < THREADS; i++)
                results[i] =
                    type_wrap(registers[turn], (u128)type_value(rows[k].type, rows[k].value));
            if (width == 16) {
                test_code(test, "ld.param.%s %%h1, [given%zu];", rows[k].type, k);
                test_always(test, "b16", results, "min.u16 $, %%h1, 0xffff");
            } else {
                test_result(test, registers[turn], results, "ld.param.%s $, [given%zu]",
                            rows[k].type, k);
            }
        }
    }
    static const struct {
        const char *instruction, *type;
        uint64_t value;
    } parts[] = {{"ld.param.u32 $, [given6+4]", "b32", 0x12345678},
                 {"ld.param.u16 $, [given6+2]", "b16", 0x9abc},
                 {"ld.param.u8 $, [given6+7]", "b32", 0x12},
                 {"ld.param.b64 $, [given6]", "b64", 0x123456789abcdef0},
                 {"ld.param.u32 $, [%rd1+4]", "b32", 0x12345678},
                 {"ld.u16 $, [%rd2+6]", "b32", 0x1234},
                 {"ld.param.u16 $, [%rd3+4]", "b32", 0x5678}};
    test_code(test, "mov.b64 %%rd1, given6;\n\tcvta.param.u64 %%rd2, %%rd1;\n\tcvta.to.param.u64 "
                    "%%rd3, %%rd2;");
    for (size_t k = 0; k < COUNT(parts); k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = parts[k].value;
        test_result(test, parts[k].type, results, "%s", parts[k].instruction);
    }
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = 0x9abcdef0ull << 32 | 0x12345678;
    test_code(test, "ld.param.v2.u32 {%%r1, %%r2}, [given6];");
    test_result(test, "b64", results, "mov.b64 $, {%%r2, %%r1}");
    test_end(test);
}

void generate_special(void)
{
    write_special_registers();
    write_grid();
    write_moves();
    write_parameters();
}
