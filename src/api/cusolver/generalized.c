/* Eigenvalues of pairs of matrices (sygvd, sygvdx, sygvj) and some of all eigenvalues (syevdx). The
 * second matrix's Cholesky factor makes a pair one matrix, of which syevd or syevj finds the
 * eigenvalues; their vectors are then turned back. All eigenvalues are found, and those that are
 * wanted kept. */
#include <string.h>

#include "api/cusolver/cusolver.h"

enum { ALL = 1001, BY_INDEX = 1002, BY_VALUE = 1003 };       /* which eigenvalues are wanted */
enum { AX_IS_BX = 1, ABX_IS_X = 2, BAX_IS_X = 3, NONE = 0 }; /* what vectors fulfil, times values */

struct pencil {
    int type, job, fill, n, lda, ldb;
    void *a, *b, *values;
    void *turns; /* of syevj; NULL: syevd */
    bool has_turns;
    int range; /* ALL, BY_INDEX, BY_VALUE */
    double from, to;
    int first, last;
};

static bool is_valid(const struct pencil *of)
{
    const bool is_index_valid =
        of->range != BY_INDEX ||
        (of->n == 0 ? 1 : of->first >= 1 && of->first <= of->last && of->last <= of->n);
    return of->type >= NONE && of->type <= BAX_IS_X && (unsigned)of->job <= 1 &&
           (unsigned)of->fill <= WL_SOLVER_UPPER && wl_solver_is_valid(of->n, of->n, of->lda) &&
           (!of->type || wl_solver_is_valid(of->n, of->n, of->ldb)) && of->range >= ALL &&
           of->range <= BY_VALUE && (of->range != BY_VALUE || of->from < of->to) &&
           is_index_valid && (!of->has_turns || wl_solver_is_turns(of->turns));
}

/* A matrix, its values and what syevd or syevj takes. */
static int64_t elements_of(const struct pencil *of)
{
    const int64_t n = of->n;
    return n * n + n +
           (of->has_turns ? wl_solver_syevj_elements(of->n) : wl_solver_syevd_elements(of->n));
}

/* full = the matrix that has a pair's eigenvalues: inverse of L times A times that of L', or
 * L' A L. other: as large as full. */
static void make_one(struct wl_solver_work *work, const struct pencil *of,
                     struct wl_solver_matrix l, struct wl_solver_matrix full,
                     struct wl_solver_matrix other)
{
    struct wl_solver_matrix a = wl_solver_matrix_of(of->a, of->lda);
    int64_t rows = of->n;
    void *shift = NULL;
    if (of->fill == WL_SOLVER_UPPER)
        a = wl_solver_adjoint(a);
    wl_solver_launch_over(work, "mirror", rows * rows, (void *[]){&rows, &a, &shift, &full.values});
    if (of->type == AX_IS_BX) {
        wl_solver_solve(work, of->n, l, 0, 0, full, of->n);
        wl_solver_solve(work, of->n, l, 0, 0, wl_solver_adjoint(full), of->n);
        return;
    }
    wl_solver_product(work, &(struct wl_solver_product){rows, rows, rows, wl_solver_adjoint(l),
                                                        WL_SOLVER_ABOVE, 0, full, other, 0});
    wl_solver_product(
        work, &(struct wl_solver_product){rows, rows, rows, wl_solver_adjoint(l), WL_SOLVER_ABOVE,
                                          0, wl_solver_adjoint(other), wl_solver_adjoint(full), 0});
}

/* A pair's vectors, in a's place, from those of that matrix. */
static void turn_back(struct wl_solver_work *work, const struct pencil *of,
                      struct wl_solver_matrix l, struct wl_solver_matrix vectors)
{
    const struct wl_solver_matrix a = wl_solver_matrix_of(of->a, of->lda);
    if (of->type == BAX_IS_X) {
        wl_solver_product(work, &(struct wl_solver_product){of->n, of->n, of->n, l, WL_SOLVER_BELOW,
                                                            0, vectors, a, 0});
        return;
    }
    wl_solver_place(work, of->n, of->n, vectors, a);
    wl_solver_solve(work, of->n, wl_solver_adjoint(l), 1, 0, a, of->n);
}

