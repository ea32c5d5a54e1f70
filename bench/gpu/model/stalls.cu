// What warps wait for, in known situations: loads in a row before the first of them is used, that
// L1 holds or that only L2 has, by few warps and many; taps of a filter. Run it under a profiler
// that reports warp states of each launch (run.sh stalls). Each launch prints a line: what it did,
// accesses of a warp, warps and blocks.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "check.h"

enum { TURNS = 16, TAPS_MOST = 81 };

static void report(const char *name, long accesses, int warps, int blocks)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    printf("%s,%ld,%d,%d\n", name, accesses, warps, blocks);
}

// Where the lanes, warps and blocks of a launch load from, and how far they go on each turn, in
// words.
struct walk {
    const char *name;
    long lane, warp, block, turn;
};

// So many loads, WORDS apart, then their sum, and again.
template <int LOADS, int WORDS>
__global__ void burst(const float *from, float *to, struct walk walk, int turns)
{
    long warp = threadIdx.x / 32;
    const float *at =
        from + walk.lane * (threadIdx.x % 32) + walk.warp * warp + walk.block * blockIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        float value[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value[k]) : "l"(at + k * WORDS));
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += value[k];
        at += walk.turn;
    }
    if (sum == 1)
        *to = sum;
}

// The same of shared memory: WAYS lanes of a warp meet in a bank.
template <int LOADS, int WAYS> __global__ void shared_burst(float *to, int turns)
{
    __shared__ float words[8192];
    for (int k = threadIdx.x; k < 8192; k += blockDim.x)
        words[k] = 0;
    __syncthreads();
    unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * WAYS * 4;
    float sum = 0;
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++) {
        float value[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value[k]) : "r"(at + k * 1024));
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += value[k];
    }
    if (sum == 1)
        *to = sum;
}

__constant__ float weight[TAPS_MOST];

// A filter of SIZE x SIZE taps, a point a thread.
template <int SIZE>
__global__ void taps(const float *__restrict__ from, float *__restrict__ to, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            sum += weight[i * SIZE + j] * from[width * (y + i) + x + j];
    to[width * y + x] = sum;
}

template <int LOADS, int WORDS>
static void run_burst(const float *from, float *to, int sms, struct walk walk)
{
    for (int warps : {4, 32})
        for (int blocks : {1, sms}) {
            char name[64];
            snprintf(name, sizeof name, "burst.%d.%s", LOADS, walk.name);
            burst<LOADS, WORDS><<<blocks, warps * 32>>>(from, to, walk, TURNS);
            report(name, TURNS * LOADS, warps, blocks);
        }
}

template <int LOADS> static void run_bursts(const float *from, float *to, int sms)
{
    run_burst<LOADS, 32>(from, to, sms, {"hit.1_line", 1, 0, 0, 0});
    run_burst<LOADS, 1>(from, to, sms, {"hit.32_lines_512_apart", 128, 0, 0, 0});
    run_burst<LOADS, 1>(from, to, sms, {"hit.32_lines", 32, 0, 0, 0});
    run_burst<LOADS, 1>(from, to, sms, {"hit.32_lines_4k_apart", 1024, 0, 0, 0});
    run_burst<LOADS, 1>(from, to, sms, {"walk.8_lines", 200, 6400, 204800, LOADS});
    run_burst<LOADS, 1>(from, to, sms, {"walk.32_lines", 800, 25600, 819200, LOADS});
    run_burst<LOADS, 1>(from, to, sms, {"walk.32_lines_4k_apart", 1024, 32768, 1048576, LOADS});
    run_burst<LOADS, 32>(from, to, sms, {"miss.1_line", 1, 8192, 262144, 32 * LOADS});
    run_burst<LOADS, 256>(from, to, sms, {"miss.32_lines", 8, 65536, 2097152, 256 * LOADS});
}

template <int LOADS, int WAYS> static void run_shared(float *to)
{
    for (int warps : {4, 32}) {
        char name[64];
        snprintf(name, sizeof name, "shared.%d.%d_ways", LOADS, WAYS);
        shared_burst<LOADS, WAYS><<<1, warps * 32>>>(to, TURNS);
        report(name, TURNS * LOADS, warps, 1);
    }
}

template <int SIZE> static void run_taps(const float *from, float *to)
{
    char name[64];
    snprintf(name, sizeof name, "taps.%d", SIZE);
    taps<SIZE><<<dim3(2048 / 32, 2048 / 8), dim3(32, 8)>>>(from, to, 2048);
    report(name, SIZE * SIZE, 8, 2048 / 32 * 2048 / 8);
}

int main()
{
    int sms = 0;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const size_t bytes = (size_t)3 << 30;
    float *from, *to;
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, 64 << 20));
    CHECK(cudaMemset(from, 0, bytes));
    printf("name,operations,warps,blocks\n");
    run_bursts<1>(from, to, sms);
    run_bursts<4>(from, to, sms);
    run_bursts<16>(from, to, sms);
    run_shared<1, 1>(to);
    run_shared<4, 1>(to);
    run_shared<16, 1>(to);
    run_shared<1, 8>(to);
    run_shared<4, 8>(to);
    run_shared<16, 8>(to);
    run_taps<3>(from, to);
    run_taps<4>(from, to);
    run_taps<6>(from, to);
    run_taps<7>(from, to);
    return 0;
}
