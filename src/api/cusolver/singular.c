/* Singular values by calls that give right vectors as columns: of batches (gesvdaStridedBatched),
 * by polar decomposition (Xgesvdp) and by random projection (Xgesvdr). All of them turn columns as
 * gesvdj does, which finds every value to within rounding, and keep as many as are wanted. */
#include <math.h>

#include "api/cusolver/number.h"

/* Of an m by n matrix the first `rank` values, and vectors where there is a place for them. */
struct truncated {
    int rank, m, n, lda, ldu, ldv;
    const void *a;
    void *values, *u, *v;
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int64_t elements_of(int m, int n)
{
    const int64_t columns = least(m, n);
    return (m + n + 1) * columns + wl_solver_usv_elements(m, n);
}

/* The length of what a v and u, as often as the values say, differ by. */
static double residual_of(char letter, const struct truncated *of, const char *values)
{
    const char real = wl_solver_real_bytes_of(letter) == sizeof(float) ? 's' : 'd';
    double squares = 0;
    for (int k = 0; k < of->rank; k++)
        for (int i = 0; i < of->m; i++) {
            wl_number sum = -wl_number_get(letter, of->u, i + (int64_t)k * of->ldu) *
                            wl_number_get(real, values, k);
            for (int j = 0; j < of->n; j++)
                sum += wl_number_get(letter, of->a, i + (int64_t)j * of->lda) *
                       wl_number_get(letter, of->v, j + (int64_t)k * of->ldv);
            squares += creal(sum) * creal(sum) + cimag(sum) * cimag(sum);
        }
    return sqrt(squares);
}

/* Leaves values, and vectors if any, in the space, and takes of them what is wanted. */
static int find(void *handle, char letter, const struct truncated *of, char *space, int64_t count,
                int *info)
{
    struct wl_solver_work work = wl_solver_begin(handle, letter, true, info);
    const int columns = least(of->m, of->n);
    struct wl_solver_work real = work;
    struct wl_solver_usv all = {
        1, 1, of->m, of->n, of->lda, of->m, of->n, (void *)(uintptr_t)of->a, NULL, NULL, NULL};
    if (work.status || !columns)
        return work.status;
    all.u = wl_solver_take(&work, &space, (int64_t)of->m * columns);
    all.v = wl_solver_take(&work, &space, (int64_t)of->n * columns);
    all.values = wl_solver_take(&work, &space, columns);
    count -= (int64_t)(of->m + of->n + 1) * columns;
    work.status = wl_solver_usv(handle, letter, &all, space, count, info);
    real.letter = wl_solver_real_bytes_of(letter) == sizeof(float) ? 's' : 'd';
    real.status = work.status;
    wl_solver_place(&real, of->rank, 1, wl_solver_matrix_of(all.values, columns),
                    wl_solver_matrix_of(of->values, columns));
    if (of->u)
        wl_solver_place(&work, of->m, of->rank, wl_solver_matrix_of(all.u, of->m),
                        wl_solver_matrix_of(of->u, of->ldu));
    if (of->v)
        wl_solver_place(&work, of->n, of->rank, wl_solver_matrix_of(all.v, of->n),
                        wl_solver_matrix_of(of->v, of->ldv));
    return work.status;
}

/* ---- batches ---- */

struct strides {
    long long a, values, u, v;
};

static bool is_batch_valid(int job, const struct truncated *of, int batch)
{
    return (unsigned)job <= 1 && wl_solver_is_valid(of->m, of->n, of->lda) && of->rank >= 0 &&
           batch >= 0 &&
           (!job || (of->ldu >= (of->m > 1 ? of->m : 1) && of->ldv >= (of->n > 1 ? of->n : 1)));
}

/* residuals: on the host, if any. */
static int find_of_batch(void *handle, char letter, int job, const struct truncated *of,
                         struct strides apart, char *space, int count, double *residuals, int batch,
                         int *info)
{
    const long long bytes = (long long)wl_solver_bytes_of(letter),
                    real_bytes = (long long)wl_solver_real_bytes_of(letter);
    struct wl_solver_work work =
        wl_solver_begin(handle, letter,
                        is_batch_valid(job, of, batch) && of->rank <= least(of->m, of->n) &&
                            count >= elements_of(of->m, of->n),
                        info);
    for (int i = 0; !work.status && i < batch; i++) {
        struct truncated own = *of;
        own.a = (const char *)of->a + i * apart.a * bytes;
        own.values = (char *)of->values + i * apart.values * real_bytes;
        own.u = job ? (char *)of->u + i * apart.u * bytes : NULL;
        own.v = job ? (char *)of->v + i * apart.v * bytes : NULL;
        work.status = find(handle, letter, &own, space, count, info + i);
        if (!residuals || !job)
            continue;
        wl_solver_wait(&work);
        if (!work.status)
            residuals[i] = residual_of(letter, &own, own.values);
    }
    return work.status;
}

#define CALLS(L, letter, T, R)                                                                 \
    int cusolverDn##L##gesvdaStridedBatched_bufferSize(                                        \
        void *handle, int job, int rank, int m, int n, const T *a, int lda, long long apart,   \
        const R *values, long long values_apart, const T *u, int ldu, long long u_apart,       \
        const T *v, int ldv, long long v_apart, int *count, int batch)                         \
    {                                                                                          \
        const struct truncated of = {rank, m, n, lda, ldu, ldv, a, NULL, NULL, NULL};          \
        (void)apart, (void)values, (void)values_apart, (void)u, (void)u_apart, (void)v;        \
        (void)v_apart;                                                                         \
        return wl_solver_give_size(handle, is_batch_valid(job, &of, batch), elements_of(m, n), \
                                   count);                                                     \
    }                                                                                          \
    int cusolverDn##L##gesvdaStridedBatched(                                                   \
        void *handle, int job, int rank, int m, int n, const T *a, int lda, long long apart,   \
        R *values, long long values_apart, T *u, int ldu, long long u_apart, T *v, int ldv,    \
        long long v_apart, T *space, int count, int *info, double *residuals, int batch)       \
    {                                                                                          \
        const struct truncated of = {rank, m, n, lda, ldu, ldv, a, values, u, v};              \
        return find_of_batch(handle, letter, job, &of,                                         \
                             (struct strides){apart, values_apart, u_apart, v_apart},          \
                             (char *)space, count, residuals, batch, info);                    \
    }
