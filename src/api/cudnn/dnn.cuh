/* What the kernels of the stand-in for cuDNN share: kinds of numbers. */
#ifndef WL_API_CUDNN_DNN_CUH
#define WL_API_CUDNN_DNN_CUH

#include "../common/complex.cuh"
#include "../common/half.cuh"
#include "kernels.h"

/* Before loops over places of small arrays, which then are registers. */
#define UNROLL _Pragma("unroll")

/* KINDS(X): X(suffix, type of elements, type of sums). */
#define KINDS(X) X(f, float, float) X(d, double, double) X(h, half, float) X(b, bfloat, float)

DEVICE float number(half x)
{
    return widen(x);
}

DEVICE float number(bfloat x)
{
    return widen(x);
}

DEVICE float number(float x)
{
    return x;
}

DEVICE double number(double x)
{
    return x;
}

DEVICE void assign(float &to, float x)
{
    to = x;
}

DEVICE void assign(double &to, double x)
{
    to = x;
}

/* To the nearest, ties to even. */
DEVICE void assign(half &to, float x)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
}

DEVICE void assign(bfloat &to, float x)
{
    unsigned bits = __builtin_bit_cast(unsigned, x);
    bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    to.bits = is_nan ? 0x7fff : (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* to = alpha * result + beta * to. Where beta is 0 what is there may never have been written, and is not read. */
template <typename T, typename Sum> DEVICE void blend(T *to, Sum alpha, Sum result, Sum beta)
{
    result *= alpha;
    if (beta != 0) {
        asm volatile("" ::: "memory"); /* or the value is loaded before the factor is looked at */
        result += beta * number(*to);
    }
    assign(*to, result);
}

#define DEVICE_LAMBDA __attribute__((device))

/* ---- ways through tensors ---- */

/* Where element i stands in each of the first tensors. */
template <int COUNT> DEVICE void locate(const wl_dnn_walk &walk, int i, i64 (&at)[COUNT])
{
    UNROLL for (int t = 0; t < COUNT; t++)
        at[t] = 0;
    for (int d = walk.rank - 1; d >= 0; d--) {
        int index = i;
        if (d) {
            i = (int)((unsigned long long)(unsigned)i * walk.factors[d] >> walk.shifts[d]);
            index -= i * walk.dims[d];
        }
        UNROLL for (int t = 0; t < COUNT; t++)
            at[t] += index * walk.steps[t][d];
    }
}

/* ---- results that threads share ---- */

/* Each block has 256 / group results at a time; all its threads go round as often. */
struct share {
    int group, lane;
    i64 result, count, stride;
    DEVICE bool is_there() const
    {
        return result < count;
    }
};

DEVICE share share_of(int group, i64 count)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), results = THREADS / group;
    return {group, thread % group, (i64)__nvvm_read_ptx_sreg_ctaid_x() * results + thread / group, count,
            (i64)__nvvm_read_ptx_sreg_nctaid_x() * results};
}

/* To the next result; false: none of the block's threads has one. */
DEVICE bool has_more(const share &s)
{
    return s.result - (int)__nvvm_read_ptx_sreg_tid_x() / s.group < s.count;
}

/* What join makes of the values of a group's threads, in a fixed order, for all of them. All threads of the block call it. */
template <typename T, typename Join> DEVICE T combine(const share &s, T value, Join join)
{
    static SHARED T values[THREADS];
    if (s.group == 1)
        return value;
    const int thread = __nvvm_read_ptx_sreg_tid_x();
    values[thread] = value;
    __syncthreads();
    for (int half = s.group / 2; half > 0; half /= 2) {
        if (s.lane < half)
            values[thread] = join(values[thread], values[thread + half]);
        __syncthreads();
    }
    value = values[thread - s.lane];
    __syncthreads();
    return value;
}

template <typename T> DEVICE T total(const share &s, T value)
{
    return combine(s, value, [] DEVICE_LAMBDA(T a, T b) { return a + b; });
}

#endif
