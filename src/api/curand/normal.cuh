/* Functions of doubles that normal numbers are made with. */
#ifndef WL_API_CURAND_NORMAL_CUH
#define WL_API_CURAND_NORMAL_CUH

#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline

/* c[0] x^n + ... + c[n]: Horner's scheme. */
DEVICE double horner(double, double sum)
{
    return sum;
}

template <typename... Rest> DEVICE double horner(double x, double sum, double next, Rest... rest)
{
    return horner(x, sum * x + next, rest...);
}

/* Of a positive number that is not subnormal: 2 artanh((m - 1) / (m + 1)) for m in [1/sqrt 2, sqrt 2). */
DEVICE double logarithm(double x)
{
    unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
    int exponent = (int)(bits >> 52) - 1023;
    double m = __builtin_bit_cast(double, (bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    double s = (m - 1) / (m + 1), square = s * s;
    double series = horner(square, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                           1.0 / 7, 1.0 / 5, 1.0 / 3);
    return exponent * 0.6931471805599453 + (2 * s + 2 * s * square * series);
}

/* Infinity from 709.8 on, 0 below -745.2. */
DEVICE double exponential(double x)
{
    if (x != x)
        return x;
    if (x > 709.782712893384)
        return __builtin_bit_cast(double, 0x7ff0000000000000ull);
    if (x < -745.2)
        return 0;
    double rounded = x * 1.4426950408889634 + 6755399441055744.0; /* an integer in the lowest bits */
    int power = (int)__builtin_bit_cast(unsigned long long, rounded);
    rounded -= 6755399441055744.0;
    double r = (x - rounded * 0.6931471803691238) - rounded * 1.9082149292705877e-10;
    double value = horner(r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                          1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0);
    int first = power / 2;
    return value * __builtin_bit_cast(double, (unsigned long long)(1023 + first) << 52) *
           __builtin_bit_cast(double, (unsigned long long)(1023 + power - first) << 52);
}

/* sin and cos of pi x, for x in [0, 2]. */
DEVICE void circle(double x, double *sine, double *cosine)
{
    int quarter = (int)(2 * x + 0.5);
    double angle = (x - 0.5 * quarter) * 3.141592653589793, square = angle * angle;
    double s = angle + angle * square * horner(square, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
                                               1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6);
    double c = 1 + square * horner(square, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
                                   1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5);
    double s1 = quarter & 1 ? c : s, c1 = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -s1 : s1;
    *cosine = (quarter + 1) & 2 ? -c1 : c1;
}

/* The number x that a normally distributed one exceeds with probability p in (0, 1/2]: Wichura's algorithm AS 241
 * (PPND16, Applied Statistics 37, 1988), to 16 digits. */
DEVICE double exceeded(double p)
{
    double q = 0.5 - p;
    if (q <= 0.425) {
        double r = 0.180625 - q * q;
        return q *
               horner(r, 2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
                      13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608) /
               horner(r, 5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
                      5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0);
    }
    double r = __nvvm_sqrt_rn_d(-logarithm(p));
    if (r <= 5) {
        r -= 1.6;
        return horner(r, 7.7454501427834140764e-4, .0227238449892691845833, .24178072517745061177,
                      1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
                      1.42343711074968357734) /
               horner(r, 1.05075007164441684324e-9, 5.475938084995344946e-4, .0151986665636164571966,
                      .14810397642748007459, .68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0);
    }
    r -= 5;
    return horner(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5, .0012426609473880784386,
                  .026532189526576123093, .29656057182850489123, 1.7848265399172913358, 5.4637849111641143699,
                  6.6579046435011037772) /
           horner(r, 2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
                  7.868691311456132591e-4, .0148753612908506148525, .13692988092273580531, .59983220655588793769, 1.0);
}

#endif
