#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/sha256.h"
#include "base/text.h"
#include "binary/binary.h"
#include "binary/entry.h"
#include "binary/layout.h"

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

static const char runtime_library[] = "libcudart.so.";
static const char driver_library[] = "libcuda.so";
static const char cublas_library[] = "libcublas.so";

/* Libraries that launch kernels of their own, which need NVIDIA's driver; not those whose stand-ins
 * compute: of cuDNN those that it is divided into, where a program names them itself. */
static const char *const kernel_libraries[] = {
    "libcudnn_",  "libcutensor", "libcudss.so", "libnpp",    "libnvjpeg",
    "libnvshmem", "libnvinfer",  "libnvgraph",  "libcufile",
};

/* A runtime inside the program itself defines this. */
static const char runtime_symbol[] = "__cudaRegisterFatBinary";

/* nvcc's containers: those of ordinary compilation, and those of -rdc. */
static const char *const container_sections[] = {".nv_fatbin", "__nv_relfatbin"};

struct inspection {
    Elf *elf;
    const char *path;
    struct wl_program_info *info;
    bool has_containers, has_symbols, needs_runtime, needs_driver, defines_runtime;
};

static enum wl_code refuse(const char *path, const char *what, struct wl_error *error)
{
    return wl_error_set(error, WL_ERR_CORRUPT, "%s is damaged: %s", path, what);
}

static void add_other_library(struct wl_program_info *info, const char *name)
{
    size_t used = strlen(info->other_libraries);
    int length = (int)strcspn(name, "."); /* libcutensor.so.2: the name without version */
    size_t left = sizeof info->other_libraries - used;
    if ((size_t)length + 3 <= left)
        snprintf(info->other_libraries + used, left, "%s%.*s", used ? ", " : "", length, name);
    info->uses_other_libraries = true;
}

static void note_library(struct inspection *inspection, const char *name)
{
    struct wl_program_info *info = inspection->info;
    if (wl_text_starts(name, runtime_library)) {
        inspection->needs_runtime = true;
        info->runtime_major = (uint32_t)strtoul(name + strlen(runtime_library), NULL, 10);
    } else if (wl_text_starts(name, driver_library)) {
        inspection->needs_driver = true;
    } else if (wl_text_starts(name, "libasan.so") || wl_text_starts(name, "libclang_rt.asan")) {
        info->uses_asan = true;
    } else if (wl_text_starts(name, cublas_library)) {
        info->uses_cublas = true;
    } else {
        for (size_t i = 0; i < WL_COUNT(kernel_libraries); i++) {
            if (wl_text_starts(name, kernel_libraries[i])) {
                add_other_library(info, name);
                break;
            }
        }
    }
}

static enum wl_code read_dynamic(struct inspection *inspection, Elf_Scn *section,
                                 const GElf_Shdr *header, struct wl_error *error)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    if (!data)
        return refuse(inspection->path, "its dynamic section lies outside the file", error);
    for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        if (entry.d_tag != DT_NEEDED)
            continue;
        const char *name = elf_strptr(inspection->elf, header->sh_link, entry.d_un.d_val);
        if (!name)
            return refuse(inspection->path, "the name of a needed library is missing", error);
        note_library(inspection, name);
    }
    return WL_OK;
}

static enum wl_code read_symbols(struct inspection *inspection, Elf_Scn *section,
                                 const GElf_Shdr *header, struct wl_error *error)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || !header->sh_entsize)
        return refuse(inspection->path, "its symbol table lies outside the file", error);
    size_t count = data->d_size / header->sh_entsize;
    GElf_Sym symbol;
    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &symbol); i++) {
        if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        const char *name = elf_strptr(inspection->elf, header->sh_link, symbol.st_name);
        if (name && strcmp(name, runtime_symbol) == 0)
            inspection->defines_runtime = true;
    }
    return WL_OK;
}

static enum wl_code count_container(const uint8_t *bytes, size_t length, size_t base,
                                    struct wl_program_info *info, size_t *used,
                                    struct wl_error *error)
{
    struct wl_entry_cursor cursor;
    enum wl_code code = wl_entry_begin(bytes, length, base, &cursor, error);
    while (!code) {
        struct wl_entry entry;
        bool found;
        code = wl_entry_next(&cursor, &entry, &found, error);
        if (code || !found)
            break;
        if (entry.kind == WL_IMAGE_CUBIN)
            info->cubin_count++;
        if (entry.kind != WL_IMAGE_PTX)
            continue;
        info->ptx_count++;
        if (entry.architecture > info->highest_ptx)
            info->highest_ptx = entry.architecture;
    }
    *used = code ? 0 : cursor.end;
    return code;
}

/* A section holds containers one behind the other, with zeroes between them. */
static enum wl_code count_containers(struct inspection *inspection, Elf_Scn *section,
                                     const char *name, struct wl_error *error)
{
    Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || (!data->d_buf && data->d_size))
        return refuse(inspection->path, "its fat binary lies outside the file", error);
    const uint8_t *bytes = data->d_buf;
    enum wl_code code = WL_OK;
    for (size_t at = 0, used; at < data->d_size && !code; at += used) {
        used = 1;
        if (bytes[at] == 0)
            continue;
        inspection->has_containers = true;
        code = count_container(bytes + at, data->d_size - at, at, inspection->info, &used, error);
    }
    if (code && error) {
        char where[sizeof error->where];
        memcpy(where, error->where, sizeof where);
        error->where[0] = '\0';
        wl_error_set_where(error, "%s: section %s, %s", inspection->path, name, where);
    }
    return code;
}

