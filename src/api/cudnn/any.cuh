/* Tensors whose type is known when a kernel runs: one of those that kernels.h numbers. */
#ifndef WL_API_CUDNN_ANY_CUH
#define WL_API_CUDNN_ANY_CUH

#include "dnn.cuh"

typedef wl_dnn_any any;

DEVICE double number_at(const any &a, i64 at)
{
    switch (a.type) {
    case WL_DNN_DOUBLE:
        return ((const double *)a.data)[at];
    case WL_DNN_HALF:
        return number(((const half *)a.data)[at]);
    case WL_DNN_BFLOAT16:
        return number(((const bfloat *)a.data)[at]);
    case WL_DNN_INT8:
        return ((const signed char *)a.data)[at];
    default:
        return ((const float *)a.data)[at];
    }
}

/* To the nearest integer, ties to even, or to the nearest end of the type; what is no number becomes 0. */
DEVICE signed char small_integer(double x)
{
    int whole;
    if (x != x)
        return 0;
    asm("cvt.rni.s32.f64 %0, %1;" : "=r"(whole) : "d"(x));
    return (signed char)(whole < -128 ? -128 : whole > 127 ? 127 : whole);
}

DEVICE void assign_at(const any &a, i64 at, double x)
{
    switch (a.type) {
    case WL_DNN_DOUBLE:
        ((double *)a.data)[at] = x;
        break;
    case WL_DNN_HALF:
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(((half *)a.data)[at].bits) : "d"(x));
        break;
    case WL_DNN_BFLOAT16:
        assign(((bfloat *)a.data)[at], (float)x);
        break;
    case WL_DNN_INT8:
        ((signed char *)a.data)[at] = small_integer(x);
        break;
    default:
        ((float *)a.data)[at] = (float)x;
    }
}

/* As blend of dnn.cuh. */
DEVICE void blend_at(const any &a, i64 at, double alpha, double result, double beta)
{
    result *= alpha;
    if (beta != 0) {
        asm volatile("" ::: "memory"); /* or the value is loaded before the factor is looked at */
        result += beta * number_at(a, at);
    }
    assign_at(a, at, result);
}

#endif
