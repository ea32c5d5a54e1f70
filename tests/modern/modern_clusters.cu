/* Clusters of blocks and distributed shared memory. A line for each case: what it gave, beside what
 * the host computed where it can. clusters.txt has the lines; see README.md. */
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                  \
    do {                                                                             \
        cudaError_t code = (call);                                                   \
        if (code != cudaSuccess) {                                                   \
            printf("failed: %s, %s\n", #call, cudaGetErrorName(code));               \
            exit(1);                                                                 \
        }                                                                            \
    } while (0)

template <typename... Parameters, typename... Arguments>
static cudaError_t launch_clusters(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared,
                                   dim3 cluster, Arguments... arguments)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = cluster.x;
    attribute[0].val.clusterDim.y = cluster.y;
    attribute[0].val.clusterDim.z = cluster.z;
    config.attrs = attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

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

/* ---- where a block is ---- */

static __device__ unsigned special(int which)
{
    unsigned value = 0;
    switch (which) {
    case 0: asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(value)); break;
    case 1: asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(value)); break;
    case 2: asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(value)); break;
    case 3: asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(value)); break;
    case 4: asm volatile("mov.u32 %0, %%clusterid.z;" : "=r"(value)); break;
    case 5: asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(value)); break;
    case 6: asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(value)); break;
    case 7: asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(value)); break;
    case 8: asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(value)); break;
    case 9: asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(value)); break;
    case 10: asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(value)); break;
    case 11: value = cg::this_cluster().thread_rank(); break;
    }
    return value;
}

__global__ void places(unsigned *out)
{
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (threadIdx.x < 12)
        out[block * 12 + threadIdx.x] = special(threadIdx.x);
}

static void show_places(const char *name, dim3 grid, dim3 cluster, bool is_plain)
{
    const unsigned blocks = grid.x * grid.y * grid.z;
    unsigned *out = device_array<unsigned>(blocks * 12);
    if (is_plain)
        places<<<grid, 32>>>(out);
    else
        CHECK(launch_clusters(places, grid, 32, 0, cluster, out));
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> got = to_host(out, blocks * 12);
    unsigned wrong = 0;
    for (unsigned block = 0; block < blocks; block++) {
        const unsigned x = block % grid.x, y = block / grid.x % grid.y, z = block / grid.x / grid.y;
        const unsigned rank = (z % cluster.z * cluster.y + y % cluster.y) * cluster.x + x % cluster.x;
        const unsigned wanted[12] = {rank, cluster.x * cluster.y * cluster.z, x / cluster.x, y / cluster.y,
                                     z / cluster.z, grid.x / cluster.x, grid.y / cluster.y, x % cluster.x,
                                     y % cluster.y, cluster.x, !is_plain, rank * 32 + 11};
        for (int i = 0; i < 12; i++)
            wrong += got[block * 12 + i] != wanted[i];
    }
    printf("%s: %u differ; the last block:", name, wrong);
    for (int i = 0; i < 12; i++)
        printf(" %u", got[(blocks - 1) * 12 + i]);
    printf("\n");
    CHECK(cudaFree(out));
}

/* ---- a histogram whose bins are spread over the cluster ---- */

__global__ void histogram(int *bins, int bin_count, int bins_per_block, const int *input, int count)
{
    extern __shared__ int part[];
    cg::cluster_group cluster = cg::this_cluster();
    const int size = cluster.dim_blocks().x;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        part[i] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        int bin = input[i] < 0 ? 0 : input[i] >= bin_count ? bin_count - 1 : input[i];
        int *there = cluster.map_shared_rank(part, bin / bins_per_block);
        atomicAdd(there + bin % bins_per_block, 1);
    }
    cluster.sync();
    int *mine = bins + cluster.block_rank() * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        if (cluster.block_rank() * bins_per_block + i < bin_count)
            atomicAdd(&mine[i], part[i]);
    (void)size;
}

