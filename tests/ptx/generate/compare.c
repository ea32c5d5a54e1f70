/* setp, set, selp, testp (PTX ISA, "Comparison and Selection Instructions"). */
#include <stdio.h>
#include <string.h>

#include "generate.h"

static const char *const names[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                    "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

enum { SIGNED_COUNT = 6, UNSIGNED_FIRST = 6, UNSIGNED_END = 10, COMPARISONS = 18 };

/* Which orders make a comparison true: bit 0 less, 1 equal, 2 greater, 3 unordered. */
static const unsigned char truth[COMPARISONS] = {2, 5,  1,  3, 4,  6,  1,  3, 4,
                                                 6, 10, 13, 9, 11, 12, 14, 7, 8};

static bool applies(size_t comparison, const char *type)
{
    if (type_is_float(type))
        return comparison < UNSIGNED_FIRST || comparison >= UNSIGNED_END;
    if (type[0] == 'b')
        return comparison < 2;
    return comparison < SIGNED_COUNT || (type[0] == 'u' && comparison < UNSIGNED_END);
}

static bool compare(size_t comparison, const char *type, uint64_t a, uint64_t b, int flags)
{
    int order;
    if (type_is_float(type)) {
        const struct format *format = format_of(type);
        order = soft_compare(soft_unpack(format, a, flags), soft_unpack(format, b, flags));
    } else {
        s128 x = type_value(type, a), y = type_value(type, b);
        order = x < y ? -1 : x > y;
    }
    return truth[comparison] >> (order + 1) & 1;
}

static const char *literal_text(const char *type, uint64_t bits)
{
    static char text[32];
    unsigned long long value = bits;
    if (strcmp(type, "f32") == 0)
        snprintf(text, sizeof text, "0f%08llx", value);
    else if (strcmp(type, "f64") == 0)
        snprintf(text, sizeof text, "0d%016llx", value);
    else if (type_is_signed(type))
        snprintf(text, sizeof text, "%lld", (long long)type_value(type, bits));
    else
        snprintf(text, sizeof text, "0x%llx", value);
    return text;
}

struct pairs {
    const char *type;
    uint64_t a[THREADS], b[THREADS], literal;
};

enum side { NO_LITERAL, LITERAL_RIGHT, LITERAL_LEFT };

/* Every comparison's predicate becomes a bit of %r1 (p) and %r2 (q). */
static void accumulate(struct test *test, size_t bit, bool has_second)
{
    test_code(test, "selp.b32 %%r3, 0x%x, 0, %%p1;", 1u << bit);
    test_code(test, "or.b32 %%r1, %%r1, %%r3;");
    if (has_second) {
        test_code(test, "selp.b32 %%r3, 0x%x, 0, %%p2;", 1u << bit);
        test_code(test, "or.b32 %%r2, %%r2, %%r3;");
    }
}

static void write_plain(struct test *test, const struct pairs *pairs, int flags, enum side side,
                        bool has_second)
{
    const char *type = pairs->type;
    uint64_t results[2][THREADS] = {{0}};
    test_code(test, "mov.b32 %%r1, 0;\n\tmov.b32 %%r2, 0;");
    for (size_t k = 0; k < COMPARISONS; k++) {
        if (!applies(k, type))
            continue;
        const char *literal = literal_text(type, pairs->literal);
        test_code(test, "setp.%s%s.%s %%p1%s, %s, %s;", names[k], flags ? ".ftz" : "", type,
                  has_second ? "|%p2" : "", side == LITERAL_LEFT ? literal : "%a",
                  side == LITERAL_RIGHT ? literal : "%b");
        accumulate(test, k, has_second);
        for (unsigned i = 0; i < THREADS; i++) {
            uint64_t a = side == LITERAL_LEFT ? pairs->literal : pairs->a[i];
            uint64_t b = side == LITERAL_RIGHT ? pairs->literal : pairs->b[i];
            bool is_true = compare(k, type, a, b, flags);
            results[0][i] |= (uint64_t)is_true << k;
            results[1][i] |= (uint64_t)!is_true << k;
        }
    }
    test_always(test, "b32", results[0], "mov.b32 $, %%r1");
    if (has_second)
        test_always(test, "b32", results[1], "mov.b32 $, %%r2");
}

/* p = (a cmp b) op c, q = !(a cmp b) op c; c is %odd or its negation. With is_aliased c is p. */
static void write_combined(struct test *test, const struct pairs *pairs, unsigned operation,
                           bool negates, bool is_aliased)
{
    static const char *const operations[] = {"and", "or", "xor"};
    const char *type = pairs->type;
    bool has_second = !(type_is_float(type) && type_bits(type) == 16);
    uint64_t results[2][THREADS] = {{0}};
    test_code(test, "mov.b32 %%r1, 0;\n\tmov.b32 %%r2, 0;");
    for (size_t k = 0; k < COMPARISONS; k++) {
        if (!applies(k, type))
            continue;
        if (is_aliased)
            test_code(test, "mov.pred %%p1, %%odd;");
        test_code(test, "setp.%s.%s.%s %%p1%s, %%a, %%b, %s%s;", names[k], operations[operation],
                  type, has_second ? "|%p2" : "", negates ? "!" : "", is_aliased ? "%p1" : "%odd");
        accumulate(test, k, has_second);
        for (unsigned i = 0; i < THREADS; i++) {
            bool is_true = compare(k, type, pairs->a[i], pairs->b[i], 0), c = (i & 1) != negates;
            bool p = operation == 0 ? is_true && c : operation == 1 ? is_true || c : is_true != c;
            bool q = operation == 0   ? !is_true && c
                     : operation == 1 ? !is_true || c
                                      : !is_true != c;
            results[0][i] |= (uint64_t)p << k;
            results[1][i] |= (uint64_t)q << k;
        }
    }
    test_always(test, "b32", results[0], "mov.b32 $, %%r1");
    if (has_second)
        test_always(test, "b32", results[1], "mov.b32 $, %%r2");
}

/* To floats and from 16 bits without a guard: ptxas of CUDA 13.0 converts what the register held
 * before. */
static void write_set(struct test *test, const struct pairs *pairs)
{
    static const char *const operations[] = {"", ".and", ".or", ".xor"};
    static const char *const to[] = {"u32", "s32", "f32"};
    const char *type = pairs->type;
    uint64_t results[THREADS];
    unsigned turn = 0;
    for (size_t k = 0; k < COMPARISONS; k++) {
        if (!applies(k, type))
            continue;
        unsigned operation = turn % 4;
        const char *result = to[turn++ % 3];
        bool is_ftz = strcmp(type, "f32") == 0 && turn % 2;
        bool is_unguarded = result[0] == 'f' || type_bits(type) == 16;
        for (unsigned i = 0; i < THREADS; i++) {
            bool is_true = compare(k, type, pairs->a[i], pairs->b[i], is_ftz ? SOFT_FTZ : 0),
                 c = i & 1;
            is_true = operation == 1   ? is_true && c
                      : operation == 2 ? is_true || c
                      : operation == 3 ? is_true != c
                                       : is_true;
            results[i] = !is_true ? 0 : result[0] == 'f' ? 0x3f800000 : 0xffffffff;
        }
        (is_unguarded ? test_always : test_result)(
            test, "b32", results, "set.%s%s%s.%s.%s $, %%a, %%b%s", names[k], operations[operation],
            is_ftz ? ".ftz" : "", result, type, operation ? ", %odd" : "");
    }
}

static void write_select(struct test *test, const struct pairs *pairs)
{
    const char *type = pairs->type;
    uint64_t results[3][THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        results[0][i] = i & 1 ? pairs->a[i] : pairs->b[i];
        results[1][i] = i & 1 ? pairs->literal : pairs->b[i];
        results[2][i] = i & 1 ? pairs->a[i] : pairs->literal;
    }
    char bits[8];
    snprintf(bits, sizeof bits, "b%u", type_bits(type));
    test_result(test, bits, results[0], "selp.%s $, %%a, %%b, %%odd", type);
    test_result(test, bits, results[1], "selp.%s $, %s, %%b, %%odd", type,
                literal_text(type, pairs->literal));
    test_result(test, bits, results[2], "selp.%s $, %%a, %s, %%odd", type,
                literal_text(type, pairs->literal));
}

static void write_type(const char *type)
{
    char name[32];
    struct pairs pairs = {.type = type};
    uint64_t unused[THREADS];
    bool is_half = type_is_float(type) && type_bits(type) == 16;
    snprintf(name, sizeof name, "compare_%s", type);
    struct test *test = test_begin(name, "Comparisons and selection.");
    if (type_is_float(type))
        values_floats(type, pairs.a, pairs.b, unused);
    else
        values_pairs(type, pairs.a, pairs.b);
    for (unsigned i = 0; i < 4; i++)
        pairs.b[THREADS - 1 - i] = pairs.a[THREADS - 1 - i];
    if (type_is_float(type)) { /* subnormals against zero and each other */
        uint64_t sign = 1ull << (type_bits(type) - 1);
        static const uint64_t small[] = {1, 2, 5, 0};
        for (unsigned i = 0; i < 4; i++) {
            pairs.a[THREADS - 5 - i] = small[i] | (i & 1 ? sign : 0);
            pairs.b[THREADS - 5 - i] = small[(i + 2) % 4];
        }
    }
    pairs.literal = pairs.a[is_half ? 3 : 25];
    test_input(test, "a", type, pairs.a);
    test_input(test, "b", type, pairs.b);
    write_plain(test, &pairs, 0, NO_LITERAL, false);
    if (!is_half) {
        write_plain(test, &pairs, 0, NO_LITERAL, true);
        write_plain(test, &pairs, 0, LITERAL_RIGHT, true);
        write_plain(test, &pairs, 0, LITERAL_LEFT, false);
    }
    if (strcmp(type, "f32") == 0 || strcmp(type, "f16") == 0)
        write_plain(test, &pairs, SOFT_FTZ, NO_LITERAL, !is_half);
    if (strcmp(type, "f32") == 0)
        write_plain(test, &pairs, SOFT_FTZ, LITERAL_RIGHT, false);
    for (unsigned operation = 0; operation < 3; operation++)
        for (unsigned form = 0; form < 3; form++)
            write_combined(test, &pairs, operation, form == 1, form == 2);
    if (!is_half) {
        write_set(test, &pairs);
        write_select(test, &pairs);
    }
    test_end(test);
}

/* set to f16 and bf16: 1.0 in that format; and from them. */
static void write_half_sets(void)
{
    static const struct {
        const char *to, *from;
        uint64_t yes;
        bool is_wide;
    } rows[] = {{"f16", "f16", 0x3c00, false},    {"u16", "f16", 0xffff, false},
                {"s16", "f16", 0xffff, false},    {"u32", "f16", 0xffffffff, true},
                {"s32", "f16", 0xffffffff, true}, {"bf16", "bf16", 0x3f80, false},
                {"u16", "bf16", 0xffff, false},   {"u32", "bf16", 0xffffffff, true}};
    uint64_t values[3][THREADS], results[THREADS];
    struct test *test = test_begin("compare_half_sets", "Comparisons of halves into registers.");
    values_floats("f16", values[0], values[1], values[2]);
    test_input(test, "a", "b16", values[0]);
    test_input(test, "b", "b16", values[1]);
    for (size_t k = 0; k < COUNT(rows); k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = compare(3, rows[k].from, values[0][i], values[1][i], 0) ? rows[k].yes : 0;
        test_always(test, rows[k].is_wide ? "b32" : "b16", results, "set.le.%s.%s $, %%a, %%b",
                    rows[k].to, rows[k].from);
    }
    test_end(test);
}

/* Two comparisons at once: p of the low halves, q of the high ones. */
static void write_pairs(const char *type)
{
    char name[32];
    uint64_t values[3][THREADS], packed[2][THREADS], results[3][THREADS] = {{0}};
    snprintf(name, sizeof name, "compare_%sx2", type);
    struct test *test = test_begin(name, "Comparisons of pairs of halves.");
    values_floats(type, values[0], values[1], values[2]);
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned n = 0; n < 2; n++)
            packed[n][i] = values[n][i] | values[n][(i * 7 + 3) % THREADS] << 16;
    test_input(test, "a", "b32", packed[0]);
    test_input(test, "b", "b32", packed[1]);
    test_code(test, "mov.b32 %%r1, 0;\n\tmov.b32 %%r2, 0;");
    uint64_t one = strcmp(type, "f16") == 0 ? 0x3c00 : 0x3f80;
    for (size_t k = 0; k < COMPARISONS; k++) {
        if (!applies(k, type))
            continue;
        test_code(test, "setp.%s.%sx2 %%p1|%%p2, %%a, %%b;", names[k], type);
        accumulate(test, k, true);
        for (unsigned i = 0; i < THREADS; i++)
            for (unsigned half = 0; half < 2; half++)
                results[half][i] |= (uint64_t)compare(k, type, packed[0][i] >> (16 * half) & 0xffff,
                                                      packed[1][i] >> (16 * half) & 0xffff, 0)
                                    << k;
    }
    test_always(test, "b32", results[0], "mov.b32 $, %%r1");
    test_always(test, "b32", results[1], "mov.b32 $, %%r2");
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < THREADS; i++) {
            results[2][i] = 0;
            for (unsigned half = 0; half < 2; half++)
                if (compare(12, type, packed[0][i] >> (16 * half) & 0xffff,
                            packed[1][i] >> (16 * half) & 0xffff, 0))
                    results[2][i] |= (k ? 0xffff : one) << (16 * half);
        }
        test_result(test, "b32", results[2],
                    k ? "set.ltu.u32.%sx2 $, %%a, %%b" : "set.ltu.%sx2.%sx2 $, %%a, %%b", type,
                    type);
    }
    test_end(test);
}

