/* Dense matrices of real and complex numbers in single and double precision: Cholesky, LU and QR
 * factors and what solves with them, in panels of 32 columns, with kernels of ours (solver.cu). Of
 * the space that a program gives only potri, orgqr and ungqr use any. */
#include "api/cusolver/cusolver.h"

enum { LEFT = 0, RIGHT = 1 }; /* of which side a matrix multiplies */
enum { PLAIN = 0, TRANSPOSED = 1, ADJOINT = 2, OPERATIONS = 3 };
#define TILE WL_SOLVER_TILE

static int64_t tiles(int64_t elements)
{
    return (elements + TILE - 1) / TILE;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* ---- Cholesky ---- */

static void update(struct wl_solver_work *work, int64_t rows, int64_t columns, int depth,
                   struct wl_solver_matrix a, struct wl_solver_matrix b, struct wl_solver_matrix c,
                   int is_lower, int *info)
{
    wl_solver_launch(work, "update", tiles(rows), tiles(columns),
                     (void *[]){&rows, &columns, &depth, &a, &b, &c, &is_lower, &info});
}

int wl_solver_potrf_of(void *handle, char letter, int fill, int n, void *values, int lda, int *info,
                       int batch)
{
    struct wl_solver_work work = wl_solver_begin_told(
        handle, letter, (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda), info);
    const struct wl_solver_matrix a = fill == WL_SOLVER_UPPER
                                          ? wl_solver_adjoint(wl_solver_matrix_of(values, lda))
                                          : wl_solver_matrix_of(values, lda);
    int is_unit = 0;
    if (batch)
        wl_solver_tell(&work, batch > 1 ? WL_LIBRARY_POTRF_BATCHED : WL_LIBRARY_POTRF, n, n, batch);
    for (int k = 0; !work.status && k < n; k += TILE) {
        int count = least(TILE, n - k);
        int64_t rest = n - k - count;
        struct wl_solver_matrix diagonal = wl_solver_from(&work, a, k, k);
        struct wl_solver_matrix below = wl_solver_from(&work, a, k + count, k);
        struct wl_solver_matrix conjugate = wl_solver_conjugate(diagonal);
        wl_solver_launch(&work, "cholesky", 1, 1, (void *[]){&diagonal, &count, &k, &info});
        wl_solver_launch_over(&work, "divide", rest,
                              (void *[]){&rest, &count, &conjugate, &is_unit, &below, &info});
        update(&work, rest, rest, count, below, wl_solver_adjoint(below),
               wl_solver_from(&work, a, k + count, k + count), 1, info);
    }
    return work.status;
}

int wl_solver_potrf(void *handle, char letter, int fill, int n, void *values, int lda, int *info)
{
    return wl_solver_potrf_of(handle, letter, fill, n, values, lda, info, 1);
}

int wl_solver_potrs(void *handle, char letter, int fill, int n, int columns, const void *values,
                    int lda, void *b, int ldb, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter,
                             (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda) &&
                                 wl_solver_is_valid(n, columns, ldb),
                             info);
    const struct wl_solver_matrix a = fill == WL_SOLVER_UPPER
                                          ? wl_solver_adjoint(wl_solver_matrix_of(values, lda))
                                          : wl_solver_matrix_of(values, lda);
    wl_solver_tell(&work, WL_LIBRARY_POTRS, n, n, columns);
    wl_solver_solve(&work, n, a, 0, 0, wl_solver_matrix_of(b, ldb), columns);
    wl_solver_solve(&work, n, wl_solver_adjoint(a), 1, 0, wl_solver_matrix_of(b, ldb), columns);
    return work.status;
}

/* The inverse of what such factors are of, by its product with the identity in the program's space.
 */
static int potri(void *handle, char letter, int fill, int n, void *values, int lda, void *space,
                 int space_elements, int *info)
{
    struct wl_solver_work work = wl_solver_begin(
        handle, letter, (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda), info);
    space = wl_solver_space(&work, space, space_elements, (int64_t)n * n);
    struct wl_solver_matrix identity = {0}, made = wl_solver_matrix_of(space, n),
                            a = wl_solver_matrix_of(values, lda);
    int64_t rows = n;
    if (fill == WL_SOLVER_UPPER)
        a = wl_solver_adjoint(a);
    wl_solver_launch(&work, "find_zero", 1, 1, (void *[]){&rows, &a, &info});
    wl_solver_launch_over(&work, "copy", rows * rows,
                          (void *[]){&rows, &rows, &identity, &space, &rows});
    wl_solver_solve(&work, n, a, 0, 0, made, n);
    wl_solver_solve(&work, n, wl_solver_adjoint(a), 1, 0, made, n);
    wl_solver_launch_over(&work, "put_triangle", rows * rows, (void *[]){&rows, &made, &a, &info});
    return wl_solver_end(&work);
}

