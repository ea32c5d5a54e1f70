#include "report/schema.h"

#include <stddef.h>

#define MARK_NAME(column) \
    "CASE " column " WHEN 0 THEN 'exact' WHEN 1 THEN 'modelled' ELSE 'predicted' END"

/* WL_TIMELINE_PACK_WHERE of timeline/record.h */
#define WHERE_COLUMNS                                                          \
    "word_0 >> 48 & 65535 AS device, word_0 >> 32 & 65535 AS context, word_0 " \
    "& 4294967295 AS stream"

#define TABLE(name, columns)                                \
    {                                                       \
        "table", name, "CREATE TABLE " name "(" columns ")" \
    }
#define TABLE_BY_KEY(name, columns)                                       \
    {                                                                     \
        "table", name, "CREATE TABLE " name "(" columns ") WITHOUT ROWID" \
    }
#define VIEW(name, select)                              \
    {                                                   \
        "view", name, "CREATE VIEW " name " AS " select \
    }

const struct wl_report_object wl_report_schema[] = {
    TABLE_BY_KEY("meta", "key TEXT PRIMARY KEY, value TEXT NOT NULL"),
    TABLE("session", "position INTEGER PRIMARY KEY, name TEXT NOT NULL, text TEXT, number REAL"),
    TABLE("names", "id INTEGER PRIMARY KEY, name TEXT NOT NULL"),
    TABLE_BY_KEY("attributes",
                 "set_id INTEGER NOT NULL, position INTEGER NOT NULL, name_id INTEGER NOT NULL "
                 "REFERENCES names(id), text TEXT, number REAL, PRIMARY KEY(set_id, position)"),
    TABLE("processes",
          "id INTEGER PRIMARY KEY, stream TEXT NOT NULL, pid INTEGER NOT NULL, "
          "parent_pid INTEGER NOT NULL, host TEXT NOT NULL, executable TEXT NOT NULL, "
          "executable_hash TEXT NOT NULL, command_line TEXT NOT NULL, start_ns INTEGER NOT NULL, "
          "end_ns INTEGER, version TEXT NOT NULL, collector TEXT NOT NULL, exit_code INTEGER, "
          "is_torn INTEGER NOT NULL, dropped INTEGER NOT NULL, rank INTEGER, rank_count INTEGER"),
    TABLE("devices",
          "id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL REFERENCES processes(id), device_id "
          "INTEGER NOT NULL, model TEXT NOT NULL, name TEXT NOT NULL, capability_major INTEGER NOT "
          "NULL, capability_minor INTEGER NOT NULL, attribute_set_id INTEGER"),
    TABLE("modules", "id INTEGER PRIMARY KEY, name TEXT NOT NULL, options TEXT NOT NULL, "
                     "architecture INTEGER NOT NULL, is_stand_in INTEGER NOT NULL, "
                     "text TEXT NOT NULL"),
    TABLE("kernels", "id INTEGER PRIMARY KEY, module_id INTEGER NOT NULL REFERENCES modules(id), "
                     "mangled TEXT NOT NULL, demangled TEXT NOT NULL, function TEXT NOT NULL, "
                     "attribute_set_id INTEGER"),
    TABLE_BY_KEY("instructions",
                 "kernel_id INTEGER NOT NULL REFERENCES kernels(id), position INTEGER NOT NULL, "
                 "text_line INTEGER NOT NULL, text TEXT NOT NULL, opcode TEXT NOT NULL, "
                 "pipe TEXT NOT NULL, file_id INTEGER REFERENCES names(id), line INTEGER NOT NULL, "
                 "column_number INTEGER NOT NULL, inlined_at TEXT NOT NULL, "
                 "function TEXT NOT NULL, PRIMARY KEY(kernel_id, position)"),
    TABLE("launches",
          "id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL REFERENCES processes(id), number "
          "INTEGER NOT NULL, kernel_id INTEGER NOT NULL REFERENCES kernels(id), device_id INTEGER "
          "NOT NULL REFERENCES devices(id), context_id INTEGER NOT NULL, stream_id INTEGER NOT "
          "NULL, grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, grid_z INTEGER NOT NULL, "
          "block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL, "
          "shared_dynamic_bytes INTEGER NOT NULL, start_ns INTEGER NOT NULL, simulated_for_ns "
          "INTEGER NOT NULL, status INTEGER NOT NULL, message TEXT NOT NULL, range TEXT NOT NULL, "
          "attribute_set_id INTEGER, value_set_id INTEGER, instruction_value_set_id INTEGER"),
    TABLE_BY_KEY("metric_values",
                 "set_id INTEGER NOT NULL, name_id INTEGER NOT NULL REFERENCES names(id), "
                 "value REAL NOT NULL, mark INTEGER NOT NULL, PRIMARY KEY(set_id, name_id)"),
    TABLE_BY_KEY("instruction_values",
                 "set_id INTEGER NOT NULL, name_id INTEGER NOT NULL REFERENCES names(id), "
                 "position INTEGER NOT NULL, value REAL NOT NULL, mark INTEGER NOT NULL, "
                 "PRIMARY KEY(set_id, name_id, position)"),
    TABLE("notes", "id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL REFERENCES processes(id), "
                   "launch_id INTEGER REFERENCES launches(id), launch_number INTEGER, severity "
                   "INTEGER NOT NULL, code TEXT NOT NULL, text TEXT NOT NULL, hint TEXT NOT NULL"),
    TABLE("sources", "file_id INTEGER PRIMARY KEY REFERENCES names(id), found_at TEXT, text TEXT, "
                     "sha256 TEXT, reason TEXT"),
    TABLE("trace_categories",
          "id INTEGER PRIMARY KEY, name TEXT NOT NULL, side TEXT NOT NULL, word_0 TEXT NOT NULL, "
          "word_1 TEXT NOT NULL, word_2 TEXT NOT NULL, word_3 TEXT NOT NULL, "
          "word_4 TEXT NOT NULL, word_5 TEXT NOT NULL"),
    TABLE("trace_events",
          "id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL REFERENCES processes(id), category "
          "INTEGER NOT NULL REFERENCES trace_categories(id), name_id INTEGER REFERENCES names(id), "
          "start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, thread INTEGER NOT NULL, "
          "correlation INTEGER NOT NULL, flags INTEGER NOT NULL, word_0 INTEGER, word_1 INTEGER, "
          "word_2 INTEGER, word_3 INTEGER, word_4 INTEGER, word_5 INTEGER"),
    TABLE("trace_recordings",
          "process_id INTEGER PRIMARY KEY REFERENCES processes(id), records INTEGER NOT NULL, "
          "dropped INTEGER NOT NULL, waited_ns INTEGER NOT NULL, ring_bytes INTEGER NOT NULL, "
          "record_ns REAL NOT NULL, clock_jump_ns INTEGER NOT NULL, is_simulated INTEGER NOT NULL"),
    VIEW("launch_values", "SELECT launches.id AS launch_id, names.name AS name, value, " MARK_NAME(
                              "mark") " AS mark FROM launches JOIN metric_values ON set_id = "
                                      "value_set_id JOIN names ON names.id = name_id"),
    VIEW("launch_attributes",
         "SELECT launches.id AS launch_id, names.name AS name, attributes.text AS text, "
         "attributes.number AS number FROM launches JOIN kernels ON kernels.id = kernel_id JOIN "
         "devices ON devices.id = launches.device_id JOIN attributes ON set_id IN "
         "(launches.attribute_set_id, kernels.attribute_set_id, devices.attribute_set_id) JOIN "
         "names ON names.id = name_id"),
    VIEW("launch_instruction_values",
         "SELECT launches.id AS launch_id, kernel_id, position, names.name AS name, "
         "value, " MARK_NAME("mark") " AS mark FROM launches JOIN instruction_values ON set_id = "
                                     "instruction_value_set_id JOIN names ON names.id = name_id"),
    VIEW("trace_calls",
         "SELECT trace_events.id AS id, process_id, thread, trace_categories.name AS category, "
         "names.name AS name, start_ns, end_ns, correlation, trace_events.word_0 AS result "
         "FROM trace_events JOIN trace_categories ON trace_categories.id = category "
         "LEFT JOIN names ON names.id = name_id WHERE trace_categories.word_0 = 'result'"),
    VIEW("trace_kernels",
         "SELECT trace_events.id AS id, process_id, names.name AS name, start_ns, end_ns, "
         "correlation, " WHERE_COLUMNS ", word_1 >> 32 AS grid_x, word_1 >> 16 & 65535 AS grid_y, "
         "word_1 & 65535 AS grid_z, word_2 >> 48 & 65535 AS block_x, word_2 >> 32 & 65535 AS "
         "block_y, word_2 >> 16 & 65535 AS block_z, word_2 & 65535 AS registers, word_3 >> 32 AS "
         "shared_static_bytes, word_3 & 4294967295 AS shared_dynamic_bytes, word_4 AS graph_node, "
         "flags & 1 AS is_predicted FROM trace_events LEFT JOIN names ON names.id = name_id WHERE "
         "category = 4"),
    VIEW("trace_copies", "SELECT id, process_id, category = 6 AS is_set, start_ns, end_ns, "
                         "correlation, " WHERE_COLUMNS ", word_1 AS bytes, "
                         "CASE category WHEN 5 THEN word_2 END AS copy_kind, CASE category WHEN 5 "
                         "THEN word_3 END AS source_memory, CASE category WHEN 5 THEN word_4 ELSE "
                         "word_3 END AS destination_memory, word_5 AS graph_node, flags & 1 AS "
                         "is_predicted FROM trace_events WHERE category IN (5, 6)"),
    {0},
};
