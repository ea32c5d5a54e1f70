// A Gaussian blur over a square array of floats in seven steps, after the profiling lecture of the
// Oxford CUDA course (I. Reguly). The array has a border of two points on each side, so that edge
// 4100 means 4096 x 4096 points computed. The lecture's loops run from -2 to 1; -DTAPS=5 makes them
// run to 2, the full 5 x 5 filter.
//
// usage: stencil STEP [EDGE]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#ifndef TAPS
#define TAPS 4
#endif

constexpr int border = 2;

__constant__ float filter[5][5];

static const float gaussian[5][5] = {
    {1, 4, 7, 4, 1}, {4, 16, 26, 16, 4}, {7, 26, 41, 26, 7}, {4, 16, 26, 16, 4}, {1, 4, 7, 4, 1}};

#define CHECK(call)                                                                       \
    do {                                                                                  \
        cudaError_t code = (call);                                                        \
        if (code != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code)); \
            exit(1);                                                                      \
        }                                                                                 \
    } while (0)

__global__ void stencil(const float *input, float *output, int edge)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + border;
    int y = blockIdx.y * blockDim.y + threadIdx.y + border;
    if (x >= edge - border || y >= edge - border)
        return;
    float sum = 0;
    for (int i = -2; i < TAPS - 2; i++)
        for (int j = -2; j < TAPS - 2; j++)
            sum += filter[i + 2][j + 2] * input[edge * (y + j) + x + i];
    output[edge * y + x] = sum / 273.0f;
}

// The same through the read-only cache.
__global__ void stencil_read_only(const float *__restrict__ input, float *__restrict__ output,
                                  int edge)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + border;
    int y = blockIdx.y * blockDim.y + threadIdx.y + border;
    if (x >= edge - border || y >= edge - border)
        return;
    float sum = 0;
    for (int i = -2; i < TAPS - 2; i++)
        for (int j = -2; j < TAPS - 2; j++)
            sum += filter[i + 2][j + 2] * __ldg(&input[edge * (y + j) + x + i]);
    output[edge * y + x] = sum / 273.0f;
}

// POINTS neighbours in a row by one thread: what it loaded for one serves the others.
template <int POINTS>
__global__ void stencil_points(const float *__restrict__ input, float *__restrict__ output,
                               int edge)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * POINTS + border;
    int y = blockIdx.y * blockDim.y + threadIdx.y + border;
    if (x >= edge - border || y >= edge - border)
        return;
    float sum[POINTS] = {};
#pragma unroll
    for (int j = -2; j < TAPS - 2; j++) {
        float row[POINTS + TAPS - 1];
#pragma unroll
        for (int i = 0; i < POINTS + TAPS - 1; i++)
            row[i] = __ldg(&input[edge * (y + j) + x + i - 2]);
#pragma unroll
        for (int i = 0; i < TAPS; i++)
#pragma unroll
            for (int point = 0; point < POINTS; point++)
                sum[point] += filter[i][j + 2] * row[point + i];
    }
#pragma unroll
    for (int point = 0; point < POINTS; point++)
        output[edge * y + x + point] = sum[point] / 273.0f;
}

struct step {
    const char *what;
    dim3 block;
    int points;
    void (*kernel)(const float *, float *, int);
};

static const struct step steps[] = {
    {"blocks of 8 x 8", dim3(8, 8), 1, stencil},
    {"blocks of 8 x 8, to be compiled with -Xptxas -dlcm=ca", dim3(8, 8), 1, stencil},
    {"blocks of 32 x 2", dim3(32, 2), 1, stencil},
    {"blocks of 32 x 4", dim3(32, 4), 1, stencil},
    {"read-only cache", dim3(32, 4), 1, stencil_read_only},
    {"2 points a thread", dim3(32, 4), 2, stencil_points<2>},
    {"4 points a thread", dim3(32, 4), 4, stencil_points<4>},
};
constexpr int step_count = sizeof steps / sizeof *steps;

static float expected(const std::vector<float> &input, int edge, int x, int y)
{
    double sum = 0;
    for (int i = -2; i < TAPS - 2; i++)
        for (int j = -2; j < TAPS - 2; j++)
            sum += (double)gaussian[i + 2][j + 2] * input[(size_t)edge * (y + j) + x + i];
    return (float)(sum / 273.0);
}

// About a million points at most are computed again.
static bool is_right(const std::vector<float> &input, const std::vector<float> &output, int edge)
{
    int row_step = 1 + (int)((size_t)edge * edge >> 20);
    for (int y = border; y < edge - border; y += row_step)
        for (int x = border; x < edge - border; x++) {
            float found = output[(size_t)edge * y + x], wanted = expected(input, edge, x, y);
            if (std::fabs(found - wanted) <= 1e-5f)
                continue;
            printf("result: wrong, %g instead of %g at x %d, y %d\n", found, wanted, x, y);
            return false;
        }
    printf("result: right\n");
    return true;
}

int main(int count, char **words)
{
    int number = count > 1 ? atoi(words[1]) : -1, edge = count > 2 ? atoi(words[2]) : 4100;
    if (number < 0 || number >= step_count || edge < 8 || edge > 40000 || edge % 4) {
        fprintf(stderr, "usage: stencil STEP [EDGE]; EDGE is a multiple of 4, default 4100\n");
        for (int i = 0; i < step_count; i++)
            fprintf(stderr, "  %d  %s\n", i, steps[i].what);
        return 2;
    }
    const struct step &step = steps[number];
    size_t points = (size_t)edge * edge, bytes = points * sizeof(float);
    std::vector<float> input(points), output(points);
    for (size_t i = 0; i < points; i++)
        input[i] = (float)((i * 2654435761u >> 8) % 1000) / 1000;

    float *device_input, *device_output;
    CHECK(cudaMalloc(&device_input, bytes));
    CHECK(cudaMalloc(&device_output, bytes));
    CHECK(cudaMemcpyToSymbol(filter, gaussian, sizeof gaussian));
    CHECK(cudaMemcpy(device_input, input.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_output, 0, bytes));

    int inner = edge - 2 * border, width = inner / step.points;
    dim3 grid((width + step.block.x - 1) / step.block.x, (inner + step.block.y - 1) / step.block.y);
    step.kernel<<<grid, step.block>>>(device_input, device_output, edge);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(output.data(), device_output, bytes, cudaMemcpyDeviceToHost));
    printf("stencil, step %d: %s, array of %d x %d\n", number, step.what, edge, edge);
    CHECK(cudaFree(device_input));
    CHECK(cudaFree(device_output));
    return is_right(input, output, edge) ? 0 : 1;
}
