#include "record/stream/stream.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/stream/format.h"

/* ---- a sink that describes what it gets, every field of it ---- */

static void add_attributes(struct wl_text *text, const struct wl_record_attribute *items,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        wl_text_addf(text, " %s=%s/%a", items[i].name, items[i].text ? items[i].text : "(null)",
                     items[i].number);
}

static void describe_process(void *self, const struct wl_record_process *r)
{
    wl_text_addf(self,
                 "process %" PRIu64 " %" PRIu64 " %s %s %s %s %" PRIu64 " %s %s %" PRId64
                 " %" PRId64 "\n",
                 r->pid, r->parent_pid, r->host, r->executable, r->executable_hash, r->command_line,
                 r->start_ns, r->version, r->collector, r->rank, r->rank_count);
}

static void describe_device(void *self, const struct wl_record_device *r)
{
    wl_text_addf(self, "device %u %s %s %u.%u", r->device_id, r->model, r->name,
                 r->capability_major, r->capability_minor);
    add_attributes(self, r->attributes, r->attribute_count);
    wl_text_add(self, "\n");
}

static void describe_module(void *self, const struct wl_record_module *r)
{
    wl_text_addf(self, "module %" PRIu64 " %s [%s] %s %u %d\n", r->id, r->name, r->text, r->options,
                 r->architecture, r->is_stand_in);
}

static void describe_kernel(void *self, const struct wl_record_kernel *r)
{
    wl_text_addf(self, "kernel %" PRIu64 " %" PRIu64 " %s %s %s", r->id, r->module_id, r->mangled,
                 r->demangled, r->function);
    add_attributes(self, r->attributes, r->attribute_count);
    for (size_t i = 0; i < r->instruction_count; i++) {
        const struct wl_record_instruction *in = &r->instructions[i];
        wl_text_addf(self, "\n %u %u %s|%s|%s|%s:%u:%u|%s|%s", in->index, in->text_line, in->text,
                     in->opcode, in->pipe, in->file, in->line, in->column, in->inlined_at,
                     in->function);
    }
    wl_text_add(self, "\n");
}

static void describe_launch(void *self, const struct wl_record_launch *r)
{
    wl_text_addf(self, "launch %" PRIu64 " %" PRIu64 " %u %u %u (%u,%u,%u)(%u,%u,%u)", r->id,
                 r->kernel_id, r->device_id, r->context_id, r->stream_id, r->grid[0], r->grid[1],
                 r->grid[2], r->block[0], r->block[1], r->block[2]);
    wl_text_addf(self, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %s %s", r->shared_dynamic_bytes,
                 r->start_ns, r->simulated_for_ns, r->status, r->message, r->range);
    add_attributes(self, r->attributes, r->attribute_count);
    for (size_t i = 0; i < r->value_count; i++)
        wl_text_addf(self, "\n %s %a %d", r->values[i].name, r->values[i].value, r->values[i].mark);
    for (size_t i = 0; i < r->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &r->instruction_values[i];
        wl_text_addf(self, "\n %u %s %a %d", value->instruction,
                     r->instruction_value_names[value->name], value->value,
                     r->instruction_value_marks[value->name]);
    }
    wl_text_add(self, "\n");
}

static void describe_note(void *self, const struct wl_record_note *r)
{
    wl_text_addf(self, "note %d %s %s (%s) %" PRId64 "\n", r->severity, r->code, r->text, r->hint,
                 r->launch_id);
}

static void describe_end(void *self, int exit_code, uint64_t end_ns)
{
    wl_text_addf(self, "end %d %" PRIu64 "\n", exit_code, end_ns);
}

static void describe_trace_names(void *self, const struct wl_record_trace_names *r)
{
    wl_text_addf(self, "names %u", r->first_id);
    for (size_t i = 0; i < r->count; i++)
        wl_text_addf(self, " %s", r->names[i]);
    wl_text_add(self, "\n");
}

