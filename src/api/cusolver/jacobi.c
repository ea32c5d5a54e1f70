/* Eigenvalues and singular values by Jacobi's turns as programs call for them by name (syevj,
 * gesvdj): what syevd and gesvd do, with how often columns may be turned, one after another for
 * batches. Columns are always turned until they are orthogonal to within rounding: no tolerance
 * that a program gives is finer. */
#include "api/cusolver/cusolver.h"

#define MAGIC (WL_SOLVER_MAGIC + 2)
#define BATCH_ORDER_MOST 32 /* of gesvdjBatched */

/* What the last call gave, in memory of the device. */
struct result {
    double residual;
    int sweeps;
};

/* What a program says of such calls. */
struct turns {
    uint32_t magic;
    int sweeps_most;
    bool was_batch;
    struct result *result;
};

static struct turns *check(void *params)
{
    return wl_stand_in_check(params, MAGIC);
}

/* S(Kind, kind): the calls on what is said of syevj or gesvdj. */
#define S(Kind, kind)                                                                \
    int cusolverDnCreate##Kind##Info(void **made)                                    \
    {                                                                                \
        return create(made);                                                         \
    }                                                                                \
    int cusolverDnDestroy##Kind##Info(void *params)                                  \
    {                                                                                \
        return destroy(params);                                                      \
    }                                                                                \
    int cusolverDnX##kind##SetTolerance(void *params, double tolerance)              \
    {                                                                                \
        (void)tolerance;                                                             \
        return check(params) ? WL_SOLVER_OK : WL_SOLVER_INVALID_VALUE;               \
    }                                                                                \
    int cusolverDnX##kind##SetMaxSweeps(void *params, int most)                      \
    {                                                                                \
        struct turns *turns = check(params);                                         \
        if (!turns || most < 0)                                                      \
            return WL_SOLVER_INVALID_VALUE;                                          \
        turns->sweeps_most = most;                                                   \
        return WL_SOLVER_OK;                                                         \
    }                                                                                \
    int cusolverDnX##kind##SetSortEig(void *params, int is_sorted)                   \
    {                                                                                \
        (void)is_sorted; /* in order either way */                                   \
        return check(params) ? WL_SOLVER_OK : WL_SOLVER_INVALID_VALUE;               \
    }                                                                                \
    int cusolverDnX##kind##GetResidual(void *handle, void *params, double *residual) \
    {                                                                                \
        const int status = can_tell(handle, params, residual);                       \
        if (!status)                                                                 \
            *residual = check(params)->result->residual;                             \
        return status;                                                               \
    }                                                                                \
    int cusolverDnX##kind##GetSweeps(void *handle, void *params, int *sweeps)        \
    {                                                                                \
        const int status = can_tell(handle, params, sweeps);                         \
        if (!status)                                                                 \
            *sweeps = check(params)->result->sweeps;                                 \
        return status;                                                               \
    }

static int create(void **made)
{
    void *result = NULL;
    if (!made)
        return WL_SOLVER_INVALID_VALUE;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, sizeof(struct result), 0, &result))
        return WL_SOLVER_ALLOC_FAILED;
    struct turns *turns = wl_stand_in_create(MAGIC, sizeof *turns);
    turns->sweeps_most = 100;
    turns->result = result;
    *turns->result = (struct result){0};
    *made = turns;
    return WL_SOLVER_OK;
}

static int destroy(void *params)
{
    struct turns *turns = check(params);
    if (!turns)
        return WL_SOLVER_INVALID_VALUE;
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, turns->result);
    wl_stand_in_destroy(turns, MAGIC);
    return WL_SOLVER_OK;
}

/* Once the stream's work is done. Of batches cuSOLVER does not tell. */
static int can_tell(void *handle, void *params, const void *result)
{
    const struct wl_solver_handle *checked = wl_solver_check(handle);
    const struct turns *turns = check(params);
    return !checked                                 ? WL_SOLVER_NOT_INITIALIZED
           : !turns || !result                      ? WL_SOLVER_INVALID_VALUE
           : turns->was_batch                       ? WL_SOLVER_NOT_SUPPORTED
           : wl_device_stream_wait(checked->stream) ? WL_SOLVER_EXECUTION_FAILED
                                                    : WL_SOLVER_OK;
}

