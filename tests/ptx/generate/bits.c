/* Shifts, bit fields, bytes, counting of bits (PTX ISA, "Logic and Shift Instructions" and parts of
 * "Integer Arithmetic Instructions"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

static bool bit(uint64_t value, unsigned at)
{
    return value >> at & 1;
}

/* ---- one source ---- */

static uint64_t count_ones(uint64_t a, unsigned bits)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < bits; i++)
        count += bit(a, i);
    return count;
}

static uint64_t leading_zeros(uint64_t a, unsigned bits)
{
    unsigned count = 0;
    while (count < bits && !bit(a, bits - 1 - count))
        count++;
    return count;
}

static uint64_t reverse(uint64_t a, unsigned bits)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < bits; i++)
        result |= (uint64_t)bit(a, i) << (bits - 1 - i);
    return result;
}

static uint64_t invert(uint64_t a, unsigned bits)
{
    (void)bits;
    return ~a;
}

static uint64_t invert_logically(uint64_t a, unsigned bits)
{
    (void)bits;
    return a == 0;
}

static uint64_t find_highest(uint64_t a, unsigned bits, bool is_signed, bool is_shift)
{
    bool ignored = is_signed && bit(a, bits - 1);
    for (unsigned i = bits; i-- > 0;)
        if (bit(a, i) != ignored)
            return is_shift ? bits - 1 - i : i;
    return 0xffffffff;
}

static void write_unary(struct test *test, const char *type, const uint64_t *a)
{
    static const struct {
        const char *name;
        uint64_t (*compute)(uint64_t a, unsigned bits);
        bool is_count, takes_16;
    } rows[] = {{"popc", count_ones, true, false},
                {"clz", leading_zeros, true, false},
                {"brev", reverse, false, false},
                {"not", invert, false, true},
                {"cnot", invert_logically, false, true}};
    unsigned bits = type_bits(type);
    uint64_t results[THREADS];
    for (size_t k = 0; k < COUNT(rows); k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = type_wrap(type, rows[k].compute(a[i], bits));
        if (bits > 16 || rows[k].takes_16)
            test_result(test, rows[k].is_count ? "u32" : type, results, "%s.%s $, %%a",
                        rows[k].name, type);
    }
    for (unsigned k = 0; k < 4 && bits > 16; k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = find_highest(a[i], bits, k & 1, k & 2);
        test_result(test, "u32", results, "bfind%s.%c%u $, %%a", k & 2 ? ".shiftamt" : "",
                    k & 1 ? 's' : 'u', bits);
    }
}

/* ---- shifts ---- */

static uint64_t shift(char direction, const char *type, uint64_t a, uint64_t amount)
{
    unsigned bits = type_bits(type);
    s128 value = type_value(type, a);
    if (direction == 'l')
        return amount >= bits ? 0 : type_wrap(type, (u128)value << amount);
    return type_wrap(type, (u128)(value >> (amount >= bits ? bits : amount)));
}

static void write_shifts(struct test *test, unsigned bits, const uint64_t *a,
                         const uint64_t *amounts)
{
    static const struct {
        char direction, type;
    } rows[] = {{'l', 'b'}, {'r', 'b'}, {'r', 'u'}, {'r', 's'}};
    /* ptxas cuts a literal amount to the width of the type */
    static const uint64_t literals[] = {3, 15, 31, 63, 64, 65537};
    uint64_t results[THREADS];
    for (size_t k = 0; k < COUNT(rows); k++) {
        char type[8];
        snprintf(type, sizeof type, "%c%u", rows[k].type, bits);
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = shift(rows[k].direction, type, a[i], amounts[i]);
        test_result(test, type, results, "sh%c.%s $, %%a, %%n", rows[k].direction, type);
        for (size_t n = 0; n < COUNT(literals); n++) {
            for (unsigned i = 0; i < THREADS; i++)
                results[i] = shift(rows[k].direction, type, a[i],
                                   bits == 16 ? literals[n] & 0xffff : literals[n]);
            if (n % 3 == k % 3 || literals[n] == bits || literals[n] > 100)
                test_result(test, type, results, "sh%c.%s $, %%a, %llu", rows[k].direction, type,
                            (unsigned long long)literals[n]);
        }
        for (unsigned i = 0; i < THREADS; i++)
            results[i] =
                shift(rows[k].direction, type, type_wrap(type, 0x9876543210fedcbaull), amounts[i]);
        test_result(test, type, results, "sh%c.%s $, 0x%llx, %%n", rows[k].direction, type,
                    (unsigned long long)type_wrap(type, 0x9876543210fedcbaull));
    }
}

