/* The colours of drawings, by what they are for; each has a form for light and for dark paper. */
#ifndef WL_SHOW_DRAW_INKS_H
#define WL_SHOW_DRAW_INKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum wl_ink {
    WL_INK_NONE,
    WL_INK_TEXT,
    WL_INK_DIM,
    WL_INK_LINE,
    WL_INK_GRID,
    WL_INK_PAPER,
    WL_INK_BOX,
    WL_INK_BLUE,
    WL_INK_ORANGE,
    WL_INK_GREEN,
    WL_INK_PURPLE,
    WL_INK_RED,
    WL_INK_HEAT_1, /* least */
    WL_INK_HEAT_2,
    WL_INK_HEAT_3,
    WL_INK_HEAT_4,
    WL_INK_HEAT_5,
    WL_INK_COUNT
};

/* "text": part of the class names f-text (fill) and s-text (stroke). */
const char *wl_ink_name(enum wl_ink ink);
/* 0xrrggbb, on light paper. */
uint32_t wl_ink_light(enum wl_ink ink);
/* Ink of a share of the most there is, 0 to 1. */
enum wl_ink wl_ink_heat(double share);
/* Rules of CSS for these classes, light and, on screens that are dark, dark. */
void wl_ink_style(struct wl_text *out);

#endif
