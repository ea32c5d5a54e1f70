#include "collect/sim/facts.h"

#include <string.h>

static const char *yes_or_no(bool is_true)
{
    return is_true ? "yes" : "no";
}

void wl_sim_facts_of_kernel(const struct wl_device_kernel_info *kernel,
                            struct wl_attribute_list *list)
{
    const struct wl_program *program = kernel->program;
    wl_facts_add_text(list, "kernel__registers_source", kernel->registers_source);
    wl_facts_add_number(list, "kernel__registers_per_thread", kernel->registers_per_thread);
    wl_facts_add_number(list, "kernel__spill_store_bytes", kernel->spill_store_bytes);
    wl_facts_add_number(list, "kernel__spill_load_bytes", kernel->spill_load_bytes);
    wl_facts_add_text(list, "kernel__is_stand_in",
                      yes_or_no(kernel->module && kernel->module->is_stand_in));
    if (!program)
        return;
    wl_facts_add_number(list, "kernel__shared_static_bytes", program->shared_static_bytes);
    wl_facts_add_number(list, "kernel__local_bytes", program->local_bytes);
    wl_facts_add_number(list, "kernel__parameter_bytes", program->parameter_bytes);
    wl_facts_add_number(list, "kernel__barriers", program->barrier_count);
    wl_facts_add_number(list, "kernel__max_threads_per_block", program->max_threads_per_block);
    wl_facts_add_text(list, "kernel__uses_unmodelled_math",
                      yes_or_no(program->uses_unmodelled_math));
}

void wl_sim_facts_of_launch(const struct wl_device_launch *launch,
                            const struct wl_settings *settings,
                            const struct wl_occupancy *occupancy, struct wl_attribute_list *list)
{
    wl_facts_add_text(list, "launch__cache_control",
                      settings->cache_control == WL_CACHE_CONTROL_ALL ? "all" : "none");
    wl_facts_add_text(list, "launch__l1_global_loads", launch->l1_global_loads ? "on" : "off");
    wl_facts_add_text(list, "launch__is_cooperative", yes_or_no(launch->is_cooperative));
    if (launch->cluster[0]) {
        const uint32_t *cluster = launch->cluster;
        wl_facts_add_number(list, "launch__cluster_size", cluster[0] * cluster[1] * cluster[2]);
        wl_facts_add_number(list, "launch__cluster_dim_x", cluster[0]);
        wl_facts_add_number(list, "launch__cluster_dim_y", cluster[1]);
        wl_facts_add_number(list, "launch__cluster_dim_z", cluster[2]);
    }
    wl_facts_add_text(list, "launch__is_stand_in",
                      yes_or_no(launch->module && launch->module->is_stand_in));
    if (launch->is_library_time)
        wl_facts_add_text(list, "launch__is_library_time", "yes");
    if (launch->kernel)
        wl_facts_add_text(list, "launch__registers_source", launch->kernel->registers_source);
    if (occupancy && occupancy->limiter)
        wl_facts_add_text(list, "launch__occupancy_limiter", occupancy->limiter);
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