static int find_all(void *handle, char letter, const struct pencil *of, int fill, void *a, int lda,
                    void *values, char *space, int64_t count, int *info)
{
    return of->has_turns ? wl_solver_syevj(handle, letter, of->job, fill, of->n, a, lda, values,
                                           space, count, of->turns, info)
                         : wl_solver_syevd(handle, letter, of->job, fill, of->n, a, lda, values,
                                           space, count, info);
}

/* How many of the values, in order, are wanted, and which is the first. */
static int select_values(const struct pencil *of, char letter, const void *values, int *first)
{
    const bool is_narrow = wl_solver_real_bytes_of(letter) == sizeof(float);
    int count = 0;
    *first = 0;
    if (of->range == ALL)
        return of->n;
    if (of->range == BY_INDEX) {
        *first = of->n ? of->first - 1 : 0;
        return of->n ? of->last - of->first + 1 : 0;
    }
    for (int i = 0; i < of->n; i++) {
        const double value =
            is_narrow ? (double)((const float *)values)[i] : ((const double *)values)[i];
        if (value > of->from && value <= of->to && !count++)
            *first = i;
    }
    return count;
}

/* The first columns of a become those that are wanted, and so the values; space: of a matrix. */
static void keep_wanted(struct wl_solver_work *work, const struct pencil *of, char *all_values,
                        struct wl_solver_matrix space, int *found)
{
    const size_t bytes = wl_solver_real_bytes_of(work->letter);
    const struct wl_solver_matrix a = wl_solver_matrix_of(of->a, of->lda);
    struct wl_solver_work real = *work;
    int first = 0;
    wl_solver_wait(work);
    if (work->status)
        return;
    *found = select_values(of, work->letter, all_values, &first);
    real.letter = bytes == sizeof(float) ? 's' : 'd';
    wl_solver_place(&real, *found, 1,
                    wl_solver_matrix_of(all_values + (size_t)first * bytes, of->n),
                    wl_solver_matrix_of(of->values, of->n));
    if (of->job && first) {
        wl_solver_place(work, of->n, *found, wl_solver_from(work, a, 0, first), space);
        wl_solver_place(work, of->n, *found, space, a);
    }
}

/* found: how many eigenvalues there are, on the host. */
static int find(void *handle, char letter, const struct pencil *of, char *space, int64_t count,
                int *found, int *info)
{
    struct wl_solver_work work = wl_solver_begin(handle, letter, is_valid(of) && found, info);
    const int64_t n = of->n, wanted = elements_of(of);
    space = wl_solver_space(&work, space, count, wanted);
    if (work.status || !n) {
        if (!work.status)
            *found = 0;
        return wl_solver_end(&work);
    }
    const struct wl_solver_matrix full =
        wl_solver_matrix_of(wl_solver_take(&work, &space, n * n), of->n);
    char *all_values = wl_solver_take(&work, &space, n);
    const struct wl_solver_matrix b = wl_solver_matrix_of(of->b, of->ldb),
                                  l = of->fill == WL_SOLVER_UPPER ? wl_solver_adjoint(b) : b;
    count = (count > wanted ? count : wanted) - n * n - n;
    if (!of->type) {
        work.status =
            find_all(handle, letter, of, of->fill, of->a, of->lda, all_values, space, count, info);
        keep_wanted(&work, of, all_values, full, found);
        return wl_solver_end(&work);
    }
    work.status = wl_solver_potrf(handle, letter, of->fill, of->n, of->b, of->ldb, info);
    wl_solver_wait(&work);
    if (!work.status && *info) {
        *info += of->has_turns ? 0 : of->n; /* which the host can write here */
        *found = 0;
        return wl_solver_end(&work);
    }
    make_one(&work, of, l, full, wl_solver_matrix_of(space, of->n));
    if (!work.status)
        work.status = find_all(handle, letter, of, WL_SOLVER_LOWER, full.values, of->n, all_values,
                               space, count, info);
    if (of->job)
        turn_back(&work, of, l, full);
    keep_wanted(&work, of, all_values, full, found);
    return wl_solver_end(&work);
}

