/* ld and st: all types, spaces, vectors, register widths and words that say how to cache. */
#include <stdio.h>
#include <string.h>

#include "generate.h"

static const char *const types[] = {"u8",  "s8",  "b8",  "u16", "s16", "b16", "u32",
                                    "s32", "b32", "f32", "u64", "s64", "b64", "f64"};

struct space {
    const char *name, *word; /* of ld and st */
    const char *declaration, *address;
    const char *const *load_words, *const *store_words; /* in place of word, or NULL */
    bool is_whole; /* every type with every vector, else one vector a type */
};

static const char *const global_loads[] = {"ld.global",
                                           "ld.global.ca",
                                           "ld.global.cg",
                                           "ld.global.cs",
                                           "ld.global.lu",
                                           "ld.global.cv",
                                           "ld.volatile.global",
                                           "ld.relaxed.gpu.global",
                                           "ld.acquire.cta.global",
                                           "ld.global.nc",
                                           "ld.weak.global",
                                           "ld.global.L1::evict_last",
                                           "ld.global.nc.L1::no_allocate",
                                           "ld.global.L2::128B",
                                           "ld.acquire.sys.global",
                                           "ldu.global",
                                           "ld.global.nc.L1::evict_first.L2::256B"};
static const char *const global_stores[] = {"st.global",
                                            "st.global.wb",
                                            "st.global.cg",
                                            "st.global.cs",
                                            "st.global.wt",
                                            "st.volatile.global",
                                            "st.relaxed.gpu.global",
                                            "st.release.cta.global",
                                            "st.weak.global",
                                            "st.global.L1::no_allocate",
                                            "st.release.sys.global"};
static const char *const shared_loads[] = {"ld.shared", "ld.volatile.shared", "ld.shared::cta",
                                           "ld.relaxed.cta.shared", "ld.acquire.gpu.shared"};
static const char *const shared_stores[] = {"st.shared", "st.volatile.shared", "st.shared::cta",
                                            "st.relaxed.cta.shared", "st.release.gpu.shared"};

static const struct space spaces[] = {
    {"global", "global", "", "mov.b64 %place, %own;", global_loads, global_stores, true},
    {"shared", "shared", ".shared .align 16 .b8 tile[640];",
     "mov.b64 %place, tile;\n\tmad.wide.u32 %place, %me, 16, %place;", shared_loads, shared_stores,
     false},
    {"local", "local", ".local .align 16 .b8 stack[48];",
     "mov.b64 %place, stack;\n\tadd.s64 %place, %place, 16;", NULL, NULL, false},
    {"generic_global", "", "", "cvta.global.u64 %place, %own;", NULL, NULL, false},
    {"generic_shared", "", ".shared .align 16 .b8 tile[640];",
     "mov.b64 %place, tile;\n\tmad.wide.u32 %place, %me, 16, %place;\n\tcvta.shared.u64 %place, "
     "%place;",
     NULL, NULL, false},
    {"generic_local", "", ".local .align 16 .b8 stack[48];",
     "mov.b64 %place, stack;\n\tcvta.local.u64 %place, %place;\n\tadd.s64 %place, %place, 16;",
     NULL, NULL, false},
};

static unsigned register_bits(const char *type, unsigned turn)
{
    unsigned bits = type_bits(type), least = bits < 16 ? 16 : bits;
    return type[0] == 'f' ? bits : least << turn % (least == 16 ? 3 : least == 32 ? 2 : 1);
}

static const char *register_name(unsigned bits)
{
    return bits == 16 ? "h" : bits == 32 ? "r" : "rd";
}

static const char *register_type(unsigned bits)
{
    return bits == 16 ? "b16" : bits == 32 ? "b32" : "b64";
}

static int word_count(const char *const *words, const struct space *space)
{
    if (!words)
        return 1;
    return words == global_loads    ? (int)COUNT(global_loads)
           : words == global_stores ? (int)COUNT(global_stores)
           : words == shared_loads  ? (int)COUNT(shared_loads)
           : space                  ? (int)COUNT(shared_stores)
                                    : 0;
}

static void name_instruction(char text[64], const char *verb, const struct space *space,
                             const char *const *words, unsigned turn)
{
    if (words)
        snprintf(text, 64, "%s", words[turn % (unsigned)word_count(words, space)]);
    else
        snprintf(text, 64, "%s%s%s", verb, *space->word ? "." : "", space->word);
}

