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
    const float scale_a = of.has_vectors ? of.scales[0][row] : scale_of(of, 0);
    const float scale_b = of.has_vectors ? of.scales[1][column] : scale_of(of, 1);
    float value = of.alpha * scale_a * scale_b * sum;
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

/* ---- epilogues that read or write more than D, and transforms ---- */

enum { S8 = 5, S32, F64 };
enum { DRELU = 8, DGELU = 64, AUXILIARY = 128 };

DEVICE double read_wide(int type, const void *from, long long i)
{
    switch (type) {
    case S8:
        return ((const signed char *)from)[i];
    case S32:
        return ((const int *)from)[i];
    case F64:
        return ((const double *)from)[i];
    default:
        return read(type, from, i);
    }
}

/* Whole numbers: the nearest, ties to even, within what there is; of a NaN 0. */
DEVICE void write_wide(int type, void *to, long long i, double value)
{
    int whole;
    asm("cvt.rni.s32.f64 %0, %1;" : "=r"(whole) : "d"(value));
    switch (type) {
    case S8:
        ((signed char *)to)[i] = (signed char)(whole < -128 ? -128 : whole > 127 ? 127 : whole);
        return;
    case S32:
        ((int *)to)[i] = whole;
        return;
    case F64:
        ((double *)to)[i] = value;
        return;
    default:
        write(type, to, i, (float)value);
    }
}

/* 2 / (exp(2 inner) + 1) of the approximation: 1 - tanh(inner). */
DEVICE float gelu_slope(float x)
{
    const float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    const float power = __nvvm_ex2_approx_f(2.8853900818f * inner);
    const float rest = power > 3e38f ? 0.0f : 2 / (power + 1);
    return (1 - 0.5f * rest) + 0.5f * x * rest * (2 - rest) * 0.7978845608f * (1 + 0.134145f * x * x);
}

/* Eight rows of a column: a byte of a mask of signs is theirs alone. */
GLOBAL void warplens_epilogue_wide(wl_lt_epilogue of)
{
    const long long groups = (of.rows + 7) / 8, all = groups * of.columns * of.count;
    const long long step = (long long)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    for (long long i = (long long)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x(); i < all;
         i += step) {
        const long long first = i % groups * 8, column = i / groups % of.columns, batch = i / groups / of.columns;
        const long long beside = batch * of.aux_stride + column * of.aux_leading + first;
        const int last = of.rows - first < 8 ? (int)(of.rows - first) : 8;
        const bool has_mask = of.what & AUXILIARY && of.what & (RELU | DRELU);
        unsigned mask = has_mask && of.what & DRELU ? ((const u8 *)of.aux)[beside / 8] : 0;
        for (int j = 0; j < last; j++) {
            const long long at = batch * of.stride + (first + j) * of.row_step + column * of.column_step;
            float value = read(of.type, of.d, at);
            if (of.what & BIAS)
                value += read(of.bias_type, of.bias, batch * of.bias_stride + first + j);
            if (of.what & AUXILIARY && of.what & GELU)
                write(of.aux_type, of.aux, beside + j, value);
            if (of.what & RELU)
                mask |= (unsigned)(value > 0) << j;
            if (of.what & RELU)
                value = value > 0 ? value : 0;
            if (of.what & GELU)
                value = gelu(value);
            if (of.what & DRELU)
                value = mask >> j & 1 ? value : 0;
            if (of.what & DGELU)
                value *= gelu_slope(read(of.aux_type, of.aux, beside + j));
            write(of.type, of.d, at, value);
        }
        if (has_mask && of.what & RELU)
            ((u8 *)of.aux)[beside / 8] = (u8)mask;
    }
}

/* Bias and ReLU of a product in double precision. */
GLOBAL void warplens_epilogue_doubles(wl_lt_epilogue of)
{
    const long long all = of.rows * of.columns * of.count;
    const long long step = (long long)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    for (long long i = (long long)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x(); i < all;
         i += step) {
        const long long row = i % of.rows, column = i / of.rows % of.columns, batch = i / of.rows / of.columns;
        double *at = (double *)of.d + batch * of.stride + row * of.row_step + column * of.column_step;
        double value = *at;
        if (of.what & BIAS)
            value += ((const double *)of.bias)[batch * of.bias_stride + row];
        if (of.what & RELU)
            value = value > 0 ? value : 0;
        *at = value;
    }
}

