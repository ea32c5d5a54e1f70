/* cuBLAS's calls on complex numbers against what is computed here. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef double complex number;
typedef float complex narrow;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasZcopy_v2(void *handle, int n, const number *x, int incx, number *y, int incy);
int cublasCswap_v2(void *handle, int n, narrow *x, int incx, narrow *y, int incy);
int cublasZaxpy_v2(void *handle, int n, const number *alpha, const number *x, int incx, number *y,
                   int incy);
int cublasZscal_v2(void *handle, int n, const number *alpha, number *x, int incx);
int cublasZdscal_v2(void *handle, int n, const double *alpha, number *x, int incx);
int cublasCsscal_v2(void *handle, int n, const float *alpha, narrow *x, int incx);
int cublasZdotu_v2(void *handle, int n, const number *x, int incx, const number *y, int incy,
                   number *result);
int cublasZdotc_v2(void *handle, int n, const number *x, int incx, const number *y, int incy,
                   number *result);
int cublasDzasum_v2(void *handle, int n, const number *x, int incx, double *result);
int cublasDznrm2_v2(void *handle, int n, const number *x, int incx, double *result);
int cublasScnrm2_v2(void *handle, int n, const narrow *x, int incx, float *result);
int cublasIzamax_v2(void *handle, int n, const number *x, int incx, int *result);
int cublasIcamin_v2(void *handle, int n, const narrow *x, int incx, int *result);
int cublasZgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const number *alpha,
                   const number *a, int lda, const number *b, int ldb, const number *beta,
                   number *c, int ldc);
int cublasCgemm3m(void *handle, int op_a, int op_b, int m, int n, int k, const narrow *alpha,
                  const narrow *a, int lda, const narrow *b, int ldb, const narrow *beta, narrow *c,
                  int ldc);
int cublasZgemmBatched(void *handle, int op_a, int op_b, int m, int n, int k, const number *alpha,
                       const number *const *a, int lda, const number *const *b, int ldb,
                       const number *beta, number *const *c, int ldc, int count);
int cublasZgemmStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                              const number *alpha, const number *a, int lda, long long stride_a,
                              const number *b, int ldb, long long stride_b, const number *beta,
                              number *c, int ldc, long long stride_c, int count);
int cublasCgemm3mStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                                const narrow *alpha, const narrow *a, int lda, long long stride_a,
                                const narrow *b, int ldb, long long stride_b, const narrow *beta,
                                narrow *c, int ldc, long long stride_c, int count);
int cublasCgemm3mBatched(void *handle, int op_a, int op_b, int m, int n, int k, const narrow *alpha,
                         const narrow *const *a, int lda, const narrow *const *b, int ldb,
                         const narrow *beta, narrow *const *c, int ldc, int count);
int cublasCgemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const narrow *alpha,
                  const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                  const narrow *beta, void *c, int type_c, int ldc);
int cublasCgemm3mEx(void *handle, int op_a, int op_b, int m, int n, int k, const narrow *alpha,
                    const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                    const narrow *beta, void *c, int type_c, int ldc);
int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm);
int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a, int lda,
                               long long stride_a, const void *b, int type_b, int ldb,
                               long long stride_b, const void *beta, void *c, int type_c, int ldc,
                               long long stride_c, int count, int compute, int algorithm);
int cublasDotEx(void *handle, int n, const void *x, int type_x, int incx, const void *y, int type_y,
                int incy, void *result, int type_result, int type_execution);
int cublasDotcEx(void *handle, int n, const void *x, int type_x, int incx, const void *y,
                 int type_y, int incy, void *result, int type_result, int type_execution);
int cublasZgemv_v2(void *handle, int op, int m, int n, const number *alpha, const number *a,
                   int lda, const number *x, int incx, const number *beta, number *y, int incy);
int cublasZgeru_v2(void *handle, int m, int n, const number *alpha, const number *x, int incx,
                   const number *y, int incy, number *a, int lda);
int cublasZgerc_v2(void *handle, int m, int n, const number *alpha, const number *x, int incx,
                   const number *y, int incy, number *a, int lda);
int cublasZgeam(void *handle, int op_a, int op_b, int m, int n, const number *alpha,
                const number *a, int lda, const number *beta, const number *b, int ldb, number *c,
                int ldc);
int cublasZtrsm_v2(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                   const number *alpha, const number *a, int lda, number *b, int ldb);

enum { M = 19, N = 17, K = 23, LD = 30, SIZE = LD * LD, BATCH = 3, INVALID = 7 };
static void *handle;
static number alpha = 2 - 1 * I, beta = 0.5 + 0.25 * I, one = 1, zero = 0;

static number value(int i)
{
    return (i * 7 % 23 - 11) / 4.0 + (i * 5 % 19 - 9) / 8.0 * I;
}

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

static number *values(int count, int seed)
{
    number *made = managed((size_t)count * sizeof *made);
    for (int i = 0; i < count; i++)
        made[i] = value(i + seed);
    return made;
}

/* Element of op(a). */
static number element(const number *a, int op, int row, int column)
{
    const number at = op ? a[column + row * LD] : a[row + column * LD];
    return op == 2 ? conj(at) : at;
}

