/* Systems of sparse matrices (csrlsvqr, csrlsvlu, csrlsvchol, csrlsqvqr), their eigenvalue next to
 * a number (csreigvsi) and orders of their rows. What is in device memory the host can read here,
 * and it computes. */
#include "api/cusolver/sparse.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX_TYPE_NOT_SUPPORTED 8

int wl_solver_check_csr(void *handle, const void *description, struct wl_csr *a)
{
    const struct wl_solver_handle *checked = wl_solver_check(handle);
    const struct wl_solver_description *described = description;
    if (!checked)
        return WL_SOLVER_NOT_INITIALIZED;
    if (!described || described->magic != WL_SOLVER_DESCRIPTION_MAGIC)
        return WL_SOLVER_INVALID_VALUE;
    if (described->type)
        return MATRIX_TYPE_NOT_SUPPORTED;
    if (wl_device_stream_wait(checked->stream))
        return WL_SOLVER_EXECUTION_FAILED;
    a->base = described->base;
    return wl_csr_is_valid(a) ? WL_SOLVER_OK : WL_SOLVER_INVALID_VALUE;
}

void wl_solver_permute(const wl_number *from, const int *order, bool is_back, int count,
                       wl_number *to)
{
    for (int i = 0; i < count; i++)
        to[is_back && order ? order[i] : i] = from[!is_back && order ? order[i] : i];
}

void wl_solver_read(char letter, const void *values, int count, wl_number *to)
{
    for (int i = 0; i < count; i++)
        to[i] = wl_number_get(letter, values, i);
}

void wl_solver_write(char letter, const wl_number *values, int count, void *to)
{
    for (int i = 0; i < count; i++)
        wl_number_put(letter, to, i, values[i]);
}

/* ---- systems ---- */

/* How: by QR, LU or Cholesky's factors. */
enum { BY_QR, BY_LU, BY_CHOLESKY };
enum { REORDER_MOST = 3 }; /* none, symrcm, symamd, metisnd */

/* False: there are no factors. */
static bool factor(struct wl_band *band, int how, double tolerance)
{
    if (how == BY_CHOLESKY)
        return wl_band_cholesky(band, tolerance);
    if (how == BY_QR)
        wl_band_qr(band, tolerance);
    else
        wl_band_lu(band, tolerance, 1);
    return true;
}

static void solve(const struct wl_band *band, int how, wl_number *b)
{
    if (how == BY_QR)
        wl_band_solve_qr(band, b);
    else if (how == BY_LU)
        wl_band_solve_lu(band, b);
    else
        wl_band_solve_cholesky(band, b);
}

struct system {
    int how, reorder;
    double tolerance;
    const void *b;
    void *x;
    int *singularity; /* on the host */
};

/* A matrix that a tolerance takes for singular has a solution still, as in cuSOLVER; x stays as it
 * is where there are no factors. */
static int solve_system(void *handle, const void *description, struct wl_csr a,
                        const struct system *of)
{
    const int n = a.rows, status = wl_solver_check_csr(handle, description, &a);
    struct wl_band band;
    if (status)
        return status;
    if (of->reorder < 0 || of->reorder > REORDER_MOST || !of->singularity ||
        (n && (!a.values || !of->b || !of->x)))
        return WL_SOLVER_INVALID_VALUE;
    int *order = of->reorder ? wl_alloc_zero((size_t)n + 1, sizeof *order) : NULL;
    if (order)
        wl_csr_order(&a, order);
    const bool is_made = wl_band_make(&band, &a, order, 0);
    if (is_made) {
        wl_number *b = wl_alloc_zero((size_t)n + 1, sizeof *b),
                  *x = wl_alloc_zero((size_t)n + 1, sizeof *x);
        wl_solver_read(a.letter, of->b, n, x);
        wl_solver_permute(x, order, false, n, b);
        const bool is_factored = factor(&band, of->how, of->tolerance);
        *of->singularity = band.singular;
        if (is_factored) {
            solve(&band, of->how, b);
            wl_solver_permute(b, order, true, n, x);
            wl_solver_write(a.letter, x, n, of->x);
        }
        free(b);
        free(x);
    }
    wl_band_free(&band);
    free(order);
    return is_made ? WL_SOLVER_OK : WL_SOLVER_ALLOC_FAILED;
}

