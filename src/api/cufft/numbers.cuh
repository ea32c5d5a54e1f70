/* What the kernels behind cuFFT compute with, and how numbers are stored in a program's memory. */
#include "../common/complex.cuh"
#include "../common/half.cuh"

/* How the elements of a transform lie where the program has them. */
enum { WHOLE, REAL, HALF };

template <typename T> DEVICE T widen(T stored)
{
    return stored;
}

template <typename T> DEVICE void store(T *to, T value)
{
    *to = value;
}

DEVICE void store(half *to, float value)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}

DEVICE void store(bfloat *to, float value)
{
    unsigned bits = __builtin_bit_cast(unsigned, value);
    to->bits = value != value ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
