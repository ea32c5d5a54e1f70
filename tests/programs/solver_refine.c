/* Solvers of mixed precision, by name and by parameters: solutions put in; singular values of
 * calls that give right vectors as columns; and what programs say of how calls compute. */
#include "solver_numbers.h"

enum { N = 13, M = 17, LD = 19, SIZE = LD * LD, COLUMNS = 3 };
enum {
    IS_DOUBLE = 1203,
    IS_SINGLE = 1204,
    IS_COMPLEX_DOUBLE = 1213,
    CLASSICAL = 1102,
    GMRES = 1104
};

enum { PARAMS_INVALID = 13 };

static void *handle, *a, *b, *x, *space, *u, *v, *values;
static int *info, *pivots;
static number given[SIZE], side[SIZE], got[SIZE], product[SIZE], zero[SIZE];

struct solver {
    char name[3];
    int (*gesv)(void *, int, int, void *, int, int *, void *, int, void *, int, void *, size_t,
                int *, int *);
    int (*gesv_size)(void *, int, int, void *, int, int *, void *, int, void *, int, void *,
                     size_t *);
    int (*gels)(void *, int, int, int, void *, int, void *, int, void *, int, void *, size_t, int *,
                int *);
    int (*gels_size)(void *, int, int, int, void *, int, void *, int, void *, int, void *,
                     size_t *);
};

#define SOLVERS(X) \
    X(SS)          \
    X(SH)          \
    X(SB) X(SX) X(DD) X(DS) X(DH) X(DB) X(DX) X(CC) X(CK) X(CE) X(CY) X(ZZ) X(ZC) X(ZK) X(ZE) X(ZY)
#define DECLARE(P)                                                                                \
    int cusolverDn##P##gesv(void *, int, int, void *, int, int *, void *, int, void *, int,       \
                            void *, size_t, int *, int *);                                        \
    int cusolverDn##P##gesv_bufferSize(void *, int, int, void *, int, int *, void *, int, void *, \
                                       int, void *, size_t *);                                    \
    int cusolverDn##P##gels(void *, int, int, int, void *, int, void *, int, void *, int, void *, \
                            size_t, int *, int *);                                                \
    int cusolverDn##P##gels_bufferSize(void *, int, int, int, void *, int, void *, int, void *,   \
                                       int, void *, size_t *);
