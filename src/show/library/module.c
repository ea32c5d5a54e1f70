#include "show/library/module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"

enum wl_code wl_module_open(const char *file, const char *symbol, void *table, size_t size,
                            struct wl_error *error)
{
    char *folder = wl_path_library_folder(file);
    char *path = wl_string_format("%s/%s", folder ? folder : ".", file);
    void *module = folder ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const void *found = module ? dlsym(module, symbol) : NULL;
    free(path);
    free(folder);
    if (found) {
        memcpy(table, found, size);
        return WL_OK;
    }
    const char *why = folder ? dlerror() : NULL;
    wl_error_set(error, WL_ERR_INPUT, "cannot load %s: %s", file,
                 why ? why : "it is not beside warplens");
    return wl_error_set_hint(error, "install the library that is missing, or warplens again");
}
