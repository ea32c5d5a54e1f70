/* Kernels behind the operations of cuDNN's graphs. Plain ones: an element of the result a thread, computed in
 * double precision from elements of any type and rounded to the type of the result, but for products of matrices,
 * whose sums are single-precision ones unless one of the tensors is of doubles. backend.ptx is made from this file (see the
 * command in its first line) and embedded in the library.
 */
#include "backend_kernels.h"
#include "dnn.cuh"
#include "elementary.cuh"

enum { FLOAT = 0, DOUBLE = 1, HALF = 2, INT8 = 3, INT32 = 4, UINT8 = 6, BFLOAT16 = 9, INT64 = 10, BOOLEAN = 11 };

/* Takes the index within dimension d from a place. */
DEVICE int take(const wl_dnn_graph_dims &dims, int d, int &place)
{
    int index = place;
    if (d) {
        place = (int)((unsigned long long)(unsigned)place * dims.factors[d] >> dims.shifts[d]);
        index -= place * dims.sizes[d];
    }
    return index;
}

/* Numbers of 8 bits: so many of them are the fraction. Of E5M2 the greatest exponent is that of infinity and of what is
 * no number; of E4M3 no number is the greatest of all. */
struct narrow {
    int fraction, bias, greatest; /* greatest: the greatest finite one, as bits */
};

DEVICE narrow narrow_of(int type)
{
    return type == WL_DNN_GRAPH_E4M3 ? narrow{3, 7, 0x7e} : narrow{2, 15, 0x7b};
}

DEVICE double widen_byte(unsigned bits, const narrow &kind)
{
    int low = bits & 0x7f, exponent = low >> kind.fraction, one = 1 << kind.fraction, part = low & (one - 1);
    double size = (exponent ? part + one : part) * power_of_two<double>((exponent ? exponent : 1) - kind.bias - kind.fraction);
    if (low > kind.greatest)
        size = kind.fraction == 2 && part == 0 ? INFINITE : __builtin_nan("");
    return bits >> 7 ? -size : size;
}

/* The nearest, ties to even; what is greater than all is the greatest. */
DEVICE unsigned char narrow_byte(double x, const narrow &kind)
{
    const double most = widen_byte(kind.greatest, kind);
    unsigned char sign = (unsigned char)(__builtin_signbit(x) ? 0x80 : 0);
    if (x != x)
        return sign | 0x7f;
    double size = magnitude(x) > most ? most : magnitude(x);
    int exponent = (int)(__builtin_bit_cast(i64, size) >> 52) - 1023, least = 1 - kind.bias;
    exponent = exponent < least ? least : exponent;
    int digits = (int)round_even(size * power_of_two<double>(kind.fraction - exponent));
    return (unsigned char)(sign | (((exponent - least) << kind.fraction) + digits));
}

DEVICE double load(const void *data, int type, i64 at)
{
    switch (type) {
    case FLOAT:
        return ((const float *)data)[at];
    case DOUBLE:
        return ((const double *)data)[at];
    case HALF:
        return number(((const half *)data)[at]);
    case BFLOAT16:
        return number(((const bfloat *)data)[at]);
    case INT8:
        return ((const signed char *)data)[at];
    case INT32:
        return ((const int *)data)[at];
    case INT64:
        return (double)((const i64 *)data)[at];
    case WL_DNN_GRAPH_E4M3:
    case WL_DNN_GRAPH_E5M2:
        return widen_byte(((const unsigned char *)data)[at], narrow_of(type));
    case WL_DNN_GRAPH_BITS:
        return ((const unsigned char *)data)[at >> 3] >> (at & 7) & 1;
    default:
        return ((const unsigned char *)data)[at];
    }
}

/* A whole number within bounds, of what may be none; of NaN 0 (of 64 bits the least number, as conversions of an H200
 * give it). */
DEVICE double whole(double x, double least, double most)
{
    x = x != x ? 0 : x < least ? least : x > most ? most : x;
    return round_even(x);
}

