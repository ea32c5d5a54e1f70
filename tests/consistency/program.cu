// program MODE: what holds a program back as a whole, each with little to do; RANK in the environment does as much more.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

constexpr int numbers = 1 << 16;

__global__ void step(float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i] * 0.99f + 0.1f;
}

static void launches(float *device, float *, int times)
{
    for (int k = 0; k < 150 * times; k++)
        step<<<numbers / 256, 256>>>(device);
}
static void copies(float *device, float *host, int times)
{
    for (int k = 0; k < 150 * times; k++)
        cudaMemcpy(device + k, host + k, sizeof(float), cudaMemcpyHostToDevice);
}
static void pageable(float *device, float *host, int times)
{
    for (int k = 0; k < 8 * times; k++) {
        cudaMemcpy(device, host, numbers * sizeof(float), cudaMemcpyHostToDevice);
        step<<<numbers / 256, 256>>>(device);
    }
}
static void waits(float *device, float *, int times)
{
    for (int k = 0; k < 30 * times; k++) {
        step<<<numbers / 256, 256>>>(device);
        cudaDeviceSynchronize();
    }
}
static void allocations(float *, float *, int times)
{
    for (int k = 0; k < 20 * times; k++) {
        float *own;
        cudaMalloc(&own, numbers * sizeof(float));
        step<<<numbers / 256, 256>>>(own);
        cudaFree(own);
    }
}

static const struct {
    const char *name;
    void (*run)(float *device, float *host, int times);
} modes[] = {{"launches", launches}, {"copies", copies}, {"pageable", pageable}, {"waits", waits}, {"allocations", allocations}};

int main(int count, char **words)
{
    const char *rank = getenv("RANK");
    float *device, *host = static_cast<float *>(calloc(numbers, sizeof(float)));
    bool is_right = host && cudaMalloc(&device, numbers * sizeof(float)) == cudaSuccess;
    for (const auto &mode : modes)
        if (is_right && count > 1 && strcmp(mode.name, words[1]) == 0)
            mode.run(device, host, rank ? 1 + atoi(rank) : 1);
    if (!is_right || cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "program: %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    free(host);
    return 0;
}
