/* Random programs of mixed instructions: integers, floats of all widths, conversions, memory,
 * control flow, shuffles and atomics, each result used by others. What they give is nowhere
 * computed here: h200.txt holds what hardware gave. Only instructions with one right result are
 * used, and no bits of a NaN reach an integer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate.h"
#include "random.h"

enum { CELLS = 16, SLOTS = 8, TABLE = 64, DEPTH_MAX = 3 };

struct writer {
    struct test *test;
    unsigned labels, loops, threads, blocks;
};

static unsigned random_below(unsigned end)
{
    return (unsigned)(test_random() >> 20) % end;
}

/* ---- a row of instructions with its operands chosen ---- */

static const struct random_pool *pool_of(char letter)
{
    for (size_t i = 0; i < random_pool_count; i++)
        if (random_pools[i].letter == letter)
            return &random_pools[i];
    return NULL;
}

static int put_operand(char *at, size_t room, char letter)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    static const char *const integral[] = {"rni", "rzi", "rmi", "rpi"};
    static const char *const relations[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    switch (letter) {
    case 'n':
        return snprintf(at, room, "%u", random_below(40));
    case 'k':
        return snprintf(at, room, "0x%x", (unsigned)test_random());
    case 'u':
        return snprintf(at, room, "%u", random_below(256));
    case 'r':
        return snprintf(at, room, "%s", roundings[random_below(4)]);
    case 'R':
        return snprintf(at, room, "%s", integral[random_below(4)]);
    case 'c':
        return snprintf(at, room, "%s", relations[random_below(6)]);
    case 'z':
        return snprintf(at, room, "%s", random_below(3) ? "" : ".ftz");
    case 's':
        return snprintf(at, room, "%s", random_below(6) ? "" : ".sat");
    default: {
        const struct random_pool *pool = pool_of(letter);
        if (!pool)
            abort();
        return snprintf(at, room, "%%%s%u", pool->name, random_below(pool->count));
    }
    }
}

/* guard: "" or "@%q0 ", put before every instruction of the row. */
static void put_row(struct writer *writer, const char *text, const char *guard)
{
    char line[512];
    size_t used = (size_t)snprintf(line, sizeof line, "%s", guard);
    for (; *text; text++) {
        if (*text == '$')
            used += (size_t)put_operand(line + used, sizeof line - used, *++text);
        else if (*text == ';' && *++text) /* and the space behind it */
            used += (size_t)snprintf(line + used, sizeof line - used, ";\n\t%s", guard);
        else
            line[used++] = *text;
        if (used + 64 > sizeof line)
            abort();
    }
    line[used] = 0;
    test_code(writer->test, "%s;", line);
}

static void put_plain(struct writer *writer)
{
    const struct random_rows *rows = &random_tables[random_below((unsigned)random_table_count)];
    static const char *const guards[] = {"", "", "", "", "@%q0 ", "@!%q1 "};
    const char *text = rows->rows[random_below((unsigned)rows->count)];
    /* the condition code is known to neighbours only: all of them run or none */
    put_row(writer, text, strstr(text, ".cc.") ? "" : guards[random_below(COUNT(guards))]);
}

/* ---- statements with effects ---- */

static void put_local(struct writer *writer)
{
    static const char *const rows[] = {
        "and.b32 %t0, $i, 7; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; st.local.u32 [%t0], $i",
        "and.b32 %t0, $i, 7; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; st.local.u16 [%t0+2], "
        "$w",
        "and.b32 %t0, $i, 7; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; st.local.u8 [%t0+5], "
        "$i",
        "and.b32 %t0, $i, 7; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; st.local.u64 [%t0], $l",
        "and.b32 %t0, $i, 7; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; ld.local.u64 $l, [%t0]",
        "and.b32 %t0, $i, 7; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; ld.local.s16 $i, "
        "[%t0+4]",
        "and.b32 %t0, $i, 7; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; ld.local.u8 $i, "
        "[%t0+3]",
        "and.b32 %t0, $i, 6; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; "
        "st.local.v2.u32 [%t0], {$i, $i}",
        "and.b32 %t0, $i, 6; shl.b32 %t0, %t0, 3; add.u32 %t0, %t0, %frame; "
        "ld.local.v4.u32 {%t1, %t2, %t3, %t4}, [%t0]; xor.b32 $i, %t1, %t3; add.u32 $i, %t2, %t4",
    };
    put_row(writer, rows[random_below(COUNT(rows))], "");
}

