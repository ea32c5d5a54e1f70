#include "record/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "record/nvtx_expression.h"

/* A launch is a letter: the kernel it launches. */
static struct wl_filter_launch launch_of(char letter)
{
    static const struct wl_filter_launch kernels[] = {
        {"_Z3fooPf", "foo(float *)", "foo", 1, 7, NULL, 0, NULL, NULL, NULL},
        {"_ZN1a3foo2Ei", "a::foo2(int)", "foo2", 1, 7, NULL, 0, NULL, NULL, NULL},
        {"_Z3barILi4EEvv", "void bar<4>()", "bar", 1, 7, NULL, 0, NULL, NULL, NULL},
        {"_Z3fooPf", "foo(float *)", "foo", 2, 13, NULL, 0, NULL, NULL, NULL},
        {"main$_omp_fn$0", "main$_omp_fn$0", "main$_omp_fn$0", 1, 7, NULL, 0, NULL, NULL,
         "main_41_gpu"},
    };
    switch (letter) {
    case 'f':
        return kernels[0];
    case '2':
        return kernels[1];
    case 'F': /* foo on another context and stream */
        return kernels[3];
    case 'g': /* of GCC */
        return kernels[4];
    default:
        return kernels[2];
    }
}

/* Sends the launches through; the accepted ones keep their letter, the others become '.'. '+' and
 * '-' are cudaProfilerStart and cudaProfilerStop. */
static void assert_selects(const char *lines, const char *launches, const char *expected)
{
    struct wl_settings settings;
    wl_settings_init(&settings);
    struct wl_error error = {0};
    assert_int_equal(wl_settings_parse(lines, &settings, &error), WL_OK);
    struct wl_filter *filter;
    assert_int_equal(wl_filter_create(&settings, &filter, &error), WL_OK);
    char selected[64] = "";
    for (size_t i = 0; launches[i]; i++) {
        selected[i] = launches[i];
        if (launches[i] == '+' || launches[i] == '-') {
            wl_filter_set_active(filter, launches[i] == '+');
            continue;
        }
        struct wl_filter_launch launch = launch_of(launches[i]);
        if (!wl_filter_accept(filter, &launch))
            selected[i] = '.';
    }
    assert_string_equal(selected, expected);
    wl_filter_free(filter);
    wl_settings_free(&settings);
}

static void names_select_as_in_ncu(void **state)
{
    (void)state;
    assert_selects("", "f2bF", "f2bF");
    assert_selects("kernel_name=foo", "f2bF", "f..F"); /* literal: the whole name */
    assert_selects("kernel_name=fo", "f2bF", "....");
    assert_selects("kernel_name=regex:fo", "f2bF", "f2.F"); /* a search */
    assert_selects("kernel_name=regex:^foo$", "f2bF", "f..F");
    assert_selects("kernel_name=regex:foo2|bar", "f2bF", ".2b.");
    assert_selects("kernel_name=foo(float *)\nkernel_name_base=demangled", "f2bF", "f..F");
    assert_selects("kernel_name=regex:<4>\nkernel_name_base=demangled", "f2bF", "..b.");
    assert_selects("kernel_name=_Z3fooPf\nkernel_name_base=mangled", "f2bF", "f..F");
    assert_selects("kernel_name=foo\nkernel_name_base=mangled", "f2bF", "....");
}

static void names_of_nvc_select_kernels_of_gcc(void **state)
{
    (void)state;
    assert_selects("kernel_name=main_41_gpu", "fgb", ".g.");
    assert_selects("kernel_name=main$_omp_fn$0", "fgb", ".g.");
    assert_selects("kernel_name=regex:_41_", "fgb", ".g.");
    assert_selects("kernel_name=main_42_gpu", "fgb", "...");
    assert_selects("kernel_name=main_41_gpu\nkernel_name_base=mangled", "fgb", "...");
    assert_selects("kernel_id=::main_41_gpu:2", "gfgg", "..g.");
}

static void skips_and_counts_select_as_in_ncu(void **state)
{
    (void)state;
    assert_selects("launch_skip=2", "fbfb", "..fb");
    assert_selects("launch_count=2", "fbfb", "fb..");
    assert_selects("launch_skip=1\nlaunch_count=2", "fbfbf", ".bf..");
    /* --launch-skip counts the launches that match, --launch-skip-before-match all */
    assert_selects("kernel_name=foo\nlaunch_skip=1", "bbfbff", "....ff");
    assert_selects("kernel_name=foo\nlaunch_skip_before_match=3", "fbffb", "...f.");
    assert_selects("kernel_name=foo\nlaunch_skip_before_match=1\nlaunch_skip=1", "ffff", "..ff");
    assert_selects("kernel_name=foo\nlaunch_count=1", "bfbf", ".f..");
}

