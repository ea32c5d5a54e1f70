/* A product of matrices as current code makes it on an H100: clusters of two blocks, tensor copies with multicast into a
 * ring of stages, one warpgroup that fetches and two that multiply with wgmma, results by a tensor store. */
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

constexpr int TILE_M = 128, TILE_N = 128, TILE_K = 64, STAGES = 4, CLUSTER = 2, CONSUMERS = 2;

struct __align__(1024) memory {
    __nv_bfloat16 a[STAGES][TILE_M * TILE_K];
    __nv_bfloat16 b[STAGES][TILE_N * TILE_K];
    __nv_bfloat16 c[CONSUMERS][2][64 * 64]; /* of a consumer, by halves of its columns */
    uint64_t full[STAGES], empty[STAGES];
};

static __device__ uint32_t shared_address(const void *pointer)
{
    return (uint32_t)__cvta_generic_to_shared(pointer);
}
static __device__ void wait_for(uint64_t *barrier, unsigned parity)
{
    asm volatile("{.reg .pred p;\nAGAIN:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n\t@p bra DONE;\n\tbra AGAIN;\nDONE:\n}"
                 ::"r"(shared_address(barrier)), "r"(parity) : "memory");
}
static __device__ void fetch(void *to, const CUtensorMap *map, uint64_t *barrier, int k, int row)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                 ::"r"(shared_address(to)), "l"(map), "r"(shared_address(barrier)), "r"(k), "r"(row) : "memory");
}
static __device__ void fetch_for_all(void *to, const CUtensorMap *map, uint64_t *barrier, int k, int row)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;"
                 ::"r"(shared_address(to)), "l"(map), "r"(shared_address(barrier)), "r"(k), "r"(row), "h"((unsigned short)3) : "memory");
}
static __device__ uint64_t describe(const void *start)
{
    return (uint64_t)((shared_address(start) & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define EIGHT(at) "+f"(d[at]), "+f"(d[at + 1]), "+f"(d[at + 2]), "+f"(d[at + 3]), "+f"(d[at + 4]), "+f"(d[at + 5]), "+f"(d[at + 6]), "+f"(d[at + 7])
static __device__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int adds)
{
    asm volatile("{.reg .pred p;\n\tsetp.ne.b32 p, %66, 0;\n\t"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                 "%64, %65, p, 1, 1, 0, 0;}"
                 : EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24), EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)
                 : "l"(a), "l"(b), "r"(adds));
}

