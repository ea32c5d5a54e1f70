// Warps that take turns between loads of shared memory and arithmetic, as tiled kernels do: what
// wide loads and their bank conflicts cost beside arithmetic, and how two blocks share an SM when
// their warps wait for each other and for memory. Timed by the SM's own clock; prints
// name,parameter,value rows. Under ncu or warplens the same launches give warp states.
//
// usage: nvcc -O3 -std=c++17 -arch=sm_90 -o turns turns.cu && ./turns >READINGS.csv
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include <cuda_runtime.h>

#include "check.h"

struct reading {
    unsigned sm, block, warp;
    long long start, end;
};

static reading *readings; // one for each warp of a launch
static float *data;
constexpr size_t data_bytes = 16 << 20;
constexpr int steps = 64, groups = 8;

// What a turn ends with: nothing, a barrier of the block, a tile from L2 between two barriers.
enum sync { ALONE, BARRIER, TILE };

// Each of 8 groups of a turn has 2 loads of WIDTH words a lane, whose lanes have WAYS ways of
// conflicts, and FMAS multiply-adds of what they loaded.
template <int WIDTH, int WAYS, int FMAS, sync SYNC>
__global__ void __launch_bounds__(1024) turn(reading *to, const float4 *from, float *sink, int turns)
{
    __shared__ __align__(16) float words[8192];
    unsigned thread = threadIdx.x, lane = thread % 32;
    for (unsigned k = thread; k < 8192; k += blockDim.x)
        words[k] = (float)(k % 7);
    __syncthreads();
    float sums[FMAS < 32 ? FMAS : 32] = {};
    unsigned base = (unsigned)__cvta_generic_to_shared(words) + lane * WIDTH * 4 * WAYS % 4096;
    const float4 *tile = from + (blockIdx.x % 64) * 1024 + thread;
    long long start = clock64();
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
        if (SYNC == TILE) {
            float4 next = __ldcg(tile);
            tile += blockDim.x;
            *(float4 *)&words[4096 + thread * 4] = next;
        }
        if (SYNC != ALONE)
            __syncthreads();
#pragma unroll
        for (int g = 0; g < groups; g++) {
            float value[2][4];
#pragma unroll
            for (int k = 0; k < 2; k++) {
                unsigned at = base + (g * 2 + k) * 512;
                if (WIDTH == 1)
                    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value[k][0]) : "r"(at) : "memory");
                if (WIDTH == 2)
                    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                                 : "=f"(value[k][0]), "=f"(value[k][1])
                                 : "r"(at)
                                 : "memory");
                if (WIDTH == 4)
                    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                                 : "=f"(value[k][0]), "=f"(value[k][1]), "=f"(value[k][2]),
                                   "=f"(value[k][3])
                                 : "r"(at)
                                 : "memory");
            }
#pragma unroll
            for (int n = 0; n < FMAS; n++)
                sums[n % 32] =
                    fmaf(value[0][n % WIDTH], value[1][n / WIDTH % WIDTH], sums[n % 32]);
        }
        if (SYNC == TILE)
            __syncthreads();
    }
    long long end = clock64();
    float sum = 0;
    for (int n = 0; n < (FMAS < 32 ? FMAS : 32); n++)
        sum += sums[n];
    if (sum == 0.5f)
        *sink = sum;
    unsigned number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    if (lane == 0)
        to[(blockIdx.x * blockDim.x + thread) / 32] = {number, blockIdx.x, thread / 32, start, end};
}

static const char *const sync_names[] = {"alone", "barrier", "tile"};

// Cycles of each turn of an SM, and the parts of that time at which its blocks ended.
template <int WIDTH, int WAYS, int FMAS, sync SYNC> static void run(int blocks, int warps)
{
    int sms;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int again = 0; again < 2; again++)
        turn<WIDTH, WAYS, FMAS, SYNC>
            <<<blocks * sms, warps * 32>>>(readings, (const float4 *)data, data, steps);
    CHECK(cudaDeviceSynchronize());
    std::vector<reading> list((size_t)blocks * sms * warps);
    CHECK(cudaMemcpy(list.data(), readings, list.size() * sizeof(reading), cudaMemcpyDeviceToHost));
    long long first = -1, last = 0;
    std::map<unsigned, long long> ends, begins;
    for (const reading &r : list)
        if (r.sm == list[0].sm) {
            first = first < 0 ? r.start : std::min(first, r.start);
            last = std::max(last, r.end);
            ends[r.block] = std::max(ends[r.block], r.end);
        }
    char name[96];
    snprintf(name, sizeof name, "turn.%s.width_%d.ways_%d.fmas_%d.%d_blocks_of_%d", sync_names[SYNC],
             WIDTH, WAYS, FMAS, blocks, warps);
    printf("%s.cycles,0,%.1f\n", name, (double)(last - first) / steps);
    int number = 0;
    for (auto &end : ends)
        printf("%s.end,%d,%.3f\n", name, number++, (double)(end.second - first) / (double)(last - first));
}

template <int WIDTH, int FMAS, sync SYNC> static void run_ways()
{
    run<WIDTH, 1, FMAS, SYNC>(1, 8);
    run<WIDTH, 1, FMAS, SYNC>(2, 8);
    run<WIDTH, 2, FMAS, SYNC>(1, 8);
    run<WIDTH, 2, FMAS, SYNC>(2, 8);
}

int main()
{
    CHECK(cudaMalloc(&readings, 1 << 20));
    CHECK(cudaMalloc(&data, data_bytes));
    CHECK(cudaMemset(data, 0, data_bytes));
    printf("name,parameter,value\n");
    run_ways<1, 4, ALONE>();
    run_ways<1, 16, ALONE>();
    run_ways<2, 16, ALONE>();
    run_ways<4, 4, ALONE>();
    run_ways<4, 16, ALONE>();
    run_ways<4, 32, ALONE>();
    run_ways<4, 64, ALONE>();
    run_ways<4, 16, BARRIER>();
    run_ways<4, 64, BARRIER>();
    run_ways<1, 16, TILE>();
    run_ways<4, 16, TILE>();
    run_ways<4, 64, TILE>();
    run<4, 1, 64, ALONE>(2, 16);
    run<4, 1, 64, TILE>(2, 16);
    run<4, 1, 64, TILE>(4, 8);
    run<1, 1, 16, TILE>(4, 8);
    run<1, 1, 16, TILE>(8, 8);
    CHECK(cudaFree(readings));
    CHECK(cudaFree(data));
    return 0;
}
