#include "import/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "record/facts.h"

static bool is_fact(const char *name)
{
    return wl_text_starts(name, "launch__") || wl_text_starts(name, "device__attribute");
}

void wl_import_launch_number(struct wl_import_launch *launch, const char *name, double value,
                             enum wl_mark mark)
{
    if (!isfinite(value) || !*name)
        return;
    if (is_fact(name)) {
        struct wl_record_attribute row = {.name = wl_string_copy(name), .number = value};
        WL_PUSH(&launch->attributes, row);
    } else {
        struct wl_record_value row = {wl_string_copy(name), value, mark};
        WL_PUSH(&launch->values, row);
    }
}

/* What ncu's own pages are made of; it stands among a launch's values. */
static bool is_definition(const char *name)
{
    return wl_text_starts(name, "group:") || wl_text_starts(name, "breakdown:");
}

void wl_import_launch_text(struct wl_import_launch *launch, const char *name, const char *text)
{
    if (is_definition(name))
        return;
    struct wl_record_attribute row = {.name = wl_string_copy(name), .text = wl_string_copy(text)};
    WL_PUSH(&launch->attributes, row);
}

static void free_texts(struct wl_import_launch *launch)
{
    for (size_t i = 0; i < launch->values.count; i++)
        free((char *)launch->values.items[i].name);
    for (size_t i = 0; i < launch->attributes.count; i++) {
        free((char *)launch->attributes.items[i].name);
        free((char *)launch->attributes.items[i].text);
    }
    for (size_t i = 0; i < launch->instructions.count; i++) {
        free((char *)launch->instructions.items[i].text);
        free((char *)launch->instructions.items[i].opcode);
    }
    free(launch->kernel);
    free(launch->function);
    free(launch->mangled);
}

void wl_import_launch_free(struct wl_import_launch *launch)
{
    free_texts(launch);
    free(launch->values.items);
    free(launch->attributes.items);
    free(launch->instructions.items);
    free(launch->instruction_values.items);
    *launch = (struct wl_import_launch){0};
}

/* "void gemm<8>(int)" is function gemm. */
static char *make_function(const char *demangled)
{
    size_t length = strcspn(demangled, "(<"), start = length;
    while (start > 0 && demangled[start - 1] != ' ' && demangled[start - 1] != ':')
        start--;
    return length > start ? wl_string_copy_length(demangled + start, length - start)
                          : wl_string_copy(demangled);
}

static const char *attribute_text(const struct wl_import_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->attributes.count; i++)
        if (strcmp(launch->attributes.items[i].name, name) == 0 && launch->attributes.items[i].text)
            return launch->attributes.items[i].text;
    return "";
}

static double attribute_number(const struct wl_import_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->attributes.count; i++)
        if (strcmp(launch->attributes.items[i].name, name) == 0)
            return launch->attributes.items[i].number;
    return 0;
}

/* The model that is named like this GPU and has as many SMs; NULL where there is none: then nothing
 * is assumed. It belongs to the target. */
static const struct wl_gpu *find_model(struct wl_import_target *target, const char *name,
                                       uint32_t capability, uint32_t sm_count)
{
    if (!target->model.name || strcmp(target->model.name, name) != 0 ||
        target->model.sm_count != sm_count) {
        wl_import_forget_model(target);
        target->model.name = wl_string_copy(name);
        target->model.sm_count = sm_count;
        target->model.is_known =
            wl_gpu_load_likest(name, capability, sm_count, &target->model.gpu, NULL) == WL_OK &&
            wl_text_starts(name, target->model.gpu.full_name) &&
            target->model.gpu.sm_count == sm_count;
    }
    return target->model.is_known ? &target->model.gpu : NULL;
}

static bool has_attribute(const struct wl_import_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->attributes.count; i++)
        if (strcmp(launch->attributes.items[i].name, name) == 0)
            return true;
    return false;
}

/* What the launch's file does not have: the constants of its GPU's model. What the file says of the
 * GPU itself holds. */
static const struct wl_gpu *add_model(struct wl_import_target *target,
                                      struct wl_import_launch *launch)
{
    double sms = attribute_number(launch, "device__attribute_multiprocessor_count");
    struct wl_attribute_list facts = {0};
    if (!(sms > 0 && sms < 1e6))
        return NULL;
    const struct wl_gpu *gpu =
        find_model(target, attribute_text(launch, "device__attribute_display_name"),
                   launch->capability_major * 10 + launch->capability_minor, (uint32_t)sms);
    if (!gpu)
        return NULL;
    wl_facts_of_gpu(gpu, &facts);
    for (size_t i = 0; i < facts.count; i++) {
        const struct wl_record_attribute *fact = &facts.items[i];
        if (has_attribute(launch, fact->name))
            continue;
        struct wl_record_attribute row = {wl_string_copy(fact->name),
                                          fact->text ? wl_string_copy(fact->text) : NULL,
                                          fact->number};
        WL_PUSH(&launch->attributes, row);
    }
    free(facts.items);
    return gpu;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct wl_record_value *)left)->name,
                  ((const struct wl_record_value *)right)->name);
}

