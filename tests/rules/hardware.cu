// Kernels for the rules that need what only a real GPU tells: fires_RULE each, and silent_hardware, in which none of
// them must find anything. hardware.csv is what an H200 gave (driver 580, CUDA 13.0), as
//     nvcc -O3 -arch=sm_90 hardware.cu -o hardware
//     warplens profile --collector hw --instruction-counts off --metrics METRICS --page raw --csv ./hardware
// METRICS being the columns of hardware.csv. fires_global_sectors and fires_shared_conflicts are gemm_naive and
// gemm_warp_tile<8> of examples/gemm (512), which `ncu --set full` 2025.3.1 read on an H100.
#include <cstdio>

#include <cuda_runtime.h>

constexpr int steps = 200, blocks = 132;
__constant__ float table[16384];
__device__ float result[1 << 24];

// All schedulers are busy: 64 independent chains of multiply-adds on each.
__global__ void silent_hardware(float factor)
{
    float sums[4] = {1, 2, 3, 4};
    for (int k = 0; k < 4096; k++)
#pragma unroll
        for (float &sum : sums)
            sum = sum * factor + 1.5f;
    result[blockIdx.x * blockDim.x + threadIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// One block works a hundred times as long as the others.
__global__ void fires_imbalance(float factor)
{
    float sum = 1;
    for (int k = 0; k < (blockIdx.x == 0 ? 100 : 1) * 256; k++)
        sum = sum * factor + 1.5f;
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// More code than the instruction caches hold, gone through by one warp a scheduler.
template <int COUNT> __device__ __forceinline__ float unroll(float sum, float factor)
{
    if constexpr (COUNT == 1)
        return sum * factor + factor;
    else
        return unroll<COUNT - COUNT / 2>(unroll<COUNT / 2>(sum, factor), factor + COUNT);
}
__global__ void fires_stall_no_instruction(float factor)
{
    float sum = threadIdx.x;
    for (int k = 0; k < steps / 4; k++)
        sum = unroll<12000>(sum, factor);
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each operand is in another line of the constant cache.
__global__ void fires_stall_imc_miss(float factor)
{
    float sum = threadIdx.x;
    for (int k = 0; k < steps; k++) {
#pragma unroll
        for (int j = 0; j < 512; j++)
            sum = sum * table[j * 32] + factor;
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Warps end at once, but for a store of which each lane goes to another line.
__global__ void fires_stall_drain(float factor)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    result[thread * 1031 & ((1 << 24) - 1)] = factor;
}

__global__ void fires_stall_sleeping(float factor)
{
    for (int k = 0; k < steps; k++)
        __nanosleep(200);
    result[blockIdx.x * blockDim.x + threadIdx.x] = factor;
}

// Operands that are read together are in the same bank of the registers.
__global__ void fires_stall_dispatch_stall(float factor)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
    for (int k = 0; k < 4096; k++) {
        a = b * c + a, d = e * f + d, g = h * a + g, b = c * d + b;
        e = f * g + e, h = a * b + h, c = d * e + c, f = g * h + f;
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d + e + f + g + h;
}

int main()
{
    silent_hardware<<<blocks * 2, 1024>>>(0.5f);
    fires_imbalance<<<blocks, 256>>>(0.5f);
    fires_stall_no_instruction<<<blocks, 128>>>(0.5f);
    fires_stall_imc_miss<<<blocks, 128>>>(0.5f);
    fires_stall_drain<<<blocks * 16, 256>>>(0.5f);
    fires_stall_sleeping<<<blocks, 128>>>(0.5f);
    fires_stall_dispatch_stall<<<blocks * 2, 1024>>>(0.5f);
    cudaError_t code = cudaDeviceSynchronize();
    fprintf(stderr, "hardware: %s\n", cudaGetErrorString(code));
    return code != cudaSuccess;
}
