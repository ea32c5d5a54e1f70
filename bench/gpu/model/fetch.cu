// What it costs to fetch instructions and constants, and what waits for the pipe of special
// functions: code without branches of 1 to 256 KiB, gone through once or several times; code of
// which branches pass over most; parameters and constants a line of 64 bytes apart; exponentials
// between multiply-adds. Run it under a profiler that reports warp states of each launch
// (run.sh OUT.csv fetch). Each launch prints a line: what it did, operations of a warp, warps of a
// block and blocks.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "check.h"

#define FMA \
    "fma.rn.f32 %0,%0,%4,%5; fma.rn.f32 %1,%1,%4,%5; fma.rn.f32 %2,%2,%4,%5; fma.rn.f32 %3,%3,%4,%5;\n"
#define FMA16 FMA FMA FMA FMA
#define FMA64 FMA16 FMA16 FMA16 FMA16
#define RUN(text)                                                         \
    asm volatile(text                                                     \
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]) \
                 : "f"(scale), "f"(offset))

enum { LINE_WORDS = 16, LINES_MOST = 60, SKIPS = 32 };

static void report(const char *name, long operations, int warps, int blocks)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%ld,%d,%d\n", name, operations, warps, blocks);
}

static __device__ void keep(const float *sum, float *to)
{
    float all = sum[0] + sum[1] + sum[2] + sum[3];
    if (all == 1)
        *to = all;
}

// So many multiply-adds in a row, in four chains, again and again.
template <int COUNT> __global__ void straight(float *to, float scale, float offset, int laps)
{
    float sum[4] = {scale, scale, offset, offset};
#pragma unroll 1
    for (int lap = 0; lap < laps; lap++) {
#pragma unroll
        for (int k = 0; k < COUNT / 64; k++)
            RUN(FMA64);
    }
    keep(sum, to);
}

// 32 times 16 multiply-adds and a branch that passes over DISTANCE more.
template <int DISTANCE>
__global__ void skip(float *to, float scale, float offset, int laps, unsigned never)
{
    float sum[4] = {scale, scale, offset, offset};
#pragma unroll 1
    for (int lap = 0; lap < laps; lap++) {
#pragma unroll
        for (int k = 0; k < SKIPS; k++) {
            RUN(FMA16);
            if (never & 1u << k) {
#pragma unroll
                for (int i = 0; i < DISTANCE / 16; i++)
                    RUN(FMA16);
            }
        }
    }
    keep(sum, to);
}

struct lines {
    float word[LINES_MOST * LINE_WORDS];
};

__constant__ lines constants;

// A parameter of each of so many lines, STEP words apart, added to one sum.
template <int COUNT, int STEP>
__global__ void parameters(const __grid_constant__ lines from, float *to, int laps)
{
    float sum = 0;
#pragma unroll 1
    for (int lap = 0; lap < laps; lap++) {
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            sum += from.word[k * STEP];
    }
    if (sum == 1)
        *to = sum;
}

template <int COUNT, int STEP> __global__ void words(float *to, int laps)
{
    float sum = 0;
#pragma unroll 1
    for (int lap = 0; lap < laps; lap++) {
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            sum += constants.word[k * STEP];
    }
    if (sum == 1)
        *to = sum;
}

// CHAINS exponentials, each followed by so many multiply-adds that hang on it.
template <int CHAINS, int ADDS>
__global__ void exponentials(float *to, float scale, float offset, int turns)
{
    float value[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        value[k] = scale * k;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value[k]));
#pragma unroll
        for (int i = 0; i < ADDS; i++)
#pragma unroll
            for (int k = 0; k < CHAINS; k++)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                             : "+f"(value[k])
                             : "f"(scale), "f"(offset));
    }
    float all = 0;
    for (int k = 0; k < CHAINS; k++)
        all += value[k];
    if (all == 1)
        *to = all;
}

static float *to;
static int sms;

template <int COUNT> static void run_straight(void)
{
    for (int laps : {1, 2, 8})
        for (int warps : {1, 4, 16})
            for (int blocks : {1, sms}) {
                char name[64];
                snprintf(name, sizeof name, "straight.%d.laps_%d", COUNT, laps);
                straight<COUNT><<<blocks, warps * 32>>>(to, 0.5f, 0.25f, laps);
                report(name, (long)COUNT * laps, warps, blocks);
            }
}

template <int DISTANCE> static void run_skip(void)
{
    for (int laps : {1, 2})
        for (int warps : {1, 16})
            for (int blocks : {1, sms}) {
                char name[64];
                snprintf(name, sizeof name, "skip.%d.laps_%d", DISTANCE, laps);
                skip<DISTANCE><<<blocks, warps * 32>>>(to, 0.5f, 0.25f, laps, 0);
                report(name, (long)SKIPS * laps, warps, blocks);
            }
}

template <int COUNT, int STEP> static void run_lines(const lines *from)
{
    for (int laps : {1, 2})
        for (int warps : {1, 16})
            for (int blocks : {1, sms}) {
                char name[64];
                snprintf(name, sizeof name, "parameters.%d_words_apart.laps_%d", STEP, laps);
                parameters<COUNT, STEP><<<blocks, warps * 32>>>(*from, to, laps);
                report(name, (long)COUNT * laps, warps, blocks);
                snprintf(name, sizeof name, "words.%d_words_apart.laps_%d", STEP, laps);
                words<COUNT, STEP><<<blocks, warps * 32>>>(to, laps);
                report(name, (long)COUNT * laps, warps, blocks);
            }
}

template <int CHAINS, int ADDS> static void run_exponentials(void)
{
    for (int warps : {4, 8, 16, 32}) {
        char name[64];
        snprintf(name, sizeof name, "exponentials.%d.adds_%d", CHAINS, ADDS);
        exponentials<CHAINS, ADDS><<<1, warps * 32>>>(to, 0.5f, 0.25f, 64);
        report(name, CHAINS * 64, warps, 1);
    }
}

int main(void)
{
    static lines zero;
    struct cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    sms = prop.multiProcessorCount;
    CHECK(cudaMalloc(&to, 4));
    printf("name,operations,warps,blocks\n");
    run_straight<64>();
    run_straight<128>();
    run_straight<256>();
    run_straight<512>();
    run_straight<1024>();
    run_straight<2048>();
    run_straight<4096>();
    run_straight<8192>();
    run_straight<16384>();
    run_skip<32>();
    run_skip<64>();
    run_skip<128>();
    run_skip<512>();
    run_lines<1, LINE_WORDS>(&zero);
    run_lines<4, LINE_WORDS>(&zero);
    run_lines<16, LINE_WORDS>(&zero);
    run_lines<60, LINE_WORDS>(&zero);
    run_lines<64, 1>(&zero);
    run_lines<64, 4>(&zero);
    run_exponentials<1, 0>();
    run_exponentials<1, 2>();
    run_exponentials<1, 8>();
    run_exponentials<2, 2>();
    run_exponentials<4, 0>();
    run_exponentials<4, 2>();
    run_exponentials<4, 8>();
    run_exponentials<8, 0>();
    CHECK(cudaFree(to));
    return 0;
}
