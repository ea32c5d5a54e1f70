/* Batch normalisation. Some threads share each mean and its elements: see share in dnn.cuh.
 *
 * normalize.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "dnn.cuh"

/* Tensors of the forward way, and of the gradient. */
enum { X, Y, Z, PARAMETER };
enum { GX, GDY, GY, GDX, GDZ, GPARAMETER };

template <typename Sum> struct moments {
    Sum mean, variance;
};

/* Of the elements of x from there on. */
template <typename T, typename Sum>
DEVICE moments<Sum> measure(const share &s, const wl_dnn_walk &folded, const T *x)
{
    Sum sum = 0;
    for (int i = s.lane; s.is_there() && i < folded.count; i += s.group) {
        i64 at[1];
        locate(folded, i, at);
        sum += number(x[at[0]]);
    }
    const Sum mean = total(s, sum) / folded.count;
    sum = 0;
    for (int i = s.lane; s.is_there() && i < folded.count; i += s.group) {
        i64 at[1];
        locate(folded, i, at);
        const Sum distance = number(x[at[0]]) - mean;
        sum += distance * distance;
    }
    return {mean, total(s, sum) / folded.count};
}

template <typename Sum> DEVICE void move_to(Sum *running, Sum value, Sum momentum)
{
    if (momentum == 1)
        *running = value;
    else
        *running = *running * (1 - momentum) + value * momentum;
}

template <typename T, typename Sum>
DEVICE void train(const wl_dnn_normalization &n, const T *x, T *y, const T *z, const Sum *scale, const Sum *bias,
                  Sum *running_mean, Sum *running_variance, Sum *saved_mean, Sum *saved_inverse, unsigned char *passed,
                  Sum alpha, Sum beta)
{
    for (share s = share_of(n.group, n.kept.count); has_more(s); s.result += s.stride) {
        i64 from[4] = {0, 0, 0, 0};
        if (s.is_there())
            locate(n.kept, (int)s.result, from);
        const i64 parameter = from[PARAMETER];
        const moments<Sum> is = measure<T, Sum>(s, n.folded, x + from[X]);
        const Sum inverse = 1 / root(is.variance + Sum(n.epsilon));
        if (!s.is_there())
            continue;
        if (!s.lane) {
            const int count = n.folded.count;
            if (running_mean)
                move_to(running_mean + parameter, is.mean, Sum(n.momentum));
            if (running_variance)
                move_to(running_variance + parameter, is.variance * count / (count - 1), Sum(n.momentum));
            if (saved_mean)
                saved_mean[parameter] = is.mean;
            if (saved_inverse)
                saved_inverse[parameter] = inverse;
        }
        const Sum factor = scale[parameter] * inverse, shift = bias[parameter];
        for (int i = s.lane; i < n.folded.count; i += s.group) {
            i64 at[3];
            locate(n.folded, i, at);
            Sum result = (number(x[from[X] + at[X]]) - is.mean) * factor + shift;
            if (z)
                result += number(z[from[Z] + at[Z]]);
            if (passed)
                passed[s.result * n.folded.count + i] = result > 0;
            if (n.has_activation && result < 0)
                result = 0;
            blend(y + from[Y] + at[Y], alpha, result, beta);
        }
    }
}

/* y = alpha * (scale * (x - mean) / sqrt(variance + epsilon) + bias) + beta * y, an element for each thread; the walk's
 * tensors: y, x, parameters, z. */
template <typename T, typename Sum>
DEVICE void infer(const wl_dnn_walk &walk, const T *x, T *y, const T *z, const Sum *scale, const Sum *bias, const Sum *mean,
                  const Sum *variance, Sum epsilon, int has_activation, Sum alpha, Sum beta)
{
    for (i64 i = first(); i < walk.count; i += step()) {
        i64 at[4];
        locate(walk, (int)i, at);
        const i64 p = at[2];
        Sum result = (number(x[at[1]]) - mean[p]) * (scale[p] / root(variance[p] + epsilon)) + bias[p];
        if (z)
            result += number(z[at[3]]);
        if (has_activation && result < 0)
            result = 0;
        blend(y + at[0], alpha, result, beta);
    }
}

/* The gradient of y, as it comes before the activation: where that was above 0 is told by `passed`, else by y. */
template <typename T>
DEVICE auto gradient_at(const wl_dnn_normalization &n, const T *dy, const T *y, const unsigned char *passed, i64 dy_at,
                        i64 y_at, i64 i)
{
    auto gradient = number(dy[dy_at]);
    if (n.has_activation && !(passed ? passed[i] != 0 : number(y[y_at]) > 0))
        gradient = 0;
    return gradient;
}

