#include "report/schema.h"

#include <stddef.h>

#define MARK_NAME(column) \
    "CASE " column " WHEN 0 THEN 'exact' WHEN 1 THEN 'modelled' ELSE 'predicted' END"

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
                 "set_id INTEGER NOT NULL, position INTEGER NOT NULL, "
                 "name_id INTEGER NOT NULL REFERENCES names(id), text TEXT, number REAL, "
                 "PRIMARY KEY(set_id, position)"),
    TABLE("processes",
          "id INTEGER PRIMARY KEY, stream TEXT NOT NULL, pid INTEGER NOT NULL, "
          "parent_pid INTEGER NOT NULL, host TEXT NOT NULL, executable TEXT NOT NULL, "
          "executable_hash TEXT NOT NULL, command_line TEXT NOT NULL, start_ns INTEGER NOT NULL, "
          "end_ns INTEGER, version TEXT NOT NULL, collector TEXT NOT NULL, exit_code INTEGER, "
          "is_torn INTEGER NOT NULL, dropped INTEGER NOT NULL, rank INTEGER, rank_count INTEGER"),
    TABLE("devices",
          "id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL REFERENCES processes(id), "
          "device_id INTEGER NOT NULL, model TEXT NOT NULL, name TEXT NOT NULL, "
          "capability_major INTEGER NOT NULL, capability_minor INTEGER NOT NULL, "
          "attribute_set_id INTEGER"),
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
          "id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL REFERENCES processes(id), "
          "number INTEGER NOT NULL, kernel_id INTEGER NOT NULL REFERENCES kernels(id), "
          "device_id INTEGER NOT NULL REFERENCES devices(id), context_id INTEGER NOT NULL, "
          "stream_id INTEGER NOT NULL, grid_x INTEGER NOT NULL, grid_y INTEGER NOT NULL, "
          "grid_z INTEGER NOT NULL, block_x INTEGER NOT NULL, block_y INTEGER NOT NULL, "
          "block_z INTEGER NOT NULL, shared_dynamic_bytes INTEGER NOT NULL, "
          "start_ns INTEGER NOT NULL, simulated_for_ns INTEGER NOT NULL, "
          "status INTEGER NOT NULL, message TEXT NOT NULL, range TEXT NOT NULL, "
          "attribute_set_id INTEGER, value_set_id INTEGER, instruction_value_set_id INTEGER"),
    TABLE_BY_KEY("metric_values",
                 "set_id INTEGER NOT NULL, name_id INTEGER NOT NULL REFERENCES names(id), "
                 "value REAL NOT NULL, mark INTEGER NOT NULL, PRIMARY KEY(set_id, name_id)"),
    TABLE_BY_KEY("instruction_values",
                 "set_id INTEGER NOT NULL, name_id INTEGER NOT NULL REFERENCES names(id), "
                 "position INTEGER NOT NULL, value REAL NOT NULL, mark INTEGER NOT NULL, "
                 "PRIMARY KEY(set_id, name_id, position)"),
    TABLE("notes", "id INTEGER PRIMARY KEY, process_id INTEGER NOT NULL REFERENCES processes(id), "
                   "launch_id INTEGER REFERENCES launches(id), launch_number INTEGER, "
                   "severity INTEGER NOT NULL, code TEXT NOT NULL, text TEXT NOT NULL, "
                   "hint TEXT NOT NULL"),
    TABLE("sources", "file_id INTEGER PRIMARY KEY REFERENCES names(id), found_at TEXT, text TEXT, "
                     "sha256 TEXT, reason TEXT"),
    VIEW("launch_values", "SELECT launches.id AS launch_id, names.name AS name, value, " MARK_NAME(
                              "mark") " AS mark FROM launches JOIN metric_values ON set_id = "
                                      "value_set_id JOIN names ON names.id = name_id"),
    VIEW("launch_attributes",
         "SELECT launches.id AS launch_id, names.name AS name, attributes.text AS text, "
         "attributes.number AS number "
         "FROM launches JOIN kernels ON kernels.id = kernel_id "
         "JOIN devices ON devices.id = launches.device_id JOIN attributes ON set_id IN "
         "(launches.attribute_set_id, kernels.attribute_set_id, devices.attribute_set_id) "
         "JOIN names ON names.id = name_id"),
    VIEW("launch_instruction_values",
         "SELECT launches.id AS launch_id, kernel_id, position, names.name AS name, "
         "value, " MARK_NAME("mark") " AS mark FROM launches JOIN instruction_values ON set_id = "
                                     "instruction_value_set_id JOIN names ON names.id = name_id"),
    {0},
};