/* A block for each line's sum. */
GLOBAL void warplens_line_sums(wl_lt_sums of)
{
    SHARED static float sums[256];
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    const long long line = __nvvm_read_ptx_sreg_ctaid_x(), batch = __nvvm_read_ptx_sreg_ctaid_y();
    float sum = 0;
    for (long long i = thread; i < of.depth; i += 256)
        sum += read(of.type, of.from, batch * of.stride + line * of.line_step + i * of.depth_step);
    sums[thread] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (thread < half)
            sums[thread] += sums[thread + half];
        __syncthreads();
    }
    if (thread == 0)
        write(of.to_type, of.to, batch * of.to_stride + line, sums[0]);
}

/* Where an element of a matrix is, by the orders' documented layouts. */
DEVICE long long place_in(const wl_lt_ordered &matrix, long long row, long long column)
{
    const long long group = column / 32 * matrix.leading, x = column % 32;
    switch (matrix.order) {
    case 0: /* columns */
        return column * matrix.leading + row;
    case 1: /* rows */
        return row * matrix.leading + column;
    case 2: /* rows of 32 columns */
        return group + row * 32 + x;
    case 3: /* tiles of 8 rows; in them 4 columns of 4 even or odd rows */
        return group + row / 8 * 256 + ((row % 2 * 4 + x / 8) * 8 + x / 4 % 2 * 4 + row % 8 / 2) * 4 + x % 4;
    default: /* tiles of 32 rows */
        return group + row / 32 * 1024 + ((row % 8 / 2 * 4 + row % 32 / 8) * 2 + row % 2) * 32 + x;
    }
}

DEVICE double element_of(const wl_lt_ordered &matrix, long long batch, long long row, long long column)
{
    const long long at =
        matrix.is_transposed ? place_in(matrix, column, row) : place_in(matrix, row, column);
    return read_wide(matrix.type, matrix.at, batch * matrix.stride + at);
}

template <typename Of> DEVICE double factor_of(const Of &of, int which)
{
    return of.factors[which] ? read_wide(of.factor_type, of.factors[which], 0) : of.values[which];
}

/* C = alpha A + beta B. A matrix without elements is not read. */
GLOBAL void warplens_transform(wl_lt_transform of)
{
    const long long all = of.rows * of.columns * of.count;
    const long long step = (long long)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    const double alpha = factor_of(of, 0), beta = factor_of(of, 1);
    for (long long i = (long long)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x(); i < all;
         i += step) {
        const long long row = i % of.rows, column = i / of.rows % of.columns, batch = i / of.rows / of.columns;
        double value = of.a.at && alpha != 0 ? alpha * element_of(of.a, batch, row, column) : 0;
        if (of.b.at && beta != 0)
            value += beta * element_of(of.b, batch, row, column);
        write_wide(of.c.type, of.c.to, batch * of.c.stride + place_in(of.c, row, column), value);
    }
}

/* A thread for each element of D; sums are those of 32-bit integers, which wrap. */
GLOBAL void warplens_whole(wl_lt_whole of)
{
    const long long all = of.rows * of.columns * of.count;
    const long long step = (long long)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    const double alpha = factor_of(of, 0), beta = factor_of(of, 1);
    for (long long i = (long long)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x(); i < all;
         i += step) {
        const long long row = i % of.rows, column = i / of.rows % of.columns, batch = i / of.rows / of.columns;
        const signed char *const a = (const signed char *)of.a.at + batch * of.a.stride;
        const signed char *const b = (const signed char *)of.b.at + batch * of.b.stride;
        unsigned sum = 0;
        for (long long k = 0; k < of.depth; k++) {
            const long long at_a = of.a.is_transposed ? place_in(of.a, k, row) : place_in(of.a, row, k);
            const long long at_b = of.b.is_transposed ? place_in(of.b, column, k) : place_in(of.b, k, column);
            sum += (unsigned)(a[at_a] * b[at_b]);
        }
        double value = alpha * (int)sum;
        if (beta != 0)
            value += beta * element_of(of.c, batch, row, column);
        write_wide(of.d.type, of.d.to, batch * of.d.stride + place_in(of.d, row, column), value);
    }
}
