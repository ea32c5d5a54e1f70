/* Halves and bfloat16 of kernels, which define DEVICE, and what they are in single precision. */
#ifndef WL_API_COMMON_HALF_CUH
#define WL_API_COMMON_HALF_CUH

struct half {
    unsigned short bits;
};
struct bfloat {
    unsigned short bits;
};

DEVICE float widen(half x)
{
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(x.bits));
    return result;
}

DEVICE float widen(bfloat x)
{
    return __builtin_bit_cast(float, (unsigned)x.bits << 16);
}

#endif
