/* Sparse factors that a program keeps: QR (csrqr), LU (csrlu) and Cholesky's (csrchol), on the host
 * and on the device, and solutions of batches by QR. Analysis keeps the pattern, factors are made
 * anew of each set of values; what is in device memory the host can read here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cusolver/sparse.h"

/* One number for each kind of object. */
enum { QR = 7, QR_HOST, LU_HOST, CHOLESKY, CHOLESKY_HOST };

struct factored {
    uint32_t magic;
    bool is_analysed, is_factored;
    struct wl_csr pattern; /* of our own; values only of QR, between set-up and factors */
    wl_number shift;
    struct wl_band band;
};

static struct factored *check(void *info, int kind)
{
    return wl_stand_in_check(info, WL_SOLVER_MAGIC + (uint32_t)kind);
}

static void forget(struct factored *of)
{
    free((void *)(uintptr_t)of->pattern.starts);
    free((void *)(uintptr_t)of->pattern.indices);
    free((void *)(uintptr_t)of->pattern.values);
    wl_band_free(&of->band);
    of->pattern = (struct wl_csr){0};
    of->is_analysed = of->is_factored = false;
}

#define OBJECT(Name, kind)                                                                       \
    int cusolverSpCreate##Name(void **made)                                                      \
    {                                                                                            \
        if (!made)                                                                               \
            return WL_SOLVER_INVALID_VALUE;                                                      \
        *made = wl_stand_in_create(WL_SOLVER_MAGIC + (uint32_t)(kind), sizeof(struct factored)); \
        return WL_SOLVER_OK;                                                                     \
    }                                                                                            \
    int cusolverSpDestroy##Name(void *info)                                                      \
    {                                                                                            \
        struct factored *of = check(info, kind);                                                 \
        if (of)                                                                                  \
            forget(of);                                                                          \
        wl_stand_in_destroy(of, WL_SOLVER_MAGIC + (uint32_t)(kind));                             \
        return WL_SOLVER_OK;                                                                     \
    }
OBJECT(CsrqrInfo, QR)
OBJECT(CsrqrInfoHost, QR_HOST)
OBJECT(CsrluInfoHost, LU_HOST)
OBJECT(CsrcholInfo, CHOLESKY)
OBJECT(CsrcholInfoHost, CHOLESKY_HOST)

static void *copy(const void *from, size_t count, size_t bytes)
{
    void *made = wl_alloc_zero(count + 1, bytes);
    if (count && from)
        memcpy(made, from, count * bytes);
    return made;
}

/* ---- steps that all of them have ---- */

/* Once the stream's work is done, so that the host may read and write device memory. */
static int enter(void *handle)
{
    const struct wl_solver_handle *checked = wl_solver_check(handle);
    return !checked                                 ? WL_SOLVER_NOT_INITIALIZED
           : wl_device_stream_wait(checked->stream) ? WL_SOLVER_EXECUTION_FAILED
                                                    : WL_SOLVER_OK;
}

static int analyse(void *handle, const void *description, struct wl_csr a, struct factored *of)
{
    const int status = wl_solver_check_csr(handle, description, &a);
    if (status)
        return status;
    if (!of || a.rows < a.columns)
        return WL_SOLVER_INVALID_VALUE;
    forget(of);
    of->pattern = a;
    of->pattern.starts = copy(a.starts, (size_t)a.rows + 1, sizeof(int));
    of->pattern.indices = copy(a.indices, (size_t)a.count, sizeof(int));
    of->pattern.values = NULL;
    of->is_analysed = true;
    return WL_SOLVER_OK;
}

static int give_sizes(void *handle, struct factored *of, size_t *internal, size_t *bytes)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!of || !of->is_analysed || !internal || !bytes)
        return WL_SOLVER_INVALID_VALUE;
    *internal = 16 * ((size_t)of->pattern.count + (size_t)of->pattern.rows + 1);
    *bytes = 512;
    return WL_SOLVER_OK;
}

