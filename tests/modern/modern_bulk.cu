/* Copies in bulk: runs of bytes and boxes of tensors through the tensor memory accelerator. A line
 * for each case: what it gave, beside what the host computed. See README.md. */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                    \
    do {                                                               \
        cudaError_t code = (call);                                     \
        if (code != cudaSuccess) {                                     \
            printf("failed: %s, %s\n", #call, cudaGetErrorName(code)); \
            exit(1);                                                   \
        }                                                              \
    } while (0)

static decltype(&cuTensorMapEncodeTiled) encode_tiled;

template <typename T> static T *device_array(size_t count)
{
    T *array;
    CHECK(cudaMalloc(&array, count * sizeof(T)));
    CHECK(cudaMemset(array, 0, count * sizeof(T)));
    return array;
}

template <typename T> static std::vector<T> to_host(const T *array, size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), array, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

/* ---- instructions ---- */

static __device__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}
static __device__ void init_barrier(uint64_t *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
static __device__ void expect_bytes(uint64_t *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
static __device__ void wait_for(uint64_t *barrier, unsigned parity)
{
    unsigned is_done = 0;
    while (!is_done)
        asm volatile("{.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;}" : "=r"(is_done) : "r"(shared_address(barrier)), "r"(parity) : "memory");
}
static __device__ void load_bytes(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier)) : "memory");
}
static __device__ void store_bytes(void *to, const void *from, unsigned bytes)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}

/* ---- a pipeline of runs of bytes: y = a x + y ---- */

constexpr int TILE = 1024, STAGES = 3;

__global__ void pipeline(float a, const float *x, float *y, int tiles)
{
    __shared__ alignas(128) float stage_x[STAGES][TILE], stage_y[STAGES][TILE];
    __shared__ alignas(8) uint64_t full[STAGES];
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++)
            init_barrier(&full[i], 1);
    __syncthreads();
    auto fetch = [&](int tile) {
        const int stage = tile / gridDim.x % STAGES;
        expect_bytes(&full[stage], 2 * TILE * sizeof(float));
        load_bytes(stage_x[stage], x + (size_t)tile * TILE, TILE * sizeof(float), &full[stage]);
        load_bytes(stage_y[stage], y + (size_t)tile * TILE, TILE * sizeof(float), &full[stage]);
    };
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES - 1; i++)
            if (blockIdx.x + i * gridDim.x < tiles)
                fetch(blockIdx.x + i * gridDim.x);
    int round = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x, round++) {
        const int stage = round % STAGES, ahead = tile + (STAGES - 1) * gridDim.x;
        if (threadIdx.x == 0 && ahead < tiles)
            fetch(ahead);
        wait_for(&full[stage], round / STAGES & 1);
        for (int i = threadIdx.x; i < TILE; i += blockDim.x)
            stage_y[stage][i] += a * stage_x[stage][i];
        __syncthreads();
        if (threadIdx.x == 0)
            store_bytes(y + (size_t)tile * TILE, stage_y[stage], TILE * sizeof(float));
        __syncthreads();
    }
}

static void show_pipeline()
{
    const int tiles = 300, count = tiles * TILE;
    std::vector<float> x(count), y(count);
    for (int i = 0; i < count; i++)
        x[i] = (float)(i % 1013), y[i] = (float)(i % 29);
    float *dx = device_array<float>(count), *dy = device_array<float>(count);
    CHECK(cudaMemcpy(dx, x.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    pipeline<<<40, 128>>>(3, dx, dy, tiles);
    CHECK(cudaDeviceSynchronize());
    std::vector<float> got = to_host(dy, count);
    int wrong = 0;
    for (int i = 0; i < count; i++)
        wrong += got[i] != y[i] + 3 * x[i];
    printf("pipeline: %d of %d differ\n", wrong, count);
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

/* ---- to other blocks of the cluster ---- */

__global__ void __cluster_dims__(2, 1, 1) to_peer(const int *in, int *out)
{
    __shared__ alignas(128) int mine[256], theirs[256];
    __shared__ alignas(8) uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = in[blockIdx.x * 256 + i];
    if (threadIdx.x == 0) {
        init_barrier(&barrier, 1);
        expect_bytes(&barrier, sizeof theirs);
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned there, object;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(theirs)), "r"(cluster.block_rank() ^ 1));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(object) : "r"(shared_address(&barrier)), "r"(cluster.block_rank() ^ 1));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(there), "r"(shared_address(mine)), "r"((unsigned)sizeof mine), "r"(object) : "memory");
    }
    wait_for(&barrier, 0);
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        out[blockIdx.x * 256 + i] = theirs[i];
    cluster.sync();
}

