/* Refactorization (cusolverRf): of matrices of one pattern, whose first LU factors another solver
 * found, the factors of others, in the same order and without pivoting, and what they solve. The
 * factors are kept bundled, without the diagonal of ones, in device memory, which the host can read
 * here; the host computes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cusolver/cusolver.h"
#include "base/count.h"

#define MAGIC (WL_SOLVER_MAGIC + 16)
enum { ZERO_PIVOT = 10 };
/* Which factor's diagonal is 1, and whether that is stored. */
enum { STORED_L = 0, STORED_U = 1, ASSUMED_L = 2, ASSUMED_U = 3 };

/* Rows one behind another, from 0 on. */
struct rows {
    int count;
    const int *starts, *indices;
    const double *values;
};

struct refactor {
    uint32_t magic;
    int format, diagonal, factor_algorithm, solve_algorithm, is_fast;
    double zero, boost;
    bool is_boosted, is_set_up, is_analysed;
    int n, count, batch;   /* rows, elements of the bundled factors, matrices */
    int *starts, *indices; /* of the bundled factors */
    double *values;        /* of each matrix, one behind another */
    int *diagonals;        /* of each row, the place of its diagonal's element */
    int *positions;        /* of each matrix, the first pivot of 0, or -1 */
};

static struct refactor *check(void *handle)
{
    return wl_stand_in_check(handle, MAGIC);
}

static void *allocate(size_t bytes)
{
    void *made = NULL;
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes ? bytes : 1, 0, &made) ? NULL
                                                                                           : made;
}

static void forget(struct refactor *self)
{
    void *const places[] = {self->starts, self->indices, self->values};
    for (size_t i = 0; i < WL_COUNT(places); i++)
        if (places[i])
            wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, places[i]);
    free(self->positions);
    free(self->diagonals);
    self->starts = self->indices = self->positions = self->diagonals = NULL;
    self->values = NULL;
    self->is_set_up = self->is_analysed = false;
}

int cusolverRfCreate(struct refactor **made)
{
    if (!made)
        return WL_SOLVER_INVALID_VALUE;
    if (wl_device_check())
        return WL_SOLVER_NOT_INITIALIZED;
    *made = wl_stand_in_create(MAGIC, sizeof **made);
    (*made)->solve_algorithm = 1;
    return WL_SOLVER_OK;
}

int cusolverRfDestroy(void *handle)
{
    struct refactor *self = check(handle);
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    forget(self);
    wl_stand_in_destroy(self, MAGIC);
    return WL_SOLVER_OK;
}

/* ---- properties: two values, of which each is kept if it is one that can be ---- */

#define PAIR(Name, T, U, one, two, is_right)                   \
    int cusolverRfSet##Name(void *handle, T first, U second)   \
    {                                                          \
        struct refactor *self = check(handle);                 \
        if (!self)                                             \
            return WL_SOLVER_NOT_INITIALIZED;                  \
        if (!(is_right))                                       \
            return WL_SOLVER_INVALID_VALUE;                    \
        self->one = first;                                     \
        self->two = second;                                    \
        return WL_SOLVER_OK;                                   \
    }                                                          \
    int cusolverRfGet##Name(void *handle, T *first, U *second) \
    {                                                          \
        const struct refactor *self = check(handle);           \
        if (!self)                                             \
            return WL_SOLVER_NOT_INITIALIZED;                  \
        if (!first || !second)                                 \
            return WL_SOLVER_INVALID_VALUE;                    \
        *first = self->one;                                    \
        *second = self->two;                                   \
        return WL_SOLVER_OK;                                   \
    }
PAIR(MatrixFormat, int, int, format, diagonal,
     (unsigned)first <= 1 && (unsigned)second <= ASSUMED_U)
PAIR(NumericProperties, double, double, zero, boost, true)
PAIR(Algs, int, int, factor_algorithm, solve_algorithm,
     (unsigned)first <= 2 && second >= 1 && second <= 3)

int cusolverRfSetResetValuesFastMode(void *handle, int is_fast)
{
    struct refactor *self = check(handle);
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if ((unsigned)is_fast > 1)
        return WL_SOLVER_INVALID_VALUE;
    self->is_fast = is_fast;
    return WL_SOLVER_OK;
}

