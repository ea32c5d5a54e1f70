/* Several equal devices, and what the runtime and the driver know of each other. */
#include "runtime.h"

int cudaGetDevice(int *device);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaDeviceDisablePeerAccess(int peer);
int cudaDeviceGetPCIBusId(char *text, int length, int device);
int cudaDeviceGetByPCIBusId(int *device, const char *text);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
int cudaStreamSetAttribute(void *stream, int attribute, const void *value);
int cudaStreamGetAttribute(void *stream, int attribute, void *value);
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuCtxGetDevice(int *device);
int cuCtxGetCurrent(void **context);
int cuCtxSetCurrent(void *context);
int cuStreamGetCtx(void *stream, void **context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxEnablePeerAccess(void *context, unsigned flags);
int cuCtxDisablePeerAccess(void *context);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cudaMallocAsync(void **address, size_t bytes, void *stream);
int cuMemAlloc_v2(void **address, size_t bytes);
int cuPointerGetAttribute(void *value, int attribute, void *pointer);

/* Each API finds what the other one selected. */
static void select_by_contexts(void)
{
    void *contexts[2], *got, *stream;
    int device = 77;
    EXPECT(cudaSetDevice(0), 0);
    for (int i = 0; i < 2; i++)
        EXPECT(cuDevicePrimaryCtxRetain(&contexts[i], i), 0);
    EXPECT(cuCtxSetCurrent(contexts[1]), 0);
    EXPECT(cudaGetDevice(&device), 0);
    EXPECT(device, 1);
    EXPECT(cuCtxPushCurrent_v2(contexts[0]), 0);
    EXPECT(cudaGetDevice(&device), 0);
    EXPECT(device, 0);
    EXPECT(cuCtxPopCurrent_v2(&got), 0);
    EXPECT(got == contexts[0], 1);
    EXPECT(cudaGetDevice(&device), 0);
    EXPECT(device, 1);
    EXPECT(cudaSetDevice(0), 0);
    EXPECT(cuCtxGetCurrent(&got), 0);
    EXPECT(got == contexts[0], 1);
    EXPECT(cuCtxGetDevice(&device), 0);
    EXPECT(device, 0);
    EXPECT(cuCtxSetCurrent(contexts[1]), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cuCtxSetCurrent(contexts[0]), 0);
    EXPECT(cuStreamGetCtx(stream, &got), 0);
    EXPECT(got == contexts[1], 1);
    EXPECT(cuStreamGetCtx(NULL, &got), 0);
    EXPECT(got == contexts[0], 1);
    EXPECT(cuCtxEnablePeerAccess(contexts[1], 1), 1);
    EXPECT(cuCtxEnablePeerAccess(contexts[0], 0), 201);
    EXPECT(cuCtxEnablePeerAccess(NULL, 0), 201);
    EXPECT(cuCtxEnablePeerAccess(contexts[1], 0), 0);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), 704);
    EXPECT(cudaGetLastError(), 704);
    EXPECT(cuCtxDisablePeerAccess(contexts[1]), 0);
    EXPECT(cuCtxDisablePeerAccess(contexts[1]), 705);
    EXPECT(cuCtxSetCurrent(NULL), 0);
}

int main(void)
{
    int device = -1, count = 0, can = -1;
    void *here, *there, *stream;
    char text[32], attribute[64] = {1, 2, 3}, got[64];
    struct {
        int type, device;
        void *device_address, *host_address;
        long reserved[8];
    } attributes;
    EXPECT(setenv("WARPLENS_DEVICES", "2", 1), 0);
    EXPECT(cuCtxGetDevice(&device), 3);
    EXPECT(cudaGetDeviceCount(&count), 0);
    EXPECT(count, 2);
    EXPECT(cudaSetDevice(2), 101);
    EXPECT(cudaGetLastError(), 101);
    EXPECT(cudaMalloc(&here, 64), 0);
    EXPECT(cudaSetDevice(1), 0);
    EXPECT(cuCtxGetDevice(&device), 0); /* the primary context of the thread's device */
    EXPECT(device, 1);
    EXPECT(cuInit(0), 0);
    EXPECT(cuDeviceGetCount(&count), 0);
    EXPECT(count, 2);
    EXPECT(cudaMalloc(&there, 64), 0);
    EXPECT(cudaPointerGetAttributes(&attributes, there), 0);
    EXPECT(attributes.device, 1);
    EXPECT(cudaDeviceCanAccessPeer(&can, 1, 0), 0);
    EXPECT(can, 1);
    EXPECT(cudaDeviceCanAccessPeer(&can, 1, 1), 0);
    EXPECT(can, 0);
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), 0);
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), 704);
    EXPECT(cudaDeviceDisablePeerAccess(0), 0);
    EXPECT(cudaDeviceDisablePeerAccess(0), 705);
    EXPECT(cudaMemcpyPeer(there, 1, here, 0, 64), 0);
    EXPECT(cudaMemcpyPeer(there, 2, here, 0, 64), 101);
    EXPECT(cudaDeviceGetPCIBusId(text, sizeof text, 1), 0);
    EXPECT_TEXT(text, "0000:02:00.0");
    for (int i = 0, bus = 0; i < 2; i++) {
        EXPECT(cudaDeviceGetAttribute(&bus, 33, i), 0);
        EXPECT(bus, i + 1);
        EXPECT(cuDeviceGetAttribute(&bus, 33, i), 0);
        EXPECT(bus, i + 1);
    }
    EXPECT(cudaDeviceGetByPCIBusId(&device, text), 0);
    EXPECT(device, 1);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cuMemAlloc_v2(&there, 64), 0);
    EXPECT(cuPointerGetAttribute(&device, 9, there), 0);
    EXPECT(device, 1);
    EXPECT(cudaSetDevice(0), 0);
    EXPECT(cudaMallocAsync(&there, 64, stream), 0); /* of the stream's device */
    EXPECT(cudaPointerGetAttributes(&attributes, there), 0);
    EXPECT(attributes.device, 1);
    EXPECT(cudaStreamSetAttribute(stream, 1, attribute), 0);
    EXPECT(cudaStreamGetAttribute(stream, 1, got), 0);
    EXPECT(memcmp(attribute, got, 32), 0); /* what is written */
    EXPECT(cudaStreamSetAttribute(stream, 99, attribute), 1);
    select_by_contexts();
    return failures != 0;
}
