#include "gpu/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"

enum key_type {
    TYPE_TEXT,       /* the rest of the line */
    TYPE_COUNT,      /* uint32_t */
    TYPE_BYTES,      /* uint32_t, with a unit */
    TYPE_BYTES_LONG, /* uint64_t, with a unit */
    TYPE_HERTZ,      /* double, with a unit */
    TYPE_BANDWIDTH,  /* double, with a unit */
    TYPE_RATE,       /* double */
    TYPE_FLAG,       /* bool */
    TYPE_POLICY,     /* enum wl_l1_policy */
    TYPE_CAPABILITY, /* "9.0" to capability_major and capability_minor */
    TYPE_DIMENSIONS, /* three uint32_t */
    TYPE_CARVEOUTS,  /* sizes in KiB, ascending */
};

struct wl_gpu_key {
    const char *name;
    size_t offset;
    enum key_type type;
    bool is_required;
    double least, most; /* of the value; texts: most characters */
};

struct unit {
    const char *name;
    double factor;
};

#define FIELD(field) #field, offsetof(struct wl_gpu, field)
#define GIBI (1024.0 * 1024.0 * 1024.0)

static const struct wl_gpu_key keys[] = {
    {FIELD(full_name), TYPE_TEXT, true, 1, 95},
    {FIELD(released), TYPE_COUNT, true, 200001, 210012},
    {"capability", offsetof(struct wl_gpu, capability_major), TYPE_CAPABILITY, true, 1, 99},
    {FIELD(sm_count), TYPE_COUNT, true, 1, 4096},
    {FIELD(schedulers_per_sm), TYPE_COUNT, true, 1, 16},
    {FIELD(sms_per_tpc), TYPE_COUNT, false, 0, 64},
    {FIELD(tpcs_per_gpc), TYPE_COUNT, false, 0, 64},
    {FIELD(warp_size), TYPE_COUNT, true, 32, 32},
    {FIELD(max_threads_per_block), TYPE_COUNT, true, 32, 1024},
    {FIELD(max_threads_per_sm), TYPE_COUNT, true, 32, 65536},
    {FIELD(max_warps_per_sm), TYPE_COUNT, true, 1, 2048},
    {FIELD(max_blocks_per_sm), TYPE_COUNT, true, 1, 1024},
    {FIELD(registers_per_sm), TYPE_COUNT, true, 1024, 16777216},
    {FIELD(registers_per_block), TYPE_COUNT, true, 1024, 16777216},
    {FIELD(max_registers_per_thread), TYPE_COUNT, true, 16, 1024},
    {FIELD(register_allocation_unit), TYPE_COUNT, true, 1, 65536},
    {FIELD(warp_allocation_granularity), TYPE_COUNT, true, 1, 64},
    {FIELD(shared_per_sm_bytes), TYPE_BYTES, true, 1024, GIBI},
    {FIELD(shared_per_block_bytes), TYPE_BYTES, true, 1024, GIBI},
    {FIELD(shared_per_block_optin_bytes), TYPE_BYTES, true, 1024, GIBI},
    {FIELD(shared_reserved_bytes), TYPE_BYTES, true, 0, 65536},
    {FIELD(shared_allocation_unit_bytes), TYPE_BYTES, true, 1, 65536},
    {"shared_carveouts", offsetof(struct wl_gpu, shared_carveouts_kib), TYPE_CARVEOUTS, true, 0,
     1048576},
    {FIELD(shared_carveout_fits), TYPE_FLAG, true, 0, 1},
    {FIELD(max_barriers_per_sm), TYPE_COUNT, false, 0, 65536},
    {FIELD(max_block_dim), TYPE_DIMENSIONS, true, 1, 4294967295.0},
    {FIELD(max_grid_dim), TYPE_DIMENSIONS, true, 1, 4294967295.0},
    {FIELD(constant_bytes), TYPE_BYTES, true, 1024, GIBI},
    {FIELD(l1_bytes), TYPE_BYTES, true, 1024, GIBI},
    {FIELD(l1_unified), TYPE_FLAG, true, 0, 1},
    {FIELD(l1_global_loads), TYPE_POLICY, true, 0, 1},
    {FIELD(l1_line_bytes), TYPE_BYTES, true, 128, 128},
    {FIELD(l1_sector_bytes), TYPE_BYTES, true, 32, 32},
    {FIELD(l1_ways), TYPE_COUNT, false, 0, 1024},
    {FIELD(l1_miss_bytes), TYPE_BYTES, true, 32, 128},
    {FIELD(readonly_bytes), TYPE_BYTES, true, 0, GIBI},
    {FIELD(l2_bytes), TYPE_BYTES_LONG, true, 1024, 1024 * GIBI},
    {FIELD(l2_slices), TYPE_COUNT, true, 1, 4096},
    {FIELD(l2_ways), TYPE_COUNT, true, 1, 1024},
    {FIELD(l2_line_bytes), TYPE_BYTES, true, 128, 128},
    {FIELD(l2_partitions), TYPE_COUNT, true, 1, 16},
    {FIELD(l2_coalescer_sms), TYPE_COUNT, false, 0, 4096},
    {FIELD(shared_banks), TYPE_COUNT, true, 32, 32},
    {FIELD(shared_bank_bytes), TYPE_BYTES, true, 4, 8},
    {FIELD(memory_bytes), TYPE_BYTES_LONG, true, 1048576, 1048576 * GIBI},
    {FIELD(memory_bus_bits), TYPE_COUNT, true, 8, 1048576},
    {FIELD(memory_clock_hz), TYPE_HERTZ, true, 1e6, 1e12},
    {"memory_bandwidth", offsetof(struct wl_gpu, memory_bandwidth_bytes_per_s), TYPE_BANDWIDTH,
     true, 1e6, 1e15},
    {FIELD(sm_clock_hz), TYPE_HERTZ, true, 1e6, 1e11},
    {FIELD(fp32_per_cycle), TYPE_RATE, true, 1, 65536},
    {FIELD(fp64_per_cycle), TYPE_RATE, true, 1, 65536},
    {FIELD(fp16_per_cycle), TYPE_RATE, true, 0, 65536},
    {FIELD(int32_per_cycle), TYPE_RATE, true, 1, 65536},
    {FIELD(xu_per_cycle), TYPE_RATE, true, 1, 65536},
    {FIELD(lsu_per_cycle), TYPE_RATE, true, 1, 65536},
    {FIELD(alu_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(integer_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(predicate_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(fp64_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(shared_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(l1_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(l2_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(dram_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(dram_least_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(half_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(xu_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(shuffle_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(special_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(branch_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(meeting_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(parting_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(block_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(barrier_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(loads_in_flight), TYPE_COUNT, false, 0, 1000000},
    {FIELD(lg_queue), TYPE_COUNT, false, 0, 4096},
    {FIELD(l1_queue), TYPE_COUNT, false, 0, 4096},
    {FIELD(mio_queue), TYPE_COUNT, false, 0, 4096},
    {FIELD(register_reads_per_cycle), TYPE_RATE, false, 0, 64},
    {FIELD(l1_fill_sectors_per_cycle), TYPE_RATE, false, 0, 64},
    {FIELD(dram_crowding_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(dram_opening_bytes), TYPE_RATE, false, 0, 1e6},
    {FIELD(convert_per_cycle), TYPE_RATE, false, 0, 65536},
    {FIELD(tensor_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_read_bytes_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_write_bytes_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_read_requests_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_write_requests_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_write_neighbours_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_write_parts_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_port_bytes_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_port_write_bytes_per_cycle), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_far_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_atomic_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(l2_float_atomic_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(atomic_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(constant_latency), TYPE_COUNT, false, 0, 1000000},
    {FIELD(instruction_cache_bytes), TYPE_BYTES, false, 128, GIBI},
    {FIELD(instruction_near_bytes), TYPE_BYTES, false, 128, GIBI},
    {FIELD(instruction_line_cycles), TYPE_COUNT, false, 0, 1000000},
    {FIELD(instruction_jump_cycles), TYPE_COUNT, false, 0, 1000000},
    {FIELD(instruction_far_line_cycles), TYPE_COUNT, false, 0, 1000000},
    {FIELD(instruction_far_jump_cycles), TYPE_COUNT, false, 0, 1000000},
    {FIELD(parameter_line_cycles), TYPE_COUNT, false, 0, 1000000},
    {FIELD(parameter_crowding_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(constant_line_cycles), TYPE_COUNT, false, 0, 1000000},
    {FIELD(constant_first_cycles), TYPE_COUNT, false, 0, 1000000},
    {FIELD(constant_address_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(l1_lines_per_cycle), TYPE_COUNT, false, 0, 32},
    {FIELD(l1_miss_replays), TYPE_COUNT, false, 0, 16},
    {FIELD(texture_units), TYPE_COUNT, false, 0, 32},
    {FIELD(dram_efficiency), TYPE_RATE, false, 0, 1},
    {FIELD(dram_ecc_share), TYPE_RATE, false, 0, 1},
    {FIELD(copy_efficiency), TYPE_RATE, false, 0, 1},
    {FIELD(block_interval_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(start_cycles), TYPE_RATE, false, 0, 1e6},
    {FIELD(launch_overhead_ns), TYPE_RATE, false, 0, 1e9},
    {FIELD(link_to_device), TYPE_BANDWIDTH, false, 1e6, 1e15},
    {FIELD(link_to_host), TYPE_BANDWIDTH, false, 1e6, 1e15},
    {FIELD(link_pageable_to_device), TYPE_BANDWIDTH, false, 1e6, 1e15},
    {FIELD(link_pageable_to_host), TYPE_BANDWIDTH, false, 1e6, 1e15},
    {FIELD(link_latency_ns), TYPE_RATE, false, 0, 1e9},
    {FIELD(copy_latency_ns), TYPE_RATE, false, 0, 1e9},
    {FIELD(copy_engines), TYPE_COUNT, false, 0, 16},
    {FIELD(call_ns), TYPE_RATE, false, 0, 1e9},
    {FIELD(submit_latency_ns), TYPE_RATE, false, 0, 1e9},
    {FIELD(event_ns), TYPE_RATE, false, 0, 1e9},
    {FIELD(event_call_ns), TYPE_RATE, false, 0, 1e9},
};

enum { key_count = WL_COUNT(keys) };

static const struct unit no_units[] = {{"", 1}, {NULL, 0}};
static const struct unit byte_units[] = {{"B", 1},      {"KiB", 1024}, {"MiB", 1024.0 * 1024.0},
                                         {"GiB", GIBI}, {"KB", 1e3},   {"MB", 1e6},
                                         {"GB", 1e9},   {NULL, 0}};
static const struct unit hertz_units[] = {{"Hz", 1}, {"MHz", 1e6}, {"GHz", 1e9}, {NULL, 0}};
static const struct unit bandwidth_units[] = {
    {"B/s", 1}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}, {NULL, 0}};

/* What a type is called in an error, and its units where it is one number. */
static const struct {
    const char *wants;
    const struct unit *units;
    bool is_whole;
} types[] = {
    [TYPE_TEXT] = {"a text of 1 to 95 characters", NULL, false},
    [TYPE_COUNT] = {"a whole number", no_units, true},
    [TYPE_BYTES] = {"a size such as 48 KiB", byte_units, true},
    [TYPE_BYTES_LONG] = {"a size such as 50 MiB", byte_units, true},
    [TYPE_HERTZ] = {"a frequency such as 1.98 GHz", hertz_units, false},
    [TYPE_BANDWIDTH] = {"a bandwidth such as 900 GB/s", bandwidth_units, false},
    [TYPE_RATE] = {"a number", no_units, false},
    [TYPE_FLAG] = {"yes or no", NULL, false},
    [TYPE_POLICY] = {"on or off", NULL, false},
    [TYPE_CAPABILITY] = {"a compute capability such as 9.0", NULL, false},
    [TYPE_DIMENSIONS] = {"three whole numbers", NULL, false},
    [TYPE_CARVEOUTS] = {"up to 12 ascending sizes such as 0 16 32 KiB", NULL, false},
};

size_t wl_gpu_key_count(void)
{
    return key_count;
}

const struct wl_gpu_key *wl_gpu_key_at(size_t number)
{
    return &keys[number];
}

const struct wl_gpu_key *wl_gpu_key_find(const char *name)
{
    for (size_t i = 0; i < key_count; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

size_t wl_gpu_key_number(const struct wl_gpu_key *key)
{
    return (size_t)(key - keys);
}

const char *wl_gpu_key_name(const struct wl_gpu_key *key)
{
    return key->name;
}

bool wl_gpu_key_is_required(const struct wl_gpu_key *key)
{
    return key->is_required;
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* A decimal number (no hexadecimal, infinity or NaN) at *text, which moves behind it. */
static bool read_number(const char **text, double *value)
{
    while (is_blank(**text))
        ++*text;
    if (strspn(*text, "0123456789.") == 0)
        return false;
    char *end;
    *value = strtod(*text, &end);
    /* "0x10" reads as hexadecimal: refuse it by its letter */
    bool is_plain = memchr(*text, 'x', (size_t)(end - *text)) == NULL &&
                    memchr(*text, 'X', (size_t)(end - *text)) == NULL;
    if (end == *text || !is_plain || !isfinite(*value))
        return false;
    *text = end;
    return true;
}

static bool read_unit(const char *text, const struct unit *units, double *value)
{
    while (is_blank(*text))
        text++;
    for (; units->name; units++) {
        if (strcmp(text, units->name) == 0) {
            *value *= units->factor;
            return true;
        }
    }
    return false;
}

static bool is_whole(double value)
{
    return floor(value) == value;
}

static bool in_range(const struct wl_gpu_key *key, double value)
{
    return value >= key->least && value <= key->most;
}

double wl_gpu_key_get(const struct wl_gpu_key *key, const struct wl_gpu *gpu)
{
    const void *field = (const char *)gpu + key->offset;
    switch (key->type) {
    case TYPE_COUNT:
    case TYPE_BYTES:
        return *(const uint32_t *)field;
    case TYPE_BYTES_LONG:
        return (double)*(const uint64_t *)field;
    case TYPE_HERTZ:
    case TYPE_BANDWIDTH:
    case TYPE_RATE:
        return *(const double *)field;
    default:
        return 0;
    }
}

void wl_gpu_key_assign(const struct wl_gpu_key *key, double value, struct wl_gpu *gpu)
{
    void *field = (char *)gpu + key->offset;
    if (key->type == TYPE_COUNT || key->type == TYPE_BYTES)
        *(uint32_t *)field = (uint32_t)value;
    else if (key->type == TYPE_BYTES_LONG)
        *(uint64_t *)field = (uint64_t)value;
    else if (types[key->type].units)
        *(double *)field = value;
}

static bool read_scalar(const struct wl_gpu_key *key, const char *text, void *field)
{
    double value;
    if (!read_number(&text, &value) || !read_unit(text, types[key->type].units, &value))
        return false;
    if ((types[key->type].is_whole && !is_whole(value)) || !in_range(key, value))
        return false;
    wl_gpu_key_assign(key, value, (struct wl_gpu *)(void *)((char *)field - key->offset));
    return true;
}

static bool read_text(const struct wl_gpu_key *key, const char *text, void *field)
{
    size_t length = strlen(text);
    if (!in_range(key, (double)length))
        return false;
    memcpy(field, text, length + 1);
    return true;
}

static bool read_flag(const struct wl_gpu_key *key, const char *text, void *field)
{
    (void)key;
    bool is_set = strcmp(text, "yes") == 0;
    *(bool *)field = is_set;
    return is_set || strcmp(text, "no") == 0;
}

static bool read_policy(const struct wl_gpu_key *key, const char *text, void *field)
{
    (void)key;
    bool is_on = strcmp(text, "on") == 0;
    *(enum wl_l1_policy *)field = is_on ? WL_L1_ON : WL_L1_OFF;
    return is_on || strcmp(text, "off") == 0;
}

static bool read_capability(const struct wl_gpu_key *key, const char *text, void *field)
{
    char *end;
    unsigned long major = strtoul(text, &end, 10);
    if (end == text || *end != '.' || !in_range(key, (double)major))
        return false;
    const char *minor_text = end + 1;
    if (strspn(minor_text, "0123456789") != 1 || minor_text[1])
        return false;
    uint32_t *capability = field;
    capability[0] = (uint32_t)major;
    capability[1] = (uint32_t)(*minor_text - '0');
    return true;
}

static bool read_dimensions(const struct wl_gpu_key *key, const char *text, void *field)
{
    uint32_t *dimensions = field;
    for (int axis = 0; axis < 3; axis++) {
        double value;
        if (!read_number(&text, &value) || !is_whole(value) || !in_range(key, value))
            return false;
        dimensions[axis] = (uint32_t)value;
    }
    return *text == '\0';
}

static bool read_carveouts(const struct wl_gpu_key *key, const char *text, void *field)
{
    struct wl_gpu *gpu =
        (struct wl_gpu *)((char *)field - offsetof(struct wl_gpu, shared_carveouts_kib));
    const uint32_t most = WL_COUNT(gpu->shared_carveouts_kib);
    double value, previous = -1;
    gpu->shared_carveout_count = 0;
    while (read_number(&text, &value)) {
        if (gpu->shared_carveout_count == most || !is_whole(value) || value <= previous ||
            !in_range(key, value))
            return false;
        gpu->shared_carveouts_kib[gpu->shared_carveout_count++] = (uint32_t)value;
        previous = value;
    }
    double factor = 1;
    return previous > 0 && read_unit(text, byte_units, &factor) && factor == 1024;
}

enum wl_code wl_gpu_key_set(const struct wl_gpu_key *key, const char *text, struct wl_gpu *gpu,
                            struct wl_error *error)
{
    static bool (*const readers[])(const struct wl_gpu_key *, const char *, void *) = {
        [TYPE_TEXT] = read_text,
        [TYPE_COUNT] = read_scalar,
        [TYPE_BYTES] = read_scalar,
        [TYPE_BYTES_LONG] = read_scalar,
        [TYPE_HERTZ] = read_scalar,
        [TYPE_BANDWIDTH] = read_scalar,
        [TYPE_RATE] = read_scalar,
        [TYPE_FLAG] = read_flag,
        [TYPE_POLICY] = read_policy,
        [TYPE_CAPABILITY] = read_capability,
        [TYPE_DIMENSIONS] = read_dimensions,
        [TYPE_CARVEOUTS] = read_carveouts,
    };
    if (readers[key->type](key, text, (char *)gpu + key->offset))
        return WL_OK;
    if (types[key->type].units)
        return wl_error_set(error, WL_ERR_INPUT, "%s wants %s from %.15g to %.15g, not \"%s\"",
                            key->name, types[key->type].wants, key->least, key->most, text);
    return wl_error_set(error, WL_ERR_INPUT, "%s wants %s, not \"%s\"", key->name,
                        types[key->type].wants, text);
}

enum wl_code wl_gpu_keys_check(const struct wl_gpu *gpu, struct wl_error *error)
{
    uint32_t largest_kib = gpu->shared_carveouts_kib[gpu->shared_carveout_count - 1];
    if (gpu->max_warps_per_sm * gpu->warp_size != gpu->max_threads_per_sm)
        return wl_error_set(error, WL_ERR_INPUT,
                            "max_threads_per_sm is not max_warps_per_sm x warp_size");
    if (largest_kib * 1024 != gpu->shared_per_sm_bytes)
        return wl_error_set(error, WL_ERR_INPUT,
                            "the largest of shared_carveouts is not shared_per_sm_bytes");
    if (gpu->l1_unified && gpu->l1_bytes < gpu->shared_per_sm_bytes)
        return wl_error_set(error, WL_ERR_INPUT,
                            "l1_bytes is less than the shared memory carved out of it");
    if (gpu->shared_per_block_optin_bytes + gpu->shared_reserved_bytes > gpu->shared_per_sm_bytes)
        return wl_error_set(error, WL_ERR_INPUT,
                            "shared_per_block_optin_bytes with the reserved bytes is more than "
                            "shared_per_sm_bytes");
    return WL_OK;
}
