/* Kernels behind cuRAND's generators: XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999), Philox 4x32 with 10 rounds
 * (Salmon and others 2011) and Sobol's sequence. random.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))
#define DEVICE __attribute__((device)) __attribute__((always_inline)) inline

typedef unsigned u32;
typedef unsigned long long u64;

struct xorwow {
    u32 v[5], d;
    DEVICE u32 next()
    {
        u32 t = v[0] ^ (v[0] >> 2);
        v[0] = v[1];
        v[1] = v[2];
        v[2] = v[3];
        v[3] = v[4];
        v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
        d += 362437;
        return v[4] + d;
    }
};

struct mrg32k3a {
    u32 first[3], second[3]; /* the oldest number first */
    /* From 1 to the modulus of the first recurrence. */
    DEVICE u32 next()
    {
        const u64 modulus = 4294967087u, other = 4294944443u;
        u64 a = (1403580u * (u64)first[1] + 810728u * (modulus - first[0])) % modulus;
        u64 b = (527612u * (u64)second[2] + 1370589u * (other - second[0])) % other;
        first[0] = first[1];
        first[1] = first[2];
        first[2] = (u32)a;
        second[0] = second[1];
        second[1] = second[2];
        second[2] = (u32)b;
        return (u32)(a > b ? a - b : a + modulus - b);
    }
};

DEVICE u32 high(u32 a, u32 b)
{
    return (u32)((u64)a * b >> 32);
}

/* The four words of a counter. */
DEVICE void philox(u64 counter, u64 seed, u32 out[4])
{
    u32 c0 = (u32)counter, c1 = (u32)(counter >> 32), c2 = 0, c3 = 0;
    u32 k0 = (u32)seed, k1 = (u32)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        u32 h0 = high(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
        u32 h1 = high(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
        c0 = h1 ^ c1 ^ k0;
        c1 = l1;
        c2 = h0 ^ c3 ^ k1;
        c3 = l0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* In (0, 1], as cuRAND has it. */
DEVICE float unit(u32 x)
{
    return x * 2.3283064e-10f + 2.3283064e-10f / 2;
}

DEVICE double unit(u32 x, u32 y)
{
    u64 z = (u64)x ^ ((u64)y << 21);
    return z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}

/* Box and Muller's pair, of two numbers in (0, 1]. */
DEVICE void pair(float x, float y, float mean, float deviation, float *out)
{
    float length = __nvvm_sqrt_approx_f(-2 * 0.6931472f * __nvvm_lg2_approx_f(x));
    float angle = 6.2831853f * y;
    out[0] = mean + deviation * length * __nvvm_sin_approx_f(angle);
    out[1] = mean + deviation * length * __nvvm_cos_approx_f(angle);
}

/* kind: 0 words, 1 floats, 2 doubles, 3 normally distributed floats, in pairs. */
enum { WORDS, FLOATS, DOUBLES, NORMAL };

DEVICE void put(int kind, void *out, u64 i, u32 x, u32 y, float mean, float deviation)
{
    if (kind == WORDS)
        ((u32 *)out)[i] = x;
    else if (kind == FLOATS)
        ((float *)out)[i] = unit(x);
    else if (kind == DOUBLES)
        ((double *)out)[i] = unit(x, y);
    else
        pair(unit(x), unit(y), mean, deviation, (float *)out + 2 * i);
}

DEVICE void draw(xorwow &state, int kind, void *out, u64 i, float mean, float deviation)
{
    u32 x = state.next();
    put(kind, out, i, x, kind >= DOUBLES ? state.next() : 0, mean, deviation);
}

/* One number is enough for a double; words are stretched to all of 32 bits, as cuRAND does. */
DEVICE void draw(mrg32k3a &state, int kind, void *out, u64 i, float mean, float deviation)
{
    const double scale = 2.328306549837829e-10; /* the inverse of the modulus */
    u32 x = state.next();
    if (kind == WORDS)
        ((u32 *)out)[i] = (u32)(x * 1.000000048662);
    else if (kind == FLOATS)
        ((float *)out)[i] = (float)(x * scale);
    else if (kind == DOUBLES)
        ((double *)out)[i] = x * scale;
    else
        pair((float)(x * scale), (float)(state.next() * scale), mean, deviation, (float *)out + 2 * i);
}

/* Element i is drawn by thread (first + i) modulo `threads`, from the thread's own part of the sequence. */
template <typename T>
DEVICE void draw_all(int kind, void *out, u64 count, u64 first, T *states, u64 threads, float mean, float deviation)
{
    u64 step = (u64)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    u64 begin = (u64)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x();
    for (; begin < threads && begin < count; begin += step) {
        u64 thread = (first + begin) % threads;
        T state = states[thread];
        for (u64 i = begin; i < count; i += threads)
            draw(state, kind, out, i, mean, deviation);
        states[thread] = state;
    }
}

GLOBAL void warplens_random_xorwow(int kind, void *out, u64 count, u64 first, xorwow *states, u64 threads, float mean,
                                   float deviation)
{
    draw_all(kind, out, count, first, states, threads, mean, deviation);
}

GLOBAL void warplens_random_mrg32k3a(int kind, void *out, u64 count, u64 first, mrg32k3a *states, u64 threads,
                                     float mean, float deviation)
{
    draw_all(kind, out, count, first, states, threads, mean, deviation);
}

/* All points of a dimension stand behind each other; first: the point that each dimension begins with. */
GLOBAL void warplens_random_sobol32(int kind, void *out, u64 count, u64 first, const u32 (*directions)[32], u64 points)
{
    u64 step = (u64)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    for (u64 i = (u64)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x(); i < count; i += step) {
        const u32 *of = directions[i / points];
        u32 point = (u32)(first + i % points), x = 0;
        for (u32 gray = point ^ point >> 1; gray; gray >>= 1, of++)
            if (gray & 1)
                x ^= *of;
        if (kind == DOUBLES)
            ((double *)out)[i] = (x + 1.0) * 2.3283064365386963e-10;
        else
            put(kind, out, i, x, 0, 0, 1);
    }
}

GLOBAL void warplens_random_philox(int kind, void *out, u64 count, u64 first, u64 seed, float mean, float deviation)
{
    u64 step = (u64)__nvvm_read_ptx_sreg_nctaid_x() * 256;
    u64 draws = kind >= DOUBLES ? 2 : 1;
    for (u64 i = (u64)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x(); i < count; i += step) {
        u64 at = first + i * draws;
        u32 words[4], more[4];
        philox(at / 4, seed, words);
        u32 x = words[at & 3], y = 0;
        if (draws == 2) {
            philox((at + 1) / 4, seed, more);
            y = more[(at + 1) & 3];
        }
        put(kind, out, i, x, y, mean, deviation);
    }
}
