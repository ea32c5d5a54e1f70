#include "trace/record.h"

const struct wl_trace_category_info wl_trace_categories[WL_TRACE_CATEGORY_COUNT] = {
    [WL_TRACE_NONE] = {"none", WL_TRACE_SIDE_NONE, {"", "", "", "", "", ""}},
#define C(id, name, side, ...) [WL_TRACE_##id] = {name, WL_TRACE_SIDE_##side, {__VA_ARGS__}},
#include "trace/categories.def"
#undef C
};
