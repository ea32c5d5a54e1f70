/* Reductions and softmax. Some threads share each result: see share in dnn.cuh.
 *
 * reduce.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "any.cuh"
#include "functions.cuh"

/* A value so far and the element that it is. */
template <typename Sum> struct found {
    Sum value;
    int index;
};

constexpr int NONE = 0x7fffffff;

template <typename Sum> DEVICE Sum size_of(Sum x)
{
    return x < 0 ? -x : x;
}

/* What the operation does with one element, before it is joined with others. */
template <typename Sum> DEVICE Sum prepare(int operation, Sum x)
{
    switch (operation) {
    case WL_DNN_LARGEST:
    case WL_DNN_NORM1:
        return size_of(x);
    case WL_DNN_NORM2:
        return x * x;
    case WL_DNN_PRODUCT_NO_ZEROS:
        return x == 0 ? Sum(1) : x;
    default:
        return x;
    }
}

/* The better one; of equal ones the first. */
template <typename Sum> DEVICE found<Sum> choose(bool is_least, int propagates_nan, found<Sum> a, found<Sum> b)
{
    const bool is_a_nan = a.value != a.value, is_b_nan = b.value != b.value;
    if (is_a_nan != is_b_nan)
        return is_a_nan == (propagates_nan != 0) ? a : b;
    if (is_a_nan || a.value == b.value)
        return a.index < b.index ? a : b;
    return (a.value < b.value) == is_least ? a : b;
}

template <typename Sum> DEVICE found<Sum> join(const wl_dnn_reduction &r, found<Sum> a, found<Sum> b)
{
    switch (r.operation) {
    case WL_DNN_MINIMUM:
    case WL_DNN_MAXIMUM:
    case WL_DNN_LARGEST:
        return choose(r.operation == WL_DNN_MINIMUM, r.propagates_nan, a, b);
    case WL_DNN_PRODUCT:
    case WL_DNN_PRODUCT_NO_ZEROS:
        return {a.value * b.value, 0};
    default:
        return {a.value + b.value, 0};
    }
}

DEVICE float most_of(float)
{
    return 0x1.fffffep127f;
}

DEVICE double most_of(double)
{
    return 0x1.fffffffffffffp1023;
}

/* Of no elements. The least and the largest element are finite unless one is smaller or larger than any. */
template <typename Sum> DEVICE found<Sum> nothing(int operation)
{
    switch (operation) {
    case WL_DNN_MINIMUM:
        return {most_of(Sum()), NONE};
    case WL_DNN_MAXIMUM:
        return {-most_of(Sum()), NONE};
    case WL_DNN_PRODUCT:
    case WL_DNN_PRODUCT_NO_ZEROS:
        return {1, NONE};
    default:
        return {0, NONE};
    }
}

template <typename Sum> DEVICE Sum finish(const wl_dnn_reduction &r, Sum value)
{
    return r.operation == WL_DNN_MEAN ? value / r.folded.count : r.operation == WL_DNN_NORM2 ? root(value) : value;
}

template <typename T> DEVICE auto number_at(const T *a, i64 at)
{
    return number(a[at]);
}

template <typename T, typename Sum> DEVICE void blend_at(T *c, i64 at, Sum alpha, Sum result, Sum beta)
{
    blend(c + at, alpha, result, beta);
}

/* The walks' tensors: a, c, which are pointers or of any type. */
template <typename From, typename To, typename Sum>
DEVICE void reduce(const wl_dnn_reduction &r, From a, To c, int *indices, Sum alpha, Sum beta)
{
    for (share s = share_of(r.group, r.kept.count); has_more(s); s.result += s.stride) {
        i64 from[2] = {0, 0};
        found<Sum> is = nothing<Sum>(r.operation);
        if (s.is_there())
            locate(r.kept, (int)s.result, from);
        for (int i = s.lane; s.is_there() && i < r.folded.count; i += s.group) {
            i64 at[1];
            locate(r.folded, i, at);
            is = join(r, is, found<Sum>{prepare(r.operation, (Sum)number_at(a, from[0] + at[0])), i});
        }
        is = combine(s, is, [&r] DEVICE_LAMBDA(found<Sum> one, found<Sum> other) { return join(r, one, other); });
        if (!s.is_there() || s.lane)
            continue;
        blend_at(c, from[1], alpha, finish(r, is.value), beta);
        if (indices)
            indices[s.result] = is.index;
    }
}

