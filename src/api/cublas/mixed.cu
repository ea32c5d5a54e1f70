/* Multiplication and dot products of narrow formats, the kernels behind cublasHgemm, cublasGemmEx and
 * their like: C = alpha op(A) op(B) + beta C, column-major, for any size; sums are formed in single
 * precision (of bytes: in integers) and rounded once. Plain ones: what they count is what such a call
 * does at least; cuBLAS uses tensor cores.
 *
 * mixed.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))
#include "narrow.cuh"

constexpr int THREADS = 256, TILE = 16;

/* Element (i, k) of op(A) lies at i * row_a + k * step_a, (k, j) of op(B) at k * step_b + j * column_b. A
 * matrix of each batch a block in z. */
template <typename In, typename Sum, typename Scale, typename Out>
DEVICE void multiply(int m, int n, int k, Scale alpha, const In *a, long long row_a, long long step_a,
                     long long stride_a, const In *b, long long step_b, long long column_b,
                     long long stride_b, Scale beta, Out *c, long long ldc, long long stride_c)
{
    SHARED static Sum tile_a[TILE][TILE + 1], tile_b[TILE][TILE + 1];
    int x = __nvvm_read_ptx_sreg_tid_x() % TILE, y = __nvvm_read_ptx_sreg_tid_x() / TILE;
    int row = __nvvm_read_ptx_sreg_ctaid_x() * TILE + x;
    int column = __nvvm_read_ptx_sreg_ctaid_y() * TILE + y;
    long long batch = __nvvm_read_ptx_sreg_ctaid_z();
    a += batch * stride_a;
    b += batch * stride_b;
    c += batch * stride_c;
    Sum sum = 0;
    for (int at = 0; at < k; at += TILE) {
        int ka = at + y, kb = at + x;
        tile_a[y][x] = row < m && ka < k ? value(a[row * row_a + ka * step_a]) : Sum(0);
        tile_b[y][x] = column < n && kb < k ? value(b[kb * step_b + column * column_b]) : Sum(0);
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += tile_a[i][x] * tile_b[y][i];
        __syncthreads();
    }
    if (row < m && column < n) {
        Out *to = c + row + column * ldc;
        Scale scaled = alpha * Scale(sum);
        put(to, beta == 0 ? scaled : scaled + beta * Scale(value(*to)));
    }
}

#define MULTIPLY(name, In, Sum, Scale, Out)                                                        \
    GLOBAL void warplens_gemm_##name(int m, int n, int k, Scale alpha, const In *a,                \
                                     long long row_a, long long step_a, long long stride_a,        \
                                     const In *b, long long step_b, long long column_b,            \
                                     long long stride_b, Scale beta, Out *c, long long ldc,        \
                                     long long stride_c)                                           \
    {                                                                                              \
        multiply<In, Sum, Scale, Out>(m, n, k, alpha, a, row_a, step_a, stride_a, b, step_b,       \
                                      column_b, stride_b, beta, c, ldc, stride_c);                 \
    }

MULTIPLY(f16_f16, half, float, float, half)
MULTIPLY(f16_f32, half, float, float, float)
MULTIPLY(bf16_bf16, bfloat, float, float, bfloat)
MULTIPLY(bf16_f32, bfloat, float, float, float)
MULTIPLY(s8_s32, signed char, int, int, int)
MULTIPLY(s8_f32, signed char, int, float, float)

/* One block adds up the products. */
template <typename T>
DEVICE void dot(int n, const T *x, int incx, const T *y, int incy, T *result, float *sums)
{
    int thread = __nvvm_read_ptx_sreg_tid_x();
    float sum = 0;
    x = incx < 0 ? x - (long long)(n - 1) * incx : x;
    y = incy < 0 ? y - (long long)(n - 1) * incy : y;
    for (long long i = thread; i < n; i += THREADS)
        sum += value(x[i * incx]) * value(y[i * incy]);
    sums[thread] = sum;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread < half)
            sums[thread] += sums[thread + half];
    }
    if (!thread)
        put(result, sums[0]);
}

#define DOT(name, T)                                                                               \
    GLOBAL void warplens_dot_##name(int n, const T *x, int incx, const T *y, int incy, T *result)  \
    {                                                                                              \
        SHARED static float sums[THREADS];                                                         \
        dot(n, x, incx, y, incy, result, sums);                                                    \
    }

DOT(f16, half)
DOT(bf16, bfloat)
