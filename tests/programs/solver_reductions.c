/* Reductions to tridiagonal and bidiagonal form, Bunch and Kaufman's factors, triangles and blocks
 * of reflections: what calls leave is multiplied out against what was there. */
#include "solver_numbers.h"

enum { N = 13, M = 16, LD = 18, SIZE = LD * LD, COLUMNS = 4 };

static void *handle, *a, *c, *space, *diagonal, *beside, *factors, *more_factors;
static int *info, *pivots;
static int64_t *wide_pivots;
static number given[SIZE], right[SIZE], zero[SIZE];

struct calls {
    int (*sytrd)(void *, int, int, void *, int, void *, void *, void *, void *, int, int *);
    int (*sytrd_size)(void *, int, int, const void *, int, const void *, const void *, const void *,
                      int *);
    int (*orgtr)(void *, int, int, void *, int, const void *, void *, int, int *);
    int (*orgtr_size)(void *, int, int, const void *, int, const void *, int *);
    int (*ormtr)(void *, int, int, int, int, int, void *, int, void *, void *, int, void *, int,
                 int *);
    int (*ormtr_size)(void *, int, int, int, int, int, const void *, int, const void *,
                      const void *, int, int *);
    int (*gebrd)(void *, int, int, void *, int, void *, void *, void *, void *, void *, int, int *);
    int (*gebrd_size)(void *, int, int, int *);
    int (*orgbr)(void *, int, int, int, int, void *, int, const void *, void *, int, int *);
    int (*orgbr_size)(void *, int, int, int, int, const void *, int, const void *, int *);
    int (*sytrf)(void *, int, int, void *, int, int *, void *, int, int *);
    int (*sytrf_size)(void *, int, void *, int, int *);
    int (*sytri)(void *, int, int, void *, int, const int *, void *, int, int *);
    int (*sytri_size)(void *, int, int, void *, int, const int *, int *);
    int (*lauum)(void *, int, int, void *, int, void *, int, int *);
    int (*lauum_size)(void *, int, int, void *, int, int *);
    int (*laswp)(void *, int, void *, int, int, int, const int *, int);
    int (*geqrf)(void *, int, int, void *, int, void *, void *, int, int *);
};

#define CALLS(L, sytrd, orgtr, ormtr, orgbr)                                                     \
    int cusolverDn##L##sytrd(void *, int, int, void *, int, void *, void *, void *, void *, int, \
                             int *);                                                             \
    int cusolverDn##L##sytrd##_bufferSize(void *, int, int, const void *, int, const void *,     \
                                          const void *, const void *, int *);                    \
    int cusolverDn##L##orgtr(void *, int, int, void *, int, const void *, void *, int, int *);   \
    int cusolverDn##L##orgtr##_bufferSize(void *, int, int, const void *, int, const void *,     \
                                          int *);                                                \
    int cusolverDn##L##ormtr(void *, int, int, int, int, int, void *, int, void *, void *, int,  \
                             void *, int, int *);                                                \
    int cusolverDn##L##ormtr##_bufferSize(void *, int, int, int, int, int, const void *, int,    \
                                          const void *, const void *, int, int *);               \
    int cusolverDn##L##gebrd(void *, int, int, void *, int, void *, void *, void *, void *,      \
                             void *, int, int *);                                                \
    int cusolverDn##L##gebrd_bufferSize(void *, int, int, int *);                                \
    int cusolverDn##L##orgbr(void *, int, int, int, int, void *, int, const void *, void *, int, \
                             int *);                                                             \
    int cusolverDn##L##orgbr##_bufferSize(void *, int, int, int, int, const void *, int,         \
                                          const void *, int *);                                  \
    int cusolverDn##L##sytrf(void *, int, int, void *, int, int *, void *, int, int *);          \
    int cusolverDn##L##sytrf_bufferSize(void *, int, void *, int, int *);                        \
    int cusolverDn##L##sytri(void *, int, int, void *, int, const int *, void *, int, int *);    \
    int cusolverDn##L##sytri_bufferSize(void *, int, int, void *, int, const int *, int *);      \
    int cusolverDn##L##lauum(void *, int, int, void *, int, void *, int, int *);                 \
    int cusolverDn##L##lauum_bufferSize(void *, int, int, void *, int, int *);                   \
    int cusolverDn##L##laswp(void *, int, void *, int, int, int, const int *, int);              \
    int cusolverDn##L##geqrf(void *, int, int, void *, int, void *, void *, int, int *);         \
    static const struct calls calls_##L = {                                                      \
        cusolverDn##L##sytrd, cusolverDn##L##sytrd##_bufferSize,                                 \
        cusolverDn##L##orgtr, cusolverDn##L##orgtr##_bufferSize,                                 \
        cusolverDn##L##ormtr, cusolverDn##L##ormtr##_bufferSize,                                 \
        cusolverDn##L##gebrd, cusolverDn##L##gebrd_bufferSize,                                   \
        cusolverDn##L##orgbr, cusolverDn##L##orgbr##_bufferSize,                                 \
        cusolverDn##L##sytrf, cusolverDn##L##sytrf_bufferSize,                                   \
        cusolverDn##L##sytri, cusolverDn##L##sytri_bufferSize,                                   \
        cusolverDn##L##lauum, cusolverDn##L##lauum_bufferSize,                                   \
        cusolverDn##L##laswp, cusolverDn##L##geqrf};
