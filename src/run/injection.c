#include "run/injection.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/folder.h"
#include "base/memory.h"

static const char gpu_library[] = "libwarplens-gpu.so";

enum need { NEED_RUNTIME_11, NEED_RUNTIME_12, NEED_RUNTIME_13, NEED_DRIVER, NEED_CUBLAS };

/* Preloading wins over an RPATH; the folder in LD_LIBRARY_PATH serves those who dlopen. */
static const struct {
    const char *file;
    enum need need;
} libraries[] = {
    {"libcudart.so.13", NEED_RUNTIME_13},   {"libcudart.so.12", NEED_RUNTIME_12},
    {"libcudart.so.11.0", NEED_RUNTIME_11}, {"libcublas.so.13", NEED_CUBLAS},
    {"libcublas.so.12", NEED_CUBLAS},       {"libcublas.so.11", NEED_CUBLAS},
    {"libcuda.so.1", NEED_DRIVER},
};

static bool has_file(const char *folder, const char *file)
{
    char *path = wl_string_format("%s/%s", folder, file);
    bool is_there = access(path, R_OK) == 0;
    free(path);
    return is_there;
}

enum wl_code wl_injection_find(char **folder, struct wl_error *error)
{
    *folder = wl_path_library_folder(gpu_library);
    if (*folder)
        return WL_OK;
    wl_error_set(error, WL_ERR_INPUT, "cannot find %s beside warplens", gpu_library);
    return wl_error_set_hint(error, "it belongs into lib/ beside the program, or into "
                                    "../lib/warplens; build or install warplens again");
}

/* Whether a program of this kind is to load the library for need from the start. */
static bool is_needed(enum need need, const struct wl_program_info *info)
{
    bool may_be_anything = info->kind == WL_PROGRAM_NOT_ELF || info->kind == WL_PROGRAM_NO_CUDA;
    switch (need) {
    case NEED_RUNTIME_11:
        return may_be_anything || info->runtime_major == 11;
    case NEED_RUNTIME_12:
        return may_be_anything || info->runtime_major == 12;
    case NEED_RUNTIME_13:
        return may_be_anything || info->runtime_major == 13;
    case NEED_CUBLAS:
        return info->uses_cublas;
    case NEED_DRIVER:
        return may_be_anything || info->kind == WL_PROGRAM_DRIVER;
    }
    return false;
}

enum wl_code wl_injection_prepare(const char *folder, const struct wl_program_info *info,
                                  const char *settings_path, struct wl_environment *environment,
                                  struct wl_error *error)
{
    if (strpbrk(folder, ":;")) {
        wl_error_set(error, WL_ERR_UNSUPPORTED,
                     "the dynamic loader cannot take a folder with ':' or ';' in its name");
        wl_error_set_where(error, "%s", folder);
        return wl_error_set_hint(error, "move warplens to another folder");
    }
    /* LD_PRELOAD is split at spaces; a bare name is looked up through LD_LIBRARY_PATH instead */
    bool is_bare = strchr(folder, ' ');
    struct wl_text preload = {0};
    for (size_t i = 0; i < WL_COUNT(libraries); i++) {
        if (!is_needed(libraries[i].need, info) || !has_file(folder, libraries[i].file))
            continue;
        wl_text_addf(&preload, "%s%s%s%s", preload.length ? ":" : "", is_bare ? "" : folder,
                     is_bare ? "" : "/", libraries[i].file);
    }
    if (preload.length)
        wl_environment_prepend(environment, "LD_PRELOAD", preload.data, ':');
    wl_text_free(&preload);
    wl_environment_prepend(environment, "LD_LIBRARY_PATH", folder, ':');
    char *gpu_path = wl_string_format("%s/%s", folder, gpu_library);
    wl_environment_set(environment, "NVTX_INJECTION64_PATH", gpu_path);
    wl_environment_prepend(environment, "ACC_PROFLIB", gpu_path, ';');
    free(gpu_path);
    wl_environment_set(environment, "WARPLENS_SETTINGS", settings_path);
    return WL_OK;
}

void wl_injection_add_calls(const char *folder, const char *engine,
                            struct wl_environment *environment)
{
    static const char *const files[] = {"libwarplens-mpi.so", "libwarplens-acc.so",
                                        "libwarplens-system.so"};
    if (strpbrk(folder, ":; ")) /* LD_PRELOAD is split at these */
        return;
    for (size_t i = 0; i < WL_COUNT(files); i++) {
        char *path = wl_string_format("%s/%s", folder, files[i]);
        wl_environment_prepend(environment, "LD_PRELOAD", path, ':');
        free(path);
    }
    char *engine_path = wl_string_format("%s/%s", folder, engine);
    wl_environment_set(environment, "WARPLENS_TRACE_ENGINE", engine_path);
    wl_environment_prepend(environment, "OMP_TOOL_LIBRARIES", engine_path, ':');
    free(engine_path);
}

void wl_injection_add_pytorch(const char *folder, const char *wanted,
                              struct wl_environment *environment)
{
    if (strchr(folder, ':'))
        return;
    char *path = wl_string_format("%s/python", folder);
    wl_environment_prepend(environment, "PYTHONPATH", path, ':');
    wl_environment_set(environment, "WARPLENS_PYTORCH", wanted);
    free(path);
}
