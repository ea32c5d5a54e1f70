// Calls the runtime from plain C++.
#include "kernel.h"
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

int main()
{
    std::vector<int> values = {1, 2, 3, 4};
    int *device = allocate(4);
    cudaMemcpy(device, values.data(), 16, cudaMemcpyHostToDevice);
    scale_on_device(device, 4);
    cudaMemcpy(values.data(), device, 16, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
    return cudaFree(device) != cudaSuccess;
}
