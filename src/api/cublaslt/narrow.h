/* Arguments of the kernels of epilogue.cu; same layout on host and device. */
#ifndef WL_API_CUBLASLT_NARROW_H
#define WL_API_CUBLASLT_NARROW_H

enum { WL_LT_TILE = 16 };

/* D = scale of D * T, T = epilogue(alpha * scales of A and B * A' * B + beta * scale of C * C). */
struct wl_lt_narrow {
    int types[4], bias_type; /* of A, B, C and D, as wl_lt_kernel_type numbers them */
    int epilogue;
    long long rows, columns, depth;
    long long leading[4], strides[4];
    const void *a, *b, *c, *bias;
    void *d;
    const float *scales[4]; /* NULL: 1 */
    float *largest;         /* of T's magnitudes, 0 or more before; may be NULL */
    float alpha, beta;
    int has_vectors; /* the scales of A and B are one for each of D's rows and columns */
};

/* What is done to D; the bias, and what is kept beside D, by column. Of a mask of signs the steps
 * are bits. */
struct wl_lt_epilogue {
    int type, bias_type, aux_type, what;
    long long rows, columns, count;
    long long row_step, column_step, stride;
    void *d;
    const void *bias;
    long long bias_stride;
    void *aux;
    long long aux_leading, aux_stride;
};

/* Sums of lines. */
struct wl_lt_sums {
    int type, to_type;
    const void *from;
    long long depth, line_step, depth_step, stride;
    void *to;
    long long to_stride;
};

/* A matrix in one of the orders that layouts have. */
struct wl_lt_ordered {
    int type, order, is_transposed;
    long long leading, stride;
    union {
        const void *at; /* NULL: it is not read */
        void *to;
    };
};

struct wl_lt_transform {
    long long rows, columns, count; /* of C */
    int factor_type;
    const void *factors[2]; /* where alpha and beta are; NULL: they are the values */
    double values[2];
    struct wl_lt_ordered a, b, c;
};

/* D = alpha op(A) op(B) + beta C of 8-bit integers, in any orders. */
struct wl_lt_whole {
    long long rows, columns, depth, count;
    int factor_type;
    const void *factors[2]; /* as above */
    double values[2];
    struct wl_lt_ordered a, b, c, d;
};

#endif
