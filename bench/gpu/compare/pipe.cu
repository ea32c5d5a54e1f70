// What goes through the shared memory pipe besides shared accesses: a kernel for each thing that may. Each runs
// 1024 warps that do it 64 times, so that counters of wavefronts tell what one of it costs.
#include <cstdio>

enum { blocks = 128, threads = 256, times = 64 };

__global__ void nothing(int *out, int never)
{
    if (never)
        out[blockIdx.x] = never;
}

__global__ void thread_x(int *out, int never)
{
    if (threadIdx.x == 12345 + never)
        out[0] = never;
}

__global__ void thread_xy(int *out, int never)
{
    if (threadIdx.x + 2 * threadIdx.y == 12345 + never)
        out[0] = never;
}

__global__ void block_x(int *out, int never)
{
    if (blockIdx.x == 12345 + never)
        out[0] = never;
}

__global__ void shuffles(int *out, int never)
{
    int value = threadIdx.x;
    for (int i = 0; i < times; i++)
        value = __shfl_xor_sync(0xffffffff, value, 1) + 1;
    if (value == 12345)
        out[0] = value;
}

__global__ void half_shuffles(int *out, int never)
{
    int value = threadIdx.x;
    if (threadIdx.x % 32 < 16)
        for (int i = 0; i < times; i++)
            value = __shfl_xor_sync(0xffff, value, 1) + 1;
    if (value == 12345)
        out[0] = value;
}

__global__ void votes(int *out, int never)
{
    int value = never;
    for (int i = 0; i < times; i++)
        value += __ballot_sync(0xffffffff, value == i);
    if (value == 12345)
        out[0] = value;
}

__global__ void barriers(int *out, int never)
{
    for (int i = 0; i < times; i++)
        __syncthreads();
    if (never)
        out[0] = never;
}

// Loads of shared memory by no thread: predicated off.
__global__ void idle_loads(int *out, int never)
{
    __shared__ volatile int numbers[threads];
    int value = 0;
#pragma unroll
    for (int i = 0; i < times; i++)
        if (never == i + 1)
            value += numbers[i];
    if (value == 12345)
        out[0] = value;
}

__global__ void loads(int *out, int never)
{
    __shared__ volatile int numbers[threads];
    int value = never;
#pragma unroll
    for (int i = 0; i < times; i++)
        value += numbers[i];
    if (value == 12345)
        out[0] = value;
}

__global__ void constants(int *out, const __grid_constant__ int4 never)
{
    int value = 0;
    for (int i = 0; i < times; i++)
        value += (&never.x)[(value + i) & 3];
    if (value == 12345)
        out[0] = value;
}

int main()
{
    int *out;
    if (cudaMalloc(&out, 4096) != cudaSuccess)
        return 1;
    void (*const kernels[])(int *, int) = {nothing, thread_x, thread_xy, block_x,    shuffles,
                                           half_shuffles, votes, barriers, idle_loads, loads};
    for (auto kernel : kernels)
        kernel<<<blocks, threads>>>(out, 0);
    constants<<<blocks, threads>>>(out, int4{});
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
