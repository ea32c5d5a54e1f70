#include "base/count.h"
#include "report/name.h"

#include "support/report_sample.h"

static void expands_to(const char *pattern, const char *expected)
{
    struct wl_error error = {0};
    char *path = NULL;
    if (wl_report_name(pattern, &path, &error) != WL_OK)
        fail_msg("%s: %s", pattern, error.message);
    assert_string_equal(path, expected);
    free(path);
}

static void fails_with(const char *pattern, const char *message, const char *hint)
{
    struct wl_error error = {0};
    char *path = NULL;
    assert_int_equal(wl_report_name(pattern, &path, &error), WL_ERR_USAGE);
    assert_int_equal(error.code, WL_ERR_USAGE);
    assert_string_equal(error.message, message);
    assert_string_equal(error.hint, hint);
    assert_null(path);
}

static void a_suffix_is_added_where_there_is_none(void **state)
{
    (void)state;
    setenv("WL_NAME", "v1.2", 1);
    expands_to("a", "a.wlr");
    expands_to("a.wlr", "a.wlr");
    expands_to("a.db", "a.db");
    expands_to("dir.d/a", "dir.d/a.wlr");
    expands_to("dir.d/.a", "dir.d/.a.wlr");
    expands_to("../a", "../a.wlr");
    expands_to("a-%q{WL_NAME}", "a-v1.2.wlr"); /* a dot that the user did not write is no suffix */
    expands_to("%q{WL_NAME}.x", "v1.2.x");
}

static void sequences_are_expanded(void **state)
{
    (void)state;
    char host[256], *expected;
    gethostname(host, sizeof host);
    setenv("WL_NAME", "exp", 1);
    setenv("WL_EMPTY", "", 1);
    expected = wl_string_format("r-%s-%ld-exp-%%.wlr", host, (long)getpid());
    expands_to("r-%h-%p-%q{WL_NAME}-%%", expected);
    free(expected);
    expands_to("%q{WL_NAME}%q{WL_EMPTY}%q{WL_NAME}/%%p", "expexp/%p.wlr");
}

static void a_number_makes_the_name_free(void **state)
{
    (void)state;
    struct sample sample;
    sample_make(&sample);
    char *pattern = wl_string_format("%s/n%%i-%%i", sample.folder);
    char *first = wl_string_format("%s/n1-1.wlr", sample.folder);
    char *second_stream = wl_string_format("%s/n2-2.wlr.stream", sample.folder);
    char *third = wl_string_format("%s/n3-3.wlr", sample.folder);
    expands_to(pattern, first);
    wl_file_write(first, "", 0, NULL);
    mkdir(second_stream, 0777); /* of a run that still goes on */
    expands_to(pattern, third);
    free(pattern);
    free(first);
    free(second_stream);
    free(third);
    sample_remove(&sample);
}

static void ranks_do_not_meet(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *expected;
    } rows[] = {
        {"run", "run-rank12"},
        {"run.wlr", "run-rank12.wlr"},
        {"dir.wlr/run", "dir.wlr/run-rank12"},
        {"run%i", "run%i-rank12"},
        {"%h-50%%q", "%h-50%%q-rank12"},
        {"run-%q{RANK}", "run-%q{RANK}"},
        {"%%%p", "%%%p"},
        {".wlr", ".wlr-rank12"},
        {"%", "%-rank12"},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        char *name = wl_report_name_of_rank(rows[i].pattern, "12");
        assert_string_equal(name, rows[i].expected);
        free(name);
    }
}

static void wrong_patterns_are_refused(void **state)
{
    (void)state;
    unsetenv("WL_UNSET");
    static const char known[] = "%p, %h, %q{VARIABLE}, %i and %% are known";
    fails_with("a%x", "unknown %x in the report name a%x", known);
    fails_with("a%", "unknown % in the report name a%", known);
    fails_with("a%qNAME", "%q in the report name a%qNAME needs a variable: %q{NAME}", "");
    fails_with("a%q{NAME", "%q in the report name a%q{NAME needs a variable: %q{NAME}", "");
    fails_with("a%q{}", "%q in the report name a%q{} needs a variable: %q{NAME}", "");
    fails_with(
        "a%q{WL_UNSET}",
        "the report name a%q{WL_UNSET} needs the environment variable WL_UNSET, which is not set",
        "");
    fails_with("", "the report name \"\" has no file name", "");
    fails_with("a/", "the report name \"a/\" has no file name", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suffix_is_added_where_there_is_none),
        cmocka_unit_test(sequences_are_expanded),
        cmocka_unit_test(a_number_makes_the_name_free),
        cmocka_unit_test(ranks_do_not_meet),
        cmocka_unit_test(wrong_patterns_are_refused),
    };
    return cmocka_run_group_tests_name("name", tests, NULL, NULL);
}
