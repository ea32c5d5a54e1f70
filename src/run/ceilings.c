#include "run/ceilings.h"

#include <stdlib.h>

#include "base/memory.h"
#include "run/cache.h"

char *wl_ceilings_path(const unsigned char *uuid, uint32_t driver_version)
{
    return wl_cache_path("ceilings", uuid, driver_version);
}

bool wl_ceilings_read(const char *path, struct wl_ceilings *ceilings)
{
    struct wl_text content = {0};
    bool is_read = wl_file_read(path, &content, NULL) == WL_OK && content.length > 0 &&
                   wl_ceilings_parse(content.data, ceilings);
    wl_text_free(&content);
    return is_read;
}

enum wl_code wl_ceilings_keep(const char *path, const struct wl_ceilings *ceilings,
                              struct wl_error *error)
{
    struct wl_text text = {0};
    wl_ceilings_print(ceilings, &text);
    enum wl_code code = wl_cache_keep(path, &text, error);
    wl_text_free(&text);
    return code;
}

char *wl_ceilings_setting(const struct wl_cuda_machine *machine)
{
    struct wl_ceilings ceilings;
    struct wl_text text = {0};
    char *path = wl_ceilings_path(machine->devices[0].uuid, machine->driver_version);
    if (path && wl_ceilings_read(path, &ceilings))
        wl_ceilings_print(&ceilings, &text);
    free(path);
    return text.data ? wl_text_take(&text) : wl_string_copy("");
}