/* Each block brings a quarter to all four. */
__global__ void __cluster_dims__(4, 1, 1) to_all(const int *in, int *out)
{
    __shared__ alignas(128) int all[256];
    __shared__ alignas(8) uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        init_barrier(&barrier, 1);
        expect_bytes(&barrier, sizeof all);
    }
    cluster.sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(&all[rank * 64])), "l"(in + rank * 64), "r"(256), "r"(shared_address(&barrier)), "h"((unsigned short)15) : "memory");
    wait_for(&barrier, 0);
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        out[blockIdx.x * 256 + i] = all[i] + (int)rank;
    cluster.sync();
}

static void show_clusters()
{
    std::vector<int> in(1024);
    for (int i = 0; i < 1024; i++)
        in[i] = i * 7;
    int *from = device_array<int>(1024), *to = device_array<int>(1024);
    CHECK(cudaMemcpy(from, in.data(), 4096, cudaMemcpyHostToDevice));
    to_peer<<<4, 64>>>(from, to);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = to_host(to, 1024);
    int wrong = 0;
    for (int i = 0; i < 1024; i++)
        wrong += got[i] != in[i ^ 256];
    printf("to_peer: %d differ\n", wrong);
    to_all<<<4, 64>>>(from, to);
    CHECK(cudaDeviceSynchronize());
    got = to_host(to, 1024);
    wrong = 0;
    for (int i = 0; i < 1024; i++)
        wrong += got[i] != in[i % 256] + i / 256;
    printf("to_all: %d differ\n", wrong);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

/* ---- tensors ---- */

struct tensor {
    CUtensorMapDataType type;
    unsigned rank;
    cuuint64_t dim[5], stride[4];
    cuuint32_t box[5], step[5];
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};

static CUresult encode(CUtensorMap *map, void *address, const tensor &t)
{
    return encode_tiled(map, t.type, t.rank, address, t.dim, t.stride, t.box, t.step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                        t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, t.fill);
}

template <int RANK>
__global__ void load_box(const __grid_constant__ CUtensorMap map, int c0, int c1, int c2, int c3, int c4,
                         unsigned bytes, unsigned char *out)
{
    extern __shared__ __align__(1024) unsigned char box[];
    __shared__ alignas(8) uint64_t barrier;
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        box[i] = 0xee;
    if (threadIdx.x == 0)
        init_barrier(&barrier, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned to = shared_address(box), object = shared_address(&barrier);
        expect_bytes(&barrier, bytes);
        if (RANK == 1)
            asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(to), "l"(&map), "r"(object), "r"(c0) : "memory");
        if (RANK == 2)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to), "l"(&map), "r"(object), "r"(c0), "r"(c1) : "memory");
        if (RANK == 3)
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to), "l"(&map), "r"(object), "r"(c0), "r"(c1), "r"(c2) : "memory");
        if (RANK == 4)
            asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to), "l"(&map), "r"(object), "r"(c0), "r"(c1), "r"(c2), "r"(c3) : "memory");
        if (RANK == 5)
            asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to), "l"(&map), "r"(object), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4) : "memory");
    }
    wait_for(&barrier, 0);
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
        out[i] = box[i];
}

static unsigned bytes_of(CUtensorMapDataType type)
{
    switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
    default: return 4;
    }
}

