/* Which multiplications become part of the additions that use them. PTX leaves to ptxas whether mul
 * and add or sub without a rounding modifier are contracted to fma (PTX ISA, "Floating Point
 * Instructions": add, mul), and nvcc leaves it every a - b * c. What it takes was found by
 * compiling some two hundred small kernels (tests/ptx/generate/contract.c has what they showed):
 * all uses of the product are such additions, of its block, or of any where one of its factors is a
 * constant (what stands before a loop is formed in it then); products of one use come first, then,
 * in the program's order, that of the fewer uses, and of two alike the addition's first operand. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/contract.h"
#include "ptx/lower/dominates.h"

#define PASSES_MOST 4        /* neg and mov between a product and its addition */
#define DOMINATIONS_MOST 256 /* that are looked for in a function */
#define NOTHING 0u

/* Where a register is named, in the program's order. */
struct appearance {
    uint32_t instruction, next; /* next: index + 1 */
    uint8_t operand;
    bool is_plain; /* the whole operand, and a source of its own */
};

struct product {
    uint32_t uses, taken; /* additions that use it; that it became part of */
    bool is_eligible;
    bool is_needed; /* as a value: another product was taken where it is added */
};

/* Which product an operand is. */
struct term {
    uint32_t product; /* instruction + 1 */
    bool is_negated;
};

struct found_use {
    uint32_t instruction;
    uint8_t operand;
    bool is_negated;
};

struct contractor {
    const struct wl_ptx_function *function;
    uint32_t *blocks; /* of instructions */
    uint32_t *first;  /* of registers: an appearance's index + 1 */
    uint32_t *writes; /* of registers: instructions that write them */
    WL_VECTOR(struct appearance) appearances;
    struct product *products;         /* of instructions */
    struct term (*terms)[2];          /* of instructions: of operands 1 and 2 */
    WL_VECTOR(struct found_use) uses; /* of the product at hand */
    WL_VECTOR(uint32_t) passes;       /* neg and mov on the way to them */
    struct lower_contraction *contractions;
    struct lower_domination domination;
    uint32_t dominations; /* that were looked for */
};