/* ---- LU ---- */

static void exchange(struct wl_solver_work *work, int64_t columns, int64_t gap_begin, int gap,
                     void *a, int64_t lda, int before, int count, int is_backwards,
                     struct wl_solver_pivots pivots)
{
    if (pivots.values)
        wl_solver_launch_over(work, "exchange", columns,
                              (void *[]){&columns, &gap_begin, &gap, &a, &lda, &before, &count,
                                         &is_backwards, &pivots.values, &pivots.is_wide});
}

int wl_solver_getrf(void *handle, char letter, int m, int n, void *values, int lda,
                    struct wl_solver_pivots pivots, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter, wl_solver_is_valid(m, n, lda), info);
    const struct wl_solver_matrix a = wl_solver_matrix_of(values, lda);
    int64_t step = lda;
    int is_unit = 1;
    int *none = NULL; /* a pivot of 0 ends nothing */
    wl_solver_tell(&work, WL_LIBRARY_GETRF, m, n, 1);
    for (int k = 0; !work.status && k < least(m, n); k += TILE) {
        int count = least(TILE, least(m, n) - k);
        int64_t rows = m - k, right = n - k - count;
        struct wl_solver_matrix panel = wl_solver_from(&work, a, k, k),
                                beside = wl_solver_from(&work, a, k, k + count);
        struct wl_solver_matrix lines = wl_solver_transposed(beside);
        wl_solver_launch(&work, "factor", 1, 1,
                         (void *[]){&rows, &count, &panel.values, &step, &k, &pivots.values,
                                    &pivots.is_wide, &info});
        exchange(&work, n - count, k, count, values, lda, k, count, 0, pivots);
        wl_solver_launch_over(&work, "divide", right,
                              (void *[]){&right, &count, &panel, &is_unit, &lines, &none});
        update(&work, rows - count, right, count, wl_solver_from(&work, panel, count, 0), beside,
               wl_solver_from(&work, a, k + count, k + count), 0, NULL);
    }
    return work.status;
}

int wl_solver_getrs(void *handle, char letter, int op, int n, int columns, const void *values,
                    int lda, struct wl_solver_pivots pivots, void *values_b, int ldb, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter,
                             (unsigned)op < OPERATIONS && wl_solver_is_valid(n, n, lda) &&
                                 wl_solver_is_valid(n, columns, ldb),
                             info);
    const struct wl_solver_matrix a = wl_solver_matrix_of(values, lda),
                                  b = wl_solver_matrix_of(values_b, ldb),
                                  turned = op == ADJOINT ? wl_solver_adjoint(a)
                                                         : wl_solver_transposed(a);
    if (op == PLAIN) {
        exchange(&work, columns, columns, 0, values_b, ldb, 0, n, 0, pivots);
        wl_solver_tell(&work, WL_LIBRARY_GETRS, n, n, columns);
        wl_solver_solve(&work, n, a, 0, 1, b, columns);
        wl_solver_solve(&work, n, a, 1, 0, b, columns);
    } else {
        wl_solver_tell(&work, WL_LIBRARY_GETRS, n, n, columns);
        wl_solver_solve(&work, n, turned, 0, 0, b, columns);
        wl_solver_solve(&work, n, turned, 1, 1, b, columns);
        exchange(&work, columns, columns, 0, values_b, ldb, 0, n, 1, pivots);
    }
    return work.status;
}

/* ---- QR ---- */

static void apply(struct wl_solver_work *work, int64_t rows, int count, int is_backwards,
                  const void *a, int64_t lda, const void *factors, struct wl_solver_matrix c,
                  int64_t columns)
{
    if (count)
        wl_solver_launch(work, "apply", columns, 1,
                         (void *[]){&rows, &count, &is_backwards, &a, &lda, &factors, &c});
}