static void describe_trace(void *self, const struct wl_record_trace *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct wl_timeline_record *event = &r->records[i];
        wl_text_addf(self, "event %" PRIu64 " %" PRIu64 " %u %u %u %u %u", event->start, event->end,
                     event->name, event->category, event->flags, event->thread, event->correlation);
        for (int word = 0; word < WL_TIMELINE_WORDS; word++)
            wl_text_addf(self, " %" PRIx64, event->words[word]);
        wl_text_add(self, "\n");
    }
}

static void describe_trace_end(void *self, const struct wl_record_trace_end *r)
{
    wl_text_addf(self,
                 "trace end %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %a %" PRId64 " %d\n",
                 r->records, r->dropped, r->waited_ns, r->ring_bytes, r->record_ns,
                 r->clock_jump_ns, r->is_simulated);
}

static struct wl_sink describing_sink(struct wl_text *text)
{
    return (struct wl_sink){text,
                            describe_process,
                            describe_device,
                            describe_module,
                            describe_kernel,
                            describe_launch,
                            NULL,
                            NULL,
                            describe_note,
                            describe_end,
                            describe_trace_names,
                            describe_trace,
                            describe_trace_end};
}

/* ---- records to send; constant, as a sink must not write into them ---- */

static const struct wl_record_attribute device_attributes[] = {
    {"device__attribute_multiprocessor_count", NULL, 132},
    {"device__attribute_display_name", "NVIDIA H200", 0},
    {"empty", "", -1.5e300},
};
static const struct wl_record_instruction instructions[] = {
    {0, 12, "ld.global.f32 %f1, [%rd4]", "ld.global.f32", "lsu", "a.cu", 7, 3, "", ""},
    {1, 13, "ret", "ret", "cbu", "b.cuh", 4294967295u, 0, "a.cu:9:1\na.cu:30:2", "inner"},
};
static const struct wl_record_value values[] = {
    {"ptx__inst_executed.sum", 4503599627370497.0, WL_MARK_EXACT},
    {"dram__bytes_read.sum", 0, WL_MARK_MODELLED},
    {"launch__registers_per_thread", 0.1, WL_MARK_PREDICTED},
};
static const char *const event_names[] = {"cudaMalloc", ""};
static const struct wl_timeline_record events[] = {
    {1700000000000000000, 1700000000000000100, 1, WL_TIMELINE_CUDA_RUNTIME, 0, 77, 1, {0}},
    {1700000000000000200,
     1700000000000000250,
     1,
     WL_TIMELINE_CUDA_RUNTIME,
     WL_TIMELINE_FAILED,
     77,
     2,
     {2}},
    {1600000000000000000,
     INT64_MAX,
     UINT32_MAX,
     WL_TIMELINE_CATEGORY_COUNT - 1,
     UINT16_MAX,
     UINT32_MAX,
     UINT32_MAX,
     {UINT64_MAX, 0, UINT64_MAX, 1, UINT64_MAX, INT64_MAX}},
    {0, 0, 0, WL_TIMELINE_KERNEL, 0, 0, 0, {0}},
};
static const char *const value_names[] = {"inst_executed", "l1tex__t_sectors_lookup_hit"};
static const uint8_t value_marks[] = {WL_MARK_EXACT, WL_MARK_MODELLED};
static const struct wl_record_instruction_value instruction_values[] = {
    {0, 0, 64}, {0, 1, 3}, {1, 0, 64}};

