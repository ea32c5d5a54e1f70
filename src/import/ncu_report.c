/* Reports of ncu (.ncu-rep), from their bytes: "NVR\0", a header, then blocks, each with a header
 * that says how many sources and results follow; all are protocol buffers with their length before
 * them. What is known are the numbers of fields below; the values of each launch are read, its
 * source and rules are not. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/launch.h"
#include "import/protobuf.h"

enum { MAGIC_BYTES = 4, MOST_STRINGS = 1 << 20, MOST_MESSAGES = 1 << 20 };
enum block_field { SOURCES = 1, RESULTS = 2, STRINGS = 4, PAYLOAD_BYTES = 5, RANGES = 7 };
enum result_field {
    MANGLED = 5,
    FUNCTION = 6,
    DEMANGLED = 7,
    GRID = 10,
    BLOCK = 11,
    METRICS = 13,
    CONTEXT = 22,
    STREAM = 23
};
enum metric_field { METRIC_NAME = 1, METRIC_VALUE = 2 };
enum value_field {
    VALUE_TEXT = 1,
    VALUE_FLOAT = 2,
    VALUE_DOUBLE = 3,
    VALUE_U32 = 4,
    VALUE_U64 = 5
};

struct reading {
    struct wl_import_target *target;
    const unsigned char *next, *end;
    WL_VECTOR(char *) strings; /* of all blocks so far */
    struct wl_import_launch launch;
    uint64_t ranges, unnamed;
};

static bool take(struct reading *reading, size_t length, struct wl_protobuf *message)
{
    if ((size_t)(reading->end - reading->next) < length)
        return false;
    *message = (struct wl_protobuf){reading->next, reading->next + length, false};
    reading->next += length;
    return true;
}

/* A message with its length before it. */
static bool take_message(struct reading *reading, struct wl_protobuf *message)
{
    const unsigned char *at = reading->next;
    if (reading->end - at < 4)
        return false;
    uint32_t length =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    reading->next += 4;
    return take(reading, length, message);
}

static char *copy_text(const struct wl_protobuf_field *field)
{
    return wl_string_copy_length((const char *)field->bytes,
                                 strnlen((const char *)field->bytes, field->length));
}

static void read_sizes(const struct wl_protobuf_field *field, uint32_t sizes[3])
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    while (wl_protobuf_next(&message, &part))
        if (part.wire == 0 && part.number >= 1 && part.number <= 3)
            sizes[part.number - 1] = (uint32_t)part.value;
}

static void put_value(struct reading *reading, const char *name,
                      const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field value;
    while (wl_protobuf_next(&message, &value)) {
        if (value.number == VALUE_TEXT && value.wire == 2) {
            char *text = copy_text(&value);
            wl_import_launch_text(&reading->launch, name, text);
            free(text);
        } else if (value.number == VALUE_FLOAT || value.number == VALUE_DOUBLE) {
            wl_import_launch_number(&reading->launch, name, wl_protobuf_double(&value),
                                    WL_MARK_EXACT);
        } else if ((value.number == VALUE_U32 || value.number == VALUE_U64) && value.wire == 0) {
            wl_import_launch_number(&reading->launch, name, (double)value.value, WL_MARK_EXACT);
        }
    }
}

static void read_metric(struct reading *reading, const struct wl_protobuf_field *field)
{
    struct wl_protobuf message = wl_protobuf_within(field);
    struct wl_protobuf_field part;
    const char *name = NULL;
    while (wl_protobuf_next(&message, &part)) {
        if (part.number == METRIC_NAME && part.wire == 0) {
            name = part.value < reading->strings.count ? reading->strings.items[part.value] : NULL;
            reading->unnamed += !name;
        } else if (part.number == METRIC_VALUE && part.wire == 2 && name) {
            put_value(reading, name, &part);
        }
    }
}

static void set_text(char **field, const struct wl_protobuf_field *from)
{
    free(*field);
    *field = copy_text(from);
}

static uint32_t fact(const struct wl_import_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->attributes.count; i++)
        if (strcmp(launch->attributes.items[i].name, name) == 0)
            return (uint32_t)launch->attributes.items[i].number;
    return 0;
}

