/* Times of OpenACC regions of a trace that is made up, so that every number is known. */
#include "show/page/acc_time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/stream/stream.h"
#include "timeline/record.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { NAME_FILE = 1, NAME_MAIN, NAME_KERNEL, NAME_OTHER_FILE };
static const char *const names[] = {"/src/a.c", "main", "main$_omp_fn$0", "/src/b.c"};

enum { DATA = 10, EXIT_DATA = 12, UPDATE = 14, COMPUTE = 16, LAUNCH = 18 };
enum { GPU = 5, HOST = 2, STRUCTURED = 3 };

#define REGION(thread_, from, to, kind, construct, implicit, device, file, line)                 \
    {                                                                                            \
        .category = WL_TIMELINE_OPENACC, .thread = thread_, .start = from, .end = to, .words = { \
            WL_TIMELINE_PACK_REGION(kind, construct, implicit, device, 0),                       \
            file,                                                                                \
            line,                                                                                \
            NAME_MAIN,                                                                           \
        }                                                                                        \
    }
#define CALL(thread_, from, to, id)                                                       \
    {                                                                                     \
        .category = WL_TIMELINE_CUDA_DRIVER, .thread = thread_, .start = from, .end = to, \
        .correlation = id                                                                 \
    }
#define KERNEL(from, to, id, gangs)                                                    \
    {                                                                                  \
        .category = WL_TIMELINE_KERNEL, .name = NAME_KERNEL, .start = from, .end = to, \
        .correlation = id, .flags = WL_TIMELINE_PREDICTED, .words = {                  \
            0,                                                                         \
            WL_TIMELINE_PACK_GRID(gangs, 1, 1),                                        \
            WL_TIMELINE_PACK_BLOCK(32, 4, 1, 16),                                      \
        }                                                                              \
    }
#define COPY(from, to, id, bytes, kind)                                                         \
    {                                                                                           \
        .category = WL_TIMELINE_MEMCPY, .start = from, .end = to, .correlation = id, .words = { \
            0,                                                                                  \
            bytes,                                                                              \
            kind,                                                                               \
        }                                                                                       \
    }

/* A data region with a kernel in it twice, whose own copies are implicit; a copy on another thread
 * that stands in no region; an update; regions on the host in another file. */
static const struct wl_timeline_record events[] = {
    REGION(1, 1000, 9000, DATA, STRUCTURED, false, GPU, NAME_FILE, 10),
    CALL(1, 2000, 4000, 1),
    COPY(2100, 3100, 1, 4096, WL_TIMELINE_COPY_TO_DEVICE),
    CALL(2, 2000, 4000, 2),
    COPY(2100, 9100, 2, 1 << 20, WL_TIMELINE_COPY_TO_DEVICE),
    REGION(1, 10000, 30000, COMPUTE, 0, false, GPU, NAME_FILE, 12),
    REGION(1, 11000, 14000, DATA, 0, true, GPU, NAME_FILE, 12),
    CALL(1, 12000, 13000, 3),
    COPY(12100, 12600, 3, 16, WL_TIMELINE_COPY_TO_DEVICE),
    REGION(1, 15000, 18000, LAUNCH, 0, true, GPU, NAME_FILE, 12),
    CALL(1, 16000, 17000, 4),
    KERNEL(17000, 27000, 4, 100),
    REGION(1, 40000, 50000, COMPUTE, 0, false, GPU, NAME_FILE, 12),
    CALL(1, 41000, 42000, 5),
    KERNEL(43000, 46000, 5, 200),
    REGION(1, 60000, 62000, UPDATE, 12, false, GPU, NAME_FILE, 20),
    CALL(1, 60100, 61900, 6),
    COPY(61000, 61800, 6, 2000000, WL_TIMELINE_COPY_TO_HOST),
    REGION(1, 70000, 75000, COMPUTE, 0, false, HOST, NAME_OTHER_FILE, 5),
};

static struct fixture {
    char *folder;
    struct wl_report *report;
} fixture;

