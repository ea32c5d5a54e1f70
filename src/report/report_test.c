#include "support/report_sample.h"

#include <dirent.h>
#include <math.h>

static int set_up(void **state)
{
    struct sample *sample = wl_alloc_zero(1, sizeof *sample);
    sample_make(sample);
    *state = sample;
    return 0;
}

static int tear_down(void **state)
{
    sample_remove(*state);
    free(*state);
    return 0;
}

static struct wl_report *build_and_open(const struct sample *sample)
{
    struct wl_error error = {0};
    struct wl_report *report = NULL;
    struct wl_report_build build = sample_build(sample);
    if (wl_report_build(&build, &error) != WL_OK)
        fail_msg("%s (%s)", error.message, error.where);
    assert_int_equal(wl_folder_remove(sample->stream, NULL), WL_OK);
    if (wl_report_open(sample->report, &report, &error) != WL_OK)
        fail_msg("%s (%s)", error.message, error.where);
    return report;
}

static void processes_and_launches_come_back(void **state)
{
    const struct sample *sample = *state;
    sample_put_stream(sample, 41, 2, true);
    sample_put_stream(sample, 42, 1, true);
    struct wl_report *report = build_and_open(sample);
    size_t count;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    assert_int_equal(count, 2);
    assert_int_equal(processes[0].record.pid, 41);
    assert_int_equal(processes[0].record.parent_pid, 1);
    assert_string_equal(processes[0].record.host, "node1");
    assert_string_equal(processes[0].record.executable, "/home/u/app");
    assert_string_equal(processes[0].record.executable_hash, "abc");
    assert_string_equal(processes[0].record.command_line, "./app 12");
    assert_int_equal(processes[0].record.start_ns, 1000);
    assert_string_equal(processes[0].record.version, "0.1.0");
    assert_string_equal(processes[0].record.collector, "sim");
    assert_int_equal(processes[0].exit_code, 3);
    assert_false(processes[0].is_torn);
    assert_int_equal(processes[0].dropped, 0);

    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    assert_int_equal(count, 3);
    for (int64_t i = 0; i < 3; i++)
        assert_int_equal(launches[i].key, i);
    assert_ptr_equal(launches[1].process, &processes[0]);
    assert_ptr_equal(launches[2].process, &processes[1]);
    assert_ptr_equal(launches[0].kernel, launches[2].kernel); /* kept once */
    const struct wl_record_launch *record = &launches[1].record;
    assert_int_equal(record->id, 1);
    assert_int_equal(record->stream_id, 7);
    assert_int_equal(record->grid[0], 32);
    assert_int_equal(record->grid[1], 2);
    assert_int_equal(record->block[0], 256);
    assert_int_equal(record->shared_dynamic_bytes, 48);
    assert_int_equal(record->start_ns, 5001);
    assert_int_equal(record->simulated_for_ns, 77);
    assert_int_equal(record->status, WL_LAUNCH_DONE);
    assert_string_equal(record->range, "solve/step");
    assert_string_equal(launches[1].device->model, "h200");
    assert_int_equal(launches[1].device->capability_major, 9);
    assert_string_equal(launches[1].kernel->record.demangled, "axpy(float *)");
    assert_string_equal(launches[1].kernel->record.mangled, "_Z4axpyPf");
    assert_string_equal(launches[1].kernel->record.function, "axpy");
    assert_string_equal(launches[1].kernel->module.options, "-O3");
    assert_int_equal(launches[1].kernel->module.architecture, 90);
    wl_report_close(report);
}

