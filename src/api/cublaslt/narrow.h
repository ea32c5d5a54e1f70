/* Arguments of the kernel that multiplies 8-bit floating-point numbers (epilogue.cu); same layout
 * on host and device. */
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
};

#endif
