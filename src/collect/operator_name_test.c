#include "collect/operator_name.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *given, *left;
    bool is_operator;
    uint64_t sequence;
} rows[] = {
    {"aten::addmm, seq = 7, op_id = 12", "aten::addmm", true, 8},
    {"aten::empty, op_id = 3", "aten::empty", true, 0},
    {"AddmmBackward0, seq = 0", "AddmmBackward0", true, 1},
    {"AccumulateGrad, seq = 18446744073709551615", "AccumulateGrad", true, 0},
    {"aten::mm, seq = 1, op_id = 2, sizes = [[8, 4], [4, 2]]", "aten::mm, sizes = [[8, 4], [4, 2]]",
     true, 2},
    {"aten::mm, seq = 1, op_id = 2, sizes = [[8], []], input_op_ids = [(1,0), (2,0)]",
     "aten::mm, sizes = [[8], []]", true, 2},
    {"aten::mm, seq = 1, op_id = 2, input_op_ids = [(1,0)]", "aten::mm", true, 2},
    {"a range, seq = none", "a range, seq = none", false, 0},
    {", op_id = ", ", op_id = ", false, 0},
    {"forward", "forward", false, 0},
    {"", "", false, 0},
};

int main(void)
{
    int failures = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[128];
        uint64_t sequence = 99;
        snprintf(name, sizeof name, "%s", rows[i].given);
        bool is_operator = wl_operator_name_split(name, &sequence);
        if (is_operator != rows[i].is_operator || sequence != rows[i].sequence ||
            strcmp(name, rows[i].left) != 0) {
            printf("%s: %d, %llu, %s\n", rows[i].given, is_operator, (unsigned long long)sequence,
                   name);
            failures++;
        }
    }
    return failures != 0;
}
