/* The CUDA driver, opened at run time: what it says of its GPUs and kernels. */
#ifndef WL_HARDWARE_DRIVER_H
#define WL_HARDWARE_DRIVER_H

#include <stdbool.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "hardware/abi.h"

/* The functions used: X(field, name, parameters). */
#define WL_CUDA_ENTRIES(X)                                                                         \
    X(init, "cuInit", (unsigned flags))                                                            \
    X(driver_version, "cuDriverGetVersion", (int *version))                                        \
    X(device_count, "cuDeviceGetCount", (int *count))                                              \
    X(device_get, "cuDeviceGet", (int *device, int index))                                         \
    X(device_name, "cuDeviceGetName", (char *name, int size, int device))                          \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))           \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, int device))                          \
    X(context_retain, "cuDevicePrimaryCtxRetain", (struct wl_cuda_context * *context, int device)) \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (int device))                               \
    X(context_set, "cuCtxSetCurrent", (struct wl_cuda_context * context))                          \
    X(context_device, "cuCtxGetDevice", (int *device))                                             \
    X(context_synchronize, "cuCtxSynchronize", (void))                                             \
    X(function_attribute, "cuFuncGetAttribute",                                                    \
      (int *value, int attribute, struct wl_cuda_function *function))                              \
    X(kernel_function, "cuKernelGetFunction",                                                      \
      (struct wl_cuda_function * *function, struct wl_cuda_function * kernel))

/* Those that an older driver may not have: NULL then. */
#define WL_CUDA_EXTRA_ENTRIES(X)                                                                 \
    X(context_push, "cuCtxPushCurrent_v2", (struct wl_cuda_context * context))                   \
    X(context_pop, "cuCtxPopCurrent_v2", (struct wl_cuda_context * *context))                    \
    X(stream_is_capturing, "cuStreamIsCapturing", (struct wl_cuda_stream * stream, int *status)) \
    X(function_parameter, "cuFuncGetParamInfo",                                                  \
      (struct wl_cuda_function * function, size_t index, size_t * offset, size_t * size))        \
    X(kernel_parameter, "cuKernelGetParamInfo",                                                  \
      (struct wl_cuda_function * kernel, size_t index, size_t * offset, size_t * size))          \
    X(launch, "cuLaunchKernel",                                                                  \
      (struct wl_cuda_function * function, unsigned grid_x, unsigned grid_y, unsigned grid_z,    \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,              \
       struct wl_cuda_stream *stream, void **parameters, void **extra))                          \
    X(launch_cooperative, "cuLaunchCooperativeKernel",                                           \
      (struct wl_cuda_function * function, unsigned grid_x, unsigned grid_y, unsigned grid_z,    \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,              \
       struct wl_cuda_stream *stream, void **parameters))                                        \
    X(launch_extended, "cuLaunchKernelEx",                                                       \
      (const struct wl_cuda_launch_config *config, struct wl_cuda_function *function,            \
       void **parameters, void **extra))                                                         \
    X(device_bus_id, "cuDeviceGetPCIBusId", (char *text, int size, int device))                  \
    X(memory_new, "cuMemAlloc_v2", (uint64_t * address, size_t size_bytes))                      \
    X(memory_free, "cuMemFree_v2", (uint64_t address))                                           \
    X(host_new, "cuMemHostAlloc", (void **memory, size_t size_bytes, unsigned flags))            \
    X(host_free, "cuMemFreeHost", (void *memory))                                                \
    X(copy_to_device, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t size_bytes))     \
    X(copy_to_host, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t size_bytes))             \
    X(copy_within, "cuMemcpyDtoDAsync_v2",                                                       \
      (uint64_t to, uint64_t from, size_t size_bytes, struct wl_cuda_stream * stream))           \
    X(module_load, "cuModuleLoadData", (struct wl_cuda_module * *module, const void *image))     \
    X(module_unload, "cuModuleUnload", (struct wl_cuda_module * module))                         \
    X(module_function, "cuModuleGetFunction",                                                    \
      (struct wl_cuda_function * *function, struct wl_cuda_module * module, const char *name))   \
    X(event_new, "cuEventCreate", (struct wl_cuda_event * *event, unsigned flags))               \
    X(event_free, "cuEventDestroy_v2", (struct wl_cuda_event * event))                           \
    X(event_record, "cuEventRecord",                                                             \
      (struct wl_cuda_event * event, struct wl_cuda_stream * stream))                            \
    X(event_wait, "cuEventSynchronize", (struct wl_cuda_event * event))                          \
    X(event_elapsed, "cuEventElapsedTime",                                                       \
      (float *milliseconds, struct wl_cuda_event *from, struct wl_cuda_event *to))               \
    X(device_uuid, "cuDeviceGetUuid_v2", (unsigned char *uuid, int device))                      \
    X(memory_set, "cuMemsetD8Async",                                                             \
      (uint64_t address, unsigned char value, size_t size_bytes, struct wl_cuda_stream *stream))

struct wl_cuda {
    void *handle;
#define FIELD(field, name, parameters) int(*field) parameters;
    WL_CUDA_ENTRIES(FIELD)
    WL_CUDA_EXTRA_ENTRIES(FIELD)
#undef FIELD
};

/* Opens libcuda.so.1 as the program has it or would have it; the simulated one is refused. Errors:
 * WL_ERR_INPUT where there is none, WL_ERR_UNSUPPORTED where a function is missing. */
enum wl_code wl_cuda_open(struct wl_cuda *cuda, struct wl_error *error);

/* Describes a real GPU: limits and sizes from the driver; what it does not tell from the model (as
 * of `--gpu`) that is most like it. Errors: WL_ERR_UNSUPPORTED. Free with wl_gpu_free. */
enum wl_code wl_cuda_describe(const struct wl_cuda *cuda, int device, struct wl_gpu *gpu,
                              struct wl_error *error);

/* A GPU of this machine as wl_cuda_probe saw it. */
enum { WL_CUDA_DEVICES_MAX = 16, WL_CUDA_UUID_BYTES = 16 };
struct wl_cuda_device {
    char name[96];
    char model[32]; /* of `--gpu`, most like it */
    uint32_t capability_major, capability_minor, sm_count;
    uint64_t memory_bytes;
    unsigned char uuid[WL_CUDA_UUID_BYTES]; /* zeros: not known */
};
struct wl_cuda_machine {
    uint32_t driver_version; /* 13000: the CUDA it knows; 0 if there is no driver */
    int result;              /* of cuInit */
    uint32_t device_count;
    struct wl_cuda_device devices[WL_CUDA_DEVICES_MAX];
    char trouble[256]; /* why there is no GPU, or "" */
};

/* Has ask fill in the answer in a child process, for calls that may crash, hang, or change what
 * they ask about. False: it did not answer within 10 s; answer may then hold anything. */
bool wl_cuda_ask_child(void (*ask)(void *answer), void *answer, size_t size_bytes);

/* Asks the driver in a child process, so that this one keeps clear of it. A driver that crashes or
 * hangs (10 s) is a driver with no GPU, and trouble says so. */
void wl_cuda_probe(struct wl_cuda_machine *machine);

#endif
