/* Calls of cuSOLVER on dense matrices: factors multiplied out and solutions put in, against the
 * matrices they are of. */
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);
int cusolverDnSetStream(void *handle, void *stream);
int cusolverDnGetStream(void *handle, void **stream);
int cusolverGetVersion(int *version);
int cusolverGetProperty(int which, int *value);
int cusolverSpCreateGluInfo(void **handle);

#define DECLARE(L, T)                                                                              \
    int cusolverDn##L##potrf_bufferSize(void *handle, int fill, int n, T *a, int lda, int *count); \
    int cusolverDn##L##potrf(void *handle, int fill, int n, T *a, int lda, T *space, int count,    \
                             int *info);                                                           \
    int cusolverDn##L##potrs(void *handle, int fill, int n, int columns, const T *a, int lda,      \
                             T *b, int ldb, int *info);                                            \
    int cusolverDn##L##getrf_bufferSize(void *handle, int m, int n, T *a, int lda, int *count);    \
    int cusolverDn##L##getrf(void *handle, int m, int n, T *a, int lda, T *space, int *pivots,     \
                             int *info);                                                           \
    int cusolverDn##L##getrs(void *handle, int op, int n, int columns, const T *a, int lda,        \
                             const int *pivots, T *b, int ldb, int *info);                         \
    int cusolverDn##L##geqrf_bufferSize(void *handle, int m, int n, T *a, int lda, int *count);    \
    int cusolverDn##L##geqrf(void *handle, int m, int n, T *a, int lda, T *factors, T *space,      \
                             int count, int *info);                                                \
    int cusolverDn##L##ormqr_bufferSize(void *handle, int side, int op, int m, int n, int k,       \
                                        const T *a, int lda, const T *factors, const T *c,         \
                                        int ldc, int *count);                                      \
    int cusolverDn##L##ormqr(void *handle, int side, int op, int m, int n, int k, const T *a,      \
                             int lda, const T *factors, T *c, int ldc, T *space, int count,        \
                             int *info);                                                           \
    int cusolverDn##L##orgqr_bufferSize(void *handle, int m, int n, int k, const T *a, int lda,    \
                                        const T *factors, int *count);                             \
    int cusolverDn##L##orgqr(void *handle, int m, int n, int k, T *a, int lda, const T *factors,   \
                             T *space, int count, int *info);
DECLARE(S, float)
DECLARE(D, double)

int cusolverDnXgetrf_bufferSize(void *handle, void *params, int64_t m, int64_t n, int type,
                                const void *a, int64_t lda, int compute, size_t *device,
                                size_t *host);
int cusolverDnXgetrf(void *handle, void *params, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int64_t *pivots, int compute, void *space, size_t bytes,
                     void *host_space, size_t host_bytes, int *info);
int cusolverDnXgetrs(void *handle, void *params, int op, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                     int64_t ldb, int *info);
int cusolverDnXpotrf(void *handle, void *params, int fill, int64_t n, int type, void *a,
                     int64_t lda, int compute, void *space, size_t bytes, void *host_space,
                     size_t host_bytes, int *info);
int cusolverDnXpotrs(void *handle, void *params, int fill, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, int type_b, void *b, int64_t ldb, int *info);
int cusolverDnXgeqrf(void *handle, void *params, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int type_factors, void *factors, int compute, void *space,
                     size_t bytes, void *host_space, size_t host_bytes, int *info);

enum { LOWER = 0, UPPER = 1, LEFT = 0, RIGHT = 1, PLAIN = 0, TRANSPOSED = 1 };
enum { N = 70, SHORT = 41, LD = 75, COLUMNS = 3, OUTSIDE = 77 };
static void *handle;
static double *a, *b, *space, *factors, given[LD * LD], right[LD * LD];
static float *single, *single_b, *single_space, *single_factors;
static int *info, *pivots;

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

/* Of a matrix without order; what is outside its rows stays OUTSIDE. */
static void fill(double *values, int rows, int columns, unsigned seed)
{
    for (int i = 0; i < LD * LD; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] =
            i % LD < rows && i / LD < columns ? (double)(seed >> 8) / (1 << 23) - 1 : OUTSIDE;
    }
}

