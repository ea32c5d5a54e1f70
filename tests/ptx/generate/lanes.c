/* Exchange between the lanes of a warp: shfl, vote, match, redux, activemask, elect. */
#include <stdio.h>
#include <string.h>

#include "generate.h"

#define LANES 32

struct lanes {
    uint64_t a[LANES], wide[LANES], b[LANES], c[LANES], mask[LANES];
    bool flag[LANES];
};

/* Who takes part: all; some, by a guard; or quads apart from each other, by their masks. */
enum group { ALL, SOME, QUADS };
static const char *const group_names[] = {"all", "some", "quads"};
#define SOME_MASK 0x6f0ff0f1u

static uint32_t members(enum group group, unsigned lane)
{
    return group == ALL ? 0xffffffff : group == SOME ? SOME_MASK : 0xfu << (lane / 4 * 4);
}

static const char *guard_of(enum group group)
{
    return group == SOME ? "@%some " : "";
}

static struct test *begin(const char *what, enum group group, struct lanes *lanes)
{
    char name[64];
    snprintf(name, sizeof name, "lanes_%s_%s", what, group_names[group]);
    struct test *test = test_begin(name, "Exchange between lanes.");
    test_threads(test, LANES);
    for (unsigned i = 0; i < LANES; i++) {
        lanes->a[i] = test_random() & 0xffffffff;
        lanes->wide[i] = test_random();
        lanes->b[i] = test_random() & 63;
        lanes->c[i] = test_random() & 0x1f1f;
        lanes->mask[i] = members(group, i);
        lanes->flag[i] = test_random() >> 40 & 1;
    }
    test_input(test, "a", "b32", lanes->a);
    test_input(test, "mask", "b32", lanes->mask);
    test_code(test,
              ".reg .pred %%some, %%flag;\n\t.reg .b32 %%bit;\n\tmov.u32 %%bit, %%lanemask_eq;");
    test_code(test, "and.b32 %%r1, %%bit, 0x%x;\n\tsetp.ne.u32 %%some, %%r1, 0;", SOME_MASK);
    return test;
}

/* The result where the lane takes part; what the register held before (0) elsewhere. */
static void write_result(struct test *test, const char *type, enum group group, uint64_t *results,
                         const char *instruction)
{
    for (unsigned i = 0; i < LANES; i++)
        if (group == SOME && !(SOME_MASK >> i & 1))
            results[i] = 0;
    test_code(test, "mov.b32 %%r9, 0;\n\t%s%s;", guard_of(group), instruction);
    test_always(test, type, results, "mov.b32 $, %%r9");
}

/* ---- shfl ---- */

struct shuffled {
    unsigned from;
    bool is_valid;
};

static struct shuffled shuffle(const char *mode, unsigned lane, uint64_t b, uint64_t c)
{
    int amount = (int)(b & 31), clamp = (int)(c & 31), segment = (int)(c >> 8 & 31),
        self = (int)lane;
    int most = (self & segment) | (clamp & ~segment), least = self & segment, from;
    bool is_valid;
    switch (mode[0]) {
    case 'u':
        from = self - amount;
        is_valid = from >= most;
        break;
    case 'd':
        from = self + amount;
        is_valid = from <= most;
        break;
    case 'b':
        from = self ^ amount;
        is_valid = from <= most;
        break;
    default:
        from = least | (amount & ~segment);
        is_valid = from <= most;
        break;
    }
    return (struct shuffled){(unsigned)(is_valid ? from : self), is_valid};
}

