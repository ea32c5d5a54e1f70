/* Imported files: each made here as its format says, and forms that are wrong. */
#include <math.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "support/import_support.h"

/* ---- Chrome ---- */

static const char kineto[] =
    "{\"schemaVersion\":1,\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":["
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":77,\"args\":{\"name\":\"python\"}},"
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":77,\"tid\":78,\"ts\":10,\"dur\":50},"
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":77,\"tid\":78,"
    "\"ts\":20.5,\"dur\":4,\"args\":{\"correlation\":9}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":40,\"dur\":12.25,\"args\":"
    "{\"correlation\":9,\"device\":0,\"context\":1,\"stream\":7,\"grid\":[8,2,1],\"block\":[64,1,1],"
    "\"registers per thread\":40,\"shared memory\":1024}},"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> Device)\",\"pid\":0,\"tid\":7,"
    "\"ts\":30,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,\"bytes\":4096}},"
    "{\"ph\":\"B\",\"name\":\"outer\",\"pid\":77,\"tid\":\"main\",\"ts\":1},"
    "{\"ph\":\"E\",\"pid\":77,\"tid\":\"main\",\"ts\":3},"
    "{\"ph\":\"E\",\"pid\":77,\"tid\":\"main\",\"ts\":3}]}";

static void traces_of_pytorch_are_read(void **state)
{
    (void)state;
    struct wl_report *report = import_text(kineto);
    table_is(
        report, "cuda_gpu_trace",
        "29000|2000|0||||||||||0.004096|2048|Pageable|Device|0|0|7|Memcpy HtoD (Pageable -> Device)|\n"
        "39000|12250|9|8|2|1|64|1|1|40|0.001024|0|||||0|1|7|gemm|\n");
    table_is(report, "cuda_api_sum", "100|4000|1|4000|4000|4000|4000|0|cudaLaunchKernel|\n");
    table_is(report, "nvtx_pushpop_sum",
             "96.1538|50000|1|50000|50000|50000|50000|0|cpu_op:aten::mm|\n"
             "3.84615|2000|1|2000|2000|2000|2000|0|:outer|\n");
    size_t count = 0;
    assert_int_equal(wl_report_notes(report, &count)[0].record.severity, WL_NOTE_WARNING);
    assert_int_equal(count, 1); /* the second E */
    assert_int_equal(wl_report_processes(report, &count)[0].record.pid, 77);
    assert_string_equal(wl_report_processes(report, &count)[0].record.executable, "python");
    wl_report_close(report);
}

/* What Chrome and PyTorch leave when they are ended, and names that are no text. */
static void careless_traces_are_read(void **state)
{
    (void)state;
    static const char *const files[] = {
        "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},\n",
        "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}",
        "\xef\xbb\xbf{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},]}",
        ("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\xff\n\\\"\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,"
         "\"args\":{\"x\":NaN,\"y\":-Infinity,\"z\":\"NaN,]\"}}]}"),
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct wl_report *report = NULL;
        write_file(files[i], strlen(files[i]));
        assert_int_equal(wl_import(path, made, true, NULL, NULL), WL_OK);
        assert_int_equal(wl_report_open(made, &report, NULL), WL_OK);
        assert_int_equal(wl_report_event_count(report), 1);
        wl_report_close(report);
    }
    /* what is cut within an event, or within an object, is not taken for whole */
    static const char *const cut[] = {"[{\"ph\":\"X\",\"name\":\"a\"",
                                      "{\"traceEvents\":[{\"ph\":\"X\"}"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        write_file(cut[i], strlen(cut[i]));
        assert_int_equal(wl_import(path, made, true, NULL, NULL), WL_ERR_CORRUPT);
    }
}

static void packed_traces_are_read(void **state)
{
    (void)state;
    struct wl_report *report = NULL;
    gzFile file = gzopen(path, "wb");
    gzwrite(file, kineto, sizeof kineto - 1);
    gzclose(file);
    assert_int_equal(wl_import(path, made, true, NULL, NULL), WL_OK);
    assert_int_equal(wl_report_open(made, &report, NULL), WL_OK);
    assert_int_equal(wl_report_event_count(report), 5);
    wl_report_close(report);
}

