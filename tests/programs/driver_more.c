/* Rarer calls of the driver and the runtime: contexts and devices by number, attributes of streams,
 * values that streams wait for, kernels that are listed, copies between arrays. */
#include <pthread.h>

#include "runtime.h"

int cuInit(unsigned flags);
int cuCtxGetCurrent(void **context);
int cuCtxGetId(void *context, unsigned long long *id);
int cuCtxGetDevice_v2(int *device, void *context);
int cuCtxSynchronize_v2(void *context);
int cuCtxGetFlags(unsigned *flags);
int cuCtxSetFlags(unsigned flags);
int cuCtxRecordEvent(void *context, void *event);
int cuCtxWaitEvent(void *context, void *event);
int cuStreamGetCtx_v2(void *stream, void **context, void **green);
int cuStreamGetDevice(void *stream, int *device);
int cuDeviceGetPCIBusId(char *text, int length, int device);
int cuDeviceGetByPCIBusId(int *device, const char *text);
int cuDeviceGetLuid(char *luid, unsigned *mask, int device);
int cuDeviceGetProperties(int *properties, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
int cuDeviceGetHostAtomicCapabilities(unsigned *found, const int *operations, unsigned count,
                                      int device);
int cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format, unsigned channels, int device);
int cudaDeviceGetHostAtomicCapabilities(unsigned *found, const int *operations, unsigned count,
                                        int device);
int cudaDeviceGetP2PAtomicCapabilities(unsigned *found, const int *operations, unsigned count,
                                       int device, int peer);
int cudaThreadGetLimit(size_t *value, int limit);
int cudaThreadSetLimit(int limit, size_t value);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaThreadGetCacheConfig(int *config);

static void *stream, *context;

static void ask(void)
{
    unsigned long long id = 0, again = 0;
    unsigned flags, mask, found[2] = {7, 7};
    int device = 7, properties[14], value, cas[] = {9, 0}, wrong[] = {13};
    char text[16], luid[8];
    size_t size;
    void *got, *green = &got, *event;
    EXPECT(cuCtxGetCurrent(&context), 0);
    EXPECT(cuCtxGetId(context, &id), 0);
    EXPECT(cuCtxGetId(NULL, &again), 0);
    EXPECT(id == again && id, 1);
    EXPECT(cuCtxGetId(context, NULL), 1);
    EXPECT(cuCtxGetDevice_v2(&device, context), 0);
    EXPECT(device, 0);
    EXPECT(cuCtxSynchronize_v2(context), 0);
    EXPECT(cuCtxSetFlags(2), 0);
    EXPECT(cuCtxGetFlags(&flags), 0);
    EXPECT(flags, 10);
    EXPECT(cuCtxSetFlags(0x80), 0);
    EXPECT(cuCtxGetFlags(&flags), 0);
    EXPECT(flags, 0x88);
    EXPECT(cuCtxSetFlags(0x60), 0); /* taken, not told */
    EXPECT(cuCtxGetFlags(&flags), 0);
    EXPECT(flags, 8);
    EXPECT(cuCtxSetFlags(3), 1);
    EXPECT(cuCtxSetFlags(0x4000), 1);
    EXPECT(cudaEventCreate(&event), 0);
    EXPECT(cuCtxRecordEvent(context, event), 0);
    EXPECT(cuCtxWaitEvent(context, event), 0);
    EXPECT(cuCtxWaitEvent(context, NULL), 400);
    EXPECT(cuStreamGetCtx_v2(stream, &got, &green), 0);
    EXPECT(got == context && !green, 1);
    EXPECT(cuStreamGetDevice(stream, &device), 0);
    EXPECT(cuDeviceGetPCIBusId(text, sizeof text, 0), 0);
    EXPECT(cuDeviceGetByPCIBusId(&device, text), 0);
    EXPECT(cuDeviceGetByPCIBusId(&device, strchr(text, ':') + 1), 0);
    EXPECT(cuDeviceGetByPCIBusId(&device, "0000:ff:1f.0"), 101);
    EXPECT(cuDeviceGetByPCIBusId(&device, "junk"), 1);
    EXPECT(cuDeviceGetLuid(luid, &mask, 0), 801);
    EXPECT(cuDeviceGetProperties(properties, 0), 0);
    EXPECT(properties[0] == 1024 && properties[3] == 64 && properties[9] == 32, 1);
    EXPECT(cuDeviceGetAttribute(&value, 13, 0), 0);
    EXPECT(properties[12], value);
    EXPECT(cuDeviceGetP2PAttribute(&value, 2, 0, 0), 101);
    EXPECT(cuDeviceGetHostAtomicCapabilities(found, cas, 2, 0), 0);
    EXPECT(found[0] == 0 && found[1] == 0, 1);
    EXPECT(cudaDeviceGetHostAtomicCapabilities(found, wrong, 1, 0), 1);
    EXPECT(cudaDeviceGetHostAtomicCapabilities(found, cas, 0, 0), 1);
    EXPECT(cudaDeviceGetP2PAtomicCapabilities(found, cas, 1, 0, 0), 101);
    EXPECT(cuDeviceGetTexture1DLinearMaxWidth(&size, 0x20, 4, 0), 0);
    EXPECT(size, 1 << 28);
    EXPECT(cuDeviceGetTexture1DLinearMaxWidth(&size, 0x01, 1, 0), 0);
    EXPECT(size, 1 << 30);
    EXPECT(cuDeviceGetTexture1DLinearMaxWidth(&size, 0x77, 1, 0), 1);
    EXPECT(cudaThreadSetLimit(0, 4096), 0);
    EXPECT(cudaThreadGetLimit(&size, 0), 0);
    EXPECT(size, 4096);
    EXPECT(cudaThreadGetLimit(&size, 77), 215);
    EXPECT(cudaThreadGetCacheConfig(&value), 0);
}

