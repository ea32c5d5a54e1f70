/* nsys's JSON, one object a line: events as older versions write them (TraceProcessEvent,
 * CudaEvent, NvtxEvent, and a list of texts), or rows of the tables of its SQLite, which newer ones
 * write
 * ("table": "NVTX_EVENTS"). Both become those tables, in memory, and are read as such. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "import/database.h"
#include "import/trace_event.h"
#include "report/keys.h"

enum { MOST_TABLES = 200, MOST_COLUMNS = 64, MOST_KINDS = 20, MOST_VALUES = 64 };

/* A column of a row to be written. */
struct value {
    const char *column;
    const json_t *value;
};

struct row {
    const char *table;
    struct value values[MOST_VALUES];
    size_t count;
};

/* A table that there is: its columns are added as rows bring them. */
struct table {
    char *name, *columns[MOST_COLUMNS];
    size_t count;
};

struct kind {
    char *name;
    uint64_t count;
};

struct reading {
    struct wl_import_target *target;
    sqlite3 *database;
    WL_VECTOR(struct table) tables;
    struct kind kinds[MOST_KINDS]; /* of what was not read */
    size_t kind_count;
    uint64_t left_out;
    bool has_failed;
};

/* ---- rows ---- */

/* Names of tables and columns go into SQL: nothing but words. */
static bool is_word(const char *text)
{
    size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return length > 0 && length < 80 && !text[length] && strncmp(text, "sqlite_", 7) != 0;
}

static void run_sql(struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void run_sql(struct reading *reading, const char *format, ...)
{
    struct wl_text sql = {0};
    va_list arguments;
    va_start(arguments, format);
    wl_text_addv(&sql, format, arguments);
    va_end(arguments);
    reading->has_failed |= sqlite3_exec(reading->database, sql.data, NULL, NULL, NULL) != SQLITE_OK;
    wl_text_free(&sql);
}

static struct table *find_table(struct reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->tables.count; i++)
        if (strcmp(reading->tables.items[i].name, name) == 0)
            return &reading->tables.items[i];
    if (reading->tables.count == MOST_TABLES)
        return NULL;
    struct table table = {.name = wl_string_copy(name)};
    bool is_texts = strcmp(name, "StringIds") == 0;
    run_sql(reading,
            is_texts ? "CREATE TABLE \"%s\"(id INTEGER PRIMARY KEY)"
                     : "CREATE TABLE \"%s\"(number_of_row INTEGER PRIMARY KEY)",
            name);
    if (is_texts)
        table.columns[table.count++] = wl_string_copy("id");
    WL_PUSH(&reading->tables, table);
    return &reading->tables.items[reading->tables.count - 1];
}

static bool add_column(struct reading *reading, struct table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcasecmp(table->columns[i], name) == 0)
            return true;
    if (table->count == MOST_COLUMNS || !is_word(name))
        return false;
    table->columns[table->count++] = wl_string_copy(name);
    run_sql(reading, "ALTER TABLE \"%s\" ADD COLUMN \"%s\"", table->name, name);
    return true;
}

/* Numbers of 64 bits stand as texts in JSON. */
static bool is_whole_number(const char *text)
{
    size_t sign = *text == '-', digits = strspn(text + sign, "0123456789");
    return digits > 0 && digits < 20 && !text[sign + digits];
}

