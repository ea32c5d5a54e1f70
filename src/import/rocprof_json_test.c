/* rocprofv3's JSON, made here with the members that the tool's own tests read. */
#include "support/import_support.h"

static const char results[] =
    "{\n  \"rocprofiler-sdk-tool\": [\n{\"metadata\":{\"pid\":41,\"init_time\":900,\"fini_time\":9000,"
    "\"command\":[\"./saxpy\",\"7\"]},"
    "\"agents\":[{\"id\":{\"handle\":11},\"type\":1,\"node_id\":0,\"name\":\"EPYC\"},"
    "{\"id\":{\"handle\":17},\"type\":2,\"node_id\":4,\"name\":\"gfx942\",\"product_name\":\"MI300X\"}],"
    "\"strings\":{\"buffer_records\":[{\"kind\":\"NONE\",\"operations\":[]},"
    "{\"kind\":\"HIP_RUNTIME_API\",\"operations\":[\"hipMalloc\",\"hipLaunchKernel\"]},"
    "{\"kind\":\"KERNEL_DISPATCH\",\"operations\":[]},"
    "{\"kind\":\"MEMORY_COPY\",\"operations\":[\"\",\"MEMORY_COPY_HOST_TO_DEVICE\","
    "\"MEMORY_COPY_DEVICE_TO_HOST\"]},"
    "{\"kind\":\"MARKER_CORE_API\",\"operations\":[\"roctxMarkA\",\"roctxRangePushA\"]}],"
    "\"marker_api\":[{\"key\":21,\"value\":\"solve\"},{\"key\":22,\"value\":\"here\"}]},"
    "\"kernel_symbols\":[{\"kernel_id\":0},{\"kernel_id\":10,\"kernel_name\":\"_Z3addPf.kd\","
    "\"formatted_kernel_name\":\"add(float*, int)\",\"arch_vgpr_count\":24}],"
    "\"buffer_records\":{"
    "\"kernel_dispatch\":[{\"kind\":2,\"operation\":2,\"thread_id\":5,\"correlation_id\":{\"internal\":3,"
    "\"external\":0},\"start_timestamp\":1000,\"end_timestamp\":1500,\"dispatch_info\":{\"agent_id\":"
    "{\"handle\":17},\"queue_id\":{\"handle\":1},\"kernel_id\":10,\"group_segment_size\":512,"
    "\"workgroup_size\":{\"x\":256,\"y\":1,\"z\":1},\"grid_size\":{\"x\":1000,\"y\":2,\"z\":1}},"
    "\"stream_id\":{\"handle\":3}}],"
    "\"memory_copy\":[{\"kind\":3,\"operation\":1,\"thread_id\":5,\"correlation_id\":{\"internal\":2},"
    "\"start_timestamp\":940,\"end_timestamp\":960,\"src_agent_id\":{\"handle\":11},\"dst_agent_id\":"
    "{\"handle\":17},\"bytes\":1000}],"
    "\"hip_api\":[{\"kind\":1,\"operation\":1,\"thread_id\":5,\"correlation_id\":{\"internal\":3},"
    "\"start_timestamp\":970,\"end_timestamp\":990},{\"kind\":1,\"operation\":0,\"thread_id\":5,"
    "\"start_timestamp\":50,\"end_timestamp\":20}],"
    "\"marker_api\":[{\"kind\":4,\"operation\":1,\"thread_id\":5,\"correlation_id\":{\"internal\":21},"
    "\"start_timestamp\":930,\"end_timestamp\":1600},{\"kind\":4,\"operation\":0,\"thread_id\":5,"
    "\"correlation_id\":{\"internal\":22},\"start_timestamp\":935,\"end_timestamp\":935}],"
    "\"hsa_api\":[{\"kind\":9,\"start_timestamp\":1,\"end_timestamp\":2}],\"rccl_api\":[]}}]}\n";

static void records_become_events(void **state)
{
    (void)state;
    size_t count = 0;
    struct wl_report *report = import_text(results);
    table_is(report, "cuda_gpu_trace",
             "10|20|2||||||||||0.001|50000|||4|1|0|[CUDA memcpy Host-to-Device]|\n"
             "70|500|3|4|2|1|256|1|1|24|0.000512|0|||||4|1|3|add(float*, int)|\n");
    table_is(report, "cuda_api_trace", "40|20|hipLaunchKernel|0|3|41|5|\n");
    table_is(report, "nvtx_pushpop_sum", "100|670|1|670|670|670|670|0|:solve|\n");
    assert_int_equal(wl_report_event_count(report), 5);
    assert_string_equal(wl_report_processes(report, &count)[0].record.executable, "./saxpy");
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    assert_int_equal(count, 3);
    assert_string_equal(notes[0].record.text, "records not read: hsa_api (1)");
    assert_non_null(strstr(notes[1].record.text, "of an AMD GPU"));
    assert_string_equal(notes[2].record.text, "1 records had an invalid time");
    wl_report_close(report);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "{\"rocprofiler-sdk-tool\":[7,\"a\",[],{}]}",
        ("{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{\"kernel_dispatch\":[{},7,{\"start_timestamp\":"
         "-1,\"end_timestamp\":1e300}],\"hip_api\":7},\"strings\":{\"buffer_records\":7},\"agents\":{}}]}"),
        "{\"rocprofiler-sdk-tool\":{}}",
    };
    for (size_t i = 0; i < COUNT(forms); i++)
        import_fails(forms[i], strlen(forms[i]), WL_ERR_NOTHING, "neither");
    import_fails("{\"rocprofiler-sdk-tool\":7}", 26, WL_ERR_INPUT, "no list rocprofiler-sdk-tool");
    import_fails(results, sizeof results - 5, WL_ERR_CORRUPT, "line");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(records_become_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_files_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("rocprof_json", tests, NULL, NULL);
}