static void values_and_attributes_are_found_by_name(void **state)
{
    const struct sample *sample = *state;
    sample_put_stream(sample, 41, 1, true);
    struct wl_report *report = build_and_open(sample);
    size_t count;
    double value = 0;
    enum wl_mark mark = WL_MARK_EXACT;
    const struct wl_report_launch *launch = wl_report_launches(report, &count);
    assert_int_equal(launch->record.value_count, 3);
    assert_true(wl_report_value(launch, "lts__t_sectors_op_read.sum", &value, &mark));
    assert_true(value == 100);
    assert_int_equal(mark, WL_MARK_MODELLED);
    assert_true(wl_report_value(launch, "gpu__time_duration.sum", &value, &mark));
    assert_true(value == 1234.5);
    assert_int_equal(mark, WL_MARK_PREDICTED);
    assert_false(wl_report_value(launch, "dram__bytes.sum", &value, &mark));
    assert_true(value == 1234.5);

    assert_string_equal(wl_report_attribute(launch, "launch__cache_control")->text, "all");
    assert_true(wl_report_attribute(launch, "launch__registers_per_thread")->number == 16);
    assert_string_equal(wl_report_attribute(launch, "launch__registers_source")->text, "liveness");
    assert_true(wl_report_attribute(launch, "device__attribute_multiprocessor_count")->number ==
                132);
    assert_null(wl_report_attribute(launch, "launch__waves"));
    wl_report_close(report);
}

static void instructions_come_when_asked_for(void **state)
{
    const struct sample *sample = *state;
    sample_put_stream(sample, 41, 2, true);
    struct wl_report *report = build_and_open(sample);
    size_t count;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    const struct wl_report_kernel *kernel = launches[0].kernel;
    assert_null(kernel->module.text);
    assert_int_equal(kernel->record.instruction_count, 0);
    assert_int_equal(wl_report_load_launch(report, &launches[0], NULL), WL_OK);
    assert_int_equal(wl_report_load_launch(report, &launches[1], NULL), WL_OK);
    assert_int_equal(wl_report_load_launch(report, &launches[0], NULL), WL_OK);
    assert_string_equal(kernel->module.text, sample_ptx);
    assert_int_equal(kernel->record.instruction_count, 3);
    const struct wl_record_instruction *store = &kernel->record.instructions[1];
    assert_int_equal(store->index, 1);
    assert_int_equal(store->text_line, 4);
    assert_string_equal(store->text, "st.global.f32 [%rd1], %f1");
    assert_string_equal(store->opcode, "st.global.f32");
    assert_string_equal(store->pipe, "lsu");
    assert_string_equal(store->file, sample->source);
    assert_int_equal(store->line, 3);
    assert_int_equal(store->column, 10);
    assert_non_null(strstr(store->inlined_at, "/gone/main.cu:30:1"));
    assert_string_equal(store->function, "store");
    assert_string_equal(kernel->record.instructions[2].file, "");

    const struct wl_record_launch *record = &launches[0].record;
    assert_int_equal(record->instruction_value_name_count, 2);
    assert_int_equal(record->instruction_value_count, 4);
    assert_string_equal(record->instruction_value_names[1], "l1tex__t_sectors_lookup_hit");
    assert_int_equal(record->instruction_value_marks[1], WL_MARK_MODELLED);
    assert_int_equal(record->instruction_values[2].instruction, 2);
    assert_int_equal(record->instruction_values[2].name, 0);
    assert_int_equal(record->instruction_values[3].instruction, 0);
    assert_int_equal(record->instruction_values[3].name, 1);
    assert_true(record->instruction_values[3].value == 100);
    assert_ptr_equal(record->instruction_values, launches[1].record.instruction_values);
    wl_report_close(report);
}

static void notes_find_their_launches(void **state)
{
    const struct sample *sample = *state;
    sample_put_stream(sample, 41, 2, true);
    sample_put_stream(sample, 42, 2, true);
    struct wl_report *report = build_and_open(sample);
    size_t count;
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    assert_int_equal(count, 2);
    assert_int_equal(notes[0].launch_key, 1);
    assert_int_equal(notes[1].launch_key, 3);
    assert_int_equal(notes[1].record.launch_id, 1);
    assert_int_equal(notes[1].process->record.pid, 42);
    assert_int_equal(notes[1].record.severity, WL_NOTE_WARNING);
    assert_string_equal(notes[1].record.code, "newer-target");
    assert_string_equal(notes[1].record.text, "PTX for a newer target");
    wl_report_close(report);
}

