/* Whole pages of the sample report, compared with tests/golden/. WL_UPDATE_GOLDEN=1 writes them
 * again. */
#include "support/page_sample.h"

#include "base/text.h"
#include "show/page/view.h"
#include "warplens/version.h"

static struct sample sample;

static int make(void **state)
{
    (void)state;
    sample_make(&sample, NULL);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    sample_remove(&sample);
    return 0;
}

/* The page as a string; free() it. */
static char *print_of(struct wl_report *report, const struct wl_view_options *options,
                      enum wl_code expected, struct wl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    enum wl_code code = wl_view_print(report, options, out, error);
    fclose(out);
    if (code != expected)
        print_message("%s\n", error->message);
    assert_int_equal(code, expected);
    return text;
}

static char *print(const struct wl_view_options *options)
{
    struct wl_error error = {0};
    return print_of(sample.report, options, WL_OK, &error);
}

/* The version of Warplens that a JSON page names does not belong into what is recorded. */
static void strip_version(char *page)
{
    static const char field[] = "\"version\": \"" WL_VERSION_STRING "\"";
    char *found = strstr(page, field);
    if (found)
        memmove(found, found + sizeof field - 1, strlen(found + sizeof field - 1) + 1);
}

static void refuse(const struct wl_view_options *options, enum wl_code code, const char *message,
                   const char *hint)
{
    struct wl_error error = {0};
    free(print_of(sample.report, options, code, &error));
    assert_string_equal(error.message, message);
    assert_string_equal(error.hint, hint);
}

static const struct golden {
    const char *file;
    struct wl_view_options options;
} goldens[] = {
    {"summary.txt", {.page = WL_PAGE_SUMMARY}},
    {"summary.csv", {.page = WL_PAGE_SUMMARY, .format = WL_FORMAT_CSV}},
    {"summary.json", {.page = WL_PAGE_SUMMARY, .format = WL_FORMAT_JSON}},
    {"details.txt", {.page = WL_PAGE_DETAILS}},
    {"details_base.txt",
     {.page = WL_PAGE_DETAILS, .set = "basic", .units = WL_UNITS_BASE, .launch_count = 1}},
    {"details.csv", {.page = WL_PAGE_DETAILS, .format = WL_FORMAT_CSV, .launch_count = 1}},
    {"details.json", {.page = WL_PAGE_DETAILS, .format = WL_FORMAT_JSON, .launch_count = 1}},
    {"details_per_kernel.txt",
     {.page = WL_PAGE_DETAILS, .summary = WL_SUMMARY_PER_KERNEL, .set = "basic"}},
    {"details_per_gpu.csv",
     {.page = WL_PAGE_DETAILS,
      .summary = WL_SUMMARY_PER_GPU,
      .format = WL_FORMAT_CSV,
      .sections = "Occupancy"}},
    {"details_per_nvtx.json",
     {.page = WL_PAGE_DETAILS,
      .summary = WL_SUMMARY_PER_NVTX,
      .format = WL_FORMAT_JSON,
      .sections = "LaunchStats"}},
    {"raw.txt", {.page = WL_PAGE_RAW, .launch_count = 1}},
    {"raw.csv", {.page = WL_PAGE_RAW, .format = WL_FORMAT_CSV}},
    {"raw_metrics.csv",
     {.page = WL_PAGE_RAW,
      .format = WL_FORMAT_CSV,
      .metrics = "gld_efficiency,gpu__time_duration.sum,launch__waves_per_multiprocessor"}},
    {"raw.json", {.page = WL_PAGE_RAW, .format = WL_FORMAT_JSON, .launch_count = 1}},
    {"session.txt", {.page = WL_PAGE_SESSION}},
    {"session.csv", {.page = WL_PAGE_SESSION, .format = WL_FORMAT_CSV}},
    {"session.json", {.page = WL_PAGE_SESSION, .format = WL_FORMAT_JSON}},
    {"source.txt", {.page = WL_PAGE_SOURCE}},
    {"source_percent.txt",
     {.page = WL_PAGE_SOURCE, .percent = true, .view_source = "cuda", .launch_count = 1}},
    {"source_top.txt",
     {.page = WL_PAGE_SOURCE, .top = "memory_l1_wavefronts_shared", .launch_count = 1}},
    {"source_ptx.txt", {.page = WL_PAGE_SOURCE, .view_source = "ptx", .launch_count = 1}},
    {"source.csv", {.page = WL_PAGE_SOURCE, .format = WL_FORMAT_CSV, .launch_count = 1}},
    {"source.json", {.page = WL_PAGE_SOURCE, .format = WL_FORMAT_JSON, .launch_count = 1}},
    {"advice.txt", {.page = WL_PAGE_ADVICE}},
    {"advice.csv", {.page = WL_PAGE_ADVICE, .format = WL_FORMAT_CSV}},
    {"advice.json", {.page = WL_PAGE_ADVICE, .format = WL_FORMAT_JSON, .launch_count = 1}},
    {"advice.sarif",
     {.page = WL_PAGE_ADVICE, .format = WL_FORMAT_SARIF, .rules = "shared-bank,small-grid"}},
    {"advice.md", {.page = WL_PAGE_ADVICE, .format = WL_FORMAT_MARKDOWN}},
    {"guide.txt", {.page = WL_PAGE_GUIDE}},
};

