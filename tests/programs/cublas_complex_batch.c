/* cuBLAS's calls on batches of complex matrices against what is computed here. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef double complex number;
typedef float complex narrow;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasZgemvBatched(void *handle, int op, int m, int n, const number *alpha,
                       const number *const *a, int lda, const number *const *x, int incx,
                       const number *beta, number *const *y, int incy, int count);
int cublasZgemvStridedBatched(void *handle, int op, int m, int n, const number *alpha,
                              const number *a, int lda, long long stride_a, const number *x,
                              int incx, long long stride_x, const number *beta, number *y, int incy,
                              long long stride_y, int count);
int cublasZtrsmBatched(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                       const number *alpha, const number *const *a, int lda, number *const *b,
                       int ldb, int count);
int cublasZgetrfBatched(void *handle, int n, number *const *a, int lda, int *pivots, int *info,
                        int count);
int cublasZgetrsBatched(void *handle, int op, int n, int columns, const number *const *a, int lda,
                        const int *pivots, number *const *b, int ldb, int *info, int count);
int cublasZgetriBatched(void *handle, int n, const number *const *a, int lda, const int *pivots,
                        number *const *inverses, int ldc, int *info, int count);
int cublasZmatinvBatched(void *handle, int n, const number *const *a, int lda,
                         number *const *inverses, int ldi, int *info, int count);
int cublasCmatinvBatched(void *handle, int n, const narrow *const *a, int lda,
                         narrow *const *inverses, int ldi, int *info, int count);
int cublasZgeqrfBatched(void *handle, int m, int n, number *const *a, int lda, number *const *taus,
                        int *info, int count);
int cublasZgelsBatched(void *handle, int op, int m, int n, int columns, number *const *a, int lda,
                       number *const *c, int ldc, int *info, int *rank_info, int count);
int cublasCgelsBatched(void *handle, int op, int m, int n, int columns, narrow *const *a, int lda,
                       narrow *const *c, int ldc, int *info, int *rank_info, int count);

enum { M = 13, N = 9, LD = 20, SIZE = LD * LD, BATCH = 3 };
enum { INVALID = 7, NOT_SUPPORTED = 15 };
static void *handle;
static const number alpha = 2 - 1 * I, beta = 0.5 + 0.25 * I;

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

/* Matrices whose values differ, in one piece. */
static number **batch_of(int seed)
{
    number **made = managed(BATCH * sizeof *made),
           *values = managed((size_t)BATCH * SIZE * sizeof *values);
    for (int i = 0; i < BATCH * SIZE; i++)
        values[i] = value(i * i + seed);
    for (int i = 0; i < BATCH; i++)
        made[i] = values + (ptrdiff_t)i * SIZE;
    return made;
}

static const number *const *constant(number **matrices)
{
    return (const number *const *)matrices;
}

