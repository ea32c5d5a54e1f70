/* Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision ..."). */
#include <stdio.h>
#include <string.h>

#include "generate.h"

typedef s128 (*binary)(const char *type, s128 a, s128 b);

static s128 add(const char *type, s128 a, s128 b)
{
    (void)type;
    return a + b;
}

static s128 subtract(const char *type, s128 a, s128 b)
{
    (void)type;
    return a - b;
}

static s128 clamp(const char *type, s128 value)
{
    s128 least = type_least(type), most = (s128)type_most(type);
    return value < least ? least : value > most ? most : value;
}

static s128 add_saturated(const char *type, s128 a, s128 b)
{
    return clamp(type, a + b);
}

static s128 subtract_saturated(const char *type, s128 a, s128 b)
{
    return clamp(type, a - b);
}

static s128 multiply(const char *type, s128 a, s128 b)
{
    (void)type;
    return (s128)((u128)a * (u128)b);
}

static s128 multiply_high(const char *type, s128 a, s128 b)
{
    unsigned bits = type_bits(type);
    return type_is_signed(type) ? (a * b) >> bits : (s128)(((u128)a * (u128)b) >> bits);
}

/* The low 24 bits as a number. */
static s128 low_24(const char *type, s128 value)
{
    value &= 0xffffff;
    return type_is_signed(type) && value >> 23 ? value - (1 << 24) : value;
}

static s128 multiply_24(const char *type, s128 a, s128 b)
{
    return low_24(type, a) * low_24(type, b);
}

static s128 multiply_24_high(const char *type, s128 a, s128 b)
{
    return multiply_24(type, a, b) >> 16; /* bits 47 to 16 */
}

/* By zero: open in the document; hardware gives all ones, and as remainder of 64 bits the dividend.
 */
static s128 divide(const char *type, s128 a, s128 b)
{
    (void)type;
    return b == 0 ? -1 : a / b;
}

static s128 remain(const char *type, s128 a, s128 b)
{
    if (b == 0)
        return type_bits(type) == 64 ? a : -1;
    return a % b;
}

static s128 least_of(const char *type, s128 a, s128 b)
{
    (void)type;
    return a < b ? a : b;
}

static s128 most_of(const char *type, s128 a, s128 b)
{
    (void)type;
    return a > b ? a : b;
}

static s128 difference(const char *type, s128 a, s128 b)
{
    (void)type;
    return a > b ? a - b : b - a;
}

static s128 and_bits(const char *type, s128 a, s128 b)
{
    (void)type;
    return a & b;
}

static s128 or_bits(const char *type, s128 a, s128 b)
{
    (void)type;
    return a | b;
}

static s128 xor_bits(const char *type, s128 a, s128 b)
{
    (void)type;
    return a ^ b;
}

struct operation {
    const char *name; /* before the type */
    binary compute;
    const char *types;
};

static const struct operation binaries[] = {
    {"add", add, "u16 s16 u32 s32 u64 s64"},
    {"add.sat", add_saturated, "s32"},
    {"sub", subtract, "u16 s16 u32 s32 u64 s64"},
    {"sub.sat", subtract_saturated, "s32"},
    {"mul.lo", multiply, "u16 s16 u32 s32 u64 s64"},
    {"mul.hi", multiply_high, "u16 s16 u32 s32 u64 s64"},
    {"mul24.lo", multiply_24, "u32 s32"},
    {"mul24.hi", multiply_24_high, "u32 s32"},
    {"div", divide, "u16 s16 u32 s32 u64 s64"},
    {"rem", remain, "u16 s16 u32 s32 u64 s64"},
    {"min", least_of, "u16 s16 u32 s32 u64 s64"},
    {"max", most_of, "u16 s16 u32 s32 u64 s64"},
    {"and", and_bits, "b16 b32 b64"},
    {"or", or_bits, "b16 b32 b64"},
    {"xor", xor_bits, "b16 b32 b64"},
};

struct operands {
    uint64_t a[THREADS], b[THREADS], c[THREADS];
};

/* Registers on both sides, then a literal on either. */
static void write_binary(struct test *test, const struct operation *operation, const char *type,
                         const struct operands *operands)
{
    uint64_t results[THREADS];
    static const int64_t literals[] = {-3, 7};
    bool is_division = operation->compute == divide || operation->compute == remain;
    for (unsigned form = 0; form < 3; form++) {
        uint64_t literal = type_wrap(type, (u128)(s128)literals[form & 1]);
        char text[2][32];
        for (unsigned i = 0; i < THREADS; i++) {
            uint64_t a = form == 1 ? literal : operands->a[i],
                     b = form == 2 ? literal : operands->b[i];
            s128 result = operation->compute(type, type_value(type, a), type_value(type, b));
            results[i] = type_wrap(type, (u128)result);
        }
        snprintf(text[0], sizeof text[0], "%%a");
        snprintf(text[1], sizeof text[1], "%%b");
        if (form)
            snprintf(text[form - 1], sizeof text[0], type_is_signed(type) ? "%lld" : "0x%llx",
                     type_is_signed(type) ? (long long)literals[form & 1] : (long long)literal);
        if (is_division && form == 1 && type_bits(type) == 64)
            continue; /* said twice already */
        test_result(test, type, results, "%s.%s $, %s, %s", operation->name, type, text[0],
                    text[1]);
    }
}

