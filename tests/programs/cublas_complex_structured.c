/* cuBLAS's calls on symmetric, Hermitian, triangular and diagonal matrices of complex numbers
 * against what is computed here. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef double complex number;
typedef float complex narrow;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
/* Of symmetric and Hermitian matrices. */
typedef int multiply_call(void *handle, int side, int fill, int m, int n, const number *alpha,
                          const number *a, int lda, const number *b, int ldb, const number *beta,
                          number *c, int ldc);
typedef int multiply_vector_call(void *handle, int fill, int n, const number *alpha,
                                 const number *a, int lda, const number *x, int incx,
                                 const number *beta, number *y, int incy);
multiply_call cublasZsymm_v2, cublasZhemm_v2;
multiply_vector_call cublasZsymv_v2, cublasZhemv_v2;
/* Sums of rank k. */
int cublasZsyrk_v2(void *handle, int fill, int op, int n, int k, const number *alpha,
                   const number *a, int lda, const number *beta, number *c, int ldc);
int cublasZherk_v2(void *handle, int fill, int op, int n, int k, const double *alpha,
                   const number *a, int lda, const double *beta, number *c, int ldc);
int cublasCherk_v2(void *handle, int fill, int op, int n, int k, const float *alpha,
                   const narrow *a, int lda, const float *beta, narrow *c, int ldc);
int cublasZsyr2k_v2(void *handle, int fill, int op, int n, int k, const number *alpha,
                    const number *a, int lda, const number *b, int ldb, const number *beta,
                    number *c, int ldc);
int cublasZher2k_v2(void *handle, int fill, int op, int n, int k, const number *alpha,
                    const number *a, int lda, const number *b, int ldb, const double *beta,
                    number *c, int ldc);
int cublasZsyrkx(void *handle, int fill, int op, int n, int k, const number *alpha, const number *a,
                 int lda, const number *b, int ldb, const number *beta, number *c, int ldc);
int cublasZherkx(void *handle, int fill, int op, int n, int k, const number *alpha, const number *a,
                 int lda, const number *b, int ldb, const double *beta, number *c, int ldc);
int cublasZsyr_v2(void *handle, int fill, int n, const number *alpha, const number *x, int incx,
                  number *a, int lda);
int cublasZher_v2(void *handle, int fill, int n, const double *alpha, const number *x, int incx,
                  number *a, int lda);
int cublasZsyr2_v2(void *handle, int fill, int n, const number *alpha, const number *x, int incx,
                   const number *y, int incy, number *a, int lda);
int cublasZher2_v2(void *handle, int fill, int n, const number *alpha, const number *x, int incx,
                   const number *y, int incy, number *a, int lda);
int cublasZtrmm_v2(void *handle, int side, int fill, int op, int diagonal, int m, int n,
                   const number *alpha, const number *a, int lda, const number *b, int ldb,
                   number *c, int ldc);
int cublasZtrmv_v2(void *handle, int fill, int op, int diagonal, int n, const number *a, int lda,
                   number *x, int incx);
int cublasZtrsv_v2(void *handle, int fill, int op, int diagonal, int n, const number *a, int lda,
                   number *x, int incx);
int cublasCdgmm(void *handle, int side, int m, int n, const narrow *a, int lda, const narrow *x,
                int incx, narrow *c, int ldc);

enum { M = 13, N = 9, K = 7, LD = 20, SIZE = LD * LD, INVALID = 7 };
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

/* Values that differ by seed; a diagonal that can be divided by. */
static number *matrix(int seed)
{
    number *made = managed(SIZE * sizeof *made);
    for (int i = 0; i < SIZE; i++)
        made[i] = i % (LD + 1) ? value(i * i + seed) : 8 + seed + 3 * I;
    return made;
}

static int is_near(number a, number b)
{
    return cabs(a - b) <= 1e-9 * (1 + cabs(b));
}

static number half_stored(const number *a, int is_upper, int is_hermitian, int row, int column)
{
    const int is_stored = is_upper ? row <= column : row >= column;
    const number stored = is_stored ? a[row + column * LD] : a[column + row * LD];
    if (is_hermitian && row == column)
        return creal(stored);
    return is_hermitian && !is_stored ? conj(stored) : stored;
}

static number triangular(const number *a, int is_upper, int op, int is_unit, int row, int column)
{
    const int own_row = op ? column : row, own_column = op ? row : column;
    if (row == column && is_unit)
        return 1;
    if (is_upper ? own_row > own_column : own_row < own_column)
        return 0;
    return op == 2 ? conj(a[own_row + own_column * LD]) : a[own_row + own_column * LD];
}

