// In which order the warps of an SM come to memory: every warp notes when its loads of a step have
// come. A line for each experiment: quantiles of how many steps of other warps lie between two of a
// warp, in units of the warps, and when each quarter of the warps (by age) ends. usage: schedule
#include <algorithm>
#include <cmath>
#include <vector>

#include "common.cuh"

enum { STEPS = 24, BLOCK_WARPS = 4 };

// Each thread walks a row of its own, `advance` bytes a step; lanes are `stride` bytes apart.
template <int LOADS>
__global__ void walk(const char *data, uint64_t stride, uint32_t advance, uint32_t work,
                     uint32_t *stamps, uint32_t *place)
{
    __shared__ uint32_t times[BLOCK_WARPS][STEPS];
    uint32_t warp = threadIdx.x / 32, sum = 0, sm;
    uint64_t row = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
    const char *at = data + row * stride;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    for (int step = 0; step < STEPS; step++) {
        uint32_t value[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            asm volatile("ld.global.ca.u32 %0, [%1];"
                         : "=r"(value[i])
                         : "l"(at + step * advance + i * 8));
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            sum += value[i];
        for (uint32_t i = 0; i < work; i++)
            asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+r"(sum)); // the data are zeros
        times[warp][step] = (uint32_t)clock64() + sum;
    }
    __syncwarp();
    if (threadIdx.x % 32 < STEPS)
        stamps[(blockIdx.x * BLOCK_WARPS + warp) * STEPS + threadIdx.x % 32] =
            times[warp][threadIdx.x % 32];
    if (threadIdx.x == 0)
        place[blockIdx.x] = sm;
}

static char *data;
static const size_t data_bytes = 1u << 30;

template <int LOADS>
static void run(const char *name, uint64_t stride, uint32_t advance, uint32_t work,
                int blocks_per_sm, int sms)
{
    int blocks = blocks_per_sm * sms;
    if (blocks * 128 * stride + STEPS * advance > data_bytes)
        return;
    uint32_t *stamps, *place;
    CHECK(cudaMalloc(&stamps, blocks * BLOCK_WARPS * STEPS * 4));
    CHECK(cudaMalloc(&place, blocks * 4));
    walk<LOADS><<<blocks, BLOCK_WARPS * 32>>>(data, stride, advance, work, stamps, place);
    finish();
    std::vector<uint32_t> host(blocks * BLOCK_WARPS * STEPS), where(blocks);
    CHECK(cudaMemcpy(host.data(), stamps, host.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(where.data(), place, blocks * 4, cudaMemcpyDeviceToHost));
    std::vector<std::pair<uint32_t, int>> order; // time, warp: of block 0's SM
    int warps = 0;
    uint32_t start = ~0u, end = 0;
    std::vector<uint32_t> ends;
    for (int b = 0; b < blocks; b++)
        for (int w = 0; w < BLOCK_WARPS && where[b] == where[0]; w++, warps++) {
            const uint32_t *row = &host[(b * BLOCK_WARPS + w) * STEPS];
            for (int s = 0; s < STEPS; s++)
                order.push_back({row[s] - host[0], warps});
            ends.push_back(row[STEPS - 1] - host[0]);
            start = std::min(start, row[0]);
        }
    std::sort(order.begin(), order.end(),
              [](auto a, auto b) { return (int32_t)a.first < (int32_t)b.first; });
    std::vector<int> last(warps, -1);
    std::vector<double> gaps;
    for (int i = 0; i < (int)order.size(); i++) {
        if (last[order[i].second] >= 0)
            gaps.push_back((double)(i - last[order[i].second]) / warps);
        last[order[i].second] = i;
    }
    std::sort(gaps.begin(), gaps.end());
    end = order.back().first;
    printf("%-10s loads=%d stride=%llu advance=%u work=%u blocks=%d sms=%d warps=%d "
           "cycles/step=%.0f gaps:",
           name, LOADS, (unsigned long long)stride, advance, work, blocks_per_sm, sms, warps,
           (double)end / order.size());
    for (double q : {0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95})
        printf(" %.2f", gaps[(size_t)(q * (gaps.size() - 1))]);
    printf(" ends by age:");
    for (int quarter = 0; quarter < 4; quarter++) {
        double sum = 0;
        for (int i = quarter * warps / 4; i < (quarter + 1) * warps / 4; i++)
            sum += (double)(int32_t)ends[i] / end;
        printf(" %.2f", sum / (warps / 4));
    }
    printf("\n");
    CHECK(cudaFree(stamps));
    CHECK(cudaFree(place));
}

int main()
{
    int sm_count;
    CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMalloc(&data, data_bytes));
    CHECK(cudaMemset(data, 0, data_bytes));
    for (int sms : {1, 132})
        for (int blocks : {4, 8, 16}) {
            if (sms > 1)
                sms = sm_count;
            run<4>("rows", 776, 32, 0, blocks, sms); // 32 lines a load, sectors used by one step
            run<4>("rows", 776, 32, 64, blocks, sms);
            run<8>("rows", 1544, 64, 0, blocks, sms);
            run<1>("rows", 776, 32, 0, blocks, sms);
            run<4>("lines", 4, 4224 * 8, 0, blocks, sms); // contiguous lanes
            run<1>("lines", 4, 4224 * 8, 64, blocks, sms);
            run<4>("sectors", 32, 4224 * 8, 0, blocks, sms);
            run<4>("far", 2056, 128, 0, blocks, sms); // each step new lines from device memory
        }
}
