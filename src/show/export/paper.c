#include "show/export/paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/library/cairo.h"

/* Lengths are points. */
static const double page_width = 595, page_height = 842, margin = 42, foot = 24;
static const double table_size = 8, least_table_size = 4.5, cell_gap = 9;

struct wl_paper {
    cairo_surface_t *surface;
    cairo_t *cairo;
    struct wl_text bytes;
    char *title;
    double y; /* where the next thing begins */
    int page, outline;
    bool is_used; /* something stands on this page */
    WL_VECTOR(struct wl_paper_heading) headings;
};

static const struct style {
    double size, before, after;
    bool is_bold, is_mono;
    enum wl_ink ink;
} styles[] = {
    [WL_PAPER_TITLE] = {18, 0, 6, true, false, WL_INK_TEXT},
    [WL_PAPER_HEADING] = {13, 14, 5, true, false, WL_INK_TEXT},
    [WL_PAPER_SUBHEADING] = {10.5, 10, 4, true, false, WL_INK_TEXT},
    [WL_PAPER_LABEL] = {9, 6, 2, true, false, WL_INK_TEXT},
    [WL_PAPER_PLAIN] = {9, 0, 3, false, false, WL_INK_TEXT},
    [WL_PAPER_SMALL] = {8, 0, 2, false, false, WL_INK_DIM},
    [WL_PAPER_CODE] = {7.5, 0, 2, false, true, WL_INK_TEXT},
};

static cairo_status_t keep_bytes(void *self, const unsigned char *bytes, unsigned length)
{
    wl_text_add_bytes(self, bytes, length);
    return CAIRO_STATUS_SUCCESS;
}

static void set_ink(struct wl_paper *paper, enum wl_ink ink)
{
    uint32_t color = wl_ink_light(ink);
    wl_cairo.set_source_rgb(paper->cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                            (color & 255) / 255.0);
}

