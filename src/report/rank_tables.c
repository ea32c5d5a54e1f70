/* The tables of ranks: what each did, and how unlike they are. Ranks are processes that a launcher
 * numbered; in one report under `warplens trace mpirun`, or put together by `warplens merge`. */
#include "report/tables.h"
#include "timeline/record.h"

_Static_assert(WL_TIMELINE_KERNEL == 4 && WL_TIMELINE_MEMCPY == 5 && WL_TIMELINE_MEMSET == 6 &&
                   WL_TIMELINE_MPI == 15,
               "the categories of the tables");

/* clang-format off: SQL is read by its lines. */

/* A row a rank. Starting and ending MPI is neither work nor communication. */
#define RANKS                                                                                  \
    "ranks AS (SELECT rank, pid, host, wall, kernels, copies, setup, mpi, sent, received,\n"   \
    "    max(0, wall - setup - mpi) AS work\n"                                                 \
    "  FROM (SELECT process_id, max(end_ns) - min(start_ns) AS wall,\n"                        \
    "      sum(iif(category = 4, end_ns - start_ns, 0)) AS kernels,\n"                         \
    "      sum(iif(category IN (5, 6), end_ns - start_ns, 0)) AS copies,\n"                    \
    "      sum(iif(category = 15 AND names.name IN ('MPI_Init', 'MPI_Init_thread', "           \
    "'MPI_Finalize'),\n"                                                                       \
    "              end_ns - start_ns, 0)) AS setup,\n"                                         \
    "      sum(iif(category = 15 AND names.name NOT IN ('MPI_Init', 'MPI_Init_thread', "       \
    "'MPI_Finalize'),\n"                                                                       \
    "              end_ns - start_ns, 0)) AS mpi,\n"                                           \
    "      sum(iif(category = 15, word_0, 0)) AS sent, sum(iif(category = 15, word_1, 0)) AS " \
    "received\n"                                                                               \
    "    FROM trace_events LEFT JOIN names ON names.id = name_id GROUP BY process_id)\n"       \
    "  JOIN processes ON processes.id = process_id WHERE rank IS NOT NULL)\n"

static const char rank_sum[] =
    "WITH " RANKS "SELECT rank, wall, work, 100.0 * work / nullif((SELECT avg(work) FROM ranks), "
    "0), kernels, copies,\n"
    "  mpi, 100.0 * mpi / max(1, wall), setup, sent / 1000000.0, received / 1000000.0, pid, host\n"
    "FROM ranks ORDER BY rank";

/* Compound SELECTs are refused where reports are read: the first categories are but numbers here.
 */
static const char rank_imbalance_sum[] =
    "WITH " RANKS
    ", quantities AS (SELECT trace_categories.id AS number, rank, CASE trace_categories.id\n"
    "    WHEN 1 THEN wall WHEN 2 THEN work WHEN 3 THEN kernels WHEN 4 THEN copies ELSE mpi END AS "
    "value\n"
    "  FROM ranks, trace_categories WHERE trace_categories.id <= 5)\n"
    "SELECT CASE number WHEN 1 THEN 'all of it' WHEN 2 THEN 'work (outside MPI)' WHEN 3 THEN "
    "'kernels'\n"
    "    WHEN 4 THEN 'copies and sets' ELSE 'MPI' END,\n"
    "  count(*), avg(value), min(value), max(value), deviation(value),\n"
    "  100.0 * (max(value) / nullif(avg(value), 0) - 1),\n"
    "  (SELECT rank FROM quantities AS most WHERE most.number = quantities.number\n"
    "   ORDER BY value DESC, rank LIMIT 1)\n"
    "FROM quantities GROUP BY number HAVING count(*) > 1 ORDER BY number";

/* A collective of NCCL ends on all ranks together, and its kernel begins where the rank comes to
 * it: the rank that comes last has the shortest, and what another takes longer it waits. Times of
 * different ranks are not compared, only lengths. The n-th of a name is taken to be the same
 * collective on all ranks, where all have as many. */
