#include "record/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

/* ---- the GPU ---- */

enum field_type { FIELD_U32, FIELD_U64, FIELD_REAL, FIELD_BOOL };

/* A field of struct wl_gpu and its name in a report: Nsight Compute's where it has the quantity,
 * device__model_... else. The value is the field's times factor; is_assumed: as times are
 * predicted, from data/gpus/defaults.gpu where the model does not say it. */
struct gpu_row {
    const char *name;
    size_t offset;
    enum field_type type;
    double factor;
    bool is_assumed;
};

#define ATTRIBUTE(name, type, field)                                              \
    {                                                                             \
        "device__attribute_" name, offsetof(struct wl_gpu, field), type, 1, false \
    }
#define MODEL(type, field)                                                      \
    {                                                                           \
        "device__model_" #field, offsetof(struct wl_gpu, field), type, 1, false \
    }
#define ASSUMED(type, field)                                                   \
    {                                                                          \
        "device__model_" #field, offsetof(struct wl_gpu, field), type, 1, true \
    }

static const struct gpu_row gpu_rows[] = {
    ATTRIBUTE("compute_capability_major", FIELD_U32, capability_major),
    ATTRIBUTE("compute_capability_minor", FIELD_U32, capability_minor),
    ATTRIBUTE("multiprocessor_count", FIELD_U32, sm_count),
    ATTRIBUTE("schedulers_per_multiprocessor", FIELD_U32, schedulers_per_sm),
    ATTRIBUTE("num_schedulers_per_multiprocessor", FIELD_U32, schedulers_per_sm),
    ATTRIBUTE("num_tpcs_per_gpc", FIELD_U32, tpcs_per_gpc),
    ATTRIBUTE("warp_size", FIELD_U32, warp_size),
    ATTRIBUTE("max_threads_per_block", FIELD_U32, max_threads_per_block),
    ATTRIBUTE("max_threads_per_multiprocessor", FIELD_U32, max_threads_per_sm),
    ATTRIBUTE("max_warps_per_multiprocessor", FIELD_U32, max_warps_per_sm),
    ATTRIBUTE("max_blocks_per_multiprocessor", FIELD_U32, max_blocks_per_sm),
    ATTRIBUTE("max_registers_per_multiprocessor", FIELD_U32, registers_per_sm),
    ATTRIBUTE("max_registers_per_block", FIELD_U32, registers_per_block),
    ATTRIBUTE("max_registers_per_thread", FIELD_U32, max_registers_per_thread),
    ATTRIBUTE("max_shared_memory_per_multiprocessor", FIELD_U32, shared_per_sm_bytes),
    ATTRIBUTE("max_shared_memory_per_block", FIELD_U32, shared_per_block_bytes),
    ATTRIBUTE("max_shared_memory_per_block_optin", FIELD_U32, shared_per_block_optin_bytes),
    ATTRIBUTE("reserved_shared_memory_per_block", FIELD_U32, shared_reserved_bytes),
    ATTRIBUTE("max_block_dim_x", FIELD_U32, max_block_dim[0]),
    ATTRIBUTE("max_block_dim_y", FIELD_U32, max_block_dim[1]),
    ATTRIBUTE("max_block_dim_z", FIELD_U32, max_block_dim[2]),
    ATTRIBUTE("max_grid_dim_x", FIELD_U32, max_grid_dim[0]),
    ATTRIBUTE("max_grid_dim_y", FIELD_U32, max_grid_dim[1]),
    ATTRIBUTE("max_grid_dim_z", FIELD_U32, max_grid_dim[2]),
    ATTRIBUTE("total_constant_memory", FIELD_U32, constant_bytes),
    ATTRIBUTE("l2_cache_size", FIELD_U64, l2_bytes),
    ATTRIBUTE("l2_slices", FIELD_U32, l2_slices),
    ATTRIBUTE("total_memory", FIELD_U64, memory_bytes),
    ATTRIBUTE("global_memory_bus_width", FIELD_U32, memory_bus_bits),
    {"device__attribute_clock_rate", offsetof(struct wl_gpu, sm_clock_hz), FIELD_REAL, 1e-3, false},
    {"device__attribute_memory_clock_rate", offsetof(struct wl_gpu, memory_clock_hz), FIELD_REAL,
     1e-3, false},
    MODEL(FIELD_U32, sms_per_tpc),
    MODEL(FIELD_U32, register_allocation_unit),
    MODEL(FIELD_U32, warp_allocation_granularity),
    MODEL(FIELD_U32, shared_allocation_unit_bytes),
    MODEL(FIELD_U32, max_barriers_per_sm),
    MODEL(FIELD_U32, l1_bytes),
    MODEL(FIELD_BOOL, l1_unified),
    MODEL(FIELD_U32, l1_line_bytes),
    MODEL(FIELD_U32, l1_sector_bytes),
    MODEL(FIELD_U32, l1_ways),
    MODEL(FIELD_U32, l1_miss_bytes),
    MODEL(FIELD_U32, readonly_bytes),
    MODEL(FIELD_U32, l2_ways),
    MODEL(FIELD_U32, l2_line_bytes),
    MODEL(FIELD_U32, l2_partitions),
    MODEL(FIELD_U32, l2_coalescer_sms),
    MODEL(FIELD_U32, shared_banks),
    MODEL(FIELD_U32, shared_bank_bytes),
    MODEL(FIELD_REAL, sm_clock_hz),
    MODEL(FIELD_REAL, memory_clock_hz),
    MODEL(FIELD_REAL, memory_bandwidth_bytes_per_s),
    MODEL(FIELD_REAL, dram_efficiency),
    MODEL(FIELD_REAL, dram_ecc_share),
    ASSUMED(FIELD_REAL, block_interval_cycles),
    ASSUMED(FIELD_REAL, launch_overhead_ns),
    MODEL(FIELD_REAL, fp32_per_cycle),
    MODEL(FIELD_REAL, fp64_per_cycle),
    MODEL(FIELD_REAL, fp16_per_cycle),
    MODEL(FIELD_REAL, int32_per_cycle),
    MODEL(FIELD_REAL, xu_per_cycle),
    MODEL(FIELD_REAL, tensor_per_cycle),
    MODEL(FIELD_REAL, lsu_per_cycle),
    MODEL(FIELD_U32, alu_latency),
    MODEL(FIELD_U32, fp64_latency),
    MODEL(FIELD_U32, shared_latency),
    MODEL(FIELD_U32, l1_latency),
    MODEL(FIELD_U32, l2_latency),
    MODEL(FIELD_U32, dram_latency),
};