static void write_bits(unsigned bits)
{
    char name[32], type[8];
    uint64_t a[THREADS], amounts[THREADS];
    snprintf(name, sizeof name, "bits_%u", bits);
    snprintf(type, sizeof type, "b%u", bits);
    struct test *test = test_begin(name, "Shifts, counts and inversion of bits.");
    values_single(type, a);
    for (unsigned i = 0; i < THREADS; i++) {
        static const uint64_t special[] = {
            32, 64, 63, 31, 16, 15, 0x100000001 & 0xffffffff, 0xffffffff, 0x80000000};
        amounts[i] = i % 4 == 3 ? special[i / 4 % COUNT(special)] : test_random() % (bits + 1);
    }
    test_input(test, "a", type, a);
    test_input(test, "n", "u32", amounts);
    write_unary(test, type, a);
    write_shifts(test, bits, a, amounts);
    test_end(test);
}

/* ---- funnel shifts ---- */

static void write_funnel(void)
{
    uint64_t a[THREADS], b[THREADS], n[THREADS], results[THREADS];
    struct test *test = test_begin("bits_shf", "Funnel shifts.");
    values_pairs("u32", a, b);
    for (unsigned i = 0; i < THREADS; i++)
        n[i] = i < 36 ? i : test_random() & 0xffffffff;
    test_input(test, "a", "b32", a);
    test_input(test, "b", "b32", b);
    test_input(test, "n", "b32", n);
    for (unsigned k = 0; k < 16; k++) {
        static const uint64_t literals[] = {0, 11, 40};
        bool is_left = k & 1, is_wrapped = k & 2;
        bool is_literal = k >= 4;
        uint64_t literal = is_literal ? literals[k / 4 - 1] : 0;
        for (unsigned i = 0; i < THREADS; i++) {
            uint64_t amount = is_literal ? literal : n[i];
            amount = is_wrapped ? amount % 32 : amount > 32 ? 32 : amount;
            u128 both = (u128)b[i] << 32 | a[i];
            results[i] = (uint64_t)(is_left ? both << amount >> 32 : both >> amount) & 0xffffffff;
        }
        if (is_literal)
            test_result(test, "b32", results, "shf.%c.%s.b32 $, %%a, %%b, %llu",
                        is_left ? 'l' : 'r', is_wrapped ? "wrap" : "clamp",
                        (unsigned long long)literal);
        else
            test_result(test, "b32", results, "shf.%c.%s.b32 $, %%a, %%b, %%n", is_left ? 'l' : 'r',
                        is_wrapped ? "wrap" : "clamp");
    }
    test_end(test);
}

/* ---- bit fields ---- */

static uint64_t extract(const char *type, uint64_t a, unsigned position, unsigned length)
{
    unsigned top = type_bits(type) - 1;
    position &= 0xff;
    length &= 0xff;
    unsigned sign_at = position + length - 1 < top ? position + length - 1 : top;
    bool sign = type_is_signed(type) && length && bit(a, sign_at);
    uint64_t result = 0;
    for (unsigned i = 0; i <= top; i++)
        result |= (uint64_t)(i < length && position + i <= top ? bit(a, position + i) : sign) << i;
    return result;
}