static void put_table(struct writer *writer)
{
    static const char *const rows[] = {
        "and.b32 %t0, $i, 63; mad.wide.u32 %at0, %t0, 4, %floats; ld.global.f32 $f, [%at0]",
        "and.b32 %t0, $i, 63; mad.wide.u32 %at0, %t0, 8, %doubles; ld.global.f64 $d, [%at0]",
        "and.b32 %t0, $i, 63; mad.wide.u32 %at0, %t0, 2, %halves; ld.global.nc.b16 $h, [%at0]",
        "and.b32 %t0, $i, 62; mad.wide.u32 %at0, %t0, 2, %halves; ld.global.b32 $x, [%at0]",
        "and.b32 %t0, $i, 62; mad.wide.u32 %at0, %t0, 4, %floats; ld.global.v2.f32 {$f, %tf}, "
        "[%at0]; min.f32 $f, %tf, $f",
        "and.b32 %t0, $i, 15; mad.wide.u32 %at0, %t0, 4, %first; ld.global.u8 $i, [%at0+1]",
        "and.b32 %t0, $i, 15; mad.wide.u32 %at0, %t0, 4, %first; ld.global.s16 $i, [%at0+2]",
        ("and.b32 %t0, $i, 15; mov.u64 %at1, fixed; mad.wide.u32 %at1, %t0, 4, %at1; "
         "ld.const.u32 $i, [%at1]"),
    };
    put_row(writer, rows[random_below(COUNT(rows))], "");
}

/* On cells that all threads share: operations whose end does not depend on their order. */
static void put_reduction(struct writer *writer)
{
    static const char *const rows[] = {
        "red.global.add.u32 [%cell0], $i",        "red.global.min.s32 [%cell1], $i",
        "red.global.max.u32 [%cell2], $i",        "red.global.xor.b32 [%cell3], $i",
        "red.global.add.u64 [%cell4], $l",        "red.global.max.s64 [%cell5], $l",
        "red.global.and.b32 [%cell6], $i",        "red.global.inc.u32 [%cell7], 1000003",
        "atom.shared.add.u32 %t1, [sums+0], $i",  "red.shared.or.b32 [sums+4], $i",
        "red.shared.max.s32 [sums+8], $i",        "atom.shared.xor.b32 %t1, [sums+12], $i",
        "red.shared.add.u64 [sums+16], $l",       "red.relaxed.gpu.global.min.u64 [%cell8], $l",
        "atom.global.or.b32 %t1, [%cell8+8], $i", "red.global.dec.u32 [%cell8+16], 77777",
    };
    const char *guard = random_below(3) ? "" : "@%q1 ";
    put_row(writer, rows[random_below(COUNT(rows))], guard);
}

/* On the thread's own cell, where the result is known too. */
static void put_own_atomic(struct writer *writer)
{
    static const char *const rows[] = {
        "atom.global.add.u32 $i, [%own], $i",
        "atom.global.exch.b32 $i, [%own], $i",
        "atom.global.cas.b32 $i, [%own], $i, $i",
        "atom.global.min.s32 $i, [%own], $i",
        "atom.global.max.u32 $i, [%own], $i",
        "atom.global.inc.u32 $i, [%own], $i",
        "atom.global.and.b32 $i, [%own], $i",
        "atom.global.add.u64 $l, [%own+8], $l",
        "atom.global.cas.b64 $l, [%own+8], $l, $l",
        "atom.acq_rel.gpu.global.exch.b64 $l, [%own+8], $l",
        "atom.global.add.f32 $f, [%own+16], $f",
        "atom.global.add.f64 $d, [%own+24], $d",
        "atom.global.add.noftz.f16 $h, [%own+20], $h",
        "st.volatile.global.u32 [%own], $i; ld.relaxed.gpu.global.u32 $i, [%own]",
    };
    put_row(writer, rows[random_below(COUNT(rows))], "");
}

/* All threads of a warp take part: only where none is elsewhere. */
static void put_lanes(struct writer *writer)
{
    static const char *const rows[] = {
        "shfl.sync.idx.b32 $i, $i, $i, 31, %all",
        "shfl.sync.up.b32 %t0|%p3, $i, 9, 0, %all; selp.b32 $i, %t0, $i, %p3",
        "shfl.sync.down.b32 $i, $i, 3, 31, %all",
        "shfl.sync.bfly.b32 $i, $i, 16, 31, %all",
        "shfl.sync.bfly.b32 $i, $i, 5, 6175, %all",
        "shfl.sync.idx.b32 $f, $f, $i, 31, %all",
        "shfl.sync.down.b32 $f, $f, 7, 31, %all",
        "vote.sync.ballot.b32 $i, $q, %all",
        "vote.sync.any.pred $q, $q, %all",
        "vote.sync.all.pred $q, $q, %all",
        "vote.sync.uni.pred $q, $q, %all",
        "and.b32 %t0, $i, 3; match.any.sync.b32 $i, %t0, %all",
        "and.b32 %t0, $i, 1; match.all.sync.b32 $i, %t0, %all",
        "redux.sync.add.u32 $i, $i, %all",
        "redux.sync.min.s32 $i, $i, %all",
        "redux.sync.max.u32 $i, $i, %all",
        "redux.sync.xor.b32 $i, $i, %all",
    };
    test_code(writer->test, "bar.warp.sync %%all;");
    put_row(writer, rows[random_below(COUNT(rows))], "");
}