static void copy(number **to, number **from)
{
    for (int i = 0; i < BATCH * SIZE; i++)
        to[0][i] = from[0][i];
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

/* How many elements of op(a) x are not those of b. */
static int count_wrong(int op, int order, int columns, const number *a, const number *x,
                       const number *b)
{
    int wrong = 0;
    for (int i = 0; i < order * columns; i++) {
        const int row = i % order, column = i / order;
        number sum = 0;
        for (int k = 0; k < order; k++)
            sum += element(a, op, row, k) * x[k + column * LD];
        wrong += !is_near(sum, b[row + column * LD]);
    }
    return wrong;
}

static void multiply_vectors(void)
{
    number **a = batch_of(1), **x = batch_of(2), **y = batch_of(3), **z = batch_of(3);
    for (int op = 0; op < 3; op++) {
        const int rows = op ? N : M, depth = op ? M : N;
        number before[BATCH * SIZE];
        int wrong = 0;
        for (int i = 0; i < BATCH * SIZE; i++)
            before[i] = y[0][i];
        EXPECT(cublasZgemvBatched(handle, op, M, N, &alpha, constant(a), LD, constant(x), -1, &beta,
                                  y, 2, BATCH),
               0);
        EXPECT(cublasZgemvStridedBatched(handle, op, M, N, &alpha, a[0], LD, SIZE, x[0], -1, SIZE,
                                         &beta, z[0], 2, SIZE, BATCH),
               0);
        for (int i = 0; i < BATCH * rows; i++) {
            const int m = i / rows, row = i % rows, at = m * SIZE + 2 * row;
            number sum = 0;
            for (int k = 0; k < depth; k++)
                sum += element(a[m], op, row, k) * x[m][depth - 1 - k];
            wrong += !is_near(y[0][at], alpha * sum + beta * before[at]) || y[0][at] != z[0][at];
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasZgemvBatched(handle, 0, M, N, &alpha, constant(a), M - 1, constant(x), 1, &beta, y,
                              1, BATCH),
           INVALID);
    EXPECT(cublasZgemvBatched(handle, 3, M, N, &alpha, constant(a), LD, constant(x), 1, &beta, y, 1,
                              BATCH),
           INVALID);
}

/* What a triangle takes to alpha b, on either side. */
static void solve_triangles(void)
{
    number **a = batch_of(1), **b = batch_of(2), **x = batch_of(2);
    for (int i = 0; i < BATCH * LD; i++)
        a[i / LD][i % LD * (LD + 1)] = 9 + i % LD - 4 * I;
    for (int kind = 0; kind < 24; kind++) {
        const int is_right = kind & 1, is_upper = kind >> 1 & 1, is_unit = kind >> 2 & 1,
                  op = kind >> 3, order = is_right ? N : M;
        int wrong = 0;
        copy(x, b);
        EXPECT(cublasZtrsmBatched(handle, is_right, is_upper, op, is_unit, M, N, &alpha,
                                  constant(a), LD, x, LD, BATCH),
               0);
        for (int i = 0; i < BATCH * M * N; i++) {
            const int m = i / M / N, row = i % M, column = i / M % N;
            number sum = 0;
            double size = 0;
            for (int k = 0; k < order; k++) {
                const int own_row = is_right ? k : row, own_column = is_right ? column : k,
                          is_inside = (own_row < own_column) == (is_upper != (op != 0));
                const number own = own_row == own_column && is_unit ? 1
                                   : own_row == own_column || is_inside
                                       ? element(a[m], op, own_row, own_column)
                                       : 0,
                             term = own * (is_right ? x[m][row + k * LD] : x[m][k + column * LD]);
                sum += term;
                size += cabs(term);
            }
            wrong += cabs(sum - alpha * b[m][row + column * LD]) > 1e-12 * (1 + size);
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasZtrsmBatched(handle, 2, 0, 0, 0, M, N, &alpha, constant(a), LD, x, LD, BATCH),
           INVALID);
    EXPECT(cublasZtrsmBatched(handle, 0, 0, 0, 0, M, N, &alpha, constant(a), LD, x, M - 1, BATCH),
           INVALID);
    EXPECT(cublasZtrsmBatched(handle, 0, 0, 0, 0, M, N, &alpha, constant(a), LD, x, LD, -1),
           INVALID);
    EXPECT(cublasZtrsmBatched(NULL, 0, 0, 0, 0, M, N, &alpha, constant(a), LD, x, LD, BATCH), 1);
}

static void use_factors(void)
{
    number **kept = batch_of(1), **a = batch_of(1), **b = batch_of(2), **x = batch_of(2);
    int *pivots = managed((size_t)BATCH * N * sizeof *pivots),
        *info = managed(BATCH * sizeof *info), wrong = 0, swapped = 0, status = 1;
    EXPECT(cublasZgetrfBatched(handle, N, a, LD, pivots, info, BATCH), 0);
    EXPECT(info[0] + info[1] + info[2], 0);
    for (int i = 0; i < BATCH * N; i++)
        swapped += pivots[i] != i % N + 1;
    EXPECT(swapped > 0, 1);
    for (int op = 0; op < 3; op++) {
        copy(x, b);
        EXPECT(
            cublasZgetrsBatched(handle, op, N, 5, constant(a), LD, pivots, x, LD, &status, BATCH),
            0);
        for (int m = 0; m < BATCH; m++)
            wrong += count_wrong(op, N, 5, kept[m], x[m], b[m]);
        EXPECT(wrong + status, 0);
    }
    for (int i = 0; i < SIZE; i++)
        for (int m = 0; m < BATCH; m++)
            b[m][i] = i % LD == i / LD;
    EXPECT(cublasZgetriBatched(handle, N, constant(a), LD, pivots, x, LD, info, BATCH), 0);
    for (int m = 0; m < BATCH; m++)
        wrong += count_wrong(0, N, N, kept[m], x[m], b[m]);
    EXPECT(wrong, 0);
    EXPECT(cublasZmatinvBatched(handle, N, constant(kept), LD, x, LD, info, BATCH), 0);
    for (int m = 0; m < BATCH; m++)
        wrong += count_wrong(0, N, N, kept[m], x[m], b[m]);
    EXPECT(wrong + info[0] + info[1] + info[2], 0);
    for (int i = 0; i < N; i++)
        kept[2][i] = 0;
    copy(a, kept);
    EXPECT(cublasZgetrfBatched(handle, N, a, LD, NULL, info, BATCH), 0);
    EXPECT(info[2], 1);
    EXPECT(cublasZmatinvBatched(handle, N, constant(kept), LD, x, LD, info, BATCH), 0);
    EXPECT(info[0], 0);
    EXPECT(info[2], 1);
    EXPECT(cublasZmatinvBatched(handle, 33, constant(kept), 40, x, 40, info, BATCH), INVALID);
    EXPECT(cublasZgetrfBatched(handle, N, a, N - 1, pivots, info, BATCH), INVALID);
    EXPECT(cublasZgetrfBatched(handle, N, a, LD, pivots, NULL, BATCH), INVALID);
    EXPECT(cublasZgetrsBatched(handle, 3, N, 5, constant(a), LD, pivots, x, LD, &status, BATCH),
           INVALID);
    EXPECT(cublasZgetriBatched(handle, N, constant(a), LD, pivots, x, N - 1, info, BATCH), INVALID);
}

/* What Q makes of R, which is real on its diagonal, is what was there. */
static int count_wrong_of_factors(const number *a, const number *taus, const number *kept)
{
    int wrong = 0;
    for (int column = 0; column < N; column++) {
        number made[M] = {0};
        for (int row = 0; row <= column; row++)
            made[row] = a[row + column * LD];
        wrong += cimag(made[column]) != 0;
        for (int k = N - 1; k >= 0; k--) {
            number sum = made[k];
            for (int row = k + 1; row < M; row++)
                sum += conj(a[row + k * LD]) * made[row];
            made[k] -= taus[k] * sum;
            for (int row = k + 1; row < M; row++)
                made[row] -= taus[k] * sum * a[row + k * LD];
        }
        for (int row = 0; row < M; row++)
            wrong += !is_near(made[row], kept[row + column * LD]);
    }
    return wrong;
}

/* Of a fit, what is left over is orthogonal to the columns. */
static void fit_batches(void)
{
    number **a = batch_of(1), **kept = batch_of(1), **c = batch_of(2), **side = batch_of(2),
           **taus = batch_of(0);
    int *ranks = managed(BATCH * sizeof *ranks), info = 1, wrong = 0;
    EXPECT(cublasZgeqrfBatched(handle, M, N, a, LD, taus, &info, BATCH), 0);
    for (int m = 0; m < BATCH; m++)
        wrong += count_wrong_of_factors(a[m], taus[m], kept[m]);
    EXPECT(info + wrong, 0);
    copy(a, kept);
    EXPECT(cublasZgelsBatched(handle, 0, M, N, 2, a, LD, c, LD, &info, ranks, BATCH), 0);
    EXPECT(info + ranks[0] + ranks[1] + ranks[2], 0);
    for (int i = 0; i < BATCH * 2 * N; i++) {
        const int m = i / 2 / N, at = i / N % 2 * LD, column = i % N;
        number product = 0;
        for (int row = 0; row < M; row++) {
            number left = side[m][row + at];
            for (int k = 0; k < N; k++)
                left -= kept[m][row + k * LD] * c[m][k + at];
            product += conj(kept[m][row + column * LD]) * left;
        }
        wrong += cabs(product) > 1e-8;
    }
    EXPECT(wrong, 0);
    EXPECT(cublasZgelsBatched(handle, 2, M, N, 2, a, LD, c, LD, &info, ranks, BATCH),
           NOT_SUPPORTED);
    EXPECT(cublasZgelsBatched(handle, 0, N, M, 2, a, LD, c, LD, &info, ranks, BATCH),
           NOT_SUPPORTED);
    EXPECT(cublasZgelsBatched(handle, 0, M, N, 2, a, LD, c, M - 1, &info, ranks, BATCH), INVALID);
    EXPECT(info, -8);
    EXPECT(cublasZgeqrfBatched(handle, M, N, a, M - 1, taus, &info, BATCH), INVALID);
    EXPECT(info, -4);
    EXPECT(cublasZgeqrfBatched(handle, M, N, a, LD, taus, NULL, BATCH), INVALID);
    for (int i = 0; i < SIZE; i++)
        a[2][i] = 0;
    EXPECT(cublasZgelsBatched(handle, 0, M, N, 2, a, LD, c, LD, &info, ranks, BATCH), 0);
    EXPECT(ranks[2], 1);
}

/* In single precision: a fit of as many equations as there are unknowns, and an inverse. */
static void use_narrow(void)
{
    narrow **a = managed(sizeof *a), **c = managed(sizeof *c), **inverse = managed(sizeof *inverse),
           kept[SIZE], side[N];
    int info = 1, *rank = managed(sizeof *rank), wrong = 0;
    a[0] = managed(sizeof kept), c[0] = managed(sizeof side), inverse[0] = managed(sizeof kept);
    for (int i = 0; i < SIZE; i++)
        kept[i] = a[0][i] = (narrow)(value(i) + (i % (LD + 1) ? 0 : 20));
    for (int i = 0; i < N; i++)
        side[i] = c[0][i] = (narrow)value(3 * i);
    EXPECT(cublasCmatinvBatched(handle, N, (const narrow *const *)a, LD, inverse, LD, rank, 1), 0);
    EXPECT(*rank, 0);
    EXPECT(cublasCgelsBatched(handle, 0, N, N, 1, a, LD, c, N, &info, rank, 1), 0);
    EXPECT(info + *rank, 0);
    for (int row = 0; row < N; row++) {
        narrow sum = 0, other = 0;
        for (int k = 0; k < N; k++) {
            sum += kept[row + k * LD] * c[0][k];
            other += inverse[0][row + k * LD] * side[k];
        }
        wrong += cabsf(sum - side[row]) > 1e-4F || cabsf(other - c[0][row]) > 1e-4F;
    }
    EXPECT(wrong, 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    multiply_vectors();
    solve_triangles();
    use_factors();
    fit_batches();
    use_narrow();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
