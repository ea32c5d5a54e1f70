/* Sparse matrices: systems by QR, LU and Cholesky on the host and the device, kept factors, orders,
 * eigenvalues, least squares and refactorization, against products with the matrix itself. */
#include "solver_numbers.h"

enum { SIDE = 4, N = SIDE * SIDE, MOST = 6 * N, LD = N };

static void *handle, *descriptions[2], *values, *b, *x, *space;
static int *starts, *indices, count;
static number given[N * N], side[N], got[N];
static char letter;

int cusolverSpCreate(void **handle);
int cusolverSpDestroy(void *handle);
int cusparseCreateMatDescr(void **made);
int cusparseDestroyMatDescr(void *made);
int cusparseSetMatIndexBase(void *made, int base);
int cusparseSetMatType(void *made, int type);

/* A grid's neighbours, so that there is fill; the rest as calls need it. is_definite: Hermitian and
 * positive definite. */
static void make(int n, bool is_definite, int base)
{
    unsigned seed = 3;
    memset(given, 0, sizeof given);
    for (int i = 0; i < n; i++) {
        given[i + i * n] = is_definite ? 8 : random_number(letter, &seed) / 4;
        if (i + 1 < n)
            given[i + 1 + i * n] = random_number(letter, &seed);
        if (i + SIDE < n)
            given[i + SIDE + i * n] = random_number(letter, &seed);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (given[i + j * n] != 0)
                given[j + i * n] =
                    is_definite ? conj(given[i + j * n]) : random_number(letter, &seed);
    count = 0;
    for (int i = 0; i < n; i++) {
        starts[i] = count + base;
        for (int j = 0; j < n; j++)
            if (given[i + j * n] != 0) {
                put(letter, values, count, given[i + j * n]);
                indices[count++] = j + base;
            }
    }
    starts[n] = count + base;
    for (int i = 0; i < n; i++)
        side[i] = random_number(letter, &seed);
    put_all(letter, b, side, n);
    memset(x, 0, N * sizeof(number));
}

/* Of x as the solution, shift times the identity taken from the matrix. */
static double residual(int n, double shift)
{
    double most = 0;
    get_all(letter, got, x, n);
    for (int i = 0; i < n; i++) {
        number sum = -side[i] - shift * got[i];
        for (int j = 0; j < n; j++)
            sum += given[i + j * n] * got[j];
        most = fmax(most, cabs(sum));
    }
    return most;
}

struct calls {
    int (*system[5])(void *, int, int, const void *, const void *, const int *, const int *,
                     const void *, double, int, void *, int *);
    int (*eigenvalue[2])(void *, int, int, const void *, const void *, const int *, const int *,
                         double, const void *, int, double, void *, void *);
    int (*tall)(void *, int, int, int, const void *, const void *, const int *, const int *,
                const void *, double, int *, void *, int *, void *);
    int (*zfd)(void *, int, int, const void *, const void *, const int *, const int *, int *,
               int *);
    int (*qr_size)(void *, int, int, int, const void *, const void *, const int *, const int *,
                   void *, size_t *, size_t *);
    int (*qr_setup)(void *, int, int, int, const void *, const void *, const int *, const int *,
                    double, void *);
    int (*qr_factor)(void *, int, int, int, void *, void *, void *, void *);
    int (*qr_zero)(void *, void *, double, int *);
    int (*qr_solve)(void *, int, int, void *, void *, void *, void *);
    int (*batch)(void *, int, int, int, const void *, const void *, const int *, const int *,
                 const void *, void *, int, void *, void *);
    int (*cholesky_factor)(void *, int, int, const void *, const void *, const int *, const int *,
                           void *, void *);
    int (*cholesky_zero)(void *, void *, double, int *);
    int (*cholesky_solve)(void *, int, const void *, void *, void *, void *);
    int (*diagonal)(void *, void *, void *);
    int (*lu_factor)(void *, int, int, const void *, const void *, const int *, const int *, void *,
                     double, void *);
    int (*lu_zero)(void *, void *, double, int *);
    int (*lu_solve)(void *, int, const void *, void *, void *, void *);
    int (*lu_extract)(void *, int *, int *, const void *, void *, int *, int *, const void *,
                      void *, int *, int *, void *, void *);
};

#define DECLARE_SYSTEM(L, R, name)                                                             \
    int cusolverSp##L##name(void *, int, int, const void *, const void *, const int *,         \
                            const int *, const void *, R, int, void *, int *);                 \
    static int L##_##name(void *h, int n, int m, const void *d, const void *v, const int *s,   \
                          const int *i, const void *r, double t, int o, void *to, int *where_) \
    {                                                                                          \
        return cusolverSp##L##name(h, n, m, d, v, s, i, r, (R)t, o, to, where_);               \
    }
