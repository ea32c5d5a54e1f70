/* cvt (PTX ISA, "Data Movement and Conversion Instructions: cvt"). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"

static const char *const integer_types[] = {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
static const char *const float_types[] = {"f16", "bf16", "f32", "f64"};

/* ---- integers ---- */

/* A register may be wider than the type: its low part counts, and results are extended. */
static unsigned register_bits(const char *type, unsigned turn)
{
    unsigned bits = type_bits(type), least = bits < 16 ? 16 : bits;
    unsigned widths = least == 16 ? 3 : least == 32 ? 2 : 1;
    return least << turn % widths;
}

static uint64_t extend(const char *type, uint64_t bits, unsigned width)
{
    s128 value = type_value(type, bits);
    return width == 64 ? (uint64_t)value : (uint64_t)value & ((1ull << width) - 1);
}

static uint64_t convert_integer(const char *to, const char *from, uint64_t bits, bool saturates,
                                unsigned width)
{
    s128 value = type_value(from, bits), least = type_least(to), most = (s128)type_most(to);
    if (saturates)
        value = value < least ? least : value > most ? most : value;
    return extend(to, type_wrap(to, (u128)value), width);
}

/* Whether some value of from is none of to. */
static bool may_clamp(const char *to, const char *from)
{
    return type_least(from) < type_least(to) || type_most(from) > type_most(to);
}

static const char *register_type(unsigned bits)
{
    return bits == 16 ? "b16" : bits == 32 ? "b32" : "b64";
}

static void write_integers(bool saturates)
{
    uint64_t a[THREADS], results[THREADS];
    struct test *test = test_begin(saturates ? "convert_integers_sat" : "convert_integers",
                                   "Conversions between integers.");
    values_single("u64", a);
    for (unsigned i = 0; i < THREADS; i++) { /* bounds of all widths, and others */
        static const unsigned widths[] = {8, 16, 32};
        uint64_t bound = 1ull << (widths[i % 3] - (i / 3 & 1));
        if (i >= 8 && i < 32)
            a[i] = i < 20 ? bound - (i & 1) : 0 - bound - (i & 1);
    }
    test_input(test, "a64", "b64", a);
    test_code(test, ".reg .b32 %%a32;\n\t.reg .b16 %%a16;");
    test_code(test, "cvt.u32.u64 %%a32, %%a64;\n\tcvt.u16.u64 %%a16, %%a64;");
    unsigned turn = 0;
    for (size_t f = 0; f < COUNT(integer_types); f++) {
        for (size_t t = 0; t < COUNT(integer_types); t++) {
            const char *from = integer_types[f], *to = integer_types[t];
            if (saturates && !may_clamp(to, from))
                continue;
            for (unsigned k = 0; k < (saturates ? 1 : 2); k++, turn++) {
                unsigned width = register_bits(to, turn),
                         source = register_bits(from, turn / 2 + k);
                for (unsigned i = 0; i < THREADS; i++)
                    results[i] = convert_integer(to, from, a[i], saturates, width);
                test_result(test, register_type(width), results, "cvt%s.%s.%s $, %%a%u",
                            saturates ? ".sat" : "", to, from, source);
            }
        }
    }
    test_end(test);
}

/* ---- floats to integers ---- */

static uint64_t pack_double(const struct format *format, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return soft_pack(format, soft_unpack(&f64_format, bits, 0), ROUND_NEAREST, 0);
}

static void choose_floats(const char *type, uint64_t *a)
{
    static const double values[] = {
        0.0,           -0.0,    0.5,           -0.5,    1.5,      -1.5,
        2.5,           -2.5,    0.49999997,    -0.9999, 126.5,    127.5,
        -128.5,        -129.0,  255.5,         256.0,   32767.5,  -32768.5,
        65535.5,       65504.0, 0x1.fffffep30, 0x1p31,  -0x1p31,  -0x1.000002p31,
        0x1.fffffep31, 0x1p32,  0x1.fffffep62, 0x1p63,  -0x1p63,  -0x1.000002p63,
        0x1.fffffep63, 0x1p64,  1e30,          -1e30,   INFINITY, -INFINITY,
        1e-40,         -1e-40,  3.7,           -3.2};
    const struct format *format = format_of(type);
    for (unsigned i = 0; i < THREADS; i++)
        a[i] = pack_double(format, values[i]);
    a[18] = format->nan & ~(1ull << (format->fraction_bits - 2));
    if (type_bits(type) == 64)
        a[24] = 0x41dfffffffe00000; /* 2147483647.5 */
}

