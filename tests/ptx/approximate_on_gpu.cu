// What a GPU's special function unit gives, as src/sim/approximate_ranges.def has it of an H100: prints
// each row's digest, and whether it is the row's.
//
//     nvcc -arch=sm_90 -Isrc -o approximate_on_gpu tests/ptx/approximate_on_gpu.cu && ./approximate_on_gpu
//
// It needs a GPU of compute capability 9.0 and xxhash.h. src/sim/approximate_test.c makes the same arguments.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t u16;

#define FUNCTION(name, type, bits, constraint, instruction)                      \
    struct name {                                                                \
        static __device__ type of(type a, type)                                  \
        {                                                                        \
            type result;                                                         \
            asm volatile("{.reg ." bits " x, y; mov." bits " x, %1; " instruction \
                         " y, x; mov." bits " %0, y;}"                           \
                         : "=" constraint(result)                                \
                         : constraint(a));                                       \
            return result;                                                       \
        }                                                                        \
    };
#define DIVISION(name, instruction)                                              \
    struct name {                                                                \
        static __device__ u32 of(u32 a, u32 b)                                   \
        {                                                                        \
            u32 result;                                                          \
            asm volatile("{.reg .b32 x, y, z; mov.b32 x, %1; mov.b32 y, %2; " instruction \
                         " z, x, y; mov.b32 %0, z;}"                             \
                         : "=r"(result)                                          \
                         : "r"(a), "r"(b));                                      \
            return result;                                                       \
        }                                                                        \
    };

// A row's instruction is a type named after its line.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define UNIT PASTE(unit_, __LINE__)
#define RANGE(op, text, first, step, count, digest) FUNCTION(UNIT, u32, "b32", "r", text)
#define SPREAD(op, text, digest) FUNCTION(UNIT, u32, "b32", "r", text)
#define HALVES(flags, half, text, digest) FUNCTION(UNIT, u16, "b16", "h", text)
#define HIGHS(op, text, count, digest) FUNCTION(UNIT, u64, "b64", "l", text)
#define DOUBLES(op, text, digest) FUNCTION(UNIT, u64, "b64", "l", text)
#define PAIRS(op, text, digest) DIVISION(UNIT, text)
#include "sim/approximate_ranges.def"
#undef RANGE
#undef SPREAD
#undef HALVES
#undef HIGHS
#undef DOUBLES
#undef PAIRS

template <class F, class T> __global__ void apply(const T *a, const T *b, T *results, u32 count)
{
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        results[i] = F::of(a[i], b[i]);
}

