/* Several reports into one, table by table within SQLite: what is in memory at a time is SQLite's
 * cache, however large the reports are. Ids get new numbers; names, modules, kernels and sets of
 * attributes that are equal become one, as in a report of several processes. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/database.h"
#include "report/failure.h"
#include "report/part.h"
#include "report/report.h"
#include "report/schema.h"
#include "warplens/version.h"

/* What is to be remembered between reports: the new ids of things by what they are. */
static const char begin_sql[] =
    "PRAGMA temp_store=FILE; PRAGMA cell_size_check=ON;"
    "CREATE TEMP TABLE base(processes, devices, launches, notes, names, sets, modules, kernels,"
    " value_sets, instruction_sets, events);"
    "CREATE TEMP TABLE name_ids(name TEXT PRIMARY KEY, id) WITHOUT ROWID;"
    "CREATE TEMP TABLE set_ids(content TEXT PRIMARY KEY, id) WITHOUT ROWID;"
    "CREATE TEMP TABLE kernel_ids(module_id, mangled, set_id, id,"
    " PRIMARY KEY(module_id, mangled, set_id)) WITHOUT ROWID;"
    /* of the report at hand: ids there, and here */
    "CREATE TEMP TABLE names(old INTEGER PRIMARY KEY, new);"
    "CREATE TEMP TABLE set_texts(old INTEGER PRIMARY KEY, content);"
    "CREATE TEMP TABLE sets(old INTEGER PRIMARY KEY, new);"
    "CREATE TEMP TABLE modules(old INTEGER PRIMARY KEY, new);"
    "CREATE TEMP TABLE kernels(old INTEGER PRIMARY KEY, new)";

#define SAME_MODULE                                                   \
    "m.name = i.name AND m.options = i.options AND m.architecture = " \
    "i.architecture AND m.is_stand_in = i.is_stand_in AND m.text = i.text"

/* A word of an event may be a name's id. */
#define EVENT_WORD(word)                                                               \
    "CASE substr(c." word ", -5) WHEN '_name' THEN (SELECT new FROM temp.names WHERE " \
    "old = e." word ") ELSE e." word " END"

