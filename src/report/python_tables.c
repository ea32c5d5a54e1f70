/* Tables of Python programs: what the GPU did for which line. */
#include "report/tables.h"

/* Categories: runtime 1, driver 2, kernel 4, ranges of NVTX 8, as in timeline_tables.c; flag 32: an
 * operator of PyTorch. Backward passes run on threads of C++: theirs is the line of the operator
 * that they are the derivative of, where operators were recorded. A call and what it calls have one
 * correlation and one stack. */
/* clang-format off */
static const char line_sum[] =
    "WITH lines AS MATERIALIZED (SELECT id, python_line(name, (SELECT text FROM session WHERE "
    "name = 'working_folder')) AS line FROM names WHERE id IN (SELECT word_1 FROM trace_events "
    "WHERE category IN (1, 2) AND word_1) OR id IN (SELECT word_5 FROM trace_events WHERE category "
    "= 8 AND flags & 32 AND word_5)), "
    "calls AS MATERIALIZED (SELECT process_id, correlation, max(word_1) AS stack FROM "
    "trace_events WHERE category IN (1, 2) AND correlation GROUP BY process_id, correlation), "
    "chosen AS MATERIALIZED (SELECT k.name_id AS name_id, k.end_ns - k.start_ns AS length, "
    "launch_origin(k.process_id, k.correlation, 1) IS NOT NULL AS is_backward, coalesce((SELECT line "
    "FROM lines WHERE lines.id = calls.stack), (SELECT line FROM lines WHERE lines.id = "
    "launch_origin(k.process_id, k.correlation, 3)), '(a thread without Python)') AS line "
    "FROM trace_events AS k LEFT JOIN calls ON calls.process_id = k.process_id AND "
    "calls.correlation = k.correlation "
    "WHERE k.category = 4 AND EXISTS (SELECT 1 FROM lines WHERE line IS NOT NULL)), "
    "kernels AS (SELECT line, name_id, count(*) AS launches, sum(length) AS length, sum(iif("
    "is_backward, length, 0)) AS backward FROM chosen GROUP BY line, name_id), "
    "tops AS (SELECT line, sum(launches) AS launches, sum(length) AS length, sum(backward) AS "
    "backward, max(length), name_id FROM kernels GROUP BY line) "
    "SELECT 100.0 * length / max(1, (SELECT sum(length) FROM tops)), length, launches, "
    "1.0 * length / launches, backward, kernel_short(names.name), line FROM tops LEFT JOIN names ON "
    "names.id = name_id ORDER BY 2 DESC, line";

static const char operator_sum[] =
    "WITH chosen AS MATERIALIZED (SELECT name_id, end_ns - start_ns AS length, "
    "launch_origin(process_id, correlation, 0) AS operator, launch_origin(process_id, "
    "correlation, 1) AS backward FROM trace_events WHERE category = 4 AND EXISTS (SELECT 1 FROM "
    "trace_events WHERE category = 8 AND flags & 32)), "
    "kernels AS (SELECT operator, backward, name_id, count(*) AS launches, sum(length) AS length "
    "FROM chosen GROUP BY operator, backward, name_id), "
    "tops AS (SELECT operator, backward, sum(launches) AS launches, sum(length) AS length, "
    "max(length), name_id FROM kernels GROUP BY operator, backward) "
    "SELECT 100.0 * length / max(1, (SELECT sum(length) FROM tops)), length, launches, "
    "1.0 * length / launches, kernel_short(names.name), iif(backward = operator, 'itself', nodes.name), "
    "coalesce(operators.name, '(no operator)') FROM tops LEFT JOIN names ON names.id = name_id LEFT "
    "JOIN names AS operators ON operators.id = operator LEFT JOIN names AS nodes ON nodes.id = "
    "backward ORDER BY 2 DESC, 7, 6";

