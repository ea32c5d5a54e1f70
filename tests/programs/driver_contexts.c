/* Which calls of the driver need a context that is current, and what becomes of one that is reset
 * or released: the answers of an H200. */
#include "program.h"

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSynchronize(void);
int cuCtxGetApiVersion(void *context, unsigned *version);
int cuModuleLoadData(void **module, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuLibraryLoadData(void **library, const void *image, int *options, void **values,
                      unsigned count, int *library_options, void **library_values, unsigned more);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuLibraryUnload(void *library);
int cuKernelGetFunction(void **function, void *kernel);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **parameters, void **extra);
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes);
int cuMemAllocHost_v2(void **address, size_t bytes);
int cuMemFree_v2(uint64_t pointer);
int cuMemFreeHost(void *address);
int cuMemGetInfo_v2(size_t *left, size_t *total);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream);
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream);
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventSynchronize(void *event);
int cuGraphCreate(void **graph, unsigned flags);
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cuGraphDestroy(void *graph);

enum { INVALID_VALUE = 1, NO_CONTEXT = 201, DESTROYED = 709, REGISTERS = 4, MEMORY_TYPE = 2 };

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry set(.param .u64 p0)\n"
                          "{\n"
                          "\t.reg .b64 %a;\n"
                          "\t.reg .b32 %v;\n"
                          "\tld.param.u64 %a, [p0];\n"
                          "\tmov.u32 %v, 7;\n"
                          "\tst.global.u32 [%a], %v;\n"
                          "\tret;\n"
                          "}\n";

struct made {
    void *module, *stream, *event, *host;
    uint64_t memory;
};

static void make(struct made *made)
{
    EXPECT(cuModuleLoadData(&made->module, ptx), 0);
    EXPECT(cuStreamCreate(&made->stream, 0), 0);
    EXPECT(cuEventCreate(&made->event, 0), 0);
    EXPECT(cuMemAlloc_v2(&made->memory, 64), 0);
    EXPECT(cuMemAllocHost_v2(&made->host, 64), 0);
}

/* What has no context of its own needs one that is current. */
static void refused(struct made *made, void *function)
{
    void *other;
    uint64_t memory;
    size_t bytes;
    unsigned version;
    void *parameters[] = {&made->memory};
    EXPECT(cuCtxPopCurrent_v2(NULL), NO_CONTEXT);
    EXPECT(cuCtxPushCurrent_v2(NULL), INVALID_VALUE);
    EXPECT(cuCtxGetApiVersion(NULL, &version), NO_CONTEXT);
    EXPECT(cuCtxSynchronize(), NO_CONTEXT);
    EXPECT(cuMemAlloc_v2(&memory, 16), NO_CONTEXT);
    EXPECT(cuMemGetInfo_v2(&bytes, &bytes), NO_CONTEXT);
    EXPECT(cuMemcpyDtoH_v2(made->host, made->memory, 4), NO_CONTEXT);
    EXPECT(cuModuleLoadData(&other, ptx), NO_CONTEXT);
    EXPECT(cuStreamCreate(&other, 0), NO_CONTEXT);
    EXPECT(cuStreamSynchronize(NULL), NO_CONTEXT);
    EXPECT(cuEventRecord(made->event, NULL), NO_CONTEXT);
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), NO_CONTEXT);
}

