/* Singular values, and eigenvalues of symmetric and Hermitian matrices, in single and double
 * precision. Both turn columns until they are orthogonal: lengths of columns are then singular
 * values, and with what makes it positive definite on its diagonal those of a symmetric matrix are
 * its eigenvalues.
 */
#include <math.h>

#include "api/cusolver/cusolver.h"

void wl_solver_orthogonalize(struct wl_solver_work *work, int64_t rows, int columns, void *a,
                             void *v, const struct wl_solver_sweeps *sweeps, int *info)
{
    int64_t step_v = columns;
    struct wl_solver_sweeps given = *sweeps;
    double wide = 2.3e-16 * sqrt((double)rows);
    float narrow = 1.2e-7f * sqrtf((float)rows);
    const bool is_narrow = work->letter == 's' || work->letter == 'c';
    wl_solver_launch(work, "orthogonalize", 1, 1,
                     (void *[]){&rows, &columns, &a, &rows, &v, &step_v,
                                is_narrow ? (void *)&narrow : &wide, &given.most, &given.failed,
                                &given.done, &info});
}

void *wl_solver_take(const struct wl_solver_work *work, char **space, int64_t elements)
{
    void *place = *space;
    *space += (size_t)elements * work->element_bytes;
    return place;
}

/* What calls that are not told otherwise do. */
static const struct wl_solver_sweeps usual_sweeps = {.most = 60, .failed = 1};

/* ---- eigenvalues ---- */

int64_t wl_solver_syevd_elements(int n)
{
    return (int64_t)n * n + n + 1;
}

static bool is_symmetric_valid(int job, int fill, int n, int lda)
{
    return (unsigned)job <= 1 && (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, lda);
}

int wl_solver_syevd(void *handle, char letter, int job, int fill, int n, void *a, int lda,
                    void *values, char *space, int64_t count, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter, is_symmetric_valid(job, fill, n, lda), info);
    space = wl_solver_space(&work, space, count, wl_solver_syevd_elements(n));
    struct wl_solver_matrix given = wl_solver_matrix_of(a, lda);
    const struct wl_solver_matrix none = {0};
    struct wl_solver_matrix vectors = job ? given : none;
    int64_t rows = n;
    int failed = usual_sweeps.failed;
    void *full = wl_solver_take(&work, &space, rows * rows),
         *lengths = wl_solver_take(&work, &space, rows);
    void *shift = wl_solver_take(&work, &space, 1), *nothing = NULL;
    if (fill == WL_SOLVER_UPPER)
        given = wl_solver_adjoint(given);
    if (n == 0)
        return wl_solver_end(&work);
    wl_solver_launch(&work, "find_shift", 1, 1, (void *[]){&rows, &given, &shift});
    wl_solver_launch_over(&work, "mirror", rows * rows, (void *[]){&rows, &given, &shift, &full});
    wl_solver_tell(&work, WL_LIBRARY_SYEVD, n, n, 1);
    wl_solver_orthogonalize(&work, rows, n, full, NULL, &usual_sweeps, info);
    wl_solver_launch(&work, "measure", n, 1, (void *[]){&rows, &full, &rows, &lengths});
    wl_solver_launch(&work, "order", n, 1,
                     (void *[]){&rows, &n, &full, &nothing, &lengths, &shift, &values, &vectors,
                                (void *)&none, &info, &failed});
    return wl_solver_end(&work);
}

/* ---- singular values ---- */

int64_t wl_solver_gesvd_elements(int m, int n)
{
    return (int64_t)m * n + (int64_t)n * n + n;
}

