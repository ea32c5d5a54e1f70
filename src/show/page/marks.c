#include "show/page/marks.h"

const char *wl_mark_text(bool is_shown[3], const struct wl_metric_value *value)
{
    static char signs[3][2];
    if (!value->is_present)
        return "";
    is_shown[value->mark] = true;
    signs[value->mark][0] = wl_metric_mark_sign(value->mark);
    return signs[value->mark];
}

const char *wl_mark_meaning(enum wl_mark mark)
{
    static const char *const meanings[] = {
        [WL_MARK_EXACT] = "follows from the program and its addresses",
        [WL_MARK_MODELLED] = "caches, device memory",
        [WL_MARK_PREDICTED] = "time, machine code",
    };
    return meanings[mark];
}

void wl_mark_legend(struct wl_page_sink *sink)
{
    struct wl_text line = {0};
    for (int mark = WL_MARK_EXACT; mark <= WL_MARK_PREDICTED; mark++)
        if (sink->is_mark_shown[mark])
            wl_text_addf(&line, "%s%c %s (%s)", line.length ? ", " : "",
                         wl_metric_mark_sign((enum wl_mark)mark),
                         wl_metric_mark_name((enum wl_mark)mark),
                         wl_mark_meaning((enum wl_mark)mark));
    if (line.length)
        wl_say(sink, "  Marks: ", line.data);
    wl_text_free(&line);
}
