// Many launches of a tiny kernel, one right after another: what a profiler costs most. Says how long they took, and
// the most memory that the process had. usage: many [LAUNCHES]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

__global__ void tiny(float *numbers, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        numbers[i] = numbers[i] * 1.5f + 1;
}

int main(int count, char **words)
{
    int launches = count > 1 ? atoi(words[1]) : 100000, size = 1 << 14;
    float *numbers;
    if (cudaMalloc(&numbers, size * sizeof(float)) != cudaSuccess)
        return 1;
    cudaMemset(numbers, 0, size * sizeof(float));
    tiny<<<64, 256>>>(numbers, size);
    cudaDeviceSynchronize();
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++)
        tiny<<<64, 256>>>(numbers, size);
    cudaDeviceSynchronize();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%d launches, %.4f s, %.3f us each, %ld MB\n", launches, seconds.count(), seconds.count() / launches * 1e6,
           usage.ru_maxrss / 1024);
}
