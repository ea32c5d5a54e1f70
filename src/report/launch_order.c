#include "report/launch_order.h"

#include "report/database.h"

/* Ids are unique at each step: the new ones are negative first. */
static const char script[] =
    "CREATE TEMP TABLE launch_ids AS SELECT id AS old, row_number() OVER (ORDER BY process_id, "
    "number, id) - 1 AS new FROM main.launches;"
    "CREATE UNIQUE INDEX temp.launch_ids_old ON launch_ids(old);"
    "UPDATE main.launches SET id = (SELECT -1 - new FROM temp.launch_ids WHERE old = id);"
    "UPDATE main.launches SET id = -1 - id;"
    "UPDATE main.notes SET launch_id = (SELECT new FROM temp.launch_ids WHERE old = launch_id) "
    "WHERE launch_id IS NOT NULL;"
    "DROP TABLE temp.launch_ids;";

void wl_launch_order_renumber(struct wl_inserter *inserter)
{
    if (wl_inserter_has_failed(inserter))
        return;
    if (sqlite3_exec(inserter->database, script, NULL, NULL, NULL) != SQLITE_OK)
        wl_database_write_error(inserter->database, inserter->path, &inserter->error);
}
