/* Banded and packed matrices. */
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

static const char file[] = "packed.ptx";

/* op(A) as the kernels' parameters have it (packed.cu). */
struct stored {
    const void *at;
    long long leading; /* 0: packed */
    int rows, columns, above, before, after;
    int is_half, is_hermitian, is_upper, is_turned, is_conjugate, is_unit;
};

/* What a call says of a triangle; as cublas_api.h numbers them. */
struct shape {
    int fill, op, diagonal;
};

struct vector {
    const void *x;
    int increment;
};

/* Matrices that cannot lie so have -1 rows. */
static struct stored invalid(void)
{
    return (struct stored){.rows = -1};
}

/* m by n with so many diagonals below and above the main one. */
static struct stored band_of(const void *at, int op, int m, int n, int below, int above, int lda)
{
    const bool is_turned = op != 0;
    if ((unsigned)op > 2 || m < 0 || n < 0 || below < 0 || above < 0 ||
        lda < (long long)below + above + 1)
        return invalid();
    return (struct stored){.at = at,
                           .leading = lda,
                           .rows = is_turned ? n : m,
                           .columns = is_turned ? m : n,
                           .above = above,
                           .before = is_turned ? above : below,
                           .after = is_turned ? below : above,
                           .is_turned = is_turned,
                           .is_conjugate = op == 2};
}

/* One half of a matrix of n rows, which is the other's mirror: packed if lda is 0, or its k
 * diagonals beside the main one. */
static struct stored half_of(const void *at, int fill, int n, int k, int lda, int is_hermitian)
{
    if ((unsigned)fill > 1 || n < 0 || k < 0 || (lda && lda < (long long)k + 1))
        return invalid();
    return (struct stored){.at = at,
                           .leading = lda,
                           .rows = n,
                           .columns = n,
                           .above = fill == 1 ? k : 0,
                           .before = k,
                           .after = k,
                           .is_half = 1,
                           .is_hermitian = is_hermitian,
                           .is_upper = fill == 1};
}

/* op of a triangle, which lies as above. */
static struct stored triangle_of(const void *at, struct shape shape, int n, int k, int lda)
{
    struct stored made = half_of(at, shape.fill, n, k, lda, 0);
    const bool is_upper = (shape.fill == 1) != (shape.op != 0);
    if (made.rows < 0 || (unsigned)shape.op > 2 || (unsigned)shape.diagonal > 1)
        return invalid();
    made.is_half = 0;
    made.before = is_upper ? 0 : k;
    made.after = is_upper ? k : 0;
    made.is_turned = shape.op != 0;
    made.is_conjugate = shape.op == 2;
    made.is_unit = shape.diagonal == 1;
    return made;
}

/* The leading dimension of a band, of which 0 is none. */
static int band(int lda)
{
    return lda ? lda : -1;
}

static int multiply(void *pointer, const char *name, size_t bytes, const void *alpha,
                    struct stored a, struct vector x, const void *beta, struct vector y)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = x.increment, incy = y.increment;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (a.rows < 0 || !incx || !incy || !wl_cublas_can_point(handle, alpha) ||
        !wl_cublas_can_point(handle, beta))
        return WL_CUBLAS_INVALID_VALUE;
    if (!a.rows || !a.columns)
        return WL_CUBLAS_OK;
    x.x = wl_complex_begin_of(x.x, a.columns, x.increment, bytes);
    y.x = wl_complex_begin_of(y.x, a.rows, y.increment, bytes);
    return wl_cublas_launch_over(handle, file, name, a.rows, 1,
                                 (void *[]){wl_complex_scalar(alpha), &a, &x.x, &incx,
                                            wl_complex_scalar(beta), &y.x, &incy});
}

/* What changes x, by one block. */
static int change(void *pointer, const char *name, size_t bytes, struct stored a, struct vector x)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = x.increment;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (a.rows < 0 || !incx)
        return WL_CUBLAS_INVALID_VALUE;
    if (!a.rows)
        return WL_CUBLAS_OK;
    x.x = wl_complex_begin_of(x.x, a.rows, x.increment, bytes);
    return wl_cublas_launch(handle, file, name, (uint32_t[]){1, 1, 1}, (void *[]){&a, &x.x, &incx});
}

/* alpha: of alpha_bytes, real where those are fewer than the elements'. Where it is 0, a stays as
 * it is, the imaginary parts of its diagonal included. */
static int add_rank(void *pointer, const char *name, size_t bytes, const void *alpha,
                    size_t alpha_bytes, struct vector x, struct vector y, int is_both,
                    struct stored a)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = x.increment, incy = y.increment;
    const bool is_real = alpha_bytes < bytes;
    double factor[2] = {0}, none[2] = {0}; /* room for the larger complex number */
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (a.rows < 0 || !incx || !incy || !wl_cublas_can_point(handle, alpha))
        return WL_CUBLAS_INVALID_VALUE;
    if (is_real && wl_cublas_refuses_late(handle))
        return WL_CUBLAS_NOT_SUPPORTED;
    memcpy(factor, alpha, alpha_bytes);
    if (!a.rows || (!wl_cublas_is_late(handle) && !memcmp(factor, none, sizeof none)))
        return WL_CUBLAS_OK;
    x.x = wl_complex_begin_of(x.x, a.rows, x.increment, bytes);
    y.x = wl_complex_begin_of(y.x, a.rows, y.increment, bytes);
    return wl_cublas_launch_over(handle, file, name, (int64_t)a.rows * a.rows, 1,
                                 (void *[]){is_real ? factor : wl_complex_scalar(alpha), &x.x,
                                            &incx, &y.x, &incy, &is_both, &a});
}

