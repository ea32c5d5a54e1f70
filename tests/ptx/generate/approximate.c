/* Instructions whose results are open within a bound that the PTX ISA gives. The exact value is
 * computed in long double; values for which the document says just one result are wanted so. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"

static double number(uint64_t bits)
{
    float value;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t bits_of(long double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return isnan(single) ? 0x7fffffff : bits;
}

/* Subnormals to zero of their sign. */
static uint64_t flush(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

typedef long double (*function)(long double a, long double b);

static long double quotient(long double a, long double b)
{
    return a / b;
}

/* div.approx for large divisors: "if a is infinity, delivers NaN, otherwise it delivers 0". */
static long double fast_quotient(long double a, long double b)
{
    if (fabsl(b) > 0x1p126L && !isinf(b) && !isnan(a))
        return isinf(a) ? nanl("") : copysignl(0, a * copysignl(1, b));
    return a / b;
}

static long double reciprocal(long double a, long double b)
{
    (void)b;
    return 1 / a;
}

static long double root(long double a, long double b)
{
    (void)b;
    return sqrtl(a);
}

static long double reciprocal_root(long double a, long double b)
{
    (void)b;
    return 1 / sqrtl(a);
}

static long double sine(long double a, long double b)
{
    (void)b;
    return sinl(a);
}

static long double cosine(long double a, long double b)
{
    (void)b;
    return cosl(a);
}

static long double logarithm(long double a, long double b)
{
    (void)b;
    return log2l(a);
}

static long double power(long double a, long double b)
{
    (void)b;
    return exp2l(a);
}

static long double tangent(long double a, long double b)
{
    (void)b;
    return tanhl(a);
}

struct row {
    const char *name, *operands;
    function compute;
    bool has_plain, has_ftz;
    double relative, absolute;
};

/* The bounds, as powers of two, from the tables of each instruction. 2 ulp are at most 2^-22. */
static const struct row rows[] = {
    {"div.approx", "%a, %b", fast_quotient, true, true, 0x1p-22, 0x1p-148},
    {"div.full", "%a, %b", quotient, true, true, 0x1p-22, 0x1p-148},
    {"rcp.approx", "%a", reciprocal, true, true, 0x1p-23, 0x1p-149},
    {"sqrt.approx", "%a", root, true, true, 0x1p-23, 0x1p-149},
    {"rsqrt.approx", "%a", reciprocal_root, true, true, 0x1p-22, 0x1p-149},
    {"sin.approx", "%a", sine, true, true, 0, 0x1p-20},
    {"cos.approx", "%a", cosine, true, true, 0, 0x1p-20},
    {"lg2.approx", "%a", logarithm, true, true, 0x1p-22, 0x1p-22},
    {"ex2.approx", "%a", power, true, true, 0x1p-22, 0x1p-149},
    {"tanh.approx", "%a", tangent, true, false, 0x1p-11, 0},
};

static void choose_values(const struct row *row, uint64_t *a, uint64_t *b)
{
    static const uint64_t specials[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                        0x7fc00000, 0x3f800000, 0xbf800000, 0x00800000,
                                        0x00400000, 0x80200000, 0x40490fdb, 0x3f000000};
    bool is_angle = row->compute == sine || row->compute == cosine;
    bool is_power = row->compute == power, is_tangent = row->compute == tangent;
    bool is_logarithm = row->compute == logarithm;
    for (unsigned i = 0; i < THREADS; i++) {
        double part = (double)(test_random() >> 12) * 0x1p-52;
        double value = is_angle       ? (part - 0.5) * 6.28
                       : is_power     ? (part - 0.5) * 200
                       : is_tangent   ? (part - 0.5) * 8
                       : is_logarithm ? (i & 1 ? 0.5 + part : ldexp(1 + part, (int)i * 5 - 120))
                                      : ldexp(1 + part, (int)(i * 11 % 200) - 100);
        a[i] = i < COUNT(specials) ? specials[i] : bits_of(value);
        b[i] = i < COUNT(specials) ? specials[i * 5 % COUNT(specials)]
                                   : bits_of(ldexp(1 + part * part, (int)(i * 37 % 120) - 60));
        if (i >= THREADS - 4)
            b[i] = bits_of(ldexp(1.5, 126 - (int)(i % 4) / 2)) | (uint64_t)(i & 1) << 31;
    }
}

static void write_row(const struct row *row)
{
    char name[64];
    uint64_t a[THREADS], b[THREADS], results[THREADS];
    snprintf(name, sizeof name, "approximate_%.*s", (int)strcspn(row->name, "."), row->name);
    if (row->compute == quotient)
        strcat(name, "_full");
    struct test *test = test_begin(name, "Approximations, within their documented bounds.");
    choose_values(row, a, b);
    test_input(test, "a", "f32", a);
    test_input(test, "b", "f32", b);
    for (int is_ftz = !row->has_plain; is_ftz <= row->has_ftz; is_ftz++) {
        for (unsigned i = 0; i < THREADS; i++) {
            long double x = number(is_ftz ? flush(a[i]) : a[i]);
            long double y = number(is_ftz ? flush(b[i]) : b[i]);
            results[i] = bits_of(row->compute(x, y));
            if (is_ftz)
                results[i] = flush(results[i]);
        }
        test_near(test, "f32", results, row->relative, row->absolute, "%s%s.f32 $, %s", row->name,
                  is_ftz ? ".ftz" : "", row->operands);
    }
    test_end(test);
}

/* The doubles among them look at the upper words only. */
static void write_double(void)
{
    uint64_t a[THREADS], results[3][THREADS];
    struct test *test =
        test_begin("approximate_f64", "Approximations of doubles, from their upper words.");
    for (unsigned i = 0; i < THREADS; i++) {
        static const double specials[] = {0.0,  -0.0, INFINITY,  -INFINITY, 1.0,
                                          -4.0, NAN,  0x1p-1074, 0x1p1000};
        double part = (double)(test_random() >> 12) * 0x1p-52;
        double value = i < COUNT(specials) ? specials[i] : ldexp(1 + part, (int)i * 40 - 900);
        memcpy(&a[i], &value, sizeof value);
        double upper;
        uint64_t bits = a[i] & 0xffffffff00000000;
        memcpy(&upper, &bits, sizeof upper);
        bool is_subnormal = value != 0 && fabs(value) < 0x1p-1022;
        double flushed = is_subnormal ? copysign(0, value) : upper;
        double values[3] = {1 / flushed, 1 / sqrt(flushed), 1 / sqrt(value)};
        if (value > 0x1p1022)
            values[0] = 0;
        memcpy(&results[0][i], &values[0], 8);
        memcpy(&results[1][i], &values[1], 8);
        memcpy(&results[2][i], &values[2], 8);
    }
    test_input(test, "a", "f64", a);
    test_near(test, "f64", results[0], 0x1p-19, 0, "rcp.approx.ftz.f64 $, %%a");
    test_near(test, "f64", results[1], 0x1p-19, 0, "rsqrt.approx.ftz.f64 $, %%a");
    test_near(test, "f64", results[2], 0x1p-19, 0, "rsqrt.approx.f64 $, %%a");
    test_end(test);
}

static uint64_t half_of(const char *type, long double value)
{
    double rounded = (double)value;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return soft_pack(format_of(type), soft_unpack(&f64_format, bits, 0), ROUND_NEAREST, 0);
}

static double half_number(const char *type, uint64_t half)
{
    uint64_t bits = soft_pack(&f32_format, soft_unpack(format_of(type), half, 0), ROUND_NEAREST, 0);
    return number(bits);
}

/* The results of halves are compared after widening: ex2 within 2^-9.9 (f16) or 2^-7, tanh within
 * 2^-10.987 or 2^-8. */
static void write_half(const char *type)
{
    char name[32];
    uint64_t a[THREADS], results[THREADS];
    snprintf(name, sizeof name, "approximate_%s", type);
    struct test *test = test_begin(name, "Approximations of halves.");
    bool is_bfloat = strcmp(type, "bf16") == 0;
    for (unsigned i = 0; i < THREADS; i++) {
        double part = (double)(test_random() >> 12) * 0x1p-52;
        a[i] = half_of(type, (part - 0.5) * 12);
    }
    test_input(test, "a", type, a);
    test_code(test, "mov.b32 %%r1, {%%a, %%a};");
    for (unsigned k = 0; k < 4; k++) {
        bool is_tangent = k & 1, is_pair = k & 2;
        const char *form = is_tangent ? "tanh.approx" : is_bfloat ? "ex2.approx.ftz" : "ex2.approx";
        for (unsigned i = 0; i < THREADS; i++) {
            double x = half_number(type, a[i]);
            results[i] = bits_of(is_tangent ? tanhl(x) : exp2l(x));
        }
        if (is_pair) {
            test_code(test, "%s.%sx2 %%r2, %%r1;", form, type);
            test_code(test, "mov.b32 {%%h1, %%h2}, %%r2;");
        } else {
            test_code(test, "%s.%s %%h1, %%a;", form, type);
        }
        for (unsigned half = 1; half <= (is_pair ? 2u : 1u); half++)
            test_near(test, "f32", results, is_bfloat ? 0x1p-7 : 0x1p-9, 0, "cvt.f32.%s $, %%h%u",
                      type, half);
    }
    test_end(test);
}

void generate_approximate(void)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        write_row(&rows[i]);
    write_double();
    write_half("f16");
    write_half("bf16");
}