/* ---- least squares, by QR whose next column is the longest that is left ---- */

struct tall {
    int m, n;
    wl_number *a; /* columns one behind another */
    int *order;
};

static double squares_of(const struct tall *of, int column, int from)
{
    double sum = 0;
    for (int i = from; i < of->m; i++)
        sum += pow(cabs(of->a[i + (int64_t)column * of->m]), 2);
    return sum;
}

static void take_longest(struct tall *of, int k)
{
    int chosen = k;
    for (int j = k + 1; j < of->n; j++)
        if (squares_of(of, j, k) > squares_of(of, chosen, k))
            chosen = j;
    for (int i = 0; chosen != k && i < of->m; i++) {
        const wl_number value = of->a[i + (int64_t)k * of->m];
        of->a[i + (int64_t)k * of->m] = of->a[i + (int64_t)chosen * of->m];
        of->a[i + (int64_t)chosen * of->m] = value;
    }
    const int index = of->order[k];
    of->order[k] = of->order[chosen];
    of->order[chosen] = index;
}

/* Of column k, to the columns behind it and to b. */
static void reflect_others(struct tall *of, int k, wl_number *b)
{
    wl_number *own = of->a + (int64_t)k * of->m, head = own[k];
    const double length = sqrt(squares_of(of, k, k)), beta = creal(head) < 0 ? length : -length;
    const wl_number factor = (beta - head) / beta;
    if (length == 0)
        return;
    for (int i = k + 1; i < of->m; i++)
        own[i] /= head - beta;
    own[k] = 1;
    for (int j = k + 1; j <= of->n; j++) {
        wl_number *other = j == of->n ? b : of->a + (int64_t)j * of->m, sum = 0;
        for (int i = k; i < of->m; i++)
            sum += conj(own[i]) * other[i];
        for (int i = k; i < of->m; i++)
            other[i] -= conj(factor) * sum * own[i];
    }
    own[k] = beta;
}

/* Its rank; x: in its columns' order. */
static int solve_tall(struct tall *of, double tolerance, wl_number *b, wl_number *x, double *rest)
{
    int rank = 0;
    for (; rank < of->n; rank++) {
        take_longest(of, rank);
        if (!(sqrt(squares_of(of, rank, rank)) > tolerance))
            break;
        reflect_others(of, rank, b);
    }
    for (int row = rank - 1; row >= 0; row--) {
        for (int j = row + 1; j < rank; j++)
            b[row] -= of->a[row + (int64_t)j * of->m] * x[of->order[j]];
        x[of->order[row]] = b[row] / of->a[row + (int64_t)row * of->m];
    }
    *rest = 0;
    for (int i = rank; i < of->m; i++)
        *rest += pow(cabs(b[i]), 2);
    *rest = sqrt(*rest);
    return rank;
}

struct least_squares {
    double tolerance;
    const void *b;
    int *rank;
    void *x;
    int *order;
    void *rest; /* the length of what is left, of a real type */
};

