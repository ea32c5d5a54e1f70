/* For this room only: text, tables and drawings set on pages of A4, as PDF. */
#ifndef WL_SHOW_EXPORT_PAPER_H
#define WL_SHOW_EXPORT_PAPER_H

#include "base/error.h"
#include "base/text.h"
#include "show/draw/drawing.h"
#include "show/format/table.h"

struct wl_paper;

enum wl_paper_style {
    WL_PAPER_TITLE,
    WL_PAPER_HEADING,    /* in the outline, too */
    WL_PAPER_SUBHEADING, /* in the outline below the last heading */
    WL_PAPER_LABEL,
    WL_PAPER_PLAIN,
    WL_PAPER_SMALL,
    WL_PAPER_CODE,
};

/* title stands at the foot of every page. wl_cairo_open() comes before. */
struct wl_paper *wl_paper_create(const char *title);

/* Headings that were set, with their pages, counted from 1; they belong to the paper. */
struct wl_paper_heading {
    char *text; /* safe */
    int page;
};
const struct wl_paper_heading *wl_paper_headings(const struct wl_paper *paper, size_t *count);
/* The page on which the next thing begins. */
int wl_paper_page(const struct wl_paper *paper);
/* A line for each heading, with its page, which is shift after that of the heading, and a link to
 * it. */
void wl_paper_contents(struct wl_paper *paper, const struct wl_paper_heading *headings,
                       size_t count, int shift);
/* Gives the file to bytes and frees the paper. Errors: WL_ERR_INTERNAL, from cairo. */
enum wl_code wl_paper_finish(struct wl_paper *paper, struct wl_text *bytes, struct wl_error *error);

/* A paragraph, broken at spaces; a '\n' begins a new line. The text may hold anything. */
void wl_paper_text(struct wl_paper *paper, enum wl_paper_style style, const char *text);
/* A table whose cells are safe texts, made smaller where it is wider than the page. Its headings
 * are repeated on each page. */
void wl_paper_table(struct wl_paper *paper, const struct wl_table *table);
/* A drawing, made smaller where it is wider than the page or, by a little, than what is left of it,
 * with its title above. */
void wl_paper_drawing(struct wl_paper *paper, const struct wl_drawing *drawing);
/* What follows begins on a new page. */
void wl_paper_break(struct wl_paper *paper);
/* What follows begins on a new page unless a part of this one (0 to 1) is free. */
void wl_paper_part(struct wl_paper *paper, double part);

#endif