#define DECLARE_EIGENVALUE(L, T, R, name)                                                       \
    int cusolverSp##L##name(void *, int, int, const void *, const void *, const int *,          \
                            const int *, T, const void *, int, R, void *, void *);              \
    static int L##_##name(void *h, int n, int m, const void *d, const void *v, const int *s,    \
                          const int *i, double shift, const void *from, int most, double t,     \
                          void *value, void *to)                                                \
    {                                                                                           \
        return cusolverSp##L##name(h, n, m, d, v, s, i, (T)shift, from, most, (R)t, value, to); \
    }
#define DECLARE_ZERO(L, R, name)                                             \
    int cusolverSp##L##name(void *, void *, R, int *);                       \
    static int L##_##name(void *h, void *info, double tolerance, int *place) \
    {                                                                        \
        return cusolverSp##L##name(h, info, (R)tolerance, place);            \
    }
#define CALLS(L, T, R)                                                                             \
    DECLARE_SYSTEM(L, R, csrlsvqr)                                                                 \
    DECLARE_SYSTEM(L, R, csrlsvqrHost)                                                             \
    DECLARE_SYSTEM(L, R, csrlsvluHost)                                                             \
    DECLARE_SYSTEM(L, R, csrlsvchol)                                                               \
    DECLARE_SYSTEM(L, R, csrlsvcholHost)                                                           \
    DECLARE_EIGENVALUE(L, T, R, csreigvsi)                                                         \
    DECLARE_EIGENVALUE(L, T, R, csreigvsiHost)                                                     \
    DECLARE_ZERO(L, R, csrqrZeroPivot)                                                             \
    DECLARE_ZERO(L, R, csrcholZeroPivot)                                                           \
    DECLARE_ZERO(L, R, csrluZeroPivotHost)                                                         \
    int cusolverSp##L##csrlsqvqrHost(void *, int, int, int, const void *, const void *,            \
                                     const int *, const int *, const void *, R, int *, void *,     \
                                     int *, void *);                                               \
    static int L##_tall(void *h, int m, int n, int c, const void *d, const void *v, const int *s,  \
                        const int *i, const void *r, double t, int *rank, void *to, int *order,    \
                        void *rest)                                                                \
    {                                                                                              \
        return cusolverSp##L##csrlsqvqrHost(h, m, n, c, d, v, s, i, r, (R)t, rank, to, order,      \
                                            rest);                                                 \
    }                                                                                              \
    int cusolverSp##L##csrzfdHost(void *, int, int, const void *, const void *, const int *,       \
                                  const int *, int *, int *);                                      \
    int cusolverSp##L##csrqrBufferInfo(void *, int, int, int, const void *, const void *,          \
                                       const int *, const int *, void *, size_t *, size_t *);      \
    int cusolverSp##L##csrqrSetup(void *, int, int, int, const void *, const void *, const int *,  \
                                  const int *, T, void *);                                         \
    static int L##_setup(void *h, int m, int n, int c, const void *d, const void *v, const int *s, \
                         const int *i, double shift, void *info)                                   \
    {                                                                                              \
        return cusolverSp##L##csrqrSetup(h, m, n, c, d, v, s, i, (T)shift, info);                  \
    }                                                                                              \
    int cusolverSp##L##csrqrFactor(void *, int, int, int, void *, void *, void *, void *);         \
    int cusolverSp##L##csrqrSolve(void *, int, int, void *, void *, void *, void *);               \
    int cusolverSp##L##csrqrsvBatched(void *, int, int, int, const void *, const void *,           \
                                      const int *, const int *, const void *, void *, int, void *, \
                                      void *);                                                     \
    int cusolverSp##L##csrcholFactor(void *, int, int, const void *, const void *, const int *,    \
                                     const int *, void *, void *);                                 \
    int cusolverSp##L##csrcholSolve(void *, int, const void *, void *, void *, void *);            \
    int cusolverSp##L##csrcholDiag(void *, void *, void *);                                        \
    int cusolverSp##L##csrluFactorHost(void *, int, int, const void *, const void *, const int *,  \
                                       const int *, void *, R, void *);                            \
    static int L##_lu(void *h, int n, int c, const void *d, const void *v, const int *s,           \
                      const int *i, void *info, double threshold, void *place)                     \
    {                                                                                              \
        return cusolverSp##L##csrluFactorHost(h, n, c, d, v, s, i, info, (R)threshold, place);     \
    }                                                                                              \
    int cusolverSp##L##csrluSolveHost(void *, int, const void *, void *, void *, void *);          \
    int cusolverSp##L##csrluExtractHost(void *, int *, int *, const void *, void *, int *, int *,  \
                                        const void *, void *, int *, int *, void *, void *);       \
    static const struct calls calls_##L = {                                                        \
        {L##_csrlsvqr, L##_csrlsvqrHost, L##_csrlsvluHost, L##_csrlsvchol, L##_csrlsvcholHost},    \
        {L##_csreigvsi, L##_csreigvsiHost},                                                        \
        L##_tall,                                                                                  \
        cusolverSp##L##csrzfdHost,                                                                 \
        cusolverSp##L##csrqrBufferInfo,                                                            \
        L##_setup,                                                                                 \
        cusolverSp##L##csrqrFactor,                                                                \
        L##_csrqrZeroPivot,                                                                        \
        cusolverSp##L##csrqrSolve,                                                                 \
        cusolverSp##L##csrqrsvBatched,                                                             \
        cusolverSp##L##csrcholFactor,                                                              \
        L##_csrcholZeroPivot,                                                                      \
        cusolverSp##L##csrcholSolve,                                                               \
        cusolverSp##L##csrcholDiag,                                                                \
        L##_lu,                                                                                    \
        L##_csrluZeroPivotHost,                                                                    \
        cusolverSp##L##csrluSolveHost,                                                             \
        cusolverSp##L##csrluExtractHost};
CALLS(S, float, float)
CALLS(D, double, double)
CALLS(C, float complex, float)
CALLS(Z, double complex, double)
static const struct calls *const calls[] = {&calls_S, &calls_D, &calls_C, &calls_Z};

#define OBJECT(Name)                         \
    int cusolverSpCreate##Name(void **made); \
    int cusolverSpDestroy##Name(void *made);
OBJECT(CsrqrInfo)
OBJECT(CsrcholInfo)
OBJECT(CsrluInfoHost)
int cusolverSpXcsrqrAnalysis(void *, int, int, int, const void *, const int *, const int *, void *);
int cusolverSpXcsrqrAnalysisBatched(void *, int, int, int, const void *, const int *, const int *,
                                    void *);
int cusolverSpXcsrcholAnalysis(void *, int, int, const void *, const int *, const int *, void *);
int cusolverSpXcsrluAnalysisHost(void *, int, int, const void *, const int *, const int *, void *);
int cusolverSpXcsrluNnzHost(void *, int *, int *, void *);
int cusolverSpXcsrissymHost(void *, int, int, const void *, const int *, const int *, const int *,
                            int *);
#define ORDERS(X) X(csrsymrcmHost) X(csrsymmdqHost) X(csrsymamdHost)
#define DECLARE_ORDER(name) \
    int cusolverSpX##name(void *, int, int, const void *, const int *, const int *, int *);
ORDERS(DECLARE_ORDER)
int cusolverSpXcsrmetisndHost(void *, int, int, const void *, const int *, const int *,
                              const int64_t *, int *);
int cusolverSpXcsrperm_bufferSizeHost(void *, int, int, int, const void *, const int *, const int *,
                                      const int *, const int *, size_t *);
int cusolverSpXcsrpermHost(void *, int, int, int, const void *, int *, int *, const int *,
                           const int *, int *, void *);

static void test_systems(const struct calls *of)
{
    for (int call = 0; call < 5; call++)
        for (int reorder = 0; reorder <= 3; reorder++) {
            const int base = reorder % 2;
            int place = -9;
            make(N, call >= 3, base);
            EXPECT(of->system[call](handle, N, count, descriptions[base], values, starts, indices,
                                    b, 1e-12, reorder, x, &place),
                   0);
            EXPECT(place, -1);
            EXPECT(residual(N, 0) < 10 * tolerance_of(letter), 1);
            memset(x, 0, N * sizeof(number));
            EXPECT(of->system[call](handle, N, count, descriptions[base], values, starts, indices,
                                    b, 1e3, reorder, x, &place),
                   0);
            EXPECT(place, 0);
            EXPECT(residual(N, 0) < 10 * tolerance_of(letter), 1);
            for (int k = starts[5] - base; k < starts[6] - base; k++)
                put(letter, values, k, indices[k] - base == 5 && call >= 3 ? -1 : 0);
            EXPECT(of->system[call](handle, N, count, descriptions[base], values, starts, indices,
                                    b, 1e-6, 0, x, &place),
                   0);
            EXPECT(call >= 3 ? place == 5 : place >= 5 && place < N, 1);
        }
}

static void test_eigenvalue(const struct calls *of)
{
    for (int call = 0; call < 2; call++) {
        make(N, true, 0);
        EXPECT(of->eigenvalue[call](handle, N, count, descriptions[0], values, starts, indices, 8.1,
                                    b, 200, is_single(letter) ? 1e-5 : 1e-12, space, x),
               0);
        const double value = creal(get(letter, space, 0));
        memset(side, 0, sizeof side);
        EXPECT(residual(N, value) < tolerance_of(letter), 1);
        EXPECT(unorthogonal(got, N, N, 1) < tolerance_of(letter), 1);
    }
}

/* Of a diagonal with two equal values, from a shift that is one of its values. */
static void test_eigenvalue_itself(const struct calls *of)
{
    static const double diagonal[] = {1, 2, 2, 3}, shifts[] = {2, 3};
    for (int call = 0; call < 2; call++)
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i <= 4; i++) {
                starts[i] = indices[i] = i;
                put(letter, values, i, i < 4 ? diagonal[i] : 0);
                put(letter, b, i, 1);
            }
            EXPECT(of->eigenvalue[call](handle, 4, 4, descriptions[0], values, starts, indices,
                                        shifts[k], b, 100, 1e-6, space, x),
                   0);
            get_all(letter, got, x, 4);
            EXPECT(cabs(get(letter, space, 0) - shifts[k]) < tolerance_of(letter), 1);
            EXPECT(unorthogonal(got, 4, 4, 1) < tolerance_of(letter), 1);
            EXPECT(cabs(got[0]) + cabs(got[k ? 1 : 3]) < tolerance_of(letter), 1);
        }
}

