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
    bool force, start, json, guess, late;
    const char *name;
    struct wl_text metrics;
    char *pattern, *lines;
    uint64_t delay_ms;
    uint32_t threads;
    uint64_t count;
    int cache;
};

#define AT(field) offsetof(struct target, field)
#define ROW(spelled, short, how, at, value, text)                                                 \
    {                                                                                             \
        .name = (spelled), .letter = (short), .kind = (how), .offset = (at), .argument = (value), \
        .help = (text)                                                                            \
    }

static const struct wl_option first_table[] = {
    ROW("FILES", 0, WL_OPTION_HEADING, 0, NULL, NULL),
    ROW("force-overwrite", 'f', WL_OPTION_CONFIRM, AT(force), NULL, "replace what is there"),
    ROW("json", 'j', WL_OPTION_FLAG, AT(json), NULL, "as JSON"),
    ROW("kernel-name", 'k', WL_OPTION_TEXT, AT(name), "NAME", "kernels of this name"),
    ROW("kernel-name-base", 0, WL_OPTION_CHOICE, AT(cache), "function|mangled", "which name"),
    ROW("kernel-regex", 0, WL_OPTION_TEXT, AT(name), "NAME", NULL),
    ROW("launch-count", 'c', WL_OPTION_NUMBER, AT(count), "N", "no more than N"),
    {.name = NULL},
};
static const struct wl_option second_table[] = {
    ROW("metrics", 0, WL_OPTION_COMMAS, AT(metrics), "NAMES", "these"),
    ROW("profile-from-start", 0, WL_OPTION_SWITCH, AT(start), NULL, "from the start"),
    ROW("cache-control", 0, WL_OPTION_CHOICE, AT(cache), "all|none", "cold or warm"),
    ROW("mode", 0, WL_OPTION_ONLY, 0, "launch-and-attach", "it is always started"),
    ROW("port", 'p', WL_OPTION_REFUSED, 0, NULL, "it is always started"),
    {.name = NULL},
};
/* Rows of two groups: those of the second are not in the tables. */
static const struct wl_option grouped_table[] = {
    {.name = "pattern", .kind = WL_OPTION_COPY, .offset = AT(pattern), .groups = 1},
    {.name = "expression",
     .kind = WL_OPTION_COPY,
     .offset = AT(pattern),
     .groups = 1,
     .prefix = "regex:"},
    {.name = "line", .kind = WL_OPTION_COPY_LINES, .offset = AT(lines), .groups = 1},
    {.name = "delay", .kind = WL_OPTION_SECONDS, .offset = AT(delay_ms), .groups = 3},
    {.name = "threads", .kind = WL_OPTION_NUMBER32, .offset = AT(threads), .groups = 1, .most = 8},
    {.name = "no-guess", .kind = WL_OPTION_CLEAR, .offset = AT(guess), .groups = 1},
    {.name = "when",
     .kind = WL_OPTION_SECOND,
     .offset = AT(late),
     .argument = "early|late",
     .groups = 1},
    {.name = "budget",
     .kind = WL_OPTION_RENAMED,
     .argument = "limit",
     .help = "a budget is a file",
     .groups = 1},
    {.name = "elsewhere", .kind = WL_OPTION_FLAG, .groups = 2},
    {.name = NULL},
};
static const struct wl_option_table tables[] = {
    {first_table, 0, 0},
    {second_table, 0, 0},
    {grouped_table, 0, 1},
    {NULL, 0, 0},
};

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
    *parsed = (struct parsed){.target = {.cache = -1, .guess = true}};
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

static void test_texts_are_owned(void **state)
{
    struct parsed parsed;
    (void)state;
    parse(&parsed,
          "--expression a --expression b --line x --line y --delay 1.5 --threads 8 --no-guess "
          "--when late",
          true);
    assert_int_equal(parsed.error.code, WL_OK);
    assert_string_equal(parsed.target.pattern, "regex:b");
    assert_string_equal(parsed.target.lines, "x\ny");
    assert_int_equal(parsed.target.delay_ms, 1500);
    assert_int_equal(parsed.target.threads, 8);
    assert_false(parsed.target.guess);
    assert_true(parsed.target.late);
    wl_options_free(tables, &parsed.target);
    assert_null(parsed.target.pattern);
    assert_null(parsed.target.lines);
}

/* `-f true ./app` runs ./app, as with nsys. */
static void test_values_of_flags(void **state)
{
    static const struct {
        const char *line;
        bool force;
        const char *program;
    } rows[] = {
        {"-f true app", true, "app"},
        {"-f false app", false, "app"},
        {"-jf no app", false, "app"},
        {"--force-overwrite yes app", true, "app"},
        {"--forc=off app", false, "app"},
        {"--force-overwrite=1 app", true, "app"},
        {"-f 1 app", true, "1"},
        {"-f -- true", true, "true"},
        {"-f true true", true, "true"},
        {"-j ./true", false, "./true"},
        {"true", false, "true"},
        {"-c 1 true", false, "true"},
        {"--profile-from-start on yes", false, "yes"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct parsed parsed;
        parse(&parsed, rows[i].line, true);
        assert_int_equal(parsed.error.code, WL_OK);
        assert_int_equal(parsed.target.force, rows[i].force);
        assert_string_equal(parsed.arguments.items[0], rows[i].program);
    }
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
        {"--json=1", "option --json takes no value", ""},
        {"--force-overwrite=maybe", "option --force-overwrite takes on or off, not 'maybe'", ""},
        {"--pattern a --expression b", "--pattern and --expression exclude each other", ""},
        {"--delay soon", "option --delay takes seconds, not 'soon'", ""},
        {"--threads 9", "option --threads takes 0 to 8, not '9'", ""},
        {"--when never", "option --when does not know 'never'", "it takes early|late"},
        {"--budget 3", "option --budget is --limit now", "a budget is a file"},
        {"--elsewhere", "there is no option --elsewhere", ""},
        {"-j true app", "option --json takes no value, and 'true' would be the program",
         "leave 'true' out; a program of that name is run by `-- true` or `./true`"},
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
        wl_options_free(tables, &parsed.target);
    }
}

static void test_help_text(void **state)
{
    static const struct wl_option rows[] = {
        ROW("FILES", 0, WL_OPTION_HEADING, 0, NULL, NULL),
        ROW("force", 'f', WL_OPTION_FLAG, 0, NULL, "replace what is there"),
        ROW("a-very-long-option-name", 0, WL_OPTION_TEXT, 0, "WITH-A-VALUE", "short help"),
        ROW("old", 0, WL_OPTION_TEXT, 0, "X", NULL),
        ROW("port", 0, WL_OPTION_REFUSED, 0, NULL, "no"),
        {.name = NULL},
    };
    const struct wl_option_table one[] = {{rows, 0, 0}, {NULL, 0, 0}};
    struct wl_text text = {0};
    (void)state;
    wl_options_describe(one, 0, &text);
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
        cmocka_unit_test(test_texts_are_owned),
        cmocka_unit_test(test_values_of_flags),
        cmocka_unit_test(test_words_after_the_program_are_its_own),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_help_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
