/* Calls of cuSOLVER on matrices of complex numbers: factors multiplied out, solutions put in, and
 * vectors put together again, against the matrices they are of. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

typedef double complex number;
typedef float complex narrow;

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);

/* T: the numbers, R: what their sizes are. */
#define DECLARE(L, T, R)                                                                           \
    int cusolverDn##L##potrf_bufferSize(void *handle, int fill, int n, T *a, int lda, int *count); \
    int cusolverDn##L##potrf(void *handle, int fill, int n, T *a, int lda, T *space, int count,    \
                             int *info);                                                           \
    int cusolverDn##L##potrs(void *handle, int fill, int n, int columns, const T *a, int lda,      \
                             T *b, int ldb, int *info);                                            \
    int cusolverDn##L##potri_bufferSize(void *handle, int fill, int n, T *a, int lda, int *count); \
    int cusolverDn##L##potri(void *handle, int fill, int n, T *a, int lda, T *space, int count,    \
                             int *info);                                                           \
    int cusolverDn##L##potrfBatched(void *handle, int fill, int n, T **a, int lda, int *info,      \
                                    int batch);                                                    \
    int cusolverDn##L##potrsBatched(void *handle, int fill, int n, int columns, T **a, int lda,    \
                                    T **b, int ldb, int *info, int batch);                         \
    int cusolverDn##L##getrf_bufferSize(void *handle, int m, int n, T *a, int lda, int *count);    \
    int cusolverDn##L##getrf(void *handle, int m, int n, T *a, int lda, T *space, int *pivots,     \
                             int *info);                                                           \
    int cusolverDn##L##getrs(void *handle, int op, int n, int columns, const T *a, int lda,        \
                             const int *pivots, T *b, int ldb, int *info);                         \
    int cusolverDn##L##geqrf_bufferSize(void *handle, int m, int n, T *a, int lda, int *count);    \
    int cusolverDn##L##geqrf(void *handle, int m, int n, T *a, int lda, T *factors, T *space,      \
                             int count, int *info);                                                \
    int cusolverDn##L##unmqr_bufferSize(void *handle, int side, int op, int m, int n, int k,       \
                                        const T *a, int lda, const T *factors, const T *c,         \
                                        int ldc, int *count);                                      \
    int cusolverDn##L##unmqr(void *handle, int side, int op, int m, int n, int k, const T *a,      \
                             int lda, const T *factors, T *c, int ldc, T *space, int count,        \
                             int *info);                                                           \
    int cusolverDn##L##ungqr_bufferSize(void *handle, int m, int n, int k, const T *a, int lda,    \
                                        const T *factors, int *count);                             \
    int cusolverDn##L##ungqr(void *handle, int m, int n, int k, T *a, int lda, const T *factors,   \
                             T *space, int count, int *info);                                      \
    int cusolverDn##L##heevd_bufferSize(void *handle, int job, int fill, int n, const T *a,        \
                                        int lda, const R *values, int *count);                     \
    int cusolverDn##L##heevd(void *handle, int job, int fill, int n, T *a, int lda, R *values,     \
                             T *space, int count, int *info);                                      \
    int cusolverDn##L##gesvd_bufferSize(void *handle, int m, int n, int *count);                   \
    int cusolverDn##L##gesvd(void *handle, signed char job_u, signed char job_v, int m, int n,     \
                             T *a, int lda, R *values, T *u, int ldu, T *v, int ldv, T *space,     \
                             int count, R *more, int *info);
DECLARE(C, narrow, float)
DECLARE(Z, number, double)
int cusolverDnDpotrf(void *handle, int fill, int n, double *a, int lda, double *space, int count,
                     int *info);
int cusolverDnDpotri(void *handle, int fill, int n, double *a, int lda, double *space, int count,
                     int *info);

int cusolverDnXgetrf(void *handle, void *params, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int64_t *pivots, int compute, void *space, size_t bytes,
                     void *host_space, size_t host_bytes, int *info);
int cusolverDnXgetrs(void *handle, void *params, int op, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                     int64_t ldb, int *info);
int cusolverDnXsyevd_bufferSize(void *handle, void *params, int job, int fill, int64_t n, int type,
                                const void *a, int64_t lda, int type_values, const void *values,
                                int compute, size_t *device, size_t *host);
