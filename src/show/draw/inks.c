#include "show/draw/inks.h"

static const struct {
    const char *name;
    uint32_t light, dark;
} inks[] = {
    [WL_INK_TEXT] = {"text", 0x1b1f24, 0xe4e7eb},
    [WL_INK_DIM] = {"dim", 0x57606a, 0x9aa4b0},
    [WL_INK_LINE] = {"line", 0xaeb6bf, 0x59626d},
    [WL_INK_GRID] = {"grid", 0xe6e9ed, 0x31373f},
    [WL_INK_PAPER] = {"paper", 0xffffff, 0x1d2126},
    [WL_INK_BOX] = {"box", 0xf0f4f9, 0x29313a},
    [WL_INK_BLUE] = {"blue", 0x0b5cad, 0x6cb2ff},
    [WL_INK_ORANGE] = {"orange", 0xb35900, 0xf0a04b},
    [WL_INK_GREEN] = {"green", 0x1a7f4b, 0x5fd08f},
    [WL_INK_PURPLE] = {"purple", 0x7a3e9d, 0xcf9df0},
    [WL_INK_RED] = {"red", 0xb3261e, 0xff8a80},
    [WL_INK_HEAT_1] = {"heat-1", 0xfff3e2, 0x2b2621},
    [WL_INK_HEAT_2] = {"heat-2", 0xffe0b8, 0x47331f},
    [WL_INK_HEAT_3] = {"heat-3", 0xffc688, 0x603e1d},
    [WL_INK_HEAT_4] = {"heat-4", 0xffa552, 0x7c4819},
    [WL_INK_HEAT_5] = {"heat-5", 0xf98629, 0x965314},
};

const char *wl_ink_name(enum wl_ink ink)
{
    return inks[ink].name;
}

uint32_t wl_ink_light(enum wl_ink ink)
{
    return inks[ink].light;
}

enum wl_ink wl_ink_heat(double share)
{
    int level = (int)(share * 5);
    return level >= 4 ? WL_INK_HEAT_5 : level < 0 ? WL_INK_HEAT_1 : WL_INK_HEAT_1 + level;
}

static void add_rules(bool is_dark, struct wl_text *out)
{
    for (int ink = WL_INK_NONE + 1; ink < WL_INK_COUNT; ink++) {
        unsigned color = is_dark ? inks[ink].dark : inks[ink].light;
        wl_text_addf(out, ".f-%s{fill:#%06x}.s-%s{stroke:#%06x}", inks[ink].name, color,
                     inks[ink].name, color);
        if (ink >= WL_INK_HEAT_1)
            wl_text_addf(out, ".%s{background:#%06x}", inks[ink].name, color);
    }
}

void wl_ink_style(struct wl_text *out)
{
    add_rules(false, out);
    wl_text_add(out, "@media screen and (prefers-color-scheme:dark){");
    add_rules(true, out);
    wl_text_add(out, "}\n");
}
