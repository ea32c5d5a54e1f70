/* Batches of matrices and vectors, real and complex: products with vectors, factors, what is solved
 * with them. */
#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

#define INVERSE_MOST 32 /* the order that cublas<t>matinvBatched takes */

/* Kernels for complex numbers have the parameters of those for real ones. */
struct kernel {
    const char *file, *name;
};

/* As the kernels' parameters have it: the i-th is list[i] or, without a list, stride elements
 * behind the one before. */
struct batch {
    const void *list, *base;
    long long stride;
};

/* Those from one on. */
static struct batch from(struct batch of, int64_t first, size_t bytes)
{
    if (of.list)
        of.list = (const void *const *)of.list + first;
    else
        of.base = (const char *)of.base + first * of.stride * (long long)bytes;
    return of;
}

/* Whether a matrix of so many rows can lie so. */
static bool is_leading(int leading, int rows)
{
    return leading >= (rows > 1 ? rows : 1);
}

static void *scalar(const void *value)
{
    return (void *)(uintptr_t)value;
}

/* A block for each of a batch. */
static int launch(struct wl_cublas_handle *handle, struct kernel kernel, int batch,
                  void **parameters)
{
    return wl_cublas_launch(handle, kernel.file, kernel.name, (uint32_t[]){(uint32_t)batch, 1, 1},
                            parameters);
}

struct vectors {
    struct batch batch;
    long long increment;
};

static int multiply_vectors(void *pointer, struct kernel kernel, size_t part_bytes, size_t parts,
                            int op, int m, int n, const void *alpha, struct batch a, int lda,
                            struct vectors x, const void *beta, struct vectors y, int batch)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)op > 2 || !wl_cublas_can_point(handle, alpha) ||
        !wl_cublas_can_point(handle, beta) || m < 0 || n < 0 || !is_leading(lda, m) || batch < 0)
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n || !batch)
        return WL_CUBLAS_OK;
    const int rows = op ? n : m;
    if (wl_cublas_is_zero(handle, alpha, part_bytes, parts))
        *(op ? &m : &n) = 0; /* terms of each sum */
    const size_t bytes = part_bytes * parts;
    int status = WL_CUBLAS_OK;
    for (int64_t first = 0; first < batch && !status; first += WL_CUBLAS_BLOCKS_MOST) {
        struct batch as = from(a, first, bytes), xs = from(x.batch, first, bytes),
                     ys = from(y.batch, first, bytes);
        status =
            wl_cublas_launch_over(handle, kernel.file, kernel.name, rows,
                                  (uint32_t)wl_cublas_least(batch - first, WL_CUBLAS_BLOCKS_MOST),
                                  (void *[]){&op, &m, &n, scalar(alpha), &as, &lda, &xs,
                                             &x.increment, scalar(beta), &ys, &y.increment});
    }
    return status;
}

/* is_double, is_complex: what the matrices have. */
static int factor(void *pointer, struct kernel kernel, bool is_double, bool is_complex, int n,
                  const void *matrices, int lda, int *pivots, int *info, int count)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (n < 0 || count < 0 || !is_leading(lda, n) || !info)
        return WL_CUBLAS_INVALID_VALUE;
    if (!n || !count)
        return WL_CUBLAS_OK;
    return wl_cublas_launch_steps(
        handle, kernel.file, kernel.name,
        &(struct wl_cublas_steps){WL_LIBRARY_GETRF_BATCHED, n, count, is_double, is_complex},
        (uint32_t[]){(uint32_t)count, 1, 1}, (void *[]){&n, &matrices, &lda, &pivots, &info});
}

static int solve_factored(void *pointer, struct kernel kernel, int op, int n, int columns,
                          const void *matrices, int lda, const int *pivots, const void *sides,
                          int ldb, int count, int identity)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if ((unsigned)op > 2 || n < 0 || columns < 0 || count < 0 || !is_leading(lda, n) ||
        !is_leading(ldb, n))
        return WL_CUBLAS_INVALID_VALUE;
    if (!n || !columns || !count)
        return WL_CUBLAS_OK;
    return launch(handle, kernel, count,
                  (void *[]){&op, &n, &columns, &matrices, &lda, &pivots, &sides, &ldb, &identity});
}

static int invert(void *pointer, struct kernel kernel, int n, const void *matrices, int lda,
                  const void *inverses, int ldi, int *info, int count)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (n < 0 || n > INVERSE_MOST || count < 0 || !is_leading(lda, n) || !is_leading(ldi, n) ||
        !info)
        return WL_CUBLAS_INVALID_VALUE;
    if (!n || !count)
        return WL_CUBLAS_OK;
    return launch(handle, kernel, count, (void *[]){&n, &matrices, &lda, &inverses, &ldi, &info});
}

/* info: the host's; -i: the i-th parameter is invalid, as the documentation counts them. */
static int factor_orthogonal(void *pointer, struct kernel kernel, int m, int n,
                             const void *matrices, int lda, const void *taus, int *info, int count)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!info)
        return WL_CUBLAS_INVALID_VALUE;
    *info = m < 0 ? -1 : n < 0 ? -2 : !is_leading(lda, m) ? -4 : count < 0 ? -7 : 0;
    if (*info)
        return WL_CUBLAS_INVALID_VALUE;
    if (!m || !n || !count)
        return WL_CUBLAS_OK;
    return launch(handle, kernel, count, (void *[]){&m, &n, &matrices, &lda, &taus});
}