/* The swizzle by the PTX ISA: which 16 bytes of a row of 128 hangs on the row. */
static unsigned swizzled(unsigned offset, CUtensorMapSwizzle swizzle)
{
    const unsigned chunks = swizzle == CU_TENSOR_MAP_SWIZZLE_128B  ? 8
                            : swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 4
                            : swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 2
                                                                   : 1;
    return offset ^ (offset / 128 % chunks) * 16;
}

static void show_box(const char *name, const tensor &t, const int at[5])
{
    const unsigned size = bytes_of(t.type);
    size_t total = size * t.dim[0];
    for (unsigned axis = 1; axis < t.rank; axis++)
        total = t.stride[axis - 1] * t.dim[axis] > total ? t.stride[axis - 1] * t.dim[axis] : total;
    std::vector<unsigned char> host(total);
    uint32_t state = 1;
    for (unsigned char &byte : host)
        byte = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    unsigned char *device = device_array<unsigned char>(total);
    CHECK(cudaMemcpy(device, host.data(), total, cudaMemcpyHostToDevice));
    alignas(64) CUtensorMap map;
    if (encode(&map, device, t) != CUDA_SUCCESS) {
        printf("%s: not encoded\n", name);
        return;
    }
    unsigned count[5] = {1, 1, 1, 1, 1}, bytes = size;
    for (unsigned axis = 0; axis < t.rank; axis++) {
        count[axis] = axis ? (t.box[axis] + t.step[axis] - 1) / t.step[axis] : t.box[axis];
        bytes *= count[axis];
    }
    std::vector<unsigned char> wanted(bytes);
    unsigned offset = 0;
    for (unsigned e = 0; e < count[4]; e++)
        for (unsigned d = 0; d < count[3]; d++)
            for (unsigned c = 0; c < count[2]; c++)
                for (unsigned b = 0; b < count[1]; b++)
                    for (unsigned a = 0; a < count[0]; a++, offset += size) {
                        const unsigned index[5] = {a, b, c, d, e};
                        size_t from = 0;
                        bool is_inside = true;
                        for (unsigned axis = 0; axis < t.rank; axis++) {
                            const long long place = at[axis] + (long long)index[axis] * (axis ? t.step[axis] : 1);
                            is_inside = is_inside && place >= 0 && place < (long long)t.dim[axis];
                            from += (size_t)place * (axis ? t.stride[axis - 1] : size);
                        }
                        const unsigned to = swizzled(offset & ~15u, t.swizzle) | (offset & 15);
                        if (is_inside)
                            memcpy(&wanted[to], &host[from], size);
                        else
                            memset(&wanted[to], 0, size);
                    }
    unsigned char *out = device_array<unsigned char>(bytes);
    auto kernel = t.rank == 1   ? load_box<1>
                  : t.rank == 2 ? load_box<2>
                  : t.rank == 3 ? load_box<3>
                  : t.rank == 4 ? load_box<4>
                                : load_box<5>;
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
    kernel<<<1, 128, bytes>>>(map, at[0], at[1], at[2], at[3], at[4], bytes, out);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned char> got = to_host(out, bytes);
    int wrong = 0;
    for (unsigned i = 0; i < bytes; i++)
        wrong += got[i] != wanted[i];
    printf("%s: %d of %u bytes differ\n", name, wrong, bytes);
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
}