static void send_records(const struct wl_sink *sink)
{
    sink->put_process(sink->self, &(struct wl_record_process){.pid = 42,
                                                              .parent_pid = UINT64_MAX,
                                                              .host = "h",
                                                              .executable = "/bin/app",
                                                              .executable_hash = "",
                                                              .command_line = "app \xc3\xa9 1",
                                                              .start_ns = 5,
                                                              .version = "0",
                                                              .collector = "sim",
                                                              .rank = 2,
                                                              .rank_count = 4});
    sink->put_device(sink->self, &(struct wl_record_device){0, "h200", "NVIDIA H200", 9, 0,
                                                            device_attributes, 3});
    sink->put_module(sink->self,
                     &(struct wl_record_module){1, "a.cu", ".version 9.0\n", "-O3", 90, true});
    sink->put_kernel(sink->self, &(struct wl_record_kernel){.id = 3,
                                                            .module_id = 1,
                                                            .mangled = "_Z1fv",
                                                            .demangled = "f()",
                                                            .function = "f",
                                                            .instructions = instructions,
                                                            .instruction_count = 2,
                                                            .attributes = device_attributes,
                                                            .attribute_count = 1});
    sink->put_launch(sink->self,
                     &(struct wl_record_launch){.id = 0,
                                                .kernel_id = 3,
                                                .context_id = 1,
                                                .stream_id = 7,
                                                .grid = {1, 2, 3},
                                                .block = {4, 5, 6},
                                                .shared_dynamic_bytes = 1024,
                                                .start_ns = 8,
                                                .simulated_for_ns = 9,
                                                .status = WL_LAUNCH_FAILED,
                                                .message = "stopped",
                                                .range = "a/b",
                                                .values = values,
                                                .value_count = 3,
                                                .attributes = device_attributes,
                                                .attribute_count = 2,
                                                .instruction_value_names = value_names,
                                                .instruction_value_marks = value_marks,
                                                .instruction_value_name_count = 2,
                                                .instruction_values = instruction_values,
                                                .instruction_value_count = 3});
    sink->put_note(sink->self, &(struct wl_record_note){WL_NOTE_ERROR, "code", "text", "hint", -1});
    sink->put_trace_names(sink->self, &(struct wl_record_trace_names){1, event_names, 2});
    sink->put_trace(sink->self, &(struct wl_record_trace){events, 4});
    sink->put_trace_end(sink->self,
                        &(struct wl_record_trace_end){4, 5, 6, 7, 21.5, -2000000000, true});
    sink->put_end(sink->self, 3, 77);
}

/* ---- files ---- */

static char *folder; /* of this test, rebuilt */

static int make_folder(void **state)
{
    (void)state;
    return wl_folder_create_temporary("wl-stream-test", &folder, NULL);
}

static int remove_folder(void **state)
{
    (void)state;
    int code = wl_folder_remove(folder, NULL);
    free(folder);
    return code;
}

/* The only stream in the folder; free() it. */
static char *find_stream(void)
{
    char *found = NULL;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".wls") == 0) {
            assert_null(found);
            found = wl_string_format("%s/%s", folder, entry->d_name);
        }
    }
    closedir(directory);
    assert_non_null(found);
    return found;
}

static struct wl_text write_stream(void)
{
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(folder, &writer, NULL), WL_OK);
    send_records(wl_stream_writer_sink(writer));
    wl_stream_writer_close(writer);
    char *path = find_stream();
    struct wl_text bytes = {0};
    assert_int_equal(wl_file_read(path, &bytes, NULL), WL_OK);
    free(path);
    return bytes;
}

/* Replays bytes; returns the code. description is what came out. */
static enum wl_code replay_bytes(const char *bytes, size_t length, struct wl_text *description,
                                 struct wl_stream_summary *summary, struct wl_error *error)
{
    char *path = wl_string_format("%s/damaged", folder);
    unlink(path); /* ext4 waits for the disk where a file takes another's place */
    assert_int_equal(wl_file_write(path, bytes, length, NULL), WL_OK);
    *description = (struct wl_text){0};
    struct wl_sink sink = describing_sink(description);
    enum wl_code code = wl_stream_replay(path, &sink, summary, error);
    free(path);
    return code;
}

static struct wl_text describe_all(void)
{
    struct wl_text text = {0};
    struct wl_sink sink = describing_sink(&text);
    send_records(&sink);
    return text;
}