CALLS(S, 's', float, float)
CALLS(D, 'd', double, double)
CALLS(C, 'c', struct wl_solver_single, float)
CALLS(Z, 'z', struct wl_solver_twice, double)

/* ---- by polar decomposition ---- */

static bool is_usv_valid(const struct wl_solver_usv *of)
{
    return (unsigned)of->job <= 1 && (unsigned)of->is_economic <= 1 &&
           wl_solver_is_valid(of->m, of->n, of->lda) &&
           (!of->job || (of->ldu >= (of->m > 1 ? of->m : 1) && of->ldv >= (of->n > 1 ? of->n : 1)));
}

int cusolverDnXgesvdp_bufferSize(void *handle, void *params, int job, int is_economic, int64_t m,
                                 int64_t n, int type, const void *a, int64_t lda, int type_values,
                                 const void *values, int type_u, const void *u, int64_t ldu,
                                 int type_v, const void *v, int64_t ldv, int compute,
                                 size_t *device, size_t *host)
{
    const struct wl_solver_usv of = {job,
                                     is_economic,
                                     wl_solver_narrow(m),
                                     wl_solver_narrow(n),
                                     wl_solver_narrow(lda),
                                     wl_solver_narrow(ldu),
                                     wl_solver_narrow(ldv),
                                     NULL,
                                     NULL,
                                     NULL,
                                     NULL};
    (void)params, (void)a, (void)values, (void)type_u, (void)u, (void)type_v, (void)v;
    (void)compute;
    return wl_solver_give_sizes(
        handle, WL_SOLVER_LETTER_OF_REAL(cusolverDnXgesvdp, type, type_values), is_usv_valid(&of),
        wl_solver_usv_elements(of.m, of.n), device, host);
}

/* error: by how much values may be wrong because the matrix was changed to make it regular, which
 * is not done here. */