/* The report at hand is attached as `input`. Each text is run as a whole, in this order. */
static const char *const input_sql[] = {
    "DELETE FROM temp.base; INSERT INTO temp.base SELECT"
    " (SELECT coalesce(max(id), 0) FROM main.processes),"
    " (SELECT coalesce(max(id), 0) FROM main.devices),"
    " (SELECT coalesce(max(id) + 1, 0) FROM main.launches),"
    " (SELECT coalesce(max(id), 0) FROM main.notes),"
    " (SELECT coalesce(max(id), 0) FROM main.names),"
    " (SELECT coalesce(max(set_id), 0) FROM main.attributes),"
    " (SELECT coalesce(max(id), 0) FROM main.modules),"
    " (SELECT coalesce(max(id), 0) FROM main.kernels),"
    " (SELECT coalesce(max(set_id), 0) FROM main.metric_values),"
    " (SELECT coalesce(max(set_id), 0) FROM main.instruction_values),"
    " (SELECT coalesce(max(id), 0) FROM main.trace_events)",

    "INSERT INTO main.session SELECT * FROM input.session"
    " WHERE NOT EXISTS (SELECT 1 FROM main.session) ORDER BY position",

    "INSERT INTO temp.name_ids SELECT name, base.names + row_number() OVER (ORDER "
    "BY id)"
    " FROM input.names, temp.base WHERE name NOT IN (SELECT name FROM "
    "temp.name_ids);"
    "INSERT INTO main.names SELECT id, name FROM temp.name_ids, temp.base"
    " WHERE id > base.names ORDER BY id;"
    "DELETE FROM temp.names;"
    "INSERT INTO temp.names SELECT i.id, n.id FROM input.names AS i JOIN "
    "temp.name_ids AS n"
    " USING (name) ORDER BY i.id",

    "DELETE FROM temp.set_texts; DELETE FROM temp.sets;"
    "INSERT INTO temp.set_texts SELECT set_id, group_concat(row, char(10)) FROM"
    " (SELECT set_id, names.new || ' ' || quote(text) || ' ' || quote(number) AS "
    "row"
    "  FROM input.attributes JOIN temp.names ON old = name_id ORDER BY set_id, "
    "position)"
    " GROUP BY set_id ORDER BY set_id;"
    "INSERT INTO temp.set_ids SELECT content, base.sets + row_number() OVER (ORDER "
    "BY min(old))"
    " FROM temp.set_texts, temp.base WHERE content NOT IN (SELECT content FROM "
    "temp.set_ids)"
    " GROUP BY content;"
    "INSERT INTO temp.sets SELECT old, min(id) FROM temp.set_texts JOIN "
    "temp.set_ids"
    " USING (content) GROUP BY old;"
    "INSERT INTO main.attributes SELECT new_set, position, names.new, text, number "
    "FROM"
    " (SELECT new AS new_set, min(old) AS old_set FROM temp.sets, temp.base WHERE "
    "new > base.sets"
    "  GROUP BY new) JOIN input.attributes ON set_id = old_set JOIN temp.names ON "
    "old = name_id"
    " ORDER BY 1, 2",

    "INSERT INTO main.modules SELECT base.modules + row_number() OVER (ORDER BY "
    "i.id), i.name,"
    " i.options, i.architecture, i.is_stand_in, i.text FROM input.modules AS i, "
    "temp.base"
    " WHERE NOT EXISTS (SELECT 1 FROM main.modules AS m WHERE " SAME_MODULE ");"
    "DELETE FROM temp.modules;"
    "INSERT INTO temp.modules SELECT i.id, min(m.id) FROM input.modules AS i JOIN "
    "main.modules AS m"
    " ON " SAME_MODULE " GROUP BY i.id",

    "INSERT OR IGNORE INTO temp.kernel_ids SELECT modules.new, mangled, "
    "coalesce(sets.new, 0),"
    " base.kernels + row_number() OVER (ORDER BY id) FROM temp.base, input.kernels "
    "AS i"
    " JOIN temp.modules ON modules.old = module_id LEFT JOIN temp.sets"
    " ON sets.old = attribute_set_id WHERE (modules.new, mangled, "
    "coalesce(sets.new, 0))"
    " NOT IN (SELECT module_id, mangled, set_id FROM temp.kernel_ids);"
    "DELETE FROM temp.kernels;"
    "INSERT INTO temp.kernels SELECT i.id, k.id FROM input.kernels AS i JOIN "
    "temp.modules"
    " ON modules.old = i.module_id LEFT JOIN temp.sets ON sets.old = "
    "i.attribute_set_id"
    " JOIN temp.kernel_ids AS k ON k.module_id = modules.new AND k.mangled = "
    "i.mangled"
    " AND k.set_id = coalesce(sets.new, 0);"
    "INSERT INTO main.kernels SELECT new_kernel, modules.new, mangled, demangled, "
    "function,"
    " sets.new FROM (SELECT new AS new_kernel, min(old) AS old_kernel FROM "
    "temp.kernels, temp.base"
    "  WHERE new > base.kernels GROUP BY new) JOIN input.kernels AS i ON i.id = "
    "old_kernel"
    " JOIN temp.modules ON modules.old = i.module_id LEFT JOIN temp.sets"
    " ON sets.old = i.attribute_set_id ORDER BY 1;"
    "INSERT INTO main.instructions SELECT new_kernel, position, text_line, text, "
    "opcode, pipe,"
    " names.new, line, column_number, inlined_at, function FROM (SELECT new AS "
    "new_kernel,"
    "  min(old) AS old_kernel FROM temp.kernels, temp.base WHERE new > "
    "base.kernels GROUP BY new)"
    " JOIN input.instructions ON kernel_id = old_kernel LEFT JOIN temp.names ON "
    "old = file_id"
    " ORDER BY 1, 2",

    "INSERT INTO main.processes SELECT base.processes + id, stream, pid, "
    "parent_pid, host,"
    " executable, executable_hash, command_line, start_ns, end_ns, version, "
    "collector, exit_code,"
    " is_torn, dropped, rank, rank_count FROM input.processes, temp.base ORDER BY "
    "id;"
    "INSERT INTO main.devices SELECT base.devices + id, base.processes + "
    "process_id, device_id,"
    " model, name, capability_major, capability_minor, sets.new FROM temp.base, "
    "input.devices"
    " LEFT JOIN temp.sets ON old = attribute_set_id ORDER BY id",

    "INSERT INTO main.launches SELECT base.launches + id, base.processes + "
    "process_id, number,"
    " kernels.new, base.devices + device_id, context_id, stream_id, grid_x, "
    "grid_y, grid_z,"
    " block_x, block_y, block_z, shared_dynamic_bytes, start_ns, simulated_for_ns, "
    "status,"
    " message, range, sets.new, base.value_sets + value_set_id,"
    " base.instruction_sets + instruction_value_set_id FROM temp.base, "
    "input.launches"
    " JOIN temp.kernels ON kernels.old = kernel_id LEFT JOIN temp.sets"
    " ON sets.old = attribute_set_id ORDER BY id",

    "INSERT INTO main.metric_values SELECT base.value_sets + set_id, names.new, "
    "value, mark"
    " FROM temp.base, input.metric_values JOIN temp.names ON old = name_id;"
    "INSERT INTO main.instruction_values SELECT base.instruction_sets + set_id, "
    "names.new,"
    " position, value, mark FROM temp.base, input.instruction_values JOIN "
    "temp.names"
    " ON old = name_id",

    "INSERT INTO main.notes SELECT base.notes + id, base.processes + process_id,"
    " base.launches + launch_id, launch_number, severity, code, text, hint"
    " FROM temp.base, input.notes ORDER BY id;"
    "INSERT OR IGNORE INTO main.sources SELECT names.new, found_at, text, sha256, "
    "reason"
    " FROM input.sources JOIN temp.names ON old = file_id",

    "INSERT OR IGNORE INTO main.trace_categories SELECT * FROM "
    "input.trace_categories ORDER BY id;"
    "INSERT INTO main.trace_events SELECT base.events + e.id, base.processes + "
    "process_id,"
    " category, names.new, start_ns, end_ns, thread, correlation, "
    "flags, " EVENT_WORD("word_0") ", " EVENT_WORD("word_1") ", " EVENT_WORD(
        "word_"
        "2") ", " EVENT_WORD("word_3") ", " EVENT_WORD("word_4") ", " EVENT_WORD("word_5") " FROM "
                                                                                           "temp."
                                                                                           "base, "
                                                                                           "input."
                                                                                           "trace_"
                                                                                           "events "
                                                                                           "AS e "
                                                                                           "JOIN "
                                                                                           "input."
                                                                                           "trace_"
                                                                                           "categor"
                                                                                           "ies "
                                                                                           "AS c "
                                                                                           "ON "
                                                                                           "c.id = "
                                                                                           "categor"
                                                                                           "y"
                                                                                           " LEFT "
                                                                                           "JOIN "
                                                                                           "temp."
                                                                                           "names "
                                                                                           "ON old "
                                                                                           "= "
                                                                                           "name_"
                                                                                           "id "
                                                                                           "ORDER "
                                                                                           "BY "
                                                                                           "e.id;"
                                                                                           "INSERT "
                                                                                           "INTO "
                                                                                           "main."
                                                                                           "trace_"
                                                                                           "recordi"
                                                                                           "ngs "
                                                                                           "SELECT "
                                                                                           "base."
                                                                                           "process"
                                                                                           "es + "
                                                                                           "process"
                                                                                           "_id, "
                                                                                           "records"
                                                                                           ", "
                                                                                           "dropped"
                                                                                           ","
                                                                                           " waited"
                                                                                           "_ns, "
                                                                                           "ring_"
                                                                                           "bytes, "
                                                                                           "record_"
                                                                                           "ns, "
                                                                                           "clock_"
                                                                                           "jump_"
                                                                                           "ns, "
                                                                                           "is_"
                                                                                           "simulat"
                                                                                           "ed"
                                                                                           " FROM "
                                                                                           "temp."
                                                                                           "base, "
                                                                                           "input."
                                                                                           "trace_"
                                                                                           "recordi"
                                                                                           "ngs "
                                                                                           "ORDER "
                                                                                           "BY "
                                                                                           "process"
                                                                                           "_id",
};

