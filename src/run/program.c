#include "run/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "run/relink.h"

static const char relink_hint[] =
    "relink it: NVCC_APPEND_FLAGS=\"-cudart=shared -lineinfo\" make; with CMake: "
    "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared, and CUDA::cudart in place of CUDA::cudart_static";
static const char rescue_hint[] =
    "rebuild it with PTX: NVCC_APPEND_FLAGS=\"-gencode arch=compute_90,code=compute_90\" make";

static bool is_executable_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* First executable file of this name in the folders of PATH, or NULL. */
static char *find_in_path(const char *name)
{
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        char *path =
            length ? wl_string_format("%.*s/%s", (int)length, folders, name) : wl_string_copy(name);
        if (is_executable_file(path))
            return path;
        free(path);
        folders += length + (folders[length] == ':');
    }
    return NULL;
}

enum wl_code wl_program_find(const char *name, char **path, struct wl_error *error)
{
    struct stat status;
    *path = NULL;
    if (!*name)
        return wl_error_set(error, WL_ERR_INPUT, "the name of the program is empty");
    *path = strchr(name, '/') ? wl_string_copy(name) : find_in_path(name);
    if (!*path) {
        wl_error_set(error, WL_ERR_INPUT, "there is no program %s in PATH", name);
        if (stat(name, &status) == 0)
            wl_error_set_hint(error, "did you mean ./%s?", name);
        return WL_ERR_INPUT;
    }
    if (stat(*path, &status) != 0)
        return wl_error_set(error, WL_ERR_INPUT, "cannot find the program %s: %s", name,
                            strerror(errno));
    if (S_ISDIR(status.st_mode))
        return wl_error_set(error, WL_ERR_INPUT, "%s is a folder, not a program", name);
    if (access(*path, X_OK) != 0) {
        wl_error_set(error, WL_ERR_INPUT, "%s is not executable", name);
        return wl_error_set_hint(error, "chmod +x %s", name);
    }
    return WL_OK;
}

static enum wl_code refuse(const char *path, const struct wl_program_info *info,
                           struct wl_error *error)
{
    char *relink;
    switch (info->kind) {
    case WL_PROGRAM_NOT_ELF:
        if (info->is_script)
            return WL_OK;
        wl_error_set(error, WL_ERR_INPUT, "%s is neither a program nor a script", path);
        return wl_error_set_hint(error, "a script begins with a line such as #!/bin/sh");
    case WL_PROGRAM_OTHER_MACHINE:
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "%s was built for another machine", path);
    case WL_PROGRAM_STATIC_RUNTIME:
        wl_error_set(error, WL_ERR_UNSUPPORTED,
                     "%s carries NVIDIA's CUDA runtime inside (static linking), where it cannot be "
                     "replaced",
                     path);
        relink = wl_relink_command(path);
        wl_error_set_hint(error, "relink it: %s", relink);
        free(relink);
        return WL_ERR_UNSUPPORTED;
    case WL_PROGRAM_SHARED_RUNTIME:
        if (info->runtime_major >= 11 && info->runtime_major <= 13)
            return WL_OK;
        wl_error_set(error, WL_ERR_UNSUPPORTED, "%s needs libcudart.so.%u; 11 to 13 are known",
                     path, info->runtime_major);
        return wl_error_set_hint(error, "rebuild it with a CUDA toolkit of these");
    case WL_PROGRAM_NO_CUDA:
    case WL_PROGRAM_DRIVER:
        break;
    }
    return WL_OK;
}

enum wl_code wl_program_check(const char *path, const struct wl_messages *messages,
                              struct wl_program_info *info, struct wl_error *error)
{
    enum wl_code code = wl_program_inspect(path, info, error);
    if (code)
        return wl_error_set_where(error, "%s", path);
    code = refuse(path, info, error);
    if (code)
        return code;
    if (info->cubin_count > 0 && info->ptx_count == 0)
        wl_messages_warn(messages, rescue_hint,
                         "%s holds machine code but no PTX: its kernels will fail with error 209 "
                         "(cudaErrorNoKernelImageForDevice)",
                         path);
    if (info->other_libraries[0])
        wl_messages_warn(messages, NULL, "%s uses libraries that are not simulated: %s", path,
                         info->other_libraries);
    struct stat status;
    if (stat(path, &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        wl_messages_warn(
            messages, "profile a copy of it without that bit",
            "%s runs with the rights of another user, so nothing can be loaded into it", path);
    return WL_OK;
}

void wl_program_explain_nothing(const char *path, const struct wl_program_info *info,
                                const struct wl_messages *messages)
{
    if (info->kind == WL_PROGRAM_NO_CUDA)
        wl_messages_warn(messages, NULL,
                         "%s called nothing of CUDA; it is not linked with libcudart or libcuda",
                         path);
    else if (info->kind == WL_PROGRAM_NOT_ELF)
        wl_messages_warn(messages, relink_hint,
                         "no program that the script %s started called CUDA in a way that can be "
                         "simulated",
                         path);
    else
        wl_messages_warn(messages, NULL, "%s ended without having launched a kernel", path);
}
