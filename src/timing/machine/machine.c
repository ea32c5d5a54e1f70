#include "timing/machine/machine.h"

#include <stdlib.h>

void wl_machine_free(struct wl_machine *machine)
{
    if (!machine)
        return;
    for (uint32_t i = 0; i < machine->block_count; i++)
        free(machine->blocks[i].code.items);
    free(machine->blocks);
    free(machine->ops.items);
    free(machine->operands.items);
    free(machine->registers.items);
    free(machine->joined.items);
    free(machine->gathered.items);
    free(machine);
}
