// C = A * B of square float matrices in five steps. The last two differ in nothing but how many
// columns a thread takes at a time, and with it in which banks of shared memory a warp meets.
//
// usage: gemm STEP [SIZE]
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t code = (call);                                                        \
        if (code != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code)); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

constexpr int tile = 32;                         // edge of the square blocks of steps 0 to 2
constexpr int block_edge = 128;                  // of C, by a block of steps 3 and 4
constexpr int depth = 8;                         // columns of A and rows of B in shared memory
constexpr int warp_rows = 32, warp_columns = 64; // of C, by a warp

// Threads that follow each other take rows that follow each other: each of them reads another row
// of A, and writes another row of C.
__global__ void gemm_naive(int size, const float *a, const float *b, float *c)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < size; k++)
        sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}

// Threads that follow each other take columns that follow each other.
__global__ void gemm_coalesced(int size, const float *a, const float *b, float *c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < size; k++)
        sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}

// Tiles of A and B are loaded once a block.
__global__ void gemm_shared(int size, const float *a, const float *b, float *c)
{
    __shared__ float tile_a[tile][tile], tile_b[tile][tile];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
    float sum = 0;
    for (int start = 0; start < size; start += tile) {
        tile_a[y][x] = a[row * size + start + x];
        tile_b[y][x] = b[(start + y) * size + column];
        __syncthreads();
        for (int k = 0; k < tile; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * size + column] = sum;
}

// 8 warps make 128 x 128 of C, each 32 x 64 of it; its lanes stand 4 x 8, each has 8 rows and 8
// columns, COLUMNS of them next to each other. With 8 the eight lanes of a row begin 32 bytes apart
// and their 16-byte loads of B meet in the same banks two by two; with 4 they do not.
template <int COLUMNS>
__global__ void __launch_bounds__(256)
    gemm_warp_tile(int size, const float *__restrict__ a, const float *__restrict__ b,
                   float *__restrict__ c)
{
    constexpr int rows = 8, pieces = warp_columns / (8 * COLUMNS);
    __shared__ __align__(16) float tile_a[depth][block_edge], tile_b[depth][block_edge];
    int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    int row = warp / 2 * warp_rows + lane / 8 * rows; // of the thread's corner, in the block
    int column = warp % 2 * warp_columns + lane % 8 * COLUMNS;
    const float *block_a = a + (size_t)blockIdx.y * block_edge * size;
    const float *block_b = b + (size_t)blockIdx.x * block_edge;
    float sum[rows][pieces * COLUMNS] = {};

    for (int start = 0; start < size; start += depth) {
        int from_row = thread / 2, from_column = thread % 2 * 4;
        float4 four = *(const float4 *)&block_a[(size_t)from_row * size + start + from_column];
        tile_a[from_column + 0][from_row] = four.x;
        tile_a[from_column + 1][from_row] = four.y;
        tile_a[from_column + 2][from_row] = four.z;
        tile_a[from_column + 3][from_row] = four.w;
        from_row = thread / 32, from_column = thread % 32 * 4;
        *(float4 *)&tile_b[from_row][from_column] =
            *(const float4 *)&block_b[(size_t)(start + from_row) * size + from_column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < depth; k++) {
            float part_a[rows], part_b[pieces * COLUMNS];
#pragma unroll
            for (int i = 0; i < rows; i += 4)
                *(float4 *)&part_a[i] = *(const float4 *)&tile_a[k][row + i];
#pragma unroll
            for (int piece = 0; piece < pieces; piece++)
#pragma unroll
                for (int j = 0; j < COLUMNS; j += 4)
                    *(float4 *)&part_b[piece * COLUMNS + j] =
                        *(const float4 *)&tile_b[k][column + piece * 8 * COLUMNS + j];
#pragma unroll
            for (int i = 0; i < rows; i++)
#pragma unroll
                for (int j = 0; j < pieces * COLUMNS; j++)
                    sum[i][j] += part_a[i] * part_b[j];
        }
        __syncthreads();
    }
    float *block_c = c + (size_t)blockIdx.y * block_edge * size + (size_t)blockIdx.x * block_edge;
#pragma unroll
    for (int i = 0; i < rows; i++)
#pragma unroll
        for (int piece = 0; piece < pieces; piece++)
#pragma unroll
            for (int j = 0; j < COLUMNS; j++)
                block_c[(size_t)(row + i) * size + column + piece * 8 * COLUMNS + j] =
                    sum[i][piece * COLUMNS + j];
}

struct step {
    const char *what;
    dim3 block;
    int edge; // of C, by a block
    void (*kernel)(int, const float *, const float *, float *);
};

static const struct step steps[] = {
    {"naive", dim3(tile, tile), tile, gemm_naive},
    {"coalesced", dim3(tile, tile), tile, gemm_coalesced},
    {"shared memory", dim3(tile, tile), tile, gemm_shared},
    {"warp tiles, two-way bank conflicts on B", dim3(256), block_edge, gemm_warp_tile<8>},
    {"warp tiles, no bank conflicts on B", dim3(256), block_edge, gemm_warp_tile<4>},
};
constexpr int step_count = sizeof steps / sizeof *steps;

// The elements are small whole numbers, so that every sum is exact. 16 rows are computed again.
static bool is_right(const std::vector<float> &a, const std::vector<float> &b,
                     const std::vector<float> &c, int size)
{
    std::vector<float> wanted(size);
    for (int i = 0; i < 16; i++) {
        size_t row = (size_t)i * (size - 1) / 15;
        wanted.assign(size, 0);
        for (int k = 0; k < size; k++)
            for (int column = 0; column < size; column++)
                wanted[column] += a[row * size + k] * b[(size_t)k * size + column];
        for (int column = 0; column < size; column++) {
            float found = c[row * size + column];
            if (found == wanted[column])
                continue;
            printf("result: wrong, %g instead of %g in row %zu, column %d\n", found, wanted[column],
                   row, column);
            return false;
        }
    }
    printf("result: right\n");
    return true;
}

int main(int count, char **words)
{
    int number = count > 1 ? atoi(words[1]) : -1, size = count > 2 ? atoi(words[2]) : 2048;
    if (number < 0 || number >= step_count || size < 1 || size > 32768 || size % block_edge) {
        fprintf(stderr, "usage: gemm STEP [SIZE]; SIZE is a multiple of 128, default 2048\n");
        for (int i = 0; i < step_count; i++)
            fprintf(stderr, "  %d  %s\n", i, steps[i].what);
        return 2;
    }
    const struct step &step = steps[number];
    size_t elements = (size_t)size * size, bytes = elements * sizeof(float);
    std::vector<float> a(elements), b(elements), c(elements);
    for (size_t i = 0; i < elements; i++) {
        a[i] = (float)((i * 2654435761u >> 9) % 17) - 8;
        b[i] = (float)((i * 2246822519u >> 11) % 13) - 6;
    }

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

    dim3 grid(size / step.edge, size / step.edge);
    step.kernel<<<grid, step.block>>>(size, device_a, device_b, device_c);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
    printf("gemm, step %d: %s, size %d\n", number, step.what, size);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    return is_right(a, b, c, size) ? 0 : 1;
}
