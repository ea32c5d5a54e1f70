// Many sets of 1024 vectors: the vectors of a set are averaged, element by element, and the average
// is multiplied by a matrix that all sets share. Five steps, after NVIDIA's three articles on
// analysis-driven optimisation.
//
// usage: averaging STEP [SETS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

constexpr int size = 1024; // vectors of a set, elements of a vector, threads of a block

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t code = (call);                                                        \
        if (code != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code)); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

// 1 or 2, in no visible order. The CPU reference generates its numbers again instead of keeping them.
__host__ __device__ inline float number_at(size_t index, unsigned seed)
{
    unsigned hash = (unsigned)(index * 2654435761u) ^ seed;
    hash ^= hash >> 13;
    hash *= 0x5bd1e995u;
    hash ^= hash >> 15;
    return (float)((hash & 1) + 1);
}
constexpr unsigned vectors_seed = 1, matrix_seed = 7;

__global__ void fill(float *numbers, size_t count, unsigned seed)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += step)
        numbers[i] = number_at(i, seed);
}

// The products of the block's averages with a matrix row, summed up in shared memory, row by row.
__device__ void multiply(float average, const float *matrix, float *output, int set, int sets,
                         float *products)
{
    int thread = threadIdx.y * blockDim.x + threadIdx.x;
    for (int row = 0; row < size; row++) {
        __syncthreads();
        products[thread] = average * matrix[row * size + thread];
        for (int half = size / 2; half > 0; half /= 2) {
            __syncthreads();
            if (thread < half)
                products[thread] += products[thread + half];
        }
        if (thread == 0)
            output[set + row * sets] = products[0];
    }
}

// One block does it all, each thread one element: neighbours read addresses 4 KiB apart.
__global__ void average_one_block(const float *__restrict__ input, float *__restrict__ output,
                                  const float *__restrict__ matrix, int sets)
{
    __shared__ float products[size];
    for (int set = 0; set < sets; set++) {
        float sum = 0;
        for (int i = 0; i < size; i++)
            sum += input[(size_t)set * size * size + threadIdx.x * size + i];
        multiply(sum / size, matrix, output, set, sets, products);
    }
}

// The same with a block per set.
__global__ void average_block_per_set(const float *__restrict__ input, float *__restrict__ output,
                                      const float *__restrict__ matrix, int sets)
{
    __shared__ float products[size];
    int set = blockIdx.x;
    float sum = 0;
    for (int i = 0; i < size; i++)
        sum += input[(size_t)set * size * size + threadIdx.x * size + i];
    multiply(sum / size, matrix, output, set, sets, products);
}

__device__ inline float sum_of_warp(float value)
{
    for (int half = 16; half > 0; half /= 2)
        value += __shfl_down_sync(0xffffffff, value, half);
    return value;
}

// A warp takes one element of all vectors after another, so that its lanes read neighbours.
__device__ void average_by_warps(const float *input, float *averages, int set)
{
    for (int element = threadIdx.y; element < size; element += blockDim.y) {
        float sum = 0;
        for (int i = threadIdx.x; i < size; i += 32)
            sum += input[(size_t)set * size * size + element * size + i];
        sum = sum_of_warp(sum);
        if (threadIdx.x == 0)
            averages[element] = sum / size;
    }
}

__global__ void average_warp_stride(const float *__restrict__ input, float *__restrict__ output,
                                    const float *__restrict__ matrix, int sets)
{
    __shared__ float products[size];
    int set = blockIdx.x, thread = threadIdx.y * 32 + threadIdx.x;
    average_by_warps(input, products, set);
    __syncthreads();
    multiply(products[thread], matrix, output, set, sets, products);
}

// The sums of the matrix rows by shuffles, too: shared memory only holds one number a warp.
__global__ void average_warp_shuffle(const float *__restrict__ input, float *__restrict__ output,
                                     const float *__restrict__ matrix, int sets)
{
    __shared__ float sums[size];
    int set = blockIdx.x, lane = threadIdx.x, warp = threadIdx.y, thread = warp * 32 + lane;
    average_by_warps(input, sums, set);
    __syncthreads();
    float average = sums[thread];
    __syncthreads();
    for (int row = 0; row < size; row++) {
        float sum = sum_of_warp(average * matrix[row * size + thread]);
        if (lane == 0)
            sums[warp] = sum;
        __syncthreads();
        if (warp == 0)
            sum = sum_of_warp(sums[lane]);
        __syncthreads();
        if (thread == 0)
            output[set + row * sets] = sum;
    }
}

