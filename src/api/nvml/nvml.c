/* NVML's questions about a GPU, answered from the model; what only a running device can say
 * (temperature, power, clocks at the moment) is not supported. Names and numbers are those of the
 * NVML documentation. */
#include <stdio.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "base/count.h"
#include "gpu/gpu.h"

enum {
    OK = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7,
    UNKNOWN = 999,
};

#define DEVICES 64
static const char handles[DEVICES]; /* a device's handle is the address of its place */
static int initialized;

static int number_of(const void *handle)
{
    const char *place = handle;
    int number = place >= handles && place < handles + DEVICES ? (int)(place - handles) : -1;
    return number < wl_device_count() ? number : -1;
}

/* OK if the library is ready and there is such a device. */
static int check(const void *handle, const void *result)
{
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    return number_of(handle) < 0 || !result ? INVALID_ARGUMENT : OK;
}

int nvmlInit_v2(void)
{
    if (wl_device_check())
        return UNKNOWN;
    __atomic_add_fetch(&initialized, 1, __ATOMIC_ACQ_REL);
    return OK;
}

int nvmlInit(void)
{
    return nvmlInit_v2();
}

int nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    return nvmlInit_v2();
}

int nvmlShutdown(void)
{
    if (__atomic_load_n(&initialized, __ATOMIC_ACQUIRE) == 0)
        return UNINITIALIZED;
    __atomic_sub_fetch(&initialized, 1, __ATOMIC_ACQ_REL);
    return OK;
}

const char *nvmlErrorString(int code)
{
    static const struct {
        int code;
        const char *text;
    } texts[] = {
        {OK, "Success"},
        {UNINITIALIZED, "Uninitialized"},
        {INVALID_ARGUMENT, "Invalid Argument"},
        {NOT_SUPPORTED, "Not Supported"},
        {NOT_FOUND, "Not Found"},
        {INSUFFICIENT_SIZE, "Insufficient Size"},
    };
    for (size_t i = 0; i < WL_COUNT(texts); i++)
        if (texts[i].code == code)
            return texts[i].text;
    return "Unknown Error";
}

static int write_text(char *to, unsigned length, const char *text)
{
    if (strlen(text) + 1 > length)
        return INSUFFICIENT_SIZE;
    strcpy(to, text);
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    if (!count)
        return INVALID_ARGUMENT;
    *count = (unsigned)wl_device_count();
    return OK;
}

int nvmlDeviceGetCount(unsigned *count)
{
    return nvmlDeviceGetCount_v2(count);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const void **handle)
{
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    if (!handle || index >= DEVICES || (int)index >= wl_device_count())
        return INVALID_ARGUMENT;
    *handle = &handles[index];
    return OK;
}

int nvmlDeviceGetHandleByIndex(unsigned index, const void **handle)
{
    return nvmlDeviceGetHandleByIndex_v2(index, handle);
}

int nvmlDeviceGetIndex(const void *handle, unsigned *index)
{
    int status = check(handle, index);
    if (!status)
        *index = (unsigned)number_of(handle);
    return status;
}

int nvmlDeviceGetName(const void *handle, char *name, unsigned length)
{
    int status = check(handle, name);
    return status ? status : write_text(name, length, wl_device_gpu()->full_name);
}

int nvmlDeviceGetUUID(const void *handle, char *name, unsigned length)
{
    char text[64];
    int status = check(handle, name);
    snprintf(text, sizeof text, "GPU-00000000-0000-0000-0000-%012d", number_of(handle));
    return status ? status : write_text(name, length, text);
}

struct memory { /* nvmlMemory_t */
    unsigned long long total, free, used;
};
struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

int nvmlDeviceGetMemoryInfo(const void *handle, struct memory *memory)
{
    size_t free_bytes, total_bytes;
    int status = check(handle, memory);
    if (status)
        return status;
    if (wl_device_memory_info(&free_bytes, &total_bytes))
        return UNKNOWN;
    *memory = (struct memory){total_bytes, free_bytes, total_bytes - free_bytes};
    return OK;
}

int nvmlDeviceGetMemoryInfo_v2(const void *handle, struct memory_v2 *memory)
{
    struct memory plain;
    int status = check(handle, memory);
    if (!status)
        status = nvmlDeviceGetMemoryInfo(handle, &plain);
    if (!status)
        *memory = (struct memory_v2){memory->version, plain.total, 0, plain.free, plain.used};
    return status;
}

int nvmlDeviceGetCudaComputeCapability(const void *handle, int *major, int *minor)
{
    int status = check(handle, major ? minor : NULL);
    if (status)
        return status;
    *major = (int)wl_device_gpu()->capability_major;
    *minor = (int)wl_device_gpu()->capability_minor;
    return OK;
}

enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY };

int nvmlDeviceGetMaxClockInfo(const void *handle, int kind, unsigned *mhz)
{
    int status = check(handle, mhz);
    if (status)
        return status;
    const struct wl_gpu *gpu = wl_device_gpu();
    if (kind != CLOCK_GRAPHICS && kind != CLOCK_SM && kind != CLOCK_MEMORY)
        return NOT_SUPPORTED;
    *mhz = (unsigned)((kind == CLOCK_MEMORY ? gpu->memory_clock_hz : gpu->sm_clock_hz) / 1e6);
    return OK;
}

int nvmlDeviceGetMemoryBusWidth(const void *handle, unsigned *bits)
{
    int status = check(handle, bits);
    if (!status)
        *bits = wl_device_gpu()->memory_bus_bits;
    return status;
}

/* The runtime's, 13.0. */
int nvmlSystemGetCudaDriverVersion_v2(int *version)
{
    if (!version)
        return INVALID_ARGUMENT;
    *version = 13000;
    return OK;
}

int nvmlSystemGetCudaDriverVersion(int *version)
{
    return nvmlSystemGetCudaDriverVersion_v2(version);
}

/* ---- what is not there ---- */

#define U(name)                            \
    int name(void);                        \
    int name(void)                         \
    {                                      \
        wl_device_refuse(#name " (NVML)"); \
        return NOT_SUPPORTED;              \
    }
#include "api/nvml/unsupported.def"
#undef U