static int make(void **state)
{
    (void)state;
    struct wl_error error = {0};
    struct wl_stream_writer *writer = NULL;
    assert_int_equal(wl_folder_create_temporary("wl-acc", &fixture.folder, NULL), WL_OK);
    char *stream = wl_string_format("%s/stream", fixture.folder);
    char *path = wl_string_format("%s/a.wlr", fixture.folder);
    assert_int_equal(mkdir(stream, 0777), 0);
    assert_int_equal(wl_stream_writer_open(stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sink->put_process(sink->self, &(struct wl_record_process){.pid = 1,
                                                              .host = "h",
                                                              .executable = "a",
                                                              .executable_hash = "",
                                                              .command_line = "a",
                                                              .version = "0",
                                                              .collector = "sim",
                                                              .rank = 3,
                                                              .rank_count = 4});
    sink->put_trace_names(sink->self, &(struct wl_record_trace_names){1, names, COUNT(names)});
    sink->put_trace(sink->self, &(struct wl_record_trace){events, COUNT(events)});
    sink->put_end(sink->self, 0, 99);
    wl_stream_writer_close(writer);
    struct wl_report_build build = {.stream_folder = stream, .report_path = path};
    if (wl_report_build(&build, &error) || wl_report_open(path, &fixture.report, &error))
        fail_msg("%s", error.message);
    free(stream);
    free(path);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    wl_report_close(fixture.report);
    wl_folder_remove(fixture.folder, NULL);
    free(fixture.folder);
    return 0;
}

static char *print(enum wl_view_format format, const char *log_text)
{
    struct wl_acc_time time;
    struct wl_compiler_log log = {0};
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(wl_report_acc_time(fixture.report, NULL, &time, NULL), WL_OK);
    if (log_text)
        wl_compiler_log_parse(log_text, &log);
    FILE *out = open_memstream(&text, &length);
    assert_int_equal(wl_view_acc_time(&time, log_text ? &log : NULL, format, out, NULL), WL_OK);
    fclose(out);
    wl_report_acc_time_free(&time);
    wl_compiler_log_free(&log);
    return text;
}

static const char data_rows[] =
    "/src/a.c\n"
    "  main  NVIDIA  devicenum=0\n"
    "    time(us): 15.3\n"
    "    10: data region reached 1 time\n"
    "               elapsed time(us): total=8.0 max=8.0 min=8.0 avg=8.0\n"
    "        10: data copyin transfers: 1, 0.004 MB\n"
    "               device time(us): total=1.0 max=1.0 min=1.0 avg=1.0\n"
    "    12: compute region reached 2 times\n"
    "               elapsed time(us): total=30.0 max=20.0 min=10.0 avg=15.0\n"
    "        12: kernel launched 2 times: main$_omp_fn$0\n"
    "            grid: [100]  block: [32x4]  (and others)\n"
    "               device time(us): total=13.0 max=10.0 min=3.0 avg=6.5\n"
    "               elapsed time(us): total=16.0 max=11.0 min=5.0 avg=8.0\n"
    "        12: data copyin transfers: 1, 16 bytes\n"
    "               device time(us): total=0.5 max=0.5 min=0.5 avg=0.5\n";
static const char update_rows[] =
    "    20: update directive reached 1 time\n"
    "               elapsed time(us): total=2.0 max=2.0 min=2.0 avg=2.0\n"
    "        20: data copyout transfers: 1, 2.000 MB\n"
    "               device time(us): total=0.8 max=0.8 min=0.8 avg=0.8\n";
static const char host_rows[] =
    "/src/b.c\n"
    "  main  HOST\n"
    "    5: compute region reached 1 time\n"
    "               elapsed time(us): total=5.0 max=5.0 min=5.0 avg=5.0\n"
    "\n  Device times are predicted: those of the simulated GPU. Elapsed times are on the "
    "simulated clock.\n";
static const char host_finding[] = "  b.c:5: compute regions ran on the host, not on a device\n"
                                   "    do: compile with -foffload=nvptx-none (gcc) or -acc=gpu "
                                   "(nvc); ACC_DEVICE_TYPE=nvidia ends the program\n"
                                   "        where there is no device\n";

static void expect(char *found, const char *const *parts, size_t count)
{
    struct wl_text expected = {0};
    wl_text_add(&expected, "\nAccelerator Kernel Timing data\n");
    for (size_t i = 0; i < count; i++)
        wl_text_add(&expected, parts[i]);
    assert_string_equal(found, expected.data);
    wl_text_free(&expected);
    free(found);
}

static void regions_have_their_kernels_and_copies(void **state)
{
    (void)state;
    const char *const parts[] = {data_rows, update_rows, host_rows, "\nWhat stands out:\n",
                                 host_finding};
    expect(print(WL_FORMAT_TEXT, NULL), parts, COUNT(parts));
}

static void messages_are_told_with_their_lines(void **state)
{
    (void)state;
    static const char log[] = "a.c:\nmain:\n     12, Generating NVIDIA GPU code\n"
                              "     14, Loop carried dependence of sum prevents parallelization\n"
                              "         14, #pragma acc loop seq\n"
                              "     30, Generating implicit copy(x)\n";
    const char *const parts[] = {
        data_rows,
        "        12, Generating NVIDIA GPU code\n"
        "        14, Loop carried dependence of sum prevents parallelization\n"
        "        14, #pragma acc loop seq\n",
        update_rows,
        "        30, Generating implicit copy(x)\n",
        host_rows,
        "\nWhat stands out:\n"
        "  a.c:14: the compiler keeps the loop in line 14 sequential for a dependence on sum; its "
        "kernel takes 85.0% of\n  the device's time (predicted)\n"
        "    do: if the loop adds up into sum, sum into a temporary with reduction(+:...) and "
        "store it once behind the\n        loop; if its iterations are independent, say so with "
        "`loop independent` and restrict\n",
        host_finding};
    expect(print(WL_FORMAT_TEXT, log), parts, COUNT(parts));
}

static void data_formats_have_the_same_rows(void **state)
{
    (void)state;
    char *csv = print(WL_FORMAT_CSV, NULL), *json = print(WL_FORMAT_JSON, NULL);
    assert_non_null(strstr(csv, "\n\"/src/a.c\",\"main\",12,compute region,kernel,nvidia,"
                                "\"main$_omp_fn$0\",[100],[32x4],2,0,13000,10000,3000,16000,11000,"
                                "5000,predicted\n"));
    assert_non_null(strstr(csv,
                           "\n\"/src/a.c\",\"main\",20,update directive,copyout,nvidia,\"\",,,1,"
                           "2000000,800,800,800,0,0,0,predicted\n"));
    assert_non_null(strstr(json, "\"rule\": \"acc-host-fallback\""));
    assert_non_null(strstr(json, "\"mark\": \"predicted\""));
    free(csv);
    free(json);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct wl_acc_time time;
    struct wl_error error = {0};
    assert_int_equal(wl_report_acc_time(fixture.report, "0-2", &time, &error), WL_ERR_NOTHING);
    assert_string_equal(error.message, "the report holds no OpenACC");
    assert_int_equal(wl_report_acc_time(fixture.report, "3", &time, &error), WL_OK);
    assert_int_equal(wl_view_acc_time(&time, NULL, WL_FORMAT_SARIF, stdout, &error), WL_ERR_USAGE);
    assert_string_equal(error.message, "acc-time cannot be printed in this format");
    FILE *full = fopen("/dev/full", "w");
    assert_int_equal(wl_view_acc_time(&time, NULL, WL_FORMAT_TEXT, full, &error), WL_ERR_OUTPUT);
    fclose(full);
    wl_report_acc_time_free(&time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_have_their_kernels_and_copies),
        cmocka_unit_test(messages_are_told_with_their_lines),
        cmocka_unit_test(data_formats_have_the_same_rows),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
