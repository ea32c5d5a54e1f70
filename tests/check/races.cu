// Races on global memory, for `--race global`; the cases from "atomics" on are right.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda/atomic>

__device__ int word, flag, data[256], partial[64];
__device__ unsigned count;

__global__ void lockstep(int *x)
{
    for (int i = 0; i < 4; i++)
        x[threadIdx.x % 32] += 1;
}

__global__ void blocks(int *x)
{
    x[threadIdx.x] += 1;
}

__global__ void no_barrier(int *x)
{
    x[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 32)
        x[threadIdx.x + 64] = x[threadIdx.x + 32];
}

__global__ void flag_without_fence(int *x)
{
    if (blockIdx.x == 0) {
        *x = 42;
        atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0)
            ;
        word = *x;
    }
}

__global__ void atomic_and_plain(int *x)
{
    if (blockIdx.x == 0)
        atomicAdd(x, 1);
    else
        *x += 1;
}

__global__ void atomics(int *x)
{
    atomicAdd(&x[threadIdx.x % 32], 1);
}

__global__ void barriers(int *x)
{
    for (int i = 0; i < 8; i++) {
        x[(threadIdx.x + i * 32) % blockDim.x] += 1;
        __syncthreads();
    }
}

__global__ void distinct(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    x[i] += x[i];
}

__global__ void bytes(char *x)
{
    x[blockIdx.x] = (char)(threadIdx.x * 0 + blockIdx.x);
}

__global__ void same_value(int *x)
{
    *x = 1;
}

__global__ void flag_fence(int *x)
{
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 42;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *(volatile int *)&flag = 1;
        }
    } else {
        if (threadIdx.x == 0) {
            while (*(volatile int *)&flag == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        data[threadIdx.x] = x[threadIdx.x];
    }
}

__global__ void flag_acquire(int *x)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 42;
        __syncthreads();
        if (threadIdx.x == 0)
            ready.store(1, cuda::memory_order_release);
    } else {
        if (threadIdx.x == 0)
            while (ready.load(cuda::memory_order_acquire) == 0)
                ;
        __syncthreads();
        data[threadIdx.x] = x[threadIdx.x];
    }
}

__global__ void last_block(int *x)
{
    __shared__ bool is_last;
    partial[blockIdx.x] = blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        x[threadIdx.x] = partial[threadIdx.x];
}

__global__ void grid_sync(int *x)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    x[i] = i;
    grid.sync();
    int other = x[n - 1 - i];
    grid.sync();
    x[i] = other;
}

__global__ void lock(int *x)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&flag, 0, 1) != 0)
            ;
        __threadfence();
        *x += 1;
        __threadfence();
        atomicExch(&flag, 0);
    }
}

// One word of each of more pieces of 4 KiB than are looked at: told, and no race.
__global__ void sparse(int *x)
{
    x[(blockIdx.x * blockDim.x + threadIdx.x) * 1024] = 1;
}

static const struct {
    const char *name;
    void (*kernel)(int *);
    int blocks, threads;
} cases[] = {
    {"lockstep", lockstep, 1, 128},       {"blocks", blocks, 4, 32},
    {"no-barrier", no_barrier, 1, 64},    {"flag-without-fence", flag_without_fence, 2, 1},
    {"atomic-and-plain", atomic_and_plain, 2, 1},
    {"atomics", atomics, 8, 128},         {"barriers", barriers, 1, 256},
    {"distinct", distinct, 8, 128},       {"same-value", same_value, 8, 128},
    {"flag-fence", flag_fence, 2, 128},   {"flag-acquire", flag_acquire, 2, 128},
    {"last-block", last_block, 16, 64},   {"lock", lock, 8, 64},
};

int main(int count_of_words, char **words)
{
    int *x;
    cudaMalloc(&x, 8192);
    cudaMemset(x, 0, 8192);
    for (auto &one : cases)
        if (count_of_words > 1 && strcmp(words[1], one.name) == 0)
            one.kernel<<<one.blocks, one.threads>>>(x);
    if (count_of_words > 1 && strcmp(words[1], "bytes") == 0)
        bytes<<<16, 32>>>((char *)x);
    if (count_of_words > 1 && strcmp(words[1], "grid-sync") == 0) {
        void *arguments[] = {&x};
        cudaLaunchCooperativeKernel((void *)grid_sync, dim3(4), dim3(64), arguments);
    }
    if (count_of_words > 1 && strcmp(words[1], "sparse") == 0) {
        cudaFree(x);
        cudaMalloc(&x, 65 * 128 * 4096);
        sparse<<<65, 128>>>(x);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x);
}
