#include "timing/parting.h"

void parting_enter(struct parting *parting, uint32_t head, uint32_t lanes)
{
    parting->has_met = parting->lanes && lanes > parting->lanes;
    parting->left += head == parting->head && lanes < parting->lanes;
    parting->head = head;
    parting->lanes = lanes;
}

uint32_t parting_meet(struct parting *parting)
{
    const uint32_t parts = !parting->has_met ? 0 : parting->left ? parting->left : 1;
    parting->left = 0;
    return parts;
}

bool parting_falls_through(const struct timing_op *branch, const struct timing_op *next)
{
    for (const struct timing_op *op = branch + 1; op < next; op++)
        if (!op->is_free)
            return false;
    return next > branch;
}