/* values: of the pattern that was analysed. */
static int keep_values(void *handle, const void *description, struct wl_csr a, wl_number shift,
                       struct factored *of)
{
    const int status = wl_solver_check_csr(handle, description, &a);
    if (status)
        return status;
    if (!of || !of->is_analysed || a.rows != of->pattern.rows || a.columns != of->pattern.columns ||
        a.count != of->pattern.count || (a.count && !a.values))
        return WL_SOLVER_INVALID_VALUE;
    free((void *)(uintptr_t)of->pattern.values);
    of->pattern.values = copy(a.values, (size_t)a.count, wl_solver_bytes_of(a.letter));
    of->pattern.letter = a.letter;
    of->shift = shift;
    of->is_factored = false;
    wl_band_free(&of->band);
    return wl_band_make(&of->band, &of->pattern, NULL, shift) ? WL_SOLVER_OK
                                                              : WL_SOLVER_ALLOC_FAILED;
}

/* x: of b, which stays as it is. */
static int solve(void *handle, const struct factored *of, char letter, const void *b, void *x,
                 void (*by)(const struct wl_band *, wl_number *))
{
    const int status = enter(handle);
    if (status)
        return status;
    if (!of || !of->is_factored || (of->band.rows && (!b || !x)))
        return WL_SOLVER_INVALID_VALUE;
    wl_number *values = wl_alloc_zero((size_t)of->band.rows + 1, sizeof *values);
    wl_solver_read(letter, b, of->band.rows, values);
    by(&of->band, values);
    wl_solver_write(letter, values, of->band.columns, x);
    free(values);
    return WL_SOLVER_OK;
}

/* The first element of a diagonal that is no larger than that, -1: none. */
static int find_zero(void *handle, const struct factored *of, double tolerance, int *position)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!of || !of->is_factored || !position)
        return WL_SOLVER_INVALID_VALUE;
    *position = of->band.singular;
    for (int i = 0; i < of->band.columns && (*position < 0 || i < *position); i++)
        if (!(cabs(*wl_band_at(&of->band, i, i)) > tolerance))
            *position = i;
    return WL_SOLVER_OK;
}

/* ---- QR ---- */

static int factor_qr(void *handle, struct factored *of, int m, int n, char letter, const void *b,
                     void *x)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!of || !of->pattern.values || of->is_factored || m != of->pattern.rows ||
        n != of->pattern.columns)
        return WL_SOLVER_INVALID_VALUE;
    wl_band_qr(&of->band, 0);
    of->is_factored = true;
    return b && x ? solve(handle, of, letter, b, x, wl_band_solve_qr) : WL_SOLVER_OK;
}

#define ANALYSE_QR(name, kind)                                                            \
    int cusolverSpX##name(void *handle, int m, int n, int count, const void *description, \
                          const int *starts, const int *indices, void *info)              \
    {                                                                                     \
        const struct wl_csr a = {m, n, count, 0, starts, indices, NULL, 'd'};             \
        return analyse(handle, description, a, check(info, kind));                        \
    }
ANALYSE_QR(csrqrAnalysis, QR)
ANALYSE_QR(csrqrAnalysisHost, QR_HOST)
ANALYSE_QR(csrqrAnalysisBatched, QR)

#define QR_CALLS(L, letter, T, R, Host, kind)                                                     \
    int cusolverSp##L##csrqrBufferInfo##Host(                                                     \
        void *handle, int m, int n, int count, const void *description, const T *values,          \
        const int *starts, const int *indices, void *info, size_t *internal, size_t *bytes)       \
    {                                                                                             \
        (void)m, (void)n, (void)count, (void)description, (void)values, (void)starts;             \
        (void)indices;                                                                            \
        return give_sizes(handle, check(info, kind), internal, bytes);                            \
    }                                                                                             \
    int cusolverSp##L##csrqrSetup##Host(                                                          \
        void *handle, int m, int n, int count, const void *description, const T *values,          \
        const int *starts, const int *indices, T shift, void *info)                               \
    {                                                                                             \
        const struct wl_csr a = {m, n, count, 0, starts, indices, values, letter};                \
        return keep_values(handle, description, a, (wl_number)shift, check(info, kind));          \
    }                                                                                             \
    int cusolverSp##L##csrqrFactor##Host(void *handle, int m, int n, int count, T *b, T *x,       \
                                         void *info, void *space)                                 \
    {                                                                                             \
        (void)count, (void)space;                                                                 \
        return factor_qr(handle, check(info, kind), m, n, letter, b, x);                          \
    }                                                                                             \
    int cusolverSp##L##csrqrZeroPivot##Host(void *handle, void *info, R tolerance, int *position) \
    {                                                                                             \
        return find_zero(handle, check(info, kind), (double)tolerance, position);                 \
    }                                                                                             \
    int cusolverSp##L##csrqrSolve##Host(void *handle, int m, int n, T *b, T *x, void *info,       \
                                        void *space)                                              \
    {                                                                                             \
        (void)m, (void)n, (void)space;                                                            \
        return solve(handle, check(info, kind), letter, b, x, wl_band_solve_qr);                  \
    }