/* A report to be merged. */
struct input {
    const char *path;
    int64_t rank; /* the least of its processes; those without one come last */
    size_t position;
};

struct merging {
    sqlite3 *database;
    const char *part;
    struct wl_error *error;
};

static enum wl_code execute(struct merging *merging, const char *sql)
{
    if (sqlite3_exec(merging->database, sql, NULL, NULL, NULL) == SQLITE_OK)
        return WL_OK;
    return wl_database_write_error(merging->database, merging->part, merging->error);
}

/* The first value of the first row; false if there is none, or it is NULL. */
static bool ask_text(sqlite3 *database, const char *sql, char **text)
{
    sqlite3_stmt *statement = NULL;
    *text = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
        *text = wl_string_copy((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return *text != NULL;
}

static enum wl_code finish_interrupted(const char *path, struct wl_error *error)
{
    char *folder = wl_string_format("%s" WL_REPORT_STREAM_SUFFIX, path);
    bool is_there = access(folder, F_OK) == 0;
    free(folder);
    if (!is_there)
        return WL_OK;
    struct wl_report *report = NULL;
    enum wl_code code = wl_report_open(path, &report, error);
    wl_report_close(report);
    return code;
}

/* Refuses what is no report before any is read, and asks for its rank. */
static enum wl_code look_at(struct input *input, struct wl_error *error)
{
    sqlite3 *database = NULL;
    uint64_t size_bytes;
    char *rank = NULL;
    enum wl_code code = finish_interrupted(input->path, error);
    if (!code)
        code = wl_database_open(input->path, &database, &size_bytes, error);
    if (code)
        return code;
    bool is_known = ask_text(database, "SELECT min(rank) FROM processes", &rank);
    input->rank = is_known ? strtoll(rank, NULL, 10) : INT64_MAX;
    free(rank);
    sqlite3_close(database);
    return WL_OK;
}

static int by_rank(const void *left, const void *right)
{
    const struct input *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->position < b->position ? -1 : 1;
}

static enum wl_code refuse_twice(struct merging *merging, const char *path)
{
    char *stream;
    if (!ask_text(merging->database,
                  "SELECT stream FROM input.processes WHERE stream IN "
                  "(SELECT stream FROM main.processes)",
                  &stream))
        return WL_OK;
    wl_report_fail(merging->error, WL_ERR_INPUT, path,
                   "another of the reports holds the same process, %s", stream);
    free(stream);
    return wl_error_set_hint(merging->error, "name each report once, and none that was merged "
                                             "from others");
}

/* ATTACH cannot be within a transaction. */
static enum wl_code add(struct merging *merging, const char *path)
{
    sqlite3_stmt *statement = NULL;
    enum wl_code code = execute(merging, "COMMIT");
    if (code)
        return code;
    int status = sqlite3_prepare_v2(merging->database, "ATTACH ? AS input", -1, &statement, NULL);
    if (status == SQLITE_OK)
        status = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (status != SQLITE_DONE)
        return wl_report_fail(merging->error, WL_ERR_INPUT, path, "cannot open the report: %s",
                              sqlite3_errmsg(merging->database));
    code = execute(merging, "BEGIN EXCLUSIVE");
    if (!code)
        code = refuse_twice(merging, path);
    for (size_t i = 0; !code && i < sizeof input_sql / sizeof *input_sql; i++)
        if (sqlite3_exec(merging->database, input_sql[i], NULL, NULL, NULL) != SQLITE_OK) {
            bool is_damage = sqlite3_errcode(merging->database) == SQLITE_CORRUPT ||
                             sqlite3_errcode(merging->database) == SQLITE_CONSTRAINT;
            code =
                is_damage
                    ? wl_report_fail(merging->error, WL_ERR_CORRUPT, path,
                                     "the report is damaged: %s", sqlite3_errmsg(merging->database))
                    : wl_database_write_error(merging->database, merging->part, merging->error);
        }
    if (!code)
        code = execute(merging, "COMMIT; DETACH input; BEGIN EXCLUSIVE");
    return code;
}

static enum wl_code put_facts(struct merging *merging, size_t count)
{
    char *sql = sqlite3_mprintf(
        "INSERT INTO meta VALUES('format', %d), ('producer', %Q),"
        " ('created_ns', CAST(strftime('%%s', 'now') AS TEXT) || '000000000');"
        "INSERT INTO session SELECT coalesce(max(position), 0) + 1, 'merged_reports', NULL, %d"
        " FROM session",
        WL_REPORT_FORMAT, "warplens " WL_VERSION_STRING, (int)count);
    enum wl_code code = execute(merging, sql);
    sqlite3_free(sql);
    return code;
}

static enum wl_code merge_into(const char *part, const struct input *inputs, size_t count,
                               struct wl_error *error)
{
    struct merging merging = {.part = part, .error = error};
    enum wl_code code = wl_database_create(part, &merging.database, error);
    if (code)
        return code;
    code = execute(&merging, begin_sql);
    for (size_t i = 0; !code && i < count; i++)
        code = add(&merging, inputs[i].path);
    if (!code)
        code = put_facts(&merging, count);
    if (code) {
        sqlite3_close(merging.database);
        return code;
    }
    return wl_database_finish(merging.database, part, error);
}

enum wl_code wl_report_merge(const struct wl_report_merge *merge, struct wl_error *error)
{
    struct input *inputs = wl_alloc_zero(merge->count, sizeof *inputs);
    struct wl_report_part part = {0};
    enum wl_code code = WL_OK;
    for (size_t i = 0; !code && i < merge->count; i++) {
        inputs[i] = (struct input){.path = merge->paths[i], .position = i};
        code = look_at(&inputs[i], error);
    }
    if (!code) {
        qsort(inputs, merge->count, sizeof *inputs, by_rank);
        code = wl_report_part_begin(&part, merge->report_path, merge->overwrite, error);
    }
    if (!code)
        code = merge_into(part.path, inputs, merge->count, error);
    code = wl_report_part_end(&part, code, error);
    free(inputs);
    return code;
}