SOLVERS(DECLARE)
#define ROW(P)                                                                     \
    {#P, cusolverDn##P##gesv, cusolverDn##P##gesv_bufferSize, cusolverDn##P##gels, \
     cusolverDn##P##gels_bufferSize},
static const struct solver solvers[] = {SOLVERS(ROW)};

int cusolverDnIRSParamsCreate(void **made);
int cusolverDnIRSParamsDestroy(void *params);
int cusolverDnIRSParamsSetRefinementSolver(void *params, int value);
int cusolverDnIRSParamsSetSolverPrecisions(void *params, int main, int lowest);
int cusolverDnIRSParamsSetSolverMainPrecision(void *params, int main);
int cusolverDnIRSParamsSetSolverLowestPrecision(void *params, int lowest);
int cusolverDnIRSParamsSetTol(void *params, double value);
int cusolverDnIRSParamsSetTolInner(void *params, double value);
int cusolverDnIRSParamsSetMaxIters(void *params, int value);
int cusolverDnIRSParamsSetMaxItersInner(void *params, int value);
int cusolverDnIRSParamsGetMaxIters(void *params, int *value);
int cusolverDnIRSParamsEnableFallback(void *params);
int cusolverDnIRSParamsDisableFallback(void *params);
int cusolverDnIRSInfosCreate(void **made);
int cusolverDnIRSInfosDestroy(void *infos);
int cusolverDnIRSInfosRequestResidual(void *infos);
int cusolverDnIRSInfosGetNiters(void *infos, int *value);
int cusolverDnIRSInfosGetOuterNiters(void *infos, int *value);
int cusolverDnIRSInfosGetMaxIters(void *infos, int *value);
int cusolverDnIRSInfosGetResidualHistory(void *infos, void **history);
int cusolverDnIRSXgesv_bufferSize(void *, void *, int, int, size_t *);
int cusolverDnIRSXgesv(void *, void *, void *, int, int, void *, int, void *, int, void *, int,
                       void *, size_t, int *, int *);
int cusolverDnIRSXgels_bufferSize(void *, void *, int, int, int, size_t *);
int cusolverDnIRSXgels(void *, void *, void *, int, int, int, void *, int, void *, int, void *, int,
                       void *, size_t, int *, int *);

static void load(char letter, int m, int n, unsigned seed)
{
    make_random(letter, given, m, n, LD, seed);
    for (int i = 0; i < n; i++)
        given[i + i * LD] += 2;
    make_random(letter, side, m, COLUMNS, LD, seed + 1);
    put_all(letter, a, given, SIZE);
    put_all(letter, b, side, SIZE);
    memset(x, 0, SIZE * bytes_of(letter));
}

/* a' (a x - b), or, of_system, a x - b. */
static double residual(char letter, int m, int n, bool of_system)
{
    number rest[SIZE];
    get_all(letter, got, x, SIZE);
    multiply(rest, LD, given, LD, PLAIN, got, LD, PLAIN, m, COLUMNS, n);
    for (int i = 0; i < LD * COLUMNS; i++)
        rest[i] -= side[i];
    if (of_system)
        return distance(rest, LD, zero, LD, m, COLUMNS);
    multiply(product, LD, given, LD, ADJOINT, rest, LD, PLAIN, n, COLUMNS, m);
    return distance(product, LD, zero, LD, n, COLUMNS);
}

static void test_solver(const struct solver *of)
{
    const char letter = of->name[0];
    size_t bytes = 0;
    int iterations = -99;
    load(letter, N, N, 3);
    EXPECT(of->gesv_size(handle, N, COLUMNS, a, LD, pivots, b, LD, x, LD, NULL, &bytes), 0);
    EXPECT(
        of->gesv(handle, N, COLUMNS, a, LD, pivots, b, LD, x, LD, space, bytes, &iterations, info),
        0);
    EXPECT(*info, 0);
    EXPECT(iterations, 0);
    EXPECT(residual(letter, N, N, true) < tolerance_of(letter), 1);
    get_all(letter, product, a, SIZE);
    EXPECT(distance(product, LD, given, LD, N, N) < 1e-6, 1);
    load(letter, M, N, 4);
    EXPECT(of->gels_size(handle, M, N, COLUMNS, a, LD, b, LD, x, LD, NULL, &bytes), 0);
    iterations = -99;
    EXPECT(of->gels(handle, M, N, COLUMNS, a, LD, b, LD, x, LD, space, bytes, &iterations, info),
           0);
    EXPECT(iterations, 0);
    EXPECT(residual(letter, M, N, false) < tolerance_of(letter), 1);
    for (int i = 0; i < N; i++)
        given[i + 3 * LD] = 0;
    put_all(letter, a, given, SIZE);
    EXPECT(of->gesv(handle, N, COLUMNS, a, LD, pivots, b, LD, x, LD, space, 1 << 16, &iterations,
                    info),
           0);
    EXPECT(*info, 4);
}

static void test_arguments(const struct solver *of)
{
    int iterations;
    EXPECT(of->gesv(handle, N, 1, a, LD, pivots, b, LD, x, LD, space, 1, &iterations, info), 31);
    EXPECT(of->gesv(NULL, N, 1, a, LD, pivots, b, LD, x, LD, space, 1 << 16, &iterations, info),
           NO_HANDLE);
    EXPECT(
        of->gesv(handle, N, 1, a, N - 1, pivots, b, LD, x, LD, space, 1 << 16, &iterations, info),
        PARAMS_INVALID);
    EXPECT(of->gesv(handle, -1, 1, a, LD, pivots, b, LD, x, LD, space, 1 << 16, &iterations, info),
           PARAMS_INVALID);
    EXPECT(of->gels(handle, N, M, 1, a, LD, b, LD, x, LD, space, 1 << 16, &iterations, info),
           PARAMS_INVALID);
    EXPECT(of->gels(NULL, M, N, 1, a, LD, b, LD, x, LD, space, 1 << 16, &iterations, info),
           NO_HANDLE);
}

static void test_parameters(char letter, int main, int lowest)
{
    void *params = NULL, *infos = NULL, *history = NULL;
    int value = -9;
    size_t bytes = 0;
    EXPECT(cusolverDnIRSParamsCreate(&params), 0);
    EXPECT(cusolverDnIRSInfosCreate(&infos), 0);
    EXPECT(cusolverDnIRSParamsGetMaxIters(params, &value), 0);
    EXPECT(value, 50);
    EXPECT(cusolverDnIRSParamsSetSolverPrecisions(params, main, lowest), 0);
    EXPECT(cusolverDnIRSParamsSetRefinementSolver(params, CLASSICAL), 0);
    EXPECT(cusolverDnIRSParamsSetMaxIters(params, 20), 0);
    EXPECT(cusolverDnIRSParamsSetMaxItersInner(params, 20), 0);
    EXPECT(cusolverDnIRSParamsSetTol(params, 1e-10), 0);
    EXPECT(cusolverDnIRSParamsSetTolInner(params, 1e-4), 0);
    EXPECT(cusolverDnIRSParamsDisableFallback(params), 0);
    EXPECT(cusolverDnIRSParamsEnableFallback(params), 0);
    EXPECT(cusolverDnIRSInfosRequestResidual(infos), 0);
    load(letter, N, N, 6);
    EXPECT(cusolverDnIRSXgesv_bufferSize(handle, params, N, COLUMNS, &bytes), 0);
    EXPECT(cusolverDnIRSXgesv(handle, params, infos, N, COLUMNS, a, LD, b, LD, x, LD, space, bytes,
                              &value, info),
           0);
    EXPECT(value, 0);
    EXPECT(residual(letter, N, N, true) < tolerance_of(letter), 1);
    EXPECT(cusolverDnIRSInfosGetNiters(infos, &value), 0);
    EXPECT(value, 0);
    EXPECT(cusolverDnIRSInfosGetOuterNiters(infos, &value), 0);
    EXPECT(cusolverDnIRSInfosGetMaxIters(infos, &value), 0);
    EXPECT(value, 20);
    EXPECT(cusolverDnIRSInfosGetResidualHistory(infos, &history), 0);
    EXPECT(history != NULL, 1);
    load(letter, M, N, 6);
    EXPECT(cusolverDnIRSXgels_bufferSize(handle, params, M, N, COLUMNS, &bytes), 0);
    EXPECT(cusolverDnIRSXgels(handle, params, infos, M, N, COLUMNS, a, LD, b, LD, x, LD, space,
                              bytes, &value, info),
           0);
    EXPECT(residual(letter, M, N, false) < tolerance_of(letter), 1);
    EXPECT(cusolverDnIRSXgesv(handle, NULL, infos, N, COLUMNS, a, LD, b, LD, x, LD, space, bytes,
                              &value, info),
           12);
    EXPECT(cusolverDnIRSXgesv(handle, params, NULL, N, COLUMNS, a, LD, b, LD, x, LD, space, bytes,
                              &value, info),
           25);
    EXPECT(cusolverDnIRSParamsSetMaxItersInner(params, 21), PARAMS_INVALID);
    EXPECT(cusolverDnIRSParamsSetSolverMainPrecision(params, main), 0);
    EXPECT(cusolverDnIRSParamsSetSolverLowestPrecision(params, 1), 0);
    EXPECT(cusolverDnIRSXgesv_bufferSize(handle, params, N, COLUMNS, &bytes), PARAMS_INVALID);
    EXPECT(cusolverDnIRSParamsSetSolverLowestPrecision(params, lowest), 0);
    EXPECT(cusolverDnIRSParamsSetRefinementSolver(params, 1100), 0);
    EXPECT(cusolverDnIRSXgesv(handle, params, infos, N, COLUMNS, a, LD, b, LD, x, LD, space,
                              1 << 16, &value, info),
           15);
    EXPECT(cusolverDnIRSParamsSetRefinementSolver(params, GMRES), 0);
    EXPECT(cusolverDnIRSXgesv(handle, params, infos, N, 2, a, LD, b, LD, x, LD, space, 1 << 16,
                              &value, info),
           21);
    EXPECT(cusolverDnIRSInfosDestroy(infos), 0);
    EXPECT(cusolverDnIRSInfosCreate(&infos), 0);
    EXPECT(cusolverDnIRSInfosGetResidualHistory(infos, &history), INVALID);
    EXPECT(cusolverDnIRSParamsDestroy(params), 0);
    EXPECT(cusolverDnIRSInfosDestroy(infos), 0);
    EXPECT(cusolverDnIRSParamsDestroy(NULL), 12);
}

/* ---- singular values ---- */

#define BATCHES(X) X(S, float) X(D, double) X(C, float) X(Z, double)
#define DECLARE_BATCH(L, R)                                                                       \
    int cusolverDn##L##gesvdaStridedBatched_bufferSize(                                           \
        void *, int, int, int, int, const void *, int, long long, const void *, long long,        \
        const void *, int, long long, const void *, int, long long, int *, int);                  \
    int cusolverDn##L##gesvdaStridedBatched(                                                      \
        void *, int, int, int, int, const void *, int, long long, void *, long long, void *, int, \
        long long, void *, int, long long, void *, int, int *, double *, int);
