/* make_reports KIND FOLDER: writes FOLDER/KIND.wlr for the tests of the HTML page.
 *
 * some: 300 launches of a few kernels, whose numbers differ. more: the same with other numbers.
 * many: 1,000. plenty: 3,000. alike: 6,000 of six kinds, counted once each. loop: 100,000 of them.
 * long: a kernel of 5,000 source lines and 20,000 instructions. hostile: every text tries to leave
 * its place. empty: no launch. events: a trace of 1,000,000 events and no launch. vast: the same
 * trace, and 100,000 launches. */
#include "support/page_sample.h"

enum {
    some_launches = 300,
    many_launches = 1000,
    plenty_launches = 3000,
    vast_launches = 100000,
    alike_launches = 6000,
    loop_launches = 100000,
    many_kernels = 7,
    long_lines = 5000,
    instructions_per_line = 4
};

static const char hostile[] =
    "</script><script>hit=1</script><img src=x onerror=hit=1>\"'`&lt;${hit=1}"
    "<!-- {{script}} {{data}} ]]> \\u003c \xe2\x80\xa8\xe2\x80\xa9\xe2\x80"
    "\xae"
    "evil\xe2\x80\xac \x01\x7f\xff \xf0\x9f\x92\xa3";

static void begin(const struct wl_sink *sink, const char *text)
{
    sink->put_process(sink->self,
                      &(struct wl_record_process){.pid = 4242,
                                                  .host = text ? text : "node1",
                                                  .executable = text ? text : "/home/user/app",
                                                  .executable_hash = "0123abcd",
                                                  .command_line = text ? text : "./app 1000",
                                                  .start_ns = 1700000000000000000,
                                                  .version = "0.1.0",
                                                  .collector = "sim"});
    sink->put_device(sink->self,
                     &(struct wl_record_device){.model = text ? text : "h200",
                                                .name = text ? text : "NVIDIA H200",
                                                .capability_major = 9,
                                                .attributes = sample_device,
                                                .attribute_count = COUNT(sample_device)});
    sink->put_module(sink->self, &(struct wl_record_module){.id = 1,
                                                            .name = text ? text : "app.cu",
                                                            .text = text ? text : "",
                                                            .options = "",
                                                            .architecture = 90});
}

static struct wl_record_launch plain_launch(void)
{
    return (struct wl_record_launch){
        .kernel_id = 1,
        .context_id = 1,
        .stream_id = 7,
        .grid = {4, 2, 1},
        .block = {64, 1, 1},
        .start_ns = 1700000000000000000,
        .message = "",
        .range = "",
        .values = sample_values,
        .value_count = COUNT(sample_values),
        .instruction_value_names = sample_count_names,
        .instruction_value_marks = sample_count_marks,
        .instruction_value_name_count = COUNT(sample_count_names),
    };
}

static void put_kernels(const struct wl_sink *sink)
{
    for (uint64_t i = 0; i < many_kernels; i++) {
        char *name = wl_string_format("kernel_%d", (int)i);
        const struct wl_record_instruction code[] = {
            {0, 1, "ld.global.u32 %r1, [%rd1]", "ld.global.u32", "lsu", "", 0, 0, "", ""},
            {1, 2, "ret", "ret", "cbu", "", 0, 0, "", ""}};
        sink->put_kernel(sink->self, &(struct wl_record_kernel){.id = i + 1,
                                                                .module_id = 1,
                                                                .mangled = name,
                                                                .demangled = name,
                                                                .function = name,
                                                                .instructions = code,
                                                                .instruction_count = COUNT(code)});
        free(name);
    }
}

static void put_many(const struct wl_sink *sink, uint64_t launches, double more)
{
    struct wl_record_value values[COUNT(sample_values) + 1];
    put_kernels(sink);
    for (uint64_t i = 0; i < launches; i++) {
        struct wl_record_launch launch = plain_launch();
        memcpy(values, sample_values, sizeof sample_values);
        values[COUNT(sample_values)] =
            (struct wl_record_value){"gpu__time_duration.sum", 1000 + more, WL_MARK_PREDICTED};
        for (size_t j = 0; j < COUNT(values); j++)
            values[j].value += (double)((i * 31 + j * 7) % 1013) + more;
        launch.id = i;
        launch.kernel_id = i % many_kernels + 1;
        launch.values = values;
        launch.value_count = COUNT(values);
        launch.grid[0] = (uint32_t)i + 1;
        sink->put_launch(sink->self, &launch);
    }
}

/* As a real GPU's collector gives a long loop: the first launch of each kernel and shape is
 * counted, the others have facts and a time. */
