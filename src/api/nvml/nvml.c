/* NVML's questions about a GPU, answered from the model; what only a running device can say
 * (temperature, power, utilization) is not supported. Names and numbers are those of the
 * NVML documentation. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/common/device.h"
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
    ARGUMENT_VERSION_MISMATCH = 13,
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

/* As on hardware a program that only asks here may fork, and its children use the GPU. */
int nvmlInit_v2(void)
{
    if (!wl_device_model()) {
        wl_device_check(); /* says why */
        return UNKNOWN;
    }
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
        {ARGUMENT_VERSION_MISMATCH, "Argument Version Mismatch"},
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
    return status ? status : write_text(name, length, wl_device_model()->full_name);
}

enum { UUID_BYTES = sizeof "GPU-00000000-0000-0000-0000-000000000000" };

/* The bytes of CUDA's, in groups. */
static void write_uuid(char text[UUID_BYTES], int device)
{
    unsigned char uuid[WL_API_UUID_BYTES];
    char *end = text;
    wl_api_write_uuid(uuid, wl_device_model(), device);
    end += sprintf(end, "GPU");
    for (size_t i = 0; i < sizeof uuid; i++)
        end +=
            sprintf(end, "%s%02x", i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-" : "", uuid[i]);
}

int nvmlDeviceGetUUID(const void *handle, char *name, unsigned length)
{
    char text[UUID_BYTES];
    int status = check(handle, name);
    if (status)
        return status;
    write_uuid(text, number_of(handle));
    return write_text(name, length, text);
}

struct memory { /* nvmlMemory_t */
    unsigned long long total, free, used;
};
struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};

/* Nothing is allocated as long as the process did not use the GPU, nor where an error ended the
 * context. */
int nvmlDeviceGetMemoryInfo(const void *handle, struct memory *memory)
{
    int status = check(handle, memory);
    if (status)
        return status;
    size_t total_bytes = wl_device_model()->memory_bytes, free_bytes = total_bytes;
    if (wl_device_is_started())
        wl_device_memory_info(&free_bytes, &total_bytes);
    *memory = (struct memory){total_bytes, free_bytes, total_bytes - free_bytes};
    return OK;
}

int nvmlDeviceGetMemoryInfo_v2(const void *handle, struct memory_v2 *memory)
{
    struct memory plain;
    const unsigned version = (unsigned)sizeof *memory | 2u << 24;
    int status = check(handle, memory);
    if (!status && memory->version != version)
        status = ARGUMENT_VERSION_MISMATCH;
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
    *major = (int)wl_device_model()->capability_major;
    *minor = (int)wl_device_model()->capability_minor;
    return OK;
}

enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEMORY };

int nvmlDeviceGetMaxClockInfo(const void *handle, int kind, unsigned *mhz)
{
    int status = check(handle, mhz);
    if (status)
        return status;
    const struct wl_gpu *gpu = wl_device_model();
    if (kind != CLOCK_GRAPHICS && kind != CLOCK_SM && kind != CLOCK_MEMORY)
        return NOT_SUPPORTED;
    *mhz = (unsigned)((kind == CLOCK_MEMORY ? gpu->memory_clock_hz : gpu->sm_clock_hz) / 1e6);
    return OK;
}