static void launches_stand_in_the_order_in_which_they_were_made(void **state)
{
    static const uint64_t order[] = {2, 0, 1};
    const struct sample *sample = *state;
    struct wl_stream_writer *writer;
    sample_put_stream(sample, 41, 2, true);
    assert_int_equal(wl_stream_writer_open(sample->stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sample_put_process(sink, 42);
    sample_put_kernel(sink, sample->source);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        sample_put_launch(sink, order[i], 100);
    sample_put_note(sink, 1);
    sink->put_end(sink->self, 3, 9000);
    wl_stream_writer_close(writer);

    struct wl_report *report = build_and_open(sample);
    size_t count;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(launches[i].key, i);
        assert_int_equal(launches[i].process->record.pid, i < 2 ? 41 : 42);
        assert_int_equal(launches[i].record.id, i < 2 ? i : i - 2);
        assert_int_equal(launches[i].record.start_ns, 5000 + launches[i].record.id);
    }
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    assert_int_equal(count, 2);
    assert_int_equal(notes[0].launch_key, 1);
    assert_int_equal(notes[1].launch_key, 3);
    wl_report_close(report);
}

static void sources_are_kept_or_say_why_not(void **state)
{
    const struct sample *sample = *state;
    const char *reason = NULL;
    sample_put_stream(sample, 41, 1, true);
    struct wl_report *report = build_and_open(sample);
    unlink(sample->source);
    assert_string_equal(wl_report_source(report, sample->source, &reason), sample_source);
    assert_null(reason);
    assert_null(wl_report_source(report, "/gone/main.cu", &reason));
    assert_string_equal(reason, "not found; use --source-folders");
    assert_null(wl_report_source(report, "lsu", &reason));
    assert_string_equal(reason, "not a source file of this report");
    assert_null(wl_report_source(report, "other.cu", &reason));
    assert_string_equal(reason, "not a source file of this report");
    wl_report_close(report);
}

/* Opening a report removes streams that it holds in full, so they are made again. */
static struct wl_report *build_again(const struct sample *sample,
                                     const struct wl_report_build *build)
{
    struct wl_error error = {0};
    struct wl_report *report = NULL;
    mkdir(sample->stream, 0777);
    sample_put_stream(sample, 41, 1, true);
    if (wl_report_build(build, &error) != WL_OK ||
        wl_report_open(sample->report, &report, &error) != WL_OK)
        fail_msg("%s (%s)", error.message, error.where);
    return report;
}

static void sources_are_found_in_folders(void **state)
{
    const struct sample *sample = *state;
    const char *reason = NULL;
    struct wl_report *report;
    char *gone = wl_string_format("%s/gone", sample->folder);
    char *near = wl_string_format("%s/gone/main.cu", sample->folder);
    char *far = wl_string_format("%s/main.cu", sample->folder);
    char *folders = wl_string_format("/nowhere::%s:", sample->folder);
    mkdir(gone, 0777);
    wl_file_write(near, "near", 4, NULL);
    wl_file_write(far, "far", 3, NULL);
    struct wl_report_build build = sample_build(sample);
    build.source_folders = folders;
    report = build_again(sample, &build);
    assert_string_equal(wl_report_source(report, "/gone/main.cu", NULL), "near");
    wl_report_close(report);

    unlink(near);
    build.overwrite = true;
    build.import_source = false;
    report = build_again(sample, &build);
    assert_null(wl_report_source(report, "/gone/main.cu", &reason));
    assert_string_equal(reason, "not stored in the report; profile with --import-source yes");
    wl_report_close(report);

    wl_file_write(far, "a\0b", 3, NULL);
    build.import_source = true;
    report = build_again(sample, &build);
    assert_null(wl_report_source(report, "/gone/main.cu", &reason));
    assert_string_equal(reason, "not a text file");
    wl_report_close(report);
    free(gone);
    free(near);
    free(far);
    free(folders);
}

static void the_session_comes_back(void **state)
{
    const struct sample *sample = *state;
    struct wl_error error = {0};
    struct wl_report *report = NULL;
    const struct wl_record_attribute session[] = {{.name = "gpu", .text = "h200"},
                                                  {.name = "threads", .number = 8},
                                                  {.name = "x", .text = ""}};
    struct wl_report_build build = sample_build(sample);
    build.session = session;
    build.session_count = COUNT(session);
    sample_put_stream(sample, 41, 1, true);
    assert_int_equal(wl_report_build(&build, &error), WL_OK);
    assert_int_equal(wl_report_open(sample->report, &report, &error), WL_OK);
    size_t count;
    const struct wl_record_attribute *read = wl_report_session(report, &count);
    assert_int_equal(count, 3);
    assert_string_equal(read[0].name, "gpu");
    assert_string_equal(read[0].text, "h200");
    assert_null(read[1].text);
    assert_true(read[1].number == 8);
    assert_string_equal(read[2].text, "");
    wl_report_close(report);
}

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    struct dirent *entry;
    assert_non_null(entries);
    while ((entry = readdir(entries)))
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static void a_report_has_no_side_files_and_is_copied_alone(void **state)
{
    const struct sample *sample = *state;
    sample_put_stream(sample, 41, 1, true);
    struct wl_report *report = build_and_open(sample);
    assert_int_equal(files_in(sample->folder), 2); /* report and source */
    wl_report_close(report);
    assert_int_equal(files_in(sample->folder), 2);

    struct wl_text content = {0};
    char *copy = wl_string_format("%s/50%% of #1?.wlr", sample->folder);
    assert_int_equal(wl_file_read(sample->report, &content, NULL), WL_OK);
    assert_int_equal(wl_file_write(copy, content.data, content.length, NULL), WL_OK);
    unlink(sample->report);
    chmod(copy, 0444);
    assert_int_equal(wl_report_open(copy, &report, NULL), WL_OK);
    wl_report_close(report);
    wl_text_free(&content);
    free(copy);
}

static void equal_sets_are_kept_once(void **state)
{
    const struct sample *sample = *state;
    struct stat few, many;
    struct wl_error error = {0};
    sample_put_stream(sample, 41, 10, true);
    struct wl_report_build build = sample_build(sample);
    build.overwrite = true;
    assert_int_equal(wl_report_build(&build, &error), WL_OK);
    assert_int_equal(stat(sample->report, &few), 0);
    sample_put_stream(sample, 42, 5000, true);
    assert_int_equal(wl_report_build(&build, &error), WL_OK);
    assert_int_equal(stat(sample->report, &many), 0);
    assert_true(many.st_size - few.st_size < 5000 * 100);
}

static void not_a_number_is_absent(void **state)
{
    const struct sample *sample = *state;
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(sample->stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sample_put_process(sink, 5);
    sample_put_kernel(sink, "a.cu");
    sample_put_launch(sink, 0, NAN);
    sample_put_launch(sink, 1, INFINITY);
    sink->put_end(sink->self, 0, 1);
    wl_stream_writer_close(writer);
    struct wl_report *report = build_and_open(sample);
    size_t count;
    double value;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    assert_int_equal(count, 2);
    assert_false(wl_report_value(&launches[0], "lts__t_sectors_op_read.sum", &value, NULL));
    assert_true(wl_report_value(&launches[0], "gpu__time_duration.sum", &value, NULL));
    assert_true(wl_report_value(&launches[1], "lts__t_sectors_op_read.sum", &value, NULL));
    assert_true(isinf(value));
    wl_report_close(report);
}

/* The stream may have had to drop the record of a kernel: its launches are kept all the same. */
static void launches_without_kernel_are_kept(void **state)
{
    const struct sample *sample = *state;
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(sample->stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sample_put_launch(sink, 0, 8);
    wl_stream_writer_close(writer);
    struct wl_report *report = build_and_open(sample);
    size_t count;
    const struct wl_report_launch *launch = wl_report_launches(report, &count);
    assert_int_equal(count, 1);
    assert_string_equal(launch->kernel->record.demangled, "(not recorded)");
    assert_string_equal(launch->device->name, "(not recorded)");
    assert_int_equal(launch->process->record.pid, getpid()); /* as the file is named */
    assert_int_equal(wl_report_load_launch(report, launch, NULL), WL_OK);
    assert_int_equal(launch->record.instruction_value_count, 0);
    assert_int_equal(launch->record.value_count, 3);
    wl_report_close(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processes_and_launches_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_and_attributes_are_found_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(instructions_come_when_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(notes_find_their_launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launches_stand_in_the_order_in_which_they_were_made, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(sources_are_kept_or_say_why_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sources_are_found_in_folders, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_session_comes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_report_has_no_side_files_and_is_copied_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(equal_sets_are_kept_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_a_number_is_absent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launches_without_kernel_are_kept, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