#define GET(Name, field)                              \
    int cusolverRfGet##Name(void *handle, int *value) \
    {                                                 \
        const struct refactor *self = check(handle);  \
        if (!self)                                    \
            return WL_SOLVER_NOT_INITIALIZED;         \
        if (!value)                                   \
            return WL_SOLVER_INVALID_VALUE;           \
        *value = self->field;                         \
        return WL_SOLVER_OK;                          \
    }
GET(ResetValuesFastMode, is_fast)
GET(NumericBoostReport, is_boosted)

/* ---- set-up ---- */

static bool is_right(int n, const struct rows *of)
{
    bool is_well =
        of->starts && of->indices && of->values && of->starts[0] == 0 && of->starts[n] == of->count;
    for (int i = 0; is_well && i < n; i++)
        is_well = of->starts[i + 1] >= of->starts[i];
    for (int k = 0; is_well && k < of->count; k++)
        is_well = of->indices[k] >= 0 && of->indices[k] < n;
    return is_well;
}

/* The place of an element among a matrix's values, -1: there is none. */
static int find(const struct refactor *self, int row, int column)
{
    for (int k = self->starts[row]; k < self->starts[row + 1]; k++)
        if (self->indices[k] == column)
            return k;
    return -1;
}

/* A row of L and U in one, its columns in order, without the diagonal of ones; how many. */
static int bundle_row(const struct refactor *self, const struct rows *lower,
                      const struct rows *upper, int i, int *indices, double *values)
{
    const struct rows *const parts[] = {lower, upper};
    const bool has_unit_l = self->diagonal == STORED_L || self->diagonal == ASSUMED_L;
    int count = 0;
    for (size_t part = 0; part < WL_COUNT(parts); part++)
        for (int k = parts[part]->starts[i]; k < parts[part]->starts[i + 1]; k++) {
            const int column = parts[part]->indices[k];
            int place = count;
            if (column == i && (part == 0) == has_unit_l)
                continue;
            for (; place > 0 && indices[place - 1] > column; place--)
                indices[place] = indices[place - 1], values[place] = values[place - 1];
            indices[place] = column;
            values[place] = parts[part]->values[k];
            count++;
        }
    return count;
}

static bool bundle(struct refactor *self, const struct rows *lower, const struct rows *upper)
{
    const size_t most = (size_t)lower->count + (size_t)upper->count;
    self->starts = allocate(((size_t)self->n + 1) * sizeof *self->starts);
    self->indices = allocate(most * sizeof *self->indices);
    self->values = allocate(most * (size_t)self->batch * sizeof *self->values);
    if (!self->starts || !self->indices || !self->values)
        return false;
    self->starts[0] = self->count = 0;
    for (int i = 0; i < self->n; i++) {
        self->count += bundle_row(self, lower, upper, i, self->indices + self->count,
                                  self->values + self->count);
        self->starts[i + 1] = self->count;
    }
    for (int i = 1; i < self->batch; i++)
        memcpy(self->values + (size_t)i * (size_t)self->count, self->values,
               (size_t)self->count * sizeof *self->values);
    self->positions = wl_alloc_zero((size_t)self->batch + 1, sizeof *self->positions);
    self->diagonals = wl_alloc_zero((size_t)self->n, sizeof *self->diagonals);
    for (int i = 0; i < self->n; i++)
        self->diagonals[i] = find(self, i, i);
    return true;
}

static int reset(const struct refactor *self, const struct rows *a, const int *row_order,
                 const int *column_order, double *values)
{
    int *places = wl_alloc_zero((size_t)self->n + 1, sizeof *places);
    int status = WL_SOLVER_OK;
    for (int i = 0; i < self->n; i++)
        places[column_order[i]] = i;
    memset(values, 0, (size_t)self->count * sizeof *values);
    for (int i = 0; !status && i < self->n; i++)
        for (int k = a->starts[row_order[i]]; k < a->starts[row_order[i] + 1]; k++) {
            const int place = find(self, i, places[a->indices[k]]);
            if (place < 0)
                status = WL_SOLVER_INVALID_VALUE;
            else
                values[place] = a->values[k];
        }
    free(places);
    return status;
}

static int reset_all(void *handle, int batch, int n, const struct rows *a, double *const *values,
                     const int *row_order, const int *column_order)
{
    struct refactor *self = check(handle);
    int status = WL_SOLVER_OK;
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if (wl_device_wait())
        return WL_SOLVER_EXECUTION_FAILED;
    if (!self->is_set_up || n != self->n || batch != self->batch || !values || !row_order ||
        !column_order)
        return WL_SOLVER_INVALID_VALUE;
    for (int i = 0; !status && i < batch; i++) {
        struct rows own = *a;
        own.values = values[i];
        status = is_right(n, &own) ? reset(self, &own, row_order, column_order,
                                           self->values + (size_t)i * (size_t)self->count)
                                   : WL_SOLVER_INVALID_VALUE;
    }
    return status;
}

