// What branches cost a warp: four regions of dependent additions in a turn, behind conditions that
// all lanes meet, none or half of them, that are the same for the whole launch, with an inner loop,
// or nested. Run it under a profiler that reports warp states of each launch (run.sh branches).
// Each launch prints a line: the regions, additions in each, warps and blocks.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "check.h"

enum { TURNS = 64, REGIONS = 4 };

enum kind {
    STRAIGHT,  // no branches
    ENTERED,   // all lanes go into each region
    SKIPPED,   // none does
    HALF,      // half of them do
    EITHER,    // half of them go into another region
    LAUNCH,    // all, by a parameter
    LOOP,      // each region is an inner loop of two turns, which lanes end by their own values
    NESTED,    // a region in a region, all lanes
    SHORT,     // regions that compilers predicate
    RETURNING, // lanes could return from within
};

template <int LENGTH> __device__ __forceinline__ void add(float &x, float a)
{
#pragma unroll
    for (int i = 0; i < LENGTH; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
}

template <int KIND, int LENGTH>
__global__ void regions(float *to, const float *limits, float a, float parameter, int turns)
{
    float x = 1;
    float limit = limits[threadIdx.x % 32];
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
#pragma unroll
        for (int region = 0; region < REGIONS; region++) {
            if (KIND == STRAIGHT)
                add<LENGTH>(x, a);
            if (KIND == ENTERED || KIND == SKIPPED || KIND == HALF || KIND == SHORT)
                if (x < limit)
                    add<LENGTH>(x, a);
            if (KIND == EITHER) {
                if (x < limit) {
                    add<LENGTH>(x, a);
                } else {
                    add<LENGTH>(x, a);
                    asm volatile("add.f32 %0, %0, 0f00000000;" : "+f"(x));
                }
            }
            if (KIND == LAUNCH)
                if (parameter < region + 1)
                    add<LENGTH>(x, a);
            if (KIND == LOOP) {
                float left = limit;
                do {
                    add<LENGTH / 2>(x, a);
                    left -= 1;
                } while (left > 0);
            }
            if (KIND == NESTED)
                if (x < limit) {
                    add<LENGTH / 2>(x, a);
                    if (x < limit + 1)
                        add<LENGTH - LENGTH / 2>(x, a);
                    asm volatile("add.f32 %0, %0, 0f00000000;" : "+f"(x));
                }
            if (KIND == RETURNING) {
                if (x > limit)
                    return;
                add<LENGTH>(x, a);
            }
        }
    }
    if (x == 12345)
        *to = x;
}

static float *to, *limits;

// Lanes below `in` have the first limit, the others the second.
template <int KIND, int LENGTH>
static void run(const char *name, int in, float inside, float outside)
{
    float values[32];
    for (int lane = 0; lane < 32; lane++)
        values[lane] = lane < in ? inside : outside;
    CHECK(cudaMemcpy(limits, values, sizeof values, cudaMemcpyHostToDevice));
    static const int warps[] = {4, 16, 32};
    for (int count : warps) {
        regions<KIND, LENGTH><<<1, count * 32>>>(to, limits, 0.25f, 0, TURNS);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        printf("%s.%d,%d,%d,1\n", name, LENGTH, LENGTH, count);
    }
}

int main()
{
    CHECK(cudaMalloc(&to, sizeof *to));
    CHECK(cudaMalloc(&limits, 32 * sizeof *limits));
    printf("name,operations,warps,blocks\n");
    run<STRAIGHT, 12>("straight", 32, 1e9f, 0);
    run<STRAIGHT, 24>("straight", 32, 1e9f, 0);
    run<ENTERED, 12>("entered", 32, 1e9f, 0);
    run<ENTERED, 24>("entered", 32, 1e9f, 0);
    run<SKIPPED, 12>("skipped", 32, -1e9f, 0);
    run<SKIPPED, 24>("skipped", 32, -1e9f, 0);
    run<HALF, 12>("half", 16, 1e9f, -1e9f);
    run<HALF, 24>("half", 16, 1e9f, -1e9f);
    run<EITHER, 12>("either", 16, 1e9f, -1e9f);
    run<EITHER, 24>("either", 16, 1e9f, -1e9f);
    run<LAUNCH, 12>("launch", 32, 1e9f, 0);
    run<LOOP, 24>("loop", 32, 2, 2);
    run<LOOP, 24>("loop_parting", 16, 2, 3);
    run<NESTED, 24>("nested", 32, 1e9f, 0);
    run<SHORT, 4>("short", 32, 1e9f, 0);
    run<RETURNING, 12>("returning", 32, 1e9f, 0);
    return 0;
}