static bool is_word(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool is_rounded(const struct wl_ptx_instruction *instruction)
{
    bool found;
    lower_rounding(instruction, &found);
    return found;
}

/* Divisions that ptxas makes a function or branches of. */
static bool divides_in_branches(const struct wl_ptx_instruction *instruction)
{
    const enum wl_ptx_type type = lower_type(instruction, 0);
    if (lower_is_float(type))
        return is_rounded(instruction) ||
               (type == WL_PTX_F64 && !wl_ptx_instruction_has(instruction, "ftz"));
    return lower_is_signed(type) || wl_ptx_type_bytes(type) == 8;
}

/* Whether ptxas begins another block behind the instruction. */
static bool ends_block(const struct wl_ptx_instruction *instruction)
{
    static const char *const control[] = {"bra",  "brx",  "call",    "ret",
                                          "exit", "trap", "pmevent", "membar"};
    static const char *const divisions[] = {"div", "rem", "rcp", "sqrt", "rsqrt"};
    static const char *const branches_if_guarded[] = {
        "ld",   "ldu",   "st",    "atom",       "red",      "bar",      "barrier",  "shfl",
        "vote", "match", "redux", "activemask", "cp",       "mbarrier", "ldmatrix", "tex",
        "tld4", "suld",  "sust",  "fence",      "prefetch", "mma",      "wmma",     "stmatrix"};
    const char *word = instruction->opcode;
    if (is_word(word, control, WL_COUNT(control)))
        return true;
    if (instruction->guard >= 0 &&
        is_word(word, branches_if_guarded, WL_COUNT(branches_if_guarded)))
        return true;
    if (strcmp(word, "fence") == 0)
        return !wl_ptx_instruction_has(instruction, "proxy") &&
               !wl_ptx_instruction_has(instruction, "mbarrier_init");
    if (strcmp(word, "bfind") == 0)
        return wl_ptx_type_bytes(lower_type(instruction, 0)) == 8;
    return is_word(word, divisions, WL_COUNT(divisions)) && divides_in_branches(instruction);
}

static void number_blocks(struct contractor *contractor, const uint32_t *labels)
{
    uint32_t block = 0;
    for (uint32_t i = 0; i < contractor->function->instruction_count; i++) {
        block += labels[i] != NO_LABEL;
        contractor->blocks[i] = block;
        block += ends_block(&contractor->function->instructions[i]);
    }
}

/* ---- where registers are named ---- */

static void note_register(struct contractor *contractor, int32_t reg, struct appearance appearance)
{
    if (reg < 0 || (uint32_t)reg >= contractor->function->register_count)
        return;
    appearance.next = contractor->first[reg];
    WL_PUSH(&contractor->appearances, appearance);
    contractor->writes[reg] += appearance.operand == 0;
    contractor->first[reg] = (uint32_t)contractor->appearances.count;
}

static void note_operand(struct contractor *contractor, const struct wl_ptx_operand *operand,
                         struct appearance appearance)
{
    appearance.is_plain &= operand->kind == WL_PTX_OPERAND_REGISTER && !operand->component &&
                           !operand->negated && operand->second_reg < 0;
    note_register(contractor, operand->reg, appearance);
    note_register(contractor, operand->second_reg, appearance);
    appearance.is_plain = false;
    for (uint32_t i = 0; i < operand->item_count; i++)
        note_operand(contractor, &operand->items[i], appearance);
}

static void note_all(struct contractor *contractor)
{
    const struct wl_ptx_function *function = contractor->function;
    for (uint32_t i = function->instruction_count; i-- > 0;) {
        const struct wl_ptx_instruction *instruction = &function->instructions[i];
        note_register(contractor, instruction->guard,
                      (struct appearance){.instruction = i, .operand = UINT8_MAX});
        for (int k = instruction->operand_count; k-- > 0;)
            note_operand(contractor, &instruction->operands[k],
                         (struct appearance){i, NOTHING, (uint8_t)k, true});
    }
}

static const struct appearance *next_appearance(const struct contractor *contractor, uint32_t next)
{
    return next ? &contractor->appearances.items[next - 1] : NULL;
}

#define FOR_APPEARANCES(contractor, reg, at)                                                      \
    for (const struct appearance *at = next_appearance(contractor, (contractor)->first[reg]); at; \
         at = next_appearance(contractor, at->next))

/* The last instruction that may read what `writer` gives the register: any, UINT32_MAX, where
 * nothing else writes it; otherwise the next writer in the same block, and writer itself if there
 * is none, as others may read it anywhere then. */
static uint32_t end_of_value(const struct contractor *contractor, int32_t reg, uint32_t writer)
{
    if (contractor->writes[reg] == 1)
        return UINT32_MAX;
    FOR_APPEARANCES(contractor, reg, at)
    {
        const struct wl_ptx_instruction *other =
            &contractor->function->instructions[at->instruction];
        if (at->operand == 0 && at->instruction > writer)
            return at->is_plain && other->guard < 0 &&
                           contractor->blocks[at->instruction] == contractor->blocks[writer]
                       ? at->instruction
                       : writer;
    }
    return writer;
}

static bool is_written_between(const struct contractor *contractor, int32_t reg, uint32_t after,
                               uint32_t before)
{
    uint32_t left = contractor->writes[reg];
    for (const struct appearance *at = next_appearance(contractor, contractor->first[reg]);
         at && left; at = next_appearance(contractor, at->next)) {
        if (at->operand == 0 && at->instruction > after && at->instruction < before)
            return true;
        left -= at->operand == 0;
    }
    return false;
}

/* ---- products ---- */

static bool has_one_type(const struct wl_ptx_instruction *instruction)
{
    return lower_is_float(lower_type(instruction, 0)) &&
           lower_type(instruction, 0) != WL_PTX_TF32 &&
           lower_type(instruction, 1) == WL_PTX_TYPE_NONE;
}

static bool is_value(const struct wl_ptx_operand *operand)
{
    return (operand->kind == WL_PTX_OPERAND_REGISTER && !operand->component && !operand->negated) ||
           operand->kind == WL_PTX_OPERAND_FLOAT;
}

static bool is_product(const struct wl_ptx_instruction *instruction)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    return strcmp(instruction->opcode, "mul") == 0 && instruction->operand_count == 3 &&
           instruction->guard < 0 && has_one_type(instruction) && !is_rounded(instruction) &&
           !wl_ptx_instruction_has(instruction, "sat") &&
           operands[0].kind == WL_PTX_OPERAND_REGISTER && is_value(&operands[1]) &&
           is_value(&operands[2]);
}

