#include "generate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *data;
    size_t length, capacity;
};

struct test {
    char name[64];
    const char *about;
    unsigned threads, inputs, results;
    size_t out_bytes;
    struct text directives, module, loads, code;
};

extern const char *output_folder;
static uint64_t random_state;

static void add_list(struct text *text, const char *format, va_list arguments)
{
    char buffer[2048];
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    if (length < 0 || (size_t)length >= sizeof buffer)
        abort();
    if (text->length + (size_t)length + 1 > text->capacity) {
        text->capacity = 2 * (text->length + sizeof buffer);
        text->data = realloc(text->data, text->capacity);
    }
    memcpy(text->data + text->length, buffer, (size_t)length + 1);
    text->length += (size_t)length;
}

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(text, format, arguments);
    va_end(arguments);
}

uint64_t test_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}

struct test *test_begin(const char *name, const char *about)
{
    struct test *test = calloc(1, sizeof *test);
    snprintf(test->name, sizeof test->name, "%s", name);
    test->about = about;
    test->threads = THREADS;
    random_state = 88172645463325252ull;
    for (const char *c = name; *c; c++)
        random_state = random_state * 31 + (unsigned char)*c;
    return test;
}

void test_threads(struct test *test, unsigned threads)
{
    test->threads = threads;
}

void test_directive(struct test *test, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(&test->directives, "//%% ");
    add_list(&test->directives, format, arguments);
    add(&test->directives, "\n");
    va_end(arguments);
}

static void add_values(struct text *text, const char *type, const uint64_t *values, size_t count)
{
    bool has_any_nan = strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0 ||
                       strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0;
    uint64_t mask = type_bits(type) == 64 ? ~0ull : (1ull << type_bits(type)) - 1;
    while (count > 1 && values[count - 1] == values[count - 2])
        count--; /* the last one repeats */
    for (size_t i = 0; i < count; i++) {
        uint64_t value = values[i] & mask;
        if (has_any_nan && soft_is_nan(format_of(type), value))
            add(text, " nan");
        else
            add(text, value < 10 && !type_is_float(type) ? " %llu" : " 0x%llx",
                (unsigned long long)value);
    }
    add(text, "\n");
}

static const char *load_type(const char *type)
{
    static char name[8];
    snprintf(name, sizeof name, "b%u", type_bits(type));
    return name;
}

void test_buffer(struct test *test, const char *name, const char *type, const uint64_t *values,
                 size_t count)
{
    add(&test->directives, "//%% buffer %s %s[%zu] =", name, load_type(type), count);
    add_values(&test->directives, load_type(type), values, count);
    add(&test->directives, "//%% arg %s\n", name);
    add(&test->loads, "\t.reg .b64 %%%s;\n\tld.param.b64 %%%s, [%s];\n", name, name, name);
    add(&test->loads, "\tcvta.to.global.u64 %%%s, %%%s;\n", name, name);
    test->inputs++;
}

void test_input(struct test *test, const char *name, const char *type, const uint64_t *values)
{
    unsigned bits = type_bits(type);
    char address[32];
    snprintf(address, sizeof address, "%s_all", name);
    test_buffer(test, address, type, values, test->threads);
    add(&test->loads, "\t.reg .b%u %%%s;\n", bits < 16 ? 16 : bits, name);
    add(&test->loads, "\tmad.wide.u32 %%at, %%me, %u, %%%s;\n", bits / 8, address);
    add(&test->loads, "\tld.global.b%u %%%s, [%%at];\n", bits, name);
}

void test_code(struct test *test, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(&test->code, "\t");
    add_list(&test->code, format, arguments);
    add(&test->code, "\n");
    va_end(arguments);
}

void test_module(struct test *test, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(&test->module, format, arguments);
    add(&test->module, "\n");
    va_end(arguments);
}

void test_expect(struct test *test, const char *name, const char *type, const uint64_t *values,
                 size_t count)
{
    add(&test->directives, "//%% expect %s %s[%zu] =", name, type, count);
    add_values(&test->directives, type, values, count);
}

/* What a destination held before, where the guard is off. */
#define OLD_VALUE 0x5a5a5a5a5a5a5a5aull

struct bounds {
    double relative, absolute;
};

static void add_instruction(struct text *code, const char *guard, const char *destination,
                            const char *instruction)
{
    add(code, "\t%s", guard);
    for (const char *c = instruction; *c; c++) {
        if (*c == '$')
            add(code, "%s", destination);
        else
            add(code, "%c", *c);
    }
    add(code, ";\n");
}