static void the_profiler_switch_selects(void **state)
{
    (void)state;
    assert_selects("profile_from_start=no", "fb+fb-fb", "..+fb-..");
    assert_selects("", "f-b+f", "f-.+f");
    /* what is launched outside counts for nothing */
    assert_selects("profile_from_start=no\nlaunch_skip=1", "ff+ffb", "..+.fb");
    assert_selects("profile_from_start=no\nlaunch_skip_before_match=1", "f+ff", ".+.f");
    assert_selects("profile_from_start=no\nlaunch_count=1", "f+f-f+f", ".+f-.+.");
}

static void kernel_ids_select_as_in_ncu(void **state)
{
    (void)state;
    assert_selects("kernel_id=::foo:2", "fbfbf", "..f..");
    assert_selects("kernel_id=:::2", "fb2fb2", "...fb2"); /* the second of each */
    assert_selects("kernel_id=::foo:", "fb2F", "f..F");
    assert_selects("kernel_id=::regex:^fo:1", "fb2f2", "f.2..");
    assert_selects("kernel_id=:::.*2|1", "ffff", "ff..");
    assert_selects("kernel_id=2:::", "fF", ".F");
    assert_selects("kernel_id=02:13::", "fF", ".F");
    assert_selects("kernel_id=:7:foo:", "fF2", "f..");
    /* colons within a name */
    assert_selects("kernel_id=::a::foo2(int):1\nkernel_name_base=demangled", "f22", ".2.");
    /* with -k both must match; invocations are counted through what is skipped */
    assert_selects("kernel_id=::foo:3\nlaunch_skip_before_match=2", "fff", "..f");
}

static void it_says_when_no_more_will_come(void **state)
{
    (void)state;
    struct wl_settings settings;
    wl_settings_init(&settings);
    settings.launch_count = 1;
    struct wl_filter *filter;
    assert_int_equal(wl_filter_create(&settings, &filter, NULL), WL_OK);
    assert_false(wl_filter_is_finished(filter));
    struct wl_filter_launch launch = launch_of('f');
    assert_true(wl_filter_accept(filter, &launch));
    assert_true(wl_filter_is_finished(filter));
    wl_filter_free(filter);
    wl_settings_free(&settings);
}

struct range_row {
    const char *expression;
    const char *ranges; /* separated by ' ', outermost first */
    bool matches;
};

static const struct range_row range_rows[] = {
    {"a/", "a", true},
    {"a/", "x a y", true},
    {"a/", "x y", false},
    {"a/", "", false},
    {"a/", "D@a", false},
    {"D@a/", "D@a", true},
    {"D@a/", "a", false},
    {"D@a/", "E@a", false},
    {"a/b", "a b", true},
    {"a/b", "x a b y", true},
    {"a/b", "a x b", false},
    {"a/b", "b a", false},
    {"a/b", "a D@x b", true}, /* another domain has a stack of its own */
    {"a/*/b", "a b", true},
    {"a/*/b", "a x y b z", true},
    {"a/*/b", "b a", false},
    {"a/+/b", "a x b", true},
    {"a/+/b", "a b", false},
    {"a/+/b", "a x y b", false},
    {"a/*/b/c", "a b x b c", true},
    {"[a", "a x", true},
    {"[a", "x a", false},
    {"a]", "x a", true},
    {"a]", "a x", false},
    {"[a]", "a", true},
    {"[a]", "a a", false},
    {"[a/*/b]", "a x b", true},
    {"[a/*/b]", "a x b y", false},
    {"[a/+/z", "a x z y", true},
    {"D@[a", "x D@a", true},
    {"D@a/*/b]", "D@a D@x b D@b", true},
    /* names with quantifiers in them */
    {"a\\/b/", "a/b", true},
    {"a\\[i\\]/", "a[i]", true},
    {"a\\]/", "a]", true},
    {"\\[a/", "[a", true},
    {"x\\@y/", "@x@y", true},
    {"\\*/", "*", true},
    {"a/\\*/b", "a x b", false},
    {"a\\,b/", "a,b", true},
    /* regular expressions */
    {"regex:ran.e[0-9]/", "range7", true},
    {"regex:^a$/", "ab", false},
    {"regex:a/", "bab", true},
    {"regex:Dom[A-C]@r[0-9]/", "DomB@r1", true},
    {"regex:Dom[A-C]@r[0-9]/", "DomD@r1", false},
    {"regex:Dom@r/", "r", false},
    {"regex:D@/[ab]x/", "D@bx", true},
    {"regex:[ab]", "ab]", true}, /* a bare '[' is the bottom of the stack */
    {"regex:x/r[0-9/]", "x r5", true},
    {"regex:^a$/*/^b$", "a x b", true},
    {"regex:a\\/b/", "a/b", true},
};

static size_t split(char *text, const char **ranges)
{
    size_t count = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        ranges[count++] = word;
    return count;
}