static bool is_alike(const struct wl_ptx_instruction *one, const struct wl_ptx_instruction *other)
{
    return lower_type(one, 0) == lower_type(other, 0) &&
           wl_ptx_instruction_has(one, "ftz") == wl_ptx_instruction_has(other, "ftz");
}

static bool is_addition(const struct wl_ptx_instruction *instruction)
{
    return (strcmp(instruction->opcode, "add") == 0 || strcmp(instruction->opcode, "sub") == 0) &&
           instruction->operand_count == 3 && has_one_type(instruction) &&
           !is_rounded(instruction) && is_value(&instruction->operands[1]) &&
           is_value(&instruction->operands[2]);
}

/* Whether the instruction hands on the product as it is or with the other sign. */
static bool is_pass(const struct wl_ptx_instruction *instruction,
                    const struct wl_ptx_instruction *product)
{
    if (instruction->operand_count != 2 || instruction->guard >= 0 ||
        instruction->operands[0].kind != WL_PTX_OPERAND_REGISTER)
        return false;
    if (strcmp(instruction->opcode, "mov") == 0)
        return wl_ptx_type_bytes(lower_type(instruction, 0)) ==
               wl_ptx_type_bytes(lower_type(product, 0));
    return strcmp(instruction->opcode, "neg") == 0 && is_alike(instruction, product);
}

/* Whether the product's factors are still there where it is used. */
static bool keeps_factors(const struct contractor *contractor, uint32_t product, uint32_t use)
{
    const struct wl_ptx_operand *operands = contractor->function->instructions[product].operands;
    for (int k = 1; k < 3; k++)
        if (operands[k].kind == WL_PTX_OPERAND_REGISTER &&
            is_written_between(contractor, operands[k].reg, product, use))
            return false;
    return true;
}

/* What alone writes the register, or NULL. */
static const struct wl_ptx_instruction *only_writer(const struct contractor *contractor,
                                                    int32_t reg)
{
    if (contractor->writes[reg] != 1)
        return NULL;
    FOR_APPEARANCES(contractor, reg, at)
    {
        if (at->operand == 0)
            return &contractor->function->instructions[at->instruction];
    }
    return NULL;
}

/* Whether it is a number of the text, or a parameter of the kernel. */
static bool is_constant(const struct contractor *contractor, const struct wl_ptx_operand *operand)
{
    for (int moves = 0; operand->kind == WL_PTX_OPERAND_REGISTER && moves < PASSES_MOST; moves++) {
        const struct wl_ptx_instruction *writer = only_writer(contractor, operand->reg);
        if (!writer || writer->guard >= 0)
            return false;
        if (strcmp(writer->opcode, "ld") == 0)
            return contractor->function->is_entry && wl_ptx_instruction_has(writer, "param") &&
                   writer->operands[0].kind == WL_PTX_OPERAND_REGISTER;
        if (strcmp(writer->opcode, "mov") != 0 || writer->operand_count != 2)
            return false;
        operand = &writer->operands[1];
    }
    return operand->kind == WL_PTX_OPERAND_FLOAT;
}

