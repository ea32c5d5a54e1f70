#include "collect/operator_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char sequence_mark[] = ", seq = ", id_mark[] = ", op_id = ",
                  sizes_mark[] = ", sizes = ", inputs_mark[] = ", input_op_ids = ";

/* Where a number stands behind the mark; or NULL. */
static char *find_number(char *name, const char *mark)
{
    char *at = strstr(name, mark);
    return at && isdigit((unsigned char)at[strlen(mark)]) ? at : NULL;
}

bool wl_operator_name_split(char *name, uint64_t *sequence)
{
    char *sequence_at = find_number(name, sequence_mark), *id_at = find_number(name, id_mark);
    char *end = sequence_at ? sequence_at : id_at;
    *sequence = 0;
    if (!end)
        return false;
    uint64_t number =
        sequence_at ? strtoull(sequence_at + strlen(sequence_mark), NULL, 10) : UINT64_MAX;
    if (number < INT64_MAX) /* others stand for none */
        *sequence = number + 1;
    char *sizes = strstr(end, sizes_mark), *inputs = strstr(end, inputs_mark);
    size_t length = sizes ? inputs > sizes ? (size_t)(inputs - sizes) : strlen(sizes) : 0;
    if (length)
        memmove(end, sizes, length);
    end[length] = '\0';
    return true;
}