/* ---- attributes of streams ---- */

int cuStreamGetAttribute(void *stream, int attribute, void *value);
int cuStreamSetAttribute(void *stream, int attribute, const void *value);
int cuStreamCopyAttributes(void *to, void *from);
int cudaStreamGetAttribute(void *stream, int attribute, void *value);
int cudaStreamGetPriority(void *stream, int *priority);

static void set_attributes(void)
{
    union {
        char bytes[64];
        int number;
    } value, spin = {.number = 1}, priority = {.number = -2}, low = {.number = -77};
    void *other;
    int got;
    EXPECT(cudaStreamCreate(&other), 0);
    EXPECT(cuStreamGetAttribute(stream, 3, &value), 0);
    EXPECT(value.number, -1);
    for (int i = -1; i <= 5; i++) /* policies are 1 to 4 */
        EXPECT(cuStreamSetAttribute(stream, 3, &(int[16]){i}), i < 1 || i > 4);
    EXPECT(cuStreamSetAttribute(stream, 10, &(int[16]){2}), 1);
    EXPECT(cuStreamSetAttribute(stream, 9, &(char[64]){9}), 1);
    EXPECT(cuStreamSetAttribute(stream, 9, &(char[64]){1, 0}), 0);
    memset(&value, 7, sizeof value);
    EXPECT(cuStreamGetAttribute(stream, 1, &value), 0);
    EXPECT(value.bytes[31] == 0 && value.bytes[32] == 7, 1);
    EXPECT(cuStreamSetAttribute(stream, 3, &spin), 0);
    EXPECT(cuStreamSetAttribute(stream, 8, &priority), 0);
    EXPECT(cuStreamSetAttribute(stream, 2, &spin), 1);
    EXPECT(cuStreamGetAttribute(stream, 4, &value), 1);
    EXPECT(cuStreamSetAttribute(stream, 3, NULL), 1);
    EXPECT(cudaStreamGetAttribute(stream, 3, &value), 0);
    EXPECT(value.number, 1);
    EXPECT(cuStreamCopyAttributes(other, stream), 0);
    EXPECT(cuStreamGetAttribute(other, 3, &value), 0);
    EXPECT(value.number, 1);
    EXPECT(cudaStreamGetPriority(other, &got), 0);
    EXPECT(got, -2);
    EXPECT(cuStreamSetAttribute(other, 8, &low), 0);
    EXPECT(cuStreamGetAttribute(other, 8, &value), 0);
    EXPECT(value.number, -5);
    EXPECT(cuStreamCopyAttributes(other, (void *)&value), 400);
    EXPECT(cudaStreamDestroy(other), 0);
    for (int i = 0; i < 8; i++) { /* new ones have none of those that went, at the same address */
        EXPECT(cudaStreamCreate(&other), 0);
        EXPECT(cuStreamGetAttribute(other, 3, &value), 0);
        EXPECT(value.number, -1);
        EXPECT(cuStreamSetAttribute(other, 3, &spin), 0);
        EXPECT(cudaStreamDestroy(other), 0);
    }
    EXPECT(cuStreamSetAttribute(NULL, 3, &spin), 0);
    EXPECT(cuStreamGetAttribute((void *)1, 3, &value), 0); /* the same stream */
    EXPECT(value.number, 1);
}