template <class F, class T> static std::vector<T> run(const std::vector<T> &a, const std::vector<T> &b)
{
    T *on[3];
    const size_t bytes = a.size() * sizeof(T);
    for (T *&place : on)
        cudaMalloc(&place, bytes);
    cudaMemcpy(on[0], a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(on[1], b.data(), bytes, cudaMemcpyHostToDevice);
    apply<F, T><<<(unsigned)(a.size() / 256), 256>>>(on[0], on[1], on[2], (u32)a.size());
    std::vector<T> results(a.size());
    cudaMemcpy(results.data(), on[2], bytes, cudaMemcpyDeviceToHost);
    for (T *place : on)
        cudaFree(place);
    return results;
}

static int differing;

static void tell(const char *instruction, u32 first, const void *results, size_t bytes, u64 expected)
{
    const u64 digest = XXH3_64bits(results, bytes);
    printf("%-22s from 0x%08x 0x%016llx %s\n", instruction, first, (unsigned long long)digest,
           digest == expected ? "as expected" : "DIFFERS");
    differing += digest != expected;
}

static u32 draw_from(u32 *state)
{
    *state = *state * 1664525u + 1013904223u;
    const u32 high = *state >> 16;
    *state = *state * 1664525u + 1013904223u;
    return high << 16 | *state >> 16;
}

static std::vector<u32> spread()
{
    static const u32 first[] = {0, 1, 0x7fffff, 0x400000};
    std::vector<u32> to(65536);
    u32 state = 12345;
    for (u32 i = 0; i < to.size(); i++) {
        state = state * 1664525u + 1013904223u;
        to[i] = i >> 7 << 23 | ((i & 127) < 4 ? first[i & 127] : state >> 9);
    }
    return to;
}

static std::vector<u64> spread_doubles(u32 *state)
{
    std::vector<u64> to(65536);
    for (u32 i = 0; i < to.size(); i++) {
        u32 high = draw_from(state), low = draw_from(state);
        high = (i & 15) < 2 ? 0 : (i & 15) == 2 ? ~0u : high;
        low = (i & 15) < 2 ? i & 15 : (i & 15) == 2 ? ~0u : low;
        to[i] = (u64)(i >> 4) << 52 | (u64)(high & 0xfffff) << 32 | low;
    }
    return to;
}

static void draw_pairs(std::vector<u32> &a, std::vector<u32> &b, u32 *state)
{
    for (u32 i = 0; i < a.size(); i++) {
        a[i] = draw_from(state);
        b[i] = draw_from(state);
        if (!(i & 3)) {
            a[i] = (a[i] & 0x807fffff) | (120 + (draw_from(state) & 15)) << 23;
            b[i] = (b[i] & 0x807fffff) | (120 + (draw_from(state) & 15)) << 23;
        }
        if ((i & 63) == 1)
            b[i] &= 0x807fffff;
        if ((i & 63) == 2)
            b[i] = (b[i] & 0x807fffff) | (253 + (draw_from(state) & 1)) << 23;
        if ((i & 63) == 3)
            a[i] &= 0x807fffff;
        if ((i & 255) == 5)
            b[i] &= 0x80000000;
        if ((i & 255) == 6)
            b[i] |= 0x7f800000;
        if ((i & 255) == 7)
            a[i] |= 0x7f800000;
    }
}

#define RANGE(op, text, first, step, count, digest)            \
    {                                                          \
        std::vector<u32> a(count);                             \
        for (u32 i = 0; i < (count); i++)                      \
            a[i] = (first) + i * (step);                       \
        const std::vector<u32> results = run<UNIT>(a, a);      \
        tell(text, first, results.data(), 4 * a.size(), digest); \
    }
#define SPREAD(op, text, digest)                               \
    {                                                          \
        const std::vector<u32> a = spread(), results = run<UNIT>(a, a); \
        tell(text, 0, results.data(), 4 * a.size(), digest);   \
    }
#define HALVES(flags, half, text, digest)                      \
    {                                                          \
        std::vector<u16> a(65536);                             \
        for (u32 i = 0; i < a.size(); i++)                     \
            a[i] = (u16)i;                                     \
        const std::vector<u16> results = run<UNIT>(a, a);      \
        tell(text, 0, results.data(), 2 * a.size(), digest);   \
    }
#define HIGHS(op, text, count, digest)                         \
    {                                                          \
        std::vector<u64> a(count);                             \
        std::vector<u32> highs(count);                         \
        for (u32 i = 0; i < (count); i++)                      \
            a[i] = (u64)(0x3ff00000 + i) << 32;                \
        const std::vector<u64> results = run<UNIT>(a, a);      \
        for (u32 i = 0; i < (count); i++)                      \
            highs[i] = (u32)(results[i] >> 32);                \
        tell(text, 0x3ff00000, highs.data(), 4 * highs.size(), digest); \
    }
#define DOUBLES(op, text, digest)                              \
    {                                                          \
        u32 state = 777;                                       \
        const std::vector<u64> a = spread_doubles(&state), results = run<UNIT>(a, a); \
        tell(text, 0, results.data(), 8 * a.size(), digest);   \
    }
#define PAIRS(op, text, digest)                                \
    {                                                          \
        u32 state = 777;                                       \
        std::vector<u32> a(1 << 18), b(1 << 18);               \
        spread_doubles(&state);                                \
        draw_pairs(a, b, &state);                              \
        const std::vector<u32> results = run<UNIT>(a, b);      \
        tell(text, 0, results.data(), 4 * a.size(), digest);   \
    }

int main()
{
#include "sim/approximate_ranges.def"
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess)
        printf("%s\n", cudaGetErrorString(error));
    return differing > 0 || error != cudaSuccess;
}