/* info: as above. rank_info: of each matrix, NULL: not wanted. */
static int fit(void *pointer, struct kernel kernel, int op, int m, int n, int columns,
               const void *matrices, int lda, const void *sides, int ldc, int *info, int *rank_info,
               int count)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!info)
        return WL_CUBLAS_INVALID_VALUE;
    *info = m < 0                 ? -2
            : n < 0               ? -3
            : columns < 0         ? -4
            : !is_leading(lda, m) ? -6
            : !is_leading(ldc, m) ? -8
            : count < 0           ? -11
                                  : 0;
    if (*info)
        return WL_CUBLAS_INVALID_VALUE;
    if (op || m < n) /* as documented: overdetermined systems alone */
        return WL_CUBLAS_NOT_SUPPORTED;
    if (!n || !count)
        return WL_CUBLAS_OK;
    return launch(handle, kernel, count,
                  (void *[]){&m, &n, &columns, &matrices, &lda, &sides, &ldc, &rank_info});
}

#define KERNEL(file, letter, own)     \
    (struct kernel)                   \
    {                                 \
        file, "warplens_" #letter own \
    }

/* part: of which T has one or two; dense, structured: the files with the kernels. */
#define CALLS(Letter, letter, T, part, dense, structured)                                          \
    int cublas##Letter##gemvBatched(void *handle, int op, int m, int n, const T *alpha,            \
                                    const T *const *a, int lda, const T *const *x, int incx,       \
                                    const T *beta, T *const *y, int incy, int count)               \
    {                                                                                              \
        return multiply_vectors(handle, KERNEL(structured, letter, "multiply_vectors"),            \
                                sizeof(part), sizeof(T) / sizeof(part), op, m, n, alpha,           \
                                (struct batch){a, NULL, 0}, lda,                                   \
                                (struct vectors){{x, NULL, 0}, incx}, beta,                        \
                                (struct vectors){{y, NULL, 0}, incy}, count);                      \
    }                                                                                              \
    int cublas##Letter##gemvStridedBatched(void *handle, int op, int m, int n, const T *alpha,     \
                                           const T *a, int lda, long long stride_a, const T *x,    \
                                           int incx, long long stride_x, const T *beta, T *y,      \
                                           int incy, long long stride_y, int count)                \
    {                                                                                              \
        return multiply_vectors(handle, KERNEL(structured, letter, "multiply_vectors"),            \
                                sizeof(part), sizeof(T) / sizeof(part), op, m, n, alpha,           \
                                (struct batch){NULL, a, stride_a}, lda,                            \
                                (struct vectors){{NULL, x, stride_x}, incx}, beta,                 \
                                (struct vectors){{NULL, y, stride_y}, incy}, count);               \
    }                                                                                              \
    int cublas##Letter##getrfBatched(void *handle, int n, T *const *matrices, int lda,             \
                                     int *pivots, int *info, int count)                            \
    {                                                                                              \
        return factor(handle, KERNEL(dense, letter, "factor"), sizeof(part) == sizeof(double),     \
                      sizeof(T) > sizeof(part), n, matrices, lda, pivots, info, count);            \
    }                                                                                              \
    int cublas##Letter##getrsBatched(void *handle, int op, int n, int columns,                     \
                                     const T *const *matrices, int lda, const int *pivots,         \
                                     T *const *sides, int ldb, int *info, int count)               \
    {                                                                                              \
        if (info)                                                                                  \
            *info = 0; /* which is the host's here, as documented */                               \
        return solve_factored(handle, KERNEL(dense, letter, "solve_factored"), op, n, columns,     \
                              matrices, lda, pivots, sides, ldb, count, 0);                        \
    }                                                                                              \
    int cublas##Letter##getriBatched(void *handle, int n, const T *const *matrices, int lda,       \
                                     const int *pivots, T *const *inverses, int ldc, int *info,    \
                                     int count)                                                    \
    {                                                                                              \
        for (int i = 0; info && i < count; i++)                                                    \
            info[i] = 0; /* in device memory, which the host can write here */                     \
        return solve_factored(handle, KERNEL(dense, letter, "solve_factored"), 0, n, n, matrices,  \
                              lda, pivots, inverses, ldc, count, 1);                               \
    }                                                                                              \
    int cublas##Letter##matinvBatched(void *handle, int n, const T *const *a, int lda,             \
                                      T *const *inverses, int ldi, int *info, int count)           \
    {                                                                                              \
        return invert(handle, KERNEL(structured, letter, "invert"), n, a, lda, inverses, ldi,      \
                      info, count);                                                                \
    }                                                                                              \
    int cublas##Letter##geqrfBatched(void *handle, int m, int n, T *const *a, int lda,             \
                                     T *const *taus, int *info, int count)                         \
    {                                                                                              \
        return factor_orthogonal(handle, KERNEL(structured, letter, "factor_orthogonal"), m, n, a, \
                                 lda, taus, info, count);                                          \
    }                                                                                              \
    int cublas##Letter##gelsBatched(void *handle, int op, int m, int n, int columns, T *const *a,  \
                                    int lda, T *const *c, int ldc, int *info, int *rank_info,      \
                                    int count)                                                     \
    {                                                                                              \
        return fit(handle, KERNEL(structured, letter, "fit"), op, m, n, columns, a, lda, c, ldc,   \
                   info, rank_info, count);                                                        \
    }

CALLS(S, s, float, float, "dense.ptx", "structured.ptx")
CALLS(D, d, double, double, "dense.ptx", "structured.ptx")
CALLS(C, c, struct wl_complex_single, float, "complex_batch.ptx", "complex_batch.ptx")
CALLS(Z, z, struct wl_complex_twice, double, "complex_batch.ptx", "complex_batch.ptx")
