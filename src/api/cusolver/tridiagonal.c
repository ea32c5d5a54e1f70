/* Reductions of matrices to tridiagonal (sytrd, hetrd) and bidiagonal form (gebrd), and what makes
 * and multiplies by the matrices of their reflections. An upper triangle is a lower one that is
 * taken from its end. */
#include "api/cusolver/cusolver.h"

enum { LEFT = 0, RIGHT = 1 };                    /* a side; of gebrd: Q or P */
enum { PLAIN = 0, TRANSPOSED = 1, ADJOINT = 2 }; /* an operation */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* The matrix with its rows, or also its columns, from the last one on. */
static struct wl_solver_matrix from_end(const struct wl_solver_work *work,
                                        struct wl_solver_matrix a, int rows, int columns)
{
    a = wl_solver_from(work, a, most(rows, 1) - 1, most(columns, 1) - 1);
    a.row_step = -a.row_step;
    if (columns)
        a.column_step = -a.column_step;
    return a;
}

/* Of a list's n elements the one that a triangle of that kind has as its first. */
static void *first_of(void *list, int fill, int n, size_t bytes)
{
    return (char *)list + (fill == WL_SOLVER_UPPER && n > 0 ? (size_t)(n - 1) * bytes : 0);
}

/* ---- tridiagonal ---- */

static bool is_symmetric_valid(int fill, int n, int lda)
{
    return (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda);
}

struct tridiagonal {
    void *diagonal, *beside, *factors;
};

static int tridiagonalize(void *handle, char letter, int fill, int n, void *values, int lda,
                          struct tridiagonal to, void *space, int count, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin(handle, letter, is_symmetric_valid(fill, n, lda), info);
    const size_t real_bytes = wl_solver_real_bytes_of(letter);
    struct wl_solver_matrix a = wl_solver_matrix_of(values, lda);
    int64_t rows = n;
    int step = fill == WL_SOLVER_UPPER ? -1 : 1;
    if (work.status || !n)
        return work.status;
    space = wl_solver_space(&work, space, count, n);
    if (fill == WL_SOLVER_UPPER)
        a = from_end(&work, a, n, n);
    to.diagonal = first_of(to.diagonal, fill, n, real_bytes);
    to.beside = first_of(to.beside, fill, n - 1, real_bytes);
    to.factors = first_of(to.factors, fill, n - 1, work.element_bytes);
    wl_solver_launch(&work, "tridiagonalize", 1, 1,
                     (void *[]){&rows, &a, &to.diagonal, &to.beside, &to.factors, &step, &space});
    return wl_solver_end(&work);
}

/* The reflections of a tridiagonal form on the rows of c but the first one. */
static void multiply_all(struct wl_solver_work *work, int fill, int n, struct wl_solver_matrix a,
                         const void *factors, int is_backwards, struct wl_solver_matrix c,
                         int columns)
{
    if (fill == WL_SOLVER_UPPER) {
        a = from_end(work, a, n, n);
        c = from_end(work, c, n, 0);
    }
    wl_solver_multiply(work, n - 1, n - 1, is_backwards, wl_solver_from(work, a, 1, 0),
                       first_of((void *)(uintptr_t)factors, fill, n - 1, work->element_bytes),
                       fill == WL_SOLVER_UPPER ? -1 : 1, wl_solver_from(work, c, 1, 0), columns);
}

static int generate_tridiagonal(void *handle, char letter, int fill, int n, void *values, int lda,
                                const void *factors, void *space, int count, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin(handle, letter, is_symmetric_valid(fill, n, lda), info);
    if (work.status || !n)
        return work.status;
    space = wl_solver_space(&work, space, count, (int64_t)n * n);
    const struct wl_solver_matrix a = wl_solver_matrix_of(values, lda), identity = {0},
                                  made = wl_solver_matrix_of(space, n);
    wl_solver_place(&work, n, n, identity, made);
    if (n > 1)
        multiply_all(&work, fill, n, a, factors, 1, made, n);
    wl_solver_place(&work, n, n, made, a);
    return wl_solver_end(&work);
}

