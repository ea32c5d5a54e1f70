#include "base/count.h"
#include "binary/lines.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* The table of lines of two kernels. In inl.cu a calls twice at line 11, which calls sq at 5 and 6,
 * and b calls sq at line 17: sequence of b: 0x00 13, 0x10 15, 0x80 17, ... 0xf0 17, sq 2, 0x100 17,
 * 0x110 18 sequence of a: 0x00 8, 0x10 9, 0x50 10, 0x80 11, 0xc0 11, twice 5, sq 2, ... */
static const uint8_t line_table[] = {
    0xc2, 0x00, 0x00, 0x00, 0x02, 0x00, 0x2c, 0x00, 0x00, 0x00, 0x01, 0x01, 0xfb, 0x0e, 0x0a, 0x00,
    0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x01, 0x2f, 0x73, 0x72, 0x63, 0x2f, 0x61, 0x62, 0x63,
    0x00, 0x00, 0x69, 0x6e, 0x6c, 0x2e, 0x63, 0x75, 0x00, 0x01, 0xfe, 0x81, 0x82, 0xd8, 0x06, 0xd9,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x04, 0x01, 0x03, 0x0c, 0x01, 0xf1, 0x03, 0x02, 0x02, 0xf0, 0x00, 0x01, 0xed, 0x03, 0x02,
    0x02, 0x20, 0x01, 0xed, 0xf0, 0xf0, 0x02, 0x10, 0x01, 0x00, 0x03, 0x90, 0x09, 0x0a, 0x03, 0x71,
    0x01, 0x00, 0x03, 0x90, 0x00, 0x00, 0x03, 0x0f, 0x02, 0x10, 0x01, 0xf0, 0x02, 0xf0, 0x01, 0x00,
    0x01, 0x01, 0x00, 0x09, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x01, 0x03,
    0x07, 0x01, 0xf0, 0x03, 0x01, 0x02, 0xc0, 0x00, 0x01, 0x03, 0x01, 0x02, 0x30, 0x01, 0x02, 0xc0,
    0x00, 0x01, 0x00, 0x03, 0x90, 0x05, 0x00, 0x03, 0x7a, 0x01, 0x00, 0x03, 0x90, 0x06, 0x0a, 0x03,
    0x7d, 0x01, 0x00, 0x03, 0x90, 0x05, 0x00, 0xf3, 0x02, 0x10, 0x01, 0x00, 0x03, 0x90, 0x09, 0x0a,
    0x03, 0x7c, 0x01, 0x00, 0x03, 0x90, 0x05, 0x00, 0xf3, 0x00, 0x03, 0x90, 0x00, 0x00, 0xf4, 0xf0,
    0x02, 0xf0, 0x01, 0x00, 0x01, 0x01,
};
static const char names[] = "_Z5twicef\0_Z2sqf";
static const char strings[] = "\0_Z1bPf\0_Z1aPfi";

enum { NAMES_OF_B = 1, NAMES_OF_A = 8, START_OF_B = 0x39, START_OF_A = 0x75 };

struct section {
    const char *name;
    uint32_t type, link;
    const void *bytes;
    size_t size, entry_bytes;
};

static void put_sections(struct wl_text *file, const struct section *sections, size_t count)
{
    Elf64_Shdr headers[8] = {0};
    struct wl_text section_names = {0};
    wl_text_add_char(&section_names, '\0');
    for (size_t i = 0; i < count; i++) {
        headers[i + 1] = (Elf64_Shdr){.sh_name = (uint32_t)section_names.length,
                                      .sh_type = sections[i].type,
                                      .sh_offset = file->length,
                                      .sh_size = sections[i].size,
                                      .sh_link = sections[i].link,
                                      .sh_addralign = 1,
                                      .sh_entsize = sections[i].entry_bytes};
        wl_text_add_bytes(&section_names, sections[i].name, strlen(sections[i].name) + 1);
        wl_text_add_bytes(file, sections[i].bytes, sections[i].size);
        while (file->length % 8)
            wl_text_add_char(file, '\0');
    }
    headers[count + 1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                      .sh_offset = file->length,
                                      .sh_size = section_names.length,
                                      .sh_addralign = 1};
    wl_text_add_bytes(file, section_names.data, section_names.length);
    while (file->length % 8)
        wl_text_add_char(file, '\0');
    ((Elf64_Ehdr *)file->data)->e_shoff = file->length;
    wl_text_add_bytes(file, headers, (count + 2) * sizeof headers[0]);
    wl_text_free(&section_names);
}

static struct wl_text make_cubin(const uint8_t *lines, size_t line_bytes)
{
    static const Elf64_Sym symbols[] = {
        {0}, {.st_name = NAMES_OF_B, .st_shndx = 1}, {.st_name = NAMES_OF_A, .st_shndx = 1}};
    static const Elf64_Rela relocations[] = {{START_OF_B, ELF64_R_INFO(1, 2), 0},
                                             {START_OF_A, ELF64_R_INFO(2, 2), 0}};
    const struct section sections[] = {
        {".strtab", SHT_STRTAB, 0, strings, sizeof strings, 0},
        {".symtab", SHT_SYMTAB, 1, symbols, sizeof symbols, sizeof symbols[0]},
        {".debug_line", SHT_PROGBITS, 0, lines, line_bytes, 0},
        {".debug_str", SHT_PROGBITS, 0, names, sizeof names, 0},
        {".rela.debug_line", SHT_RELA, 2, relocations, sizeof relocations, sizeof relocations[0]},
    };
    enum { count = WL_COUNT(sections) };
    struct wl_text file = {0};
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = 190,
                         .e_version = EV_CURRENT,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = count + 2,
                         .e_shstrndx = count + 1};
    wl_text_add_bytes(&file, &header, sizeof header);
    put_sections(&file, sections, count);
    return file;
}