/* ---- values ---- */

union item {
    struct {
        int operation;
        uint64_t address, value;
        unsigned flags;
    };
    uint64_t padding[6];
};

#define VALUES(bits, suffix)                                                                   \
    int cuStreamWriteValue##bits##suffix(void *stream, uint64_t address, uint##bits##_t value, \
                                         unsigned flags);                                      \
    int cuStreamWaitValue##bits##suffix(void *stream, uint64_t address, uint##bits##_t value,  \
                                        unsigned flags);
VALUES(32, )
VALUES(32, _v2)
VALUES(64, )
VALUES(64, _v2)
int cuStreamBatchMemOp(void *stream, unsigned count, union item *items, unsigned flags);
int cuStreamBatchMemOp_v2(void *stream, unsigned count, union item *items, unsigned flags);
int cuStreamQuery(void *stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);

enum { AT_LEAST, EQUAL, HAS_BIT, LACKS_BIT };

static void *write_late(void *word)
{
    usleep(20000);
    __atomic_store_n((uint32_t *)word, 77, __ATOMIC_RELEASE);
    return NULL;
}

/* The stream's further work runs when the host has written, and no earlier. */
static void wait_for_host(void)
{
    uint32_t *word, *device, got;
    uint64_t address;
    pthread_t thread;
    EXPECT(cudaHostAlloc((void **)&word, 64, 2), 0);
    EXPECT(cudaMalloc((void **)&device, 64), 0);
    EXPECT(cudaMemset(device, 0, 64), 0);
    *word = 5;
    address = (uint64_t)(uintptr_t)word;
    EXPECT(cuStreamWaitValue32_v2(stream, address, 77, EQUAL), 0);
    EXPECT(cudaMemsetAsync(device, 1, 4, stream), 0);
    EXPECT(cuStreamWriteValue32(stream, address + 4, 9, 0), 0);
    EXPECT(cuStreamQuery(stream), 600);
    EXPECT(pthread_create(&thread, NULL, write_late, word), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(*word, 77);
    EXPECT(word[1], 9);
    EXPECT(cudaMemcpy(&got, device, 4, DEVICE_TO_HOST), 0);
    EXPECT(got, 0x01010101);
    pthread_join(thread, NULL);
    EXPECT(cudaFree(device), 0);
}

/* What one stream waits for another one writes. */
static void wait_for_stream(void)
{
    uint32_t *device;
    uint64_t address;
    void *other;
    EXPECT(cudaStreamCreate(&other), 0);
    EXPECT(cudaMalloc((void **)&device, 64), 0);
    EXPECT(cudaMemset(device, 0, 64), 0);
    address = (uint64_t)(uintptr_t)device;
    EXPECT(cuStreamWaitValue32(stream, address, 3, AT_LEAST), 0);
    EXPECT(cuStreamQuery(stream), 600);
    EXPECT(cuStreamWriteValue32(other, address, 4, 0), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(cudaStreamDestroy(other), 0);
    EXPECT(cudaFree(device), 0);
}

static void pass_values(void)
{
    uint64_t address, got[2];
    void *device;
    int local;
    EXPECT(cudaMalloc(&device, 64), 0);
    EXPECT(cudaMemset(device, 0, 64), 0);
    address = (uint64_t)(uintptr_t)device;
    EXPECT(cuStreamWriteValue32(stream, address, 11, 0), 0);
    EXPECT(cuStreamWriteValue64(stream, address + 8, 0x1234567890, 0), 0);
    EXPECT(cuStreamWriteValue64_v2(stream, address + 12, 1, 0), 1);
    EXPECT(cuStreamWriteValue32_v2(stream, address + 2, 1, 0), 1);
    EXPECT(cuStreamWriteValue32(stream, address, 1, 2), 1);
    EXPECT(cuStreamWriteValue32(stream, (uint64_t)(uintptr_t)&local, 1, 0), 1);
    EXPECT(cuStreamWaitValue32(stream, address, 11, EQUAL), 0);
    EXPECT(cuStreamWaitValue32(stream, address, 0xfffffff0, AT_LEAST), 0);
    EXPECT(cuStreamWaitValue32(stream, address, 2, HAS_BIT), 0);
    EXPECT(cuStreamWaitValue32(stream, address, 1, LACKS_BIT), 0);
    EXPECT(cuStreamWaitValue32(stream, address, 1, 4), 1);
    EXPECT(cuStreamWaitValue32(stream, address, 11, 1 | 1 << 30), 801);
    EXPECT(cuStreamWaitValue64(stream, address + 8, 0x1234567890, EQUAL), 0);
    EXPECT(cuStreamWaitValue64_v2(stream, address + 8, 0x1234567890, AT_LEAST), 0);
    EXPECT(cuStreamQuery(stream), 0);
    EXPECT(cudaMemcpy(got, device, 16, DEVICE_TO_HOST), 0);
    EXPECT(got[0] == 11 && got[1] == 0x1234567890, 1);
    union item items[] = {{{2, address, 21, 0}}, {{6, 0, 0, 0}}, {{1, address, 21, EQUAL}}};
    EXPECT(cuStreamBatchMemOp(stream, 3, items, 0), 0);
    EXPECT(cuStreamBatchMemOp_v2(stream, 3, items, 1), 1);
    EXPECT(cuStreamBatchMemOp(stream, 0, items, 0), 0);
    EXPECT(cuStreamBatchMemOp(stream, 300, items, 0), 1);
    items[0].operation = 9;
    EXPECT(cuStreamBatchMemOp_v2(stream, 1, items, 0), 1);
    EXPECT(cudaMemcpy(got, device, 8, DEVICE_TO_HOST), 0);
    EXPECT(got[0], 21);
    EXPECT(cudaFree(device), 0);
}

/* ---- kernels ---- */

int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunctionCount(unsigned *count, void *module);
int cuModuleEnumerateFunctions(void **functions, unsigned count, void *module);
int cuFuncGetName(const char **name, void *function);
int cuFuncIsLoaded(int *state, void *function);
int cuFuncLoad(void *function);
int cuLibraryLoadFromFile(void **library, const char *path, int *a, void **b, unsigned c, int *d,
                          void **e, unsigned f);
int cuLibraryGetKernelCount(unsigned *count, void *library);
int cuLibraryEnumerateKernels(void **kernels, unsigned count, void *library);
int cuLibraryGetManaged(uint64_t *pointer, size_t *bytes, void *library, const char *name);
int cuKernelGetLibrary(void **library, void *kernel);
int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *bytes);
int cuKernelSetCacheConfig(void *kernel, int config, int device);
int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *function, int blocks, int size);
int cudaLibraryLoadFromFile(void **library, const char *path, int *a, void **b, unsigned c, int *d,
                            void **e, unsigned f);