static void show_boxes()
{
    const auto zero = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    const tensor line = {CU_TENSOR_MAP_DATA_TYPE_INT32, 1, {1000}, {0}, {64}, {1}, CU_TENSOR_MAP_SWIZZLE_NONE, zero};
    const tensor bytes = {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, {1000}, {0}, {256}, {1}, CU_TENSOR_MAP_SWIZZLE_NONE, zero};
    tensor plane = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, {200, 100}, {512}, {64, 32}, {1, 1}, CU_TENSOR_MAP_SWIZZLE_NONE, zero};
    const tensor space = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, {40, 30, 20}, {160, 4800}, {16, 8, 4}, {1, 1, 1}, CU_TENSOR_MAP_SWIZZLE_NONE, zero};
    const tensor steps = {CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, {64, 50, 20}, {128, 6400}, {32, 16, 5}, {1, 2, 3}, CU_TENSOR_MAP_SWIZZLE_64B, zero};
    const tensor four = {CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 4, {10, 9, 8, 7}, {80, 720, 5760}, {4, 3, 2, 5}, {1, 1, 1, 1}, CU_TENSOR_MAP_SWIZZLE_32B, zero};
    const tensor five = {CU_TENSOR_MAP_DATA_TYPE_INT32, 5, {8, 7, 6, 5, 4}, {32, 224, 1344, 6720}, {8, 3, 2, 3, 2}, {1, 1, 1, 1, 1}, CU_TENSOR_MAP_SWIZZLE_32B, zero};
    const int inside[5] = {16, 4, 3, 1, 1}, odd[5] = {48, 5, 2, 1, 1}, before[5] = {-16, -3, -1, -2, -1},
              behind[5] = {976, 95, 18, 5, 3}, corner[5] = {176, 90, 18, 4, 3}, far[5] = {5008, 5000, 0, 0, 0};
    show_box("line", line, inside);
    show_box("line_odd", line, odd);
    show_box("line_before", line, before);
    show_box("line_behind", line, behind);
    show_box("bytes_odd", bytes, odd);
    show_box("bytes_before", bytes, before);
    show_box("plane", plane, inside);
    show_box("plane_odd", plane, odd);
    show_box("plane_before", plane, before);
    show_box("plane_corner", plane, corner);
    show_box("plane_far", plane, far);
    plane.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    show_box("plane_128", plane, inside);
    show_box("plane_128_corner", plane, corner);
    show_box("plane_128_odd", plane, odd);
    plane.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
    plane.box[0] = 32;
    show_box("plane_64", plane, inside);
    plane.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
    plane.box[0] = 16;
    show_box("plane_32", plane, odd);
    show_box("space", space, inside);
    show_box("space_before", space, before);
    show_box("steps_64", steps, inside);
    show_box("four_32", four, odd);
    show_box("four_before", four, before);
    show_box("five_32", five, odd);
    show_box("five_before", five, before);
}

/* ---- a transposition of tiles: loads and stores by maps, the swizzle against conflicts ---- */

__global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
    __shared__ alignas(1024) float in[32 * 32];
    __shared__ alignas(1024) float out[32 * 32];
    __shared__ alignas(8) uint64_t barrier;
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    if (threadIdx.x == 0) {
        init_barrier(&barrier, 1);
        expect_bytes(&barrier, sizeof in);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(in)), "l"(&from), "r"(shared_address(&barrier)), "r"(x), "r"(y) : "memory");
    }
    __syncthreads();
    wait_for(&barrier, 0);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        const int row = i / 32, column = i % 32;
        const int there = column * 32 + ((row / 4 ^ (column & 7)) * 4 + row % 4);
        const int here = row * 32 + ((column / 4 ^ (row & 7)) * 4 + column % 4);
        out[there] = in[here];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&to), "r"(shared_address(out)), "r"(y), "r"(x) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

static void show_transpose()
{
    const int width = 200, height = 136;
    std::vector<float> host(width * height);
    for (int i = 0; i < width * height; i++)
        host[i] = (float)i;
    float *from = device_array<float>(width * height), *to = device_array<float>(width * height);
    CHECK(cudaMemcpy(from, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
    alignas(64) CUtensorMap from_map, to_map;
    const auto zero = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    const tensor rows = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, {width, height}, {width * 4}, {32, 32}, {1, 1}, CU_TENSOR_MAP_SWIZZLE_128B, zero};
    const tensor columns = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, {height, width}, {height * 4}, {32, 32}, {1, 1}, CU_TENSOR_MAP_SWIZZLE_128B, zero};
    if (encode(&from_map, from, rows) != CUDA_SUCCESS || encode(&to_map, to, columns) != CUDA_SUCCESS) {
        printf("transpose: not encoded\n");
        return;
    }
    transpose<<<dim3(7, 5), 256>>>(from_map, to_map);
    CHECK(cudaDeviceSynchronize());
    std::vector<float> got = to_host(to, width * height);
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += got[x * height + y] != host[y * width + x];
    printf("transpose: %d differ\n", wrong);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

/* ---- a box that goes to two blocks, half by half ---- */

__global__ void __cluster_dims__(2, 1, 1) share_box(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ alignas(128) int box[2][16 * 32];
    __shared__ alignas(8) uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    const int rank = (int)cluster.block_rank();
    if (threadIdx.x == 0) {
        init_barrier(&barrier, 1);
        expect_bytes(&barrier, sizeof box);
    }
    cluster.sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(box[rank])), "l"(&map), "r"(shared_address(&barrier)), "r"(0), "r"(rank * 16), "h"((unsigned short)3) : "memory");
    wait_for(&barrier, 0);
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        out[blockIdx.x * 1024 + i] = box[0][i];
    cluster.sync();
}

