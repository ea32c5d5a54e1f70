/* Dead code. */
#include "timing/machine/uses.h"

void wl_machine_drop(struct wl_machine *machine)
{
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        struct wl_machine_uses uses;
        wl_machine_uses_find(machine, &uses);
        for (size_t i = 0; i < machine->ops.count; i++) {
            struct wl_machine_op *op = &machine->ops.items[i];
            bool is_used = wl_machine_is_dead(op) || wl_machine_has_effect(op);
            for (uint32_t k = 0; k < op->def_count && !is_used; k++) {
                uint32_t reg = wl_machine_defs(machine, op)[k];
                is_used = uses.reads[reg] > 0;
            }
            if (is_used)
                continue;
            wl_machine_kill(op);
            has_changed = true;
        }
        wl_machine_uses_free(&uses);
        wl_machine_sweep(machine);
    }
}
