#include "record/stream/join.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/stream/stream.h"

static char root[64];

static int prepare(void **state)
{
    (void)state;
    strcpy(root, "/tmp/wl-join-XXXXXX");
    return mkdtemp(root) ? 0 : 1;
}

static int clean(void **state)
{
    (void)state;
    return wl_folder_remove(root, NULL);
}

/* What a stream is made of here: launches of kernel 5, and what each has at instruction 3. */
struct launch {
    uint64_t id;
    uint32_t grid;
    const char *at_instruction;
    double count, samples; /* samples < 0: none */
};

static char *make_folder(const char *name)
{
    char *path = wl_string_format("%s/%s", root, name);
    mkdir(path, 0700);
    return path;
}

static char *only_file(const char *folder)
{
    glob_t found = {0};
    char *pattern = wl_string_format("%s/*.wls", folder);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    char *path = wl_string_copy(found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
    return path;
}

/* free() the path. */
static char *write_stream(const char *name, const char *kernel, const struct launch *launches,
                          size_t count)
{
    struct wl_stream_writer *writer = NULL;
    char *folder = make_folder(name);
    assert_int_equal(wl_stream_writer_open(folder, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sink->put_kernel(sink->self,
                     &(struct wl_record_kernel){
                         .id = 5, .mangled = kernel, .demangled = kernel, .function = kernel});
    for (size_t i = 0; i < count; i++) {
        const struct wl_record_value value = {"smsp__pcsamp_sample_count", launches[i].samples,
                                              WL_MARK_EXACT};
        const struct wl_record_instruction_value at_instruction = {3, 0, launches[i].count};
        const uint8_t mark = WL_MARK_EXACT;
        struct wl_record_launch record = {
            .id = launches[i].id,
            .kernel_id = 5,
            .grid = {launches[i].grid, 1, 1},
            .block = {32, 1, 1},
            .message = "",
            .range = "",
            .values = &value,
            .value_count = launches[i].samples >= 0,
            .instruction_value_names = &launches[i].at_instruction,
            .instruction_value_marks = &mark,
            .instruction_value_name_count = launches[i].at_instruction ? 1 : 0,
            .instruction_values = &at_instruction,
            .instruction_value_count = launches[i].at_instruction ? 1 : 0,
        };
        sink->put_launch(sink->self, &record);
    }
    sink->put_end(sink->self, 0, 9);
    wl_stream_writer_close(writer);
    char *path = only_file(folder);
    free(folder);
    return path;
}

static void describe_launch(void *self, const struct wl_record_launch *record)
{
    struct wl_text *text = self;
    wl_text_addf(text, "%d:", (int)record->id);
    for (size_t i = 0; i < record->value_count; i++)
        wl_text_addf(text, " %s=%g", record->values[i].name, record->values[i].value);
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &record->instruction_values[i];
        wl_text_addf(text, " @%u %s=%g", value->instruction,
                     record->instruction_value_names[value->name], value->value);
    }
    wl_text_add(text, "\n");
}

static char *describe(const char *folder)
{
    struct wl_text text = {0};
    const struct wl_sink sink = {.self = &text, .put_launch = describe_launch};
    char *path = only_file(folder);
    assert_int_equal(wl_stream_replay(path, &sink, NULL, NULL), WL_OK);
    free(path);
    return wl_text_take(&text);
}

static void check(const char *other_kernel, size_t joined_wanted, size_t missing_wanted,
                  const char *wanted)
{
    static const struct launch first[] = {
        {0, 4, "inst", 10, -1}, {1, 4, NULL, 0, -1}, {2, 8, NULL, 0, -1}};
    static const struct launch second[] = {
        {0, 4, "stall", 7, 7}, {1, 4, "stall", 6, 6}, {2, 9, "stall", 5, 5}};
    struct wl_stream_joined joined;
    struct wl_error error = {0};
    char *path = write_stream("first", "k", first, 3);
    char *other = write_stream("second", other_kernel, second, 3);
    char *folder = make_folder("both");
    assert_int_equal(wl_stream_join(path, other, folder, &joined, &error), WL_OK);
    assert_int_equal(joined.joined, joined_wanted);
    assert_int_equal(joined.missing, missing_wanted);
    char *description = describe(folder);
    assert_string_equal(description, wanted);
    free(description);
    free(path);
    free(other);
    free(folder);
}

static void like_launches_are_put_together(void **state)
{
    (void)state;
    check("k", 2, 1,
          "0: smsp__pcsamp_sample_count=7 @3 inst=10 @3 stall=7\n"
          "1: smsp__pcsamp_sample_count=6 @3 stall=6\n"
          "2:\n");
}

static void another_kernel_is_not_alike(void **state)
{
    (void)state;
    check("other", 0, 3, "0: @3 inst=10\n1:\n2:\n");
}

static void what_cannot_be_read_is_told(void **state)
{
    (void)state;
    struct wl_stream_joined joined = {1, 1};
    struct wl_error error = {0};
    assert_int_equal(wl_stream_join("/nowhere/a", "/nowhere/b", root, &joined, &error),
                     WL_ERR_INPUT);
    assert_int_equal(joined.joined + joined.missing, 0);
    assert_true(error.message[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(like_launches_are_put_together, prepare, clean),
        cmocka_unit_test_setup_teardown(another_kernel_is_not_alike, prepare, clean),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_told, prepare, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
