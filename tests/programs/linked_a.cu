// Two files compiled with -rdc=true: variables and kernels across them.
#include <cstdio>

extern __device__ int elsewhere;
int run_other();

__global__ void add(int *out)
{
    out[threadIdx.x] = threadIdx.x + elsewhere;
}

int main()
{
    int *out, got[32];
    cudaMalloc(&out, sizeof got);
    add<<<1, 32>>>(out);
    if (cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) || got[3] != 20)
        return 1;
    if (run_other() != 18)
        return 2;
    printf("ok\n");
    return 0;
}