/* values: of each matrix, which the bundled factors then hold in their order. */
static int set_up(void *handle, int batch, int n, const struct rows *a, double *const *values,
                  const struct rows *lower, const struct rows *upper, const int *row_order,
                  const int *column_order)
{
    struct refactor *self = check(handle);
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if (wl_device_wait())
        return WL_SOLVER_EXECUTION_FAILED;
    if (n <= 0 || batch <= 0 || !is_right(n, a) || !is_right(n, lower) || !is_right(n, upper) ||
        !row_order || !column_order)
        return WL_SOLVER_INVALID_VALUE;
    if (self->format) {
        wl_device_refuse("cusolverRfSetup (cuSOLVER) of matrices by columns");
        return WL_SOLVER_NOT_SUPPORTED;
    }
    forget(self);
    self->n = n;
    self->batch = batch;
    if (!bundle(self, lower, upper)) {
        forget(self);
        return WL_SOLVER_ALLOC_FAILED;
    }
    for (int i = 0; i < n; i++)
        if (self->diagonals[i] < 0) {
            forget(self);
            return WL_SOLVER_INVALID_VALUE;
        }
    self->is_set_up = true;
    return reset_all(handle, batch, n, a, values, row_order, column_order);
}

#define SETUP(Where)                                                                               \
    int cusolverRfSetup##Where(int n, int count_a, int *starts_a, int *indices_a, double *a,       \
                               int count_l, int *starts_l, int *indices_l, double *l, int count_u, \
                               int *starts_u, int *indices_u, double *u, int *row_order,           \
                               int *column_order, void *handle)                                    \
    {                                                                                              \
        return set_up(handle, 1, n, &(struct rows){count_a, starts_a, indices_a, a}, &a,           \
                      &(struct rows){count_l, starts_l, indices_l, l},                             \
                      &(struct rows){count_u, starts_u, indices_u, u}, row_order, column_order);   \
    }
SETUP(Host)
SETUP(Device)

int cusolverRfBatchSetupHost(int batch, int n, int count_a, int *starts_a, int *indices_a,
                             double **a, int count_l, int *starts_l, int *indices_l, double *l,
                             int count_u, int *starts_u, int *indices_u, double *u, int *row_order,
                             int *column_order, void *handle)
{
    return a ? set_up(handle, batch, n, &(struct rows){count_a, starts_a, indices_a, a[0]}, a,
                      &(struct rows){count_l, starts_l, indices_l, l},
                      &(struct rows){count_u, starts_u, indices_u, u}, row_order, column_order)
             : WL_SOLVER_INVALID_VALUE;
}

/* ---- factors ---- */

int cusolverRfResetValues(int n, int count, int *starts, int *indices, double *values,
                          int *row_order, int *column_order, void *handle)
{
    return reset_all(handle, 1, n, &(struct rows){count, starts, indices, NULL}, &values, row_order,
                     column_order);
}

int cusolverRfBatchResetValues(int batch, int n, int count, int *starts, int *indices,
                               double **values, int *row_order, int *column_order, void *handle)
{
    return reset_all(handle, batch, n, &(struct rows){count, starts, indices, NULL}, values,
                     row_order, column_order);
}

#define ANALYSE(Name)                          \
    int cusolverRf##Name(void *handle)         \
    {                                          \
        struct refactor *self = check(handle); \
        if (!self)                             \
            return WL_SOLVER_NOT_INITIALIZED;  \
        if (!self->is_set_up)                  \
            return WL_SOLVER_INVALID_VALUE;    \
        self->is_analysed = true;              \
        return WL_SOLVER_OK;                   \
    }
ANALYSE(Analyze)
ANALYSE(BatchAnalyze)

/* A pivot that is too small becomes the number that a program gives for that. */
static double pivot_of(struct refactor *self, double *pivot)
{
    if (fabs(*pivot) < self->zero) {
        *pivot = self->boost;
        self->is_boosted = true;
    }
    return *pivot;
}

/* Takes from row i what the rows above it, whose factors are there, have of it; places[column]: of
 * row i's element there, -1: none. */
