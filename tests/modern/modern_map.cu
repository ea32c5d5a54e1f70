// A tensor map that a kernel changes, as grouped products of matrices do: copied to shared memory, where address, sizes and
// strides are replaced, then to global memory, and used from there. A line a field: what the box holds.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

enum { ROWS = 8, COLUMNS = 8 }; // of the box

struct change {
    const int *address;
    unsigned columns, rows;
    unsigned long long stride_bytes;
};

static __device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

__global__ void load_box(const __grid_constant__ CUtensorMap map, CUtensorMap *changed, change to, int *out)
{
    __shared__ alignas(128) CUtensorMap made;
    __shared__ alignas(128) int box[ROWS * COLUMNS];
    __shared__ uint64_t barrier;
    const unsigned here = shared_address(&made), object = shared_address(&barrier), place = shared_address(box);
    ((unsigned *)&made)[threadIdx.x] = ((const unsigned *)&map)[threadIdx.x];
    __syncwarp();
    if (threadIdx.x == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"l"((uint64_t)here), "l"(to.address) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"l"((uint64_t)here), "r"(to.columns) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"l"((uint64_t)here), "r"(to.rows) : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"l"((uint64_t)here), "l"(to.stride_bytes) : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(changed), "r"(here) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(changed) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"((unsigned)sizeof box) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(place), "l"(changed), "r"(object), "r"(0), "r"(0) : "memory");
    }
    __syncwarp();
    asm volatile("{\n.reg .pred p;\nAGAIN_%=:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN_%=;\n}" ::"r"(object) : "memory");
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += 32)
        out[i] = box[i];
}

int main()
{
    void *found = NULL;
    int *memory, *out, values[4096], box[ROWS * COLUMNS];
    CUtensorMap *changed;
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result))
        return 1;
    const auto encode = (decltype(&cuTensorMapEncodeTiled))found;
    for (int i = 0; i < 4096; i++)
        values[i] = i + 1;
    cudaMalloc(&memory, sizeof values);
    cudaMalloc(&out, sizeof box);
    cudaMalloc(&changed, sizeof *changed);
    cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice);
    alignas(64) CUtensorMap map;
    const cuuint64_t dim[2] = {64, 64}, stride[1] = {256};
    const cuuint32_t size[2] = {COLUMNS, ROWS}, step[2] = {1, 1};
    printf("encoded: %d\n", (int)encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, memory, dim, stride, size, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    const struct {
        const char *name;
        change to;
    } cases[] = {
        {"as_it_was", {memory, 64, 64, 256}},   {"address", {memory + 1024, 64, 64, 256}}, {"columns", {memory, 5, 64, 256}},
        {"rows", {memory, 64, 3, 256}},         {"stride", {memory, 64, 64, 512}},         {"all", {memory + 64, 6, 7, 128}},
    };
    for (const auto &one : cases) {
        load_box<<<1, 32>>>(map, changed, one.to, out);
        cudaMemcpy(box, out, sizeof box, cudaMemcpyDeviceToHost);
        printf("%s: %d %d %d %d, %d %d, sum ", one.name, box[0], box[4], box[5], box[7], box[COLUMNS], box[ROWS * COLUMNS - 1]);
        int sum = 0;
        for (int i = 0; i < ROWS * COLUMNS; i++)
            sum += box[i];
        printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
    }
    return 0;
}
