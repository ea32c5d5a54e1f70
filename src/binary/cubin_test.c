#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/text.h"
#include "binary/binary.h"

/* A small writer of ELF files: machine code as ptxas lays it out, without ptxas. */
struct section {
    const char *name;
    uint32_t type, link, info;
    const void *bytes;
    size_t size, entry_bytes;
};

static struct wl_text write_elf(uint16_t machine, const struct section *sections, size_t count)
{
    struct wl_text text = {0}, names = {0};
    Elf64_Shdr headers[16] = {0};
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = machine,
                         .e_version = EV_CURRENT,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof headers[0],
                         .e_shnum = (uint16_t)(count + 2),
                         .e_shstrndx = (uint16_t)(count + 1)};
    wl_text_add_bytes(&text, &header, sizeof header);
    wl_text_add_char(&names, '\0');
    for (size_t i = 0; i < count; i++) {
        headers[i + 1] = (Elf64_Shdr){.sh_name = (uint32_t)names.length,
                                      .sh_type = sections[i].type,
                                      .sh_offset = text.length,
                                      .sh_size = sections[i].size,
                                      .sh_link = sections[i].link,
                                      .sh_info = sections[i].info,
                                      .sh_addralign = 1,
                                      .sh_entsize = sections[i].entry_bytes};
        wl_text_add_bytes(&names, sections[i].name, strlen(sections[i].name) + 1);
        if (sections[i].type != SHT_NOBITS)
            wl_text_add_bytes(&text, sections[i].bytes, sections[i].size);
        while (text.length % 8)
            wl_text_add_char(&text, '\0');
    }
    headers[count + 1] = (Elf64_Shdr){.sh_name = (uint32_t)names.length,
                                      .sh_type = SHT_STRTAB,
                                      .sh_offset = text.length,
                                      .sh_addralign = 1};
    wl_text_add_bytes(&names, ".shstrtab", sizeof ".shstrtab");
    headers[count + 1].sh_size = names.length;
    wl_text_add_bytes(&text, names.data, names.length);
    while (text.length % 8)
        wl_text_add_char(&text, '\0');
    header.e_shoff = text.length;
    wl_text_add_bytes(&text, headers, (count + 2) * sizeof headers[0]);
    memcpy(text.data, &header, sizeof header);
    wl_text_free(&names);
    return text;
}

enum { CUDA_MACHINE = 190, INFO_TYPE = 0x70000000 };

static const char strings[] = "\0kernel\0helper";

/* Two instructions that an annotation calls spills (a 64-bit store, a 32-bit load) and one that it
 * does not mention. */
static const uint64_t code[] = {0x387, 5u << 9, 0x983, 4u << 9, 0x983, 6u << 9};

static const uint8_t common_info[] = {
    4, 0x2f, 8, 0, 1, 0,    0, 0, 40,  0, 0, 0, /* registers of symbol 1 */
    4, 0x11, 8, 0, 1, 0,    0, 0, 16,  0, 0, 0, /* frame */
    4, 0x12, 8, 0, 1, 0,    0, 0, 48,  0, 0, 0, /* stack with callees */
    4, 0x2f, 8, 0, 2, 0,    0, 0, 200, 0, 0, 0, /* of a device function */
    4, 0x2f, 8, 0, 9, 0,    0, 0, 201, 0, 0, 0, /* of no symbol at all */
    3, 0x50, 0, 0,                              /* unknown, of each format */
    1, 0x35, 0, 0, 4, 0x99, 1, 0, 7,
};

static const uint8_t kernel_info[] = {
    2, 0x4c, 3,  0xee,                                               /* barriers */
    4, 0x05, 12, 0,    0,  1, 0, 0, 2, 0, 0, 0, 1,    0,    0,    0, /* 256 x 2 threads */
    4, 0x55, 24, 0,    1,  0, 0, 0, 0, 0, 0, 0,                      /* spills at 0, */
    1, 0,    0,  0,    16, 0, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0, /* 16 and outside */
};

static Elf64_Sym symbols[3] = {
    {0},
    {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_other = 0x10, .st_shndx = 3},
    {.st_name = 8, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_other = 0, .st_shndx = 3},
};

