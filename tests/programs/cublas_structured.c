/* Calls of cuBLAS on symmetric and triangular matrices, on diagonals and on batches, against what
 * is computed here. */
#include <math.h>

#include "runtime.h"

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasDsymm_v2(void *handle, int side, int fill, int m, int n, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc);
int cublasDtrmm_v2(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                   const double *alpha, const double *a, int lda, const double *b, int ldb,
                   double *c, int ldc);
int cublasDsyrk_v2(void *handle, int fill, int op, int n, int k, const double *alpha,
                   const double *a, int lda, const double *beta, double *c, int ldc);
int cublasDsyr2k_v2(void *handle, int fill, int op, int n, int k, const double *alpha,
                    const double *a, int lda, const double *b, int ldb, const double *beta,
                    double *c, int ldc);
int cublasDsyrkx(void *handle, int fill, int op, int n, int k, const double *alpha, const double *a,
                 int lda, const double *b, int ldb, const double *beta, double *c, int ldc);
int cublasSdgmm(void *handle, int side, int m, int n, const float *a, int lda, const float *x,
                int incx, float *c, int ldc);
int cublasDsymv_v2(void *handle, int fill, int n, const double *alpha, const double *a, int lda,
                   const double *x, int incx, const double *beta, double *y, int incy);
int cublasDtrmv_v2(void *handle, int fill, int op, int diagonal, int n, const double *a, int lda,
                   double *x, int incx);
int cublasDtrsv_v2(void *handle, int fill, int op, int diagonal, int n, const double *a, int lda,
                   double *x, int incx);
int cublasDsyr_v2(void *handle, int fill, int n, const double *alpha, const double *x, int incx,
                  double *a, int lda);
int cublasDsyr2_v2(void *handle, int fill, int n, const double *alpha, const double *x, int incx,
                   const double *y, int incy, double *a, int lda);
int cublasSgemvBatched(void *handle, int op, int m, int n, const float *alpha,
                       const float *const *a, int lda, const float *const *x, int incx,
                       const float *beta, float *const *y, int incy, int count);
int cublasSgemvStridedBatched(void *handle, int op, int m, int n, const float *alpha,
                              const float *a, int lda, long long stride_a, const float *x, int incx,
                              long long stride_x, const float *beta, float *y, int incy,
                              long long stride_y, int count);
int cublasDtrsmBatched(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                       const double *alpha, const double *const *a, int lda, double *const *b,
                       int ldb, int count);
int cublasDmatinvBatched(void *handle, int n, const double *const *a, int lda,
                         double *const *inverses, int ldi, int *info, int count);
int cublasDgeqrfBatched(void *handle, int m, int n, double *const *a, int lda, double *const *taus,
                        int *info, int count);
int cublasDgelsBatched(void *handle, int op, int m, int n, int columns, double *const *a, int lda,
                       double *const *c, int ldc, int *info, int *rank_info, int count);

enum { M = 13, N = 9, K = 7, LD = 20, SIZE = LD * LD, BATCH = 3 };
enum { INVALID = 7, NOT_SUPPORTED = 15 };
static void *handle;
static const double two = 2, half = 0.5, zero = 0, one = 1;

static double value(int i)
{
    return (i * 7 % 23 - 11) / 4.0;
}

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

/* Values that differ by seed; a diagonal that can be divided by. */
static double *matrix(int seed)
{
    double *made = managed(SIZE * sizeof *made);
    for (int i = 0; i < SIZE; i++)
        made[i] = i % (LD + 1) ? value(i + seed) : 8 + seed;
    return made;
}

static double symmetric(const double *a, int is_upper, int row, int column)
{
    const int is_stored = is_upper ? row <= column : row >= column;
    return is_stored ? a[row + column * LD] : a[column + row * LD];
}

static double triangular(const double *a, int is_upper, int op, int is_unit, int row, int column)
{
    const int own_row = op ? column : row, own_column = op ? row : column;
    if (row == column && is_unit)
        return 1;
    return (is_upper ? own_row <= own_column : own_row >= own_column) ? a[own_row + own_column * LD]
                                                                      : 0;
}

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