static bool starts_with(const struct wl_text *whole, const struct wl_text *part)
{
    return part->length <= whole->length &&
           (part->length == 0 || memcmp(whole->data, part->data, part->length) == 0);
}

static void what_is_written_is_replayed(void **state)
{
    (void)state;
    struct wl_text expected = describe_all(), found, bytes = write_stream();
    struct wl_stream_summary summary;
    assert_int_equal(replay_bytes(bytes.data, bytes.length, &found, &summary, NULL), WL_OK);
    assert_string_equal(found.data, expected.data);
    assert_int_equal(summary.records, 10);
    assert_int_equal(summary.bytes, bytes.length);
    assert_true(summary.has_end);
    assert_false(summary.is_torn);
    assert_int_equal(summary.dropped, 0);
    wl_text_free(&expected);
    wl_text_free(&found);
    wl_text_free(&bytes);
}

static void any_sink_function_may_be_missing(void **state)
{
    (void)state;
    struct wl_text bytes = write_stream();
    char *path = find_stream();
    struct wl_sink sink = {0};
    struct wl_stream_summary summary;
    assert_int_equal(wl_stream_replay(path, &sink, &summary, NULL), WL_OK);
    assert_int_equal(summary.records, 10);
    assert_int_equal(wl_stream_replay(path, &sink, NULL, NULL), WL_OK);
    free(path);
    wl_text_free(&bytes);
}

/* Cut anywhere: whole records are delivered, the rest is known to be missing. */
static void a_torn_tail_costs_only_itself(void **state)
{
    (void)state;
    struct wl_text expected = describe_all(), bytes = write_stream();
    size_t whole = 0;
    for (size_t length = 0; length < bytes.length; length++) {
        struct wl_text found;
        struct wl_stream_summary summary;
        assert_int_equal(replay_bytes(bytes.data, length, &found, &summary, NULL), WL_OK);
        assert_true(starts_with(&expected, &found));
        assert_false(summary.has_end);
        assert_true(summary.bytes <= length);
        assert_int_equal(summary.is_torn, length != summary.bytes || length == 0);
        whole += !summary.is_torn;
        wl_text_free(&found);
    }
    assert_int_equal(whole, 10); /* behind the header and behind each record but the last */
    wl_text_free(&expected);
    wl_text_free(&bytes);
}

static void every_flipped_bit_is_noticed(void **state)
{
    (void)state;
    struct wl_text expected = describe_all(), bytes = write_stream();
    for (size_t bit = 0; bit < bytes.length * 8; bit++) {
        struct wl_text found;
        struct wl_stream_summary summary;
        struct wl_error error = {0};
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
        enum wl_code code = replay_bytes(bytes.data, bytes.length, &found, &summary, &error);
        bytes.data[bit / 8] ^= (char)(1 << bit % 8);
        if (bit / 8 >= 8 && bit / 8 < 12 && code == WL_ERR_VERSION)
            assert_non_null(strstr(error.message, "this warplens reads up to 2"));
        else
            assert_int_equal(code, WL_ERR_CORRUPT);
        assert_true(starts_with(&expected, &found));
        assert_true(error.where[0] != '\0');
        wl_text_free(&found);
    }
    wl_text_free(&expected);
    wl_text_free(&bytes);
}

/* ---- hostile files: right checksums, wrong content ---- */

static void add_u32(struct wl_text *text, uint32_t value)
{
    unsigned char bytes[4];
    wl_stream_write_u32(bytes, value);
    wl_text_add_bytes(text, bytes, 4);
}

static void add_header(struct wl_text *file, uint32_t version)
{
    wl_text_add(file, WL_STREAM_MAGIC);
    add_u32(file, version);
    add_u32(file, 0);
}

static void add_frame(struct wl_text *file, uint32_t length, uint32_t kind, const char *payload,
                      size_t payload_bytes)
{
    size_t start = file->length;
    add_u32(file, length);
    add_u32(file, kind);
    add_u32(file, wl_stream_crc32(payload, payload_bytes));
    add_u32(file, wl_stream_crc32(file->data + start, 12));
    wl_text_add_bytes(file, payload, payload_bytes);
}

