/* rocprofv3's JSON (`--output-format json`): for each process its kernels, copies, calls of HIP and
 * markers; names of calls and kernels stand in lists beside them. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "import/rocprof.h"
#include "import/trace_event.h"
#include "report/keys.h"

struct reading {
    struct wl_import_target *target;
    const json_t *strings, *symbols;  /* of the process at hand */
    struct wl_keys agents;            /* what handles are as numbers of nodes, plus one */
    struct wl_keys kernels, messages; /* positions in their lists, plus one, by number */
    uint64_t left_out;
};

static const json_t *member(const json_t *object, const char *first, const char *second)
{
    return json_object_get(json_object_get(object, first), second);
}

/* 0 where there is none, or it is negative. */
static uint64_t number_of(const json_t *value)
{
    if (json_is_integer(value))
        return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
    double number = wl_import_json_number(value);
    return number > 0 && number < 0x1p63 ? (uint64_t)number : 0;
}

static uint64_t handle_of(const json_t *object, const char *name)
{
    return number_of(member(object, name, "handle"));
}

/* "hipMalloc", by the kind and the operation of a record; "" where the file does not say. */
static const char *operation_of(const struct reading *reading, const json_t *record)
{
    const json_t *kinds = json_object_get(reading->strings, "buffer_records");
    const json_t *kind = json_array_get(kinds, number_of(json_object_get(record, "kind")));
    const json_t *operation = json_array_get(json_object_get(kind, "operations"),
                                             number_of(json_object_get(record, "operation")));
    const char *name = json_string_value(operation);
    return name ? name : "";
}

static uint64_t agent_of(const struct reading *reading, uint64_t handle)
{
    int64_t node = wl_keys_find_number(&reading->agents, handle);
    return node ? (uint64_t)(node - 1) : handle;
}

static void take_sizes(const json_t *info, struct wl_timeline_record *record)
{
    static const char *const axes[] = {"x", "y", "z"};
    uint64_t grid[3], block[3];
    for (int i = 0; i < 3; i++) { /* HIP counts work items, not blocks */
        block[i] = number_of(member(info, "workgroup_size", axes[i]));
        grid[i] = number_of(member(info, "grid_size", axes[i]));
        grid[i] = block[i] ? grid[i] / block[i] + (grid[i] % block[i] != 0) : grid[i];
    }
    record->words[1] = WL_TIMELINE_PACK_GRID(grid[0], grid[1], grid[2]);
    record->words[2] = WL_TIMELINE_PACK_BLOCK(block[0], block[1], block[2], 0);
    record->words[3] =
        WL_TIMELINE_PACK_SHARED(number_of(json_object_get(info, "group_segment_size")), 0);
}

static uint64_t where(const struct reading *reading, const json_t *record, uint64_t agent,
                      uint64_t queue)
{
    const json_t *stream = json_object_get(record, "stream_id");
    return WL_TIMELINE_PACK_WHERE(agent_of(reading, agent), 1,
                                  stream ? number_of(json_object_get(stream, "handle")) : queue);
}

static const char *fill_kernel(struct reading *reading, const json_t *json,
                               struct wl_timeline_record *record)
{
    const json_t *info = json_object_get(json, "dispatch_info");
    int64_t position =
        wl_keys_find_number(&reading->kernels, number_of(json_object_get(info, "kernel_id")));
    const json_t *symbol =
        position ? json_array_get(reading->symbols, (size_t)(position - 1)) : NULL;
    static const char *const names[] = {"formatted_kernel_name", "demangled_kernel_name",
                                        "kernel_name"};
    record->words[0] =
        where(reading, json, handle_of(info, "agent_id"), handle_of(info, "queue_id"));
    take_sizes(info, record);
    record->words[2] |= number_of(json_object_get(symbol, "arch_vgpr_count")) & 0xffff;
    for (size_t i = 0; i < WL_COUNT(names); i++)
        if (*wl_import_json_text(symbol, names[i]))
            return wl_import_json_text(symbol, names[i]);
    return "?";
}

static const char *fill_copy(struct reading *reading, const json_t *json,
                             struct wl_timeline_record *record)
{
    const char *name = wl_import_rocprof_copy(operation_of(reading, json), record);
    bool is_to_host = record->words[2] == WL_TIMELINE_COPY_TO_HOST;
    uint64_t agent = handle_of(json, is_to_host ? "src_agent_id" : "dst_agent_id");
    record->words[0] = where(reading, json, agent, 0);
    record->words[1] = number_of(json_object_get(json, "bytes"));
    return name;
}

static const char *fill_call(struct reading *reading, const json_t *json,
                             struct wl_timeline_record *record)
{
    (void)record;
    return operation_of(reading, json);
}

/* What a range is called stands by its correlation. */
static const char *fill_marker(struct reading *reading, const json_t *json,
                               struct wl_timeline_record *record)
{
    const json_t *messages = json_object_get(reading->strings, "marker_api");
    int64_t position = wl_keys_find_number(&reading->messages, record->correlation);
    const json_t *message = position ? json_array_get(messages, (size_t)(position - 1)) : NULL;
    const char *text = wl_import_json_text(message, "value");
    if (record->end == record->start || strstr(operation_of(reading, json), "Mark"))
        record->category = WL_TIMELINE_NVTX_MARK;
    record->correlation = 0;
    return *text ? text : operation_of(reading, json);
}