static void put_alike(const struct wl_sink *sink, uint64_t launches)
{
    enum { kernels = 3, shapes = 2, kinds = kernels * shapes };
    static const struct wl_record_attribute uncounted[] = {
        {"launch__uncounted", "launches like it are counted", 0}};
    struct wl_record_value values[COUNT(sample_values) + 1];
    put_kernels(sink);
    memcpy(values + 1, sample_values, sizeof sample_values);
    for (uint64_t i = 0; i < launches; i++) {
        struct wl_record_launch launch = plain_launch();
        bool is_first = i < kinds;
        values[0] = (struct wl_record_value){
            "gpu__time_duration.sum", 1000 + 100 * (double)(i % kinds) + (double)(i * 31 % 97),
            WL_MARK_EXACT};
        launch.id = i;
        launch.kernel_id = i % kernels + 1;
        launch.grid[0] = (uint32_t)(1 + i % kinds / kernels);
        launch.start_ns += i * 5000;
        launch.values = values;
        launch.value_count = is_first ? COUNT(values) : 1;
        launch.attributes = is_first ? NULL : uncounted;
        launch.attribute_count = is_first ? 0 : COUNT(uncounted);
        sink->put_launch(sink->self, &launch);
    }
}

static char *long_source(void)
{
    struct wl_text text = {0};
    for (int i = 1; i <= long_lines; i++)
        wl_text_addf(&text, "    y[%d] = a * x[%d] + y[%d]; // line %d\n", i, i, i, i);
    return wl_text_take(&text);
}

static void put_long(const struct wl_sink *sink)
{
    enum { count = long_lines * instructions_per_line };
    static const char *const names[] = {"inst_executed", "thread_inst_executed",
                                        "smsp__pcsamp_warps_issue_stalled_wait",
                                        "smsp__pcsamp_warps_issue_stalled_wait_not_issued",
                                        "smsp__pcsamp_warps_issue_stalled_barrier"};
    static const uint8_t marks[] = {0, 0, 2, 2, 2};
    static struct wl_record_instruction code[count];
    static struct wl_record_instruction_value counts[count * COUNT(names)];
    size_t used = 0;
    begin(sink, NULL);
    for (uint32_t i = 0; i < count; i++) {
        code[i] = (struct wl_record_instruction){i,
                                                 i + 1,
                                                 "fma.rn.f32 %f1, %f2, %f3, %f4",
                                                 "fma.rn.f32",
                                                 "fma",
                                                 "/home/user/app.cu",
                                                 i / instructions_per_line + 1,
                                                 5,
                                                 "",
                                                 ""};
        for (uint32_t j = 0; j < COUNT(names); j++)
            counts[used++] = (struct wl_record_instruction_value){
                i, j, (double)((i * 2654435761u >> (12 - j)) % 9973 + 1)};
    }
    sink->put_kernel(sink->self, &(struct wl_record_kernel){.id = 1,
                                                            .module_id = 1,
                                                            .mangled = "long_kernel",
                                                            .demangled = "long_kernel",
                                                            .function = "long_kernel",
                                                            .instructions = code,
                                                            .instruction_count = count});
    struct wl_record_launch launch = plain_launch();
    launch.instruction_value_names = names;
    launch.instruction_value_marks = marks;
    launch.instruction_value_name_count = COUNT(names);
    launch.instruction_values = counts;
    launch.instruction_value_count = used;
    sink->put_launch(sink->self, &launch);
}

static void put_hostile(const struct wl_sink *sink, const char *file)
{
    const struct wl_record_attribute facts[] = {{"launch__cache_control", hostile, 0},
                                                {hostile, hostile, 0}};
    const struct wl_record_instruction code[] = {
        {0, 1, hostile, hostile, hostile, file, 1, 3, hostile, hostile},
        {1, 2, "ld.shared.f32 %f2, [%r5]", "ld.shared.f32", "lsu", file, 2, 3, "", ""},
        {2, 3, "ret", "ret", "cbu", hostile, 7, 1, "", ""}};
    static const char *const names[] = {"inst_executed", "thread_inst_executed", hostile,
                                        "memory_l1_wavefronts_shared",
                                        "memory_l1_wavefronts_shared_ideal"};
    static const uint8_t marks[] = {0, 0, 1, 0, 0};
    const struct wl_record_instruction_value counts[] = {
        {0, 0, 16}, {0, 1, 512}, {0, 2, 5}, {1, 0, 16}, {1, 3, 64}, {1, 4, 16}, {2, 0, 16}};
    begin(sink, hostile);
    sink->put_kernel(sink->self, &(struct wl_record_kernel){.id = 1,
                                                            .module_id = 1,
                                                            .mangled = hostile,
                                                            .demangled = hostile,
                                                            .function = hostile,
                                                            .instructions = code,
                                                            .instruction_count = COUNT(code)});
    struct wl_record_launch launch = plain_launch();
    launch.range = hostile;
    launch.attributes = facts;
    launch.attribute_count = COUNT(facts);
    launch.instruction_value_names = names;
    launch.instruction_value_marks = marks;
    launch.instruction_value_name_count = COUNT(names);
    launch.instruction_values = counts;
    launch.instruction_value_count = COUNT(counts);
    sink->put_launch(sink->self, &launch);
    launch.id = 1;
    launch.status = WL_LAUNCH_FAILED;
    launch.message = hostile;
    sink->put_launch(sink->self, &launch);
    sink->put_note(sink->self,
                   &(struct wl_record_note){WL_NOTE_WARNING, hostile, hostile, hostile, 0});
    sink->put_note(sink->self,
                   &(struct wl_record_note){WL_NOTE_ERROR, hostile, hostile, hostile, -1});
}