static void show_histogram(int cluster_size)
{
    const int count = 100000, bin_count = 1000;
    std::vector<int> input(count), wanted(bin_count);
    uint32_t state = 12345;
    for (int &value : input) {
        state = state * 1664525u + 1013904223u;
        value = (int)(state >> 21) - 100;
        wanted[value < 0 ? 0 : value >= bin_count ? bin_count - 1 : value]++;
    }
    int *on_device = device_array<int>(count), *bins = device_array<int>(bin_count);
    CHECK(cudaMemcpy(on_device, input.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    const int each = (bin_count + cluster_size - 1) / cluster_size;
    CHECK(launch_clusters(histogram, 48, 128, each * sizeof(int), cluster_size, bins, bin_count, each,
                          (const int *)on_device, count));
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = to_host(bins, bin_count);
    int wrong = 0;
    for (int i = 0; i < bin_count; i++)
        wrong += got[i] != wanted[i];
    printf("histogram_%d: %d of %d bins differ\n", cluster_size, wrong, bin_count);
    CHECK(cudaFree(on_device));
    CHECK(cudaFree(bins));
}

/* ---- neighbours read each other's edges ---- */

__global__ void __cluster_dims__(4, 1, 1) relax(float *values, int steps)
{
    __shared__ float line[2][66];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    const unsigned at = blockIdx.x * 64 + threadIdx.x;
    line[0][threadIdx.x + 1] = values[at];
    for (int step = 0; step < steps; step++) {
        float(*now) = line[step & 1], (*next) = line[(step + 1) & 1];
        cluster.sync();
        if (threadIdx.x == 0)
            now[0] = rank ? *cluster.map_shared_rank(&now[64], rank - 1) : 0;
        if (threadIdx.x == 63)
            now[65] = rank + 1 < size ? *cluster.map_shared_rank(&now[1], rank + 1) : 0;
        __syncthreads();
        next[threadIdx.x + 1] =
            0.25f * now[threadIdx.x] + 0.5f * now[threadIdx.x + 1] + 0.25f * now[threadIdx.x + 2];
    }
    values[at] = line[steps & 1][threadIdx.x + 1];
    cluster.sync();
}

static void show_relax()
{
    const int clusters = 40, width = 256, steps = 50;
    std::vector<float> line(clusters * width), next(width);
    for (size_t i = 0; i < line.size(); i++)
        line[i] = (float)(i * 37 % 101);
    float *values = device_array<float>(line.size());
    CHECK(cudaMemcpy(values, line.data(), line.size() * sizeof(float), cudaMemcpyHostToDevice));
    relax<<<clusters * 4, 64>>>(values, steps);
    CHECK(cudaDeviceSynchronize());
    std::vector<float> got = to_host(values, line.size());
    int wrong = 0;
    for (int c = 0; c < clusters; c++) {
        float *now = &line[c * width];
        for (int step = 0; step < steps; step++) {
            for (int i = 0; i < width; i++) {
                float left = i ? now[i - 1] : 0, right = i + 1 < width ? now[i + 1] : 0;
                next[i] = 0.25f * left + 0.5f * now[i] + 0.25f * right;
            }
            memcpy(now, next.data(), width * sizeof(float));
        }
        for (int i = 0; i < width; i++)
            wrong += !(got[c * width + i] - now[i] < 1e-4f && now[i] - got[c * width + i] < 1e-4f);
    }
    printf("relax: %d of %zu differ\n", wrong, line.size());
    CHECK(cudaFree(values));
}

/* ---- the barrier, in two halves, and where lanes go apart ---- */

__global__ void __cluster_dims__(2, 2, 1) split_barrier(int *out, int rounds)
{
    __shared__ int box;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
    int sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0)
            *cluster.map_shared_rank(&box, (rank + 1) % size) = round * 10 + (int)rank;
        auto token = cluster.barrier_arrive();
        sum += round; /* what does not hang on the others */
        cluster.barrier_wait(std::move(token));
        sum += box;
        cluster.sync();
    }
    out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x] = sum;
}

__global__ void __cluster_dims__(2, 1, 1) lanes_apart(int *out)
{
    __shared__ int box[32];
    cg::cluster_group cluster = cg::this_cluster();
    box[threadIdx.x] = (int)threadIdx.x;
    cluster.sync();
    int *other = cluster.map_shared_rank(box, cluster.block_rank() ^ 1);
    if (threadIdx.x & 1) {
        other[threadIdx.x] += 100;
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    } else {
        other[threadIdx.x] += 200;
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    }
    out[blockIdx.x * 32 + threadIdx.x] = box[threadIdx.x];
    cluster.sync();
}

/* Warps that end are not waited for. */
__global__ void __cluster_dims__(4, 1, 1) some_end(int *out)
{
    __shared__ int box;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        box = 7 * (int)cluster.block_rank();
    __syncthreads();
    if (threadIdx.x >= 32)
        return;
    cluster.sync();
    int value = *cluster.map_shared_rank(&box, 3 - cluster.block_rank());
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = value;
}

