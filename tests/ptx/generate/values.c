/* Types, and the values to try. */
#include <stdlib.h>
#include <string.h>

#include "generate.h"

unsigned type_bits(const char *type)
{
    return (unsigned)atoi(type + strcspn(type, "0123456789"));
}

bool type_is_signed(const char *type)
{
    return type[0] == 's';
}

bool type_is_float(const char *type)
{
    return type[0] == 'f' || strcmp(type, "bf16") == 0;
}

static u128 mask_of(const char *type)
{
    return ((u128)1 << type_bits(type)) - 1;
}

s128 type_value(const char *type, uint64_t bits)
{
    s128 value = (s128)(bits & mask_of(type));
    bool is_negative = type_is_signed(type) && value >> (type_bits(type) - 1);
    return is_negative ? value - ((s128)1 << type_bits(type)) : value;
}

uint64_t type_wrap(const char *type, u128 value)
{
    return (uint64_t)(value & mask_of(type));
}

u128 type_most(const char *type)
{
    return type_is_signed(type) ? mask_of(type) >> 1 : mask_of(type);
}

s128 type_least(const char *type)
{
    return type_is_signed(type) ? -(s128)(mask_of(type) >> 1) - 1 : 0;
}

enum { BOUNDS = 6 };

static void list_bounds(const char *type, uint64_t bounds[BOUNDS])
{
    uint64_t all = (uint64_t)mask_of(type), top = (all >> 1) + 1;
    const uint64_t values[BOUNDS] = {0, 1, all, top, top - 1, 0x5a5aa5a5c3c33c3cull & all};
    memcpy(bounds, values, sizeof values);
}

void values_pairs(const char *type, uint64_t *a, uint64_t *b)
{
    uint64_t bounds[BOUNDS];
    list_bounds(type, bounds);
    for (unsigned i = 0; i < THREADS; i++) {
        bool is_bound = i < BOUNDS * BOUNDS;
        a[i] = is_bound ? bounds[i / BOUNDS] : type_wrap(type, test_random());
        b[i] = is_bound ? bounds[i % BOUNDS] : type_wrap(type, test_random() >> 5 * (i & 7));
    }
}

void values_single(const char *type, uint64_t *a)
{
    unsigned bits = type_bits(type);
    uint64_t bounds[BOUNDS];
    list_bounds(type, bounds);
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t one_bit = 1ull << (i * 7 % bits), random = test_random() >> (i * 3 % bits);
        a[i] = type_wrap(type, i < BOUNDS ? bounds[i]
                               : i < 16   ? one_bit
                               : i < 24   ? ~one_bit
                                          : random);
    }
}

static uint64_t pack_parts(const struct format *format, bool negative, int exponent,
                           uint64_t fraction)
{
    int most = (1 << format->exponent_bits) - 2;
    exponent = exponent < 0 ? 0 : exponent > most ? most : exponent;
    uint64_t bits = (uint64_t)exponent << format->fraction_bits |
                    (fraction & ((1ull << format->fraction_bits) - 1));
    return bits | (uint64_t)negative << (format->fraction_bits + format->exponent_bits);
}

enum { SPECIALS = 14 };

static void list_specials(const struct format *format, uint64_t specials[SPECIALS])
{
    int bias = (1 << (format->exponent_bits - 1)) - 1;
    uint64_t sign = 1ull << (format->fraction_bits + format->exponent_bits);
    uint64_t infinite = ((1ull << format->exponent_bits) - 1) << format->fraction_bits;
    uint64_t one = (uint64_t)bias << format->fraction_bits;
    uint64_t least = 1ull << format->fraction_bits;
    const uint64_t values[SPECIALS] = {0,
                                       sign,
                                       one,
                                       one | sign,
                                       infinite,
                                       infinite | sign,
                                       infinite | 1 | least >> 1,
                                       least - 1,
                                       least,
                                       1,
                                       infinite - 1,
                                       (infinite - 1) | sign,
                                       (least - 1) | sign,
                                       one + least / 2 + 1};
    memcpy(specials, values, sizeof values);
}

void values_floats(const char *type, uint64_t *a, uint64_t *b, uint64_t *c)
{
    const struct format *format = format_of(type);
    int bias = (1 << (format->exponent_bits - 1)) - 1, fraction_bits = (int)format->fraction_bits;
    uint64_t specials[SPECIALS];
    list_specials(format, specials);
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t random[3] = {test_random(), test_random(), test_random()};
        int near = (int)(random[2] >> 40 & 3) - 1, spread = (int)(random[0] >> 57) % (bias / 2);
        int first = bias + spread - bias / 4, second = first + near;
        if (i % 4 == 1) /* products about the least number, quotients far from it */
            second = 2 * bias - first - bias + near - (int)(i & 8);
        else if (i % 4 == 2) /* and about the largest */
            second = 2 * bias - first + bias + near - 1;
        else if (i % 4 == 3) /* sums that lose all bits but a few */
            second = first - fraction_bits + near;
        a[i] = pack_parts(format, random[0] & 1, first, random[0] >> 5);
        b[i] = pack_parts(format, random[1] & 1, second, random[1] >> 5);
        c[i] = pack_parts(format, random[2] & 1, first + second - bias + near, random[2] >> 5);
        if (i < SPECIALS + 4) {
            a[i] = specials[i % SPECIALS];
            b[i] = specials[(i * 3 + (i >= SPECIALS)) % SPECIALS];
            c[i] = specials[(i * 5 + 2) % SPECIALS];
        }
    }
}
