/* Kernels that reach for the limits of a GPU: bytes from each level of memory, arithmetic of each kind.
 *
 * The .ptx files are made from this one (see the command in their first line) and embedded in Warplens. They
 * take (pointer, number, pointer): what to read, how much or how often, where a result goes that nobody wants
 * but that keeps the work from being left out. */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(1024)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline
#define SHARED __attribute__((shared))

typedef unsigned long long u64;
struct four {
    unsigned x, y, z, w;
};

DEVICE unsigned thread()
{
    return __nvvm_read_ptx_sreg_tid_x();
}

DEVICE u64 first()
{
    return (u64)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + thread();
}

DEVICE u64 step()
{
    return (u64)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
}

DEVICE void keep(unsigned value, unsigned *out)
{
    if (value == 0x5eed5eed)
        *out = value;
}

#define LOAD(name, instruction)                                                                                        \
    DEVICE four name(const four *at)                                                                                   \
    {                                                                                                                  \
        four v;                                                                                                        \
        asm volatile(instruction " {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));      \
        return v;                                                                                                      \
    }
LOAD(load_l2, "ld.global.cg.v4.u32")
LOAD(load_l1, "ld.global.ca.v4.u32")

#ifndef MMA

GLOBAL void empty(const four *in, u64 count, unsigned *out)
{
}

/* count: of 16 bytes */
GLOBAL void read(const four *in, u64 count, unsigned *out)
{
    unsigned sum = 0;
    u64 far = step(), i = first();
    for (; i + 3 * far < count; i += 4 * far) {
        four a = load_l2(in + i), b = load_l2(in + i + far), c = load_l2(in + i + 2 * far), d = load_l2(in + i + 3 * far);
        sum += (a.x ^ a.y ^ a.z ^ a.w) + (b.x ^ b.y ^ b.z ^ b.w) + (c.x ^ c.y ^ c.z ^ c.w) + (d.x ^ d.y ^ d.z ^ d.w);
    }
    for (; i < count; i += far)
        sum += load_l2(in + i).x;
    keep(sum, out);
}

GLOBAL void copy(const four *in, u64 count, four *out)
{
    u64 far = step(), i = first();
    for (; i + 3 * far < count; i += 4 * far) {
        four a = load_l2(in + i), b = load_l2(in + i + far), c = load_l2(in + i + 2 * far), d = load_l2(in + i + 3 * far);
        out[i] = a;
        out[i + far] = b;
        out[i + 2 * far] = c;
        out[i + 3 * far] = d;
    }
    for (; i < count; i += far)
        out[i] = load_l2(in + i);
}

/* 4 MiB, again and again; each block begins elsewhere */
GLOBAL void l2(const four *in, u64 times, unsigned *out)
{
    const unsigned mask = (4u << 20) / 16 - 1;
    unsigned sum = 0, at = (unsigned)(first() & mask), far = __nvvm_read_ptx_sreg_ntid_x();
    for (u64 n = 0; n < times; n++) {
        four a = load_l2(in + at), b = load_l2(in + ((at + far) & mask)), c = load_l2(in + ((at + 2 * far) & mask)),
             d = load_l2(in + ((at + 3 * far) & mask));
        sum += (a.x ^ a.y ^ a.z ^ a.w) + (b.x ^ b.y ^ b.z ^ b.w) + (c.x ^ c.y ^ c.z ^ c.w) + (d.x ^ d.y ^ d.z ^ d.w);
        at = (at + 4 * far) & mask;
    }
    keep(sum, out);
}

/* 16 KiB for all warps. Here and below each load is of another place, or the driver's compiler would make one
 * of them. */
GLOBAL void l1(const four *in, u64 times, unsigned *out)
{
    unsigned sum = 0, at = thread();
    for (u64 n = 0; n < times; n++) {
        four a = load_l1(in + at % 1024), b = load_l1(in + (at + 32) % 1024), c = load_l1(in + (at + 64) % 1024),
             d = load_l1(in + (at + 96) % 1024);
        at += 128;
        sum += (a.x ^ a.y ^ a.z ^ a.w) + (b.x ^ b.y ^ b.z ^ b.w) + (c.x ^ c.y ^ c.z ^ c.w) + (d.x ^ d.y ^ d.z ^ d.w);
    }
    keep(sum, out);
}

GLOBAL void shared(const four *in, u64 times, unsigned *out)
{
    static SHARED four room[1024];
    unsigned sum = 0, at = thread(), start;
    room[thread()] = four{(unsigned)times, 1, 2, 3};
    __nvvm_bar_sync(0);
    asm("{.reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a;}" : "=r"(start) : "l"(room));
    for (u64 n = 0; n < times; n++) {
        for (int i = 0; i < 4; i++) {
            four v;
            unsigned from = start + (at + i * 32) % 1024 * 16;
            asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(from));
            sum += v.x ^ v.y ^ v.z ^ v.w;
        }
        at += 128;
    }
    keep(sum, out);
}

/* 64 multiply-adds a time, in 8 chains */
#define FMA(name, type, letter, instruction)                                                                           \
    GLOBAL void name(const four *in, u64 times, unsigned *out)                                                         \
    {                                                                                                                  \
        type a[8], b = (type)thread();                                                                                 \
        for (int i = 0; i < 8; i++)                                                                                    \
            a[i] = (type)i;                                                                                            \
        for (u64 n = 0; n < times; n++) {                                                                              \
            _Pragma("unroll") for (int i = 0; i < 64; i++)                                                             \
                asm volatile(instruction " %0, %0, %1, %0;" : "+" letter(a[i % 8]) : letter(b));                       \
        }                                                                                                              \
        type sum = 0;                                                                                                  \
        for (int i = 0; i < 8; i++)                                                                                    \
            sum += a[i];                                                                                               \
        keep((unsigned)sum, out);                                                                                      \
    }
FMA(fma32, float, "f", "fma.rn.f32")
FMA(fma64, double, "d", "fma.rn.f64")
FMA(fma16, unsigned, "r", "fma.rn.f16x2")

#else

/* 16 x 8 x 16 multiply-adds of a warp, 32 a time in 8 chains */
GLOBAL void mma(const four *in, u64 times, unsigned *out)
{
    float c[8][4] = {};
    unsigned a = thread(), b = 0;
    for (u64 n = 0; n < times; n++) {
#pragma unroll
        for (int i = 0; i < 32; i++) {
            float *d = c[i % 8];
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, "
                         "{%0,%1,%2,%3};"
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                         : "r"(a), "r"(b));
        }
    }
    float sum = 0;
    for (int i = 0; i < 8; i++)
        sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
    keep((unsigned)sum, out);
}

#endif