int wl_solver_geqrf(void *handle, char letter, int m, int n, void *values, int lda,
                    void *all_factors, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter, wl_solver_is_valid(m, n, lda), info);
    const struct wl_solver_matrix a = wl_solver_matrix_of(values, lda);
    int64_t step = lda;
    wl_solver_tell(&work, WL_LIBRARY_GEQRF, m, n, 1);
    for (int k = 0; !work.status && k < least(m, n); k += TILE) {
        int count = least(TILE, least(m, n) - k);
        int64_t rows = m - k;
        struct wl_solver_matrix panel = wl_solver_from(&work, a, k, k);
        char *factors = (char *)all_factors + (size_t)k * work.element_bytes;
        wl_solver_launch(&work, "reflect", 1, 1,
                         (void *[]){&rows, &count, &panel.values, &step, &factors});
        apply(&work, rows, count, 0, panel.values, lda, factors,
              wl_solver_from(&work, a, k, k + count), n - k - count);
    }
    return work.status;
}

/* Whether c, of m rows and n columns, and k reflections fit each other; turned: the operation
 * beside none that their numbers have. */
static bool can_multiply(int side, int op, int turned, int m, int n, int k, int lda, int ldc)
{
    const int order = side == LEFT ? m : n;
    return (unsigned)side <= RIGHT && (op == PLAIN || op == turned) &&
           wl_solver_is_valid(m, n, ldc) && k >= 0 && k <= order && lda >= most(order, 1);
}

/* On the right side rows of c, conjugated, are what columns are on the left. */
static int multiply(void *handle, char letter, int side, int op, int m, int n, int k, const void *a,
                    int lda, const void *factors, void *values, int ldc, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin(handle, letter,
                        can_multiply(side, op, wl_solver_is_complex(letter) ? ADJOINT : TRANSPOSED,
                                     m, n, k, lda, ldc),
                        info);
    const struct wl_solver_matrix c = wl_solver_matrix_of(values, ldc);
    const bool is_backwards = (side == LEFT) == (op == PLAIN);
    apply(&work, side == LEFT ? m : n, k, is_backwards, a, lda, factors,
          side == LEFT ? c : wl_solver_adjoint(c), side == LEFT ? n : m);
    return work.status;
}

static bool can_generate(int m, int n, int k, int lda)
{
    return wl_solver_is_valid(m, n, lda) && n <= m && k >= 0 && k <= n;
}

/* Workspace of a panel of columns. */
static int give_panel_size(void *handle, int m, int n, int lda, int *count)
{
    return wl_solver_give_size(handle, wl_solver_is_valid(m, n, lda), (int64_t)n * TILE, count);
}

/* The reflections, which are in a's place, are applied to the identity in the program's space. */
static int generate(void *handle, char letter, int m, int n, int k, void *a, int lda,
                    const void *factors, void *space, int space_elements, int *info)
{
    int64_t rows = m, columns = n, step = lda;
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter, can_generate(m, n, k, lda), info);
    space = wl_solver_space(&work, space, space_elements, (int64_t)m * n);
    struct wl_solver_matrix identity = {0}, made = wl_solver_matrix_of(space, m);
    wl_solver_launch_over(&work, "copy", rows * columns,
                          (void *[]){&rows, &columns, &identity, &space, &rows});
    wl_solver_tell(&work, WL_LIBRARY_ORGQR, m, n, 1);
    apply(&work, rows, k, 1, a, lda, factors, made, columns);
    wl_solver_launch_over(&work, "copy", rows * columns,
                          (void *[]){&rows, &columns, &made, &a, &step});
    return wl_solver_end(&work);
}

