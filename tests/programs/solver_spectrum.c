/* Singular values and eigenvalues by cuSOLVER: their vectors put together again, against the
 * matrices they are of. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);

#define DECLARE(L, T)                                                                          \
    int cusolverDn##L##syevd_bufferSize(void *handle, int job, int fill, int n, const T *a,    \
                                        int lda, const T *values, int *count);                 \
    int cusolverDn##L##syevd(void *handle, int job, int fill, int n, T *a, int lda, T *values, \
                             T *space, int count, int *info);                                  \
    int cusolverDn##L##gesvd_bufferSize(void *handle, int m, int n, int *count);               \
    int cusolverDn##L##gesvd(void *handle, signed char job_u, signed char job_v, int m, int n, \
                             T *a, int lda, T *values, T *u, int ldu, T *v, int ldv, T *space, \
                             int count, T *more, int *info);
DECLARE(S, float)
DECLARE(D, double)

int cusolverDnXsyevd_bufferSize(void *handle, void *params, int job, int fill, int64_t n, int type,
                                const void *a, int64_t lda, int type_values, const void *values,
                                int compute, size_t *device, size_t *host);
int cusolverDnXsyevd(void *handle, void *params, int job, int fill, int64_t n, int type, void *a,
                     int64_t lda, int type_values, void *values, int compute, void *space,
                     size_t bytes, void *host_space, size_t host_bytes, int *info);
int cusolverDnXgesvd_bufferSize(void *handle, void *params, signed char job_u, signed char job_v,
                                int64_t m, int64_t n, int type, const void *a, int64_t lda,
                                int type_values, const void *values, int type_u, const void *u,
                                int64_t ldu, int type_v, const void *v, int64_t ldv, int compute,
                                size_t *device, size_t *host);
int cusolverDnXgesvd(void *handle, void *params, signed char job_u, signed char job_v, int64_t m,
                     int64_t n, int type, void *a, int64_t lda, int type_values, void *values,
                     int type_u, void *u, int64_t ldu, int type_v, void *v, int64_t ldv,
                     int compute, void *space, size_t bytes, void *host_space, size_t host_bytes,
                     int *info);

enum { N = 50, SHORT = 33, LD = 55, LOWER = 0, UPPER = 1, VALUES = 0, VECTORS = 1, OUTSIDE = 77 };
static void *handle;
static double *a, *u, *v, *values, *space, given[LD * LD];
static float *single, *single_values, *single_space;
static int *info;

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

/* In given and a; what is outside the rows is OUTSIDE. */
static void make(int rows, int columns, bool is_symmetric)
{
    unsigned seed = 1;
    for (int i = 0; i < LD * LD; i++) {
        seed = seed * 1664525u + 1013904223u;
        given[i] =
            i % LD < rows && i / LD < columns ? (double)(seed >> 8) / (1 << 23) - 1 : OUTSIDE;
    }
    for (int i = 0; is_symmetric && i < rows; i++)
        for (int j = 0; j < i; j++)
            given[j + i * LD] = given[i + j * LD];
    memcpy(a, given, sizeof given);
    *info = -1;
}

