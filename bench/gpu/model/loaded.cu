// How latency grows with load: warps on all SMs that each wait for LOADS lines at a time, from L2
// and from device memory. Prints name,warps of an SM x lines at a time,cycles a round,bytes a cycle
// of all SMs.
//
// usage: nvcc -O2 -std=c++17 -arch=sm_90 -o loaded loaded.cu && ./loaded >READINGS.csv
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include "check.h"

// Each warp goes through lines of its own, a number of lines that all share apart; `.cg` leaves L1
// out.
template <int LOADS>
__global__ void load(long long *cycles, const unsigned *from, unsigned *sink, size_t lines,
                     int rounds)
{
    unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    unsigned warps = gridDim.x * (blockDim.x / 32), result = 0;
    size_t line = (size_t)warp * LOADS;
    __syncthreads();
    long long start = clock64();
    for (int round = 0; round < rounds; round++) {
        unsigned value[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(value[k])
                         : "l"(from + (line + k) * 32 + lane));
        line += (size_t)warps * LOADS;
        line = line + LOADS > lines ? (size_t)warp * LOADS : line;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            result ^= value[k];
        line += result; // zero: the next round waits for this one
    }
    long long end = clock64();
    if (result == 0x12345678)
        *sink = result;
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - start;
}

static long long *cycles;
static unsigned *data;

template <int LOADS> static void run(const char *name, size_t bytes, int warps, int sms)
{
    const int rounds = 64;
    for (int turn = 0; turn < 2; turn++)
        load<LOADS><<<sms, warps * 32>>>(cycles, data, data, bytes / 128, rounds);
    CHECK(cudaDeviceSynchronize());
    std::vector<long long> list(sms);
    CHECK(cudaMemcpy(list.data(), cycles, sms * sizeof list[0], cudaMemcpyDeviceToHost));
    double mean = 0;
    for (long long one : list)
        mean += (double)one / sms / rounds;
    printf("%s.%d_sms,%d x %d,%.0f,%.0f\n", name, sms, warps, LOADS, mean,
           (double)sms * warps * LOADS * 128 / mean);
}

template <int LOADS> static void run_all(const char *name, size_t bytes, int sms)
{
    for (int warps : {1, 2, 4, 8, 16, 24, 32})
        run<LOADS>(name, bytes, warps, sms);
}

int main()
{
    const size_t bytes = (size_t)4 << 30;
    CHECK(cudaMalloc(&cycles, 4096 * sizeof *cycles));
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemset(data, 0, bytes));
    printf("name,warps x lines,cycles,bytes_per_cycle\n");
    for (int sms : {1, 132}) {
        run_all<1>("l2", (size_t)16 << 20, sms);
        run_all<2>("l2", (size_t)16 << 20, sms);
        run_all<4>("l2", (size_t)16 << 20, sms);
        run_all<1>("device", bytes, sms);
        run_all<2>("device", bytes, sms);
        run_all<4>("device", bytes, sms);
        run_all<8>("device", bytes, sms);
    }
    return 0;
}
