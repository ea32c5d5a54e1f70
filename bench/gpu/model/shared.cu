// How L1's data pipe serves shared memory: what loads and stores of 4 to 16 bytes a lane cost with
// bank conflicts, by which warps of an SM, how late data come behind those of others, what barriers
// make of it, and what loops that load and multiply do. Each launch is made with so many turns and
// with twice as many (of beside: none and some), timed by the SM's own clock: the difference is
// what a turn takes. Prints name,turns,cycles rows. The suites behind and tiles are for ncu: how
// long warps wait, and for what.
//
// usage: nvcc -O3 -std=c++17 -arch=sm_90 -o shared shared.cu && ./shared SUITE... >READINGS.csv
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#include "check.h"

struct reading {
    unsigned sm;
    long long start, end;
};

static reading *readings; // one for each warp of a launch
static float *data;
constexpr size_t data_bytes = 64 << 20;
constexpr unsigned word_count = 8192;

__device__ __forceinline__ unsigned sm_number()
{
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

template <int WIDTH> __device__ __forceinline__ void load(float (&to)[WIDTH], unsigned at)
{
    if constexpr (WIDTH == 1)
        asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(to[0]) : "r"(at));
    else if constexpr (WIDTH == 2)
        asm volatile("ld.volatile.shared.v2.f32 {%0, %1}, [%2];"
                     : "=f"(to[0]), "=f"(to[1])
                     : "r"(at));
    else
        asm volatile("ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                     : "r"(at));
}

template <int WIDTH> __device__ __forceinline__ void store(const float (&from)[WIDTH], unsigned at)
{
    if constexpr (WIDTH == 1)
        asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(at), "f"(from[0]));
    else if constexpr (WIDTH == 2)
        asm volatile("st.volatile.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(from[0]),
                     "f"(from[1]));
    else
        asm volatile("st.volatile.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(from[0]),
                     "f"(from[1]), "f"(from[2]), "f"(from[3]));
}

// Lanes WIDTH words each, WAYS times as far apart as side by side; 0: all at one place.
template <int WIDTH, int WAYS> __device__ __forceinline__ unsigned place(const float *words)
{
    return (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * WIDTH * 4 * WAYS % 16384;
}

enum kind { LOADS, STORES, BOTH, GLOBAL };

// The warps whose bits are set have 8 accesses a turn, those of GLOBAL to WAYS lines of L1.
template <int WIDTH, int WAYS, kind KIND>
__global__ void __launch_bounds__(1024)
    rate(reading *to, const float *from, float *sink, int turns, unsigned mask)
{
    __shared__ __align__(16) float words[word_count];
    for (unsigned k = threadIdx.x; k < word_count; k += blockDim.x)
        words[k] = 0;
    __syncthreads();
    unsigned at = place<WIDTH, WAYS>(words), warp = threadIdx.x / 32;
    const float *lines = from + threadIdx.x % 32 * WAYS / 32 * 32;
    float none = from[warp];
    long long start = clock64();
    if (mask >> warp & 1) {
#pragma unroll 1
        for (int t = 0; t < turns; t++) {
            float value[8][WIDTH] = {};
            unsigned all = 0;
#pragma unroll
            for (int k = 0; k < 8; k++) {
                if (KIND == STORES || (KIND == BOTH && k % 2)) {
                    float stored[WIDTH];
#pragma unroll
                    for (int w = 0; w < WIDTH; w++)
                        stored[w] = none;
                    store<WIDTH>(stored, at + k * 2048);
                } else if (KIND == GLOBAL) {
                    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value[k][0]) : "l"(lines + k));
                } else {
                    load<WIDTH>(value[k], at + k * 2048);
                }
            }
#pragma unroll
            for (int k = 0; k < 8; k++)
#pragma unroll
                for (int w = 0; w < WIDTH; w++)
                    all |= __float_as_uint(value[k][w]);
            at += all;
            lines += all;
        }
    }
    long long end = clock64();
    if (at == 1)
        *sink = 1;
    if (threadIdx.x % 32 == 0)
        to[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm_number(), start, end};
}

