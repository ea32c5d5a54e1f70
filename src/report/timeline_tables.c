/* The tables of a trace. Views of the report cannot be used: they are switched off where it is
 * read. */
#include "report/tables.h"
#include "report/trace_sql.h"

#define DEVICE "(word_0 >> 48 & 65535)"
#define CONTEXT "(word_0 >> 32 & 65535)"
#define STREAM "(word_0 & 4294967295)"
#define SINCE_START "start_ns - " ORIGIN

/* Times of everything with the same name: what stands in the table of names must be called name. */
#define TIMES(select, where)                                                              \
    "WITH chosen AS (SELECT " select ", " LENGTH " AS length FROM " NAMED " WHERE " where \
    ") SELECT 100.0 * sum(length) / max(1, (SELECT sum(length) FROM chosen)), "           \
    "sum(length), count(*), " SPREAD(                                                     \
        "length") ", name FROM chosen GROUP BY name ORDER BY 2 DESC, name"

#define TIMES_OF(instances, name) \
    {                             \
        TIME_COLUMNS(instances),  \
        {                         \
            name, WL_UNIT_TEXT    \
        }                         \
    }

#define OF_KERNEL(value) "CASE category WHEN " KERNEL " THEN " value " END"
#define MEGABYTES(bytes) "(" bytes " / 1000000.0)"

/* A file without its folders. */
#define FILE_NAME(path) "replace(" path ", rtrim(" path ", replace(" path ", '/', '')), '')"

/* "@spmv.c:12" of an OpenACC event whose line is known: the file without its folders. */
#define AT_LINE                                                                               \
    "coalesce((SELECT '@' || replace(files.name, rtrim(files.name, replace(files.name, '/', " \
    "'')), '') || ':' || word_2 FROM names AS files WHERE files.id = word_1), '')"

