/* Kernels behind cuRAND's generators: XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999), Philox 4x32 with 10 rounds
 * (Salmon and others 2011), MT19937 (Matsumoto and Nishimura 1998) and Sobol's sequence. random.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "normal.cuh"

#define GLOBAL extern "C" __attribute__((global)) __attribute__((launch_bounds(256)))

typedef unsigned u32;
typedef unsigned long long u64;

DEVICE u32 high(u32 a, u32 b)
{
    return (u32)((u64)a * b >> 32);
}

/* Words 4 block to 4 block + 3. cuRAND's host API has 65,536 sequences of Philox in turns, four words of each (NVIDIA's
 * sample philox_random_bits_thread_api compares them). */
DEVICE void philox(u64 block, u64 seed, u32 out[4])
{
    const u64 counter = block >> 16;
    u32 c0 = (u32)counter, c1 = (u32)(counter >> 32), c2 = (u32)block & 0xFFFFu, c3 = 0;
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

/* What is drawn from a source that has next(), which gives words. */
template <typename S> struct numbers {
    DEVICE u32 word()
    {
        return static_cast<S *>(this)->next();
    }
    DEVICE float real()
    {
        return unit(word());
    }
    DEVICE double wide()
    {
        u32 x = word();
        return unit(x, word());
    }
};

struct xorwow : numbers<xorwow> {
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

/* One number is enough for a double; words are stretched to all of 32 bits, as cuRAND does. */
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
    DEVICE u32 word()
    {
        return (u32)(next() * 1.000000048662);
    }
    DEVICE float real()
    {
        return (float)wide();
    }
    DEVICE double wide()
    {
        return next() * 2.328306549837829e-10; /* the inverse of the modulus */
    }
};

struct philox_words : numbers<philox_words> {
    u64 at, seed;
    u32 words[4];
    DEVICE philox_words(u64 at, u64 seed) : at(at), seed(seed)
    {
        philox(at / 4, seed, words);
    }
    DEVICE u32 next()
    {
        u32 place = at & 3, low = place & 1 ? words[1] : words[0], high = place & 1 ? words[3] : words[2];
        at++;
        if (place == 3)
            philox(at / 4, seed, words);
        return place & 2 ? high : low;
    }
};

struct stored_words : numbers<stored_words> {
    const u32 *from;
    DEVICE u32 next()
    {
        return *from++;
    }
};

/* Box and Muller's pair, of two numbers in (0, 1]. */
DEVICE void pair(float x, float y, double mean, double deviation, float *out)
{
    float length = __nvvm_sqrt_approx_f(-2 * 0.6931472f * __nvvm_lg2_approx_f(x));
    float angle = 6.2831853f * y;
    out[0] = (float)mean + (float)deviation * length * __nvvm_sin_approx_f(angle);
    out[1] = (float)mean + (float)deviation * length * __nvvm_cos_approx_f(angle);
}

DEVICE void pair(double x, double y, double mean, double deviation, double *out)
{
    double length = __nvvm_sqrt_rn_d(-2 * logarithm(x)), sine, cosine;
    circle(2 * y, &sine, &cosine);
    out[0] = mean + deviation * length * sine;
    out[1] = mean + deviation * length * cosine;
}

/* kind: 0 words, 1 floats, 2 doubles, normally distributed floats (3) and doubles (4), in pairs; of quasi-random
 * points one by one; 5: words of 64 bits. */
enum { WORDS, FLOATS, DOUBLES, NORMAL, NORMAL_DOUBLE, LONGS };

template <typename S> DEVICE void draw(S &source, int kind, void *out, u64 i, double mean, double deviation)
{
    if (kind == WORDS) {
        ((u32 *)out)[i] = source.word();
    } else if (kind == FLOATS) {
        ((float *)out)[i] = source.real();
    } else if (kind == DOUBLES) {
        ((double *)out)[i] = source.wide();
    } else if (kind == NORMAL) {
        float x = source.real();
        pair(x, source.real(), mean, deviation, (float *)out + 2 * i);
    } else {
        double x = source.wide();
        pair(x, source.wide(), mean, deviation, (double *)out + 2 * i);
    }
}

DEVICE u64 first_of_thread()
{
    return (u64)__nvvm_read_ptx_sreg_ctaid_x() * 256 + __nvvm_read_ptx_sreg_tid_x();
}

DEVICE u64 step_of_threads()
{
    return (u64)__nvvm_read_ptx_sreg_nctaid_x() * 256;
}

/* Element i is drawn by thread (first + i) modulo `threads`, from the thread's own part of the sequence. */
template <typename T>
DEVICE void draw_all(int kind, void *out, u64 count, u64 first, T *states, u64 threads, double mean, double deviation)
{
    for (u64 begin = first_of_thread(), step = step_of_threads(); begin < threads && begin < count; begin += step) {
        u64 thread = (first + begin) % threads;
        T state = states[thread];
        for (u64 i = begin; i < count; i += threads)
            draw(state, kind, out, i, mean, deviation);
        states[thread] = state;
    }
}

GLOBAL void warplens_random_xorwow(int kind, void *out, u64 count, u64 first, xorwow *states, u64 threads, double mean,
                                   double deviation)
{
    draw_all(kind, out, count, first, states, threads, mean, deviation);
}

GLOBAL void warplens_random_mrg32k3a(int kind, void *out, u64 count, u64 first, mrg32k3a *states, u64 threads,
                                     double mean, double deviation)
{
    draw_all(kind, out, count, first, states, threads, mean, deviation);
}

/* Of a quasi-random point whose highest 53 bits are a double's. */
DEVICE double unit_of(u32 x)
{
    return (x + 1.0) * 2.3283064365386963e-10;
}

DEVICE double unit_of(u64 x)
{
    return (x >> 11) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}

DEVICE double normal_of(u32 x)
{
    bool is_high = x > 0x80000000u;
    double value = exceeded((is_high ? ~x : x) * 2.3283064365386963e-10 + 2.3283064365386963e-10 / 2);
    return is_high ? value : -value;
}

DEVICE double normal_of(u64 x)
{
    const u64 half = (u64)1 << 52, bits = x >> 11;
    bool is_high = bits > half;
    double value = exceeded((is_high ? 2 * half - 1 - bits : bits) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2);
    return is_high ? value : -value;
}

/* All points of a dimension stand behind each other; first: the point that each dimension begins with. Of a dimension
 * the table has its directions, of which there are as many as a word has bits, and a word that is added to all. */
template <typename W>
DEVICE void sobol(int kind, void *out, u64 count, u64 first, const W *table, u64 points, double mean, double deviation)
{
    for (u64 i = first_of_thread(); i < count; i += step_of_threads()) {
        const W *of = table + i / points * (8 * sizeof(W) + 1);
        W point = (W)(first + i % points), x = of[8 * sizeof(W)];
        for (W gray = point ^ point >> 1; gray; gray >>= 1, of++)
            if (gray & 1)
                x ^= *of;
        u32 top = (u32)(x >> (8 * sizeof(W) - 32));
        if (kind == WORDS)
            ((u32 *)out)[i] = top;
        else if (kind == LONGS)
            ((u64 *)out)[i] = x;
        else if (kind == FLOATS)
            ((float *)out)[i] = unit(top);
        else if (kind == DOUBLES)
            ((double *)out)[i] = unit_of(x);
        else if (kind == NORMAL)
            ((float *)out)[i] = (float)mean + (float)deviation * (float)normal_of(top);
        else
            ((double *)out)[i] = mean + deviation * normal_of(x);
    }
}

GLOBAL void warplens_random_sobol32(int kind, void *out, u64 count, u64 first, const u32 *table, u64 points,
                                    double mean, double deviation)
{
    sobol(kind, out, count, first, table, points, mean, deviation);
}

GLOBAL void warplens_random_sobol64(int kind, void *out, u64 count, u64 first, const u64 *table, u64 points,
                                    double mean, double deviation)
{
    sobol(kind, out, count, first, table, points, mean, deviation);
}

/* words: of each element, by kind. */
DEVICE u64 words_of(int kind)
{
    return kind == NORMAL_DOUBLE ? 4 : kind >= DOUBLES ? 2 : 1;
}

/* Of doubles each of the 65,536 sequences gives eight words at a time, in the order of which `at` counts: which word that
 * is where each gives four. */
DEVICE u64 word_of_doubles(u64 at)
{
    u64 turn = at >> 19, sequence = at >> 3 & 65535, four = at >> 2 & 1;
    return (2 * turn + four) << 18 | sequence << 2 | (at & 3);
}

GLOBAL void warplens_random_philox(int kind, void *out, u64 count, u64 first, u64 seed, double mean, double deviation)
{
    for (u64 i = first_of_thread(); i < count; i += step_of_threads()) {
        u64 at = first + i * words_of(kind);
        philox_words source(kind == DOUBLES || kind == NORMAL_DOUBLE ? word_of_doubles(at) : at, seed);
        draw(source, kind, out, i, mean, deviation);
    }
}

GLOBAL void warplens_random_stored(int kind, void *out, u64 count, const u32 *words, double mean, double deviation)
{
    for (u64 i = first_of_thread(); i < count; i += step_of_threads()) {
        stored_words source;
        source.from = words + i * words_of(kind);
        draw(source, kind, out, i, mean, deviation);
    }
}

DEVICE u32 tempered(u32 y)
{
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* For one block: it writes the words from the state that are left of 624, then makes the next ones, in three parts, as
 * a new word needs that 397 places after it (modulo 624). state[624]: how many have been written. */
GLOBAL void warplens_random_mt19937(u32 *state, u32 *out, u64 count)
{
    const u32 thread = __nvvm_read_ptx_sreg_tid_x();
    u32 place = state[624];
    for (u64 done = 0; done < count;) {
        if (place == 624) {
            for (u32 begin = 0; begin < 624; begin += 227) {
                u32 k = begin + thread, next = 0;
                bool is_own = thread < 227 && k < 624;
                if (is_own) {
                    u32 y = (state[k] & 0x80000000u) | (state[k == 623 ? 0 : k + 1] & 0x7fffffffu);
                    next = state[k < 227 ? k + 397 : k - 227] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
                }
                __syncthreads();
                if (is_own)
                    state[k] = next;
                __syncthreads();
            }
            place = 0;
        }
        u64 left = count - done;
        u32 part = left < 624 - place ? (u32)left : 624 - place;
        for (u32 i = thread; i < part; i += 256)
            out[done + i] = tempered(state[place + i]);
        __syncthreads();
        done += part;
        place += part;
    }
    if (thread == 0)
        state[624] = place;
}

/* ---- what is made of numbers drawn before ---- */

GLOBAL void warplens_random_exponential(int is_double, void *numbers, u64 count)
{
    for (u64 i = first_of_thread(); i < count; i += step_of_threads())
        if (is_double)
            ((double *)numbers)[i] = exponential(((double *)numbers)[i]);
        else
            ((float *)numbers)[i] = (float)exponential(((float *)numbers)[i]);
}

/* The number k of a discrete distribution with P(value <= least + k) = sums[k] for each in (0, 1]. */
GLOBAL void warplens_random_discrete(const double *uniform, u32 *out, u64 count, const double *sums, u32 length,
                                     u32 least)
{
    for (u64 i = first_of_thread(); i < count; i += step_of_threads()) {
        const double u = uniform[i];
        u32 begin = 0, end = length - 1; /* the last sum is 1 */
        while (begin < end) {
            u32 middle = begin + (end - begin) / 2;
            if (sums[middle] < u)
                begin = middle + 1;
            else
                end = middle;
        }
        out[i] = least + begin;
    }
}