BATCHES(DECLARE_BATCH)
int cusolverDnXgesvdp_bufferSize(void *, void *, int, int, int64_t, int64_t, int, const void *,
                                 int64_t, int, const void *, int, const void *, int64_t, int,
                                 const void *, int64_t, int, size_t *, size_t *);
int cusolverDnXgesvdp(void *, void *, int, int, int64_t, int64_t, int, void *, int64_t, int, void *,
                      int, void *, int64_t, int, void *, int64_t, int, void *, size_t, void *,
                      size_t, int *, double *);
int cusolverDnXgesvdr_bufferSize(void *, void *, signed char, signed char, int64_t, int64_t,
                                 int64_t, int64_t, int64_t, int, const void *, int64_t, int,
                                 const void *, int, const void *, int64_t, int, const void *,
                                 int64_t, int, size_t *, size_t *);
int cusolverDnXgesvdr(void *, void *, signed char, signed char, int64_t, int64_t, int64_t, int64_t,
                      int64_t, int, void *, int64_t, int, void *, int, void *, int64_t, int, void *,
                      int64_t, int, void *, size_t, void *, size_t, int *);

/* The length of what u, values and v, of so many columns, leave of `given`; they are orthogonal. */
static double rest_of(char letter, int m, int n, int rank)
{
    number left[SIZE], right[SIZE];
    double squares = 0;
    get_all(letter, left, u, SIZE);
    get_all(letter, right, v, SIZE);
    EXPECT(unorthogonal(left, LD, m, rank) < tolerance_of(letter), 1);
    EXPECT(unorthogonal(right, LD, n, rank) < tolerance_of(letter), 1);
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < m; i++)
            left[i + k * LD] *= get(real_of(letter), values, k);
    multiply(product, LD, left, LD, PLAIN, right, LD, ADJOINT, m, n, rank);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            squares += pow(cabs(product[i + j * LD] - given[i + j * LD]), 2);
    return sqrt(squares);
}

