/* docs/formats/report-schema.md says what the tables are, and its queries run. */
#include "support/report_sample.h"

#include <sqlite3.h>

#include "base/text.h"
#include "report/schema.h"

static int open_sample(void **state)
{
    struct sample sample;
    struct wl_text content = {0};
    sqlite3 *database = NULL;
    sample_make(&sample);
    struct wl_report_build build = sample_build(&sample);
    sample_put_stream(&sample, 77, 3, true);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    assert_int_equal(wl_file_read(sample.report, &content, NULL), WL_OK);
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    unsigned char *bytes = sqlite3_malloc64(content.length);
    memcpy(bytes, content.data, content.length);
    assert_int_equal(
        sqlite3_deserialize(database, "main", bytes, (sqlite3_int64)content.length,
                            (sqlite3_int64)content.length,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY),
        SQLITE_OK);
    wl_text_free(&content);
    sample_remove(&sample);
    *state = database;
    return 0;
}

static int close_sample(void **state)
{
    sqlite3_close(*state);
    return 0;
}

static char *read_page(void)
{
    struct wl_text page = {0};
    assert_int_equal(wl_file_read(WL_SOURCE_DIR "/docs/formats/report-schema.md", &page, NULL),
                     WL_OK);
    return wl_text_take(&page);
}

/* All statements of text; the first must give a row. */
static void run_query(sqlite3 *database, const char *text)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, text, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s\n%s", sqlite3_errmsg(database), text);
    if (sqlite3_step(statement) != SQLITE_ROW)
        fail_msg("no row: %s", text);
    for (int column = 0; column < sqlite3_column_count(statement); column++)
        assert_non_null(sqlite3_column_name(statement, column));
    sqlite3_finalize(statement);
}

static void the_queries_of_the_page_run(void **state)
{
    static const char begin[] = "```sql\n", end[] = "\n```";
    char *page = read_page(), *next = page;
    int count = 0;
    while ((next = strstr(next, begin))) {
        char *query = next + strlen(begin), *query_end = strstr(query, end);
        assert_non_null(query_end);
        *query_end = '\0';
        run_query(*state, query);
        next = query_end + 1;
        count++;
    }
    assert_true(count >= 10);
    free(page);
}

/* "### `name`" up to the next heading: the columns are the first cells between backquotes. */
static char *columns_on_page(const char *page, const char *object)
{
    struct wl_text columns = {0};
    char *heading = wl_string_format("\n### `%s`\n", object);
    const char *section = strstr(page, heading);
    if (!section)
        fail_msg("docs/formats/report-schema.md has no section %s", object);
    section += strlen(heading);
    const char *section_end = strstr(section, "\n#");
    for (const char *row = section; (row = strstr(row, "\n| `")) && row < section_end;) {
        row += strlen("\n| `");
        wl_text_add_bytes(&columns, row, strcspn(row, "`"));
        wl_text_add_char(&columns, ' ');
    }
    free(heading);
    return wl_text_take(&columns);
}

static char *columns_in_database(sqlite3 *database, const char *object)
{
    struct wl_text columns = {0};
    sqlite3_stmt *statement = NULL;
    char *sql = wl_string_format("SELECT * FROM %s", object);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    for (int column = 0; column < sqlite3_column_count(statement); column++)
        wl_text_addf(&columns, "%s ", sqlite3_column_name(statement, column));
    sqlite3_finalize(statement);
    free(sql);
    return wl_text_take(&columns);
}

static void the_page_has_every_table_and_column(void **state)
{
    char *page = read_page();
    size_t sections = 0, objects = 0;
    for (const char *next = page; (next = strstr(next, "\n### `")); next++)
        sections++;
    for (const struct wl_report_object *object = wl_report_schema; object->name; object++) {
        char *documented = columns_on_page(page, object->name);
        char *real = columns_in_database(*state, object->name);
        if (strcmp(documented, real) != 0)
            fail_msg("%s has %s, docs/formats/report-schema.md says %s", object->name, real,
                     documented);
        objects++;
        free(documented);
        free(real);
    }
    assert_int_equal(sections, objects);
    free(page);
}

/* Everything that another table refers to is there. */
static void references_hold(void **state)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(*state, "PRAGMA foreign_key_check", -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
    run_query(*state, "SELECT 1 FROM pragma_integrity_check WHERE integrity_check = 'ok'");
}

static void versions_are_in_the_header(void **state)
{
    run_query(*state, "SELECT 1 FROM pragma_application_id WHERE application_id = 0x574C5250");
    run_query(
        *state,
        "SELECT 1 FROM pragma_user_version, meta "
        "WHERE user_version = 2 AND key = 'format' AND CAST(value AS INTEGER) = user_version");
    char *page = read_page();
    assert_non_null(strstr(page, "the version of the format, now 2."));
    assert_int_equal(WL_REPORT_FORMAT, 2);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queries_of_the_page_run),
        cmocka_unit_test(the_page_has_every_table_and_column),
        cmocka_unit_test(references_hold),
        cmocka_unit_test(versions_are_in_the_header),
    };
    return cmocka_run_group_tests_name("schema", tests, open_sample, close_sample);
}