int cusolverDnXsyevd(void *handle, void *params, int job, int fill, int64_t n, int type, void *a,
                     int64_t lda, int type_values, void *values, int compute, void *space,
                     size_t bytes, void *host_space, size_t host_bytes, int *info);

enum { LOWER = 0, UPPER = 1, LEFT = 0, RIGHT = 1, PLAIN = 0, TRANSPOSED = 1, ADJOINT = 2 };
enum { N = 40, SHORT = 33, LD = 43, SIZE = LD * LD, COLUMNS = 3, OUTSIDE = 77, INVALID = 3 };
static void *handle;
static number *a, *b, *u, *v, *space, *factors, given[SIZE], right[SIZE];
static double *values;
static int *info, *pivots;

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

/* Of a matrix without order; what is outside its rows stays OUTSIDE. */
static void fill(number *to, int rows, int columns, unsigned seed)
{
    for (int i = 0; i < SIZE; i++) {
        seed = seed * 1664525u + 1013904223u;
        const double real = (double)(seed >> 8) / (1 << 23) - 1;
        seed = seed * 1664525u + 1013904223u;
        to[i] = i % LD < rows && i / LD < columns ? real + ((double)(seed >> 8) / (1 << 23) - 1) * I
                                                  : OUTSIDE;
    }
}

/* In given and a; diagonal: of a Hermitian one what is added to its diagonal. */
static void make(int rows, int columns, bool is_hermitian, double diagonal)
{
    fill(given, rows, columns, 1);
    for (int i = 0; is_hermitian && i < N; i++) {
        for (int j = 0; j < i; j++)
            given[j + i * LD] = conj(given[i + j * LD]);
        given[i + i * LD] = creal(given[i + i * LD]) + diagonal;
    }
    memcpy(a, given, sizeof given);
    fill(right, N, COLUMNS, 2);
    memcpy(b, right, sizeof right);
    *info = -1;
}

/* The other triangle is nobody's business, nor is what the diagonal has beside its real part. */
static void hide(int how)
{
    for (int i = 0; i < N * N; i++)
        if (how == LOWER ? i % N < i / N : i % N > i / N)
            a[i % N + i / N * LD] = NAN;
}

/* |op(given) * b - right| */
static double residual(int op)
{
    double most = 0;
    for (int column = 0; column < COLUMNS; column++)
        for (int i = 0; i < N; i++) {
            number sum = -right[i + column * LD];
            for (int k = 0; k < N; k++) {
                const number own = given[op ? k + i * LD : i + k * LD];
                sum += (op == ADJOINT ? conj(own) : own) * b[k + column * LD];
            }
            most = fmax(most, cabs(sum));
        }
    return most;
}

static void test_cholesky(int how)
{
    int count = 0;
    double most = 0;
    make(N, N, true, 2 * N);
    hide(how);
    EXPECT(cusolverDnZpotrf_bufferSize(handle, how, N, a, LD, &count), 0);
    EXPECT(count > 0, 1);
    EXPECT(cusolverDnZpotrf(handle, how, N, a, LD, space, count, info), 0);
    EXPECT(*info, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            number sum = -given[i + j * LD];
            for (int k = 0; k <= j; k++)
                sum += how == LOWER ? a[i + k * LD] * conj(a[j + k * LD])
                                    : conj(a[k + i * LD]) * a[k + j * LD];
            most = fmax(most, cabs(sum));
        }
    EXPECT(most < 1e-12, 1);
    EXPECT(cimag(a[9 + 9 * LD]) == 0 && cimag(a[35 + 35 * LD]) == 0, 1);
    EXPECT(isnan(creal(how == LOWER ? a[5 * LD] : a[5])), 1);
    EXPECT(cusolverDnZpotrs(handle, how, N, COLUMNS, a, LD, b, LD, info), 0);
    EXPECT(*info, 0);
    EXPECT(residual(PLAIN) < 1e-12, 1);
    EXPECT(a[N] == OUTSIDE && b[N] == OUTSIDE, 1);
    make(N, N, true, 2 * N);
    a[36 + 36 * LD] = -1;
    EXPECT(cusolverDnZpotrf(handle, how, N, a, LD, space, count, info), 0);
    EXPECT(*info, 37);
}

