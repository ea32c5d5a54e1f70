#include "binary/lines.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

enum { ROWS_MAX = 1 << 20, FILES_MAX = 1 << 14 };

enum standard_opcode {
    OPCODE_EXTENDED = 0,
    OPCODE_COPY = 1,
    OPCODE_ADVANCE_PC = 2,
    OPCODE_ADVANCE_LINE = 3,
    OPCODE_SET_FILE = 4,
    OPCODE_SET_COLUMN = 5,
    OPCODE_CONST_ADD_PC = 8,
    OPCODE_FIXED_ADVANCE_PC = 9,
};
enum extended_opcode {
    EXTENDED_END = 1,
    EXTENDED_SET_ADDRESS = 2,
    EXTENDED_INLINED_CALL = 0x90, /* row of the call within the sequence, name in .debug_str */
};

/* Bytes that are read from the front; too few of them make it bad for good. */
struct bytes {
    const uint8_t *at, *end;
    bool is_bad;
};

struct table {
    Elf *elf;
    const uint8_t *line_section; /* .debug_line */
    size_t line_bytes;
    const char *names; /* .debug_str */
    size_t name_bytes;
    const char *function;
    uint32_t symbol; /* of the function */
    Elf_Data *relocations, *symbols;
    bool has_addends;
    struct wl_cubin_lines *lines;
};

/* A unit's header. */
struct unit {
    uint8_t step_bytes, line_range, opcode_base;
    int8_t line_base;
    const uint8_t *opcode_lengths;
    const char *files[256]; /* beyond that: "" */
    uint32_t file_count;
};

/* The state machine, and where the rows of its sequence begin. */
struct state {
    uint64_t address;
    int64_t line;
    uint64_t file, column;
    uint64_t context; /* row of the call that it is inlined at, counted from 1 */
    const char *inlined;
    bool is_ours;
    size_t first_row;
    uint32_t row_count;
};

/* ---- bytes ---- */

static uint64_t take(struct bytes *bytes, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(bytes->end - bytes->at) < size) {
        bytes->is_bad = true;
        bytes->at = bytes->end;
        return 0;
    }
    memcpy(&value, bytes->at, size); /* little-endian, as all cubins are */
    bytes->at += size;
    return value;
}

static uint64_t take_unsigned(struct bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = take(bytes, 1);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    bytes->is_bad = true;
    return 0;
}

static int64_t take_signed(struct bytes *bytes)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
        uint64_t byte = take(bytes, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if ((byte & 0x40) && shift < 64)
            value |= ~UINT64_C(0) << shift;
        return (int64_t)value;
    }
    bytes->is_bad = true;
    return 0;
}

static const char *take_string(struct bytes *bytes)
{
    const void *end = memchr(bytes->at, 0, (size_t)(bytes->end - bytes->at));
    const char *string = (const char *)bytes->at;
    if (!end) {
        bytes->is_bad = true;
        bytes->at = bytes->end;
        return "";
    }
    bytes->at = (const uint8_t *)end + 1;
    return string;
}

static const char *keep(struct wl_cubin_lines *lines, char *text)
{
    WL_PUSH(&lines->texts, text);
    return text;
}

/* ---- a unit ---- */

static void read_files(struct table *table, struct bytes *header, struct unit *unit)
{
    const char *folders[64] = {""};
    size_t folder_count = 1;
    for (const char *name = take_string(header); *name && !header->is_bad;
         name = take_string(header))
        if (folder_count < WL_COUNT(folders))
            folders[folder_count++] = name;
    for (const char *name = take_string(header); *name && !header->is_bad;
         name = take_string(header)) {
        uint64_t folder = take_unsigned(header);
        take_unsigned(header); /* when it was changed */
        take_unsigned(header); /* its length */
        unit->file_count++;
        if (unit->file_count >= WL_COUNT(unit->files))
            continue;
        bool is_whole = name[0] == '/' || folder == 0 || folder >= folder_count;
        unit->files[unit->file_count] =
            keep(table->lines, is_whole ? wl_string_copy(name)
                                        : wl_string_format("%s/%s", folders[folder], name));
    }
}