DEVICE void store(void *data, int type, i64 at, double x)
{
    switch (type) {
    case FLOAT:
        ((float *)data)[at] = (float)x;
        break;
    case DOUBLE:
        ((double *)data)[at] = x;
        break;
    case HALF:
        assign(((half *)data)[at], (float)x);
        break;
    case BFLOAT16:
        assign(((bfloat *)data)[at], (float)x);
        break;
    case INT8:
        ((signed char *)data)[at] = (signed char)(int)whole(x, -128, 127);
        break;
    case INT32:
        ((int *)data)[at] = (int)whole(x, -2147483648.0, 2147483647.0);
        break;
    case INT64:
        ((i64 *)data)[at] = x != x ? (i64)1 << 63 : (i64)whole(x, -9223372036854775808.0, 9223372036854774784.0);
        break;
    case UINT8:
        ((unsigned char *)data)[at] = (unsigned char)(int)whole(x, 0, 255);
        break;
    case WL_DNN_GRAPH_E4M3:
    case WL_DNN_GRAPH_E5M2:
        ((unsigned char *)data)[at] = narrow_byte(x, narrow_of(type));
        break;
    default:
        ((unsigned char *)data)[at] = x != 0;
    }
}

DEVICE double read(const wl_dnn_graph_operand &of, i64 at)
{
    double x = of.data ? load(of.data, of.type, at) : of.value;
    return of.factor == 1 ? x : x * of.factor;
}

DEVICE double normal_density(double x)
{
    return 0.3989422804014327 * exponential(-0.5 * x * x);
}

DEVICE double gelu_inner(double x)
{
    return 0.7978845608028654 * (x + 0.044715 * x * x * x);
}

/* Of a number and of what is none: the number. */
DEVICE double least(double x, double b)
{
    return x != x || b < x ? b : x;
}

/* What a division towards 0 leaves, with x's sign. */
DEVICE double remainder(double x, double b)
{
    double size = magnitude(x), by = magnitude(b);
    if (size < by)
        return x;
    double rest = __builtin_fma(-toward_zero(size / by), by, size);
    if (rest < 0) /* the quotient was rounded to the whole number above */
        rest += by;
    return __builtin_copysign(rest, x);
}

/* cudnnPointwiseMode_t's operations of two operands. */
DEVICE double combine(int mode, double x, double b)
{
    switch (mode) {
    case 0:
        return x + b;
    case 1:
        return x * b;
    case 2:
        return least(x, b);
    case 3:
        return -least(-x, -b);
    case 5:
        return x + b * b;
    case 6:
        return x / b;
    case 7:
        return remainder(x, b);
    case 8:
        return raise(x, b);
    case 9:
        return x - b;
    case 23:
        return arc_tangent(x, b);
    case 300:
        return x == b;
    case 301:
        return x != b;
    case 302:
        return x > b;
    case 303:
        return x >= b;
    case 304:
        return x < b;
    case 305:
        return x <= b;
    case 400:
        return x != 0 && b != 0;
    default:
        return x != 0 || b != 0;
    }
}

/* The greater of x, cut off above, and of the line through (lower, lower). */
DEVICE double rectify(const wl_dnn_graph_pointwise &of, double x)
{
    double line = of.slope == 0 ? of.lower : of.lower + of.slope * (x - of.lower), most = x > of.upper ? of.upper : x;
    return most > line ? most : line;
}

/* Those of one. */
DEVICE double apply(const wl_dnn_graph_pointwise &of, double x)
{
    switch (of.mode) {
    case 4:
        return root(x);
    case 10:
        return magnitude(x);
    case 11:
        return -floor_of(-x);
    case 12:
        return sine(x, 1);
    case 13:
        return exponential(x);
    case 14:
        return floor_of(x);
    case 15:
        return logarithm(x);
    case 16:
        return -x;
    case 17:
        return 1 / root(x);
    case 18:
        return sine(x, 0);
    case 19:
        return sine(x, 0) / sine(x, 1);
    case 20:
        return error_function(x);
    case 22:
        return 1 / x;
    case 100:
        return x != x ? x : rectify(of, x);
    case 101:
        return hyperbolic_tangent(x);
    case 102:
        return sigmoid(x);
    case 103:
        return x > 0 ? x : of.elu * exponential_less_one(x);
    case 104:
        return x * 0.5 * (1 + error_function(x * 0.7071067811865476));
    case 105:
        return (x * of.softplus > 0 ? x : 0) +
               logarithm_one_more(exponential(-magnitude(x * of.softplus))) / of.softplus;
    case 106:
        return x * sigmoid(of.swish * x);
    case 107:
        return x * 0.5 * (1 + hyperbolic_tangent(gelu_inner(x)));
    case 402:
        return x == 0;
    default:
        return x;
    }
}