static void bind(sqlite3_stmt *statement, int index, const char *column, const json_t *value)
{
    const char *text = json_string_value(value);
    bool is_text =
        strcmp(column, "value") == 0 || strcmp(column, "text") == 0 || strcmp(column, "name") == 0;
    if (text && !is_text && is_whole_number(text))
        sqlite3_bind_int64(statement, index, (int64_t)strtoull(text, NULL, 10));
    else if (text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
    else if (json_is_integer(value))
        sqlite3_bind_int64(statement, index, json_integer_value(value));
    else if (json_is_real(value))
        sqlite3_bind_double(statement, index, json_real_value(value));
    else if (json_is_boolean(value))
        sqlite3_bind_int64(statement, index, json_is_true(value));
}

static void put_row(struct reading *reading, const struct row *row)
{
    struct table *table = find_table(reading, row->table);
    sqlite3_stmt *statement = NULL;
    struct wl_text names = {0}, marks = {0};
    const struct value *used[MOST_VALUES];
    int count = 0;
    for (size_t i = 0; table && i < row->count; i++) {
        bool is_again = false;
        for (int j = 0; j < count; j++)
            is_again |= strcasecmp(used[j]->column, row->values[i].column) == 0;
        if (is_again || !add_column(reading, table, row->values[i].column))
            continue;
        wl_text_addf(&names, "%s\"%s\"", count ? "," : "", row->values[i].column);
        wl_text_add(&marks, count ? ",?" : "?");
        used[count++] = &row->values[i];
    }
    if (count) {
        char *sql = wl_string_format("INSERT OR REPLACE INTO \"%s\"(%s) VALUES(%s)", row->table,
                                     names.data, marks.data);
        reading->has_failed |=
            sqlite3_prepare_v2(reading->database, sql, -1, &statement, NULL) != SQLITE_OK;
        for (int i = 0; i < count; i++)
            bind(statement, i + 1, used[i]->column, used[i]->value);
        /* a row whose number is no number is left out */
        reading->left_out += sqlite3_step(statement) != SQLITE_DONE;
        sqlite3_finalize(statement);
        free(sql);
    } else {
        reading->left_out++;
    }
    wl_text_free(&names);
    wl_text_free(&marks);
}

static void add_value(struct row *row, const char *column, const json_t *value)
{
    if (value && !json_is_null(value) && row->count < MOST_VALUES)
        row->values[row->count++] = (struct value){column, value};
}

/* ---- events of older versions ---- */

/* What a member is called as a column. */
struct pair {
    const char *member, *column;
};

static void add_pairs(struct row *row, const json_t *object, const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_value(row, pairs[i].column, json_object_get(object, pairs[i].member));
}

static const struct pair of_call[] = {
    {"startNs", "start"},           {"endNs", "end"},   {"correlationId", "correlationId"},
    {"globalTid", "globalTid"},     {"name", "nameId"}, {"eventClass", "eventClass"},
    {"returnValue", "returnValue"},
};
static const struct pair of_device[] = {
    {"startNs", "start"},
    {"endNs", "end"},
    {"correlationId", "correlationId"},
    {"deviceId", "deviceId"},
    {"contextId", "contextId"},
    {"streamId", "streamId"},
    {"globalPid", "globalPid"},
    {"graphNodeId", "graphNodeId"},
};
static const struct pair of_kernel[] = {
    {"demangledName", "demangledName"},
    {"gridX", "gridX"},
    {"gridY", "gridY"},
    {"gridZ", "gridZ"},
    {"blockX", "blockX"},
    {"blockY", "blockY"},
    {"blockZ", "blockZ"},
    {"staticSharedMemory", "staticSharedMemory"},
    {"dynamicSharedMemory", "dynamicSharedMemory"},
    {"registersPerThread", "registersPerThread"},
};
static const struct pair of_copy[] = {
    {"sizebytes", "bytes"},
    {"copyKind", "copyKind"},
    {"srcKind", "srcKind"},
    {"dstKind", "dstKind"},
};
static const struct pair of_set[] = {
    {"sizebytes", "bytes"},
    {"value", "value"},
    {"memKind", "memKind"},
};
static const struct pair of_sync[] = {{"syncType", "syncType"}};
static const struct pair of_range[] = {
    {"Timestamp", "start"}, {"EndTimestamp", "end"},  {"GlobalTid", "globalTid"},
    {"Type", "eventType"},  {"DomainId", "domainId"}, {"Text", "text"},
    {"TextId", "textId"},   {"Category", "category"}, {"Color", "color"},
};

/* What a CUDA event is, by which member it has. */
static const struct {
    const char *member, *table;
    const struct pair *pairs;
    size_t count;
} works[] = {
    {"kernel", "CUPTI_ACTIVITY_KIND_KERNEL", of_kernel, WL_COUNT(of_kernel)},
    {"memcpy", "CUPTI_ACTIVITY_KIND_MEMCPY", of_copy, WL_COUNT(of_copy)},
    {"memset", "CUPTI_ACTIVITY_KIND_MEMSET", of_set, WL_COUNT(of_set)},
    {"sync", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", of_sync, WL_COUNT(of_sync)},
};

/* Classes of calls that are no CUDA calls (ENUM_NSYS_EVENT_CLASS). */
static const struct {
    int64_t event_class;
    const char *table;
} classes[] = {
    {0, "CUPTI_ACTIVITY_KIND_RUNTIME"},
    {1, "CUPTI_ACTIVITY_KIND_RUNTIME"},
    {27, "OSRT_API"},
    {28, "CUDNN_EVENTS"},
    {29, "CUBLAS_EVENTS"},
};

static void count_unread(struct reading *reading, const char *name)
{
    size_t i = 0;
    while (i < reading->kind_count && strcmp(reading->kinds[i].name, name) != 0)
        i++;
    if (i == reading->kind_count) {
        if (i == MOST_KINDS) {
            reading->left_out++;
            return;
        }
        reading->kinds[reading->kind_count++].name = wl_string_copy(name);
    }
    reading->kinds[i].count++;
}

static void take_call(struct reading *reading, const json_t *event)
{
    int64_t number = (int64_t)wl_import_json_number(json_object_get(event, "eventClass"));
    char unread[60];
    struct row row = {0};
    for (size_t i = 0; i < WL_COUNT(classes); i++)
        if (classes[i].event_class == number)
            row.table = classes[i].table;
    if (row.table) {
        add_pairs(&row, event, of_call, WL_COUNT(of_call));
        put_row(reading, &row);
        return;
    }
    snprintf(unread, sizeof unread, "TraceProcessEvent of class %" PRId64, number);
    count_unread(reading, unread);
}

static void take_work(struct reading *reading, const json_t *event)
{
    struct row row = {0};
    for (size_t i = 0; i < WL_COUNT(works) && !row.table; i++) {
        const json_t *work = json_object_get(event, works[i].member);
        if (!work)
            continue;
        row.table = works[i].table;
        add_pairs(&row, event, of_device, WL_COUNT(of_device));
        add_pairs(&row, work, works[i].pairs, works[i].count);
        put_row(reading, &row);
    }
    if (!row.table)
        count_unread(reading, "CudaEvent of another kind");
}

static void take_range(struct reading *reading, const json_t *event)
{
    struct row row = {.table = "NVTX_EVENTS"};
    add_pairs(&row, event, of_range, WL_COUNT(of_range));
    put_row(reading, &row);
}

/* ---- lines ---- */

static void put_text(struct reading *reading, const json_t *id, const json_t *text)
{
    struct row row = {.table = "StringIds"};
    add_value(&row, "id", id);
    add_value(&row, "value", text);
    if (row.count == 2)
        put_row(reading, &row);
}

/* Texts by their position; threads, which the report knows by number, are such a list, too. */
static void take_list(struct reading *reading, const json_t *list)
{
    size_t index;
    json_t *text;
    json_array_foreach(list, index, text)
    {
        json_t *id = json_integer((json_int_t)index);
        if (json_is_string(text))
            put_text(reading, id, text);
        json_decref(id);
    }
}

static void take_table_row(struct reading *reading, const char *table, json_t *line)
{
    struct row row = {.table = table};
    const char *name;
    json_t *value;
    if (!is_word(table)) {
        reading->left_out++;
        return;
    }
    json_object_foreach(line, name, value)
    {
        if (strcmp(name, "table") != 0)
            add_value(&row, name, value);
    }
    put_row(reading, &row);
}

static void take_line(struct reading *reading, json_t *line)
{
    static const struct {
        const char *member;
        void (*take)(struct reading *reading, const json_t *event);
    } kinds[] = {{"TraceProcessEvent", take_call},
                 {"CudaEvent", take_work},
                 {"NvtxEvent", take_range},
                 {"data", take_list}};
    const char *table = json_string_value(json_object_get(line, "table")), *name;
    json_t *value;
    if (table) {
        take_table_row(reading, table, line);
        return;
    }
    for (size_t i = 0; i < WL_COUNT(kinds); i++) {
        const json_t *event = json_object_get(line, kinds[i].member);
        if (event) {
            kinds[i].take(reading, event);
            return;
        }
    }
    if (strcmp(wl_import_json_text(line, "type"), "String") == 0) {
        put_text(reading, json_object_get(line, "id"), json_object_get(line, "value"));
        return;
    }
    json_object_foreach(line, name, value)
    {
        if (json_is_object(value)) {
            count_unread(reading, name);
            return;
        }
    }
}

static enum wl_code read_lines(struct reading *reading, struct wl_error *error)
{
    const char *next = reading->target->content.data;
    const char *end = next + reading->target->content.length;
    for (unsigned number = 1; next < end; number++) {
        const char *stop = memchr(next, '\n', (size_t)(end - next));
        size_t length = (size_t)((stop ? stop : end) - next);
        json_error_t trouble;
        bool is_empty = strspn(next, " \t\r") >= length;
        json_t *line = is_empty ? NULL : json_loadb(next, length, JSON_ALLOW_NUL, &trouble);
        if (!line && !is_empty)
            return wl_import_fail(reading->target, WL_ERR_CORRUPT, error, "line %u: %s", number,
                                  trouble.text);
        if (line)
            take_line(reading, line);
        json_decref(line);
        next = stop ? stop + 1 : end;
    }
    if (reading->has_failed)
        return wl_import_fail(reading->target, WL_ERR_CORRUPT, error,
                              "its rows are not tables of nsys: %s",
                              sqlite3_errmsg(reading->database));
    return WL_OK;
}

static void note_unread(struct reading *reading)
{
    struct wl_text text = {0};
    for (size_t i = 0; i < reading->kind_count; i++)
        wl_text_addf(&text, "%s%.80s (%" PRIu64 ")",
                     i ? ", " : "events that are not read: ", reading->kinds[i].name,
                     reading->kinds[i].count);
    if (text.length)
        wl_import_note(reading->target, "import-left-out", text.data, "");
    text.length = 0;
    wl_text_addf(&text, "%" PRIu64 " lines had nothing that can be read", reading->left_out);
    if (reading->left_out)
        wl_import_note(reading->target, "import-left-out", text.data, "");
    wl_text_free(&text);
}

static enum wl_code read_nsys_json(struct wl_import_target *target, struct wl_error *error)
{
    struct reading reading = {.target = target};
    enum wl_code code = WL_OK;
    if (sqlite3_open(":memory:", &reading.database) != SQLITE_OK)
        code = wl_import_fail(target, WL_ERR_MEMORY, error, "no database can be made in memory");
    if (!code) {
        sqlite3_exec(reading.database, "BEGIN", NULL, NULL, NULL);
        find_table(&reading, "StringIds");
        code = read_lines(&reading, error);
    }
    if (!code) {
        sqlite3_exec(reading.database, "COMMIT", NULL, NULL, NULL);
        code = wl_import_database(target, reading.database, error);
    }
    if (!code)
        note_unread(&reading);
    for (size_t i = 0; i < reading.tables.count; i++) {
        for (size_t j = 0; j < reading.tables.items[i].count; j++)
            free(reading.tables.items[i].columns[j]);
        free(reading.tables.items[i].name);
    }
    for (size_t i = 0; i < reading.kind_count; i++)
        free(reading.kinds[i].name);
    free(reading.tables.items);
    sqlite3_close(reading.database);
    return code;
}

/* Its first line is an object of one of the known forms; the head may cut it off. */
static bool is_nsys_json(const struct wl_text *content)
{
    static const char *const beginnings[] = {
        "{\"data\":[",      "{\"Type\":",       "{\"table\":\"",       "{\"TraceProcessEvent\":{",
        "{\"NvtxEvent\":{", "{\"CudaEvent\":{", "{\"type\":\"String\""};
    char start[64];
    size_t length = 0;
    for (const char *at = content->data; *at && length < sizeof start - 1; at++)
        if (!strchr(" \t\r\n", *at))
            start[length++] = *at;
    start[length] = '\0';
    for (size_t i = 0; i < WL_COUNT(beginnings); i++)
        if (strncmp(start, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

const struct wl_import_format wl_import_nsys_json = {"JSON of nsys", is_nsys_json, read_nsys_json};
