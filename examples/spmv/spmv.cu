// y = A * x with a sparse matrix in CSR format: the 27-point operator on a cube of EDGE^3 points.
// The four steps map threads to rows in different ways, after an OpenACC course's: what was said
// there with vector and worker clauses is said here with blocks and warps.
//
// usage: spmv STEP [EDGE]
#include <cmath>
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

struct matrix { // in device memory
    int rows;
    const int *starts; // of the rows' entries, and of what is behind the last
    const int *columns;
    const double *values;
};

__global__ void spmv_thread_per_row(matrix a, const double *__restrict__ x, double *__restrict__ y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows)
        return;
    double sum = 0;
    for (int k = a.starts[row]; k < a.starts[row + 1]; k++)
        sum += a.values[k] * x[a.columns[k]];
    y[row] = sum;
}

// A row has at most 27 entries: 101 of the 128 threads have nothing to do but to take part in the
// reduction.
__global__ void spmv_block_per_row(matrix a, const double *__restrict__ x, double *__restrict__ y)
{
    __shared__ double partial[128];
    int row = blockIdx.x, thread = threadIdx.x;
    double sum = 0;
    for (int k = a.starts[row] + thread; k < a.starts[row + 1]; k += blockDim.x)
        sum += a.values[k] * x[a.columns[k]];
    partial[thread] = sum;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half)
            partial[thread] += partial[thread + half];
    }
    if (thread == 0)
        y[row] = partial[0];
}

// blockDim.y warps a block, each with a row.
__global__ void spmv_warp_per_row(matrix a, const double *__restrict__ x, double *__restrict__ y)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= a.rows)
        return;
    double sum = 0;
    for (int k = a.starts[row] + threadIdx.x; k < a.starts[row + 1]; k += 32)
        sum += a.values[k] * x[a.columns[k]];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x == 0)
        y[row] = sum;
}

struct step {
    const char *what;
    dim3 block;
    int rows; // a block
    void (*kernel)(matrix, const double *, double *);
};

static const struct step steps[] = {
    {"a thread per row", dim3(128), 128, spmv_thread_per_row},
    {"128 threads per row", dim3(128), 1, spmv_block_per_row},
    {"a warp per row", dim3(32, 1), 1, spmv_warp_per_row},
    {"a warp per row, four warps a block", dim3(32, 4), 4, spmv_warp_per_row},
};
constexpr int step_count = sizeof steps / sizeof *steps;

struct host_matrix {
    std::vector<int> starts, columns;
    std::vector<double> values;
};

static void add_row(host_matrix &a, int edge, int x, int y, int z)
{
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int other_x = x + dx, other_y = y + dy, other_z = z + dz;
                if (other_x < 0 || other_y < 0 || other_z < 0 || other_x >= edge ||
                    other_y >= edge || other_z >= edge)
                    continue;
                a.columns.push_back((other_z * edge + other_y) * edge + other_x);
                a.values.push_back(dx || dy || dz ? -1.0 : 27.0);
            }
    a.starts.push_back((int)a.columns.size());
}

static host_matrix make_matrix(int edge)
{
    host_matrix a;
    size_t most = (size_t)edge * edge * edge * 27;
    a.columns.reserve(most);
    a.values.reserve(most);
    a.starts.push_back(0);
    for (int z = 0; z < edge; z++)
        for (int y = 0; y < edge; y++)
            for (int x = 0; x < edge; x++)
                add_row(a, edge, x, y, z);
    return a;
}

// About a million rows at most are computed again.
static bool is_right(const host_matrix &a, const std::vector<double> &x,
                     const std::vector<double> &y)
{
    size_t rows = x.size(), row_step = 1 + (rows >> 20);
    for (size_t row = 0; row < rows; row += row_step) {
        double wanted = 0;
        for (int k = a.starts[row]; k < a.starts[row + 1]; k++)
            wanted += a.values[k] * x[a.columns[k]];
        if (std::fabs(y[row] - wanted) <= 1e-9)
            continue;
        printf("result: wrong, %g instead of %g in row %zu\n", y[row], wanted, row);
        return false;
    }
    printf("result: right\n");
    return true;
}

template <typename T> static T *copy_to_device(const std::vector<T> &values)
{
    T *address;
    CHECK(cudaMalloc(&address, values.size() * sizeof(T)));
    CHECK(cudaMemcpy(address, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return address;
}

int main(int count, char **words)
{
    int number = count > 1 ? atoi(words[1]) : -1, edge = count > 2 ? atoi(words[2]) : 201;
    if (number < 0 || number >= step_count || edge < 1 || edge > 400) {
        fprintf(stderr, "usage: spmv STEP [EDGE]; EDGE is 1 to 400, default 201\n");
        for (int i = 0; i < step_count; i++)
            fprintf(stderr, "  %d  %s\n", i, steps[i].what);
        return 2;
    }
    const struct step &step = steps[number];
    host_matrix a = make_matrix(edge);
    int rows = (int)a.starts.size() - 1;
    std::vector<double> x(rows), y(rows);
    for (int i = 0; i < rows; i++)
        x[i] = 1 + i % 7;

    int *starts = copy_to_device(a.starts), *columns = copy_to_device(a.columns);
    double *values = copy_to_device(a.values), *device_x = copy_to_device(x);
    double *device_y = copy_to_device(y);
    matrix device_a = {rows, starts, columns, values};
    step.kernel<<<(rows + step.rows - 1) / step.rows, step.block>>>(device_a, device_x, device_y);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), device_y, rows * sizeof(double), cudaMemcpyDeviceToHost));
    printf("spmv, step %d: %s, %d rows, %zu entries\n", number, step.what, rows, a.columns.size());
    CHECK(cudaFree(starts));
    CHECK(cudaFree(columns));
    CHECK(cudaFree(values));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));
    return is_right(a, x, y) ? 0 : 1;
}