/* The inverse by factors: its product with the matrix is the identity. */
static void test_inverse(int how)
{
    int count = 0;
    double most = 0;
    make(N, N, true, 2 * N);
    hide(how);
    EXPECT(cusolverDnZpotrf(handle, how, N, a, LD, space, SIZE, info), 0);
    EXPECT(cusolverDnZpotri_bufferSize(handle, how, N, a, LD, &count), 0);
    memcpy(u, a, sizeof given);
    EXPECT(cusolverDnZpotri(handle, how, N, u, LD, space, 0, info), 0);
    EXPECT(cusolverDnZpotri(handle, how, N, a, LD, space, count, info), 0);
    EXPECT(*info, 0);
    EXPECT(memcmp(u, a, sizeof given), 0);
    EXPECT(isnan(creal(how == LOWER ? a[5 * LD] : a[5])) && a[N] == OUTSIDE, 1);
    for (int i = 0; i < N * N; i++) {
        const int row = i % N, column = i / N;
        number sum = -(row == column);
        for (int k = 0; k < N; k++) {
            const bool is_stored = how == LOWER ? k >= column : k <= column;
            sum +=
                given[row + k * LD] * (is_stored ? a[k + column * LD] : conj(a[column + k * LD]));
        }
        most = fmax(most, cabs(sum));
    }
    EXPECT(most < 1e-12, 1);
    a[9 + 9 * LD] = 0;
    memcpy(given, a, sizeof given);
    EXPECT(cusolverDnZpotri(handle, how, N, a, LD, space, count, info), 0);
    EXPECT(*info, 10);
    EXPECT(memcmp(given, a, sizeof given), 0);
}

/* Of real numbers: (2 1, 1 2) becomes (2 -1, -1 2) / 3. */
static void test_real_inverse(void)
{
    double *real = managed(4 * sizeof *real), *real_space = managed(4 * sizeof *real);
    real[0] = real[3] = 2, real[1] = 1, real[2] = OUTSIDE;
    EXPECT(cusolverDnDpotrf(handle, LOWER, 2, real, 2, real_space, 4, info), 0);
    EXPECT(cusolverDnDpotri(handle, LOWER, 2, real, 2, real_space, 4, info), 0);
    EXPECT(fabs(real[0] * 3 - 2) + fabs(real[1] * 3 + 1) + fabs(real[3] * 3 - 2) < 1e-15, 1);
    EXPECT(real[2] == OUTSIDE, 1);
}

static void test_cholesky_of_batch(int how)
{
    enum { BATCH = 3, ORDER = 17 };
    number **all = managed(BATCH * sizeof *all), **sides = managed(BATCH * sizeof *sides);
    int *all_info = managed(BATCH * sizeof *all_info);
    double most = 0;
    for (int m = 0; m < BATCH; m++) {
        make(N, N, true, 2 * N + m);
        all[m] = managed(sizeof given), sides[m] = managed(sizeof given);
        memcpy(all[m], given, sizeof given);
        memcpy(sides[m], right, sizeof given);
    }
    all[1][4 + 4 * LD] = -1;
    EXPECT(cusolverDnZpotrfBatched(handle, how, ORDER, all, LD, all_info, BATCH), 0);
    EXPECT(all_info[0] == 0 && all_info[1] == 5 && all_info[2] == 0, 1);
    EXPECT(cusolverDnZpotrsBatched(handle, how, ORDER, 1, all, LD, sides, LD, info, BATCH), 0);
    EXPECT(*info, 0);
    for (int i = 0; i < ORDER; i++) {
        number sum = -right[i];
        for (int k = 0; k < ORDER; k++)
            sum += given[i + k * LD] * sides[2][k];
        most = fmax(most, cabs(sum));
    }
    EXPECT(most < 1e-12, 1);
    EXPECT(cusolverDnZpotrsBatched(handle, how, ORDER, 2, all, LD, sides, LD, info, BATCH), 9);
    EXPECT(cusolverDnZpotrsBatched(handle, how, ORDER, 1, all, LD, sides, ORDER - 1, info, BATCH),
           INVALID);
    EXPECT(cusolverDnZpotrfBatched(handle, how, ORDER, all, LD, NULL, BATCH), INVALID);
    EXPECT(cusolverDnZpotrfBatched(handle, how, ORDER, all, LD, all_info, -1), INVALID);
    EXPECT(cusolverDnZpotrfBatched(NULL, how, ORDER, all, LD, all_info, BATCH), 1);
}

