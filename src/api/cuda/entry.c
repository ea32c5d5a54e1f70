/* Finding functions at run time, errors by name, and what is not there. */
#include <dlfcn.h>
#include <string.h>

#include "api/cuda/driver.h"
#include "base/count.h"

static const struct {
    int code;
    const char *name;
} error_names[] = {
#define E(number, name) {number, #name},
#include "device/driver_errors.def"
#undef E
};

static const struct {
    int code;
    const char *text;
} error_texts[] = {
#define E(number, name, text) {number, text},
#include "device/errors.def"
#undef E
};

int cuGetErrorName(int code, const char **name)
{
    if (!name)
        return WL_DEVICE_INVALID_VALUE;
    for (size_t i = 0; i < WL_COUNT(error_names); i++) {
        if (error_names[i].code != code)
            continue;
        *name = error_names[i].name;
        return WL_DEVICE_OK;
    }
    *name = NULL;
    return WL_DEVICE_INVALID_VALUE;
}

int cuGetErrorString(int code, const char **text)
{
    int found = cuGetErrorName(code, text);
    for (size_t i = 0; !found && i < WL_COUNT(error_texts); i++)
        if (error_texts[i].code == code && error_texts[i].text)
            *text = error_texts[i].text;
    return found;
}

/* NVRTC, which needs nothing of the driver, asks too. */
static bool is_asked_by_nvrtc(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libnvrtc");
}

/* Reports NVIDIA's own runtime within the file that holds `caller`. */
static void tell_static_runtime(const void *caller)
{
    Dl_info info;
    const char *file = dladdr(caller, &info) && info.dli_fname ? info.dli_fname : "";
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    if (strstr(name, ".so"))
        wl_device_note(2, "static-runtime",
                       "calls of this library cannot run on the simulated GPU; those that Warplens "
                       "stands in for are in docs/using/simulated-runtime.md",
                       "the library %s holds NVIDIA's own CUDA runtime, which runs on NVIDIA's "
                       "driver only",
                       name);
    else
        wl_device_note(2, "static-runtime",
                       "relink it with NVCC_APPEND_FLAGS=\"-cudart=shared -lineinfo\" (CMake: "
                       "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared, and CUDA::cudart in place of "
                       "CUDA::cudart_static)",
                       "the program holds NVIDIA's own CUDA runtime, which runs on NVIDIA's driver "
                       "only");
}

/* The tables behind it are undocumented; NVIDIA's own runtime, linked into a program, asks for them
 * first. */
int cuGetExportTable(const void **table, const void *id)
{
    static bool is_reported;
    (void)id;
    if (table)
        *table = NULL;
    if (!is_asked_by_nvrtc(__builtin_return_address(0)) &&
        !__atomic_exchange_n(&is_reported, true, __ATOMIC_RELAXED))
        tell_static_runtime(__builtin_return_address(0));
    return WL_DEVICE_NOT_SUPPORTED;
}

#define U(name)                         \
    int name(void);                     \
    int name(void)                      \
    {                                   \
        return wl_device_refuse(#name); \
    }
#include "api/cuda/unsupported.def"
#undef U

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status);
int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);

/* Declared without their arguments: only their addresses are wanted. */
#define F(name, version, function) extern char entry_##function[] __asm__(#function);
#include "api/cuda/entries.def"
#undef F

/* Sorted by name, then version. */
static const struct {
    const char *name;
    int version;
    void *function;
} entries[] = {
#define F(name, version, function) {#name, version, entry_##function},
#include "api/cuda/entries.def"
#undef F
};

static const struct {
    const char *name;
    int (*function)(void);
} refused[] = {
#define U(name) {#name, name},
#include "api/cuda/unsupported.def"
#undef U
};

enum { FOUND = 0, NAME_UNKNOWN = 1, VERSION_TOO_OLD = 2 };

/* The newest variant not newer than the version asked for. Per-thread variants (flags) are the same
 * functions. */
static int find(const char *name, int version, void **function)
{
    int status = NAME_UNKNOWN;
    for (size_t i = 0; i < WL_COUNT(entries); i++) {
        if (strcmp(entries[i].name, name))
            continue;
        if (entries[i].version <= version) {
            *function = entries[i].function;
            status = FOUND;
        } else if (status == NAME_UNKNOWN) {
            status = VERSION_TOO_OLD;
        }
    }
    for (size_t i = 0; status != FOUND && i < WL_COUNT(refused); i++) {
        if (strcmp(refused[i].name, name))
            continue;
        memcpy(function, &refused[i].function, sizeof *function);
        status = FOUND;
    }
    return status;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    (void)flags;
    if (!name || !function)
        return WL_DEVICE_INVALID_VALUE;
    *function = NULL;
    int found = find(name, version, function);
    if (status)
        *status = found;
    return WL_DEVICE_OK; /* not finding is an answer: NULL */
}

int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