static int solve_least_squares(void *handle, const void *description, struct wl_csr a,
                               const struct least_squares *of)
{
    const int status = wl_solver_check_csr(handle, description, &a);
    double rest = 0;
    if (status)
        return status;
    if (a.rows < a.columns || !of->rank || !of->rest || (a.rows && !of->b) ||
        (a.columns && (!a.values || !of->x || !of->order)))
        return WL_SOLVER_INVALID_VALUE;
    struct tall tall = {a.rows, a.columns,
                        wl_alloc_zero((size_t)a.rows * (size_t)a.columns + 1, sizeof(wl_number)),
                        of->order};
    wl_number *b = wl_alloc_zero((size_t)a.rows + 1, sizeof *b),
              *x = wl_alloc_zero((size_t)a.columns + 1, sizeof *x);
    for (int j = 0; j < a.columns; j++)
        of->order[j] = j;
    for (int i = 0; i < a.rows; i++)
        for (int k = wl_csr_start(&a, i); k < wl_csr_start(&a, i + 1); k++)
            tall.a[i + (int64_t)(a.indices[k] - a.base) * a.rows] +=
                wl_number_get(a.letter, a.values, k);
    wl_solver_read(a.letter, of->b, a.rows, b);
    *of->rank = solve_tall(&tall, of->tolerance, b, x, &rest);
    wl_solver_write(a.letter, x, a.columns, of->x);
    wl_number_put_real(a.letter, of->rest, 0, rest);
    free(tall.a);
    free(b);
    free(x);
    return WL_SOLVER_OK;
}

/* ---- eigenvalues ---- */

static double length_of(const wl_number *x, int n)
{
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += pow(cabs(x[i]), 2);
    return sqrt(squares);
}

/* y = a x. */
static void multiply(const struct wl_csr *a, const wl_number *x, wl_number *y)
{
    for (int i = 0; i < a->rows; i++) {
        y[i] = 0;
        for (int k = wl_csr_start(a, i); k < wl_csr_start(a, i + 1); k++)
            y[i] += wl_number_get(a->letter, a->values, k) * x[a->indices[k] - a->base];
    }
}

struct iteration {
    wl_number shift;
    const void *start;
    int most;
    double tolerance;
    void *value, *vector;
};

/* Inverse iteration, until what a x and x, as often as the value says, differ by is small. */
static void iterate(const struct wl_csr *a, const struct wl_band *band, const struct iteration *of,
                    wl_number *x, wl_number *y)
{
    wl_number value = of->shift;
    for (int round = 0; round < of->most; round++) {
        double rest = 0;
        wl_band_solve_lu(band, x);
        const double length = length_of(x, a->rows);
        for (int i = 0; i < a->rows; i++)
            x[i] /= length;
        multiply(a, x, y);
        value = 0;
        for (int i = 0; i < a->rows; i++)
            value += conj(x[i]) * y[i];
        for (int i = 0; i < a->rows; i++)
            rest += pow(cabs(y[i] - value * x[i]), 2);
        if (sqrt(rest) < of->tolerance)
            break;
    }
    wl_number_put(a->letter, of->value, 0, value);
    wl_solver_write(a->letter, x, a->rows, of->vector);
}

/* Where the shift is an eigenvalue itself: factors of a matrix close by. */
static void avoid_zero(struct wl_band *band, const struct wl_csr *a)
{
    double largest = 0;
    for (int k = 0; k < a->count; k++)
        largest = fmax(largest, cabs(wl_number_get(a->letter, a->values, k)));
    for (int i = 0; i < band->rows; i++)
        if (*wl_band_at(band, i, i) == 0)
            *wl_band_at(band, i, i) = DBL_EPSILON * (largest > 0 ? largest : 1);
}

static int find_eigenvalue(void *handle, const void *description, struct wl_csr a,
                           const struct iteration *of)
{
    const int status = wl_solver_check_csr(handle, description, &a);
    struct wl_band band;
    if (status)
        return status;
    if (of->most < 0 || !of->value || (a.rows && (!a.values || !of->start || !of->vector)))
        return WL_SOLVER_INVALID_VALUE;
    const bool is_made = wl_band_make(&band, &a, NULL, of->shift);
    if (is_made && a.rows) {
        wl_number *x = wl_alloc_zero((size_t)a.rows, sizeof *x),
                  *y = wl_alloc_zero((size_t)a.rows, sizeof *y);
        wl_solver_read(a.letter, of->start, a.rows, x);
        wl_band_lu(&band, 0, 1);
        avoid_zero(&band, &a);
        iterate(&a, &band, of, x, y);
        free(x);
        free(y);
    }
    wl_band_free(&band);
    return is_made ? WL_SOLVER_OK : WL_SOLVER_ALLOC_FAILED;
}