static void write_testp(const char *type)
{
    static const char *const kinds[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
    char name[32];
    uint64_t values[3][THREADS], results[THREADS] = {0};
    const struct format *format = format_of(type);
    snprintf(name, sizeof name, "testp_%s", type);
    struct test *test = test_begin(name, "Classes of floats.");
    values_floats(type, values[0], values[1], values[2]);
    test_input(test, "a", type, values[0]);
    test_code(test, "mov.b32 %%r1, 0;");
    for (size_t k = 0; k < COUNT(kinds); k++) {
        test_code(test, "testp.%s.%s %%p1, %%a;", kinds[k], type);
        accumulate(test, k, false);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        struct soft value = soft_unpack(format, values[0][i], 0);
        bool is_finite = value.kind == SOFT_ZERO || value.kind == SOFT_FINITE;
        bool is_subnormal = value.kind == SOFT_FINITE &&
                            soft_unpack(format, values[0][i], SOFT_FTZ).kind == SOFT_ZERO;
        results[i] = (uint64_t)is_finite | (uint64_t)(value.kind == SOFT_INFINITE) << 1 |
                     (uint64_t)(value.kind != SOFT_NAN) << 2 |
                     (uint64_t)(value.kind == SOFT_NAN) << 3 |
                     (uint64_t)(is_finite && !is_subnormal) << 4 | (uint64_t)is_subnormal << 5;
    }
    test_always(test, "b32", results, "mov.b32 $, %%r1");
    test_end(test);
}

void generate_compare(void)
{
    static const char *const types[] = {"u16", "s16", "b16", "u32", "s32", "b32", "u64",
                                        "s64", "b64", "f32", "f64", "f16", "bf16"};
    for (size_t i = 0; i < COUNT(types); i++)
        write_type(types[i]);
    write_half_sets();
    write_pairs("f16");
    write_pairs("bf16");
    write_testp("f32");
    write_testp("f64");
}