int cusolverSpDcsreigsHost(void *, int, int, const void *, const void *, const int *, const int *,
                           double complex, double complex, int *);
int cusolverSpCcsreigsHost(void *, int, int, const void *, const void *, const int *, const int *,
                           float complex, float complex, int *);

/* Of a cycle of 6 rows, whose eigenvalues are the roots of 1: two on the right of 0.4 above or on
 * the real axis. */
static void test_count(void)
{
    int found = -1;
    for (int i = 0; i <= 6; i++) {
        starts[i] = i;
        indices[i] = (i + 1) % 6;
        put(letter, values, i, 1);
    }
    if (letter == 'D')
        EXPECT(cusolverSpDcsreigsHost(handle, 6, 6, descriptions[0], values, starts, indices,
                                      0.4 - 0.1 * I, 2 + 2 * I, &found),
               0);
    else
        EXPECT(cusolverSpCcsreigsHost(handle, 6, 6, descriptions[0], values, starts, indices,
                                      0.4f - 0.1f * I, 2 + 2 * I, &found),
               0);
    EXPECT(found, 2);
}

/* Columns 0 and 3 are alike in the second matrix. */
static void test_tall(const struct calls *of)
{
    enum { M = 7, COLUMNS = 4 };
    for (int is_poor = 0; is_poor < 2; is_poor++) {
        number tall[M * COLUMNS], rest[M], product[COLUMNS];
        unsigned seed = 8;
        int rank = -1, order[COLUMNS], used[COLUMNS] = {0}, next = 0;
        double squares = 0;
        for (int i = 0; i < M; i++) {
            starts[i] = next;
            for (int j = 0; j < COLUMNS; j++) {
                tall[i + j * M] = is_poor && j == 3 ? tall[i] : random_number(letter, &seed);
                put(letter, values, next, tall[i + j * M]);
                indices[next++] = j;
            }
            side[i] = random_number(letter, &seed);
        }
        starts[M] = next;
        put_all(letter, b, side, M);
        EXPECT(of->tall(handle, M, COLUMNS, next, descriptions[0], values, starts, indices, b, 1e-5,
                        &rank, x, order, space),
               0);
        EXPECT(rank, COLUMNS - is_poor);
        get_all(letter, got, x, COLUMNS);
        multiply(rest, M, tall, M, PLAIN, got, COLUMNS, PLAIN, M, 1, COLUMNS);
        for (int i = 0; i < M; i++) {
            rest[i] -= side[i];
            squares += pow(cabs(rest[i]), 2);
        }
        multiply(product, COLUMNS, tall, M, ADJOINT, rest, M, PLAIN, COLUMNS, 1, M);
        for (int j = 0; j < COLUMNS; j++) {
            EXPECT(cabs(product[j]) < tolerance_of(letter), 1);
            used[order[j]]++;
        }
        EXPECT(used[0] == 1 && used[1] == 1 && used[2] == 1 && used[3] == 1, 1);
        EXPECT(cabs(get(real_of(letter), space, 0) - sqrt(squares)) < tolerance_of(letter), 1);
    }
}

