/* The source heat map: the hottest lines of a launch. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/draw/charts.h"
#include "show/draw/scale.h"
#include "show/format/format.h"

enum { most_lines = 40, longest_text = 100, row_height = 17, heading_height = 22 };
static const double width = 900, number_place = 92, line_place = 160, text_place = 170;

struct hot_line {
    const struct wl_source_line *line;
    double value;
};

static int by_heat(const void *left, const void *right)
{
    const struct hot_line *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int by_place(const void *left, const void *right)
{
    const struct hot_line *a = left, *b = right;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* The hottest lines, in order of the source. */
static size_t choose(const struct wl_source_model *model, const struct wl_source_column *column,
                     struct hot_line *hot)
{
    size_t count = 0;
    for (size_t i = 0; i < model->line_count; i++) {
        double value = 0;
        if (wl_source_read(column, model->lines[i].counts, &value) && value > 0)
            hot[count++] = (struct hot_line){&model->lines[i], value};
    }
    qsort(hot, count, sizeof *hot, by_heat);
    count = count < most_lines ? count : most_lines;
    qsort(hot, count, sizeof *hot, by_place);
    return count;
}

/* Cut to so many characters, so that it stays on the paper. */
static char *shorten(const char *text)
{
    struct wl_text safe = {0};
    wl_format_safe(text, &safe);
    size_t columns = 0, end = 0;
    while (end < safe.length && columns < longest_text) {
        end++;
        columns += ((unsigned char)safe.data[end] & 0xc0) != 0x80;
    }
    char *cut = wl_string_copy_length(safe.data, end);
    wl_text_free(&safe);
    return cut;
}

static void draw_line(struct wl_drawing *drawing, struct wl_source_model *model,
                      const struct wl_source_column *column, const struct hot_line *hot,
                      double share, double heat, double y)
{
    const struct wl_source_line *line = hot->line;
    struct wl_text number = {0};
    char *text = shorten(line->line ? wl_source_line_text(model, line->file, line->line)
                                    : "(instructions without a line)");
    char *place = line->line ? wl_string_format("%" PRIu32, line->line) : wl_string_copy("-");
    char *percent = wl_string_format("%.1f%%", 100 * share);
    wl_format_number(hot->value, &number);
    wl_text_addf(&number, " %c", wl_metric_mark_sign(column->mark));
    wl_drawing_define(drawing, NULL, number.data);
    wl_drawing_rectangle(drawing, 8, y, number_place - 4, row_height - 1, 0, wl_ink_heat(heat),
                         WL_INK_NONE);
    wl_drawing_text(drawing, number_place, y + 12, 11, WL_ANCHOR_END, WL_INK_TEXT, percent);
    wl_drawing_define(drawing, NULL, NULL);
    wl_drawing_text(drawing, line_place, y + 12, 11, WL_ANCHOR_END, WL_INK_DIM, place);
    wl_drawing_text(drawing, text_place, y + 12, 11, WL_ANCHOR_START, WL_INK_TEXT, text)->is_mono =
        true;
    free(text);
    free(place);
    free(percent);
    wl_text_free(&number);
}

static double height_of(const struct hot_line *hot, size_t count)
{
    double height = heading_height + 8;
    for (size_t i = 0; i < count; i++)
        height +=
            row_height +
            (i == 0 || strcmp(hot[i].line->file, hot[i - 1].line->file) != 0 ? heading_height : 0);
    return height;
}

struct wl_drawing *wl_chart_heat_map(struct wl_source_model *model,
                                     const struct wl_source_column *column, const char **reason)
{
    double total = 0, most = 0, y = heading_height;
    if (!column || !wl_source_read(column, model->totals, &total) || total <= 0) {
        *reason = "nothing was counted at its instructions";
        return NULL;
    }
    struct hot_line *hot = wl_alloc_zero(model->line_count, sizeof *hot);
    size_t count = choose(model, column, hot);
    struct wl_drawing *drawing =
        wl_drawing_create(width, height_of(hot, count), "Source heat map",
                          "The lines that lead a metric, with their part of the kernel's total.");
    char *title = wl_string_format("Hottest lines by %s (%s), part of the kernel's total",
                                   column->label, wl_metric_mark_name(column->mark));
    wl_drawing_define(drawing, column->name, NULL);
    wl_drawing_text(drawing, 8, 15, 12, WL_ANCHOR_START, WL_INK_TEXT, title)->is_bold = true;
    wl_drawing_define(drawing, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        most = hot[i].value > most ? hot[i].value : most;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(hot[i].line->file, hot[i - 1].line->file) != 0) {
            y += heading_height;
            char *file = shorten(hot[i].line->line ? hot[i].line->file : "no line");
            wl_drawing_text(drawing, 8, y - 6, 11, WL_ANCHOR_START, WL_INK_DIM, file);
            free(file);
        }
        draw_line(drawing, model, column, &hot[i], hot[i].value / total, hot[i].value / most, y);
        y += row_height;
    }
    free(title);
    free(hot);
    return drawing;
}