static void test_lu(void)
{
    int count = 0;
    int64_t *wide = managed(N * sizeof *wide);
    make(N, N, false, 0);
    EXPECT(cusolverDnZgetrf_bufferSize(handle, N, N, a, LD, &count), 0);
    for (int op = PLAIN; op <= ADJOINT; op++) {
        make(N, N, false, 0);
        EXPECT(cusolverDnZgetrf(handle, N, N, a, LD, space, pivots, info), 0);
        EXPECT(*info, 0);
        EXPECT(cusolverDnZgetrs(handle, op, N, COLUMNS, a, LD, pivots, b, LD, info), 0);
        EXPECT(residual(op) < 1e-11, 1);
        EXPECT(a[N] == OUTSIDE && b[N] == OUTSIDE, 1);
    }
    make(N, N, false, 0);
    EXPECT(cusolverDnXgetrf(handle, NULL, N, N, 5, a, LD, wide, 5, space, 0, NULL, 0, info), 0);
    EXPECT(cusolverDnXgetrs(handle, NULL, ADJOINT, N, COLUMNS, 5, a, LD, wide, 5, b, LD, info), 0);
    EXPECT(residual(ADJOINT) < 1e-11, 1);
    EXPECT(wide[3] == pivots[3], 1);
    make(N, N, false, 0);
    for (int i = 0; i < N; i++)
        a[i + 34 * LD] = 0;
    EXPECT(cusolverDnZgetrf(handle, N, N, a, LD, space, pivots, info), 0);
    EXPECT(*info, 35);
}

/* Largest element of X' X - 1 (of_rows: X X' - 1). */
static double unorthogonal(const number *x, int rows, int columns, bool of_rows)
{
    double most = 0;
    for (int i = 0; i < (of_rows ? rows : columns); i++)
        for (int j = 0; j <= i; j++) {
            number sum = -(i == j);
            for (int k = 0; k < (of_rows ? columns : rows); k++)
                sum += of_rows ? x[i + k * LD] * conj(x[j + k * LD])
                               : conj(x[k + i * LD]) * x[k + j * LD];
            most = fmax(most, cabs(sum));
        }
    return most;
}

/* Q, made explicit, times R is what was there; Q's conjugate transposed times that is R. */
static void test_qr(void)
{
    int count = 0;
    double most = 0;
    number r[SIZE];
    make(N, SHORT, false, 0);
    EXPECT(cusolverDnZgeqrf_bufferSize(handle, N, SHORT, a, LD, &count), 0);
    EXPECT(cusolverDnZgeqrf(handle, N, SHORT, a, LD, factors, space, count, info), 0);
    EXPECT(*info, 0);
    memcpy(r, a, sizeof r);
    for (int i = 0; i < SHORT; i++)
        EXPECT(cimag(r[i + i * LD]) == 0, 1);
    memcpy(u, given, sizeof given);
    EXPECT(cusolverDnZunmqr_bufferSize(handle, LEFT, ADJOINT, N, SHORT, SHORT, a, LD, factors, u,
                                       LD, &count),
           0);
    EXPECT(cusolverDnZunmqr(handle, LEFT, ADJOINT, N, SHORT, SHORT, a, LD, factors, u, LD, space,
                            count, info),
           0);
    for (int i = 0; i < N * SHORT; i++) {
        const int row = i % N, column = i / N;
        most = fmax(most, cabs(u[row + column * LD] - (row <= column ? r[row + column * LD] : 0)));
    }
    EXPECT(cusolverDnZunmqr(handle, LEFT, PLAIN, N, SHORT, SHORT, a, LD, factors, u, LD, space,
                            count, info),
           0);
    for (int i = 0; i < N * SHORT; i++)
        most = fmax(most, cabs(u[i % N + i / N * LD] - given[i % N + i / N * LD]));
    EXPECT(most < 1e-13, 1);
    EXPECT(cusolverDnZungqr_bufferSize(handle, N, SHORT, SHORT, a, LD, factors, &count), 0);
    EXPECT(cusolverDnZungqr(handle, N, SHORT, SHORT, a, LD, factors, space, count, info), 0);
    EXPECT(*info, 0);
    EXPECT(unorthogonal(a, N, SHORT, false) < 1e-13, 1);
    for (int i = 0; i < N * SHORT; i++) {
        const int row = i % N, column = i / N;
        number sum = -given[row + column * LD];
        for (int k = 0; k <= column; k++)
            sum += a[row + k * LD] * r[k + column * LD];
        most = fmax(most, cabs(sum));
    }
    EXPECT(most < 1e-13, 1);
}

