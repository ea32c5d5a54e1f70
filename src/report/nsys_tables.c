/* More tables of a trace, by the names of `nsys stats` and `nsys analyze`. Compound SELECTs and
 * views are refused where reports are read. */
#include "report/tables.h"
#include "report/trace_sql.h"

#define GRID(event)                                                                      \
    "printf('%4d %4d %4d', " event "word_1 >> 32, " event "word_1 >> 16 & 65535, " event \
    "word_1 & 65535)"
#define BLOCK(event)                                                                             \
    "printf('%4d %4d %4d', " event "word_2 >> 48 & 65535, " event "word_2 >> 32 & 65535, " event \
    "word_2 >> 16 & 65535)"
#define DEVICE(event) event "word_0 >> 48 & 65535"
#define CONTEXT(event) event "word_0 >> 32 & 65535"

/* Times of what chosen(length, ...) holds, by group. */
#define TIMES_BY(group)                                                                    \
    "SELECT 100.0 * sum(length) / max(1, (SELECT sum(length) FROM chosen)), sum(length), " \
    "count(*), " SPREAD("length") ", " group " FROM chosen GROUP BY " group                \
                                  " ORDER BY 2 DESC, " group

/* A launch: the call, the kernel and what is between. */
#define LAUNCHES                                                                                                 \
    "calls AS MATERIALIZED (SELECT process_id, correlation, thread, start_ns, end_ns, "                          \
    "names.name AS name FROM " NAMED " WHERE category IN (1, 2) AND correlation), launches AS "                  \
    "(SELECT calls.process_id AS process_id, calls.thread AS thread, calls.name AS call, "                       \
    "calls.start_ns AS call_start, calls.end_ns AS call_end, k.start_ns AS start_ns, k.end_ns "                  \
    "AS end_ns, k.flags AS flags, k.word_0 AS word_0, k.word_1 AS word_1, k.word_2 AS word_2, coalesce(kernels." \
    "name, '?') AS kernel FROM trace_events AS k JOIN calls ON calls.process_id = k.process_id "                 \
    "AND calls.correlation = k.correlation LEFT JOIN names AS kernels ON kernels.id = k.name_id "                \
    "WHERE k.category = 4)"

/* What the GPU did for each NVTX range: for the calls that its thread made within it. */
#define PROJECTED                                                                                \
    "ranges AS MATERIALIZED (SELECT trace_events.id AS id, process_id, thread, start_ns, "       \
    "end_ns, category, word_4 AS level, coalesce(domains.name, '') || ':' || " NAME " AS name "  \
    "FROM " NAMED " LEFT JOIN names AS domains ON domains.id = word_0 WHERE category IN (8, 9))" \
    ", calls AS MATERIALIZED (SELECT process_id, thread, correlation, start_ns AS at FROM "      \
    "trace_events WHERE category IN (1, 2) AND correlation), works AS MATERIALIZED (SELECT "     \
    "calls.process_id AS process_id, calls.thread AS thread, at, g.start_ns AS start_ns, "       \
    "g.end_ns AS end_ns, g.category AS category, g.name_id AS name_id FROM calls JOIN "          \
    "trace_events AS g ON g.process_id = calls.process_id AND g.correlation = "                  \
    "calls.correlation WHERE g.category IN (4, 5, 6))"
#define WITHIN                                                                               \
    "works.process_id = ranges.process_id AND works.thread = ranges.thread AND works.at >= " \
    "ranges.start_ns AND works.at < ranges.end_ns"
#define PROJECTIONS                                                                          \
    PROJECTED                                                                                \
    ", projections AS (SELECT ranges.id AS id, ranges.name AS name, ranges.category "        \
    "AS category, ranges.level AS level, ranges.process_id AS process_id, ranges.thread AS " \
    "thread, ranges.start_ns AS start_ns, ranges.end_ns AS end_ns, min(works.start_ns) AS "  \
    "first, max(works.end_ns) AS last, count(*) AS works FROM ranges JOIN works ON " WITHIN  \
    " GROUP BY ranges.id)"

/* Copies and sets with the call that asked for them. */
#define TRANSFERS                                                                                \
    "calls AS MATERIALIZED (SELECT process_id, correlation, thread, start_ns, end_ns, "          \
    "names.name AS name FROM " NAMED " WHERE category IN (1, 2) AND correlation), transfers AS " \
    "(SELECT t.*, calls.name AS call FROM trace_events AS t JOIN calls ON calls.process_id = "   \
    "t.process_id AND calls.correlation = t.correlation WHERE t.category IN (5, 6))"
