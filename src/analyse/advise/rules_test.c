/* Rules: what is refused on loading, and what happens to rules that fail or never end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/advise/rule_process.h"
#include "analyse/advise/rules.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"

static char *folder;
static struct wl_metric_catalog *catalog;
static struct wl_report_launch launch;

static int make(void **state)
{
    (void)state;
    launch.record.grid[0] = 8;
    launch.record.grid[1] = launch.record.grid[2] = 1;
    launch.record.block[0] = 64;
    launch.record.block[1] = launch.record.block[2] = 1;
    return wl_folder_create_temporary("rules", &folder, NULL) ||
           wl_metric_catalog_create(NULL, &catalog, NULL);
}

static int drop(void **state)
{
    (void)state;
    wl_folder_remove(folder, NULL);
    wl_metric_catalog_free(catalog);
    free(folder);
    return 0;
}

/* Puts text into the folder's only file. */
static void put_file(const char *text)
{
    char *path = wl_string_format("%s/t.lua", folder);
    assert_int_equal(wl_file_write(path, text, strlen(text), NULL), WL_OK);
    free(path);
}

static void refuses(const char *text, const char *message)
{
    struct wl_rules *rules = NULL;
    struct wl_error error = {0};
    put_file(text);
    assert_int_equal(wl_rules_load(catalog, folder, &rules, &error), WL_ERR_CORRUPT);
    assert_string_equal(error.message + strlen(folder) + strlen("/t.lua: "), message);
}

static void wrong_rules_are_refused(void **state)
{
    (void)state;
    refuses("return { apply = function() end }",
            "rule (no id): needs an id of lower-case letters, digits and '-'");
    refuses("return { id = 'A b', apply = function() end }",
            "rule A b: needs an id of lower-case letters, digits and '-'");
    refuses("return { id = 'a', apply = function() end }",
            "rule a: needs a name and a description");
    refuses("return { id = 'a', name = 'A', description = 'a', scope = 'all', apply = function() "
            "end }",
            "rule a: its scope must be 'launch', 'program' or 'trace'");
    refuses("return { id = 'a', name = 'A', description = 'a', needs = { 1 }, apply = function() "
            "end }",
            "rule a: 'needs' holds something that is not a text");
    refuses("return { id = 'a', apply = 1 }", "rule: field 'apply' must be a function");
    refuses("return { { id = 'a', apply = function() end, more = 1 } }",
            "rule: unknown field 'more'");
}

static void rules_are_in_order(void **state)
{
    (void)state;
    struct wl_rules *rules = NULL;
    size_t count = 0;
    put_file("return { id = 'first', name = 'F', description = 'd', order = -1, apply = function() "
             "end }");
    assert_int_equal(wl_rules_load(catalog, folder, &rules, NULL), WL_OK);
    const struct wl_rule *all = wl_rules_all(rules, &count);
    assert_string_equal(all[0].id, "first");
    assert_string_equal(all[0].group, "first");
    assert_true(count > 3);
    assert_non_null(wl_rules_find(rules, "small-grid"));
    assert_null(wl_rules_find(rules, "small"));
    for (size_t i = 1; i < count; i++)
        assert_true(all[i - 1].order <= all[i].order);
    wl_rules_free(rules);
}

/* What a rule with this function gives, and how often it was applied; two launches are there. */
struct taken {
    struct wl_text text;
    size_t count;
};

static void take(void *self, const struct wl_rule *rule, const struct wl_rule_subject *subject,
                 const json_t *result)
{
    (void)rule, (void)subject;
    struct taken *taken = self;
    char *dump = json_dumps(result, JSON_COMPACT | JSON_SORT_KEYS);
    if (taken->count++ == 0)
        wl_text_add(&taken->text, dump);
    free(dump);
}

/* Of a rule; long, as sanitizers and a busy machine take their time. */
static uint32_t cpu_limit_ms = 60000;

static void gives(const char *body, const char *expected, size_t times)
{
    struct wl_rules *rules = NULL;
    struct taken taken = {0};
    char *text = wl_string_format("return { id = 'mine', name = 'M', description = 'd', "
                                  "apply = function(launch) %s end }",
                                  body);
    put_file(text);
    assert_int_equal(wl_rules_load(catalog, folder, &rules, NULL), WL_OK);
    const struct wl_rule *rule = wl_rules_find(rules, "mine");
    struct wl_rule_subject subjects[2] = {{&launch, wl_metric_set_create(catalog, &launch)},
                                          {&launch, wl_metric_set_create(catalog, &launch)}};
    struct wl_rule_run run = {.folder = folder,
                              .rules = &rule,
                              .rule_count = 1,
                              .subjects = subjects,
                              .subject_count = 2,
                              .each_count = 2,
                              .cpu_limit_ms = cpu_limit_ms,
                              .take = take,
                              .self = &taken};
    struct wl_error error = {0};
    if (wl_rules_run(&run, &error) != WL_OK)
        fail_msg("%s", error.message);
    const char *found = taken.text.data;
    char *place = strstr(taken.text.data, folder); /* messages name the file */
    if (place)
        memmove(place, place + strlen(folder), strlen(place + strlen(folder)) + 1);
    assert_string_equal(found, expected);
    assert_int_equal(taken.count, times);
    for (size_t i = 0; i < 2; i++)
        wl_metric_set_free(subjects[i].set);
    wl_text_free(&taken.text);
    wl_rules_free(rules);
    free(text);
}