/* NaN: 0, but the largest power of two of the destination where the source is f64 or the
 * destination has 64 bits. */
static uint64_t convert_to_integer(const char *to, const char *from, uint64_t bits,
                                   enum rounding rounding, int flags, unsigned width)
{
    struct soft value = soft_unpack(format_of(from), bits, flags);
    if (value.kind == SOFT_NAN) {
        bool is_zero = strcmp(from, "f64") != 0 && type_bits(to) != 64;
        return is_zero ? 0 : extend(to, 1ull << (type_bits(to) - 1), width);
    }
    s128 result = soft_to_integer(value, rounding, type_least(to), type_most(to));
    return extend(to, type_wrap(to, (u128)result), width);
}

static void write_to_integers(const char *from)
{
    static const char *const words[] = {"rni", "rzi", "rmi", "rpi"};
    char name[40];
    uint64_t a[THREADS], results[THREADS];
    snprintf(name, sizeof name, "convert_%s_to_integers", from);
    struct test *test = test_begin(name, "Conversions of floats to integers.");
    choose_floats(from, a);
    test_input(test, "a", from, a);
    bool is_bfloat = strcmp(from, "bf16") == 0;
    int flags_end = strcmp(from, "f32") == 0 ? 2 : 1;
    unsigned turn = 0;
    for (size_t t = 0; t < COUNT(integer_types); t++) {
        for (int form = 0; form < 4 * flags_end; form++, turn++) {
            const char *to = integer_types[t];
            if (is_bfloat && type_bits(to) < 16)
                continue;
            enum rounding rounding = (enum rounding)(form % 4);
            unsigned width = is_bfloat ? type_bits(to) : register_bits(to, turn / 4);
            bool says_sat = !is_bfloat && turn % 5 == 4; /* says what is done anyway */
            for (unsigned i = 0; i < THREADS; i++)
                results[i] = convert_to_integer(to, from, a[i], rounding, form / 4, width);
            test_result(test, register_type(width), results, "cvt.%s%s%s.%s.%s $, %%a",
                        words[rounding], form / 4 ? ".ftz" : "", says_sat ? ".sat" : "", to, from);
        }
    }
    test_end(test);
}

/* ---- integers to floats ---- */

static void write_from_integers(const char *to)
{
    char name[40];
    uint64_t a[THREADS], results[THREADS];
    bool is_bfloat = strcmp(to, "bf16") == 0;
    snprintf(name, sizeof name, "convert_integers_to_%s", to);
    struct test *test = test_begin(name, "Conversions of integers to floats.");
    values_single("u64", a);
    for (unsigned i = 0; i < THREADS; i++) { /* halfway between two floats, and a bit beside it */
        static const unsigned tops[] = {9, 12, 15, 25, 30, 31, 55, 62, 63};
        unsigned top = tops[i % 9], fraction_bits = format_of(to)->fraction_bits;
        uint64_t half = top > fraction_bits ? 1ull << (top - fraction_bits - 1) : 0;
        if (i >= 4 && i < 36)
            a[i] =
                ((1ull << top) + (i / 9 + 1) * half + (i & 1) - (i >> 1 & 1)) * (i % 5 ? 1 : ~0ull);
    }
    a[36] = 65504, a[37] = 65519, a[38] = 65520, a[39] = 1;
    test_input(test, "a64", "b64", a);
    test_code(test, ".reg .b32 %%a32;\n\t.reg .b16 %%a16;");
    test_code(test, "cvt.u32.u64 %%a32, %%a64;\n\tcvt.u16.u64 %%a16, %%a64;");
    unsigned turn = 0;
    for (size_t f = 0; f < COUNT(integer_types); f++) {
        for (enum rounding rounding = ROUND_NEAREST; rounding <= ROUND_PLUS; rounding++) {
            const char *from = integer_types[f];
            if (is_bfloat && type_bits(from) < 16)
                continue;
            bool saturates = !is_bfloat && turn++ % 7 == 6;
            for (unsigned i = 0; i < THREADS; i++) {
                s128 value = type_value(from, a[i]);
                struct soft number =
                    soft_of_integer(value < 0, (uint64_t)(value < 0 ? -value : value));
                results[i] = soft_pack(format_of(to), number, rounding, saturates ? SOFT_SAT : 0);
            }
            test_result(test, register_type(type_bits(to)), results, "cvt.%s%s.%s.%s $, %%a%u",
                        rounding_words[rounding], saturates ? ".sat" : "", to, from,
                        is_bfloat ? type_bits(from) : register_bits(from, turn / 3));
        }
    }
    test_end(test);
}

