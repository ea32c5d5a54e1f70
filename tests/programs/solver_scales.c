/* Matrices of very small and very large numbers, whose squares no number holds: what is made of
 * them is what is made of the same numbers near 1. */
#include "solver_numbers.h"

enum { N = 12, SIZE = N * N, SPACE = 1 << 16 };

static void *handle, *a, *b, *factors, *others, *u, *v, *values, *beside, *space;
static int *info, *pivots;
static number given[SIZE], first[SIZE], got[SIZE];

#define DECLARE(L, T, R, syevd, sytrd)                                                             \
    int cusolverDn##L##geqrf(void *, int, int, T *, int, T *, T *, int, int *);                    \
    int cusolverDn##L##getrf(void *, int, int, T *, int, T *, int *, int *);                       \
    int cusolverDn##L##getrs(void *, int, int, int, const T *, int, const int *, T *, int, int *); \
    int cusolverDn##L##sytrf(void *, int, int, T *, int, int *, T *, int, int *);                  \
    int cusolverDn##L##syevd(void *, int, int, int, T *, int, R *, T *, int, int *);               \
    int cusolverDn##L##gesvd(void *, signed char, signed char, int, int, T *, int, R *, T *, int,  \
                             T *, int, T *, int, R *, int *);                                      \
    int cusolverDn##L##sytrd(void *, int, int, T *, int, R *, R *, T *, T *, int, int *);          \
    int cusolverDn##L##gebrd(void *, int, int, T *, int, R *, R *, T *, T *, T *, int, int *);
DECLARE(S, float, float, syevd, sytrd)
DECLARE(D, double, double, syevd, sytrd)
DECLARE(C, float complex, float, heevd, hetrd)
DECLARE(Z, double complex, double, heevd, hetrd)

enum { QR, SYMMETRIC, EIGENVALUES, SINGULAR, TRIDIAGONAL, BIDIAGONAL, KINDS };

#define CALL(L, syevd, sytrd)                                                                    \
    static int call_##L(int kind)                                                                \
    {                                                                                            \
        switch (kind) {                                                                          \
        case QR:                                                                                 \
            return cusolverDn##L##geqrf(handle, N, N, a, N, factors, space, SPACE, info);        \
        case SYMMETRIC:                                                                          \
            return cusolverDn##L##sytrf(handle, LOWER, N, a, N, pivots, space, SPACE, info);     \
        case EIGENVALUES:                                                                        \
            return cusolverDn##L##syevd(handle, 1, LOWER, N, a, N, values, space, SPACE, info);  \
        case SINGULAR:                                                                           \
            return cusolverDn##L##gesvd(handle, 'A', 'A', N, N, a, N, values, u, N, v, N, space, \
                                        SPACE, NULL, info);                                      \
        case TRIDIAGONAL:                                                                        \
            return cusolverDn##L##sytrd(handle, LOWER, N, a, N, values, beside, factors, space,  \
                                        SPACE, info);                                            \
        default:                                                                                 \
            return cusolverDn##L##gebrd(handle, N, N, a, N, values, beside, factors, others,     \
                                        space, SPACE, info);                                     \
        }                                                                                        \
    }                                                                                            \
    static int solve_##L(void)                                                                   \
    {                                                                                            \
        const int status = cusolverDn##L##getrf(handle, N, N, a, N, space, pivots, info);        \
        return status ? status                                                                   \
                      : cusolverDn##L##getrs(handle, PLAIN, N, 1, a, N, pivots, b, N, info);     \
    }
CALL(S, syevd, sytrd)
CALL(D, syevd, sytrd)
CALL(C, heevd, hetrd)
CALL(Z, heevd, hetrd)

static int (*const calls[])(int) = {call_S, call_D, call_C, call_Z};
static int (*const solves[])(void) = {solve_S, solve_D, solve_C, solve_Z};