static void multiply_halves(void)
{
    number *a = matrix(1), *b = matrix(2), *c = matrix(3), *x = matrix(4), *y = matrix(5);
    for (int kind = 0; kind < 8; kind++) {
        const int side = kind & 1, is_upper = kind >> 1 & 1, is_hermitian = kind >> 2,
                  order = side ? N : M;
        multiply_call *const multiply = is_hermitian ? cublasZhemm_v2 : cublasZsymm_v2;
        multiply_vector_call *const multiply_vector =
            is_hermitian ? cublasZhemv_v2 : cublasZsymv_v2;
        number before[SIZE];
        int wrong = 0;
        for (int i = 0; i < SIZE; i++)
            before[i] = c[i];
        EXPECT(multiply(handle, side, is_upper, M, N, &alpha, a, LD, b, LD, &beta, c, LD), 0);
        for (int i = 0; i < SIZE; i++) {
            const int row = i % LD, column = i / LD;
            number sum = 0;
            for (int k = 0; k < order && row < M && column < N; k++)
                sum += side ? b[row + k * LD] * half_stored(a, is_upper, is_hermitian, k, column)
                            : half_stored(a, is_upper, is_hermitian, row, k) * b[k + column * LD];
            wrong += row < M && column < N ? !is_near(c[i], alpha * sum + beta * before[i])
                                           : c[i] != before[i];
        }
        for (int i = 0; i < SIZE; i++)
            before[i] = y[i];
        EXPECT(multiply_vector(handle, is_upper, M, &alpha, a, LD, x, -1, &beta, y, 2), 0);
        for (int row = 0; row < M; row++) {
            number sum = 0;
            for (int k = 0; k < M; k++)
                sum += half_stored(a, is_upper, is_hermitian, row, k) * x[M - 1 - k];
            wrong += !is_near(y[2 * row], alpha * sum + beta * before[2 * row]);
        }
        EXPECT(wrong, 0);
    }
    EXPECT(cublasZhemm_v2(handle, 2, 0, M, N, &alpha, a, LD, b, LD, &beta, c, LD), INVALID);
    EXPECT(cublasZhemm_v2(handle, 0, 0, M, N, &alpha, a, M - 1, b, LD, &beta, c, LD), INVALID);
    EXPECT(cublasZsymm_v2(handle, 0, 0, M, N, &alpha, a, LD, b, M - 1, &beta, c, LD), INVALID);
    EXPECT(cublasZsymm_v2(handle, 0, 0, M, N, &alpha, a, LD, b, LD, &beta, c, M - 1), INVALID);
    EXPECT(cublasZsymm_v2(handle, 0, 0, -1, N, &alpha, a, LD, b, LD, &beta, c, LD), INVALID);
    EXPECT(cublasZhemm_v2(handle, 0, 0, M, N, &alpha, a, LD, b, LD, NULL, c, LD), INVALID);
    EXPECT(cublasZhemv_v2(handle, 0, M, &alpha, a, LD, x, 0, &beta, y, 2), INVALID);
}

/* In b's place, and beside it; then back. */
static void multiply_triangles(void)
{
    number *a = matrix(1), *b = matrix(2), *c = matrix(3), *x = matrix(4);
    for (int kind = 0; kind < 24; kind++) {
        const int side = kind & 1, is_upper = kind >> 1 & 1, is_unit = kind >> 2 & 1,
                  op = kind >> 3, order = side ? N : M;
        number before[SIZE], vector[M];
        int wrong = 0;
        for (int i = 0; i < SIZE; i++)
            before[i] = b[i] = value(i + kind);
        for (int i = 0; i < M; i++)
            vector[i] = x[2 * i] = value(3 * i + kind);
        EXPECT(
            cublasZtrmm_v2(handle, side, is_upper, op, is_unit, M, N, &alpha, a, LD, b, LD, c, LD),
            0);
        EXPECT(
            cublasZtrmm_v2(handle, side, is_upper, op, is_unit, M, N, &alpha, a, LD, b, LD, b, LD),
            0);
        EXPECT(cublasZtrmv_v2(handle, is_upper, op, is_unit, M, a, LD, x, 2), 0);
        for (int row = 0; row < M; row++) {
            number of_vector = 0;
            for (int k = 0; k < M; k++)
                of_vector += triangular(a, is_upper, op, is_unit, row, k) * vector[k];
            wrong += !is_near(x[2 * row], of_vector);
            for (int column = 0; column < N; column++) {
                number sum = 0;
                for (int k = 0; k < order; k++)
                    sum += side ? before[row + k * LD] *
                                      triangular(a, is_upper, op, is_unit, k, column)
                                : triangular(a, is_upper, op, is_unit, row, k) *
                                      before[k + column * LD];
                wrong += !is_near(b[row + column * LD], alpha * sum) ||
                         b[row + column * LD] != c[row + column * LD];
            }
        }
        EXPECT(cublasZtrsv_v2(handle, is_upper, op, is_unit, M, a, LD, x, 2), 0);
        for (int i = 0; i < M && !is_unit; i++) /* without a large diagonal errors grow */
            wrong += cabs(x[2 * i] - vector[i]) > 1e-6;
        EXPECT(wrong, 0);
    }
    EXPECT(cublasZtrmm_v2(handle, 0, 0, 3, 0, M, N, &alpha, a, LD, b, LD, c, LD), INVALID);
    EXPECT(cublasZtrmm_v2(handle, 1, 0, 0, 0, M, N, &alpha, a, N - 1, b, LD, c, LD), INVALID);
    EXPECT(cublasZtrmv_v2(handle, 0, 0, 0, M, a, LD, x, 0), INVALID);
    EXPECT(cublasZtrsv_v2(handle, 0, 0, 2, M, a, LD, x, 1), INVALID);
    EXPECT(cublasZtrsv_v2(NULL, 0, 0, 0, M, a, LD, x, 1), 1);
}