/* c Q and c Q' on the right side, against the explicit Q. */
static void test_right(int op)
{
    double most = 0;
    make(N, N, false, 0);
    EXPECT(cusolverDnZgeqrf(handle, N, N, a, LD, factors, space, N * 32, info), 0);
    fill(u, COLUMNS, N, 3);
    memcpy(given, u, sizeof given);
    EXPECT(cusolverDnZunmqr(handle, RIGHT, op, COLUMNS, N, N, a, LD, factors, u, LD, space, N * 32,
                            info),
           0);
    EXPECT(cusolverDnZungqr(handle, N, N, N, a, LD, factors, space, N * N, info), 0);
    for (int i = 0; i < COLUMNS * N; i++) {
        const int row = i % COLUMNS, column = i / COLUMNS;
        number sum = -u[row + column * LD];
        for (int k = 0; k < N; k++)
            sum += given[row + k * LD] *
                   (op == ADJOINT ? conj(a[column + k * LD]) : a[k + column * LD]);
        most = fmax(most, cabs(sum));
    }
    EXPECT(most < 1e-13, 1);
}

static void test_eigenvalues(int how)
{
    double trace = 0, most = 0, kept[N];
    int count = 0;
    size_t device = 0, host = 1;
    make(N, N, true, 0);
    hide(how);
    a[7 + 7 * LD] += 3 * I;
    EXPECT(cusolverDnZheevd_bufferSize(handle, 1, how, N, a, LD, values, &count), 0);
    EXPECT(cusolverDnZheevd(handle, 1, how, N, a, LD, values, space, count, info), 0);
    EXPECT(*info, 0);
    for (int k = 0; k < N; k++) {
        kept[k] = values[k];
        trace += values[k] - creal(given[k + k * LD]);
        EXPECT(k == 0 || values[k] >= values[k - 1], 1);
        for (int i = 0; i < N; i++) {
            number sum = -values[k] * a[i + k * LD];
            for (int j = 0; j < N; j++)
                sum += given[i + j * LD] * a[j + k * LD];
            most = fmax(most, cabs(sum));
        }
    }
    EXPECT(values[0] < -1 && values[N - 1] > 1, 1);
    EXPECT(most < 1e-12 && fabs(trace) < 1e-12, 1);
    EXPECT(unorthogonal(a, N, N, false) < 1e-13, 1);
    EXPECT(a[N] == OUTSIDE, 1);
    make(N, N, true, 0);
    EXPECT(cusolverDnXsyevd_bufferSize(handle, NULL, 0, how, N, 5, a, LD, 1, values, 5, &device,
                                       &host),
           0);
    EXPECT(cusolverDnXsyevd(handle, NULL, 0, how, N, 5, a, LD, 1, values, 5, space, device, NULL,
                            host, info),
           0);
    EXPECT(memcmp(values, kept, sizeof kept), 0);
}

static void test_singular(char job_u, char job_v)
{
    const int columns_u = job_u == 'A' ? N : SHORT;
    const number *left = job_u == 'O' ? a : u, *turned = job_v == 'O' ? a : v;
    double most = 0;
    int count = 0;
    make(N, SHORT, false, 0);
    EXPECT(cusolverDnZgesvd_bufferSize(handle, N, SHORT, &count), 0);
    EXPECT(cusolverDnZgesvd(handle, (signed char)job_u, (signed char)job_v, N, SHORT, a, LD, values,
                            u, LD, v, LD, space, count, NULL, info),
           0);
    EXPECT(*info, 0);
    for (int k = 1; k < SHORT; k++)
        EXPECT(values[k] <= values[k - 1] && values[k] > 0, 1);
    if (job_u != 'N')
        EXPECT(unorthogonal(left, N, columns_u, false) < 1e-13, 1);
    if (job_v != 'N')
        EXPECT(unorthogonal(turned, SHORT, SHORT, true) < 1e-13, 1);
    for (int i = 0; job_u != 'N' && job_v != 'N' && i < N * SHORT; i++) {
        const int row = i % N, column = i / N;
        number sum = -given[row + column * LD];
        for (int k = 0; k < SHORT; k++)
            sum += left[row + k * LD] * values[k] * turned[k + column * LD];
        most = fmax(most, cabs(sum));
    }
    EXPECT(most < 1e-13, 1);
}