/* Derivatives of the activations 100 to 107 at their argument. */
DEVICE double slope(const wl_dnn_graph_pointwise &of, double x)
{
    double s, t;
    switch (of.mode) {
    case 200:
        return x <= of.lower ? of.slope : !(x >= of.upper);
    case 201:
        t = hyperbolic_tangent(x);
        return 1 - t * t;
    case 202:
        s = sigmoid(x);
        return s * (1 - s);
    case 203:
        return x > 0 ? 1 : of.elu * exponential(x);
    case 204:
        return 0.5 * (1 + error_function(x * 0.7071067811865476)) + x * normal_density(x);
    case 205:
        return sigmoid(of.softplus * x);
    case 206:
        s = sigmoid(of.swish * x);
        return s + of.swish * x * s * (1 - s);
    default:
        t = hyperbolic_tangent(gelu_inner(x));
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
    }
}

/* Element `at` of the result, and where it belongs. */
DEVICE double compute(const wl_dnn_graph_pointwise &of, i64 at, i64 &out)
{
    i64 x = 0, b = 0, t = 0;
    int rest = (int)at, along = 0;
    out = 0;
    for (int i = of.dims.rank - 1; i >= 0; i--) {
        int index = take(of.dims, i, rest);
        out += index * of.out.strides[i];
        x += index * of.x.strides[i];
        b += index * of.b.strides[i];
        t += index * of.t.strides[i];
        along = i == of.axis ? index : along;
    }
    if (of.mode == 501)
        return (double)along;
    if (of.mode == 601)
        return read(of.t, t) != 0 ? read(of.x, x) : read(of.b, b);
    if (of.mode >= 200 && of.mode < 300) {
        double by = slope(of, read(of.x, x));
        return of.mode == 200 && by == 0 ? 0 : by * read(of.b, b);
    }
    if (of.mode < 4 || (of.mode > 4 && of.mode < 10) || of.mode == 23 || (of.mode >= 300 && of.mode < 402))
        return combine(of.mode, read(of.x, x), read(of.b, b));
    return apply(of, read(of.x, x));
}

/* Of bits a thread has those of a byte, in the order of the elements. */
GLOBAL void warplens_dnn_graph_pointwise_d(wl_dnn_graph_pointwise of)
{
    const int each = of.out.type == WL_DNN_GRAPH_BITS ? 8 : 1;
    for (i64 begin = first() * each; begin < of.count; begin += step() * each) {
        unsigned bits = 0;
        for (int i = 0; i < each && begin + i < of.count; i++) {
            i64 out;
            double result = compute(of, begin + i, out);
            if (each == 1)
                store(of.out.data, of.out.type, out, result);
            bits |= (unsigned)(result != 0) << i;
        }
        if (each > 1)
            ((unsigned char *)of.out.data)[begin / 8] = (unsigned char)bits;
    }
}

/* The sum of depth products of elements that lie steps apart. */
template <typename Sum, typename X, typename B>
DEVICE Sum add_products(const X *x, i64 x_step, const B *b, i64 b_step, int depth)
{
    Sum sum = 0;
    for (int k = 0; k < depth; k++, x += x_step, b += b_step)
        sum += (Sum)number(*x) * (Sum)number(*b);
    return sum;
}

template <typename Sum, typename X>
DEVICE Sum add_products(const X *x, i64 x_step, const wl_dnn_graph_operand &b, i64 at, i64 b_step, int depth)
{
    if (b.type == HALF)
        return add_products<Sum>(x, x_step, (const half *)b.data + at, b_step, depth);
    if (b.type == BFLOAT16)
        return add_products<Sum>(x, x_step, (const bfloat *)b.data + at, b_step, depth);
    return add_products<Sum>(x, x_step, (const float *)b.data + at, b_step, depth);
}

/* Whether it is of single precision or less, in memory. */
DEVICE bool is_narrow(const wl_dnn_graph_operand &of)
{
    return of.data && (of.type == FLOAT || of.type == HALF || of.type == BFLOAT16);
}