/* Every 2 us a launch of 1 us on one of two threads and its kernel of 1.5 us on one of two streams;
 * every 1,000 of them in a range. */
static void put_events(const struct wl_sink *sink)
{
    enum { launches = 499750, of_a_range = 1000, names_count = 10 };
    static struct wl_timeline_record batch[2 * of_a_range + 1];
    static const char *const names[names_count] = {
        "cudaLaunchKernel", "step",     "kernel_0", "kernel_1", "kernel_2",
        "kernel_3",         "kernel_4", "kernel_5", "kernel_6", "kernel_7"};
    const uint64_t epoch_ns = 1700000000000000000;
    sink->put_trace_names(sink->self, &(struct wl_record_trace_names){1, names, names_count});
    for (uint64_t first = 0; first < launches; first += of_a_range) {
        size_t count = 0;
        uint64_t number = launches - first < of_a_range ? launches - first : of_a_range;
        batch[count++] =
            (struct wl_timeline_record){.start = epoch_ns + first * 2000,
                                        .end = epoch_ns + (first + number) * 2000,
                                        .name = 2,
                                        .category = WL_TIMELINE_NVTX_PUSHPOP,
                                        .thread = 100 + (uint32_t)(first / of_a_range % 2)};
        for (uint64_t i = first; i < first + number; i++) {
            uint64_t start = epoch_ns + i * 2000;
            batch[count++] =
                (struct wl_timeline_record){.start = start,
                                            .end = start + 1000,
                                            .name = 1,
                                            .category = WL_TIMELINE_CUDA_RUNTIME,
                                            .thread = 100 + (uint32_t)(first / of_a_range % 2),
                                            .correlation = (uint32_t)i + 1};
            batch[count++] =
                (struct wl_timeline_record){.start = start + 1500,
                                            .end = start + 3000,
                                            .name = 3 + (uint32_t)(i % 8),
                                            .category = WL_TIMELINE_KERNEL,
                                            .correlation = (uint32_t)i + 1,
                                            .words = {WL_TIMELINE_PACK_WHERE(0, 1, 7 + i % 2)}};
        }
        sink->put_trace(sink->self, &(struct wl_record_trace){batch, count});
    }
}

/* Kinds that have launches of put_many. */
static const struct kind {
    const char *name;
    uint64_t launches;
    double more; /* that their numbers are larger */
} kinds[] = {
    {"some", some_launches, 0},     {"more", some_launches, 321}, {"many", many_launches, 0},
    {"plenty", plenty_launches, 0}, {"vast", vast_launches, 0},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Puts the records of a kind. file: path of the source file that they name. */
static bool put(const char *kind, const struct wl_sink *sink, const char *file)
{
    const struct kind *many = find_kind(kind);
    bool has_events = strcmp(kind, "events") == 0 || strcmp(kind, "vast") == 0;
    bool is_alike = strcmp(kind, "alike") == 0, is_loop = strcmp(kind, "loop") == 0;
    if (many || has_events || is_alike || is_loop)
        begin(sink, NULL);
    if (many)
        put_many(sink, many->launches, many->more);
    else if (is_alike || is_loop)
        put_alike(sink, is_loop ? loop_launches : alike_launches);
    else if (strcmp(kind, "long") == 0)
        put_long(sink);
    else if (strcmp(kind, "hostile") == 0)
        put_hostile(sink, file);
    else if (strcmp(kind, "empty") == 0)
        begin(sink, NULL);
    else if (!has_events)
        return false;
    if (has_events)
        put_events(sink);
    sink->put_end(sink->self, 0, 1700000000500000000);
    return true;
}

int main(int argument_count, char **arguments)
{
    struct wl_error error = {0};
    if (argument_count != 3)
        return 2;
    const char *kind = arguments[1], *folder = arguments[2];
    bool is_hostile = strcmp(kind, "hostile") == 0;
    char *stream = wl_string_format("%s/%s.stream", folder, kind);
    char *report = wl_string_format("%s/%s.wlr", folder, kind);
    char *file =
        wl_string_format("%s/%s", folder, is_hostile ? "<b onclick='hit=1'>&\".cu" : "app.cu");
    char *text = is_hostile ? wl_string_format("%s\n%s\n", hostile, hostile) : long_source();
    struct wl_stream_writer *writer = NULL;
    enum wl_code code = mkdir(stream, 0777) ? WL_ERR_OUTPUT : WL_OK;
    if (!code)
        code = wl_file_write(file, text, strlen(text), &error);
    if (!code)
        code = wl_stream_writer_open(stream, &writer, &error);
    if (!code && !put(kind, wl_stream_writer_sink(writer), file))
        code = WL_ERR_USAGE;
    if (writer)
        wl_stream_writer_close(writer);
    if (!code)
        code = wl_report_build(&(struct wl_report_build){.stream_folder = stream,
                                                         .report_path = report,
                                                         .source_folders = folder,
                                                         .import_source = true},
                               &error);
    if (code)
        fprintf(stderr, "make_reports: %s\n", error.message);
    free(stream);
    free(report);
    free(file);
    free(text);
    return (int)code;
}
