#include "hardware/driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"

enum { probe_limit_ms = 10000 };

/* ---- opening ---- */

/* The library of the simulated GPU lies beside the simulated driver. */
static bool is_simulated(void *function)
{
    Dl_info place;
    char path[PATH_MAX];
    if (!dladdr(function, &place) || !place.dli_fname || !realpath(place.dli_fname, path))
        return false;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) + sizeof "/libwarplens-gpu.so" > sizeof path)
        return false;
    strcpy(slash, "/libwarplens-gpu.so");
    return access(path, F_OK) == 0;
}

static const struct {
    const char *name;
    size_t offset;
} entries[] =
    {
#define ROW(field, name, parameters) {name, offsetof(struct wl_cuda, field)},
        WL_CUDA_ENTRIES(ROW)},
  extra_entries[] = {WL_CUDA_EXTRA_ENTRIES(ROW)
#undef ROW
};

static void *find(struct wl_cuda *cuda, const char *name, size_t offset)
{
    void *function = dlsym(cuda->handle, name);
    memcpy((char *)cuda + offset, &function, sizeof function);
    return function;
}

enum wl_code wl_cuda_open(struct wl_cuda *cuda, struct wl_error *error)
{
    memset(cuda, 0, sizeof *cuda);
    cuda->handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!cuda->handle)
        return wl_error_set(error, WL_ERR_INPUT, "there is no CUDA driver (libcuda.so.1)");
    for (size_t i = 0; i < WL_COUNT(entries); i++) {
        void *function = find(cuda, entries[i].name, entries[i].offset);
        if (i == 0 && function && is_simulated(function))
            return wl_error_set(error, WL_ERR_INPUT, "the CUDA driver is the simulated one");
        if (!function)
            return wl_error_set(error, WL_ERR_UNSUPPORTED, "the CUDA driver has no %s",
                                entries[i].name);
    }
    for (size_t i = 0; i < WL_COUNT(extra_entries); i++)
        find(cuda, extra_entries[i].name, extra_entries[i].offset);
    return WL_OK;
}

/* ---- a GPU ---- */

/* Attributes of the driver that are fields of a model: number, offset, factor. */
static const struct {
    int attribute;
    size_t offset;
} attributes[] = {
    {1, offsetof(struct wl_gpu, max_threads_per_block)},
    {2, offsetof(struct wl_gpu, max_block_dim[0])},
    {3, offsetof(struct wl_gpu, max_block_dim[1])},
    {4, offsetof(struct wl_gpu, max_block_dim[2])},
    {5, offsetof(struct wl_gpu, max_grid_dim[0])},
    {6, offsetof(struct wl_gpu, max_grid_dim[1])},
    {7, offsetof(struct wl_gpu, max_grid_dim[2])},
    {8, offsetof(struct wl_gpu, shared_per_block_bytes)},
    {9, offsetof(struct wl_gpu, constant_bytes)},
    {10, offsetof(struct wl_gpu, warp_size)},
    {12, offsetof(struct wl_gpu, registers_per_block)},
    {16, offsetof(struct wl_gpu, sm_count)},
    {37, offsetof(struct wl_gpu, memory_bus_bits)},
    {39, offsetof(struct wl_gpu, max_threads_per_sm)},
    {75, offsetof(struct wl_gpu, capability_major)},
    {76, offsetof(struct wl_gpu, capability_minor)},
    {81, offsetof(struct wl_gpu, shared_per_sm_bytes)},
    {82, offsetof(struct wl_gpu, registers_per_sm)},
    {97, offsetof(struct wl_gpu, shared_per_block_optin_bytes)},
    {106, offsetof(struct wl_gpu, max_blocks_per_sm)},
    {111, offsetof(struct wl_gpu, shared_reserved_bytes)},
};
enum { attribute_clock_khz = 13, attribute_memory_clock_khz = 36, attribute_l2_bytes = 38 };

static int read_attribute(const struct wl_cuda *cuda, int device, int attribute)
{
    int value = 0;
    return cuda->device_attribute(&value, attribute, device) == WL_CUDA_SUCCESS ? value : 0;
}

