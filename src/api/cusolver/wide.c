/* The calls that take types and sizes of 64 bits (cusolverDnX...), over those that name their type.
 */
#include "api/cusolver/cusolver.h"

/* CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F */
enum { FLOATS = 0, DOUBLES = 1, SINGLES = 4, TWICES = 5 };

/* Of a matrix's type, if what belongs to it is of the type that it must be: 's', 'd', 'c' or 'z'.
 * 0: they are others. */
static char letter_of(const char *call, int type, int other, int must_be)
{
    if (other == must_be)
        switch (type) {
        case FLOATS:
            return 's';
        case DOUBLES:
            return 'd';
        case SINGLES:
            return 'c';
        case TWICES:
            return 'z';
        }
    wl_device_refuse(call);
    return 0;
}

#define LETTER(call, type, other)                                                             \
    letter_of(                                                                                \
        #call                                                                                 \
        " (cuSOLVER) of other types than floats and doubles, real or complex, or of several", \
        type, other, type)
/* Of a call whose values are real. */
#define LETTER_OF_REAL(call, type, other)                                                     \
    letter_of(                                                                                \
        #call                                                                                 \
        " (cuSOLVER) of other types than floats and doubles, real or complex, or of several", \
        type, other,                                                                          \
        type == SINGLES  ? FLOATS                                                             \
        : type == TWICES ? DOUBLES                                                            \
                         : type)

/* -1, which no call takes for a size, of what is too large for the kernels. */
static int narrow(int64_t value)
{
    return value < 0 || value > INT32_MAX ? -1 : (int)value;
}

/* Of a call that takes so many elements in device memory; none take host memory. */
static int give_sizes(void *handle, char letter, bool are_valid, int64_t elements, size_t *device,
                      size_t *host)
{
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!are_valid || !device || !host)
        return WL_SOLVER_INVALID_VALUE;
    *device = (size_t)(elements > 0 ? elements : 1) * wl_solver_bytes_of(letter);
    *host = 0;
    return WL_SOLVER_OK;
}

/* ---- Cholesky ---- */

int cusolverDnXpotrf_bufferSize(void *handle, void *params, int fill, int64_t n, int type,
                                const void *a, int64_t lda, int compute, size_t *device,
                                size_t *host)
{
    (void)params, (void)a;
    return give_sizes(handle, LETTER(cusolverDnXpotrf, type, compute),
                      (unsigned)fill <= WL_SOLVER_UPPER &&
                          wl_solver_is_valid(narrow(n), narrow(n), narrow(lda)),
                      n, device, host);
}