static void fill_sections(struct section sections[8])
{
    const struct section filled[8] = {
        {".strtab", SHT_STRTAB, 0, 0, strings, sizeof strings, 0},
        {".symtab", SHT_SYMTAB, 1, 3, symbols, sizeof symbols, sizeof symbols[0]},
        {".text.kernel", SHT_PROGBITS, 0, 33u << 24 | 1, code, sizeof code, 0},
        {".nv.info", INFO_TYPE, 2, 0, common_info, sizeof common_info, 0},
        {".nv.info.kernel", INFO_TYPE, 2, 3, kernel_info, sizeof kernel_info, 0},
        {".nv.shared.kernel", SHT_NOBITS, 0, 3, NULL, 1536, 0},
        {".nv.constant0.kernel", SHT_PROGBITS, 0, 3, code, 24, 0},
        {".nv.shared.reserved.0", SHT_NOBITS, 0, 0, NULL, 0, 0},
    };
    memcpy(sections, filled, sizeof filled);
}

static void test_attributes(void **state)
{
    (void)state;
    struct section sections[8];
    fill_sections(sections);
    struct wl_text elf = write_elf(CUDA_MACHINE, sections, 8);
    struct wl_cubin cubin = {0};
    struct wl_error error = {0};
    assert_int_equal(wl_cubin_read(elf.data, elf.length, &cubin, &error), WL_OK);
    assert_int_equal(cubin.count, 1);
    const struct wl_cubin_kernel *kernel = cubin.items;
    assert_string_equal(kernel->name, "kernel");
    assert_int_equal(kernel->registers, 40);
    assert_int_equal(kernel->shared_bytes, 512); /* less the system's 1024 */
    assert_int_equal(kernel->local_bytes, 48);
    assert_int_equal(kernel->constant_bytes, 24);
    assert_int_equal(kernel->max_threads, 512);
    assert_int_equal(kernel->barriers, 3);
    assert_int_equal(kernel->spill_store_bytes, 8);
    assert_int_equal(kernel->spill_load_bytes, 4);
    assert_int_equal(kernel->code_bytes, sizeof code);
    struct wl_cubin_code found = {0};
    assert_true(wl_cubin_find_code(elf.data, elf.length, "kernel", &found));
    assert_int_equal(found.length, sizeof code);
    assert_memory_equal(elf.data + found.offset, code, sizeof code);
    assert_false(wl_cubin_find_code(elf.data, elf.length, "kerne", &found));
    assert_false(wl_cubin_find_code(elf.data, elf.length / 2, "kernel", &found));
    wl_cubin_free(&cubin);
    wl_text_free(&elf);
}

static void test_managed(void **state)
{
    (void)state;
    struct section sections[8];
    fill_sections(sections);
    Elf64_Sym variables[3] = {symbols[0], symbols[1], symbols[0]};
    variables[2] =
        (Elf64_Sym){.st_name = 8, .st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), .st_shndx = 3};
    sections[1].bytes = variables;
    for (int i = 0; i < 2; i++) { /* one of the device, then one that is managed */
        variables[2].st_other = i ? 0x04 : 0;
        struct wl_text elf = write_elf(CUDA_MACHINE, sections, 8);
        assert_int_equal(wl_cubin_has_managed(elf.data, elf.length), i);
        for (size_t length = 0; length < elf.length; length += 7)
            wl_cubin_has_managed(elf.data, length);
        wl_text_free(&elf);
    }
    assert_false(wl_cubin_has_managed("no ELF", 6));
}

/* Toolkits before CUDA 11 put registers into the code section's header alone; before sm_90 nothing
 * of the shared memory is the system's. */
static void test_older_layout(void **state)
{
    (void)state;
    struct section sections[8];
    fill_sections(sections);
    sections[3].size = 0;
    struct wl_text elf = write_elf(CUDA_MACHINE, sections, 7);
    struct wl_cubin cubin = {0};
    assert_int_equal(wl_cubin_read(elf.data, elf.length, &cubin, NULL), WL_OK);
    assert_int_equal(cubin.items[0].registers, 33);
    assert_int_equal(cubin.items[0].shared_bytes, 1536);
    assert_int_equal(cubin.items[0].local_bytes, 0);
    wl_cubin_free(&cubin);
    wl_text_free(&elf);
}

