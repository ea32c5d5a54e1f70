#include "ptx/lower/instructions.h"
#include "base/count.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define X(name, operation, pipe, class)
#define F(word, function, pipe, class) \
    void lower_##function(struct lowering *lowering, const struct wl_ptx_instruction *instruction);
#include "ptx/lower/instructions.def"
#undef X
#undef F

static const struct lower_row rows[] = {
#define X(name, operation, pipe, class) \
    {name, NULL, WL_OP_##operation, WL_PIPE_##pipe, WL_CLASS_##class},
#define F(word, function, pipe, class) \
    {word, lower_##function, 0, WL_PIPE_##pipe, WL_CLASS_##class},
#include "ptx/lower/instructions.def"
#undef X
#undef F
};

enum { ROW_COUNT = WL_COUNT(rows) };

static const struct lower_row *sorted[ROW_COUNT];
static pthread_once_t sorted_once = PTHREAD_ONCE_INIT;

static int compare(const void *left, const void *right)
{
    const struct lower_row *a = *(const struct lower_row *const *)left;
    const struct lower_row *b = *(const struct lower_row *const *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->lower != NULL) - (b->lower != NULL);
}

static void sort_rows(void)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        sorted[i] = &rows[i];
    qsort(sorted, ROW_COUNT, sizeof *sorted, compare);
}

const struct lower_row *const *lower_sorted_rows(size_t *count)
{
    pthread_once(&sorted_once, sort_rows);
    *count = ROW_COUNT;
    return sorted;
}

struct wanted {
    const char *name;
    bool is_family;
};

static int compare_wanted(const void *wanted, const void *row)
{
    const struct wanted *a = wanted;
    const struct lower_row *b = *(const struct lower_row *const *)row;
    int order = strcmp(a->name, b->name);
    return order ? order : a->is_family - (b->lower != NULL);
}

static const struct lower_row *find(const char *name, bool is_family)
{
    size_t count;
    const struct wanted wanted = {name, is_family};
    const struct lower_row *const *all = lower_sorted_rows(&count);
    const struct lower_row *const *found =
        bsearch(&wanted, all, count, sizeof *all, compare_wanted);
    return found ? *found : NULL;
}

/* Modifiers without effect on the model: the default rounding, uniformity, convergence. */
static const char *const ignorable_modifiers[] = {"rn", "uni"};

static bool is_ignorable(const char *modifier)
{
    for (size_t k = 0; k < WL_COUNT(ignorable_modifiers); k++)
        if (strcmp(modifier, ignorable_modifiers[k]) == 0)
            return true;
    return false;
}

/* Where a modifier stands in the names of the rows: ptxas takes the last ones in any order, and
 * headers of CUDA have some with the type before ftz. */
static int rank(const char *modifier)
{
    return wl_ptx_type_from_name(modifier) != WL_PTX_TYPE_NONE ? 3
           : strcmp(modifier, "sat") == 0                      ? 2
           : strcmp(modifier, "ftz") == 0                      ? 1
                                                               : 0;
}

static const struct lower_row *find_whole(const struct wl_ptx_instruction *instruction,
                                          bool is_ordered)
{
    char name[160];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", instruction->opcode);
    for (int wanted = 0; wanted < (is_ordered ? 4 : 1); wanted++)
        for (int i = 0; i < instruction->modifier_count && used < sizeof name; i++) {
            const char *modifier = instruction->modifiers[i];
            if (!is_ignorable(modifier) && (!is_ordered || rank(modifier) == wanted))
                used += (size_t)snprintf(name + used, sizeof name - used, ".%s", modifier);
        }
    return find(name, false);
}

static bool is_in_order(const struct wl_ptx_instruction *instruction)
{
    for (int i = 1; i < instruction->modifier_count; i++)
        if (rank(instruction->modifiers[i - 1]) > rank(instruction->modifiers[i]))
            return false;
    return true;
}

const struct lower_row *lower_find_row(const struct wl_ptx_instruction *instruction)
{
    const struct lower_row *row = find_whole(instruction, false);
    if (!row && !is_in_order(instruction))
        row = find_whole(instruction, true);
    return row ? row : find(instruction->opcode, true);
}