// A chain: each load's address is what the one before brought.
template <int WIDTH, int WAYS>
__global__ void chain(reading *to, const float *, float *sink, int turns, unsigned mask)
{
    __shared__ __align__(16) float words[word_count];
    for (unsigned k = threadIdx.x; k < word_count; k += blockDim.x)
        words[k] = __uint_as_float((unsigned)__cvta_generic_to_shared(words) + k * 4);
    __syncthreads();
    unsigned at = place<WIDTH, WAYS>(words);
    float left = 0;
    long long start = clock64();
    if (mask >> threadIdx.x / 32 & 1) {
#pragma unroll 1
        for (int t = 0; t < turns; t++)
#pragma unroll
            for (int k = 0; k < 8; k++) {
                float value[WIDTH];
                load<WIDTH>(value, at);
                at = __float_as_uint(value[0]);
                left = value[WIDTH - 1];
            }
    }
    long long end = clock64();
    if (at == 1)
        *sink = left;
    if (threadIdx.x % 32 == 0)
        to[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm_number(), start, end};
}

// COUNT independent loads, STEP bytes from each other, then a use of all.
template <int WIDTH, int COUNT, int STEP> __device__ __forceinline__ unsigned load_all(unsigned at)
{
    float value[COUNT][WIDTH];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        load<WIDTH>(value[k], at + k * STEP);
    unsigned all = 0;
#pragma unroll
    for (int k = 0; k < COUNT; k++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            all |= __float_as_uint(value[k][w]);
    return all;
}

// A turn is one such burst.
template <int WIDTH, int WAYS, int COUNT>
__global__ void __launch_bounds__(512)
    burst(reading *to, const float *, float *sink, int turns, unsigned mask)
{
    __shared__ __align__(16) float words[word_count];
    for (unsigned k = threadIdx.x; k < word_count; k += blockDim.x)
        words[k] = 0;
    __syncthreads();
    unsigned at = place<WIDTH, WAYS>(words);
    long long start = clock64();
    if (mask >> threadIdx.x / 32 & 1) {
#pragma unroll 1
        for (int t = 0; t < turns; t++) {
            at += load_all<WIDTH, COUNT, 1024>(at);
        }
    }
    long long end = clock64();
    if (at == 1)
        *sink = 1;
    if (threadIdx.x % 32 == 0)
        to[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm_number(), start, end};
}

// Warp 0 has a chain of 2048 loads of a word a lane; the warps of the mask a turn of 8 loads or
// stores with conflicts so often, meanwhile: by how much they delay the chain.
template <int WAYS, kind KIND>
__global__ void __launch_bounds__(512)
    beside(reading *to, const float *from, float *sink, int turns, unsigned mask)
{
    __shared__ __align__(16) float words[word_count];
    for (unsigned k = threadIdx.x; k < word_count; k += blockDim.x)
        words[k] = __uint_as_float((unsigned)__cvta_generic_to_shared(words) + k * 4);
    __syncthreads();
    unsigned warp = threadIdx.x / 32, at = place<1, 1>(words), other = place<1, WAYS>(words) + 128;
    float none = from[warp];
    long long start = clock64();
    if (warp == 0) {
#pragma unroll 1
        for (int t = 0; t < 256; t++)
#pragma unroll
            for (int k = 0; k < 8; k++) {
                float value[1];
                load<1>(value, at);
                at = __float_as_uint(value[0]);
            }
    } else if (mask >> warp & 1) {
#pragma unroll 1
        for (int t = 0; t < turns; t++) {
            float value[8][1] = {};
            unsigned all = 0;
#pragma unroll
            for (int k = 0; k < 8; k++) {
                float stored[1] = {none};
                if (KIND == STORES)
                    store<1>(stored, other + k * 1024);
                else
                    load<1>(value[k], other + k * 1024);
            }
#pragma unroll
            for (int k = 0; k < 8; k++)
                all |= __float_as_uint(value[k][0]);
            other += all >> 31;
        }
    }
    long long end = clock64();
    if (at == 1 || other == 1)
        *sink = 1;
    if (threadIdx.x % 32 == 0)
        to[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm_number(), start, end};
}

// Loops as products of matrices have them: a row of 8 values that 16 lanes share and one of 8 that
// lanes have WAYS x 32 bytes apart, 64 multiply-adds, the next; each 8 turns what SYNC says.
enum sync { ALONE, BARRIER, STORE, STORE_APART, STORE_WIDE, STORE_CROWDED, TILE };

template <int WAYS, sync SYNC, int UNROLL>
__global__ void __launch_bounds__(256, 2)
    product(reading *to, const float4 *from, float *sink, int turns)
{
    __shared__ __align__(16) float words[word_count / 2];
    unsigned thread = threadIdx.x;
    for (unsigned k = thread; k < word_count / 2; k += blockDim.x)
        words[k] = (float)(k % 7);
    __syncthreads();
    float sums[8][8] = {};
    unsigned row = thread / 16 * 8, column = thread % 16 * 4 * WAYS % 128;
    const float4 *tile = from + (blockIdx.x % 64) * 4096 + thread;
    long long start = clock64();
#pragma unroll 1
    for (int t = 0; t < turns; t += 8) {
        if (SYNC >= STORE) {
            float same = __int_as_float(t);
            float4 next = SYNC == TILE ? __ldcg(tile) : make_float4(same, same, same, same);
            float4 other = SYNC == TILE ? __ldcg(tile + 256) : make_float4(same, same, same, same);
            tile += 512;
            unsigned at = SYNC == STORE_APART     ? thread / 128 * 512 + thread % 128
                          : SYNC == STORE_CROWDED ? thread % 8 * 128 + thread / 8
                                                  : thread % 2 * 512 + thread / 2;
            constexpr unsigned step = SYNC == STORE_CROWDED ? 32 : 128;
            if (SYNC != STORE_WIDE) {
                words[at] = next.x;
                words[at + step] = next.y;
                words[at + 2 * step] = next.z;
                words[at + 3 * step] = next.w;
            }
            *(float4 *)&words[2048 + thread * 4] = other;
        }
        if (SYNC != ALONE)
            __syncthreads();
#pragma unroll UNROLL
        for (int k = 0; k < 8; k++) {
            float a[8], b[8];
#pragma unroll
            for (int i = 0; i < 8; i++)
                a[i] = words[k * 128 + row + i];
            if (WAYS == 1) { // two vectors, each without conflicts
                *(float4 *)&b[0] = *(const float4 *)&words[2048 + k * 128 + column];
                *(float4 *)&b[4] = *(const float4 *)&words[2048 + k * 128 + 64 + column];
            } else {
                *(float4 *)&b[0] = *(const float4 *)&words[2048 + k * 128 + column];
                *(float4 *)&b[4] = *(const float4 *)&words[2048 + k * 128 + column + 4];
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sums[i][j] += a[i] * b[j];
        }
        if (SYNC != ALONE)
            __syncthreads();
    }
    long long end = clock64();
    float sum = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            sum += sums[i][j];
    if (sum == 0.5f)
        *sink = sum;
    if (thread % 32 == 0)
        to[(blockIdx.x * blockDim.x + thread) / 32] = {sm_number(), start, end};
}

static int sm_count()
{
    int sms;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    return sms;
}

static void print(const char *name, const char *how, int turns, size_t count)
{
    CHECK(cudaDeviceSynchronize());
    std::vector<reading> list(count);
    CHECK(cudaMemcpy(list.data(), readings, count * sizeof(reading), cudaMemcpyDeviceToHost));
    long long first = -1, last = 0;
    for (const reading &r : list)
        if (r.sm == list[0].sm) {
            first = first < 0 ? r.start : std::min(first, r.start);
            last = std::max(last, r.end);
        }
    printf("%s.%s,%d,%lld\n", name, how, turns, last - first);
}

template <class KERNEL>
static void run(const char *name, KERNEL kernel, int warps, unsigned mask, int first, int step)
{
    int sms = sm_count();
    char how[32];
    if (mask)
        snprintf(how, sizeof how, "mask_%x", mask);
    else
        snprintf(how, sizeof how, "%d_warps", warps);
    for (int turns = first; turns <= first + step; turns += step) {
        kernel<<<sms, warps * 32>>>(readings, data, data, turns, mask);
        print(name, how, turns, (size_t)sms * warps);
    }
}

template <int WIDTH, int WAYS, kind KIND> static void run_rate()
{
    char name[64];
    static const char *const names[] = {"load", "store", "both", "lines"};
    snprintf(name, sizeof name, "rate.%s.%d_bytes.%d_ways", names[KIND], WIDTH * 4, WAYS);
    for (unsigned mask : {0x1u, 0x3u, 0x11u, 0x101u, 0x1111u, 0xfu, 0x1fu, 0xffu, 0xffffu})
        run(name, rate<WIDTH, WAYS, KIND>, 16, mask, 64, 64);
}

template <kind KIND> static void run_rates_of()
{
    run_rate<1, 1, KIND>();
    run_rate<1, 2, KIND>();
    run_rate<1, 4, KIND>();
    run_rate<1, 32, KIND>();
    run_rate<2, 1, KIND>();
    run_rate<4, 0, KIND>();
    run_rate<4, 1, KIND>();
    run_rate<4, 2, KIND>();
}

static void run_rates()
{
    run_rates_of<LOADS>();
    run_rates_of<STORES>();
    run_rate<1, 32, BOTH>();
    run_rate<4, 1, BOTH>();
    run_rate<1, 1, GLOBAL>();
    run_rate<1, 8, GLOBAL>();
    run_rate<1, 32, GLOBAL>();
}

template <int WIDTH, int WAYS> static void run_chain()
{
    char name[64];
    snprintf(name, sizeof name, "chain.%d_bytes.%d_ways", WIDTH * 4, WAYS);
    for (unsigned mask : {0x1u, 0xfu, 0xffffu})
        run(name, chain<WIDTH, WAYS>, 16, mask, 32, 32);
}

static void run_chains()
{
    run_chain<1, 1>();
    run_chain<1, 2>();
    run_chain<1, 8>();
    run_chain<1, 32>();
    run_chain<2, 0>();
    run_chain<2, 1>();
    run_chain<2, 2>();
    run_chain<4, 0>();
    run_chain<4, 1>();
    run_chain<4, 2>();
}

template <int WIDTH, int WAYS, int COUNT> static void run_burst()
{
    char name[64];
    snprintf(name, sizeof name, "burst.%d.%d_bytes.%d_ways", COUNT, WIDTH * 4, WAYS);
    for (unsigned mask : {0x1u, 0x11u, 0xfu})
        run(name, burst<WIDTH, WAYS, COUNT>, 16, mask, 64, 64);
}

template <int WIDTH, int WAYS> static void run_bursts_of()
{
    run_burst<WIDTH, WAYS, 1>();
    run_burst<WIDTH, WAYS, 2>();
    run_burst<WIDTH, WAYS, 4>();
    run_burst<WIDTH, WAYS, 8>();
}

static void run_bursts()
{
    run_bursts_of<1, 1>();
    run_bursts_of<1, 8>();
    run_bursts_of<4, 0>();
    run_bursts_of<4, 1>();
    run_bursts_of<4, 2>();
}

template <int WAYS, kind KIND> static void run_beside()
{
    char name[64];
    snprintf(name, sizeof name, "beside.%s.%d_ways", KIND == STORES ? "store" : "load", WAYS);
    for (unsigned mask : {0x2u, 0x10u, 0x6u, 0x110u, 0xeu, 0x1110u, 0xfeu})
        run(name, beside<WAYS, KIND>, 16, mask, 0, 1024 / (WAYS + 4) / (mask > 0xf ? 4 : 1));
}

static void run_besides()
{
    run_beside<2, LOADS>();
    run_beside<8, LOADS>();
    run_beside<32, LOADS>();
    run_beside<8, STORES>();
    run_beside<32, STORES>();
}

// A turn: COUNT accesses of each warp, a barrier; of handed, what was stored is read behind it,
// used and another barrier follows.
enum meet { STORED, LOADED, HANDED };

template <int WIDTH, int WAYS, int COUNT, meet MEET>
__global__ void __launch_bounds__(1024)
    meeting(reading *to, const float *from, float *sink, int turns, unsigned)
{
    __shared__ __align__(16) float words[word_count];
    for (unsigned k = threadIdx.x; k < word_count; k += blockDim.x)
        words[k] = 0;
    __syncthreads();
    unsigned at = place<WIDTH, WAYS>(words);
    float stored[WIDTH];
    for (int w = 0; w < WIDTH; w++)
        stored[w] = from[w];
    long long start = clock64();
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
        float value[COUNT ? COUNT : 1][WIDTH] = {};
        unsigned all = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            if (MEET == LOADED)
                load<WIDTH>(value[k], at + k * 1024);
            else
                store<WIDTH>(stored, at + k * 1024);
        __syncthreads();
        if (MEET == HANDED) {
            float one[1];
            load<1>(one, at);
            all = __float_as_uint(one[0]);
            at += all;
            __syncthreads();
        } else if (MEET == LOADED) {
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                for (int w = 0; w < WIDTH; w++)
                    all |= __float_as_uint(value[k][w]);
            at += all;
        }
    }
    long long end = clock64();
    if (at == 1)
        *sink = 1;
    if (threadIdx.x % 32 == 0)
        to[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {sm_number(), start, end};
}

template <int WIDTH, int WAYS, int COUNT, meet MEET> static void run_meeting()
{
    static const char *const names[] = {"stored", "loaded", "handed"};
    char name[64];
    snprintf(name, sizeof name, "meeting.%s.%d_times.%d_bytes.%d_ways", names[MEET], COUNT,
             WIDTH * 4, WAYS);
    for (int warps : {1, 4, 8, 16})
        run(name, meeting<WIDTH, WAYS, COUNT, MEET>, warps, 0, 64, 64);
}

template <meet MEET> static void run_meetings_of()
{
    run_meeting<1, 1, 0, MEET>();
    run_meeting<1, 1, 1, MEET>();
    run_meeting<1, 1, 4, MEET>();
    run_meeting<1, 2, 4, MEET>();
    run_meeting<1, 8, 1, MEET>();
    run_meeting<1, 8, 4, MEET>();
    run_meeting<1, 32, 1, MEET>();
    run_meeting<4, 1, 1, MEET>();
    run_meeting<4, 1, 4, MEET>();
}

static void run_meetings()
{
    run_meetings_of<STORED>();
    run_meetings_of<LOADED>();
    run_meetings_of<HANDED>();
}

static const char *const sync_names[] = {"alone",      "barrier",       "store", "store_apart",
                                         "store_wide", "store_crowded", "tile"};

template <int WAYS, sync SYNC, int UNROLL> static void run_product(int blocks, int warps = 8)
{
    int sms = sm_count();
    char name[64];
    snprintf(name, sizeof name, "product.%s.%d_ways.%d_unrolled", sync_names[SYNC], WAYS, UNROLL);
    char how[32];
    snprintf(how, sizeof how, "%d_blocks_of_%d", blocks, warps);
    for (int turns = 512; turns <= 1024; turns += 512) {
        product<WAYS, SYNC, UNROLL>
            <<<blocks * sms, warps * 32>>>(readings, (const float4 *)data, data, turns);
        print(name, how, turns, (size_t)blocks * sms * warps);
    }
}

template <sync SYNC, int UNROLL> static void run_products_of()
{
    run_product<0, SYNC, UNROLL>(2);
    run_product<1, SYNC, UNROLL>(1);
    run_product<1, SYNC, UNROLL>(2);
    run_product<2, SYNC, UNROLL>(1);
    run_product<2, SYNC, UNROLL>(2);
    run_product<4, SYNC, UNROLL>(2);
}

static void run_products()
{
    run_product<1, ALONE, 1>(1, 4);
    run_product<2, ALONE, 1>(1, 4);
    run_products_of<ALONE, 1>();
    run_products_of<BARRIER, 1>();
    run_products_of<BARRIER, 8>();
    run_products_of<STORE, 1>();
    run_products_of<STORE, 8>();
    run_product<1, STORE_APART, 8>(1);
    run_product<1, STORE_APART, 8>(2);
    run_product<1, STORE_WIDE, 8>(1);
    run_product<1, STORE_WIDE, 8>(2);
    run_product<1, STORE_CROWDED, 8>(1);
    run_product<1, STORE_CROWDED, 8>(2);
    run_products_of<TILE, 1>();
    run_products_of<TILE, 8>();
}

// Warps 0 to 3, one of each scheduler, have bursts of COUNT loads of WIDTH words a lane, the others
// multiply-adds of so many registers that the one before did not read: does a load wait for them?
template <int WIDTH, int COUNT, int OPERANDS>
__global__ void __launch_bounds__(1024)
    behind(const float *from, float *sink, int bursts, int turns)
{
    __shared__ __align__(16) float words[word_count / 2];
    for (unsigned k = threadIdx.x; k < word_count / 2; k += blockDim.x)
        words[k] = 0;
    __syncthreads();
    unsigned at = place<WIDTH, 1>(words);
    float sum = 0;
    if (threadIdx.x < 128) {
#pragma unroll 1
        for (int t = 0; t < bursts; t++) {
            at += load_all<WIDTH, COUNT, 512>(at);
        }
        sum = __uint_as_float(at);
    } else {
        float sums[32], x[8], y[8];
        for (int i = 0; i < 32; i++)
            sums[i] = from[i];
        for (int i = 0; i < 8; i++) {
            x[i] = from[i + 32];
            y[i] = from[i + 64];
        }
#pragma unroll 1
        for (int t = 0; t < turns; t++) {
#pragma unroll
            for (int i = 0; i < 256; i++) {
                int k = i % 32;
                if (OPERANDS == 1)
                    asm volatile("add.f32 %0, %0, 0f3F800000;" : "+f"(sums[k]));
                else
                    asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                                 : "+f"(sums[k])
                                 : "f"(x[OPERANDS == 3 ? k % 8 : k / 8]),
                                   "f"(y[OPERANDS == 3 ? (k * 3 + k / 8) % 8 : k % 8]));
            }
        }
        for (int i = 0; i < 32; i++)
            sum += sums[i];
    }
    if (sum == 0.5f)
        *sink = sum;
}

template <int WIDTH, int COUNT, int OPERANDS> static void run_behind(int most)
{
    for (int warps = 0; warps <= most; warps++) {
        behind<WIDTH, COUNT, OPERANDS><<<sm_count(), 128 * (1 + warps)>>>(data, data, 1024, 1500);
        CHECK(cudaDeviceSynchronize());
        printf("behind.%d_loads_of_%d_bytes.%d_operands.%d_warps,1024,\n", COUNT, WIDTH * 4,
               OPERANDS, warps);
    }
}

static void run_behinds()
{
    run_behind<1, 1, 2>(3);
    run_behind<4, 1, 1>(3);
    run_behind<4, 1, 2>(3);
    run_behind<4, 1, 3>(3);
    run_behind<4, 4, 2>(3);
}

// A product of matrices, step by step: its loop alone, with barriers, with stores into shared
// memory, with loads of contiguous pieces, with loads of rows. TURNS of the loop between two tiles.
template <int STEP, int TURNS>
__global__ void __launch_bounds__(256, 2)
    tiles(const float *a, const float *b, float *sink, int count)
{
    __shared__ __align__(16) float rows[TURNS * 128], columns[TURNS * 128];
    unsigned thread = threadIdx.x;
    for (unsigned k = thread; k < TURNS * 128; k += 256)
        rows[k] = columns[k] = (float)(k % 7);
    __syncthreads();
    float sums[64] = {};
    constexpr unsigned lanes = TURNS / 4, apart = 256 / lanes;
    unsigned row = thread / lanes, part = thread % lanes * 4;
    a += blockIdx.x % 16 * 128 * 2048;
    b += blockIdx.x / 16 % 16 * 128;
    for (int t = 0; t < count; t++) {
        if (STEP >= 2) {
            float same = __int_as_float(t);
#pragma unroll
            for (unsigned k = 0; k < 128; k += apart) {
                float4 v = make_float4(same, same, same, same);
                if (STEP == 3)
                    v = __ldcg((const float4 *)&a[k / apart * 1024 + thread * 4]);
                if (STEP == 4)
                    v = *(const float4 *)&a[(row + k) * 2048 + part];
                rows[(part + 0) * 128 + row + k] = v.x;
                rows[(part + 1) * 128 + row + k] = v.y;
                rows[(part + 2) * 128 + row + k] = v.z;
                rows[(part + 3) * 128 + row + k] = v.w;
            }
#pragma unroll
            for (unsigned k = 0; k < TURNS; k += 8) {
                float4 v = make_float4(same, same, same, same);
                if (STEP == 3)
                    v = __ldcg((const float4 *)&b[k / 8 * 1024 + thread * 4]);
                if (STEP == 4)
                    v = *(const float4 *)&b[(thread / 32 + k) * 2048 + thread % 32 * 4];
                *(float4 *)&columns[(thread / 32 + k) * 128 + thread % 32 * 4] = v;
            }
            a += STEP == 3 ? 2048 : STEP == 4 ? TURNS : 0;
            b += STEP == 3 ? 2048 : STEP == 4 ? TURNS * 2048 : 0;
        }
        if (STEP >= 1)
            __syncthreads();
#pragma unroll 1
        for (unsigned k = 0; k < TURNS; k++) {
            float x[8], y[8];
            for (unsigned i = 0; i < 8; i++)
                x[i] = rows[k * 128 + thread / 16 * 8 + i];
            for (unsigned i = 0; i < 8; i++)
                y[i] = columns[k * 128 + thread % 16 * 8 + i];
            for (unsigned i = 0; i < 8; i++)
                for (unsigned j = 0; j < 8; j++)
                    sums[i * 8 + j] += x[i] * y[j];
        }
        if (STEP >= 1)
            __syncthreads();
    }
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += sums[i];
    if (sum == 0.5f)
        *sink = sum;
}

template <int STEP, int TURNS> static void run_tiles_of(int blocks)
{
    static const char *const names[] = {"loop", "barriers", "stores", "pieces", "rows"};
    tiles<STEP, TURNS><<<blocks * sm_count(), 256>>>(data, data + (4 << 20), data, 1024 / TURNS);
    CHECK(cudaDeviceSynchronize());
    printf("tiles.%s.%d_turns.%d_blocks,1024,\n", names[STEP], TURNS, blocks);
}

template <int TURNS> static void run_steps(int blocks)
{
    run_tiles_of<0, TURNS>(blocks);
    run_tiles_of<1, TURNS>(blocks);
    run_tiles_of<2, TURNS>(blocks);
    run_tiles_of<3, TURNS>(blocks);
    run_tiles_of<4, TURNS>(blocks);
}

static void run_tiles()
{
    for (int blocks = 2; blocks; blocks--) {
        run_steps<8>(blocks);
        run_steps<16>(blocks);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } suites[] = {{"rate", run_rates},     {"chain", run_chains},     {"burst", run_bursts},
                  {"beside", run_besides}, {"meeting", run_meetings}, {"product", run_products},
                  {"behind", run_behinds}, {"tiles", run_tiles}};
    CHECK(cudaMalloc(&readings, 1 << 20));
    CHECK(cudaMalloc(&data, data_bytes));
    CHECK(cudaMemset(data, 0, data_bytes));
    printf("name,turns,cycles\n");
    for (const auto &each : suites)
        for (int i = 1; i < argc; i++)
            if (!strcmp(argv[i], each.name))
                each.run();
    CHECK(cudaFree(readings));
    CHECK(cudaFree(data));
    return 0;
}
