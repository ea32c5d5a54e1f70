#include "timing/fetch.h"

#include <stdlib.h>

#include "base/memory.h"

void fetch_init(struct fetch *fetch, const struct timing_fetching *model,
                const struct timing_code *code)
{
    *fetch = (struct fetch){.model = model};
    fetch->code = wl_alloc_zero(code->line_count + 1u, sizeof *fetch->code);
    fetch->constants = wl_alloc_zero(TIMING_CONSTANT_LINES, sizeof *fetch->constants);
}

void fetch_free(struct fetch *fetch)
{
    free(fetch->code);
    free(fetch->constants);
}

/* The cache drops the line that it has had for longest. */
static bool is_held(const struct fetch *fetch, const struct fetch_line *line)
{
    return line->number && fetch->count - line->number < fetch->model->code_lines;
}

uint64_t fetch_code(struct fetch *fetch, uint32_t line, uint64_t now)
{
    const struct timing_fetching *model = fetch->model;
    struct fetch_line *wanted = &fetch->code[line];
    if (is_held(fetch, wanted))
        return wanted->there;
    bool is_far = !wanted->number && line >= model->near_lines;
    bool follows = line > 0 && is_held(fetch, wanted - 1);
    uint64_t there = now;
    if (follows)
        there = wanted[-1].there + (is_far ? model->far_line_cycles : model->line_cycles);
    else if (fetch->count) /* what a launch costs has its first line in it */
        there = now + (is_far ? model->far_jump_cycles : model->jump_cycles);
    *wanted = (struct fetch_line){.there = there, .number = ++fetch->count};
    return there;
}

uint64_t fetch_constant(struct fetch *fetch, uint32_t line, uint64_t now)
{
    const struct timing_fetching *model = fetch->model;
    uint64_t *there = &fetch->constants[line];
    if (line == TIMING_FIRST_PARAMETERS || *there)
        return *there;
    uint64_t begin = now > fetch->constants_free ? now : fetch->constants_free;
    if (line < TIMING_PARAMETER_LINES) {
        *there = begin + model->parameter_cycles;
    } else {
        *there = begin + model->constant_cycles +
                 (fetch->has_constants ? 0 : model->first_constant_cycles);
        fetch->has_constants = true;
    }
    fetch->constants_free = *there;
    return *there;
}
