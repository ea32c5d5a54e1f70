/* What is computed of windows: pooling and local response normalisation. A thread for each element of what is made.
 *
 * window.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "functions.cuh"
#include "place.cuh"

/* ---- pooling ---- */

/* Elements of a dimension that a window has, and how many it has with padding. */
struct range {
    int begin, end;
};

DEVICE range inputs_of(const wl_dnn_pooling &p, int d, int out)
{
    const int begin = out * p.strides[d] - p.pads[d], end = begin + p.window[d];
    return {begin > 0 ? begin : 0, end < p.in[d] ? end : p.in[d]};
}

/* The windows that have an element. */
DEVICE range outputs_of(const wl_dnn_pooling &p, int d, int in)
{
    const int at = in + p.pads[d], end = at / p.strides[d] + 1, before = at - p.window[d];
    return {before < 0 ? 0 : before / p.strides[d] + 1, end < p.out[d] ? end : p.out[d]};
}

/* Whether x takes the place of the largest so far; what is no number does or never does. */
template <typename Sum> DEVICE bool is_larger(const wl_dnn_pooling &p, Sum x, Sum most, bool is_first)
{
    if (x != x)
        return p.propagates_nan && most == most;
    return is_first ? most == most : x > most;
}

/* How many elements the window there has, whose inputs are r: with or without those of the padding, beyond which it has
 * none. */
DEVICE int divisor(const wl_dnn_pooling &p, const int *out, const range *r)
{
    int count = 1;
    UNROLL for (int d = 0; d < WL_DNN_SPATIAL; d++) {
        const int begin = out[d] * p.strides[d] - p.pads[d], end = begin + p.window[d], last = p.in[d] + p.pads[d];
        count *= p.counts_padding ? (end < last ? end : last) - begin : r[d].end - r[d].begin;
    }
    return count;
}

/* The least finite number. */
DEVICE float least_of(const float *)
{
    return -0x1.fffffep127f;
}

DEVICE double least_of(const double *)
{
    return -0x1.fffffffffffffp1023;
}

DEVICE float least_of(const half *)
{
    return -65504;
}

DEVICE float least_of(const bfloat *)
{
    return -0x1.fep127f;
}

/* Of the window there: its mean, or its largest element, which is finite, and where that is in x. */
template <typename T, typename Sum> DEVICE Sum pool_one(const wl_dnn_pooling &p, const T *x, const place &to, i64 *place_of_most)
{
    range r[WL_DNN_SPATIAL];
    UNROLL for (int d = 0; d < WL_DNN_SPATIAL; d++)
        r[d] = inputs_of(p, d, to.at[d]);
    Sum result = p.is_average ? Sum(0) : -Sum(__builtin_inff());
    *place_of_most = -1;
    for (int a = r[0].begin; a < r[0].end; a++)
        for (int b = r[1].begin; b < r[1].end; b++)
            for (int e = r[2].begin; e < r[2].end; e++) {
                const int at[] = {a, b, e};
                const i64 where = offset(p.x, at);
                const Sum value = number(x[where]);
                if (p.is_average)
                    result += value;
                else if (is_larger(p, value, result, *place_of_most < 0)) {
                    result = value;
                    *place_of_most = where;
                }
            }
    if (p.is_average)
        return result / divisor(p, to.at, r);
    return result < least_of(x) ? least_of(x) : result;
}

template <typename T, typename Sum> DEVICE void pool(const wl_dnn_pooling &p, const T *x, T *y, Sum alpha, Sum beta)
{
    const i64 count = (i64)p.batch * p.channels * p.out[0] * p.out[1] * p.out[2];
    for (i64 i = first(); i < count; i += step()) {
        const place to = place_of(i, p.channels, p.out);
        i64 ignored;
        blend(y + offset(p.y, to), alpha,
              pool_one<T, Sum>(p, x + to.n * p.x[0] + to.c * p.x[1], to, &ignored), beta);
    }
}