/* Lists of buffer_records that are read. */
static const struct {
    const char *name;
    enum wl_timeline_category category;
    const char *(*fill)(struct reading *reading, const json_t *json,
                        struct wl_timeline_record *record);
} lists[] = {
    {"kernel_dispatch", WL_TIMELINE_KERNEL, fill_kernel},
    {"memory_copy", WL_TIMELINE_MEMCPY, fill_copy},
    {"hip_api", WL_TIMELINE_CUDA_RUNTIME, fill_call},
    {"marker_api", WL_TIMELINE_NVTX_PUSHPOP, fill_marker},
};

static void take_record(struct reading *reading, size_t list, const json_t *json)
{
    struct wl_timeline_record record = {
        .start = number_of(json_object_get(json, "start_timestamp")),
        .end = number_of(json_object_get(json, "end_timestamp")),
        .category = (uint16_t)lists[list].category,
        .thread = (uint32_t)number_of(json_object_get(json, "thread_id")),
        .correlation = (uint32_t)number_of(member(json, "correlation_id", "internal")),
    };
    if (!record.start || record.end < record.start || record.end > (uint64_t)4e18) {
        reading->left_out++;
        return;
    }
    record.name = wl_import_name(reading->target, lists[list].fill(reading, json, &record));
    wl_import_event(reading->target, &record);
}

/* ---- a process ---- */

/* Which position in a list has which number. */
static void list_numbers(const json_t *list, const char *name, struct wl_keys *keys)
{
    size_t index;
    json_t *item;
    wl_keys_free(keys);
    json_array_foreach(list, index, item)
    {
        wl_keys_set_number(keys, number_of(json_object_get(item, name)), (int64_t)index + 1);
    }
}

/* Agents of type 2 are GPUs. */
static void put_agents(struct reading *reading, const json_t *agents)
{
    size_t index;
    json_t *agent;
    wl_keys_free(&reading->agents);
    json_array_foreach(agents, index, agent)
    {
        const char *product = wl_import_json_text(agent, "product_name");
        const struct wl_record_device device = {
            .device_id = (uint32_t)number_of(json_object_get(agent, "node_id")),
            .model = "",
            .name = *product ? product : wl_import_json_text(agent, "name"),
        };
        wl_keys_set_number(&reading->agents, handle_of(agent, "id"), (int64_t)device.device_id + 1);
        if (number_of(json_object_get(agent, "type")) == 2)
            wl_import_device(reading->target, &device);
    }
}

static void note_others(struct reading *reading, json_t *records)
{
    struct wl_text others = {0};
    const char *name;
    json_t *list;
    json_object_foreach(records, name, list)
    {
        bool is_read = json_array_size(list) == 0;
        for (size_t i = 0; i < WL_COUNT(lists); i++)
            is_read |= strcmp(name, lists[i].name) == 0;
        if (!is_read && others.length < 1000)
            wl_text_addf(&others, "%s%.80s (%zu)",
                         others.length ? ", " : "records not read: ", name, json_array_size(list));
    }
    if (others.length)
        wl_import_note(reading->target, "import-left-out", others.data, "");
    wl_text_free(&others);
}

static void take_process(struct reading *reading, json_t *process)
{
    const json_t *metadata = json_object_get(process, "metadata");
    const json_t *command = json_array_get(json_object_get(metadata, "command"), 0);
    json_t *records = json_object_get(process, "buffer_records"), *record;
    size_t index;
    reading->strings = json_object_get(process, "strings");
    reading->symbols = json_object_get(process, "kernel_symbols");
    list_numbers(reading->symbols, "kernel_id", &reading->kernels);
    list_numbers(json_object_get(reading->strings, "marker_api"), "key", &reading->messages);
    wl_import_begin_process(reading->target, "rocprofv3",
                            number_of(json_object_get(metadata, "pid")), json_string_value(command),
                            NULL, number_of(json_object_get(metadata, "init_time")));
    put_agents(reading, json_object_get(process, "agents"));
    for (size_t i = 0; i < WL_COUNT(lists); i++)
        json_array_foreach(json_object_get(records, lists[i].name), index, record)
        {
            take_record(reading, i, record);
        }
    note_others(reading, records);
}

static enum wl_code read_rocprof_json(struct wl_import_target *target, struct wl_error *error)
{
    struct reading reading = {.target = target};
    json_error_t trouble;
    json_t *root = json_loadb(target->content.data, target->content.length, 0, &trouble);
    json_t *processes = json_object_get(root, "rocprofiler-sdk-tool"), *process;
    size_t index;
    enum wl_code code = WL_OK;
    if (!root)
        return wl_import_fail(target, WL_ERR_CORRUPT, error, "line %d: %s", trouble.line,
                              trouble.text);
    if (json_is_object(processes))
        take_process(&reading, processes);
    else if (!json_is_array(processes))
        code = wl_import_fail(target, WL_ERR_INPUT, error, "there is no list rocprofiler-sdk-tool");
    json_array_foreach(processes, index, process)
    {
        take_process(&reading, process);
    }
    if (target->has_process)
        wl_import_rocprof_note(target);
    if (reading.left_out) {
        char *text = wl_string_format("%" PRIu64 " records had an invalid time", reading.left_out);
        wl_import_note(target, "import-left-out", text, "");
        free(text);
    }
    json_decref(root);
    wl_keys_free(&reading.agents);
    wl_keys_free(&reading.kernels);
    wl_keys_free(&reading.messages);
    return code;
}

static bool is_rocprof_json(const struct wl_text *content)
{
    const char *at = content->data + strspn(content->data, " \t\r\n");
    const char *name = *at == '{' ? at + 1 + strspn(at + 1, " \t\r\n") : "";
    return strncmp(name, "\"rocprofiler-sdk-tool\"", 22) == 0;
}

const struct wl_import_format wl_import_rocprof_json = {"rocprofv3 JSON", is_rocprof_json,
                                                        read_rocprof_json};
