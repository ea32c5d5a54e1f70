/* Words of SQL that the tables of a trace share. For the files of those tables only. */
#ifndef WL_REPORT_TRACE_SQL_H
#define WL_REPORT_TRACE_SQL_H

#include "timeline/record.h"

/* Numbers of categories. */
#define RUNTIME "1"
#define DRIVER "2"
#define LIBRARY "3"
#define KERNEL "4"
#define MEMCPY "5"
#define MEMSET "6"
#define PUSH_POP "8"
#define START_END "9"
#define MEMORY "11"
#define UNIFIED "12"
#define OPENACC "13"
#define OPENMP "14"
#define MPI "15"
#define OSRT "16"
#define CPU_SAMPLE "17"
#define CPU_SWITCH "18"
#define OF_CUPTI "1, 2, 4, 5, 6, 7, 11, 12"
_Static_assert(WL_TIMELINE_CUDA_RUNTIME == 1 && WL_TIMELINE_CUDA_DRIVER == 2 &&
                   WL_TIMELINE_CUDA_LIBRARY == 3 && WL_TIMELINE_KERNEL == 4 &&
                   WL_TIMELINE_MEMCPY == 5 && WL_TIMELINE_MEMSET == 6 &&
                   WL_TIMELINE_NVTX_PUSHPOP == 8 && WL_TIMELINE_NVTX_STARTEND == 9 &&
                   WL_TIMELINE_MEMORY == 11 && WL_TIMELINE_UNIFIED_MEMORY == 12 &&
                   WL_TIMELINE_OPENACC == 13 && WL_TIMELINE_OPENMP == 14 && WL_TIMELINE_MPI == 15 &&
                   WL_TIMELINE_OSRT == 16 && WL_TIMELINE_CPU_SAMPLE == 17 &&
                   WL_TIMELINE_CPU_SWITCH == 18,
               "the categories of the tables");

/* NULL where it is not known (WL_TIMELINE_NO_LENGTH). */
#define LENGTH LENGTH_OF("")
#define LENGTH_OF(of) "iif(" of "flags & 16, NULL, " of "end_ns - " of "start_ns)"
#define NAME "coalesce(names.name, '?')"
#define NAMED "trace_events LEFT JOIN names ON names.id = name_id"
/* When the trace begins: nsys counts from the start of the session. */
#define ORIGIN "(SELECT min(start_ns) FROM trace_events)"
#define PID "(SELECT pid FROM processes WHERE processes.id = process_id)"
#define STYLE "CASE category WHEN " PUSH_POP " THEN 'PushPop' ELSE 'StartEnd' END"

/* word_2 or word_3 of copies: enum wl_timeline_memory */
#define MEMORY_NAME(word)                                                                    \
    "CASE " word                                                                             \
    " WHEN 1 THEN 'Pageable' WHEN 2 THEN 'Pinned' WHEN 3 THEN 'Device' WHEN 4 THEN 'Array' " \
    "WHEN 5 THEN 'Managed' END"

#define SPREAD(value) \
    "avg(" value "), median(" value "), min(" value "), max(" value "), deviation(" value ")"

/* The columns of 100 * sum / sum of all, sum, count(*) and SPREAD. */
#define TIME_COLUMNS(instances)                                                                 \
    {"Time (%)", WL_UNIT_PERCENT}, {"Total Time (ns)", WL_UNIT_NS}, {instances, WL_UNIT_COUNT}, \
        {"Avg (ns)", WL_UNIT_NS}, {"Med (ns)", WL_UNIT_NS}, {"Min (ns)", WL_UNIT_NS},           \
        {"Max (ns)", WL_UNIT_NS},                                                               \
    {                                                                                           \
        "StdDev (ns)", WL_UNIT_NS                                                               \
    }

#endif