int cudaLibraryGetKernelCount(unsigned *count, void *library);
int cudaLibraryEnumerateKernels(void **kernels, unsigned count, void *library);
int cudaLibraryUnload(void *library);
struct launch {
    void *function;
    struct dim3 grid, block;
    void **arguments;
    size_t shared;
    void *stream;
};
int cudaLaunchCooperativeKernelMultiDevice(struct launch *launches, unsigned count, unsigned flags);

static const char ptx[] =
    ".version 7.0\n.target sm_60\n.address_size 64\n"
    ".visible .entry one(.param .u32 a, .param .u64 out)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [a];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
    ".visible .entry two()\n{\nret;\n}\n";

static void list_kernels(void)
{
    static char path[] = "/tmp/warplens-ptx-XXXXXX";
    void *module, *library, *other, *kernels[3] = {NULL}, *device;
    unsigned count = 0, number = 42, got = 0;
    const char *name;
    int state = 7;
    size_t offset, bytes;
    uint64_t pointer;
    EXPECT(cuModuleLoadData(&module, ptx), 0);
    EXPECT(cuModuleGetFunctionCount(&count, module), 0);
    EXPECT(count, 2);
    EXPECT(cuModuleGetFunctionCount(&count, NULL), 400);
    EXPECT(cuModuleEnumerateFunctions(kernels, 3, module), 0);
    EXPECT(kernels[0] && kernels[1] && !kernels[2], 1);
    EXPECT(cuFuncGetName(&name, kernels[1]), 0);
    EXPECT_TEXT(name, "two");
    EXPECT(cuFuncLoad(kernels[1]), 0);
    EXPECT(cuFuncIsLoaded(&state, kernels[1]), 0);
    EXPECT(state, 1);
    EXPECT(cuFuncLoad(NULL), 400);
    EXPECT(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernels[1], 2, 128), 0);
    EXPECT(bytes, 49152);
    EXPECT(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernels[1], 0, 128), 1);

    const int file = mkstemp(path);
    EXPECT(write(file, ptx, sizeof ptx - 1) == (ssize_t)sizeof ptx - 1 && !close(file), 1);
    EXPECT(cuLibraryLoadFromFile(&library, "/nowhere", NULL, NULL, 0, NULL, NULL, 0), 301);
    EXPECT(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), 0);
    EXPECT(cuLibraryGetKernelCount(&count, library), 0);
    EXPECT(count, 2);
    EXPECT(cuLibraryEnumerateKernels(kernels, 1, library), 0);
    EXPECT(cuKernelGetLibrary(&other, kernels[0]), 0);
    EXPECT(other == library, 1);
    EXPECT(cuKernelGetParamInfo(kernels[0], 1, &offset, &bytes), 0);
    EXPECT(offset == 8 && bytes == 8, 1);
    EXPECT(cuKernelGetParamInfo(kernels[0], 2, &offset, &bytes), 1);
    EXPECT(cuKernelSetCacheConfig(kernels[0], 2, 0), 0);
    EXPECT(cuKernelSetCacheConfig(kernels[0], 9, 0), 1);
    EXPECT(cuLibraryGetManaged(&pointer, &bytes, library, "none"), 500);

    EXPECT(cudaLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0), 0);
    EXPECT(cudaLibraryLoadFromFile(&other, "/nowhere", NULL, NULL, 0, NULL, NULL, 0), 301);
    EXPECT(cudaLibraryGetKernelCount(&count, library), 0);
    EXPECT(count, 2);
    EXPECT(cudaLibraryEnumerateKernels(kernels, 3, library), 0);
    EXPECT(cudaMalloc(&device, 4), 0);
    void *arguments[] = {&number, &device};
    struct launch launch = {kernels[0], {1, 1, 1}, {1, 1, 1}, arguments, 0, stream};
    EXPECT(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 0), 0);
    EXPECT(cudaLaunchCooperativeKernelMultiDevice(&launch, 0, 0), 1);
    EXPECT(cudaLaunchCooperativeKernelMultiDevice(NULL, 1, 0), 1);
    EXPECT(cudaMemcpy(&got, device, 4, DEVICE_TO_HOST), 0);
    EXPECT(got, 42);
    EXPECT(cudaFree(device), 0);
    EXPECT(cudaLibraryUnload(library), 0);
    EXPECT(unlink(path), 0);
}