static void test_kept_qr(const struct calls *of)
{
    void *info = NULL;
    size_t internal = 0, bytes = 0;
    int place = -9;
    make(N, false, 1);
    EXPECT(cusolverSpCreateCsrqrInfo(&info), 0);
    EXPECT(cusolverSpXcsrqrAnalysis(handle, N, N, count, descriptions[1], starts, indices, info),
           0);
    EXPECT(of->qr_size(handle, N, N, count, descriptions[1], values, starts, indices, info,
                       &internal, &bytes),
           0);
    EXPECT(of->qr_setup(handle, N, N, count, descriptions[1], values, starts, indices, 0.5, info),
           0);
    EXPECT(of->qr_factor(handle, N, N, count, NULL, NULL, info, space), 0);
    EXPECT(of->qr_zero(handle, info, 1e-12, &place), 0);
    EXPECT(place, -1);
    EXPECT(of->qr_zero(handle, info, 1e5, &place), 0);
    EXPECT(place, 0);
    EXPECT(of->qr_solve(handle, N, N, b, x, info, space), 0);
    EXPECT(residual(N, 0.5) < 10 * tolerance_of(letter), 1);
    EXPECT(cusolverSpXcsrqrAnalysisBatched(handle, N, N, count, descriptions[1], starts, indices,
                                           info),
           0);
    for (int i = 0; i < count; i++)
        put(letter, values, count + i, 2 * get(letter, values, i));
    for (int i = 0; i < N; i++)
        put(letter, b, N + i, 2 * side[i]);
    EXPECT(of->batch(handle, N, N, count, descriptions[1], values, starts, indices, b, x, 2, info,
                     space),
           0);
    EXPECT(residual(N, 0) < 10 * tolerance_of(letter), 1);
    for (int i = 0; i < N; i++)
        EXPECT(cabs(get(letter, x, N + i) - got[i]) < 10 * tolerance_of(letter), 1);
    EXPECT(of->qr_factor(NULL, N, N, count, NULL, NULL, info, space), NO_HANDLE);
    EXPECT(cusolverSpDestroyCsrqrInfo(info), 0);
}