/* Threads leave something in shared memory and read what another left. */
static void put_exchange(struct writer *writer)
{
    static const struct {
        const char *store, *load;
        unsigned bytes;
    } rows[] = {
        {"st.shared.u32 [%t0], $i", "ld.shared.u32 $i, [%t0]", 4},
        {"st.shared.f32 [%t0], $f", "ld.shared.f32 $f, [%t0]", 4},
        {"st.shared.u64 [%t0], $l", "ld.shared.u64 $l, [%t0]", 8},
        {"st.shared.f64 [%t0], $d", "ld.volatile.shared.f64 $d, [%t0]", 8},
        {"st.shared.b16 [%t0], $h", "ld.shared.b16 $h, [%t0]", 2},
        {"st.shared.u8 [%t0], $i", "ld.shared.s8 $i, [%t0]", 1},
        {"st.shared.v2.u32 [%t0], {$i, $i}", "ld.shared.v2.u32 {$i, %t1}, [%t0]", 8},
    };
    unsigned row = random_below(COUNT(rows));
    test_code(writer->test, "mad.lo.u32 %%t0, %%me, %u, %%exchange;", rows[row].bytes);
    put_row(writer, rows[row].store, "");
    test_code(writer->test, "bar.sync 0;\n\tadd.u32 %%t0, %%me, %u;", 1 + random_below(40));
    test_code(writer->test, "rem.u32 %%t0, %%t0, %u;", writer->threads);
    test_code(writer->test, "mad.lo.u32 %%t0, %%t0, %u, %%exchange;", rows[row].bytes);
    put_row(writer, rows[row].load, "");
    test_code(writer->test, "bar.sync 0;");
}

static void put_call(struct writer *writer)
{
    test_code(writer->test,
              "{\n\t.param .b32 a0;\n\t.param .f32 a1;\n\t.param .align 8 .b8 r0[16];");
    put_row(writer, "st.param.b32 [a0], $i; st.param.f32 [a1], $f", "");
    test_code(writer->test, "call (r0), mixed, (a0, a1);");
    put_row(writer, "ld.param.f32 $f, [r0]; ld.param.b32 $i, [r0+4]; ld.param.b64 $l, [r0+8]", "");
    test_code(writer->test, "}");
}

/* ---- control flow ---- */

static void put_block(struct writer *writer, unsigned depth, unsigned count);

static void put_condition(struct writer *writer)
{
    static const char *const rows[] = {"setp.$c.s32 %p1, $i, $i",
                                       "setp.$c.u32 %p1, $i, $k",
                                       "setp.$c.f32 %p1, $f, $f",
                                       "setp.$c.f64 %p1, $d, $d",
                                       "setp.$c.u64 %p1, $l, $l",
                                       "setp.$c.f16 %p1, $h, $h",
                                       "and.b32 %t0, $i, 4; setp.ne.u32 %p1, %t0, 0"};
    put_row(writer, rows[random_below(COUNT(rows))], "");
}

static void put_if(struct writer *writer, unsigned depth)
{
    unsigned otherwise = ++writer->labels, end = ++writer->labels;
    put_condition(writer);
    test_code(writer->test, "@!%%p1 bra L%u;", otherwise);
    put_block(writer, depth + 1, 2 + random_below(4));
    test_code(writer->test, "bra L%u;\nL%u:", end, otherwise);
    put_block(writer, depth + 1, 1 + random_below(4));
    test_code(writer->test, "\nL%u:", end);
}