static uint64_t insert(const char *type, uint64_t a, uint64_t b, unsigned position, unsigned length)
{
    unsigned top = type_bits(type) - 1;
    position &= 0xff;
    length &= 0xff;
    for (unsigned i = 0; i < length && position + i <= top; i++)
        b = (b & ~(1ull << (position + i))) | (uint64_t)bit(a, i) << (position + i);
    return b;
}

static void write_fields(unsigned bits)
{
    char name[32], type[8];
    uint64_t a[THREADS], b[THREADS], positions[THREADS], lengths[THREADS], results[THREADS];
    snprintf(name, sizeof name, "bits_fields_%u", bits);
    snprintf(type, sizeof type, "b%u", bits);
    struct test *test = test_begin(name, "Bit fields.");
    values_pairs(type, a, b);
    for (unsigned i = 0; i < THREADS; i++) {
        static const uint64_t special[] = {0, 1, 31, 32, 33, 63, 64, 200, 255, 256, 0x10005};
        size_t wide_only = bits == 64 ? 2 : 0; /* more than 255 is open there */
        positions[i] =
            i % 3 == 0 ? special[i / 3 % (COUNT(special) - wide_only)] : test_random() % bits;
        lengths[i] = i % 5 == 0 ? special[i / 5 % (COUNT(special) - wide_only)]
                                : test_random() % (bits / 2 + 2);
    }
    test_input(test, "a", type, a);
    test_input(test, "b", type, b);
    test_input(test, "p", "u32", positions);
    test_input(test, "n", "u32", lengths);
    static const char *const extracted[2][2] = {{"u32", "s32"}, {"u64", "s64"}};
    for (unsigned k = 0; k < 4; k++) {
        const char *kind = extracted[bits == 64][k & 1];
        bool is_literal = k & 2;
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = is_literal
                             ? extract(kind, a[i], 5, 9)
                             : extract(kind, a[i], (unsigned)positions[i], (unsigned)lengths[i]);
        test_result(test, kind, results,
                    is_literal ? "bfe.%s $, %%a, 5, 9" : "bfe.%s $, %%a, %%p, %%n", kind);
    }
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = insert(type, a[i], b[i], (unsigned)positions[i], (unsigned)lengths[i]);
    test_result(test, type, results, "bfi.%s $, %%a, %%b, %%p, %%n", type);
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = insert(type, a[i], b[i], 20, 20);
    test_result(test, type, results, "bfi.%s $, %%a, %%b, 20, 20", type);
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = insert(type, 0x35, b[i], (unsigned)positions[i], 6);
    test_result(test, type, results, "bfi.%s $, 0x35, %%b, %%p, 6", type);
    test_end(test);
}

static uint64_t mask_bits(uint64_t position, uint64_t length, bool is_clamped)
{
    uint64_t at = position & 31, count = length & 31, low = 0xffffffffull << at & 0xffffffff;
    bool is_past = is_clamped && position >= 32, is_long = is_clamped && length >= 32;
    uint64_t high = at + count >= 32 || is_past || is_long ? 0 : 0xffffffffull << (at + count);
    return is_past ? 0 : low & ~high & 0xffffffff;
}

static uint64_t extend(uint64_t a, uint64_t length, bool is_clamped, bool is_signed)
{
    uint64_t count = length & 31;
    bool is_long = is_clamped && length >= 32;
    uint64_t mask = is_long ? 0 : 0xffffffffull << count & 0xffffffff;
    bool sign = is_signed && count && !is_long && bit(a, (unsigned)count - 1);
    return (a & ~mask & 0xffffffff) | (sign ? mask : 0);
}