static void write_wide(struct test *test, const char *type, const char *wide,
                       const struct operands *operands)
{
    uint64_t results[THREADS], sums[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        s128 product = type_value(type, operands->a[i]) * type_value(type, operands->b[i]);
        results[i] = type_wrap(wide, (u128)product);
        sums[i] = type_wrap(wide, (u128)product + 0x89abcdefu * (u128)i);
    }
    test_result(test, wide, results, "mul.wide.%s $, %%a, %%b", type);
    test_code(test, "mul.%s.u32 %s, %%me, 0x89abcdef;", type_bits(wide) == 64 ? "wide" : "lo",
              type_bits(wide) == 64 ? "%rd1" : "%r1");
    test_result(test, wide, sums, "mad.wide.%s $, %%a, %%b, %s", type,
                type_bits(wide) == 64 ? "%rd1" : "%r1");
    for (unsigned i = 0; i < THREADS; i++) {
        s128 product = type_value(type, operands->a[i]) * -9;
        results[i] = type_wrap(wide, (u128)product - 2);
        product = type_value(type, operands->a[i]) * 11;
        sums[i] = type_wrap(wide, (u128)product);
    }
    if (type_is_signed(type))
        test_result(test, wide, results, "mad.wide.%s $, %%a, -9, -2", type);
    test_result(test, wide, sums, "mul.wide.%s $, 11, %%a", type);
}

/* mad.lo, mad.hi, mad24, sad: an addend behind a binary operation. */
static void write_ternary(struct test *test, const char *name, binary compute, const char *type,
                          const struct operands *operands)
{
    uint64_t results[THREADS], literals[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        s128 a = type_value(type, operands->a[i]), b = type_value(type, operands->b[i]);
        s128 c = type_value(type, operands->c[i]);
        results[i] = type_wrap(type, (u128)(type_wrap(type, (u128)compute(type, a, b)) + (u128)c));
        literals[i] = type_wrap(type, (u128)compute(type, a, 13) + (u128)6);
    }
    test_result(test, type, results, "%s.%s $, %%a, %%b, %%c", name, type);
    test_result(test, type, literals, "%s.%s $, %%a, 13, 6", name, type);
}

/* mad.hi.sat, mad24.hi.sat: the sum is clamped. */
static void write_saturated(struct test *test, const char *name, binary compute, const char *type,
                            const struct operands *operands)
{
    uint64_t results[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        s128 a = type_value(type, operands->a[i]), b = type_value(type, operands->b[i]);
        results[i] = type_wrap(
            type, (u128)clamp(type, compute(type, a, b) + type_value(type, operands->c[i])));
    }
    test_result(test, type, results, "%s.%s $, %%a, %%b, %%c", name, type);
}

static void write_unary(struct test *test, const char *type, const struct operands *operands)
{
    uint64_t negated[THREADS], absolute[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        s128 a = type_value(type, operands->a[i]);
        negated[i] = type_wrap(type, (u128)-a);
        absolute[i] = type_wrap(type, (u128)(a < 0 ? -a : a));
    }
    test_result(test, type, negated, "neg.%s $, %%a", type);
    test_result(test, type, absolute, "abs.%s $, %%a", type);
}

static void write_type(const char *type)
{
    char name[32];
    struct operands operands;
    bool is_bits = type[0] == 'b';
    snprintf(name, sizeof name, "integer_%s", type);
    struct test *test = test_begin(name, "Integer arithmetic and logic.");
    values_pairs(type, operands.a, operands.b);
    for (unsigned i = 0; i < THREADS; i++)
        operands.c[i] = type_wrap(type, test_random());
    test_input(test, "a", type, operands.a);
    test_input(test, "b", type, operands.b);
    test_input(test, "c", type, operands.c);
    for (size_t i = 0; i < COUNT(binaries); i++)
        if (strstr(binaries[i].types, type))
            write_binary(test, &binaries[i], type, &operands);
    if (type_is_signed(type))
        write_unary(test, type, &operands);
    if (!is_bits && type_bits(type) < 64)
        write_wide(test, type,
                   type_bits(type) == 16 ? (type[0] == 's' ? "s32" : "u32")
                   : type[0] == 's'      ? "s64"
                                         : "u64",
                   &operands);
    if (!is_bits) {
        write_ternary(test, "mad.lo", multiply, type, &operands);
        write_ternary(test, "mad.hi", multiply_high, type, &operands);
        write_ternary(test, "sad", difference, type, &operands);
    }
    if (!is_bits && type_bits(type) == 32) {
        write_ternary(test, "mad24.lo", multiply_24, type, &operands);
        write_ternary(test, "mad24.hi", multiply_24_high, type, &operands);
    }
    if (strcmp(type, "s32") == 0) {
        write_saturated(test, "mad.hi.sat", multiply_high, type, &operands);
        write_saturated(test, "mad24.hi.sat", multiply_24_high, type, &operands);
    }
    test_end(test);
}

