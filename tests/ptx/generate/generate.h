/* Writes tests/ptx/generated: PTX kernels that run one instruction after another on chosen values,
 * with the results that the PTX ISA document demands. What an instruction gives is computed here on
 * its own, from that document; nothing of src/ is used. */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

#define THREADS 40 /* of a block: a full warp and a part of one */

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- emit.c: one case, a file ---- */

struct test;

/* name is the file and the kernel; about its first line. */
struct test *test_begin(const char *name, const char *about);
void test_threads(struct test *test, unsigned threads); /* other than THREADS; 2 warps at most */
void test_directive(struct test *test, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A buffer with one value a thread, and a register %NAME that holds the thread's own. type: "u32",
 * "b16", "f64" ... */
void test_input(struct test *test, const char *name, const char *type, const uint64_t *values);
/* A buffer of any size, whose address is in %NAME. */
void test_buffer(struct test *test, const char *name, const char *type, const uint64_t *values,
                 size_t count);
void test_code(struct test *test, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Before the entry: variables, functions. */
void test_module(struct test *test, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* After everything: expectations about buffers of test_buffer. */
void test_expect(struct test *test, const char *name, const char *type, const uint64_t *values,
                 size_t count);
/* One instruction, whose destination is written as $; its results, one a thread, are stored. Every
 * third one is guarded by an odd or even thread number. type "f32" or "f64" takes any NaN where a
 * NaN is expected, "b32", "b64" want the very bits. */
void test_result(struct test *test, const char *type, const uint64_t *values, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));
/* The same, unguarded. */
void test_always(struct test *test, const char *type, const uint64_t *values, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));
/* The same with errors allowed. */
void test_near(struct test *test, const char *type, const uint64_t *values, double relative,
               double absolute, const char *format, ...) __attribute__((format(printf, 6, 7)));
void test_end(struct test *test);

/* A number that looks random, the same in every run; test_begin starts the series again. */
uint64_t test_random(void);

/* ---- types ---- */

unsigned type_bits(const char *type); /* 32 for "u32" */
bool type_is_signed(const char *type);
bool type_is_float(const char *type);
/* A register's content as a number, by type; and back. */
s128 type_value(const char *type, uint64_t bits);
uint64_t type_wrap(const char *type, u128 value);
u128 type_most(const char *type); /* largest value */
s128 type_least(const char *type);

/* THREADS values of an integer type: every pair of the bounds comes up among a, b. */
void values_pairs(const char *type, uint64_t *a, uint64_t *b);
void values_single(const char *type, uint64_t *a);
/* Floats, subnormals, zeros, infinities and NaN among them; sums and products near all bounds. */
void values_floats(const char *type, uint64_t *a, uint64_t *b, uint64_t *c);

/* ---- soft.c: floating point by integers ---- */

struct format {
    unsigned fraction_bits, exponent_bits;
    uint64_t nan; /* the canonical one */
};
extern const struct format f16_format, bf16_format, f32_format, f64_format;
const struct format *format_of(const char *type);

enum soft_class { SOFT_ZERO, SOFT_FINITE, SOFT_INFINITE, SOFT_NAN };

/* (negative ? -1 : 1) * magnitude * 2^exponent; the lowest bit of magnitude also stands for
 * anything not zero below it. */
struct soft {
    enum soft_class kind;
    bool negative;
    u128 magnitude;
    int exponent;
};

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_MINUS, ROUND_PLUS };
extern const char *const rounding_words[4];

enum { SOFT_FTZ = 1, SOFT_SAT = 2, SOFT_RELU = 4 };

/* flags: SOFT_FTZ makes subnormals zeros of their sign. */
struct soft soft_unpack(const struct format *format, uint64_t bits, int flags);
uint64_t soft_pack(const struct format *format, struct soft value, enum rounding rounding,
                   int flags);
struct soft soft_of_integer(bool negative, uint64_t magnitude);
struct soft soft_negate(struct soft value);
struct soft soft_add(struct soft a, struct soft b, enum rounding rounding);
struct soft soft_multiply(struct soft a, struct soft b);
struct soft soft_divide(struct soft a, struct soft b);
struct soft soft_root(struct soft a);
struct soft soft_fma(struct soft a, struct soft b, struct soft c, enum rounding rounding);
/* -1, 0, 1; 2 where one is NaN. */
int soft_compare(struct soft a, struct soft b);
/* To an integer in the given rounding; clamped to [least, most] (PTX ISA, cvt). Not for NaN. */
s128 soft_to_integer(struct soft value, enum rounding rounding, s128 least, u128 most);
struct soft soft_round_integral(struct soft value, enum rounding rounding);
bool soft_is_nan(const struct format *format, uint64_t bits);

/* ---- the cases ---- */

void generate_integer(void);
void generate_bits(void);
void generate_floats(void);
void generate_contract(void);
void generate_approximate(void);
void generate_compare(void);
void generate_convert(void);
void generate_memory(void);
void generate_atomic(void);
void generate_lanes(void);
void generate_special(void);
void generate_control(void);
void generate_random(void);

#endif
