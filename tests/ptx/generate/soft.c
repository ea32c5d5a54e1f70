/* Floating point by integers: exact values, rounded once. */
#include <string.h>

#include "generate.h"

const struct format f16_format = {10, 5, 0x7fff};
const struct format bf16_format = {7, 8, 0x7fff};
const struct format f32_format = {23, 8, 0x7fffffff};
const struct format f64_format = {52, 11, 0x7fffffffffffffff};

const char *const rounding_words[4] = {"rn", "rz", "rm", "rp"};

const struct format *format_of(const char *type)
{
    return strcmp(type, "bf16") == 0 ? &bf16_format
           : type_bits(type) == 16   ? &f16_format
           : type_bits(type) == 32   ? &f32_format
                                     : &f64_format;
}

static int bias(const struct format *format)
{
    return (1 << (format->exponent_bits - 1)) - 1;
}

static uint64_t sign_bit(const struct format *format)
{
    return 1ull << (format->fraction_bits + format->exponent_bits);
}

bool soft_is_nan(const struct format *format, uint64_t bits)
{
    return soft_unpack(format, bits, 0).kind == SOFT_NAN;
}

struct soft soft_unpack(const struct format *format, uint64_t bits, int flags)
{
    struct soft value = {.negative = (bits & sign_bit(format)) != 0};
    uint64_t fraction = bits & ((1ull << format->fraction_bits) - 1);
    int exponent = (int)(bits >> format->fraction_bits & ((1u << format->exponent_bits) - 1));
    bool is_special = exponent == (1 << format->exponent_bits) - 1;
    if (is_special) {
        value.kind = fraction ? SOFT_NAN : SOFT_INFINITE;
        return value;
    }
    if (exponent == 0 && (fraction == 0 || (flags & SOFT_FTZ)))
        return value;
    value.kind = SOFT_FINITE;
    value.magnitude = fraction | (exponent ? 1ull << format->fraction_bits : 0);
    value.exponent = (exponent ? exponent : 1) - bias(format) - (int)format->fraction_bits;
    return value;
}

static int top_bit(u128 value)
{
    int top = -1;
    for (; value; value >>= 1)
        top++;
    return top;
}

/* value / 2^shift with what falls off ORed into the lowest bit. */
static u128 shift_sticky(u128 value, int shift)
{
    if (shift <= 0)
        return value << -shift;
    if (shift > 127)
        return value != 0;
    return value >> shift | ((value & (((u128)1 << shift) - 1)) != 0);
}

/* Whether to add one to the quotient whose remainder is rest of 2^shift. */
static bool rounds_up(u128 quotient, u128 rest, u128 half, bool negative, enum rounding rounding)
{
    switch (rounding) {
    case ROUND_NEAREST:
        return rest > half || (rest == half && (quotient & 1));
    case ROUND_MINUS:
        return rest && negative;
    case ROUND_PLUS:
        return rest && !negative;
    default:
        return false;
    }
}

static u128 divide_rounding(u128 value, int shift, bool negative, enum rounding rounding)
{
    if (shift <= 0)
        return value << -shift;
    if (shift > 127) {
        value = value != 0; /* far below one half */
        shift = 2;
    }
    u128 rest = value & (((u128)1 << shift) - 1);
    u128 quotient = value >> shift;
    return quotient + rounds_up(quotient, rest, (u128)1 << (shift - 1), negative, rounding);
}