static void range_expressions_match_as_in_ncu(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof range_rows / sizeof *range_rows; i++) {
        struct wl_nvtx_expression *expression;
        struct wl_error error = {0};
        char text[64];
        const char *ranges[8];
        strcpy(text, range_rows[i].ranges);
        size_t count = split(text, ranges);
        if (wl_nvtx_expression_create("--nvtx-include", range_rows[i].expression, &expression,
                                      &error) != WL_OK)
            fail_msg("%s: %s", range_rows[i].expression, error.message);
        if (wl_nvtx_expression_matches(expression, ranges, count) != range_rows[i].matches)
            fail_msg("%s on '%s' should %smatch", range_rows[i].expression, range_rows[i].ranges,
                     range_rows[i].matches ? "" : "not ");
        wl_nvtx_expression_free(expression);
    }
}

static void ranges_include_and_exclude(void **state)
{
    (void)state;
    struct wl_settings settings;
    wl_settings_init(&settings);
    assert_int_equal(
        wl_settings_parse("nvtx_include=a/\\nb/\nnvtx_exclude=c]\nlaunch_skip=1", &settings, NULL),
        WL_OK);
    struct wl_filter *filter;
    assert_int_equal(wl_filter_create(&settings, &filter, NULL), WL_OK);
    static const struct {
        const char *ranges;
        bool accepted;
    } rows[] = {{"", false},  {"a", false} /* the one skipped */,
                {"a", true},  {"b", true},
                {"x", false}, {"a c", false},
                {"c a", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[16];
        const char *ranges[4];
        strcpy(text, rows[i].ranges);
        struct wl_filter_launch launch = launch_of('f');
        launch.range_count = split(text, ranges);
        launch.ranges = ranges;
        assert_int_equal(wl_filter_accept(filter, &launch), rows[i].accepted);
    }
    wl_filter_free(filter);
    wl_settings_free(&settings);
}

static void bad_expressions_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *message;
    } rows[] = {
        {"kernel_name=regex:foo(",
         "--kernel-name: bad regular expression 'foo(': Unmatched ( or \\("},
        {"kernel_name=regex:", "--kernel-name: empty regular expression"},
        {"kernel_id=foo", "--kernel-id 'foo': four fields are needed"},
        {"kernel_id=1:2:foo", "--kernel-id '1:2:foo': four fields are needed"},
        {"kernel_id=main::foo:1", "--kernel-id: the context 'main' is not a number"},
        {"kernel_id=:s1:foo:1", "--kernel-id: the stream 's1' is not a number"},
        {"kernel_id=::regex:a(:1", "--kernel-id: bad regular expression 'a(': Unmatched ( or \\("},
        {"kernel_id=::foo:1(", "--kernel-id: bad regular expression '1(': Unmatched ( or \\("},
        {"nvtx_include=range", "--nvtx-include 'range': start/end ranges are not supported"},
        {"nvtx_exclude=a,b", "--nvtx-exclude 'a,b': start/end ranges (',') are not supported"},
        {"nvtx_include=D@a,E@b",
         "--nvtx-include 'D@a,E@b': more than one '@' (ranges of one domain can be given)"},
        {"nvtx_include=a/\\n/", "--nvtx-include '/': a range without a name"},
        {"nvtx_include=D@", "--nvtx-include 'D@': a range without a name"},
        {"nvtx_include=a//b", "--nvtx-include 'a//b': a range without a name"},
        {"nvtx_include=*/a", "--nvtx-include '*/a': '*' and '+' stand between two ranges"},
        {"nvtx_include=a/+", "--nvtx-include 'a/+': '*' and '+' stand between two ranges"},
        {"nvtx_include=regex:a(/",
         "--nvtx-include: bad regular expression 'a(': Unmatched ( or \\("},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_settings settings;
        wl_settings_init(&settings);
        assert_int_equal(wl_settings_parse(rows[i].lines, &settings, NULL), WL_OK);
        struct wl_filter *filter;
        struct wl_error error = {0};
        assert_int_equal(wl_filter_create(&settings, &filter, &error), WL_ERR_USAGE);
        assert_null(filter);
        assert_string_equal(error.message, rows[i].message);
        wl_settings_free(&settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_select_as_in_ncu),
        cmocka_unit_test(names_of_nvc_select_kernels_of_gcc),
        cmocka_unit_test(skips_and_counts_select_as_in_ncu),
        cmocka_unit_test(the_profiler_switch_selects),
        cmocka_unit_test(kernel_ids_select_as_in_ncu),
        cmocka_unit_test(it_says_when_no_more_will_come),
        cmocka_unit_test(range_expressions_match_as_in_ncu),
        cmocka_unit_test(ranges_include_and_exclude),
        cmocka_unit_test(bad_expressions_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
