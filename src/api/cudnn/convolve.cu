/* Convolutions and their gradients: a thread for each element of what is made, which loops over its sum. Plain ones: what
 * they count is what such a call does at least, not how cuDNN does it.
 *
 * convolve.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "functions.cuh"

/* Where a thread's element stands: the first index is of n or k, the second of c, the others are spatial. */
struct place {
    int at[WL_DNN_RANK];
};

DEVICE place place_of(int i, int second, const int *spatial)
{
    place p;
    UNROLL for (int d = WL_DNN_SPATIAL - 1; d >= 0; d--) {
        p.at[2 + d] = i % spatial[d];
        i /= spatial[d];
    }
    p.at[1] = i % second;
    p.at[0] = i / second;
    return p;
}

DEVICE i64 offset(const long long *steps, const place &p)
{
    i64 sum = 0;
    UNROLL for (int d = 0; d < WL_DNN_RANK; d++)
        sum += p.at[d] * steps[d];
    return sum;
}

DEVICE int product(const int *sizes)
{
    return sizes[0] * sizes[1] * sizes[2];
}

/* sum of a[i * a_step] * b[i * b_step] */
template <typename T, typename Sum> DEVICE Sum dot(Sum sum, const T *a, i64 a_step, const T *b, i64 b_step, int count)
{
    for (int i = 0; i < count; i++) {
        sum += number(*a) * number(*b);
        a += a_step;
        b += b_step;
    }
    return sum;
}

/* The input's index that a tap meets; false: there is padding. */
DEVICE bool meet(const wl_dnn_convolution &c, int d, int out, int tap, int *in)
{
    *in = out * c.strides[d] - c.pads[d] + tap * c.dilations[d];
    return (unsigned)*in < (unsigned)c.in[d];
}

/* The output's index that meets an input's with a tap; false: none does. */
DEVICE bool meet_back(const wl_dnn_convolution &c, int d, int in, int tap, int *out)
{
    int at = in + c.pads[d] - tap * c.dilations[d];
    *out = at / c.strides[d];
    return at >= 0 && *out * c.strides[d] == at && *out < c.out[d];
}

template <typename T, typename Sum>
DEVICE Sum forward_sum(const wl_dnn_convolution &c, const place &to, const T *x, const T *w)
{
    const T *from = x + to.at[0] * c.x[0] + to.at[1] / c.filters * c.channels * c.x[1], *taps = w + to.at[1] * c.w[0];
    Sum sum = 0;
    int at[WL_DNN_SPATIAL];
    for (int a = 0; a < c.taps[0]; a++) {
        if (!meet(c, 0, to.at[2], a, &at[0]))
            continue;
        for (int b = 0; b < c.taps[1]; b++) {
            if (!meet(c, 1, to.at[3], b, &at[1]))
                continue;
            for (int e = 0; e < c.taps[2]; e++)
                if (meet(c, 2, to.at[4], e, &at[2]))
                    sum = dot(sum, from + at[0] * c.x[2] + at[1] * c.x[3] + at[2] * c.x[4], c.x[1],
                              taps + a * c.w[2] + b * c.w[3] + e * c.w[4], c.w[1], c.channels);
        }
    }
    return sum;
}

template <typename T, typename Sum>
DEVICE void forward(const wl_dnn_convolution &c, const T *x, const T *w, T *y, Sum alpha, Sum beta)
{
    const int outputs = c.groups * c.filters, count = c.batch * outputs * product(c.out);
    for (i64 i = first(); i < count; i += step()) {
        const place to = place_of((int)i, outputs, c.out);
        blend(y + offset(c.y, to), alpha, forward_sum<T, Sum>(c, to, x, w), beta);
    }
}

template <typename T, typename Sum>
DEVICE void forward_fused(const wl_dnn_convolution &c, const T *x, const T *w, T *y, Sum alpha, const wl_dnn_epilogue &e)
{
    const int outputs = c.groups * c.filters, count = c.batch * outputs * product(c.out);
    const Sum factor = Sum(e.factor);
    for (i64 i = first(); i < count; i += step()) {
        const place to = place_of((int)i, outputs, c.out);
        Sum result = alpha * forward_sum<T, Sum>(c, to, x, w);
        if (factor != 0) {
            asm volatile("" ::: "memory"); /* or z is loaded before the factor is looked at */
            result += factor * number(((const T *)e.z)[offset(e.steps, to)]);
        }
        result += number(((const T *)e.bias)[to.at[1] * e.bias_step]);
        assign(y[offset(c.y, to)], activate(e.activation, result));
    }
}