/* ---- softmax ---- */

template <typename Sum> DEVICE Sum larger(Sum a, Sum b)
{
    return a > b || a != a ? a : b;
}

/* The walks' tensors: y, x. */
template <typename T, typename Sum>
DEVICE void soften(const wl_dnn_reduction &r, int is_logarithm, T *y, const T *x, Sum alpha, Sum beta)
{
    for (share s = share_of(r.group, r.kept.count); has_more(s); s.result += s.stride) {
        i64 from[2] = {0, 0}, at[2];
        Sum most = -Sum(__builtin_inff()), sum = 0;
        if (s.is_there())
            locate(r.kept, (int)s.result, from);
        for (int i = s.lane; s.is_there() && i < r.folded.count; i += s.group) {
            locate(r.folded, i, at);
            most = larger(most, number(x[from[1] + at[1]]));
        }
        most = combine(s, most, [] DEVICE_LAMBDA(Sum a, Sum b) { return larger(a, b); });
        for (int i = s.lane; s.is_there() && i < r.folded.count; i += s.group) {
            locate(r.folded, i, at);
            sum += exponential(number(x[from[1] + at[1]]) - most);
        }
        sum = total(s, sum);
        const Sum shift = is_logarithm ? logarithm(sum) : Sum(0);
        for (int i = s.lane; s.is_there() && i < r.folded.count; i += s.group) {
            locate(r.folded, i, at);
            const Sum above = number(x[from[1] + at[1]]) - most;
            blend(y + from[0] + at[0], alpha, is_logarithm ? above - shift : exponential(above) / sum, beta);
        }
    }
}

/* The walks' tensors: dx, y, dy. */
template <typename T, typename Sum>
DEVICE void soften_back(const wl_dnn_reduction &r, int is_logarithm, T *dx, const T *y, const T *dy, Sum alpha, Sum beta)
{
    for (share s = share_of(r.group, r.kept.count); has_more(s); s.result += s.stride) {
        i64 from[3] = {0, 0, 0}, at[3];
        Sum sum = 0;
        if (s.is_there())
            locate(r.kept, (int)s.result, from);
        for (int i = s.lane; s.is_there() && i < r.folded.count; i += s.group) {
            locate(r.folded, i, at);
            const Sum gradient = number(dy[from[2] + at[2]]);
            sum += is_logarithm ? gradient : gradient * number(y[from[1] + at[1]]);
        }
        sum = total(s, sum);
        for (int i = s.lane; s.is_there() && i < r.folded.count; i += s.group) {
            locate(r.folded, i, at);
            const Sum value = number(y[from[1] + at[1]]), gradient = number(dy[from[2] + at[2]]);
            blend(dx + from[0] + at[0], alpha,
                  is_logarithm ? gradient - exponential(value) * sum : value * (gradient - sum), beta);
        }
    }
}

#define REDUCTIONS(suffix, T, Sum)                                                                                        \
    GLOBAL void warplens_dnn_reduce_##suffix(wl_dnn_reduction r, T *a, T *c, int *indices, Sum alpha, Sum beta)           \
    {                                                                                                                     \
        reduce<const T *, T *, Sum>(r, a, c, indices, alpha, beta);                                                       \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_soften_##suffix(wl_dnn_reduction r, int is_logarithm, T *y, T *x, Sum alpha, Sum beta)       \
    {                                                                                                                     \
        soften(r, is_logarithm, y, x, alpha, beta);                                                                       \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_soften_back_##suffix(wl_dnn_reduction r, int is_logarithm, T *dx, T *y, T *dy, Sum alpha,    \
                                                  Sum beta)                                                               \
    {                                                                                                                     \
        soften_back(r, is_logarithm, dx, y, dy, alpha, beta);                                                             \
    }
KINDS(REDUCTIONS)

GLOBAL void warplens_dnn_reduce_any(wl_dnn_reduction r, any a, any c, int *indices, float alpha, float beta)
{
    reduce(r, a, c, indices, alpha, beta);
}