int cusolverDnXgesvdp(void *handle, void *params, int job, int is_economic, int64_t m, int64_t n,
                      int type, void *a, int64_t lda, int type_values, void *values, int type_u,
                      void *u, int64_t ldu, int type_v, void *v, int64_t ldv, int compute,
                      void *space, size_t bytes, void *host_space, size_t host_bytes, int *info,
                      double *error)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXgesvdp, type, type_values);
    const struct wl_solver_usv of = {job,
                                     is_economic,
                                     wl_solver_narrow(m),
                                     wl_solver_narrow(n),
                                     wl_solver_narrow(lda),
                                     wl_solver_narrow(ldu),
                                     wl_solver_narrow(ldv),
                                     a,
                                     values,
                                     u,
                                     v};
    (void)params, (void)type_u, (void)type_v, (void)compute, (void)host_space, (void)host_bytes;
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    const int status = wl_solver_usv(handle, letter, &of, space,
                                     (int64_t)(bytes / wl_solver_bytes_of(letter)), info);
    if (!status && error)
        *error = 0;
    return status;
}

/* ---- by random projection ---- */

static bool is_job(signed char job)
{
    return job == 'S' || job == 'N';
}

static bool is_projection_valid(signed char job_u, signed char job_v, const struct truncated *of,
                                int64_t more, int64_t rounds)
{
    return is_job(job_u) && is_job(job_v) && wl_solver_is_valid(of->m, of->n, of->lda) &&
           of->rank >= 0 && more >= 0 && of->rank + more <= least(of->m, of->n) && rounds >= 0 &&
           (job_u == 'N' || of->ldu >= of->m) && (job_v == 'N' || of->ldv >= of->n);
}

int cusolverDnXgesvdr_bufferSize(void *handle, void *params, signed char job_u, signed char job_v,
                                 int64_t m, int64_t n, int64_t k, int64_t more, int64_t rounds,
                                 int type, const void *a, int64_t lda, int type_values,
                                 const void *values, int type_u, const void *u, int64_t ldu,
                                 int type_v, const void *v, int64_t ldv, int compute,
                                 size_t *device, size_t *host)
{
    const struct truncated of = {wl_solver_narrow(k),
                                 wl_solver_narrow(m),
                                 wl_solver_narrow(n),
                                 wl_solver_narrow(lda),
                                 wl_solver_narrow(ldu),
                                 wl_solver_narrow(ldv),
                                 NULL,
                                 NULL,
                                 NULL,
                                 NULL};
    (void)params, (void)a, (void)values, (void)type_u, (void)u, (void)type_v, (void)v;
    (void)compute;
    return wl_solver_give_sizes(handle,
                                WL_SOLVER_LETTER_OF_REAL(cusolverDnXgesvdr, type, type_values),
                                is_projection_valid(job_u, job_v, &of, more, rounds),
                                elements_of(of.m, of.n), device, host);
}

int cusolverDnXgesvdr(void *handle, void *params, signed char job_u, signed char job_v, int64_t m,
                      int64_t n, int64_t k, int64_t more, int64_t rounds, int type, void *a,
                      int64_t lda, int type_values, void *values, int type_u, void *u, int64_t ldu,
                      int type_v, void *v, int64_t ldv, int compute, void *space, size_t bytes,
                      void *host_space, size_t host_bytes, int *info)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXgesvdr, type, type_values);
    const struct truncated of = {wl_solver_narrow(k),
                                 wl_solver_narrow(m),
                                 wl_solver_narrow(n),
                                 wl_solver_narrow(lda),
                                 wl_solver_narrow(ldu),
                                 wl_solver_narrow(ldv),
                                 a,
                                 values,
                                 job_u == 'N' ? NULL : u,
                                 job_v == 'N' ? NULL : v};
    (void)params, (void)type_u, (void)type_v, (void)compute, (void)host_space, (void)host_bytes;
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    const int64_t count = (int64_t)(bytes / wl_solver_bytes_of(letter));
    const struct wl_solver_work work = wl_solver_begin(
        handle, letter,
        is_projection_valid(job_u, job_v, &of, more, rounds) && count >= elements_of(of.m, of.n),
        info);
    return work.status ? work.status : find(handle, letter, &of, space, count, info);
}
