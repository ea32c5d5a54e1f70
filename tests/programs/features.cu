// What ordinary CUDA programs use, as nvcc compiles it: templates, structs by value, variables of
// every kind, shared memory, atomics, streams, printf, occupancy. Prints "ok" and ends with 0.
#include <cstdio>

struct Terms {
    float slope, offset;
    int extra;
};

__device__ int blocks_done = 5;
__constant__ float table[4] = {1, 2, 3, 4};
__device__ __managed__ int managed = 11;
static __device__ int hidden = 2;

template <int N, typename T> __global__ void line(T *out, Terms terms)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = T(N * terms.slope + terms.offset * i + terms.extra + table[i & 3] + hidden);
}

__global__ void sum(const int *in, int *out, int count)
{
    extern __shared__ int partial[];
    __shared__ int zeros[32];
    int t = threadIdx.x, mine = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x)
        mine += in[i];
    partial[t] = mine;
    if (t < 32)
        zeros[t] = t;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half >>= 1) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) {
        atomicAdd(out, partial[0] + zeros[0]);
        atomicAdd(&blocks_done, 1);
        atomicAdd_system(&managed, 1);
    }
}

__global__ void talk(int number)
{
    if (threadIdx.x == 0)
        printf("device says %d %s %.2f\n", number, "hello", 1.5);
}

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t error = (call);                                                  \
        if (error) {                                                                 \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(error)); \
            return 1;                                                                \
        }                                                                            \
    } while (0)

#define EXPECT(value, expected)                                               \
    do {                                                                      \
        if ((value) != (expected)) {                                          \
            printf("line %d: %s is %g\n", __LINE__, #value, (double)(value)); \
            return 1;                                                         \
        }                                                                     \
    } while (0)

__global__ void fetch(cudaTextureObject_t texture, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}

/* A texture that is said to be longer than its memory, as convolutionFFT2D of NVIDIA's samples has one. */
static int read_long_texture()
{
    int *in, *out, numbers[128], found[128];
    cudaResourceDesc resource = {};
    cudaTextureDesc reading = {};
    cudaTextureObject_t texture;
    for (int i = 0; i < 128; i++)
        numbers[i] = i + 1;
    CHECK(cudaMalloc(&in, 64 * 4));
    CHECK(cudaMalloc(&out, sizeof found));
    CHECK(cudaMemcpy(in, numbers, 64 * 4, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 100 * 4;
    reading.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
    fetch<<<1, 128>>>(texture, out);
    CHECK(cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++)
        EXPECT(found[i], i < 64 ? numbers[i] : 0);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}

int main()
{
    float *line_out, lines[64];
    CHECK(cudaMalloc(&line_out, sizeof lines));
    line<7><<<2, 32>>>(line_out, Terms{2, 3, 4});
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(lines, line_out, sizeof lines, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        EXPECT(lines[i], 7 * 2 + 3 * i + 4 + (i & 3) + 1 + 2);

    int numbers[1000], *in, *out, result;
    for (int i = 0; i < 1000; i++)
        numbers[i] = i;
    cudaStream_t streams[2];
    for (auto &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&in, sizeof numbers, streams[0]));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMemset(out, 0, 4));
    CHECK(cudaMemcpyAsync(in, numbers, sizeof numbers, cudaMemcpyHostToDevice, streams[0]));
    CHECK(cudaStreamSynchronize(streams[0]));
    sum<<<4, 128, 512, streams[1]>>>(in, out, 1000);
    CHECK(cudaStreamSynchronize(streams[1]));
    CHECK(cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost));
    EXPECT(result, 499500);
    CHECK(cudaMemcpyFromSymbol(&result, blocks_done, 4));
    EXPECT(result, 9);
    EXPECT(managed, 15);

    talk<<<1, 32>>>(42);
    CHECK(cudaDeviceSynchronize());
    if (read_long_texture())
        return 1;
    int grid, block;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, sum));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(grid % properties.multiProcessorCount, 0);
    EXPECT(properties.warpSize, 32);
    CHECK(cudaDeviceReset());
    printf("ok\n");
    return 0;
}