/* ---- copies ---- */

struct channels {
    int x, y, z, w, kind;
};
int cudaMallocArray(void **array, const struct channels *channels, size_t width, size_t height,
                    unsigned flags);
int cudaMemcpyArrayToArray(void *to, size_t x, size_t y, void *from, size_t from_x, size_t from_y,
                           size_t bytes, int kind);
int cudaMemcpyToArray(void *to, size_t x, size_t y, const void *from, size_t bytes, int kind);
int cudaMemcpyFromArray(void *to, void *from, size_t x, size_t y, size_t bytes, int kind);
int cudaArrayGetMemoryRequirements(void *requirements, void *array, int device);
int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct channels *channels,
                                         int device);
int cuMemcpyAtoA_v2(void *to, size_t offset, void *from, size_t from_offset, size_t bytes);
int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes);
int cuMemcpyPeerAsync(uint64_t to, void *to_context, uint64_t from, void *from_context,
                      size_t bytes, void *stream);
struct side_3d {
    size_t x_bytes, y, z, level;
    int type;
    void *host;
    uint64_t device;
    void *array, *context;
    size_t pitch, height;
};
struct copy_3d_peer {
    struct side_3d from, to;
    size_t width, height, depth;
};
int cuMemcpy3DPeer(const struct copy_3d_peer *copy);
int cuMemcpy3DPeerAsync(const struct copy_3d_peer *copy, void *stream);
int cuPointerSetAttribute(const void *value, int attribute, uint64_t pointer);
int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer);
int cuPointerGetAttributes(unsigned count, const int *attributes, void **values, uint64_t pointer);
int cuCtxGetCurrent(void **context);