S(Syevj, syevj)
S(Gesvdj, gesvdj)

/* Of a call whose info is failed where its sweeps are not enough; of a batch nothing is told. */
static struct wl_solver_sweeps sweeps_of(struct turns *turns, int failed)
{
    return (struct wl_solver_sweeps){turns->sweeps_most, failed,
                                     turns->was_batch ? NULL : &turns->result->sweeps};
}

/* How far a v is from u's columns, as often as the values say. */
static void measure(struct wl_solver_work *work, struct turns *turns, int64_t rows, int depth,
                    int columns, struct wl_solver_matrix a, struct wl_solver_matrix v,
                    struct wl_solver_matrix u, void *values)
{
    double *residual = turns->was_batch ? NULL : &turns->result->residual;
    if (residual)
        wl_solver_launch(work, "residual", 1, 1,
                         (void *[]){&rows, &depth, &columns, &a, &v, &u, &values, &residual});
}

/* The i-th of what lies one behind another; nothing where there is nothing. */
static void *place_of(void *first, int i, size_t bytes)
{
    return first ? (char *)first + (size_t)i * bytes : NULL;
}

/* ---- eigenvalues ---- */

/* Two copies of the matrix, its vectors, lengths of columns and what is added to its diagonal. */
static int64_t symmetric_elements(int n)
{
    return 3 * (int64_t)n * n + n + 1;
}

struct symmetric {
    int job, fill, n, lda, batch;
    void *a, *values;
};

static bool is_symmetric_valid(const struct symmetric *of, struct turns *turns)
{
    return turns && of->batch >= 0 && (unsigned)of->job <= 1 &&
           (unsigned)of->fill <= WL_SOLVER_UPPER && wl_solver_is_valid(of->n, of->n, of->lda);
}

/* is_told: it has the time of its batch. */
static int find_eigenvalues(void *handle, char letter, const struct symmetric *of, char *space,
                            int64_t count, struct turns *turns, int *info, bool is_told)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter, is_symmetric_valid(of, turns), info);
    struct wl_solver_matrix a = wl_solver_matrix_of(of->a, of->lda), none = {0};
    int64_t rows = of->n;
    int n = of->n;
    void *values = of->values, *nothing = NULL;
    if (work.status || !n)
        return work.status;
    space = wl_solver_space(&work, space, count, symmetric_elements(n));
    void *full = wl_solver_take(&work, &space, rows * rows),
         *copy = wl_solver_take(&work, &space, rows * rows),
         *own = wl_solver_take(&work, &space, rows * rows),
         *lengths = wl_solver_take(&work, &space, rows), *shift = wl_solver_take(&work, &space, 1);
    struct wl_solver_matrix vectors = of->job ? a : wl_solver_matrix_of(own, n);
    int failed = n + 1;
    const struct wl_solver_sweeps sweeps = sweeps_of(turns, failed);
    if (of->fill == WL_SOLVER_UPPER)
        a = wl_solver_adjoint(a);
    wl_solver_launch(&work, "find_shift", 1, 1, (void *[]){&rows, &a, &shift});
    wl_solver_launch_over(&work, "mirror", rows * rows, (void *[]){&rows, &a, &shift, &full});
    wl_solver_launch_over(&work, "mirror", rows * rows, (void *[]){&rows, &a, &nothing, &copy});
    if (is_told)
        wl_solver_tell(&work, WL_LIBRARY_SYEVJ, n, n, of->batch);
    wl_solver_orthogonalize(&work, rows, n, full, NULL, &sweeps, info);
    wl_solver_launch(&work, "measure", n, 1, (void *[]){&rows, &full, &rows, &lengths});
    wl_solver_launch(&work, "order", n, 1,
                     (void *[]){&rows, &n, &full, &nothing, &lengths, &shift, &values, &vectors,
                                &none, &info, &failed});
    measure(&work, turns, rows, n, n, wl_solver_matrix_of(copy, n), vectors, vectors, values);
    return wl_solver_end(&work);
}