/* Each element of dx looks at the windows that have it. */
template <typename T, typename Sum>
DEVICE void pool_back(const wl_dnn_pooling &p, const T *x, const T *dy, T *dx, Sum alpha, Sum beta)
{
    const i64 count = (i64)p.batch * p.channels * p.in[0] * p.in[1] * p.in[2];
    for (i64 i = first(); i < count; i += step()) {
        const place to = place_of(i, p.channels, p.in);
        const T *own = x + to.n * p.x[0] + to.c * p.x[1], *gradients = dy + to.n * p.dy[0] + to.c * p.dy[1];
        range r[WL_DNN_SPATIAL];
        UNROLL for (int d = 0; d < WL_DNN_SPATIAL; d++)
            r[d] = outputs_of(p, d, to.at[d]);
        Sum sum = 0;
        for (int a = r[0].begin; a < r[0].end; a++)
            for (int b = r[1].begin; b < r[1].end; b++)
                for (int e = r[2].begin; e < r[2].end; e++) {
                    const place from = {to.n, to.c, {a, b, e}};
                    const Sum gradient = number(gradients[offset(p.dy, from.at)]);
                    if (p.is_average) {
                        range inputs[WL_DNN_SPATIAL];
                        UNROLL for (int d = 0; d < WL_DNN_SPATIAL; d++)
                            inputs[d] = inputs_of(p, d, from.at[d]);
                        sum += gradient / divisor(p, from.at, inputs);
                        continue;
                    }
                    i64 most;
                    pool_one<T, Sum>(p, own, from, &most);
                    if (most == offset(p.x, to.at))
                        sum += gradient;
                }
        blend(dx + offset(p.dx, to), alpha, sum, beta);
    }
}

/* ---- local responses ---- */

/* k + alpha * the sum of squares around a channel. */
template <typename T, typename Sum> DEVICE Sum response(const wl_dnn_response &r, const T *x, int channel)
{
    const int begin = channel - r.before, end = channel + r.after + 1;
    Sum sum = 0;
    for (int c = begin > 0 ? begin : 0; c < (end < r.channels ? end : r.channels); c++) {
        const Sum value = number(x[c * r.x]);
        sum += value * value;
    }
    return Sum(r.k) + Sum(r.alpha) * sum;
}

template <typename T, typename Sum> DEVICE void respond(const wl_dnn_response &r, T *y, const T *x, Sum alpha, Sum beta)
{
    const i64 count = (i64)r.walk.count * r.channels;
    for (i64 i = first(); i < count; i += step()) {
        i64 at[2];
        const int channel = (int)(i / r.walk.count);
        locate(r.walk, (int)(i % r.walk.count), at);
        const T *from = x + at[1];
        const Sum result = number(from[channel * r.x]) * power(response<T, Sum>(r, from, channel), -Sum(r.beta));
        blend(y + at[0] + channel * r.y, alpha, result, beta);
    }
}

template <typename T, typename Sum>
DEVICE void respond_back(const wl_dnn_response &r, const T *x, const T *dy, T *dx, Sum alpha, Sum beta)
{
    const i64 count = (i64)r.walk.count * r.channels;
    for (i64 i = first(); i < count; i += step()) {
        i64 at[4];
        const int channel = (int)(i / r.walk.count);
        locate(r.walk, (int)(i % r.walk.count), at);
        const T *from = x + at[1], *gradients = dy + at[2];
        const int begin = channel - r.after, end = channel + r.before + 1; /* whose windows have it */
        Sum sum = 0;
        for (int c = begin > 0 ? begin : 0; c < (end < r.channels ? end : r.channels); c++)
            sum += number(gradients[c * r.dy]) * number(from[c * r.x]) *
                   power(response<T, Sum>(r, from, c), -Sum(r.beta) - 1);
        const Sum own = number(gradients[channel * r.dy]) * power(response<T, Sum>(r, from, channel), -Sum(r.beta));
        blend(dx + at[3] + channel * r.dx, alpha,
              own - 2 * Sum(r.alpha) * Sum(r.beta) * number(from[channel * r.x]) * sum, beta);
    }
}

#define WINDOWS(suffix, T, Sum)                                                                                           \
    GLOBAL void warplens_dnn_pool_##suffix(wl_dnn_pooling p, T *x, T *y, Sum alpha, Sum beta)                             \
    {                                                                                                                     \
        pool(p, x, y, alpha, beta);                                                                                       \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_pool_back_##suffix(wl_dnn_pooling p, T *x, T *dy, T *dx, Sum alpha, Sum beta)                \
    {                                                                                                                     \
        pool_back(p, x, dy, dx, alpha, beta);                                                                             \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_respond_##suffix(wl_dnn_response r, T *y, T *x, Sum alpha, Sum beta)                         \
    {                                                                                                                     \
        respond(r, y, x, alpha, beta);                                                                                    \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_respond_back_##suffix(wl_dnn_response r, T *x, T *dy, T *dx, Sum alpha, Sum beta)            \
    {                                                                                                                     \
        respond_back(r, x, dy, dx, alpha, beta);                                                                          \
    }
KINDS(WINDOWS)