/* factors: of dx alpha and beta, of the parameters' gradients alpha and beta. */
template <typename Sum> struct factors {
    Sum alpha, beta, parameter_alpha, parameter_beta;
};

template <typename T, typename Sum>
DEVICE void train_back(const wl_dnn_normalization &n, const T *x, const T *dy, const T *y, T *dx, T *dz, const Sum *scale,
                       Sum *dscale, Sum *dbias, const Sum *saved_mean, const Sum *saved_inverse, const unsigned char *passed,
                       const factors<Sum> &f)
{
    for (share s = share_of(n.group, n.kept.count); has_more(s); s.result += s.stride) {
        i64 from[6] = {0, 0, 0, 0, 0, 0};
        if (s.is_there())
            locate(n.kept, (int)s.result, from);
        const i64 parameter = from[GPARAMETER];
        Sum mean, inverse;
        if (saved_mean && saved_inverse) {
            mean = saved_mean[parameter];
            inverse = saved_inverse[parameter];
        } else {
            const moments<Sum> is = measure<T, Sum>(s, n.folded, x + from[GX]);
            mean = is.mean;
            inverse = 1 / root(is.variance + Sum(n.epsilon));
        }
        Sum sum = 0, product = 0;
        for (int i = s.lane; s.is_there() && i < n.folded.count; i += s.group) {
            i64 at[3];
            locate(n.folded, i, at);
            const Sum gradient = gradient_at(n, dy, y, passed, from[GDY] + at[GDY], from[GY] + at[GY],
                                             s.result * n.folded.count + i);
            sum += gradient;
            product += gradient * (number(x[from[GX] + at[GX]]) - mean);
        }
        sum = total(s, sum);
        product = total(s, product) * inverse;
        if (!s.is_there())
            continue;
        const Sum factor = scale[parameter] * inverse, each = sum / n.folded.count,
                  slope = product * inverse / n.folded.count;
        for (int i = s.lane; i < n.folded.count; i += s.group) {
            i64 at[5];
            locate(n.folded, i, at);
            const Sum gradient = gradient_at(n, dy, y, passed, from[GDY] + at[GDY], from[GY] + at[GY],
                                             s.result * n.folded.count + i);
            const Sum distance = number(x[from[GX] + at[GX]]) - mean;
            if (dz)
                assign(dz[from[GDZ] + at[GDZ]], gradient);
            blend(dx + from[GDX] + at[GDX], f.alpha, factor * (gradient - each - distance * slope), f.beta);
        }
        if (!s.lane) {
            blend(dscale + parameter, f.parameter_alpha, product, f.parameter_beta);
            blend(dbias + parameter, f.parameter_alpha, sum, f.parameter_beta);
        }
    }
}

#define NORMALIZATIONS(suffix, T, Sum)                                                                                   \
    GLOBAL void warplens_dnn_train_##suffix(wl_dnn_normalization n, T *x, T *y, T *z, Sum *scale, Sum *bias,             \
                                            Sum *running_mean, Sum *running_variance, Sum *saved_mean,                   \
                                            Sum *saved_inverse, unsigned char *passed, Sum alpha, Sum beta)              \
    {                                                                                                                    \
        train(n, x, y, z, scale, bias, running_mean, running_variance, saved_mean, saved_inverse, passed, alpha, beta);  \
    }                                                                                                                    \
    GLOBAL void warplens_dnn_infer_##suffix(wl_dnn_walk walk, T *x, T *y, T *z, Sum *scale, Sum *bias, Sum *mean,        \
                                            Sum *variance, Sum epsilon, int has_activation, Sum alpha, Sum beta)         \
    {                                                                                                                    \
        infer(walk, x, y, z, scale, bias, mean, variance, epsilon, has_activation, alpha, beta);                         \
    }                                                                                                                    \
    GLOBAL void warplens_dnn_train_back_##suffix(wl_dnn_normalization n, T *x, T *dy, T *y, T *dx, T *dz, Sum *scale,    \
                                                 Sum *dscale, Sum *dbias, Sum *saved_mean, Sum *saved_inverse,           \
                                                 unsigned char *passed, factors<Sum> f)                                  \
    {                                                                                                                    \
        train_back(n, x, dy, y, dx, dz, scale, dscale, dbias, saved_mean, saved_inverse, passed, f);                     \
    }
KINDS(NORMALIZATIONS)