static int is_near(number a, number b)
{
    return cabs(a - b) <= 1e-9 * (1 + cabs(b));
}

static void use_vectors(void)
{
    number *x = values(2 * SIZE, 1), *y = values(SIZE, 2), dotu = 0, dotc = 0, sum = 0, sum_c = 0;
    narrow *f = managed(20 * sizeof *f), *g = managed(20 * sizeof *g);
    double size = 0, length = 0, sizes = 0, squares = 0, third = 3;
    float narrow_length = 0, two = 2;
    int place = 0, wrong = 0;
    for (int i = 0; i < SIZE; i++) {
        sum += x[2 * i] * y[SIZE - 1 - i], sum_c += conj(x[2 * i]) * y[SIZE - 1 - i];
        sizes += fabs(creal(y[i])) + fabs(cimag(y[i]));
        squares += creal(y[i]) * creal(y[i]) + cimag(y[i]) * cimag(y[i]);
    }
    EXPECT(cublasZdotu_v2(handle, SIZE, x, 2, y, -1, &dotu), 0);
    EXPECT(cublasZdotc_v2(handle, SIZE, x, 2, y, -1, &dotc), 0);
    EXPECT(is_near(dotu, sum) && is_near(dotc, sum_c), 1);
    EXPECT(cublasDzasum_v2(handle, SIZE, y, 1, &size), 0);
    EXPECT(cublasDznrm2_v2(handle, SIZE, y, 1, &length), 0);
    EXPECT(is_near(size, sizes) && is_near(length, sqrt(squares)), 1);
    y[400] = -7 + 9 * I;
    EXPECT(cublasIzamax_v2(handle, SIZE, y, 1, &place), 0);
    EXPECT(place, 401);
    EXPECT(cublasZdotu_v2(handle, 0, x, 1, y, 1, &dotu), 0);
    EXPECT(dotu == 0, 1);
    EXPECT(cublasZaxpy_v2(handle, SIZE, &alpha, x, 2, y, 1), 0);
    EXPECT(is_near(y[7], alpha * x[14] + value(9)), 1);
    EXPECT(cublasZscal_v2(handle, SIZE / 2, &alpha, x, 2), 0);
    EXPECT(cublasZdscal_v2(handle, SIZE / 2, &third, x + 1, 2), 0);
    for (int i = 0; i < SIZE; i++)
        wrong += !is_near(x[i], (i % 2 ? 3 : alpha) * value(i + 1));
    EXPECT(cublasZcopy_v2(handle, 10, x, 1, y, -1), 0);
    EXPECT(wrong == 0 && y[0] == x[9] && y[9] == x[0], 1);
    for (int i = 0; i < 20; i++)
        f[i] = (narrow)value(i + 3), g[i] = (narrow)value(2 * i);
    EXPECT(cublasCswap_v2(handle, 20, f, 1, g, 1), 0);
    EXPECT(cublasCsscal_v2(handle, 20, &two, f, 1), 0);
    EXPECT(f[5] == 2 * (narrow)value(10) && g[5] == (narrow)value(8), 1);
    f[0] = 3, f[1] = 4 * I;
    EXPECT(cublasScnrm2_v2(handle, 2, f, 1, &narrow_length), 0);
    EXPECT(narrow_length == 5, 1);
    f[11] = 0;
    EXPECT(cublasIcamin_v2(handle, 20, f, 1, &place), 0);
    EXPECT(place, 12);
}

