/* Eigenvalues of pairs of matrices and of some of all eigenvalues: vectors put in against the
 * matrices they are of, values against those of all. */
#include "solver_numbers.h"

enum { ALL = 1001, BY_INDEX = 1002, BY_VALUE = 1003 };
enum { N = 21, LD = 24, SIZE = LD * LD };

int cusolverDnCreateSyevjInfo(void **made);
int cusolverDnDestroySyevjInfo(void *info);
int cusolverDnXsyevdx_bufferSize(void *handle, void *params, int job, int range, int fill,
                                 int64_t n, int type, const void *a, int64_t lda, void *from,
                                 void *to, int64_t first, int64_t last, int64_t *found,
                                 int type_values, const void *values, int compute, size_t *device,
                                 size_t *host);
int cusolverDnXsyevdx(void *handle, void *params, int job, int range, int fill, int64_t n, int type,
                      void *a, int64_t lda, void *from, void *to, int64_t first, int64_t last,
                      int64_t *found, int type_values, void *values, int compute, void *space,
                      size_t bytes, void *host_space, size_t host_bytes, int *info);
int cusolverDnXsyevBatched_bufferSize(void *handle, void *params, int job, int fill, int64_t n,
                                      int type, const void *a, int64_t lda, int type_values,
                                      const void *values, int compute, size_t *device, size_t *host,
                                      int64_t batch);
int cusolverDnXsyevBatched(void *handle, void *params, int job, int fill, int64_t n, int type,
                           void *a, int64_t lda, int type_values, void *values, int compute,
                           void *space, size_t bytes, void *host_space, size_t host_bytes,
                           int *info, int64_t batch);

static void *handle, *turns, *a, *b, *values, *space;
static int *info;
static number given[SIZE], given_b[SIZE], vectors[SIZE], kept[N];

/* What one type's calls are, with the range for those that take one. */
struct calls {
    int (*sygvd)(int type, int job, int fill, int n, int lda, int ldb);
    int (*sygvj)(int type, int job, int fill, int n, int lda, int ldb);
    int (*sygvdx)(int type, int job, int range, int fill, int n, double from, double to, int first,
                  int last, int *found);
    int (*syevdx)(int job, int range, int fill, int n, double from, double to, int first, int last,
                  int *found);
};

#define CALLS(L, R, sygvd, sygvj, sygvdx, syevdx)                                                  \
    int cusolverDn##L##sygvd##_bufferSize(void *, int, int, int, int, const void *, int,           \
                                          const void *, int, const void *, int *);                 \
    int cusolverDn##L##sygvd(void *, int, int, int, int, void *, int, void *, int, void *, void *, \
                             int, int *);                                                          \
    int cusolverDn##L##sygvj##_bufferSize(void *, int, int, int, int, const void *, int,           \
                                          const void *, int, const void *, int *, void *);         \
    int cusolverDn##L##sygvj(void *, int, int, int, int, void *, int, void *, int, void *, void *, \
                             int, int *, void *);                                                  \
    int cusolverDn##L##sygvdx##_bufferSize(void *, int, int, int, int, int, const void *, int,     \
                                           const void *, int, R, R, int, int, int *, const void *, \
                                           int *);                                                 \
    int cusolverDn##L##sygvdx(void *, int, int, int, int, int, void *, int, void *, int, R, R,     \
                              int, int, int *, void *, void *, int, int *);                        \
    int cusolverDn##L##syevdx##_bufferSize(void *, int, int, int, int, const void *, int, R, R,    \
                                           int, int, int *, const void *, int *);                  \
    int cusolverDn##L##syevdx(void *, int, int, int, int, void *, int, R, R, int, int, int *,      \
                              void *, void *, int, int *);                                         \
    static int L##_sygvd(int type, int job, int fill, int n, int lda, int ldb)                     \
    {                                                                                              \
        int count = 0;                                                                             \
        const int status = cusolverDn##L##sygvd##_bufferSize(handle, type, job, fill, n, a, lda,   \
                                                             b, ldb, values, &count);              \
        const int done = cusolverDn##L##sygvd(handle, type, job, fill, n, a, lda, b, ldb, values,  \
                                              space, status ? 1 << 16 : count, info);              \
        EXPECT(done, status);                                                                      \
        return done;                                                                               \
    }                                                                                              \
    static int L##_sygvj(int type, int job, int fill, int n, int lda, int ldb)                     \
    {                                                                                              \
        int count = 0;                                                                             \
        const int status = cusolverDn##L##sygvj##_bufferSize(handle, type, job, fill, n, a, lda,   \
                                                             b, ldb, values, &count, turns);       \
        const int done = cusolverDn##L##sygvj(handle, type, job, fill, n, a, lda, b, ldb, values,  \
                                              space, status ? 1 << 16 : count, info, turns);       \
        EXPECT(done, status);                                                                      \
        return done;                                                                               \
    }                                                                                              \
    static int L##_sygvdx(int type, int job, int range, int fill, int n, double from, double to,   \
                          int first, int last, int *found)                                         \
    {                                                                                              \
        int count = 0;                                                                             \
        const int status = cusolverDn##L##sygvdx##_bufferSize(handle, type, job, range, fill, n,   \
                                                              a, LD, b, LD, (R)from, (R)to, first, \
                                                              last, found, values, &count);        \
        const int done = cusolverDn##L##sygvdx(handle, type, job, range, fill, n, a, LD, b, LD,    \
                                               (R)from, (R)to, first, last, found, values, space,  \
                                               status ? 1 << 16 : count, info);                    \
        EXPECT(done, status);                                                                      \
        return done;                                                                               \
    }                                                                                              \
    static int L##_syevdx(int job, int range, int fill, int n, double from, double to, int first,  \
                          int last, int *found)                                                    \
    {                                                                                              \
        int count = 0;                                                                             \
        const int status =                                                                         \
            cusolverDn##L##syevdx##_bufferSize(handle, job, range, fill, n, a, LD, (R)from, (R)to, \
                                               first, last, found, values, &count);                \
        const int done =                                                                           \
            cusolverDn##L##syevdx(handle, job, range, fill, n, a, LD, (R)from, (R)to, first, last, \
                                  found, values, space, status ? 1 << 16 : count, info);           \
        EXPECT(done, status);                                                                      \
        return done;                                                                               \
    }                                                                                              \
    static const struct calls calls_##L = {L##_sygvd, L##_sygvj, L##_sygvdx, L##_syevdx};
