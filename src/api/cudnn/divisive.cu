/* Divisive normalisation. A thread for each element of what is made.
 *
 * divisive.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "functions.cuh"
#include "place.cuh"

/* The sum of what `of` makes of the places of x in the window around one. */
template <typename Sum, typename Of> DEVICE Sum around(const wl_dnn_divisive &d, const place &p, Of of)
{
    int begin[WL_DNN_SPATIAL], end[WL_DNN_SPATIAL];
    UNROLL for (int k = 0; k < WL_DNN_SPATIAL; k++) {
        begin[k] = p.at[k] - d.before[k] > 0 ? p.at[k] - d.before[k] : 0;
        end[k] = p.at[k] + d.after[k] + 1 < d.sizes[k] ? p.at[k] + d.after[k] + 1 : d.sizes[k];
    }
    Sum sum = 0;
    for (int a = begin[0]; a < end[0]; a++)
        for (int b = begin[1]; b < end[1]; b++)
            for (int e = begin[2]; e < end[2]; e++) {
                const place other = {p.n, p.c, {a, b, e}};
                sum += of(offset(d.x, other));
            }
    return sum;
}

/* What an element is the mean of, which is 0 where there are none. */
template <typename T> DEVICE auto mean_at(const T *means, i64 at)
{
    return means ? number(means[at]) : 0;
}

/* k + alpha * the mean of squared distances around a place from its mean. */
template <typename T, typename Sum>
DEVICE Sum spread_at(const wl_dnn_divisive &d, const T *x, const place &p, Sum mean)
{
    return Sum(d.k) + Sum(d.alpha) * around<Sum>(d, p, [&] DEVICE_LAMBDA(i64 at) {
               const Sum distance = number(x[at]) - mean;
               return distance * distance;
           });
}

DEVICE i64 count_of(const wl_dnn_divisive &d)
{
    return (i64)d.batch * d.channels * d.sizes[0] * d.sizes[1] * d.sizes[2];
}

template <typename T, typename Sum>
DEVICE void divide(const wl_dnn_divisive &d, const T *x, const T *means, T *y, Sum alpha, Sum beta)
{
    for (i64 i = first(); i < count_of(d); i += step()) {
        const place p = place_of(i, d.channels, d.sizes);
        const i64 at = offset(d.x, p);
        const Sum spread = spread_at<T, Sum>(d, x, p, mean_at(means, at));
        blend(y + offset(d.y, p), alpha, number(x[at]) * power(spread, -Sum(d.beta)), beta);
    }
}

/* What each place passes on to those around it: slopes and factors have x's steps. dmeans may be NULL. */
template <typename T, typename Sum>
DEVICE void divide_slopes(const wl_dnn_divisive &d, const T *x, const T *means, const T *dy, T *slopes, T *factors, T *dmeans,
                          Sum alpha, Sum beta)
{
    for (i64 i = first(); i < count_of(d); i += step()) {
        const place p = place_of(i, d.channels, d.sizes);
        const i64 at = offset(d.x, p);
        const Sum mean = mean_at(means, at), spread = spread_at<T, Sum>(d, x, p, mean);
        const Sum factor = power(spread, -Sum(d.beta));
        const Sum slope = -2 * Sum(d.alpha) * Sum(d.beta) * number(dy[at]) * number(x[at]) * factor / spread;
        assign(slopes[at], slope);
        assign(factors[at], factor);
        if (dmeans) {
            const Sum distances =
                around<Sum>(d, p, [&] DEVICE_LAMBDA(i64 other) { return number(x[other]) - mean; });
            blend(dmeans + offset(d.y, p), alpha, -slope * distances, beta);
        }
    }
}

/* An element takes the slopes of its own window, also where that has other places than those whose windows have it. */
template <typename T, typename Sum>
DEVICE void divide_back(const wl_dnn_divisive &d, const T *x, const T *means, const T *dy, const T *slopes, const T *factors,
                        T *dx, Sum alpha, Sum beta)
{
    for (i64 i = first(); i < count_of(d); i += step()) {
        const place p = place_of(i, d.channels, d.sizes);
        const i64 at = offset(d.x, p);
        const Sum value = number(x[at]);
        const Sum sum = around<Sum>(
            d, p, [&] DEVICE_LAMBDA(i64 other) { return (value - mean_at(means, other)) * number(slopes[other]); });
        blend(dx + offset(d.y, p), alpha, number(dy[at]) * number(factors[at]) + sum, beta);
    }
}

#define DIVISIONS(suffix, T, Sum)                                                                                         \
    GLOBAL void warplens_dnn_divide_##suffix(wl_dnn_divisive d, T *x, T *means, T *y, Sum alpha, Sum beta)                \
    {                                                                                                                     \
        divide(d, x, means, y, alpha, beta);                                                                              \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_divide_slopes_##suffix(wl_dnn_divisive d, T *x, T *means, T *dy, T *slopes, T *factors,      \
                                                    T *dmeans, Sum alpha, Sum beta)                                       \
    {                                                                                                                     \
        divide_slopes(d, x, means, dy, slopes, factors, dmeans, alpha, beta);                                             \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_divide_back_##suffix(wl_dnn_divisive d, T *x, T *means, T *dy, T *slopes, T *factors, T *dx, \
                                                  Sum alpha, Sum beta)                                                    \
    {                                                                                                                     \
        divide_back(d, x, means, dy, slopes, factors, dx, alpha, beta);                                                   \
    }
KINDS(DIVISIONS)