template <typename Sum> DEVICE void multiply(const wl_dnn_graph_matmul &of)
{
    int rows = of.dims.rank - 2, columns = of.dims.rank - 1;
    i64 x_step = of.x.strides[columns], b_step = of.b.strides[rows];
    bool are_narrow = sizeof(Sum) == sizeof(float) && is_narrow(of.x) && is_narrow(of.b);
    for (i64 at = first(); at < of.count; at += step()) {
        i64 out = 0, x = 0, b = 0, row_count = 0, column_count = 0, depth_count = 0;
        int rest = (int)at, row = 0, column = 0;
        for (int i = columns; i >= 0; i--) {
            int index = take(of.dims, i, rest);
            out += index * of.out.strides[i];
            x += i == columns ? 0 : index / of.x_shared[i] * of.x.strides[i];
            b += i == rows ? 0 : index / of.b_shared[i] * of.b.strides[i];
            row_count += index * of.row_count.strides[i];
            column_count += index * of.column_count.strides[i];
            depth_count += index * of.depth_count.strides[i];
            row = i == rows ? index : row;
            column = i == columns ? index : column;
        }
        Sum sum = 0;
        int depth = of.depth_count.data ? (int)read(of.depth_count, depth_count) : of.depth;
        if ((of.row_count.data && row >= read(of.row_count, row_count)) ||
            (of.column_count.data && column >= read(of.column_count, column_count)))
            depth = 0;
        if (!are_narrow)
            for (int k = 0; k < depth; k++)
                sum += (Sum)read(of.x, x + k * x_step) * (Sum)read(of.b, b + k * b_step);
        else if (of.x.type == HALF)
            sum = add_products<Sum>((const half *)of.x.data + x, x_step, of.b, b, b_step, depth);
        else if (of.x.type == BFLOAT16)
            sum = add_products<Sum>((const bfloat *)of.x.data + x, x_step, of.b, b, b_step, depth);
        else
            sum = add_products<Sum>((const float *)of.x.data + x, x_step, of.b, b, b_step, depth);
        store(of.out.data, of.out.type, out, sum);
    }
}

GLOBAL void warplens_dnn_graph_matmul_f(wl_dnn_graph_matmul of)
{
    multiply<float>(of);
}

GLOBAL void warplens_dnn_graph_matmul_d(wl_dnn_graph_matmul of)
{
    multiply<double>(of);
}

/* What a reduction makes of an element alone, and of two such. */
DEVICE double begin(int mode, double x)
{
    return mode == 4 || mode == 6 ? magnitude(x) : mode == 7 || mode == 9 ? x * x : mode == 8 && x == 0 ? 1 : x;
}

DEVICE double join(int mode, double a, double b)
{
    return mode == 1 || mode == 8 ? a * b : mode == 2 ? least(a, b) : mode == 3 || mode == 4 ? -least(-a, -b) : a + b;
}

/* Each thread of a group has one element at least. */
GLOBAL void warplens_dnn_graph_reduction_d(wl_dnn_graph_reduction of)
{
    for (share s = share_of(of.group, of.count); has_more(s); s.result += s.stride) {
        i64 out = 0, base = 0;
        int rest = (int)s.result;
        double sum = 0;
        for (int i = of.dims.rank - 1; s.is_there() && i >= 0; i--) {
            int index = take(of.dims, i, rest);
            out += index * of.out.strides[i];
            base += (i64)index * of.over.sizes[i] * of.x.strides[i];
        }
        for (int k = s.lane; s.is_there() && k < of.over_count; k += s.group) {
            i64 from = base;
            int left = k;
            for (int i = of.dims.rank - 1; i >= 0; i--)
                from += take(of.over, i, left) * of.x.strides[i];
            double x = begin(of.mode, read(of.x, from));
            sum = k == s.lane ? x : join(of.mode, sum, x);
        }
        sum = combine(s, sum, [&] DEVICE_LAMBDA(double a, double b) { return join(of.mode, a, b); });
        double result = of.mode == 5 ? sum / (double)of.over_count : of.mode == 7 ? root(sum) : sum;
        if (s.is_there() && s.lane == 0)
            store(of.out.data, of.out.type, out, result);
    }
}