static void names_that_are_no_utf8_are_repaired(void **state)
{
    (void)state;
    struct wl_report *report =
        import_text("\"Kind\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n"
                    "\"KERNEL_DISPATCH\",\"a\xff\",10,30\n");
    table_is(report, "cuda_gpu_kern_sum", "100|20|1|20|20|20|20|0|a\xef\xbf\xbd|\n");
    wl_report_close(report);
}

static void tables_of_rocprof_are_read(void **state)
{
    (void)state;
    struct wl_report *report = import_text(
        "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Thread_Id\",\"Kernel_Name\",\"Correlation_Id\","
        "\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"VGPR_Count\",\"Workgroup_Size_X\","
        "\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
        "\"KERNEL_DISPATCH\",\"Agent 4\",1,5,\"add(float*, int)\",3,1000,1500,512,24,256,1,1,1024,2,1\n");
    table_is(report, "cuda_gpu_trace",
             "0|500|3|4|2|1|256|1|1|24|0.000512|0|||||4|1|1|add(float*, int)|\n");
    wl_report_close(report);
}

/* ---- SQLite ---- */

static void make_database(const char *sql)
{
    sqlite3 *database = NULL;
    unlink(path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(database));
    sqlite3_close(database);
}

static struct wl_report *import_database(const char *sql)
{
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    make_database(sql);
    if (wl_import(path, made, true, NULL, &error) != WL_OK)
        fail_msg("%s", error.message);
    assert_int_equal(wl_report_open(made, &report, NULL), WL_OK);
    return report;
}

static void databases_of_nsys_are_read(void **state)
{
    (void)state;
    /* of an older version, without columns that came later; two processes */
    struct wl_report *report = import_database(
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES(1, 'cudaLaunchKernel'), (2, 'axpy(float *)'), (3, 'poll'), "
        "(4, 'lib'), (5, 'step');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT, "
        "correlationId INT, nameId INT, returnValue INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(100, 150, 0, (41 << 24) + 42, 7, 1, 0), "
        "(99, 151, 67, (41 << 24) + 42, 7, 1, 0), " /* its call stack */
        "(300, 310, 0, (51 << 24) + 51, 7, 1, 2);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, "
        "streamId INT, correlationId INT, globalPid INT, demangledName INT, registersPerThread INT, "
        "gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT, blockZ INT, staticSharedMemory INT, "
        "dynamicSharedMemory INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(200, 260, 0, 1, 7, 7, 41 << 24, 2, 16, 4, 1, 1, "
        "128, 1, 1, 64, 32);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, deviceId INT, contextId INT, streamId "
        "INT, correlationId INT, bytes INT, copyKind INT, srcKind INT, dstKind INT, globalPid INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(20, 40, 0, 1, 7, 3, 1000, 1, 0, 2, 41 << 24);"
        "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, textId INT, domainId INT, "
        "globalTid INT);"
        "INSERT INTO NVTX_EVENTS VALUES(5, NULL, 75, 'lib', NULL, 4, (41 << 24) + 42), "
        "(6, NULL, 75, 'other', NULL, 4, (51 << 24) + 51), "
        "(90, 400, 59, 'phase', NULL, 4, (41 << 24) + 42), "
        "(95, 200, 59, NULL, 5, 0, (41 << 24) + 42);"
        "CREATE TABLE OSRT_API(start INT, end INT, nameId INT, globalTid INT, returnValue INT);"
        "INSERT INTO OSRT_API VALUES(1, 9000, 3, (41 << 24) + 43, 0);"
        "CREATE TABLE WDDM_QUEUE_PACKET_EVENTS(start INT);"
        "CREATE TABLE PROCESSES(globalPid INT, pid INT, name TEXT);"
        "INSERT INTO PROCESSES VALUES(41 << 24, 41, '/bin/app');"
        "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INT);"
        "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000);");
    table_is(report, "cuda_gpu_trace",
             "19|20|3||||||||||0.001|50000|Pageable|Device|0|1|7|[CUDA memcpy Host-to-Device]|\n"
             "199|60|7|4|1|1|128|1|1|16|6.4e-05|3.2e-05|||||0|1|7|axpy(float *)|\n");
    table_is(report, "cuda_api_trace",
             "99|50|cudaLaunchKernel|0|7|41|42|\n"
             "299|10|cudaLaunchKernel|2|7|51|51|\n");
    table_is(report, "nvtx_pushpop_sum",
             "74.6988|310|1|310|310|310|310|0|lib:phase|\n"
             "25.3012|105|1|105|105|105|105|0|:step|\n");
    table_is(report, "osrt_sum", "100|8999|1|8999|8999|8999|8999|0|poll|\n");
    size_t count = 0;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    assert_int_equal(count, 2);
    assert_string_equal(processes[0].record.executable, "/bin/app");
    assert_non_null(
        strstr(wl_report_notes(report, &count)[0].record.text, "WDDM_QUEUE_PACKET_EVENTS"));
    wl_report_close(report);
}

