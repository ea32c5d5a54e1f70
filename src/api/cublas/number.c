#include "api/cublas/number.h"

#include <string.h>

uint32_t wl_number_bytes(enum wl_number type)
{
    static const uint8_t bytes[] = {
        [WL_NUMBER_F32] = 4,  [WL_NUMBER_F16] = 2, [WL_NUMBER_BF16] = 2, [WL_NUMBER_E4M3] = 1,
        [WL_NUMBER_E5M2] = 1, [WL_NUMBER_S8] = 1,  [WL_NUMBER_S32] = 4,  [WL_NUMBER_F64] = 8,
    };
    return bytes[type];
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define VECTORS __attribute__((target("avx2,fma,f16c")))
enum { STEP = 8 };

static bool ask(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma");
}

bool wl_number_is_there(void)
{
    enum { UNKNOWN, NO, YES };
    static int known; /* a virtual machine answers cpuid as slowly as a small product is computed */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == UNKNOWN) {
        answer = ask() ? YES : NO;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == YES;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- reading ---- */

VECTORS static __m256 read_f16(const void *from)
{
    return _mm256_cvtph_ps(_mm_loadu_si128(from));
}

VECTORS static __m256 read_bf16(const void *from)
{
    const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
}

/* The upper half of a half. */
VECTORS static __m256 read_e5m2(const void *from)
{
    const __m128i codes = _mm_cvtepu8_epi16(_mm_loadl_epi64(from));
    return _mm256_cvtph_ps(_mm_slli_epi16(codes, 8));
}

/* A half of the same fields is 2^8 times as small, NaN one of its numbers. */
VECTORS static __m256 read_e4m3(const void *from)
{
    const __m128i codes = _mm_cvtepu8_epi16(_mm_loadl_epi64(from)),
                  magnitudes = _mm_and_si128(codes, _mm_set1_epi16(0x7f)),
                  signs = _mm_slli_epi16(_mm_sub_epi16(codes, magnitudes), 8),
                  are_nan = _mm_cmpeq_epi16(magnitudes, _mm_set1_epi16(0x7f)),
                  half = _mm_or_si128(_mm_or_si128(_mm_slli_epi16(magnitudes, 7), signs),
                                      _mm_and_si128(are_nan, _mm_set1_epi16(0x7fff)));
    return _mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(0x1p8f));
}

/* Those at the end beside zeros. */
#define READ(type)                                                                            \
    VECTORS static void read_all_##type(const uint8_t *from, uint32_t bytes, long long count, \
                                        float *to)                                            \
    {                                                                                         \
        float last[STEP];                                                                     \
        uint8_t rest[STEP * sizeof(float)] = {0};                                             \
        long long i = 0;                                                                      \
        for (; i + STEP <= count; i += STEP)                                                  \
            _mm256_storeu_ps(to + i, read_##type(from + i * bytes));                          \
        if (i == count)                                                                       \
            return;                                                                           \
        memcpy(rest, from + i * bytes, (size_t)(count - i) * bytes);                          \
        _mm256_storeu_ps(last, read_##type(rest));                                            \
        memcpy(to + i, last, (size_t)(count - i) * sizeof *to);                               \
    }
READ(f16)
READ(bf16)
READ(e4m3)
READ(e5m2)

void wl_number_read(enum wl_number type, const void *from, long long count, float *to)
{
    switch (type) {
    case WL_NUMBER_F16:
        read_all_f16(from, 2, count, to);
        break;
    case WL_NUMBER_BF16:
        read_all_bf16(from, 2, count, to);
        break;
    case WL_NUMBER_E4M3:
        read_all_e4m3(from, 1, count, to);
        break;
    case WL_NUMBER_E5M2:
        read_all_e5m2(from, 1, count, to);
        break;
    default:
        memcpy(to, from, (size_t)count * sizeof *to);
    }
}

/* ---- writing ---- */

VECTORS static void write_f16(uint16_t *to, long long count, const float *from)
{
    long long i = 0;
    for (; i + STEP <= count; i += STEP)
        _mm_storeu_si128((__m128i *)(void *)(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < count; i++)
        to[i] = _cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT);
}

VECTORS static void write_bf16(uint16_t *to, long long count, const float *from)
{
    for (long long i = 0; i < count; i++) {
        const uint32_t bits = bits_of(from[i]);
        const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
        to[i] = (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded);
    }
}

VECTORS static uint8_t narrow(float value, uint32_t fraction_bits, uint32_t bias, uint32_t largest)
{
    const uint32_t all = bits_of(value), sign = all >> 24 & 0x80, dropped = 23 - fraction_bits;
    uint32_t bits = all & 0x7fffffff;
    if (bits > 0x7f800000)
        return (uint8_t)(sign | 0x7f);
    if (bits < (128 - bias) << 23) { /* of the least exponent: a multiple of its last place */
        const float scale = float_of((127 + bias - 1 + fraction_bits) << 23);
        return (uint8_t)(sign | (bits_of(__builtin_fmaf(float_of(bits), scale, 0x1p23f)) & 0xff));
    }
    bits += (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
    bits = (bits >> dropped) - ((127 - bias) << fraction_bits);
    return (uint8_t)(sign | (bits < largest ? bits : largest));
}

void wl_number_write(enum wl_number type, void *to, long long count, const float *from)
{
    switch (type) {
    case WL_NUMBER_F16:
        write_f16(to, count, from);
        break;
    case WL_NUMBER_BF16:
        write_bf16(to, count, from);
        break;
    case WL_NUMBER_E4M3:
        for (long long i = 0; i < count; i++)
            ((uint8_t *)to)[i] = narrow(from[i], 3, 7, 0x7e);
        break;
    case WL_NUMBER_E5M2:
        for (long long i = 0; i < count; i++)
            ((uint8_t *)to)[i] = narrow(from[i], 2, 15, 0x7b);
        break;
    default:
        memcpy(to, from, (size_t)count * sizeof *from);
    }
}

/* ---- between them ---- */

VECTORS void wl_number_scale(float *values, long long count, float factor, const float *addends,
                             float addend_factor)
{
    for (long long i = 0; i < count; i++)
        values[i] *= factor;
    for (long long i = 0; i < count && addends; i++)
        values[i] = __builtin_fmaf(addends[i], addend_factor, values[i]);
    for (long long i = 0; i < count; i++)
        values[i] = values[i] == values[i] ? values[i] : float_of(WL_NUMBER_NAN);
}

VECTORS void wl_number_scale_f64(double *values, long long count, double factor,
                                 const double *addends, double addend_factor)
{
    for (long long i = 0; i < count; i++)
        values[i] *= factor;
    for (long long i = 0; i < count && addends; i++)
        values[i] = __builtin_fma(addends[i], addend_factor, values[i]);
}

VECTORS bool wl_number_has_nan_f64(const double *values, long long count)
{
    int64_t found = 0;
    for (long long i = 0; i < count; i++)
        found |= values[i] != values[i];
    return found != 0;
}
#else
bool wl_number_is_there(void)
{
    return false;
}

void wl_number_read(enum wl_number type, const void *from, long long count, float *to)
{
    (void)type, (void)from, (void)count, (void)to;
}

void wl_number_write(enum wl_number type, void *to, long long count, const float *from)
{
    (void)type, (void)to, (void)count, (void)from;
}

void wl_number_scale(float *values, long long count, float factor, const float *addends,
                     float addend_factor)
{
    (void)values, (void)count, (void)factor, (void)addends, (void)addend_factor;
}

void wl_number_scale_f64(double *values, long long count, double factor, const double *addends,
                         double addend_factor)
{
    (void)values, (void)count, (void)factor, (void)addends, (void)addend_factor;
}

bool wl_number_has_nan_f64(const double *values, long long count)
{
    (void)values, (void)count;
    return true;
}
#endif
