/* The images in a program's file, as its fat binaries would be registered when it runs. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "binary/binary.h"
#include "binary/entry.h"

static const char *const container_sections[] = {".nv_fatbin", "__nv_relfatbin"};

static bool holds_containers(const char *name, const GElf_Shdr *header)
{
    for (size_t i = 0; i < WL_COUNT(container_sections); i++)
        if (strcmp(name, container_sections[i]) == 0)
            return header->sh_type != SHT_NOBITS;
    return false;
}

/* Containers one behind the other, with zeroes between them. */
static enum wl_code read_containers(const Elf_Data *data, uint32_t *container,
                                    struct wl_fatbin *fatbin, struct wl_error *error)
{
    const uint8_t *bytes = data->d_buf;
    for (size_t at = 0, used; bytes && at < data->d_size; at += used) {
        used = 1;
        if (bytes[at] == 0)
            continue;
        struct wl_entry_cursor cursor;
        size_t first = fatbin->count;
        enum wl_code code = wl_entry_begin(bytes + at, data->d_size - at, at, &cursor, error);
        if (!code)
            code = wl_fatbin_read(bytes + at, data->d_size - at, fatbin, error);
        if (code)
            return code;
        for (size_t i = first; i < fatbin->count; i++)
            fatbin->items[i].container = *container;
        ++*container;
        used = cursor.end ? cursor.end : 1;
    }
    return WL_OK;
}

enum wl_code wl_fatbin_read_program(const char *path, struct wl_fatbin *fatbin,
                                    struct wl_error *error)
{
    enum wl_code code = WL_OK;
    uint32_t container = 0;
    size_t names = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return wl_error_set(error, WL_ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0) {
        code = wl_error_set(error, WL_ERR_CORRUPT, "%s has no sections", path);
        goto out;
    }
    for (Elf_Scn *section = NULL; !code && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || !holds_containers(name, &header))
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (data)
            code = read_containers(data, &container, fatbin, error);
    }
out:
    elf_end(elf);
    close(descriptor);
    return code;
}