static uint64_t pack_finite(const struct format *format, struct soft value, enum rounding rounding,
                            int flags)
{
    int fraction_bits = (int)format->fraction_bits, top = top_bit(value.magnitude);
    int least = 1 - bias(format) - fraction_bits;
    int lowest = value.exponent + top - fraction_bits; /* exponent of the result's last bit */
    lowest = lowest < least ? least : lowest;
    u128 quotient =
        divide_rounding(value.magnitude, lowest - value.exponent, value.negative, rounding);
    if (quotient >> (fraction_bits + 1)) {
        quotient >>= 1;
        lowest++;
    }
    uint64_t sign = value.negative ? sign_bit(format) : 0;
    if (!(quotient >> fraction_bits)) /* subnormal or zero */
        return sign | (flags & SOFT_FTZ ? 0 : (uint64_t)quotient);
    uint64_t most = (1ull << format->exponent_bits) - 1;
    uint64_t exponent = (uint64_t)(lowest + fraction_bits + bias(format));
    if (exponent < most)
        return sign | exponent << fraction_bits |
               ((uint64_t)quotient & ((1ull << fraction_bits) - 1));
    bool is_infinite =
        rounding == ROUND_NEAREST || rounding == (value.negative ? ROUND_MINUS : ROUND_PLUS);
    return sign | (is_infinite ? most << fraction_bits : (most << fraction_bits) - 1);
}

uint64_t soft_pack(const struct format *format, struct soft value, enum rounding rounding,
                   int flags)
{
    uint64_t one = (uint64_t)bias(format) << format->fraction_bits;
    if (value.kind == SOFT_NAN)
        return flags & SOFT_SAT ? 0 : format->nan;
    if (value.negative && (flags & (SOFT_SAT | SOFT_RELU)))
        return 0;
    uint64_t sign = value.negative ? sign_bit(format) : 0, bits = sign;
    if (value.kind == SOFT_INFINITE)
        bits = sign | ((1ull << format->exponent_bits) - 1) << format->fraction_bits;
    else if (value.kind == SOFT_FINITE)
        bits = pack_finite(format, value, rounding, flags);
    return flags & SOFT_SAT && bits > one ? one : bits;
}

struct soft soft_of_integer(bool negative, uint64_t magnitude)
{
    return (struct soft){magnitude ? SOFT_FINITE : SOFT_ZERO, negative && magnitude, magnitude, 0};
}

struct soft soft_negate(struct soft value)
{
    value.negative = !value.negative;
    return value;
}

/* Brings the magnitude's top bit to bit 124. */
static struct soft normalise(struct soft value)
{
    int shift = 124 - top_bit(value.magnitude);
    value.magnitude = shift_sticky(value.magnitude, -shift);
    value.exponent -= shift;
    return value;
}

static struct soft add_finite(struct soft a, struct soft b, enum rounding rounding)
{
    a = normalise(a);
    b = normalise(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.magnitude < b.magnitude)) {
        struct soft swap = a;
        a = b;
        b = swap;
    }
    u128 aligned = shift_sticky(b.magnitude, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.magnitude += aligned;
        return a;
    }
    a.magnitude -= aligned;
    if (a.magnitude == 0)
        return (struct soft){.negative = rounding == ROUND_MINUS};
    return a;
}

struct soft soft_add(struct soft a, struct soft b, enum rounding rounding)
{
    if (a.kind == SOFT_NAN || b.kind == SOFT_NAN)
        return (struct soft){.kind = SOFT_NAN};
    if (a.kind == SOFT_INFINITE || b.kind == SOFT_INFINITE) {
        bool is_nan = a.kind == b.kind && a.negative != b.negative;
        return is_nan ? (struct soft){.kind = SOFT_NAN} : a.kind == SOFT_INFINITE ? a : b;
    }
    if (a.kind == SOFT_ZERO && b.kind == SOFT_ZERO)
        return (struct soft){.negative =
                                 a.negative == b.negative ? a.negative : rounding == ROUND_MINUS};
    if (a.kind == SOFT_ZERO || b.kind == SOFT_ZERO)
        return a.kind == SOFT_ZERO ? b : a;
    return add_finite(a, b, rounding);
}

struct soft soft_multiply(struct soft a, struct soft b)
{
    struct soft product = {.negative = a.negative != b.negative};
    bool has_zero = a.kind == SOFT_ZERO || b.kind == SOFT_ZERO;
    bool has_infinity = a.kind == SOFT_INFINITE || b.kind == SOFT_INFINITE;
    if (a.kind == SOFT_NAN || b.kind == SOFT_NAN || (has_zero && has_infinity)) {
        product.kind = SOFT_NAN;
    } else if (has_zero || has_infinity) {
        product.kind = has_zero ? SOFT_ZERO : SOFT_INFINITE;
    } else {
        product.kind = SOFT_FINITE;
        product.magnitude = a.magnitude * b.magnitude;
        product.exponent = a.exponent + b.exponent;
    }
    return product;
}

