/* Sections as data: ours name only metrics that are known; mistakes of users are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/advise/sections.h"
#include "base/folder.h"
#include "base/memory.h"

static struct wl_metric_catalog *catalog;
static struct wl_sections *sections;

static int make(void **state)
{
    (void)state;
    struct wl_error error = {0};
    if (wl_metric_catalog_create(NULL, &catalog, &error) != WL_OK ||
        wl_sections_load(catalog, NULL, &sections, &error) != WL_OK) {
        print_message("%s\n", error.message);
        return 1;
    }
    return 0;
}

static int drop(void **state)
{
    (void)state;
    wl_sections_free(sections);
    wl_metric_catalog_free(catalog);
    return 0;
}

static void is_known(const struct wl_section *section, const char *metric)
{
    if (metric && !wl_metric_find(catalog, metric))
        fail_msg("%s shows %s, which no row defines", section->identifier, metric);
}

static void ours_show_known_metrics(void **state)
{
    (void)state;
    size_t count = 0;
    const struct wl_section *all = wl_sections_all(sections, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < all[i].metric_count; j++)
            is_known(&all[i], all[i].metrics[j].metric);
        for (size_t j = 0; j < all[i].remark_count; j++)
            is_known(&all[i], all[i].remarks[j]);
        for (size_t j = 0; j < all[i].table_count; j++)
            for (size_t k = 0; k < all[i].tables[j].row_count; k++)
                for (size_t l = 0; l < all[i].tables[j].column_count; l++)
                    is_known(&all[i], all[i].tables[j].rows[k].metrics[l]);
    }
}

/* Checks what is chosen: identifiers with commas between, or the message. */
static void chooses(const char *list, const char *set, const char *expected)
{
    const struct wl_section *chosen[64];
    struct wl_error error = {0};
    struct wl_text names = {0};
    size_t count = 0;
    wl_text_add(&names, "");
    if (wl_sections_choose(sections, list, set, chosen, &count, &error) != WL_OK)
        wl_text_addf(&names, "%s; %s", error.message, error.hint);
    for (size_t i = 0; i < count; i++)
        wl_text_addf(&names, "%s%s", i ? "," : "", chosen[i]->identifier);
    assert_string_equal(names.data, expected);
    wl_text_free(&names);
}

static void sections_are_chosen(void **state)
{
    (void)state;
    chooses(NULL, NULL, "");
    chooses(NULL, "basic", "SpeedOfLight,LaunchStats,Occupancy");
    chooses(NULL, "detailed",
            "DeviceAttributes,SpeedOfLight,LaunchStats,SpeedOfLight_RooflineChart,"
            "ComputeWorkloadAnalysis,"
            "MemoryWorkloadAnalysis,MemoryWorkloadAnalysis_Chart,SchedulerStats,WarpStateStats,"
            "Occupancy,SourceCounters");
    chooses("Occupancy,LaunchStats", NULL, "LaunchStats,Occupancy");
    chooses("regex:^Memory.*s$", NULL, "MemoryWorkloadAnalysis,MemoryWorkloadAnalysis_Tables");
    chooses("InstructionStats", "basic", "SpeedOfLight,LaunchStats,Occupancy,InstructionStats");
    chooses("SpeedOfLight", NULL, "SpeedOfLight");
    chooses("SpeedOfLite", NULL, "unknown section 'SpeedOfLite'; did you mean SpeedOfLight?");
    chooses(
        NULL, "nope",
        "unknown set 'nope'; the sets are: detailed, full, basic, roofline, triage, pmsampling, nvlink, nvvp");
    chooses("regex:(", NULL, "bad expression '(' for sections: Unmatched ( or \\(; ");
    chooses("regex:^x$", NULL, "no section matches '^x$'; ");
}

/* Loads one more file; what is wrong with it must be told so. */
static void refuses(const char *lua, const char *message)
{
    char *folder = NULL;
    struct wl_sections *loaded = NULL;
    struct wl_error error = {0};
    assert_int_equal(wl_folder_create_temporary("wl-advise", &folder, NULL), WL_OK);
    char *path = wl_string_format("%s/own.lua", folder);
    char *expected = wl_string_format("%s: %s", path, message);
    assert_int_equal(wl_file_write(path, lua, strlen(lua), NULL), WL_OK);
    assert_int_equal(wl_sections_load(catalog, folder, &loaded, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message, expected);
    assert_null(loaded);
    wl_folder_remove(folder, NULL);
    free(expected);
    free(path);
    free(folder);
}

static void bad_sections_are_refused(void **state)
{
    (void)state;
    refuses("return { identifier = 'A' }", "section A: needs an identifier and a name");
    refuses("return { identifier = 'A', title = 'x' }", "section: unknown field 'title'");
    refuses("return { identifier = 'A', name = 'x', order = 'first' }",
            "section: field 'order' must be a number");
    refuses("return { identifier = 'A', name = 'x', metrics = { 'm' } }",
            "section A: a metric must be {\"Label\", \"name\"}");
    refuses("return { identifier = 'A', name = 'x', metrics = { { 'm' } } }",
            "section A: a metric must be {\"Label\", \"name\"}");
    refuses("return { identifier = 'A', name = 'x', sets = { 1 } }",
            "section A: a list holds something that is not a text");
    refuses("return { identifier = 'A', name = 'x', tables = { { name = 't' } } }",
            "section A: a table needs a name and columns");
    refuses("return { identifier = 'A', name = 'x', tables = { { name = 't', columns = { 'c' }, "
            "rows = { { 'r', 'm', 'n' } } } } }",
            "section A: a row must have a label and a text for each column");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ours_show_known_metrics),
        cmocka_unit_test(sections_are_chosen),
        cmocka_unit_test(bad_sections_are_refused),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
