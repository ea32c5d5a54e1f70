/* Launches of a dozen grid sizes of one kernel, round after round: each is new while the instructions of others are
 * counted already. Under a profiler it must end as it does bare.
 *
 * nvcc -arch=sm_90 -o kinds kinds.cu
 * warplens profile --metrics smsp__inst_executed.sum --warp-sampling off --instruction-counts on ./kinds
 * warplens profile --set full ./kinds */
#include <cstdio>

__global__ void index(unsigned *numbers)
{
    numbers[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

int main()
{
    const int blocks_most = 12, rounds = 40, threads = 32;
    unsigned *numbers;
    if (cudaMalloc(&numbers, blocks_most * threads * sizeof *numbers) != cudaSuccess)
        return 1;
    for (int i = 0; i < rounds; i++)
        index<<<1, threads>>>(numbers);
    for (int round = 0; round < 4; round++)
        for (int blocks = 1; blocks <= blocks_most; blocks++) {
            index<<<blocks, threads>>>(numbers);
            cudaDeviceSynchronize();
        }
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", error == cudaSuccess ? "done" : cudaGetErrorString(error));
    return error != cudaSuccess;
}
