/* Tables of Python programs: what the GPU did for which line. */
#include "report/tables.h"

/* Categories: runtime 1, driver 2, kernel 4, as in timeline_tables.c. Backward passes run on
 * threads of C++. A call and what it calls have one correlation and one stack. */
/* clang-format off */
static const char line_sum[] =
    "WITH lines AS MATERIALIZED (SELECT id, python_line(name, (SELECT text FROM session WHERE "
    "name = 'working_folder')) AS line FROM names WHERE id IN (SELECT word_1 FROM trace_events "
    "WHERE category IN (1, 2) AND word_1)), "
    "calls AS MATERIALIZED (SELECT process_id, correlation, max(word_1) AS stack FROM "
    "trace_events WHERE category IN (1, 2) AND correlation GROUP BY process_id, correlation), "
    "launches AS (SELECT coalesce(line, '(a thread without Python)') AS line, k.name_id AS name_id, "
    "k.end_ns - k.start_ns AS length FROM trace_events AS k LEFT JOIN calls ON calls.process_id = "
    "k.process_id AND calls.correlation = k.correlation LEFT JOIN lines ON lines.id = calls.stack "
    "WHERE k.category = 4 AND EXISTS (SELECT 1 FROM lines WHERE line IS NOT NULL)), "
    "kernels AS (SELECT line, name_id, count(*) AS launches, sum(length) AS length FROM launches "
    "GROUP BY line, name_id), "
    "tops AS (SELECT line, sum(launches) AS launches, sum(length) AS length, max(length), name_id "
    "FROM kernels GROUP BY line) "
    "SELECT 100.0 * length / max(1, (SELECT sum(length) FROM tops)), length, launches, "
    "1.0 * length / launches, kernel_short(names.name), line FROM tops LEFT JOIN names ON "
    "names.id = name_id ORDER BY 2 DESC, line";

const struct wl_timeline_table wl_python_tables[] = {
    {"python_line_sum", "Kernels by Line of Python",
     "a line of the program's own Python: the kernels that it launched (--python-backtrace cuda)",
     .is_of_device = true, .is_summary = true, .sql = line_sum,
     .columns = {{"Time (%)", WL_UNIT_PERCENT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Launches", WL_UNIT_COUNT},
                 {"Avg (ns)", WL_UNIT_NS},
                 {"Most Of It", WL_UNIT_TEXT},
                 {"Line", WL_UNIT_TEXT}}},
    {0},
};
/* clang-format on */