/* In single precision: eigenvalues, and what a positive definite matrix solves. */
static void test_narrow(void)
{
    narrow *single = managed(sizeof given / 2), *single_b = managed(sizeof given / 2),
           *single_space = managed(sizeof given);
    float *single_values = managed(N * sizeof *single_values);
    double most = 0;
    make(N, N, true, 2 * N);
    EXPECT(cusolverDnZheevd(handle, 0, LOWER, N, a, LD, values, space, SIZE, info), 0);
    for (int i = 0; i < SIZE; i++)
        single[i] = (narrow)given[i], single_b[i] = (narrow)right[i];
    EXPECT(
        cusolverDnCheevd(handle, 0, LOWER, N, single, LD, single_values, single_space, SIZE, info),
        0);
    EXPECT(*info, 0);
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs((double)single_values[i] - values[i]));
    EXPECT(most < 1e-3, 1);
    for (int i = 0; i < SIZE; i++)
        single[i] = (narrow)given[i];
    EXPECT(cusolverDnCpotrf(handle, UPPER, N, single, LD, single_space, SIZE, info), 0);
    EXPECT(cusolverDnCpotrs(handle, UPPER, N, COLUMNS, single, LD, single_b, LD, info), 0);
    for (int i = 0; i < SIZE; i++)
        b[i] = single_b[i];
    EXPECT(residual(PLAIN) < 1e-4, 1);
}

static void test_arguments(void)
{
    int count = 0;
    make(N, N, false, 0);
    EXPECT(cusolverDnZpotrf(NULL, LOWER, N, a, LD, space, 1, info), 1);
    EXPECT(cusolverDnZpotrf(handle, 2, N, a, LD, space, 1, info), INVALID);
    EXPECT(cusolverDnZpotrf(handle, LOWER, N, a, N - 1, space, 1, info), INVALID);
    EXPECT(cusolverDnZpotrf(handle, LOWER, N, a, LD, space, 1, NULL), INVALID);
    EXPECT(cusolverDnZgetrs(handle, 3, N, COLUMNS, a, LD, pivots, b, LD, info), INVALID);
    EXPECT(cusolverDnZunmqr(handle, LEFT, TRANSPOSED, N, N, N, a, LD, factors, u, LD, space, SIZE,
                            info),
           INVALID);
    EXPECT(cusolverDnZunmqr_bufferSize(handle, LEFT, TRANSPOSED, N, N, N, a, LD, factors, u, LD,
                                       &count),
           INVALID);
    EXPECT(cusolverDnZheevd(handle, 2, LOWER, N, a, LD, values, space, SIZE, info), INVALID);
    EXPECT(cusolverDnZgesvd(handle, 'A', 'A', SHORT, N, a, LD, values, u, LD, v, LD, space, SIZE,
                            NULL, info),
           INVALID);
    EXPECT(cusolverDnXsyevd(handle, NULL, 0, LOWER, N, 5, a, LD, 5, values, 5, space, 1, NULL, 0,
                            info),
           9); /* eigenvalues are real */
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    a = managed(sizeof given), b = managed(sizeof given), u = managed(sizeof given);
    v = managed(sizeof given), space = managed(3 * sizeof given);
    factors = managed(N * sizeof *factors), values = managed(N * sizeof *values);
    pivots = managed(N * sizeof *pivots), info = managed(sizeof *info);
    test_cholesky(LOWER);
    test_cholesky(UPPER);
    test_inverse(LOWER);
    test_inverse(UPPER);
    test_real_inverse();
    test_cholesky_of_batch(LOWER);
    test_cholesky_of_batch(UPPER);
    test_lu();
    test_qr();
    test_right(PLAIN);
    test_right(ADJOINT);
    test_eigenvalues(LOWER);
    test_eigenvalues(UPPER);
    test_singular('A', 'A');
    test_singular('S', 'S');
    test_singular('O', 'A');
    test_singular('N', 'S');
    test_singular('N', 'N');
    test_narrow();
    test_arguments();
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
