#include "hardware/checkpoint.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hardware/library.h"

static const char file_name[] = "libcheckpoint.so";

/* That of another version would not do: it is looked for only where libcupti is. */
static void *load(const char *cupti_path)
{
    const char *slash = strrchr(cupti_path, '/');
    char *path = wl_string_format("%.*s%s", slash ? (int)(slash + 1 - cupti_path) : 0, cupti_path,
                                  file_name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    return library;
}

bool wl_cupti_checkpoint_open(const char *cupti_path, struct wl_cupti_checkpoint *checkpoint)
{
    *checkpoint = (struct wl_cupti_checkpoint){.library = load(cupti_path)};
    if (!checkpoint->library)
        return false;
    *(void **)&checkpoint->save = dlsym(checkpoint->library, "cuptiCheckpointSave");
    *(void **)&checkpoint->restore = dlsym(checkpoint->library, "cuptiCheckpointRestore");
    *(void **)&checkpoint->free = dlsym(checkpoint->library, "cuptiCheckpointFree");
    return checkpoint->save && checkpoint->restore && checkpoint->free;
}

enum wl_code wl_cupti_checkpoint_save(struct wl_cupti_checkpoint *checkpoint,
                                      struct wl_cuda_context *context, struct wl_error *error)
{
    checkpoint->call = (struct wl_cupti_checkpoint_call){WL_CUPTI_INIT(wl_cupti_checkpoint_call),
                                                         .context = context, .may_overwrite = 1};
    int result = checkpoint->save(&checkpoint->call);
    if (result == WL_CUPTI_SUCCESS)
        return WL_OK;
    checkpoint->call.context = NULL;
    return wl_cupti_fail(error, "saving the GPU's memory", result);
}

enum wl_code wl_cupti_checkpoint_restore(struct wl_cupti_checkpoint *checkpoint,
                                         struct wl_error *error)
{
    int result = checkpoint->restore(&checkpoint->call);
    return result == WL_CUPTI_SUCCESS ? WL_OK
                                      : wl_cupti_fail(error, "restoring the GPU's memory", result);
}

void wl_cupti_checkpoint_release(struct wl_cupti_checkpoint *checkpoint)
{
    if (checkpoint->call.context)
        checkpoint->free(&checkpoint->call);
    checkpoint->call.context = NULL;
}