enum wl_code wl_cuda_describe(const struct wl_cuda *cuda, int device, struct wl_gpu *gpu,
                              struct wl_error *error)
{
    char name[96] = "";
    size_t memory_bytes = 0;
    if (cuda->device_name(name, sizeof name, device) != WL_CUDA_SUCCESS)
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver knows no device %d", device);
    uint32_t capability = (uint32_t)read_attribute(cuda, device, 75) * 10 +
                          (uint32_t)read_attribute(cuda, device, 76);
    enum wl_code code = wl_gpu_load_likest(name, capability,
                                           (uint32_t)read_attribute(cuda, device, 16), gpu, error);
    if (code)
        return code;
    snprintf(gpu->full_name, sizeof gpu->full_name, "%s", name);
    for (size_t i = 0; i < WL_COUNT(attributes); i++) {
        uint32_t value = (uint32_t)read_attribute(cuda, device, attributes[i].attribute);
        if (value)
            memcpy((char *)gpu + attributes[i].offset, &value, sizeof value);
    }
    gpu->max_warps_per_sm = gpu->max_threads_per_sm / gpu->warp_size;
    if (cuda->device_memory(&memory_bytes, device) == WL_CUDA_SUCCESS)
        gpu->memory_bytes = memory_bytes;
    int l2_bytes = read_attribute(cuda, device, attribute_l2_bytes);
    int clock = read_attribute(cuda, device, attribute_clock_khz);
    int memory_clock = read_attribute(cuda, device, attribute_memory_clock_khz);
    if (l2_bytes > 0)
        gpu->l2_bytes = (uint64_t)l2_bytes;
    if (clock > 0)
        gpu->sm_clock_hz = clock * 1e3;
    if (memory_clock > 0) {
        gpu->memory_clock_hz = memory_clock * 1e3;
        /* two transfers in a cycle */
        gpu->memory_bandwidth_bytes_per_s = 2e3 * memory_clock * (gpu->memory_bus_bits / 8.0);
    }
    return WL_OK;
}

/* ---- the machine ---- */

static void describe_device(const struct wl_cuda *cuda, int index, struct wl_cuda_device *device)
{
    struct wl_gpu gpu = {0};
    int number = index;
    cuda->device_get(&number, index);
    if (wl_cuda_describe(cuda, number, &gpu, NULL) != WL_OK)
        return;
    snprintf(device->name, sizeof device->name, "%s", gpu.full_name);
    snprintf(device->model, sizeof device->model, "%s", gpu.name);
    device->capability_major = gpu.capability_major;
    device->capability_minor = gpu.capability_minor;
    device->sm_count = gpu.sm_count;
    device->memory_bytes = gpu.memory_bytes;
    if (cuda->device_uuid)
        cuda->device_uuid(device->uuid, index);
    wl_gpu_free(&gpu);
}

static void explain_trouble(struct wl_cuda_machine *machine)
{
    if (machine->result == WL_CUDA_ERROR_NO_DEVICE)
        strcpy(machine->trouble, "the driver sees no GPU");
    else if (machine->result == WL_CUDA_ERROR_STUB_LIBRARY)
        strcpy(machine->trouble, "libcuda.so.1 is the stub for linking, not a driver");
    else
        snprintf(machine->trouble, sizeof machine->trouble,
                 "the driver cannot be initialised (cuInit: %d)", machine->result);
}

static void look(void *answer)
{
    struct wl_cuda_machine *machine = answer;
    struct wl_cuda cuda;
    struct wl_error error = {0};
    int version = 0, count = 0;
    if (wl_cuda_open(&cuda, &error)) {
        snprintf(machine->trouble, sizeof machine->trouble, "%.*s",
                 (int)sizeof machine->trouble - 1, error.message);
        return;
    }
    if (cuda.driver_version(&version) == WL_CUDA_SUCCESS)
        machine->driver_version = (uint32_t)version;
    machine->result = cuda.init(0);
    if (machine->result == WL_CUDA_SUCCESS)
        machine->result = cuda.device_count(&count);
    if (machine->result == WL_CUDA_SUCCESS && count == 0)
        machine->result = WL_CUDA_ERROR_NO_DEVICE;
    if (machine->result == WL_CUDA_ERROR_STUB_LIBRARY)
        machine->driver_version = 0;
    if (machine->result != WL_CUDA_SUCCESS) {
        explain_trouble(machine);
        return;
    }
    machine->device_count = (uint32_t)count;
    for (int i = 0; i < count && i < WL_CUDA_DEVICES_MAX; i++)
        describe_device(&cuda, i, &machine->devices[i]);
}

/* False: the child did not answer in time. */
static bool read_answer(int descriptor, void *answer, size_t size_bytes)
{
    size_t length = 0;
    while (length < size_bytes) {
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        if (poll(&wait, 1, probe_limit_ms) <= 0)
            return false;
        ssize_t got = read(descriptor, (char *)answer + length, size_bytes - length);
        if (got <= 0)
            return false;
        length += (size_t)got;
    }
    return true;
}

bool wl_cuda_ask_child(void (*ask)(void *answer), void *answer, size_t size_bytes)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        ask(answer);
        ssize_t written = write(ends[1], answer, size_bytes);
        _exit(written == (ssize_t)size_bytes ? 0 : 1);
    }
    close(ends[1]);
    bool is_answered = child > 0 && read_answer(ends[0], answer, size_bytes);
    close(ends[0]);
    if (child > 0 && !is_answered)
        kill(child, SIGKILL);
    while (child > 0 && waitpid(child, NULL, 0) < 0)
        continue;
    return is_answered;
}

void wl_cuda_probe(struct wl_cuda_machine *machine)
{
    memset(machine, 0, sizeof *machine);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver) { /* the usual case without a GPU: no process is needed to see it */
        look(machine);
        return;
    }
    dlclose(driver);
    if (wl_cuda_ask_child(look, machine, sizeof *machine))
        return;
    memset(machine, 0, sizeof *machine);
    snprintf(machine->trouble, sizeof machine->trouble, "the CUDA driver does not answer");
}
