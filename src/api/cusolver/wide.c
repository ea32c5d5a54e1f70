/* The calls that take types and sizes of 64 bits (cusolverDnX...), over those that name their type.
 */
#include "api/cusolver/cusolver.h"

/* ---- Cholesky ---- */

int cusolverDnXpotrf_bufferSize(void *handle, void *params, int fill, int64_t n, int type,
                                const void *a, int64_t lda, int compute, size_t *device,
                                size_t *host)
{
    (void)params, (void)a;
    return wl_solver_give_sizes(
        handle, WL_SOLVER_LETTER(cusolverDnXpotrf, type, compute),
        (unsigned)fill <= WL_SOLVER_UPPER &&
            wl_solver_is_valid(wl_solver_narrow(n), wl_solver_narrow(n), wl_solver_narrow(lda)),
        n, device, host);
}

int cusolverDnXpotrf(void *handle, void *params, int fill, int64_t n, int type, void *a,
                     int64_t lda, int compute, void *space, size_t bytes, void *host_space,
                     size_t host_bytes, int *info)
{
    const char letter = WL_SOLVER_LETTER(cusolverDnXpotrf, type, compute);
    (void)params, (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_potrf(handle, letter, fill, wl_solver_narrow(n), a,
                                    wl_solver_narrow(lda), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

int cusolverDnXpotrs(void *handle, void *params, int fill, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, int type_b, void *b, int64_t ldb, int *info)
{
    const char letter = WL_SOLVER_LETTER(cusolverDnXpotrs, type, type_b);
    (void)params;
    return letter ? wl_solver_potrs(handle, letter, fill, wl_solver_narrow(n),
                                    wl_solver_narrow(columns), a, wl_solver_narrow(lda), b,
                                    wl_solver_narrow(ldb), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

/* ---- LU ---- */

int cusolverDnXgetrf_bufferSize(void *handle, void *params, int64_t m, int64_t n, int type,
                                const void *a, int64_t lda, int compute, size_t *device,
                                size_t *host)
{
    (void)params, (void)a;
    return wl_solver_give_sizes(
        handle, WL_SOLVER_LETTER(cusolverDnXgetrf, type, compute),
        wl_solver_is_valid(wl_solver_narrow(m), wl_solver_narrow(n), wl_solver_narrow(lda)), n,
        device, host);
}

int cusolverDnXgetrf(void *handle, void *params, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int64_t *pivots, int compute, void *space, size_t bytes,
                     void *host_space, size_t host_bytes, int *info)
{
    const char letter = WL_SOLVER_LETTER(cusolverDnXgetrf, type, compute);
    (void)params, (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    return letter
               ? wl_solver_getrf(handle, letter, wl_solver_narrow(m), wl_solver_narrow(n), a,
                                 wl_solver_narrow(lda), (struct wl_solver_pivots){pivots, 1}, info)
               : WL_SOLVER_NOT_SUPPORTED;
}

int cusolverDnXgetrs(void *handle, void *params, int op, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                     int64_t ldb, int *info)
{
    const char letter = WL_SOLVER_LETTER(cusolverDnXgetrs, type, type_b);
    const struct wl_solver_pivots given = {(void *)(uintptr_t)pivots, 1};
    (void)params;
    return letter
               ? wl_solver_getrs(handle, letter, op, wl_solver_narrow(n), wl_solver_narrow(columns),
                                 a, wl_solver_narrow(lda), given, b, wl_solver_narrow(ldb), info)
               : WL_SOLVER_NOT_SUPPORTED;
}

/* ---- QR ---- */

int cusolverDnXgeqrf_bufferSize(void *handle, void *params, int64_t m, int64_t n, int type,
                                const void *a, int64_t lda, int type_factors, const void *factors,
                                int compute, size_t *device, size_t *host)
{
    (void)params, (void)a, (void)factors, (void)compute;
    return wl_solver_give_sizes(
        handle, WL_SOLVER_LETTER(cusolverDnXgeqrf, type, type_factors),
        wl_solver_is_valid(wl_solver_narrow(m), wl_solver_narrow(n), wl_solver_narrow(lda)), n,
        device, host);
}

int cusolverDnXgeqrf(void *handle, void *params, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int type_factors, void *factors, int compute, void *space,
                     size_t bytes, void *host_space, size_t host_bytes, int *info)
{
    const char letter = WL_SOLVER_LETTER(cusolverDnXgeqrf, type, type_factors);
    (void)params, (void)compute, (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_geqrf(handle, letter, wl_solver_narrow(m), wl_solver_narrow(n), a,
                                    wl_solver_narrow(lda), factors, info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

/* ---- eigenvalues and singular values ---- */

int cusolverDnXsyevd_bufferSize(void *handle, void *params, int job, int fill, int64_t n, int type,
                                const void *a, int64_t lda, int type_values, const void *values,
                                int compute, size_t *device, size_t *host)
{
    (void)params, (void)a, (void)values, (void)compute;
    return wl_solver_give_sizes(
        handle, WL_SOLVER_LETTER_OF_REAL(cusolverDnXsyevd, type, type_values),
        (unsigned)job <= 1 && (unsigned)fill <= WL_SOLVER_UPPER &&
            wl_solver_is_valid(wl_solver_narrow(n), wl_solver_narrow(n), wl_solver_narrow(lda)),
        wl_solver_syevd_elements(wl_solver_narrow(n)), device, host);
}

int cusolverDnXsyevd(void *handle, void *params, int job, int fill, int64_t n, int type, void *a,
                     int64_t lda, int type_values, void *values, int compute, void *space,
                     size_t bytes, void *host_space, size_t host_bytes, int *info)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXsyevd, type, type_values);
    (void)params, (void)compute, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_syevd(handle, letter, job, fill, wl_solver_narrow(n), a,
                                    wl_solver_narrow(lda), values, space,
                                    (int64_t)(bytes / wl_solver_bytes_of(letter)), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

int cusolverDnXgesvd_bufferSize(void *handle, void *params, signed char job_u, signed char job_v,
                                int64_t m, int64_t n, int type, const void *a, int64_t lda,
                                int type_values, const void *values, int type_u, const void *u,
                                int64_t ldu, int type_v, const void *v, int64_t ldv, int compute,
                                size_t *device, size_t *host)
{
    (void)params, (void)job_u, (void)job_v, (void)a, (void)values, (void)type_u, (void)u;
    (void)ldu, (void)type_v, (void)v, (void)ldv, (void)compute;
    return wl_solver_give_sizes(
        handle, WL_SOLVER_LETTER_OF_REAL(cusolverDnXgesvd, type, type_values),
        m >= n &&
            wl_solver_is_valid(wl_solver_narrow(m), wl_solver_narrow(n), wl_solver_narrow(lda)),
        wl_solver_gesvd_elements(wl_solver_narrow(m), wl_solver_narrow(n)), device, host);
}

int cusolverDnXgesvd(void *handle, void *params, signed char job_u, signed char job_v, int64_t m,
                     int64_t n, int type, void *a, int64_t lda, int type_values, void *values,
                     int type_u, void *u, int64_t ldu, int type_v, void *v, int64_t ldv,
                     int compute, void *space, size_t bytes, void *host_space, size_t host_bytes,
                     int *info)
{
    const char letter = WL_SOLVER_LETTER_OF_REAL(cusolverDnXgesvd, type, type_values);
    const struct wl_solver_decomposition of = {(char)job_u,
                                               (char)job_v,
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
    return letter ? wl_solver_gesvd(handle, letter, of, space,
                                    (int64_t)(bytes / wl_solver_bytes_of(letter)), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}
