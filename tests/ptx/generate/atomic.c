/* atom and red: all operations, types and spaces, on cells of their own and on shared ones. */
#include <stdio.h>
#include <string.h>

#include "generate.h"

enum operation { ADD, MIN, MAX, AND, OR, XOR, EXCHANGE, SWAP, INCREMENT, DECREMENT };

struct row {
    const char *name, *type;
    enum operation operation;
    bool may_reduce;
};

static const struct row rows[] = {
    {"add", "u32", ADD, true},        {"add", "s32", ADD, true},
    {"add", "u64", ADD, true},        {"add", "f32", ADD, true},
    {"add", "f64", ADD, true},        {"min", "u32", MIN, true},
    {"min", "s32", MIN, true},        {"min", "u64", MIN, true},
    {"min", "s64", MIN, true},        {"max", "u32", MAX, true},
    {"max", "s32", MAX, true},        {"max", "u64", MAX, true},
    {"max", "s64", MAX, true},        {"and", "b32", AND, true},
    {"and", "b64", AND, true},        {"or", "b32", OR, true},
    {"or", "b64", OR, true},          {"xor", "b32", XOR, true},
    {"xor", "b64", XOR, true},        {"exch", "b32", EXCHANGE, false},
    {"exch", "b64", EXCHANGE, false}, {"cas", "b32", SWAP, false},
    {"cas", "b64", SWAP, false},      {"inc", "u32", INCREMENT, true},
    {"dec", "u32", DECREMENT, true},
};

static uint64_t apply(const struct row *row, uint64_t old, uint64_t b, uint64_t c, bool flushes)
{
    const char *type = row->type;
    if (type_is_float(type)) {
        const struct format *format = format_of(type);
        int flags = flushes && type_bits(type) == 32 ? SOFT_FTZ : 0;
        struct soft sum =
            soft_add(soft_unpack(format, old, flags), soft_unpack(format, b, flags), ROUND_NEAREST);
        return soft_pack(format, sum, ROUND_NEAREST, flags);
    }
    s128 x = type_value(type, old), y = type_value(type, b);
    switch (row->operation) {
    case ADD:
        return type_wrap(type, (u128)(x + y));
    case MIN:
        return x < y ? old : b;
    case MAX:
        return x > y ? old : b;
    case AND:
        return old & b;
    case OR:
        return old | b;
    case XOR:
        return old ^ b;
    case EXCHANGE:
        return b;
    case SWAP:
        return old == b ? c : old;
    case INCREMENT:
        return old >= b ? 0 : old + 1;
    default:
        return old == 0 || old > b ? b : old - 1;
    }
}

struct space {
    const char *name, *word; /* of atom */
    const char *store, *load;
    const char *setup;
    bool flushes; /* add.f32 makes subnormals zero in global memory only */
};

static const struct space spaces[] = {
    {"global", ".global", "st.global", "ld.global", "mad.wide.u32 %cell, %me, 8, %cells;", true},
    {"shared", ".shared", "st.shared", "ld.shared",
     ".shared .align 8 .b8 tile[320];\n\tmov.b64 %cell, tile;\n\tmad.wide.u32 %cell, %me, 8, "
     "%cell;",
     false},
    {"generic_global", "", "st", "ld",
     "mad.wide.u32 %cell, %me, 8, %cells;\n\tcvta.global.u64 %cell, %cell;", true},
    {"generic_shared", "", "st", "ld",
     ".shared .align 8 .b8 tile[320];\n\tmov.b64 %cell, tile;\n\tmad.wide.u32 %cell, %me, 8, "
     "%cell;\n\tcvta.shared.u64 %cell, %cell;",
     false},
};

static void choose_values(const struct row *row, uint64_t *a, uint64_t *b, uint64_t *c)
{
    if (type_is_float(row->type)) {
        values_floats(row->type, a, b, c);
        return;
    }
    values_pairs(row->type, a, b);
    for (unsigned i = 0; i < THREADS; i++) {
        c[i] = type_wrap(row->type, test_random());
        if (row->operation == SWAP && i % 2)
            b[i] = a[i];
    }
}

static const char *const order_words[] = {"", ".relaxed.gpu", ".acquire.cta", ".release.sys",
                                          ".acq_rel.gpu"};

/* The result of atom, the cell afterwards, and the cell after red. */
static void write_row(struct test *test, const struct space *space, const struct row *row,
                      const char *names[3], unsigned turn)
{
    uint64_t a[THREADS], b[THREADS], c[THREADS], after[THREADS];
    unsigned bits = type_bits(row->type);
    const char *bits_type = bits == 64 ? "b64" : "b32";
    /* single sums and doubles take any NaN */
    const char *result_type = type_is_float(row->type) ? row->type : bits_type;
    choose_values(row, a, b, c);
    test_input(test, names[0], bits_type, a);
    test_input(test, names[1], bits_type, b);
    test_input(test, names[2], bits_type, c);
    for (unsigned i = 0; i < THREADS; i++)
        after[i] = apply(row, a[i], b[i], c[i], space->flushes);
    char third[16] = "";
    if (row->operation == SWAP)
        snprintf(third, sizeof third, ", %%%s", names[2]);
    test_code(test, "%s.%s [%%cell], %%%s;", space->store, bits_type, names[0]);
    test_always(test, bits_type, a, "atom%s%s.%s.%s $, [%%cell], %%%s%s",
                order_words[turn % COUNT(order_words)], space->word, row->name, row->type, names[1],
                third);
    test_always(test, result_type, after, "%s.%s $, [%%cell]", space->load, bits_type);
    if (!row->may_reduce)
        return;
    test_code(test, "%s.%s [%%cell+0], %%%s;", space->store, bits_type, names[0]);
    test_code(test, "@%%odd red%s%s.%s.%s [%%cell], %%%s;", turn % 2 ? ".relaxed.gpu" : "",
              space->word, row->name, row->type, names[1]);
    for (unsigned i = 0; i < THREADS; i++)
        after[i] = i & 1 ? after[i] : a[i];
    test_always(test, result_type, after, "%s.%s $, [%%cell]", space->load, bits_type);
}