#define TEST_BATCH(L, R)                                                                           \
    {                                                                                              \
        const char letter = #L[0];                                                                 \
        const size_t bytes = SIZE * bytes_of(letter);                                              \
        double residuals[2] = {-1, -1};                                                            \
        int count = 0;                                                                             \
        load(letter, M, N, 8);                                                                     \
        memcpy((char *)a + (size_t)SIZE * bytes_of(letter), a, SIZE * bytes_of(letter));           \
        put(letter, a, 0, 50);                                                                     \
        EXPECT(cusolverDn##L##gesvdaStridedBatched_bufferSize(handle, 1, N - 2, M, N, a, LD, SIZE, \
                                                              values, N, u, LD, SIZE, v, LD, SIZE, \
                                                              &count, 2),                          \
               0);                                                                                 \
        EXPECT(cusolverDn##L##gesvdaStridedBatched(handle, 1, N - 2, M, N, a, LD, SIZE, values, N, \
                                                   u, LD, SIZE, v, LD, SIZE, space, count, info,   \
                                                   residuals, 2),                                  \
               0);                                                                                 \
        memcpy(u, (char *)u + (size_t)SIZE * bytes_of(letter), bytes);                             \
        memcpy(v, (char *)v + (size_t)SIZE * bytes_of(letter), bytes);                             \
        memcpy(values, (char *)values + N * sizeof(R), N * sizeof(R));                             \
        EXPECT(rest_of(letter, M, N, N - 2) > 0.1 && rest_of(letter, M, N, N - 2) < 10, 1);        \
        for (int i = 0; i < 2; i++)                                                                \
            EXPECT(residuals[i] >= 0 && residuals[i] < 10 * tolerance_of(letter), 1);              \
        EXPECT(cusolverDn##L##gesvdaStridedBatched(handle, 1, N + 1, M, N, a, LD, SIZE, values, N, \
                                                   u, LD, SIZE, v, LD, SIZE, space, count, info,   \
                                                   residuals, 2),                                  \
               INVALID);                                                                           \
    }