/* As an H200 answers: of device memory, of managed and page-locked memory, and of the program's
 * own, of which the range is left as it is. 7 stands for what is not written. */
static void ask_of_pointers(void)
{
    enum { CONTEXT, TYPE, ADDRESS, HOST, SYNC, ID, MANAGED, ORDINAL, START, SIZE, MAPPED, DIRECT };
    enum { ACCESS = DIRECT + 1, POOL, COUNT, KINDS = 4 };
    static const int attributes[COUNT] = {1, 2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17};
    const uint64_t upper = 0x700000000;
    char own[64];
    void *device, *managed, *pinned, *current;
    EXPECT(cuCtxGetCurrent(&current), 0);
    EXPECT(cudaMalloc(&device, 4096), 0);
    EXPECT(cudaMallocManaged(&managed, 4096, 1), 0);
    EXPECT(cudaHostAlloc(&pinned, 4096, 0), 0);
    const uint64_t context = (uintptr_t)current, d = (uintptr_t)device, m = (uintptr_t)managed,
                   p = (uintptr_t)pinned, o = (uintptr_t)own;
    const uint64_t addresses[KINDS] = {d + 8, m, p, o};
    const uint64_t wanted[KINDS][COUNT] = {
        {context, upper | 2, d + 8, 0, upper, 0, upper, upper, d, 4096, upper | 1, upper | 1,
         upper | 3, 0},
        {context, upper | 2, m, m, upper | 1, 0, upper | 1, upper, m, 4096, upper | 1, upper,
         upper | 3, 0},
        {context, upper | 1, p, p, upper, 0, upper, upper, p, 4096, upper | 1, upper, upper | 3, 0},
        {0, upper, 0, o, upper, 0, upper, upper | 0xfffffffe, upper, upper, upper, upper, upper, 0},
    };
    uint64_t got[KINDS][COUNT], alone = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        void *values[COUNT];
        for (int i = 0; i < COUNT; i++) {
            got[kind][i] = upper;
            values[i] = &got[kind][i];
        }
        EXPECT(cuPointerGetAttributes(COUNT, attributes, values, addresses[kind]), 0);
        for (int i = 0; i < COUNT; i++)
            if (i != ID)
                EXPECT(got[kind][i], wanted[kind][i]);
    }
    EXPECT(got[0][ID] && got[0][ID] != got[1][ID] && got[1][ID] != got[2][ID], 1);
    EXPECT(got[3][ID], 0);
    EXPECT(cuPointerGetAttribute(&alone, attributes[ID], d), 0);
    EXPECT(alone, got[0][ID]);
    EXPECT(cuPointerGetAttribute(&alone, attributes[HOST], d), 1);
    EXPECT(cuPointerGetAttribute(&alone, attributes[TYPE], o), 1);
    EXPECT(cuPointerSetAttribute(&(unsigned){1}, attributes[SYNC], d + 8), 0);
    alone = 0;
    EXPECT(cuPointerGetAttribute(&alone, attributes[SYNC], d), 0);
    EXPECT(alone, 1);
    EXPECT(cudaFree(device), 0);
    EXPECT(cudaMalloc(&device, 4096), 0); /* at the same place */
    EXPECT(cuPointerGetAttribute(&alone, attributes[SYNC], (uint64_t)(uintptr_t)device), 0);
    EXPECT(alone, 0);
    EXPECT(cuPointerGetAttribute(&alone, attributes[ID], (uint64_t)(uintptr_t)device), 0);
    EXPECT(alone != got[0][ID], 1);
    EXPECT(cuPointerGetAttributes(0, attributes, NULL, d), 1);
    EXPECT(cudaFree(device), 0);
    EXPECT(cudaFree(managed), 0);
    EXPECT(cudaFreeHost(pinned), 0);
}
int cuStreamAttachMemAsync(void *stream, void *address, size_t bytes, unsigned flags);