CALLS(S, sytrd, orgtr, ormtr, orgbr)
CALLS(D, sytrd, orgtr, ormtr, orgbr)
CALLS(C, hetrd, ungtr, unmtr, ungbr)
CALLS(Z, hetrd, ungtr, unmtr, ungbr)
static const struct calls *const calls[] = {&calls_S, &calls_D, &calls_C, &calls_Z};

int cusolverDnXsytrs_bufferSize(void *handle, int fill, int64_t n, int64_t columns, int type,
                                const void *a, int64_t lda, const int64_t *pivots, int type_b,
                                void *b, int64_t ldb, size_t *device, size_t *host);
int cusolverDnXsytrs(void *handle, int fill, int64_t n, int64_t columns, int type, const void *a,
                     int64_t lda, const int64_t *pivots, int type_b, void *b, int64_t ldb,
                     void *space, size_t bytes, void *host_space, size_t host_bytes, int *info);
int cusolverDnXtrtri_bufferSize(void *handle, int fill, int diagonal, int64_t n, int type, void *a,
                                int64_t lda, size_t *device, size_t *host);
int cusolverDnXtrtri(void *handle, int fill, int diagonal, int64_t n, int type, void *a,
                     int64_t lda, void *space, size_t bytes, void *host_space, size_t host_bytes,
                     int *info);
int cusolverDnXlarft_bufferSize(void *handle, void *params, int direction, int storage, int64_t n,
                                int64_t k, int type, const void *v, int64_t ldv, int type_factors,
                                const void *factors, int type_t, void *t, int64_t ldt, int compute,
                                size_t *device, size_t *host);
int cusolverDnXlarft(void *handle, void *params, int direction, int storage, int64_t n, int64_t k,
                     int type, const void *v, int64_t ldv, int type_factors, const void *factors,
                     int type_t, void *t, int64_t ldt, int compute, void *space, size_t bytes,
                     void *host_space, size_t host_bytes);

/* a holds what `given` does, of a triangle only that. */
static void load(char letter, int fill, bool is_hermitian)
{
    number hidden[SIZE];
    make_symmetric(letter, given, N, LD, is_hermitian, 0, 5);
    memcpy(hidden, given, sizeof hidden);
    hide_other(hidden, N, LD, fill);
    put_all(letter, a, hidden, SIZE);
}