/* Element of a factor of n by k. */
static number factor(const number *a, int op, int row, int at)
{
    const number stored = op ? a[at + row * LD] : a[row + at * LD];
    return op == 2 ? conj(stored) : stored;
}

/* What calls of one kind of sum want: of one factor, two, both products; of one vector, two. */
enum { ONE, TWO, BOTH, VECTOR, VECTORS, CALLS };

static int call_symmetric(int call, int fill, int op, const number *a, const number *b, number *c)
{
    switch (call) {
    case ONE:
        return cublasZsyrk_v2(handle, fill, op, N, K, &alpha, a, LD, &beta, c, LD);
    case TWO:
        return cublasZsyrkx(handle, fill, op, N, K, &alpha, a, LD, b, LD, &beta, c, LD);
    case BOTH:
        return cublasZsyr2k_v2(handle, fill, op, N, K, &alpha, a, LD, b, LD, &beta, c, LD);
    case VECTOR:
        return cublasZsyr_v2(handle, fill, N, &alpha, a, 1, c, LD);
    default:
        return cublasZsyr2_v2(handle, fill, N, &alpha, a, 1, b, 1, c, LD);
    }
}

static int call_hermitian(int call, int fill, int op, const number *a, const number *b, number *c)
{
    static const double two = 2, half = 0.5;
    switch (call) {
    case ONE:
        return cublasZherk_v2(handle, fill, op, N, K, &two, a, LD, &half, c, LD);
    case TWO:
        return cublasZherkx(handle, fill, op, N, K, &alpha, a, LD, b, LD, &half, c, LD);
    case BOTH:
        return cublasZher2k_v2(handle, fill, op, N, K, &alpha, a, LD, b, LD, &half, c, LD);
    case VECTOR:
        return cublasZher_v2(handle, fill, N, &two, a, 1, c, LD);
    default:
        return cublasZher2_v2(handle, fill, N, &alpha, a, 1, b, 1, c, LD);
    }
}

static int count_wrong_of_rank(int call, int is_hermitian, int is_upper, int op, const number *a,
                               const number *b, const number *before, const number *c)
{
    const int is_vector = call >= VECTOR, is_both = call == BOTH || call == VECTORS,
              k = is_vector ? 1 : K, own_op = is_vector ? 0 : op;
    const number *other = call == ONE || call == VECTOR ? a : b,
                 scale = is_hermitian && (call == ONE || call == VECTOR) ? 2 : alpha,
                 kept = is_vector      ? 1
                        : is_hermitian ? 0.5
                                       : beta;
    int wrong = 0;
    for (int i = 0; i < SIZE; i++) {
        const int row = i % LD, column = i / LD,
                  is_own = row < N && column < N && (is_upper ? row <= column : row >= column);
        number sum = 0;
        for (int at = 0; at < k && is_own; at++) {
            const number left = factor(a, own_op, row, at),
                         right = factor(other, own_op, column, at),
                         left_too = factor(other, own_op, row, at),
                         right_too = factor(a, own_op, column, at);
            sum += scale * left * (is_hermitian ? conj(right) : right);
            if (is_both)
                sum += is_hermitian ? conj(scale) * left_too * conj(right_too)
                                    : scale * left_too * right_too;
        }
        number expected = is_own ? sum + kept * before[i] : before[i];
        if (is_own && is_hermitian && row == column)
            expected = creal(expected);
        wrong += is_own ? !is_near(c[i], expected) : c[i] != expected;
        wrong += is_own && is_hermitian && row == column && cimag(c[i]) != 0;
    }
    return wrong;
}