#define TRANSFER_COLUMNS                                                                    \
    {"Duration (ns)", WL_UNIT_NS}, {"Start (ns)", WL_UNIT_NS}, {"Src Kind", WL_UNIT_TEXT},  \
        {"Dst Kind", WL_UNIT_TEXT}, {"Bytes (MB)", WL_UNIT_MEGABYTES}, {"PID", WL_UNIT_ID}, \
        {"Device ID", WL_UNIT_ID}, {"Context ID", WL_UNIT_ID}, {"Stream ID", WL_UNIT_ID},   \
    {                                                                                       \
        "API Name", WL_UNIT_TEXT                                                            \
    }
#define TRANSFER_ROW                                                                         \
    "SELECT " LENGTH ", start_ns - " ORIGIN                                                  \
    ", iif(category = 5, " MEMORY_NAME("word_3") ", NULL), iif(category = 5, " MEMORY_NAME(  \
        "word_4") ", " MEMORY_NAME("word_3") "), word_1 / "                                  \
                                             "1000000.0, " PID ", " DEVICE("") ", " CONTEXT( \
                                                 "") ", word_0 & 4294967295, call FROM transfers "

#define PUSHPOP_NAME "coalesce(domains.name, '') || ':' || " NAME
#define RANGES_OF(which)                                                                \
    "WITH chosen AS (SELECT " PUSHPOP_NAME " AS name, " LENGTH " AS length FROM " NAMED \
    " LEFT JOIN names AS domains ON domains.id = word_0 WHERE category = " which        \
    ") " TIMES_BY("name")