/* In given and a, of N rows; a positive definite one is symmetric. */
static void make(int rows, int columns, bool is_positive)
{
    fill(given, rows, columns, 1);
    for (int i = 0; is_positive && i < N; i++)
        for (int j = 0; j <= i; j++)
            given[j + i * LD] = given[i + j * LD] += i == j ? N : 0;
    memcpy(a, given, sizeof given);
    fill(right, N, COLUMNS, 2);
    memcpy(b, right, sizeof right);
    *info = -1;
}

/* |given * b - right|, of which op says whether given is transposed. */
static double residual(int op)
{
    double most = 0;
    for (int column = 0; column < COLUMNS; column++)
        for (int i = 0; i < N; i++) {
            double sum = -right[i + column * LD];
            for (int k = 0; k < N; k++)
                sum += given[op ? k + i * LD : i + k * LD] * b[k + column * LD];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void test_cholesky(int how)
{
    int count = 0;
    double most = 0;
    make(N, N, true);
    for (int i = 0; i < N * N; i++) /* the other triangle is nobody's business */
        if (how == LOWER ? i % N < i / N : i % N > i / N)
            a[i % N + i / N * LD] = NAN;
    EXPECT(cusolverDnDpotrf_bufferSize(handle, how, N, a, LD, &count), 0);
    EXPECT(count > 0, 1);
    EXPECT(cusolverDnDpotrf(handle, how, N, a, LD, space, count, info), 0);
    EXPECT(*info, 0);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double sum = -given[i + j * LD];
            for (int k = 0; k <= j; k++)
                sum += how == LOWER ? a[i + k * LD] * a[j + k * LD] : a[k + i * LD] * a[k + j * LD];
            most = fmax(most, fabs(sum));
        }
    EXPECT(most < 1e-12, 1);
    EXPECT(isnan(how == LOWER ? a[5 * LD] : a[5]), 1);
    EXPECT(cusolverDnDpotrs(handle, how, N, COLUMNS, a, LD, b, LD, info), 0);
    EXPECT(*info, 0);
    EXPECT(residual(PLAIN) < 1e-12, 1);
    EXPECT(a[N] == OUTSIDE && b[N] == OUTSIDE, 1);
    make(N, N, true);
    a[40 + 40 * LD] = -1;
    EXPECT(cusolverDnDpotrf(handle, how, N, a, LD, space, count, info), 0);
    EXPECT(*info, 41);
}

/* Largest difference of L * U from given, whose rows are exchanged as pivots say. */
static double product_of_triangles(int m, int n, bool has_pivots)
{
    double most = 0;
    for (int k = 0; has_pivots && k < (m < n ? m : n); k++)
        for (int j = 0; j < n; j++) {
            double value = given[k + j * LD];
            given[k + j * LD] = given[pivots[k] - 1 + j * LD];
            given[pivots[k] - 1 + j * LD] = value;
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = -given[i + j * LD];
            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1 : a[i + k * LD]) * a[k + j * LD];
            most = fmax(most, fabs(sum));
        }
    return most;
}

static void test_lu(void)
{
    static const int shapes[][2] = {{N, N}, {N, SHORT}, {SHORT, N}};
    int count = 0;
    for (size_t i = 0; i < 3; i++) {
        make(shapes[i][0], shapes[i][1], false);
        EXPECT(cusolverDnDgetrf_bufferSize(handle, shapes[i][0], shapes[i][1], a, LD, &count), 0);
        EXPECT(cusolverDnDgetrf(handle, shapes[i][0], shapes[i][1], a, LD, space, pivots, info), 0);
        EXPECT(*info, 0);
        EXPECT(product_of_triangles(shapes[i][0], shapes[i][1], true) < 1e-13, 1);
        EXPECT(a[shapes[i][0]] == OUTSIDE, 1);
    }
    for (int op = PLAIN; op <= TRANSPOSED; op++) {
        make(N, N, false);
        EXPECT(cusolverDnDgetrf(handle, N, N, a, LD, space, pivots, info), 0);
        EXPECT(cusolverDnDgetrs(handle, op, N, COLUMNS, a, LD, pivots, b, LD, info), 0);
        EXPECT(residual(op) < 1e-11, 1);
    }
    make(N, N, true);
    EXPECT(cusolverDnDgetrf(handle, N, N, a, LD, space, NULL, info), 0);
    EXPECT(cusolverDnDgetrs(handle, PLAIN, N, COLUMNS, a, LD, NULL, b, LD, info), 0);
    EXPECT(residual(PLAIN) < 1e-12, 1);
    EXPECT(product_of_triangles(N, N, false) < 1e-12, 1);
    make(N, N, false);
    memset(a + 50 * LD, 0, N * sizeof *a);
    EXPECT(cusolverDnDgetrf(handle, N, N, a, LD, space, pivots, info), 0);
    EXPECT(*info, 51);
}

