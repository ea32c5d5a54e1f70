__device__ int elsewhere = 17;

static __global__ void store(int *out)
{
    *out = elsewhere + 1;
}

int run_other()
{
    int *out, got = 0;
    cudaMalloc(&out, 4);
    store<<<1, 1>>>(out);
    cudaMemcpy(&got, out, 4, cudaMemcpyDeviceToHost);
    return got;
}
