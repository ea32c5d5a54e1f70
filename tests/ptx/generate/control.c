/* Random programs of nested ifs, loops with break and continue, jumps by tables and early exits.
 * Each thread's result follows from its own way through the program, however a warp runs it. */
#include <stdio.h>
#include <stdlib.h>

#include "generate.h"

enum kind { STEP, IF, LOOP, BREAK, CONTINUE, SWITCH, LEAVE };

struct statement {
    enum kind kind;
    uint32_t factor, term; /* STEP: x = x * factor + term */
    uint32_t mask, value;  /* the others: where (x & mask) == value, loops mask + 1 times at most */
    struct block *blocks[4]; /* IF: then, else; LOOP: body; SWITCH: ways */
};

struct block {
    struct statement statements[4];
    unsigned count;
};

#define DEPTH_MAX 4

static struct block *make_block(unsigned depth, bool in_loop)
{
    static const enum kind kinds[] = {STEP,  STEP,     IF,   IF,    LOOP, SWITCH,
                                      BREAK, CONTINUE, STEP, LEAVE, IF,   LOOP};
    struct block *block = calloc(1, sizeof *block);
    block->count = 1 + (unsigned)(test_random() % 4);
    for (unsigned i = 0; i < block->count; i++) {
        struct statement *statement = &block->statements[i];
        enum kind kind = kinds[test_random() % COUNT(kinds)];
        bool is_nest = kind == IF || kind == LOOP || kind == SWITCH;
        if ((is_nest && depth == DEPTH_MAX) || ((kind == BREAK || kind == CONTINUE) && !in_loop) ||
            (kind == LEAVE && test_random() % 3))
            kind = STEP;
        statement->kind = kind;
        statement->factor = (uint32_t)test_random() | 1;
        statement->term = (uint32_t)test_random();
        statement->mask = kind == IF ? 1u << test_random() % 9 : 7u << test_random() % 20;
        statement->value = statement->mask & (uint32_t)test_random();
        unsigned blocks = kind == IF       ? 1 + (unsigned)(test_random() & 1)
                          : kind == LOOP   ? 1
                          : kind == SWITCH ? 4
                                           : 0;
        for (unsigned k = 0; k < blocks; k++)
            statement->blocks[k] = make_block(depth + 1, in_loop || kind == LOOP);
    }
    return block;
}

static void free_block(struct block *block)
{
    for (unsigned i = 0; block && i < block->count; i++)
        for (unsigned k = 0; k < 4; k++)
            free_block(block->statements[i].blocks[k]);
    free(block);
}

static unsigned size_of(const struct block *block)
{
    unsigned size = 0;
    for (unsigned i = 0; block && i < block->count; i++) {
        size++;
        for (unsigned k = 0; k < 4; k++)
            size += size_of(block->statements[i].blocks[k]);
    }
    return size;
}

/* ---- running it ---- */

enum outcome { GOES_ON, BREAKS, CONTINUES, LEAVES };

static enum outcome run_block(const struct block *block, uint32_t *x);

static enum outcome run_loop(const struct statement *statement, uint32_t *x)
{
    for (uint32_t turns = (*x & 3) + 1; turns > 0; turns--) {
        enum outcome outcome = run_block(statement->blocks[0], x);
        if (outcome == BREAKS)
            break;
        if (outcome == LEAVES)
            return LEAVES;
    }
    return GOES_ON;
}

static enum outcome run_statement(const struct statement *statement, uint32_t *x)
{
    bool holds = (*x & statement->mask) == statement->value;
    switch (statement->kind) {
    case STEP:
        *x = *x * statement->factor + statement->term;
        *x ^= *x >> 15;
        return GOES_ON;
    case IF:
        if (holds)
            return run_block(statement->blocks[0], x);
        return statement->blocks[1] ? run_block(statement->blocks[1], x) : GOES_ON;
    case LOOP:
        return run_loop(statement, x);
    case SWITCH:
        return run_block(statement->blocks[*x >> 3 & 3], x);
    case BREAK:
        return holds ? BREAKS : GOES_ON;
    case CONTINUE:
        return holds ? CONTINUES : GOES_ON;
    default:
        return holds ? LEAVES : GOES_ON;
    }
}

static enum outcome run_block(const struct block *block, uint32_t *x)
{
    for (unsigned i = 0; i < block->count; i++) {
        enum outcome outcome = run_statement(&block->statements[i], x);
        if (outcome != GOES_ON)
            return outcome;
    }
    return GOES_ON;
}

/* ---- writing it ---- */

struct writer {
    struct test *test;
    unsigned labels, depth; /* depth: of loops, whose counters are %n1, %n2 ... */
};

static void write_block(struct writer *writer, const struct block *block, unsigned loop_end,
                        unsigned loop_next);

static void write_condition(struct test *test, const struct statement *statement)
{
    test_code(test, "and.b32 %%t, %%x, 0x%x;", statement->mask);
    test_code(test, "setp.eq.u32 %%p1, %%t, 0x%x;", statement->value);
}