/* given = Q R, Q' Q = 1 */
static void test_qr(void)
{
    double *q = managed(sizeof given), *kept = managed(sizeof given), most = 0, off = 0;
    int count = 0;
    make(N, SHORT, false);
    EXPECT(cusolverDnDgeqrf_bufferSize(handle, N, SHORT, a, LD, &count), 0);
    EXPECT(cusolverDnDgeqrf(handle, N, SHORT, a, LD, factors, space, count, info), 0);
    EXPECT(*info, 0);
    memcpy(q, a, sizeof given);
    EXPECT(cusolverDnDorgqr_bufferSize(handle, N, SHORT, SHORT, q, LD, factors, &count), 0);
    EXPECT(count, N * SHORT);
    EXPECT(cusolverDnDorgqr(handle, N, SHORT, SHORT, q, LD, factors, space, count, info), 0);
    memcpy(kept, q, sizeof given);
    memcpy(q, a, sizeof given); /* without space of the program's */
    EXPECT(cusolverDnDorgqr(handle, N, SHORT, SHORT, q, LD, factors, space, 0, info), 0);
    EXPECT(memcmp(kept, q, sizeof given), 0);
    for (int j = 0; j < SHORT; j++) {
        for (int i = 0; i < N; i++) {
            double sum = -given[i + j * LD];
            for (int k = 0; k <= j; k++)
                sum += q[i + k * LD] * a[k + j * LD];
            most = fmax(most, fabs(sum));
        }
        for (int k = 0; k < SHORT; k++) {
            double sum = -(k == j);
            for (int i = 0; i < N; i++)
                sum += q[i + k * LD] * q[i + j * LD];
            off = fmax(off, fabs(sum));
        }
    }
    EXPECT(most < 1e-13, 1);
    EXPECT(off < 1e-13, 1);
    EXPECT(q[N] == OUTSIDE && a[N] == OUTSIDE, 1);
    EXPECT(cudaFree(q), 0);
}

/* What a side and an operation do to a matrix, the other operation undoes; columns of Q' * given
 * are R. */
static void test_multiply_q(void)
{
    int count = 0;
    double most = 0;
    make(N, SHORT, false);
    EXPECT(cusolverDnDgeqrf(handle, N, SHORT, a, LD, factors, space, 1, info), 0);
    memcpy(b, given, sizeof given);
    EXPECT(cusolverDnDormqr_bufferSize(handle, LEFT, TRANSPOSED, N, SHORT, SHORT, a, LD, factors, b,
                                       LD, &count),
           0);
    EXPECT(cusolverDnDormqr(handle, LEFT, TRANSPOSED, N, SHORT, SHORT, a, LD, factors, b, LD, space,
                            count, info),
           0);
    for (int i = 0; i < N * SHORT; i++) {
        int at = i % N + i / N * LD;
        most = fmax(most, fabs(b[at] - (i % N > i / N ? 0 : a[at])));
    }
    EXPECT(most < 1e-13, 1);
    for (int i = 0; i < SHORT * N; i++) /* (Q' * given)' * Q' = given' */
        right[i % SHORT + i / SHORT * LD] = b[i / SHORT + i % SHORT * LD];
    memcpy(b, right, sizeof right);
    EXPECT(cusolverDnDormqr(handle, RIGHT, TRANSPOSED, SHORT, N, SHORT, a, LD, factors, b, LD,
                            space, count, info),
           0);
    for (int i = 0; i < SHORT * N; i++)
        most = fmax(most, fabs(b[i % SHORT + i / SHORT * LD] - given[i / SHORT + i % SHORT * LD]));
    EXPECT(cusolverDnDormqr(handle, RIGHT, PLAIN, SHORT, N, SHORT, a, LD, factors, b, LD, space,
                            count, info),
           0);
    for (int i = 0; i < SHORT * N; i++)
        most = fmax(most, fabs(b[i % SHORT + i / SHORT * LD] - right[i % SHORT + i / SHORT * LD]));
    EXPECT(most < 1e-13, 1);
}