/* clang-format off: SQL is read by its lines. */
const struct wl_timeline_table wl_nsys_tables[] = {
    {"cuda_gpu_kern_gb_sum", "CUDA GPU Kernel/Grid/Block Summary",
     "a kernel with a grid and a block", .is_of_device = true,
     .sql = "WITH chosen AS (SELECT " NAME " AS name, " GRID("") " AS grid, " BLOCK(
         "") " AS block, " LENGTH " AS length FROM " NAMED
             " WHERE category = 4) " TIMES_BY("grid, block, name"),
     .columns = {TIME_COLUMNS("Instances"),
                 {"GridXYZ", WL_UNIT_TEXT},
                 {"BlockXYZ", WL_UNIT_TEXT},
                 {"Name", WL_UNIT_TEXT}}},
    {"cuda_api_gpu_sum", "CUDA Summary (API/Kernels/MemOps)",
     "a function of CUDA, a kernel, or a kind of copy or set", .is_of_device = true,
     .sql = "WITH chosen AS (SELECT " NAME
            " AS name, CASE WHEN category <= 2 THEN 'CUDA_API' WHEN category = 4 "
            "THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS kind, " LENGTH " AS length FROM " NAMED
            " WHERE category IN (1, 2, 4, 5, 6)) " TIMES_BY("kind, name"),
     .columns = {TIME_COLUMNS("Instances"),
                 {"Category", WL_UNIT_TEXT},
                 {"Operation", WL_UNIT_TEXT}}},
    {"cuda_kern_exec_trace", "CUDA Kernel Launch & Exec Time Trace",
     "a launch: its call, the wait behind it, its kernel", .is_of_device = true,
     .sql = "WITH " LAUNCHES " SELECT call_start - " ORIGIN ", call_end - call_start, "
            "iif(start_ns > call_end, call_end - " ORIGIN
            ", NULL), iif(start_ns > call_end, start_ns - call_end, NULL), "
            "start_ns - " ORIGIN ", " LENGTH ", end_ns - call_start, " PID
            ", thread, " DEVICE("") ", call, " GRID("") ", " BLOCK(
                "") ", kernel FROM launches ORDER BY call_start, start_ns",
     .columns = {{"API Start (ns)", WL_UNIT_NS},
                 {"API Dur (ns)", WL_UNIT_NS},
                 {"Queue Start (ns)", WL_UNIT_NS},
                 {"Queue Dur (ns)", WL_UNIT_NS},
                 {"Kernel Start (ns)", WL_UNIT_NS},
                 {"Kernel Dur (ns)", WL_UNIT_NS},
                 {"Total Dur (ns)", WL_UNIT_NS},
                 {"PID", WL_UNIT_ID},
                 {"TID", WL_UNIT_ID},
                 {"DevId", WL_UNIT_ID},
                 {"API Function", WL_UNIT_TEXT},
                 {"GridXYZ", WL_UNIT_TEXT},
                 {"BlockXYZ", WL_UNIT_TEXT},
                 {"Kernel Name", WL_UNIT_TEXT}}},
    {"nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", "a push/pop range of NVTX",
     .sql = RANGES_OF("8"), .columns = {TIME_COLUMNS("Instances"), {"Range", WL_UNIT_TEXT}}},
    {"nvtx_startend_sum", "NVTX Start/End Range Summary", "a start/end range of NVTX",
     .sql = RANGES_OF("9"), .columns = {TIME_COLUMNS("Instances"), {"Range", WL_UNIT_TEXT}}},
    {"nvtx_pushpop_trace", "NVTX Push/Pop Range Trace",
     "a push/pop range of NVTX, in order of time",
     .sql = "SELECT start_ns - " ORIGIN ", end_ns - " ORIGIN ", " LENGTH ", " PUSHPOP_NAME ", " PID
            ", thread, word_4, "
            "trace_events.id FROM " NAMED
            " LEFT JOIN names AS domains ON domains.id = word_0 WHERE category = 8 "
            "ORDER BY start_ns, end_ns DESC",
     .columns = {{"Start (ns)", WL_UNIT_NS},
                 {"End (ns)", WL_UNIT_NS},
                 {"Duration (ns)", WL_UNIT_NS},
                 {"Name", WL_UNIT_TEXT},
                 {"PID", WL_UNIT_ID},
                 {"TID", WL_UNIT_ID},
                 {"Lvl", WL_UNIT_ID},
                 {"RangeId", WL_UNIT_ID}}},
    {"nvtx_kern_sum", "NVTX Range Kernel Summary",
     "a range of NVTX and a kernel that was launched in it", .is_of_device = true,
     .sql =
         "WITH " PROJECTED
         ", chosen AS (SELECT ranges.name AS range, ranges.category AS category, ranges.id AS id, "
         "ranges.process_id AS process_id, ranges.thread AS thread, " NAME
         " AS kernel, works.end_ns - works.start_ns "
         "AS length FROM ranges JOIN works ON " WITHIN
         " LEFT JOIN names ON names.id = works.name_id WHERE "
         "works.category = 4) SELECT range, " STYLE ", " PID
         ", thread, count(DISTINCT id), count(*), sum(length), " SPREAD(
             "length") ", kernel FROM chosen GROUP BY range, category, process_id, thread, kernel ORDER BY 7 DESC, "
                       "range, kernel",
     .columns = {{"NVTX Range", WL_UNIT_TEXT},
                 {"Style", WL_UNIT_TEXT},
                 {"PID", WL_UNIT_ID},
                 {"TID", WL_UNIT_ID},
                 {"NVTX Inst", WL_UNIT_COUNT},
                 {"Kern Inst", WL_UNIT_COUNT},
                 {"Total Time (ns)", WL_UNIT_NS},
                 {"Avg (ns)", WL_UNIT_NS},
                 {"Med (ns)", WL_UNIT_NS},
                 {"Min (ns)", WL_UNIT_NS},
                 {"Max (ns)", WL_UNIT_NS},
                 {"StdDev (ns)", WL_UNIT_NS},
                 {"Kernel Name", WL_UNIT_TEXT}}},
    {"nvtx_gpu_proj_sum", "NVTX GPU Projection Summary",
     "a range of NVTX: from the first to the last that the GPU did for it", .is_of_device = true,
     .sql =
         "WITH " PROJECTIONS " SELECT name, " STYLE
         ", sum(last - first), sum(end_ns - start_ns), count(*), " SPREAD(
             "last - first") ", sum(works), avg(works), avg(iif(category = 8, level, 0)) FROM projections "
                             "GROUP BY name, category ORDER BY 3 DESC, name",
     .columns = {{"Range", WL_UNIT_TEXT},
                 {"Style", WL_UNIT_TEXT},
                 {"Total Proj Time (ns)", WL_UNIT_NS},
                 {"Total Range Time (ns)", WL_UNIT_NS},
                 {"Range Instances", WL_UNIT_COUNT},
                 {"Proj Avg (ns)", WL_UNIT_NS},
                 {"Proj Med (ns)", WL_UNIT_NS},
                 {"Proj Min (ns)", WL_UNIT_NS},
                 {"Proj Max (ns)", WL_UNIT_NS},
                 {"Proj StdDev (ns)", WL_UNIT_NS},
                 {"Total GPU Ops", WL_UNIT_COUNT},
                 {"Avg GPU Ops", WL_UNIT_PERCENT},
                 {"Avg Range Lvl", WL_UNIT_PERCENT}}},
    {"nvtx_gpu_proj_trace", "NVTX GPU Projection Trace",
     "a range of NVTX, in order of the first that the GPU did for it", .is_of_device = true,
     .sql = "WITH " PROJECTIONS " SELECT name, first - " ORIGIN ", last - first, start_ns - " ORIGIN
            ", end_ns - start_ns, " STYLE ", " PID
            ", thread, works, iif(category = 8, level, 0), id FROM projections ORDER BY first, id",
     .columns = {{"Name", WL_UNIT_TEXT},
                 {"Projected Start (ns)", WL_UNIT_NS},
                 {"Projected Duration (ns)", WL_UNIT_NS},
                 {"Orig Start (ns)", WL_UNIT_NS},
                 {"Orig Duration (ns)", WL_UNIT_NS},
                 {"Style", WL_UNIT_TEXT},
                 {"PID", WL_UNIT_ID},
                 {"TID", WL_UNIT_ID},
                 {"NumGPUOps", WL_UNIT_COUNT},
                 {"Lvl", WL_UNIT_ID},
                 {"RangeId", WL_UNIT_ID}}},
    {"um_total_sum", "Unified Memory Totals Summary", "all migrations and faults of managed memory",
     .is_of_device = true,
     .sql =
         "SELECT sum(iif(names.name LIKE '%Host-to-Device%', word_1, 0)) / 1000000.0, "
         "sum(iif(names.name LIKE '%Device-to-Host%', word_1, 0)) / 1000000.0, "
         "sum(iif(names.name LIKE '%CPU%', 1, 0)), sum(iif(names.name LIKE '%GPU%', word_4, 0)), "
         "min(start_ns) - " ORIGIN ", max(end_ns) - " ORIGIN " FROM " NAMED
         " WHERE category = 12 HAVING count(*) > 0",
     .columns = {{"Total HtoD Migration Size (MB)", WL_UNIT_MEGABYTES},
                 {"Total DtoH Migration Size (MB)", WL_UNIT_MEGABYTES},
                 {"Total CPU Page Faults", WL_UNIT_COUNT},
                 {"Total GPU Page Faults", WL_UNIT_COUNT},
                 {"Minimum Virtual Time (ns)", WL_UNIT_NS},
                 {"Maximum Virtual Time (ns)", WL_UNIT_NS}}},
    {"um_cpu_page_faults_sum", "Unified Memory CPU Page Faults Summary",
     "faults of the host on managed memory",
     .sql = "SELECT count(*), " NAME " FROM " NAMED
            " WHERE category = 12 AND names.name LIKE '%CPU%' GROUP BY 2",
     .columns = {{"CPU Page Faults", WL_UNIT_COUNT}, {"Operation", WL_UNIT_TEXT}}},
    {"mpi_msg_size_sum", "MPI Message Size Summary", "a function of MPI: what it sent and received",
     .sql =
         "SELECT sum(word_0 + word_1) / 1000000.0, count(*), avg(word_0 + word_1) / 1000000.0, "
         "median(word_0 + word_1) / 1000000.0, min(word_0 + word_1) / 1000000.0, max(word_0 + word_1) / 1000000.0, "
         "deviation(word_0 + word_1) / 1000000.0, " NAME " FROM " NAMED
         " WHERE category = 15 AND word_0 + word_1 > 0 GROUP BY 8 ORDER BY 1 DESC, 8",
     .columns = {{"Total (MB)", WL_UNIT_MEGABYTES},
                 {"Count", WL_UNIT_COUNT},
                 {"Avg (MB)", WL_UNIT_MEGABYTES},
                 {"Med (MB)", WL_UNIT_MEGABYTES},
                 {"Min (MB)", WL_UNIT_MEGABYTES},
                 {"Max (MB)", WL_UNIT_MEGABYTES},
                 {"StdDev (MB)", WL_UNIT_MEGABYTES},
                 {"Source", WL_UNIT_TEXT}}},
    {"cuda_api_sync", "CUDA Synchronization APIs", "a call that waits for the GPU, longest first",
     .sql =
         "SELECT " LENGTH ", start_ns - " ORIGIN ", " PID ", thread, " NAME " FROM " NAMED
         " WHERE category IN (1, 2) AND names.name LIKE '%Synchronize%' ORDER BY 1 DESC, 2 LIMIT 50",
     .columns = {{"Duration (ns)", WL_UNIT_NS},
                 {"Start (ns)", WL_UNIT_NS},
                 {"PID", WL_UNIT_ID},
                 {"TID", WL_UNIT_ID},
                 {"API Name", WL_UNIT_TEXT}}},
    {"cuda_memcpy_async", "CUDA Async Memcpy with Pageable Memory",
     "an asynchronous copy that waits all the same, longest first", .is_of_device = true,
     .sql = "WITH " TRANSFERS TRANSFER_ROW
            "WHERE category = 5 AND call LIKE '%Async%' AND (word_3 = 1 OR word_4 = 1) "
            "ORDER BY 1 DESC, 2 LIMIT 50",
     .columns = {TRANSFER_COLUMNS}},
    {"cuda_memcpy_sync", "CUDA Synchronous Memcpy", "a copy that the host waits for, longest first",
     .is_of_device = true,
     .sql = "WITH " TRANSFERS TRANSFER_ROW
            "WHERE category = 5 AND call NOT LIKE '%Async%' ORDER BY 1 DESC, 2 LIMIT 50",
     .columns = {TRANSFER_COLUMNS}},
    {"cuda_memset_sync", "CUDA Synchronous Memset", "a set that the host waits for, longest first",
     .is_of_device = true,
     .sql = "WITH " TRANSFERS TRANSFER_ROW
            "WHERE category = 6 AND call NOT LIKE '%Async%' ORDER BY 1 DESC, 2 LIMIT 50",
     .columns = {TRANSFER_COLUMNS}},
    {"gpu_gaps", "GPU Gaps", "a time of more than 500 ms in which a GPU did nothing, longest first",
     .is_of_device = true,
     .sql =
         "WITH busy AS (SELECT process_id, " DEVICE("") " AS device, start_ns, max(end_ns) OVER (PARTITION BY process_id, " DEVICE(
             "") " ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM trace_events "
                 "WHERE category IN (4, 5, 6)) SELECT start_ns - before, before - " ORIGIN ", " PID
                 ", device FROM busy "
                 "WHERE start_ns - before > 500000000 ORDER BY 1 DESC, 2 LIMIT 50",
     .columns = {{"Duration (ns)", WL_UNIT_NS},
                 {"Start (ns)", WL_UNIT_NS},
                 {"PID", WL_UNIT_ID},
                 {"Device ID", WL_UNIT_ID}}},
    {"gpu_time_util", "GPU Time Utilization",
     "a 30th of the time of a GPU in which it was busy for less than half", .is_of_device = true,
     /* trace_categories, twice, is where numbers from 0 to 29 come from; overlaps count once */
     .sql =
         "WITH parts AS (SELECT (a.id - 1) * 6 + b.id - 1 AS part FROM trace_categories AS a, trace_categories AS b "
         "WHERE a.id <= 5 AND b.id <= 6), works AS (SELECT process_id, " DEVICE(
             "") " AS device, start_ns, end_ns, "
                 "max(end_ns) OVER (PARTITION BY process_id, " DEVICE(
                     "") " ORDER BY start_ns, end_ns ROWS BETWEEN UNBOUNDED "
                         "PRECEDING AND 1 PRECEDING) AS before FROM trace_events WHERE category IN (4, 5, 6)), busy AS MATERIALIZED "
                         "(SELECT process_id, device, max(start_ns, coalesce(before, 0)) AS start_ns, end_ns FROM works WHERE end_ns > "
                         "coalesce(before, 0)), spans AS (SELECT process_id, device, min(start_ns) AS first, max(end_ns) - "
                         "min(start_ns) AS span FROM busy GROUP BY process_id, device), chunks AS (SELECT process_id, device, first + "
                         "span * part / 30 AS from_ns, first + span * (part + 1) / 30 AS to_ns FROM spans, parts), used AS (SELECT "
                         "process_id, device, from_ns, to_ns, coalesce((SELECT sum(min(end_ns, to_ns) - max(start_ns, from_ns)) FROM "
                         "busy WHERE busy.process_id = chunks.process_id AND busy.device = chunks.device AND start_ns < to_ns AND "
                         "end_ns > from_ns), 0) AS used FROM chunks) SELECT 100.0 * used / (to_ns - from_ns), to_ns - from_ns, from_ns - " ORIGIN
                         ", " PID
                         ", device FROM used WHERE to_ns > from_ns AND used * 2 < to_ns - from_ns ORDER BY 1, 3",
     .columns = {{"In-Use (%)", WL_UNIT_PERCENT},
                 {"Duration (ns)", WL_UNIT_NS},
                 {"Start (ns)", WL_UNIT_NS},
                 {"PID", WL_UNIT_ID},
                 {"Device ID", WL_UNIT_ID}}},
    {0},
};
/* clang-format on */

