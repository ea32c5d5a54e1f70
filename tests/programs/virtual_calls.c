/* Virtual memory management by the driver API. */
#include "program.h"

struct properties { /* CUmemAllocationProp */
    int type, handle_types, location_type, location_id;
    void *metadata;
    unsigned char flags[8];
};
struct access { /* CUmemAccessDesc */
    int location_type, location_id, flags;
};

int cuInit(unsigned flags);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuMemGetAllocationGranularity(size_t *bytes, const struct properties *properties, int option);
int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t wanted,
                        uint64_t flags);
int cuMemAddressFree(uint64_t address, size_t bytes);
int cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *properties,
                uint64_t flags);
int cuMemRelease(uint64_t handle);
int cuMemMap(uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags);
int cuMemUnmap(uint64_t address, size_t bytes);
int cuMemSetAccess(uint64_t address, size_t bytes, const struct access *accesses, size_t count);
int cuMemGetAccess(uint64_t *flags, const int *location, uint64_t address);
int cuMemRetainAllocationHandle(uint64_t *handle, void *address);
int cuMemGetAllocationPropertiesFromHandle(struct properties *properties, uint64_t handle);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemsetD32_v2(uint64_t to, unsigned value, size_t count);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);

static const char ptx[] =
    ".version 6.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry add(.param .u64 to, .param .u64 from)\n{\n"
    ".reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd1, %rd1, %rd3;\nadd.s64 %rd2, %rd2, %rd3;\n"
    "ld.global.u32 %r2, [%rd2];\nadd.u32 %r2, %r2, %r1;\nst.global.u32 [%rd1], %r2;\nret;\n}\n";

static const struct properties pinned = {.type = 1, .location_type = 1};
static const struct access both_ways = {1, 0, 3};
static size_t page;
static uint64_t base; /* four pages */

static void refuse(void)
{
    struct properties wrong = pinned;
    uint64_t handle = 0, address = 0;
    wrong.type = 0;
    EXPECT(cuMemCreate(&handle, page, &wrong, 0), 1);
    wrong = pinned;
    wrong.location_id = 99;
    EXPECT(cuMemCreate(&handle, page, &wrong, 0), 101);
    EXPECT(cuMemCreate(&handle, page + 4096, &pinned, 0), 1);
    EXPECT(cuMemCreate(&handle, 0, &pinned, 0), 1);
    EXPECT(cuMemAddressReserve(&address, page / 2, 0, 0, 0), 1);
    EXPECT(cuMemAddressReserve(&address, 0, 0, 0, 0), 1);
    EXPECT(cuMemAddressFree(base, page), 1);
    EXPECT(cuMemSetAccess(base, page, &both_ways, 1), 1);
}

/* Two pieces of memory beside each other, the second also at another place. */
static void use(void *function)
{
    uint64_t first = 0, second = 0, flags = 9, again = 0;
    struct properties kept = {0};
    unsigned got[32] = {0}, wrong = 0;
    EXPECT(cuMemCreate(&first, page, &pinned, 0), 0);
    EXPECT(cuMemCreate(&second, page, &pinned, 0), 0);
    EXPECT(cuMemMap(base, page, 0, first, 0), 0);
    EXPECT(cuMemMap(base, page, 0, second, 0), 1);
    EXPECT(cuMemMap(base + page, 2 * page, 0, second, 0), 801);
    EXPECT(cuMemMap(base + page, page, 0, second, 0), 0);
    EXPECT(cuMemMap(base + 3 * page, page, 0, second, 0), 0);
    EXPECT(cuMemMap(base + 4 * page, page, 0, second, 0), 1);
    EXPECT(cuMemsetD32_v2(base, 7, 1), 1);
    EXPECT(cuMemSetAccess(base, 2 * page, &both_ways, 1), 0);
    EXPECT(cuMemSetAccess(base + 3 * page, page, &both_ways, 1), 0);
    EXPECT(cuMemGetAccess(&flags, &pinned.location_type, base + page), 0);
    EXPECT(flags, 3);
    EXPECT(cuMemGetAllocationPropertiesFromHandle(&kept, first), 0);
    EXPECT(kept.type == 1 && kept.location_type == 1 && kept.location_id == 0, 1);
    EXPECT(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)(base + 3 * page + 64)), 0);
    EXPECT(again == second, 1);
    EXPECT(cuMemRelease(again), 0);
    EXPECT(cuMemRelease(second), 0); /* lives on while it is mapped */
    /* across the seam, seen from the other place */
    const uint64_t seam = base + page - 64;
    EXPECT(cuMemsetD32_v2(seam, 100, 32), 0);
    void *parameters[] = {(void *)&seam, (void *)&seam};
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), 0);
    EXPECT(cuCtxSynchronize(), 0);
    EXPECT(cuMemcpyDtoH_v2(got, seam, sizeof got), 0);
    for (unsigned i = 0; i < 32; i++)
        wrong += got[i] != 100 + i;
    EXPECT(cuMemcpyDtoH_v2(got, base + 3 * page, 64), 0);
    for (unsigned i = 0; i < 16; i++)
        wrong += got[i] != 116 + i;
    EXPECT(wrong, 0);
    EXPECT(cuMemAddressFree(base, 4 * page), 1);
    EXPECT(cuMemUnmap(base, page / 2), 1);
    EXPECT(cuMemUnmap(base, 2 * page), 0);
    EXPECT(cuMemcpyDtoH_v2(got, base, 4), 1);
    EXPECT(cuMemUnmap(base + 3 * page, page), 0);
    EXPECT(cuMemRelease(first), 0);
}

/* Memory without access is memory that is not there. */
static void miss(void *function)
{
    uint64_t handle = 0;
    EXPECT(cuMemCreate(&handle, page, &pinned, 0), 0);
    EXPECT(cuMemMap(base, page, 0, handle, 0), 0);
    void *parameters[] = {&base, &base};
    capture_stderr();
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), 0);
    EXPECT(cuCtxSynchronize(), 700);
    const char *text = captured_stderr();
    if (getenv("WARPLENS_GPU"))
        EXPECT(strstr(text, "illegal memory access") != NULL, 1);
}

int main(void)
{
    void *context, *module = NULL, *function = NULL;
    int is_there = 0;
    EXPECT(cuInit(0), 0);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT(cuCtxSetCurrent(context), 0);
    EXPECT(cuDeviceGetAttribute(&is_there, 102, 0), 0);
    EXPECT(is_there, 1);
    EXPECT(cuModuleLoadData(&module, ptx), 0);
    EXPECT(cuModuleGetFunction(&function, module, "add"), 0);
    EXPECT(cuMemGetAllocationGranularity(&page, &pinned, 0), 0);
    EXPECT(page, 2 << 20);
    EXPECT(cuMemAddressReserve(&base, 4 * page, 0, 0, 0), 0);
    EXPECT(base % page, 0);
    refuse();
    use(function);
    miss(function);
    return failures > 0;
}