static void add_ranks(void)
{
    number *a = matrix(1), *b = matrix(2), *c = matrix(3);
    static const double one = 1;
    for (int kind = 0; kind < 8 * CALLS; kind++) {
        const int is_upper = kind & 1, is_hermitian = kind >> 1 & 1, call = kind >> 3,
                  op = kind >> 2 & 1 ? is_hermitian ? 2 : 1 : 0;
        number before[SIZE];
        for (int i = 0; i < SIZE; i++)
            before[i] = c[i] = value(i + kind);
        EXPECT((is_hermitian ? call_hermitian : call_symmetric)(call, is_upper, op, a, b, c), 0);
        EXPECT(count_wrong_of_rank(call, is_hermitian, is_upper, op, a, b, before, c), 0);
    }
    EXPECT(cublasZsyrk_v2(handle, 0, 1, N, K, &alpha, a, K - 1, &beta, c, LD), INVALID);
    EXPECT(cublasZsyrk_v2(handle, 0, 3, N, K, &alpha, a, LD, &beta, c, LD), INVALID);
    EXPECT(cublasZherk_v2(handle, 0, -1, N, K, &one, a, LD, &one, c, LD), INVALID);
    EXPECT(cublasZherk_v2(handle, 0, 0, N, K, NULL, a, LD, &one, c, LD), INVALID);
    EXPECT(cublasZher2k_v2(handle, 2, 0, N, K, &alpha, a, LD, b, LD, &one, c, LD), INVALID);
    EXPECT(cublasZherkx(handle, 0, 0, N, -1, &alpha, a, LD, b, LD, &one, c, LD), INVALID);
    EXPECT(cublasZher_v2(handle, 0, N, &one, a, 0, c, LD), INVALID);
}

/* In single precision: a sum of which one row counts, and diagonals. */
static void use_narrow(void)
{
    narrow *a = managed(SIZE * sizeof *a), *x = managed(LD * sizeof *x),
           *c = managed(SIZE * sizeof *c);
    const float two = 2, nothing = 0;
    int wrong = 0;
    for (int i = 0; i < SIZE; i++)
        a[i] = (narrow)value(i), c[i] = NAN;
    for (int i = 0; i < LD; i++)
        x[i] = (narrow)value(5 * i);
    EXPECT(cublasCherk_v2(handle, 1, 2, N, 1, &two, a, LD, &nothing, c, LD), 0);
    for (int i = 0; i < N * N; i++)
        wrong += i % N <= i / N &&
                 cabsf(c[i % N + i / N * LD] - 2 * conjf(a[i % N * LD]) * a[i / N * LD]) > 1e-4F;
    EXPECT(cublasCdgmm(handle, 0, M, N, a, LD, x, 1, c, LD), 0);
    for (int i = 0; i < M * N; i++)
        wrong += c[i % M + i / M * LD] != a[i % M + i / M * LD] * x[i % M];
    EXPECT(cublasCdgmm(handle, 1, M, N, a, LD, x, -2, c, LD), 0);
    for (int i = 0; i < M * N; i++)
        wrong += c[i % M + i / M * LD] != a[i % M + i / M * LD] * x[2 * (N - 1 - i / M)];
    EXPECT(wrong, 0);
    EXPECT(cublasCdgmm(handle, 2, M, N, a, LD, x, 1, c, LD), INVALID);
    EXPECT(cublasCdgmm(handle, 0, M, N, a, M - 1, x, 1, c, LD), INVALID);
}

/* Calls that have no factor, or one alone, take those of the device, too. */
static void point_to_device(void)
{
    number *a = matrix(1), *x = matrix(2), *scale = managed(sizeof *scale), old = x[0];
    double *real = managed(sizeof *real);
    *scale = 0, *real = 0;
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(cublasZtrmv_v2(handle, 0, 0, 0, 1, a, LD, x, 1), 0);
    EXPECT(is_near(x[0], a[0] * old), 1);
    EXPECT(cublasZtrsv_v2(handle, 0, 0, 0, 1, a, LD, x, 1), 0);
    EXPECT(is_near(x[0], old), 1);
    EXPECT(cublasZsyr_v2(handle, 0, 1, scale, x, 1, a, LD), 0);
    EXPECT(cublasZher_v2(handle, 0, 1, real, x, 1, a, LD), 0);
    EXPECT(cublasZsyr_v2(handle, 0, 1, &alpha, x, 1, a, LD), INVALID);
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    multiply_halves();
    multiply_triangles();
    add_ranks();
    use_narrow();
    point_to_device();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