static int unpack(void *pointer, const char *name, int fill, int n, const void *packed,
                  const void *whole, int lda, int is_back)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    struct stored a = half_of(packed, fill, n, n, 0, 0);
    long long leading = lda;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (a.rows < 0 || lda < (n > 1 ? n : 1))
        return WL_CUBLAS_INVALID_VALUE;
    if (!n)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_over(handle, file, name, (int64_t)n * n, 1,
                                 (void *[]){&a, &whole, &leading, &is_back});
}

#define NAME(letter, kernel) "warplens_" #letter kernel
#define VECTOR(x) ((struct vector){x, inc##x})

/* A triangle of bands and a packed one. */
#define TRIANGLE_CALLS(Letter, letter, T, call, kernel)                                           \
    int cublas##Letter##tb##call##_v2(void *handle, int fill, int op, int diagonal, int n, int k, \
                                      const T *a, int lda, T *x, int incx)                        \
    {                                                                                             \
        return change(handle, NAME(letter, kernel), sizeof(T),                                    \
                      triangle_of(a, (struct shape){fill, op, diagonal}, n, k, band(lda)),        \
                      VECTOR(x));                                                                 \
    }                                                                                             \
    int cublas##Letter##tp##call##_v2(void *handle, int fill, int op, int diagonal, int n,        \
                                      const T *a, T *x, int incx)                                 \
    {                                                                                             \
        return change(handle, NAME(letter, kernel), sizeof(T),                                    \
                      triangle_of(a, (struct shape){fill, op, diagonal}, n, n, 0), VECTOR(x));    \
    }

/* Symmetric or Hermitian ones; R: the type of hpr's factor. */
#define HALF_CALLS(Letter, letter, kind, T, R, is_hermitian)                                    \
    int cublas##Letter##kind##bmv_v2(void *handle, int fill, int n, int k, const T *alpha,      \
                                     const T *a, int lda, const T *x, int incx, const T *beta,  \
                                     T *y, int incy)                                            \
    {                                                                                           \
        return multiply(handle, NAME(letter, "multiply_stored"), sizeof(T), alpha,              \
                        half_of(a, fill, n, k, band(lda), is_hermitian), VECTOR(x), beta,       \
                        VECTOR(y));                                                             \
    }                                                                                           \
    int cublas##Letter##kind##pmv_v2(void *handle, int fill, int n, const T *alpha, const T *a, \
                                     const T *x, int incx, const T *beta, T *y, int incy)       \
    {                                                                                           \
        return multiply(handle, NAME(letter, "multiply_stored"), sizeof(T), alpha,              \
                        half_of(a, fill, n, n, 0, is_hermitian), VECTOR(x), beta, VECTOR(y));   \
    }                                                                                           \
    int cublas##Letter##kind##pr_v2(void *handle, int fill, int n, const R *alpha, const T *x,  \
                                    int incx, T *a)                                             \
    {                                                                                           \
        return add_rank(handle, NAME(letter, "add_rank_stored"), sizeof(T), alpha, sizeof(R),   \
                        VECTOR(x), VECTOR(x), 0, half_of(a, fill, n, n, 0, is_hermitian));      \
    }                                                                                           \
    int cublas##Letter##kind##pr2_v2(void *handle, int fill, int n, const T *alpha, const T *x, \
                                     int incx, const T *y, int incy, T *a)                      \
    {                                                                                           \
        return add_rank(handle, NAME(letter, "add_rank_stored"), sizeof(T), alpha, sizeof(T),   \
                        VECTOR(x), VECTOR(y), 1, half_of(a, fill, n, n, 0, is_hermitian));      \
    }

#define CALLS(Letter, letter, kind, T, R, is_hermitian)                                       \
    int cublas##Letter##gbmv_v2(void *handle, int op, int m, int n, int below, int above,     \
                                const T *alpha, const T *a, int lda, const T *x, int incx,    \
                                const T *beta, T *y, int incy)                                \
    {                                                                                         \
        return multiply(handle, NAME(letter, "multiply_stored"), sizeof(T), alpha,            \
                        band_of(a, op, m, n, below, above, lda), VECTOR(x), beta, VECTOR(y)); \
    }                                                                                         \
    int cublas##Letter##tpttr(void *handle, int fill, int n, const T *packed, T *a, int lda)  \
    {                                                                                         \
        return unpack(handle, NAME(letter, "unpack"), fill, n, packed, a, lda, 0);            \
    }                                                                                         \
    int cublas##Letter##trttp(void *handle, int fill, int n, const T *a, int lda, T *packed)  \
    {                                                                                         \
        return unpack(handle, NAME(letter, "unpack"), fill, n, packed, a, lda, 1);            \
    }                                                                                         \
    HALF_CALLS(Letter, letter, kind, T, R, is_hermitian)                                      \
    TRIANGLE_CALLS(Letter, letter, T, mv, "multiply_in_place")                                \
    TRIANGLE_CALLS(Letter, letter, T, sv, "solve_stored")

CALLS(S, s, s, float, float, 0)
CALLS(D, d, s, double, double, 0)
CALLS(C, c, h, struct wl_complex_single, float, 1)
CALLS(Z, z, h, struct wl_complex_twice, double, 1)