/* Q' A Q is the tridiagonal form; Q from the left and the right by ormtr. */
static void test_tridiagonal(char letter, const struct calls *of, int fill)
{
    const char real = real_of(letter);
    number q[SIZE], form[SIZE] = {0}, left[SIZE], product[SIZE], got[SIZE];
    int count = 0;
    load(letter, fill, true);
    EXPECT(of->sytrd_size(handle, fill, N, a, LD, diagonal, beside, factors, &count), 0);
    EXPECT(of->sytrd(handle, fill, N, a, LD, diagonal, beside, factors, space, count, info), 0);
    EXPECT(*info, 0);
    for (int i = 0; i < N; i++) {
        form[i + i * LD] = get(real, diagonal, i);
        if (i + 1 < N)
            form[i + 1 + i * LD] = form[i + (i + 1) * LD] = get(real, beside, i);
    }
    char *reflections = managed(SIZE * bytes_of(letter));
    memcpy(reflections, a, SIZE * bytes_of(letter));
    EXPECT(of->orgtr_size(handle, fill, N, a, LD, factors, &count), 0);
    EXPECT(of->orgtr(handle, fill, N, a, LD, factors, space, count, info), 0);
    get_all(letter, q, a, SIZE);
    EXPECT(unorthogonal(q, LD, N, N) < tolerance_of(letter), 1);
    multiply(left, LD, given, LD, PLAIN, q, LD, PLAIN, N, N, N);
    multiply(product, LD, q, LD, ADJOINT, left, LD, PLAIN, N, N, N);
    EXPECT(distance(product, LD, form, LD, N, N) < tolerance_of(letter), 1);
    for (int side = LEFT; side <= RIGHT; side++)
        for (int turned = 0; turned < 2; turned++) {
            const int m = side == LEFT ? N : COLUMNS, n = side == LEFT ? COLUMNS : N,
                      op = !turned              ? PLAIN
                           : is_complex(letter) ? ADJOINT
                                                : TRANSPOSED;
            make_random(letter, right, m, n, LD, 3);
            put_all(letter, c, right, SIZE);
            EXPECT(of->ormtr_size(handle, side, fill, op, m, n, reflections, LD, factors, c, LD,
                                  &count),
                   0);
            EXPECT(of->ormtr(handle, side, fill, op, m, n, reflections, LD, factors, c, LD, space,
                             count, info),
                   0);
            if (side == LEFT)
                multiply(product, LD, q, LD, turned ? ADJOINT : PLAIN, right, LD, PLAIN, m, n, N);
            else
                multiply(product, LD, right, LD, PLAIN, q, LD, turned ? ADJOINT : PLAIN, m, n, N);
            get_all(letter, got, c, SIZE);
            EXPECT(distance(product, LD, got, LD, m, n) < tolerance_of(letter), 1);
        }
    EXPECT(cudaFree(reflections), 0);
}

/* Q B P' is what was there, of m rows. */
static void test_bidiagonal(char letter, const struct calls *of, int m)
{
    const char real = real_of(letter);
    number q[SIZE], p[SIZE], form[SIZE] = {0}, left[SIZE], product[SIZE];
    int count = 0;
    make_random(letter, given, m, N, LD, 7);
    put_all(letter, a, given, SIZE);
    EXPECT(of->gebrd_size(handle, m, N, &count), 0);
    EXPECT(
        of->gebrd(handle, m, N, a, LD, diagonal, beside, factors, more_factors, space, count, info),
        0);
    EXPECT(*info, 0);
    for (int i = 0; i < N; i++) {
        form[i + i * LD] = get(real, diagonal, i);
        if (i + 1 < N)
            form[i + (i + 1) * LD] = get(real, beside, i);
    }
    memcpy(c, a, SIZE * bytes_of(letter));
    EXPECT(of->orgbr_size(handle, LEFT, m, N, N, a, LD, factors, &count), 0);
    EXPECT(of->orgbr(handle, LEFT, m, N, N, a, LD, factors, space, count, info), 0);
    EXPECT(of->orgbr_size(handle, RIGHT, N, N, m, c, LD, more_factors, &count), 0);
    EXPECT(of->orgbr(handle, RIGHT, N, N, m, c, LD, more_factors, space, count, info), 0);
    get_all(letter, q, a, SIZE);
    get_all(letter, p, c, SIZE);
    EXPECT(unorthogonal(q, LD, m, N) < tolerance_of(letter), 1);
    EXPECT(unorthogonal(p, LD, N, N) < tolerance_of(letter), 1);
    multiply(left, LD, q, LD, PLAIN, form, LD, PLAIN, m, N, N);
    multiply(product, LD, left, LD, PLAIN, p, LD, PLAIN, m, N, N);
    EXPECT(distance(product, LD, given, LD, m, N) < tolerance_of(letter), 1);
}

