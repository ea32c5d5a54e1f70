/* Samples of the processor as they come from the system, without it: what a report, its tables and
 * its stacks make of them. The code that was sampled is this test's own. */
#include "run/samples.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "show/export/timeline.h"
#include "show/page/timeline_tables.h"
#include "support/report_sample.h"

enum { PID = 77, THREAD = 78, HZ = 1000 };

static struct sample sample;

__attribute__((noinline)) static int sampled_function(int value)
{
    return value * 7 + 1;
}

__attribute__((noinline)) static int calling_function(int value)
{
    return sampled_function(value) + 1;
}

/* Our own executable code, as the system tells of it. */
static int map_code(struct dl_phdr_info *info, size_t size, void *data)
{
    struct wl_samples *samples = data;
    char path[4096] = "";
    (void)size;
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t mask = ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
            wl_samples_map(samples, PID, info->dlpi_addr + (segment->p_vaddr & mask),
                           segment->p_memsz + (segment->p_vaddr & ~mask), segment->p_offset & mask,
                           path);
    }
    return 1; /* the first is the program */
}

static void write_samples(struct wl_samples *samples, const char *library_folder, bool has_stacks)
{
    const struct wl_samples_writing writing = {.folder = sample.stream,
                                               .library_folder = library_folder,
                                               .frequency_hz = HZ,
                                               .has_stacks = has_stacks};
    assert_int_equal(wl_samples_write(samples, &writing, NULL), WL_OK);
}

static struct wl_samples *make_samples(void)
{
    struct wl_samples *samples = wl_samples_create();
    const uint64_t inside = (uint64_t)(uintptr_t)sampled_function;
    const uint64_t caller = (uint64_t)(uintptr_t)calling_function + 5;
    const uint64_t deep[] = {inside, caller}, strange[] = {0x10};
    wl_samples_exec(samples, PID, "app");
    dl_iterate_phdr(map_code, samples);
    for (int i = 0; i < 30; i++)
        wl_samples_add(samples, PID, THREAD, deep, 2);
    for (int i = 0; i < 10; i++)
        wl_samples_add(samples, PID, PID, strange, 1);
    wl_samples_switch(samples, PID, THREAD, 1000, true, false);
    wl_samples_switch(samples, PID, THREAD, 4000, false, false);
    wl_samples_switch(samples, PID, THREAD, 5000, true, true);
    return samples;
}

static struct wl_report *build_report(void)
{
    struct wl_report *report = NULL;
    struct wl_report_build build = sample_build(&sample);
    struct wl_error error = {0};
    if (wl_report_build(&build, &error) || wl_report_open(sample.report, &report, &error))
        fail_msg("%s", error.message);
    return report;
}