/* What is given tells the context. */
static void taken(struct made *made, void *function)
{
    void *library, *kernel, *graph, *executable;
    int value = 0;
    void *parameters[] = {&made->memory};
    EXPECT(cuFuncGetAttribute(&value, REGISTERS, function), 0);
    EXPECT(cuMemcpyHtoDAsync_v2(made->memory, made->host, 64, made->stream), 0);
    EXPECT(cuMemsetD8Async(made->memory, 0, 64, made->stream), 0);
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, made->stream, parameters, NULL), 0);
    EXPECT(cuEventRecord(made->event, made->stream), 0);
    EXPECT(cuEventSynchronize(made->event), 0);
    EXPECT(cuStreamSynchronize(made->stream), 0);
    EXPECT(cuPointerGetAttribute(&value, MEMORY_TYPE, made->memory), 0);
    EXPECT(*(int *)(uintptr_t)made->memory, 7);
    EXPECT(cuGraphCreate(&graph, 0), 0);
    EXPECT(cuGraphInstantiateWithFlags(&executable, graph, 0), NO_CONTEXT);
    EXPECT(cuGraphDestroy(graph), 0);
    EXPECT(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0), 0);
    EXPECT(cuLibraryGetKernel(&kernel, library, "set"), 0);
    EXPECT(cuKernelGetFunction(&function, kernel), NO_CONTEXT);
    EXPECT(cuLibraryUnload(library), 0);
}

static void freed(struct made *made)
{
    EXPECT(cuStreamDestroy_v2(made->stream), 0);
    EXPECT(cuEventDestroy_v2(made->event), 0);
    EXPECT(cuMemFreeHost(made->host), 0);
    EXPECT(cuMemFree_v2(made->memory), 0);
    EXPECT(cuMemFree_v2(made->memory), INVALID_VALUE);
    EXPECT(cuMemFree_v2(0), 0);
    EXPECT(cuModuleUnload(made->module), 0);
}

static void expect_state(unsigned wanted_flags, int wanted_active)
{
    unsigned flags;
    int is_active;
    EXPECT(cuDevicePrimaryCtxGetState(0, &flags, &is_active), 0);
    EXPECT(flags, wanted_flags);
    EXPECT(is_active, wanted_active);
}

/* A context that was reset stays current, and is of no use until it is retained and set again. */
static void destroyed(void *context)
{
    void *found;
    uint64_t memory;
    size_t bytes;
    EXPECT(cuCtxSetCurrent(context), 0);
    EXPECT(cuDevicePrimaryCtxReset_v2(0), 0);
    expect_state(0, 0);
    EXPECT(cuCtxGetCurrent(&found), 0);
    EXPECT(found == context, 1);
    EXPECT(cuMemAlloc_v2(&memory, 64), DESTROYED);
    EXPECT(cuMemGetInfo_v2(&bytes, &bytes), DESTROYED);
    EXPECT(cuCtxSynchronize(), DESTROYED);
    EXPECT(cuDevicePrimaryCtxRelease_v2(0), 0);
    EXPECT(cuDevicePrimaryCtxRelease_v2(0), NO_CONTEXT);
    EXPECT(cuDevicePrimaryCtxRetain(&found, 0), 0);
    EXPECT(found == context, 1);
    EXPECT(cuCtxSetCurrent(found), 0);
    EXPECT(cuMemAlloc_v2(&memory, 64), 0);
    EXPECT(cuDevicePrimaryCtxSetFlags_v2(0, 4), 0);
    expect_state(4, 1);
    EXPECT(cuDevicePrimaryCtxRelease_v2(0), 0); /* the last */
    expect_state(0, 0);
    EXPECT(cuMemAlloc_v2(&memory, 64), DESTROYED);
    EXPECT(cuCtxSetCurrent(NULL), 0);
    EXPECT(cuMemAlloc_v2(&memory, 64), NO_CONTEXT);
}

int main(void)
{
    void *context, *popped, *function;
    struct made made;
    EXPECT(cuInit(0), 0);
    EXPECT(cuDevicePrimaryCtxRetain(&context, 0), 0);
    EXPECT(cuCtxSetCurrent(context), 0);
    make(&made);
    EXPECT(cuCtxPopCurrent_v2(&popped), 0);
    EXPECT(popped == context, 1);
    EXPECT(cuModuleGetFunction(&function, made.module, "set"), 0);
    refused(&made, function);
    taken(&made, function);
    freed(&made);
    destroyed(context);
    return failures != 0;
}
