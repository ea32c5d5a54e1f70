#include "timeline/record.h"

const struct wl_timeline_category_info wl_timeline_categories[WL_TIMELINE_CATEGORY_COUNT] = {
    [WL_TIMELINE_NONE] = {"none", WL_TIMELINE_SIDE_NONE, {"", "", "", "", "", ""}},
#define C(id, name, side, ...) [WL_TIMELINE_##id] = {name, WL_TIMELINE_SIDE_##side, {__VA_ARGS__}},
#include "timeline/categories.def"
#undef C
};
