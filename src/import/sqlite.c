/* Databases of nsys (`nsys export --type sqlite`) and nvprof: tables of CUPTI's activity records.
 * Of each only columns that are there are read, as they differ by version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "import/cupti_calls.h"
#include "import/database.h"
#include "import/sqlite_tables.h"
#include "import/target.h"

enum { STEPS_PER_CALL = 1000000, MOST_CALLS = 20000, MOST_PIDS = 4096 };

struct reading {
    struct wl_import_target *target;
    sqlite3 *database;
    bool is_nvprof, is_predicted, is_own; /* own: Warplens wrote it */
    int64_t origin_ns;
    uint64_t pid; /* of the process at hand, with the machine's number above its 24 bits */
    WL_VECTOR(int64_t) pids;
    unsigned calls;
    uint64_t in_use[WL_TIMELINE_MEMORY_KINDS]; /* bytes of each kind of memory */
};

/* nsys's kinds of memory are one less than CUPTI's; nvprof has CUPTI's. */
static uint64_t memory_of(const struct reading *reading, int64_t kind)
{
    int64_t own = reading->is_nvprof ? kind : kind + 1;
    return own > 0 && own < WL_TIMELINE_MEMORY_KINDS ? (uint64_t)own : 0;
}

/* ---- the database ---- */

/* A query of a hostile file does not go on for ever. */
static int stop_long_query(void *self)
{
    struct reading *reading = self;
    return ++reading->calls > MOST_CALLS;
}

static bool has_table(const struct reading *reading, const char *name)
{
    sqlite3_stmt *statement = NULL;
    bool is_there = false;
    if (sqlite3_prepare_v2(reading->database,
                           "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql "
                           "NOT LIKE 'CREATE VIRTUAL%'",
                           -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC) == SQLITE_OK)
        is_there = sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return is_there;
}