/* Solutions and the inverse, with pivots and without them. */
static void test_indefinite(char letter, const struct calls *of, int fill)
{
    const int type = type_of(letter);
    number x[SIZE], product[SIZE];
    int count = 0, pairs = 0;
    size_t device = 0, host = 1;
    load(letter, fill, false);
    for (int i = 0; i < N; i += 3) { /* so that there are blocks of two */
        given[i + i * LD] = 0;
        put(letter, a, i + i * LD, 0);
    }
    EXPECT(of->sytrf_size(handle, N, a, LD, &count), 0);
    EXPECT(of->sytrf(handle, fill, N, a, LD, pivots, space, count, info), 0);
    EXPECT(*info, 0);
    for (int i = 0; i < N; i++) {
        wide_pivots[i] = pivots[i];
        pairs += pivots[i] < 0;
    }
    EXPECT(pairs > 0 && pairs % 2 == 0 && pairs < N, 1);
    make_random(letter, right, N, COLUMNS, LD, 11);
    put_all(letter, c, right, SIZE);
    EXPECT(cusolverDnXsytrs_bufferSize(handle, fill, N, COLUMNS, type, a, LD, wide_pivots, type, c,
                                       LD, &device, &host),
           0);
    EXPECT(cusolverDnXsytrs(handle, fill, N, COLUMNS, type, a, LD, wide_pivots, type, c, LD, space,
                            device, NULL, host, info),
           0);
    EXPECT(*info, 0);
    get_all(letter, x, c, SIZE);
    multiply(product, LD, given, LD, PLAIN, x, LD, PLAIN, N, COLUMNS, N);
    EXPECT(distance(product, LD, right, LD, N, COLUMNS) < 10 * tolerance_of(letter), 1);
    EXPECT(of->sytri_size(handle, fill, N, a, LD, pivots, &count), 0);
    EXPECT(of->sytri(handle, fill, N, a, LD, pivots, space, count, info), 0);
    EXPECT(*info, 0);
    get_all(letter, x, a, SIZE);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            EXPECT(creal(x[fill == LOWER ? j + i * LD : i + j * LD]) == 1e6, 1);
            x[fill == LOWER ? j + i * LD : i + j * LD] = x[fill == LOWER ? i + j * LD : j + i * LD];
        }
    multiply(product, LD, given, LD, PLAIN, x, LD, PLAIN, N, N, N);
    for (int i = 0; i < N; i++)
        product[i + i * LD] -= 1;
    EXPECT(distance(product, LD, zero, LD, N, N) < 10 * tolerance_of(letter), 1);
    make_symmetric(letter, given, N, LD, false, N, 5);
    put_all(letter, a, given, SIZE);
    put_all(letter, c, right, SIZE);
    EXPECT(of->sytrf(handle, fill, N, a, LD, NULL, space, count, info), 0);
    EXPECT(cusolverDnXsytrs(handle, fill, N, COLUMNS, type, a, LD, NULL, type, c, LD, space, device,
                            NULL, host, info),
           0);
    get_all(letter, x, c, SIZE);
    multiply(product, LD, given, LD, PLAIN, x, LD, PLAIN, N, COLUMNS, N);
    EXPECT(distance(product, LD, right, LD, N, COLUMNS) < tolerance_of(letter), 1);
}