static void show_barriers()
{
    int *out = device_array<int>(4096);
    split_barrier<<<dim3(4, 4), 96>>>(out, 20);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = to_host(out, 16 * 96);
    int wrong = 0;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            for (int t = 0; t < 96; t++) {
                int rank = y % 2 * 2 + x % 2, from = (rank + 3) % 4;
                wrong += got[(y * 4 + x) * 96 + t] != 190 + 1900 + 20 * from;
            }
    printf("split_barrier: %d of %d differ\n", wrong, 16 * 96);
    CHECK(cudaMemset(out, 0, 4096 * sizeof(int)));
    lanes_apart<<<2, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    got = to_host(out, 64);
    printf("lanes_apart: %d %d %d %d\n", got[0], got[1], got[62], got[63]);
    some_end<<<8, 128>>>(out);
    CHECK(cudaDeviceSynchronize());
    got = to_host(out, 8);
    printf("some_end: %d %d %d %d %d\n", got[0], got[1], got[2], got[3], got[4]);
    CHECK(cudaFree(out));
}

/* ---- other blocks' memory by instruction ---- */

static __device__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

__global__ void __cluster_dims__(2, 1, 1) by_instruction(unsigned *out)
{
    __shared__ unsigned cells[64];
    __shared__ uint64_t wide[32];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), lane = threadIdx.x;
    unsigned there, wide_there, value, old, owner;
    cells[lane] = 1000 * rank + lane;
    cells[32 + lane] = 5;
    wide[lane] = 0;
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(&cells[lane])), "r"(rank ^ 1));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(wide_there) : "r"(shared_address(&wide[lane])), "r"(rank ^ 1));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(owner) : "r"(there));
    asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(wide_there), "l"((uint64_t)lane << 33 | rank) : "memory");
    asm volatile("atom.shared::cluster.max.u32 %0, [%1+128], %2;" : "=r"(old) : "r"(there), "r"(lane) : "memory");
    asm volatile("red.shared::cluster.add.u32 [%0+128], %1;" ::"r"(there), "r"(100) : "memory");
    cluster.sync();
    unsigned *mine = out + (rank * 32 + lane) * 6;
    mine[0] = value;
    mine[1] = owner;
    mine[2] = old;
    mine[3] = cells[32 + lane];
    mine[4] = (unsigned)(wide[lane] >> 32);
    mine[5] = (unsigned)wide[lane];
}

/* Remote stores that count at a barrier object of who gets them. */
__global__ void __cluster_dims__(4, 1, 1) store_async(unsigned *out)
{
    __shared__ alignas(16) unsigned inbox[4 * 32];
    __shared__ alignas(8) uint64_t barrier;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), lane = threadIdx.x;
    if (lane == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(shared_address(&barrier)) : "memory");
    cluster.sync();
    if (lane == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(4 * 32 * 4) : "memory");
    for (unsigned to = 0; to < 4; to++) {
        unsigned where, object;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(where) : "r"(shared_address(&inbox[rank * 32 + lane])), "r"(to));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(object) : "r"(shared_address(&barrier)), "r"(to));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(where), "r"(rank * 1000 + to * 100 + lane), "r"(object) : "memory");
    }
    unsigned is_done = 0;
    while (!is_done)
        asm volatile("{.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;}" : "=r"(is_done) : "r"(shared_address(&barrier)) : "memory");
    unsigned sum = 0;
    for (int from = 0; from < 4; from++)
        sum += inbox[from * 32 + lane];
    out[blockIdx.x * 32 + lane] = sum;
    cluster.sync();
}

/* All blocks arrive at a barrier object of the first. */
__global__ void __cluster_dims__(8, 1, 1) arrive_remotely(unsigned *out)
{
    __shared__ alignas(8) uint64_t barrier;
    __shared__ unsigned total;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), lane = threadIdx.x;
    unsigned object, is_done = 0;
    if (lane == 0) {
        total = 0;
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(shared_address(&barrier)), "r"(8 * 32) : "memory");
    }
    cluster.sync();
    atomicAdd(cluster.map_shared_rank(&total, 0), rank * 32 + lane);
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(object) : "r"(shared_address(&barrier)));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(object) : "memory");
    while (rank == 0 && !is_done)
        asm volatile("{.reg .pred p;\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n\tselp.u32 %0, 1, 0, p;}" : "=r"(is_done) : "r"(shared_address(&barrier)) : "memory");
    if (rank == 0)
        out[blockIdx.x / 8 * 32 + lane] = total;
    cluster.sync();
}