template <typename T, typename Sum>
DEVICE void backward_data(const wl_dnn_convolution &c, T *x, const T *w, const T *y, Sum alpha, Sum beta)
{
    const int inputs = c.groups * c.channels, count = c.batch * inputs * product(c.in);
    for (i64 i = first(); i < count; i += step()) {
        const place to = place_of((int)i, inputs, c.in);
        const i64 filter = (i64)(to.at[1] / c.channels) * c.filters;
        const T *from = y + to.at[0] * c.y[0] + filter * c.y[1];
        const T *taps = w + filter * c.w[0] + to.at[1] % c.channels * c.w[1];
        Sum sum = 0;
        int at[WL_DNN_SPATIAL];
        for (int a = 0; a < c.taps[0]; a++) {
            if (!meet_back(c, 0, to.at[2], a, &at[0]))
                continue;
            for (int b = 0; b < c.taps[1]; b++) {
                if (!meet_back(c, 1, to.at[3], b, &at[1]))
                    continue;
                for (int e = 0; e < c.taps[2]; e++)
                    if (meet_back(c, 2, to.at[4], e, &at[2]))
                        sum = dot(sum, from + at[0] * c.y[2] + at[1] * c.y[3] + at[2] * c.y[4], c.y[1],
                                  taps + a * c.w[2] + b * c.w[3] + e * c.w[4], c.w[0], c.filters);
            }
        }
        blend(x + offset(c.x, to), alpha, sum, beta);
    }
}

/* Outputs from begin on and before end meet the input with that tap. */
struct range {
    int begin, end;
};

DEVICE range range_of(const wl_dnn_convolution &c, int d, int tap)
{
    const int shift = c.pads[d] - tap * c.dilations[d], last = c.in[d] - 1 + shift;
    range r;
    r.begin = shift > 0 ? (shift + c.strides[d] - 1) / c.strides[d] : 0;
    r.end = last < 0 ? 0 : last / c.strides[d] + 1;
    r.end = r.end < c.out[d] ? r.end : c.out[d];
    return r;
}

template <typename T, typename Sum>
DEVICE void backward_filter(const wl_dnn_convolution &c, const T *x, T *w, const T *y, Sum alpha, Sum beta)
{
    const int count = c.groups * c.filters * c.channels * product(c.taps);
    for (i64 i = first(); i < count; i += step()) {
        const place to = place_of((int)i, c.channels, c.taps);
        const T *from = x + ((i64)(to.at[0] / c.filters) * c.channels + to.at[1]) * c.x[1], *out = y + to.at[0] * c.y[1];
        range r[WL_DNN_SPATIAL];
        UNROLL for (int d = 0; d < WL_DNN_SPATIAL; d++) {
            r[d] = range_of(c, d, to.at[2 + d]);
            from += (to.at[2 + d] * c.dilations[d] - c.pads[d]) * c.x[2 + d];
        }
        Sum sum = 0;
        for (int n = 0; n < c.batch; n++)
            for (int a = r[0].begin; a < r[0].end; a++)
                for (int b = r[1].begin; b < r[1].end; b++)
                    sum = dot(sum,
                              from + n * c.x[0] + a * c.strides[0] * c.x[2] + b * c.strides[1] * c.x[3] +
                                  r[2].begin * c.strides[2] * c.x[4],
                              c.strides[2] * c.x[4],
                              out + n * c.y[0] + a * c.y[2] + b * c.y[3] + r[2].begin * c.y[4], c.y[4],
                              r[2].end - r[2].begin);
        blend(w + offset(c.w, to), alpha, sum, beta);
    }
}

/* What each tap meets at each output: rows are of c and taps, columns of n and outputs. Padding is 0. */
template <typename T> DEVICE void columns(const wl_dnn_convolution &c, const T *x, T *to, int is_flipped)
{
    const i64 width = (i64)c.batch * product(c.out), count = width * c.channels * product(c.taps);
    for (i64 i = first(); i < count; i += step()) {
        const place out = place_of((int)(i % width), 1, c.out), tap = place_of((int)(i / width), 1, c.taps);
        const T *from = x + out.at[0] * c.x[0] + tap.at[0] * c.x[1];
        bool is_met = true;
        UNROLL for (int d = 0; d < WL_DNN_SPATIAL; d++) {
            const int own = tap.at[2 + d];
            int in;
            is_met &= meet(c, d, out.at[2 + d], is_flipped ? c.taps[d] - 1 - own : own, &in);
            from += in * c.x[2 + d];
        }
        T none;
        assign(none, 0);
        to[i] = is_met ? *from : none;
    }
}

#define CONVOLUTIONS(suffix, T, Sum)                                                                                      \
    GLOBAL void warplens_dnn_forward_##suffix(wl_dnn_convolution c, T *x, T *w, T *y, Sum alpha, Sum beta)                \
    {                                                                                                                     \
        forward(c, x, w, y, alpha, beta);                                                                                 \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_forward_fused_##suffix(wl_dnn_convolution c, T *x, T *w, T *y, Sum alpha, wl_dnn_epilogue e) \
    {                                                                                                                     \
        forward_fused(c, x, w, y, alpha, e);                                                                              \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_backward_data_##suffix(wl_dnn_convolution c, T *x, T *w, T *y, Sum alpha, Sum beta)          \
    {                                                                                                                     \
        backward_data(c, x, w, y, alpha, beta);                                                                           \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_backward_filter_##suffix(wl_dnn_convolution c, T *x, T *w, T *y, Sum alpha, Sum beta)        \
    {                                                                                                                     \
        backward_filter(c, x, w, y, alpha, beta);                                                                         \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_columns_##suffix(wl_dnn_convolution c, T *x, T *to, int is_flipped)                          \
    {                                                                                                                     \
        columns(c, x, to, is_flipped);                                                                                    \
    }
KINDS(CONVOLUTIONS)
