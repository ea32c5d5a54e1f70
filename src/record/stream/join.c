#include "record/stream/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/stream/pass.h"
#include "record/stream/stream.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

/* ---- what the other run has ---- */

struct kernel {
    uint64_t id;
    char *mangled;
    UT_hash_handle hh;
};

/* A launch's values at instructions, each with its own name. */
struct extra {
    uint64_t id;
    char *mangled;
    uint32_t grid[3], block[3];
    WL_VECTOR(struct wl_record_instruction_value) values;
    char **names;
    uint8_t *marks;
    size_t name_count;
    WL_VECTOR(struct wl_record_value) totals; /* of them; names of its own */
    UT_hash_handle hh;
};

struct join {
    struct wl_stream_pass pass;
    struct kernel *kernels; /* of the stream that is read */
    struct extra *extras;
    struct wl_stream_joined *joined;
};

static const char samples_name[] = "smsp__pcsamp_sample_count", counts_prefix[] = "memory_";

static void keep_kernel(struct join *join, const struct wl_record_kernel *record)
{
    struct kernel *kernel = NULL;
    HASH_FIND(hh, join->kernels, &record->id, sizeof record->id, kernel);
    if (kernel)
        return;
    kernel = wl_alloc_zero(1, sizeof *kernel);
    kernel->id = record->id;
    kernel->mangled = wl_string_copy(record->mangled);
    HASH_ADD(hh, join->kernels, id, sizeof kernel->id, kernel);
}

static const char *name_of(const struct join *join, uint64_t id)
{
    struct kernel *kernel = NULL;
    HASH_FIND(hh, join->kernels, &id, sizeof id, kernel);
    return kernel ? kernel->mangled : "";
}

static void free_kernels(struct join *join)
{
    struct kernel *kernel, *next;
    HASH_ITER(hh, join->kernels, kernel, next)
    {
        HASH_DEL(join->kernels, kernel);
        free(kernel->mangled);
        free(kernel);
    }
}

/* Values of the launch that are sums over its instructions. */
static void keep_totals(struct extra *extra, const struct wl_record_launch *record)
{
    for (size_t i = 0; i < record->value_count; i++) {
        struct wl_record_value total = record->values[i];
        if (strcmp(total.name, samples_name) != 0 &&
            strncmp(total.name, counts_prefix, sizeof counts_prefix - 1) != 0)
            continue;
        total.name = wl_string_copy(total.name);
        WL_PUSH(&extra->totals, total);
    }
}

static void other_kernel(void *self, const struct wl_record_kernel *record)
{
    keep_kernel(self, record);
}

static void other_launch(void *self, const struct wl_record_launch *record)
{
    struct join *join = self;
    struct extra *extra = NULL;
    HASH_FIND(hh, join->extras, &record->id, sizeof record->id, extra);
    if (extra || record->instruction_value_count == 0)
        return;
    extra = wl_alloc_zero(1, sizeof *extra);
    extra->id = record->id;
    extra->mangled = wl_string_copy(name_of(join, record->kernel_id));
    memcpy(extra->grid, record->grid, sizeof extra->grid);
    memcpy(extra->block, record->block, sizeof extra->block);
    keep_totals(extra, record);
    extra->name_count = record->instruction_value_name_count;
    extra->names = wl_alloc_zero(extra->name_count + 1, sizeof *extra->names);
    extra->marks = wl_alloc_zero(extra->name_count + 1, sizeof *extra->marks);
    for (size_t i = 0; i < extra->name_count; i++) {
        extra->names[i] = wl_string_copy(record->instruction_value_names[i]);
        extra->marks[i] = record->instruction_value_marks[i];
    }
    for (size_t i = 0; i < record->instruction_value_count; i++)
        WL_PUSH(&extra->values, record->instruction_values[i]);
    HASH_ADD(hh, join->extras, id, sizeof extra->id, extra);
}

static void free_extra(struct join *join, struct extra *extra)
{
    HASH_DEL(join->extras, extra);
    for (size_t i = 0; i < extra->name_count; i++)
        free(extra->names[i]);
    for (size_t i = 0; i < extra->totals.count; i++)
        free((char *)extra->totals.items[i].name);
    free(extra->totals.items);
    free(extra->names);
    free(extra->marks);
    free(extra->mangled);
    free(extra->values.items);
    free(extra);
}