/* ---- the calls ---- */

/* some: whether a range is given; R: what values are. */
#define GENERALIZED(L, letter, T, R, sygvd)                                                        \
    int cusolverDn##L##sygvd##_bufferSize(void *handle, int type, int job, int fill, int n,        \
                                          const T *a, int lda, const T *b, int ldb,                \
                                          const R *values, int *count)                             \
    {                                                                                              \
        const struct pencil of = {                                                                 \
            .type = type, .job = job, .fill = fill, .n = n, .lda = lda, .ldb = ldb, .range = ALL}; \
        (void)a, (void)b, (void)values;                                                            \
        return wl_solver_give_size(handle, type && is_valid(&of), elements_of(&of), count);        \
    }                                                                                              \
    int cusolverDn##L##sygvd(void *handle, int type, int job, int fill, int n, T *a, int lda,      \
                             T *b, int ldb, R *values, T *space, int count, int *info)             \
    {                                                                                              \
        int found;                                                                                 \
        const struct pencil of = {.type = type ? type : -1,                                        \
                                  .job = job,                                                      \
                                  .fill = fill,                                                    \
                                  .n = n,                                                          \
                                  .lda = lda,                                                      \
                                  .ldb = ldb,                                                      \
                                  .a = a,                                                          \
                                  .b = b,                                                          \
                                  .values = values,                                                \
                                  .range = ALL};                                                   \
        return find(handle, letter, &of, (char *)space, count, &found, info);                      \
    }
GENERALIZED(S, 's', float, float, sygvd)
GENERALIZED(D, 'd', double, double, sygvd)
GENERALIZED(C, 'c', struct wl_solver_single, float, hegvd)
GENERALIZED(Z, 'z', struct wl_solver_twice, double, hegvd)

#define BY_TURNS(L, letter, T, R, sygvj)                                                      \
    int cusolverDn##L##sygvj##_bufferSize(void *handle, int type, int job, int fill, int n,   \
                                          const T *a, int lda, const T *b, int ldb,           \
                                          const R *values, int *count, void *turns)           \
    {                                                                                         \
        const struct pencil of = {.type = type,                                               \
                                  .job = job,                                                 \
                                  .fill = fill,                                               \
                                  .n = n,                                                     \
                                  .lda = lda,                                                 \
                                  .ldb = ldb,                                                 \
                                  .range = ALL,                                               \
                                  .turns = turns,                                             \
                                  .has_turns = true};                                         \
        (void)a, (void)b, (void)values;                                                       \
        return wl_solver_give_size(handle, type && is_valid(&of), elements_of(&of), count);   \
    }                                                                                         \
    int cusolverDn##L##sygvj(void *handle, int type, int job, int fill, int n, T *a, int lda, \
                             T *b, int ldb, R *values, T *space, int count, int *info,        \
                             void *turns)                                                     \
    {                                                                                         \
        int found;                                                                            \
        const struct pencil of = {.type = type ? type : -1,                                   \
                                  .job = job,                                                 \
                                  .fill = fill,                                               \
                                  .n = n,                                                     \
                                  .lda = lda,                                                 \
                                  .ldb = ldb,                                                 \
                                  .a = a,                                                     \
                                  .b = b,                                                     \
                                  .values = values,                                           \
                                  .range = ALL,                                               \
                                  .turns = turns,                                             \
                                  .has_turns = true};                                         \
        return find(handle, letter, &of, (char *)space, count, &found, info);                 \
    }
BY_TURNS(S, 's', float, float, sygvj)
BY_TURNS(D, 'd', double, double, sygvj)
BY_TURNS(C, 'c', struct wl_solver_single, float, hegvj)
BY_TURNS(Z, 'z', struct wl_solver_twice, double, hegvj)