static void pages_are_as_recorded(void **state)
{
    (void)state;
    bool is_updating = getenv("WL_UPDATE_GOLDEN") != NULL;
    for (size_t i = 0; i < COUNT(goldens); i++) {
        char *path = wl_string_format(WL_SOURCE_DIR "/tests/golden/%s", goldens[i].file);
        char *page = print(&goldens[i].options);
        strip_version(page);
        struct wl_text recorded = {0};
        if (is_updating)
            assert_int_equal(wl_file_write(path, page, strlen(page), NULL), WL_OK);
        assert_int_equal(wl_file_read(path, &recorded, NULL), WL_OK);
        if (strcmp(page, recorded.data) != 0)
            print_message("differs from %s:\n%s\n", path, page);
        assert_true(strcmp(page, recorded.data) == 0);
        wl_text_free(&recorded);
        free(page);
        free(path);
    }
}

static void bad_choices_are_refused(void **state)
{
    (void)state;
    refuse(&(struct wl_view_options){.page = WL_PAGE_DETAILS, .sections = "Ocupancy"}, WL_ERR_USAGE,
           "unknown section 'Ocupancy'", "did you mean Occupancy?");
    refuse(&(struct wl_view_options){.page = WL_PAGE_DETAILS, .set = "fuller"}, WL_ERR_USAGE,
           "unknown set 'fuller'",
           "the sets are: detailed, full, basic, roofline, triage, pmsampling, nvlink, nvvp");
    refuse(&(struct wl_view_options){.page = WL_PAGE_RAW, .metrics = "dram__bytes_red.sum"},
           WL_ERR_USAGE, "unknown metric 'dram__bytes_red.sum'",
           "did you mean dram__bytes_read.sum, dram__bytes.sum or dram__bytes_write.sum?");
    refuse(&(struct wl_view_options){.page = WL_PAGE_RAW, .metrics = "regex:("}, WL_ERR_USAGE,
           "bad expression '(' for metrics: Unmatched ( or \\(", "");
    refuse(&(struct wl_view_options){.page = WL_PAGE_RAW, .metrics = "regex:^nothing$"},
           WL_ERR_USAGE, "no metric matches '^nothing$'", "");
    refuse(&(struct wl_view_options){.page = WL_PAGE_SOURCE, .top = "inst_executd"}, WL_ERR_USAGE,
           "--top: 'inst_executd' is not counted for each line", "did you mean inst_executed?");
    refuse(&(struct wl_view_options){.page = WL_PAGE_SOURCE, .view_source = "sass"}, WL_ERR_USAGE,
           "the source page cannot show 'sass'",
           "cuda,ptx or cuda or ptx; machine code is not simulated");
    refuse(&(struct wl_view_options){.page = WL_PAGE_SOURCE, .summary = WL_SUMMARY_PER_KERNEL},
           WL_ERR_USAGE, "--print-summary cannot be of the page source",
           "--page details or --page raw");
    refuse(&(struct wl_view_options){.page = WL_PAGE_DETAILS, .kernel_name = "nobody"},
           WL_ERR_NOTHING, "these options select no launch of the report",
           "see --page summary without --rank, --kernel-name, --launch-skip and --launch-count");
    refuse(&(struct wl_view_options){.page = WL_PAGE_DETAILS, .section_folder = "/no/such"},
           WL_ERR_INPUT, "cannot read the folder /no/such: No such file or directory", "");
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    struct wl_error error = {0};
    FILE *out = fopen("/dev/full", "w");
    if (!out) {
        puts("skipped: there is no /dev/full");
        skip();
    }
    struct wl_view_options options = {.page = WL_PAGE_DETAILS};
    assert_int_equal(wl_view_print(sample.report, &options, out, &error), WL_ERR_OUTPUT);
    assert_string_equal(error.message, "cannot write the page: No space left on device");
    fclose(out);
}

