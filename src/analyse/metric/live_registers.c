#include "analyse/metric/live_registers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/keys.h"

/* Sets of registers are bits in words. */
enum { word_bits = 64, most_set_words = 4 << 20, longest_name = 120, most_operands = 64 };

/* Registers by number, from 1; what is declared, and how many 32-bit registers one takes. */
struct registers {
    struct wl_keys declared, names;
    WL_VECTOR(uint32_t) declared_sizes, sizes;
};

/* What an instruction does to registers; numbers. */
struct step {
    uint32_t uses[most_operands];
    size_t use_count;
    uint32_t writes[most_operands];
    size_t write_count;
    bool keeps;    /* what it writes may stay as it was */
    size_t target; /* where it may go; SIZE_MAX: nowhere */
    bool ends;     /* it never goes on to the next */
};

struct block {
    size_t first, last; /* last: behind it */
    uint64_t *live;     /* before its first */
};

struct flow {
    const struct wl_record_kernel *kernel;
    struct registers registers;
    struct wl_keys labels;
    WL_VECTOR(size_t) targets; /* by label */
    struct step *steps;
    struct block *blocks;
    size_t *block_of; /* of each instruction */
    size_t block_count, words;
};

/* ---- texts ---- */

static bool is_name(char character)
{
    return isalnum((unsigned char)character) || (character && strchr("_$%", character));
}

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (is_name(text[length]))
        length++;
    return length;
}

/* ---- declarations ---- */

static uint32_t size_of_type(const char *type, size_t length)
{
    if (length == strlen("pred") && strncmp(type, "pred", length) == 0)
        return 0;
    if (length > 3 && strncmp(type + length - 3, "128", 3) == 0)
        return 4;
    return length > 2 && strncmp(type + length - 2, "64", 2) == 0 ? 2 : 1;
}

/* ".reg .b64 %rd<9>;" or ".reg .f32 x, y;"; a name with <> is kept with a "<". */
static void declare(struct registers *registers, const char *line)
{
    const char *type = line + strlen(".reg");
    type += strspn(type, " \t.");
    uint32_t size = size_of_type(type, name_length(type));
    const char *at = type + name_length(type);
    for (;;) {
        at += strspn(at, " \t,");
        size_t length = name_length(at);
        if (length == 0 || length + 1 >= longest_name)
            return;
        char name[longest_name];
        int64_t number;
        memcpy(name, at, length);
        at += length;
        if (*at == '<') {
            name[length++] = '<';
            at += strcspn(at, ">");
            at += *at == '>';
        }
        if (!wl_keys_intern(&registers->declared, name, length, &number))
            WL_PUSH(&registers->declared_sizes, size);
        registers->declared_sizes.items[number - 1] = size;
    }
}

/* The number of a register; 0: the name is of something else. */
static uint32_t find_register(struct registers *registers, const char *name, size_t length)
{
    char family[longest_name];
    if (length + 1 >= longest_name)
        return 0;
    int64_t declared = wl_keys_find(&registers->declared, name, length), number;
    memcpy(family, name, length);
    size_t stem = length;
    while (stem > 0 && isdigit((unsigned char)name[stem - 1]))
        stem--;
    family[stem] = '<';
    if (!declared && stem < length)
        declared = wl_keys_find(&registers->declared, family, stem + 1);
    if (!declared)
        return 0;
    if (!wl_keys_intern(&registers->names, name, length, &number))
        WL_PUSH(&registers->sizes, registers->declared_sizes.items[declared - 1]);
    return (uint32_t)number;
}

/* Declarations up to the kernel's last instruction, of a name the last one; labels from its first
 * instruction on. */
static void read_text(struct flow *flow, const char *text)
{
    const struct wl_record_kernel *kernel = flow->kernel;
    size_t next = 0, count = kernel->instruction_count;
    uint32_t line = 1;
    for (const char *at = text; at && *at && next < count; line++) {
        const char *begin = at + strspn(at, " \t");
        while (next < count && kernel->instructions[next].text_line < line)
            next++;
        size_t length = name_length(begin);
        int64_t number;
        if (strncmp(begin, ".reg", 4) == 0 && isspace((unsigned char)begin[4]))
            declare(&flow->registers, begin);
        else if (line >= kernel->instructions[0].text_line && length && begin[length] == ':' &&
                 next < count && !wl_keys_intern(&flow->labels, begin, length, &number))
            WL_PUSH(&flow->targets, next);
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
}

/* ---- instructions ---- */

static bool is_any(const char *opcode, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && strncmp(opcode, list[i], length) == 0)
            return true;
    return false;
}

