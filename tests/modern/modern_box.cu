// A box whose first element of a row lies at no multiple of 16 bytes: the launch ends.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void load_box(const __grid_constant__ CUtensorMap map, int first)
{
    __shared__ alignas(128) int box[64];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        const unsigned object = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(box);
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(object) : "memory");
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(to), "l"(&map), "r"(object), "r"(first) : "memory");
    }
}

int main()
{
    void *found = NULL, *memory = NULL;
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result))
        return 1;
    const auto encode = (decltype(&cuTensorMapEncodeTiled))found;
    alignas(64) CUtensorMap map;
    const cuuint64_t dim[1] = {1000}, stride[1] = {0};
    const cuuint32_t size[1] = {64}, step[1] = {1};
    cudaMalloc(&memory, 4000);
    printf("encoded: %d\n", (int)encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, memory, dim, stride, size, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    load_box<<<1, 32>>>(map, 3);
    printf("first_at_12_bytes: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