struct batch {
    int count;
    const void *b;
    void *x;
};

/* Matrices of one pattern, whose values lie one behind another. */
static int solve_batch(void *handle, const void *description, struct wl_csr a,
                       const struct batch *batch, struct factored *of)
{
    const size_t bytes = wl_solver_bytes_of(a.letter);
    int status = wl_solver_check(handle) ? WL_SOLVER_OK : WL_SOLVER_NOT_INITIALIZED;
    if (!status && (batch->count < 0 || !of))
        status = WL_SOLVER_INVALID_VALUE;
    for (int i = 0; !status && i < batch->count; i++) {
        struct wl_csr own = a;
        own.values = (const char *)a.values + (size_t)i * (size_t)a.count * bytes;
        status = keep_values(handle, description, own, 0, of);
        if (!status)
            status = factor_qr(handle, of, a.rows, a.columns, a.letter,
                               (const char *)batch->b + (size_t)i * (size_t)a.rows * bytes,
                               (char *)batch->x + (size_t)i * (size_t)a.columns * bytes);
    }
    return status;
}

#define BATCHED(L, letter, T)                                                                      \
    int cusolverSp##L##csrqrBufferInfoBatched(void *handle, int m, int n, int count,               \
                                              const void *description, const T *values,            \
                                              const int *starts, const int *indices, int batch,    \
                                              void *info, size_t *internal, size_t *bytes)         \
    {                                                                                              \
        (void)m, (void)n, (void)count, (void)description, (void)values, (void)starts;              \
        (void)indices;                                                                             \
        return batch < 0 ? WL_SOLVER_INVALID_VALUE                                                 \
                         : give_sizes(handle, check(info, QR), internal, bytes);                   \
    }                                                                                              \
    int cusolverSp##L##csrqrsvBatched(void *handle, int m, int n, int count,                       \
                                      const void *description, const T *values, const int *starts, \
                                      const int *indices, const T *b, T *x, int batch, void *info, \
                                      void *space)                                                 \
    {                                                                                              \
        const struct wl_csr a = {m, n, count, 0, starts, indices, values, letter};                 \
        const struct batch of = {batch, b, x};                                                     \
        (void)space;                                                                               \
        return solve_batch(handle, description, a, &of, check(info, QR));                          \
    }

/* ---- Cholesky ---- */

static int factor_cholesky(void *handle, const void *description, struct wl_csr a,
                           struct factored *of)
{
    const int status = keep_values(handle, description, a, 0, of);
    if (status)
        return status;
    wl_band_cholesky(&of->band, 0);
    of->is_factored = true;
    return WL_SOLVER_OK;
}

/* The diagonal of L. */
static int tell_diagonal(void *handle, const struct factored *of, char letter, void *diagonal)
{
    const int status = enter(handle);
    if (status)
        return status;
    if (!of || !of->is_factored || !diagonal)
        return WL_SOLVER_INVALID_VALUE;
    for (int i = 0; i < of->band.rows; i++)
        wl_number_put_real(letter, diagonal, i, creal(*wl_band_at(&of->band, i, i)));
    return WL_SOLVER_OK;
}

#define ANALYSE(name, kind)                                                        \
    int cusolverSpX##name(void *handle, int n, int count, const void *description, \
                          const int *starts, const int *indices, void *info)       \
    {                                                                              \
        const struct wl_csr a = {n, n, count, 0, starts, indices, NULL, 'd'};      \
        return analyse(handle, description, a, check(info, kind));                 \
    }
ANALYSE(csrcholAnalysis, CHOLESKY)
ANALYSE(csrcholAnalysisHost, CHOLESKY_HOST)
ANALYSE(csrluAnalysisHost, LU_HOST)