/* Of a name that stands twice the first holds. */
static void sort_values(struct wl_import_launch *launch)
{
    size_t kept = 0;
    struct wl_record_value *values = launch->values.items;
    if (launch->values.count)
        qsort(values, launch->values.count, sizeof *values, by_name);
    for (size_t i = 0; i < launch->values.count; i++) {
        if (kept && strcmp(values[kept - 1].name, values[i].name) == 0)
            free((char *)values[i].name);
        else
            values[kept++] = values[i];
    }
    launch->values.count = kept;
}

void wl_import_launch_put(struct wl_import_target *target, struct wl_import_launch *launch)
{
    const struct wl_sink *sink = wl_import_sink(target);
    uint64_t id = target->launches;
    const char *kernel = launch->kernel ? launch->kernel : "?";
    char *function = launch->function ? wl_string_copy(launch->function) : make_function(kernel);
    sort_values(launch);
    const struct wl_gpu *gpu = add_model(target, launch);
    const struct wl_record_device device = {
        .device_id = launch->device_id,
        .model = gpu ? gpu->name : "",
        .name = attribute_text(launch, "device__attribute_display_name"),
        .capability_major = launch->capability_major,
        .capability_minor = launch->capability_minor,
    };
    const struct wl_record_module module = {.id = id,
                                            .name = "imported",
                                            .text = "",
                                            .options = "",
                                            .architecture = launch->capability_major * 10 +
                                                            launch->capability_minor};
    const struct wl_record_kernel record = {
        .id = id,
        .module_id = id,
        .mangled = launch->mangled ? launch->mangled : kernel,
        .demangled = kernel,
        .function = function,
        .instructions = launch->instructions.items,
        .instruction_count = launch->instructions.count,
    };
    uint8_t *marks = wl_alloc_zero(launch->instruction_name_count + 1, 1);
    struct wl_record_launch put = {
        .id = id,
        .kernel_id = id,
        .device_id = launch->device_id,
        .context_id = launch->context_id,
        .stream_id = launch->stream_id,
        .status = WL_LAUNCH_DONE,
        .message = "",
        .range = "",
        .values = launch->values.items,
        .value_count = launch->values.count,
        .attributes = launch->attributes.items,
        .attribute_count = launch->attributes.count,
        .instruction_value_names = launch->instruction_names,
        .instruction_value_marks = marks,
        .instruction_value_name_count = launch->instruction_name_count,
        .instruction_values = launch->instruction_values.items,
        .instruction_value_count = launch->instruction_values.count,
    };
    memcpy(put.grid, launch->grid, sizeof put.grid);
    memcpy(put.block, launch->block, sizeof put.block);
    wl_import_device(target, &device);
    sink->put_module(sink->self, &module);
    sink->put_kernel(sink->self, &record);
    wl_import_launch(target, &put);
    free(marks);
    free(function);
    wl_import_launch_free(launch);
}

void wl_import_forget_model(struct wl_import_target *target)
{
    free(target->model.name);
    wl_gpu_free(&target->model.gpu);
    memset(&target->model, 0, sizeof target->model);
}

struct unit_factor {
    const char *unit;
    double factor;
};

static double find_factor(const struct unit_factor *units, size_t count, const char *unit,
                          size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(units[i].unit) == length && strncmp(units[i].unit, unit, length) == 0)
            return units[i].factor;
    return 1;
}

double wl_import_base_unit(const char *unit, double value)
{
    /* of what is counted, a time among it in nanoseconds; and of what it is counted in: a second.
     * ncu prints 5300 %/byte as 5.3 %/Kbyte. */
    static const struct unit_factor times[] = {
        {"us", 1e3}, {"usecond", 1e3}, {"ms", 1e6}, {"msecond", 1e6}, {"s", 1e9}, {"second", 1e9},
    };
    static const struct unit_factor amounts[] = {
        {"Kbyte", 1e3}, {"Mbyte", 1e6}, {"Gbyte", 1e9},   {"Tbyte", 1e12},  {"Khz", 1e3},
        {"Mhz", 1e6},   {"Ghz", 1e9},   {"Ksector", 1e3}, {"Msector", 1e6},
    };
    static const struct unit_factor parts[] = {
        {"ns", 1e9}, {"nsecond", 1e9}, {"us", 1e6},    {"usecond", 1e6},
        {"ms", 1e3}, {"msecond", 1e3}, {"Kbyte", 1e3}, {"Mbyte", 1e6},
    };
    const char *slash = strchr(unit, '/');
    size_t length = slash ? (size_t)(slash - unit) : strlen(unit);
    value *= find_factor(amounts, WL_COUNT(amounts), unit, length);
    if (!slash)
        return value * find_factor(times, WL_COUNT(times), unit, length);
    return value * find_factor(parts, WL_COUNT(parts), slash + 1, strlen(slash + 1));
}
