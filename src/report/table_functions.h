/* What the SQL of tables uses and SQLite lacks. */
#ifndef WL_REPORT_TABLE_FUNCTIONS_H
#define WL_REPORT_TABLE_FUNCTIONS_H

#include <sqlite3.h>

/* median(x) and deviation(x) of groups; python_line(stack, folder), the line of the user's Python
 * that a stack is about; kernel_short(name);
 * launch_origin(process_id, correlation, part), what led to a launch (launch_origins.h). May be
 * called repeatedly. */
void wl_table_functions_add(sqlite3 *database);

#endif