/* ---- chains over the carry ---- */

static void write_carry_chain(const char *type)
{
    char name[32];
    uint64_t a[THREADS], b[THREADS], results[8][THREADS];
    unsigned bits = type_bits(type);
    snprintf(name, sizeof name, "carry_%s", type);
    struct test *test = test_begin(name, "Sums and differences over several words.");
    uint64_t high_a[THREADS], high_b[THREADS];
    values_pairs(type, a, b);
    values_pairs(type, high_b, high_a);
    for (unsigned i = 0; i < THREADS; i++) {
        u128 low = (u128)a[i] + b[i], carry = low >> bits & 1;
        u128 middle = (u128)high_a[i] + high_b[i] + carry;
        results[0][i] = type_wrap(type, low);
        results[1][i] = type_wrap(type, middle);
        results[2][i] = type_wrap(type, 5 + (middle >> bits & 1)); /* a third word: 5 + 0 */
        u128 borrow = a[i] < b[i];
        u128 difference = (u128)high_a[i] - high_b[i] - borrow;
        bool borrows = (u128)high_a[i] < (u128)high_b[i] + borrow;
        results[3][i] = type_wrap(type, (u128)a[i] - b[i]);
        results[4][i] = type_wrap(type, difference);
        results[5][i] = type_wrap(type, (u128)9 - 2 - borrows);
    }
    test_input(test, "a", type, a);
    test_input(test, "b", type, b);
    test_input(test, "ha", type, high_a);
    test_input(test, "hb", type, high_b);
    const char *r = bits == 64 ? "rd" : "r";
    test_code(test, "add.cc.%s %%%s1, %%a, %%b;", type, r);
    test_code(test, "addc.cc.%s %%%s2, %%ha, %%hb;", type, r);
    test_code(test, "addc.%s %%%s3, 5, 0;", type, r);
    test_code(test, "sub.cc.%s %%%s4, %%a, %%b;", type, r);
    test_code(test, "subc.cc.%s %%%s5, %%ha, %%hb;", type, r);
    test_code(test, "subc.%s %%%s6, 9, 2;", type, r);
    for (unsigned k = 0; k < 6; k++)
        test_always(test, type, results[k], "mov.b%u $, %%%s%u", bits, r, k + 1);
    test_end(test);
}

/* mad.lo.cc, madc.hi.cc, madc.hi, mad.hi.cc, madc.lo.cc, madc.lo: a product plus an addend of two
 * words each, and the carries of both halves. */
static void write_mad_carry(const char *type)
{
    char name[32];
    uint64_t a[THREADS], b[THREADS], c[THREADS], results[7][THREADS];
    unsigned bits = type_bits(type);
    snprintf(name, sizeof name, "carry_mad_%s", type);
    struct test *test = test_begin(name, "Products with carries.");
    values_pairs(type, a, b);
    for (unsigned i = 0; i < THREADS; i++) {
        c[i] = i % 3 ? type_wrap(type, test_random()) : type_wrap(type, ~(u128)0);
        s128 x = type_value(type, a[i]), y = type_value(type, b[i]);
        uint64_t low = type_wrap(type, (u128)x * (u128)y);
        uint64_t high = type_wrap(type, (u128)multiply_high(type, x, y));
        u128 sum = (u128)low + c[i];
        u128 next = (u128)high + c[i] + (sum >> bits);
        results[0][i] = type_wrap(type, sum);
        results[1][i] = type_wrap(type, next);
        results[2][i] = type_wrap(type, (u128)high + 1 + (next >> bits));
        sum = (u128)high + c[i];
        next = (u128)low + c[i] + (sum >> bits);
        results[3][i] = type_wrap(type, sum);
        results[4][i] = type_wrap(type, next);
        results[5][i] = type_wrap(type, (u128)low + 2 + (next >> bits));
        results[6][i] = 0;
    }
    test_input(test, "a", type, a);
    test_input(test, "b", type, b);
    test_input(test, "c", type, c);
    const char *r = bits == 64 ? "rd" : "r";
    static const char *const names[] = {"mad.lo.cc", "madc.hi.cc", "madc.hi",
                                        "mad.hi.cc", "madc.lo.cc", "madc.lo"};
    static const char *const addends[] = {"%c", "%c", "1", "%c", "%c", "2"};
    for (unsigned k = 0; k < 6; k++)
        test_code(test, "%s.%s %%%s%u, %%a, %%b, %s;", names[k], type, r, k + 1, addends[k]);
    for (unsigned k = 0; k < 6; k++)
        test_always(test, type, results[k], "mov.b%u $, %%%s%u", bits, r, k + 1);
    test_end(test);
}

void generate_integer(void)
{
    static const char *const types[] = {"u16", "s16", "u32", "s32", "u64",
                                        "s64", "b16", "b32", "b64"};
    for (size_t i = 0; i < COUNT(types); i++)
        write_type(types[i]);
    static const char *const chained[] = {"u32", "s32", "u64", "s64"};
    for (size_t i = 0; i < COUNT(chained); i++) {
        write_carry_chain(chained[i]);
        write_mad_carry(chained[i]);
    }
}