/* How many elements of c differ from alpha op(a) op(b) + beta before. */
static int count_wrong(const number *a, int op_a, const number *b, int op_b, const number *before,
                       const number *c)
{
    int wrong = 0;
    for (int i = 0; i < SIZE; i++) {
        const int row = i % LD, column = i / LD;
        number sum = 0;
        for (int k = 0; k < K && row < M && column < N; k++)
            sum += element(a, op_a, row, k) * element(b, op_b, k, column);
        wrong += row < M && column < N ? !is_near(c[i], alpha * sum + beta * before[i])
                                       : c[i] != before[i];
    }
    return wrong;
}

static void multiply(void)
{
    number *a = values(BATCH * SIZE, 1), *b = values(BATCH * SIZE, 2), *c = values(BATCH * SIZE, 3),
           *before = values(BATCH * SIZE, 3);
    const number **as = managed(BATCH * sizeof *as), **bs = managed(BATCH * sizeof *bs);
    number **cs = managed(BATCH * sizeof *cs);
    for (int i = 0; i < BATCH; i++)
        as[i] = a + i * SIZE, bs[i] = b + i * SIZE, cs[i] = c + i * SIZE;
    for (int kind = 0; kind < 9; kind++) {
        const int op_a = kind % 3, op_b = kind / 3;
        for (int way = 0; way < 3; way++) {
            const int count = way ? BATCH : 1;
            for (int i = 0; i < BATCH * SIZE; i++)
                c[i] = before[i];
            if (way == 0)
                EXPECT(
                    cublasZgemm_v2(handle, op_a, op_b, M, N, K, &alpha, a, LD, b, LD, &beta, c, LD),
                    0);
            if (way == 1)
                EXPECT(cublasZgemmBatched(handle, op_a, op_b, M, N, K, &alpha, as, LD, bs, LD,
                                          &beta, cs, LD, BATCH),
                       0);
            if (way == 2)
                EXPECT(cublasZgemmStridedBatched(handle, op_a, op_b, M, N, K, &alpha, a, LD, SIZE,
                                                 b, LD, SIZE, &beta, c, LD, SIZE, BATCH),
                       0);
            for (int i = 0; i < count; i++)
                EXPECT(count_wrong(as[i], op_a, bs[i], op_b, before + i * SIZE, cs[i]), 0);
        }
    }
    EXPECT(cublasZgemm_v2(handle, 0, 0, M, N, K, &alpha, a, M - 1, b, LD, &beta, c, LD), INVALID);
    EXPECT(cublasZgemm_v2(handle, 3, 0, M, N, K, &alpha, a, LD, b, LD, &beta, c, LD), INVALID);
    EXPECT(cublasZgemm_v2(handle, 0, 2, M, N, K, &alpha, a, LD, b, N - 1, &beta, c, LD), INVALID);
    EXPECT(cublasZgemm_v2(NULL, 0, 0, M, N, K, &alpha, a, LD, b, LD, &beta, c, LD), 1);
    narrow *f = managed(3 * sizeof *f), factor = 1, nothing = 0;
    f[0] = 1 + 2 * I, f[1] = 3 - 1 * I, f[2] = NAN;
    EXPECT(cublasCgemm3m(handle, 2, 0, 1, 1, 1, &factor, f, 1, f + 1, 1, &nothing, f + 2, 1), 0);
    EXPECT(f[2] == (1 - 2 * I) * (3 - 1 * I), 1);
}

