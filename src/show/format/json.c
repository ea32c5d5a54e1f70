#include "show/format/json.h"

#include <math.h>

#include "show/format/format.h"

json_t *wl_json_text(const char *text)
{
    struct wl_text clean = {0};
    wl_format_utf8(text ? text : "", &clean);
    json_t *string = json_stringn(clean.data, clean.length);
    wl_text_free(&clean);
    return string;
}

json_t *wl_json_number(double number)
{
    if (number == floor(number) && fabs(number) < 9007199254740992.0)
        return json_integer((json_int_t)number);
    return json_real(number);
}

json_t *wl_json_value(const struct wl_metric_value *value)
{
    return !value->is_present ? json_null()
           : value->text      ? wl_json_text(value->text)
                              : wl_json_number(value->number);
}

json_t *wl_json_metric(const struct wl_metric_value *value, bool with_name)
{
    json_t *object = json_object();
    if (with_name)
        json_object_set_new(object, "name", wl_json_text(value->name));
    json_object_set_new(object, "unit", wl_json_text(value->unit));
    json_object_set_new(object, "value", wl_json_value(value));
    json_object_set_new(object, "mark",
                        value->is_present ? json_string(wl_metric_mark_name(value->mark))
                                          : json_null());
    if (!value->is_present)
        json_object_set_new(object, "reason", wl_json_text(value->reason));
    return object;
}