static void multiply_symmetric(void)
{
    double *a = matrix(1), *b = matrix(2), *c = matrix(3), *x = matrix(4), *y = matrix(5);
    for (int kind = 0; kind < 4; kind++) {
        const int side = kind & 1, is_upper = kind >> 1, order = side ? N : M;
        int wrong = 0;
        double before[SIZE];
        for (int i = 0; i < SIZE; i++)
            before[i] = c[i];
        EXPECT(cublasDsymm_v2(handle, side, is_upper, M, N, &two, a, LD, b, LD, &half, c, LD), 0);
        for (int i = 0; i < SIZE; i++) {
            const int row = i % LD, column = i / LD;
            double sum = 0;
            for (int k = 0; k < order; k++)
                sum += side ? b[row + k * LD] * symmetric(a, is_upper, k, column)
                            : symmetric(a, is_upper, row, k) * b[k + column * LD];
            wrong +=
                row < M && column < N ? !is_near(c[i], 2 * sum + before[i] / 2) : c[i] != before[i];
        }
        EXPECT(wrong, 0);
        EXPECT(cublasDsymv_v2(handle, is_upper, M, &two, a, LD, x, -1, &zero, y, 2), 0);
        for (int row = 0; row < M; row++) {
            double sum = 0;
            for (int k = 0; k < M; k++)
                sum += symmetric(a, is_upper, row, k) * x[M - 1 - k];
            wrong += !is_near(y[2 * row], 2 * sum);
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasDsymm_v2(handle, 2, 0, M, N, &two, a, LD, b, LD, &half, c, LD), INVALID);
    EXPECT(cublasDsymm_v2(handle, 0, 0, M, N, &two, a, M - 1, b, LD, &half, c, LD), INVALID);
    EXPECT(cublasDsymm_v2(handle, 0, 0, M, N, &two, a, LD, b, LD, &half, c, M - 1), INVALID);
}

/* In b's place, and beside it; then back. */
static void multiply_triangles(void)
{
    double *a = matrix(1), *b = matrix(2), *c = matrix(3), *x = matrix(4);
    for (int kind = 0; kind < 16; kind++) {
        const int side = kind & 1, is_upper = kind >> 1 & 1, op = kind >> 2 & 1,
                  is_unit = kind >> 3, order = side ? N : M;
        double before[SIZE], vector[M];
        int wrong = 0;
        for (int i = 0; i < SIZE; i++)
            before[i] = b[i] = value(i + kind);
        for (int i = 0; i < M; i++)
            vector[i] = x[2 * i] = value(3 * i + kind);
        EXPECT(cublasDtrmm_v2(handle, side, is_upper, op, is_unit, M, N, &two, a, LD, b, LD, c, LD),
               0);
        EXPECT(cublasDtrmm_v2(handle, side, is_upper, op, is_unit, M, N, &two, a, LD, b, LD, b, LD),
               0);
        EXPECT(cublasDtrmv_v2(handle, is_upper, op, is_unit, M, a, LD, x, 2), 0);
        for (int row = 0; row < M; row++) {
            double of_vector = 0;
            for (int k = 0; k < M; k++)
                of_vector += triangular(a, is_upper, op, is_unit, row, k) * vector[k];
            wrong += !is_near(x[2 * row], of_vector);
            for (int column = 0; column < N; column++) {
                double sum = 0;
                for (int k = 0; k < order; k++)
                    sum += side ? before[row + k * LD] *
                                      triangular(a, is_upper, op, is_unit, k, column)
                                : triangular(a, is_upper, op, is_unit, row, k) *
                                      before[k + column * LD];
                wrong += !is_near(b[row + column * LD], 2 * sum) ||
                         b[row + column * LD] != c[row + column * LD];
            }
        }
        EXPECT(wrong, 0);
        EXPECT(cublasDtrsv_v2(handle, is_upper, op, is_unit, M, a, LD, x, 2), 0);
        for (int i = 0; i < M && !is_unit; i++) /* without a large diagonal errors grow */
            wrong += !is_near(x[2 * i], vector[i]);
        EXPECT(wrong, 0);
    }
    EXPECT(cublasDtrmv_v2(handle, 0, 0, 0, M, a, LD, x, 0), INVALID);
    EXPECT(cublasDtrsv_v2(handle, 0, 0, 2, M, a, LD, x, 1), INVALID);
}

/* Element of a factor of n by k. */
static double factor(const double *a, int op, int row, int at)
{
    return op ? a[at + row * LD] : a[row + at * LD];
}

static void add_ranks(void)
{
    double *a = matrix(1), *b = matrix(2), *c = matrix(3);
    for (int kind = 0; kind < 20; kind++) {
        const int is_upper = kind & 1, op = kind >> 1 & 1, call = kind >> 2;
        double before[SIZE];
        int wrong = 0;
        for (int i = 0; i < SIZE; i++)
            before[i] = c[i];
        const double *other = call == 0 || call == 3 ? a : b;
        const int is_both = call == 1 || call == 4, k = call > 2 ? 1 : K,
                  own_op = call > 2 ? 0 : op;
        const double kept = call > 2 ? 1 : 0.5;
        if (call == 0)
            EXPECT(cublasDsyrk_v2(handle, is_upper, op, N, K, &two, a, LD, &half, c, LD), 0);
        if (call == 1)
            EXPECT(cublasDsyr2k_v2(handle, is_upper, op, N, K, &two, a, LD, b, LD, &half, c, LD),
                   0);
        if (call == 2)
            EXPECT(cublasDsyrkx(handle, is_upper, op, N, K, &two, a, LD, b, LD, &half, c, LD), 0);
        if (call == 3)
            EXPECT(cublasDsyr_v2(handle, is_upper, N, &two, a, 1, c, LD), 0);
        if (call == 4)
            EXPECT(cublasDsyr2_v2(handle, is_upper, N, &two, a, 1, b, 1, c, LD), 0);
        for (int i = 0; i < SIZE; i++) {
            const int row = i % LD, column = i / LD;
            double sum = 0;
            for (int at = 0; at < k && row < N && column < N; at++) {
                sum += factor(a, own_op, row, at) * factor(other, own_op, column, at);
                if (is_both)
                    sum += factor(other, own_op, row, at) * factor(a, own_op, column, at);
            }
            const int is_own = row < N && column < N && (is_upper ? row <= column : row >= column);
            wrong += is_own ? !is_near(c[i], 2 * sum + kept * before[i]) : c[i] != before[i];
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasDsyrk_v2(handle, 0, 1, N, K, &two, a, K - 1, &half, c, LD), INVALID);
    EXPECT(cublasDsyr_v2(handle, 0, N, &two, a, 0, c, LD), INVALID);
}

static void scale_and_multiply_batches(void)
{
    float *a = managed(BATCH * SIZE * sizeof *a), *x = managed(BATCH * LD * sizeof *x),
          *y = managed(2 * BATCH * LD * sizeof *y), *c = managed(SIZE * sizeof *c);
    const float **as = managed(BATCH * sizeof *as), **xs = managed(BATCH * sizeof *xs);
    float **ys = managed(BATCH * sizeof *ys), factor_of = 2, nothing = 0;
    int wrong = 0;
    for (int i = 0; i < BATCH * SIZE; i++)
        a[i] = (float)value(i);
    for (int i = 0; i < BATCH * LD; i++)
        x[i] = (float)value(5 * i);
    EXPECT(cublasSdgmm(handle, 0, M, N, a, LD, x, 1, c, LD), 0);
    for (int i = 0; i < M * N; i++)
        wrong += c[i % M + i / M * LD] != a[i % M + i / M * LD] * x[i % M];
    EXPECT(cublasSdgmm(handle, 1, M, N, a, LD, x, -2, c, LD), 0);
    for (int i = 0; i < M * N; i++)
        wrong += c[i % M + i / M * LD] != a[i % M + i / M * LD] * x[2 * (N - 1 - i / M)];
    EXPECT(wrong, 0);
    for (int i = 0; i < BATCH; i++)
        as[i] = a + i * SIZE, xs[i] = x + i * LD, ys[i] = y + i * LD;
    for (int op = 0; op < 2; op++) {
        const int rows = op ? N : M, depth = op ? M : N;
        EXPECT(
            cublasSgemvBatched(handle, op, M, N, &factor_of, as, LD, xs, 1, &nothing, ys, 1, BATCH),
            0);
        EXPECT(cublasSgemvStridedBatched(handle, op, M, N, &factor_of, a, LD, SIZE, x, 1, LD,
                                         &nothing, y + BATCH * LD, 1, LD, BATCH),
               0);
        for (int i = 0; i < BATCH * rows; i++) {
            const int m = i / rows, row = i % rows;
            double sum = 0;
            for (int k = 0; k < depth; k++)
                sum += (double)as[m][op ? k + row * LD : row + k * LD] * (double)xs[m][k];
            wrong +=
                fabs(2 * sum - (double)ys[m][row]) > 1e-3 || ys[m][row] != ys[m][BATCH * LD + row];
        }
        EXPECT(wrong, 0);
    }
}

static void solve_batches(void)
{
    const double **a = managed(BATCH * sizeof *a);
    double **b = managed(BATCH * sizeof *b), **c = managed(BATCH * sizeof *c);
    int *info = managed(BATCH * sizeof *info), wrong = 0;
    for (int m = 0; m < BATCH; m++)
        a[m] = matrix(m + 1), b[m] = matrix(0), c[m] = matrix(0);
    for (int kind = 0; kind < 8; kind++) {
        const int side = kind & 1, is_upper = kind >> 1 & 1, op = kind >> 2;
        for (int m = 0; m < BATCH; m++) {
            for (int i = 0; i < SIZE; i++)
                c[m][i] = b[m][i] = value(i + m);
            EXPECT(cublasDtrmm_v2(handle, side, is_upper, op, 0, M, N, &half, a[m], LD, b[m], LD,
                                  b[m], LD),
                   0);
        }
        EXPECT(cublasDtrsmBatched(handle, side, is_upper, op, 0, M, N, &two, a, LD, b, LD, BATCH),
               0);
        for (int i = 0; i < BATCH * M * N; i++) {
            const int at = i % M + i / M % N * LD;
            wrong += fabs(b[i / M / N][at] - c[i / M / N][at]) > 1e-6;
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasDmatinvBatched(handle, M, a, LD, b, LD, info, BATCH), 0);
    for (int i = 0; i < BATCH * M * M; i++) {
        const int m = i / M / M, row = i % M, column = i / M % M;
        double sum = 0;
        for (int k = 0; k < M; k++)
            sum += a[m][row + k * LD] * b[m][k + column * LD];
        wrong += fabs(sum - (row == column)) > 1e-9;
    }
    EXPECT(wrong + info[0] + info[1] + info[2], 0);
    for (int i = 0; i < SIZE; i++)
        c[1][i] = 0;
    EXPECT(cublasDmatinvBatched(handle, M, (const double *const *)c, LD, b, LD, info, BATCH), 0);
    EXPECT(info[1], 1);
    EXPECT(cublasDmatinvBatched(handle, 33, a, 40, b, 40, info, BATCH), INVALID);
}

/* Q R is what was there; of a fit, what is left over is orthogonal to the columns. */
static void fit_batches(void)
{
    double **a = managed(BATCH * sizeof *a), **c = managed(BATCH * sizeof *c),
           **taus = managed(BATCH * sizeof *taus), kept[BATCH][SIZE], side[BATCH][SIZE];
    int *ranks = managed(BATCH * sizeof *ranks), info = 1, wrong = 0;
    for (int m = 0; m < BATCH; m++) {
        a[m] = matrix(m + 1), c[m] = matrix(0), taus[m] = managed(N * sizeof **taus);
        for (int i = 0; i < SIZE; i++)
            kept[m][i] = a[m][i], side[m][i] = c[m][i] = value(i * (m + 2));
    }
    EXPECT(cublasDgeqrfBatched(handle, M, N, a, LD, taus, &info, BATCH), 0);
    EXPECT(info, 0);
    for (int m = 0; m < BATCH; m++)
        for (int column = 0; column < N; column++) {
            double made[M] = {0};
            for (int row = 0; row <= column; row++)
                made[row] = a[m][row + column * LD];
            for (int k = N - 1; k >= 0; k--) {
                double sum = made[k];
                for (int row = k + 1; row < M; row++)
                    sum += a[m][row + k * LD] * made[row];
                made[k] -= taus[m][k] * sum;
                for (int row = k + 1; row < M; row++)
                    made[row] -= taus[m][k] * sum * a[m][row + k * LD];
            }
            for (int row = 0; row < M; row++)
                wrong += !is_near(made[row], kept[m][row + column * LD]);
        }
    EXPECT(wrong, 0);
    for (int m = 0; m < BATCH; m++)
        for (int i = 0; i < SIZE; i++)
            a[m][i] = kept[m][i];
    EXPECT(cublasDgelsBatched(handle, 0, M, N, 2, a, LD, c, LD, &info, ranks, BATCH), 0);
    EXPECT(info + ranks[0] + ranks[1] + ranks[2], 0);
    for (int i = 0; i < BATCH * 2 * N; i++) {
        const int m = i / 2 / N, at = i / N % 2, column = i % N;
        double product = 0;
        for (int row = 0; row < M; row++) {
            double left = side[m][row + at * LD];
            for (int k = 0; k < N; k++)
                left -= kept[m][row + k * LD] * c[m][k + at * LD];
            product += left * kept[m][row + column * LD];
        }
        wrong += fabs(product) > 1e-8;
    }
    EXPECT(wrong, 0);
    EXPECT(cublasDgelsBatched(handle, 1, M, N, 2, a, LD, c, LD, &info, ranks, BATCH),
           NOT_SUPPORTED);
    EXPECT(cublasDgelsBatched(handle, 0, N, M, 2, a, LD, c, LD, &info, ranks, BATCH),
           NOT_SUPPORTED);
    EXPECT(cublasDgeqrfBatched(handle, M, N, a, M - 1, taus, &info, BATCH), INVALID);
    EXPECT(info, -4);
    for (int i = 0; i < SIZE; i++)
        a[2][i] = 0;
    EXPECT(cublasDgelsBatched(handle, 0, M, N, 2, a, LD, c, LD, &info, ranks, BATCH), 0);
    EXPECT(ranks[2], 1);
}

/* Calls that have no factor, or one alone, take those of the device, too. */
static void point_to_device(void)
{
    double *a = matrix(1), *x = matrix(2), *scale = managed(sizeof *scale);
    const double old = x[0];
    *scale = 3;
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(cublasDtrmv_v2(handle, 0, 0, 0, 1, a, LD, x, 1), 0);
    EXPECT(x[0] == a[0] * old, 1);
    EXPECT(cublasDtrsv_v2(handle, 0, 0, 0, 1, a, LD, x, 1), 0);
    EXPECT(cublasDsyr_v2(handle, 0, 1, scale, x, 1, a, LD), 0);
    EXPECT(is_near(a[0], matrix(1)[0] + 3 * old * old), 1);
    EXPECT(cublasDsyr_v2(handle, 0, 1, &two, x, 1, a, LD), INVALID);
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    multiply_symmetric();
    multiply_triangles();
    add_ranks();
    scale_and_multiply_batches();
    solve_batches();
    fit_batches();
    point_to_device();
    EXPECT(cublasDsyr_v2(NULL, 0, N, &one, NULL, 1, NULL, LD), 1);
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