/* real_bytes: of a value. */
static int find_eigenvalues_of_batch(void *handle, char letter, const struct symmetric *of,
                                     size_t real_bytes, void *space, int64_t count, void *params,
                                     int *info)
{
    const size_t matrix_bytes = (size_t)of->lda * (size_t)of->n * wl_solver_bytes_of(letter);
    struct turns *turns = check(params);
    int status = WL_SOLVER_OK;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!is_symmetric_valid(of, turns) || !info)
        return WL_SOLVER_INVALID_VALUE;
    turns->was_batch = true;
    for (int i = 0; !status && i < of->batch; i++) {
        struct symmetric own = *of;
        own.a = place_of(of->a, i, matrix_bytes);
        own.values = place_of(of->values, i, (size_t)of->n * real_bytes);
        status = find_eigenvalues(handle, letter, &own, space, count, turns, info + i, i == 0);
    }
    return status;
}

static int find_eigenvalues_of_one(void *handle, char letter, const struct symmetric *of,
                                   void *space, int64_t count, void *params, int *info)
{
    struct turns *turns = check(params);
    if (turns)
        turns->was_batch = false;
    return find_eigenvalues(handle, letter, of, space, count, turns, info, true);
}

bool wl_solver_is_turns(void *params)
{
    return check(params);
}

int64_t wl_solver_syevj_elements(int n)
{
    return symmetric_elements(n);
}

int wl_solver_syevj(void *handle, char letter, int job, int fill, int n, void *a, int lda,
                    void *values, char *space, int64_t count, void *params, int *info)
{
    const struct symmetric of = {job, fill, n, lda, 1, a, values};
    return find_eigenvalues_of_one(handle, letter, &of, space, count, params, info);
}

/* ---- singular values ---- */

/* What is wanted of an m by n matrix; is_economic: of U and V as many columns as there are values.
 */
struct singular {
    int job, is_economic, m, n, lda, ldu, ldv, batch;
    void *a, *values, *u, *v;
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* A copy, what turns it, the vectors of both sides, and lengths of columns. */
static int64_t singular_elements(int m, int n)
{
    const int64_t rows = most(m, n), columns = least(m, n);
    return 2 * rows * columns + 2 * columns * columns + columns;
}

static bool is_singular_valid(const struct singular *of, struct turns *turns)
{
    return turns && of->batch >= 0 && (unsigned)of->job <= 1 && (unsigned)of->is_economic <= 1 &&
           wl_solver_is_valid(of->m, of->n, of->lda) &&
           (!of->job || (of->ldu >= most(of->m, 1) && of->ldv >= most(of->n, 1)));
}

/* A wide matrix by its conjugate transposed, whose vectors are those of the other side. */
static int find_singular_values(void *handle, char letter, const struct singular *of, char *space,
                                int64_t count, struct turns *turns, int *info, bool is_told)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter, is_singular_valid(of, turns), info);
    const bool is_wide = of->n > of->m;
    struct wl_solver_matrix a = wl_solver_matrix_of(of->a, of->lda),
                            u = wl_solver_matrix_of(of->u, of->ldu),
                            v = wl_solver_matrix_of(of->v, of->ldv);
    int columns = least(of->m, of->n), wanted = of->is_economic ? columns : most(of->m, of->n);
    int64_t rows = most(of->m, of->n), depth = columns;
    void *values = of->values, *nothing = NULL;
    if (work.status || !columns)
        return work.status;
    space = wl_solver_space(&work, space, count, singular_elements(of->m, of->n));
    void *copy = wl_solver_take(&work, &space, rows * depth),
         *product = wl_solver_take(&work, &space, depth * depth),
         *long_side = wl_solver_take(&work, &space, rows * depth),
         *short_side = wl_solver_take(&work, &space, depth * depth),
         *lengths = wl_solver_take(&work, &space, depth);
    struct wl_solver_matrix tall = is_wide ? wl_solver_adjoint(a) : a, left = is_wide ? v : u,
                            right = is_wide ? u : v;
    if (!of->job) {
        left = wl_solver_matrix_of(long_side, (int)rows);
        right = wl_solver_matrix_of(short_side, columns);
    }
    struct wl_solver_matrix right_turned = wl_solver_adjoint(right);
    int unused = 0;
    const struct wl_solver_sweeps sweeps = sweeps_of(turns, columns + 1);
    wl_solver_launch_over(&work, "copy", rows * depth,
                          (void *[]){&rows, &depth, &tall, &copy, &rows});
    if (is_told)
        wl_solver_tell(&work, WL_LIBRARY_GESVDJ, rows, depth, of->batch);
    wl_solver_orthogonalize(&work, rows, columns, copy, product, &sweeps, info);
    wl_solver_launch(&work, "measure", columns, 1, (void *[]){&rows, &copy, &rows, &lengths});
    wl_solver_launch(&work, "order", columns, 1,
                     (void *[]){&rows, &columns, &copy, &product, &lengths, &nothing, &values,
                                &left, &right_turned, &nothing, &unused});
    measure(&work, turns, rows, columns, columns, tall, right, left, values);
    if (of->job)
        wl_solver_launch(&work, "complete", 1, 1,
                         (void *[]){&rows, &columns, &wanted, &left.values, &left.column_step});
    return wl_solver_end(&work);
}