static void add_result(struct test *test, const char *type, const uint64_t *values,
                       struct bounds bounds, bool may_guard, const char *instruction)
{
    unsigned bits = type_bits(type), width_bytes = bits / 8;
    const char *destination = bits == 64 ? "%dx" : bits == 32 ? "%dw" : "%dh";
    static const char *const guards[] = {"", "", "@%odd ", "", "", "@!%odd "};
    unsigned which = may_guard ? test->results++ % COUNT(guards) : 0;
    uint64_t expected[2 * 32];
    for (unsigned i = 0; i < test->threads; i++) {
        bool is_on = !*guards[which] || (i & 1) == (which == 2);
        expected[i] = is_on ? values[i] : OLD_VALUE;
    }
    add(&test->code, "//%% expect out[%zu] %s[%u]", test->out_bytes, type, test->threads);
    if (bounds.relative != 0 || bounds.absolute != 0)
        add(&test->code, " within %g %g", bounds.relative, bounds.absolute);
    add(&test->code, " =");
    add_values(&test->code, type, expected, test->threads);
    if (*guards[which] && bits == 64)
        add(&test->code, "\tmov.b64 %%dx, 0x%llx;\n", OLD_VALUE);
    else if (*guards[which])
        add(&test->code, "\tmov.b%u %s, 0x%llx;\n", bits < 16 ? 16 : bits, destination,
            OLD_VALUE & (bits == 32 ? 0xffffffff : 0xffff));
    add_instruction(&test->code, guards[which], destination, instruction);
    add(&test->code, "\tst.global.b%u [%%out%u+%zu], %s;\n", bits, width_bytes, test->out_bytes,
        destination);
    test->out_bytes = (test->out_bytes + (size_t)test->threads * width_bytes + 7) / 8 * 8;
}

#define FORMAT_INSTRUCTION()                                       \
    char instruction[256];                                         \
    va_list arguments;                                             \
    va_start(arguments, format);                                   \
    vsnprintf(instruction, sizeof instruction, format, arguments); \
    va_end(arguments)

void test_result(struct test *test, const char *type, const uint64_t *values, const char *format,
                 ...)
{
    FORMAT_INSTRUCTION();
    add_result(test, type, values, (struct bounds){0, 0}, true, instruction);
}

void test_always(struct test *test, const char *type, const uint64_t *values, const char *format,
                 ...)
{
    FORMAT_INSTRUCTION();
    add_result(test, type, values, (struct bounds){0, 0}, false, instruction);
}

void test_near(struct test *test, const char *type, const uint64_t *values, double relative,
               double absolute, const char *format, ...)
{
    FORMAT_INSTRUCTION();
    add_result(test, type, values, (struct bounds){relative, absolute}, true, instruction);
}

static void write_parameters(FILE *file, const struct test *test)
{
    unsigned numbers = 0;
    const char *at = test->directives.data ? test->directives.data : "";
    fprintf(file, "(");
    while ((at = strstr(at, "//% arg ")) != NULL) {
        at += 8;
        int length = (int)strcspn(at, " \n");
        if (at[length] == ' ') /* a number of that type */
            fprintf(file, ".param .%.*s given%u, ", length, at, numbers++);
        else
            fprintf(file, ".param .u64 %.*s, ", length, at);
    }
    fprintf(file, ".param .u64 out)\n");
}

static void write_prologue(FILE *file)
{
    fputs("\t.reg .pred %odd, %p<16>;\n"
          "\t.reg .b16 %dh, %h<16>;\n"
          "\t.reg .b32 %me, %dw, %r<40>;\n"
          "\t.reg .b64 %at, %dx, %out1, %out2, %out4, %out8, %rd<40>;\n"
          "\tmov.u32 %me, %tid.x;\n"
          "\tand.b32 %r0, %me, 1;\n"
          "\tsetp.eq.u32 %odd, %r0, 1;\n"
          "\tld.param.u64 %rd0, [out];\n"
          "\tcvta.to.global.u64 %rd0, %rd0;\n",
          file);
    for (int width_bytes = 1; width_bytes <= 8; width_bytes *= 2)
        fprintf(file, "\tmad.wide.u32 %%out%d, %%me, %d, %%rd0;\n", width_bytes, width_bytes);
}

/* The file of a family, which is the first word of a case's name: rewritten by the first of its
 * cases. */
static FILE *open_family(const char *name, char path[512])
{
    enum { FAMILIES = 32 };
    static char families[FAMILIES][16];
    int length = (int)strcspn(name, "_"), i = 0;
    while (i < FAMILIES && *families[i] &&
           (strncmp(families[i], name, (size_t)length) != 0 || families[i][length]))
        i++;
    if (i == FAMILIES || length >= (int)sizeof families[0])
        abort();
    snprintf(path, 512, "%s/%.*s.ptx", output_folder, length, name);
    FILE *file = fopen(path, *families[i] ? "a" : "w");
    if (!file) {
        perror(path);
        exit(1);
    }
    snprintf(families[i], sizeof families[0], "%.*s", length, name);
    return file;
}

void test_end(struct test *test)
{
    char path[512];
    FILE *file = open_family(test->name, path);
    fprintf(file, "//%% case %s\n", test->name);
    fprintf(file, "// %s Written by tests/ptx/generate; not to be edited.\n", test->about);
    if (test->threads != 32)
        fprintf(file, "//%% block %u 1 1\n", test->threads);
    fputs(test->directives.data ? test->directives.data : "", file);
    fprintf(file, "//%% buffer out u8[%zu] = 0\n//%% arg out\n",
            test->out_bytes ? test->out_bytes : 8);
    fprintf(file, ".version 8.0\n.target sm_90\n.address_size 64\n");
    fputs(test->module.data ? test->module.data : "", file);
    fprintf(file, ".visible .entry %s", test->name);
    write_parameters(file, test);
    fprintf(file, "{\n");
    write_prologue(file);
    fputs(test->loads.data ? test->loads.data : "", file);
    fputs(test->code.data, file);
    fprintf(file, "\tret;\n}\n");
    if (fclose(file)) {
        perror(path);
        exit(1);
    }
    free(test->directives.data);
    free(test->module.data);
    free(test->loads.data);
    free(test->code.data);
    free(test);
}