static void write_loop(struct writer *writer, const struct statement *statement)
{
    unsigned head = ++writer->labels, next = ++writer->labels, end = ++writer->labels;
    unsigned counter = ++writer->depth;
    test_code(writer->test, "and.b32 %%n%u, %%x, 3;", counter);
    test_code(writer->test, "add.u32 %%n%u, %%n%u, 1;\nL%u:", counter, counter, head);
    write_block(writer, statement->blocks[0], end, next);
    test_code(writer->test, "\nL%u:\n\tsub.u32 %%n%u, %%n%u, 1;", next, counter, counter);
    test_code(writer->test, "setp.ne.u32 %%p1, %%n%u, 0;\n\t@%%p1 bra L%u;\nL%u:", counter, head,
              end);
    writer->depth--;
}

static void write_switch(struct writer *writer, const struct statement *statement,
                         unsigned loop_end, unsigned loop_next)
{
    unsigned first = writer->labels + 1;
    writer->labels += 6;
    test_code(writer->test, "bfe.u32 %%t, %%x, 3, 2;");
    test_code(writer->test, "\nT%u: .branchtargets L%u, L%u, L%u, L%u;\n\tbrx.idx %%t, T%u;", first,
              first, first + 1, first + 2, first + 3, first);
    for (unsigned k = 0; k < 4; k++) {
        test_code(writer->test, "\nL%u:", first + k);
        write_block(writer, statement->blocks[k], loop_end, loop_next);
        test_code(writer->test, "bra L%u;", first + 4);
    }
    test_code(writer->test, "\nL%u:", first + 4);
}

static void write_if(struct writer *writer, const struct statement *statement, unsigned loop_end,
                     unsigned loop_next)
{
    unsigned otherwise = ++writer->labels, end = ++writer->labels;
    write_condition(writer->test, statement);
    test_code(writer->test, "@!%%p1 bra L%u;", otherwise);
    write_block(writer, statement->blocks[0], loop_end, loop_next);
    if (statement->blocks[1])
        test_code(writer->test, "bra L%u;", end);
    test_code(writer->test, "\nL%u:", otherwise);
    if (statement->blocks[1]) {
        write_block(writer, statement->blocks[1], loop_end, loop_next);
        test_code(writer->test, "\nL%u:", end);
    }
}

static void write_statement(struct writer *writer, const struct statement *statement,
                            unsigned loop_end, unsigned loop_next)
{
    struct test *test = writer->test;
    switch (statement->kind) {
    case STEP:
        test_code(test, "mad.lo.u32 %%x, %%x, 0x%x, 0x%x;", statement->factor, statement->term);
        test_code(test, "shr.u32 %%t, %%x, 15;\n\txor.b32 %%x, %%x, %%t;");
        break;
    case IF:
        write_if(writer, statement, loop_end, loop_next);
        break;
    case LOOP:
        write_loop(writer, statement);
        break;
    case SWITCH:
        write_switch(writer, statement, loop_end, loop_next);
        break;
    case BREAK:
    case CONTINUE:
        write_condition(test, statement);
        test_code(test, "@%%p1 bra L%u;", statement->kind == BREAK ? loop_end : loop_next);
        break;
    default: /* the result goes out at once */
        write_condition(test, statement);
        test_code(test, "@%%p1 st.global.u32 [%%place], %%x;\n\t@%%p1 %s;",
                  statement->mask & 64 ? "exit" : "ret");
        break;
    }
}

static void write_block(struct writer *writer, const struct block *block, unsigned loop_end,
                        unsigned loop_next)
{
    for (unsigned i = 0; i < block->count; i++)
        write_statement(writer, &block->statements[i], loop_end, loop_next);
}

static void write_program(unsigned number)
{
    char name[32];
    uint64_t zeros[64] = {0}, results[64];
    snprintf(name, sizeof name, "control_%u", number);
    struct test *test =
        test_begin(name, "A program of random ifs, loops, jumps by tables and exits.");
    struct writer writer = {.test = test};
    test_threads(test, 64);
    for (unsigned i = 0; i < number; i++)
        test_random();
    struct block *block = make_block(0, false);
    while (size_of(block) < 30) { /* too small to be of use */
        free_block(block);
        block = make_block(0, false);
    }
    test_buffer(test, "results", "u32", zeros, 64);
    test_code(test, ".reg .b32 %%x, %%t, %%n<8>;\n\t.reg .b64 %%place;");
    test_code(test,
              "mad.wide.u32 %%place, %%me, 4, %%results;\n\tmul.lo.u32 %%x, %%me, 0x9e3779b1;");
    write_block(&writer, block, 0, 0);
    test_code(test, "st.global.u32 [%%place], %%x;");
    for (unsigned i = 0; i < 64; i++) {
        uint32_t x = i * 0x9e3779b1;
        run_block(block, &x);
        results[i] = x;
    }
    test_expect(test, "results", "u32", results, 64);
    test_end(test);
    free_block(block);
}

void generate_control(void)
{
    for (unsigned i = 1; i <= 12; i++)
        write_program(i);
}