static void launches_are_chosen(void **state)
{
    (void)state;
    char *page = print(&(struct wl_view_options){.page = WL_PAGE_SUMMARY,
                                                 .format = WL_FORMAT_CSV,
                                                 .kernel_name = "regex:^sc",
                                                 .launch_skip = 1});
    assert_non_null(strstr(page, "\n\"1\",\"4242\",\"scale\",\"node1\","));
    assert_null(strstr(page, "\n\"0\","));
    assert_null(strstr(page, "\n\"2\","));
    free(page);
}

static void headlines_are_bold_on_a_terminal(void **state)
{
    (void)state;
    char *page = print(&(struct wl_view_options){.page = WL_PAGE_DETAILS, .color = true});
    assert_non_null(strstr(page, "  \x1b[1mvoid scale<4>(float *, int)\x1b[0m (4, 2, 1)"));
    assert_non_null(strstr(page, "    Section: \x1b[1mOccupancy\x1b[0m\n"));
    free(page);
    page = print(&(struct wl_view_options){.page = WL_PAGE_DETAILS});
    assert_null(strchr(page, '\x1b'));
    free(page);
}

/* A name that would move the cursor, colour the screen and break a CSV line. */
static void hostile_names_are_harmless(void **state)
{
    (void)state;
    struct sample hostile = {0};
    struct wl_error error = {0};
    sample_make(&hostile, "evil\x1b[2J\r\n,\"x\"\xff\xe2\x80\xae");
    char *text =
        print_of(hostile.report, &(struct wl_view_options){.page = WL_PAGE_DETAILS}, WL_OK, &error);
    assert_non_null(strstr(text, "  evil\\x1b[2J\\x0d\\x0a,\"x\"\\xff\\u202e (4, 2, 1)x(64"));
    assert_null(strchr(text, '\x1b'));
    free(text);
    text = print_of(hostile.report,
                    &(struct wl_view_options){.page = WL_PAGE_RAW, .format = WL_FORMAT_CSV}, WL_OK,
                    &error);
    assert_non_null(
        strstr(text, ",\"evil\\x1b[2J\\x0d\\x0a,\"\"x\"\"\xef\xbf\xbd\\u202e\",\"1\",\"7\","));
    free(text);
    text = print_of(hostile.report,
                    &(struct wl_view_options){.page = WL_PAGE_RAW, .format = WL_FORMAT_JSON}, WL_OK,
                    &error);
    assert_non_null(strstr(
        text, "\"kernel_name\": \"evil\\u001B[2J\\r\\n,\\\"x\\\"\xef\xbf\xbd\xe2\x80\xae\""));
    free(text);
    sample_remove(&hostile);
}

