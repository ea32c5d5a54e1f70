/* What calls on complex numbers tell their kernels of matrices and vectors. */
#ifndef WL_API_CUBLAS_COMPLEX_H
#define WL_API_CUBLAS_COMPLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_complex_single {
    float real, imaginary;
};

struct wl_complex_twice {
    double real, imaginary;
};

/* As the kernels' parameters have it (complex.cuh). */
struct wl_complex_matrices {
    const void *list, *base;
    long long stride, row_step, column_step;
    int is_conjugate;
};

/* What a call says of op(x); rows and columns: of op(x). */
struct wl_complex_operand {
    int op, rows, columns, leading;
};

static inline bool wl_complex_is_operand(const struct wl_complex_operand *of)
{
    const int rows = of->op ? of->columns : of->rows;
    return (unsigned)of->op <= 2 && of->rows >= 0 && of->columns >= 0 &&
           of->leading >= (rows > 1 ? rows : 1);
}

/* Whether op(x) may be added up in place, if it is: then it is not turned and lies as the sum. */
static inline bool wl_complex_can_be_sum(const struct wl_complex_operand *of, const void *x,
                                         const void *sum, int leading)
{
    return x != sum || (!of->op && of->leading == leading);
}

static inline struct wl_complex_matrices wl_complex_lie(const struct wl_complex_operand *of)
{
    return (struct wl_complex_matrices){.row_step = of->op ? of->leading : 1,
                                        .column_step = of->op ? 1 : of->leading,
                                        .is_conjugate = of->op == 2};
}

static inline struct wl_complex_matrices wl_complex_matrices_of(const struct wl_complex_operand *of,
                                                                const void *base, long long stride)
{
    struct wl_complex_matrices made = wl_complex_lie(of);
    made.base = base;
    made.stride = stride;
    return made;
}

static inline struct wl_complex_matrices wl_complex_listed_of(const struct wl_complex_operand *of,
                                                              const void *list)
{
    struct wl_complex_matrices made = wl_complex_lie(of);
    made.list = list;
    return made;
}

/* Those from one of a batch on. */
static inline struct wl_complex_matrices wl_complex_from(struct wl_complex_matrices of,
                                                         int64_t first, size_t bytes)
{
    if (of.list)
        of.list = (const void *const *)of.list + first;
    else
        of.base = (const char *)of.base + first * of.stride * (long long)bytes;
    return of;
}

/* Those of a column on; not listed ones. */
static inline struct wl_complex_matrices wl_complex_column_from(struct wl_complex_matrices of,
                                                                int64_t column, size_t bytes)
{
    of.base = (const char *)of.base + column * of.column_step * (long long)bytes;
    return of;
}

/* A vector whose step is negative begins at its end. */
static inline const void *wl_complex_begin_of(const void *x, int n, int increment, size_t bytes)
{
    const long long back = increment < 0 && n > 0 ? (long long)(n - 1) * increment : 0;
    return (const char *)x - back * (long long)bytes;
}

/* A vector as the column of a matrix. */
static inline struct wl_complex_matrices wl_complex_column_of(const void *x, int n, int increment,
                                                              size_t bytes)
{
    return (struct wl_complex_matrices){.base = wl_complex_begin_of(x, n, increment, bytes),
                                        .row_step = increment};
}

static inline void *wl_complex_scalar(const void *value)
{
    return (void *)(uintptr_t)value;
}

#endif