/* Whether the product may be formed in other blocks: each factor has one value, one is constant. */
static bool is_formed_anywhere(const struct contractor *contractor, uint32_t product)
{
    const struct wl_ptx_operand *operands = contractor->function->instructions[product].operands;
    bool has_constant = false;
    for (int k = 1; k < 3; k++) {
        has_constant |= is_constant(contractor, &operands[k]);
        if (operands[k].kind == WL_PTX_OPERAND_REGISTER && contractor->writes[operands[k].reg] != 1)
            return false;
    }
    return has_constant;
}

/* Whether the product's value, which writer gives a register, can be formed at its use. */
static bool can_be_formed_at(struct contractor *contractor, uint32_t product, uint32_t writer,
                             uint32_t user)
{
    const struct wl_ptx_instruction *instructions = contractor->function->instructions;
    if (contractor->blocks[user] == contractor->blocks[product])
        return true;
    if (contractor->writes[instructions[writer].operands[0].reg] != 1 ||
        !is_formed_anywhere(contractor, product) || contractor->dominations >= DOMINATIONS_MOST)
        return false;
    contractor->dominations++;
    return lower_dominates(&contractor->domination, contractor->function, writer, user);
}

/* Finds the uses of what `writer` writes, which is the product or its negative; false if one of
 * them is none that the product can become part of. */
static bool find_uses(struct contractor *contractor, uint32_t product, uint32_t writer,
                      bool is_negated, uint32_t passes)
{
    const struct wl_ptx_instruction *instructions = contractor->function->instructions;
    const int32_t reg = instructions[writer].operands[0].reg;
    const uint32_t end = end_of_value(contractor, reg, writer);
    if (end == writer)
        return false;
    FOR_APPEARANCES(contractor, reg, at)
    {
        const uint32_t user = at->instruction;
        if (at->operand == 0 || (end != UINT32_MAX && (user <= writer || user > end)))
            continue;
        const struct wl_ptx_instruction *instruction = &instructions[user];
        if (user <= writer || !at->is_plain || !can_be_formed_at(contractor, product, writer, user))
            return false;
        if (is_pass(instruction, &instructions[product])) {
            const bool negates = strcmp(instruction->opcode, "neg") == 0;
            if (passes == PASSES_MOST)
                return false;
            WL_PUSH(&contractor->passes, user);
            if (!find_uses(contractor, product, user, is_negated != negates, passes + 1))
                return false;
            continue;
        }
        if (!is_addition(instruction) || !is_alike(instruction, &instructions[product]) ||
            instruction->operands[1].reg == instruction->operands[2].reg ||
            !keeps_factors(contractor, product, user))
            return false;
        WL_PUSH(&contractor->uses, ((struct found_use){user, at->operand, is_negated}));
    }
    return true;
}

/* Whether the product stands in the place of one of its factors. */
static bool replaces_factor(const struct wl_ptx_operand *operands)
{
    return operands[0].reg == operands[1].reg || operands[0].reg == operands[2].reg;
}

/* One of several uses may be left, for which the product is formed: then its factors have to be
 * there for the others still. */
static bool find_all_uses(struct contractor *contractor, uint32_t product)
{
    contractor->uses.count = contractor->passes.count = 0;
    if (!find_uses(contractor, product, product, false, 0))
        return false;
    const struct wl_ptx_operand *operands = contractor->function->instructions[product].operands;
    return contractor->uses.count == 1 ||
           (contractor->uses.count > 1 && !replaces_factor(operands));
}