static void test_kept_cholesky(const struct calls *of)
{
    void *info = NULL;
    int place = -9;
    double product = 1;
    make(N, true, 0);
    EXPECT(cusolverSpCreateCsrcholInfo(&info), 0);
    EXPECT(cusolverSpXcsrcholAnalysis(handle, N, count, descriptions[0], starts, indices, info), 0);
    EXPECT(of->cholesky_factor(handle, N, count, descriptions[0], values, starts, indices, info,
                               space),
           0);
    EXPECT(of->cholesky_zero(handle, info, 1e-12, &place), 0);
    EXPECT(place, -1);
    EXPECT(of->cholesky_solve(handle, N, b, x, info, space), 0);
    EXPECT(residual(N, 0) < tolerance_of(letter), 1);
    EXPECT(of->diagonal(handle, info, space), 0);
    for (int i = 0; i < N; i++)
        product *= creal(get(real_of(letter), space, i));
    EXPECT(product > 1e6 && product < 1.68e7, 1); /* 8 to the power of 8, less what is beside */
    put(letter, values, 0, -8);
    EXPECT(of->cholesky_factor(handle, N, count, descriptions[0], values, starts, indices, info,
                               space),
           0);
    EXPECT(of->cholesky_zero(handle, info, 1e-12, &place), 0);
    EXPECT(place, 0);
    EXPECT(cusolverSpDestroyCsrcholInfo(info), 0);
}

/* L times U is the matrix with its rows and columns in the orders that are told. */
static void test_kept_lu(const struct calls *of)
{
    void *info = NULL;
    int place = -9, lower = 0, upper = 0, rows[N], columns[N], exchanged = 0;
    EXPECT(cusolverSpCreateCsrluInfoHost(&info), 0);
    for (int threshold = 0; threshold < 2; threshold++) {
        static number l[N * N], u[N * N];
        int starts_l[N + 1], starts_u[N + 1], indices_l[N * N], indices_u[N * N];
        double most = 0;
        number l_values[N * N], u_values[N * N];
        make(N, false, 0);
        EXPECT(
            cusolverSpXcsrluAnalysisHost(handle, N, count, descriptions[0], starts, indices, info),
            0);
        EXPECT(of->lu_factor(handle, N, count, descriptions[0], values, starts, indices, info,
                             threshold, space),
               0);
        EXPECT(of->lu_zero(handle, info, 1e-12, &place), 0);
        EXPECT(place, -1);
        EXPECT(of->lu_solve(handle, N, b, x, info, space), 0);
        EXPECT(residual(N, 0) < 1000 * tolerance_of(letter), 1);
        EXPECT(cusolverSpXcsrluNnzHost(handle, &lower, &upper, info), 0);
        EXPECT(of->lu_extract(handle, rows, columns, descriptions[0], l_values, starts_l, indices_l,
                              descriptions[1], u_values, starts_u, indices_u, info, space),
               0);
        EXPECT(starts_l[N], lower);
        EXPECT(starts_u[N], upper + 1);
        memset(l, 0, sizeof l);
        memset(u, 0, sizeof u);
        for (int i = 0; i < N; i++) {
            exchanged += rows[i] != i;
            for (int k = starts_l[i]; k < starts_l[i + 1]; k++) {
                EXPECT(k == starts_l[i] || indices_l[k] > indices_l[k - 1], 1);
                EXPECT(indices_l[k] <= i, 1);
                l[i + indices_l[k] * N] = get(letter, l_values, k);
            }
            EXPECT(l[i + i * N] == 1, 1);
            for (int k = starts_u[i] - 1; k < starts_u[i + 1] - 1; k++)
                u[i + (indices_u[k] - 1) * N] = get(letter, u_values, k);
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                number sum = -given[rows[i] + columns[j] * N];
                for (int k = 0; k < N; k++)
                    sum += l[i + k * N] * u[k + j * N];
                most = fmax(most, cabs(sum));
            }
        EXPECT(most < 1000 * tolerance_of(letter), 1);
        EXPECT(threshold ? exchanged > 3 : exchanged == 0, 1);
    }
    EXPECT(cusolverSpDestroyCsrluInfoHost(info), 0);
}

