// Wrong programs, one for each argument; and `right`, which is not.
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void outside(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = i;
}

__global__ void crooked(char *a)
{
    *(int *)(a + 2) = threadIdx.x;
}

__global__ void sum_unwritten(const int *a, int *out)
{
    atomicAdd(out, a[threadIdx.x]);
}

__global__ void shared_unwritten(int *out)
{
    __shared__ int tile[64];
    if (threadIdx.x < 32)
        tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void reverse(int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = tile[63 - threadIdx.x]; // a barrier is missing before this line
}

__global__ void shift(int *out)
{
    __shared__ int tile[65];
    tile[threadIdx.x] = threadIdx.x;
    tile[64] = 0;
    __syncthreads();
    int next = tile[threadIdx.x + 1];
    tile[threadIdx.x] = next; // and here
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void last_wins(int *out)
{
    __shared__ int winner;
    winner = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = winner;
}

__global__ void diverged(int *out)
{
    if (threadIdx.x % 2)
        __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void early(int *out)
{
    if (threadIdx.x % 32 >= 16)
        return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

__global__ void crossed()
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1;");
    else
        asm volatile("bar.sync 2;");
}

__global__ void odd_count(int count)
{
    asm volatile("bar.sync 1, %0;" ::"r"(count));
}

__global__ void beyond_local(int *out, int i)
{
    int few[4] = {0, 1, 2, 3};
    few[i & 3] = i;
    out[threadIdx.x] = few[i];
}

__global__ void beyond_shared(int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

__device__ __noinline__ int depth(int n, volatile int *out)
{
    int frame[64];
    frame[n % 64] = n;
    *out = frame[0];
    return depth(n + 1, out) + frame[n % 64];
}

__global__ void recurse(int *out)
{
    *out = depth(threadIdx.x, out);
}

__global__ void forever(volatile int *out)
{
    while (*out == 0)
        ;
}

__global__ void make(int **kept, int count)
{
    *kept = (int *)malloc(count * sizeof(int));
    for (int i = 0; i < count; i++)
        (*kept)[i] = i;
}

__global__ void use(int **kept, int *out, int i)
{
    *out = (*kept)[i];
}

__global__ void release(int **kept)
{
    free(*kept);
}

__global__ void read_outside(const int *a, int *out, int n)
{
    int sum = 0;
    for (int i = 0; i <= n; i++)
        sum += a[i];
    *out = sum;
}

__global__ void gives_up()
{
    if (threadIdx.x == 5)
        __trap();
}

// Right: neighbours are read between two barriers, and every word is written first.
__global__ void smooth(const float *in, float *out, int n)
{
    __shared__ float tile[66];
    int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x + 1] = i < n ? in[i] : 0;
    if (threadIdx.x == 0) {
        tile[0] = i > 0 ? in[i - 1] : 0;
        tile[65] = i + 64 < n ? in[i + 64] : 0;
    }
    __syncthreads();
    if (i < n)
        out[i] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    int *a = NULL, *b = NULL;
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 1000);
    if (!strcmp(what, "outside")) {
        outside<<<2, 64>>>(a, 64);
    } else if (!strcmp(what, "read-outside")) {
        cudaMemset(a, 0, 256);
        read_outside<<<1, 1>>>(a, b, 64);
    } else if (!strcmp(what, "trap")) {
        gives_up<<<1, 64>>>();
    } else if (!strcmp(what, "wild")) {
        outside<<<1, 1>>>(a + (1 << 24), 64);
    } else if (!strcmp(what, "freed")) {
        cudaFree(b);
        outside<<<1, 32>>>(b, 64);
    } else if (!strcmp(what, "freed-and-given-out")) {
        cudaFree(a);
        cudaMalloc(&a, 256);
        int *stale = a;
        cudaFree(a);
        cudaMalloc(&a, 256);
        outside<<<1, 1>>>(stale, 64);
    } else if (!strcmp(what, "leak-unlaunched")) {
        cudaFree(b);
        cudaMallocHost(&b, 3000);
        return 0;
    } else if (!strcmp(what, "crooked")) {
        crooked<<<1, 1>>>((char *)a);
    } else if (!strcmp(what, "unwritten")) {
        cudaMemset(b, 0, 4);
        sum_unwritten<<<1, 64>>>(a, b);
    } else if (!strcmp(what, "shared-unwritten")) {
        shared_unwritten<<<1, 64>>>(a);
    } else if (!strcmp(what, "reverse")) {
        reverse<<<1, 64>>>(a);
    } else if (!strcmp(what, "shift")) {
        shift<<<1, 64>>>(a);
    } else if (!strcmp(what, "last-wins")) {
        last_wins<<<1, 64>>>(a);
    } else if (!strcmp(what, "diverged")) {
        diverged<<<1, 64>>>(a);
    } else if (!strcmp(what, "early")) {
        early<<<1, 64>>>(a);
    } else if (!strcmp(what, "crossed")) {
        crossed<<<1, 64>>>();
    } else if (!strcmp(what, "odd-count")) {
        odd_count<<<1, 64>>>(33);
    } else if (!strcmp(what, "beyond-local")) {
        beyond_local<<<1, 1>>>(a, 4);
    } else if (!strcmp(what, "beyond-stack")) {
        beyond_local<<<1, 1>>>(a, 400);
    } else if (!strcmp(what, "beyond-shared")) {
        beyond_shared<<<1, 64, 128>>>(a);
    } else if (!strcmp(what, "recurse")) {
        recurse<<<1, 1>>>(a);
    } else if (!strcmp(what, "forever")) {
        cudaMemset(a, 0, 4);
        forever<<<1, 1>>>(a);
    } else if (!strcmp(what, "heap-overrun")) {
        make<<<1, 1>>>((int **)b, 10);
        use<<<1, 1>>>((int **)b, a, 9);
        use<<<1, 1>>>((int **)b, a, 11);
    } else if (!strcmp(what, "heap-freed")) {
        make<<<1, 1>>>((int **)b, 10);
        release<<<1, 1>>>((int **)b);
        use<<<1, 1>>>((int **)b, a, 9);
    } else if (!strcmp(what, "heap-freed-twice")) {
        make<<<1, 1>>>((int **)b, 10);
        release<<<1, 1>>>((int **)b);
        release<<<1, 1>>>((int **)b);
    } else {
        cudaMemset(a, 0, 256);
        smooth<<<1, 64>>>((const float *)a, (float *)b, 64);
    }
    cudaError_t error = cudaDeviceSynchronize();
    printf("%d %s\n", (int)error, cudaGetErrorName(error));
    if (strcmp(what, "leak")) {
        if (strcmp(what, "freed"))
            cudaFree(b);
        cudaFree(a);
    }
    return 0;
}
