// Kernels of which the advice once said two things at once; each is launched once, or those named.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

constexpr int numbers = 1 << 20;

struct arrays {
    float *a, *b;
    int *i;
};

__device__ int global_index()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// A single block that computes: the other SMs have nothing to do.
__global__ void one_block(arrays x)
{
    float own = x.a[threadIdx.x], sums[4] = {1, 2, 3, 4};
#pragma unroll 8
    for (int k = 0; k < 4096; k++)
#pragma unroll
        for (float &sum : sums)
            sum = sum * own + 1.5f;
    x.b[threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// Each block adds to one word of the whole grid.
__device__ float sum_of_block(float own)
{
    __shared__ float part[8];
    for (int half = 16; half > 0; half /= 2)
        own += __shfl_down_sync(0xffffffff, own, half);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    own = threadIdx.x < 8 ? part[threadIdx.x] : 0;
    for (int half = 4; half > 0; half /= 2)
        own += __shfl_down_sync(0xffffffff, own, half);
    return own;
}
__global__ void sum_by_atomics(arrays x)
{
    float sum = sum_of_block(x.a[global_index()]);
    if (threadIdx.x == 0)
        atomicAdd(x.b, sum);
}
// The same with a word for each block, and with fewer blocks.
__global__ void sum_apart(arrays x)
{
    float sum = sum_of_block(x.a[global_index()]);
    if (threadIdx.x == 0)
        atomicAdd(x.b + 32 * blockIdx.x, sum);
}
__global__ void sum_by_strides(arrays x)
{
    float own = 0;
    for (int i = global_index(); i < numbers; i += gridDim.x * blockDim.x)
        own += x.a[i];
    float sum = sum_of_block(own);
    if (threadIdx.x == 0)
        atomicAdd(x.b, sum);
}

// threadIdx.x is the index that is multiplied with the pitch: rows of 32 threads make it worse.
__global__ void rows_by_x(arrays x)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    x.b[row * 1024 + column] = 2 * x.a[row * 1024 + column];
}

// The conflict lies within a row of float4.
__global__ void conflict_within_row(arrays x)
{
    __shared__ float tile[8][256];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int k = 0; k < 8; k++)
        tile[warp][lane + 32 * k] = x.a[(global_index() + 256 * k) & (numbers - 1)];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k += 4) {
        float4 four = *(const float4 *)&tile[warp][lane * 8 + k];
        sum += four.x + four.y + four.z + four.w;
    }
    x.b[global_index() & (numbers - 1)] = sum;
}

// One source line, four shared loads.
__global__ void conflict_unrolled(arrays x)
{
    __shared__ float tile[32][32];
    int column = threadIdx.x % 32, row = threadIdx.x / 32;
    for (int k = 0; k < 32; k += 8)
        tile[row + k][column] = x.a[(global_index() + k) & (numbers - 1)];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        sum += tile[column][row + k];
    x.b[global_index() & (numbers - 1)] = sum;
}

// Loads that each wait for arithmetic; then only its loads and stores, and only its arithmetic.
template <bool LOADS, bool COMPUTES> __device__ void mixed(arrays x, int turns)
{
    float sum = threadIdx.x, own = threadIdx.x;
#ifdef __clang__ // as the whole one is compiled
#pragma clang loop unroll(disable)
#else
#pragma unroll 1
#endif
    for (int k = 0; k < turns; k++) {
        if (LOADS)
            own = x.a[(global_index() + k * 65536) & (numbers - 1)];
        if (COMPUTES)
#pragma unroll
            for (int step = 0; step < 64; step++)
                sum = sum * own + 1.5f;
        else
            sum += own;
    }
    if (LOADS || sum == 1)
        x.b[global_index() & (numbers - 1)] = sum;
}
__global__ void mixed_whole(arrays x, int turns)
{
    mixed<true, true>(x, turns);
}
__global__ void mixed_memory(arrays x, int turns)
{
    mixed<true, false>(x, turns);
}
__global__ void mixed_arithmetic(arrays x, int turns)
{
    mixed<false, true>(x, turns);
}