static void eliminate(const struct refactor *self, double *values, int i, const int *places)
{
    for (int k = self->starts[i]; k < self->starts[i + 1] && self->indices[k] < i; k++) {
        const int j = self->indices[k];
        values[k] /= values[self->diagonals[j]];
        for (int l = self->diagonals[j] + 1; l < self->starts[j + 1]; l++)
            if (places[self->indices[l]] >= 0)
                values[places[self->indices[l]]] -= values[k] * values[l];
    }
}

/* Row by row, of what the pattern holds; the first pivot of 0, or -1. */
static int factor(struct refactor *self, double *values)
{
    int position = -1, *places = wl_alloc_zero((size_t)self->n, sizeof *places);
    for (int i = 0; i < self->n; i++)
        places[i] = -1;
    for (int i = 0; i < self->n; i++) {
        for (int k = self->starts[i]; k < self->starts[i + 1]; k++)
            places[self->indices[k]] = k;
        eliminate(self, values, i, places);
        for (int k = self->starts[i]; k < self->starts[i + 1]; k++)
            places[self->indices[k]] = -1;
        if (pivot_of(self, &values[self->diagonals[i]]) == 0 && position < 0)
            position = i;
    }
    free(places);
    return position;
}

/* From a diagonal of 1 in L to one in U. */
static void move_diagonal(const struct refactor *self, double *values)
{
    if (self->diagonal == STORED_L || self->diagonal == ASSUMED_L)
        return;
    for (int i = 0; i < self->n; i++)
        for (int k = self->starts[i]; k < self->starts[i + 1]; k++) {
            const int j = self->indices[k];
            if (j < i)
                values[k] *= values[self->diagonals[j]];
            else if (j > i)
                values[k] /= values[self->diagonals[i]];
        }
}

static int refactor(void *handle)
{
    struct refactor *self = check(handle);
    int status = WL_SOLVER_OK;
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if (!self->is_analysed)
        return WL_SOLVER_INVALID_VALUE;
    for (int i = 0; i < self->batch; i++) {
        double *values = self->values + (size_t)i * (size_t)self->count;
        self->positions[i] = factor(self, values);
        if (self->positions[i] >= 0)
            status = ZERO_PIVOT;
        else
            move_diagonal(self, values);
    }
    return status;
}

int cusolverRfRefactor(void *handle)
{
    return refactor(handle);
}

/* Which matrix has a pivot of 0, cusolverRfBatchZeroPivot tells. */
int cusolverRfBatchRefactor(void *handle)
{
    const int status = refactor(handle);
    return status == ZERO_PIVOT ? WL_SOLVER_OK : status;
}

int cusolverRfBatchZeroPivot(void *handle, int *positions)
{
    const struct refactor *self = check(handle);
    int status = WL_SOLVER_OK;
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if (!self->is_set_up || !positions)
        return WL_SOLVER_INVALID_VALUE;
    for (int i = 0; i < self->batch; i++) {
        positions[i] = self->positions[i];
        if (positions[i] >= 0)
            status = ZERO_PIVOT;
    }
    return status;
}

/* ---- solutions ---- */

static void solve(const struct refactor *self, const double *values, double *x)
{
    const bool has_unit_l = self->diagonal == STORED_L || self->diagonal == ASSUMED_L;
    for (int i = 0; i < self->n; i++) {
        for (int k = self->starts[i]; k < self->starts[i + 1] && self->indices[k] < i; k++)
            x[i] -= values[k] * x[self->indices[k]];
        if (!has_unit_l)
            x[i] /= values[self->diagonals[i]];
    }
    for (int i = self->n - 1; i >= 0; i--) {
        for (int k = self->starts[i]; k < self->starts[i + 1]; k++)
            if (self->indices[k] > i)
                x[i] -= values[k] * x[self->indices[k]];
        if (has_unit_l)
            x[i] /= values[self->diagonals[i]];
    }
}

