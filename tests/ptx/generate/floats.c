/* Floating point that is rounded once (PTX ISA, "Floating-Point Instructions", "Half Precision
 * Floating-Point Instructions"). */
#include <stdio.h>
#include <string.h>

#include "generate.h"

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT, MIN, MAX, OPERATIONS };

static struct soft compute(enum operation operation, struct soft a, struct soft b, struct soft c,
                           enum rounding rounding)
{
    static const struct soft one = {SOFT_FINITE, false, 1, 0};
    switch (operation) {
    case ADD:
        return soft_add(a, b, rounding);
    case SUB:
        return soft_add(a, soft_negate(b), rounding);
    case MUL:
        return soft_multiply(a, b);
    case FMA:
        return soft_fma(a, b, c, rounding);
    case DIV:
        return soft_divide(a, b);
    case RCP:
        return soft_divide(one, a);
    default:
        return soft_root(a);
    }
}

/* The other one where one is NaN; -0 is less than +0. */
static struct soft choose(struct soft a, struct soft b, bool wants_least, bool keeps_nan)
{
    int order = soft_compare(a, b);
    if (order == 2)
        return (a.kind == SOFT_NAN) == keeps_nan ? a : b;
    if (order == 0)
        return a.negative == wants_least ? a : b;
    return (order < 0) == wants_least ? a : b;
}

struct sources {
    const char *type;
    const struct format *format;
    uint64_t a[THREADS], b[THREADS], c[THREADS];
};

struct form {
    enum rounding rounding;
    int flags; /* SOFT_... */
};

static uint64_t result_of(const struct format *format, enum operation operation, struct form form,
                          uint64_t a, uint64_t b, uint64_t c)
{
    struct soft x = soft_unpack(format, a, form.flags), y = soft_unpack(format, b, form.flags);
    struct soft z = soft_unpack(format, c, form.flags);
    struct soft result = operation == MIN || operation == MAX
                             ? choose(x, y, operation == MIN, false)
                             : compute(operation, x, y, z, form.rounding);
    return soft_pack(format, result, form.rounding, form.flags);
}

static void list_results(const struct sources *sources, enum operation operation, struct form form,
                         uint64_t results[THREADS])
{
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = result_of(sources->format, operation, form, sources->a[i], sources->b[i],
                               sources->c[i]);
}

static const struct {
    const char *name, *operands;
} operation_rows[OPERATIONS] = {
    [ADD] = {"add", "%a, %b"},     [SUB] = {"sub", "%a, %b"}, [MUL] = {"mul", "%a, %b"},
    [FMA] = {"fma", "%a, %b, %c"}, [DIV] = {"div", "%a, %b"}, [RCP] = {"rcp", "%a"},
    [SQRT] = {"sqrt", "%a"},       [MIN] = {"min", "%a, %b"}, [MAX] = {"max", "%a, %b"}};

static const char *flag_words(int flags)
{
    static const char *const words[] = {"", ".ftz", ".sat", ".ftz.sat", ".relu"};
    return words[flags];
}

/* Single precision gives the canonical NaN, so that the bits count. */
static const char *result_type(const char *type)
{
    return strcmp(type, "f32") == 0 ? "b32" : strcmp(type, "f16") == 0 ? "b16" : type;
}

static void write_operation(struct test *test, const struct sources *sources,
                            enum operation operation, struct form form, bool says_rounding)
{
    uint64_t results[THREADS];
    list_results(sources, operation, form, results);
    test_result(test, result_type(sources->type), results, "%s%s%s%s.%s $, %s",
                operation_rows[operation].name, says_rounding ? "." : "",
                says_rounding ? rounding_words[form.rounding] : "", flag_words(form.flags),
                sources->type, operation_rows[operation].operands);
}

static struct test *begin(const char *name, const char *type, struct sources *sources)
{
    char full[64];
    snprintf(full, sizeof full, "%s_%s", name, type);
    struct test *test = test_begin(full, "Arithmetic on floats.");
    sources->type = type;
    sources->format = format_of(type);
    values_floats(type, sources->a, sources->b, sources->c);
    test_input(test, "a", type, sources->a);
    test_input(test, "b", type, sources->b);
    test_input(test, "c", type, sources->c);
    return test;
}

/* A literal on either side, in decimal and in bits. */
static void write_literals(struct test *test, const struct sources *sources)
{
    static const struct form plain = {ROUND_NEAREST, 0};
    bool is_double = strcmp(sources->type, "f64") == 0;
    uint64_t half = is_double ? 0x3fe0000000000000 : 0x3f000000;
    uint64_t tenth = is_double ? 0x3fb999999999999a : 0x3dcccccd;
    uint64_t results[THREADS];
    for (unsigned k = 0; k < 8; k++) {
        enum operation operation = k < 6 ? (enum operation)(k / 2) : FMA;
        bool is_left = k & 1;
        for (unsigned i = 0; i < THREADS; i++)
            results[i] =
                result_of(sources->format, operation, plain, is_left ? tenth : sources->a[i],
                          is_left ? sources->b[i] : half, half);
        char bits[32];
        snprintf(bits, sizeof bits, is_double ? "0d%016llx" : "0f%08llx", (unsigned long long)half);
        char tenth_bits[32];
        snprintf(tenth_bits, sizeof tenth_bits, is_double ? "0.1" : "0f%08llx",
                 (unsigned long long)tenth);
        test_result(test, result_type(sources->type), results, "%s.rn.%s $, %s, %s%s%s",
                    operation_rows[operation].name, sources->type, is_left ? tenth_bits : "%a",
                    is_left ? "%b" : bits, operation == FMA ? ", " : "",
                    operation == FMA ? bits : "");
    }
}