/* A: all of U or V', S: as many as there are values, O: in A's place, N: none. */
static bool is_job(char job)
{
    return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

static bool is_decomposition_valid(const struct wl_solver_decomposition *of)
{
    return is_job(of->job_u) && is_job(of->job_v) && (of->job_u != 'O' || of->job_v != 'O') &&
           of->m >= of->n && wl_solver_is_valid(of->m, of->n, of->lda) &&
           (of->job_u == 'N' || of->job_u == 'O' || wl_solver_is_valid(of->m, of->n, of->ldu)) &&
           (of->job_v == 'N' || of->job_v == 'O' || wl_solver_is_valid(of->n, of->n, of->ldv));
}

int wl_solver_gesvd(void *handle, char letter, struct wl_solver_decomposition of, char *space,
                    int64_t count, int *info)
{
    struct wl_solver_work work =
        wl_solver_begin_told(handle, letter, is_decomposition_valid(&of), info);
    space = wl_solver_space(&work, space, count, wl_solver_gesvd_elements(of.m, of.n));
    int64_t rows = of.m, columns = of.n;
    const struct wl_solver_matrix a = wl_solver_matrix_of(of.a, of.lda);
    void *copy = wl_solver_take(&work, &space, rows * columns),
         *turns = wl_solver_take(&work, &space, columns * columns);
    void *lengths = wl_solver_take(&work, &space, columns), *nothing = NULL;
    struct wl_solver_matrix u = of.job_u == 'O' ? a : wl_solver_matrix_of(of.u, of.ldu),
                            v = of.job_v == 'O' ? a : wl_solver_matrix_of(of.v, of.ldv);
    int wanted = of.job_u == 'A' ? of.m : of.n, unused = 0;
    if (of.job_u == 'N')
        u.values = NULL;
    if (of.job_v == 'N')
        v.values = NULL;
    if (work.status)
        return work.status;
    wl_solver_launch_over(&work, "copy", rows * columns,
                          (void *[]){&rows, &columns, (void *)&a, &copy, &rows});
    if (of.n) {
        wl_solver_tell(&work, WL_LIBRARY_GESVD, rows, columns, 1);
        wl_solver_orthogonalize(&work, rows, of.n, copy, v.values ? turns : NULL, &usual_sweeps,
                                info);
        wl_solver_launch(&work, "measure", of.n, 1, (void *[]){&rows, &copy, &rows, &lengths});
        wl_solver_launch(&work, "order", of.n, 1,
                         (void *[]){&rows, &of.n, &copy, &turns, &lengths, &nothing, &of.values, &u,
                                    &v, &nothing, &unused});
    }
    if (u.values)
        wl_solver_launch(&work, "complete", 1, 1,
                         (void *[]){&rows, &of.n, &wanted, &u.values, &u.column_step});
    return wl_solver_end(&work);
}

/* R: what its values are; spectrum: of a symmetric or Hermitian matrix. */
#define CALLS(Letter, letter, T, R, spectrum)                                                      \
    int cusolverDn##Letter##spectrum##_bufferSize(                                                 \
        void *handle, int job, int fill, int n, const T *a, int lda, const R *values, int *count)  \
    {                                                                                              \
        (void)a, (void)values;                                                                     \
        return wl_solver_give_size(handle, is_symmetric_valid(job, fill, n, lda),                  \
                                   wl_solver_syevd_elements(n), count);                            \
    }                                                                                              \
    int cusolverDn##Letter##spectrum(void *handle, int job, int fill, int n, T *a, int lda,        \
                                     R *values, T *space, int count, int *info)                    \
    {                                                                                              \
        return wl_solver_syevd(handle, letter, job, fill, n, a, lda, values, (char *)space, count, \
                               info);                                                              \
    }                                                                                              \
    int cusolverDn##Letter##gesvd_bufferSize(void *handle, int m, int n, int *count)               \
    {                                                                                              \
        return wl_solver_give_size(                                                                \
            handle, m >= 0 && n >= 0,                                                              \
            m < n ? wl_solver_gesvd_elements(n, m) : wl_solver_gesvd_elements(m, n), count);       \
    }                                                                                              \
    int cusolverDn##Letter##gesvd(void *handle, signed char job_u, signed char job_v, int m,       \
                                  int n, T *a, int lda, R *values, T *u, int ldu, T *v, int ldv,   \
                                  T *space, int count, R *more, int *info)                         \
    {                                                                                              \
        (void)more;                                                                                \
        return wl_solver_gesvd(handle, letter,                                                     \
                               (struct wl_solver_decomposition){(char)job_u, (char)job_v, m, n,    \
                                                                lda, ldu, ldv, a, values, u, v},   \
                               (char *)space, count, info);                                        \
    }
CALLS(S, 's', float, float, syevd)
CALLS(D, 'd', double, double, syevd)
CALLS(C, 'c', struct wl_solver_single, float, heevd)
CALLS(Z, 'z', struct wl_solver_twice, double, heevd)