static struct test *begin(const char *what, const struct space *space, uint8_t bytes[THREADS * 16])
{
    char name[64];
    uint64_t values[THREADS * 16];
    snprintf(name, sizeof name, "%s_%s", what, space->name);
    struct test *test = test_begin(name, "Every type and vector.");
    for (size_t i = 0; i < THREADS * 16; i++)
        values[i] = bytes[i] = (uint8_t)test_random();
    test_buffer(test, "in", "u8", values, THREADS * 16);
    test_code(test, ".reg .b64 %%own, %%place;\n\tmad.wide.u32 %%own, %%me, 16, %%in;");
    if (*space->declaration)
        test_code(test, "%s", space->declaration);
    test_code(test, "%s", space->address);
    return test;
}

/* {%r10, %r11} */
static void name_registers(char text[64], unsigned bits, unsigned count)
{
    size_t used = 0;
    for (unsigned k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%%%s%u",
                                 k           ? ", "
                                 : count > 1 ? "{"
                                             : "",
                                 register_name(bits), 10 + k);
    if (count > 1)
        snprintf(text + used, 64 - used, "}");
}

static uint64_t read_bytes(const uint8_t *bytes, unsigned bits)
{
    uint64_t value = 0;
    memcpy(&value, bytes, bits / 8);
    return value;
}

