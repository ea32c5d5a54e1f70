/* Symmetric matrices that need not be positive definite: Bunch and Kaufman's factors (sytrf), what
 * solves with them (Xsytrs) and their inverse (sytri). Complex ones are symmetric, not Hermitian.
 * An upper triangle is a lower one that is taken from its end. */
#include "api/cusolver/cusolver.h"

struct indefinite {
    int fill, n, lda;
    void *a, *pivots; /* NULL: rows stay where they are */
    int is_wide;      /* pivots of 64 bits */
};

static bool is_valid(const struct indefinite *of)
{
    return (unsigned)of->fill <= WL_SOLVER_UPPER && wl_solver_is_valid(of->n, of->n, of->lda);
}

/* From the last of n rows on, and columns if it has as many of them. */
static struct wl_solver_matrix from_end(const struct wl_solver_work *work,
                                        struct wl_solver_matrix a, int n, bool has_columns)
{
    a = wl_solver_from(work, a, n - 1, has_columns ? n - 1 : 0);
    a.row_step = -a.row_step;
    if (has_columns)
        a.column_step = -a.column_step;
    return a;
}

/* An upper triangle with pivots; without them it is the lower one's transposed. */
static bool is_from_end(const struct indefinite *of)
{
    return of->fill == WL_SOLVER_UPPER && of->pivots;
}

static struct wl_solver_matrix lower_of(const struct wl_solver_work *work,
                                        const struct indefinite *of)
{
    const struct wl_solver_matrix a = wl_solver_matrix_of(of->a, of->lda);
    return is_from_end(of)               ? from_end(work, a, of->n, true)
           : of->fill == WL_SOLVER_UPPER ? wl_solver_transposed(a)
                                         : a;
}

static struct wl_solver_pivot_list pivots_of(const struct indefinite *of)
{
    return (struct wl_solver_pivot_list){of->pivots, of->is_wide, is_from_end(of)};
}

static int factor(void *handle, char letter, const struct indefinite *of, int count, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin(handle, letter, is_valid(of) && count >= of->n, info);
    int64_t n = of->n;
    struct wl_solver_pivot_list pivots = pivots_of(of);
    if (work.status || !n)
        return work.status;
    struct wl_solver_matrix a = lower_of(&work, of);
    wl_solver_launch(&work, "factor_symmetric", 1, 1, (void *[]){&n, &a, &pivots, &info});
    return work.status;
}

static void solve(struct wl_solver_work *work, const struct indefinite *of,
                  struct wl_solver_matrix b, int columns)
{
    int64_t n = of->n;
    struct wl_solver_pivot_list pivots = pivots_of(of);
    struct wl_solver_matrix a = lower_of(work, of);
    if (is_from_end(of))
        b = from_end(work, b, of->n, false);
    wl_solver_launch(work, "solve_symmetric", columns, 1, (void *[]){&n, &a, &pivots, &b});
}

/* By what solves the identity, in the program's space. */
static int invert(void *handle, char letter, const struct indefinite *of, void *space, int count,
                  int *info)
{
    struct wl_solver_work work = wl_solver_begin(handle, letter, is_valid(of), info);
    int64_t n = of->n;
    int is_unit = 0;
    struct wl_solver_pivot_list pivots = pivots_of(of);
    struct wl_solver_matrix to = wl_solver_matrix_of(of->a, of->lda), identity = {0};
    if (work.status || !n)
        return work.status;
    space = wl_solver_space(&work, space, count, n * n);
    struct wl_solver_matrix made = wl_solver_matrix_of(space, of->n);
    struct wl_solver_matrix a = lower_of(&work, of);
    wl_solver_launch(&work, "find_zero_block", 1, 1, (void *[]){&n, &a, &pivots, &info});
    wl_solver_place(&work, n, n, identity, made);
    solve(&work, of, made, of->n);
    if (of->fill == WL_SOLVER_UPPER)
        to = wl_solver_transposed(to);
    wl_solver_launch_over(&work, "place_triangle", n * n,
                          (void *[]){&n, &made, &to, &is_unit, &info});
    return wl_solver_end(&work);
}

#define CALLS(L, letter, T)                                                                       \
    int cusolverDn##L##sytrf_bufferSize(void *handle, int n, T *a, int lda, int *count)           \
    {                                                                                             \
        (void)a, (void)lda;                                                                       \
        return wl_solver_give_size(handle, n >= 0, n, count);                                     \
    }                                                                                             \
    int cusolverDn##L##sytrf(void *handle, int fill, int n, T *a, int lda, int *pivots, T *space, \
                             int count, int *info)                                                \
    {                                                                                             \
        (void)space;                                                                              \
        return factor(handle, letter, &(struct indefinite){fill, n, lda, a, pivots, 0}, count,    \
                      info);                                                                      \
    }                                                                                             \
    int cusolverDn##L##sytri_bufferSize(void *handle, int fill, int n, T *a, int lda,             \
                                        const int *pivots, int *count)                            \
    {                                                                                             \
        const struct indefinite of = {fill, n, lda, a, NULL, 0};                                  \
        (void)pivots;                                                                             \
        return wl_solver_give_size(handle, is_valid(&of), (int64_t)n * n, count);                 \
    }                                                                                             \
    int cusolverDn##L##sytri(void *handle, int fill, int n, T *a, int lda, const int *pivots,     \
                             T *space, int count, int *info)                                      \
    {                                                                                             \
        const struct indefinite of = {fill, n, lda, a, (void *)(uintptr_t)pivots, 0};             \
        return invert(handle, letter, &of, space, count, info);                                   \
    }
CALLS(S, 's', float)
CALLS(D, 'd', double)
CALLS(C, 'c', struct wl_solver_single)
CALLS(Z, 'z', struct wl_solver_twice)

static bool is_system_valid(const struct indefinite *of, int64_t columns, int64_t ldb)
{
    return is_valid(of) &&
           wl_solver_is_valid(of->n, wl_solver_narrow(columns), wl_solver_narrow(ldb));
}

int cusolverDnXsytrs_bufferSize(void *handle, int fill, int64_t n, int64_t columns, int type,
                                const void *a, int64_t lda, const int64_t *pivots, int type_b,
                                void *b, int64_t ldb, size_t *device, size_t *host)
{
    const struct indefinite of = {fill, wl_solver_narrow(n), wl_solver_narrow(lda), NULL, NULL, 1};
    (void)a, (void)pivots, (void)b;
    return wl_solver_give_sizes(handle, WL_SOLVER_LETTER(cusolverDnXsytrs, type, type_b),
                                is_system_valid(&of, columns, ldb), n, device, host);
}

int cusolverDnXsytrs(void *handle, int fill, int64_t n, int64_t columns, int type, const void *a,
                     int64_t lda, const int64_t *pivots, int type_b, void *b, int64_t ldb,
                     void *space, size_t bytes, void *host_space, size_t host_bytes, int *info)
{
    const char letter = WL_SOLVER_LETTER(cusolverDnXsytrs, type, type_b);
    const struct indefinite of = {fill,
                                  wl_solver_narrow(n),
                                  wl_solver_narrow(lda),
                                  (void *)(uintptr_t)a,
                                  (void *)(uintptr_t)pivots,
                                  1};
    (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    struct wl_solver_work work =
        wl_solver_begin(handle, letter, is_system_valid(&of, columns, ldb), info);
    if (!work.status && of.n)
        solve(&work, &of, wl_solver_matrix_of(b, wl_solver_narrow(ldb)), wl_solver_narrow(columns));
    return work.status;
}
