#include "import/sqlite_tables.h"

#include "base/count.h"

/* ---- rows ---- */

static void fill_call(struct wl_timeline_record *record, const int64_t *values)
{
    record->words[0] = (uint64_t)values[OWN];
    record->flags |= values[OWN] ? WL_TIMELINE_FAILED : 0;
    if (values[OWN + 1] == 1) /* nsys has both APIs in one table */
        record->category = WL_TIMELINE_CUDA_DRIVER;
}

static uint64_t where(const int64_t *values)
{
    return WL_TIMELINE_PACK_WHERE(values[0], values[1], values[2]);
}

static void fill_kernel(struct wl_timeline_record *record, const int64_t *values)
{
    const int64_t *own = values + OWN;
    record->words[0] = where(own);
    record->words[1] = WL_TIMELINE_PACK_GRID(own[3], own[4], own[5]);
    record->words[2] = WL_TIMELINE_PACK_BLOCK(own[6], own[7], own[8], own[9]);
    record->words[3] = WL_TIMELINE_PACK_SHARED(own[10], own[11]);
    record->words[4] = (uint64_t)own[12];
}

static void fill_copy(struct wl_timeline_record *record, const int64_t *values)
{
    const int64_t *own = values + OWN;
    record->words[0] = where(own);
    record->words[1] = (uint64_t)own[3];
    record->words[2] = (uint64_t)own[4];
    record->words[3] = (uint64_t)own[5];
    record->words[4] = (uint64_t)own[6];
    record->words[5] = (uint64_t)own[7];
}

static void fill_set(struct wl_timeline_record *record, const int64_t *values)
{
    const int64_t *own = values + OWN;
    record->words[0] = where(own);
    record->words[1] = (uint64_t)own[3];
    record->words[2] = (uint64_t)own[4];
    record->words[3] = (uint64_t)own[5];
    record->words[5] = (uint64_t)own[6];
}

static void fill_synchronization(struct wl_timeline_record *record, const int64_t *values)
{
    record->words[0] = where(values + OWN);
    record->words[1] = (uint64_t)values[OWN + 3];
}

static void fill_memory(struct wl_timeline_record *record, const int64_t *values)
{
    const int64_t *own = values + OWN;
    record->words[0] = where(own);
    record->words[1] = (uint64_t)own[3];
    record->words[2] = (uint64_t)own[4];
    record->words[3] = (uint64_t)own[5];
    record->words[4] = own[6] == 1;
}

static void fill_nvtx(struct wl_timeline_record *record, const int64_t *values)
{
    if (values[OWN] == START_END || values[OWN] == START_END_OF_TEXT)
        record->category = WL_TIMELINE_NVTX_STARTEND;
    else if (values[OWN] == MARK)
        record->category = WL_TIMELINE_NVTX_MARK;
    record->words[0] = (uint64_t)values[OWN + 1]; /* the domain's number, by then */
    record->words[1] = (uint64_t)values[OWN + 2];
    record->words[2] = (uint64_t)values[OWN + 3];
    record->words[3] = (uint64_t)values[OWN + 4];
}

static void fill_result(struct wl_timeline_record *record, const int64_t *values)
{
    record->words[0] = (uint64_t)values[OWN];
}

/* nsys has them by their handles; what Warplens writes has a name there (StringIds), which the
 * row's name is looked up with: name_event. */
static void fill_mpi_peer(struct wl_timeline_record *record, const int64_t *values)
{
    const int64_t *own =
        values + OWN; /* bytes, whether they are received, rank, tag, communicator */
    record->words[own[1] ? 1 : 0] = (uint64_t)own[0];
    record->words[2] = (uint64_t)own[2];
    record->words[3] = (uint64_t)own[3];
    record->words[4] = (uint64_t)own[4];
}

static void fill_mpi_all(struct wl_timeline_record *record, const int64_t *values)
{
    const int64_t *own = values + OWN; /* bytes sent, received, root, communicator */
    record->words[0] = (uint64_t)own[0];
    record->words[1] = (uint64_t)own[1];
    record->words[2] = (uint64_t)own[2];
    record->words[3] = (uint64_t)-1;
    record->words[4] = (uint64_t)own[3];
}