/* One right side of each matrix, in x's place. */
static int solve_all(void *handle, const int *row_order, const int *column_order, int sides,
                     const void *space, double *const *x, int ld)
{
    const struct refactor *self = check(handle);
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if (wl_device_wait())
        return WL_SOLVER_EXECUTION_FAILED;
    if (!self->is_analysed || !row_order || !column_order || !space || !x || ld < self->n)
        return WL_SOLVER_INVALID_VALUE;
    if (sides != 1)
        return WL_SOLVER_NOT_SUPPORTED;
    double *y = wl_alloc_zero((size_t)self->n + 1, sizeof *y);
    for (int k = 0; k < self->batch; k++) {
        for (int i = 0; i < self->n; i++)
            y[i] = x[k][row_order[i]];
        solve(self, self->values + (size_t)k * (size_t)self->count, y);
        for (int i = 0; i < self->n; i++)
            x[k][column_order[i]] = y[i];
    }
    free(y);
    return WL_SOLVER_OK;
}

int cusolverRfSolve(void *handle, int *row_order, int *column_order, int sides, double *space,
                    int ld_space, double *x, int ld)
{
    (void)ld_space;
    return solve_all(handle, row_order, column_order, sides, space, &x, ld);
}

int cusolverRfBatchSolve(void *handle, int *row_order, int *column_order, int sides, double *space,
                         int ld_space, double **x, int ld)
{
    (void)ld_space;
    return solve_all(handle, row_order, column_order, sides, space, x, ld);
}

/* ---- what the factors are ---- */

int cusolverRfAccessBundledFactorsDevice(void *handle, int *count, int **starts, int **indices,
                                         double **values)
{
    const struct refactor *self = check(handle);
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if (!self->is_set_up || !count || !starts || !indices || !values)
        return WL_SOLVER_INVALID_VALUE;
    *count = self->count;
    *starts = self->starts;
    *indices = self->indices;
    *values = self->values;
    return WL_SOLVER_OK;
}

/* A copy that a program frees. */
static void *copy(const void *from, size_t count, size_t bytes)
{
    void *made = wl_alloc_zero(count + 1, bytes);
    memcpy(made, from, count * bytes);
    return made;
}

int cusolverRfExtractBundledFactorsHost(void *handle, int *count, int **starts, int **indices,
                                        double **values)
{
    const int status = cusolverRfAccessBundledFactorsDevice(handle, count, starts, indices, values);
    const struct refactor *self = check(handle);
    if (status)
        return status;
    *starts = copy(self->starts, (size_t)self->n + 1, sizeof **starts);
    *indices = copy(self->indices, (size_t)self->count, sizeof **indices);
    *values = copy(self->values, (size_t)self->count, sizeof **values);
    return WL_SOLVER_OK;
}

struct split {
    int *count, **starts, **indices;
    double **values;
};

/* The triangle below or above the diagonal (sign -1 or 1), and the diagonal, or 1 (is_unit), or
 * nothing for it (is_assumed). */
static void split(const struct refactor *self, int sign, bool is_unit, bool is_assumed,
                  const struct split *to)
{
    int next = 0;
    *to->starts = wl_alloc_zero((size_t)self->n + 1, sizeof(int));
    *to->indices = wl_alloc_zero((size_t)self->count + (size_t)self->n, sizeof(int));
    *to->values = wl_alloc_zero((size_t)self->count + (size_t)self->n, sizeof(double));
    for (int i = 0; i < self->n; i++) {
        (*to->starts)[i] = next;
        for (int k = self->starts[i]; k < self->starts[i + 1]; k++) {
            const int away = (self->indices[k] - i) * sign;
            if (away < 0 || (away == 0 && is_unit && is_assumed))
                continue;
            (*to->indices)[next] = self->indices[k];
            (*to->values)[next++] = away == 0 && is_unit ? 1 : self->values[k];
        }
    }
    (*to->starts)[self->n] = *to->count = next;
}

int cusolverRfExtractSplitFactorsHost(void *handle, int *count_l, int **starts_l, int **indices_l,
                                      double **l, int *count_u, int **starts_u, int **indices_u,
                                      double **u)
{
    const struct refactor *self = check(handle);
    if (!self)
        return WL_SOLVER_NOT_INITIALIZED;
    if (!self->is_set_up || !count_l || !starts_l || !indices_l || !l || !count_u || !starts_u ||
        !indices_u || !u)
        return WL_SOLVER_INVALID_VALUE;
    const bool has_unit_l = self->diagonal == STORED_L || self->diagonal == ASSUMED_L,
               is_assumed = self->diagonal >= ASSUMED_L;
    split(self, -1, has_unit_l, is_assumed, &(struct split){count_l, starts_l, indices_l, l});
    split(self, 1, !has_unit_l, is_assumed, &(struct split){count_u, starts_u, indices_u, u});
    return WL_SOLVER_OK;
}