/* False: its form is not known, and it has no lines for us. */
static bool read_header(struct table *table, struct bytes *body, struct unit *unit)
{
    uint64_t version = take(body, 2);
    uint64_t header_bytes = take(body, 4);
    if (version < 2 || version > 4 || header_bytes > (uint64_t)(body->end - body->at))
        return false;
    struct bytes header = {body->at, body->at + header_bytes, false};
    unit->step_bytes = (uint8_t)take(&header, 1);
    if (version >= 4)
        take(&header, 1); /* operations of an instruction */
    take(&header, 1);     /* whether rows are statements */
    unit->line_base = (int8_t)take(&header, 1);
    unit->line_range = (uint8_t)take(&header, 1);
    unit->opcode_base = (uint8_t)take(&header, 1);
    if (header.is_bad || unit->line_range == 0 || unit->opcode_base == 0 ||
        header.end - header.at < unit->opcode_base - 1)
        return false;
    unit->opcode_lengths = header.at;
    header.at += unit->opcode_base - 1;
    read_files(table, &header, unit);
    body->at += header_bytes;
    return !header.is_bad;
}

/* ---- which function a sequence is of: its start is relocated ---- */

static bool is_relocated_to_function(const struct table *table, uint64_t offset)
{
    size_t size = table->has_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    size_t count = table->relocations ? table->relocations->d_size / size : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela with = {0};
        GElf_Rel without = {0};
        if (table->has_addends && gelf_getrela(table->relocations, (int)i, &with)) {
            if (with.r_offset == offset)
                return GELF_R_SYM(with.r_info) == table->symbol;
        } else if (!table->has_addends && gelf_getrel(table->relocations, (int)i, &without)) {
            if (without.r_offset == offset)
                return GELF_R_SYM(without.r_info) == table->symbol;
        }
    }
    return false;
}

/* ---- the program ---- */

static void begin_sequence(const struct table *table, struct state *state)
{
    *state = (struct state){.line = 1, .file = 1, .inlined = "", .first_row = table->lines->count};
}

static void add_row(struct table *table, const struct unit *unit, struct state *state)
{
    bool is_inlined = state->context > 0 && state->context <= state->row_count;
    const char *file = state->file < WL_COUNT(unit->files) && unit->files[state->file]
                           ? unit->files[state->file]
                           : "";
    struct wl_cubin_line row = {
        .offset = (uint32_t)state->address,
        .line = (uint32_t)state->line,
        .column = (uint32_t)state->column,
        .file = file,
        .function = is_inlined ? state->inlined : "",
        .caller = is_inlined ? (uint32_t)(state->first_row + state->context) : 0,
    };
    if (!state->is_ours || table->lines->count >= ROWS_MAX)
        return;
    WL_PUSH(table->lines, row);
    state->row_count++;
}

static const char *name_at(const struct table *table, uint64_t offset)
{
    if (!table->names || offset >= table->name_bytes ||
        !memchr(table->names + offset, 0, table->name_bytes - offset))
        return "";
    return table->names + offset;
}

static void run_extended(struct table *table, struct bytes *program, struct state *state)
{
    uint64_t size = take_unsigned(program);
    if (size == 0 || size > (uint64_t)(program->end - program->at)) {
        program->is_bad = program->is_bad || size != 0;
        return;
    }
    struct bytes operands = {program->at, program->at + size, false};
    uint64_t opcode = take(&operands, 1);
    if (opcode == EXTENDED_END) {
        begin_sequence(table, state);
    } else if (opcode == EXTENDED_SET_ADDRESS) {
        uint64_t offset = (uint64_t)(operands.at - table->line_section);
        state->address = take(&operands, (size_t)(operands.end - operands.at) >= 8 ? 8 : 4);
        state->is_ours = is_relocated_to_function(table, offset);
    } else if (opcode == EXTENDED_INLINED_CALL) {
        state->context = take_unsigned(&operands);
        state->inlined =
            keep(table->lines, wl_string_copy(name_at(table, take_unsigned(&operands))));
    }
    program->is_bad = program->is_bad || operands.is_bad;
    program->at += size;
}