static void fill_mpi_other(struct wl_timeline_record *record, const int64_t *values)
{
    (void)values;
    record->words[2] = record->words[3] = (uint64_t)-1;
}

/* OpenACC's number of the event (interface for tools) by CUPTI's. */
static uint64_t acc_event_of(int64_t kind)
{
    static const uint8_t events[] = {0, 1, 3, 5, 18, 20, 22, 24, 24, 16, 14, 10, 12, 6, 7, 8, 9};
    return kind > 0 && kind < (int64_t)WL_COUNT(events) ? events[kind] : 0;
}

/* File and function are numbers of names until name_event has looked them up. */
static void fill_acc(struct wl_timeline_record *record, const int64_t *values)
{
    enum { IMPLICIT_WAIT = 8 };
    enum { KIND, CONSTRUCT, IMPLICIT, DEVICE_TYPE, DEVICE, FILE_NAME, LINE, FUNCTION, BYTES };
    const int64_t *own = values + OWN;
    record->words[0] = WL_TIMELINE_PACK_REGION(
        acc_event_of(own[KIND]), own[CONSTRUCT] ? own[CONSTRUCT] - 1 : 0,
        own[IMPLICIT] || own[KIND] == IMPLICIT_WAIT, own[DEVICE_TYPE], own[DEVICE]);
    record->words[1] = (uint64_t)own[FILE_NAME];
    record->words[2] = (uint64_t)own[LINE];
    record->words[3] = (uint64_t)own[FUNCTION];
    record->words[4] = (uint64_t)-1;
    record->words[5] = (uint64_t)own[BYTES];
}

static void fill_nothing(struct wl_timeline_record *record, const int64_t *values)
{
    (void)record, (void)values;
}

#define PLACE "deviceId", "contextId", "streamId"
/* "(expression)" and "column|otherwise" are no mere names of columns */
#define IS_RECEIVED \
    "((SELECT value LIKE '%recv%' AND value NOT LIKE '%sendrecv%' OR value LIKE '%probe%' FROM StringIds WHERE id = textId))"
#define ACC_PLACE                                                                                \
    "eventKind", "parentConstruct", "implicit", "deviceType", "cuDeviceId", "srcFile", "lineNo", \
        "funcName", "bytes"
/* ---- the tables ---- */