/* ---- floats to floats ---- */

struct float_row {
    const char *words, *to, *from;
    int flags;
    int rounding;     /* enum rounding, -1: none needed */
    bool is_integral; /* rounds to a whole number */
};

static const struct float_row float_rows[] = {
    {"", "f32", "f16", 0, -1, false},
    {".ftz", "f32", "f16", SOFT_FTZ, -1, false},
    {".sat", "f32", "f16", SOFT_SAT, -1, false},
    {"", "f64", "f16", 0, -1, false},
    {"", "f64", "f32", 0, -1, false},
    {".ftz", "f64", "f32", SOFT_FTZ, -1, false},
    {".sat", "f64", "f32", SOFT_SAT, -1, false},
    {"", "f32", "bf16", 0, -1, false},
    {".rn", "f16", "f32", 0, ROUND_NEAREST, false},
    {".rz", "f16", "f32", 0, ROUND_ZERO, false},
    {".rm", "f16", "f32", 0, ROUND_MINUS, false},
    {".rp", "f16", "f32", 0, ROUND_PLUS, false},
    {".rn.ftz", "f16", "f32", SOFT_FTZ, ROUND_NEAREST, false},
    {".rn.sat", "f16", "f32", SOFT_SAT, ROUND_NEAREST, false},
    {".rn.relu", "f16", "f32", SOFT_RELU, ROUND_NEAREST, false},
    {".rn", "f16", "f64", 0, ROUND_NEAREST, false},
    {".rz", "f16", "f64", 0, ROUND_ZERO, false},
    {".rm", "f16", "f64", 0, ROUND_MINUS, false},
    {".rp", "f16", "f64", 0, ROUND_PLUS, false},
    {".rn", "f32", "f64", 0, ROUND_NEAREST, false},
    {".rz", "f32", "f64", 0, ROUND_ZERO, false},
    {".rm", "f32", "f64", 0, ROUND_MINUS, false},
    {".rp", "f32", "f64", 0, ROUND_PLUS, false},
    {".rn.ftz", "f32", "f64", SOFT_FTZ, ROUND_NEAREST, false},
    {".rz.ftz", "f32", "f64", SOFT_FTZ, ROUND_ZERO, false},
    {".rn.sat", "f32", "f64", SOFT_SAT, ROUND_NEAREST, false},
    {".rn.ftz.sat", "f32", "f64", SOFT_FTZ | SOFT_SAT, ROUND_NEAREST, false},
    {".rn", "bf16", "f32", 0, ROUND_NEAREST, false},
    {".rz", "bf16", "f32", 0, ROUND_ZERO, false},
    {".rn.relu", "bf16", "f32", SOFT_RELU, ROUND_NEAREST, false},
    {".rn", "bf16", "f16", 0, ROUND_NEAREST, false},
    {".rn", "f16", "bf16", 0, ROUND_NEAREST, false},
    {".rz", "f16", "bf16", 0, ROUND_ZERO, false},
    {".rn", "bf16", "f64", 0, ROUND_NEAREST, false},
    {".rz", "bf16", "f64", 0, ROUND_ZERO, false},
    {".rni", "f32", "f32", 0, ROUND_NEAREST, true},
    {".rzi", "f32", "f32", 0, ROUND_ZERO, true},
    {".rmi", "f32", "f32", 0, ROUND_MINUS, true},
    {".rpi", "f32", "f32", 0, ROUND_PLUS, true},
    {".rni.ftz", "f32", "f32", SOFT_FTZ, ROUND_NEAREST, true},
    {".rpi.ftz", "f32", "f32", SOFT_FTZ, ROUND_PLUS, true},
    {".rmi.sat", "f32", "f32", SOFT_SAT, ROUND_MINUS, true},
    {".rni", "f64", "f64", 0, ROUND_NEAREST, true},
    {".rzi", "f64", "f64", 0, ROUND_ZERO, true},
    {".rmi", "f64", "f64", 0, ROUND_MINUS, true},
    {".rpi", "f64", "f64", 0, ROUND_PLUS, true},
    {".rni", "f16", "f16", 0, ROUND_NEAREST, true},
    {".rzi", "f16", "f16", 0, ROUND_ZERO, true},
    {".rmi", "f16", "f16", 0, ROUND_MINUS, true},
    {".rpi", "f16", "f16", 0, ROUND_PLUS, true},
    {".sat", "f32", "f32", SOFT_SAT, -1, false},
    {".ftz", "f32", "f32", SOFT_FTZ, -1, false},
    {".ftz.sat", "f32", "f32", SOFT_FTZ | SOFT_SAT, -1, false},
    {".sat", "f64", "f64", SOFT_SAT, -1, false},
    {".sat", "f16", "f16", SOFT_SAT, -1, false},
};