static char *print_table(struct wl_report *report, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(wl_view_trace_tables(report, name, WL_FORMAT_CSV, out, NULL), WL_OK);
    fclose(out);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void functions_and_threads_are_summed(void **state)
{
    (void)state;
    sample_make(&sample);
    struct wl_samples *samples = make_samples();
    (void)calling_function(1);
    write_samples(samples, "/nowhere", true);
    struct wl_report *report = build_report();
    size_t count = 0;
    wl_report_processes(report, &count);
    assert_int_equal(count, 1);
    char *table = print_table(report, "cpu_sample_sum");
    assert_has(table, "75,30000000,30,\"sampled_function\",\"unit_run_samples_test\"");
    assert_has(table, "25,10000000,10,\"(unknown code)\",\"\"");
    free(table);
    table = print_table(report, "cpu_ctxsw_sum");
    assert_has(table, "77,78,2,1,1,3000");
    free(table);
    char *path = wl_string_format("%s/folded", sample.folder);
    struct wl_text folded = {0};
    assert_int_equal(wl_export_trace(report, WL_TIMELINE_FORM_FOLDED, path, NULL), WL_OK);
    assert_int_equal(wl_file_read(path, &folded, NULL), WL_OK);
    assert_string_equal(folded.data,
                        "Thread 77 on the processor;(unknown code) 10000000\n"
                        "Thread 78 on the processor;calling_function;sampled_function 30000000\n");
    wl_text_free(&folded);
    free(path);
    wl_report_close(report);
    wl_samples_free(samples);
    sample_remove(&sample);
}

/* Time in our own libraries is none of the program's; without stacks only the innermost counts. */
static void what_is_ours_is_left_out(void **state)
{
    (void)state;
    char folder[4096] = "";
    assert_true(readlink("/proc/self/exe", folder, sizeof folder - 1) > 0);
    *strrchr(folder, '/') = '\0';
    sample_make(&sample);
    struct wl_samples *samples = make_samples();
    write_samples(samples, folder, false);
    struct wl_report *report = build_report();
    char *table = print_table(report, "cpu_sample_sum");
    assert_null(strstr(table, "sampled_function"));
    assert_has(table, "100,10000000,10,\"(unknown code)\"");
    free(table);
    size_t count = 0;
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    assert_int_equal(count, 1);
    assert_has(notes[0].record.text, "30 were in Warplens itself");
    wl_report_close(report);
    wl_samples_free(samples);
    sample_remove(&sample);
}

/* A process that a collector has recorded is one with that of the samples. */
static void processes_are_joined(void **state)
{
    (void)state;
    char host[128] = "";
    gethostname(host, sizeof host - 1);
    sample_make(&sample);
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(sample.stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    const struct wl_record_process process = {.pid = PID,
                                              .host = host,
                                              .executable = "/app",
                                              .executable_hash = "",
                                              .command_line = "app",
                                              .start_ns = 5,
                                              .version = "1",
                                              .collector = "sim",
                                              .rank = -1,
                                              .rank_count = -1};
    const char *const names[] = {"cudaMalloc"};
    const struct wl_timeline_record call = {
        .start = 1000, .end = 2000, .name = 1, .category = WL_TIMELINE_CUDA_RUNTIME, .thread = PID};
    sink->put_process(sink->self, &process);
    sink->put_trace_names(sink->self, &(struct wl_record_trace_names){1, names, 1});
    sink->put_trace(sink->self, &(struct wl_record_trace){&call, 1});
    sink->put_end(sink->self, 0, 3000);
    wl_stream_writer_close(writer);
    struct wl_samples *samples = make_samples();
    write_samples(samples, "/nowhere", true);
    struct wl_report *report = build_report();
    size_t count = 0;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    assert_int_equal(count, 1);
    assert_string_equal(processes[0].record.executable, "/app");
    char *table = print_table(report, "cpu_sample_sum");
    assert_has(table, "75,30000000,30,\"sampled_function\"");
    free(table);
    wl_report_close(report);
    wl_samples_free(samples);
    sample_remove(&sample);
}

/* A fork goes on in the code of its parent; what is executed then has its own. */
static void forks_have_the_code_of_their_parents(void **state)
{
    (void)state;
    sample_make(&sample);
    struct wl_samples *samples = make_samples();
    const uint64_t inside[] = {(uint64_t)(uintptr_t)sampled_function};
    wl_samples_fork(samples, 80, PID);
    wl_samples_add(samples, 80, 80, inside, 1);
    wl_samples_exec(samples, 80, "other");
    wl_samples_add(samples, 80, 80, inside, 1);
    write_samples(samples, "/nowhere", false);
    struct wl_report *report = build_report();
    size_t count = 0;
    wl_report_processes(report, &count);
    assert_int_equal(count, 2);
    char *table = print_table(report, "cpu_sample_sum");
    assert_has(table, ",31,\"sampled_function\"");
    assert_has(table, ",11,\"(unknown code)\"");
    free(table);
    wl_report_close(report);
    wl_samples_free(samples);
    sample_remove(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_threads_are_summed),
        cmocka_unit_test(what_is_ours_is_left_out),
        cmocka_unit_test(processes_are_joined),
        cmocka_unit_test(forks_have_the_code_of_their_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