/* Worked out by hand: in (1 2, 2 1) the element beside the diagonal becomes part of a block. */
static void test_pivots(void)
{
    const number pair[] = {1, 2, 2, 1}, single[] = {4, 2, 2, 3};
    for (int fill = LOWER; fill <= UPPER; fill++) {
        put_all('D', a, pair, 4);
        EXPECT(calls_D.sytrf(handle, fill, 2, a, 2, pivots, space, 2, info), 0);
        EXPECT(pivots[0], fill == LOWER ? -2 : -1);
        EXPECT(pivots[1], fill == LOWER ? -2 : -1);
        EXPECT(creal(get('D', a, fill == LOWER ? 1 : 2)) == 2, 1);
        put_all('D', a, single, 4);
        EXPECT(calls_D.sytrf(handle, fill, 2, a, 2, pivots, space, 2, info), 0);
        EXPECT(pivots[0] == 1 && pivots[1] == 2, 1);
        EXPECT(fabs(creal(get('D', a, fill == LOWER ? 1 : 2)) - (fill == LOWER ? 0.5 : 2. / 3)) <
                   1e-15,
               1);
        put_all('D', a, zero, 9);
        put('D', a, 0, fill == LOWER ? 3 : 0);
        put('D', a, 8, fill == LOWER ? 0 : 3);
        EXPECT(calls_D.sytrf(handle, fill, 3, a, 3, pivots, space, 3, info), 0);
        EXPECT(*info, 2);
        EXPECT(calls_D.sytri(handle, fill, 3, a, 3, pivots, space, 9, info), 0);
        EXPECT(*info, 2);
    }
}

static void clear_other(number *x, int fill)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            x[fill == LOWER ? j + i * LD : i + j * LD] = 0;
}

static void test_triangle(char letter, const struct calls *of, int fill)
{
    const int type = type_of(letter);
    number triangle[SIZE], product[SIZE], got[SIZE];
    size_t device = 0, host = 1;
    int count = 0;
    load(letter, fill, true);
    memcpy(triangle, given, sizeof triangle);
    clear_other(triangle, fill);
    EXPECT(of->lauum_size(handle, fill, N, a, LD, &count), 0);
    EXPECT(of->lauum(handle, fill, N, a, LD, space, count, info), 0);
    multiply(product, LD, triangle, LD, fill == LOWER ? ADJOINT : PLAIN, triangle, LD,
             fill == LOWER ? PLAIN : ADJOINT, N, N, N);
    get_all(letter, got, a, SIZE);
    EXPECT(creal(got[fill == LOWER ? LD : 1]) == 1e6, 1);
    clear_other(product, fill);
    clear_other(got, fill);
    EXPECT(distance(product, LD, got, LD, N, N) < tolerance_of(letter), 1);
    for (int is_unit = 0; is_unit < 2; is_unit++) {
        load(letter, fill, true);
        for (int i = 0; i < N; i++) {
            triangle[i + i * LD] = is_unit ? 1 : N + given[i + i * LD];
            put(letter, a, i + i * LD, is_unit ? 1e6 : triangle[i + i * LD]);
            for (int j = 0; j < i; j++) {
                const int at = fill == LOWER ? i + j * LD : j + i * LD;
                triangle[at] = given[at] / 8;
                put(letter, a, at, triangle[at]);
            }
        }
        EXPECT(cusolverDnXtrtri_bufferSize(handle, fill, is_unit, N, type, a, LD, &device, &host),
               0);
        EXPECT(cusolverDnXtrtri(handle, fill, is_unit, N, type, a, LD, space, device, NULL, host,
                                info),
               0);
        EXPECT(*info, 0);
        get_all(letter, got, a, SIZE);
        EXPECT(creal(got[fill == LOWER ? LD : 1]) == 1e6, 1);
        clear_other(got, fill);
        for (int i = 0; is_unit && i < N; i++) {
            EXPECT(creal(got[i + i * LD]) == 1e6, 1);
            got[i + i * LD] = 1;
        }
        multiply(product, LD, triangle, LD, PLAIN, got, LD, PLAIN, N, N, N);
        for (int i = 0; i < N; i++)
            product[i + i * LD] -= 1;
        EXPECT(distance(product, LD, zero, LD, N, N) < tolerance_of(letter), 1);
    }
    put(letter, a, 3 + 3 * LD, 0);
    EXPECT(cusolverDnXtrtri(handle, fill, 0, N, type, a, LD, space, device, NULL, host, info), 0);
    EXPECT(*info, 4);
}