/* What is as large as the matrix, divided by the scale; factors and vectors are not. */
static void read_all(char letter, int kind, double scale, number *to)
{
    for (int i = 0; i < N; i++) {
        to[i] = kind < EIGENVALUES ? get(letter, a, i + i * N) / scale
                                   : get(real_of(letter), values, i) / scale;
        to[i + N] = kind == EIGENVALUES ? get(letter, a, i + N)
                    : kind == SINGULAR  ? get(letter, u, i + N)
                    : kind == SYMMETRIC ? pivots[i]
                    : i + 1 < N         ? get(letter, factors, i)
                                        : 0;
        to[i + 2 * N] = kind == SINGULAR                   ? get(letter, v, i + N)
                        : kind >= TRIDIAGONAL && i + 1 < N ? get(real_of(letter), beside, i) / scale
                                                           : 0;
    }
}

static void make(char letter, double scale, bool is_symmetric, bool is_hermitian)
{
    make_symmetric(letter, given, N, N, is_hermitian, 0, 3);
    if (!is_symmetric)
        make_random(letter, given, N, N, N, 3);
    for (int i = 0; i < SIZE; i++)
        given[i] *= scale;
    put_all(letter, a, given, SIZE);
}

static void test(int of, double scale)
{
    const char letter = letters[of];
    for (int kind = 0; kind < KINDS; kind++) {
        const bool is_symmetric = kind == SYMMETRIC || kind == EIGENVALUES || kind == TRIDIAGONAL;
        make(letter, 1, is_symmetric, kind != SYMMETRIC);
        EXPECT(calls[of](kind), 0);
        EXPECT(*info, 0);
        read_all(letter, kind, 1, first);
        make(letter, scale, is_symmetric, kind != SYMMETRIC);
        EXPECT(calls[of](kind), 0);
        EXPECT(*info, 0);
        read_all(letter, kind, scale, got);
        EXPECT(distance(first, N, got, N, N, 3) < tolerance_of(letter), 1);
    }
    make(letter, scale, false, false);
    for (int i = 0; i < N; i++) {
        number sum = 0;
        for (int j = 0; j < N; j++)
            sum += given[i + j * N];
        put(letter, b, i, sum);
        first[i] = 1;
    }
    EXPECT(solves[of](), 0);
    get_all(letter, got, b, N);
    EXPECT(distance(first, N, got, N, N, 1) < tolerance_of(letter), 1);
}

/* A column that is another one's, but for so small a factor that its square is 0. */
static void test_columns_apart(void)
{
    make_random('S', given, N, N, N, 3);
    for (int i = 0; i < N; i++)
        given[i + 5 * N] = given[i + 2 * N] * 0x1p-80;
    put_all('S', a, given, SIZE);
    EXPECT(calls[0](SINGULAR), 0);
    EXPECT(*info, 0);
    EXPECT(creal(get('S', values, N - 2)) > 0.01 && creal(get('S', values, N - 1)) < 1e-6, 1);
    get_all('S', got, u, SIZE);
    EXPECT(unorthogonal(got, N, N, N) < tolerance_of('S'), 1);
}

int main(void)
{
    EXPECT(cusolverDnCreate(&handle), 0);
    a = managed(sizeof given), u = managed(sizeof given), v = managed(sizeof given);
    b = managed(sizeof given), factors = managed(sizeof given), others = managed(sizeof given);
    values = managed(sizeof given), beside = managed(sizeof given);
    space = managed(SPACE * sizeof(number));
    info = managed(sizeof *info), pivots = managed(N * sizeof *pivots);
    for (int i = 0; i < 4; i++) {
        test(i, is_single(letters[i]) ? 0x1p-80 : 0x1p-700);
        test(i, is_single(letters[i]) ? 0x1p-110 : 0x1p-1000);
        test(i, is_single(letters[i]) ? 0x1p80 : 0x1p700);
        test(i, is_single(letters[i]) ? 0x1p110 : 0x1p1000);
    }
    test_columns_apart();
    EXPECT(cusolverDnDestroy(handle), 0);
    return failures != 0;
}