// Averages only; cuBLAS multiplies them all at once.
__global__ void average_only(const float *__restrict__ input, float *__restrict__ averages,
                             int sets)
{
    int set = blockIdx.x;
    for (int element = threadIdx.y; element < size; element += blockDim.y) {
        float sum = 0;
        for (int i = threadIdx.x; i < size; i += 32)
            sum += input[(size_t)set * size * size + element * size + i];
        sum = sum_of_warp(sum);
        if (threadIdx.x == 0)
            averages[set + element * sets] = sum / size;
    }
}

struct buffers {
    float *input, *matrix, *output, *averages;
};

static void average_and_multiply(const buffers &buffers, int sets)
{
    cublasHandle_t handle;
    float one = 1, zero = 0;
    average_only<<<sets, dim3(32, 32)>>>(buffers.input, buffers.averages, sets);
    CHECK(cudaGetLastError());
    bool is_done = cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS &&
                   cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, sets, size, size, &one,
                               buffers.averages, sets, buffers.matrix, size, &zero, buffers.output,
                               sets) == CUBLAS_STATUS_SUCCESS &&
                   cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS;
    if (!is_done) {
        fprintf(stderr, "cuBLAS failed\n");
        exit(1);
    }
}

static const char *const steps[] = {"one block", "a block per set", "warp-stride loop",
                                    "warp shuffle", "averaging kernel and SGEMM"};
constexpr int step_count = sizeof steps / sizeof *steps;

static void run(int step, const buffers &buffers, int sets)
{
    const float *input = buffers.input, *matrix = buffers.matrix;
    switch (step) {
    case 0:
        average_one_block<<<1, size>>>(input, buffers.output, matrix, sets);
        break;
    case 1:
        average_block_per_set<<<sets, size>>>(input, buffers.output, matrix, sets);
        break;
    case 2:
        average_warp_stride<<<sets, dim3(32, 32)>>>(input, buffers.output, matrix, sets);
        break;
    case 3:
        average_warp_shuffle<<<sets, dim3(32, 32)>>>(input, buffers.output, matrix, sets);
        break;
    case 4:
        average_and_multiply(buffers, sets);
        break;
    }
    CHECK(cudaGetLastError());
}

// The first, the last and up to 14 sets between are computed again.
static bool is_right(const std::vector<float> &output, int sets)
{
    int checked = sets < 16 ? sets : 16;
    for (int i = 0; i < checked; i++) {
        size_t set = checked > 1 ? (size_t)i * (sets - 1) / (checked - 1) : 0;
        std::vector<double> averages(size);
        for (size_t element = 0; element < size; element++) {
            for (size_t vector = 0; vector < size; vector++)
                averages[element] +=
                    number_at((set * size + element) * size + vector, vectors_seed);
            averages[element] /= size;
        }
        for (size_t row = 0; row < size; row++) {
            double wanted = 0;
            for (size_t element = 0; element < size; element++)
                wanted += averages[element] * number_at(row * size + element, matrix_seed);
            float found = output[set + row * sets];
            if (std::fabs(found - wanted) <= 1e-5 * wanted)
                continue;
            printf("result: wrong, %g instead of %g in set %zu, row %zu\n", found, wanted, set,
                   row);
            return false;
        }
    }
    printf("result: right\n");
    return true;
}

int main(int count, char **words)
{
    int number = count > 1 ? atoi(words[1]) : -1, sets = count > 2 ? atoi(words[2]) : 1024;
    if (number < 0 || number >= step_count || sets < 1 || sets > 16384) {
        fprintf(stderr, "usage: averaging STEP [SETS]; SETS is 1 to 16384, default 1024\n");
        for (int i = 0; i < step_count; i++)
            fprintf(stderr, "  %d  %s\n", i, steps[i]);
        return 2;
    }
    size_t numbers = (size_t)sets * size * size, results = (size_t)sets * size;
    buffers buffers;
    CHECK(cudaMalloc(&buffers.input, numbers * sizeof(float)));
    CHECK(cudaMalloc(&buffers.matrix, (size_t)size * size * sizeof(float)));
    CHECK(cudaMalloc(&buffers.output, results * sizeof(float)));
    CHECK(cudaMalloc(&buffers.averages, results * sizeof(float)));
    fill<<<1024, 256>>>(buffers.input, numbers, vectors_seed);
    fill<<<1024, 256>>>(buffers.matrix, (size_t)size * size, matrix_seed);
    CHECK(cudaGetLastError());
    run(number, buffers, sets);
    std::vector<float> output(results);
    CHECK(
        cudaMemcpy(output.data(), buffers.output, results * sizeof(float), cudaMemcpyDeviceToHost));
    printf("averaging, step %d: %s, %d sets\n", number, steps[number], sets);
    CHECK(cudaFree(buffers.input));
    CHECK(cudaFree(buffers.matrix));
    CHECK(cudaFree(buffers.output));
    CHECK(cudaFree(buffers.averages));
    return is_right(output, sets) ? 0 : 1;
}