/* Of csrchol and csrlu: what sizes they take, where a pivot is 0 and what they solve. */
#define KEPT(L, letter, T, R, name, Host, kind, by)                                                \
    int cusolverSp##L##name##BufferInfo##Host(                                                     \
        void *handle, int n, int count, const void *description, const T *values,                  \
        const int *starts, const int *indices, void *info, size_t *internal, size_t *bytes)        \
    {                                                                                              \
        (void)n, (void)count, (void)description, (void)values, (void)starts, (void)indices;        \
        return give_sizes(handle, check(info, kind), internal, bytes);                             \
    }                                                                                              \
    int cusolverSp##L##name##ZeroPivot##Host(void *handle, void *info, R tolerance, int *position) \
    {                                                                                              \
        return find_zero(handle, check(info, kind), (double)tolerance, position);                  \
    }                                                                                              \
    int cusolverSp##L##name##Solve##Host(void *handle, int n, const T *b, T *x, void *info,        \
                                         void *space)                                              \
    {                                                                                              \
        (void)n, (void)space;                                                                      \
        return solve(handle, check(info, kind), letter, b, x, by);                                 \
    }
#define CHOLESKY_CALLS(L, letter, T, R, Host, kind)                                \
    KEPT(L, letter, T, R, csrchol, Host, kind, wl_band_solve_cholesky)             \
    int cusolverSp##L##csrcholFactor##Host(                                        \
        void *handle, int n, int count, const void *description, const T *values,  \
        const int *starts, const int *indices, void *info, void *space)            \
    {                                                                              \
        const struct wl_csr a = {n, n, count, 0, starts, indices, values, letter}; \
        (void)space;                                                               \
        return factor_cholesky(handle, description, a, check(info, kind));         \
    }

/* ---- LU ---- */

static int factor_lu(void *handle, const void *description, struct wl_csr a, double threshold,
                     struct factored *of)
{
    const int status = keep_values(handle, description, a, 0, of);
    if (status)
        return status;
    wl_band_lu(&of->band, 0, threshold);
    of->is_factored = true;
    return WL_SOLVER_OK;
}

static bool is_there(const struct wl_band *band, int row, int column)
{
    return band->is_there[wl_band_at(band, row, column) - band->values];
}

/* L's elements but for its diagonal, and U's with it. */
static void count_lu(const struct wl_band *band, int *lower, int *upper)
{
    *lower = *upper = 0;
    for (int k = 0; k < band->rows; k++) {
        for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
            *lower += is_there(band, row, k);
        for (int column = k + 1; column <= wl_band_last_column(band, k); column++)
            *upper += is_there(band, k, column);
    }
    *lower += band->rows;
    *upper += band->rows;
}

int cusolverSpXcsrluNnzHost(void *handle, int *lower, int *upper, void *info)
{
    const struct factored *of = check(info, LU_HOST);
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!of || !of->is_factored || !lower || !upper)
        return WL_SOLVER_INVALID_VALUE;
    count_lu(&of->band, lower, upper);
    return WL_SOLVER_OK;
}

/* A triangle that a program gets. */
struct triangle {
    const struct wl_solver_description *description;
    void *values;
    int *starts, *indices;
};

static bool can_take(const struct triangle *of)
{
    return of->description && of->description->magic == WL_SOLVER_DESCRIPTION_MAGIC && of->values &&
           of->starts && of->indices;
}

static void take(char letter, const struct triangle *to, int *next, int column, wl_number value)
{
    to->indices[*next] = column + to->description->base;
    wl_number_put(letter, to->values, (*next)++, value);
}

/* The rows that multipliers of each column end in, as later exchanges move them: last[k] is where
 * the row ends that is k-th once column `column` is done. Called from the last column on. */
static void move_back(const struct wl_band *band, int column, int *last)
{
    const int other = band->pivots[column], value = last[column];
    last[column] = last[other];
    last[other] = value;
}

/* Counts the multipliers of each row that L ends with, or, of `to`, takes them, counts[i] being
 * where those of row i end and then where they begin. */
static void take_multipliers(char letter, const struct wl_band *band, int *counts,
                             const struct triangle *to)
{
    int *last = wl_alloc_zero((size_t)band->rows + 1, sizeof *last);
    for (int i = 0; i < band->rows; i++)
        last[i] = i;
    for (int k = band->rows - 1; k >= 0; k--) {
        for (int row = k + 1; row <= wl_band_last_row(band, k); row++) {
            if (!is_there(band, row, k))
                continue;
            if (!to) {
                counts[last[row]]++;
                continue;
            }
            int place = --counts[last[row]];
            take(letter, to, &place, k, *wl_band_at(band, row, k));
        }
        move_back(band, k, last);
    }
    free(last);
}