/* Puts the registers of a piece of text into a list that has room. */
static void gather(struct registers *registers, const char *from, const char *to, uint32_t *list,
                   size_t *count)
{
    while (from < to) {
        size_t length = name_length(from);
        uint32_t number = length ? find_register(registers, from, length) : 0;
        if (number && *count < most_operands)
            list[(*count)++] = number;
        from += length ? length : 1;
    }
}

/* Where the first operand ends. */
static const char *first_end(const char *text)
{
    int depth = 0;
    for (; *text && *text != ';'; text++) {
        depth += *text == '{' || *text == '(' || *text == '[';
        depth -= *text == '}' || *text == ')' || *text == ']';
        if (*text == ',' && depth == 0)
            return text;
    }
    return text;
}

static void read_step(struct flow *flow, size_t index, struct step *step)
{
    static const char *const writes_none[] = {
        "st",   "red",   "bra",    "brx",       "bar",  "barrier", "ret",      "exit",
        "trap", "fence", "membar", "nanosleep", "sust", "call",    "prefetch", "discard"};
    static const char *const ends[] = {"ret", "exit", "trap"};
    const char *text = flow->kernel->instructions[index].text, *end = text + strlen(text);
    bool is_guarded = *text == '@';
    step->target = SIZE_MAX;
    if (is_guarded) {
        size_t guard = strcspn(text, " \t");
        gather(&flow->registers, text, text + guard, step->uses, &step->use_count);
        text += guard + strspn(text + guard, " \t");
    }
    size_t opcode = strcspn(text, " \t;."), whole = strcspn(text, " \t;");
    const char *operands = text + whole + strspn(text + whole, " \t");
    const char *rest = first_end(operands);
    bool is_matrix = strncmp(text, "wgmma", 5) == 0;
    bool writes = *operands != '[' && !is_any(text, opcode, writes_none, WL_COUNT(writes_none));
    if (writes)
        gather(&flow->registers, operands, rest, step->writes, &step->write_count);
    if (!writes || is_matrix)
        gather(&flow->registers, operands, rest, step->uses, &step->use_count);
    gather(&flow->registers, rest, end, step->uses, &step->use_count);
    step->keeps = is_guarded || is_matrix;
    step->ends = !is_guarded && is_any(text, opcode, ends, WL_COUNT(ends));
    if (opcode == 3 && strncmp(text, "bra", 3) == 0) {
        int64_t label = wl_keys_find(&flow->labels, operands, name_length(operands));
        step->target = label ? flow->targets.items[label - 1] : SIZE_MAX;
        step->ends = !is_guarded;
    }
}

/* ---- blocks ---- */

static void make_blocks(struct flow *flow)
{
    size_t count = flow->kernel->instruction_count;
    bool *begins = wl_alloc_zero(count + 1, sizeof *begins);
    begins[0] = true;
    for (size_t i = 0; i < count; i++) {
        bool is_branch = flow->steps[i].target != SIZE_MAX;
        if (is_branch)
            begins[flow->steps[i].target] = true;
        if (is_branch || flow->steps[i].ends)
            begins[i + 1] = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (begins[i])
            flow->blocks[flow->block_count++].first = i;
        flow->block_of[i] = flow->block_count - 1;
        flow->blocks[flow->block_count - 1].last = i + 1;
    }
    free(begins);
}

static void put(uint64_t *set, uint32_t number, bool is_in)
{
    uint64_t bit = (uint64_t)1 << (number % word_bits);
    if (is_in)
        set[number / word_bits] |= bit;
    else
        set[number / word_bits] &= ~bit;
}

