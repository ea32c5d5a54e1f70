/* What the kernels behind cuFFT compute with, and how numbers are stored in a program's memory. */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline

typedef long long s64;

template <typename T> struct alignas(2 * sizeof(T)) complex {
    T x, y;
};

/* How the elements of a transform lie where the program has them. */
enum { WHOLE, REAL, HALF };

struct half {
    unsigned short bits;
};
struct brief {
    unsigned short bits;
};

template <typename T> DEVICE T value_of(T stored)
{
    return stored;
}

DEVICE float value_of(half stored)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(stored.bits));
    return value;
}

DEVICE float value_of(brief stored)
{
    return __builtin_bit_cast(float, (unsigned)stored.bits << 16);
}

template <typename T> DEVICE void store(T *to, T value)
{
    *to = value;
}

DEVICE void store(half *to, float value)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}

DEVICE void store(brief *to, float value)
{
    unsigned bits = __builtin_bit_cast(unsigned, value);
    to->bits = value != value ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
