/* nsys's JSON, as its documentation and those who read it describe it: events of older versions,
 * rows of tables of newer ones. */
#include "support/import_support.h"

/* process 41, thread 42: 687865898; process 41: 687865856 */
static const char events[] =
    "{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"100\",\"endNs\":\"150\",\"correlationId\":7,"
    "\"globalTid\":\"687865898\",\"name\":\"1\",\"eventClass\":0,\"returnValue\":2}}\n"
    "{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"300\",\"endNs\":\"310\",\"correlationId\":8,"
    "\"globalTid\":\"687865898\",\"name\":\"6\",\"eventClass\":1}}\n"
    "{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"1\",\"endNs\":\"9000\",\"globalTid\":\"687865899\","
    "\"name\":\"3\",\"eventClass\":27}}\n"
    "{\"Type\":48,\"TraceProcessEvent\":{\"startNs\":\"1\",\"endNs\":\"2\",\"globalTid\":\"687865899\","
    "\"name\":\"3\",\"eventClass\":53}}\n"
    "{\"Type\":79,\"CudaEvent\":{\"startNs\":\"200\",\"endNs\":\"260\",\"correlationId\":7,\"deviceId\":0,"
    "\"contextId\":1,\"streamId\":7,\"globalPid\":\"687865856\",\"eventClass\":3,\"kernel\":{"
    "\"shortName\":\"9\",\"demangledName\":\"2\",\"gridX\":4,\"gridY\":1,\"gridZ\":1,\"blockX\":128,"
    "\"blockY\":1,\"blockZ\":1,\"staticSharedMemory\":64,\"dynamicSharedMemory\":32,"
    "\"registersPerThread\":16}}}\n"
    "{\"Type\":80,\"CudaEvent\":{\"startNs\":\"20\",\"endNs\":\"40\",\"correlationId\":3,\"deviceId\":0,"
    "\"contextId\":1,\"streamId\":7,\"globalPid\":\"687865856\",\"eventClass\":1,\"memcpy\":{"
    "\"sizebytes\":\"1000\",\"copyKind\":1,\"srcKind\":0,\"dstKind\":2}}}\n"
    "\n"
    "{\"Type\":75,\"NvtxEvent\":{\"Type\":75,\"Timestamp\":\"5\",\"Text\":\"lib\",\"GlobalTid\":\"687865898\","
    "\"DomainId\":\"4\"}}\n"
    "{\"Type\":59,\"NvtxEvent\":{\"Type\":59,\"Timestamp\":\"90\",\"EndTimestamp\":\"400\",\"Text\":\"phase\","
    "\"GlobalTid\":\"687865898\",\"DomainId\":\"4\",\"NsTime\":true}}\n"
    "{\"Type\":59,\"NvtxEvent\":{\"Type\":59,\"Timestamp\":\"95\",\"EndTimestamp\":\"200\",\"TextId\":\"5\","
    "\"GlobalTid\":\"687865898\",\"DomainId\":\"0\",\"NsTime\":true}}\n"
    "{\"Type\":127,\"SchedEvent\":{\"startNs\":\"1\"}}\n"
    "{\"Type\":127,\"SchedEvent\":{\"startNs\":\"2\"}}\n";
static const char texts[] =
    "{\"data\":[\"[Unknown]\",\"cudaLaunchKernel\",\"axpy(float *)\",\"poll\",\"?\","
    "\"step\",\"cuLaunchKernel\"]}\n"
    "{\"data\":[{\"nameIdx\":\"3\",\"priority\":\"10\",\"globalTid\":\"687865898\"}]}\n";
static const char text_lines[] =
    "{\"type\":\"String\",\"id\":\"1\",\"value\":\"cudaLaunchKernel\"}\n"
    "{\"type\":\"String\",\"id\":\"2\",\"value\":\"axpy(float *)\"}\n"
    "{\"type\":\"String\",\"id\":\"3\",\"value\":\"poll\"}\n"
    "{\"type\":\"String\",\"id\":\"5\",\"value\":\"step\"}\n"
    "{\"type\":\"String\",\"id\":\"6\",\"value\":\"cuLaunchKernel\"}\n"
    "{\"type\":\"ThreadName\",\"globalTid\":\"687865898\",\"nameId\":\"3\",\"priority\":\"10\"}\n";

