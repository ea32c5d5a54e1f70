#include "ptx/lower/dominates.h"

#include <stdlib.h>
#include <string.h>

static bool ends_thread(const struct wl_ptx_instruction *instruction)
{
    return strcmp(instruction->opcode, "ret") == 0 || strcmp(instruction->opcode, "exit") == 0 ||
           strcmp(instruction->opcode, "trap") == 0;
}

/* Follows one way to its end or to what was seen. False: it comes to `later`, or cannot be told. */
static bool follow(struct lower_domination *self, const struct wl_ptx_function *function,
                   uint32_t start, uint32_t first, uint32_t later)
{
    for (uint32_t i = start; i < function->instruction_count; i++) {
        const struct wl_ptx_instruction *instruction = &function->instructions[i];
        if (i == first || self->seen[i] == self->question)
            return true;
        if (i == later || strcmp(instruction->opcode, "brx") == 0)
            return false;
        self->seen[i] = self->question;
        const bool is_branch = strcmp(instruction->opcode, "bra") == 0;
        if (is_branch) {
            const int32_t target =
                instruction->operand_count ? instruction->operands[0].target : -1;
            if (target < 0)
                return false;
            WL_PUSH(&self->starts, (uint32_t)target);
        }
        if (instruction->guard < 0 && (is_branch || ends_thread(instruction)))
            return true;
    }
    return true;
}

bool lower_dominates(struct lower_domination *self, const struct wl_ptx_function *function,
                     uint32_t first, uint32_t later)
{
    if (!self->seen)
        self->seen = wl_alloc_zero(function->instruction_count + 1u, sizeof *self->seen);
    self->question++;
    self->starts.count = 0;
    WL_PUSH(&self->starts, 0);
    while (self->starts.count) {
        const uint32_t start = self->starts.items[--self->starts.count];
        if (!follow(self, function, start, first, later))
            return false;
    }
    return true;
}

void lower_domination_free(struct lower_domination *self)
{
    free(self->seen);
    free(self->starts.items);
    *self = (struct lower_domination){0};
}
