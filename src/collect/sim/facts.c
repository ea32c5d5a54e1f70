#include "collect/sim/facts.h"

#include <string.h>

#include "base/memory.h"

static void add_number(struct wl_attribute_list *list, const char *name, double number)
{
    WL_PUSH(list, ((struct wl_record_attribute){name, NULL, number}));
}

static void add_text(struct wl_attribute_list *list, const char *name, const char *text)
{
    WL_PUSH(list, ((struct wl_record_attribute){name, text, 0}));
}

static const char *yes_or_no(bool is_true)
{
    return is_true ? "yes" : "no";
}

void wl_sim_facts_of_kernel(const struct wl_device_kernel_info *kernel,
                            struct wl_attribute_list *list)
{
    const struct wl_program *program = kernel->program;
    add_text(list, "kernel__registers_source", kernel->registers_source);
    add_number(list, "kernel__registers_per_thread", kernel->registers_per_thread);
    add_number(list, "kernel__spill_store_bytes", kernel->spill_store_bytes);
    add_number(list, "kernel__spill_load_bytes", kernel->spill_load_bytes);
    add_text(list, "kernel__is_stand_in", yes_or_no(kernel->module && kernel->module->is_stand_in));
    if (!program)
        return;
    add_number(list, "kernel__shared_static_bytes", program->shared_static_bytes);
    add_number(list, "kernel__local_bytes", program->local_bytes);
    add_number(list, "kernel__parameter_bytes", program->parameter_bytes);
    add_number(list, "kernel__barriers", program->barrier_count);
    add_number(list, "kernel__max_threads_per_block", program->max_threads_per_block);
    add_text(list, "kernel__uses_unmodelled_math", yes_or_no(program->uses_unmodelled_math));
}

void wl_sim_facts_of_launch(const struct wl_device_launch *launch,
                            const struct wl_settings *settings,
                            const struct wl_occupancy *occupancy, struct wl_attribute_list *list)
{
    add_text(list, "launch__cache_control",
             settings->cache_control == WL_CACHE_CONTROL_ALL ? "all" : "none");
    add_text(list, "launch__l1_global_loads", launch->l1_global_loads ? "on" : "off");
    add_text(list, "launch__is_cooperative", yes_or_no(launch->is_cooperative));
    if (launch->cluster[0]) {
        const uint32_t *cluster = launch->cluster;
        add_number(list, "launch__cluster_size", cluster[0] * cluster[1] * cluster[2]);
        add_number(list, "launch__cluster_dim_x", cluster[0]);
        add_number(list, "launch__cluster_dim_y", cluster[1]);
        add_number(list, "launch__cluster_dim_z", cluster[2]);
    }
    add_text(list, "launch__is_stand_in", yes_or_no(launch->module && launch->module->is_stand_in));
    if (launch->kernel)
        add_text(list, "launch__registers_source", launch->kernel->registers_source);
    if (occupancy && occupancy->limiter)
        add_text(list, "launch__occupancy_limiter", occupancy->limiter);
}

struct wl_launch_facts wl_sim_launch_facts(const struct wl_device_launch *launch)
{
    const struct wl_device_kernel_info *kernel = launch->kernel;
    struct wl_launch_facts facts = {
        .shared_dynamic_bytes = launch->shared_dynamic_bytes,
        .has_kernel = kernel && kernel->program,
    };
    memcpy(facts.grid, launch->grid, sizeof facts.grid);
    memcpy(facts.block, launch->block, sizeof facts.block);
    if (!facts.has_kernel)
        return facts;
    facts.registers_source = kernel->registers_source;
    facts.registers_per_thread = kernel->registers_per_thread;
    facts.shared_static_bytes = kernel->program->shared_static_bytes;
    facts.local_bytes = kernel->program->local_bytes;
    return facts;
}