static void use_matrices_and_vectors(void)
{
    number *a = values(SIZE, 1), *x = values(2 * LD, 2), *y = values(2 * LD, 3);
    int wrong = 0;
    for (int op = 0; op < 3; op++) {
        const int rows = op ? N : M, depth = op ? M : N;
        EXPECT(cublasZgemv_v2(handle, op, M, N, &alpha, a, LD, x, -1, &zero, y, 2), 0);
        for (int row = 0; row < rows; row++) {
            number sum = 0;
            for (int k = 0; k < depth; k++)
                sum += element(a, op, row, k) * x[depth - 1 - k];
            wrong += !is_near(y[2 * row], alpha * sum);
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasZgeru_v2(handle, M, N, &alpha, x, 1, y, 2, a, LD), 0);
    EXPECT(is_near(a[5 + 3 * LD], value(6 + 3 * LD) + alpha * x[5] * y[6]), 1);
    EXPECT(cublasZgerc_v2(handle, M, N, &alpha, x, 1, y, 2, a, LD), 0);
    EXPECT(is_near(a[4 + 2 * LD], value(5 + 2 * LD) + alpha * x[4] * (y[4] + conj(y[4]))), 1);
    number *const of_device = values(1, 9), before = a[5 + 3 * LD];
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(cublasZgeru_v2(handle, M, N, of_device, x, 1, y, 2, a, LD), 0);
    EXPECT(cublasZgeru_v2(handle, M, N, &alpha, x, 1, y, 2, a, LD), INVALID);
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
    EXPECT(is_near(a[5 + 3 * LD], before + value(9) * x[5] * y[6]), 1);
    EXPECT(a[M] == value(M + 1), 1);
    number *b = values(SIZE, 4), *c = values(SIZE, 5);
    EXPECT(cublasZgeam(handle, 2, 1, M, N, &alpha, a, LD, &beta, b, LD, c, LD), 0);
    for (int i = 0; i < M * N; i++)
        wrong += !is_near(c[i % M + i / M * LD],
                          alpha * element(a, 2, i % M, i / M) + beta * element(b, 1, i % M, i / M));
    EXPECT(cublasZgeam(handle, 0, 0, M, N, &one, a, LD, &zero, NULL, LD, c, LD), 0);
    EXPECT(wrong == 0 && c[7] == a[7], 1);
}

static number triangle(const number *a, int is_upper, int op, int is_unit, int row, int column)
{
    const int own_row = op ? column : row, own_column = op ? row : column;
    if (row == column && is_unit)
        return 1;
    return (is_upper ? own_row <= own_column : own_row >= own_column) ? element(a, op, row, column)
                                                                      : 0;
}

static void solve(void)
{
    number *a = values(SIZE, 1), *b = values(SIZE, 2);
    for (int i = 0; i < LD; i++)
        a[i * (LD + 1)] = 20 + 5 * I;
    for (int i = 0; i < SIZE; i++)
        a[i] = i % (LD + 1) ? a[i] / 16 : a[i];
    for (int kind = 0; kind < 24; kind++) {
        const int side = kind & 1, is_upper = kind >> 1 & 1, is_unit = kind >> 2 & 1, op = kind / 8,
                  order = side ? N : M;
        int wrong = 0;
        for (int i = 0; i < SIZE; i++)
            b[i] = value(i + kind);
        EXPECT(cublasZtrsm_v2(handle, side, is_upper, op, is_unit, M, N, &alpha, a, LD, b, LD), 0);
        for (int i = 0; i < M * N; i++) {
            const int row = i % M, column = i / M;
            number sum = 0;
            for (int k = 0; k < order; k++)
                sum += side ? b[row + k * LD] * triangle(a, is_upper, op, is_unit, k, column)
                            : triangle(a, is_upper, op, is_unit, row, k) * b[k + column * LD];
            wrong += cabs(sum - alpha * value(row + column * LD + kind)) > 1e-8;
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasZtrsm_v2(handle, 0, 0, 0, 0, M, N, &alpha, a, M - 1, b, LD), INVALID);
}

enum { SINGLE = 4, TWICE = 5, HALF = 2, COMPUTE_32 = 68, COMPUTE_64 = 70, NOT_SUPPORTED = 15 };

/* Calls that are told their types, against those that name them. */
static void multiply_named_types(void)
{
    number *a = values(2 * SIZE, 1), *b = values(2 * SIZE, 2), *c = values(2 * SIZE, 3),
           *want = values(2 * SIZE, 3);
    narrow *f = managed(2 * SIZE * sizeof *f), *g = managed(2 * SIZE * sizeof *g),
           *h = managed(2 * SIZE * sizeof *h), factor = (narrow)alpha;
    const narrow **fs = managed(2 * sizeof *fs), **gs = managed(2 * sizeof *gs);
    narrow **hs = managed(2 * sizeof *hs), nothing = 0;
    int wrong = 0;
    EXPECT(cublasZgemmStridedBatched(handle, 2, 1, M, N, K, &alpha, a, LD, SIZE, b, LD, SIZE, &beta,
                                     want, LD, SIZE, 2),
           0);
    EXPECT(cublasGemmStridedBatchedEx(handle, 2, 1, M, N, K, &alpha, a, TWICE, LD, SIZE, b, TWICE,
                                      LD, SIZE, &beta, c, TWICE, LD, SIZE, 2, COMPUTE_64, -1),
           0);
    for (int i = 0; i < 2 * SIZE; i++) {
        wrong += c[i] != want[i];
        f[i] = (narrow)a[i], g[i] = (narrow)b[i];
    }
    EXPECT(wrong, 0);
    for (int i = 0; i < 2; i++)
        fs[i] = f + (ptrdiff_t)i * SIZE, gs[i] = g + (ptrdiff_t)i * SIZE,
        hs[i] = h + (ptrdiff_t)i * SIZE;
    EXPECT(cublasZgemmStridedBatched(handle, 2, 1, M, N, K, &alpha, a, LD, SIZE, b, LD, SIZE, &zero,
                                     want, LD, SIZE, 2),
           0);
    for (int call = 0; call < 5; call++) {
        for (int i = 0; i < 2 * SIZE; i++)
            h[i] = 0;
        if (call == 0)
            EXPECT(cublasCgemm3mStridedBatched(handle, 2, 1, M, N, K, &factor, f, LD, SIZE, g, LD,
                                               SIZE, &nothing, h, LD, SIZE, 2),
                   0);
        if (call == 1)
            EXPECT(cublasCgemm3mBatched(handle, 2, 1, M, N, K, &factor, fs, LD, gs, LD, &nothing,
                                        hs, LD, 2),
                   0);
        if (call == 2)
            EXPECT(cublasCgemmEx(handle, 2, 1, M, N, K, &factor, f, SINGLE, LD, g, SINGLE, LD,
                                 &nothing, h, SINGLE, LD),
                   0);
        if (call == 3)
            EXPECT(cublasCgemm3mEx(handle, 2, 1, M, N, K, &factor, f, SINGLE, LD, g, SINGLE, LD,
                                   &nothing, h, SINGLE, LD),
                   0);
        if (call == 4)
            EXPECT(cublasGemmEx(handle, 2, 1, M, N, K, &factor, f, SINGLE, LD, g, SINGLE, LD,
                                &nothing, h, SINGLE, LD, COMPUTE_32, -1),
                   0);
        for (int i = 0; i < (call < 2 ? 2 : 1) * SIZE; i++)
            wrong += i % LD < M && i % SIZE / LD < N && cabs(h[i] - want[i]) > 1e-3;
    }
    EXPECT(wrong, 0);
}

static void refuse_types(void)
{
    number *a = values(SIZE, 1), *c = values(SIZE, 3);
    const narrow factor = 1;
    EXPECT(cublasGemmEx(handle, 0, 0, M, N, K, &alpha, a, TWICE, LD, a, TWICE, LD, &beta, c, TWICE,
                        LD, COMPUTE_32, -1),
           NOT_SUPPORTED);
    EXPECT(cublasCgemmEx(handle, 0, 0, M, N, K, &factor, a, HALF, LD, a, HALF, LD, &factor, c, HALF,
                         LD),
           NOT_SUPPORTED);
    EXPECT(cublasCgemmEx(NULL, 0, 0, M, N, K, &factor, a, SINGLE, LD, a, SINGLE, LD, &factor, c,
                         SINGLE, LD),
           1);
}

static void dot_named_types(void)
{
    number *a = values(SIZE, 1), *b = values(SIZE, 2), sums[2], expected[2];
    narrow *f = managed(SIZE * sizeof *f), *g = managed(SIZE * sizeof *g), sum = 0;
    for (int i = 0; i < SIZE; i++)
        f[i] = (narrow)a[i], g[i] = (narrow)b[i];
    EXPECT(cublasZdotu_v2(handle, SIZE, a, 1, b, 1, &expected[0]), 0);
    EXPECT(cublasZdotc_v2(handle, SIZE, a, 1, b, 1, &expected[1]), 0);
    EXPECT(cublasDotEx(handle, SIZE, a, TWICE, 1, b, TWICE, 1, &sums[0], TWICE, TWICE), 0);
    EXPECT(cublasDotcEx(handle, SIZE, a, TWICE, 1, b, TWICE, 1, &sums[1], TWICE, TWICE), 0);
    EXPECT(sums[0] == expected[0] && sums[1] == expected[1] && sums[0] != sums[1], 1);
    EXPECT(cublasDotcEx(handle, SIZE, f, SINGLE, 1, g, SINGLE, 1, &sum, SINGLE, SINGLE), 0);
    EXPECT(cabs(sum - expected[1]) < 1e-2 * cabs(expected[1]), 1);
    EXPECT(cublasDotcEx(handle, SIZE, f, SINGLE, 1, g, SINGLE, 1, &sum, SINGLE, TWICE),
           NOT_SUPPORTED);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    use_vectors();
    multiply();
    use_matrices_and_vectors();
    solve();
    multiply_named_types();
    dot_named_types();
    refuse_types();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