static void expect_order(const int *order)
{
    int used[N] = {0};
    for (int i = 0; i < N; i++)
        used[order[i]]++;
    for (int i = 0; i < N; i++)
        EXPECT(used[i], 1);
}

static void test_orders(const struct calls *of)
{
    int order[N], map[MOST], is_symmetric = -1, found = -1;
    size_t bytes = 0;
    make(N, false, 1);
#define TEST_ORDER(name)                                                                     \
    EXPECT(cusolverSpX##name(handle, N, count, descriptions[1], starts, indices, order), 0); \
    expect_order(order);
    ORDERS(TEST_ORDER)
    EXPECT(
        cusolverSpXcsrmetisndHost(handle, N, count, descriptions[1], starts, indices, NULL, order),
        0);
    expect_order(order);
    EXPECT(cusolverSpXcsrissymHost(handle, N, count, descriptions[1], starts, starts + 1, indices,
                                   &is_symmetric),
           0);
    EXPECT(is_symmetric, 1);
    EXPECT(cusolverSpXcsrperm_bufferSizeHost(handle, N, N, count, descriptions[1], starts, indices,
                                             order, order, &bytes),
           0);
    for (int k = 0; k < count; k++)
        map[k] = k;
    EXPECT(cusolverSpXcsrpermHost(handle, N, N, count, descriptions[1], starts, indices, order,
                                  order, map, space),
           0);
    for (int i = 0; i < N; i++)
        for (int k = starts[i] - 1; k < starts[i + 1] - 1; k++)
            EXPECT(cabs(get(letter, values, map[k]) - given[order[i] + order[indices[k] - 1] * N]) <
                       1e-6,
                   1);
    make(N, false, 0); /* rows one further: the diagonal lies below its own */
    indices[0] = 1;
    starts[1] = 1;
    for (int i = 1; i <= N; i++) {
        starts[i] = i;
        indices[i - 1] = i % N;
        put(letter, values, i - 1, i);
    }
    EXPECT(of->zfd(handle, N, N, descriptions[0], values, starts, indices, order, &found), 0);
    EXPECT(found, N);
    for (int i = 0; i < N; i++)
        EXPECT(order[i], (i + N - 1) % N);
    EXPECT(cusolverSpXcsrissymHost(handle, N, N, descriptions[0], starts, starts + 1, indices,
                                   &is_symmetric),
           0);
    EXPECT(is_symmetric, 0);
}

static void test_arguments(const struct calls *of)
{
    void *described = NULL;
    int place;
    make(N, false, 0);
    EXPECT(
        of->system[0](NULL, N, count, descriptions[0], values, starts, indices, b, 0, 0, x, &place),
        NO_HANDLE);
    EXPECT(of->system[0](handle, -1, count, descriptions[0], values, starts, indices, b, 0, 0, x,
                         &place),
           INVALID);
    EXPECT(of->system[0](handle, N, count, NULL, values, starts, indices, b, 0, 0, x, &place),
           INVALID);
    EXPECT(of->system[0](handle, N, count, descriptions[0], values, starts, indices, b, 0, 9, x,
                         &place),
           INVALID);
    EXPECT(cusparseCreateMatDescr(&described), 0);
    EXPECT(cusparseSetMatType(described, 1), 0);
    EXPECT(of->system[0](handle, N, count, described, values, starts, indices, b, 0, 0, x, &place),
           8);
    EXPECT(cusparseDestroyMatDescr(described), 0);
}

/* ---- refactorization ---- */

int cusolverRfCreate(void **made);
int cusolverRfDestroy(void *handle);
int cusolverRfSetMatrixFormat(void *handle, int format, int diagonal);
int cusolverRfGetMatrixFormat(void *handle, int *format, int *diagonal);
int cusolverRfSetNumericProperties(void *handle, double zero, double boost);
int cusolverRfGetNumericProperties(void *handle, double *zero, double *boost);
int cusolverRfSetAlgs(void *handle, int factor, int solve);
int cusolverRfGetAlgs(void *handle, int *factor, int *solve);
int cusolverRfSetResetValuesFastMode(void *handle, int mode);
int cusolverRfGetResetValuesFastMode(void *handle, int *mode);
int cusolverRfGetNumericBoostReport(void *handle, int *report);
#define SETUP(Where)                                                                               \
    int cusolverRfSetup##Where(int, int, int *, int *, double *, int, int *, int *, double *, int, \
                               int *, int *, double *, int *, int *, void *);
SETUP(Host)
SETUP(Device)
int cusolverRfBatchSetupHost(int, int, int, int *, int *, double **, int, int *, int *, double *,
                             int, int *, int *, double *, int *, int *, void *);
