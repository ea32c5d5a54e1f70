#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <uthash.h>

#include "base/memory.h"
#include "binary/binary.h"
#include "binary/layout.h"

enum {
    MACHINE_CUDA = 190,
    SYMBOL_IS_ENTRY = 0x10,     /* of st_other: a kernel */
    SYMBOL_IS_MANAGED = 0x04,   /* of st_other: a variable */
    SYSTEM_SHARED_BYTES = 1024, /* in each kernel's .nv.shared since sm_90 */
};

/* Records of .nv.info sections: format, attribute, then a value or a size. */
enum record_format { FORMAT_NONE = 1, FORMAT_BYTE, FORMAT_HALF, FORMAT_SIZED };
enum attribute {
    ATTRIBUTE_MAX_THREADS = 0x05,      /* x, y, z of __launch_bounds__ */
    ATTRIBUTE_REQUIRED_THREADS = 0x10, /* x, y, z of .reqntid */
    ATTRIBUTE_FRAME_BYTES = 0x11,      /* symbol, bytes */
    ATTRIBUTE_STACK_BYTES = 0x12,      /* symbol, bytes with the callees' */
    ATTRIBUTE_REGISTERS = 0x2f,        /* symbol, count */
    ATTRIBUTE_BARRIERS = 0x4c,         /* count */
    ATTRIBUTE_ANNOTATIONS = 0x55,      /* (type, offset of an instruction)... */
};
enum { ANNOTATION_SPILL = 1 };

struct record {
    uint8_t format, attribute;
    uint16_t value; /* of FORMAT_BYTE and FORMAT_HALF, else the size */
    const uint8_t *bytes;
};

/* A kernel, by the name in its sections' names. */
struct named_kernel {
    const char *name;
    size_t index; /* in cubin.items */
    size_t code_section;
    UT_hash_handle hh;
};

struct reader {
    Elf *elf;
    struct wl_cubin *cubin;
    struct named_kernel *kernels;
    struct named_kernel **kernel_of_symbol; /* NULL where it is none */
    size_t symbol_count;
    bool reserves_shared;
    struct wl_error *error;
};

static enum wl_code refuse(struct reader *reader, const char *what)
{
    wl_error_set(reader->error, WL_ERR_CORRUPT, "machine code: %s", what);
    return WL_ERR_CORRUPT;
}

/* A section's name; "" if it has none. */
static const char *section_name(const struct reader *reader, const GElf_Shdr *header)
{
    size_t names;
    if (elf_getshdrstrndx(reader->elf, &names) != 0)
        return "";
    const char *name = elf_strptr(reader->elf, names, header->sh_name);
    return name ? name : "";
}

/* The section's bytes in the file; false if it has none or they lie outside. */
static bool section_bytes(Elf_Scn *section, const uint8_t **bytes, size_t *length)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || !data->d_buf)
        return false;
    *bytes = data->d_buf;
    *length = data->d_size;
    return true;
}

static const char *without_prefix(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static struct named_kernel *find_kernel(const struct reader *reader, const char *name)
{
    struct named_kernel *found = NULL;
    if (name)
        HASH_FIND_STR(reader->kernels, name, found);
    return found;
}

static struct wl_cubin_kernel *result_of(const struct reader *reader,
                                         const struct named_kernel *kernel)
{
    return &reader->cubin->items[kernel->index];
}

static bool next_record(const uint8_t **bytes, size_t *length, struct record *record)
{
    if (*length < 4)
        return false;
    record->format = (*bytes)[0];
    record->attribute = (*bytes)[1];
    record->value = wl_read_u16(*bytes + 2);
    record->bytes = *bytes + 4;
    size_t record_bytes = 4;
    if (record->format == FORMAT_SIZED)
        record_bytes += record->value;
    else if (record->format == FORMAT_BYTE)
        record->value &= 0xff;
    if (record_bytes > *length)
        return false;
    *bytes += record_bytes;
    *length -= record_bytes;
    return true;
}

static enum wl_code add_kernel(struct reader *reader, const char *name, size_t code_section,
                               struct named_kernel **added)
{
    Elf_Scn *code = elf_getscn(reader->elf, code_section);
    GElf_Shdr header;
    if (!name || !code || !gelf_getshdr(code, &header))
        return refuse(reader, "a kernel's symbol is damaged");
    if (find_kernel(reader, name))
        return refuse(reader, "two kernels have the same name");
    struct wl_cubin_kernel kernel = {.name = wl_string_copy(name),
                                     .code_bytes = (uint32_t)header.sh_size};
    /* older toolkits put it there alone; newer ones repeat it as an attribute */
    kernel.registers = (uint32_t)(header.sh_info >> 24);
    *added = wl_alloc_zero(1, sizeof **added);
    (*added)->name = kernel.name;
    (*added)->index = reader->cubin->count;
    (*added)->code_section = code_section;
    WL_PUSH(reader->cubin, kernel);
    HASH_ADD_KEYPTR(hh, reader->kernels, (*added)->name, strlen((*added)->name), *added);
    return WL_OK;
}

/* Adds a kernel for each entry symbol that has code. */
static enum wl_code read_symbols(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || header->sh_entsize < sizeof(Elf64_Sym) || reader->kernel_of_symbol)
        return refuse(reader, "its symbol table is damaged");
    reader->symbol_count = data->d_size / header->sh_entsize;
    reader->kernel_of_symbol =
        wl_alloc_zero(reader->symbol_count, sizeof(*reader->kernel_of_symbol));
    enum wl_code code = WL_OK;
    for (size_t i = 0; i < reader->symbol_count && !code; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            !(symbol.st_other & SYMBOL_IS_ENTRY) || symbol.st_shndx == SHN_UNDEF)
            continue;
        code = add_kernel(reader, elf_strptr(reader->elf, header->sh_link, symbol.st_name),
                          symbol.st_shndx, &reader->kernel_of_symbol[i]);
    }
    return code;
}

