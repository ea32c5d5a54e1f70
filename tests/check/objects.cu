// Barrier objects: `right` runs kernels that use them as they are meant, the others are wrong, one for each argument.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <utility>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

// Two buffers between half of the block that fills them and half that empties them.
__global__ void hand_over(const int *in, int *out, int rounds)
{
    __shared__ int buffer[2][64];
    __shared__ Barrier full[2], empty[2];
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() < 2) {
        init(&full[threadIdx.x], 128);
        init(&empty[threadIdx.x], 128);
    }
    block.sync();
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        int at = i & 1;
        if (threadIdx.x < 64) {
            if (i >= 2)
                empty[at].arrive_and_wait();
            buffer[at][threadIdx.x] = in[i * 64 + threadIdx.x];
            (void)full[at].arrive();
        } else {
            full[at].arrive_and_wait();
            sum += buffer[at][127 - threadIdx.x];
            if (i + 2 < rounds)
                (void)empty[at].arrive();
        }
    }
    if (threadIdx.x >= 64)
        out[threadIdx.x - 64] = sum;
}

// One lane of each warp arrives, and all wait by parity; then the memory is used for something else.
__global__ void one_of_each_warp(int *out)
{
    __shared__ alignas(8) unsigned long long object;
    __shared__ int data[128];
    unsigned at = (unsigned)__cvta_generic_to_shared(&object);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(at));
    __syncthreads();
    data[threadIdx.x] = (int)threadIdx.x;
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory");
    asm volatile("{ .reg .pred p; A%=: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra A%=; }" ::"r"(at)
                 : "memory");
    int value = data[127 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at));
    __syncthreads();
    if (threadIdx.x < 2)
        ((int *)&object)[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = value + ((int *)&object)[threadIdx.x & 1];
}

// Half of the threads leave for good.
__global__ void leave(int *out)
{
    __shared__ Barrier object;
    __shared__ int data[96];
    cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&object, block.size());
    block.sync();
    data[threadIdx.x] = (int)threadIdx.x;
    if (threadIdx.x >= 64) {
        object.arrive_and_drop();
        return;
    }
    object.arrive_and_wait();
    int value = data[95 - threadIdx.x];
    object.arrive_and_wait();
    data[threadIdx.x] = value;
    object.arrive_and_wait();
    out[threadIdx.x] = data[63 - threadIdx.x];
}

// For `extra` threads more than there are, or fewer; or without the block's barrier; or without waiting.
__global__ void meet(int *out, int extra, bool is_early, bool waits)
{
    __shared__ Barrier object;
    __shared__ int data[64];
    if (threadIdx.x == 0)
        init(&object, 64 + extra);
    if (!is_early)
        __syncthreads();
    data[threadIdx.x] = (int)threadIdx.x;
    Barrier::arrival_token token = object.arrive();
    if (waits)
        object.wait(std::move(token));
    out[threadIdx.x] = data[63 - threadIdx.x];
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "right";
    int *in = NULL, *out = NULL;
    cudaMalloc(&in, 64 * 9 * sizeof(int));
    cudaMalloc(&out, 128 * sizeof(int));
    cudaMemset(in, 1, 64 * 9 * sizeof(int));
    if (!strcmp(what, "never")) {
        meet<<<1, 64>>>(out, 1, false, true);
    } else if (!strcmp(what, "few")) {
        meet<<<1, 64>>>(out, -33, false, true);
    } else if (!strcmp(what, "early")) {
        meet<<<1, 64>>>(out, 0, true, true);
    } else if (!strcmp(what, "no-wait")) {
        meet<<<1, 64>>>(out, 0, false, false);
    } else {
        hand_over<<<2, 128>>>(in, out, 9);
        one_of_each_warp<<<1, 128>>>(out);
        leave<<<1, 96>>>(out);
        meet<<<1, 64>>>(out, 0, false, true);
    }
    cudaError_t error = cudaDeviceSynchronize();
    printf("%d %s\n", (int)error, cudaGetErrorName(error));
    return 0;
}