int nvmlDeviceGetMemoryBusWidth(const void *handle, unsigned *bits)
{
    int status = check(handle, bits);
    if (!status)
        *bits = wl_device_model()->memory_bus_bits;
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

/* The model runs at the clocks that are its highest. */
int nvmlDeviceGetClockInfo(const void *handle, int kind, unsigned *mhz)
{
    return nvmlDeviceGetMaxClockInfo(handle, kind, mhz);
}

/* ---- handles by other names ---- */

int nvmlDeviceGetHandleByUUID(const char *uuid, const void **handle)
{
    char text[UUID_BYTES];
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    if (!uuid || !handle)
        return INVALID_ARGUMENT;
    for (int i = 0; i < wl_device_count(); i++) {
        write_uuid(text, i);
        if (strcmp(uuid, text))
            continue;
        *handle = &handles[i];
        return OK;
    }
    return NOT_FOUND;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, const void **handle)
{
    int device;
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    int code = handle ? wl_api_read_pci(id, &device) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *handle = &handles[device];
    return code == WL_DEVICE_OK               ? OK
           : code == WL_DEVICE_INVALID_DEVICE ? NOT_FOUND
                                              : INVALID_ARGUMENT;
}

int nvmlDeviceGetHandleByPciBusId(const char *id, const void **handle)
{
    return nvmlDeviceGetHandleByPciBusId_v2(id, handle);
}

struct pci { /* nvmlPciInfo_t; the first form ends before id */
    char short_id[16];
    unsigned domain, bus, device;
    unsigned model, board; /* vendor in the lower half; the models do not say which device it is */
    char id[32];
};
enum { VENDOR = 0x10de };

static int write_pci(const void *handle, struct pci *pci, bool is_first_form)
{
    int status = check(handle, pci);
    if (status)
        return status;
    memset(pci, 0, is_first_form ? offsetof(struct pci, id) : sizeof *pci);
    wl_api_write_pci(pci->short_id, number_of(handle));
    pci->bus = (unsigned)number_of(handle) + 1;
    pci->model = VENDOR;
    if (!is_first_form)
        snprintf(pci->id, sizeof pci->id, "0000%.15s", pci->short_id);
    return OK;
}

int nvmlDeviceGetPciInfo_v3(const void *handle, struct pci *pci)
{
    return write_pci(handle, pci, false);
}

int nvmlDeviceGetPciInfo(const void *handle, struct pci *pci)
{
    return write_pci(handle, pci, true);
}

/* ---- what the model is ---- */

/* The highest compute capability of each architecture, by NVML's numbers. */
static unsigned architecture_of(const struct wl_gpu *gpu)
{
    static const struct {
        unsigned capability, architecture;
    } rows[] = {{39, 2}, {59, 3}, {69, 4}, {74, 5}, {79, 6}, {88, 7}, {89, 8}, {99, 9}, {129, 10}};
    const unsigned capability = gpu->capability_major * 10 + gpu->capability_minor;
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (capability <= rows[i].capability)
            return rows[i].architecture;
    return ~0u;
}

static unsigned brand_of(const struct wl_gpu *gpu)
{
    static const struct {
        const char *part;
        unsigned brand;
    } rows[] = {{"Quadro", 1}, {"Tesla", 2}, {"GeForce", 5}};
    enum { NVIDIA = 14 };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (strstr(gpu->full_name, rows[i].part))
            return rows[i].brand;
    return NVIDIA;
}

/* Questions with one number for an answer, as an expression over `gpu` and `handle`. */
#define ANSWER(name, expression)                      \
    int name(const void *handle, unsigned *answer)    \
    {                                                 \
        int status = check(handle, answer);           \
        const struct wl_gpu *gpu = wl_device_model(); \
        if (!status && gpu)                           \
            *answer = (unsigned)(expression);         \
        return status;                                \
    }
ANSWER(nvmlDeviceGetArchitecture, architecture_of(gpu))
ANSWER(nvmlDeviceGetBrand, brand_of(gpu))
ANSWER(nvmlDeviceGetComputeMode, 0) /* as many processes as there are */
ANSWER(nvmlDeviceGetDisplayMode, 0) /* there is none */
ANSWER(nvmlDeviceGetMinorNumber, number_of(handle))
ANSWER(nvmlDeviceGetMultiGpuBoard, 0)
ANSWER(nvmlDeviceGetNumGpuCores, gpu->sm_count * gpu->fp32_per_cycle)
ANSWER(nvmlDeviceGetPerformanceState, 0) /* the highest */
ANSWER(nvmlDeviceGetPersistenceMode, 0)

int nvmlDeviceGetCurrentClocksThrottleReasons(const void *handle, unsigned long long *reasons)
{
    int status = check(handle, reasons);
    if (!status)
        *reasons = 0;
    return status;
}

/* As the device's attribute says. */
int nvmlDeviceGetEccMode(const void *handle, unsigned *current, unsigned *pending)
{
    enum { ECC_ENABLED = 32 };
    int value = 0, status = check(handle, current ? pending : NULL);
    if (status)
        return status;
    if (wl_device_get_attribute(ECC_ENABLED, &value))
        return UNKNOWN;
    *current = *pending = (unsigned)value;
    return OK;
}

/* Off, on those that can be divided: the big chips from A100 on. */
int nvmlDeviceGetMigMode(const void *handle, unsigned *current, unsigned *pending)
{
    int status = check(handle, current ? pending : NULL);
    if (status)
        return status;
    const struct wl_gpu *gpu = wl_device_model();
    if (gpu->capability_minor || gpu->capability_major < 8 || gpu->capability_major > 10)
        return NOT_SUPPORTED;
    *current = *pending = 0;
    return OK;
}

int nvmlDeviceGetP2PStatus(const void *handle, const void *other, int kind, int *state)
{
    int status = check(handle, state);
    if (!status)
        status = check(other, state);
    if (!status && (kind < 0 || kind > 4))
        status = INVALID_ARGUMENT;
    if (!status)
        *state = 0;
    return status;
}

/* ---- processes: this one ---- */

struct process { /* nvmlProcessInfo_t; the first form ends before the instances */
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance; /* -1: the GPU is not divided */
};

static int list_processes(const void *handle, unsigned *count, void *list, size_t item_bytes)
{
    struct memory memory;
    int status = check(handle, count);
    if (!status)
        status = nvmlDeviceGetMemoryInfo(handle, &memory);
    if (status)
        return status;
    const unsigned room = *count;
    *count = 1;
    if (!room)
        return INSUFFICIENT_SIZE;
    const struct process own = {(unsigned)getpid(), memory.used, ~0u, ~0u};
    if (!list)
        return INVALID_ARGUMENT;
    memcpy(list, &own, item_bytes);
    return OK;
}

int nvmlDeviceGetComputeRunningProcesses(const void *handle, unsigned *count, void *list)
{
    return list_processes(handle, count, list, offsetof(struct process, gpu_instance));
}

int nvmlDeviceGetComputeRunningProcesses_v2(const void *handle, unsigned *count, void *list)
{
    return list_processes(handle, count, list, sizeof(struct process));
}

int nvmlDeviceGetComputeRunningProcesses_v3(const void *handle, unsigned *count, void *list)
{
    return list_processes(handle, count, list, sizeof(struct process));
}

int nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length)
{
    char link[64], path[4096];
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    if (!name || !length)
        return INVALID_ARGUMENT;
    snprintf(link, sizeof link, "/proc/%u/exe", pid);
    const ssize_t got = readlink(link, path, sizeof path - 1);
    if (got < 0)
        return NOT_FOUND;
    path[got] = '\0';
    return write_text(name, length, path);
}

/* ---- versions: of a driver of CUDA 13.0 ---- */

#define DRIVER "580.159.04"

static int write_version(char *to, unsigned length, const char *text)
{
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    return to ? write_text(to, length, text) : INVALID_ARGUMENT;
}

int nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    return write_version(version, length, DRIVER);
}

int nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
    return write_version(version, length, "13." DRIVER);
}

int nvmlUnitGetCount(unsigned *count)
{
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))
        return UNINITIALIZED;
    if (!count)
        return INVALID_ARGUMENT;
    *count = 0;
    return OK;
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