static void check_events(const char *first, const char *second)
{
    size_t count = 0;
    char *text = wl_string_format("%s%s", first, second);
    struct wl_report *report = import_text(text);
    table_is(report, "cuda_gpu_trace",
             "19|20|3||||||||||0.001|50000|Pageable|Device|0|1|7|[CUDA memcpy Host-to-Device]|\n"
             "199|60|7|4|1|1|128|1|1|16|6.4e-05|3.2e-05|||||0|1|7|axpy(float *)|\n");
    table_is(report, "cuda_api_trace",
             "99|50|cudaLaunchKernel|2|7|41|42|\n299|10|cuLaunchKernel|0|8|41|42|\n");
    table_is(report, "nvtx_pushpop_sum",
             "74.6988|310|1|310|310|310|310|0|lib:phase|\n"
             "25.3012|105|1|105|105|105|105|0|:step|\n");
    table_is(report, "osrt_sum", "100|8999|1|8999|8999|8999|8999|0|poll|\n");
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    assert_int_equal(count, 1);
    assert_string_equal(
        notes[0].record.text,
        "events that are not read: TraceProcessEvent of class 53 (1), SchedEvent (2)");
    wl_report_close(report);
    free(text);
}

static void events_of_older_versions_are_read(void **state)
{
    (void)state;
    check_events(texts, events); /* newer ones have the texts first */
    check_events(events, texts);
    check_events(events, text_lines); /* --line-by-line */
}

static void rows_of_newer_versions_are_read(void **state)
{
    (void)state;
    size_t count = 0;
    struct wl_report *report = import_text(
        "{\"table\":\"StringIds\",\"id\":1,\"value\":\"cudaLaunchKernel\"}\n"
        "{\"table\":\"CUPTI_ACTIVITY_KIND_RUNTIME\",\"start\":100,\"end\":150,\"eventClass\":0,\"globalTid\":"
        "687865898,\"correlationId\":7,\"nameId\":1,\"returnValue\":0}\n"
        "{\"table\":\"CUPTI_ACTIVITY_KIND_RUNTIME\",\"start\":160,\"end\":170,\"eventClass\":0,\"globalTid\":"
        "687865898,\"correlationId\":8,\"nameId\":1,\"returnValue\":0,\"callchainId\":3,\"START\":7}\n"
        "{\"table\":\"PROCESSES\",\"globalPid\":687865856,\"pid\":41,\"name\":\"/bin/app\"}\n"
        "{\"table\":\"SCHED_EVENTS\",\"start\":1}\n");
    table_is(report, "cuda_api_trace",
             "0|50|cudaLaunchKernel|0|7|41|42|\n60|10|cudaLaunchKernel|0|8|41|42|\n");
    assert_string_equal(wl_report_processes(report, &count)[0].record.executable, "/bin/app");
    assert_string_equal(wl_report_notes(report, &count)[0].record.text,
                        "tables that are not read: SCHED_EVENTS");
    wl_report_close(report);
}

static void wrong_lines_are_refused(void **state)
{
    (void)state;
    static const char cut[] = "{\"data\":[\"a\"]}\n{\"CudaEvent\":{\"startNs\":\"1\"\n";
    static const char none[] = "{\"data\":[\"a\"]}\n{\"data\":7}\n[]\n7\n{\"type\":\"String\"}\n";
    static const char view[] = "{\"table\":\"StringIds\",\"id\":\"x\",\"value\":\"cudaMalloc\"}\n";
    static const char hostile[] =
        "{\"table\":\"a\\\"; DROP TABLE StringIds; --\",\"id\":1}\n{\"table\":\"sqlite_master\",\"sql\":1}\n"
        "{\"table\":\"NVTX_EVENTS\",\"start\\\"); --\":1}\n{\"table\":\"\"}\n";
    import_fails(cut, sizeof cut - 1, WL_ERR_CORRUPT, "line 2");
    import_fails(none, sizeof none - 1, WL_ERR_CORRUPT, "line 4");
    import_fails(none, strlen("{\"data\":[\"a\"]}\n{\"data\":7}\n[]"), WL_ERR_NOTHING, "neither");
    import_fails(view, sizeof view - 1, WL_ERR_NOTHING, "neither");
    import_fails(hostile, sizeof hostile - 1, WL_ERR_NOTHING, "neither");
    for (size_t length = 1; length < sizeof events - 1; length += 7) { /* wherever it is cut */
        struct wl_error error = {0};
        unlink(made);
        write_file(events, length);
        assert_int_not_equal(wl_import(path, made, true, NULL, &error), WL_ERR_INTERNAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_of_older_versions_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_of_newer_versions_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_lines_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("nsys_json", tests, NULL, NULL);
}
