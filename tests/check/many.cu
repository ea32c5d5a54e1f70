/* One launch with errors at more instructions than are listed: 70 stores behind an allocation. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <int N> __device__ __forceinline__ void store(volatile int *a)
{
    a[N] = N;
    store<N - 1>(a);
}

template <> __device__ __forceinline__ void store<-1>(volatile int *)
{
}

__global__ void many(int *behind)
{
    store<69>(behind);
}

int main(int count_of_words, char **words)
{
    int *a;
    cudaMalloc(&a, 256);
    int launches = count_of_words > 1 ? atoi(words[1]) : 1;
    for (int i = 0; i < launches; i++)
        many<<<1, 2>>>(a + 64);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(a);
    return 0;
}
