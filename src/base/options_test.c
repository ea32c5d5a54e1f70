#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/options.h"

struct target {
    bool force, start;
    const char *name;
    struct wl_text metrics;
    uint64_t count;
    int cache;
};

#define AT(field) offsetof(struct target, field)

static const struct wl_option first_table[] = {
    {"FILES", 0, WL_OPTION_HEADING, 0, NULL, NULL},
    {"force-overwrite", 'f', WL_OPTION_FLAG, AT(force), NULL, "replace what is there"},
    {"kernel-name", 'k', WL_OPTION_TEXT, AT(name), "NAME", "kernels of this name"},
    {"kernel-name-base", 0, WL_OPTION_CHOICE, AT(cache), "function|mangled", "which name"},
    {"kernel-regex", 0, WL_OPTION_TEXT, AT(name), "NAME", NULL},
    {"launch-count", 'c', WL_OPTION_NUMBER, AT(count), "N", "no more than N"},
    {.name = NULL},
};
static const struct wl_option second_table[] = {
    {"metrics", 0, WL_OPTION_COMMAS, AT(metrics), "NAMES", "these"},
    {"profile-from-start", 0, WL_OPTION_SWITCH, AT(start), NULL, "from the start"},
    {"cache-control", 0, WL_OPTION_CHOICE, AT(cache), "all|none", "cold or warm"},
    {"mode", 0, WL_OPTION_ONLY, 0, "launch-and-attach", "it is always started"},
    {"port", 'p', WL_OPTION_REFUSED, 0, NULL, "it is always started"},
    {.name = NULL},
};
static const struct wl_option *const tables[] = {first_table, second_table, NULL};

enum { most_words = 16 };

/* Splits line at spaces and parses it. */
struct parsed {
    struct target target;
    struct wl_arguments arguments;
    struct wl_error error;
    char line[256];
    char *words[most_words];
};

static void parse(struct parsed *parsed, const char *line, bool stop_at_argument)
{
    size_t count = 0;
    *parsed = (struct parsed){.target = {.cache = -1}};
    snprintf(parsed->line, sizeof parsed->line, "%s", line);
    for (char *word = strtok(parsed->line, " "); word; word = strtok(NULL, " "))
        parsed->words[count++] = word;
    wl_options_parse(tables, &parsed->target, parsed->words, count, stop_at_argument,
                     &parsed->arguments, &parsed->error);
}

static void test_spellings(void **state)
{
    static const char *const lines[] = {
        "-f -k gemm -c 3 app",
        "-fkgemm -c3 app",
        "--force-overwrite --kernel-name gemm --launch-count=3 app",
        "-f --kernel-name=gemm --launch-c 3 app",
        "--forc --kernel-regex gemm -c 3 app",
    };
    (void)state;
    for (size_t i = 0; i < WL_COUNT(lines); i++) {
        struct parsed parsed;
        parse(&parsed, lines[i], true);
        assert_int_equal(parsed.error.code, WL_OK);
        assert_true(parsed.target.force);
        assert_string_equal(parsed.target.name, "gemm");
        assert_int_equal(parsed.target.count, 3);
        assert_int_equal(parsed.arguments.count, 1);
        assert_string_equal(parsed.arguments.items[0], "app");
    }
}

static void test_kinds(void **state)
{
    struct parsed parsed;
    (void)state;
    parse(&parsed, "--metrics a,b --metrics=c --profile-from-start yes --cache-control none", true);
    assert_int_equal(parsed.error.code, WL_OK);
    assert_string_equal(parsed.target.metrics.data, "a,b,c");
    assert_true(parsed.target.start);
    assert_int_equal(parsed.target.cache, 1);
    wl_text_free(&parsed.target.metrics);
    parse(&parsed, "--mode launch-and-attach", true);
    assert_int_equal(parsed.error.code, WL_OK);
}

static void test_words_after_the_program_are_its_own(void **state)
{
    struct parsed parsed;
    (void)state;
    parse(&parsed, "-f app -k x --metrics", true);
    assert_int_equal(parsed.error.code, WL_OK);
    assert_int_equal(parsed.arguments.count, 4);
    assert_null(parsed.arguments.items[4]);
    assert_null(parsed.target.name);
    parse(&parsed, "report -k x -- -f", false);
    assert_int_equal(parsed.error.code, WL_OK);
    assert_int_equal(parsed.arguments.count, 2);
    assert_string_equal(parsed.arguments.items[1], "-f");
    assert_string_equal(parsed.target.name, "x");
    assert_false(parsed.target.force);
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *line, *message, *hint;
    } rows[] = {
        {"--kernel x", "option --kernel is ambiguous",
         "it can mean --kernel-name, --kernel-name-base, --kernel-regex"},
        {"--kernle-name x", "there is no option --kernle-name", "did you mean --kernel-name?"},
        {"--regex x", "there is no option --regex", "did you mean --kernel-regex?"},
        {"--zzzz", "there is no option --zzzz", ""},
        {"-z", "there is no option -z", ""},
        {"-c", "option --launch-count needs a value: --launch-count N", ""},
        {"--cache-control", "option --cache-control needs a value: --cache-control all|none", ""},
        {"-c -1", "option --launch-count takes a number from 0, not '-1'", ""},
        {"-c 99999999999999999999",
         "option --launch-count takes a number from 0, not '99999999999999999999'", ""},
        {"--cache-control some", "option --cache-control does not know 'some'",
         "it takes all|none"},
        {"--profile-from-start maybe", "option --profile-from-start takes on or off, not 'maybe'",
         ""},
        {"--force-overwrite=1", "option --force-overwrite takes no value", ""},
        {"--port 1", "option --port of ncu is not supported: it is always started", ""},
        {"--port=1", "option --port of ncu is not supported: it is always started", ""},
        {"-p 1", "option --port of ncu is not supported: it is always started", ""},
        {"--mode attach", "option --mode attach of ncu is not supported: it is always started", ""},
    };
    (void)state;
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct parsed parsed;
        parse(&parsed, rows[i].line, true);
        assert_int_equal(parsed.error.code, WL_ERR_USAGE);
        assert_string_equal(parsed.error.message, rows[i].message);
        assert_string_equal(parsed.error.hint, rows[i].hint);
    }
}

static void test_help_text(void **state)
{
    static const struct wl_option rows[] = {
        {"FILES", 0, WL_OPTION_HEADING, 0, NULL, NULL},
        {"force", 'f', WL_OPTION_FLAG, 0, NULL, "replace what is there"},
        {"a-very-long-option-name", 0, WL_OPTION_TEXT, 0, "WITH-A-VALUE", "short help"},
        {"old", 0, WL_OPTION_TEXT, 0, "X", NULL},
        {"port", 0, WL_OPTION_REFUSED, 0, NULL, "no"},
        {.name = NULL},
    };
    const struct wl_option *const one[] = {rows, NULL};
    struct wl_text text = {0};
    (void)state;
    wl_options_describe(one, &text);
    assert_string_equal(text.data, "\nFILES\n"
                                   "  -f, --force                     replace what is there\n"
                                   "      --a-very-long-option-name WITH-A-VALUE\n"
                                   "                                  short help\n");
    wl_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_words_after_the_program_are_its_own),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_help_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