static void set_font(struct wl_paper *paper, double size, bool is_bold, bool is_mono)
{
    wl_cairo.select_font_face(paper->cairo, is_mono ? "monospace" : "sans-serif",
                              CAIRO_FONT_SLANT_NORMAL,
                              is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    wl_cairo.set_font_size(paper->cairo, size);
}

static double width_of(struct wl_paper *paper, const char *text)
{
    cairo_text_extents_t extents;
    wl_cairo.text_extents(paper->cairo, text, &extents);
    return extents.x_advance;
}

static void show_at(struct wl_paper *paper, double x, double y, const char *text)
{
    wl_cairo.move_to(paper->cairo, x, y);
    wl_cairo.show_text(paper->cairo, text);
}

/* ---- pages ---- */

static void end_page(struct wl_paper *paper)
{
    char *number = wl_string_format("%d", paper->page);
    set_font(paper, 7.5, false, false);
    set_ink(paper, WL_INK_DIM);
    show_at(paper, margin, page_height - foot, paper->title);
    show_at(paper, page_width - margin - width_of(paper, number), page_height - foot, number);
    wl_cairo.show_page(paper->cairo);
    free(number);
    paper->page++;
    paper->y = margin;
    paper->is_used = false;
}

/* Begins a new page where height does not fit on this one; a thing higher than a page begins one.
 */
static void need(struct wl_paper *paper, double height)
{
    if (paper->is_used && paper->y + height > page_height - margin - 4)
        end_page(paper);
}

struct wl_paper *wl_paper_create(const char *title)
{
    struct wl_paper *paper = wl_alloc_zero(1, sizeof *paper);
    struct wl_text safe = {0};
    wl_format_safe(title, &safe);
    paper->title = wl_text_take(&safe);
    paper->surface =
        wl_cairo.pdf_surface_create_for_stream(keep_bytes, &paper->bytes, page_width, page_height);
    wl_cairo.pdf_surface_set_metadata(paper->surface, CAIRO_PDF_METADATA_TITLE, paper->title);
    wl_cairo.pdf_surface_set_metadata(paper->surface, CAIRO_PDF_METADATA_CREATOR, "Warplens");
    paper->cairo = wl_cairo.create(paper->surface);
    paper->y = margin;
    paper->page = 1;
    return paper;
}

enum wl_code wl_paper_finish(struct wl_paper *paper, struct wl_text *bytes, struct wl_error *error)
{
    if (paper->is_used || paper->page == 1)
        end_page(paper);
    cairo_status_t status = wl_cairo.status(paper->cairo);
    wl_cairo.destroy(paper->cairo);
    wl_cairo.surface_finish(paper->surface);
    if (!status)
        status = wl_cairo.surface_status(paper->surface);
    wl_cairo.surface_destroy(paper->surface);
    *bytes = paper->bytes;
    for (size_t i = 0; i < paper->headings.count; i++)
        free(paper->headings.items[i].text);
    free(paper->headings.items);
    free(paper->title);
    free(paper);
    return status ? wl_error_set(error, WL_ERR_INTERNAL, "the PDF could not be made: %s",
                                 wl_cairo.status_to_string(status))
                  : WL_OK;
}

void wl_paper_break(struct wl_paper *paper)
{
    if (paper->is_used)
        end_page(paper);
}

void wl_paper_part(struct wl_paper *paper, double part)
{
    need(paper, part * (page_height - 2 * margin));
}

int wl_paper_page(const struct wl_paper *paper)
{
    return paper->page;
}

/* ---- contents ---- */

const struct wl_paper_heading *wl_paper_headings(const struct wl_paper *paper, size_t *count)
{
    *count = paper->headings.count;
    return paper->headings.items;
}

void wl_paper_contents(struct wl_paper *paper, const struct wl_paper_heading *headings,
                       size_t count, int shift)
{
    const double size = 9, height = size * 1.6, right = page_width - margin;
    for (size_t i = 0; i < count; i++) {
        char *number = wl_string_format("%d", headings[i].page + shift);
        char *place = wl_string_format("page=%d pos=[0 0]", headings[i].page + shift);
        need(paper, height);
        wl_cairo.save(paper->cairo);
        set_font(paper, size, false, false);
        set_ink(paper, WL_INK_TEXT);
        wl_cairo.tag_begin(paper->cairo, CAIRO_TAG_LINK, place);
        show_at(paper, right - width_of(paper, number), paper->y + size, number);
        wl_cairo.rectangle(paper->cairo, margin, paper->y, right - margin - 30, height);
        wl_cairo.clip(paper->cairo);
        show_at(paper, margin, paper->y + size, headings[i].text);
        wl_cairo.tag_end(paper->cairo, CAIRO_TAG_LINK);
        wl_cairo.restore(paper->cairo);
        paper->y += height;
        paper->is_used = true;
        free(number);
        free(place);
    }
}

/* ---- text ---- */

/* Bytes of the longest beginning that is at most width wide, cut at a space where there is one. */
static size_t fit(struct wl_paper *paper, char *text, double width)
{
    size_t length = strlen(text), fitting = 0, at_space = 0;
    if (width_of(paper, text) <= width)
        return length;
    for (size_t end = 1; end <= length; end++) {
        if (((unsigned char)text[end] & 0xc0) == 0x80)
            continue; /* within a character */
        char kept = text[end];
        text[end] = '\0';
        bool is_fitting = width_of(paper, text) <= width;
        text[end] = kept;
        if (!is_fitting)
            break;
        fitting = end;
        if (kept == ' ')
            at_space = end;
    }
    return at_space ? at_space : fitting ? fitting : length;
}

static void add_outline(struct wl_paper *paper, enum wl_paper_style style, const char *text)
{
    bool is_heading = style == WL_PAPER_HEADING;
    if (!is_heading && style != WL_PAPER_SUBHEADING)
        return;
    char *place = wl_string_format("page=%d pos=[0 %.0f]", paper->page, paper->y);
    int parent = is_heading ? CAIRO_PDF_OUTLINE_ROOT : paper->outline;
    int item = wl_cairo.pdf_surface_add_outline(paper->surface, parent, text, place, 0);
    if (is_heading) {
        paper->outline = item;
        WL_PUSH(&paper->headings, ((struct wl_paper_heading){wl_string_copy(text), paper->page}));
    }
    free(place);
}

static void add_line(struct wl_paper *paper, const struct style *style, char *line)
{
    do {
        size_t length = fit(paper, line, page_width - 2 * margin);
        char kept = line[length];
        need(paper, style->size * 1.35);
        line[length] = '\0';
        set_ink(paper, style->ink); /* a new page has forgotten it */
        set_font(paper, style->size, style->is_bold, style->is_mono);
        show_at(paper, margin, paper->y + style->size, line);
        line[length] = kept;
        paper->y += style->size * 1.35;
        paper->is_used = true;
        line += length;
        line += kept == ' ';
    } while (*line != '\0');
}

void wl_paper_text(struct wl_paper *paper, enum wl_paper_style name, const char *text)
{
    const struct style *style = &styles[name];
    bool is_heading = style->is_bold;
    struct wl_text safe = {0}, line = {0};
    set_font(paper, style->size, style->is_bold, style->is_mono);
    need(paper, style->before + style->size * 1.35 + (is_heading ? 40 : 0));
    paper->y += paper->is_used ? style->before : 0;
    for (const char *end; text; text = end ? end + 1 : NULL) {
        end = strchr(text, '\n');
        line.length = safe.length = 0;
        wl_text_add_bytes(&line, text, end ? (size_t)(end - text) : strlen(text));
        wl_format_safe(line.data, &safe);
        add_outline(paper, name, safe.data);
        add_line(paper, style, safe.data);
    }
    paper->y += style->after;
    wl_text_free(&safe);
    wl_text_free(&line);
}

/* ---- tables ---- */

/* How wide columns are at a size; free() it. *sum: with gaps. */
static double *measure(struct wl_paper *paper, const struct wl_table *table, double *sum)
{
    double *widths = wl_alloc_zero(table->column_count, sizeof *widths);
    set_font(paper, table_size, true, false);
    for (size_t i = 0; i < table->column_count; i++)
        widths[i] = width_of(paper, table->columns[i].heading);
    set_font(paper, table_size, false, false);
    for (size_t i = 0; i < table->cell_count; i++)
        widths[i % table->column_count] =
            fmax(widths[i % table->column_count], width_of(paper, table->cells[i]));
    *sum = 0;
    for (size_t i = 0; i < table->column_count; i++)
        *sum += widths[i] + (i ? cell_gap : 0);
    return widths;
}

/* Row 0 is that of the headings. */
static void add_row(struct wl_paper *paper, const struct wl_table *table, const double *widths,
                    double scale, size_t row)
{
    double x = margin, height = table_size * scale * 1.45;
    set_font(paper, table_size * scale, row == 0, false);
    set_ink(paper, WL_INK_TEXT);
    for (size_t i = 0; i < table->column_count; i++) {
        const char *cell = row == 0 ? table->columns[i].heading
                                    : table->cells[(row - 1) * table->column_count + i];
        double shift = table->columns[i].is_left ? 0 : widths[i] * scale - width_of(paper, cell);
        show_at(paper, x + shift, paper->y + table_size * scale, cell);
        x += (widths[i] + cell_gap) * scale;
    }
    paper->y += height;
    set_ink(paper, row == 0 ? WL_INK_LINE : WL_INK_GRID);
    wl_cairo.set_line_width(paper->cairo, 0.5);
    wl_cairo.move_to(paper->cairo, margin, paper->y - height * 0.12);
    wl_cairo.line_to(paper->cairo, x - cell_gap * scale, paper->y - height * 0.12);
    wl_cairo.stroke(paper->cairo);
    paper->is_used = true;
}

void wl_paper_table(struct wl_paper *paper, const struct wl_table *table)
{
    double sum = 0, room = page_width - 2 * margin;
    double *widths = measure(paper, table, &sum);
    double scale = fmax(fmin(1, room / sum), least_table_size / table_size);
    double height = table_size * scale * 1.45;
    bool has_headings = false;
    for (size_t i = 0; i < table->column_count; i++)
        has_headings = has_headings || table->columns[i].heading[0] != '\0';
    need(paper, 3 * height);
    if (has_headings)
        add_row(paper, table, widths, scale, 0);
    for (size_t row = 1; row <= wl_table_rows(table); row++) {
        int page = paper->page;
        need(paper, height);
        if (has_headings && paper->page != page)
            add_row(paper, table, widths, scale, 0);
        add_row(paper, table, widths, scale, row);
    }
    paper->y += 5;
    free(widths);
}

/* ---- drawings ---- */

void wl_paper_drawing(struct wl_paper *paper, const struct wl_drawing *drawing)
{
    const double least_part = 0.6; /* of its size, to stand on what is left of a page */
    double room = page_width - 2 * margin, left = page_height - margin - 30 - paper->y;
    double scale = fmin(0.75, room / drawing->width);
    scale = fmin(scale, (page_height - 2 * margin - 40) / drawing->height);
    if (left / drawing->height >= least_part * scale)
        scale = fmin(scale, left / drawing->height);
    need(paper, drawing->height * scale + 24);
    wl_paper_text(paper, WL_PAPER_LABEL, drawing->title);
    wl_cairo.save(paper->cairo);
    wl_cairo.translate(paper->cairo, margin, paper->y);
    wl_cairo.scale(paper->cairo, scale, scale);
    wl_drawing_paint(drawing, paper->cairo);
    wl_cairo.restore(paper->cairo);
    paper->y += drawing->height * scale + 6;
    paper->is_used = true;
}