CALLS(S, float, sygvd, sygvj, sygvdx, syevdx)
CALLS(D, double, sygvd, sygvj, sygvdx, syevdx)
CALLS(C, float, hegvd, hegvj, hegvdx, heevdx)
CALLS(Z, double, hegvd, hegvj, hegvdx, heevdx)
static const struct calls *const calls[] = {&calls_S, &calls_D, &calls_C, &calls_Z};

static void load(char letter, int fill)
{
    number hidden[SIZE];
    make_symmetric(letter, given, N, LD, true, 0, 1);
    make_symmetric(letter, given_b, N, LD, true, 2 * N, 9);
    memcpy(hidden, given, sizeof hidden);
    hide_other(hidden, N, LD, fill);
    put_all(letter, a, hidden, SIZE);
    memcpy(hidden, given_b, sizeof hidden);
    hide_other(hidden, N, LD, fill);
    put_all(letter, b, hidden, SIZE);
}

/* By how much `count` vectors and values differ from A x = B x v, A B x = x v or B A x = x v
 * (type 0: A x = x v). */
static double residual(char letter, int type, int count)
{
    number left[SIZE] = {0}, right[SIZE], between[SIZE];
    get_all(letter, vectors, a, SIZE);
    memcpy(between, vectors, sizeof between);
    memcpy(right, vectors, sizeof right);
    if (type == 2)
        multiply(between, LD, given_b, LD, PLAIN, vectors, LD, PLAIN, N, count, N);
    multiply(left, LD, given, LD, PLAIN, between, LD, PLAIN, N, count, N);
    memcpy(between, left, sizeof between);
    if (type == 3)
        multiply(left, LD, given_b, LD, PLAIN, between, LD, PLAIN, N, count, N);
    if (type == 1)
        multiply(right, LD, given_b, LD, PLAIN, vectors, LD, PLAIN, N, count, N);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < N; i++)
            right[i + j * LD] *= get(real_of(letter), values, j);
    return distance(left, LD, right, LD, N, count);
}

