/* What cublasLtMatmul does to a product before it is stored: bias, ReLU, GELU (its approximation by tanh); and the
 * products of 8-bit floating-point numbers, a plain kernel where cuBLASLt uses tensor cores. epilogue.ptx is made from
 * this file (see the command in its first line) and embedded in the library.
 */
#include "narrow.h"

#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline

#define SHARED __attribute__((shared))

typedef unsigned char u8;
typedef unsigned short u16;

enum { F32, F16, BF16, E4M3, E5M2 };
enum { RELU = 2, BIAS = 4, GELU = 32 };

constexpr int TILE = WL_LT_TILE;

DEVICE float value_of_half(u16 bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

/* Of E4M3, which has no infinity. */
DEVICE float value_of_e4m3(u8 bits)
{
    unsigned magnitude = bits & 0x7f;
    float value = __builtin_bit_cast(float, magnitude << 20) * 0x1p120f;
    value = magnitude == 0x7f ? __builtin_nanf("") : value;
    return bits & 0x80 ? -value : value;
}

/* To the nearest, ties to even; what is too large becomes the largest number. */
DEVICE u8 narrow(float value, int fraction_bits, int bias, unsigned largest)
{
    const unsigned all = __builtin_bit_cast(unsigned, value), sign = all >> 24 & 0x80;
    unsigned bits = all & 0x7fffffff, dropped = 23 - fraction_bits;
    if (bits > 0x7f800000)
        return (u8)(sign | 0x7f);
    if (bits < (unsigned)(128 - bias) << 23) { /* of the least exponent: a multiple of its last place */
        const float scaled = __builtin_bit_cast(float, bits) *
                             __builtin_bit_cast(float, (unsigned)(127 + bias - 1 + fraction_bits) << 23);
        return (u8)(sign | (__builtin_bit_cast(unsigned, scaled + 0x1p23f) & 0xff));
    }
    bits += (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
    bits = (bits >> dropped) - ((unsigned)(127 - bias) << fraction_bits);
    return (u8)(sign | (bits < largest ? bits : largest));
}

DEVICE float read(int type, const void *from, long long i)
{
    switch (type) {
    case F32:
        return ((const float *)from)[i];
    case F16:
        return value_of_half(((const u16 *)from)[i]);
    case BF16:
        return __builtin_bit_cast(float, (unsigned)((const u16 *)from)[i] << 16);
    case E4M3:
        return value_of_e4m3(((const u8 *)from)[i]);
    default: /* the upper half of a half */
        return value_of_half((u16)(((const u8 *)from)[i] << 8));
    }
}

DEVICE void write(int type, void *to, long long i, float value)
{
    unsigned bits = __builtin_bit_cast(unsigned, value);
    u16 half;
    switch (type) {
    case F32:
        ((float *)to)[i] = value;
        return;
    case F16:
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
        ((u16 *)to)[i] = half;
        return;
    case BF16:
        ((u16 *)to)[i] = value != value ? 0x7fff : (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        return;
    case E4M3:
        ((u8 *)to)[i] = narrow(value, 3, 7, 0x7e);
        return;
    default:
        ((u8 *)to)[i] = narrow(value, 2, 15, 0x7b);
    }
}

DEVICE float gelu(float x)
{
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    float power = __nvvm_ex2_approx_f(2.8853900818f * inner); /* exp(2 inner) */
    return x * (power > 3e38f ? 1.0f : power / (power + 1));
}

/* bias: one value a row. */
DEVICE float finish(float value, int what, int bias_type, const void *bias, long long row)
{
    if (what & BIAS)
        value += read(bias_type, bias, row);
    if (what & RELU)
        value = value > 0 ? value : 0;
    if (what & GELU)
        value = gelu(value);
    return value;
}

GLOBAL void warplens_epilogue(int type, int bias_type, int what, void *matrix, const void *bias, long long rows,
                              long long columns, long long leading)
{
    long long step = (long long)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    for (long long i = (long long)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x();
         i < rows * columns; i += step) {
        long long at = i / rows * leading + i % rows;
        write(type, matrix, at, finish(read(type, matrix, at), what, bias_type, bias, i % rows));
    }
}

GLOBAL void warplens_narrow_begin(float *largest)
{
    if (__nvvm_read_ptx_sreg_tid_x() == 0)
        *largest = 0;
}

DEVICE float scale_of(const wl_lt_narrow &of, int matrix)
{
    return of.scales[matrix] ? *of.scales[matrix] : 1;
}

/* A block for each tile of D, of a batch's product one in z. */
GLOBAL void warplens_narrow(wl_lt_narrow of)
{
    SHARED static float left[TILE][TILE + 1], right[TILE][TILE + 1];
    const int x = __nvvm_read_ptx_sreg_tid_x() % TILE, y = __nvvm_read_ptx_sreg_tid_x() / TILE;
    const long long tile_row = (long long)__nvvm_read_ptx_sreg_ctaid_x() * TILE, row = tile_row + x;
    const long long tile_column = (long long)__nvvm_read_ptx_sreg_ctaid_y() * TILE, column = tile_column + y;
    const long long batch = __nvvm_read_ptx_sreg_ctaid_z();
    const long long depth = of.depth, own = tile_row + y; /* read once: others may write memory meanwhile */
    const long long first_a = batch * of.strides[0] + own * of.leading[0] + x;
    const long long first_b = batch * of.strides[1] + column * of.leading[1] + x;
    const bool has_row = own < of.rows, has_column = column < of.columns;
    const int type_a = of.types[0], type_b = of.types[1];
    const void *const a = of.a, *const b = of.b;
    float sum = 0;
    for (long long at = 0; at < depth; at += TILE) { /* columns of both factors are read along */
        left[x][y] = has_row && at + x < depth ? read(type_a, a, first_a + at) : 0;
        right[y][x] = has_column && at + x < depth ? read(type_b, b, first_b + at) : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[i][x] * right[y][i];
        __syncthreads();
    }
    if (row >= of.rows || column >= of.columns)
        return;
    float value = of.alpha * scale_of(of, 0) * scale_of(of, 1) * sum;
    if (of.beta != 0)
        value += of.beta * scale_of(of, 2) *
                 read(of.types[2], of.c, batch * of.strides[2] + column * of.leading[2] + row);
    value = finish(value, of.epilogue, of.bias_type, of.bias, row);
    if (of.largest) { /* numbers of one sign are in the order of their bits */
        unsigned bits = __builtin_bit_cast(unsigned, value) & 0x7fffffff;
        asm volatile("red.global.max.u32 [%0], %1;" ::"l"(of.largest), "r"(bits) : "memory");
    }
    write(of.types[3], of.d, batch * of.strides[3] + column * of.leading[3] + row, value * scale_of(of, 3));
}
