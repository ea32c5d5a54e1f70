/* For tests of imported files: a folder with one file to import, and what became of it. */
#ifndef WL_SUPPORT_IMPORT_SUPPORT_H
#define WL_SUPPORT_IMPORT_SUPPORT_H

#include "import/import.h"
#include "report/tables.h"
#include "support/report_sample.h"

static struct sample sample;
static char *path, *made;

static inline int set_up(void **state)
{
    (void)state;
    sample_make(&sample);
    path = wl_string_format("%s/file", sample.folder);
    made = wl_string_format("%s/made.wlr", sample.folder);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    free(path);
    free(made);
    sample_remove(&sample);
    return 0;
}

static inline void write_file(const void *bytes, size_t length)
{
    assert_int_equal(wl_file_write(path, bytes, length, NULL), WL_OK);
}

static inline struct wl_report *import_text(const char *text)
{
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    write_file(text, strlen(text));
    if (wl_import(path, made, true, NULL, &error) != WL_OK)
        fail_msg("%s", error.message);
    assert_int_equal(wl_report_open(made, &report, NULL), WL_OK);
    return report;
}

static inline void import_fails(const void *bytes, size_t length, enum wl_code code,
                                const char *message)
{
    struct wl_error error = {0};
    write_file(bytes, length);
    assert_int_equal(wl_import(path, made, true, NULL, &error), code);
    if (!strstr(error.message, message))
        fail_msg("\"%s\" is not in \"%s\"", message, error.message);
    assert_int_not_equal(access(made, F_OK), 0);
}

/* ---- rows of a table, as text ---- */

static struct wl_text shown;

static inline void take_row(void *self, const struct wl_table_cell *cells)
{
    const struct wl_timeline_table *table = self;
    for (int i = 0; i < WL_TABLE_COLUMNS_MAX && table->columns[i].name; i++) {
        if (cells[i].text)
            wl_text_addf(&shown, "%s|", cells[i].text);
        else if (!cells[i].is_absent)
            wl_text_addf(&shown, "%g|", cells[i].number);
        else
            wl_text_add(&shown, "|");
    }
    wl_text_add(&shown, "\n");
}

static inline void table_is(struct wl_report *report, const char *name, const char *expected)
{
    const struct wl_timeline_table *table;
    wl_text_free(&shown);
    assert_int_equal(wl_timeline_table_find(name, &table, NULL), WL_OK);
    assert_int_equal(wl_timeline_table_read(report, table, take_row, (void *)table, NULL), WL_OK);
    assert_string_equal(shown.data ? shown.data : "", expected);
    wl_text_free(&shown);
}

/* ---- protocol buffers, by hand ---- */

static inline void put_varint(struct wl_text *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        wl_text_add_char(out, (char)(value | 128));
    wl_text_add_char(out, (char)value);
}

static inline void put_number(struct wl_text *out, unsigned field, uint64_t value)
{
    put_varint(out, field << 3);
    put_varint(out, value);
}

static inline void put_bytes(struct wl_text *out, unsigned field, const void *bytes, size_t length)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, length);
    wl_text_add_bytes(out, bytes, length);
}

#endif
