/* Eigenvalues and singular values by cuSOLVER's calls that are told how to turn (syevj, gesvdj),
 * real and complex, alone and in batches: vectors put together again, against the matrices they are
 * of. */
#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

typedef double complex number;
typedef float complex narrow;

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);
#define DECLARE_PARAMS(Kind, kind)                                                    \
    int cusolverDnCreate##Kind##Info(void **made);                                    \
    int cusolverDnDestroy##Kind##Info(void *params);                                  \
    int cusolverDnX##kind##SetTolerance(void *params, double tolerance);              \
    int cusolverDnX##kind##SetMaxSweeps(void *params, int most);                      \
    int cusolverDnX##kind##SetSortEig(void *params, int is_sorted);                   \
    int cusolverDnX##kind##GetResidual(void *handle, void *params, double *residual); \
    int cusolverDnX##kind##GetSweeps(void *handle, void *params, int *sweeps);
DECLARE_PARAMS(Syevj, syevj)
DECLARE_PARAMS(Gesvdj, gesvdj)

/* T: the numbers, R: what their sizes are. */
#define DECLARE(L, T, R, spectrum)                                                                 \
    int cusolverDn##L##spectrum##_bufferSize(void *handle, int job, int fill, int n, const T *a,   \
                                             int lda, const R *values, int *count, void *params);  \
    int cusolverDn##L##spectrum(void *handle, int job, int fill, int n, T *a, int lda, R *values,  \
                                T *space, int count, int *info, void *params);                     \
    int cusolverDn##L##spectrum##Batched_bufferSize(void *handle, int job, int fill, int n,        \
                                                    const T *a, int lda, const R *values,          \
                                                    int *count, void *params, int batch);          \
    int cusolverDn##L##spectrum##Batched(void *handle, int job, int fill, int n, T *a, int lda,    \
                                         R *values, T *space, int count, int *info, void *params,  \
                                         int batch);                                               \
    int cusolverDn##L##gesvdj_bufferSize(void *handle, int job, int is_economic, int m, int n,     \
                                         const T *a, int lda, const R *values, const T *u,         \
                                         int ldu, const T *v, int ldv, int *count, void *params);  \
    int cusolverDn##L##gesvdj(void *handle, int job, int is_economic, int m, int n, T *a, int lda, \
                              R *values, T *u, int ldu, T *v, int ldv, T *space, int count,        \
                              int *info, void *params);                                            \
    int cusolverDn##L##gesvdjBatched_bufferSize(                                                   \
        void *handle, int job, int m, int n, const T *a, int lda, const R *values, const T *u,     \
        int ldu, const T *v, int ldv, int *count, void *params, int batch);                        \
    int cusolverDn##L##gesvdjBatched(void *handle, int job, int m, int n, T *a, int lda,           \
                                     R *values, T *u, int ldu, T *v, int ldv, T *space, int count, \
                                     int *info, void *params, int batch);
DECLARE(S, float, float, syevj)
DECLARE(D, double, double, syevj)
DECLARE(C, narrow, float, heevj)
DECLARE(Z, number, double, heevj)

enum { LOWER = 0, UPPER = 1, VALUES = 0, VECTORS = 1 };
enum { N = 30, SHORT = 21, LD = 33, SIZE = LD * LD, BATCH = 3, INVALID = 3, NOT_SUPPORTED = 9 };
static void *handle, *params;
static number *a, *u, *v, *space, given[SIZE];
static double *values;
static int *info;

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

/* In given and to, without order. */
static void make(number *to, bool is_hermitian, unsigned seed)
{
    for (int i = 0; i < SIZE; i++) {
        seed = seed * 1664525u + 1013904223u;
        const double real = (double)(seed >> 8) / (1 << 23) - 1;
        seed = seed * 1664525u + 1013904223u;
        given[i] = real + ((double)(seed >> 8) / (1 << 23) - 1) * I;
    }
    for (int i = 0; is_hermitian && i < LD; i++) {
        for (int j = 0; j < i; j++)
            given[j + i * LD] = conj(given[i + j * LD]);
        given[i + i * LD] = creal(given[i + i * LD]);
    }
    memcpy(to, given, sizeof given);
    *info = -1;
}

/* Largest element of X' X - 1. */
static double unorthogonal(const number *x, int ld, int rows, int columns)
{
    double largest = 0;
    for (int i = 0; i < columns; i++)
        for (int j = 0; j <= i; j++) {
            number sum = -(i == j);
            for (int k = 0; k < rows; k++)
                sum += conj(x[k + i * ld]) * x[k + j * ld];
            largest = fmax(largest, cabs(sum));
        }
    return largest;
}