/* What is wanted behind a block. */
static void join(const struct flow *flow, size_t index, uint64_t *live)
{
    const struct block *block = &flow->blocks[index];
    const struct step *step = &flow->steps[block->last - 1];
    memset(live, 0, flow->words * sizeof *live);
    for (size_t w = 0; w < flow->words; w++) {
        if (!step->ends && index + 1 < flow->block_count)
            live[w] |= flow->blocks[index + 1].live[w];
        if (step->target != SIZE_MAX)
            live[w] |= flow->blocks[flow->block_of[step->target]].live[w];
    }
}

/* From behind an instruction to before it. */
static void step_back(const struct step *step, uint64_t *live)
{
    for (size_t i = 0; i < step->write_count && !step->keeps; i++)
        put(live, step->writes[i], false);
    for (size_t i = 0; i < step->use_count; i++)
        put(live, step->uses[i], true);
}

static bool walk_block(struct flow *flow, size_t index, uint64_t *live)
{
    struct block *block = &flow->blocks[index];
    join(flow, index, live);
    for (size_t i = block->last; i-- > block->first;)
        step_back(&flow->steps[i], live);
    bool is_changed = memcmp(live, block->live, flow->words * sizeof *live) != 0;
    memcpy(block->live, live, flow->words * sizeof *live);
    return is_changed;
}

static void solve(struct flow *flow, uint64_t *live)
{
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (size_t i = flow->block_count; i-- > 0;)
            is_changed |= walk_block(flow, i, live);
    }
}

static uint32_t count_live(const struct flow *flow, const uint64_t *live)
{
    uint32_t sum = 0;
    for (size_t w = 0; w < flow->words; w++)
        for (uint64_t left = live[w]; left; left &= left - 1) {
            size_t number = w * word_bits + (size_t)__builtin_ctzll(left);
            sum += flow->registers.sizes.items[number - 1];
        }
    return sum;
}

static void count_all(const struct flow *flow, uint64_t *live, uint32_t *counts)
{
    for (size_t b = 0; b < flow->block_count; b++) {
        join(flow, b, live);
        for (size_t i = flow->blocks[b].last; i-- > flow->blocks[b].first;) {
            const struct step *step = &flow->steps[i];
            for (size_t j = 0; j < step->write_count; j++)
                put(live, step->writes[j], true);
            counts[i] = count_live(flow, live);
            step_back(step, live);
        }
    }
}

static uint32_t *count_in(struct flow *flow)
{
    size_t count = flow->kernel->instruction_count;
    flow->words = flow->registers.sizes.count / word_bits + 1;
    make_blocks(flow);
    if (flow->words * flow->block_count > most_set_words)
        return NULL;
    uint64_t *sets = wl_alloc_zero((flow->block_count + 1) * flow->words, sizeof *sets);
    uint32_t *counts = wl_alloc_zero(count, sizeof *counts);
    for (size_t i = 0; i < flow->block_count; i++)
        flow->blocks[i].live = sets + i * flow->words;
    solve(flow, sets + flow->block_count * flow->words);
    count_all(flow, sets + flow->block_count * flow->words, counts);
    free(sets);
    return counts;
}

uint32_t *wl_live_registers(const struct wl_report_kernel *kernel)
{
    const char *text = kernel->module.text;
    size_t count = kernel->record.instruction_count;
    if (!text || !*text || count == 0 || kernel->record.instructions[0].text_line == 0)
        return NULL;
    struct flow flow = {
        .kernel = &kernel->record,
        .steps = wl_alloc_zero(count, sizeof *flow.steps),
        .blocks = wl_alloc_zero(count, sizeof *flow.blocks),
        .block_of = wl_alloc_zero(count, sizeof *flow.block_of),
    };
    read_text(&flow, text);
    for (size_t i = 0; i < count; i++)
        read_step(&flow, i, &flow.steps[i]);
    uint32_t *counts = count_in(&flow);
    wl_keys_free(&flow.labels);
    wl_keys_free(&flow.registers.declared);
    wl_keys_free(&flow.registers.names);
    free(flow.registers.declared_sizes.items);
    free(flow.registers.sizes.items);
    free(flow.targets.items);
    free(flow.steps);
    free(flow.blocks);
    free(flow.block_of);
    return counts;
}
