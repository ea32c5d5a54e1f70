#include "binary/place.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
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
    Dwfl_Module *module =
        dwfl_report_end(dwfl, NULL, NULL) == 0 && is_listed ? dwfl_addrmodule(dwfl, address) : NULL;
    if (module) {
        Dwarf_Addr bias = 0;
        Dwarf_Die *unit = find_unit(module, address, &bias);
        if (unit)
            read_line(unit, address - bias, place);
        const char *name = unit ? find_function(unit, address - bias) : NULL;
        if (!name)
            name = dwfl_module_addrname(module, address);
        if (name)
            place->function = wl_demangle_function(name);
    }
    dwfl_end(dwfl);
    return place->file || place->function;
}

void wl_source_place_free(struct wl_source_place *place)
{
    free(place->file);
    free(place->function);
    *place = (struct wl_source_place){0};
}