int cusolverDnXpotrf(void *handle, void *params, int fill, int64_t n, int type, void *a,
                     int64_t lda, int compute, void *space, size_t bytes, void *host_space,
                     size_t host_bytes, int *info)
{
    const char letter = LETTER(cusolverDnXpotrf, type, compute);
    (void)params, (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_potrf(handle, letter, fill, narrow(n), a, narrow(lda), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

int cusolverDnXpotrs(void *handle, void *params, int fill, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, int type_b, void *b, int64_t ldb, int *info)
{
    const char letter = LETTER(cusolverDnXpotrs, type, type_b);
    (void)params;
    return letter ? wl_solver_potrs(handle, letter, fill, narrow(n), narrow(columns), a,
                                    narrow(lda), b, narrow(ldb), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

/* ---- LU ---- */

int cusolverDnXgetrf_bufferSize(void *handle, void *params, int64_t m, int64_t n, int type,
                                const void *a, int64_t lda, int compute, size_t *device,
                                size_t *host)
{
    (void)params, (void)a;
    return give_sizes(handle, LETTER(cusolverDnXgetrf, type, compute),
                      wl_solver_is_valid(narrow(m), narrow(n), narrow(lda)), n, device, host);
}

int cusolverDnXgetrf(void *handle, void *params, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int64_t *pivots, int compute, void *space, size_t bytes,
                     void *host_space, size_t host_bytes, int *info)
{
    const char letter = LETTER(cusolverDnXgetrf, type, compute);
    (void)params, (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_getrf(handle, letter, narrow(m), narrow(n), a, narrow(lda),
                                    (struct wl_solver_pivots){pivots, 1}, info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

int cusolverDnXgetrs(void *handle, void *params, int op, int64_t n, int64_t columns, int type,
                     const void *a, int64_t lda, const int64_t *pivots, int type_b, void *b,
                     int64_t ldb, int *info)
{
    const char letter = LETTER(cusolverDnXgetrs, type, type_b);
    const struct wl_solver_pivots given = {(void *)(uintptr_t)pivots, 1};
    (void)params;
    return letter ? wl_solver_getrs(handle, letter, op, narrow(n), narrow(columns), a, narrow(lda),
                                    given, b, narrow(ldb), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

/* ---- QR ---- */

int cusolverDnXgeqrf_bufferSize(void *handle, void *params, int64_t m, int64_t n, int type,
                                const void *a, int64_t lda, int type_factors, const void *factors,
                                int compute, size_t *device, size_t *host)
{
    (void)params, (void)a, (void)factors, (void)compute;
    return give_sizes(handle, LETTER(cusolverDnXgeqrf, type, type_factors),
                      wl_solver_is_valid(narrow(m), narrow(n), narrow(lda)), n, device, host);
}

int cusolverDnXgeqrf(void *handle, void *params, int64_t m, int64_t n, int type, void *a,
                     int64_t lda, int type_factors, void *factors, int compute, void *space,
                     size_t bytes, void *host_space, size_t host_bytes, int *info)
{
    const char letter = LETTER(cusolverDnXgeqrf, type, type_factors);
    (void)params, (void)compute, (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_geqrf(handle, letter, narrow(m), narrow(n), a, narrow(lda), factors,
                                    info)
                  : WL_SOLVER_NOT_SUPPORTED;
}

/* ---- eigenvalues and singular values ---- */

int cusolverDnXsyevd_bufferSize(void *handle, void *params, int job, int fill, int64_t n, int type,
                                const void *a, int64_t lda, int type_values, const void *values,
                                int compute, size_t *device, size_t *host)
{
    (void)params, (void)a, (void)values, (void)compute;
    return give_sizes(handle, LETTER_OF_REAL(cusolverDnXsyevd, type, type_values),
                      (unsigned)job <= 1 && (unsigned)fill <= WL_SOLVER_UPPER &&
                          wl_solver_is_valid(narrow(n), narrow(n), narrow(lda)),
                      wl_solver_syevd_elements(narrow(n)), device, host);
}

int cusolverDnXsyevd(void *handle, void *params, int job, int fill, int64_t n, int type, void *a,
                     int64_t lda, int type_values, void *values, int compute, void *space,
                     size_t bytes, void *host_space, size_t host_bytes, int *info)
{
    const char letter = LETTER_OF_REAL(cusolverDnXsyevd, type, type_values);
    (void)params, (void)compute, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_syevd(handle, letter, job, fill, narrow(n), a, narrow(lda), values,
                                    space, (int64_t)(bytes / wl_solver_bytes_of(letter)), info)
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
    return give_sizes(handle, LETTER_OF_REAL(cusolverDnXgesvd, type, type_values),
                      m >= n && wl_solver_is_valid(narrow(m), narrow(n), narrow(lda)),
                      wl_solver_gesvd_elements(narrow(m), narrow(n)), device, host);
}

int cusolverDnXgesvd(void *handle, void *params, signed char job_u, signed char job_v, int64_t m,
                     int64_t n, int type, void *a, int64_t lda, int type_values, void *values,
                     int type_u, void *u, int64_t ldu, int type_v, void *v, int64_t ldv,
                     int compute, void *space, size_t bytes, void *host_space, size_t host_bytes,
                     int *info)
{
    const char letter = LETTER_OF_REAL(cusolverDnXgesvd, type, type_values);
    const struct wl_solver_decomposition of = {
        (char)job_u, (char)job_v, narrow(m), narrow(n), narrow(lda), narrow(ldu), narrow(ldv),
        a,           values,      u,         v};
    (void)params, (void)type_u, (void)type_v, (void)compute, (void)host_space, (void)host_bytes;
    return letter ? wl_solver_gesvd(handle, letter, of, space,
                                    (int64_t)(bytes / wl_solver_bytes_of(letter)), info)
                  : WL_SOLVER_NOT_SUPPORTED;
}