static void write_shuffle(void)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const struct {
        const char *b, *c;
        uint64_t b_value, c_value;
    } forms[] = {{"%b", "%c", 0, 0},          {"1", "%c", 1, 0},      {"%b", "0x1c1f", 0, 0x1c1f},
                 {"%b", "0x181f", 0, 0x181f}, {"4", "0x1f", 4, 0x1f}, {"2", "0", 2, 0},
                 {"3", "0x1807", 3, 0x1807}};
    struct lanes lanes;
    struct test *test = begin("shfl", ALL, &lanes);
    test_input(test, "b", "b32", lanes.b);
    test_input(test, "c", "b32", lanes.c);
    for (size_t k = 0; k < COUNT(modes) * COUNT(forms); k++) {
        const char *mode = modes[k % COUNT(modes)];
        size_t form = k / COUNT(modes);
        uint64_t results[LANES], valid = 0;
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t b = forms[form].b[0] == '%' ? lanes.b[i] : forms[form].b_value;
            uint64_t c = forms[form].c[0] == '%' ? lanes.c[i] : forms[form].c_value;
            struct shuffled shuffled = shuffle(mode, i, b, c);
            results[i] = lanes.a[shuffled.from];
            valid |= (uint64_t)shuffled.is_valid << i;
        }
        test_code(test, "shfl.sync.%s.b32 %%r2|%%p1, %%a, %s, %s, 0xffffffff;", mode, forms[form].b,
                  forms[form].c);
        test_always(test, "b32", results, "mov.b32 $, %%r2");
        for (unsigned i = 0; i < LANES; i++)
            results[i] = valid >> i & 1;
        test_always(test, "b32", results, "selp.b32 $, 1, 0, %%p1");
    }
    uint64_t results[LANES];
    for (unsigned i = 0; i < LANES; i++)
        results[i] = lanes.a[i ^ 1];
    test_always(test, "b32", results, "shfl.sync.bfly.b32 $, %%a, 1, 31, -1");
    test_end(test);
}

/* Some lanes only: each takes the value of the next one that is there. */
static void write_shuffle_some(void)
{
    struct lanes lanes;
    struct test *test = begin("shfl", SOME, &lanes);
    uint64_t next[LANES], results[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        next[i] = (i + 1) % LANES;
        while (!(SOME_MASK >> next[i] & 1))
            next[i] = (next[i] + 1) % LANES;
        results[i] = lanes.a[next[i]];
    }
    test_input(test, "next", "b32", next);
    write_result(test, "b32", SOME, results, "shfl.sync.idx.b32 %r9, %a, %next, 31, %mask");
    test_end(test);
}

/* ---- vote ---- */

static void write_vote(enum group group)
{
    static const char *const kinds[] = {"all", "any", "uni", "ballot"};
    struct lanes lanes;
    struct test *test = begin("vote", group, &lanes);
    for (unsigned pattern = 0; pattern < 4; pattern++) {
        uint64_t flags[LANES];
        char name[8];
        snprintf(name, sizeof name, "f%u", pattern);
        for (unsigned i = 0; i < LANES; i++) {
            bool is_set = pattern == 0   ? lanes.flag[i]
                          : pattern == 1 ? true
                          : pattern == 2 ? false
                                         : i / 4 % 2;
            lanes.flag[i] = is_set;
            flags[i] = is_set;
        }
        test_input(test, name, "b32", flags);
        test_code(test, "setp.ne.u32 %%flag, %%%s, 0;", name);
        for (unsigned form = 0; form < 8; form++) {
            const char *kind = kinds[form / 2];
            uint64_t results[LANES];
            char instruction[128];
            bool negates = form % 2;
            for (unsigned i = 0; i < LANES; i++) {
                uint32_t all = members(group, i), yes = 0;
                for (unsigned j = 0; j < LANES; j++)
                    yes |= (uint32_t)(lanes.flag[j] != negates) << j;
                yes &= all;
                results[i] = kind[0] == 'b'   ? yes
                             : kind[1] == 'l' ? yes == all
                             : kind[0] == 'a' ? yes != 0
                                              : yes == 0 || yes == all;
            }
            if (kind[0] == 'b') {
                snprintf(instruction, sizeof instruction,
                         "vote.sync.ballot.b32 %%r9, %s%%flag, %%mask", negates ? "!" : "");
            } else {
                test_code(test, "%svote.sync.%s.pred %%p1, %s%%flag, %%mask;", guard_of(group),
                          kind, negates ? "!" : "");
                snprintf(instruction, sizeof instruction, "selp.b32 %%r9, 1, 0, %%p1");
            }
            write_result(test, "b32", group, results, instruction);
        }
    }
    test_end(test);
}

/* ---- match ---- */