/* multiplies, generates: what reflections are called to do; turned: as above. */
#define CALLS(Letter, letter, T, multiplies, generates, turned)                                    \
    int cusolverDn##Letter##potrf_bufferSize(void *handle, int fill, int n, T *a, int lda,         \
                                             int *count)                                           \
    {                                                                                              \
        (void)a;                                                                                   \
        return wl_solver_give_size(                                                                \
            handle, (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda),            \
            (int64_t)n * TILE, count);                                                             \
    }                                                                                              \
    int cusolverDn##Letter##potrf(void *handle, int fill, int n, T *a, int lda, T *space,          \
                                  int count, int *info)                                            \
    {                                                                                              \
        (void)space, (void)count;                                                                  \
        return wl_solver_potrf(handle, letter, fill, n, a, lda, info);                             \
    }                                                                                              \
    int cusolverDn##Letter##potrs(void *handle, int fill, int n, int columns, const T *a, int lda, \
                                  T *b, int ldb, int *info)                                        \
    {                                                                                              \
        return wl_solver_potrs(handle, letter, fill, n, columns, a, lda, b, ldb, info);            \
    }                                                                                              \
    int cusolverDn##Letter##potri_bufferSize(void *handle, int fill, int n, T *a, int lda,         \
                                             int *count)                                           \
    {                                                                                              \
        (void)a;                                                                                   \
        return wl_solver_give_size(                                                                \
            handle, (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda),            \
            (int64_t)n * n, count);                                                                \
    }                                                                                              \
    int cusolverDn##Letter##potri(void *handle, int fill, int n, T *a, int lda, T *space,          \
                                  int count, int *info)                                            \
    {                                                                                              \
        return potri(handle, letter, fill, n, a, lda, space, count, info);                         \
    }                                                                                              \
    int cusolverDn##Letter##getrf_bufferSize(void *handle, int m, int n, T *a, int lda,            \
                                             int *count)                                           \
    {                                                                                              \
        (void)a;                                                                                   \
        return give_panel_size(handle, m, n, lda, count);                                          \
    }                                                                                              \
    int cusolverDn##Letter##getrf(void *handle, int m, int n, T *a, int lda, T *space,             \
                                  int *pivots, int *info)                                          \
    {                                                                                              \
        (void)space;                                                                               \
        return wl_solver_getrf(handle, letter, m, n, a, lda, (struct wl_solver_pivots){pivots, 0}, \
                               info);                                                              \
    }                                                                                              \
    int cusolverDn##Letter##getrs(void *handle, int op, int n, int columns, const T *a, int lda,   \
                                  const int *pivots, T *b, int ldb, int *info)                     \
    {                                                                                              \
        return wl_solver_getrs(handle, letter, op, n, columns, a, lda,                             \
                               (struct wl_solver_pivots){(void *)(uintptr_t)pivots, 0}, b, ldb,    \
                               info);                                                              \
    }                                                                                              \
    int cusolverDn##Letter##geqrf_bufferSize(void *handle, int m, int n, T *a, int lda,            \
                                             int *count)                                           \
    {                                                                                              \
        (void)a;                                                                                   \
        return give_panel_size(handle, m, n, lda, count);                                          \
    }                                                                                              \
    int cusolverDn##Letter##geqrf(void *handle, int m, int n, T *a, int lda, T *factors, T *space, \
                                  int count, int *info)                                            \
    {                                                                                              \
        (void)space, (void)count;                                                                  \
        return wl_solver_geqrf(handle, letter, m, n, a, lda, factors, info);                       \
    }                                                                                              \
    int cusolverDn##Letter##multiplies##_bufferSize(void *handle, int side, int op, int m, int n,  \
                                                    int k, const T *a, int lda, const T *factors,  \
                                                    const T *c, int ldc, int *count)               \
    {                                                                                              \
        (void)a, (void)factors, (void)c;                                                           \
        return wl_solver_give_size(handle, can_multiply(side, op, turned, m, n, k, lda, ldc),      \
                                   (int64_t)(side == LEFT ? n : m) * TILE, count);                 \
    }                                                                                              \
    int cusolverDn##Letter##multiplies(void *handle, int side, int op, int m, int n, int k,        \
                                       const T *a, int lda, const T *factors, T *c, int ldc,       \
                                       T *space, int count, int *info)                             \
    {                                                                                              \
        (void)space, (void)count;                                                                  \
        return multiply(handle, letter, side, op, m, n, k, a, lda, factors, c, ldc, info);         \
    }                                                                                              \
    int cusolverDn##Letter##generates##_bufferSize(void *handle, int m, int n, int k, const T *a,  \
                                                   int lda, const T *factors, int *count)          \
    {                                                                                              \
        (void)a, (void)factors;                                                                    \
        return wl_solver_give_size(handle, can_generate(m, n, k, lda), (int64_t)m * n, count);     \
    }                                                                                              \
    int cusolverDn##Letter##generates(void *handle, int m, int n, int k, T *a, int lda,            \
                                      const T *factors, T *space, int count, int *info)            \
    {                                                                                              \
        return generate(handle, letter, m, n, k, a, lda, factors, space, count, info);             \
    }
CALLS(S, 's', float, ormqr, orgqr, TRANSPOSED)
CALLS(D, 'd', double, ormqr, orgqr, TRANSPOSED)
CALLS(C, 'c', struct wl_solver_single, unmqr, ungqr, ADJOINT)
CALLS(Z, 'z', struct wl_solver_twice, unmqr, ungqr, ADJOINT)