static void put_loop(struct writer *writer, unsigned depth)
{
    unsigned head = ++writer->labels, end = ++writer->labels, counter = ++writer->loops;
    put_row(writer, "and.b32 %t0, $i, 3", "");
    test_code(writer->test, "add.u32 %%n%u, %%t0, 1;\nL%u:", counter, head);
    put_block(writer, depth + 1, 2 + random_below(4));
    if (random_below(2)) {
        put_condition(writer);
        test_code(writer->test, "@%%p1 bra L%u;", end);
    }
    test_code(writer->test, "sub.u32 %%n%u, %%n%u, 1;", counter, counter);
    test_code(writer->test, "setp.ne.u32 %%p1, %%n%u, 0;\n\t@%%p1 bra L%u;\nL%u:", counter, head,
              end);
    writer->loops--;
}

static void put_block(struct writer *writer, unsigned depth, unsigned count)
{
    while (count--) {
        unsigned choice = random_below(100);
        if (choice < 62)
            put_plain(writer);
        else if (choice < 70)
            put_local(writer);
        else if (choice < 78)
            put_table(writer);
        else if (choice < 82)
            put_reduction(writer);
        else if (choice < 85)
            put_own_atomic(writer);
        else if (choice < 87)
            put_call(writer);
        else if (choice < 92 && depth == 0)
            put_lanes(writer);
        else if (choice < 95 && depth == 0)
            put_exchange(writer);
        else if (depth == DEPTH_MAX)
            put_plain(writer);
        else if (choice & 1)
            put_if(writer, depth);
        else
            put_loop(writer, depth);
    }
}

/* ---- the whole ---- */

static void put_inputs(struct test *test, unsigned all)
{
    uint64_t a[TABLE], b[TABLE], c[TABLE], start[CELLS + 1] = {0};
    uint64_t *own = calloc(4 * all, sizeof *own);
    for (unsigned i = 0; i < CELLS; i++)
        start[i] = i == 6 || i == 8 ? ~0ull : 0;
    static const struct {
        const char *name, *type;
    } tables[] = {{"floats", "f32"}, {"doubles", "f64"}, {"halves", "f16"}};
    for (size_t k = 0; k < COUNT(tables); k++) {
        values_floats(tables[k].type, a, b, c); /* the first THREADS of them */
        for (unsigned i = THREADS; i < TABLE; i++)
            a[i] = b[i - THREADS];
        test_buffer(test, tables[k].name, tables[k].type, a, TABLE);
    }
    values_single("u32", a);
    test_buffer(test, "first", "u32", a, CELLS);
    test_buffer(test, "cells", "u64", start, CELLS);
    test_buffer(test, "owned", "u64", own, 4 * (size_t)all);
    free(own);
}

static void put_beginning(struct writer *writer)
{
    struct test *test = writer->test;
    test_module(test,
                ".const .align 4 .b32 fixed[16] = {1, 2, 3, 5, 7, 11, 13, 0x7fffffff, 0x80000000, "
                "17, 19, 23, 0xffffffff, 29, 31, 37};");
    test_module(test, "%s", random_function);
    for (size_t i = 0; i < random_pool_count; i++)
        test_code(test, ".reg .%s %%%s<%u>;", random_pools[i].type, random_pools[i].name,
                  random_pools[i].count);
    test_code(test, ".reg .b32 %%n<8>, %%t<8>, %%all, %%frame, %%exchange, %%global;");
    test_code(test,
              ".reg .f32 %%tf;\n\t.reg .b64 %%at<4>, %%cell<9>, %%own;\n\t.reg .b16 %%th<4>;");
    test_code(test, ".local .align 16 .b8 stack[64];\n\t.shared .align 8 .b8 sums[32];");
    test_code(test, ".shared .align 16 .b8 traded[%u];", 8 * writer->threads);
    test_code(test,
              "activemask.b32 %%all;\n\tmov.u32 %%frame, stack;\n\tmov.u32 %%exchange, traded;");
    test_code(test, "mov.u32 %%t0, %%ctaid.x;\n\tmad.lo.u32 %%global, %%t0, %u, %%me;",
              writer->threads);
    test_code(test, "mad.wide.u32 %%own, %%global, 32, %%owned;");
    for (int i = 0; i < 9; i++)
        test_code(test, "add.u64 %%cell%d, %%cells, %d;", i, 8 * i);
    for (int i = 0; i < 64; i += 16)
        test_code(test, "st.local.v4.u32 [stack+%d], {%%global, %%t0, %%me, %%global};", i);
    test_code(test, "setp.lt.u32 %%p1, %%me, 8;\n\tmov.u32 %%t1, sums;");
    test_code(test, "mad.lo.u32 %%t1, %%me, 4, %%t1;\n\tmov.u32 %%t2, 0;");
    test_code(test, "@%%p1 st.shared.u32 [%%t1], %%t2;\n\tbar.sync 0;");
    for (size_t k = 0; k < random_pool_count; k++) /* a first value in every register */
        for (unsigned i = 0; i < random_pools[k].count; i++) {
            unsigned addend = (unsigned)test_random(), factor = (unsigned)test_random() | 1;
            test_code(test, "mad.lo.u32 %%t0, %%global, 0x%x, 0x%x;", factor, addend);
            test_code(test, random_pools[k].first, i, i);
        }
}