static void write_masks(void)
{
    uint64_t a[THREADS], b[THREADS], results[THREADS];
    struct test *test = test_begin("bits_masks", "Masks of bits, extension from any width.");
    for (unsigned i = 0; i < THREADS; i++) {
        a[i] = i % 7 == 6 ? 32 + i : test_random() % 33;
        b[i] = i % 5 == 4 ? 31 + i % 4 : test_random() % 32;
    }
    test_input(test, "a", "u32", a);
    test_input(test, "b", "u32", b);
    test_code(test, "mul.lo.u32 %%r1, %%a, 0x9e3779b1;");
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = mask_bits(a[i], b[i], k);
        test_result(test, "b32", results, "bmsk.%s.b32 $, %%a, %%b", k ? "clamp" : "wrap");
    }
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = extend(a[i] * 0x9e3779b1 & 0xffffffff, b[i], k & 1, k & 2);
        test_result(test, "b32", results, "szext.%s.%s $, %%r1, %%b", k & 1 ? "clamp" : "wrap",
                    k & 2 ? "s32" : "u32");
    }
    test_end(test);
}

static uint64_t find_set(uint64_t mask, int base, int offset)
{
    if (offset == 0)
        return bit(mask, (unsigned)base) ? (uint64_t)base : 0xffffffff;
    int count = abs(offset);
    for (int at = base; at >= 0 && at<32; at += offset> 0 ? 1 : -1)
        if (bit(mask, (unsigned)at) && --count == 0)
            return (uint64_t)at;
    return 0xffffffff;
}

static void write_find(void)
{
    uint64_t a[THREADS], b[THREADS], c[THREADS], results[THREADS];
    struct test *test = test_begin("bits_fns", "The n-th bit that is set.");
    for (unsigned i = 0; i < THREADS; i++) {
        a[i] = test_random() & test_random() & 0xffffffff;
        b[i] = i % 32;
        c[i] = (uint64_t)((int)(test_random() % 11) - 5) & 0xffffffff;
        results[i] = find_set(a[i], (int)b[i], (int32_t)c[i]);
    }
    test_input(test, "a", "b32", a);
    test_input(test, "b", "b32", b);
    test_input(test, "c", "s32", c);
    test_result(test, "b32", results, "fns.b32 $, %%a, %%b, %%c");
    test_end(test);
}

/* ---- logic of three, bytes ---- */

static void write_lop3(void)
{
    uint64_t a[THREADS], b[THREADS], c[THREADS], results[THREADS];
    struct test *test = test_begin("bits_lop3", "Logic of three operands by its table.");
    static const unsigned tables[] = {0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1a, 0xc0, 0x3c,
                                      0x00, 0xff, 0xf0, 0xcc, 0xaa, 0x01, 0x02, 0x04,
                                      0x08, 0x10, 0x20, 0x40, 0xd8, 0xb8, 0x6a, 0x27};
    for (unsigned i = 0; i < THREADS; i++) {
        a[i] = i ? test_random() & 0xffffffff : 0xf0;
        b[i] = i ? test_random() & 0xffffffff : 0xcc;
        c[i] = i ? test_random() & 0xffffffff : 0xaa;
    }
    test_input(test, "a", "b32", a);
    test_input(test, "b", "b32", b);
    test_input(test, "c", "b32", c);
    for (size_t k = 0; k < COUNT(tables) + 2; k++) {
        unsigned table = k < COUNT(tables) ? tables[k] : 0xd2;
        for (unsigned i = 0; i < THREADS; i++) {
            uint64_t x = k == COUNT(tables) ? 0x0ff00ff0 : a[i];
            uint64_t z = k == COUNT(tables) + 1 ? 0x12345678 : c[i];
            results[i] = 0;
            for (unsigned n = 0; n < 32; n++) {
                unsigned row = (unsigned)bit(x, n) << 2 | (unsigned)bit(b[i], n) << 1 | bit(z, n);
                results[i] |= (uint64_t)(table >> row & 1) << n;
            }
        }
        test_result(test, "b32", results, "lop3.b32 $, %s, %%b, %s, 0x%x",
                    k == COUNT(tables) ? "0x0ff00ff0" : "%a",
                    k == COUNT(tables) + 1 ? "0x12345678" : "%c", table);
    }
    test_end(test);
}