/* No line of a page is wider than the terminal, and what is missing is said; in files all is whole.
 */
static void tables_fit_the_terminal(void **state)
{
    (void)state;
    struct sample long_sample = {.has_long_name = true};
    struct wl_error error = {0};
    sample_make(&long_sample, NULL);
    static const enum wl_view_page pages[] = {WL_PAGE_SUMMARY, WL_PAGE_DETAILS, WL_PAGE_SOURCE,
                                              WL_PAGE_SESSION};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct wl_view_options options = {.page = pages[i], .width = 80};
        char *narrow = print_of(long_sample.report, &options, WL_OK, &error);
        for (const char *line = narrow; *line;
             line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
            assert_true(strcspn(line, "\n") <= 80);
        free(narrow);
    }
    struct wl_view_options options = {.page = WL_PAGE_SUMMARY, .width = 80};
    char *narrow = print_of(long_sample.report, &options, WL_OK, &error);
    assert_non_null(strstr(narrow, "..."));
    assert_non_null(strstr(narrow, "Too wide for this terminal: Block, Grid, DRAM"));
    options.width = 0;
    char *whole = print_of(long_sample.report, &options, WL_OK, &error);
    assert_non_null(strstr(whole, " scale_all_the_elements_of_a_long_vector "));
    assert_null(strstr(whole, "Too wide"));
    free(narrow);
    free(whole);
    sample_remove(&long_sample);
}

static void missing_source_is_told(void **state)
{
    (void)state;
    struct sample bare = {.has_no_source = true};
    struct wl_error error = {0};
    sample_make(&bare, NULL);
    char *page =
        print_of(bare.report, &(struct wl_view_options){.page = WL_PAGE_SOURCE, .launch_count = 1},
                 WL_OK, &error);
    assert_non_null(strstr(page, "    File: /home/user/scale.cu\n    Its text is not shown: "));
    assert_non_null(strstr(page, "\n      11        48 ="));
    assert_non_null(strstr(page, "       ld.global.f32 %f1, [%rd1]\n"));
    free(page);
    sample_remove(&bare);
}

static void sections_of_the_user_are_shown(void **state)
{
    (void)state;
    static const char lua[] =
        "return {{ identifier = 'Mine', name = 'My Section', order = 1,\n"
        "  metrics = {{ 'Loads per Store', 'my__loads_per_store.ratio' },\n"
        "             { 'Time', 'my__time' }} },\n"
        " { name = 'my__loads_per_store.ratio', unit = '', description = '',\n"
        "   formula = function(m) return m['gld_transactions'] / m['gst_transactions'] end },\n"
        " { name = 'my__time', formula = function(m) return m['gpu__time_duration.sum'] end } }\n";
    char *folder = wl_string_format("%s/mine", sample.folder);
    char *file = wl_string_format("%s/mine.lua", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_int_equal(wl_file_write(file, lua, strlen(lua), NULL), WL_OK);
    char *page = print(&(struct wl_view_options){
        .page = WL_PAGE_DETAILS, .sections = "Mine", .section_folder = folder, .launch_count = 1});
    assert_non_null(strstr(page, "    Section: My Section\n"));
    assert_non_null(strstr(page, "    Loads per Store                        2 =\n"));
    assert_non_null(strstr(page, "    n/a   Time: needs a predicted or measured time"));
    free(page);
    free(folder);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_as_recorded),
        cmocka_unit_test(bad_choices_are_refused),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(launches_are_chosen),
        cmocka_unit_test(headlines_are_bold_on_a_terminal),
        cmocka_unit_test(hostile_names_are_harmless),
        cmocka_unit_test(tables_fit_the_terminal),
        cmocka_unit_test(missing_source_is_told),
        cmocka_unit_test(sections_of_the_user_are_shown),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