/* C = A B', A: m x k, B: n x k, both by rows. */
__global__ void __launch_bounds__((CONSUMERS + 1) * 128) __cluster_dims__(1, CLUSTER, 1)
    gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
         const __grid_constant__ CUtensorMap map_c, int k_total)
{
    extern __shared__ __align__(1024) unsigned char bytes[];
    memory &m = *(memory *)bytes;
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), group = threadIdx.x / 128;
    const int row = blockIdx.y * TILE_M, column = blockIdx.x * TILE_N, steps = k_total / TILE_K;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&m.full[i])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&m.empty[i])), "r"(CONSUMERS * CLUSTER));
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster.sync();
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            for (int step = 0; step < steps; step++) {
                const int stage = step % STAGES;
                wait_for(&m.empty[stage], (step / STAGES & 1) ^ 1);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&m.full[stage])),
                             "r"((TILE_M + TILE_N) * TILE_K * 2) : "memory");
                fetch(m.a[stage], &map_a, &m.full[stage], step * TILE_K, row);
                /* the blocks of a cluster have the same columns: each brings half of B to both */
                fetch_for_all(&m.b[stage][rank * (TILE_N / CLUSTER) * TILE_K], &map_b, &m.full[stage], step * TILE_K,
                              column + rank * (TILE_N / CLUSTER));
            }
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const unsigned consumer = group - 1, lane = threadIdx.x % 128;
        float d[64];
        for (int step = 0; step < steps; step++) {
            const int stage = step % STAGES;
            wait_for(&m.full[stage], step / STAGES & 1);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
            for (int k = 0; k < TILE_K; k += 16)
                multiply(d, describe(&m.a[stage][consumer * 64 * TILE_K + k]), describe(&m.b[stage][k]), step + k > 0);
            asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
            if (lane < CLUSTER) { /* the stage is free in both blocks */
                uint32_t object;
                asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(object) : "r"(shared_address(&m.empty[stage])), "r"(lane));
                asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(object) : "memory");
            }
        }
        const unsigned r = lane / 32 * 16 + lane % 32 / 4;
        for (int tile = 0; tile < 16; tile++)
            for (int half = 0; half < 2; half++) {
                const unsigned rr = r + half * 8, c = tile % 8 * 8 + lane % 4 * 2;
                const unsigned at = rr * 64 + ((c / 8 ^ rr % 8) * 8 + c % 8);
                *(__nv_bfloat162 *)&m.c[consumer][tile / 8][at] =
                    __floats2bfloat162_rn(d[tile * 4 + half * 2], d[tile * 4 + half * 2 + 1]);
            }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("bar.sync %0, 128;" ::"r"(consumer + 1) : "memory");
        if (lane == 0) {
            for (int half = 0; half < 2; half++)
                asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
                             ::"l"(&map_c), "r"(shared_address(m.c[consumer][half])), "r"(column + half * 64), "r"(row + (int)consumer * 64) : "memory");
            asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
        }
    }
    cluster.sync();
}

static CUtensorMap encode(void *address, int rows, int columns, int box_rows, int box_columns)
{
    void *found = NULL;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
    alignas(64) CUtensorMap map;
    const cuuint64_t dim[2] = {(cuuint64_t)columns, (cuuint64_t)rows}, stride[1] = {(cuuint64_t)columns * 2};
    const cuuint32_t box[2] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows}, step[2] = {1, 1};
    CUresult code = ((decltype(&cuTensorMapEncodeTiled))found)(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, address, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (code != CUDA_SUCCESS) {
        printf("failed: a map, %d\n", code);
        exit(1);
    }
    return map;
}

int main()
{
    const int rows = 512, columns = 384, k = 640;
    std::vector<__nv_bfloat16> a(rows * k), b(columns * k), c(rows * columns);
    for (int i = 0; i < rows * k; i++)
        a[i] = __float2bfloat16((float)(i * 7 % 11 - 5));
    for (int i = 0; i < columns * k; i++)
        b[i] = __float2bfloat16((float)(i * 5 % 7 - 3));
    __nv_bfloat16 *da, *db, *dc;
    CHECK(cudaMalloc(&da, a.size() * 2));
    CHECK(cudaMalloc(&db, b.size() * 2));
    CHECK(cudaMalloc(&dc, c.size() * 2));
    CHECK(cudaMemcpy(da, a.data(), a.size() * 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), b.size() * 2, cudaMemcpyHostToDevice));
    const CUtensorMap map_a = encode(da, rows, k, TILE_M, TILE_K), map_b = encode(db, columns, k, TILE_N / CLUSTER, TILE_K),
                      map_c = encode(dc, rows, columns, 64, 64);
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(memory)));
    gemm<<<dim3(columns / TILE_N, rows / TILE_M), (CONSUMERS + 1) * 128, sizeof(memory)>>>(map_a, map_b, map_c, k);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), dc, c.size() * 2, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            float sum = 0; /* whole numbers: exact */
            for (int l = 0; l < k; l++)
                sum += __bfloat162float(a[i * k + l]) * __bfloat162float(b[j * k + l]);
            wrong += __bfloat162float(c[i * columns + j]) != __bfloat162float(__float2bfloat16(sum));
        }
    printf("gemm: %d of %d differ\n", wrong, rows * columns);
    return 0;
}
