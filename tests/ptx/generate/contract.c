/* Multiplications and additions without a rounding modifier, which ptxas may contract to fma (PTX
 * ISA, "Floating-Point Instructions"). Which it contracts no document says: the rows have what the
 * instructions are that ptxas 13.0 makes of them for sm_90, and an H200 gave the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"

/* code: lines of OPERATION DESTINATION SOURCES. v0 to v5 are inputs, t0 to t19 variables, c0 is the
 * constant 9; "?" before an operation guards it by v3 < v4, "jump" goes to "there:" by the same;
 * what begins with
 * "!" is other code, as it stands. taken: for each add and sub the operand whose product became
 * part of it, 1 or 2, or "-". results: the variables that are stored. */
struct row {
    const char *name, *code, *taken, *results;
};

static const struct row rows[] = {
    {"add", "mul t0 v0 v1\nadd t1 t0 v2", "1", "t1"},
    {"sub", "mul t0 v0 v1\nsub t1 t0 v2", "1", "t1"},
    {"from", "mul t0 v0 v1\nsub t1 v2 t0", "2", "t1"},
    {"two_uses", "mul t0 v0 v1\nadd t1 t0 v2\nsub t2 v3 t0", "12", "t1 t2"},
    {"value_stored", "mul t0 v0 v1\nadd t1 t0 v2", "-", "t1 t0"},
    {"two_products", "mul t0 v0 v1\nmul t1 v2 v3\nadd t2 t0 t1", "1", "t2"},
    {"two_products_swapped", "mul t0 v0 v1\nmul t1 v2 v3\nsub t2 t1 t0", "1", "t2"},
    {"products_other_order", "mul t1 v2 v3\nmul t0 v0 v1\nadd t2 t0 t1", "1", "t2"},
    {"negative", "mul t0 v0 v1\nneg t1 t0\nsub t2 t1 v2", "1", "t2"},
    {"negative_twice", "mul t0 v0 v1\nneg t1 t0\nsub t2 t1 v2\nadd t3 v3 t1", "12", "t2 t3"},
    {"negative_and_plain", "mul t0 v0 v1\nneg t1 t0\nsub t2 t1 v2\nadd t3 t0 v3", "11", "t2 t3"},
    {"negative_stored", "mul t0 v0 v1\nneg t1 t0\nsub t2 t1 v2", "-", "t2 t1"},
    {"moved", "mul t0 v0 v1\nmov t1 t0\nsub t2 v2 t1", "2", "t2"},
    {"added_to_itself", "mul t0 v0 v1\nadd t1 t0 t0", "-", "t1"},
    {"rounded_product", "mul.rn t0 v0 v1\nadd t1 t0 v2", "-", "t1"},
    {"rounded_sum", "mul t0 v0 v1\nadd.rn t1 t0 v2", "-", "t1"},
    {"used_in_product", "mul t0 v0 v1\nmul t1 t0 v2\nsub t2 v3 t0", "-", "t1 t2"},
    {"used_as_addend", "mul t0 v0 v1\nfma.rn t1 v2 v3 t0\nsub t2 v4 t0", "-", "t1 t2"},
    {"chain", "mul t0 v0 v1\nmul t1 t0 v2\nsub t2 v3 t1\nsub t3 t2 t0", "2-", "t3"},
    {"dot", "mul t0 v0 v1\nmul t1 v2 v3\nmul t2 v4 v5\nadd t3 t0 t1\nadd t4 t3 t2", "12", "t4"},
    {"determinants", "mul t0 v0 v3\nmul t1 v1 v2\nsub t2 t0 t1\nmul t3 v0 v1\nsub t4 t3 t1", "11",
     "t2 t4"},
    {"determinants_crossed", "mul t0 v0 v3\nmul t1 v1 v2\nsub t2 t0 t1\nmul t3 v0 v1\nsub t4 t1 t3",
     "12", "t2 t4"},
    {"determinants_turned", "mul t0 v0 v3\nmul t1 v1 v2\nsub t2 t1 t0\nmul t3 v0 v1\nsub t4 t3 t1",
     "21", "t2 t4"},
    {"both_twice", "mul t0 v0 v3\nmul t1 v1 v2\nsub t2 t0 t1\nadd t3 t1 t0", "12", "t2 t3"},
    {"one_is_needed", "mul t0 v0 v3\nmul t1 v1 v2\nsub t2 t0 t1\nmul t3 t0 v5", "2", "t2 t3"},
    {"single_first", "mul t0 v0 v3\nmul t1 v1 v2\nadd t2 t0 v4\nsub t3 t0 t1", "-2", "t2 t3"},
    {"fewer_uses",
     "mul t0 v0 v3\nmul t1 v1 v2\nadd t2 t0 v4\nadd t3 t0 v5\nsub t4 t0 t1\nadd t5 t1 v5", "1121",
     "t2 t3 t4 t5"},
    {"taken_in_part", "mul t0 v0 v3\nmul t1 v1 v2\nadd t2 t1 v5\nsub t3 t0 t1\nadd t4 t0 v4", "111",
     "t2 t3 t4"},
    {"late", "mul t0 v0 v3\nmul t1 v1 v2\nsub t2 t0 t1\nadd t3 t1 v5\nadd t4 t0 v4", "1-1",
     "t2 t3 t4"},
    {"three_products",
     "mul t0 v0 v3\nmul t1 v1 v2\nmul t2 v4 v5\nsub t3 t0 t1\nsub t4 t1 t2\nadd t5 t2 t0", "121",
     "t3 t4 t5"},
    {"in_place", "mov t9 v0\nmul t9 t9 v1\nsub t9 v2 t9\nmul t9 t9 v1\nadd t9 t9 v3", "21", "t9"},
    {"written_again", "mul t0 v0 v1\nsub t1 v2 t0\nadd t0 v3 v4\nsub t2 t1 t0", "2--", "t2"},
    {"written_under_guard", "mul t0 v0 v1\nsub t1 v2 t0\n?add t0 v3 v4\nsub t2 t1 t0", "---", "t2"},
    {"guarded_sum", "mov t9 v2\nmul t0 v0 v1\n?add t9 t0 t9", "1", "t9"},
    {"guarded_both", "mov t9 v2\nmov t0 v5\n?mul t0 v0 v1\n?sub t9 t9 t0", "-", "t9"},
    {"under_condition", "mov t9 v2\nmul t0 v0 v1\njump\nadd t9 t0 v5\nthere:", "-", "t9"},
    {"behind_condition", "mov t9 v2\nmul t0 v0 v1\njump\nadd t9 v4 v5\nthere:\nsub t1 v2 t0", "--",
     "t9 t1"},
    {"behind_barrier", "mul t0 v0 v1\n!bar.sync 0;\nsub t1 v2 t0", "2", "t1"},
    {"behind_guarded_store", "mul t0 v0 v1\n!@%p9 st.global.b32 [%rd0], %r0;\nsub t1 v2 t0", "-",
     "t1"},
    {"behind_fence", "mul t0 v0 v1\n!membar.gl;\nsub t1 v2 t0", "-", "t1"},
    {"behind_division", "mul t0 v0 v1\ndiv.rn t3 v3 v4\nsub t1 v2 t0", "-", "t1 t3"},
    {"of_division", "div.rn t3 v3 v4\nmul t0 t3 v1\nsub t1 v2 t0", "2", "t1"},
    {"constant_under_condition", "mov t9 v2\nmul t0 v0 c0\njump\nadd t9 t0 v5\nthere:", "1", "t9"},
    {"constant_behind_condition",
     "mov t9 v2\nmul t0 c0 v0\njump\nadd t9 v4 v5\nthere:\nsub t1 v2 t0", "-2", "t9 t1"},
    {"constant_moved", "mov t9 v2\nmov t1 c0\nmul t0 v0 t1\njump\nsub t9 t0 v5\nthere:", "1", "t9"},
    {"constant_stored", "mov t9 v2\nmul t0 v0 c0\njump\nadd t9 t0 v5\nthere:", "-", "t9 t0"},
    {"constant_first", "mov t9 v2\nmul t0 v0 c0\njump\nmul t1 v1 v3\nsub t9 t0 t1\nthere:", "1",
     "t9"},
    {"constant_second", "mov t9 v2\nmul t0 v0 c0\njump\nmul t1 v1 v3\nsub t9 t1 t0\nthere:", "1",
     "t9"},
    {"constant_negated", "mov t9 v2\nmul t0 v0 c0\njump\nneg t1 t0\nadd t9 t1 v5\nthere:", "1",
     "t9"},
    {"constant_overwritten", "mov t9 v2\nmov t0 v5\njump\nmul t0 v0 c0\nthere:\nadd t9 t0 v1", "-",
     "t9"},
    {"behind_shuffle", "mul t0 v0 v1\n!activemask.b32 %r9;\nsub t1 v2 t0", "2", "t1"},
};