static uint64_t convert_float(const struct float_row *row, uint64_t bits)
{
    bool flushes_source = strcmp(row->from, "f32") == 0,
         flushes_result = strcmp(row->to, "f32") == 0;
    enum rounding rounding = row->rounding < 0 ? ROUND_NEAREST : (enum rounding)row->rounding;
    struct soft value =
        soft_unpack(format_of(row->from), bits, flushes_source ? row->flags & SOFT_FTZ : 0);
    if (row->is_integral)
        value = soft_round_integral(value, rounding);
    return soft_pack(format_of(row->to), value, rounding,
                     row->flags & (flushes_result ? ~0 : ~SOFT_FTZ));
}

static void write_floats(const char *from)
{
    char name[40];
    uint64_t a[THREADS], results[THREADS];
    snprintf(name, sizeof name, "convert_%s_to_floats", from);
    struct test *test = test_begin(name, "Conversions between floats.");
    choose_floats(from, a);
    for (unsigned i = 0; i < THREADS; i += 2) { /* near the bounds of the narrower formats */
        static const double bounds[] = {0x1p-14,        0x1p-24,  0x1p-25,  65504,
                                        65520,          0x1p-126, 0x1p-149, 0x1.fffffep127,
                                        0x1.ffffffp127, 0x1p-133, 0x1p-134};
        double factor = 1 + ((double)(test_random() % 9) - 4) * (i & 2 ? 0x1p-12 : 0x1p-25);
        if (i != 18 && i != 34)
            a[i] = pack_double(format_of(from),
                               bounds[i / 2 % COUNT(bounds)] * factor * (i & 4 ? -1 : 1));
    }
    test_input(test, "a", from, a);
    for (size_t k = 0; k < COUNT(float_rows); k++) {
        const struct float_row *row = &float_rows[k];
        if (strcmp(row->from, from))
            continue;
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = convert_float(row, a[i]);
        test_result(test, row->to, results, "cvt%s.%s.%s $, %%a", row->words, row->to, row->from);
    }
    test_end(test);
}