static struct wl_cubin_lines read_lines(const char *function)
{
    struct wl_text file = make_cubin(line_table, sizeof line_table);
    struct wl_cubin_lines lines = {0};
    struct wl_error error = {0};
    if (wl_cubin_lines_read(file.data, file.length, function, &lines, &error) != WL_OK)
        fail_msg("%s", error.message);
    wl_text_free(&file);
    return lines;
}

static void check_row(const struct wl_cubin_lines *lines, uint32_t offset, uint32_t line,
                      const char *function, uint32_t caller_line)
{
    size_t found = wl_cubin_lines_find(lines, offset);
    assert_true(found < lines->count);
    const struct wl_cubin_line *row = &lines->items[found];
    assert_string_equal(row->file, "/src/abc/inl.cu");
    assert_int_equal(row->line, line);
    assert_string_equal(row->function, function);
    assert_int_equal(row->caller ? lines->items[row->caller - 1].line : 0, caller_line);
}

static void lines_of_a_kernel(void **state)
{
    (void)state;
    struct wl_cubin_lines lines = read_lines("_Z1aPfi");
    check_row(&lines, 0, 8, "", 0);
    check_row(&lines, 0x40, 9, "", 0); /* up to the next row */
    check_row(&lines, 0x80, 11, "", 0);
    check_row(&lines, 0xc0, 2, "_Z2sqf", 5); /* the last of one offset, the innermost */
    check_row(&lines, 0xd0, 6, "_Z5twicef", 11);
    check_row(&lines, 0x100, 11, "", 0);
    check_row(&lines, 0x1000, 12, "", 0);
    wl_cubin_lines_free(&lines);
}

static void callers_are_rows(void **state)
{
    (void)state;
    struct wl_cubin_lines lines = read_lines("_Z1aPfi");
    const struct wl_cubin_line *sq = &lines.items[wl_cubin_lines_find(&lines, 0xc0)];
    const struct wl_cubin_line *twice = &lines.items[sq->caller - 1];
    assert_string_equal(twice->function, "_Z5twicef");
    assert_int_equal(lines.items[twice->caller - 1].line, 11);
    assert_int_equal(lines.items[twice->caller - 1].caller, 0);
    wl_cubin_lines_free(&lines);
}

static void sequences_are_told_apart(void **state)
{
    (void)state;
    struct wl_cubin_lines lines = read_lines("_Z1bPf");
    check_row(&lines, 0, 13, "", 0);
    check_row(&lines, 0xf0, 2, "_Z2sqf", 17);
    wl_cubin_lines_free(&lines);
    lines = read_lines("_Z1cPf");
    assert_int_equal(lines.count, 0);
    assert_int_equal(wl_cubin_lines_find(&lines, 0), 0);
    wl_cubin_lines_free(&lines);
}

static void damage_is_told(void **state)
{
    (void)state;
    uint8_t damaged[sizeof line_table];
    struct wl_cubin_lines lines = {0};
    struct wl_error error = {0};
    memcpy(damaged, line_table, sizeof damaged);
    damaged[0] = 0xff; /* a unit longer than the section */
    struct wl_text file = make_cubin(damaged, sizeof damaged);
    assert_int_equal(wl_cubin_lines_read(file.data, file.length, "_Z1aPfi", &lines, &error),
                     WL_ERR_CORRUPT);
    assert_string_equal(error.message, "machine code: damaged table of lines");
    wl_cubin_lines_free(&lines);
    assert_int_equal(wl_cubin_lines_read("nothing", 7, "_Z1aPfi", &lines, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, "machine code: no ELF file");
    wl_text_free(&file);
}

static void any_byte_may_be_wrong(void **state)
{
    (void)state;
    for (size_t at = 0; at < sizeof line_table; at++) {
        for (unsigned value = 0; value < 256; value += 17) {
            uint8_t damaged[sizeof line_table];
            struct wl_cubin_lines lines = {0};
            memcpy(damaged, line_table, sizeof damaged);
            damaged[at] = (uint8_t)value;
            struct wl_text file = make_cubin(damaged, sizeof damaged);
            wl_cubin_lines_read(file.data, file.length, "_Z1aPfi", &lines, NULL);
            for (size_t i = 0; i < lines.count; i++)
                assert_true(lines.items[i].caller <= lines.count);
            wl_cubin_lines_free(&lines);
            wl_text_free(&file);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_a_kernel),        cmocka_unit_test(callers_are_rows),
        cmocka_unit_test(sequences_are_told_apart), cmocka_unit_test(damage_is_told),
        cmocka_unit_test(any_byte_may_be_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
