/* Triangles and reflections: a triangle's product with its adjoint (lauum) and its inverse
 * (Xtrtri), exchanges of rows (laswp), and the block of several reflections (Xlarft). */
#include "api/cusolver/cusolver.h"

static bool is_valid(int fill, int n, int lda)
{
    return (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda);
}

/* L' L or U U', whose triangle takes the place of the factor's. */
static int square(void *handle, char letter, int fill, int n, void *values, int lda, void *space,
                  int count, int *info)
{
    struct wl_solver_work work = wl_solver_begin(handle, letter, is_valid(fill, n, lda), info);
    space = wl_solver_space(&work, space, count, (int64_t)n * n);
    struct wl_solver_matrix l = wl_solver_matrix_of(values, lda),
                            made = wl_solver_matrix_of(space, n);
    int64_t rows = n;
    int is_unit = 0;
    if (fill == WL_SOLVER_UPPER)
        l = wl_solver_adjoint(l);
    wl_solver_product(&work, &(struct wl_solver_product){rows, rows, rows, wl_solver_adjoint(l),
                                                         WL_SOLVER_ABOVE, 0, l, made, 0});
    wl_solver_launch_over(&work, "place_triangle", rows * rows,
                          (void *[]){&rows, &made, &l, &is_unit, &info});
    return wl_solver_end(&work);
}

/* Of rows first to last, counted from 1. */
static int exchange(void *handle, char letter, int n, void *a, int lda, int first, int last,
                    const int *pivots, int step)
{
    struct wl_solver_work work = {.letter = letter};
    struct wl_solver_handle *checked = wl_solver_check(handle);
    int64_t columns = n, wide_step = lda;
    if (!checked)
        return WL_SOLVER_NOT_INITIALIZED;
    if (n <= 0 || first < 1 || last < first || !step) /* nothing to do, as in LAPACK */
        return WL_SOLVER_OK;
    work.stream = checked->stream;
    wl_solver_launch_over(&work, "exchange_rows_of", columns,
                          (void *[]){&columns, &a, &wide_step, &first, &last, &pivots, &step});
    return work.status;
}

#define CALLS(L, letter, T)                                                                       \
    int cusolverDn##L##lauum_bufferSize(void *handle, int fill, int n, T *a, int lda, int *count) \
    {                                                                                             \
        (void)a;                                                                                  \
        return wl_solver_give_size(handle, is_valid(fill, n, lda), (int64_t)n * n, count);        \
    }                                                                                             \
    int cusolverDn##L##lauum(void *handle, int fill, int n, T *a, int lda, T *space, int count,   \
                             int *info)                                                           \
    {                                                                                             \
        return square(handle, letter, fill, n, a, lda, space, count, info);                       \
    }                                                                                             \
    int cusolverDn##L##laswp(void *handle, int n, T *a, int lda, int first, int last,             \
                             const int *pivots, int step)                                         \
    {                                                                                             \
        return exchange(handle, letter, n, a, lda, first, last, pivots, step);                    \
    }
CALLS(S, 's', float)
CALLS(D, 'd', double)
CALLS(C, 'c', struct wl_solver_single)
CALLS(Z, 'z', struct wl_solver_twice)

static bool is_triangle_valid(int fill, int diagonal, int64_t n, int64_t lda)
{
    return (unsigned)diagonal <= 1 && is_valid(fill, wl_solver_narrow(n), wl_solver_narrow(lda));
}

int cusolverDnXtrtri_bufferSize(void *handle, int fill, int diagonal, int64_t n, int type, void *a,
                                int64_t lda, size_t *device, size_t *host)
{
    const int64_t order = wl_solver_narrow(n);
    (void)a;
    return wl_solver_give_sizes(handle, WL_SOLVER_LETTER(cusolverDnXtrtri, type, type),
                                is_triangle_valid(fill, diagonal, n, lda), order * order, device,
                                host);
}

