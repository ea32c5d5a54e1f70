/* For the tests of this room: a folder of its own, and the streams of a small run in it. */
#ifndef WL_SUPPORT_REPORT_SAMPLE_H
#define WL_SUPPORT_REPORT_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "record/stream/stream.h"
#include "report/report.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct sample {
    char *folder, *stream, *report, *source;
};

static const char sample_ptx[] = ".visible .entry axpy()\n{\n\tld.global.f32 %f1, [%rd1];\n"
                                 "\tst.global.f32 [%rd1], %f1;\n\tret;\n}\n";
static const char sample_source[] = "__global__ void axpy(float *x)\n{\n    x[0] = x[0];\n}\n";

/* A folder with an empty stream folder and a source file in it. */
static inline void sample_make(struct sample *sample)
{
    assert_int_equal(wl_folder_create_temporary("wl-report", &sample->folder, NULL), WL_OK);
    sample->report = wl_string_format("%s/run.wlr", sample->folder);
    sample->stream = wl_string_format("%s.stream", sample->report);
    sample->source = wl_string_format("%s/axpy.cu", sample->folder);
    assert_int_equal(mkdir(sample->stream, 0777), 0);
    assert_int_equal(wl_file_write(sample->source, sample_source, strlen(sample_source), NULL),
                     WL_OK);
}

static inline void sample_remove(struct sample *sample)
{
    chmod(sample->folder, 0777);
    assert_int_equal(wl_folder_remove(sample->folder, NULL), WL_OK);
    free(sample->folder);
    free(sample->stream);
    free(sample->report);
    free(sample->source);
}

static inline void sample_put_process(const struct wl_sink *sink, uint64_t pid)
{
    sink->put_process(sink->self, &(struct wl_record_process){.pid = pid,
                                                              .parent_pid = 1,
                                                              .host = "node1",
                                                              .executable = "/home/u/app",
                                                              .executable_hash = "abc",
                                                              .command_line = "./app 12",
                                                              .start_ns = 1000,
                                                              .version = "0.1.0",
                                                              .collector = "sim",
                                                              .rank = -1,
                                                              .rank_count = -1});
    const struct wl_record_attribute facts[] = {
        {.name = "device__attribute_multiprocessor_count", .number = 132},
        {.name = "device__attribute_display_name", .text = "NVIDIA H200"}};
    sink->put_device(sink->self, &(struct wl_record_device){.device_id = 0,
                                                            .model = "h200",
                                                            .name = "NVIDIA H200",
                                                            .capability_major = 9,
                                                            .attributes = facts,
                                                            .attribute_count = COUNT(facts)});
}

static inline void sample_put_kernel(const struct wl_sink *sink, const char *source)
{
    char callers[512];
    snprintf(callers, sizeof callers, "%s:9:2\n/gone/main.cu:30:1", source);
    sink->put_module(
        sink->self,
        &(struct wl_record_module){
            .id = 7, .name = "axpy.cu", .text = sample_ptx, .options = "-O3", .architecture = 90});
    const struct wl_record_instruction instructions[] = {
        {0, 3, "ld.global.f32 %f1, [%rd1]", "ld.global.f32", "lsu", source, 3, 12, "", ""},
        {1, 4, "st.global.f32 [%rd1], %f1", "st.global.f32", "lsu", source, 3, 10, callers,
         "store"},
        {2, 5, "ret", "ret", "cbu", "", 0, 0, "", ""}};
    const struct wl_record_attribute facts[] = {
        {.name = "launch__registers_per_thread", .number = 16},
        {.name = "launch__registers_source", .text = "liveness"}};
    sink->put_kernel(sink->self, &(struct wl_record_kernel){.id = 70,
                                                            .module_id = 7,
                                                            .mangled = "_Z4axpyPf",
                                                            .demangled = "axpy(float *)",
                                                            .function = "axpy",
                                                            .instructions = instructions,
                                                            .instruction_count = 3,
                                                            .attributes = facts,
                                                            .attribute_count = COUNT(facts)});
}

static inline void sample_put_launch(const struct wl_sink *sink, uint64_t id, double sectors)
{
    const struct wl_record_value values[] = {
        {"smsp__sass_inst_executed_op_global_ld.sum", 1024, WL_MARK_EXACT},
        {"lts__t_sectors_op_read.sum", sectors, WL_MARK_MODELLED},
        {"gpu__time_duration.sum", 1234.5, WL_MARK_PREDICTED}};
    const struct wl_record_attribute facts[] = {{.name = "launch__cache_control", .text = "all"}};
    const char *const names[] = {"inst_executed", "l1tex__t_sectors_lookup_hit"};
    const uint8_t marks[] = {WL_MARK_EXACT, WL_MARK_MODELLED};
    const struct wl_record_instruction_value cells[] = {
        {0, 0, 1024}, {0, 1, sectors}, {1, 0, 1024}, {2, 0, 1024}};
    sink->put_launch(sink->self,
                     &(struct wl_record_launch){.id = id,
                                                .kernel_id = 70,
                                                .stream_id = 7,
                                                .grid = {32, 2, 1},
                                                .block = {256, 1, 1},
                                                .shared_dynamic_bytes = 48,
                                                .start_ns = 5000 + id,
                                                .simulated_for_ns = 77,
                                                .message = "",
                                                .range = "solve/step",
                                                .values = values,
                                                .value_count = COUNT(values),
                                                .attributes = facts,
                                                .attribute_count = COUNT(facts),
                                                .instruction_value_names = names,
                                                .instruction_value_marks = marks,
                                                .instruction_value_name_count = COUNT(names),
                                                .instruction_values = cells,
                                                .instruction_value_count = COUNT(cells)});
}

static inline void sample_put_note(const struct wl_sink *sink, int64_t launch)
{
    sink->put_note(sink->self, &(struct wl_record_note){WL_NOTE_WARNING, "newer-target",
                                                        "PTX for a newer target", "", launch});
}

/* One process with this many launches in a stream of its own. */
static inline void sample_put_stream(const struct sample *sample, uint64_t pid, uint64_t launches,
                                     bool has_end)
{
    struct wl_stream_writer *writer;
    struct wl_error error = {0};
    assert_int_equal(wl_stream_writer_open(sample->stream, &writer, &error), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sample_put_process(sink, pid);
    sample_put_kernel(sink, sample->source);
    for (uint64_t id = 0; id < launches; id++) {
        if (id == 1)
            sample_put_note(sink, 1);
        sample_put_launch(sink, id, 100);
    }
    if (has_end)
        sink->put_end(sink->self, 3, 9000);
    wl_stream_writer_close(writer);
}

/* The first stream; free() it. */
static inline char *sample_stream_path(const struct sample *sample)
{
    char *command = wl_string_format("ls %s/*.wls", sample->stream);
    char line[4096] = "";
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, sizeof line, pipe));
    pclose(pipe);
    free(command);
    line[strcspn(line, "\n")] = '\0';
    return wl_string_copy(line);
}

static inline struct wl_report_build sample_build(const struct sample *sample)
{
    return (struct wl_report_build){.stream_folder = sample->stream,
                                    .report_path = sample->report,
                                    .program = sample->stream,
                                    .import_source = true};
}

#endif
