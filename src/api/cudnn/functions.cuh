/* Functions of single and double precision that PTX has no instruction for, to some units in the last place, and
 * activations. */
#ifndef WL_API_CUDNN_FUNCTIONS_CUH
#define WL_API_CUDNN_FUNCTIONS_CUH

#include "dnn.cuh"

/* How a kind of number is stored, and how long its series are. */
template <typename T> struct traits;
template <> struct traits<float> {
    typedef int bits;
    static constexpr int FRACTION = 23, BIAS = 127, EXP_TERMS = 7, LOG_TERMS = 5;
    static constexpr float EXP_LEAST = -103.97f, EXP_MOST = 88.7229f, NORMAL = 1.17549435e-38f;
    static constexpr float LN2_HIGH = 0.693145752f, LN2_LOW = 1.42860677e-6f;
};
template <> struct traits<double> {
    typedef i64 bits;
    static constexpr int FRACTION = 52, BIAS = 1023, EXP_TERMS = 13, LOG_TERMS = 11;
    static constexpr double EXP_LEAST = -745.14, EXP_MOST = 709.782712893384, NORMAL = 2.2250738585072014e-308;
    static constexpr double LN2_HIGH = 0.69314718036912382, LN2_LOW = 1.9082149292705877e-10;
};

/* 2^n of a normal exponent. */
template <typename T> DEVICE T power_of_two(int n)
{
    typedef typename traits<T>::bits bits;
    return __builtin_bit_cast(T, (bits)(n + traits<T>::BIAS) << traits<T>::FRACTION);
}

template <typename T> DEVICE T exponential(T x)
{
    if (!(x <= traits<T>::EXP_MOST))
        return x * T(__builtin_inff()); /* or x is no number */
    if (x < traits<T>::EXP_LEAST)
        return 0;
    const T scaled = x * T(1.4426950408889634);
    const int n = (int)(scaled + (scaled < 0 ? T(-0.5) : T(0.5)));
    const T rest = x - n * traits<T>::LN2_HIGH - n * traits<T>::LN2_LOW;
    T sum = 1;
    for (int i = traits<T>::EXP_TERMS; i > 0; i--)
        sum = 1 + sum * rest / T(i);
    const int half = n / 2; /* 2^n may be no normal number */
    return sum * power_of_two<T>(half) * power_of_two<T>(n - half);
}

/* Of what is above 0. */
template <typename T> DEVICE T logarithm(T x)
{
    typedef typename traits<T>::bits bits;
    int n = 0;
    if (!(x > 0) || x == T(__builtin_inff()))
        return x == 0 ? -T(__builtin_inff()) : x > 0 ? x : T(__builtin_nanf(""));
    if (x < traits<T>::NORMAL) {
        x *= power_of_two<T>(traits<T>::FRACTION + 1);
        n = -(traits<T>::FRACTION + 1);
    }
    const bits whole = __builtin_bit_cast(bits, x);
    n += (int)(whole >> traits<T>::FRACTION) - traits<T>::BIAS;
    T part = __builtin_bit_cast(T, (whole & (((bits)1 << traits<T>::FRACTION) - 1)) |
                                       (bits)traits<T>::BIAS << traits<T>::FRACTION);
    if (part > T(1.4142135623730951)) {
        part /= 2;
        n++;
    }
    const T ratio = (part - 1) / (part + 1), square = ratio * ratio;
    T sum = 0;
    for (int i = traits<T>::LOG_TERMS; i > 0; i--)
        sum = square * (1 / T(2 * i + 1) + sum);
    return n * traits<T>::LN2_HIGH + (2 * ratio + (2 * ratio * sum + n * traits<T>::LN2_LOW));
}

/* x^y of x above 0. */
template <typename T> DEVICE T power(T x, T y)
{
    return exponential(y * logarithm(x));
}

template <typename T> DEVICE T hyperbolic_tangent(T x)
{
    const T size = x < 0 ? -x : x;
    if (size < T(0.5)) {
        T fraction = 19; /* continued */
        for (int i = 17; i > 0; i -= 2)
            fraction = i + x * x / fraction;
        return x / fraction;
    }
    const T rest = 2 / (exponential(2 * size) + 1);
    return x < 0 ? rest - 1 : 1 - rest;
}

template <typename T> DEVICE T sigmoid(T x)
{
    return 1 / (1 + exponential(-x));
}

/* x where it is above 0, else 0; what is no number is 0 or stays. */
template <typename T> DEVICE T rectify(const wl_dnn_activation &a, T x)
{
    return x > 0 || (a.propagates_nan && x != x) ? x : T(0);
}

template <typename T> DEVICE T activate(const wl_dnn_activation &a, T x)
{
    switch (a.mode) {
    case WL_DNN_SIGMOID:
        return sigmoid(x);
    case WL_DNN_RELU:
        return rectify(a, x);
    case WL_DNN_TANH:
        return hyperbolic_tangent(x);
    case WL_DNN_CLIPPED_RELU: {
        const T most = T(a.coefficient), result = rectify(a, x);
        return result > most ? most : result;
    }
    case WL_DNN_ELU:
        return x > 0 ? x : T(a.coefficient) * (exponential(x) - 1);
    case WL_DNN_SWISH:
        return x * sigmoid(T(a.swish_beta) * x);
    default:
        return x;
    }
}

/* The gradient that comes to x from that of y = activate(x): sigmoid, tanh and ELU ask y, the others x. */
template <typename T> DEVICE T activate_back(const wl_dnn_activation &a, T x, T y, T gradient)
{
    switch (a.mode) {
    case WL_DNN_SIGMOID:
        return gradient * y * (1 - y);
    case WL_DNN_RELU:
        return x > 0 ? gradient : T(0);
    case WL_DNN_TANH:
        return gradient * (1 - y * y);
    case WL_DNN_CLIPPED_RELU:
        return x > 0 && x < T(a.coefficient) ? gradient : T(0);
    case WL_DNN_ELU:
        return y >= 0 ? gradient : gradient * (y + T(a.coefficient));
    case WL_DNN_SWISH: {
        const T beta = T(a.swish_beta), part = sigmoid(beta * x);
        return gradient * (part + beta * x * part * (1 - part));
    }
    default:
        return gradient;
    }
}

#endif