static bool can_multiply(char letter, int side, int fill, int op, int m, int n, int lda, int ldc)
{
    const int turned = wl_solver_is_complex(letter) ? ADJOINT : TRANSPOSED;
    return (unsigned)side <= RIGHT && (unsigned)fill <= WL_SOLVER_UPPER &&
           (op == PLAIN || op == turned) && wl_solver_is_valid(m, n, ldc) &&
           lda >= most(side == LEFT ? m : n, 1);
}

static int multiply_tridiagonal(void *handle, char letter, int side, int fill, int op, int m, int n,
                                const void *a, int lda, const void *factors, void *values, int ldc,
                                int *info)
{
    struct wl_solver_work work =
        wl_solver_begin(handle, letter, can_multiply(letter, side, fill, op, m, n, lda, ldc), info);
    const struct wl_solver_matrix c = wl_solver_matrix_of(values, ldc);
    const int order = side == LEFT ? m : n;
    if (!work.status && order > 1)
        multiply_all(&work, fill, order, wl_solver_matrix_of(a, lda), factors,
                     (side == LEFT) == (op == PLAIN), side == LEFT ? c : wl_solver_adjoint(c),
                     side == LEFT ? n : m);
    return work.status;
}

/* ---- bidiagonal ---- */

static int bidiagonalize(void *handle, char letter, int m, int n, void *values, int lda,
                         struct tridiagonal to, void *factors_of_rows, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin(handle, letter, wl_solver_is_valid(m, n, lda), info);
    struct wl_solver_matrix a = wl_solver_matrix_of(values, lda);
    int64_t rows = m, columns = n;
    if (!work.status && m < n) /* as cuSOLVER */
        work.status = WL_SOLVER_NOT_SUPPORTED;
    if (n)
        wl_solver_launch(&work, "bidiagonalize", 1, 1,
                         (void *[]){&rows, &columns, &a, &to.diagonal, &to.beside, &to.factors,
                                    &factors_of_rows});
    return work.status;
}

static bool can_generate(int side, int m, int n, int k, int lda)
{
    const int own = side == LEFT ? m : n, other = side == LEFT ? n : m;
    return (unsigned)side <= RIGHT && wl_solver_is_valid(m, n, lda) && k >= 0 && own >= other &&
           other >= least(own, k);
}

/* Q's columns, or P's, conjugated, as rows: of so many reflections as there are where the matrix
 * that was reduced had more of them than they are long, from its second element on. */
static int generate_bidiagonal(void *handle, char letter, int side, int m, int n, int k,
                               void *values, int lda, const void *factors, void *space, int count,
                               int *info)
{
    struct wl_solver_work work =
        wl_solver_begin(handle, letter, can_generate(side, m, n, k, lda), info);
    space = wl_solver_space(&work, space, count, (int64_t)m * n);
    const struct wl_solver_matrix a = wl_solver_matrix_of(values, lda),
                                  of = side == LEFT ? a : wl_solver_adjoint(a), identity = {0};
    const int rows = side == LEFT ? m : n, columns = side == LEFT ? n : m;
    const int later = side == LEFT ? rows < k : rows <= k;
    const struct wl_solver_matrix made = wl_solver_matrix_of(space, most(rows, 1));
    wl_solver_place(&work, rows, columns, identity, made);
    if (rows > later)
        wl_solver_multiply(&work, rows - later, later ? rows - 1 : k, 1,
                           wl_solver_from(&work, of, later, 0), factors, 1,
                           wl_solver_from(&work, made, later, later), columns - later);
    wl_solver_place(&work, rows, columns, made, of);
    return wl_solver_end(&work);
}

