// Clocks of what compute capability 9.0 brought, read in the kernels themselves: shared memory of
// another block of the cluster, copies in bulk and of tensors up to the barrier object that tells
// of them, products of warpgroups. Prints "label,cycles"; loads of shared memory and of L2 stand
// beside. build: nvcc -O2 -std=c++17 -gencode arch=compute_90a,code=[sm_90a,compute_90a] -cudart
// shared modern.cu
#include <cooperative_groups.h>
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

#include "check.h"

namespace cg = cooperative_groups;

static long long *result; // managed: what the kernels read
static unsigned *data;    // 64 MiB

enum { STEPS = 256, TURNS = 8 };

__device__ unsigned place_of(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// ---- chains of loads, each of which says how far behind the first word the next one is ----

template <bool IS_REMOTE> __global__ void chase_shared(long long *out)
{
    __shared__ unsigned next[STEPS];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    for (unsigned i = threadIdx.x; i < STEPS; i += blockDim.x)
        next[i] = (i * 5 + 3) % STEPS * 4;
    unsigned first = place_of(next), at = 0;
    if (IS_REMOTE)
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                     : "=r"(first)
                     : "r"(place_of(next)), "r"(rank ^ 1));
    cluster.sync();
    if (rank == 0 && threadIdx.x == 0) {
        const long long start = clock64();
        for (int i = 0; i < STEPS; i++)
            asm volatile("ld.shared::cluster.u32 %0, [%1];"
                         : "=r"(at)
                         : "r"(first + at)
                         : "memory");
        *out = (clock64() - start) / STEPS + (at == 1);
    }
    cluster.sync();
}

__global__ void chase_l2(unsigned *data, long long *out)
{
    unsigned at = 0;
    for (int i = 0; i < STEPS; i++)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(data + i * 64), "r"((i * 5 + 3) % STEPS * 64)
                     : "memory");
    __threadfence();
    const long long start = clock64();
    for (int i = 0; i < STEPS; i++)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(data + at) : "memory");
    *out = (clock64() - start) / STEPS + (at == 1);
}

template <bool IS_REMOTE> static void run_chase(const char *label)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 2;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int i = 0; i < 2; i++) // the first time for the caches of instructions
        CHECK(cudaLaunchKernelEx(&config, chase_shared<IS_REMOTE>, result));
    CHECK(cudaDeviceSynchronize());
    printf("%s,%lld\n", label, *result);
}

// ---- copies in bulk: from the copy to the end of the wait for it, the least of several ----

__device__ void wait_for(unsigned object, unsigned phase)
{
    asm volatile(
        "{.reg .pred done;\nagain: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;}" ::
            "r"(object),
        "r"(phase)
        : "memory");
}

template <bool IS_TENSOR>
__global__ void copy_bulk(const __grid_constant__ CUtensorMap map, const unsigned *data,
                          unsigned bytes, long long *out)
{
    extern __shared__ __align__(1024) unsigned char to[];
    __shared__ uint64_t barrier;
    const unsigned object = place_of(&barrier), place = place_of(to);
    long long least = 1 << 30;
    if (threadIdx.x)
        return;
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(object)
        : "memory");
    for (int turn = 0; turn < TURNS; turn++) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object),
                     "r"(bytes)
                     : "memory");
        const long long start = clock64();
        if (IS_TENSOR)
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], "
                "[%2];" ::"r"(place),
                "l"(&map), "r"(object), "r"(0)
                : "memory");
        else
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %3, [%2];" ::
                    "r"(place),
                "l"(data), "r"(object), "r"(bytes)
                : "memory");
        wait_for(object, turn & 1);
        const long long took = clock64() - start;
        least = took < least ? took : least;
    }
    *out = least;
}