static void write_signs(struct test *test, const struct sources *sources, bool has_ftz)
{
    uint64_t results[4][THREADS];
    uint64_t sign = 1ull << (type_bits(sources->type) - 1);
    const char *type = sources->type;
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t a = sources->a[i];
        bool is_flushed = soft_unpack(sources->format, a, SOFT_FTZ).kind == SOFT_ZERO;
        uint64_t flushed = is_flushed ? a & sign : a;
        results[0][i] = a ^ sign;
        results[1][i] = a & ~sign;
        results[2][i] = flushed ^ sign;
        results[3][i] = flushed & ~sign;
    }
    test_result(test, type, results[0], "neg.%s $, %%a", type);
    test_result(test, type, results[1], "abs.%s $, %%a", type);
    if (has_ftz) {
        test_result(test, type, results[2], "neg.ftz.%s $, %%a", type);
        test_result(test, type, results[3], "abs.ftz.%s $, %%a", type);
    }
    if (type_bits(type) < 32)
        return;
    for (unsigned i = 0; i < THREADS; i++)
        results[0][i] = (sources->a[i] & sign) | (sources->b[i] & ~sign);
    test_result(test, type, results[0], "copysign.%s $, %%a, %%b", type);
}

static void write_extremes(struct test *test, const struct sources *sources, bool has_flags)
{
    const char *type = sources->type;
    uint64_t results[THREADS];
    for (unsigned k = 0; k < 2; k++) {
        enum operation operation = k ? MAX : MIN;
        write_operation(test, sources, operation, (struct form){ROUND_NEAREST, 0}, false);
        if (has_flags)
            write_operation(test, sources, operation, (struct form){ROUND_NEAREST, SOFT_FTZ},
                            false);
        for (int flags = 0; flags < 2 && has_flags; flags++) {
            for (unsigned i = 0; i < THREADS; i++) {
                struct soft x = soft_unpack(sources->format, sources->a[i], flags);
                struct soft y = soft_unpack(sources->format, sources->b[i], flags);
                results[i] =
                    soft_pack(sources->format, choose(x, y, k == 0, true), ROUND_NEAREST, flags);
            }
            test_result(test, result_type(type), results, "%s%s.NaN.%s $, %%a, %%b",
                        k ? "max" : "min", flag_words(flags), type);
        }
    }
}

static void write_single(void)
{
    struct sources sources;
    struct test *test = begin("floats", "f32", &sources);
    for (enum operation operation = ADD; operation <= FMA; operation++)
        for (int flags = 0; flags < 4; flags++)
            write_operation(test, &sources, operation, (struct form){ROUND_NEAREST, flags},
                            operation == FMA || (flags & 1));
    for (int flags = 0; flags < 2; flags++) {
        uint64_t results[THREADS];
        list_results(&sources, FMA, (struct form){ROUND_NEAREST, flags}, results);
        test_result(test, "b32", results, "mad.rn%s.f32 $, %%a, %%b, %%c", flag_words(flags));
        for (enum operation operation = DIV; operation <= SQRT; operation++)
            write_operation(test, &sources, operation, (struct form){ROUND_NEAREST, flags}, true);
    }
    write_literals(test, &sources);
    write_signs(test, &sources, true);
    write_extremes(test, &sources, true);
    test_end(test);
}

static void write_directed_single(void)
{
    struct sources sources;
    struct test *test = begin("floats_rounded", "f32", &sources);
    for (enum rounding rounding = ROUND_ZERO; rounding <= ROUND_PLUS; rounding++) {
        for (enum operation operation = ADD; operation <= SQRT; operation++) {
            int most = operation <= FMA ? 4 : 2;
            for (int flags = 0; flags < most; flags++)
                write_operation(test, &sources, operation, (struct form){rounding, flags}, true);
        }
        uint64_t results[THREADS];
        list_results(&sources, FMA, (struct form){rounding, 0}, results);
        test_result(test, "b32", results, "mad.%s.f32 $, %%a, %%b, %%c", rounding_words[rounding]);
    }
    test_end(test);
}