static void test_singular(char letter)
{
    const int type = type_of(letter), real = real_type_of(letter);
    size_t device = 0, host = 1;
    double error = -1;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const int m = is_wide ? N : M, n = is_wide ? M : N;
        load(letter, m, n, 5);
        EXPECT(cusolverDnXgesvdp_bufferSize(handle, NULL, 1, 1, m, n, type, a, LD, real, values,
                                            type, u, LD, type, v, LD, type, &device, &host),
               0);
        EXPECT(cusolverDnXgesvdp(handle, NULL, 1, 1, m, n, type, a, LD, real, values, type, u, LD,
                                 type, v, LD, type, space, device, NULL, host, info, &error),
               0);
        EXPECT(error == 0 && *info == 0, 1);
        EXPECT(rest_of(letter, m, n, N) < tolerance_of(letter), 1);
    }
    const number third = get(real_of(letter), values, 2);
    load(letter, N, M, 5);
    EXPECT(cusolverDnXgesvdr_bufferSize(handle, NULL, 'S', 'S', N, M, 3, 2, 2, type, a, LD, real,
                                        values, type, u, LD, type, v, LD, type, &device, &host),
           0);
    EXPECT(cusolverDnXgesvdr(handle, NULL, 'S', 'S', N, M, 3, 2, 2, type, a, LD, real, values, type,
                             u, LD, type, v, LD, type, space, device, NULL, host, info),
           0);
    EXPECT(cabs(get(real_of(letter), values, 2) - third) < tolerance_of(letter), 1);
    EXPECT(rest_of(letter, N, M, 3) < 20, 1);
    EXPECT(cusolverDnXgesvdr_bufferSize(handle, NULL, 'S', 'S', N, M, N, 2, 2, type, a, LD, real,
                                        values, type, u, LD, type, v, LD, type, &device, &host),
           INVALID);
}

/* ---- modes ---- */

#define MODES(X) \
    X(DeterministicMode, 1, 2, 7) X(MathMode, 1, 2, INVALID) X(EmulationStrategy, 0, 2, INVALID)
#define DECLARE_MODE(Kind, least, most, otherwise)   \
    int cusolverDnSet##Kind(void *handle, int mode); \
    int cusolverDnGet##Kind(void *handle, int *mode);
MODES(DECLARE_MODE)
#define TEST_MODE(Kind, least, most, otherwise)                   \
    {                                                             \
        int mode = -1;                                            \
        EXPECT(cusolverDnGet##Kind(handle, &mode), 0);            \
        EXPECT(mode, least);                                      \
        EXPECT(cusolverDnSet##Kind(handle, most), 0);             \
        EXPECT(cusolverDnGet##Kind(handle, &mode), 0);            \
        EXPECT(mode, most);                                       \
        EXPECT(cusolverDnSet##Kind(handle, most + 1), otherwise); \
        EXPECT(cusolverDnSet##Kind(NULL, most), NO_HANDLE);       \
    }
int cusolverDnCreateParams(void **made);
int cusolverDnDestroyParams(void *params);
int cusolverDnSetAdvOptions(void *params, int function, int algorithm);

static void test_modes(void)
{
    void *params = NULL;
    MODES(TEST_MODE)
    EXPECT(cusolverDnCreateParams(&params), 0);
    EXPECT(cusolverDnSetAdvOptions(params, 0, 1), 0);
    EXPECT(cusolverDnSetAdvOptions(params, 2, 1), INVALID);
    EXPECT(cusolverDnSetAdvOptions(NULL, 0, 1), INVALID);
    EXPECT(cusolverDnDestroyParams(params), 0);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    a = managed(2 * sizeof given), b = managed(sizeof given), x = managed(sizeof given);
    u = managed(2 * sizeof given), v = managed(2 * sizeof given);
    values = managed(2 * LD * sizeof(double)), space = managed(8 * sizeof given + (1 << 16));
    pivots = managed(LD * sizeof *pivots), info = managed(2 * sizeof *info);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        test_solver(&solvers[i]);
    test_arguments(&solvers[5]);
    test_parameters('D', IS_DOUBLE, IS_SINGLE);
    test_parameters('Z', IS_COMPLEX_DOUBLE, 1215);
    BATCHES(TEST_BATCH)
    for (int i = 0; i < 4; i++)
        test_singular(letters[i]);
    test_modes();
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