/* .nv.info: records about symbols. */
static void read_common_info(struct reader *reader, const uint8_t *bytes, size_t length)
{
    struct record record;
    while (next_record(&bytes, &length, &record)) {
        if (record.format != FORMAT_SIZED || record.value < 8)
            continue;
        uint32_t symbol = wl_read_u32(record.bytes), value = wl_read_u32(record.bytes + 4);
        if (symbol >= reader->symbol_count || !reader->kernel_of_symbol[symbol])
            continue; /* a device function's */
        struct wl_cubin_kernel *kernel = result_of(reader, reader->kernel_of_symbol[symbol]);
        if (record.attribute == ATTRIBUTE_REGISTERS)
            kernel->registers = value;
        else if (record.attribute == ATTRIBUTE_FRAME_BYTES ||
                 record.attribute == ATTRIBUTE_STACK_BYTES)
            kernel->local_bytes = value > kernel->local_bytes ? value : kernel->local_bytes;
    }
}

/* How many bytes an instruction of 16 bytes stores to or loads from local memory. */
static void add_spill(struct wl_cubin_kernel *kernel, const uint8_t *instruction)
{
    enum { OPCODE_LOAD_LOCAL = 0x983, OPCODE_STORE_LOCAL = 0x387 };
    static const uint32_t width_bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    uint32_t opcode = wl_read_u32(instruction) & 0xfff;
    uint32_t bytes = width_bytes[wl_read_u32(instruction + 8) >> 9 & 7];
    if (opcode == OPCODE_LOAD_LOCAL)
        kernel->spill_load_bytes += bytes;
    else if (opcode == OPCODE_STORE_LOCAL)
        kernel->spill_store_bytes += bytes;
}

static void read_annotations(const struct reader *reader, const struct named_kernel *kernel,
                             const struct record *record)
{
    const uint8_t *code;
    size_t code_bytes;
    Elf_Scn *section = elf_getscn(reader->elf, kernel->code_section);
    if (!section || !section_bytes(section, &code, &code_bytes) || code_bytes < 16)
        return;
    for (size_t at = 0; at + 8 <= record->value; at += 8) {
        uint32_t offset = wl_read_u32(record->bytes + at + 4);
        if (wl_read_u32(record->bytes + at) != ANNOTATION_SPILL)
            return; /* of unknown length */
        if (offset <= code_bytes - 16)
            add_spill(result_of(reader, kernel), code + offset);
    }
}

static uint32_t volume(const uint8_t *dimensions)
{
    uint64_t threads = wl_read_u32(dimensions);
    for (int axis = 1; axis < 3; axis++) {
        threads *= wl_read_u32(dimensions + 4 * axis);
        threads = threads > UINT32_MAX ? UINT32_MAX : threads;
    }
    return (uint32_t)threads;
}

/* .nv.info.KERNEL */
static void read_kernel_info(const struct reader *reader, const struct named_kernel *named,
                             const uint8_t *bytes, size_t length)
{
    struct wl_cubin_kernel *kernel = result_of(reader, named);
    struct record record;
    while (next_record(&bytes, &length, &record)) {
        bool is_sized = record.format == FORMAT_SIZED;
        if (record.attribute == ATTRIBUTE_BARRIERS && !is_sized)
            kernel->barriers = record.value;
        else if ((record.attribute == ATTRIBUTE_MAX_THREADS ||
                  record.attribute == ATTRIBUTE_REQUIRED_THREADS) &&
                 is_sized && record.value >= 12)
            kernel->max_threads = volume(record.bytes);
        else if (record.attribute == ATTRIBUTE_ANNOTATIONS && is_sized)
            read_annotations(reader, named, &record);
    }
}

static void read_section(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
    const char *name = section_name(reader, header);
    const uint8_t *bytes;
    size_t length;
    struct named_kernel *kernel;
    if (strcmp(name, ".nv.info") == 0) {
        if (section_bytes(section, &bytes, &length))
            read_common_info(reader, bytes, length);
    } else if ((kernel = find_kernel(reader, without_prefix(name, ".nv.info.")))) {
        if (section_bytes(section, &bytes, &length))
            read_kernel_info(reader, kernel, bytes, length);
    } else if ((kernel = find_kernel(reader, without_prefix(name, ".nv.shared.")))) {
        uint32_t shared_bytes = (uint32_t)header->sh_size;
        if (reader->reserves_shared && shared_bytes >= SYSTEM_SHARED_BYTES)
            shared_bytes -= SYSTEM_SHARED_BYTES;
        result_of(reader, kernel)->shared_bytes = shared_bytes;
    } else if ((kernel = find_kernel(reader, without_prefix(name, ".nv.constant0.")))) {
        result_of(reader, kernel)->constant_bytes = (uint32_t)header->sh_size;
    }
}

