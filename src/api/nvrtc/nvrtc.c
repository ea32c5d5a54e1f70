/* NVRTC, the toolkit's compiler at run time, as programs on the simulated GPU load it: the
 * toolkit's own library does the work, but a program that asks it for machine code (sm_90) gets PTX
 * (compute_90), which is what the simulated GPU runs. A module loads either through the same call.
 */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "device/device.h"

#define INTERNAL_ERROR 11 /* NVRTC_ERROR_INTERNAL_ERROR */

/* This library itself: the toolkit's has the same file name. */
struct own_file {
    char folder[PATH_MAX];
    const char *name;
};

static void *library;

static bool find_own_file(struct own_file *own)
{
    Dl_info info;
    if (!dladdr(&library, &info) || !info.dli_fname)
        return false;
    snprintf(own->folder, sizeof own->folder, "%s", info.dli_fname);
    char *slash = strrchr(own->folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    own->name = slash + 1;
    return true;
}

static void *open_in(const char *folder, const char *subfolder, const struct own_file *own)
{
    if (!folder || !*folder || !strcmp(folder, own->folder))
        return NULL;
    char *path = wl_string_format("%s%s/%s", folder, subfolder, own->name);
    void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    return found;
}

/* Where the dynamic linker would look for the program, except our own folder. */
static void *open_on_search_path(const struct own_file *own)
{
    Dl_serinfo size;
    void *program = dlopen(NULL, RTLD_LAZY), *found = NULL;
    if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size))
        return NULL;
    Dl_serinfo *paths = wl_alloc_zero(1, size.dls_size);
    *paths = size;
    if (!dlinfo(program, RTLD_DI_SERINFO, paths))
        for (unsigned i = 0; i < paths->dls_cnt && !found; i++)
            found = open_in(paths->dls_serpath[i].dls_name, "", own);
    free(paths);
    return found;
}

static void open_library(void)
{
    struct own_file own;
    if (!find_own_file(&own))
        return;
    library = open_on_search_path(&own);
    const char *const roots[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    for (size_t i = 0; !library && i < WL_COUNT(roots); i++)
        library = open_in(roots[i], "/lib64", &own);
    if (!library)
        wl_device_note(2, "no-nvrtc", "add its folder to LD_LIBRARY_PATH or set CUDA_PATH",
                       "the program compiles at run time, and the toolkit's %s is not found",
                       own.name);
}

static void *find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return library ? dlsym(library, name) : NULL;
}

/* All arguments are words, at most six, so one signature serves all. */
typedef long forwarded(long, long, long, long, long, long);

static long forward(const char *name, long a, long b, long c, long d, long e, long f)
{
    forwarded *function;
    void *found = find(name);
    memcpy(&function, &found, sizeof function);
    return function ? function(a, b, c, d, e, f) : INTERNAL_ERROR;
}

#define F(name)                                                \
    long name(long a, long b, long c, long d, long e, long f); \
    long name(long a, long b, long c, long d, long e, long f)  \
    {                                                          \
        return forward(#name, a, b, c, d, e, f);               \
    }
#include "api/nvrtc/forwarded.def"
#undef F

const char *nvrtcGetErrorString(int code)
{
    const char *(*function)(int);
    void *found = find("nvrtcGetErrorString");
    memcpy(&function, &found, sizeof function);
    return function ? function(code) : "NVRTC is not found";
}

/* The option with compute_NN in place of sm_NN, or NULL if it names no machine; free() it. */
static char *virtual_architecture(const char *option)
{
    const char *at = strstr(option, "sm_");
    bool names_target = at && (at == option || at[-1] == '=') &&
                        (at == option || !strncmp(option, "-arch", 5) ||
                         !strncmp(option, "--gpu-architecture", 18));
    if (!names_target)
        return NULL;
    return wl_string_format("%.*scompute_%s", (int)(at - option), option, at + 3);
}

int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    if (count < 0 || (count && !options))
        return (int)forward("nvrtcCompileProgram", (long)program, count, (long)options, 0, 0, 0);
    const char **passed = wl_alloc_zero((size_t)count + 1, sizeof *passed);
    char **changed = wl_alloc_zero((size_t)count + 1, sizeof *changed);
    for (int i = 0; i < count; i++) {
        changed[i] = options[i] ? virtual_architecture(options[i]) : NULL;
        passed[i] = changed[i] ? changed[i] : options[i];
    }
    int code = (int)forward("nvrtcCompileProgram", (long)program, count, (long)passed, 0, 0, 0);
    for (int i = 0; i < count; i++)
        free(changed[i]);
    free(changed);
    free(passed);
    return code;
}

int nvrtcGetCUBINSize(void *program, size_t *size_bytes)
{
    return (int)forward("nvrtcGetPTXSize", (long)program, (long)size_bytes, 0, 0, 0, 0);
}

int nvrtcGetCUBIN(void *program, char *code)
{
    return (int)forward("nvrtcGetPTX", (long)program, (long)code, 0, 0, 0, 0);
}