static void show_instructions()
{
    unsigned *out = device_array<unsigned>(4096);
    by_instruction<<<2, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned> got = to_host(out, 64 * 6);
    for (int thread : {0, 3, 37, 63}) {
        printf("by_instruction_%d:", thread);
        for (int i = 0; i < 6; i++)
            printf(" %u", got[thread * 6 + i]);
        printf("\n");
    }
    store_async<<<8, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    got = to_host(out, 256);
    printf("store_async: %u %u %u %u\n", got[0], got[32], got[95], got[255]);
    arrive_remotely<<<16, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    got = to_host(out, 64);
    printf("arrive_remotely: %u %u\n", got[0], got[63]);
    CHECK(cudaFree(out));
}

/* ---- what is refused, and how much fits ---- */

__global__ void nothing(int *out)
{
    if (out)
        *out = (int)cg::this_cluster().num_blocks();
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int *out)
{
    if (out)
        *out = (int)cg::this_cluster().num_blocks();
}
__global__ void whole_sm(int *out)
{
    extern __shared__ int most[];
    out[0] = most[threadIdx.x];
}

static const char *error_of(cudaError_t code)
{
    if (code == cudaSuccess)
        code = cudaDeviceSynchronize();
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static void show_errors()
{
    int *out = device_array<int>(4);
    printf("grid_not_divisible: %s\n", error_of(launch_clusters(nothing, 9, 32, 0, 2, out)));
    printf("cluster_of_9: %s\n", error_of(launch_clusters(nothing, 18, 32, 0, 9, out)));
    printf("cluster_of_16: %s\n", error_of(launch_clusters(nothing, 16, 32, 0, 16, out)));
    printf("cluster_of_0: %s\n", error_of(launch_clusters(nothing, 16, 32, 0, dim3(0, 1, 1), out)));
    printf("cluster_of_3: %s\n", error_of(launch_clusters(nothing, 9, 32, 0, 3, out)));
    printf("other_than_compiled: %s\n", error_of(launch_clusters(pairs, 8, 32, 0, 4, out)));
    printf("as_compiled: %s\n", error_of(launch_clusters(pairs, 8, 32, 0, 2, out)));
    pairs<<<7, 32>>>(out);
    printf("compiled_not_divisible: %s\n", error_of(cudaGetLastError()));
    nothing<<<7, 32>>>(out);
    CHECK(cudaDeviceSynchronize());
    printf("no_clusters: %d block\n", to_host(out, 1)[0]);
    CHECK(cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    printf("allowed_16: %s\n", error_of(launch_clusters(nothing, 32, 32, 0, 16, out)));
    printf("allowed_16_blocks: %d\n", to_host(out, 1)[0]);
    printf("allowed_32: %s\n", error_of(launch_clusters(nothing, 32, 32, 0, 32, out)));
    CHECK(cudaFree(out));
}

static void show_occupancy()
{
    const int shared = 200 << 10;
    CHECK(cudaFuncSetAttribute(whole_sm, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CHECK(cudaFuncSetAttribute(whole_sm, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    printf("active_clusters:");
    for (int size = 1; size <= 16; size *= 2) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute[1];
        config.gridDim = 16;
        config.blockDim = 128;
        config.dynamicSmemBytes = shared;
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = size;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        config.attrs = attribute;
        config.numAttrs = 1;
        int clusters = -1;
        cudaError_t code = cudaOccupancyMaxActiveClusters(&clusters, whole_sm, &config);
        printf(" %s%d", code == cudaSuccess ? "" : cudaGetErrorName(code), clusters);
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = 16;
    config.blockDim = 128;
    int largest = -1;
    CHECK(cudaOccupancyMaxPotentialClusterSize(&largest, nothing, &config));
    printf("; largest %d\n", largest);
}

/* Last: the error ends the context. */
__global__ void __cluster_dims__(2, 1, 1) out_of_range(unsigned *out)
{
    __shared__ unsigned cell;
    unsigned there, value;
    cell = 1;
    cg::this_cluster().sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(&cell)), "r"(5));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    out[0] = value;
    cg::this_cluster().sync();
}

int main()
{
    show_places("places_of_4", dim3(4, 4, 3), dim3(2, 2, 1), false);
    show_places("places_of_6", dim3(3, 4, 2), dim3(3, 1, 2), false);
    show_places("places_of_1", dim3(3, 2, 1), dim3(1, 1, 1), true);
    for (int size = 1; size <= 8; size *= 2)
        show_histogram(size);
    show_relax();
    show_barriers();
    show_instructions();
    show_errors();
    show_occupancy();
    unsigned *out = device_array<unsigned>(1);
    out_of_range<<<2, 32>>>(out);
    printf("rank_out_of_range: %s\n", error_of(cudaGetLastError()));
    return 0;
}