/* Largest element of X' X - 1 (of_rows: X X' - 1). */
static double unorthogonal(const double *x, int rows, int columns, bool of_rows)
{
    double most = 0;
    for (int i = 0; i < (of_rows ? rows : columns); i++)
        for (int j = 0; j <= i; j++) {
            double sum = -(i == j);
            for (int k = 0; k < (of_rows ? columns : rows); k++)
                sum += of_rows ? x[i + k * LD] * x[j + k * LD] : x[k + i * LD] * x[k + j * LD];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static double unequal_product(int m, int n, const double *left, const double *right)
{
    double most = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = -given[i + j * LD];
            for (int k = 0; k < n; k++)
                sum += left[i + k * LD] * values[k] * right[k + j * LD];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void test_symmetric(int fill)
{
    double trace = 0, most = 0, kept[N];
    int count = 0;
    make(N, N, true);
    for (int i = 0; i < N * N; i++) /* the other triangle is nobody's business */
        if (fill == LOWER ? i % N < i / N : i % N > i / N)
            a[i % N + i / N * LD] = NAN;
    EXPECT(cusolverDnDsyevd_bufferSize(handle, VECTORS, fill, N, a, LD, values, &count), 0);
    EXPECT(cusolverDnDsyevd(handle, VECTORS, fill, N, a, LD, values, space, count, info), 0);
    EXPECT(*info, 0);
    for (int k = 0; k < N; k++) {
        kept[k] = values[k];
        trace += values[k] - given[k + k * LD];
        EXPECT(k == 0 || values[k] >= values[k - 1], 1);
        for (int i = 0; i < N; i++) {
            double sum = -values[k] * a[i + k * LD];
            for (int j = 0; j < N; j++)
                sum += given[i + j * LD] * a[j + k * LD];
            most = fmax(most, fabs(sum));
        }
    }
    EXPECT(values[0] < -1 && values[N - 1] > 1, 1);
    EXPECT(most < 1e-12, 1);
    EXPECT(fabs(trace) < 1e-12, 1);
    EXPECT(unorthogonal(a, N, N, false) < 1e-13, 1);
    EXPECT(a[N] == OUTSIDE, 1);
    make(N, N, true);
    EXPECT(cusolverDnDsyevd(handle, VALUES, fill, N, a, LD, values, space, count, info), 0);
    EXPECT(memcmp(values, kept, sizeof kept), 0);
    memset(values, 0, sizeof kept);
    EXPECT(cusolverDnDsyevd(handle, VALUES, fill, N, a, LD, values, space, 0, info), 0);
    EXPECT(memcmp(values, kept, sizeof kept), 0);
}

/* Eigenvalues that are known, equal ones and opposite ones among them. */
static void test_known(void)
{
    static const double expected[] = {-3, -1, -1, 1, 1, 3};
    make(6, 6, true);
    for (int i = 0; i < 36; i++) /* columns exchanged, with 1, 1 and 3 as factors */
        a[i % 6 + i / 6 * LD] = i % 6 + i / 6 == 5 ? (i % 6 == 0 || i % 6 == 5 ? 3 : 1) : 0;
    EXPECT(cusolverDnDsyevd(handle, VECTORS, UPPER, 6, a, LD, values, space, LD * LD, info), 0);
    for (int i = 0; i < 6; i++)
        EXPECT(fabs(values[i] - expected[i]) < 1e-14, 1);
    EXPECT(unorthogonal(a, 6, 6, false) < 1e-14, 1);
    a[0] = -5;
    EXPECT(cusolverDnDsyevd(handle, VECTORS, LOWER, 1, a, 1, values, space, 3, info), 0);
    EXPECT(values[0] == -5 && a[0] == 1, 1);
    EXPECT(cusolverDnDsyevd(handle, VECTORS, LOWER, 0, a, 1, values, space, 1, info), 0);
}

static void test_singular(char job_u, char job_v)
{
    const int columns_u = job_u == 'A' ? N : SHORT;
    double *left = job_u == 'O' ? a : u, *right = job_v == 'O' ? a : v;
    int count = 0;
    make(N, SHORT, false);
    EXPECT(cusolverDnDgesvd_bufferSize(handle, N, SHORT, &count), 0);
    EXPECT(cusolverDnDgesvd(handle, (signed char)job_u, (signed char)job_v, N, SHORT, a, LD, values,
                            u, LD, v, LD, space, count, NULL, info),
           0);
    EXPECT(*info, 0);
    for (int k = 1; k < SHORT; k++)
        EXPECT(values[k] <= values[k - 1] && values[k] > 0, 1);
    if (job_u != 'N')
        EXPECT(unorthogonal(left, N, columns_u, false) < 1e-13, 1);
    if (job_v != 'N')
        EXPECT(unorthogonal(right, SHORT, SHORT, true) < 1e-13, 1);
    if (job_u != 'N' && job_v != 'N')
        EXPECT(unequal_product(N, SHORT, left, right) < 1e-13, 1);
}

/* Columns that depend on others, and nothing but zeros: U is orthogonal still. */
static void test_deficient(void)
{
    make(N, SHORT, false);
    for (int i = 0; i < N; i++) {
        given[i + 7 * LD] = 2 * given[i + 3 * LD] - given[i];
        given[i + 9 * LD] = 0;
    }
    memcpy(a, given, sizeof given);
    EXPECT(cusolverDnDgesvd(handle, 'S', 'S', N, SHORT, a, LD, values, u, LD, v, LD, space, LD * LD,
                            NULL, info),
           0);
    EXPECT(*info, 0);
    EXPECT(values[SHORT - 3] > 0.1 && values[SHORT - 2] < 1e-13, 1);
    EXPECT(unorthogonal(u, N, SHORT, false) < 1e-12, 1);
    EXPECT(unequal_product(N, SHORT, u, v) < 1e-12, 1);
    memset(a, 0, sizeof given);
    EXPECT(cusolverDnDgesvd(handle, 'A', 'A', N, SHORT, a, LD, values, u, LD, v, LD, space, LD * LD,
                            NULL, info),
           0);
    EXPECT(values[0] == 0, 1);
    EXPECT(unorthogonal(u, N, N, false) < 1e-13, 1);
    EXPECT(unorthogonal(v, SHORT, SHORT, true) < 1e-13, 1);
}

/* Of a matrix with one element that is no number nothing is. */
static void test_lost(void)
{
    make(SHORT, SHORT, true);
    a[3 + 2 * LD] = a[2 + 3 * LD] = NAN;
    EXPECT(cusolverDnDsyevd(handle, VECTORS, LOWER, SHORT, a, LD, values, space, LD * LD, info), 0);
    EXPECT(*info, 1);
    for (int k = 0; k < SHORT; k++)
        EXPECT(isnan(values[k]) && isnan(a[k]) && isnan(a[k * LD]), 1);
    make(N, SHORT, false);
    a[3 + 2 * LD] = INFINITY;
    EXPECT(cusolverDnDgesvd(handle, 'A', 'A', N, SHORT, a, LD, values, u, LD, v, LD, space, LD * LD,
                            NULL, info),
           0);
    EXPECT(*info, 0);
    for (int k = 0; k < SHORT; k++)
        EXPECT(isnan(values[k]) && isnan(u[k * LD]) && isnan(v[k * LD]), 1);
}

static void test_single(void)
{
    double kept[N];
    make(N, N, true);
    EXPECT(cusolverDnDsyevd(handle, VALUES, LOWER, N, a, LD, values, space, LD * LD, info), 0);
    memcpy(kept, values, sizeof kept);
    for (int i = 0; i < LD * LD; i++)
        single[i] = (float)given[i];
    EXPECT(cusolverDnSsyevd(handle, VECTORS, LOWER, N, single, LD, single_values, single_space,
                            LD * LD, info),
           0);
    EXPECT(*info, 0);
    for (int i = 0; i < N; i++)
        EXPECT(fabs(single_values[i] - kept[i]) < 5e-5, 1);
    for (int i = 0; i < LD * LD; i++)
        single[i] = (float)given[i];
    EXPECT(cusolverDnSgesvd(handle, 'N', 'N', N, N, single, LD, single_values, NULL, 1, NULL, 1,
                            single_space, 2 * LD * LD, NULL, info),
           0);
    EXPECT(*info, 0);
    EXPECT(fabs(single_values[0] - fmax(kept[N - 1], -kept[0])) < 5e-5, 1);
}

/* The calls of 64 bits. */
static void test_wide(void)
{
    enum { DOUBLES = 1 };
    double kept[N];
    size_t device = 0, host = 1;
    make(N, N, true);
    EXPECT(cusolverDnDsyevd(handle, VALUES, LOWER, N, a, LD, values, space, LD * LD, info), 0);
    memcpy(kept, values, sizeof kept);
    make(N, N, true);
    EXPECT(cusolverDnXsyevd_bufferSize(handle, NULL, VALUES, LOWER, N, DOUBLES, a, LD, DOUBLES,
                                       values, DOUBLES, &device, &host),
           0);
    EXPECT(cusolverDnXsyevd(handle, NULL, VALUES, LOWER, N, DOUBLES, a, LD, DOUBLES, values,
                            DOUBLES, space, device, NULL, host, info),
           0);
    EXPECT(memcmp(values, kept, sizeof kept), 0);
    make(N, SHORT, false);
    EXPECT(cusolverDnXgesvd_bufferSize(handle, NULL, 'S', 'S', N, SHORT, DOUBLES, a, LD, DOUBLES,
                                       values, DOUBLES, u, LD, DOUBLES, v, LD, DOUBLES, &device,
                                       &host),
           0);
    EXPECT(cusolverDnXgesvd(handle, NULL, 'S', 'S', N, SHORT, DOUBLES, a, LD, DOUBLES, values,
                            DOUBLES, u, LD, DOUBLES, v, LD, DOUBLES, space, device, NULL, host,
                            info),
           0);
    EXPECT(unequal_product(N, SHORT, u, v) < 1e-13, 1);
}

static void test_arguments(void)
{
    int count = 0;
    EXPECT(cusolverDnDgesvd_bufferSize(NULL, N, SHORT, &count), 1);
    EXPECT(cusolverDnDgesvd_bufferSize(handle, SHORT, N, &count), 0);
    EXPECT(count > N * SHORT, 1);
    EXPECT(cusolverDnDgesvd(handle, 'A', 'A', SHORT, N, a, LD, values, u, LD, v, LD, space, LD * LD,
                            NULL, info),
           3);
    EXPECT(cusolverDnDgesvd(handle, 'O', 'O', N, N, a, LD, values, u, LD, v, LD, space, 2 * LD * LD,
                            NULL, info),
           3);
    EXPECT(cusolverDnDgesvd(handle, 'a', 'A', N, N, a, LD, values, u, LD, v, LD, space, 2 * LD * LD,
                            NULL, info),
           3);
    EXPECT(cusolverDnDgesvd(handle, 'A', 'A', N, N, a, LD, values, u, LD, v, N - 1, space,
                            2 * LD * LD, NULL, info),
           3);
    EXPECT(
        cusolverDnDgesvd(handle, 'A', 'A', N, N, a, LD, values, u, LD, v, LD, space, 1, NULL, info),
        0);
    EXPECT(cusolverDnDsyevd(handle, 2, LOWER, N, a, LD, values, space, LD * LD, info), 3);
    EXPECT(cusolverDnDsyevd(NULL, VECTORS, LOWER, N, a, LD, values, space, LD * LD, info), 1);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    a = managed(sizeof given), u = managed(sizeof given), v = managed(sizeof given);
    values = managed(N * sizeof *values), space = managed(2 * sizeof given);
    single = managed(sizeof given), single_values = managed(N * sizeof *single_values);
    single_space = managed(sizeof given), info = managed(sizeof *info);
    test_symmetric(LOWER);
    test_symmetric(UPPER);
    test_known();
    test_singular('A', 'A');
    test_singular('S', 'S');
    test_singular('O', 'A');
    test_singular('S', 'O');
    test_singular('N', 'S');
    test_singular('N', 'N');
    test_deficient();
    test_lost();
    test_single();
    test_wide();
    test_arguments();
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
