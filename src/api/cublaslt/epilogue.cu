/* What cublasLtMatmul does to a product before it is stored: bias, ReLU, GELU (its approximation by tanh). epilogue.ptx
 * is made from this file (see the command in its first line) and embedded in the library.
 */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline

typedef unsigned short u16;

enum { F32, F16, BF16 };
enum { RELU = 2, BIAS = 4, GELU = 32 };

DEVICE float read(int type, const void *from, long long i)
{
    if (type == F32)
        return ((const float *)from)[i];
    u16 bits = ((const u16 *)from)[i];
    if (type == BF16)
        return __builtin_bit_cast(float, (unsigned)bits << 16);
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

DEVICE void write(int type, void *to, long long i, float value)
{
    if (type == F32) {
        ((float *)to)[i] = value;
        return;
    }
    u16 half;
    if (type == BF16) {
        unsigned bits = __builtin_bit_cast(unsigned, value);
        half = value != value ? 0x7fff : (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    } else {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    }
    ((u16 *)to)[i] = half;
}

DEVICE float gelu(float x)
{
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    float power = __nvvm_ex2_approx_f(2.8853900818f * inner); /* exp(2 inner) */
    return x * (power > 3e38f ? 1.0f : power / (power + 1));
}

/* bias: one value a row of the column-major matrix. */
GLOBAL void warplens_epilogue(int type, int bias_type, int what, void *matrix, const void *bias, long long rows,
                              long long columns, long long leading)
{
    long long step = (long long)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    for (long long i = (long long)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x();
         i < rows * columns; i += step) {
        long long at = i / rows * leading + i % rows;
        float value = read(type, matrix, at);
        if (what & BIAS)
            value += read(bias_type, bias, i % rows);
        if (what & RELU)
            value = value > 0 ? value : 0;
        if (what & GELU)
            value = gelu(value);
        write(type, matrix, at, value);
    }
}