/* Rows 2 to 5; backwards they come back. */
static void test_exchange(char letter, const struct calls *of)
{
    const int others[] = {0, 7, 3, 9, 6};
    for (int apart = 1; apart <= 2; apart++) {
        number expected[SIZE], got[SIZE];
        make_random(letter, given, N, COLUMNS, LD, 2);
        memcpy(expected, given, sizeof expected);
        put_all(letter, a, given, SIZE);
        for (int k = 2; k <= 5; k++) {
            pivots[1 + (k - 2) * apart] = others[k - 1];
            for (int j = 0; j < COLUMNS; j++) {
                const number kept = expected[k - 1 + j * LD];
                expected[k - 1 + j * LD] = expected[others[k - 1] - 1 + j * LD];
                expected[others[k - 1] - 1 + j * LD] = kept;
            }
        }
        EXPECT(of->laswp(handle, COLUMNS, a, LD, 2, 5, pivots, apart), 0);
        EXPECT(cudaDeviceSynchronize(), 0);
        get_all(letter, got, a, SIZE);
        EXPECT(distance(got, LD, expected, LD, N, COLUMNS) == 0, 1);
        EXPECT(of->laswp(handle, COLUMNS, a, LD, 2, 5, pivots, -apart), 0);
        EXPECT(cudaDeviceSynchronize(), 0);
        get_all(letter, got, a, SIZE);
        EXPECT(distance(got, LD, given, LD, N, COLUMNS) == 0, 1);
    }
}

