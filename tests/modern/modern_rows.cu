// Rows of a box that are narrower than what is swizzled stand as far apart as that is wide.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

enum { ROWS = 16, ROW_BYTES = 32 };

__global__ void load_rows(const __grid_constant__ CUtensorMap map, unsigned char *out, int bytes)
{
    __shared__ alignas(1024) unsigned char box[ROWS * 128];
    __shared__ uint64_t barrier;
    const unsigned object = (unsigned)__cvta_generic_to_shared(&barrier), to = (unsigned)__cvta_generic_to_shared(box);
    for (int i = threadIdx.x; i < ROWS * 128; i += 32)
        box[i] = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(object) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];" ::"r"(to), "l"(&map), "r"(object), "r"(0) : "memory");
    }
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(object) : "memory");
    for (int i = threadIdx.x; i < bytes; i += 32)
        out[i] = box[i];
}

int main()
{
    void *found = NULL;
    unsigned char *memory, *out, in[ROWS * ROW_BYTES], read[ROWS * 128], wanted[ROWS * 128];
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result))
        return 1;
    const auto encode = (decltype(&cuTensorMapEncodeTiled))found;
    for (int i = 0; i < ROWS * ROW_BYTES; i++)
        in[i] = (unsigned char)(i * 7 + i / 256 + 1);
    cudaMalloc(&memory, sizeof in);
    cudaMalloc(&out, sizeof read);
    cudaMemcpy(memory, in, sizeof in, cudaMemcpyHostToDevice);
    for (int atoms = 2; atoms <= 8; atoms *= 2) {
        alignas(64) CUtensorMap map;
        const cuuint64_t dim[2] = {ROW_BYTES, ROWS}, stride[1] = {ROW_BYTES};
        const cuuint32_t size[2] = {ROW_BYTES, ROWS}, step[2] = {1, 1};
        const auto swizzle = atoms == 2 ? CU_TENSOR_MAP_SWIZZLE_32B : atoms == 4 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, memory, dim, stride, size, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        const int pitch = 16 * atoms;
        memset(wanted, 0, sizeof wanted);
        for (int row = 0; row < ROWS; row++)
            for (int x = 0; x < ROW_BYTES; x++)
                wanted[row * pitch + ((x / 16) ^ (row * pitch / 128 % atoms)) * 16 + x % 16] = in[row * ROW_BYTES + x];
        load_rows<<<1, 32>>>(map, out, ROWS * pitch);
        cudaMemcpy(read, out, (size_t)ROWS * pitch, cudaMemcpyDeviceToHost);
        printf("rows_in_%d_bytes: %s\n", pitch, memcmp(read, wanted, (size_t)ROWS * pitch) ? "elsewhere" : "there");
    }
    return 0;
}
