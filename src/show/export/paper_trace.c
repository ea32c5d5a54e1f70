#include "show/export/paper_trace.h"

#include <stdlib.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/timeline_tables.h"

enum { most_rows = 40 };

struct setting {
    const struct wl_timeline_table *described;
    struct wl_table table;
    size_t column_count, row_count;
};

static void take_row(void *self, const struct wl_table_cell *cells)
{
    struct setting *setting = self;
    if (setting->row_count++ >= most_rows)
        return;
    for (size_t i = 0; i < setting->column_count; i++) {
        struct wl_text shown = {0};
        wl_text_add(&shown, "");
        if (cells[i].text)
            wl_format_safe(cells[i].text, &shown);
        else if (!cells[i].is_absent)
            wl_table_number_print(cells[i].number, setting->described->columns[i].unit, &shown);
        wl_table_add_cell(&setting->table, shown.data);
        wl_text_free(&shown);
    }
}

static void put_table(struct wl_paper *paper, const struct setting *setting, bool is_simulated)
{
    wl_paper_text(paper, WL_PAPER_SUBHEADING, setting->described->title);
    wl_paper_table(paper, &setting->table);
    if (setting->row_count > most_rows) {
        char *more = wl_string_format("and %zu more", setting->row_count - most_rows);
        wl_paper_text(paper, WL_PAPER_SMALL, more);
        free(more);
    }
    if (is_simulated && setting->described->is_of_device)
        wl_paper_text(paper, WL_PAPER_SMALL,
                      "Times of the GPU are predicted: those of the simulated clock.");
}

enum wl_code wl_paper_trace(struct wl_paper *paper, struct wl_report *report,
                            struct wl_error *error)
{
    enum wl_code code = WL_OK;
    const struct wl_timeline_table *table = NULL;
    bool is_simulated = wl_report_is_simulated(report);
    if (!wl_report_event_count(report))
        return WL_OK;
    wl_paper_text(paper, WL_PAPER_HEADING, "Timeline");
    while (!code && (table = wl_timeline_table_next(table))) {
        struct setting setting = {.described = table};
        if (!table->is_summary || table->is_of_launches)
            continue;
        for (; setting.column_count < WL_TABLE_COLUMNS_MAX &&
               table->columns[setting.column_count].name;
             setting.column_count++) {
            const struct wl_table_heading *heading = &table->columns[setting.column_count];
            wl_table_add_column(&setting.table, heading->name, heading->unit == WL_UNIT_TEXT);
        }
        code = wl_timeline_table_read(report, table, take_row, &setting, error);
        if (!code && setting.row_count)
            put_table(paper, &setting, is_simulated);
        wl_table_free(&setting.table);
    }
    return code;
}