/* Largest element of given x - x values. */
static double unequal_vectors(int n, const number *x, const double *of)
{
    double largest = 0;
    for (int i = 0; i < n * n; i++) {
        const int row = i % n, column = i / n;
        number sum = -of[column] * x[row + column * LD];
        for (int k = 0; k < n; k++)
            sum += given[row + k * LD] * x[k + column * LD];
        largest = fmax(largest, cabs(sum));
    }
    return largest;
}

/* Largest element of u values v' - given. */
static double unequal_product(int m, int n, const number *left, const number *right,
                              const double *of)
{
    double largest = 0;
    for (int i = 0; i < m * n; i++) {
        const int row = i % m, column = i / m;
        number sum = -given[row + column * LD];
        for (int k = 0; k < (m < n ? m : n); k++)
            sum += left[row + k * LD] * of[k] * conj(right[column + k * LD]);
        largest = fmax(largest, cabs(sum));
    }
    return largest;
}

static void test_eigenvalues(int how)
{
    double kept[N], residual = -1;
    int count = 0, sweeps = 0;
    make(a, true, 1);
    for (int i = 0; i < N * N; i++) /* the other triangle is nobody's business */
        if (how == LOWER ? i % N < i / N : i % N > i / N)
            a[i % N + i / N * LD] = NAN;
    EXPECT(cusolverDnZheevj_bufferSize(handle, VECTORS, how, N, a, LD, values, &count, params), 0);
    EXPECT(cusolverDnZheevj(handle, VECTORS, how, N, a, LD, values, space, count, info, params), 0);
    EXPECT(*info, 0);
    EXPECT(unequal_vectors(N, a, values) < 1e-12 && unorthogonal(a, LD, N, N) < 1e-13, 1);
    EXPECT(cusolverDnXsyevjGetResidual(handle, params, &residual), 0);
    EXPECT(residual > 0 && residual < 1e-12, 1);
    EXPECT(cusolverDnXsyevjGetSweeps(handle, params, &sweeps), 0);
    EXPECT(sweeps > 2 && sweeps < 20, 1);
    for (int k = 0; k < N; k++) {
        kept[k] = values[k];
        EXPECT(k == 0 || values[k] >= values[k - 1], 1);
    }
    make(a, true, 1);
    EXPECT(cusolverDnZheevj(handle, VALUES, how, N, a, LD, values, space, count, info, params), 0);
    EXPECT(memcmp(values, kept, sizeof kept), 0);
    EXPECT(memcmp(a, given, sizeof given), 0);
    EXPECT(cusolverDnXsyevjGetResidual(handle, params, &residual), 0);
    EXPECT(residual > 0 && residual < 1e-12, 1);
    EXPECT(cusolverDnXsyevjSetMaxSweeps(params, 2), 0);
    EXPECT(cusolverDnZheevj(handle, VALUES, how, N, a, LD, values, space, count, info, params), 0);
    EXPECT(*info, N + 1);
    EXPECT(cusolverDnXsyevjGetSweeps(handle, params, &sweeps), 0);
    EXPECT(sweeps, 2);
    EXPECT(cusolverDnXsyevjSetMaxSweeps(params, 100), 0);
}

static void test_eigenvalues_of_batch(void)
{
    number *all = managed(BATCH * sizeof given);
    double *all_values = managed(BATCH * SHORT * sizeof *all_values), residual = 0;
    int *all_info = managed(BATCH * sizeof *all_info), count = 0;
    for (int i = 0; i < BATCH; i++) {
        make(a, true, 5 + (unsigned)i);
        memcpy(all + (ptrdiff_t)i * LD * SHORT, given, LD * SHORT * sizeof *given);
    }
    EXPECT(cusolverDnZheevjBatched_bufferSize(handle, VECTORS, LOWER, SHORT, all, LD, all_values,
                                              &count, params, BATCH),
           0);
    EXPECT(cusolverDnZheevjBatched(handle, VECTORS, LOWER, SHORT, all, LD, all_values, space, count,
                                   all_info, params, BATCH),
           0);
    for (int i = 0; i < BATCH; i++) {
        make(a, true, 5 + (unsigned)i);
        EXPECT(all_info[i], 0);
        EXPECT(unequal_vectors(SHORT, all + (ptrdiff_t)i * LD * SHORT, all_values + i * SHORT) <
                   1e-12,
               1);
    }
    EXPECT(cusolverDnXsyevjGetResidual(handle, params, &residual), NOT_SUPPORTED);
    EXPECT(cusolverDnZheevjBatched(handle, VECTORS, LOWER, SHORT, all, LD, all_values, space, count,
                                   all_info, params, -1),
           INVALID);
}