/* ---- the first run, with it ---- */

static void put_kernel(void *self, const struct wl_record_kernel *record)
{
    struct join *join = self;
    keep_kernel(join, record);
    join->pass.out->put_kernel(join->pass.out->self, record);
}

static bool is_alike(const struct join *join, const struct extra *extra,
                     const struct wl_record_launch *record)
{
    return strcmp(extra->mangled, name_of(join, record->kernel_id)) == 0 &&
           memcmp(extra->grid, record->grid, sizeof extra->grid) == 0 &&
           memcmp(extra->block, record->block, sizeof extra->block) == 0;
}

/* The launch with its own values at instructions and the other's, whose names follow its own. */
static void put_both(struct join *join, const struct wl_record_launch *record,
                     const struct extra *extra)
{
    size_t own_names = record->instruction_value_name_count;
    size_t own_values = record->instruction_value_count;
    size_t name_count = own_names + extra->name_count;
    const char **names = wl_alloc_zero(name_count + 1, sizeof *names);
    uint8_t *marks = wl_alloc_zero(name_count + 1, sizeof *marks);
    struct wl_record_instruction_value *at_instructions =
        wl_alloc_zero(own_values + extra->values.count + 1, sizeof *at_instructions);
    struct wl_record_value *values =
        wl_alloc_zero(record->value_count + extra->totals.count + 1, sizeof *values);
    for (size_t i = 0; i < name_count; i++) {
        bool is_own = i < own_names;
        names[i] = is_own ? record->instruction_value_names[i] : extra->names[i - own_names];
        marks[i] = is_own ? record->instruction_value_marks[i] : extra->marks[i - own_names];
    }
    if (own_values)
        memcpy(at_instructions, record->instruction_values, own_values * sizeof *at_instructions);
    for (size_t i = 0; i < extra->values.count; i++) {
        at_instructions[own_values + i] = extra->values.items[i];
        at_instructions[own_values + i].name += (uint32_t)own_names;
    }
    struct wl_record_launch both = *record;
    if (record->value_count)
        memcpy(values, record->values, record->value_count * sizeof *values);
    for (size_t i = 0; i < extra->totals.count; i++)
        values[both.value_count++] = extra->totals.items[i];
    both.values = values;
    both.instruction_value_names = names;
    both.instruction_value_marks = marks;
    both.instruction_value_name_count = name_count;
    both.instruction_values = at_instructions;
    both.instruction_value_count = own_values + extra->values.count;
    join->pass.out->put_launch(join->pass.out->self, &both);
    free(names);
    free(marks);
    free(at_instructions);
    free(values);
}

static void put_launch(void *self, const struct wl_record_launch *record)
{
    struct join *join = self;
    struct extra *extra = NULL;
    HASH_FIND(hh, join->extras, &record->id, sizeof record->id, extra);
    if (!extra || !is_alike(join, extra, record)) {
        join->pass.out->put_launch(join->pass.out->self, record);
        return;
    }
    put_both(join, record, extra);
    join->joined->joined++;
    free_extra(join, extra);
}

enum wl_code wl_stream_join(const char *path, const char *other, const char *folder,
                            struct wl_stream_joined *joined, struct wl_error *error)
{
    struct wl_stream_writer *writer = NULL;
    struct join join = {.joined = joined};
    const struct wl_sink others = {
        .self = &join, .put_kernel = other_kernel, .put_launch = other_launch};
    struct wl_sink both = wl_stream_pass_sink(&join.pass);
    both.put_kernel = put_kernel;
    both.put_launch = put_launch;
    *joined = (struct wl_stream_joined){0};
    enum wl_code code = wl_stream_replay(other, &others, NULL, error);
    free_kernels(&join);
    if (!code)
        code = wl_stream_writer_open(folder, &writer, error);
    if (!code) {
        join.pass.out = wl_stream_writer_sink(writer);
        code = wl_stream_replay(path, &both, NULL, error);
        wl_stream_writer_close(writer);
    }
    joined->missing = HASH_COUNT(join.extras);
    struct extra *extra, *next;
    HASH_ITER(hh, join.extras, extra, next)
    {
        free_extra(&join, extra);
    }
    free_kernels(&join);
    return code;
}