/* R: of what the tridiagonal and bidiagonal form are. */
#define CALLS(L, letter, T, R, sytrd, orgtr, ormtr, orgbr)                                         \
    int cusolverDn##L##sytrd##_bufferSize(void *handle, int fill, int n, const T *a, int lda,      \
                                          const R *diagonal, const R *beside, const T *factors,    \
                                          int *count)                                              \
    {                                                                                              \
        (void)a, (void)diagonal, (void)beside, (void)factors;                                      \
        return wl_solver_give_size(handle, is_symmetric_valid(fill, n, lda), n, count);            \
    }                                                                                              \
    int cusolverDn##L##sytrd(void *handle, int fill, int n, T *a, int lda, R *diagonal, R *beside, \
                             T *factors, T *space, int count, int *info)                           \
    {                                                                                              \
        return tridiagonalize(handle, letter, fill, n, a, lda,                                     \
                              (struct tridiagonal){diagonal, beside, factors}, space, count,       \
                              info);                                                               \
    }                                                                                              \
    int cusolverDn##L##orgtr##_bufferSize(void *handle, int fill, int n, const T *a, int lda,      \
                                          const T *factors, int *count)                            \
    {                                                                                              \
        (void)a, (void)factors;                                                                    \
        return wl_solver_give_size(handle, is_symmetric_valid(fill, n, lda), (int64_t)n * n,       \
                                   count);                                                         \
    }                                                                                              \
    int cusolverDn##L##orgtr(void *handle, int fill, int n, T *a, int lda, const T *factors,       \
                             T *space, int count, int *info)                                       \
    {                                                                                              \
        return generate_tridiagonal(handle, letter, fill, n, a, lda, factors, space, count, info); \
    }                                                                                              \
    int cusolverDn##L##ormtr##_bufferSize(void *handle, int side, int fill, int op, int m, int n,  \
                                          const T *a, int lda, const T *factors, const T *c,       \
                                          int ldc, int *count)                                     \
    {                                                                                              \
        (void)a, (void)factors, (void)c;                                                           \
        return wl_solver_give_size(handle, can_multiply(letter, side, fill, op, m, n, lda, ldc),   \
                                   side == LEFT ? n : m, count);                                   \
    }                                                                                              \
    int cusolverDn##L##ormtr(void *handle, int side, int fill, int op, int m, int n, T *a,         \
                             int lda, T *factors, T *c, int ldc, T *space, int count, int *info)   \
    {                                                                                              \
        (void)space, (void)count;                                                                  \
        return multiply_tridiagonal(handle, letter, side, fill, op, m, n, a, lda, factors, c, ldc, \
                                    info);                                                         \
    }                                                                                              \
    int cusolverDn##L##gebrd_bufferSize(void *handle, int m, int n, int *count)                    \
    {                                                                                              \
        return wl_solver_give_size(handle, m >= 0 && n >= 0, most(m, n), count);                   \
    }                                                                                              \
    int cusolverDn##L##gebrd(void *handle, int m, int n, T *a, int lda, R *diagonal, R *beside,    \
                             T *factors, T *factors_of_rows, T *space, int count, int *info)       \
    {                                                                                              \
        (void)space, (void)count;                                                                  \
        return bidiagonalize(handle, letter, m, n, a, lda,                                         \
                             (struct tridiagonal){diagonal, beside, factors}, factors_of_rows,     \
                             info);                                                                \
    }                                                                                              \
    int cusolverDn##L##orgbr##_bufferSize(void *handle, int side, int m, int n, int k, const T *a, \
                                          int lda, const T *factors, int *count)                   \
    {                                                                                              \
        (void)a, (void)factors;                                                                    \
        return wl_solver_give_size(handle, can_generate(side, m, n, k, lda), (int64_t)m * n,       \
                                   count);                                                         \
    }                                                                                              \
    int cusolverDn##L##orgbr(void *handle, int side, int m, int n, int k, T *a, int lda,           \
                             const T *factors, T *space, int count, int *info)                     \
    {                                                                                              \
        return generate_bidiagonal(handle, letter, side, m, n, k, a, lda, factors, space, count,   \
                                   info);                                                          \
    }
CALLS(S, 's', float, float, sytrd, orgtr, ormtr, orgbr)
CALLS(D, 'd', double, double, sytrd, orgtr, ormtr, orgbr)
CALLS(C, 'c', struct wl_solver_single, float, hetrd, ungtr, unmtr, ungbr)
CALLS(Z, 'z', struct wl_solver_twice, double, hetrd, ungtr, unmtr, ungbr)