static void write_space(const struct space *space, const char *which, unsigned first, unsigned step)
{
    char name[64];
    static char names[COUNT(rows)][3][8];
    uint64_t zeros[THREADS] = {0};
    snprintf(name, sizeof name, "atomic_%s%s", space->name, which);
    struct test *test = test_begin(name, "Atomics, each thread on a cell of its own.");
    test_buffer(test, "cells", "u64", zeros, THREADS);
    test_code(test, ".reg .b64 %%cell;\n\t%s", space->setup);
    for (unsigned k = first; k < COUNT(rows); k += step) {
        const char *texts[3];
        for (unsigned n = 0; n < 3; n++) {
            snprintf(names[k][n], sizeof names[k][n], "%c%u", 'a' + (char)n, k);
            texts[n] = names[k][n];
        }
        write_row(test, space, &rows[k], texts, k);
    }
    test_end(test);
}

/* All threads of two warps on few cells: what is left does not depend on their order. */
static void write_contended(const char *space_word, bool is_shared)
{
    static const struct row contended[] = {
        {"add", "u32", ADD, true},      {"min", "s32", MIN, true},
        {"max", "u32", MAX, true},      {"and", "b32", AND, true},
        {"or", "b32", OR, true},        {"xor", "b32", XOR, true},
        {"add", "f32", ADD, true},      {"inc", "u32", INCREMENT, true},
        {"dec", "u32", DECREMENT, true}};
    uint64_t values[THREADS], cells[COUNT(contended) * 4];
    struct test *test =
        test_begin(is_shared ? "atomic_contended_shared" : "atomic_contended_global",
                   "Atomics of many threads on one cell.");
    for (unsigned i = 0; i < THREADS; i++)
        values[i] = test_random() & 0xffffffff;
    test_input(test, "v", "u32", values);
    uint64_t start[COUNT(contended) * 4];
    for (size_t k = 0; k < COUNT(start); k++)
        start[k] = contended[k / 4].operation == AND         ? 0xffffffff
                   : contended[k / 4].operation == INCREMENT ? 3
                                                             : 0;
    test_buffer(test, "cells", "u32", start, COUNT(start));
    memcpy(cells, start, sizeof cells);
    test_code(test, ".reg .b64 %%base, %%mine;\n\t.reg .b32 %%column;");
    if (is_shared) {
        test_code(test, ".shared .align 4 .b8 tile[%zu];\n\tmov.b64 %%base, tile;",
                  4 * COUNT(start));
        test_code(test,
                  "mad.wide.u32 %%rd1, %%me, 4, %%cells;\n\tmad.wide.u32 %%rd2, %%me, 4, %%base;");
        test_code(test, "setp.lt.u32 %%p1, %%me, %zu;", COUNT(start));
        test_code(test, "@%%p1 ld.global.u32 %%r1, [%%rd1];\n\t@%%p1 st.shared.u32 [%%rd2], "
                        "%%r1;\n\tbar.sync 0;");
    } else {
        test_code(test, "mov.b64 %%base, %%cells;");
    }
    test_code(test, "and.b32 %%column, %%me, 3;\n\tmad.wide.u32 %%mine, %%column, 4, %%base;");
    test_code(test, "and.b32 %%r2, %%v, 1023;\n\tcvt.rn.f32.u32 %%r2, %%r2;");
    for (size_t k = 0; k < COUNT(contended); k++) {
        const struct row *row = &contended[k];
        const char *operand = type_is_float(row->type)      ? "%r2"
                              : row->operation >= INCREMENT ? "5"
                                                            : "%v";
        if (k % 2)
            test_code(test, "atom%s.%s.%s %%r3, [%%mine+%zu], %s;\n\txor.b32 %%r4, %%r4, %%r3;",
                      space_word, row->name, row->type, 16 * k, operand);
        else
            test_code(test, "red%s.%s.%s [%%mine+%zu], %s;", space_word, row->name, row->type,
                      16 * k, operand);
        for (unsigned i = 0; i < THREADS; i++) {
            uint64_t value = row->operation >= INCREMENT ? 5 : values[i];
            if (type_is_float(row->type))
                value = soft_pack(&f32_format, soft_of_integer(false, values[i] & 1023),
                                  ROUND_NEAREST, 0);
            uint64_t *cell = &cells[4 * k + i % 4];
            *cell = apply(row, *cell, value, 0, true);
        }
    }
    if (is_shared) {
        test_code(test, "bar.sync 0;\n\t@%%p1 ld.shared.u32 %%r1, [%%rd2];\n\t@%%p1 st.global.u32 "
                        "[%%rd1], %%r1;");
    }
    test_expect(test, "cells", "u32", cells, COUNT(cells));
    test_end(test);
}

void generate_atomic(void)
{
    for (size_t i = 0; i < COUNT(spaces); i++) {
        if (*spaces[i].word) {
            for (unsigned part = 0; part < 5; part++) {
                static const char *const names[] = {"_1", "_2", "_3", "_4", "_5"};
                write_space(&spaces[i], names[part], part, 5);
            }
        } else {
            write_space(&spaces[i], "", 3, 7);
        }
    }
    write_contended(".global", false);
    write_contended(".shared", true);
}