static int count_eigenvalues(void *handle, const void *description, struct wl_csr a,
                             wl_number lowest, wl_number highest, int *count)
{
    const int status = wl_solver_check_csr(handle, description, &a);
    if (status)
        return status;
    if (!count || (a.rows && !a.values))
        return WL_SOLVER_INVALID_VALUE;
    *count = wl_solver_count_within(&a, lowest, highest);
    return *count < 0 ? WL_SOLVER_EXECUTION_FAILED : WL_SOLVER_OK;
}

/* ---- the calls ---- */

#define SYSTEM(L, letter, T, R, name, how)                                                      \
    int cusolverSp##L##name(void *handle, int n, int count, const void *description,            \
                            const T *values, const int *starts, const int *indices, const T *b, \
                            R tolerance, int reorder, T *x, int *singularity)                   \
    {                                                                                           \
        const struct wl_csr a = {n, n, count, 0, starts, indices, values, letter};              \
        const struct system of = {how, reorder, (double)tolerance, b, x, singularity};          \
        return solve_system(handle, description, a, &of);                                       \
    }
#define EIGENVALUE(L, letter, T, R, name)                                                    \
    int cusolverSp##L##name(void *handle, int n, int count, const void *description,         \
                            const T *values, const int *starts, const int *indices, T shift, \
                            const T *start, int most, R tolerance, T *value, T *vector)      \
    {                                                                                        \
        const struct wl_csr a = {n, n, count, 0, starts, indices, values, letter};           \
        const struct iteration of = {(wl_number)shift,  start, most,                         \
                                     (double)tolerance, value, vector};                      \
        return find_eigenvalue(handle, description, a, &of);                                 \
    }
#define COUNT(L, letter, C)                                                                   \
    int cusolverSp##L##csreigsHost(void *handle, int n, int count, const void *description,   \
                                   const void *values, const int *starts, const int *indices, \
                                   C lowest, C highest, int *found)                           \
    {                                                                                         \
        const struct wl_csr a = {n, n, count, 0, starts, indices, values, letter};            \
        return count_eigenvalues(handle, description, a, lowest, highest, found);             \
    }
COUNT(S, 's', float complex)
COUNT(D, 'd', double complex)
COUNT(C, 'c', float complex)
COUNT(Z, 'z', double complex)

#define CALLS(L, letter, T, R)                                                                     \
    SYSTEM(L, letter, T, R, csrlsvqr, BY_QR)                                                       \
    SYSTEM(L, letter, T, R, csrlsvqrHost, BY_QR)                                                   \
    SYSTEM(L, letter, T, R, csrlsvluHost, BY_LU)                                                   \
    SYSTEM(L, letter, T, R, csrlsvchol, BY_CHOLESKY)                                               \
    SYSTEM(L, letter, T, R, csrlsvcholHost, BY_CHOLESKY)                                           \
    EIGENVALUE(L, letter, T, R, csreigvsi)                                                         \
    EIGENVALUE(L, letter, T, R, csreigvsiHost)                                                     \
    int cusolverSp##L##csrlsqvqrHost(void *handle, int m, int n, int count,                        \
                                     const void *description, const T *values, const int *starts,  \
                                     const int *indices, const T *b, R tolerance, int *rank, T *x, \
                                     int *order, R *rest)                                          \
    {                                                                                              \
        const struct wl_csr a = {m, n, count, 0, starts, indices, values, letter};                 \
        const struct least_squares of = {(double)tolerance, b, rank, x, order, rest};              \
        return solve_least_squares(handle, description, a, &of);                                   \
    }
CALLS(S, 's', float, float)
CALLS(D, 'd', double, double)
CALLS(C, 'c', float complex, float)
CALLS(Z, 'z', double complex, double)