/* A system in single precision, by Cholesky, LU and QR. */
static void test_single(void)
{
    float kept[3][N];
    int count = 0;
    for (int how = 0; how < 3; how++) {
        make(N, N, true);
        for (int i = 0; i < LD * LD; i++)
            single[i] = (float)a[i], single_b[i] = (float)b[i];
        if (how == 0) {
            EXPECT(cusolverDnSpotrf_bufferSize(handle, UPPER, N, single, LD, &count), 0);
            EXPECT(cusolverDnSpotrf(handle, UPPER, N, single, LD, single_space, count, info), 0);
            EXPECT(cusolverDnSpotrs(handle, UPPER, N, 1, single, LD, single_b, LD, info), 0);
        } else {
            if (how == 1)
                EXPECT(cusolverDnSgetrf(handle, N, N, single, LD, single_space, pivots, info), 0);
            else {
                EXPECT(cusolverDnSgeqrf(handle, N, N, single, LD, single_factors, single_space,
                                        N * 32, info),
                       0);
                EXPECT(cusolverDnSormqr(handle, LEFT, TRANSPOSED, N, 1, N, single, LD,
                                        single_factors, single_b, LD, single_space, N * 32, info),
                       0);
                for (int i = N - 1; i >= 0; i--) {
                    for (int k = i + 1; k < N; k++)
                        single_b[i] -= single[i + k * LD] * single_b[k];
                    single_b[i] /= single[i + i * LD];
                }
            }
            if (how == 1)
                EXPECT(
                    cusolverDnSgetrs(handle, PLAIN, N, 1, single, LD, pivots, single_b, LD, info),
                    0);
        }
        EXPECT(*info, 0);
        memcpy(kept[how], single_b, sizeof kept[how]);
    }
    for (int i = 0; i < N; i++) {
        EXPECT(fabsf(kept[1][i] - kept[0][i]) < 1e-6f, 1);
        EXPECT(fabsf(kept[2][i] - kept[0][i]) < 1e-6f, 1);
    }
}

/* The calls of 64 bits give what the others do. */
static void test_wide(void)
{
    enum { DOUBLES = 1, HALVES = 2 };
    int64_t *wide = managed(N * sizeof *wide);
    double *expected = managed(sizeof given);
    size_t device = 0, host = 1;
    make(N, N, false);
    EXPECT(cusolverDnDgetrf(handle, N, N, a, LD, space, pivots, info), 0);
    memcpy(expected, a, sizeof given);
    make(N, N, false);
    EXPECT(cusolverDnXgetrf_bufferSize(handle, NULL, N, N, DOUBLES, a, LD, DOUBLES, &device, &host),
           0);
    EXPECT(device > 0 && host == 0, 1);
    EXPECT(cusolverDnXgetrf(handle, NULL, N, N, DOUBLES, a, LD, wide, DOUBLES, space, device, NULL,
                            0, info),
           0);
    EXPECT(memcmp(expected, a, sizeof given), 0);
    for (int i = 0; i < N; i++)
        EXPECT(wide[i], pivots[i]);
    EXPECT(cusolverDnXgetrs(handle, NULL, PLAIN, N, COLUMNS, DOUBLES, a, LD, wide, DOUBLES, b, LD,
                            info),
           0);
    EXPECT(residual(PLAIN) < 1e-11, 1);
    make(N, N, true);
    EXPECT(
        cusolverDnXpotrf(handle, NULL, UPPER, N, DOUBLES, a, LD, DOUBLES, space, 1, NULL, 0, info),
        0);
    EXPECT(cusolverDnXpotrs(handle, NULL, UPPER, N, COLUMNS, DOUBLES, a, LD, DOUBLES, b, LD, info),
           0);
    EXPECT(residual(PLAIN) < 1e-12, 1);
    make(N, N, false);
    EXPECT(cusolverDnDgeqrf(handle, N, N, a, LD, factors, space, 1, info), 0);
    memcpy(expected, a, sizeof given);
    make(N, N, false);
    EXPECT(cusolverDnXgeqrf(handle, NULL, N, N, DOUBLES, a, LD, DOUBLES, factors, DOUBLES, space, 1,
                            NULL, 0, info),
           0);
    EXPECT(memcmp(expected, a, sizeof given), 0);
    EXPECT(cusolverDnXgetrf(handle, NULL, N, (int64_t)1 << 40, DOUBLES, a, LD, wide, DOUBLES, space,
                            device, NULL, 0, info),
           3);
    capture_stderr();
    EXPECT(cusolverDnXgetrf(handle, NULL, N, N, HALVES, a, LD, wide, HALVES, space, device, NULL, 0,
                            info),
           9);
    EXPECT_TEXT(
        captured_stderr(),
        "warplens: cusolverDnXgetrf (cuSOLVER) of other types than floats and doubles, real or complex, or "
        "of several is not supported by the simulated GPU and returned an error\n");
    EXPECT(cudaFree(wide), 0);
    EXPECT(cudaFree(expected), 0);
}