/* Returns whether there is any product to be taken. */
static bool find_products(struct contractor *contractor)
{
    bool found = false;
    for (uint32_t i = 0; i < contractor->function->instruction_count; i++) {
        if (!is_product(&contractor->function->instructions[i]) || !find_all_uses(contractor, i))
            continue;
        found = true;
        contractor->products[i].is_eligible = true;
        contractor->products[i].uses = (uint32_t)contractor->uses.count;
        for (size_t k = 0; k < contractor->uses.count; k++) {
            const struct found_use *use = &contractor->uses.items[k];
            contractor->terms[use->instruction][use->operand - 1] =
                (struct term){i + 1, use->is_negated};
        }
    }
    return found;
}

/* ---- who takes which ---- */

static struct product *product_of(const struct contractor *contractor, uint32_t addition, int term)
{
    const uint32_t product = contractor->terms[addition][term].product;
    return product ? &contractor->products[product - 1] : NULL;
}

/* The operand, 0 or 1, whose product the addition takes; -1: none. */
static int choose_term(const struct contractor *contractor, uint32_t addition, bool is_single)
{
    int chosen = -1;
    for (int k = 0; k < 2; k++) {
        const struct product *product = product_of(contractor, addition, k);
        if (!product || product->is_needed || (is_single && product->uses != 1))
            continue;
        if (chosen < 0 || product->uses < product_of(contractor, addition, chosen)->uses)
            chosen = k;
    }
    return chosen;
}

static void take_products(struct contractor *contractor, bool is_single)
{
    for (uint32_t i = 0; i < contractor->function->instruction_count; i++) {
        struct lower_contraction *contraction = &contractor->contractions[i];
        const int chosen = contraction->product ? -1 : choose_term(contractor, i, is_single);
        if (chosen < 0)
            continue;
        contraction->product = contractor->terms[i][chosen].product;
        contraction->is_negated = contractor->terms[i][chosen].is_negated;
        contraction->addend = chosen == 0 ? 2 : 1;
        product_of(contractor, i, chosen)->taken++;
        struct product *other = product_of(contractor, i, !chosen);
        if (other)
            other->is_needed = true;
    }
}

/* Products of which nothing is left are not formed. */
static void mark_absorbed(struct contractor *contractor)
{
    for (uint32_t i = 0; i < contractor->function->instruction_count; i++) {
        const struct product *product = &contractor->products[i];
        if (!product->is_eligible || product->taken != product->uses)
            continue;
        find_all_uses(contractor, i);
        contractor->contractions[i].is_absorbed = true;
        for (size_t k = 0; k < contractor->passes.count; k++)
            contractor->contractions[contractor->passes.items[k]].is_absorbed = true;
    }
}

static bool has_product(const struct wl_ptx_function *function)
{
    for (uint32_t i = 0; i < function->instruction_count; i++)
        if (is_product(&function->instructions[i]))
            return true;
    return false;
}

struct lower_contraction *lower_find_contractions(const struct wl_ptx_function *function,
                                                  const uint32_t *labels)
{
    const uint32_t count = function->instruction_count;
    if (!has_product(function))
        return NULL;
    struct contractor contractor = {.function = function};
    contractor.blocks = wl_alloc(count * sizeof *contractor.blocks);
    contractor.first = wl_alloc_zero(function->register_count + 1u, sizeof *contractor.first);
    contractor.writes = wl_alloc_zero(function->register_count + 1u, sizeof *contractor.writes);
    contractor.products = wl_alloc_zero(count, sizeof *contractor.products);
    contractor.terms = wl_alloc_zero(count, sizeof *contractor.terms);
    number_blocks(&contractor, labels);
    note_all(&contractor);
    if (find_products(&contractor)) {
        contractor.contractions = wl_alloc_zero(count, sizeof *contractor.contractions);
        take_products(&contractor, true);
        take_products(&contractor, false);
        mark_absorbed(&contractor);
    }
    free(contractor.blocks);
    free(contractor.first);
    free(contractor.writes);
    free(contractor.products);
    free(contractor.terms);
    free(contractor.appearances.items);
    free(contractor.uses.items);
    free(contractor.passes.items);
    lower_domination_free(&contractor.domination);
    return contractor.contractions;
}