/* The identity, in the program's space, solved. */
int cusolverDnXtrtri(void *handle, int fill, int diagonal, int64_t n, int type, void *values,
                     int64_t lda, void *space, size_t bytes, void *host_space, size_t host_bytes,
                     int *info)
{
    const char letter = WL_SOLVER_LETTER(cusolverDnXtrtri, type, type);
    (void)host_space, (void)host_bytes;
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    struct wl_solver_work work =
        wl_solver_begin(handle, letter,
                        is_triangle_valid(fill, diagonal, n, lda) &&
                            (int64_t)(bytes / wl_solver_bytes_of(letter)) >= n * n,
                        info);
    struct wl_solver_matrix a = wl_solver_matrix_of(values, wl_solver_narrow(lda)), identity = {0},
                            made = wl_solver_matrix_of(space, wl_solver_narrow(n));
    int64_t rows = n;
    if (fill == WL_SOLVER_UPPER)
        a = wl_solver_transposed(a);
    if (!diagonal)
        wl_solver_launch(&work, "find_zero", 1, 1, (void *[]){&rows, &a, &info});
    wl_solver_place(&work, n, n, identity, made);
    wl_solver_solve(&work, wl_solver_narrow(n), a, 0, diagonal, made, wl_solver_narrow(n));
    wl_solver_launch_over(&work, "place_triangle", rows * rows,
                          (void *[]){&rows, &made, &a, &diagonal, &info});
    return work.status;
}

/* Of reflections by columns. */
static int check_block(void *handle, int direction, int storage, int64_t n, int64_t k, int64_t ldv,
                       int64_t ldt)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    return (unsigned)direction > 1 || storage || wl_solver_narrow(n) < 0 ||
                   wl_solver_narrow(k) < 0 || k > n || ldv < (n > 1 ? n : 1) ||
                   ldt < (k > 1 ? k : 1)
               ? WL_SOLVER_INVALID_VALUE
               : WL_SOLVER_OK;
}

/* The matrix with its rows and columns from the last ones on. */
static struct wl_solver_matrix from_end(const struct wl_solver_work *work,
                                        struct wl_solver_matrix a, int rows, int columns)
{
    a = wl_solver_from(work, a, rows - 1, columns - 1);
    a.row_step = -a.row_step;
    a.column_step = -a.column_step;
    return a;
}

int cusolverDnXlarft_bufferSize(void *handle, void *params, int direction, int storage, int64_t n,
                                int64_t k, int type, const void *v, int64_t ldv, int type_factors,
                                const void *factors, int type_t, void *t, int64_t ldt, int compute,
                                size_t *device, size_t *host)
{
    (void)params, (void)v, (void)factors, (void)type_t, (void)t, (void)compute;
    (void)direction, (void)storage, (void)ldv, (void)ldt;
    return wl_solver_give_sizes(handle, WL_SOLVER_LETTER(cusolverDnXlarft, type, type_factors),
                                wl_solver_narrow(n) >= 0 && wl_solver_narrow(k) >= 0, k, device,
                                host);
}

int cusolverDnXlarft(void *handle, void *params, int direction, int storage, int64_t n, int64_t k,
                     int type, const void *v, int64_t ldv, int type_factors, const void *factors,
                     int type_t, void *t, int64_t ldt, int compute, void *space, size_t bytes,
                     void *host_space, size_t host_bytes)
{
    const int status = check_block(handle, direction, storage, n, k, ldv, ldt);
    const char letter = WL_SOLVER_LETTER(cusolverDnXlarft, type, type_factors);
    (void)params, (void)type_t, (void)compute, (void)space, (void)bytes;
    (void)host_space, (void)host_bytes;
    if (status || !letter)
        return status ? status : WL_SOLVER_NOT_SUPPORTED;
    struct wl_solver_work work = {.letter = letter,
                                  .element_bytes = wl_solver_bytes_of(letter),
                                  .stream = wl_solver_check(handle)->stream};
    struct wl_solver_matrix vectors = wl_solver_matrix_of(v, wl_solver_narrow(ldv)),
                            block = wl_solver_matrix_of(t, wl_solver_narrow(ldt));
    int64_t rows = n;
    int count = (int)k, step = 1;
    if (direction && count) { /* backwards: the same from the end */
        vectors = from_end(&work, vectors, (int)n, count);
        block = from_end(&work, block, count, count);
        factors = (const char *)factors + (size_t)(count - 1) * wl_solver_bytes_of(letter);
        step = -1;
    }
    if (count)
        wl_solver_launch(&work, "block_of_reflections", 1, 1,
                         (void *[]){&rows, &count, &vectors, &factors, &step, &block});
    return work.status;
}
