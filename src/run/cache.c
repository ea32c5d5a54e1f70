#include "run/cache.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "hardware/driver.h"

char *wl_cache_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return wl_string_format("%s/warplens", cache);
    return home && home[0] == '/' ? wl_string_format("%s/.cache/warplens", home) : NULL;
}

char *wl_cache_describe_program(const char *path)
{
    char start[SELFMAG] = "";
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    bool is_known = fstat(file, &facts) == 0 && read(file, start, sizeof start) == SELFMAG &&
                    memcmp(start, ELFMAG, SELFMAG) == 0;
    close(file);
    return is_known ? wl_string_format("%s %lld %lld.%09ld", path, (long long)facts.st_size,
                                       (long long)facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
                    : NULL;
}

char *wl_cache_path(const char *what, const unsigned char *uuid, uint32_t driver_version)
{
    struct wl_text path = {0};
    char *folder = wl_cache_folder();
    if (!folder)
        return NULL;
    wl_text_addf(&path, "%s/%s-%u-", folder, what, driver_version);
    for (size_t i = 0; i < WL_CUDA_UUID_BYTES; i++)
        wl_text_addf(&path, "%02x", uuid[i]);
    free(folder);
    return wl_text_take(&path);
}

enum wl_code wl_cache_keep(const char *path, const struct wl_text *text, struct wl_error *error)
{
    char *folder = wl_path_folder(path), *parent = wl_path_folder(folder);
    mkdir(parent, 0777);
    mkdir(folder, 0777);
    enum wl_code code = wl_file_write(path, text->data, text->length, error);
    free(folder);
    free(parent);
    return code;
}