static void test_singular(int m, int n, int is_economic)
{
    const int least = m < n ? m : n;
    double kept[N], residual = -1;
    int count = 0, sweeps = 0;
    make(a, false, 3);
    memset(u, 0, sizeof given), memset(v, 0, sizeof given);
    EXPECT(cusolverDnZgesvdj_bufferSize(handle, VECTORS, is_economic, m, n, a, LD, values, u, LD, v,
                                        LD, &count, params),
           0);
    EXPECT(cusolverDnZgesvdj(handle, VECTORS, is_economic, m, n, a, LD, values, u, LD, v, LD, space,
                             count, info, params),
           0);
    EXPECT(*info, 0);
    EXPECT(unequal_product(m, n, u, v, values) < 1e-12, 1);
    EXPECT(unorthogonal(u, LD, m, is_economic ? least : m) < 1e-13, 1);
    EXPECT(unorthogonal(v, LD, n, is_economic ? least : n) < 1e-13, 1);
    EXPECT(is_economic && (m < n ? cabs(v[least * LD]) : cabs(u[least * LD])) > 0, 0);
    EXPECT(cusolverDnXgesvdjGetResidual(handle, params, &residual), 0);
    EXPECT(residual > 0 && residual < 1e-12, 1);
    EXPECT(cusolverDnXgesvdjGetSweeps(handle, params, &sweeps), 0);
    EXPECT(sweeps > 2 && sweeps < 20, 1);
    for (int k = 0; k < least; k++) {
        kept[k] = values[k];
        EXPECT(k == 0 || values[k] <= values[k - 1], 1);
    }
    make(a, false, 3);
    EXPECT(cusolverDnZgesvdj(handle, VALUES, is_economic, m, n, a, LD, values, NULL, 1, NULL, 1,
                             space, count, info, params),
           0);
    EXPECT(memcmp(values, kept, (size_t)least * sizeof *kept), 0);
}

static void test_singular_of_batch(int m, int n)
{
    const int least = m < n ? m : n;
    number *all = managed(BATCH * sizeof given), *all_u = managed(BATCH * sizeof given),
           *all_v = managed(BATCH * sizeof given);
    double *all_values = managed(BATCH * N * sizeof *all_values);
    int *all_info = managed(BATCH * sizeof *all_info), count = 0;
    for (int i = 0; i < BATCH; i++) {
        make(a, false, 5 + (unsigned)i);
        memcpy(all + (ptrdiff_t)i * LD * n, given, (size_t)(LD * n) * sizeof *given);
    }
    EXPECT(cusolverDnZgesvdjBatched_bufferSize(handle, VECTORS, m, n, all, LD, all_values, all_u,
                                               LD, all_v, LD, &count, params, BATCH),
           0);
    EXPECT(cusolverDnZgesvdjBatched(handle, VECTORS, m, n, all, LD, all_values, all_u, LD, all_v,
                                    LD, space, count, all_info, params, BATCH),
           0);
    for (int i = 0; i < BATCH; i++) {
        const number *own_u = all_u + (ptrdiff_t)i * LD * m, *own_v = all_v + (ptrdiff_t)i * LD * n;
        make(a, false, 5 + (unsigned)i);
        EXPECT(all_info[i], 0);
        EXPECT(unequal_product(m, n, own_u, own_v, all_values + i * least) < 1e-12, 1);
        EXPECT(unorthogonal(own_u, LD, m, m) < 1e-13 && unorthogonal(own_v, LD, n, n) < 1e-13, 1);
    }
    EXPECT(cusolverDnZgesvdjBatched(handle, VECTORS, LD, n, all, LD, all_values, all_u, LD, all_v,
                                    LD, space, count, all_info, params, BATCH),
           INVALID);
}