static void show_shared_box()
{
    std::vector<int> host(1024);
    for (int i = 0; i < 1024; i++)
        host[i] = i * 3;
    int *from = device_array<int>(1024), *to = device_array<int>(2048);
    CHECK(cudaMemcpy(from, host.data(), 4096, cudaMemcpyHostToDevice));
    alignas(64) CUtensorMap map;
    const tensor t = {CU_TENSOR_MAP_DATA_TYPE_INT32, 2, {32, 32}, {128}, {32, 16}, {1, 1}, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
    if (encode(&map, from, t) != CUDA_SUCCESS)
        printf("share_box: not encoded\n");
    share_box<<<2, 64>>>(map, to);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = to_host(to, 2048);
    int wrong = 0;
    for (int i = 0; i < 2048; i++)
        wrong += got[i] != host[i % 1024];
    printf("share_box: %d differ\n", wrong);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

/* ---- maps that are refused, values outside that are NaN ---- */

static void show_refused()
{
    alignas(64) static CUtensorMap maps[2];
    char *memory = device_array<char>(1 << 20);
    const tensor good = {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, {200, 100}, {512}, {64, 32}, {1, 1}, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
    tensor t = good;
    printf("map_good: %d\n", encode(maps, memory, t));
    printf("map_address: %d\n", encode(maps, memory + 8, t));
    printf("map_unaligned: %d\n", encode((CUtensorMap *)((char *)maps + 32), memory, t));
    t.stride[0] = 408;
    printf("map_stride: %d\n", encode(maps, memory, t));
    t = good, t.box[0] = 72;
    printf("map_swizzle: %d\n", encode(maps, memory, t));
    t = good, t.box[1] = 257;
    printf("map_box: %d\n", encode(maps, memory, t));
    t = good, t.box[0] = 4;
    printf("map_row: %d\n", encode(maps, memory, t));
    t = good, t.rank = 6;
    printf("map_rank_6: %d\n", encode(maps, memory, t));
    t = good, t.rank = 0;
    printf("map_rank_0: %d\n", encode(maps, memory, t));
    t = good, t.dim[1] = 0;
    printf("map_dim: %d\n", encode(maps, memory, t));
    t = good, t.step[1] = 9;
    printf("map_step: %d\n", encode(maps, memory, t));
    t = good, t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16, t.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    printf("map_fill: %d\n", encode(maps, memory, t));
    CHECK(cudaFree(memory));
}

__global__ void misaligned(const float *from, float *out)
{
    __shared__ alignas(128) float tile[64];
    __shared__ alignas(8) uint64_t barrier;
    if (threadIdx.x == 0) {
        init_barrier(&barrier, 1);
        expect_bytes(&barrier, 64);
        load_bytes(tile, from + 1, 64, &barrier);
    }
    __syncthreads();
    wait_for(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    void *found = NULL;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
    encode_tiled = (decltype(&cuTensorMapEncodeTiled))found;
    show_pipeline();
    show_clusters();
    show_boxes();
    show_transpose();
    show_shared_box();
    show_refused();
    float *memory = device_array<float>(256);
    misaligned<<<1, 16>>>(memory, memory + 128);
    printf("misaligned: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
