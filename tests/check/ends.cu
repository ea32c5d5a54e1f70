// Programs whose end is wrong: memory that is left, kernels that never end.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

__global__ void keep(int **slots)
{
    int *mine = new int[4];
    mine[0] = (int)threadIdx.x;
    slots[threadIdx.x] = mine;
}

__global__ void wait_for(const volatile int *flag)
{
    if (threadIdx.x >= 64)
        __syncthreads();
    else
        while (!*flag)
            ;
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "right";
    int *memory = NULL;
    if (!strcmp(what, "descriptors")) {
        const struct rlimit three = {3, 3}; // nothing can be opened any more
        setrlimit(RLIMIT_NOFILE, &three);
    }
    cudaMalloc(&memory, 256);
    cudaMemset(memory, 0, 256);
    if (!strcmp(what, "reset")) {
        cudaDeviceReset();
    } else if (!strcmp(what, "descriptors")) {
        cudaMemset(memory, 0, 300);
        cudaFree(memory);
    } else if (!strcmp(what, "heap")) {
        keep<<<1, 8>>>((int **)memory);
        cudaFree(memory);
    } else if (!strcmp(what, "killed")) {
        const struct rlimit seconds = {3, 3}; // of a processor: SIGKILL, however busy the machine is
        setrlimit(RLIMIT_CPU, &seconds);
        wait_for<<<1, 96>>>(memory);
        cudaDeviceSynchronize();
    } else {
        cudaFree(memory);
    }
    return 0;
}