#define CONTRACT_THREADS 8
#define VARIABLES 32 /* v0 to v5 are 20 to 25 */
#define VALUES 20
#define CONSTANT 26 /* c0 */

struct value {
    uint64_t bits;
    bool is_product, is_negated; /* of these factors, as it was formed */
    uint64_t factors[2];
};

struct machine {
    const struct format *format;
    struct value values[VARIABLES];
    const char *taken;
    bool is_skipping;
};

static unsigned number_of(const char *word)
{
    return word[0] == 'c' ? CONSTANT : (word[0] == 'v' ? VALUES : 0) + (unsigned)atoi(word + 1);
}

static struct soft unpack(const struct machine *machine, uint64_t bits)
{
    return soft_unpack(machine->format, bits, 0);
}

static uint64_t pack(const struct machine *machine, struct soft value)
{
    return soft_pack(machine->format, value, ROUND_NEAREST, 0);
}

static struct value add(struct machine *machine, struct value a, struct value b, bool subtracts)
{
    const char taken = *machine->taken++;
    struct soft x = unpack(machine, a.bits), y = unpack(machine, b.bits);
    if (subtracts)
        y = soft_negate(y);
    if (taken == '-')
        return (struct value){.bits = pack(machine, soft_add(x, y, ROUND_NEAREST))};
    const struct value *product = taken == '1' ? &a : &b;
    if (!product->is_product)
        abort();
    struct soft factor = unpack(machine, product->factors[0]);
    if (product->is_negated != (subtracts && taken == '2'))
        factor = soft_negate(factor);
    const struct soft other = unpack(machine, product->factors[1]);
    return (struct value){
        .bits = pack(machine, soft_fma(factor, other, taken == '1' ? y : x, ROUND_NEAREST))};
}