/* Stores the registers of a pool; the integers folded, so that none is lost. */
static void put_results(struct writer *writer)
{
    struct test *test = writer->test;
    unsigned all = writer->threads * writer->blocks;
    static const struct {
        const char *type, *registers;
        unsigned count;
    } rows[] = {{"b32", "i", 3}, {"b64", "l", 1},  {"f32", "f", 3}, {"f64", "d", 2},
                {"f16", "v", 2}, {"bf16", "b", 1}, {"b32", "w", 1}};
    test_code(test, "bar.sync 0;");
    for (unsigned i = 3; i < 8; i++)
        test_code(test, "shf.l.wrap.b32 %%i%u, %%i%u, %%i%u, 7;\n\txor.b32 %%i%u, %%i%u, %%i%u;",
                  i % 3, i % 3, i % 3, i % 3, i % 3, i);
    for (unsigned i = 1; i < 4; i++)
        test_code(test, "xor.b64 %%l0, %%l0, %%l%u;\n\tadd.u64 %%l0, %%l0, %u;", i, i);
    test_code(test, "and.b32 %%t0, %%me, 7;\n\tshl.b32 %%t0, %%t0, 2;\n\tmov.u32 %%t1, sums;");
    test_code(test, "add.u32 %%t0, %%t0, %%t1;\n\tld.shared.u32 %%t1, [%%t0];");
    test_code(test, "ld.local.u64 %%at0, [stack+8];\n\txor.b64 %%l0, %%l0, %%at0;");
    test_code(test, "xor.b32 %%i1, %%i1, %%t1;");
    unsigned offset = 0;
    for (size_t k = 0; k < COUNT(rows); k++)
        for (unsigned i = 0; i < rows[k].count; i++) {
            unsigned bytes = type_bits(rows[k].type) / 8;
            bool is_word = rows[k].registers[0] == 'w';
            if (is_word)
                test_code(test, "cvt.u32.u16 %%t0, %%w0;");
            test_code(test, "mad.wide.u32 %%at0, %%global, %u, %%results;", bytes);
            test_code(test,
                      is_word ? "st.global.b%u [%%at0+%u], %%t0;"
                              : "st.global.b%u [%%at0+%u], %%%s%u;",
                      8 * bytes, offset, rows[k].registers, i);
            test_directive(test, "expect results[%u] %s[%u] = _", offset, rows[k].type, all);
            offset += (all * bytes + 15) / 16 * 16;
        }
    test_directive(test, "expect cells b64[%d] = _", CELLS);
}

static void write_program(unsigned number)
{
    static const struct {
        unsigned threads, blocks;
    } shapes[] = {{64, 1}, {32, 2}, {40, 1}};
    char name[32];
    snprintf(name, sizeof name, "random_%u", number);
    struct writer writer = {.threads = shapes[number % COUNT(shapes)].threads,
                            .blocks = shapes[number % COUNT(shapes)].blocks};
    unsigned all = writer.threads * writer.blocks;
    writer.test = test_begin(name, "A random program of mixed instructions.");
    for (unsigned i = 0; i < number; i++)
        test_random();
    test_threads(writer.test, writer.threads);
    test_directive(writer.test, "grid %u 1 1", writer.blocks);
    put_inputs(writer.test, all);
    size_t words = all * 16 + 64; /* of 64 bits: enough for all results */
    uint64_t *room = calloc(words, sizeof *room);
    test_buffer(writer.test, "results", "u64", room, words);
    free(room);
    put_beginning(&writer);
    put_block(&writer, 0, 45 + random_below(20));
    put_results(&writer);
    test_end(writer.test);
}

void generate_random(void)
{
    /* ptxas of CUDA 13.0 forgets the guard of testp, and converts what the register held before
     * where that of set to a float is off. In these programs it shows. */
    static const unsigned left_out[] = {14, 16, 40, 41, 45, 46, 47, 50, 64, 66, 68, 72, 73, 75, 80};
    size_t next = 0;
    for (unsigned i = 1; i <= 80; i++) {
        if (next < COUNT(left_out) && left_out[next] == i)
            next++;
        else
            write_program(i);
    }
}