#define SOME(L, letter, T, R, sygvdx, syevdx)                                                      \
    int cusolverDn##L##sygvdx##_bufferSize(void *handle, int type, int job, int range, int fill,   \
                                           int n, const T *a, int lda, const T *b, int ldb,        \
                                           R from, R to, int first, int last, int *found,          \
                                           const R *values, int *count)                            \
    {                                                                                              \
        const struct pencil of = {.type = type,                                                    \
                                  .job = job,                                                      \
                                  .fill = fill,                                                    \
                                  .n = n,                                                          \
                                  .lda = lda,                                                      \
                                  .ldb = ldb,                                                      \
                                  .range = range,                                                  \
                                  .from = (double)from,                                            \
                                  .to = (double)to,                                                \
                                  .first = first,                                                  \
                                  .last = last};                                                   \
        (void)a, (void)b, (void)values, (void)found;                                               \
        return wl_solver_give_size(handle, type && is_valid(&of), elements_of(&of), count);        \
    }                                                                                              \
    int cusolverDn##L##sygvdx(void *handle, int type, int job, int range, int fill, int n, T *a,   \
                              int lda, T *b, int ldb, R from, R to, int first, int last,           \
                              int *found, R *values, T *space, int count, int *info)               \
    {                                                                                              \
        const struct pencil of = {.type = type ? type : -1,                                        \
                                  .job = job,                                                      \
                                  .fill = fill,                                                    \
                                  .n = n,                                                          \
                                  .lda = lda,                                                      \
                                  .ldb = ldb,                                                      \
                                  .a = a,                                                          \
                                  .b = b,                                                          \
                                  .values = values,                                                \
                                  .range = range,                                                  \
                                  .from = (double)from,                                            \
                                  .to = (double)to,                                                \
                                  .first = first,                                                  \
                                  .last = last};                                                   \
        return find(handle, letter, &of, (char *)space, count, found, info);                       \
    }                                                                                              \
    int cusolverDn##L##syevdx##_bufferSize(void *handle, int job, int range, int fill, int n,      \
                                           const T *a, int lda, R from, R to, int first, int last, \
                                           int *found, const R *values, int *count)                \
    {                                                                                              \
        const struct pencil of = {.job = job,                                                      \
                                  .fill = fill,                                                    \
                                  .n = n,                                                          \
                                  .lda = lda,                                                      \
                                  .range = range,                                                  \
                                  .from = (double)from,                                            \
                                  .to = (double)to,                                                \
                                  .first = first,                                                  \
                                  .last = last};                                                   \
        (void)a, (void)values, (void)found;                                                        \
        return wl_solver_give_size(handle, is_valid(&of), elements_of(&of), count);                \
    }                                                                                              \
    int cusolverDn##L##syevdx(void *handle, int job, int range, int fill, int n, T *a, int lda,    \
                              R from, R to, int first, int last, int *found, R *values, T *space,  \
                              int count, int *info)                                                \
    {                                                                                              \
        const struct pencil of = {.job = job,                                                      \
                                  .fill = fill,                                                    \
                                  .n = n,                                                          \
                                  .lda = lda,                                                      \
                                  .a = a,                                                          \
                                  .values = values,                                                \
                                  .range = range,                                                  \
                                  .from = (double)from,                                            \
                                  .to = (double)to,                                                \
                                  .first = first,                                                  \
                                  .last = last};                                                   \
        return find(handle, letter, &of, (char *)space, count, found, info);                       \
    }
SOME(S, 's', float, float, sygvdx, syevdx)
SOME(D, 'd', double, double, sygvdx, syevdx)
SOME(C, 'c', struct wl_solver_single, float, hegvdx, heevdx)
SOME(Z, 'z', struct wl_solver_twice, double, hegvdx, heevdx)