static void run_operation(struct machine *machine, const char *operation, unsigned destination,
                          struct value a, struct value b, struct value c)
{
    struct value result = {0};
    const struct soft x = unpack(machine, a.bits), y = unpack(machine, b.bits);
    if (strncmp(operation, "mul", 3) == 0)
        result = (struct value){pack(machine, soft_multiply(x, y)), true, false, {a.bits, b.bits}};
    else if (strncmp(operation, "div", 3) == 0)
        result.bits = pack(machine, soft_divide(x, y));
    else if (strncmp(operation, "fma", 3) == 0)
        result.bits = pack(machine, soft_fma(x, y, unpack(machine, c.bits), ROUND_NEAREST));
    else if (strncmp(operation, "mov", 3) == 0)
        result = a;
    else if (strncmp(operation, "neg", 3) == 0) {
        result = a;
        result.bits = pack(machine, soft_negate(x));
        result.is_negated = !a.is_negated;
    } else
        result = add(machine, a, b, operation[0] == 's');
    machine->values[destination] = result;
}

static void run_line(struct machine *machine, const char *line)
{
    char operation[16] = "", words[4][8] = {"v0", "v0", "v0", "v0"};
    const bool is_on = soft_compare(unpack(machine, machine->values[VALUES + 3].bits),
                                    unpack(machine, machine->values[VALUES + 4].bits)) < 0;
    const bool is_guarded = *line == '?';
    if (strcmp(line, "jump") == 0) {
        machine->is_skipping = is_on;
    } else if (strcmp(line, "there:") == 0) {
        machine->is_skipping = false;
    } else if (*line != '!') {
        sscanf(line + is_guarded, "%15s %7s %7s %7s %7s", operation, words[0], words[1], words[2],
               words[3]);
        if (machine->is_skipping || (is_guarded && !is_on)) {
            machine->taken +=
                strncmp(operation, "add", 3) == 0 || strncmp(operation, "sub", 3) == 0;
            return;
        }
        run_operation(machine, operation, number_of(words[0]), machine->values[number_of(words[1])],
                      machine->values[number_of(words[2])], machine->values[number_of(words[3])]);
    }
}

/* The next line of the code, copied to line; NULL behind the last. */
static const char *next_line(const char *code, char *line, size_t capacity)
{
    const size_t length = strcspn(code, "\n");
    if (!*code)
        return NULL;
    snprintf(line, capacity, "%.*s", (int)length, code);
    return code + length + (code[length] != '\0');
}

struct writer {
    struct test *test;
    const char *type, *name;
};

static const char *constant_text(const char *type)
{
    return type_bits(type) == 64 ? "0d4022000000000000" : "0f41100000";
}

