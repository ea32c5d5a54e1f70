/* What is computed of each element by itself: sums, activations, copies. A thread for each element.
 *
 * pointwise.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "any.cuh"
#include "functions.cuh"

/* The walk's tensors: y, x. */
template <typename T, typename Sum> DEVICE void blend_all(const wl_dnn_walk &walk, T *y, const T *x, Sum alpha, Sum beta)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[2];
        locate(walk, (int)i, at);
        blend(y + at[0], alpha, number(x[at[1]]), beta);
    }
}

/* The walk's tensors: y, x. */
template <typename T, typename Sum>
DEVICE void activate_all(const wl_dnn_walk &walk, const wl_dnn_activation &a, T *y, const T *x, Sum alpha, Sum beta)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[2];
        locate(walk, (int)i, at);
        blend(y + at[0], alpha, activate(a, number(x[at[1]])), beta);
    }
}

/* The walk's tensors: dx, x, y, dy. */
template <typename T, typename Sum>
DEVICE void activate_back_all(const wl_dnn_walk &walk, const wl_dnn_activation &a, T *dx, const T *x, const T *y,
                              const T *dy, Sum alpha, Sum beta)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[4];
        locate(walk, (int)i, at);
        blend(dx + at[0], alpha, activate_back(a, number(x[at[1]]), number(y[at[2]]), number(dy[at[3]])), beta);
    }
}

template <typename Sum> DEVICE Sum join(int operation, int propagates_nan, Sum a, Sum b)
{
    switch (operation) {
    case WL_DNN_ADD:
        return a + b;
    case WL_DNN_MULTIPLY:
        return a * b;
    case WL_DNN_ROOT:
        return root(a);
    case WL_DNN_NOT:
        return 1 - a;
    }
    if (a != a || b != b)
        return (a != a) == (propagates_nan != 0) ? a : b;
    return (operation == WL_DNN_LEAST) == (a < b) ? a : b;
}

/* Of two elements; else b is not there. */
DEVICE bool has_second(int operation)
{
    return operation < WL_DNN_ROOT;
}

/* c = join(a_factor * a, b_factor * b) + c_factor * c; the walk's tensors: c, a, b. */
template <typename T, typename Sum>
DEVICE void join_all(const wl_dnn_walk &walk, int operation, int propagates_nan, T *c, const T *a, const T *b, Sum a_factor,
                     Sum b_factor, Sum c_factor)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[3];
        locate(walk, (int)i, at);
        Sum other = has_second(operation) ? b_factor * number(b[at[2]]) : 0;
        blend(c + at[0], Sum(1), join(operation, propagates_nan, a_factor * number(a[at[1]]), other), c_factor);
    }
}

/* The same of any types. */
GLOBAL void warplens_dnn_join_any(wl_dnn_walk walk, int operation, int propagates_nan, any c, any a, any b, double a_factor,
                                  double b_factor, double c_factor)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[3];
        locate(walk, (int)i, at);
        double other = has_second(operation) ? b_factor * number_at(b, at[2]) : 0;
        blend_at(c, at[0], 1, join(operation, propagates_nan, a_factor * number_at(a, at[1]), other), c_factor);
    }
}

/* y = alpha * x + beta * y, of any types; the walk's tensors: y, x. */
GLOBAL void warplens_dnn_blend_any(wl_dnn_walk walk, any y, any x, double alpha, double beta)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[2];
        locate(walk, (int)i, at);
        blend_at(y, at[0], alpha, number_at(x, at[1]), beta);
    }
}

GLOBAL void warplens_dnn_activate_any(wl_dnn_walk walk, wl_dnn_activation a, any y, any x, double alpha, double beta)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[2];
        locate(walk, (int)i, at);
        blend_at(y, at[0], alpha, activate(a, (float)number_at(x, at[1])), beta);
    }
}

GLOBAL void warplens_dnn_set_any(wl_dnn_walk walk, any y, double value)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[1];
        locate(walk, (int)i, at);
        assign_at(y, at[0], value);
    }
}

template <typename T> DEVICE void fill(const wl_dnn_walk &walk, T *y, T value)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[1];
        locate(walk, (int)i, at);
        y[at[0]] = value;
    }
}

#define POINTWISE(suffix, T, Sum)                                                                                         \
    GLOBAL void warplens_dnn_blend_##suffix(wl_dnn_walk walk, T *y, T *x, Sum alpha, Sum beta)                            \
    {                                                                                                                     \
        blend_all(walk, y, x, alpha, beta);                                                                               \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_activate_##suffix(wl_dnn_walk walk, wl_dnn_activation a, T *y, T *x, Sum alpha, Sum beta)    \
    {                                                                                                                     \
        activate_all(walk, a, y, x, alpha, beta);                                                                         \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_activate_back_##suffix(wl_dnn_walk walk, wl_dnn_activation a, T *dx, T *x, T *y, T *dy,      \
                                                    Sum alpha, Sum beta)                                                  \
    {                                                                                                                     \
        activate_back_all(walk, a, dx, x, y, dy, alpha, beta);                                                            \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_join_##suffix(wl_dnn_walk walk, int operation, int propagates_nan, T *c, T *a, T *b,         \
                                           Sum a_factor, Sum b_factor, Sum c_factor)                                      \
    {                                                                                                                     \
        join_all(walk, operation, propagates_nan, c, a, b, a_factor, b_factor, c_factor);                                 \
    }
KINDS(POINTWISE)

/* By the bytes of an element. */
#define FILL(bytes, T)                                                                                                    \
    GLOBAL void warplens_dnn_fill_##bytes(wl_dnn_walk walk, T *y, T value)                                                \
    {                                                                                                                     \
        fill(walk, y, value);                                                                                             \
    }
FILL(1, unsigned char)
FILL(2, unsigned short)
FILL(4, unsigned)
FILL(8, unsigned long long)