/* The generic address back in its space: what a load there must find again. */
static void write_return(struct test *test, const struct space *space, const uint8_t *bytes)
{
    const char *word = strrchr(space->name, '_') + 1;
    uint64_t results[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = read_bytes(bytes + 16 * i + 4, 32);
    test_code(test, "cvta.to.%s.u64 %%rd3, %%place;", word);
    test_result(test, "b32", results, "ld.%s.u32 $, [%%rd3+4]", word);
    test_code(test, "isspacep.%s %%p1, %%place;", word);
    for (unsigned i = 0; i < THREADS; i++)
        results[i] = 1;
    test_result(test, "b32", results, "selp.b32 $, 1, 0, %%p1");
}

static void write_load(struct test *test, const struct space *space, const char *type,
                       unsigned count, unsigned turn, const uint8_t *bytes)
{
    unsigned bits = type_bits(type), width = register_bits(type, turn);
    unsigned offset = count * bits < 128 && turn % 2 ? count * bits / 8 : 0;
    char instruction[64], registers[64], vector[8] = "";
    uint64_t results[THREADS];
    name_instruction(instruction, "ld", space, space->load_words, turn);
    name_registers(registers, width, count);
    if (count > 1)
        snprintf(vector, sizeof vector, ".v%u", count);
    test_code(test, "%s%s.%s %s, [%%place+%u];", instruction, vector, type, registers, offset);
    for (unsigned k = 0; k < count; k++) {
        for (unsigned i = 0; i < THREADS; i++) {
            s128 value = type_value(type, read_bytes(bytes + 16 * i + offset + k * bits / 8, bits));
            results[i] = (uint64_t)value;
        }
        if (width == 16) /* reads all that the simulated register holds */
            test_always(test, "b16", results, "min.u16 $, %%h%u, 0xffff", 10 + k);
        else
            test_always(test, register_type(width), results, "mov.b%u $, %%%s%u", width,
                        register_name(width), 10 + k);
    }
}

static void write_loads(const struct space *space)
{
    uint8_t bytes[THREADS * 16];
    struct test *test = begin("load", space, bytes);
    unsigned turn = 0;
    if (strcmp(space->name, "global") != 0 && strcmp(space->name, "generic_global") != 0)
        test_code(test,
                  "ld.global.v2.b64 {%%rd10, %%rd11}, [%%own];\n\tst%s%s.v2.b64 [%%place], "
                  "{%%rd10, %%rd11};",
                  *space->word ? "." : "", space->word);
    for (size_t k = 0; k < COUNT(types); k++) {
        unsigned most = 128 / type_bits(types[k]) < 4 ? 2 : 4;
        for (unsigned count = 1; count <= most; count *= 2, turn++)
            if (space->is_whole || count == 1u << (k % (most == 4 ? 3 : 2)))
                write_load(test, space, types[k], count, turn, bytes);
    }
    if (!*space->word)
        write_return(test, space, bytes);
    test_end(test);
}

static void write_store(struct test *test, const struct space *space, const char *type,
                        unsigned count, unsigned turn, const uint8_t *bytes)
{
    unsigned bits = type_bits(type), width = register_bits(type, turn);
    unsigned offset = count * bits < 128 && turn % 2 ? count * bits / 8 : 0;
    char instruction[64], registers[64], vector[8] = "", loaded[64];
    const char *suffix = *space->word ? "." : "";
    uint8_t stored[THREADS][16];
    name_instruction(instruction, "st", space, space->store_words, turn);
    name_registers(registers, width, count);
    if (count > 1)
        snprintf(vector, sizeof vector, ".v%u", count);
    test_code(test, "mov.b64 %%rd1, 0x%llx;\n\tst%s%s.v2.b64 [%%place], {%%rd1, %%rd1};",
              0xeeeeeeeeeeeeeeeeull, suffix, space->word);
    for (unsigned k = 0; k < count; k++) { /* all of the wider register is filled */
        snprintf(loaded, sizeof loaded, "%%%s%u", register_name(width), 10 + k);
        test_code(test, "ld.global.b%u %s, [%%own_in+%u];", width, loaded, k * width / 8 % 16);
    }
    test_code(test, "%s%s%s.%s [%%place+%u], %s;", turn % 3 == 2 ? "@%odd " : "", instruction,
              vector, type, offset, registers);
    for (unsigned i = 0; i < THREADS; i++) {
        memset(stored[i], 0xee, 16);
        for (unsigned k = 0; k < count && (turn % 3 != 2 || (i & 1)); k++)
            memcpy(stored[i] + offset + k * bits / 8, bytes + 16 * i + k * width / 8 % 16,
                   bits / 8);
    }
    test_code(test, "ld%s%s.v2.b64 {%%rd1, %%rd2}, [%%place];", suffix, space->word);
    for (unsigned half = 0; half < 2; half++) {
        uint64_t results[THREADS];
        for (unsigned i = 0; i < THREADS; i++)
            memcpy(&results[i], stored[i] + 8 * half, 8);
        test_always(test, "b64", results, "mov.b64 $, %%rd%u", half + 1);
    }
}

static void write_stores(const struct space *space)
{
    uint8_t bytes[THREADS * 16];
    uint64_t zeros[THREADS * 16] = {0};
    struct test *test = begin("store", space, bytes);
    test_buffer(test, "work", "u8", zeros, THREADS * 16);
    test_code(
        test,
        ".reg .b64 %%own_in;\n\tmov.b64 %%own_in, %%own;\n\tmad.wide.u32 %%own, %%me, 16, %%work;");
    if (strstr(space->name, "global"))
        test_code(test, "%s", space->address);
    unsigned turn = 0;
    for (size_t k = 0; k < COUNT(types); k++) {
        unsigned most = 128 / type_bits(types[k]) < 4 ? 2 : 4;
        for (unsigned count = 1; count <= most; count *= 2, turn++)
            if (count == 1u << ((k + space->is_whole) % (most == 4 ? 3 : 2)) ||
                (space->is_whole && count == most))
                write_store(test, space, types[k], count, turn, bytes);
    }
    test_end(test);
}

/* ld.const and ld.param, by name and by register. */
static void write_constants(void)
{
    uint8_t bytes[64];
    uint64_t results[THREADS];
    char list[512];
    size_t used = 0;
    struct test *test = test_begin("load_const", "Constant memory by name and by address.");
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)test_random();
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", i ? ", " : "", bytes[i]);
    }
    test_module(test, ".const .align 16 .b8 table[64] = {%s};", list);
    test_code(
        test,
        "and.b32 %%r1, %%me, 3;\n\tmov.b64 %%rd1, table;\n\tmad.wide.u32 %%rd2, %%r1, 16, %%rd1;");
    test_code(test, "cvta.const.u64 %%rd3, %%rd2;\n\tcvta.to.const.u64 %%rd4, %%rd3;");
    unsigned turn = 0;
    for (size_t k = 0; k < COUNT(types); k++, turn++) {
        unsigned bits = type_bits(types[k]), width = register_bits(types[k], turn);
        unsigned offset = turn % 2 ? bits / 8 : 0, form = turn % 4;
        static const char *const places[] = {"table+", "%rd2+", "%rd3+", "%rd4+"};
        for (unsigned i = 0; i < THREADS; i++) {
            unsigned row = form == 0 ? 0 : 16 * (i & 3);
            results[i] = (uint64_t)type_value(types[k], read_bytes(bytes + row + offset, bits));
        }
        test_result(test, register_type(width), results, "ld%s.%s $, [%s%u]",
                    form == 2 ? "" : ".const", types[k], places[form], offset);
    }
    test_code(test, "ld.const.v4.u8 {%%r10, %%r11, %%r12, %%r13}, [%%rd2+4];");
    for (unsigned element = 0; element < 4; element++) {
        for (unsigned i = 0; i < THREADS; i++)
            results[i] = bytes[16 * (i & 3) + 4 + element];
        test_always(test, "b32", results, "mov.b32 $, %%r1%u", element);
    }
    test_end(test);
}

void generate_memory(void)
{
    for (size_t i = 0; i < COUNT(spaces); i++) {
        write_loads(&spaces[i]);
        write_stores(&spaces[i]);
    }
    write_constants();
}