/* Laid out by hand, as SQL should be. */
/* clang-format off */
const struct wl_timeline_table wl_timeline_tables[] = {
    {"nvtx_sum", "NVTX Range Summary", "a range of NVTX", .is_summary = true,
     .sql =
         "WITH chosen AS (SELECT " NAME " AS name, category, domains.name AS domain, " LENGTH
         " AS length FROM " NAMED " LEFT JOIN names AS domains ON domains.id = word_0 "
         "WHERE category IN (" PUSH_POP ", " START_END ")) "
         "SELECT 100.0 * sum(length) / max(1, (SELECT sum(length) FROM chosen)), "
         "sum(length), count(*), " SPREAD(
             "length") ", " STYLE
                       ", coalesce(domain, '') || ':' || name "
                       "FROM chosen GROUP BY category, domain, name ORDER BY 2 DESC, 10",
     .columns = {TIME_COLUMNS("Instances"),
                 {"Style", WL_UNIT_TEXT},
                 {"Range", WL_UNIT_TEXT}}},
    {"osrt_sum", "OS Runtime Summary", "a function of the system", .is_summary = true,
     .sql = TIMES(NAME " AS name", "category = " OSRT),
     .columns = TIMES_OF("Num Calls", "Name")},
    {"cpu_sample_sum", "CPU Samples by Function",
     "a function of the program that a processor executed (--sample process-tree)",
     .is_summary = true,
     .sql = "WITH chosen AS (SELECT " NAME " AS name, coalesce(libraries.name, '') AS library, "
            "word_0 AS samples, word_1 AS length FROM " NAMED " LEFT JOIN names AS libraries ON "
            "libraries.id = word_5 WHERE category = " CPU_SAMPLE ") SELECT 100.0 * sum(length) / "
            "max(1, (SELECT sum(length) FROM chosen)), sum(length), sum(samples), name, " FILE_NAME(
                "library") " FROM chosen GROUP BY name, library ORDER BY 2 DESC, name",
     .columns = {{"Time (%)", WL_UNIT_PERCENT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Samples", WL_UNIT_COUNT},
                 {"Function", WL_UNIT_TEXT},
                 {"Library", WL_UNIT_TEXT}}},
    {"cpu_sample_line_sum", "CPU Samples by Line",
     "a line of the program that a processor executed, where it is known",
     .sql = "WITH chosen AS (SELECT " NAME " AS name, coalesce(files.name, '') AS file, word_4 AS "
            "line, word_0 AS samples, word_1 AS length FROM " NAMED " LEFT JOIN names AS files ON "
            "files.id = word_3 WHERE category = " CPU_SAMPLE ") SELECT 100.0 * sum(length) / "
            "max(1, (SELECT sum(length) FROM chosen)), sum(length), sum(samples), name, " FILE_NAME(
                "file") " || ':' || line FROM chosen WHERE file != '' GROUP BY name, file, line "
            "ORDER BY 2 DESC, name, line",
     .columns = {{"Time (%)", WL_UNIT_PERCENT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Samples", WL_UNIT_COUNT},
                 {"Function", WL_UNIT_TEXT},
                 {"Line", WL_UNIT_TEXT}}},
    {"cpu_ctxsw_sum", "CPU Context Switches by Thread",
     "a thread: how often it left its processor, and for how long (--cpuctxsw process-tree)",
     .is_summary = true,
     .sql = "SELECT pid, thread, word_0, word_0 - word_1, word_1, word_2 FROM trace_events JOIN "
            "processes ON processes.id = process_id WHERE category = " CPU_SWITCH
            " ORDER BY word_0 DESC, pid, thread",
     .columns = {{"PID", WL_UNIT_ID},
                 {"TID", WL_UNIT_ID},
                 {"Switches", WL_UNIT_COUNT},
                 {"Waited", WL_UNIT_COUNT},
                 {"Preempted", WL_UNIT_COUNT},
                 {"Away (ns)", WL_UNIT_NS}}},
    {"cuda_api_sum", "CUDA API Summary", "a function of CUDA's runtime or driver API",
     .is_summary = true, .sql = TIMES(NAME " AS name", "category IN (" RUNTIME ", " DRIVER ")"),
     .columns = TIMES_OF("Num Calls", "Name")},
    {"cuda_api_stack_sum", "CUDA API Summary by Call Stack",
     "a call stack and the function of CUDA or cuBLAS that it called (--cudabacktrace)",
     .is_summary = true,
     .sql =
         "WITH chosen AS (SELECT " NAME " AS name, stacks.name AS stack, " LENGTH " AS length FROM "
         NAMED " JOIN names AS stacks ON stacks.id = word_1 WHERE category IN ("
         RUNTIME ", " DRIVER ", " LIBRARY ")) SELECT 100.0 * sum(length) / max(1, (SELECT "
         "sum(length) FROM chosen)), sum(length), count(*), avg(length), name, stack FROM chosen "
         "GROUP BY stack, name ORDER BY 2 DESC, stack, name",
     .columns = {{"Time (%)", WL_UNIT_PERCENT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Num Calls", WL_UNIT_COUNT},
                 {"Avg (ns)", WL_UNIT_NS},
                 {"Name", WL_UNIT_TEXT},
                 {"Stack", WL_UNIT_TEXT}}},
    {"cublas_sum", "cuBLAS Summary", "a function of cuBLAS", .is_summary = true,
     .sql = TIMES(NAME " AS name", "category = " LIBRARY),
     .columns = TIMES_OF("Num Calls", "Name")},
    {"cuda_gpu_kern_sum", "CUDA GPU Kernel Summary", "a kernel", .is_of_device = true,
     .is_summary = true, .sql = TIMES(NAME " AS name", "category = " KERNEL),
     .columns = TIMES_OF("Instances", "Name")},
    {"cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)", "a kind of copy or set",
     .is_of_device = true, .is_summary = true,
     .sql = TIMES(NAME " AS name", "category IN (" MEMCPY ", " MEMSET ")"),
     .columns = TIMES_OF("Count", "Operation")},
    {"cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)", "a kind of copy or set",
     .is_summary = true,
     .sql = "WITH chosen AS (SELECT " NAME " AS name, " MEGABYTES(
         "word_1") " AS size FROM " NAMED " WHERE category IN (" MEMCPY ", " MEMSET
                   ")) SELECT sum(size), count(*), " SPREAD(
                       "size") ", name FROM chosen GROUP BY name ORDER BY 1 DESC, name",
     .columns = {{"Total (MB)", WL_UNIT_MEGABYTES},
                 {"Count", WL_UNIT_COUNT},
                 {"Avg (MB)", WL_UNIT_MEGABYTES},
                 {"Med (MB)", WL_UNIT_MEGABYTES},
                 {"Min (MB)", WL_UNIT_MEGABYTES},
                 {"Max (MB)", WL_UNIT_MEGABYTES},
                 {"StdDev (MB)", WL_UNIT_MEGABYTES},
                 {"Operation", WL_UNIT_TEXT}}},
    {"openacc_sum", "OpenACC Summary", "an OpenACC construct or runtime event", .is_summary = true,
     .sql = TIMES(NAME " || " AT_LINE " AS name", "category = " OPENACC),
     .columns = TIMES_OF("Count", "Name")},
    {"openmp_sum", "OpenMP Summary", "an OpenMP event", .is_summary = true,
     .sql = TIMES(NAME " || " AT_LINE " AS name", "category = " OPENMP), .columns = TIMES_OF("Count", "Name")},
    {"mpi_event_sum", "MPI Event Summary", "a function of MPI", .is_summary = true,
     .sql = TIMES(NAME " AS name", "category = " MPI),
     .columns = TIMES_OF("Instances", "Name")},
    {"um_sum", "Unified Memory Totals Summary", "a kind of migration or fault",
     .is_of_device = true, .is_summary = true,
     .sql =
         "WITH chosen AS (SELECT " NAME " AS name, " MEGABYTES("word_1") " AS size, "
         "word_4 AS faults, " LENGTH " AS length FROM " NAMED " WHERE category = " UNIFIED ") "
         "SELECT sum(size), count(*), nullif(sum(faults), 0), sum(length), name FROM chosen "
         "GROUP BY name ORDER BY 1 DESC, name",
     .columns = {{"Total (MB)", WL_UNIT_MEGABYTES},
                 {"Count", WL_UNIT_COUNT},
                 {"Faults", WL_UNIT_COUNT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Operation", WL_UNIT_TEXT}}},
    {"cuda_gpu_sum", "CUDA GPU Summary (Kernels/MemOps)", "a kernel, or a kind of copy or set",
     .is_of_device = true,
     .sql = "WITH chosen AS (SELECT " NAME " AS name, CASE category WHEN " KERNEL
            " THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS kind, " LENGTH " AS length FROM " NAMED
            " WHERE category IN (" KERNEL ", " MEMCPY ", " MEMSET ")) SELECT 100.0 * sum(length) / "
            "max(1, (SELECT sum(length) FROM chosen)), sum(length), count(*), " SPREAD(
                "length") ", kind, name FROM chosen GROUP BY kind, name ORDER BY 2 DESC, name",
     .columns = {TIME_COLUMNS("Instances"),
                 {"Category", WL_UNIT_TEXT},
                 {"Operation", WL_UNIT_TEXT}}},
    {"cuda_kern_exec_sum", "CUDA Kernel Launch & Exec Time Summary",
     "a kernel and the function that launched it: call (A), wait (Q), kernel (K), all of it (T)",
     .is_of_device = true,
     .sql =
         "WITH calls AS MATERIALIZED (SELECT process_id, correlation, thread, start_ns, end_ns, "
         "names.name AS name FROM " NAMED " WHERE category IN (" RUNTIME ", " DRIVER
         ") AND correlation), chosen AS (SELECT calls.process_id AS process, calls.thread AS "
         "thread, (k.word_0 >> 48 & 65535) AS device, calls.name AS call, coalesce(kernels.name, "
         "'?') AS kernel, k.end_ns - calls.start_ns AS t, calls.end_ns - calls.start_ns AS a, "
         "CASE WHEN k.start_ns > calls.end_ns THEN k.start_ns - calls.end_ns END AS q, "
         LENGTH_OF("k.") " AS k FROM trace_events AS k JOIN calls ON calls.process_id = "
         "k.process_id AND calls.correlation = k.correlation LEFT JOIN names AS kernels ON "
         "kernels.id = k.name_id WHERE k.category = " KERNEL
         ") SELECT pid, thread, device, count(*), count(q), avg(t), median(t), min(t), max(t), "
         "deviation(t), avg(a), median(a), min(a), max(a), avg(q), median(q), min(q), max(q), "
         "avg(k), median(k), min(k), max(k), call, kernel FROM chosen "
         "JOIN processes ON processes.id = process GROUP BY process, thread, device, call, kernel "
         "ORDER BY sum(t) DESC, kernel",
     .columns =
         {{"PID", WL_UNIT_ID},          {"TID", WL_UNIT_ID},        {"Device ID", WL_UNIT_ID},
          {"Count", WL_UNIT_COUNT},     {"QCount", WL_UNIT_COUNT},  {"TAvg (ns)", WL_UNIT_NS},
          {"TMed (ns)", WL_UNIT_NS},    {"TMin (ns)", WL_UNIT_NS},  {"TMax (ns)", WL_UNIT_NS},
          {"TStdDev (ns)", WL_UNIT_NS}, {"AAvg (ns)", WL_UNIT_NS},  {"AMed (ns)", WL_UNIT_NS},
          {"AMin (ns)", WL_UNIT_NS},    {"AMax (ns)", WL_UNIT_NS},  {"QAvg (ns)", WL_UNIT_NS},
          {"QMed (ns)", WL_UNIT_NS},    {"QMin (ns)", WL_UNIT_NS},  {"QMax (ns)", WL_UNIT_NS},
          {"KAvg (ns)", WL_UNIT_NS},    {"KMed (ns)", WL_UNIT_NS},  {"KMin (ns)", WL_UNIT_NS},
          {"KMax (ns)", WL_UNIT_NS},    {"API Name", WL_UNIT_TEXT}, {"Kernel Name", WL_UNIT_TEXT}}},
    {"cuda_gpu_trace", "CUDA GPU Trace", "a kernel, copy or set, in order of time",
     .is_of_device = true,
     .sql =
         "SELECT " SINCE_START ", " LENGTH ", correlation, "
         OF_KERNEL("word_1 >> 32") ", " OF_KERNEL("word_1 >> 16 & 65535") ", "
         OF_KERNEL("word_1 & 65535") ", " OF_KERNEL("word_2 >> 48 & 65535") ", "
         OF_KERNEL("word_2 >> 32 & 65535") ", " OF_KERNEL("word_2 >> 16 & 65535") ", "
         OF_KERNEL("nullif(word_2 & 65535, 0)") ", "
         OF_KERNEL(MEGABYTES("(word_3 >> 32)")) ", "
         OF_KERNEL(MEGABYTES("(word_3 & 4294967295)")) ", "
         "CASE WHEN category != " KERNEL " THEN " MEGABYTES("word_1") " END, "
         "CASE WHEN category != " KERNEL " AND end_ns > start_ns "
         "THEN word_1 * 1000.0 / " LENGTH " END, "
         "CASE category WHEN " MEMCPY " THEN " MEMORY_NAME("word_3") " END, "
         "CASE category WHEN " MEMCPY " THEN " MEMORY_NAME("word_4")
         " WHEN " MEMSET " THEN " MEMORY_NAME("word_3") " END, "
         DEVICE ", " CONTEXT ", " STREAM ", " NAME " FROM " NAMED
         " WHERE category IN (" KERNEL ", " MEMCPY ", " MEMSET ") "
         "ORDER BY start_ns, trace_events.id",
     .columns = {{"Start (ns)", WL_UNIT_NS},
                 {"Duration (ns)", WL_UNIT_NS},
                 {"CorrId", WL_UNIT_ID},
                 {"GrdX", WL_UNIT_ID},
                 {"GrdY", WL_UNIT_ID},
                 {"GrdZ", WL_UNIT_ID},
                 {"BlkX", WL_UNIT_ID},
                 {"BlkY", WL_UNIT_ID},
                 {"BlkZ", WL_UNIT_ID},
                 {"Reg/Trd", WL_UNIT_COUNT},
                 {"StcSMem (MB)", WL_UNIT_MEGABYTES},
                 {"DymSMem (MB)", WL_UNIT_MEGABYTES},
                 {"Bytes (MB)", WL_UNIT_MEGABYTES},
                 {"Throughput (MB/s)", WL_UNIT_MEGABYTES_PER_SECOND},
                 {"SrcMemKd", WL_UNIT_TEXT},
                 {"DstMemKd", WL_UNIT_TEXT},
                 {"Device", WL_UNIT_ID},
                 {"Ctx", WL_UNIT_ID},
                 {"Strm", WL_UNIT_ID},
                 {"Name", WL_UNIT_TEXT}}},
    {"cuda_api_trace", "CUDA API Trace", "a call of CUDA's runtime or driver API, in order of time",
     .sql = "SELECT " SINCE_START ", " LENGTH ", " NAME
            ", word_0, correlation, " PID ", "
            "thread FROM " NAMED " WHERE category IN (" RUNTIME ", " DRIVER
            ") ORDER BY start_ns, trace_events.id",
     .columns = {{"Start (ns)", WL_UNIT_NS},
                 {"Duration (ns)", WL_UNIT_NS},
                 {"Name", WL_UNIT_TEXT},
                 {"Result", WL_UNIT_ID},
                 {"CorrID", WL_UNIT_ID},
                 {"Pid", WL_UNIT_ID},
                 {"Tid", WL_UNIT_ID}}},
    {"cuda_memory_sum", "CUDA Memory Summary",
     "a kind of memory: what was allocated, most at a time", .is_summary = true,
     .sql =
         "WITH changes AS (SELECT " NAME " AS name, process_id, word_4 AS is_free, word_2 AS size, "
         "word_5 AS in_use, trace_events.id AS id FROM " NAMED " WHERE category = " MEMORY "), "
         "lasts AS (SELECT name, process_id, max(id) AS id FROM changes GROUP BY name, process_id) "
         "SELECT sum(NOT is_free), " MEGABYTES("sum(iif(is_free, 0, size))") ", "
         MEGABYTES("max(in_use)") ", (SELECT sum(in_use) / 1000000.0 FROM lasts "
         "JOIN changes AS c USING (id) WHERE c.name = changes.name), name "
         "FROM changes GROUP BY name ORDER BY 3 DESC, name",
     .columns = {{"Allocations", WL_UNIT_COUNT},
                 {"Total (MB)", WL_UNIT_MEGABYTES},
                 {"Peak (MB)", WL_UNIT_MEGABYTES},
                 {"At End (MB)", WL_UNIT_MEGABYTES},
                 {"Memory", WL_UNIT_TEXT}}},
    {"recording_sum", "Recording Summary", "a process: how the recording of its events went",
     .is_summary = true,
     .sql =
         /* of a real GPU it is known what a launch costs, with CUPTI's part and ours */
         "WITH launch AS (SELECT (SELECT number FROM session WHERE name = 'trace_launch_ns') AS "
         "ns), spans AS (SELECT process_id, max(end_ns) - min(start_ns) AS span, "
         "total(category = " KERNEL ") AS kernels, total(category IN (" OF_CUPTI ")) AS of_cupti "
         "FROM trace_events GROUP BY process_id), costs AS (SELECT *, CASE WHEN ns IS NULL THEN "
         "records * record_ns ELSE coalesce(kernels, 0) * ns + max(0, records - coalesce(of_cupti, "
         "0)) * record_ns END AS cost FROM trace_recordings LEFT JOIN spans USING (process_id), "
         "launch) SELECT pid, records, costs.dropped, waited_ns, record_ns, ns, cost, CASE WHEN "
         "cost < span THEN 100.0 * cost / (span - cost) END, ring_bytes / 1000000.0, "
         "clock_jump_ns, host, executable FROM costs JOIN processes ON processes.id = process_id "
         "ORDER BY process_id",
     .columns = {{"PID", WL_UNIT_ID},
                 {"Events", WL_UNIT_COUNT},
                 {"Dropped", WL_UNIT_COUNT},
                 {"Waited (ns)", WL_UNIT_NS},
                 {"Cost/Event (ns)", WL_UNIT_NS},
                 {"Cost/Launch (ns)", WL_UNIT_NS},
                 {"Cost (ns)", WL_UNIT_NS},
                 {"Slowdown (%)", WL_UNIT_PERCENT},
                 {"Memory (MB)", WL_UNIT_MEGABYTES},
                 {"Clock Jump (ns)", WL_UNIT_NS},
                 {"Host", WL_UNIT_TEXT},
                 {"Program", WL_UNIT_TEXT}}},
    {0},
};
/* clang-format on */