int cusolverRfAnalyze(void *handle);
int cusolverRfBatchAnalyze(void *handle);
int cusolverRfRefactor(void *handle);
int cusolverRfBatchRefactor(void *handle);
int cusolverRfResetValues(int, int, int *, int *, double *, int *, int *, void *);
int cusolverRfBatchResetValues(int, int, int, int *, int *, double **, int *, int *, void *);
int cusolverRfBatchZeroPivot(void *handle, int *positions);
int cusolverRfSolve(void *, int *, int *, int, double *, int, double *, int);
int cusolverRfBatchSolve(void *, int *, int *, int, double *, int, double **, int);
int cusolverRfAccessBundledFactorsDevice(void *, int *, int **, int **, double **);
int cusolverRfExtractBundledFactorsHost(void *, int *, int **, int **, double **);
int cusolverRfExtractSplitFactorsHost(void *, int *, int **, int **, double **, int *, int **,
                                      int **, double **);

struct factors {
    int rows[N], columns[N], starts_l[N + 1], starts_u[N + 1], indices_l[N * N], indices_u[N * N];
    double l[N * N], u[N * N];
    int lower, upper;
};

static void find_factors(struct factors *of)
{
    void *info = NULL;
    letter = 'D';
    make(N, false, 0);
    EXPECT(cusolverSpCreateCsrluInfoHost(&info), 0);
    EXPECT(cusolverSpXcsrluAnalysisHost(handle, N, count, descriptions[0], starts, indices, info),
           0);
    EXPECT(calls_D.lu_factor(handle, N, count, descriptions[0], values, starts, indices, info, 1,
                             space),
           0);
    EXPECT(cusolverSpXcsrluNnzHost(handle, &of->lower, &of->upper, info), 0);
    EXPECT(calls_D.lu_extract(handle, of->rows, of->columns, descriptions[0], of->l, of->starts_l,
                              of->indices_l, descriptions[0], of->u, of->starts_u, of->indices_u,
                              info, space),
           0);
    EXPECT(cusolverSpDestroyCsrluInfoHost(info), 0);
}

/* Other values in the same places. */
static void change_values(void)
{
    for (int k = 0; k < count; k++)
        put('D', values, k, get('D', values, k) * (1 + 0.1 * (k % 3)));
    for (int i = 0; i < N; i++)
        for (int k = starts[i]; k < starts[i + 1]; k++)
            given[i + indices[k] * N] = get('D', values, k);
}

static void test_refactor(struct factors *of, int diagonal)
{
    void *rf = NULL;
    int nnz = -1, nnz_l = -1, nnz_u = -1, *rows[3], *columns[3];
    double *got_values[3];
    find_factors(of);
    if (diagonal == 1) { /* from 1 in L's diagonal to 1 in U's */
        for (int i = 0; i < N; i++)
            for (int k = of->starts_u[i] + 1; k < of->starts_u[i + 1]; k++)
                of->u[k] /= of->u[of->starts_u[i]];
        for (int i = 0; i < N; i++)
            of->u[of->starts_u[i]] = 1;
    }
    EXPECT(cusolverRfCreate(&rf), 0);
    EXPECT(cusolverRfSetMatrixFormat(rf, 0, diagonal), 0);
    EXPECT(cusolverRfRefactor(rf) != 0, 1);
    EXPECT((diagonal ? cusolverRfSetupDevice : cusolverRfSetupHost)(
               N, count, starts, indices, values, of->lower, of->starts_l, of->indices_l, of->l,
               of->upper, of->starts_u, of->indices_u, of->u, of->rows, of->columns, rf),
           0);
    EXPECT(cusolverRfAnalyze(rf), 0);
    for (int round = 0; round < 2; round++) {
        if (round) {
            change_values();
            EXPECT(
                cusolverRfResetValues(N, count, starts, indices, values, of->rows, of->columns, rf),
                0);
        }
        EXPECT(cusolverRfRefactor(rf), 0);
        put_all('D', x, side, N);
        EXPECT(cusolverRfSolve(rf, of->rows, of->columns, 1, space, N, x, N), 0);
        EXPECT(residual(N, 0) < 1e-9, 1);
    }
    EXPECT(cusolverRfAccessBundledFactorsDevice(rf, &nnz, &rows[0], &columns[0], &got_values[0]),
           0);
    EXPECT(nnz, of->lower + of->upper - N);
    EXPECT(cusolverRfExtractBundledFactorsHost(rf, &nnz, &rows[0], &columns[0], &got_values[0]), 0);
    EXPECT(cusolverRfExtractSplitFactorsHost(rf, &nnz_l, &rows[1], &columns[1], &got_values[1],
                                             &nnz_u, &rows[2], &columns[2], &got_values[2]),
           0);
    EXPECT(nnz_l, of->lower);
    EXPECT(nnz_u, of->upper);
    EXPECT((diagonal ? got_values[2][0] : got_values[1][0]) == 1, 1);
    for (int i = 0; i < 3; i++)
        free(rows[i]), free(columns[i]), free(got_values[i]);
    EXPECT(cusolverRfDestroy(rf), 0);
}