static void write_double(void)
{
    struct sources sources;
    struct test *test = begin("floats", "f64", &sources);
    for (enum rounding rounding = ROUND_NEAREST; rounding <= ROUND_PLUS; rounding++) {
        for (enum operation operation = ADD; operation <= SQRT; operation++)
            write_operation(test, &sources, operation, (struct form){rounding, 0}, true);
        uint64_t results[THREADS];
        list_results(&sources, FMA, (struct form){rounding, 0}, results);
        test_result(test, "f64", results, "mad.%s.f64 $, %%a, %%b, %%c", rounding_words[rounding]);
    }
    for (enum operation operation = ADD; operation <= MUL; operation++)
        write_operation(test, &sources, operation, (struct form){ROUND_NEAREST, 0}, false);
    write_literals(test, &sources);
    write_signs(test, &sources, false);
    write_extremes(test, &sources, false);
    test_end(test);
}

static void write_half(void)
{
    struct sources sources;
    struct test *test = begin("floats", "f16", &sources);
    for (enum operation operation = ADD; operation <= FMA; operation++)
        for (int flags = 0; flags <= (operation == FMA ? SOFT_RELU : 3); flags++)
            write_operation(test, &sources, operation, (struct form){ROUND_NEAREST, flags},
                            operation == FMA || (flags & 1));
    write_signs(test, &sources, true);
    write_extremes(test, &sources, true);
    test_end(test);
}

/* bf16 has no plain add and mul rounding but to nearest, and no flushing. */
static void write_bfloat(void)
{
    struct sources sources;
    struct test *test = begin("floats", "bf16", &sources);
    static const enum operation operations[] = {ADD, SUB, MUL, FMA, MIN, MAX};
    for (size_t k = 0; k < COUNT(operations); k++) {
        uint64_t results[THREADS];
        list_results(&sources, operations[k], (struct form){ROUND_NEAREST, 0}, results);
        test_result(test, "b16", results, "%s%s.bf16 $, %s", operation_rows[operations[k]].name,
                    operations[k] <= FMA ? ".rn" : "", operation_rows[operations[k]].operands);
    }
    uint64_t results[THREADS];
    list_results(&sources, FMA, (struct form){ROUND_NEAREST, SOFT_RELU}, results);
    test_result(test, "b16", results, "fma.rn.relu.bf16 $, %%a, %%b, %%c");
    test_end(test);
}

/* Two halves in a register: the second ones come from the thread's mirror image. */
static void write_pairs(const char *type)
{
    char name[32];
    struct sources sources;
    uint64_t packed[3][THREADS], results[THREADS];
    bool is_half = strcmp(type, "f16") == 0;
    snprintf(name, sizeof name, "floats_%sx2", type);
    struct test *test = test_begin(name, "Arithmetic on pairs of halves.");
    sources.format = format_of(type);
    values_floats(type, sources.a, sources.b, sources.c);
    for (unsigned i = 0; i < THREADS; i++) {
        packed[0][i] = sources.a[i] | sources.a[THREADS - 1 - i] << 16;
        packed[1][i] = sources.b[i] | sources.b[THREADS - 1 - i] << 16;
        packed[2][i] = sources.c[i] | sources.c[THREADS - 1 - i] << 16;
    }
    test_input(test, "a", "b32", packed[0]);
    test_input(test, "b", "b32", packed[1]);
    test_input(test, "c", "b32", packed[2]);
    static const enum operation operations[] = {ADD, SUB, MUL, FMA, MIN, MAX};
    for (size_t k = 0; k < COUNT(operations); k++) {
        for (int flags = 0; flags < (is_half && operations[k] <= FMA ? 4 : 1); flags++) {
            for (unsigned i = 0; i < THREADS; i++) {
                uint64_t both[2];
                for (unsigned half = 0; half < 2; half++)
                    both[half] = result_of(
                        sources.format, operations[k], (struct form){ROUND_NEAREST, flags},
                        packed[0][i] >> (16 * half) & 0xffff, packed[1][i] >> (16 * half) & 0xffff,
                        packed[2][i] >> (16 * half) & 0xffff);
                results[i] = both[0] | both[1] << 16;
            }
            test_result(test, "b32", results, "%s%s%s.%sx2 $, %s",
                        operation_rows[operations[k]].name, operations[k] <= FMA ? ".rn" : "",
                        flag_words(flags), type, operation_rows[operations[k]].operands);
        }
    }
    uint64_t infinite = ((1ull << sources.format->exponent_bits) - 1)
                        << sources.format->fraction_bits;
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t safe = packed[0][i]; /* the sign of a NaN is open */
        for (unsigned half = 0; half < 2; half++)
            if (soft_is_nan(sources.format, safe >> (16 * half) & 0xffff))
                safe = (safe & ~(0xffffull << (16 * half))) | infinite << (16 * half);
        packed[1][i] = safe;
    }
    test_input(test, "d", "b32", packed[1]);
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = k ? packed[1][i] & 0x7fff7fff : packed[1][i] ^ 0x80008000;
        test_result(test, "b32", results, "%s.%sx2 $, %%d", k ? "abs" : "neg", type);
    }
    test_end(test);
}

void generate_floats(void)
{
    write_single();
    write_directed_single();
    write_double();
    write_half();
    write_bfloat();
    write_pairs("f16");
    write_pairs("bf16");
}