enum { WIDTH = 16, HEIGHT = 8, COUNT = WIDTH * HEIGHT };

static void copy_arrays(void)
{
    const struct channels floats = {32, 0, 0, 0, 2};
    float host[COUNT], got[COUNT], wanted[COUNT];
    void *from, *to;
    size_t width;
    int differing = 0;
    for (int i = 0; i < COUNT; i++) {
        host[i] = (float)i;
        wanted[i] = -1;
    }
    EXPECT(cudaMallocArray(&from, &floats, WIDTH, HEIGHT, 0), 0);
    EXPECT(cudaMallocArray(&to, &floats, WIDTH, HEIGHT, 0), 0);
    EXPECT(cudaMemcpyToArray(from, 0, 0, host, sizeof host, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpyToArray(to, 0, 0, wanted, sizeof host, HOST_TO_DEVICE), 0);
    EXPECT(cudaMemcpyArrayToArray(to, 12, 1, from, 8, 2, 30 * 4, DEVICE_TO_DEVICE), 0);
    for (int i = 0; i < 30; i++)
        wanted[WIDTH + 3 + i] = host[2 * WIDTH + 2 + i];
    EXPECT(cuMemcpyAtoA_v2(to, 5 * WIDTH * 4, from, 4, 20 * 4), 0);
    for (int i = 0; i < 20; i++)
        wanted[5 * WIDTH + i] = host[1 + i];
    EXPECT(cudaMemcpyFromArray(got, to, 0, 0, sizeof got, DEVICE_TO_HOST), 0);
    for (int i = 0; i < COUNT; i++)
        differing += got[i] != wanted[i];
    EXPECT(differing, 0);
    EXPECT(cudaMemcpyArrayToArray(to, 0, 7, from, 0, 0, 2 * WIDTH * 4, DEVICE_TO_DEVICE), 1);
    EXPECT(cudaMemcpyArrayToArray(to, 0, 0, from, 0, 0, 4, HOST_TO_DEVICE), 21);
    EXPECT(cuMemcpyAtoA_v2(to, COUNT * 4, from, 0, 4), 1);
    EXPECT(cudaArrayGetMemoryRequirements(got, to, 0), 1);
    EXPECT(cudaDeviceGetTexture1DLinearMaxWidth(&width, &floats, 0), 0);
    EXPECT(width, 1 << 30);
}

static void copy_peers(void)
{
    char host[256], got[256], *device;
    uint64_t address;
    int differing = 0, on = 1;
    void *managed;
    for (int i = 0; i < 256; i++)
        host[i] = (char)i;
    EXPECT(cudaMalloc((void **)&device, 512), 0);
    EXPECT(cudaMemset(device, 0, 512), 0);
    EXPECT(cudaMemcpy(device, host, 256, HOST_TO_DEVICE), 0);
    address = (uint64_t)(uintptr_t)device;
    EXPECT(cuMemcpyPeer(address + 256, context, address + 10, context, 20), 0);
    EXPECT(cuMemcpyPeerAsync(address + 300, context, address + 50, context, 20, stream), 0);
    struct copy_3d_peer copy = {
        .from = {.type = 2, .device = address, .x_bytes = 2, .pitch = 16, .height = 4},
        .to = {.type = 2, .device = address + 400, .pitch = 8, .height = 2},
        .width = 5,
        .height = 2,
        .depth = 2};
    EXPECT(cuMemcpy3DPeer(&copy), 0);
    copy.to.device += 50;
    EXPECT(cuMemcpy3DPeerAsync(&copy, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(cudaMemcpy(got, device + 256, 256, DEVICE_TO_HOST), 0);
    for (int i = 0; i < 256; i++) {
        int wanted = i < 20 ? i + 10 : i >= 44 && i < 64 ? i + 6 : 0;
        for (int start = 144; start <= 194; start += 50) {
            const int x = (i - start) % 8, y = (i - start) / 8 % 2, z = (i - start) / 16;
            if (i >= start && x < 5 && z < 2)
                wanted = 2 + x + 16 * y + 64 * z;
        }
        differing += got[i] != (char)wanted;
    }
    EXPECT(differing, 0);
    EXPECT(cuPointerSetAttribute(&on, 6, address), 0);
    EXPECT(cuPointerSetAttribute(&on, 2, address), 1);
    EXPECT(cuPointerSetAttribute(&on, 6, 64), 1);
    ask_of_pointers();
    EXPECT(cudaMallocManaged(&managed, 4096, 1), 0);
    EXPECT(cuStreamAttachMemAsync(stream, managed, 0, 4), 0);
    EXPECT(cuStreamAttachMemAsync(stream, managed, 17, 1), 1);
    EXPECT(cuStreamAttachMemAsync(stream, managed, 0, 9), 1);
    EXPECT(cuStreamAttachMemAsync(NULL, managed, 0, 4), 1);
    EXPECT(cuStreamAttachMemAsync(stream, device, 0, 1), 1);
}

int main(void)
{
    EXPECT(cuInit(0), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    ask();
    set_attributes();
    pass_values();
    wait_for_host();
    wait_for_stream();
    list_kernels();
    copy_arrays();
    copy_peers();
    return failures != 0;
}