/* from and to: of the values' type, on the host; NULL where they are not asked for. */
static struct pencil wide_pencil(char letter, int job, int range, int fill, int64_t n, int64_t lda,
                                 const void *from, const void *to, int64_t first, int64_t last)
{
    const bool is_narrow = letter && wl_solver_real_bytes_of(letter) == sizeof(float);
    struct pencil of = {.job = job,
                        .range = range,
                        .fill = fill,
                        .n = wl_solver_narrow(n),
                        .lda = wl_solver_narrow(lda),
                        .first = wl_solver_narrow(first),
                        .last = wl_solver_narrow(last)};
    if (range == BY_VALUE && from && to) {
        of.from = is_narrow ? (double)*(const float *)from : *(const double *)from;
        of.to = is_narrow ? (double)*(const float *)to : *(const double *)to;
    }
    return of;
}

int cusolverDnXsyevdx_bufferSize(void *handle, void *params, int job, int range, int fill,
                                 int64_t n, int type, const void *a, int64_t lda, void *from,
                                 void *to, int64_t first, int64_t last, int64_t *found,
                                 int type_values, const void *values, int compute, size_t *device,
                                 size_t *host)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXsyevdx, type, type_values);
    const struct pencil of = wide_pencil(letter, job, range, fill, n, lda, from, to, first, last);
    (void)params, (void)a, (void)found, (void)values, (void)compute;
    return wl_solver_give_sizes(handle, letter, is_valid(&of), elements_of(&of), device, host);
}

int cusolverDnXsyevdx(void *handle, void *params, int job, int range, int fill, int64_t n, int type,
                      void *a, int64_t lda, void *from, void *to, int64_t first, int64_t last,
                      int64_t *found, int type_values, void *values, int compute, void *space,
                      size_t bytes, void *host_space, size_t host_bytes, int *info)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXsyevdx, type, type_values);
    struct pencil of = wide_pencil(letter, job, range, fill, n, lda, from, to, first, last);
    int narrow_found = 0;
    (void)params, (void)compute, (void)host_space, (void)host_bytes;
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    of.a = a, of.values = values;
    const int status =
        find(handle, letter, &of, space, (int64_t)(bytes / wl_solver_bytes_of(letter)),
             found ? &narrow_found : NULL, info);
    if (!status)
        *found = narrow_found;
    return status;
}

int cusolverDnXsyevBatched_bufferSize(void *handle, void *params, int job, int fill, int64_t n,
                                      int type, const void *a, int64_t lda, int type_values,
                                      const void *values, int compute, size_t *device, size_t *host,
                                      int64_t batch)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXsyevBatched, type, type_values);
    const struct pencil of = wide_pencil(letter, job, ALL, fill, n, lda, NULL, NULL, 0, 0);
    (void)params, (void)a, (void)values, (void)compute;
    return wl_solver_give_sizes(handle, letter, is_valid(&of) && wl_solver_narrow(batch) >= 0,
                                wl_solver_syevd_elements(of.n), device, host);
}

/* Matrices and their values lie one behind another. */
int cusolverDnXsyevBatched(void *handle, void *params, int job, int fill, int64_t n, int type,
                           void *a, int64_t lda, int type_values, void *values, int compute,
                           void *space, size_t bytes, void *host_space, size_t host_bytes,
                           int *info, int64_t batch)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXsyevBatched, type, type_values);
    const struct pencil of = wide_pencil(letter, job, ALL, fill, n, lda, NULL, NULL, 0, 0);
    int status = WL_SOLVER_OK;
    (void)params, (void)compute, (void)host_space, (void)host_bytes;
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!is_valid(&of) || wl_solver_narrow(batch) < 0 || !info)
        return WL_SOLVER_INVALID_VALUE;
    for (int64_t i = 0; !status && i < batch; i++)
        status = wl_solver_syevd(
            handle, letter, job, fill, of.n,
            (char *)a + (size_t)i * (size_t)lda * (size_t)n * wl_solver_bytes_of(letter), of.lda,
            (char *)values + (size_t)i * (size_t)n * wl_solver_real_bytes_of(letter), space,
            (int64_t)(bytes / wl_solver_bytes_of(letter)), info + i);
    return status;
}
