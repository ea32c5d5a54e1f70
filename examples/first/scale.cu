// The first ten minutes: a kernel that is right and slow, and one line that fixes it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scale(float *matrix, float factor)
{
    int column = blockIdx.x, row = threadIdx.x;
    matrix[row * 1024 + column] *= factor;
}

int main()
{
    float *matrix;
    cudaMallocManaged(&matrix, 1024 * 1024 * sizeof *matrix);
    for (int i = 0; i < 1024 * 1024; i++)
        matrix[i] = 1;
    scale<<<1024, 1024>>>(matrix, 2);
    cudaDeviceSynchronize();
    for (int i = 0; i < 1024 * 1024; i++)
        if (matrix[i] != 2)
            return 1;
    printf("right\n");
}