/* The second of two matrices has no pivot in its first column. */
static void test_refactor_of_batch(struct factors *of)
{
    void *rf = NULL;
    double *all[2], *sides[2];
    int positions[2] = {-9, -9};
    find_factors(of);
    for (int i = 0; i < 2; i++) {
        all[i] = managed(MOST * sizeof(double)), sides[i] = managed(N * sizeof(double));
        memcpy(all[i], values, (size_t)count * sizeof(double));
        put_all('D', sides[i], side, N);
    }
    EXPECT(cusolverRfCreate(&rf), 0);
    EXPECT(cusolverRfBatchSetupHost(2, N, count, starts, indices, all, of->lower, of->starts_l,
                                    of->indices_l, of->l, of->upper, of->starts_u, of->indices_u,
                                    of->u, of->rows, of->columns, rf),
           0);
    EXPECT(cusolverRfBatchAnalyze(rf), 0);
    EXPECT(cusolverRfBatchRefactor(rf), 0);
    EXPECT(cusolverRfBatchZeroPivot(rf, positions), 0);
    EXPECT(positions[0] == -1 && positions[1] == -1, 1);
    EXPECT(cusolverRfBatchSolve(rf, of->rows, of->columns, 1, space, N, sides, N), 0);
    memcpy(x, sides[1], N * sizeof(double));
    EXPECT(residual(N, 0) < 1e-9, 1);
    EXPECT(memcmp(sides[0], sides[1], N * sizeof(double)), 0);
    for (int k = starts[of->rows[0]]; k < starts[of->rows[0] + 1]; k++)
        all[1][k] = 0;
    EXPECT(cusolverRfBatchResetValues(2, N, count, starts, indices, all, of->rows, of->columns, rf),
           0);
    EXPECT(cusolverRfBatchRefactor(rf), 0);
    EXPECT(cusolverRfBatchZeroPivot(rf, positions), 10);
    EXPECT(positions[0] == -1 && positions[1] == 0, 1);
    EXPECT(cusolverRfDestroy(rf), 0);
}

static void test_properties(void)
{
    void *rf = NULL;
    int one = -1, two = -1;
    double zero = -1, boost = -1;
    EXPECT(cusolverRfCreate(&rf), 0);
    EXPECT(cusolverRfGetMatrixFormat(rf, &one, &two), 0);
    EXPECT(one == 0 && two == 0, 1);
    EXPECT(cusolverRfGetAlgs(rf, &one, &two), 0);
    EXPECT(one == 0 && two == 1, 1);
    EXPECT(cusolverRfSetAlgs(rf, 1, 2), 0);
    EXPECT(cusolverRfGetAlgs(rf, &one, &two), 0);
    EXPECT(one == 1 && two == 2, 1);
    EXPECT(cusolverRfSetNumericProperties(rf, 1e-3, 2), 0);
    EXPECT(cusolverRfGetNumericProperties(rf, &zero, &boost), 0);
    EXPECT(zero == 1e-3 && boost == 2, 1);
    EXPECT(cusolverRfSetResetValuesFastMode(rf, 1), 0);
    EXPECT(cusolverRfGetResetValuesFastMode(rf, &one), 0);
    EXPECT(one, 1);
    EXPECT(cusolverRfGetNumericBoostReport(rf, &one), 0);
    EXPECT(one, 0);
    EXPECT(cusolverRfDestroy(rf), 0);
    EXPECT(cusolverRfDestroy(NULL), NO_HANDLE);
}

int main(void)
{
    static struct factors factors;
    EXPECT(cusolverSpCreate(&handle), 0);
    for (int base = 0; base < 2; base++) {
        EXPECT(cusparseCreateMatDescr(&descriptions[base]), 0);
        EXPECT(cusparseSetMatIndexBase(descriptions[base], base), 0);
    }
    values = managed(2 * MOST * sizeof(number)), b = managed(2 * N * sizeof(number));
    x = managed(2 * N * sizeof(number)), space = managed(1 << 16);
    starts = managed((N + 1) * sizeof *starts), indices = managed(MOST * sizeof *indices);
    for (int i = 0; i < 4; i++) {
        letter = letters[i];
        test_systems(calls[i]);
        test_eigenvalue(calls[i]);
        test_eigenvalue_itself(calls[i]);
        if (letter == 'D' || letter == 'C')
            test_count();
        test_tall(calls[i]);
        test_kept_qr(calls[i]);
        test_kept_cholesky(calls[i]);
        test_kept_lu(calls[i]);
        test_orders(calls[i]);
    }
    letter = 'D';
    test_arguments(&calls_D);
    test_refactor(&factors, 0);
    test_refactor(&factors, 1);
    test_refactor_of_batch(&factors);
    test_properties();
    EXPECT(cusolverSpDestroy(handle), 0);
    return failures != 0;
}