/* d = {a, b} as two halves, a the upper one. */
static void write_packing(void)
{
    static const struct {
        const char *words, *to;
        enum rounding rounding;
        int flags;
    } rows[] = {{"rn", "f16", ROUND_NEAREST, 0},
                {"rz", "f16", ROUND_ZERO, 0},
                {"rn.relu", "f16", ROUND_NEAREST, SOFT_RELU},
                {"rn", "bf16", ROUND_NEAREST, 0},
                {"rz", "bf16", ROUND_ZERO, 0},
                {"rz.relu", "bf16", ROUND_ZERO, SOFT_RELU}};
    uint64_t a[THREADS], b[THREADS], results[THREADS];
    struct test *test = test_begin("convert_packing", "Two floats into a pair of halves.");
    choose_floats("f32", a);
    for (unsigned i = 0; i < THREADS; i++)
        b[i] = a[(i * 7 + 5) % THREADS] + (i & 1 ? 0x1234 : 0);
    b[19] = 0x7fc00000;
    test_input(test, "a", "f32", a);
    test_input(test, "b", "f32", b);
    for (size_t k = 0; k < COUNT(rows); k++) {
        const struct format *format = format_of(rows[k].to);
        for (unsigned i = 0; i < THREADS; i++) {
            uint64_t high = soft_pack(format, soft_unpack(&f32_format, a[i], 0), rows[k].rounding,
                                      rows[k].flags);
            uint64_t low = soft_pack(format, soft_unpack(&f32_format, b[i], 0), rows[k].rounding,
                                     rows[k].flags);
            results[i] = high << 16 | low;
        }
        test_result(test, "b32", results, "cvt.%s.%sx2.f32 $, %%a, %%b", rows[k].words, rows[k].to);
    }
    test_end(test);
}

/* cvt.pack.sat: two integers, clamped, and what was packed before above them. */
static void write_pack(void)
{
    static const struct {
        const char *type;
        unsigned bits;
    } rows[] = {{"u16", 16}, {"s16", 16}, {"u8", 8}, {"s8", 8},
                {"u4", 4},   {"s4", 4},   {"u2", 2}, {"s2", 2}};
    uint64_t a[THREADS], b[THREADS], c[THREADS], results[THREADS];
    struct test *test = test_begin("convert_pack", "Integers clamped, side by side.");
    values_pairs("s32", a, b);
    values_single("u32", c);
    for (unsigned i = THREADS / 2; i < THREADS; i++) { /* near the bounds of all types */
        a[i] = (a[i] & 0xffff) >> i % 14;
        b[i] = (uint32_t) - (int32_t)((b[i] & 0xffff) >> i % 13);
    }
    test_input(test, "a", "s32", a);
    test_input(test, "b", "s32", b);
    test_input(test, "c", "b32", c);
    for (size_t k = 0; k < COUNT(rows); k++) {
        const unsigned bits = rows[k].bits;
        const bool is_signed = rows[k].type[0] == 's';
        const s128 most = ((s128)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
        for (unsigned i = 0; i < THREADS; i++) {
            const s128 wide[2] = {type_value("s32", a[i]), type_value("s32", b[i])};
            uint64_t part[2];
            for (int p = 0; p < 2; p++) {
                s128 value = wide[p] < least ? least : wide[p] > most ? most : wide[p];
                part[p] = (uint64_t)value & ((1u << bits) - 1);
            }
            results[i] = part[0] << bits | part[1] | (bits < 16 ? c[i] << 2 * bits : 0);
        }
        if (bits < 16)
            test_result(test, "b32", results, "cvt.pack.sat.%s.s32.b32 $, %%a, %%b, %%c",
                        rows[k].type);
        else
            test_result(test, "b32", results, "cvt.pack.sat.%s.s32 $, %%a, %%b", rows[k].type);
    }
    test_end(test);
}

/* cvt.rna.tf32.f32: 10 bits of fraction are left, halves go away from zero. */
static void write_tf32(void)
{
    uint64_t a[THREADS], results[THREADS];
    struct test *test = test_begin("convert_tf32", "To the format of tensor cores.");
    choose_floats("f32", a);
    for (unsigned i = 0; i < THREADS; i++) {
        if (a[i] == 0x7f7fffff || soft_is_nan(&f32_format, a[i]))
            a[i] = 0x3f801000; /* just half */
        if (i % 3 == 0)
            a[i] += test_random() & 0x3fff;
        if ((a[i] & 0x7f800000) == 0x7f800000)
            a[i] = 0x40490fdb;
        results[i] = (a[i] + 0x1000) & 0xffffe000;
    }
    test_input(test, "a", "f32", a);
    test_result(test, "b32", results, "cvt.rna.tf32.f32 $, %%a");
    test_end(test);
}

void generate_convert(void)
{
    write_integers(false);
    write_integers(true);
    for (size_t i = 0; i < COUNT(float_types); i++) {
        write_to_integers(float_types[i]);
        write_from_integers(float_types[i]);
        write_floats(float_types[i]);
    }
    write_packing();
    write_pack();
    write_tf32();
}