static bool has_column(const struct reading *reading, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(reading->database, NULL, table, column, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

static int64_t ask(struct reading *reading, const char *sql, int64_t otherwise)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(reading->database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        otherwise = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return otherwise;
}

static enum wl_code fail(const struct reading *reading, struct wl_error *error)
{
    return wl_import_fail(reading->target, WL_ERR_CORRUPT, error, "the database is damaged: %s",
                          sqlite3_errmsg(reading->database));
}

/* ---- names ---- */

static bool is_of_calls(const struct wl_sqlite_table *source)
{
    return source->category == WL_TIMELINE_CUDA_RUNTIME ||
           source->category == WL_TIMELINE_CUDA_DRIVER;
}

static uint32_t find_text(struct reading *reading, sqlite3_stmt **statement, const char *sql,
                          int64_t id)
{
    uint32_t name = 0;
    if (!*statement && sqlite3_prepare_v2(reading->database, sql, -1, statement, NULL) != SQLITE_OK)
        return 0;
    sqlite3_reset(*statement);
    sqlite3_bind_int64(*statement, 1, id);
    if (sqlite3_bind_parameter_count(*statement) > 1)
        sqlite3_bind_int64(*statement, 2, (int64_t)reading->pid);
    if (sqlite3_step(*statement) == SQLITE_ROW)
        name = wl_import_name(reading->target, (const char *)sqlite3_column_text(*statement, 0));
    sqlite3_reset(*statement);
    return name;
}

static const char *copy_name(int64_t kind)
{
    static const char *const names[] = {
        "[CUDA memcpy]",
        "[CUDA memcpy Host-to-Device]",
        "[CUDA memcpy Device-to-Host]",
        "[CUDA memcpy HtoA]",
        "[CUDA memcpy AtoH]",
        "[CUDA memcpy AtoA]",
        "[CUDA memcpy AtoD]",
        "[CUDA memcpy DtoA]",
        "[CUDA memcpy Device-to-Device]",
        "[CUDA memcpy Host-to-Host]",
        "[CUDA memcpy Peer-to-Peer]",
    };
    return kind >= 0 && kind < (int64_t)WL_COUNT(names) ? names[kind] : names[0];
}

static const char *memory_name(uint64_t kind)
{
    static const char *const names[WL_TIMELINE_MEMORY_KINDS] = {
        [WL_TIMELINE_MEMORY_UNKNOWN] = "Unknown", [WL_TIMELINE_MEMORY_PAGEABLE] = "Pageable",
        [WL_TIMELINE_MEMORY_PINNED] = "Pinned",   [WL_TIMELINE_MEMORY_DEVICE] = "Device",
        [WL_TIMELINE_MEMORY_ARRAY] = "Array",     [WL_TIMELINE_MEMORY_MANAGED] = "Managed",
    };
    return names[kind];
}

/* How much is in use after it; rows come in the order of time. */
static void count_memory(struct reading *reading, struct wl_timeline_record *record)
{
    uint64_t *in_use = &reading->in_use[record->words[3]], bytes = record->words[2];
    if (!record->words[4])
        *in_use += bytes;
    else
        *in_use -= bytes < *in_use ? bytes : *in_use;
    record->words[5] = *in_use;
}

#define OF_NSYS "SELECT value FROM StringIds WHERE id = ?"

static uint32_t name_event(struct reading *reading, const struct wl_sqlite_table *source,
                           sqlite3_stmt **names, int64_t value, struct wl_timeline_record *record)
{
    static const char of_nvprof[] = "SELECT value FROM StringTable WHERE _id_ = ?";
    char other[40];
    switch (record->category) {
    case WL_TIMELINE_MEMCPY:
        record->words[3] = memory_of(reading, (int64_t)record->words[3]);
        record->words[4] = memory_of(reading, (int64_t)record->words[4]);
        return wl_import_name(reading->target, copy_name((int64_t)record->words[2]));
    case WL_TIMELINE_MEMSET:
        record->words[3] = memory_of(reading, (int64_t)record->words[3]);
        return wl_import_name(reading->target, "[CUDA memset]");
    case WL_TIMELINE_MEMORY:
        record->words[3] = memory_of(reading, (int64_t)record->words[3]);
        count_memory(reading, record);
        return wl_import_name(reading->target, memory_name(record->words[3]));
    case WL_TIMELINE_SYNCHRONIZATION:
        return wl_import_name(reading->target, "synchronization");
    default:
        break;
    }
    bool is_call = is_of_calls(source);
    if (reading->is_nvprof && is_call) {
        const char *call =
            source->category == WL_TIMELINE_CUDA_RUNTIME ? wl_cupti_call(value) : NULL;
        snprintf(other, sizeof other, "%s call %lld",
                 source->category == WL_TIMELINE_CUDA_RUNTIME ? "runtime" : "driver",
                 (long long)value);
        return wl_import_name(reading->target, call ? call : other);
    }
    return find_text(reading, names, reading->is_nvprof ? of_nvprof : OF_NSYS, value);
}

static uint32_t find_name(struct reading *reading, sqlite3_stmt **names, uint64_t id)
{
    return id ? find_text(reading, names, OF_NSYS, (int64_t)id) : 0;
}

/* Words that are names, too: files and functions of OpenACC, communicators of MPI. */
static void name_words(struct reading *reading, const struct wl_sqlite_table *source,
                       sqlite3_stmt **names, struct wl_timeline_record *record)
{
    char handle[40];
    if (source->category == WL_TIMELINE_OPENACC) {
        record->words[1] = find_name(reading, names, record->words[1]);
        record->words[3] = find_name(reading, names, record->words[3]);
    } else if (record->category == WL_TIMELINE_MPI && record->words[4]) {
        snprintf(handle, sizeof handle, "communicator %#llx", (unsigned long long)record->words[4]);
        record->words[4] = reading->is_own ? find_name(reading, names, record->words[4])
                                           : wl_import_name(reading->target, handle);
    }
}

/* ---- events ---- */

/* What names are looked up by. */
struct statements {
    sqlite3_stmt *names, *domains;
};

/* As struct wl_sqlite_table has them. */
static void add_column(const struct reading *reading, const char *table, const char *column,
                       struct wl_text *sql)
{
    char name[40];
    const char *otherwise = strchr(column, '|');
    snprintf(name, sizeof name, "%.*s",
             (int)(otherwise ? otherwise - column : (ptrdiff_t)strlen(column)), column);
    if (column[0] == '(')
        wl_text_add(sql, column);
    else if (column[0] == '-' || !has_column(reading, table, name))
        wl_text_add(sql, otherwise ? otherwise + 1 : "NULL");
    else if (otherwise)
        wl_text_addf(sql, "ifnull(\"%s\", %s)", name, otherwise + 1);
    else
        wl_text_addf(sql, "\"%s\"", name);
}

static sqlite3_stmt *prepare(struct reading *reading, const struct wl_sqlite_table *source)
{
    const char *table = reading->is_nvprof ? source->nvprof_name : source->name;
    const char *const *columns = reading->is_nvprof ? source->nvprof_columns : source->columns;
    struct wl_text sql = {0};
    sqlite3_stmt *statement = NULL;
    if (!table || !has_table(reading, table) || !has_column(reading, table, columns[START]))
        return NULL;
    wl_text_add(&sql, "SELECT ");
    for (size_t i = 0; i < WL_SQLITE_COLUMNS_MOST && columns[i]; i++) {
        wl_text_add(&sql, i ? ", " : "");
        add_column(reading, table, columns[i], &sql);
    }
    bool has_text = strcmp(table, "NVTX_EVENTS") == 0 && has_column(reading, table, "text");
    wl_text_addf(&sql, ", %s FROM \"%s\" ORDER BY \"%s\"", has_text ? "\"text\"" : "NULL", table,
                 columns[START]);
    sqlite3_prepare_v2(reading->database, sql.data, -1, &statement, NULL);
    wl_text_free(&sql);
    return statement;
}

/* Whether a row is an event of its own. */
static bool is_event(const struct reading *reading, const struct wl_sqlite_table *source,
                     const int64_t *values)
{
    if (is_of_calls(source) && !reading->is_nvprof)
        return values[OWN + 1] != CLASS_BACKTRACE;
    if (source->category != WL_TIMELINE_NVTX_PUSHPOP)
        return true;
    return values[OWN] == MARK || values[OWN] == PUSH_POP || values[OWN] == START_END ||
           values[OWN] == PUSH_POP_OF_TEXT || values[OWN] == START_END_OF_TEXT;
}

static void put_row(struct reading *reading, const struct wl_sqlite_table *source,
                    sqlite3_stmt *row, struct statements *statements)
{
    int64_t values[WL_SQLITE_COLUMNS_MOST] = {0};
    int columns = sqlite3_column_count(row) - 1; /* without the text */
    for (int i = 0; i < columns && i < WL_SQLITE_COLUMNS_MOST; i++)
        values[i] = sqlite3_column_int64(row, i);
    bool has_end = sqlite3_column_type(row, END) != SQLITE_NULL;
    uint64_t pid = (uint64_t)(values[THREAD] >> 24);
    bool has_pid = !reading->is_nvprof && sqlite3_column_type(row, THREAD) != SQLITE_NULL;
    if ((has_pid && pid != reading->pid) || !is_event(reading, source, values))
        return;
    struct wl_timeline_record record = {
        .start = (uint64_t)(values[START] + reading->origin_ns),
        .end = (uint64_t)((has_end ? values[END] : values[START]) + reading->origin_ns),
        .category = (uint16_t)source->category,
        .thread = (uint32_t)(reading->is_nvprof ? values[THREAD] : values[THREAD] & 0xffffff),
        .correlation = (uint32_t)values[CORRELATION],
    };
    bool is_of_gpu = wl_timeline_categories[source->category].side == WL_TIMELINE_SIDE_DEVICE;
    if (reading->is_predicted && is_of_gpu)
        record.flags |= WL_TIMELINE_PREDICTED;
    const char *text = (const char *)sqlite3_column_text(row, columns);
    source->fill(&record, values);
    if (source->category ==
        WL_TIMELINE_NVTX_PUSHPOP) /* domains are created by rows of the same table */
        record.words[0] =
            find_text(reading, &statements->domains,
                      "SELECT text FROM NVTX_EVENTS WHERE eventType = 75 AND domainId = ?1 "
                      "AND globalTid >> 24 = ?2 AND text IS NOT NULL ORDER BY start LIMIT 1",
                      (int64_t)record.words[0]);
    record.name = text ? wl_import_name(reading->target, text)
                       : name_event(reading, source, &statements->names, values[NAME], &record);
    name_words(reading, source, &statements->names, &record);
    wl_import_event(reading->target, &record);
}

static enum wl_code put_source(struct reading *reading, const struct wl_sqlite_table *source,
                               struct wl_error *error)
{
    struct statements statements = {0};
    sqlite3_stmt *row = prepare(reading, source);
    int status = SQLITE_DONE;
    while (row && (status = sqlite3_step(row)) == SQLITE_ROW)
        put_row(reading, source, row, &statements);
    enum wl_code code = status == SQLITE_DONE ? WL_OK : fail(reading, error);
    sqlite3_finalize(statements.names);
    sqlite3_finalize(statements.domains);
    sqlite3_finalize(row);
    return code;
}

/* ---- processes and devices ---- */

static int compare_pids(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* In order: of the first machine, of the second, ... */
static void list_pids(struct reading *reading)
{
    for (size_t i = 0; i < wl_sqlite_table_count && !reading->is_nvprof; i++) {
        const char *table = wl_sqlite_tables[i].name, *column = wl_sqlite_tables[i].columns[THREAD];
        sqlite3_stmt *statement = NULL;
        if (!table || !has_table(reading, table) || !has_column(reading, table, column))
            continue;
        char *sql = wl_string_format("SELECT DISTINCT \"%s\" >> 24 FROM \"%s\" WHERE "
                                     "\"%s\" IS NOT NULL",
                                     column, table, column);
        sqlite3_prepare_v2(reading->database, sql, -1, &statement, NULL);
        while (statement && sqlite3_step(statement) == SQLITE_ROW &&
               reading->pids.count < MOST_PIDS) {
            int64_t pid = sqlite3_column_int64(statement, 0);
            bool is_known = false;
            for (size_t j = 0; j < reading->pids.count; j++)
                is_known |= reading->pids.items[j] == pid;
            if (!is_known)
                WL_PUSH(&reading->pids, pid);
        }
        sqlite3_finalize(statement);
        free(sql);
    }
    if (reading->pids.count)
        qsort(reading->pids.items, reading->pids.count, sizeof *reading->pids.items, compare_pids);
    if (!reading->pids.count) {
        int64_t pid = ask(reading, "SELECT processId FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1", 0);
        WL_PUSH(&reading->pids, pid);
    }
}

static void put_devices(struct reading *reading)
{
    sqlite3_stmt *row = NULL;
    const char *sql =
        reading->is_nvprof
            ? "SELECT id, (SELECT value FROM StringTable WHERE _id_ = name), "
              "computeCapabilityMajor, computeCapabilityMinor FROM CUPTI_ACTIVITY_KIND_DEVICE"
            : "SELECT id, name, computeMajor, computeMinor FROM TARGET_INFO_GPU";
    if (sqlite3_prepare_v2(reading->database, sql, -1, &row, NULL) != SQLITE_OK)
        return;
    while (sqlite3_step(row) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 1);
        const struct wl_record_device device = {
            .device_id = (uint32_t)sqlite3_column_int64(row, 0),
            .model = "",
            .name = name ? name : "",
            .capability_major = (uint32_t)sqlite3_column_int64(row, 2),
            .capability_minor = (uint32_t)sqlite3_column_int64(row, 3),
        };
        wl_import_device(reading->target, &device);
    }
    sqlite3_finalize(row);
}

/* The text that a query has for the process at hand, or NULL. It is bound to its first parameter.
 */
static char *ask_text(struct reading *reading, const char *sql)
{
    sqlite3_stmt *row = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(reading->database, sql, -1, &row, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(row, 1, (int64_t)reading->pid) == SQLITE_OK &&
        sqlite3_step(row) == SQLITE_ROW && sqlite3_column_text(row, 0))
        text = wl_string_copy((const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return text;
}

static void find_rank(struct reading *reading)
{
    char *rank = ask_text(reading, "SELECT rank FROM MPI_RANKS WHERE globalTid >> 24 = ?1 LIMIT 1");
    if (rank) {
        reading->target->rank.is_known = true;
        reading->target->rank.rank = strtoll(rank, NULL, 10);
        reading->target->rank.count =
            ask(reading, "SELECT count(DISTINCT rank) FROM MPI_RANKS", -1);
    }
    free(rank);
}

static void begin_process(struct reading *reading, int64_t pid)
{
    char *executable = NULL, *host = NULL;
    uint64_t own = (uint64_t)pid & (reading->is_nvprof ? UINT64_MAX : 0xffffff);
    reading->pid = (uint64_t)pid;
    if (!reading->is_nvprof) {
        executable = ask_text(reading, "SELECT name FROM PROCESSES WHERE globalPid >> 24 = ?1 OR "
                                       "pid = ?1 ORDER BY globalPid >> 24 = ?1 DESC");
        host = ask_text(reading, "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname' "
                                 "AND globalVid >> 48 = ?1 >> 24");
        find_rank(reading);
    }
    memset(reading->in_use, 0, sizeof reading->in_use);
    wl_import_begin_process(reading->target, reading->is_nvprof ? "nvprof" : "nsys", own,
                            executable, host, (uint64_t)reading->origin_ns);
    free(executable);
    free(host);
}

/* Tables with events that have no place in a report are named, not guessed. */
static void note_others(struct reading *reading)
{
    struct wl_text others = {0};
    sqlite3_stmt *row = NULL;
    sqlite3_prepare_v2(
        reading->database,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND (name LIKE "
        "'%\\_EVENTS' ESCAPE '\\' OR name LIKE 'CUPTI\\_ACTIVITY%' ESCAPE '\\' OR name "
        "LIKE '%\\_API' ESCAPE '\\') ORDER BY name",
        -1, &row, NULL);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        bool is_read = !name || strcmp(name, "CUPTI_ACTIVITY_KIND_DEVICE") == 0;
        for (size_t i = 0; i < wl_sqlite_table_count && !is_read; i++) {
            const char *table =
                reading->is_nvprof ? wl_sqlite_tables[i].nvprof_name : wl_sqlite_tables[i].name;
            is_read = table && strcmp(table, name) == 0;
        }
        if (!is_read && others.length < 1000)
            wl_text_addf(&others, "%s%.80s", others.length ? ", " : "", name);
    }
    sqlite3_finalize(row);
    if (others.length) {
        char *text = wl_string_format("tables that are not read: %s", others.data);
        wl_import_note(reading->target, "import-left-out", text, "");
        free(text);
    }
    wl_text_free(&others);
}

static enum wl_code read_all(struct reading *reading, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    reading->is_nvprof = has_table(reading, "StringTable") && !has_table(reading, "StringIds");
    if (!reading->is_nvprof && !has_table(reading, "StringIds")) {
        wl_import_fail(reading->target, WL_ERR_INPUT, error, "the database is of no known tool");
        return wl_error_set_hint(error, "nsys's has a table StringIds, nvprof's StringTable");
    }
    reading->origin_ns =
        ask(reading, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME LIMIT 1", 0);
    reading->is_predicted =
        ask(reading, "SELECT count(*) FROM META_DATA_EXPORT WHERE name = 'WARPLENS_PREDICTED'", 0);
    reading->is_own = ask(reading,
                          "SELECT count(*) FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT' AND "
                          "value = 'warplens'",
                          0) > 0;
    list_pids(reading);
    for (size_t i = 0; i < reading->pids.count && !code; i++) {
        begin_process(reading, reading->pids.items[i]);
        if (i == 0) {
            note_others(reading);
            put_devices(reading);
        }
        for (size_t j = 0; j < wl_sqlite_table_count && !code; j++)
            code = put_source(reading, &wl_sqlite_tables[j], error);
    }
    return code;
}

enum wl_code wl_import_database(struct wl_import_target *target, sqlite3 *database,
                                struct wl_error *error)
{
    struct reading reading = {.target = target, .database = database};
    sqlite3_progress_handler(database, STEPS_PER_CALL, stop_long_query, &reading);
    enum wl_code code = read_all(&reading, error);
    sqlite3_progress_handler(database, 0, NULL, NULL);
    free(reading.pids.items);
    return code;
}

static enum wl_code read_sqlite(struct wl_import_target *target, struct wl_error *error)
{
    struct reading reading = {.target = target};
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    enum wl_code code = WL_OK;
    if (sqlite3_open_v2(target->path, &reading.database, flags, NULL) != SQLITE_OK) {
        code = fail(&reading, error);
    } else {
        sqlite3_db_config(reading.database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(reading.database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(reading.database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
        sqlite3_db_config(reading.database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
        sqlite3_limit(reading.database, SQLITE_LIMIT_LENGTH, 64 << 20);
        code = wl_import_database(target, reading.database, error);
    }
    sqlite3_close(reading.database);
    return code;
}

static bool is_sqlite(const struct wl_text *content)
{
    return content->length >= 16 && memcmp(content->data, "SQLite format 3", 16) == 0;
}

const struct wl_import_format wl_import_sqlite = {"SQLite of nsys or nvprof", is_sqlite,
                                                  read_sqlite};