const struct wl_sqlite_table wl_sqlite_tables[] = {
    {"CUPTI_ACTIVITY_KIND_RUNTIME",
     "CUPTI_ACTIVITY_KIND_RUNTIME",
     WL_TIMELINE_CUDA_RUNTIME,
     {"start", "end", "nameId", "globalTid", "correlationId", "returnValue", "eventClass"},
     {"start", "end", "cbid", "threadId", "correlationId", "returnValue", "-"},
     fill_call},
    {NULL,
     "CUPTI_ACTIVITY_KIND_DRIVER",
     WL_TIMELINE_CUDA_DRIVER,
     {"-"},
     {"start", "end", "cbid", "threadId", "correlationId", "returnValue", "-"},
     fill_call},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
     WL_TIMELINE_KERNEL,
     {"start", "end", "demangledName", "globalPid", "correlationId", PLACE, "gridX", "gridY",
      "gridZ", "blockX", "blockY", "blockZ", "registersPerThread", "staticSharedMemory",
      "dynamicSharedMemory", "graphNodeId"},
     {"start", "end", "name", "-", "correlationId", PLACE, "gridX", "gridY", "gridZ", "blockX",
      "blockY", "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "-"},
     fill_kernel},
    {NULL,
     "CUPTI_ACTIVITY_KIND_KERNEL",
     WL_TIMELINE_KERNEL,
     {"-"},
     {"start", "end", "name", "-", "correlationId", PLACE, "gridX", "gridY", "gridZ", "blockX",
      "blockY", "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "-"},
     fill_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     "CUPTI_ACTIVITY_KIND_MEMCPY",
     WL_TIMELINE_MEMCPY,
     {"start", "end", "-", "globalPid", "correlationId", PLACE, "bytes", "copyKind", "srcKind",
      "dstKind", "graphNodeId"},
     {"start", "end", "-", "-", "correlationId", PLACE, "bytes", "copyKind", "srcKind", "dstKind",
      "-"},
     fill_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     "CUPTI_ACTIVITY_KIND_MEMSET",
     WL_TIMELINE_MEMSET,
     {"start", "end", "-", "globalPid", "correlationId", PLACE, "bytes", "value", "memKind",
      "graphNodeId"},
     {"start", "end", "-", "-", "correlationId", PLACE, "bytes", "value", "memoryKind", "-"},
     fill_set},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     NULL,
     WL_TIMELINE_SYNCHRONIZATION,
     {"start", "end", "-", "globalPid", "correlationId", PLACE, "syncType"},
     {"-"},
     fill_synchronization},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS",
     NULL,
     WL_TIMELINE_MEMORY,
     {"start", "-", "-", "globalPid", "correlationId", PLACE, "address", "bytes", "memKind",
      "memoryOperationType"},
     {"-"},
     fill_memory},
    {"NVTX_EVENTS",
     NULL,
     WL_TIMELINE_NVTX_PUSHPOP,
     {"start", "end", "textId", "globalTid", "-", "eventType", "domainId", "color", "uint64Value",
      "category"},
     {"-"},
     fill_nvtx},
    {"OSRT_API",
     NULL,
     WL_TIMELINE_OSRT,
     {"start", "end", "nameId", "globalTid", "-", "returnValue"},
     {"-"},
     fill_result},
    {"CUBLAS_EVENTS",
     NULL,
     WL_TIMELINE_CUDA_LIBRARY,
     {"start", "end", "nameId", "globalTid", "-"},
     {"-"},
     fill_nothing},
    {"CUDNN_EVENTS",
     NULL,
     WL_TIMELINE_CUDA_LIBRARY,
     {"start", "end", "nameId", "globalTid", "-"},
     {"-"},
     fill_nothing},
    {"MPI_COLLECTIVES_EVENTS",
     NULL,
     WL_TIMELINE_MPI,
     {"start", "end", "textId", "globalTid", "-", "size", "recvSize", "rootRank|-1", "commHandle"},
     {"-"},
     fill_mpi_all},
    {"MPI_P2P_EVENTS",
     NULL,
     WL_TIMELINE_MPI,
     {"start", "end", "textId", "globalTid", "-", "size", IS_RECEIVED, "remoteRank|-1", "tag|-1",
      "commHandle"},
     {"-"},
     fill_mpi_peer},
    {"MPI_START_WAIT_EVENTS",
     NULL,
     WL_TIMELINE_MPI,
     {"start", "end", "textId", "globalTid", "-"},
     {"-"},
     fill_mpi_other},
    {"MPI_OTHER_EVENTS",
     NULL,
     WL_TIMELINE_MPI,
     {"start", "end", "textId", "globalTid", "-"},
     {"-"},
     fill_mpi_other},
    {"CUPTI_ACTIVITY_KIND_OPENACC_DATA",
     NULL,
     WL_TIMELINE_OPENACC,
     {"start", "end", "nameId", "globalTid", "-", ACC_PLACE},
     {"-"},
     fill_acc},
    {"CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH",
     NULL,
     WL_TIMELINE_OPENACC,
     {"start", "end", "nameId", "globalTid", "-", ACC_PLACE},
     {"-"},
     fill_acc},
    {"CUPTI_ACTIVITY_KIND_OPENACC_OTHER",
     NULL,
     WL_TIMELINE_OPENACC,
     {"start", "end", "nameId", "globalTid", "-", ACC_PLACE},
     {"-"},
     fill_acc},
};
const size_t wl_sqlite_table_count = WL_COUNT(wl_sqlite_tables);