const struct wl_table_alias wl_table_aliases[] = {
    {"apigpusum", "cuda_api_gpu_sum"},
    {"cudaapisum", "cuda_api_sum"},
    {"cudaapitrace", "cuda_api_trace"},
    {"gpukernsum", "cuda_gpu_kern_sum"},
    {"gpukerngbsum", "cuda_gpu_kern_gb_sum"},
    {"gpumemsizesum", "cuda_gpu_mem_size_sum"},
    {"gpumemtimesum", "cuda_gpu_mem_time_sum"},
    {"gpusum", "cuda_gpu_sum"},
    {"gputrace", "cuda_gpu_trace"},
    {"kernexecsum", "cuda_kern_exec_sum"},
    {"kernexectrace", "cuda_kern_exec_trace"},
    {"nvtxsum", "nvtx_sum"},
    {"nvtxppsum", "nvtx_pushpop_sum"},
    {"nvtxpptrace", "nvtx_pushpop_trace"},
    {"nvtxssesum", "nvtx_startend_sum"},
    {"nvtxkernsum", "nvtx_kern_sum"},
    {"nvtxgpuproj", "nvtx_gpu_proj_trace"},
    {"openaccsum", "openacc_sum"},
    {"openmpevtsum", "openmp_sum"},
    {"openmpsum", "openmp_sum"},
    {"mpieventsum", "mpi_event_sum"},
    {"mpieventtrace", "mpi_event_trace"},
    {"osrtsum", "osrt_sum"},
    {"unifiedmemory", "um_sum"},
    {"umsum", "um_sum"},
    {"unifiedmemorytotals", "um_total_sum"},
    {"umcpupagefaults", "um_cpu_page_faults_sum"},
    {NULL, NULL},
};