/* Of real numbers in both precisions, against those of complex ones without a second part. */
static void test_real(void)
{
    double *real = managed(SIZE * sizeof *real), *real_values = managed(N * sizeof *real_values);
    float *single = managed(SIZE * sizeof *single),
          *single_values = managed(N * sizeof *single_values);
    narrow *pair = managed(SIZE * sizeof *pair);
    double most = 0;
    make(a, true, 1);
    for (int i = 0; i < SIZE; i++)
        a[i] = real[i] = single[i] = (float)creal(given[i]), pair[i] = single[i];
    EXPECT(cusolverDnZheevj(handle, VALUES, LOWER, N, a, LD, values, space, 3 * SIZE, info, params),
           0);
    EXPECT(cusolverDnDsyevj(handle, VALUES, UPPER, N, real, LD, real_values, (double *)space,
                            3 * SIZE, info, params),
           0);
    EXPECT(cusolverDnSsyevj(handle, VALUES, LOWER, N, single, LD, single_values, (float *)space,
                            3 * SIZE, info, params),
           0);
    for (int i = 0; i < N; i++)
        most = fmax(most, fmax(fabs(real_values[i] - values[i]),
                               1e-8 * fabs((double)single_values[i] - values[i])));
    EXPECT(most < 1e-12, 1);
    EXPECT(cusolverDnZgesvdj(handle, VALUES, 1, SHORT, N, a, LD, values, NULL, 1, NULL, 1, space,
                             4 * SIZE, info, params),
           0);
    EXPECT(cusolverDnDgesvdj(handle, VALUES, 1, SHORT, N, real, LD, real_values, NULL, 1, NULL, 1,
                             (double *)space, 4 * SIZE, info, params),
           0);
    EXPECT(cusolverDnCgesvdj(handle, VALUES, 1, SHORT, N, pair, LD, single_values, NULL, 1, NULL, 1,
                             (narrow *)space, 4 * SIZE, info, params),
           0);
    for (int i = 0; i < SHORT; i++)
        most = fmax(most, fmax(fabs(real_values[i] - values[i]),
                               1e-8 * fabs((double)single_values[i] - values[i])));
    EXPECT(most < 1e-12, 1);
}

static void test_arguments(void)
{
    double residual = 0;
    int count = 0;
    void *other = NULL;
    EXPECT(cusolverDnCreateGesvdjInfo(NULL), INVALID);
    EXPECT(cusolverDnXsyevjSetTolerance(params, 1e-7), 0);
    EXPECT(cusolverDnXsyevjSetTolerance(NULL, 1e-7), INVALID);
    EXPECT(cusolverDnXsyevjSetMaxSweeps(params, -1), INVALID);
    EXPECT(cusolverDnXgesvdjSetSortEig(params, 0), 0);
    EXPECT(cusolverDnXsyevjGetResidual(NULL, params, &residual), 1);
    EXPECT(cusolverDnXsyevjGetResidual(handle, params, NULL), INVALID);
    EXPECT(cusolverDnZheevj_bufferSize(handle, 2, LOWER, N, a, LD, values, &count, params),
           INVALID);
    EXPECT(cusolverDnZheevj_bufferSize(handle, VALUES, LOWER, N, a, LD, values, &count, NULL),
           INVALID);
    EXPECT(cusolverDnZheevj(NULL, VALUES, LOWER, N, a, LD, values, space, 3 * SIZE, info, params),
           1);
    EXPECT(cusolverDnZheevj(handle, VALUES, LOWER, N, a, LD, values, space, 10, info, params), 0);
    EXPECT(cusolverDnZheevj(handle, VALUES, LOWER, 0, a, LD, values, space, 1, info, params), 0);
    EXPECT(cusolverDnZgesvdj(handle, VECTORS, 0, N, SHORT, a, LD, values, u, N - 1, v, LD, space,
                             4 * SIZE, info, params),
           INVALID);
    EXPECT(cusolverDnZgesvdj(handle, VECTORS, 2, N, SHORT, a, LD, values, u, LD, v, LD, space,
                             4 * SIZE, info, params),
           INVALID);
    EXPECT(cusolverDnZgesvdj(handle, VECTORS, 0, N, SHORT, a, LD, values, u, LD, v, LD, space, 9,
                             info, params),
           0);
    EXPECT(cusolverDnCreateSyevjInfo(&other), 0);
    EXPECT(cusolverDnDestroySyevjInfo(other), 0);
    EXPECT(cusolverDnDestroySyevjInfo(NULL), INVALID);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    EXPECT(cusolverDnCreateGesvdjInfo(&params), 0);
    a = managed(sizeof given), u = managed(sizeof given), v = managed(sizeof given);
    space = managed(4 * sizeof given), values = managed(N * sizeof *values);
    info = managed(sizeof *info);
    test_eigenvalues(LOWER);
    test_eigenvalues(UPPER);
    test_eigenvalues_of_batch();
    for (int is_economic = 0; is_economic < 2; is_economic++) {
        test_singular(N, SHORT, is_economic);
        test_singular(SHORT, N, is_economic);
    }
    test_singular_of_batch(SHORT, 13);
    test_singular_of_batch(13, SHORT);
    test_real();
    test_arguments();
    EXPECT(cusolverDnDestroyGesvdjInfo(params), 0);
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