static uint64_t pick_bytes(uint64_t a, uint64_t b, const unsigned char selectors[4])
{
    uint64_t bytes = b << 32 | a, result = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t byte = bytes >> (8 * (selectors[i] & 7)) & 0xff;
        if (selectors[i] & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

static void write_prmt(void)
{
    uint64_t a[THREADS], b[THREADS], c[THREADS], results[THREADS];
    struct test *test = test_begin("bits_prmt", "Bytes of two words in a new order.");
    /* of each mode by selector, the bytes from the lowest on */
    static const struct {
        const char *name;
        unsigned char bytes[4][4];
    } modes[] = {{"f4e", {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
                 {"b4e", {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
                 {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
                 {"ecl", {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
                 {"ecr", {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
                 {"rc16", {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}};
    for (unsigned i = 0; i < THREADS; i++) {
        a[i] = test_random() & 0xffffffff;
        b[i] = test_random() & 0xffffffff;
        c[i] = i == 0 ? 0x3210 : i == 1 ? 0xfedc : test_random() & 0xffffffff;
    }
    test_input(test, "a", "b32", a);
    test_input(test, "b", "b32", b);
    test_input(test, "c", "b32", c);
    for (unsigned k = 0; k < 4; k++) {
        static const uint64_t literals[] = {0x5410, 0x7632, 0xba98};
        for (unsigned i = 0; i < THREADS; i++) {
            uint64_t selector = k ? literals[k - 1] : c[i];
            unsigned char selectors[4];
            for (unsigned n = 0; n < 4; n++)
                selectors[n] = selector >> (4 * n) & 15;
            results[i] = pick_bytes(a[i], b[i], selectors);
        }
        if (k)
            test_result(test, "b32", results, "prmt.b32 $, %%a, %%b, 0x%llx",
                        (unsigned long long)literals[k - 1]);
        else
            test_result(test, "b32", results, "prmt.b32 $, %%a, %%b, %%c");
    }
    for (size_t k = 0; k < COUNT(modes); k++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = pick_bytes(a[i], b[i], modes[k].bytes[c[i] & 3]);
        test_result(test, "b32", results, "prmt.b32.%s $, %%a, %%b, %%c", modes[k].name);
    }
    test_end(test);
}

static s128 part(uint64_t value, unsigned at, unsigned bits, bool is_signed)
{
    char type[8];
    snprintf(type, sizeof type, "%c%u", is_signed ? 's' : 'u', bits);
    return type_value(type, value >> (at * bits));
}

static void write_dot(void)
{
    uint64_t a[THREADS], b[THREADS], c[THREADS], results[THREADS];
    struct test *test = test_begin("bits_dot", "Dot products of bytes.");
    values_pairs("u32", a, b);
    for (unsigned i = 0; i < THREADS; i++)
        c[i] = test_random() & 0xffffffff;
    test_input(test, "a", "b32", a);
    test_input(test, "b", "b32", b);
    test_input(test, "c", "b32", c);
    static const char *const words[] = {"u32", "s32"};
    for (unsigned k = 0; k < 12; k++) {
        bool a_signed = k & 1, b_signed = k & 2, is_two = k >= 4, is_high = k >= 8;
        for (unsigned i = 0; i < THREADS; i++) {
            s128 sum = (s128)c[i];
            for (unsigned n = 0; n < (is_two ? 2 : 4); n++)
                sum += part(a[i], n, is_two ? 16 : 8, a_signed) *
                       part(b[i], n + (is_high ? 2 : 0), 8, b_signed);
            results[i] = type_wrap("u32", (u128)sum);
        }
        test_result(test, "b32", results, "dp%ca%s.%s.%s $, %%a, %%b, %%c", is_two ? '2' : '4',
                    is_two ? (is_high ? ".hi" : ".lo") : "", words[a_signed], words[b_signed]);
    }
    test_end(test);
}

void generate_bits(void)
{
    write_bits(16);
    write_bits(32);
    write_bits(64);
    write_funnel();
    write_fields(32);
    write_fields(64);
    write_masks();
    write_find();
    write_lop3();
    write_prmt();
    write_dot();
}