// Points around one, many operations; the same with only its loads and stores, and only its arithmetic.
template <bool LOADS, bool COMPUTES> __device__ void stencil(arrays x, int width)
{
    int i = global_index() + width;
    float sum = 0;
#pragma unroll
    for (int k = -3; k <= 3; k++) {
        float value = LOADS ? x.a[(i + k * width) & (numbers - 1)] : k + threadIdx.x;
        if (COMPUTES)
#pragma unroll
            for (int step = 0; step < 24; step++)
                sum = sum * 0.5f + value;
        else
            sum += value;
    }
    if (LOADS || sum == 1)
        x.b[i & (numbers - 1)] = sum;
}
__global__ void stencil_whole(arrays x, int width)
{
    stencil<true, true>(x, width);
}
__global__ void stencil_memory(arrays x, int width)
{
    stencil<true, false>(x, width);
}
__global__ void stencil_arithmetic(arrays x, int width)
{
    stencil<false, true>(x, width);
}

// Reads nothing.
__global__ void no_memory(arrays x)
{
    float sum = threadIdx.x;
#pragma unroll 16
    for (int k = 0; k < 8192; k++)
        sum = sum * 0.5f + 1.5f;
    if (sum == 7)
        x.b[0] = sum;
}

// A copy, as fast as device memory; one by many short blocks; one a float4 a thread.
__global__ void copy(arrays x)
{
    int i = global_index();
    x.b[i] = x.a[i];
}
__global__ void copy_wide(arrays x)
{
    int i = global_index();
    ((float4 *)x.b)[i] = ((const float4 *)x.a)[i];
}

// The last block does most of the work.
__global__ void long_block(arrays x)
{
    float sum = x.a[global_index()];
    int turns = blockIdx.x == gridDim.x - 1 ? 8192 : 64;
    for (int k = 0; k < turns; k++)
        sum = sum * 0.5f + 1.5f;
    x.b[global_index()] = sum;
}

static bool is_chosen(int count, char **words, const char *name)
{
    bool is_named = count == 1;
    for (int i = 1; i < count; i++)
        is_named = is_named || strcmp(words[i], name) == 0;
    return is_named;
}

#define LAUNCH(kernel, grid, block, ...)          \
    if (is_chosen(count, words, #kernel))         \
        kernel<<<grid, block>>>(__VA_ARGS__)

int main(int count, char **words)
{
    arrays x;
    size_t bytes = (numbers + 65536) * sizeof(float);
    bool is_right = cudaMalloc(&x.a, bytes) == cudaSuccess && cudaMalloc(&x.b, bytes) == cudaSuccess &&
                    cudaMalloc(&x.i, bytes) == cudaSuccess && cudaMemset(x.a, 0, bytes) == cudaSuccess &&
                    cudaMemset(x.b, 0, bytes) == cudaSuccess && cudaMemset(x.i, 0, bytes) == cudaSuccess;
    LAUNCH(one_block, 1, 1024, x);
    LAUNCH(sum_by_atomics, 4096, 256, x);
    LAUNCH(sum_apart, 2048, 256, x);
    LAUNCH(sum_by_strides, 528, 256, x);
    LAUNCH(rows_by_x, dim3(64, 64), dim3(16, 16), x);
    LAUNCH(conflict_within_row, 1056, 256, x);
    LAUNCH(conflict_unrolled, 1056, 256, x);
    LAUNCH(mixed_whole, 1056, 256, x, 16);
    LAUNCH(mixed_memory, 1056, 256, x, 16);
    LAUNCH(mixed_arithmetic, 1056, 256, x, 16);
    LAUNCH(stencil_whole, 4096, 256, x, 1024);
    LAUNCH(stencil_memory, 4096, 256, x, 1024);
    LAUNCH(stencil_arithmetic, 4096, 256, x, 1024);
    LAUNCH(no_memory, 1056, 256, x);
    LAUNCH(copy, 4096, 256, x);
    LAUNCH(copy_wide, 1024, 256, x);
    LAUNCH(long_block, 1056, 256, x);
    if (!is_right || cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "cases: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    return 0;
}