static void write_match(enum group group)
{
    struct lanes lanes;
    struct test *test = begin("match", group, &lanes);
    for (unsigned form = 0; form < 6; form++) {
        bool is_wide = form % 2, is_all = form >= 2, is_equal = form >= 4;
        uint64_t values[LANES], masks[LANES], predicates[LANES];
        char name[8], instruction[128];
        snprintf(name, sizeof name, "v%u", form);
        for (unsigned i = 0; i < LANES; i++) {
            values[i] = is_equal ? i / 4 / 2 : test_random() % 3; /* equal in a quad, not in all */
            values[i] = is_wide ? values[i] << 32 | 7 : values[i];
        }
        for (unsigned i = 0; i < LANES; i++) {
            uint32_t all = members(group, i), same = 0;
            for (unsigned j = 0; j < LANES; j++)
                same |= (uint32_t)(values[j] == values[i]) << j;
            same &= all;
            masks[i] = !is_all ? same : same == all ? all : 0;
            predicates[i] = same == all;
        }
        test_input(test, name, is_wide ? "b64" : "b32", values);
        snprintf(instruction, sizeof instruction, "match.%s.sync.b%u %%r9%s, %%%s, %%mask",
                 is_all ? "all" : "any", is_wide ? 64 : 32, is_all ? "|%p1" : "", name);
        write_result(test, "b32", group, masks, instruction);
        if (is_all)
            write_result(test, "b32", group, predicates, "selp.b32 %r9, 1, 0, %p1");
    }
    test_end(test);
}

/* ---- redux ---- */

static uint64_t reduce(const char *operation, const char *type, uint64_t x, uint64_t y)
{
    s128 a = type_value(type, x), b = type_value(type, y);
    switch (operation[0]) {
    case 'a':
        return operation[1] == 'd' ? type_wrap(type, (u128)(a + b)) : x & y;
    case 'o':
        return x | y;
    case 'x':
        return x ^ y;
    default:
        return (operation[1] == 'i') == (a < b) ? x : y;
    }
}

static void write_redux(enum group group)
{
    static const char *const rows[][2] = {{"add", "u32"}, {"add", "s32"}, {"min", "u32"},
                                          {"min", "s32"}, {"max", "u32"}, {"max", "s32"},
                                          {"and", "b32"}, {"or", "b32"},  {"xor", "b32"}};
    struct lanes lanes;
    struct test *test = begin("redux", group, &lanes);
    for (size_t k = 0; k < COUNT(rows); k++) {
        uint64_t results[LANES];
        char instruction[64];
        for (unsigned i = 0; i < LANES; i++) {
            bool is_first = true;
            for (unsigned j = 0; j < LANES; j++) {
                if (!(members(group, i) >> j & 1))
                    continue;
                results[i] =
                    is_first ? lanes.a[j] : reduce(rows[k][0], rows[k][1], results[i], lanes.a[j]);
                is_first = false;
            }
        }
        snprintf(instruction, sizeof instruction, "redux.sync.%s.%s %%r9, %%a, %%mask", rows[k][0],
                 rows[k][1]);
        write_result(test, "b32", group, results, instruction);
    }
    test_end(test);
}

/* activemask names the lanes of the guard, elect one of the members, and the same one to all. */
static void write_masks(void)
{
    struct lanes lanes;
    struct test *test = begin("masks", SOME, &lanes);
    uint64_t results[LANES];
    for (unsigned i = 0; i < LANES; i++)
        results[i] = SOME_MASK;
    test_code(test, "mov.b32 %%r9, 0;\n\t@!%%some bra SKIP;");
    test_code(test, "activemask.b32 %%r9;");
    test_code(test, "elect.sync %%r3|%%p1, 0x%x;", SOME_MASK);
    test_code(test, "vote.sync.ballot.b32 %%r4, %%p1, 0x%x;\n\tpopc.b32 %%r5, %%r4;", SOME_MASK);
    test_code(test, "shl.b32 %%r6, 1, %%r3;");
    test_code(
        test,
        "setp.eq.u32 %%p2, %%r6, %%r4;\n\tselp.b32 %%r7, 8, 0, %%p2;\n\tor.b32 %%r7, %%r7, %%r5;");
    test_code(test, "bar.warp.sync 0x%x;\nSKIP:", SOME_MASK);
    for (unsigned i = 0; i < LANES; i++)
        results[i] = SOME_MASK >> i & 1 ? SOME_MASK : 0;
    test_always(test, "b32", results, "mov.b32 $, %%r9");
    for (unsigned i = 0; i < LANES; i++)
        results[i] = SOME_MASK >> i & 1 ? 9 : 0; /* one lane is elected, and named */
    test_always(test, "b32", results, "selp.b32 $, %%r7, 0, %%some");
    for (unsigned i = 0; i < LANES; i++)
        results[i] = 0xffffffff;
    test_always(test, "b32", results, "activemask.b32 $");
    test_end(test);
}

void generate_lanes(void)
{
    write_shuffle();
    write_shuffle_some();
    for (enum group group = ALL; group <= QUADS; group++) {
        write_vote(group);
        write_match(group);
        write_redux(group);
    }
    write_masks();
}