static const char nccl_wait_sum[] =
    "WITH collectives AS MATERIALIZED (SELECT processes.rank AS rank, processes.pid AS pid,\n"
    "    processes.host AS host, names.name AS name, trace_events.end_ns - trace_events.start_ns AS "
    "length,\n"
    "    row_number() OVER (PARTITION BY process_id, name_id ORDER BY trace_events.start_ns, "
    "trace_events.id) AS number,\n"
    "    count(*) OVER (PARTITION BY process_id, name_id) AS times\n"
    "  FROM trace_events JOIN names ON names.id = name_id JOIN processes ON processes.id = "
    "process_id\n"
    "  WHERE category = 4 AND rank IS NOT NULL AND (names.name GLOB 'ncclDevKernel*' OR names.name "
    "GLOB 'ncclKernel*')),\n"
    "meetings AS MATERIALIZED (SELECT name, number, min(length) AS least, rank AS last, count(*) AS "
    "ranks,\n"
    "    count(DISTINCT times) AS numbers FROM collectives GROUP BY name, number),\n"
    "waits AS MATERIALIZED (SELECT rank, pid, host, length, length - least AS waited, last FROM\n"
    "  collectives JOIN meetings ON meetings.name = collectives.name AND meetings.number = "
    "collectives.number\n"
    "  WHERE ranks > 1 AND numbers = 1)\n"
    "SELECT rank, count(*), sum(length), sum(waited), 100.0 * sum(waited) / max(1, sum(length)),\n"
    "  sum(last = rank), iif(sum(waited), (SELECT last FROM waits AS others WHERE others.rank = "
    "waits.rank\n"
    "    GROUP BY last ORDER BY sum(waited) DESC, last LIMIT 1), NULL), pid, host\n"
    "FROM waits GROUP BY rank, pid, host ORDER BY rank";

static const char mpi_comm_sum[] =
    "SELECT sum(end_ns - start_ns), count(*), sum(word_0) / 1000000.0, sum(word_1) / 1000000.0,\n"
    "  coalesce(names.name, '?'), communicators.name\n"
    "FROM trace_events LEFT JOIN names ON names.id = name_id\n"
    "  LEFT JOIN names AS communicators ON communicators.id = word_4\n"
    "WHERE category = 15 AND word_4 GROUP BY names.name, communicators.name ORDER BY 1 DESC, 5, 6";

static const char mpi_event_trace[] =
    "SELECT trace_events.start_ns - (SELECT min(start_ns) FROM trace_events),\n"
    "  trace_events.end_ns - trace_events.start_ns, coalesce(names.name, '?'), rank, pid, thread,\n"
    "  nullif(word_3, -1), nullif(word_2, -1), word_0 / 1000000.0, word_1 / 1000000.0, "
    "communicators.name\n"
    "FROM trace_events JOIN processes ON processes.id = process_id\n"
    "  LEFT JOIN names ON names.id = name_id\n"
    "  LEFT JOIN names AS communicators ON communicators.id = word_4\n"
    "WHERE category = 15 ORDER BY trace_events.start_ns, trace_events.id";

static const char rank_launch_sum[] =
    "SELECT rank, count(*), sum(times.value),\n"
    "  100.0 * sum(times.value) / nullif(avg(sum(times.value)) OVER (), 0), sum(counts.value),\n"
    "  100.0 * sum(counts.value) / nullif(avg(sum(counts.value)) OVER (), 0), pid, host\n"
    "FROM launches JOIN processes ON processes.id = process_id\n"
    "  LEFT JOIN metric_values AS times ON times.set_id = value_set_id AND times.name_id =\n"
    "    (SELECT id FROM names WHERE name = 'gpu__time_duration.sum')\n"
    "  LEFT JOIN metric_values AS counts ON counts.set_id = value_set_id AND counts.name_id =\n"
    "    (SELECT id FROM names WHERE name = 'ptx__inst_executed.sum')\n"
    "WHERE rank IS NOT NULL GROUP BY process_id ORDER BY rank, process_id";

/* clang-format on */