static enum wl_code read_section(struct inspection *inspection, Elf_Scn *section, const char *name,
                                 const GElf_Shdr *header, struct wl_error *error)
{
    for (size_t i = 0; i < WL_COUNT(container_sections); i++)
        if (strcmp(name, container_sections[i]) == 0 && header->sh_type != SHT_NOBITS)
            return count_containers(inspection, section, name, error);
    switch (header->sh_type) {
    case SHT_DYNAMIC:
        return read_dynamic(inspection, section, header, error);
    case SHT_SYMTAB:
        inspection->has_symbols = true;
        return read_symbols(inspection, section, header, error);
    default:
        return WL_OK;
    }
}

static enum wl_code read_sections(struct inspection *inspection, struct wl_error *error)
{
    size_t names;
    if (elf_getshdrstrndx(inspection->elf, &names) != 0)
        return refuse(inspection->path, "its section names are missing", error);
    Elf_Scn *section = NULL;
    enum wl_code code = WL_OK;
    while (!code && (section = elf_nextscn(inspection->elf, section))) {
        GElf_Shdr header;
        const char *name = NULL;
        if (gelf_getshdr(section, &header))
            name = elf_strptr(inspection->elf, names, header.sh_name);
        if (!name)
            return refuse(inspection->path, "a section header lies outside the file", error);
        code = read_section(inspection, section, name, &header, error);
    }
    return code;
}

static enum wl_program_kind judge(const struct inspection *inspection)
{
    if (inspection->defines_runtime)
        return WL_PROGRAM_STATIC_RUNTIME;
    if (inspection->needs_runtime)
        return WL_PROGRAM_SHARED_RUNTIME;
    /* nvcc leaves a container in driver programs too; if stripped, somebody must register them */
    if (inspection->has_containers && !(inspection->has_symbols && inspection->needs_driver))
        return WL_PROGRAM_STATIC_RUNTIME;
    return inspection->needs_driver ? WL_PROGRAM_DRIVER : WL_PROGRAM_NO_CUDA;
}

static enum wl_code inspect_elf(int descriptor, uint64_t file_bytes, const char *path,
                                struct wl_program_info *info, struct wl_error *error)
{
    struct inspection inspection = {.path = path, .info = info};
    GElf_Ehdr header;
    enum wl_code code = WL_OK;
    elf_version(EV_CURRENT);
    inspection.elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    if (!inspection.elf || elf_kind(inspection.elf) != ELF_K_ELF ||
        !gelf_getehdr(inspection.elf, &header)) {
        code = refuse(path, "its ELF header is not whole", error);
        goto out;
    }
    if (header.e_machine != OWN_MACHINE || gelf_getclass(inspection.elf) != ELFCLASS64) {
        info->kind = WL_PROGRAM_OTHER_MACHINE;
        goto out;
    }
    if (header.e_shoff == 0) { /* sections stripped away: nothing can be told */
        info->kind = WL_PROGRAM_NO_CUDA;
        goto out;
    }
    if (header.e_shoff > file_bytes ||
        (uint64_t)header.e_shnum * header.e_shentsize > file_bytes - header.e_shoff) {
        code = refuse(path, "it is cut short", error);
        goto out;
    }
    code = read_sections(&inspection, error);
    if (!code)
        info->kind = judge(&inspection);
out:
    elf_end(inspection.elf);
    return code;
}

/* A script names its interpreter behind #!; anything else is not ours to understand. */
static void inspect_text(const char *start, ssize_t length, struct wl_program_info *info)
{
    info->kind = WL_PROGRAM_NOT_ELF;
    info->is_script = length >= 2 && start[0] == '#' && start[1] == '!';
    if (!info->is_script)
        return;
    char line[sizeof info->interpreter] = {0};
    memcpy(line, start + 2, (size_t)length - 2);
    const char *interpreter = line + strspn(line, " \t");
    snprintf(info->interpreter, sizeof info->interpreter, "%.*s", (int)strcspn(interpreter, "\r\n"),
             interpreter);
}

static enum wl_code check_file(const char *path, const struct stat *status, struct wl_error *error)
{
    if (S_ISDIR(status->st_mode))
        return wl_error_set(error, WL_ERR_INPUT, "%s is a folder, not a program", path);
    if (!S_ISREG(status->st_mode))
        return wl_error_set(error, WL_ERR_INPUT, "%s is not an ordinary file", path);
    if (access(path, X_OK) != 0) {
        wl_error_set(error, WL_ERR_INPUT, "%s is not executable", path);
        return wl_error_set_hint(error, "chmod +x %s", path);
    }
    return WL_OK;
}

enum wl_code wl_program_inspect(const char *path, struct wl_program_info *info,
                                struct wl_error *error)
{
    *info = (struct wl_program_info){.kind = WL_PROGRAM_NOT_ELF};
    struct stat status;
    char start[sizeof info->interpreter - 1];
    ssize_t length;
    enum wl_code code;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &status) != 0) {
        code = wl_error_set(error, WL_ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
        goto out;
    }
    code = check_file(path, &status, error);
    if (!code)
        code = wl_sha256_file(path, info->hash, error);
    if (code)
        goto out;
    length = pread(descriptor, start, sizeof start, 0);
    if (length < 0)
        code = wl_error_set(error, WL_ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
    else if (length < SELFMAG || memcmp(start, ELFMAG, SELFMAG) != 0)
        inspect_text(start, length, info);
    else
        code = inspect_elf(descriptor, (uint64_t)status.st_size, path, info, error);
out:
    if (descriptor >= 0)
        close(descriptor);
    return code;
}