/* x' B x = 1, or x' inverse(B) x = 1: type 3, for which L L' = B is what b then holds. */
static void test_pair(char letter, const struct calls *of, int type, int fill)
{
    number l[SIZE], product[SIZE], other[SIZE];
    load(letter, fill);
    EXPECT(of->sygvd(type, 1, fill, N, LD, LD), 0);
    EXPECT(*info, 0);
    EXPECT(residual(letter, type, N) < 100 * tolerance_of(letter), 1);
    get_all(real_of(letter), kept, values, N);
    for (int i = 1; i < N; i++)
        EXPECT(creal(kept[i]) >= creal(kept[i - 1]), 1);
    if (type != 3) {
        multiply(product, LD, given_b, LD, PLAIN, vectors, LD, PLAIN, N, N, N);
        multiply(other, LD, vectors, LD, ADJOINT, product, LD, PLAIN, N, N, N);
        for (int i = 0; i < N; i++)
            other[i + i * LD] -= 1;
        memset(product, 0, sizeof product);
        EXPECT(distance(other, LD, product, LD, N, N) < tolerance_of(letter), 1);
    }
    get_all(letter, l, b, SIZE);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            l[fill == LOWER ? j + i * LD : i + j * LD] = 0;
    multiply(product, LD, l, LD, fill == LOWER ? PLAIN : ADJOINT, l, LD,
             fill == LOWER ? ADJOINT : PLAIN, N, N, N);
    EXPECT(distance(product, LD, given_b, LD, N, N) < tolerance_of(letter), 1);
    load(letter, fill);
    EXPECT(of->sygvj(type, 1, fill, N, LD, LD), 0);
    EXPECT(residual(letter, type, N) < 100 * tolerance_of(letter), 1);
    load(letter, fill);
    EXPECT(of->sygvd(type, 0, fill, N, LD, LD), 0);
    for (int i = 0; i < N; i++)
        EXPECT(cabs(get(real_of(letter), values, i) - kept[i]) < 1000 * tolerance_of(letter), 1);
}

static void expect_values(char letter, int first, int count)
{
    for (int i = 0; i < count; i++)
        EXPECT(cabs(get(real_of(letter), values, i) - kept[first + i]) < 100 * tolerance_of(letter),
               1);
}

/* From between the fourth and fifth value to between the eleventh and twelfth; an interval that
 * ends at nothing. */
static void test_some(char letter, const struct calls *of, int fill, int type)
{
    int found = -1;
    load(letter, fill);
    EXPECT(type ? of->sygvdx(type, 1, ALL, fill, N, 0, 0, 0, 0, &found)
                : of->syevdx(1, ALL, fill, N, 0, 0, 0, 0, &found),
           0);
    EXPECT(found, N);
    EXPECT(residual(letter, type, N) < 100 * tolerance_of(letter), 1);
    get_all(real_of(letter), kept, values, N);
    const double from = creal(kept[3] + kept[4]) / 2, to = creal(kept[10] + kept[11]) / 2;
    load(letter, fill);
    EXPECT(type ? of->sygvdx(type, 1, BY_VALUE, fill, N, from, to, 0, 0, &found)
                : of->syevdx(1, BY_VALUE, fill, N, from, to, 0, 0, &found),
           0);
    EXPECT(found, 7);
    expect_values(letter, 4, found);
    EXPECT(residual(letter, type, found) < 100 * tolerance_of(letter), 1);
    load(letter, fill);
    EXPECT(type ? of->sygvdx(type, 1, BY_INDEX, fill, N, 0, 0, 3, 5, &found)
                : of->syevdx(1, BY_INDEX, fill, N, 0, 0, 3, 5, &found),
           0);
    EXPECT(found, 3);
    expect_values(letter, 2, found);
    EXPECT(residual(letter, type, found) < 100 * tolerance_of(letter), 1);
    load(letter, fill);
    EXPECT(type ? of->sygvdx(type, 0, BY_VALUE, fill, N, 1e5, 2e5, 0, 0, &found)
                : of->syevdx(0, BY_VALUE, fill, N, 1e5, 2e5, 0, 0, &found),
           0);
    EXPECT(found, 0);
}