static void results_are_taken(void **state)
{
    (void)state;
    gives("return nil", "{\"findings\":[]}", 2);
    gives("return {}", "{\"findings\":{}}", 2);
    gives("return { title = 'T', saved = 0.5 }", "{\"findings\":[{\"saved\":0.5,\"title\":\"T\"}]}",
          2);
    gives("return { { title = launch.m['launch__grid_size'] .. ' ' .. launch.block[1] } }",
          "{\"findings\":[{\"title\":\"8.0 64\"}]}", 2);
    gives("return { { title = tostring(#launch.instructions) } }",
          "{\"findings\":[{\"title\":\"0\"}]}", 2);
    gives("return { { title = tostring(string.find('abc', 'c')) } }",
          "{\"findings\":[{\"title\":\"3\"}]}", 2);
}

static void take_subject(void *self, const struct wl_rule *rule,
                         const struct wl_rule_subject *subject, const json_t *result)
{
    struct taken *taken = self;
    const json_t *finding = json_array_get(json_object_get(result, "findings"), 0);
    wl_text_addf(&taken->text, "%s%s:%p:%s", taken->count++ ? " " : "", rule->id,
                 (const void *)subject, json_string_value(json_object_get(finding, "title")));
}

/* A rule of launches and one of the program: the second sees one launch each time. */
static void each_is_alone_where_asked(void **state)
{
    (void)state;
    struct wl_rules *rules = NULL;
    put_file("return { { id = 'one', name = 'O', description = 'd', apply = function(launch) "
             "return { { title = 'launch' } } end }, "
             "{ id = 'all', name = 'A', description = 'd', scope = 'program', "
             "apply = function(all) return { { title = 'of ' .. #all.launches } } end } }");
    assert_int_equal(wl_rules_load(catalog, folder, &rules, NULL), WL_OK);
    const struct wl_rule *chosen[2] = {wl_rules_find(rules, "all"), wl_rules_find(rules, "one")};
    struct wl_rule_subject subjects[2] = {{&launch, wl_metric_set_create(catalog, &launch)},
                                          {&launch, wl_metric_set_create(catalog, &launch)}};
    struct wl_rule_run run = {.folder = folder,
                              .rules = chosen,
                              .rule_count = 2,
                              .subjects = subjects,
                              .subject_count = 2,
                              .each_count = 2,
                              .take = take_subject};
    for (int is_alone = 0; is_alone < 2; is_alone++) {
        struct taken taken = {0};
        void *first = &subjects[0], *second = &subjects[1];
        run.is_each_alone = is_alone;
        run.self = &taken;
        assert_int_equal(wl_rules_run(&run, NULL), WL_OK);
        char *expected =
            is_alone
                ? wl_string_format("one:%p:launch all:%p:of 1 one:%p:launch all:%p:of 1", first,
                                   first, second, second)
                : wl_string_format("one:%p:launch one:%p:launch all:%p:of 2", first, second, NULL);
        assert_string_equal(taken.text.data, expected);
        free(expected);
        wl_text_free(&taken.text);
    }
    for (size_t i = 0; i < 2; i++)
        wl_metric_set_free(subjects[i].set);
    wl_rules_free(rules);
}

static void absent_metrics_are_named(void **state)
{
    (void)state;
    gives("return { { title = 'x', saved = launch.m['gpu__time_duration.sum'] } }",
          "{\"needs\":\"gpu__time_duration.sum\"}", 2);
    gives(
        "local value, why = launch.m('gpu__time_duration.sum') return { { title = why } }",
        "{\"findings\":[{\"title\":\"needs a predicted or measured time of this kernel, which this launch has "
        "not\"}]}",
        2);
}

/* Each of them is not tried on the second launch if it took its process with it. */
static void bad_rules_harm_only_themselves(void **state)
{
    (void)state;
    gives("while true do end", "{\"failed\":\"/t.lua:1: stopped after 50000000 instructions\"}", 2);
    gives("return 1", "{\"failed\":\"it returns a number, not a table of findings\"}", 2);
    gives("error('no')", "{\"failed\":\"/t.lua:1: no\"}", 2);
    gives("error({})", "{\"failed\":\"it raises an error that is no text\"}", 2);
    gives("local function f() return 1 + f() end return f()",
          "{\"failed\":\"/t.lua:1: stack overflow\"}", 2);
    gives("local s = 'x' while true do s = s .. s end",
          "{\"failed\":\"it uses more memory than it may\"}", 2);
    gives("return string.rep('x', 1 << 30)", "{\"failed\":\"it uses more memory than it may\"}", 2);
    gives("return string.find(string.rep('a', 100000), string.rep('a?', 30000) .. 'b')",
          "{\"failed\":\"/t.lua:1: pattern too complex\"}", 2);
    cpu_limit_ms = 1000;
    gives("return string.find(string.rep('a', 40000), '.-.-.-b')",
          "{\"failed\":\"it takes more than 1 s of CPU time\"}", 1);
    cpu_limit_ms = 60000;
    gives("return io.open('/etc/passwd')",
          "{\"failed\":\"/t.lua:1: attempt to index a nil value (global 'io')\"}", 2);
    gives("return os.exit(0)",
          "{\"failed\":\"/t.lua:1: attempt to index a nil value (global 'os')\"}", 2);
    gives("return load('return 1')",
          "{\"failed\":\"/t.lua:1: attempt to call a nil value (global 'load')\"}", 2);
    gives("launch.m['launch__grid_size'] = 1",
          "{\"failed\":\"/t.lua:1: metrics cannot be assigned\"}", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_rules_are_refused),
        cmocka_unit_test(rules_are_in_order),
        cmocka_unit_test(results_are_taken),
        cmocka_unit_test(each_is_alone_where_asked),
        cmocka_unit_test(absent_metrics_are_named),
        cmocka_unit_test(bad_rules_harm_only_themselves),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
