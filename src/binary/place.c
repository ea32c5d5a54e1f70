#include "binary/place.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/memory.h"

/* Separate debug information is not looked for: that may ask the network. */
static int find_no_debuginfo(Dwfl_Module *module, void **user_data, const char *module_name,
                             Dwarf_Addr base, const char *file_name, const char *link_file,
                             GElf_Word link_crc, char **found)
{
    (void)module, (void)user_data, (void)module_name, (void)base;
    (void)file_name, (void)link_file, (void)link_crc, (void)found;
    return -1;
}

/* Clang writes no table of which unit an address is in. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

/* address: as the file has it. */
static void read_line(Dwarf_Die *unit, Dwarf_Addr address, struct wl_source_place *place)
{
    int line = 0;
    Dwarf_Line *row = dwarf_getsrc_die(unit, address);
    const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    if (!file || dwarf_lineno(row, &line) != 0 || line <= 0)
        return;
    place->file = wl_string_copy(file);
    place->line = (uint32_t)line;
}

/* The innermost function, inlined ones too: its name without types. */
static const char *find_function(Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    const char *name = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    for (int i = 0; i < count && !name; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram)
            name = dwarf_diename(&scopes[i]);
    }
    free(scopes);
    return name;
}

static bool find_place(Dwfl *dwfl, Dwarf_Addr address, struct wl_source_place *place)
{
    Dwfl_Module *module = dwfl_addrmodule(dwfl, address);
    *place = (struct wl_source_place){0};
    if (!module)
        return false;
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = find_unit(module, address, &bias);
    if (unit)
        read_line(unit, address - bias, place);
    const char *name = unit ? find_function(unit, address - bias) : NULL;
    if (!name)
        name = dwfl_module_addrname(module, address);
    if (name)
        place->function = wl_demangle_function(name);
    return place->file || place->function;
}

bool wl_source_place_find(uintptr_t address, struct wl_source_place *place)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = find_no_debuginfo};
    *place = (struct wl_source_place){0};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    if (!dwfl)
        return false;
    dwfl_report_begin(dwfl);
    bool is_listed = dwfl_linux_proc_report(dwfl, getpid()) == 0;
    bool is_found =
        dwfl_report_end(dwfl, NULL, NULL) == 0 && is_listed && find_place(dwfl, address, place);
    dwfl_end(dwfl);
    return is_found;
}

/* ---- of another process ---- */

struct wl_source_maps {
    Dwfl *dwfl;
};

/* Where the file's addresses begin in memory, by the segment that is there. */
static bool read_bias(int descriptor, const struct wl_source_map *map, GElf_Addr *bias)
{
    Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    size_t count = 0;
    bool is_found = false;
    GElf_Ehdr header;
    if (elf && gelf_getehdr(elf, &header) && elf_getphdrnum(elf, &count) == 0) {
        for (size_t i = 0; i < count && !is_found; i++) {
            GElf_Phdr segment;
            uint64_t mask = ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
            if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD)
                continue;
            is_found = (segment.p_offset & mask) <= map->offset &&
                       map->offset < segment.p_offset + segment.p_filesz;
            *bias =
                map->start - ((segment.p_vaddr & mask) + map->offset - (segment.p_offset & mask));
        }
        if (header.e_type == ET_EXEC)
            *bias = 0;
    }
    elf_end(elf);
    return is_found;
}

static void add_map(Dwfl *dwfl, const struct wl_source_map *map)
{
    GElf_Addr bias = 0;
    int descriptor = map->file[0] == '/' ? open(map->file, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0)
        return;
    bool is_known = read_bias(descriptor, map, &bias);
    close(descriptor);
    if (is_known)
        dwfl_report_elf(dwfl, map->file, map->file, -1, bias, true);
}

struct wl_source_maps *wl_source_maps_open(const struct wl_source_map *maps, size_t count)
{
    static const Dwfl_Callbacks callbacks = {.section_address = dwfl_offline_section_address,
                                             .find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = find_no_debuginfo};
    struct wl_source_maps *made = wl_alloc_zero(1, sizeof *made);
    elf_version(EV_CURRENT);
    made->dwfl = dwfl_begin(&callbacks);
    if (!made->dwfl)
        return made;
    dwfl_report_begin(made->dwfl);
    for (size_t i = 0; i < count; i++)
        add_map(made->dwfl, &maps[i]);
    dwfl_report_end(made->dwfl, NULL, NULL);
    return made;
}

void wl_source_maps_free(struct wl_source_maps *maps)
{
    if (maps && maps->dwfl)
        dwfl_end(maps->dwfl);
    free(maps);
}

bool wl_source_maps_find(struct wl_source_maps *maps, uint64_t address,
                         struct wl_source_place *place)
{
    *place = (struct wl_source_place){0};
    return maps->dwfl && find_place(maps->dwfl, address, place);
}

void wl_source_place_free(struct wl_source_place *place)
{
    free(place->file);
    free(place->function);
    *place = (struct wl_source_place){0};
}