static void assert_refused(const struct wl_text *file, enum wl_code code, const char *message,
                           const char *where_end)
{
    struct wl_text found;
    struct wl_stream_summary summary;
    struct wl_error error = {0};
    assert_int_equal(replay_bytes(file->data, file->length, &found, &summary, &error), code);
    assert_string_equal(error.message, message);
    size_t length = strlen(error.where), end_length = strlen(where_end);
    assert_true(length > end_length);
    assert_string_equal(error.where + length - end_length, where_end);
    assert_null(found.data);
    wl_text_free(&found);
}

static void hostile_content_is_refused(void **state)
{
    (void)state;
    struct wl_text file = {0};
    wl_text_add(&file, "SQLite format 3");
    wl_text_add_char(&file, '\0');
    assert_refused(&file, WL_ERR_CORRUPT, "not a stream of Warplens", ": byte 0");
    wl_text_free(&file);

    add_header(&file, 3);
    assert_refused(&file, WL_ERR_VERSION, "the stream has format 3, this warplens reads up to 2",
                   "/damaged");
    wl_text_free(&file);

    add_header(&file, 1);
    add_frame(&file, 0xfffffff0, WL_STREAM_NOTE, "", 0);
    assert_refused(&file, WL_ERR_CORRUPT, "a record of the stream is too long", ": byte 16");
    wl_text_free(&file);

    add_header(&file, 1);
    add_frame(&file, 0, 99, "", 0);
    assert_refused(&file, WL_ERR_CORRUPT, "a record of the stream is of an unknown kind",
                   ": byte 16");
    wl_text_free(&file);

    /* too short, too long, a text without its NUL, a count that the payload cannot hold */
    static const struct {
        uint32_t kind, length;
        const char *payload;
    } rows[] = {
        {WL_STREAM_NOTE, 3, "\0\0\0"},
        {WL_STREAM_END, 30, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"},
        {WL_STREAM_NOTE, 8, "\0\3\0\0\0abcd"},
        {WL_STREAM_NOTE, 9,
         "\0\xfe\xff\xff\xff"
         "abcd"},
        {WL_STREAM_NOTE, 28, "\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"},
        {WL_STREAM_TRACE, 2, "\2\0"},           /* two events in one byte */
        {WL_STREAM_TRACE, 2, "\1\0"},           /* an event of no category */
        {WL_STREAM_TRACE, 3, "\1\x08\xf0"},     /* of an unknown one, torn */
        {WL_STREAM_TRACE, 4, "\1\x08\xf0\x7f"}, /* of an unknown one */
        {WL_STREAM_TRACE, 5, "\1\x0a\1\2\0"},   /* that ends before it starts */
        {WL_STREAM_TRACE_NAMES, 8, "\1\0\0\0\xff\xff\xff\0"},
        {WL_STREAM_DEVICE, 26, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xff\xff\xff\x7f"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add_header(&file, 1);
        add_frame(&file, rows[i].length, rows[i].kind, rows[i].payload, rows[i].length);
        assert_refused(&file, WL_ERR_CORRUPT, "a record of the stream cannot be understood",
                       ": byte 16");
        wl_text_free(&file);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    (void)state;
    struct wl_sink sink = {0};
    struct wl_error error = {0};
    assert_int_equal(wl_stream_replay("/nonexistent/x.wls", &sink, NULL, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "cannot open the stream: No such file or directory");
    assert_string_equal(error.where, "/nonexistent/x.wls");
    assert_int_equal(wl_stream_replay(folder, &sink, NULL, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "cannot open the stream: not a file");
}

/* ---- trouble while writing ---- */

static void an_unwritable_folder_is_refused(void **state)
{
    (void)state;
    struct wl_stream_writer *writer;
    struct wl_error error = {0};
    errno = 1234;
    assert_int_equal(wl_stream_writer_open("/nonexistent/x", &writer, &error), WL_ERR_OUTPUT);
    assert_string_equal(error.message, "cannot write the stream: No such file or directory");
    assert_null(writer);
    assert_int_equal(errno, 1234);
}

/* In a child: the limit of file sizes stands in for a full disk. The signal it raises must not end
 * the program. */
static int write_under_limit(rlim_t limit_bytes, bool is_lifted)
{
    struct wl_stream_writer *writer;
    if (wl_stream_writer_open(folder, &writer, NULL) != WL_OK)
        return 1;
    struct rlimit limit, lifted;
    getrlimit(RLIMIT_FSIZE, &lifted);
    limit = lifted;
    limit.rlim_cur = limit_bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    struct wl_record_note note = {WL_NOTE_INFO, "c", "text", "", -1};
    for (int i = 0; i < 10; i++) {
        errno = 4321;
        sink->put_note(sink->self, &note);
        if (errno != 4321)
            return 2;
    }
    if (is_lifted)
        setrlimit(RLIMIT_FSIZE, &lifted);
    sink->put_note(sink->self, &note); /* dropped too: nothing may be missing in between */
    sink->put_end(sink->self, 0, 1);
    sink->put_note(sink->self, &note); /* after the end: not written */
    wl_stream_writer_close(writer);
    return 0;
}

/* Where there is no room for the end, either: the last notes make some, and are counted. */
static void the_end_finds_room_on_a_full_disk(void **state)
{
    (void)state;
    for (rlim_t limit_bytes = 200; limit_bytes < 300; limit_bytes++) {
        pid_t child = fork();
        if (child == 0)
            _exit(write_under_limit(limit_bytes, false));
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        char *path = find_stream();
        struct wl_text found = {0};
        struct wl_sink sink = describing_sink(&found);
        struct wl_stream_summary summary;
        assert_int_equal(wl_stream_replay(path, &sink, &summary, NULL), WL_OK);
        assert_false(summary.is_torn);
        assert_true(summary.has_end);
        assert_int_equal(summary.records + summary.dropped, 12);
        assert_non_null(strstr(found.data, "could not be written: File too large"));
        wl_text_free(&found);
        unlink(path);
        free(path);
    }
}

static void a_full_disk_costs_records_not_the_program(void **state)
{
    (void)state;
    for (rlim_t limit_bytes = 200; limit_bytes < 260; limit_bytes++) {
        pid_t child = fork();
        if (child == 0)
            _exit(write_under_limit(limit_bytes, true));
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        char *path = find_stream();
        struct wl_text found = {0};
        struct wl_sink sink = describing_sink(&found);
        struct wl_stream_summary summary;
        assert_int_equal(wl_stream_replay(path, &sink, &summary, NULL), WL_OK);
        assert_false(summary.is_torn);
        assert_true(summary.has_end);
        assert_int_equal(summary.records + summary.dropped, 12); /* eleven notes and the end */
        assert_in_range(summary.dropped, 6, 8);
        char *expected = wl_string_format("note 1 records-dropped %" PRIu64
                                          " records of the program could not be written: File too "
                                          "large (make room where",
                                          summary.dropped);
        assert_non_null(strstr(found.data, expected));
        free(expected);
        wl_text_free(&found);
        unlink(path);
        free(path);
    }
}

static void a_closed_descriptor_is_opened_again(void **state)
{
    (void)state;
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(folder, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    struct wl_record_note note = {WL_NOTE_INFO, "c", "text", "", -1};
    sink->put_note(sink->self, &note);
    char *foreign = wl_string_format("%s/foreign", folder);
    char *path = find_stream();
    struct stat ours, other;
    assert_int_equal(stat(path, &ours), 0);
    /* the program closes what it did not open, and gets the number for a file of its own */
    int stolen = -1;
    for (int descriptor = 3; descriptor < 1024 && stolen < 0; descriptor++)
        if (fstat(descriptor, &other) == 0 && other.st_ino == ours.st_ino)
            stolen = descriptor;
    assert_true(stolen >= 500);
    int fresh = open(foreign, O_RDWR | O_CREAT, 0600);
    assert_int_equal(dup2(fresh, stolen), stolen);

    sink->put_note(sink->self, &note);
    sink->put_end(sink->self, 0, 1);
    wl_stream_writer_close(writer);
    assert_int_equal(fstat(stolen, &other), 0); /* theirs is left alone, and empty */
    assert_int_equal(other.st_size, 0);
    struct wl_stream_summary summary;
    struct wl_sink none = {0};
    assert_int_equal(wl_stream_replay(path, &none, &summary, NULL), WL_OK);
    assert_int_equal(summary.records, 3);
    close(stolen);
    close(fresh);
    free(path);
    free(foreign);
}

static void a_child_lets_go_of_its_parents_stream(void **state)
{
    (void)state;
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(folder, &writer, NULL), WL_OK);
    pid_t child = fork();
    if (child == 0) {
        wl_stream_writer_abandon(writer);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    send_records(wl_stream_writer_sink(writer));
    wl_stream_writer_close(writer);
    char *path = find_stream();
    struct wl_stream_summary summary;
    struct wl_sink none = {0};
    assert_int_equal(wl_stream_replay(path, &none, &summary, NULL), WL_OK);
    assert_int_equal(summary.records, 10);
    free(path);
}

static void progress_is_one_line(void **state)
{
    (void)state;
    char *path = wl_string_format("%s/%s", folder, WL_STREAM_PROGRESS_FILE);
    struct wl_text content = {0};
    wl_stream_progress_write(folder, "a kernel<1>", 1000, 20000, 70000);
    wl_stream_progress_write(folder, "k", 5, 6, 7);
    assert_int_equal(wl_file_read(path, &content, NULL), WL_OK);
    assert_string_equal(content.data, "k 5 6 7\n");
    wl_stream_progress_clear(folder);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 0);
    errno = 77;
    wl_stream_progress_write("/nonexistent/folder", "k", 1, 2, 3);
    assert_int_equal(errno, 77);
    wl_text_free(&content);
    free(path);
}

/* Seeds of the fuzzer and what it found. WL_FUZZ_CORPUS=FOLDER writes the seeds there. */
static void the_fuzz_corpus_is_survived(void **state)
{
    (void)state;
    struct wl_text bytes = write_stream();
    const char *target = getenv("WL_FUZZ_CORPUS");
    if (target) {
        char *seed = wl_string_format("%s/all-records.wls", target);
        assert_int_equal(wl_file_write(seed, bytes.data, bytes.length, NULL), WL_OK);
        free(seed);
    }
    wl_text_free(&bytes);
    DIR *directory = opendir(WL_SOURCE_DIR "/tests/fuzz/replay");
    assert_non_null(directory);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = wl_string_format(WL_SOURCE_DIR "/tests/fuzz/replay/%s", entry->d_name);
        struct wl_text found = {0};
        struct wl_sink sink = describing_sink(&found);
        wl_stream_replay(path, &sink, NULL, NULL);
        wl_text_free(&found);
        free(path);
        count++;
    }
    closedir(directory);
    assert_true(count > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_replayed),
        TEST(any_sink_function_may_be_missing),
        TEST(a_torn_tail_costs_only_itself),
        TEST(every_flipped_bit_is_noticed),
        TEST(hostile_content_is_refused),
        TEST(what_is_no_file_is_refused),
        TEST(an_unwritable_folder_is_refused),
        TEST(a_full_disk_costs_records_not_the_program),
        TEST(the_end_finds_room_on_a_full_disk),
        TEST(a_closed_descriptor_is_opened_again),
        TEST(a_child_lets_go_of_its_parents_stream),
        TEST(progress_is_one_line),
        TEST(the_fuzz_corpus_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