static void run_copies()
{
    CUtensorMap map = {};
    for (unsigned bytes : {16u, 128u, 1024u, 4096u, 16384u, 32768u}) {
        copy_bulk<false><<<1, 32, 40960>>>(map, data, bytes, result);
        CHECK(cudaDeviceSynchronize());
        printf("bulk.%u_bytes,%lld\n", bytes, *result);
    }
    void *found = nullptr;
    cudaDriverEntryPointQueryResult state;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000,
                                           cudaEnableDefault, &state));
    const auto encode = (decltype(&cuTensorMapEncodeTiled))found;
    for (unsigned rows : {1u, 8u, 32u, 128u, 256u}) {
        const cuuint64_t size[2] = {4096, 4096}, stride[1] = {16384};
        const cuuint32_t box[2] = {32, rows}, step[2] = {1, 1};
        if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, data, size, stride, box, step,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
            exit(1);
        copy_bulk<true><<<1, 32, 40960>>>(map, data, rows * 128, result);
        CHECK(cudaDeviceSynchronize());
        printf("tensor.%u_rows_of_128_bytes,%lld\n", rows, *result);
    }
}

// ---- products of warpgroups, one behind another into the same sums ----

#define SUMS_8(at)                                                                   \
    "+f"(d[at]), "+f"(d[at + 1]), "+f"(d[at + 2]), "+f"(d[at + 3]), "+f"(d[at + 4]), \
        "+f"(d[at + 5]), "+f"(d[at + 6]), "+f"(d[at + 7])
#define PLACES_32                                                                                                          \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, " \
    "%25, %26, %27, %28, %29, %30, %31}"
#define PLACES_64                                                                                                          \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, " \
    "%25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "  \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"

template <int N, bool WAITS> __global__ void products(long long *out)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    float d[N / 2];
    for (int i = 0; i < N / 2; i++)
        d[i] = 0;
    for (unsigned i = threadIdx.x; i < 10240; i += blockDim.x)
        ((unsigned *)memory)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    const uint64_t start_a = place_of(memory) >> 4, start_b = place_of(memory + 8192) >> 4;
    const uint64_t shape = (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
    const uint64_t a = (start_a & 0x3fff) | shape, b = (start_b & 0x3fff) | shape;
    long long start = 0;
    for (int turn = 0; turn < 2; turn++) {
        __syncthreads();
        start = clock64();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll 16
        for (int i = 0; i < STEPS; i++) {
            if (N == 64)
                asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " PLACES_32
                             ", %32, %33, 1, 1, 1, 0, 0;"
                             : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24)
                             : "l"(a), "l"(b));
            else
                asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " PLACES_64
                             ", %64, %65, 1, 1, 1, 0, 0;"
                             : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32 % (N / 2)),
                               SUMS_8(40 % (N / 2)), SUMS_8(48 % (N / 2)), SUMS_8(56 % (N / 2))
                             : "l"(a), "l"(b));
            if (WAITS) {
                asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                                 : "memory");
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            }
        }
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        __syncthreads();
        start = clock64() - start;
    }
    float sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += d[i];
    if (threadIdx.x == 0)
        *out = start + (sum != 0);
}

template <int N, bool WAITS> static void run_products()
{
    for (int groups : {1, 2, 3, 4}) {
        products<N, WAITS><<<1, 128 * groups, 40960>>>(result);
        CHECK(cudaDeviceSynchronize());
        printf("products.64x%dx16.%d_warpgroups%s,%.1f\n", N, groups, WAITS ? ".awaited_each" : "",
               (double)*result / STEPS);
    }
}

int main()
{
    CHECK(cudaMallocManaged(&result, sizeof *result));
    CHECK(cudaMalloc(&data, 64 << 20));
    CHECK(cudaMemset(data, 0, 64 << 20));
    run_chase<false>("shared.own");
    run_chase<true>("shared.of_another_block");
    chase_l2<<<1, 1>>>(data, result);
    chase_l2<<<1, 1>>>(data, result);
    CHECK(cudaDeviceSynchronize());
    printf("global.l2,%lld\n", *result);
    run_copies();
    run_products<64, false>();
    run_products<64, true>();
    run_products<128, false>();
    run_products<128, true>();
    return 0;
}