static int find_singular_values_of_batch(void *handle, char letter, const struct singular *of,
                                         size_t real_bytes, void *space, int64_t count,
                                         void *params, int *info)
{
    const size_t bytes = wl_solver_bytes_of(letter);
    struct turns *turns = check(params);
    int status = WL_SOLVER_OK;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!is_singular_valid(of, turns) || most(of->m, of->n) > BATCH_ORDER_MOST || !info)
        return WL_SOLVER_INVALID_VALUE;
    turns->was_batch = true;
    for (int i = 0; !status && i < of->batch; i++) {
        struct singular own = *of;
        own.a = place_of(of->a, i, (size_t)of->lda * (size_t)of->n * bytes);
        own.u = place_of(of->u, i, (size_t)of->ldu * (size_t)of->m * bytes);
        own.v = place_of(of->v, i, (size_t)of->ldv * (size_t)of->n * bytes);
        own.values = place_of(of->values, i, (size_t)least(of->m, of->n) * real_bytes);
        status = find_singular_values(handle, letter, &own, space, count, turns, info + i, i == 0);
    }
    return status;
}

static int find_singular_values_of_one(void *handle, char letter, const struct singular *of,
                                       void *space, int64_t count, void *params, int *info)
{
    struct turns *turns = check(params);
    if (turns)
        turns->was_batch = false;
    return find_singular_values(handle, letter, of, space, count, turns, info, true);
}

int64_t wl_solver_usv_elements(int m, int n)
{
    return singular_elements(m, n);
}

int wl_solver_usv(void *handle, char letter, const struct wl_solver_usv *of, char *space,
                  int64_t count, int *info)
{
    struct turns turns = {.sweeps_most = 100, .was_batch = true}; /* nothing is told */
    const struct singular own = {of->job, of->is_economic, of->m,   of->n,
                                 of->lda, of->ldu,         of->ldv, 1,
                                 of->a,   of->values,      of->u,   of->v};
    return find_singular_values(handle, letter, &own, space, count, &turns, info, true);
}