static void run_standard(struct table *table, const struct unit *unit, struct bytes *program,
                         struct state *state, uint8_t opcode)
{
    switch (opcode) {
    case OPCODE_EXTENDED:
        run_extended(table, program, state);
        break;
    case OPCODE_COPY:
        add_row(table, unit, state);
        break;
    case OPCODE_ADVANCE_PC:
        state->address += take_unsigned(program) * unit->step_bytes;
        break;
    case OPCODE_ADVANCE_LINE:
        state->line += take_signed(program);
        break;
    case OPCODE_SET_FILE:
        state->file = take_unsigned(program);
        break;
    case OPCODE_SET_COLUMN:
        state->column = take_unsigned(program);
        break;
    case OPCODE_CONST_ADD_PC:
        state->address +=
            (uint64_t)((255 - unit->opcode_base) / unit->line_range) * unit->step_bytes;
        break;
    case OPCODE_FIXED_ADVANCE_PC:
        state->address += take(program, 2);
        break;
    default: /* of no interest, or unknown: as many operands as the header says */
        for (uint8_t i = 0; i < unit->opcode_lengths[opcode - 1]; i++)
            take_unsigned(program);
    }
}

static void run_program(struct table *table, const struct unit *unit, struct bytes *program)
{
    struct state state;
    begin_sequence(table, &state);
    while (program->at < program->end && !program->is_bad) {
        uint8_t opcode = (uint8_t)take(program, 1);
        if (opcode < unit->opcode_base) {
            run_standard(table, unit, program, &state, opcode);
            continue;
        }
        uint8_t step = (uint8_t)(opcode - unit->opcode_base);
        state.address += (uint64_t)(step / unit->line_range) * unit->step_bytes;
        state.line += unit->line_base + step % unit->line_range;
        add_row(table, unit, &state);
    }
}

static bool run_units(struct table *table)
{
    struct bytes section = {table->line_section, table->line_section + table->line_bytes, false};
    while (section.end - section.at > 4) {
        uint64_t size = take(&section, 4);
        if (size > (uint64_t)(section.end - section.at))
            return false;
        struct bytes body = {section.at, section.at + size, false};
        struct unit unit = {0};
        if (read_header(table, &body, &unit))
            run_program(table, &unit, &body);
        if (body.is_bad)
            return false;
        section.at += size;
    }
    return true;
}

/* ---- the file ---- */

static void find_symbol(struct table *table, const GElf_Shdr *header)
{
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(table->symbols, (int)i, &symbol)
                               ? elf_strptr(table->elf, header->sh_link, symbol.st_name)
                               : NULL;
        if (name && strcmp(name, table->function) == 0)
            table->symbol = (uint32_t)i;
    }
}

static void find_sections(struct table *table)
{
    size_t names = 0;
    elf_getshdrstrndx(table->elf, &names);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(table->elf, section));) {
        GElf_Shdr header;
        Elf_Data *raw = elf_rawdata(section, NULL);
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(table->elf, names, header.sh_name);
        if (!name || !raw || !raw->d_buf)
            continue;
        if (strcmp(name, ".debug_line") == 0) {
            table->line_section = raw->d_buf;
            table->line_bytes = raw->d_size;
        } else if (strcmp(name, ".debug_str") == 0) {
            table->names = raw->d_buf;
            table->name_bytes = raw->d_size;
        } else if (strcmp(name, ".rela.debug_line") == 0 || strcmp(name, ".rel.debug_line") == 0) {
            table->relocations = elf_getdata(section, NULL);
            table->has_addends = header.sh_type == SHT_RELA;
        } else if (header.sh_type == SHT_SYMTAB) {
            table->symbols = elf_getdata(section, NULL);
            find_symbol(table, &header);
        }
    }
}

enum wl_code wl_cubin_lines_read(const void *data, size_t length, const char *function,
                                 struct wl_cubin_lines *lines, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    elf_version(EV_CURRENT);
    struct table table = {.function = function, .lines = lines};
    table.elf = elf_memory((char *)data, length); /* reads only */
    if (!table.elf || elf_kind(table.elf) != ELF_K_ELF)
        code = wl_error_set(error, WL_ERR_CORRUPT, "machine code: no ELF file");
    else
        find_sections(&table);
    if (!code && table.line_section && table.symbol && !run_units(&table))
        code = wl_error_set(error, WL_ERR_CORRUPT, "machine code: damaged table of lines");
    elf_end(table.elf);
    return code;
}

void wl_cubin_lines_free(struct wl_cubin_lines *lines)
{
    for (size_t i = 0; i < lines->texts.count; i++)
        free(lines->texts.items[i]);
    free(lines->texts.items);
    free(lines->items);
    *lines = (struct wl_cubin_lines){0};
}

size_t wl_cubin_lines_find(const struct wl_cubin_lines *lines, uint32_t offset)
{
    size_t low = 0, high = lines->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->items[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : lines->count;
}