/* Communicators are handles; the machine's number stands above that of the process. */
static void ranks_of_nsys_are_read(void **state)
{
    (void)state;
    struct wl_report *report = import_database(
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES(1, 'MPI_Recv'), (2, 'MPI_Bcast'), (3, 'MPI_Waitall'), "
        "(4, 'Enqueue Upload'), (5, 'heat.c'), (6, 'sweep'), (7, 'MPI_Init');"
        "CREATE TABLE MPI_P2P_EVENTS(start INT, end INT, globalTid INT, textId INT, commHandle INT, "
        "tag INT, remoteRank INT, size INT);"
        "INSERT INTO MPI_P2P_EVENTS VALUES(10, 30, (41 << 24) + 41, 1, 68, 9, 1, 4000000);"
        "CREATE TABLE MPI_COLLECTIVES_EVENTS(start INT, end INT, globalTid INT, textId INT, "
        "commHandle INT, rootRank INT, size INT, recvSize INT);"
        "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES(40, 50, (1 << 56) + (41 << 24) + 41, 2, 68, 0, 0, "
        "2000000);"
        "CREATE TABLE MPI_START_WAIT_EVENTS(start INT, end INT, globalTid INT, textId INT);"
        "INSERT INTO MPI_START_WAIT_EVENTS VALUES(60, 65, (41 << 24) + 41, 3);"
        "CREATE TABLE MPI_OTHER_EVENTS(start INT, end INT, globalTid INT, textId INT);"
        "INSERT INTO MPI_OTHER_EVENTS VALUES(1, 5, (41 << 24) + 41, 7);"
        "CREATE TABLE MPI_RANKS(globalTid INT, rank INT);"
        "INSERT INTO MPI_RANKS VALUES((41 << 24) + 41, 0), ((1 << 56) + (41 << 24) + 41, 1);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_DATA(start INT, end INT, nameId INT, eventKind INT, "
        "deviceType INT, lineNo INT, srcFile INT, funcName INT, bytes INT, globalTid INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_DATA VALUES(70, 75, 4, 5, 4, 12, 5, 6, 800, "
        "(41 << 24) + 41);"
        "CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INT, name TEXT, value TEXT);"
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(0, 'Hostname', 'n1'), (1 << 56, 'Hostname', 'n2');");
    table_is(report, "mpi_event_trace",
             "0|4|MPI_Init|0|41|41|||0|0||\n"
             "9|20|MPI_Recv|0|41|41|9|1|0|4|communicator 0x44|\n"
             "39|10|MPI_Bcast|1|41|41||0|0|2|communicator 0x44|\n"
             "59|5|MPI_Waitall|0|41|41|||0|0||\n");
    table_is(report, "openacc_sum", "100|5|1|5|5|5|5|0|Enqueue Upload@heat.c:12|\n");
    size_t count = 0;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    assert_int_equal(count, 2);
    assert_string_equal(processes[1].record.host, "n2");
    assert_int_equal(processes[1].record.pid, 41);
    wl_report_close(report);
}

static void databases_of_nvprof_are_read(void **state)
{
    (void)state;
    struct wl_report *report = import_database(
        "CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringTable VALUES(1, 'axpy');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, "
        "processId INT, threadId INT, correlationId INT, returnValue INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1, 211, 10, 20, 5, 6, 1, 0), "
        "(2, 9999, 30, 35, 5, 6, 2, 0);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start INT, end INT, name INT, deviceId INT, "
        "contextId INT, streamId INT, correlationId INT, gridX INT, gridY INT, gridZ INT, blockX INT, "
        "blockY INT, blockZ INT, registersPerThread INT, staticSharedMemory INT, dynamicSharedMemory INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES(22, 40, 1, 0, 1, 7, 1, 2, 1, 1, 32, 1, 1, "
        "10, 0, 0);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INT, end INT, deviceId INT, contextId INT, streamId "
        "INT, correlationId INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(50, 60, 0, 1, 7, 3, 500, 2, 3, 1);");
    table_is(report, "cuda_api_sum",
             "66.6667|10|1|10|10|10|10|0|cudaLaunchKernel|\n"
             "33.3333|5|1|5|5|5|5|0|runtime call 9999|\n");
    table_is(report, "cuda_gpu_trace",
             "12|18|1|2|1|1|32|1|1|10|0|0|||||0|1|7|axpy|\n"
             "40|10|3||||||||||0.0005|50000|Device|Pageable|0|1|7|[CUDA memcpy Device-to-Host]|\n");
    wl_report_close(report);
}

static void hostile_databases_are_refused(void **state)
{
    (void)state;
    struct wl_error error = {0};
    make_database("CREATE TABLE other(a)");
    assert_int_equal(wl_import(path, made, true, NULL, &error), WL_ERR_INPUT);
    make_database("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT)");
    assert_int_equal(wl_import(path, made, true, NULL, &error), WL_ERR_NOTHING);
    /* a view that never ends is not even asked */
    make_database(
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE VIEW OSRT_API AS WITH RECURSIVE a(start) AS (SELECT 1 UNION ALL SELECT start "
        "FROM a) SELECT start FROM a;");
    assert_int_equal(wl_import(path, made, true, NULL, &error), WL_ERR_NOTHING);
    make_database("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
                  "CREATE TABLE OSRT_API(start TEXT, end BLOB, nameId REAL);"
                  "INSERT INTO OSRT_API VALUES('x', x'00ff', 1e300)");
    assert_int_equal(wl_import(path, made, true, NULL, &error), WL_OK);
}

/* ---- ncu ---- */

static void raw_pages_are_read(void **state)
{
    (void)state;
    size_t count = 0;
    double value = 0;
    enum wl_mark mark;
    struct wl_report *report = import_text(
        "==PROF== Connected to process 1\n"
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\","
        "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__bytes_read.sum\","
        "\"gpu__time_duration.sum\",\"launch__registers_per_thread\",\"launch__func_cache_config\",\"x\"\n"
        "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"us\",\"register/thread\",\"\",\"\"\n"
        "\"0\",\"12\",\"app\",\"host\",\"void k<8>(int, \"\"x\"\")\",\"2024\",\"1\",\"7\",\"(256, 1, 1)\","
        "\"(16, 4, 1)\",\"0\",\"9.0\",\"1,234.5\",\"2.5\",\"40\",\"CachePreferNone\",\"n/a\"\n");
    const struct wl_report_launch *launch = wl_report_launches(report, &count);
    assert_int_equal(count, 1);
    assert_string_equal(launch->kernel->record.demangled, "void k<8>(int, \"x\")");
    assert_string_equal(launch->kernel->record.function, "k");
    assert_int_equal(launch->record.grid[1], 4);
    assert_int_equal(launch->record.block[0], 256);
    assert_int_equal(launch->device->capability_major, 9);
    assert_true(wl_report_value(launch, "dram__bytes_read.sum", &value, &mark));
    assert_true(fabs(value - 1234.5e6) < 1);
    assert_true(wl_report_value(launch, "gpu__time_duration.sum", &value, &mark));
    assert_true(value == 2500);
    assert_true(wl_report_attribute(launch, "launch__registers_per_thread")->number == 40);
    assert_string_equal(wl_report_attribute(launch, "launch__func_cache_config")->text,
                        "CachePreferNone");
    assert_false(wl_report_value(launch, "x", &value, &mark));
    wl_report_close(report);
}

/* A row a metric: under its label, which means one thing in one section and another in the next, or
 * under its name; two launches of one kernel; a version without sizes. */
static void details_pages_are_read(void **state)
{
    (void)state;
    size_t count = 0;
    double value = 0;
    enum wl_mark mark;
#define ROW "\"app\",\"host\",\"k(int)\",\"2020-Jan-01\",\"1\",\"7\","
    struct wl_report *report = import_text(
        "==PROF== Connected to process 1\n"
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\",\"Context\","
        "\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\",\"Rule Name\"\n"
        "\"0\",\"12\"," ROW "\"GPU Speed Of Light\",\"Memory Throughput\",\"%\",\"41.5\",\"\"\n"
        "\"0\",\"12\"," ROW
        "\"MemoryWorkloadAnalysis\",\"Memory Throughput\",\"Gbyte/s\",\"1,234.5\",\"\"\n"
        "\"0\",\"12\"," ROW "\"Launch Statistics\",\"Grid Size\",\"\",\"64\",\"\"\n"
        "\"0\",\"12\"," ROW "\"Launch Statistics\",\"Nobody's Label\",\"\",\"64\",\"\"\n"
        "\"0\",\"12\"," ROW "\"SpeedOfLight\",\"\",\"\",\"\",\"Bottleneck\"\n"
        "\"1\",\"12\"," ROW
        "\"Command line profiler metrics\",\"gpu__time_duration.sum\",\"us\",\"2\",\"\"\n");
#undef ROW
    const struct wl_report_launch *launch = wl_report_launches(report, &count);
    assert_int_equal(count, 2);
    assert_true(wl_report_value(
        launch, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", &value, &mark));
    assert_true(value == 41.5);
    assert_true(wl_report_value(launch, "dram__bytes.sum.per_second", &value, &mark));
    assert_true(fabs(value - 1234.5e9) < 1);
    assert_int_equal(launch->record.grid[0], 64);
    assert_true(wl_report_value(launch + 1, "gpu__time_duration.sum", &value, &mark));
    assert_true(value == 2000);
    assert_non_null(strstr(wl_report_notes(report, &count)[0].record.text, "Nobody's Label"));
    assert_int_equal(count, 1);
    wl_report_close(report);
}

static void source_pages_are_read(void **state)
{
    (void)state;
    size_t count = 0;
    struct wl_report *report = import_text(
        "\"Kernel Name\",\"void k(int)\",\n"
        "\"Address\",\"Source\",\"# Samples\",\"Instructions Executed\",\"stall_long_sb\"\n"
        "\"0x10\",\"      @P0 LDG.E R2, [R4]\",\"7\",\"2,048\",\"5\"\n"
        "\"0x20\",\"      EXIT\",\"1\",\"2,048\",\"0\"\n");
    const struct wl_report_launch *launch = wl_report_launches(report, &count);
    assert_int_equal(wl_report_load_instructions(report, launch->kernel, NULL), WL_OK);
    assert_int_equal(wl_report_load_launch(report, launch, NULL), WL_OK);
    assert_int_equal(launch->kernel->record.instruction_count, 2);
    assert_string_equal(launch->kernel->record.instructions[0].opcode, "LDG.E");
    assert_int_equal(launch->record.instruction_value_count, 5 + 27);
    wl_report_close(report);
}

/* ---- a report of ncu, by hand ---- */

static void put_length(struct wl_text *out, size_t length)
{
    for (int i = 0; i < 4; i++)
        wl_text_add_char(out, (char)(length >> 8 * i));
}

static void put_message(struct wl_text *out, const struct wl_text *message)
{
    put_length(out, message->length);
    wl_text_add_bytes(out, message->data, message->length);
}

static void put_metric(struct wl_text *result, unsigned name, const char *text, double number)
{
    struct wl_text value = {0}, metric = {0};
    if (text) {
        put_bytes(&value, 1, text, strlen(text));
    } else {
        put_varint(&value, 3 << 3 | 1);
        wl_text_add_bytes(&value, &number, sizeof number);
    }
    put_number(&metric, 1, name);
    put_bytes(&metric, 2, value.data, value.length);
    put_bytes(result, 13, metric.data, metric.length);
    wl_text_free(&value);
    wl_text_free(&metric);
}

/* Two launches in two blocks; the second has no strings of its own but one. */
static void make_ncu_report(struct wl_text *file)
{
    struct wl_text header = {0}, strings = {0}, result = {0}, payload = {0}, grid = {0};
    wl_text_add_bytes(file, "NVR", 4);
    put_number(&header, 1, 7);
    put_message(file, &header);
    put_number(&grid, 1, 16);
    put_number(&grid, 2, 2);
    put_number(&grid, 3, 1);
    for (unsigned block = 0; block < 2; block++) {
        header.length = strings.length = result.length = payload.length = 0;
        if (block == 0) {
            put_bytes(&strings, 1, "gpu__time_duration.sum", 22);
            put_bytes(&strings, 1, "device__attribute_display_name", 30);
        } else {
            put_bytes(&strings, 1, "dram__bytes_read.sum", 20);
        }
        put_bytes(&result, 6, "k", 1);
        put_bytes(&result, 7, "void k<1>(int)", 14);
        put_bytes(&result, 10, grid.data, grid.length);
        put_metric(&result, 0, NULL, 1000 + block);
        put_metric(&result, 1, "NVIDIA H200", 0);
        if (block == 1)
            put_metric(&result, 2, NULL, 64);
        put_number(&result, 23, 7);
        put_message(&payload, &result);
        put_number(&header, 2, 1);
        put_bytes(&header, 4, strings.data, strings.length);
        put_number(&header, 5, payload.length);
        put_message(file, &header);
        wl_text_add_bytes(file, payload.data, payload.length);
    }
    wl_text_free(&header);
    wl_text_free(&strings);
    wl_text_free(&result);
    wl_text_free(&payload);
    wl_text_free(&grid);
}

static void reports_of_ncu_are_read(void **state)
{
    (void)state;
    struct wl_text file = {0};
    struct wl_report *report = NULL;
    size_t count = 0;
    double value = 0;
    enum wl_mark mark;
    make_ncu_report(&file);
    write_file(file.data, file.length);
    assert_int_equal(wl_import(path, made, true, NULL, NULL), WL_OK);
    assert_int_equal(wl_report_open(made, &report, NULL), WL_OK);
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    assert_int_equal(count, 2);
    assert_string_equal(launches[1].kernel->record.demangled, "void k<1>(int)");
    assert_string_equal(launches[0].device->name, "NVIDIA H200");
    assert_int_equal(launches[0].record.grid[0], 16);
    assert_int_equal(launches[0].record.stream_id, 7);
    assert_true(wl_report_value(&launches[1], "gpu__time_duration.sum", &value, &mark));
    assert_true(value == 1001);
    assert_true(wl_report_value(&launches[1], "dram__bytes_read.sum", &value, &mark));
    assert_non_null(strstr(wl_report_notes(report, &count)[0].record.text, "metrics of launches"));
    wl_report_close(report);
    for (size_t length = 5; length < file.length; length++) /* wherever it is cut */
        if (length != file.length / 2) {
            struct wl_error error = {0};
            unlink(made);
            write_file(file.data, length);
            wl_import(path, made, true, NULL, &error);
        }
    wl_text_free(&file);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    import_fails("", 0, WL_ERR_INPUT, "the file is empty");
    import_fails("hello\n", 6, WL_ERR_INPUT, "the format of the file is not known");
    import_fails("{\"a\":", 5, WL_ERR_CORRUPT, "line 1");
    import_fails("{\"a\":1}", 7, WL_ERR_INPUT, "there is no list traceEvents");
    import_fails("[{\"a\":1}]", 9, WL_ERR_NOTHING, "neither events nor kernel launches");
    import_fails("\x1f\x8b\x08zzzzzzzzzzzzzzzz", 19, WL_ERR_CORRUPT, "cannot be unpacked");
    import_fails("NVR\0\xff\xff\xff\x7f", 8, WL_ERR_CORRUPT, "cut off");
    import_fails("SQLite format 3\0zzzz", 20, WL_ERR_INPUT, "");
    import_fails("\"ID\",\"Kernel Name\",\"Metric Name\"\n", 33, WL_ERR_INPUT,
                 "averages of kernels");
    import_fails("[{\"ph\":\"X\",\"ts\":1e300,\"dur\":-5}]", 32, WL_ERR_NOTHING, "neither");
    struct wl_error error = {0};
    assert_int_equal(wl_import("/nothere", made, true, NULL, &error), WL_ERR_INPUT);
}

/* A FIFO that nobody writes to would hold the importer for ever; a device has no end. */
static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    struct wl_error error = {0};
    const char *const others[] = {path, "/dev/zero", "/"};
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        alarm(60);
        assert_int_equal(wl_import(others[i], made, true, NULL, &error), WL_ERR_INPUT);
        alarm(0);
        assert_string_equal(error.message, "not a regular file");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(traces_of_pytorch_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(careless_traces_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(packed_traces_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_that_are_no_utf8_are_repaired, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_of_rocprof_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(databases_of_nsys_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranks_of_nsys_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(databases_of_nvprof_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hostile_databases_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(raw_pages_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(details_pages_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(source_pages_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reports_of_ncu_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