const struct wl_timeline_table wl_rank_tables[] = {
    {"rank_sum", "Rank Summary", "a rank: its time within and outside of MPI", .is_summary = true,
     .is_of_device = true, .sql = rank_sum,
     .columns = {{"Rank", WL_UNIT_ID},
                 {"Time (ns)", WL_UNIT_NS},
                 {"Work (ns)", WL_UNIT_NS},
                 {"of Mean (%)", WL_UNIT_PERCENT},
                 {"Kernels (ns)", WL_UNIT_NS},
                 {"Copies (ns)", WL_UNIT_NS},
                 {"MPI (ns)", WL_UNIT_NS},
                 {"MPI (%)", WL_UNIT_PERCENT},
                 {"Setup (ns)", WL_UNIT_NS},
                 {"Sent (MB)", WL_UNIT_MEGABYTES},
                 {"Received (MB)", WL_UNIT_MEGABYTES},
                 {"PID", WL_UNIT_ID},
                 {"Host", WL_UNIT_TEXT}}},
    {"rank_imbalance_sum", "Imbalance Across Ranks",
     "a quantity: its spread over the ranks, and who has most of it", .is_summary = true,
     .is_of_device = true, .sql = rank_imbalance_sum,
     .columns = {{"Quantity", WL_UNIT_TEXT},
                 {"Ranks", WL_UNIT_COUNT},
                 {"Avg (ns)", WL_UNIT_NS},
                 {"Min (ns)", WL_UNIT_NS},
                 {"Max (ns)", WL_UNIT_NS},
                 {"StdDev (ns)", WL_UNIT_NS},
                 {"Imbalance (%)", WL_UNIT_PERCENT},
                 {"Slowest Rank", WL_UNIT_ID}}},
    {"nccl_wait_sum", "Waiting in Collectives of NCCL",
     "a rank: how long its kernels of NCCL waited for a rank that came later", .is_summary = true,
     .is_of_device = true, .sql = nccl_wait_sum,
     .columns = {{"Rank", WL_UNIT_ID},
                 {"Collectives", WL_UNIT_COUNT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Waited (ns)", WL_UNIT_NS},
                 {"Waited (%)", WL_UNIT_PERCENT},
                 {"Times Last", WL_UNIT_COUNT},
                 {"Waited Most For", WL_UNIT_ID},
                 {"PID", WL_UNIT_ID},
                 {"Host", WL_UNIT_TEXT}}},
    {"mpi_comm_sum", "MPI Communicator Summary", "a function of MPI on a communicator",
     .is_summary = true, .sql = mpi_comm_sum,
     .columns = {{"Total Time (ns)", WL_UNIT_NS},
                 {"Num Calls", WL_UNIT_COUNT},
                 {"Sent (MB)", WL_UNIT_MEGABYTES},
                 {"Received (MB)", WL_UNIT_MEGABYTES},
                 {"Name", WL_UNIT_TEXT},
                 {"Communicator", WL_UNIT_TEXT}}},
    {"mpi_event_trace", "MPI Event Trace", "a call of MPI, in order of time",
     .sql = mpi_event_trace,
     .columns = {{"Start (ns)", WL_UNIT_NS},
                 {"Duration (ns)", WL_UNIT_NS},
                 {"Event", WL_UNIT_TEXT},
                 {"Rank", WL_UNIT_ID},
                 {"Pid", WL_UNIT_ID},
                 {"Tid", WL_UNIT_ID},
                 {"Tag", WL_UNIT_ID},
                 {"PeerRank", WL_UNIT_ID},
                 {"Sent (MB)", WL_UNIT_MEGABYTES},
                 {"Received (MB)", WL_UNIT_MEGABYTES},
                 {"Communicator", WL_UNIT_TEXT}}},
    {"rank_launch_sum", "Profiled Launches by Rank", "a rank: the launches that were profiled",
     .is_summary = true, .is_of_device = true, .is_of_launches = true, .sql = rank_launch_sum,
     .columns = {{"Rank", WL_UNIT_ID},
                 {"Launches", WL_UNIT_COUNT},
                 {"Kernel Time (ns)", WL_UNIT_NS},
                 {"of Mean (%)", WL_UNIT_PERCENT},
                 {"PTX Inst", WL_UNIT_COUNT},
                 {"Inst of Mean (%)", WL_UNIT_PERCENT},
                 {"PID", WL_UNIT_ID},
                 {"Host", WL_UNIT_TEXT}}},
    {0},
};