static void test_wide(char letter)
{
    const int type = type_of(letter), real = real_type_of(letter);
    size_t device = 0, host = 1;
    int64_t found = -1;
    float narrow[2] = {-0.5f, 1e5f};
    double wide[2] = {-0.5, 1e5};
    void *from = is_single(letter) ? (void *)&narrow[0] : &wide[0],
         *to = is_single(letter) ? (void *)&narrow[1] : &wide[1];
    load(letter, UPPER);
    EXPECT(cusolverDnXsyevdx_bufferSize(handle, NULL, 1, BY_VALUE, UPPER, N, type, a, LD, from, to,
                                        0, 0, &found, real, values, type, &device, &host),
           0);
    EXPECT(cusolverDnXsyevdx(handle, NULL, 1, BY_VALUE, UPPER, N, type, a, LD, from, to, 0, 0,
                             &found, real, values, type, space, device, NULL, host, info),
           0);
    EXPECT(found > 4 && found < N, 1);
    EXPECT(creal(get(real_of(letter), values, 0)) > -0.5, 1);
    EXPECT(residual(letter, 0, (int)found) < 100 * tolerance_of(letter), 1);
    load(letter, LOWER);
    char *batch = managed(2 * SIZE * bytes_of(letter));
    memcpy(batch, a, SIZE * bytes_of(letter));
    memcpy(batch + LD * N * bytes_of(letter), b, SIZE * bytes_of(letter));
    EXPECT(cusolverDnXsyevBatched_bufferSize(handle, NULL, 1, LOWER, N, type, batch, LD, real,
                                             values, type, &device, &host, 2),
           0);
    EXPECT(cusolverDnXsyevBatched(handle, NULL, 1, LOWER, N, type, batch, LD, real, values, type,
                                  space, device, NULL, host, info, 2),
           0);
    EXPECT(info[0] == 0 && info[1] == 0, 1);
    memcpy(a, batch, SIZE * bytes_of(letter));
    EXPECT(residual(letter, 0, N) < 100 * tolerance_of(letter), 1);
    memcpy(a, batch + LD * N * bytes_of(letter), LD * N * bytes_of(letter));
    memcpy(values, (char *)values + N * bytes_of(real_of(letter)), N * bytes_of(real_of(letter)));
    memcpy(given, given_b, sizeof given);
    EXPECT(residual(letter, 0, N) < 100 * tolerance_of(letter), 1);
    EXPECT(cudaFree(batch), 0);
}

static void test_arguments(const struct calls *of)
{
    int found;
    load('D', LOWER);
    put('D', b, 4 + 4 * LD, -1);
    EXPECT(of->sygvd(1, 1, LOWER, N, LD, LD), 0);
    EXPECT(*info, N + 5);
    load('D', LOWER);
    put('D', b, 4 + 4 * LD, -1);
    EXPECT(of->sygvj(1, 1, LOWER, N, LD, LD), 0);
    EXPECT(*info, 5);
    EXPECT(of->sygvd(0, 1, LOWER, N, LD, LD), INVALID);
    EXPECT(of->sygvd(4, 1, LOWER, N, LD, LD), INVALID);
    EXPECT(of->sygvd(1, 2, LOWER, N, LD, LD), INVALID);
    EXPECT(of->sygvd(1, 1, 2, N, LD, LD), INVALID);
    EXPECT(of->sygvd(1, 1, LOWER, -1, LD, LD), INVALID);
    EXPECT(of->sygvd(1, 1, LOWER, N, N - 1, LD), INVALID);
    EXPECT(of->sygvd(1, 1, LOWER, N, LD, N - 1), INVALID);
    EXPECT(of->sygvj(0, 1, LOWER, N, LD, LD), INVALID);
    EXPECT(of->syevdx(1, 1000, LOWER, N, 0, 0, 0, 0, &found), INVALID);
    EXPECT(of->syevdx(1, BY_INDEX, LOWER, N, 0, 0, 0, 3, &found), INVALID);
    EXPECT(of->syevdx(1, BY_INDEX, LOWER, N, 0, 0, 5, 3, &found), INVALID);
    EXPECT(of->syevdx(1, BY_INDEX, LOWER, N, 0, 0, 1, N + 1, &found), INVALID);
    EXPECT(of->syevdx(1, BY_VALUE, LOWER, N, 2, 1, 0, 0, &found), INVALID);
    EXPECT(of->syevdx(1, ALL, LOWER, 0, 0, 0, 0, 0, &found), 0);
    EXPECT(found, 0);
    EXPECT(cusolverDnDsygvd(NULL, 1, 1, LOWER, N, a, LD, b, LD, values, space, 1 << 16, info),
           NO_HANDLE);
    EXPECT(
        cusolverDnDsygvj(handle, 1, 1, LOWER, N, a, LD, b, LD, values, space, 1 << 16, info, NULL),
        INVALID);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    EXPECT(cusolverDnCreateSyevjInfo(&turns), 0);
    a = managed(SIZE * sizeof(number)), b = managed(SIZE * sizeof(number));
    values = managed(2 * N * sizeof(double)), space = managed(8 * SIZE * sizeof(number));
    info = managed(2 * sizeof *info);
    for (int i = 0; i < 4; i++)
        for (int fill = LOWER; fill <= UPPER; fill++) {
            for (int type = 1; type <= 3; type++)
                test_pair(letters[i], calls[i], type, fill);
            test_some(letters[i], calls[i], fill, 0);
            test_some(letters[i], calls[i], fill, fill == LOWER ? 1 : 3);
        }
    for (int i = 0; i < 4; i++)
        test_wide(letters[i]);
    test_arguments(calls[1]);
    EXPECT(cusolverDnDestroySyevjInfo(turns), 0);
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