static void assert_corrupt(const void *bytes, size_t length, const char *message)
{
    struct wl_cubin cubin = {0};
    struct wl_error error = {0};
    assert_int_equal(wl_cubin_read(bytes, length, &cubin, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, message);
    wl_cubin_free(&cubin);
}

static void test_damaged_files(void **state)
{
    (void)state;
    struct section sections[8];
    assert_corrupt("", 0, "machine code: it is not an ELF file");
    assert_corrupt("\177ELF\2\1\1", 7, "machine code: it is not an ELF file");

    fill_sections(sections);
    struct wl_text elf = write_elf(EM_X86_64, sections, 8);
    assert_corrupt(elf.data, elf.length, "machine code: it is not a GPU's");
    wl_text_free(&elf);

    elf = write_elf(CUDA_MACHINE, sections, 8);
    assert_corrupt(elf.data, 200, "machine code: its section headers are missing");
    wl_text_free(&elf);

    sections[1].entry_bytes = 1;
    elf = write_elf(CUDA_MACHINE, sections, 8);
    assert_corrupt(elf.data, elf.length, "machine code: its symbol table is damaged");
    wl_text_free(&elf);

    fill_sections(sections);
    Elf64_Sym twice[3] = {symbols[0], symbols[1], symbols[1]};
    sections[1].bytes = twice;
    elf = write_elf(CUDA_MACHINE, sections, 8);
    assert_corrupt(elf.data, elf.length, "machine code: two kernels have the same name");
    wl_text_free(&elf);

    Elf64_Sym lost[3] = {symbols[0], symbols[1], symbols[0]};
    lost[1].st_shndx = 77;
    sections[1].bytes = lost;
    elf = write_elf(CUDA_MACHINE, sections, 8);
    assert_corrupt(elf.data, elf.length, "machine code: a kernel's symbol is damaged");
    wl_text_free(&elf);
}

/* Records cut anywhere are left alone: what stood before them counts. */
static void test_cut_records(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof kernel_info; size++) {
        struct section sections[8];
        fill_sections(sections);
        sections[4].size = size;
        struct wl_text elf = write_elf(CUDA_MACHINE, sections, 8);
        struct wl_cubin cubin = {0};
        assert_int_equal(wl_cubin_read(elf.data, elf.length, &cubin, NULL), WL_OK);
        assert_int_equal(cubin.items[0].barriers, size < 4 ? 0 : 3);
        assert_int_equal(cubin.items[0].max_threads, size < 20 ? 0 : 512);
        assert_int_equal(cubin.items[0].spill_store_bytes, 0);
        wl_cubin_free(&cubin);
        wl_text_free(&elf);
    }
}

static const char source[] =
    "__constant__ float table[16];\n"
    "extern \"C\" __global__ void plain(float *p, int n) { p[threadIdx.x] = n; }\n"
    "extern \"C\" __global__ void __launch_bounds__(256) shared(float *p, int n) {\n"
    "  __shared__ float s[256]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads();\n"
    "  p[threadIdx.x] = s[n & 255] * table[n & 15]; }\n"
    "extern \"C\" __global__ void local(float *p, int n) {\n"
    "  float a[64]; for (int i = 0; i < 64; i++) a[i] = p[i];\n"
    "  for (int i = 0; i < n; i++) a[i * 7 & 63] += a[i & 63]; p[n] = a[n & 63]; }\n"
    "extern \"C\" __global__ void __launch_bounds__(1024, 1) spill(double *p, int n) {\n"
    "  double a[60];\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 60; i++) a[i] = p[i * n];\n"
    "  __syncthreads();\n"
    "#pragma unroll\n"
    "  for (int i = 0; i < 60; i++) p[i * n + 7] = a[59 - i] * a[i]; }\n"
    "extern \"C\" __global__ void four(float *p) {\n"
    "  asm volatile(\"bar.sync 0;\"); p[0] = 1; asm volatile(\"bar.sync 3, 64;\"); p[1] = 1; }\n";