static void read_result(struct reading *reading, struct wl_protobuf message)
{
    struct wl_protobuf_field field;
    struct wl_import_launch *launch = &reading->launch;
    for (int i = 0; i < 3; i++)
        launch->grid[i] = launch->block[i] = 1;
    while (wl_protobuf_next(&message, &field)) {
        bool is_bytes = field.wire == 2;
        if (field.number == MANGLED && is_bytes)
            set_text(&launch->mangled, &field);
        else if (field.number == FUNCTION && is_bytes)
            set_text(&launch->function, &field);
        else if (field.number == DEMANGLED && is_bytes)
            set_text(&launch->kernel, &field);
        else if (field.number == GRID)
            read_sizes(&field, launch->grid);
        else if (field.number == BLOCK)
            read_sizes(&field, launch->block);
        else if (field.number == METRICS && is_bytes)
            read_metric(reading, &field);
        else if (field.number == CONTEXT && !is_bytes)
            launch->context_id = (uint32_t)field.value;
        else if (field.number == STREAM && !is_bytes)
            launch->stream_id = (uint32_t)field.value;
    }
    launch->capability_major = fact(launch, "device__attribute_compute_capability_major");
    launch->capability_minor = fact(launch, "device__attribute_compute_capability_minor");
    if (!launch->kernel && launch->function)
        launch->kernel = wl_string_copy(launch->function);
    if (launch->kernel)
        wl_import_launch_put(reading->target, launch);
    else
        wl_import_launch_free(launch);
}

/* A table's strings are its field 1. */
static void read_strings(struct reading *reading, const struct wl_protobuf_field *table)
{
    struct wl_protobuf message = wl_protobuf_within(table);
    struct wl_protobuf_field field;
    while (wl_protobuf_next(&message, &field) && reading->strings.count < MOST_STRINGS) {
        if (field.number != 1 || field.wire != 2)
            continue;
        char *text = copy_text(&field);
        WL_PUSH(&reading->strings, text);
    }
}

static bool read_block(struct reading *reading)
{
    uint64_t sources = 0, results = 0, ranges = 0, payload = 0;
    struct wl_protobuf header, message;
    struct wl_protobuf_field field;
    if (!take_message(reading, &header))
        return false;
    while (wl_protobuf_next(&header, &field)) {
        if (field.number == SOURCES && field.wire == 0)
            sources = field.value;
        else if (field.number == RESULTS && field.wire == 0)
            results = field.value;
        else if (field.number == RANGES && field.wire == 0)
            ranges = field.value;
        else if (field.number == PAYLOAD_BYTES && field.wire == 0)
            payload = field.value;
        else if (field.number == STRINGS && field.wire == 2)
            read_strings(reading, &field);
    }
    if (header.is_bad || payload > (size_t)(reading->end - reading->next))
        return false;
    struct reading within = *reading;
    within.end = reading->next + payload;
    bool is_good = true;
    for (uint64_t i = 0; i < sources && is_good; i++)
        is_good = take_message(&within, &message);
    for (uint64_t i = 0; i < results && is_good; i++) {
        is_good = i < MOST_MESSAGES && take_message(&within, &message);
        if (is_good)
            read_result(&within, message);
    }
    within.ranges += ranges;
    const unsigned char *behind = within.end, *end = reading->end;
    *reading = within;
    reading->next = behind;
    reading->end = end;
    return is_good;
}

static void note_left_out(struct reading *reading)
{
    wl_import_note(reading->target, "import-left-out",
                   "of the report the metrics of launches are read: not its source, machine code, "
                   "values of instructions, rules and comments",
                   "`ncu -i REPORT --page source --csv` has the instructions");
    if (reading->ranges)
        wl_import_note(reading->target, "import-left-out", "results of ranges are not read", "");
    if (reading->unnamed)
        wl_import_note(reading->target, "import-left-out", "some metrics have no name in the file",
                       "");
}

static enum wl_code read_report(struct wl_import_target *target, struct wl_error *error)
{
    const unsigned char *bytes = (const unsigned char *)target->content.data;
    struct reading reading = {
        .target = target, .next = bytes + MAGIC_BYTES, .end = bytes + target->content.length};
    struct wl_protobuf header;
    bool is_good = take_message(&reading, &header);
    wl_import_begin_process(target, "ncu", 0, NULL, NULL, 0);
    while (is_good && reading.next < reading.end)
        is_good = read_block(&reading);
    if (target->launches)
        note_left_out(&reading);
    for (size_t i = 0; i < reading.strings.count; i++)
        free(reading.strings.items[i]);
    free(reading.strings.items);
    if (is_good)
        return WL_OK;
    return wl_import_fail(target, WL_ERR_CORRUPT, error,
                          "the report is cut off, or its form is one that is not known");
}

static bool is_report(const struct wl_text *content)
{
    return content->length >= MAGIC_BYTES && memcmp(content->data, "NVR", MAGIC_BYTES) == 0;
}

const struct wl_import_format wl_import_ncu_report = {"ncu's report (.ncu-rep)", is_report,
                                                      read_report};