/* The same reflections, their vectors and factors from the end: so is the block, t. */
static void test_block_backwards(char letter, const number *t, int k)
{
    const int type = type_of(letter);
    number v[SIZE], tau[N], got[SIZE];
    get_all(letter, v, a, SIZE);
    get_all(letter, tau, factors, k);
    for (int j = 0; j < k; j++) {
        put(letter, factors, j, tau[k - 1 - j]);
        for (int i = 0; i < N; i++)
            put(letter, a, i + j * LD, v[N - 1 - i + (k - 1 - j) * LD]);
    }
    EXPECT(cusolverDnXlarft(handle, NULL, 1, 0, N, k, type, a, LD, type, factors, type, c, LD, type,
                            space, 1 << 12, NULL, 0),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    get_all(letter, got, c, SIZE);
    for (int j = 0; j < k; j++)
        for (int i = j; i < k; i++)
            EXPECT(cabs(got[i + j * LD] - t[k - 1 - i + (k - 1 - j) * LD]) < tolerance_of(letter),
                   1);
    EXPECT(cusolverDnXlarft(handle, NULL, 0, 1, N, k, type, a, LD, type, factors, type, c, LD, type,
                            space, 1 << 12, NULL, 0),
           INVALID);
}

/* 1 - V T V' takes what was there to R. */
static void test_block(char letter, const struct calls *of)
{
    enum { K = 6 };
    const int type = type_of(letter);
    number v[SIZE] = {0}, t[SIZE], r[SIZE] = {0}, left[SIZE], product[SIZE];
    size_t device = 0, host = 1;
    make_random(letter, given, N, K, LD, 8);
    put_all(letter, a, given, SIZE);
    put_all(letter, c, zero, SIZE);
    EXPECT(of->geqrf(handle, N, K, a, LD, factors, space, 32 * K, info), 0);
    EXPECT(cusolverDnXlarft_bufferSize(handle, NULL, 0, 0, N, K, type, a, LD, type, factors, type,
                                       c, LD, type, &device, &host),
           0);
    EXPECT(cusolverDnXlarft(handle, NULL, 0, 0, N, K, type, a, LD, type, factors, type, c, LD, type,
                            space, device, NULL, host),
           0);
    EXPECT(cudaDeviceSynchronize(), 0);
    get_all(letter, t, c, SIZE);
    for (int j = 0; j < K; j++)
        for (int i = 0; i < N; i++) {
            const number value = get(letter, a, i + j * LD);
            v[i + j * LD] = i == j ? 1 : i > j ? value : 0;
            r[i + j * LD] = i > j ? 0 : value;
            EXPECT(i <= j || i >= K || t[i + j * LD] == 0, 1);
        }
    multiply(product, LD, v, LD, ADJOINT, r, LD, PLAIN, K, K, N);
    multiply(left, LD, t, LD, PLAIN, product, LD, PLAIN, K, K, K);
    multiply(product, LD, v, LD, PLAIN, left, LD, PLAIN, N, K, K);
    for (int i = 0; i < LD * K; i++)
        product[i] = r[i] - product[i];
    EXPECT(distance(product, LD, given, LD, N, K) < tolerance_of(letter), 1);
    test_block_backwards(letter, t, K);
}

static void test_arguments(const struct calls *of)
{
    EXPECT(of->sytrd(NULL, LOWER, N, a, LD, diagonal, beside, factors, space, SIZE, info),
           NO_HANDLE);
    EXPECT(of->sytrd(handle, 2, N, a, LD, diagonal, beside, factors, space, SIZE, info), INVALID);
    EXPECT(of->sytrd(handle, LOWER, -1, a, LD, diagonal, beside, factors, space, SIZE, info),
           INVALID);
    EXPECT(of->orgtr(handle, LOWER, N, a, N - 1, factors, space, SIZE, info), INVALID);
    EXPECT(of->ormtr(handle, 2, LOWER, PLAIN, N, N, a, LD, factors, c, LD, space, SIZE, info),
           INVALID);
    EXPECT(of->ormtr(handle, LEFT, LOWER, 3, N, N, a, LD, factors, c, LD, space, SIZE, info),
           INVALID);
    EXPECT(
        of->gebrd(handle, N, M, a, LD, diagonal, beside, factors, more_factors, space, SIZE, info),
        NOT_SUPPORTED);
    EXPECT(of->orgbr(handle, LEFT, N, M, N, a, LD, factors, space, SIZE, info), INVALID);
    EXPECT(of->sytrf(handle, LOWER, N, a, N - 1, pivots, space, SIZE, info), INVALID);
    EXPECT(of->sytri(NULL, LOWER, N, a, LD, pivots, space, SIZE, info), NO_HANDLE);
    EXPECT(of->lauum(handle, 2, N, a, LD, space, SIZE, info), INVALID);
    EXPECT(of->laswp(handle, -1, a, LD, 1, 2, pivots, 1), 0);
    EXPECT(of->laswp(NULL, 1, a, LD, 1, 2, pivots, 1), NO_HANDLE);
    EXPECT(of->sytrf(handle, LOWER, N, a, LD, pivots, space, N - 1, info), INVALID);
    EXPECT(cusolverDnXtrtri(handle, LOWER, 2, N, 1, a, LD, space, 1 << 16, NULL, 0, info), INVALID);
    EXPECT(cusolverDnXsytrs(NULL, LOWER, N, 1, 1, a, LD, wide_pivots, 1, c, LD, space, 1, NULL, 0,
                            info),
           NO_HANDLE);
    EXPECT(of->sytrd(handle, LOWER, 0, a, 1, diagonal, beside, factors, space, 1, info), 0);
    EXPECT(of->sytrd(handle, UPPER, 1, a, 1, diagonal, beside, factors, space, 1, info), 0);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    a = managed(sizeof given), c = managed(sizeof given), space = managed(4 * sizeof given);
    diagonal = managed(LD * sizeof(double)), beside = managed(LD * sizeof(double));
    factors = managed(LD * sizeof(number)), more_factors = managed(LD * sizeof(number));
    pivots = managed(LD * sizeof *pivots), wide_pivots = managed(LD * sizeof *wide_pivots);
    info = managed(sizeof *info);
    for (int i = 0; i < 4; i++) {
        for (int fill = LOWER; fill <= UPPER; fill++) {
            test_tridiagonal(letters[i], calls[i], fill);
            test_indefinite(letters[i], calls[i], fill);
            test_triangle(letters[i], calls[i], fill);
        }
        test_bidiagonal(letters[i], calls[i], M);
        test_bidiagonal(letters[i], calls[i], N);
        test_exchange(letters[i], calls[i]);
        test_block(letters[i], calls[i]);
    }
    test_pivots();
    test_arguments(&calls_D);
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