static void write_line(const struct writer *writer, const char *line)
{
    const bool is_guarded = *line == '?';
    char operation[16] = "", words[4][8] = {"", "", "", ""}, text[128];
    if (*line == '!') {
        test_code(writer->test, "%s", line + 1);
        return;
    }
    if (strcmp(line, "jump") == 0 || strcmp(line, "there:") == 0) {
        test_code(writer->test, *line == 'j' ? "@%%p1 bra %s_there;" : "%s_there:", writer->name);
        return;
    }
    const int count = sscanf(line + is_guarded, "%15s %7s %7s %7s %7s", operation, words[0],
                             words[1], words[2], words[3]);
    const bool is_move = strcmp(operation, "mov") == 0 && words[1][0] != 'c';
    int length = snprintf(
        text, sizeof text, "%s%s.%s%s", is_guarded ? "@%p1 " : "", operation, is_move ? "b" : "",
        is_move ? writer->type + strcspn(writer->type, "0123456789") : writer->type);
    for (int i = 0; i + 1 < count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %s%s", i ? "," : "",
                           words[i][0] == 'c' ? "" : "%",
                           words[i][0] == 'c' ? constant_text(writer->type) : words[i]);
    test_code(writer->test, "%s;", text);
}

static uint64_t random_value(const struct format *format)
{
    const uint64_t bias = (1ull << (format->exponent_bits - 1)) - 1;
    const uint64_t exponent = bias - 1 + test_random() % 3;
    const uint64_t fraction = test_random() & ((1ull << format->fraction_bits) - 1);
    return (test_random() & 1) << (format->fraction_bits + format->exponent_bits) |
           exponent << format->fraction_bits | fraction;
}

static void store_results(struct test *test, const struct row *row, const char *type,
                          uint64_t values[6][CONTRACT_THREADS])
{
    char store[8], results[64];
    snprintf(store, sizeof store, "b%u", type_bits(type));
    snprintf(results, sizeof results, "%s", row->results);
    for (const char *word = strtok(results, " "); word; word = strtok(NULL, " ")) {
        uint64_t expected[CONTRACT_THREADS];
        for (unsigned i = 0; i < CONTRACT_THREADS; i++) {
            char line[64];
            struct machine machine = {.format = format_of(type), .taken = row->taken};
            for (unsigned k = 0; k < 6; k++)
                machine.values[VALUES + k].bits = values[k][i];
            machine.values[CONSTANT].bits = type_bits(type) == 64 ? 0x4022000000000000 : 0x41100000;
            for (const char *code = row->code; (code = next_line(code, line, sizeof line));)
                run_line(&machine, line);
            expected[i] = machine.values[number_of(word)].bits;
        }
        test_always(test, store, expected, "mov.%s $, %%%s", store, word);
    }
}

static void generate_row(const struct row *row, const char *type)
{
    char name[64], input[8];
    uint64_t values[6][CONTRACT_THREADS];
    snprintf(name, sizeof name, "contract_%s_%s", row->name, type);
    struct test *test = test_begin(name, "Which product becomes part of which sum.");
    test_threads(test, CONTRACT_THREADS);
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned i = 0; i < CONTRACT_THREADS; i++)
            values[k][i] = random_value(format_of(type));
        snprintf(input, sizeof input, "v%u", k);
        test_input(test, input, type, values[k]);
    }
    test_code(test, ".reg .b%u %%t<20>;", type_bits(type));
    test_code(test, "setp.lt.%s %%p1, %%v3, %%v4;", type);
    test_code(test, "setp.gt.u32 %%p9, %%me, 1000;");
    struct writer writer = {test, type, name};
    char line[64];
    for (const char *code = row->code; (code = next_line(code, line, sizeof line));)
        write_line(&writer, line);
    store_results(test, row, type, values);
    test_end(test);
}

/* Rows with the constant come last: the others keep their numbers. */
static void generate_rows(const char *type, bool with_constant)
{
    for (unsigned i = 0; i < COUNT(rows); i++) {
        const bool has_constant = strstr(rows[i].code, "c0");
        const bool has_division = strstr(rows[i].code, "div.rn");
        if (has_constant == with_constant && (type_bits(type) > 16 || !has_division))
            generate_row(&rows[i], type);
    }
}

void generate_contract(void)
{
    static const char *const types[] = {"f32", "f64", "f16", "bf16"};
    for (unsigned t = 0; t < COUNT(types); t++)
        generate_rows(types[t], false);
    for (unsigned t = 0; t < 2; t++)
        generate_rows(types[t], true);
}