static double read_field(const struct wl_gpu *gpu, const struct gpu_row *row)
{
    const void *field = (const char *)gpu + row->offset;
    switch (row->type) {
    case FIELD_U32:
        return *(const uint32_t *)field;
    case FIELD_U64:
        return (double)*(const uint64_t *)field;
    case FIELD_REAL:
        return *(const double *)field;
    case FIELD_BOOL:
        return *(const bool *)field;
    }
    return 0;
}

void wl_facts_add_number(struct wl_attribute_list *list, const char *name, double number)
{
    WL_PUSH(list, ((struct wl_record_attribute){name, NULL, number}));
}

void wl_facts_add_text(struct wl_attribute_list *list, const char *name, const char *text)
{
    WL_PUSH(list, ((struct wl_record_attribute){name, text, 0}));
}

void wl_facts_of_gpu(const struct wl_gpu *gpu, struct wl_attribute_list *list)
{
    struct wl_gpu assumed;
    wl_gpu_assume(gpu, &assumed);
    wl_facts_add_text(list, "device__attribute_display_name", gpu->full_name);
    for (size_t i = 0; i < WL_COUNT(gpu_rows); i++) {
        const struct gpu_row *row = &gpu_rows[i];
        wl_facts_add_number(list, row->name,
                            read_field(row->is_assumed ? &assumed : gpu, row) * row->factor);
    }
    wl_facts_add_text(list, "device__model_l1_global_loads",
                      gpu->l1_global_loads == WL_L1_ON ? "on" : "off");
}

void wl_facts_put_device(const struct wl_sink *sink, uint32_t device, const struct wl_gpu *gpu,
                         const struct wl_attribute_list *more)
{
    struct wl_attribute_list list = {0};
    wl_facts_of_gpu(gpu, &list);
    for (size_t i = 0; more && i < more->count; i++)
        WL_PUSH(&list, more->items[i]);
    const struct wl_record_device record = {
        .device_id = device,
        .model = gpu->name,
        .name = gpu->full_name,
        .capability_major = gpu->capability_major,
        .capability_minor = gpu->capability_minor,
        .attributes = list.items,
        .attribute_count = list.count,
    };
    if (sink->put_device)
        sink->put_device(sink->self, &record);
    free(list.items);
}