/* Bits of a number, by the finishing steps of MurmurHash3. */
DEVICE unsigned long long scramble(unsigned long long x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

DEVICE unsigned long long whole_number(const wl_dnn_graph_operand &of, i64 otherwise)
{
    if (!of.data)
        return (unsigned long long)otherwise;
    return (unsigned long long)(of.type == INT64 ? *(const i64 *)of.data : *(const int *)of.data);
}

GLOBAL void warplens_dnn_graph_rng_d(wl_dnn_graph_rng of)
{
    unsigned long long key = scramble(whole_number(of.seed, of.seed_value) ^
                                      scramble(whole_number(of.offset, 0) + 0x9e3779b97f4a7c15ull));
    for (i64 at = first(); at < of.count; at += step()) {
        i64 out = 0;
        int rest = (int)at;
        for (int i = of.dims.rank - 1; i >= 0; i--)
            out += take(of.dims, i, rest) * of.out.strides[i];
        double x = (double)(scramble(key ^ scramble((unsigned long long)at)) >> 11) * 1.1102230246251565e-16; /* 2^-53 */
        store(of.out.data, of.out.type, out, of.mode == 0 ? x < of.probability : of.least + (of.most - of.least) * x);
    }
}

/* ---- normalisation ---- */

/* Element `at` of a group, in one of the tensors. */
DEVICE i64 place(const wl_dnn_graph_norm &of, const wl_dnn_graph_operand &in, int group, int at)
{
    i64 result = 0;
    for (int i = of.kept.rank - 1; i >= 0; i--)
        result += (take(of.kept, i, group) + take(of.over, i, at)) * in.strides[i];
    return result;
}

DEVICE double read(const wl_dnn_graph_norm &of, const wl_dnn_graph_operand &in, int group, int at, double otherwise)
{
    return in.data ? load(in.data, in.type, place(of, in, group, at)) : otherwise;
}

DEVICE void write(const wl_dnn_graph_norm &of, const wl_dnn_graph_operand &to, int group, int at, double x)
{
    if (to.data)
        store(to.data, to.type, place(of, to, group, at), x);
}

GLOBAL void warplens_dnn_graph_norm_d(wl_dnn_graph_norm of)
{
    for (i64 number = first(); number < of.groups; number += step()) {
        int group = (int)number;
        double count = (double)of.size, mean = 0, variance = 0;
        for (int i = 0; i < of.size && !of.is_rms; i++)
            mean += read(of, of.x, group, i, 0) / count;
        for (int i = 0; i < of.size; i++) {
            double x = read(of, of.x, group, i, 0) - mean;
            variance += x * x / count;
        }
        double inverse = 1 / root(variance + of.epsilon), whole = of.size > 1 ? variance * count / (count - 1) : variance;
        write(of, of.mean, group, 0, mean);
        write(of, of.inverse, group, 0, inverse);
        double old_mean = read(of, of.old_mean, group, 0, 0), old_variance = read(of, of.old_variance, group, 0, 0);
        write(of, of.new_mean, group, 0, old_mean + of.factor * (mean - old_mean));
        write(of, of.new_variance, group, 0, old_variance + of.factor * (whole - old_variance));
        for (int i = 0; i < of.size; i++) {
            double x = (read(of, of.x, group, i, 0) - mean) * inverse;
            write(of, of.y, group, i, x * read(of, of.scale, group, i, 1) + read(of, of.bias, group, i, 0));
        }
    }
}

/* x as it is normalised. */
DEVICE double normal(const wl_dnn_graph_norm &of, int group, int at)
{
    double x = read(of, of.x, group, at, 0), mean = of.is_rms ? 0 : read(of, of.mean, group, at, 0);
    return (x - mean) * read(of, of.inverse, group, at, 0);
}

/* Each group is an element. */
GLOBAL void warplens_dnn_graph_norm_apply_d(wl_dnn_graph_norm of)
{
    for (i64 number = first(); number < of.groups; number += step()) {
        int at = (int)number;
        write(of, of.y, at, 0, normal(of, at, 0) * read(of, of.scale, at, 0, 1) + read(of, of.bias, at, 0, 0));
    }
}

GLOBAL void warplens_dnn_graph_norm_back_d(wl_dnn_graph_norm of)
{
    for (i64 number = first(); number < of.groups; number += step()) {
        int group = (int)number;
        double sum = 0, product = 0, count = (double)of.size;
        for (int i = 0; i < of.size; i++) {
            double gradient = read(of, of.dy, group, i, 0) * read(of, of.scale, group, i, 1);
            sum += of.is_rms ? 0 : gradient / count;
            product += gradient * normal(of, group, i) / count;
        }
        for (int i = 0; i < of.size; i++) {
            double gradient = read(of, of.dy, group, i, 0) * read(of, of.scale, group, i, 1);
            double inverse = read(of, of.inverse, group, i, 0);
            write(of, of.y, group, i, (gradient - sum - normal(of, group, i) * product) * inverse);
        }
    }
}

GLOBAL void warplens_dnn_graph_norm_back_scale_d(wl_dnn_graph_norm of)
{
    for (i64 number = first(); number < of.groups; number += step()) {
        int group = (int)number;
        double scale = 0, bias = 0;
        for (int i = 0; i < of.size; i++) {
            double gradient = read(of, of.dy, group, i, 0);
            scale += gradient * normal(of, group, i);
            bias += gradient;
        }
        write(of, of.dscale, group, 0, scale);
        write(of, of.dbias, group, 0, bias);
    }
}

/* ---- windows ---- */

/* A tap of a window: where it is in x, from the window's first element on; false: in the padding. */
DEVICE bool find_tap(const wl_dnn_graph_resample &of, const int *begin, int tap, const wl_dnn_graph_operand &x, i64 &at)
{
    bool is_inside = true;
    at = 0;
    for (int i = of.spatial - 1; i >= 0; i--) {
        int place = begin[i] + take(of.window, i, tap);
        is_inside = is_inside && place >= 0 && place < of.in[i];
        at += place * x.strides[of.dims.rank - of.spatial + i];
    }
    return is_inside;
}

/* What a window gives: of the greatest element its tap, too. base: of its batch and channel in x. */
DEVICE double pool(const wl_dnn_graph_resample &of, const int *begin, i64 base, int &tap, int &counted)
{
    double result = 0;
    tap = -1;
    counted = 0;
    for (int i = 0; i < of.taps; i++) {
        i64 at;
        bool is_inside = find_tap(of, begin, i, of.x, at);
        if (!is_inside && !of.counts_padding)
            continue;
        double x = is_inside && of.x.data ? read(of.x, base + at) : 0;
        counted++;
        if (!of.is_most) {
            result += x;
        } else if (tap < 0 || x > result || (x != x && result == result)) {
            result = x;
            tap = i;
        }
    }
    return of.is_most ? (tap < 0 ? -INFINITE : result) : counted ? result / counted : 0;
}

DEVICE void blend(const wl_dnn_graph_operand &to, i64 at, double alpha, double x, double beta)
{
    double before = beta != 0 ? load(to.data, to.type, at) * beta : 0;
    store(to.data, to.type, at, alpha * x + before);
}

GLOBAL void warplens_dnn_graph_resample_d(wl_dnn_graph_resample of)
{
    for (i64 number = first(); number < of.count; number += step()) {
        i64 x = 0, y = 0, index = 0;
        int rest = (int)number, begin[WL_DNN_GRAPH_SPATIAL], tap, counted;
        for (int i = of.dims.rank - 1; i >= 0; i--) {
            int place = take(of.dims, i, rest), s = i - (of.dims.rank - of.spatial);
            y += place * of.y.strides[i];
            index += place * of.index.strides[i];
            if (s >= 0)
                begin[s] = place * of.strides[s] - of.pads[s];
            else
                x += place * of.x.strides[i];
        }
        double result = pool(of, begin, x, tap, counted);
        blend(of.y, y, of.alpha, result, of.beta);
        if (of.index.data)
            store(of.index.data, of.index.type, index, tap);
    }
}

/* The gradients that come to an element of x from all windows that it is in. */
GLOBAL void warplens_dnn_graph_resample_back_d(wl_dnn_graph_resample of)
{
    for (i64 number = first(); number < of.count; number += step()) {
        i64 dx = 0, x = 0, dy = 0, index = 0;
        int rest = (int)number, place[WL_DNN_GRAPH_SPATIAL], begin[WL_DNN_GRAPH_SPATIAL];
        double sum = 0;
        const int other = of.dims.rank - of.spatial;
        for (int i = of.dims.rank - 1; i >= 0; i--) {
            int at = take(of.dims, i, rest);
            dx += at * of.dx.strides[i];
            if (i >= other) {
                place[i - other] = at;
                continue;
            }
            x += at * of.x.strides[i];
            dy += at * of.dy.strides[i];
            index += at * of.index.strides[i];
        }
        for (int tap = 0; tap < of.taps; tap++) {
            i64 from = dy, known = index;
            int left = tap, most, counted;
            bool is_there = true;
            for (int i = of.spatial - 1; i >= 0; i--) {
                int far = place[i] + of.pads[i] - take(of.window, i, left), window = far / of.strides[i];
                is_there = is_there && far >= 0 && window * of.strides[i] == far && window < of.out[i];
                begin[i] = far - of.pads[i];
                from += window * of.dy.strides[other + i];
                known += window * of.index.strides[other + i];
            }
            if (!is_there)
                continue;
            if (of.is_most && of.index.data)
                most = (int)read(of.index, known);
            else
                pool(of, begin, x, most, counted);
            if (!of.is_most)
                sum += read(of.dy, from) / counted;
            else if (most == tap)
                sum += read(of.dy, from);
        }
        blend(of.dx, dx, of.alpha, sum, of.beta);
    }
}