/* R: what values are; spectrum: syevj or heevj. */
#define CALLS(Letter, letter, T, R, spectrum)                                                      \
    int cusolverDn##Letter##spectrum##_bufferSize(void *handle, int job, int fill, int n,          \
                                                  const T *a, int lda, const R *values,            \
                                                  int *count, void *params)                        \
    {                                                                                              \
        const struct symmetric of = {.job = job, .fill = fill, .n = n, .lda = lda};                \
        (void)a, (void)values;                                                                     \
        return wl_solver_give_size(handle, is_symmetric_valid(&of, check(params)),                 \
                                   symmetric_elements(n), count);                                  \
    }                                                                                              \
    int cusolverDn##Letter##spectrum(void *handle, int job, int fill, int n, T *a, int lda,        \
                                     R *values, T *space, int count, int *info, void *params)      \
    {                                                                                              \
        const struct symmetric of = {job, fill, n, lda, 1, a, values};                             \
        return find_eigenvalues_of_one(handle, letter, &of, space, count, params, info);           \
    }                                                                                              \
    int cusolverDn##Letter##spectrum##Batched_bufferSize(void *handle, int job, int fill, int n,   \
                                                         const T *a, int lda, const R *values,     \
                                                         int *count, void *params, int batch)      \
    {                                                                                              \
        const struct symmetric of = {job, fill, n, lda, batch, NULL, NULL};                        \
        (void)a, (void)values;                                                                     \
        return wl_solver_give_size(handle, is_symmetric_valid(&of, check(params)),                 \
                                   symmetric_elements(n), count);                                  \
    }                                                                                              \
    int cusolverDn##Letter##spectrum##Batched(void *handle, int job, int fill, int n, T *a,        \
                                              int lda, R *values, T *space, int count, int *info,  \
                                              void *params, int batch)                             \
    {                                                                                              \
        const struct symmetric of = {job, fill, n, lda, batch, a, values};                         \
        return find_eigenvalues_of_batch(handle, letter, &of, sizeof(R), space, count, params,     \
                                         info);                                                    \
    }                                                                                              \
    int cusolverDn##Letter##gesvdj_bufferSize(                                                     \
        void *handle, int job, int is_economic, int m, int n, const T *a, int lda,                 \
        const R *values, const T *u, int ldu, const T *v, int ldv, int *count, void *params)       \
    {                                                                                              \
        const struct singular of = {job, is_economic, m,    n,    lda,  ldu,                       \
                                    ldv, 1,           NULL, NULL, NULL, NULL};                     \
        (void)a, (void)values, (void)u, (void)v;                                                   \
        return wl_solver_give_size(handle, is_singular_valid(&of, check(params)),                  \
                                   singular_elements(m, n), count);                                \
    }                                                                                              \
    int cusolverDn##Letter##gesvdj(void *handle, int job, int is_economic, int m, int n, T *a,     \
                                   int lda, R *values, T *u, int ldu, T *v, int ldv, T *space,     \
                                   int count, int *info, void *params)                             \
    {                                                                                              \
        const struct singular of = {job, is_economic, m, n, lda, ldu, ldv, 1, a, values, u, v};    \
        return find_singular_values_of_one(handle, letter, &of, space, count, params, info);       \
    }                                                                                              \
    int cusolverDn##Letter##gesvdjBatched_bufferSize(                                              \
        void *handle, int job, int m, int n, const T *a, int lda, const R *values, const T *u,     \
        int ldu, const T *v, int ldv, int *count, void *params, int batch)                         \
    {                                                                                              \
        const struct singular of = {job, 0, m, n, lda, ldu, ldv, batch, NULL, NULL, NULL, NULL};   \
        (void)a, (void)values, (void)u, (void)v;                                                   \
        return wl_solver_give_size(                                                                \
            handle, is_singular_valid(&of, check(params)) && most(m, n) <= BATCH_ORDER_MOST,       \
            singular_elements(m, n), count);                                                       \
    }                                                                                              \
    int cusolverDn##Letter##gesvdjBatched(void *handle, int job, int m, int n, T *a, int lda,      \
                                          R *values, T *u, int ldu, T *v, int ldv, T *space,       \
                                          int count, int *info, void *params, int batch)           \
    {                                                                                              \
        const struct singular of = {job, 0, m, n, lda, ldu, ldv, batch, a, values, u, v};          \
        return find_singular_values_of_batch(handle, letter, &of, sizeof(R), space, count, params, \
                                             info);                                                \
    }
CALLS(S, 's', float, float, syevj)
CALLS(D, 'd', double, double, syevj)
CALLS(C, 'c', struct wl_solver_single, float, heevj)
CALLS(Z, 'z', struct wl_solver_twice, double, heevj)