/* ---- a launch ---- */

void wl_facts_add_stack(const char *stack, struct wl_attribute_list *list)
{
    if (stack)
        wl_facts_add_text(list, "launch__call_stack", stack);
}

static void add_value(struct wl_value_list *list, const char *name, double value, enum wl_mark mark)
{
    WL_PUSH(list, ((struct wl_record_value){name, value, mark}));
}

static void add_geometry(const struct wl_launch_facts *launch, struct wl_value_list *list)
{
    double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    double threads = (double)launch->block[0] * launch->block[1] * launch->block[2];
    add_value(list, "launch__grid_size", blocks, WL_MARK_EXACT);
    add_value(list, "launch__block_size", threads, WL_MARK_EXACT);
    add_value(list, "launch__thread_count", blocks * threads, WL_MARK_EXACT);
    add_value(list, "launch__shared_mem_per_block_dynamic", launch->shared_dynamic_bytes,
              WL_MARK_EXACT);
}

/* ptxas decides on registers: what it is not there to tell can only be predicted. */
static enum wl_mark register_mark(const char *source)
{
    bool is_known = strcmp(source, "cubin") == 0 || strcmp(source, "ptxas") == 0 ||
                    strcmp(source, "driver") == 0;
    return is_known ? WL_MARK_EXACT : WL_MARK_PREDICTED;
}

static void add_occupancy(const struct wl_launch_facts *launch, const struct wl_gpu *gpu,
                          const struct wl_occupancy *occupancy, enum wl_mark mark,
                          struct wl_value_list *list)
{
    double blocks = (double)launch->grid[0] * launch->grid[1] * launch->grid[2];
    double at_once = (double)occupancy->blocks_per_sm * gpu->sm_count;
    add_value(list, "launch__warps_per_block", occupancy->warps_per_block, WL_MARK_EXACT);
    add_value(list, "launch__shared_mem_config_size", occupancy->shared_config_bytes,
              WL_MARK_EXACT);
    add_value(list, "launch__occupancy_limit_blocks", occupancy->limit_blocks, WL_MARK_EXACT);
    add_value(list, "launch__occupancy_limit_registers", occupancy->limit_registers, mark);
    add_value(list, "launch__occupancy_limit_shared_mem", occupancy->limit_shared, WL_MARK_EXACT);
    add_value(list, "launch__occupancy_limit_warps", occupancy->limit_warps, WL_MARK_EXACT);
    add_value(list, "launch__occupancy_limit_barriers", occupancy->limit_barriers, WL_MARK_EXACT);
    add_value(list, "launch__occupancy_blocks_per_multiprocessor", occupancy->blocks_per_sm, mark);
    add_value(list, "sm__maximum_warps_avg_per_active_cycle", occupancy->warps_per_sm, mark);
    add_value(list, "sm__maximum_warps_per_active_cycle_pct", occupancy->occupancy_pct, mark);
    if (at_once > 0)
        add_value(list, "launch__waves_per_multiprocessor", blocks / at_once, mark);
}

void wl_facts_add_values(const struct wl_launch_facts *launch, const struct wl_gpu *gpu,
                         const struct wl_occupancy *occupancy, struct wl_value_list *list)
{
    add_geometry(launch, list);
    add_value(list, "launch__sm_count", gpu->sm_count, WL_MARK_EXACT);
    add_value(list, "launch__shared_mem_per_block_driver", gpu->shared_reserved_bytes,
              WL_MARK_EXACT);
    if (!launch->has_kernel)
        return;
    enum wl_mark mark = register_mark(launch->registers_source);
    uint32_t static_bytes = launch->shared_static_bytes;
    add_value(list, "launch__registers_per_thread", launch->registers_per_thread, mark);
    add_value(list, "launch__shared_mem_per_block_static", static_bytes, WL_MARK_EXACT);
    add_value(list, "launch__shared_mem_per_block",
              (double)static_bytes + launch->shared_dynamic_bytes + gpu->shared_reserved_bytes,
              WL_MARK_EXACT);
    add_value(list, "launch__local_mem_per_thread", launch->local_bytes, mark);
    if (occupancy)
        add_occupancy(launch, gpu, occupancy, mark, list);
}