#define GRAPHICS "calls of graphics libraries are not recorded"
#define WINDOWS "it exists on Windows only"
const struct wl_table_refusal wl_table_refusals[] = {
    {"dx11_pix_sum", WINDOWS},
    {"dx12_gpu_marker_sum", WINDOWS},
    {"dx12_pix_sum", WINDOWS},
    {"dx12_mem_ops", WINDOWS},
    {"wddm_queue_sum", WINDOWS},
    {"dx11pixsum", WINDOWS},
    {"dx12gpumarkersum", WINDOWS},
    {"pixsum", WINDOWS},
    {"wddmqueuesdetails", WINDOWS},
    {"opengl_khr_range_sum", GRAPHICS},
    {"opengl_khr_gpu_range_sum", GRAPHICS},
    {"vulkan_api_sum", GRAPHICS},
    {"vulkan_api_trace", GRAPHICS},
    {"vulkan_gpu_marker_sum", GRAPHICS},
    {"vulkan_marker_sum", GRAPHICS},
    {"khrdebugsum", GRAPHICS},
    {"khrdebuggpusum", GRAPHICS},
    {"vulkanmarkerssum", GRAPHICS},
    {"vulkangpumarkersum", GRAPHICS},
    {"nvvideo_api_sum", "video engines are not watched"},
    {"network_congestion", "counters of network cards and switches are not read"},
    {"syscall_sum", "of the system's calls those of its library are recorded: osrt_sum"},
    {"cuda_um_cpu_page_faults_sum", "its name is um_cpu_page_faults_sum"},
    {"ucx_event_sum", "calls of UCX are not recorded, those of MPI are: mpi_event_sum"},
    {NULL, NULL},
};