/* The number in front of what in text, or 0. */
static uint32_t number_before(const char *text, const char *end, const char *what)
{
    const char *found = strstr(text, what);
    if (!found || found > end)
        return 0;
    while (found > text && strchr("0123456789", found[-1]))
        found--;
    return (uint32_t)strtoul(found, NULL, 10);
}

static void assert_as_ptxas_says(const struct wl_cubin_kernel *kernel, const char *log)
{
    char title[128];
    snprintf(title, sizeof title, "entry function '%s'", kernel->name);
    const char *text = strstr(log, title);
    assert_non_null(text);
    const char *end = strstr(text + 1, "entry function");
    if (!end)
        end = text + strlen(text);
    assert_int_equal(kernel->registers, number_before(text, end, " registers"));
    assert_int_equal(kernel->barriers, number_before(text, end, " barriers"));
    assert_int_equal(kernel->local_bytes, number_before(text, end, " bytes stack frame"));
    assert_int_equal(kernel->shared_bytes, number_before(text, end, " bytes smem"));
    if (number_before(text, end, " bytes cmem[0]"))
        assert_int_equal(kernel->constant_bytes, number_before(text, end, " bytes cmem[0]"));
    assert_int_equal(kernel->spill_store_bytes, number_before(text, end, " bytes spill stores"));
    assert_int_equal(kernel->spill_load_bytes, number_before(text, end, " bytes spill loads"));
}

/* With CUDA 13's ptxas (older ones leave spills and barriers out): what its -v says. */
static void test_what_ptxas_makes(void **state)
{
    (void)state;
    if (system("ptxas --version 2>/dev/null | grep -q 'release 13' && nvcc --version >/dev/null")) {
        puts("skipped: there is no ptxas of CUDA 13");
        skip();
    }
    static const char *const architectures[] = {"sm_75", "sm_80", "sm_90"};
    char *folder;
    assert_int_equal(wl_folder_create_temporary("wl-cubin-test", &folder, NULL), WL_OK);
    char path[512], command[1024];
    snprintf(path, sizeof path, "%s/a.cu", folder);
    assert_int_equal(wl_file_write(path, source, strlen(source), NULL), WL_OK);
    for (size_t i = 0; i < sizeof architectures / sizeof architectures[0]; i++) {
        struct wl_text log = {0}, content = {0};
        snprintf(command, sizeof command,
                 "cd %s && nvcc -arch=%s -Xptxas -v -cubin a.cu > log 2>&1", folder,
                 architectures[i]);
        assert_int_equal(system(command), 0);
        snprintf(path, sizeof path, "%s/log", folder);
        assert_int_equal(wl_file_read(path, &log, NULL), WL_OK);
        snprintf(path, sizeof path, "%s/a.cubin", folder);
        assert_int_equal(wl_file_read(path, &content, NULL), WL_OK);
        struct wl_cubin cubin = {0};
        assert_int_equal(wl_cubin_read(content.data, content.length, &cubin, NULL), WL_OK);
        assert_int_equal(cubin.count, 5);
        uint32_t spilled_bytes = 0;
        for (size_t k = 0; k < cubin.count; k++) {
            assert_as_ptxas_says(&cubin.items[k], log.data);
            spilled_bytes += cubin.items[k].spill_store_bytes;
            assert_int_equal(cubin.items[k].max_threads,
                             strcmp(cubin.items[k].name, "shared") == 0  ? 256
                             : strcmp(cubin.items[k].name, "spill") == 0 ? 1024
                                                                         : 0);
        }
        assert_true(spilled_bytes > 0);
        wl_cubin_free(&cubin);
        wl_text_free(&log);
        wl_text_free(&content);
    }
    wl_folder_remove(folder, NULL);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attributes),   cmocka_unit_test(test_managed),
        cmocka_unit_test(test_older_layout), cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_cut_records),  cmocka_unit_test(test_what_ptxas_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