struct soft soft_divide(struct soft a, struct soft b)
{
    struct soft quotient = {.negative = a.negative != b.negative};
    bool is_invalid = a.kind == b.kind && (a.kind == SOFT_ZERO || a.kind == SOFT_INFINITE);
    if (a.kind == SOFT_NAN || b.kind == SOFT_NAN || is_invalid) {
        quotient.kind = SOFT_NAN;
    } else if (a.kind == SOFT_INFINITE || b.kind == SOFT_ZERO) {
        quotient.kind = SOFT_INFINITE;
    } else if (a.kind == SOFT_FINITE && b.kind == SOFT_FINITE) {
        quotient.kind = SOFT_FINITE;
        int shift = 126 - top_bit(a.magnitude);
        u128 dividend = a.magnitude << shift;
        quotient.magnitude = dividend / b.magnitude << 1 | (dividend % b.magnitude != 0);
        quotient.exponent = a.exponent - shift - b.exponent - 1;
    }
    return quotient;
}

struct soft soft_root(struct soft a)
{
    if (a.kind == SOFT_NAN || (a.negative && a.kind != SOFT_ZERO))
        return (struct soft){.kind = SOFT_NAN};
    if (a.kind != SOFT_FINITE)
        return a;
    int shift = 126 - top_bit(a.magnitude);
    shift -= (a.exponent - shift) & 1;
    u128 radicand = a.magnitude << shift, root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        u128 next = root | (u128)1 << bit;
        root = next * next <= radicand ? next : root;
    }
    a.magnitude = root << 1 | (root * root != radicand);
    a.exponent = (a.exponent - shift) / 2 - 1;
    return a;
}

struct soft soft_fma(struct soft a, struct soft b, struct soft c, enum rounding rounding)
{
    return soft_add(soft_multiply(a, b), c, rounding);
}

static int compare_magnitudes(struct soft a, struct soft b)
{
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    if (a.kind != SOFT_FINITE)
        return 0;
    a = normalise(a);
    b = normalise(b);
    if (a.exponent != b.exponent)
        return a.exponent < b.exponent ? -1 : 1;
    return a.magnitude < b.magnitude ? -1 : a.magnitude > b.magnitude;
}

int soft_compare(struct soft a, struct soft b)
{
    if (a.kind == SOFT_NAN || b.kind == SOFT_NAN)
        return 2;
    if (a.kind == SOFT_ZERO && b.kind == SOFT_ZERO)
        return 0;
    bool a_negative = a.negative && a.kind != SOFT_ZERO,
         b_negative = b.negative && b.kind != SOFT_ZERO;
    if (a_negative != b_negative)
        return a_negative ? -1 : 1;
    return a_negative ? -compare_magnitudes(a, b) : compare_magnitudes(a, b);
}

struct soft soft_round_integral(struct soft value, enum rounding rounding)
{
    if (value.kind != SOFT_FINITE || value.exponent >= 0)
        return value;
    value.magnitude = divide_rounding(value.magnitude, -value.exponent, value.negative, rounding);
    value.exponent = 0;
    value.kind = value.magnitude ? SOFT_FINITE : SOFT_ZERO;
    return value;
}

s128 soft_to_integer(struct soft value, enum rounding rounding, s128 least, u128 most)
{
    if (value.kind == SOFT_INFINITE)
        return value.negative ? least : (s128)most;
    value = soft_round_integral(value, rounding);
    if (value.kind == SOFT_ZERO)
        return 0;
    bool is_huge = value.exponent + top_bit(value.magnitude) > 100;
    u128 magnitude = is_huge ? (u128)1 << 100 : value.magnitude << value.exponent;
    s128 number = value.negative ? -(s128)magnitude : (s128)magnitude;
    return number < least ? least : number > (s128)most ? (s128)most : number;
}