/* L by rows, with 1 on its diagonal. */
static void take_lower(char letter, const struct wl_band *band, const struct triangle *to)
{
    int *counts = wl_alloc_zero((size_t)band->rows + 1, sizeof *counts), next = 0;
    take_multipliers(letter, band, counts, NULL);
    for (int i = 0; i < band->rows; i++) {
        to->starts[i] = next + to->description->base;
        next = counts[i] += next;
        take(letter, to, &next, i, 1);
    }
    to->starts[band->rows] = next + to->description->base;
    take_multipliers(letter, band, counts, to);
    free(counts);
}

static void take_upper(char letter, const struct wl_band *band, const struct triangle *to)
{
    int next = 0;
    for (int row = 0; row < band->rows; row++) {
        to->starts[row] = next + to->description->base;
        for (int column = row; column <= wl_band_last_column(band, row); column++)
            if (column == row || is_there(band, row, column))
                take(letter, to, &next, column, *wl_band_at(band, row, column));
    }
    to->starts[band->rows] = next + to->description->base;
}

/* a's rows in the order `rows` and columns in the order `columns` are L U. */
static int extract(void *handle, const struct factored *of, char letter, int *rows, int *columns,
                   const struct triangle *lower, const struct triangle *upper)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!of || !of->is_factored || !rows || !columns || !can_take(lower) || !can_take(upper))
        return WL_SOLVER_INVALID_VALUE;
    for (int i = 0; i < of->band.rows; i++)
        rows[i] = columns[i] = i;
    for (int i = 0; i < of->band.rows; i++) {
        const int other = of->band.pivots[i], value = rows[i];
        rows[i] = rows[other];
        rows[other] = value;
    }
    take_lower(letter, &of->band, lower);
    take_upper(letter, &of->band, upper);
    return WL_SOLVER_OK;
}

#define LU_CALLS(L, letter, T, R)                                                               \
    KEPT(L, letter, T, R, csrlu, Host, LU_HOST, wl_band_solve_lu)                               \
    int cusolverSp##L##csrluFactorHost(void *handle, int n, int count, const void *description, \
                                       const T *values, const int *starts, const int *indices,  \
                                       void *info, R threshold, void *space)                    \
    {                                                                                           \
        const struct wl_csr a = {n, n, count, 0, starts, indices, values, letter};              \
        (void)space;                                                                            \
        return factor_lu(handle, description, a, (double)threshold, check(info, LU_HOST));      \
    }                                                                                           \
    int cusolverSp##L##csrluExtractHost(void *handle, int *rows, int *columns,                  \
                                        const void *description_l, T *values_l, int *starts_l,  \
                                        int *indices_l, const void *description_u, T *values_u, \
                                        int *starts_u, int *indices_u, void *info, void *space) \
    {                                                                                           \
        const struct triangle lower = {description_l, values_l, starts_l, indices_l},           \
                              upper = {description_u, values_u, starts_u, indices_u};           \
        (void)space;                                                                            \
        return extract(handle, check(info, LU_HOST), letter, rows, columns, &lower, &upper);    \
    }

#define CALLS(L, letter, T, R)                                                 \
    QR_CALLS(L, letter, T, R, , QR)                                            \
    QR_CALLS(L, letter, T, R, Host, QR_HOST)                                   \
    BATCHED(L, letter, T)                                                      \
    CHOLESKY_CALLS(L, letter, T, R, , CHOLESKY)                                \
    CHOLESKY_CALLS(L, letter, T, R, Host, CHOLESKY_HOST)                       \
    LU_CALLS(L, letter, T, R)                                                  \
    int cusolverSp##L##csrcholDiag(void *handle, void *info, R *diagonal)      \
    {                                                                          \
        return tell_diagonal(handle, check(info, CHOLESKY), letter, diagonal); \
    }
CALLS(S, 's', float, float)
CALLS(D, 'd', double, double)
CALLS(C, 'c', float complex, float)
CALLS(Z, 'z', double complex, double)