/* "nn.Module: Net.layers.0 (Linear)": a module within another has its name and a '.' before its own. */
static const char module_sum[] =
    "WITH chosen AS MATERIALIZED (SELECT name_id, end_ns - start_ns AS length, "
    "launch_origin(process_id, correlation, 2) AS module, launch_origin(process_id, "
    "correlation, 1) IS NOT NULL AS is_backward FROM trace_events WHERE category = 4 AND EXISTS ("
    "SELECT 1 FROM trace_events JOIN names ON names.id = name_id WHERE category = 8 AND names.name "
    "GLOB 'nn.Module: *')), "
    "kernels AS (SELECT module, name_id, count(*) AS launches, sum(length) AS length, sum(iif("
    "is_backward, length, 0)) AS backward FROM chosen GROUP BY module, name_id), "
    "tops AS MATERIALIZED (SELECT coalesce(substr(modules.name, 12), '(no module)') AS name, launches, "
    "length, backward, name_id FROM (SELECT module, sum(launches) AS launches, sum(length) AS length, "
    "sum(backward) AS backward, max(length), name_id FROM kernels GROUP BY module) LEFT JOIN names AS "
    "modules ON modules.id = module), "
    "paths AS MATERIALIZED (SELECT DISTINCT substr(name, 12) AS name, iif(instr(name, ' ('), "
    "substr(name, 12, instr(substr(name, 12), ' (') - 1), substr(name, 12)) AS path FROM names WHERE "
    "name GLOB 'nn.Module: *'), "
    "inner_tops AS MATERIALIZED (SELECT path, length, backward, launches FROM tops JOIN paths ON "
    "paths.name = tops.name) "
    "SELECT 100.0 * whole / max(1, (SELECT sum(length) FROM tops)), whole, whole_launches, "
    "whole_backward, coalesce(own, 0), kernel_short(names.name), shown.name FROM (SELECT paths.name "
    "AS name, (SELECT sum(length) FROM inner_tops WHERE inner_tops.path = paths.path OR "
    "substr(inner_tops.path, 1, length(paths.path) + 1) = paths.path || '.') AS whole, (SELECT "
    "sum(launches) FROM inner_tops WHERE inner_tops.path = paths.path OR substr(inner_tops.path, 1, "
    "length(paths.path) + 1) = paths.path || '.') AS whole_launches, (SELECT sum(backward) FROM "
    "inner_tops WHERE inner_tops.path = paths.path OR substr(inner_tops.path, 1, length(paths.path) "
    "+ 1) = paths.path || '.') AS whole_backward, tops.length AS own, tops.name_id AS name_id FROM "
    "paths LEFT JOIN tops ON tops.name = paths.name) AS shown LEFT JOIN names ON names.id = name_id "
    "WHERE whole ORDER BY 2 DESC, shown.name";

const struct wl_timeline_table wl_python_tables[] = {
    {"python_line_sum", "Kernels by Line of Python",
     "a line of the program's own Python: the kernels that it launched (--python-backtrace cuda)",
     .is_of_device = true, .is_summary = true, .has_whole_texts = true, .sql = line_sum,
     .columns = {{"Time (%)", WL_UNIT_PERCENT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Launches", WL_UNIT_COUNT},
                 {"Avg (ns)", WL_UNIT_NS},
                 {"Backward (ns)", WL_UNIT_NS},
                 {"Most Of It", WL_UNIT_TEXT},
                 {"Line", WL_UNIT_TEXT}}},
    {"pytorch_operator_sum", "Kernels by Operator of PyTorch",
     "an operator of PyTorch, and the node of the backward pass that it is in: the kernels that it launched (--pytorch autograd-nvtx)",
     .is_of_device = true, .is_summary = true, .has_whole_texts = true, .sql = operator_sum,
     .columns = {{"Time (%)", WL_UNIT_PERCENT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Launches", WL_UNIT_COUNT},
                 {"Avg (ns)", WL_UNIT_NS},
                 {"Most Of It", WL_UNIT_TEXT},
                 {"Backward Node", WL_UNIT_TEXT},
                 {"Operator", WL_UNIT_TEXT}}},
    {"pytorch_module_sum", "Kernels by Module of PyTorch",
     "a module of PyTorch with those within it: the kernels that it and its backward pass launched (--pytorch functions-trace)",
     .is_of_device = true, .is_summary = true, .has_whole_texts = true, .sql = module_sum,
     .columns = {{"Time (%)", WL_UNIT_PERCENT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Launches", WL_UNIT_COUNT},
                 {"Backward (ns)", WL_UNIT_NS},
                 {"Own Time (ns)", WL_UNIT_NS},
                 {"Most Of Its Own", WL_UNIT_TEXT},
                 {"Module", WL_UNIT_TEXT}}},
    {0},
};
/* clang-format on */