static void test_arguments(void)
{
    int count = 0;
    void *stream = NULL;
    EXPECT(cusolverGetProperty(0, &count), 0);
    EXPECT(count, 12);
    EXPECT(cusolverGetProperty(3, &count), 3);
    EXPECT(cusolverGetVersion(&count), 0);
    EXPECT(count / 1000, 12);
    capture_stderr();
    EXPECT(cusolverSpCreateGluInfo(&stream), 9);
    EXPECT_TEXT(captured_stderr(),
                "warplens: cusolverSpCreateGluInfo (cuSOLVER) is not supported by the "
                "simulated GPU and returned an error\n");
    EXPECT(cusolverDnSetStream(handle, (void *)2), 0);
    EXPECT(cusolverDnGetStream(handle, &stream), 0);
    EXPECT(stream == (void *)2, 1);
    EXPECT(cusolverDnSetStream(handle, NULL), 0);
    EXPECT(cusolverDnGetStream(handle, NULL), 3);
    EXPECT(cusolverDnSetStream(NULL, NULL), 1);
    EXPECT(cusolverDnDestroy(NULL), 1);
    EXPECT(cusolverDnCreate(NULL), 3);
    EXPECT(cusolverDnDgetrf_bufferSize(NULL, N, N, a, LD, &count), 1);
    EXPECT(cusolverDnDgetrf_bufferSize(handle, N, N, a, N - 1, &count), 3);
    EXPECT(cusolverDnDgetrf_bufferSize(handle, -1, N, a, LD, &count), 3);
    EXPECT(cusolverDnDgetrf(NULL, N, N, a, LD, space, pivots, info), 1);
    EXPECT(cusolverDnDgetrf(handle, N, -1, a, LD, space, pivots, info), 3);
    EXPECT(cusolverDnDgetrs(handle, 3, N, 1, a, LD, pivots, b, LD, info), 3);
    EXPECT(cusolverDnDgetrs(handle, PLAIN, N, 1, a, LD, pivots, b, N - 1, info), 3);
    EXPECT(cusolverDnDpotrf(handle, 2, N, a, LD, space, 1, info), 3);
    EXPECT(cusolverDnDpotrf(handle, LOWER, N, a, LD, space, 1, NULL), 3);
    EXPECT(cusolverDnDpotrs(handle, LOWER, N, -1, a, LD, b, LD, info), 3);
    EXPECT(cusolverDnDgeqrf(handle, N, N, a, 0, factors, space, 1, info), 3);
    EXPECT(
        cusolverDnDormqr(handle, LEFT, PLAIN, N, 1, N + 1, a, LD, factors, b, LD, space, 1, info),
        3);
    EXPECT(cusolverDnDorgqr(handle, SHORT, N, 1, a, LD, factors, space, N * N, info), 3);
    *info = 7; /* of no elements there is nothing to be done */
    EXPECT(cusolverDnDpotrf_bufferSize(handle, LOWER, 0, a, 1, &count), 0);
    EXPECT(cusolverDnDpotrf(handle, LOWER, 0, a, 1, space, count, info), 0);
    EXPECT(*info, 0);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    a = managed(sizeof given), b = managed(sizeof given), space = managed(sizeof given);
    factors = managed(N * sizeof *factors), info = managed(sizeof *info);
    pivots = managed(N * sizeof *pivots);
    single = managed(sizeof given), single_b = managed(sizeof given);
    single_space = managed(sizeof given), single_factors = managed(N * sizeof *single_factors);
    test_cholesky(LOWER);
    test_cholesky(UPPER);
    test_lu();
    test_qr();
    test_multiply_q();
    test_single();
    test_wide();
    test_arguments();
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