static enum wl_code find_symbols(struct reader *reader, Elf_Scn *section, const GElf_Shdr *header)
{
    if (strcmp(section_name(reader, header), ".nv.shared.reserved.0") == 0)
        reader->reserves_shared = true;
    return header->sh_type == SHT_SYMTAB ? read_symbols(reader, section, header) : WL_OK;
}

static enum wl_code find_properties(struct reader *reader, Elf_Scn *section,
                                    const GElf_Shdr *header)
{
    read_section(reader, section, header);
    return WL_OK;
}

static enum wl_code visit_sections(struct reader *reader,
                                   enum wl_code (*visit)(struct reader *, Elf_Scn *,
                                                         const GElf_Shdr *))
{
    Elf_Scn *section = NULL;
    enum wl_code code = WL_OK;
    while (!code && (section = elf_nextscn(reader->elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return refuse(reader, "a section header is damaged");
        code = visit(reader, section, &header);
    }
    return code;
}

static void free_names(struct reader *reader)
{
    struct named_kernel *kernel, *next;
    HASH_ITER(hh, reader->kernels, kernel, next)
    {
        HASH_DEL(reader->kernels, kernel);
        free(kernel);
    }
    free(reader->kernel_of_symbol);
}

enum wl_code wl_cubin_read(const void *data, size_t length, struct wl_cubin *cubin,
                           struct wl_error *error)
{
    struct reader reader = {.cubin = cubin, .error = error};
    GElf_Ehdr header;
    enum wl_code code = WL_OK;
    /* libelf wants aligned bytes that are not const; it does not write to them */
    char *copy = wl_string_copy_length(data, length);
    elf_version(EV_CURRENT);
    reader.elf = elf_memory(copy, length);
    if (!reader.elf || elf_kind(reader.elf) != ELF_K_ELF || !gelf_getehdr(reader.elf, &header)) {
        code = refuse(&reader, "it is not an ELF file");
        goto out;
    }
    if (header.e_machine != MACHINE_CUDA) {
        code = refuse(&reader, "it is not a GPU's");
        goto out;
    }
    if (header.e_shoff == 0 || header.e_shoff >= length) {
        code = refuse(&reader, "its section headers are missing");
        goto out;
    }
    code = visit_sections(&reader, find_symbols);
    if (!code)
        code = visit_sections(&reader, find_properties);
out:
    free_names(&reader);
    elf_end(reader.elf);
    free(copy);
    return code;
}

void wl_cubin_free(struct wl_cubin *cubin)
{
    for (size_t i = 0; i < cubin->count; i++)
        free(cubin->items[i].name);
    free(cubin->items);
    *cubin = (struct wl_cubin){0};
}

/* ---- single questions ---- */

/* Asks each symbol table until one answers yes. The bytes are copied: libelf wants aligned ones
 * that are not const; it does not write to them. */
static bool ask_symbols(const void *data, size_t length,
                        bool (*ask)(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                                    void *self),
                        void *self)
{
    bool is_found = false;
    Elf_Scn *section = NULL;
    char *copy = wl_string_copy_length(data, length);
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(copy, length);
    while (elf && !is_found && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            is_found = ask(elf, section, &header, self);
    }
    elf_end(elf);
    free(copy);
    return is_found;
}

static size_t symbols_in(const Elf_Data *data, const GElf_Shdr *header)
{
    return data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
}

struct sought {
    const char *kernel;
    struct wl_cubin_code *code;
};

static bool find_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, void *self)
{
    const struct sought *sought = self;
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 0; i < symbols_in(data, header); i++) {
        GElf_Sym symbol;
        GElf_Shdr code;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            !(symbol.st_other & SYMBOL_IS_ENTRY))
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || strcmp(name, sought->kernel) != 0 ||
            !gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &code))
            continue;
        *sought->code = (struct wl_cubin_code){i, code.sh_offset, code.sh_size};
        return true;
    }
    return false;
}

bool wl_cubin_find_code(const void *data, size_t length, const char *kernel,
                        struct wl_cubin_code *code)
{
    struct sought sought = {kernel, code};
    return ask_symbols(data, length, find_symbol, &sought) && code->offset <= length &&
           code->length <= length - code->offset;
}

static bool find_managed(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, void *self)
{
    (void)elf, (void)self;
    Elf_Data *data = elf_getdata(section, NULL);
    for (size_t i = 0; i < symbols_in(data, header); i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT &&
            (symbol.st_other & SYMBOL_IS_MANAGED))
            return true;
    }
    return false;
}

bool wl_cubin_has_managed(const void *data, size_t length)
{
    return ask_symbols(data, length, find_managed, NULL);
}
