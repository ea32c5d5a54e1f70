/* Values as JSON. Each returns a new one. */
#ifndef WL_SHOW_FORMAT_JSON_H
#define WL_SHOW_FORMAT_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "analyse/metric/metric.h"

/* A string that may hold any bytes; NULL: "". */
json_t *wl_json_text(const char *text);
/* Whole numbers as integers. */
json_t *wl_json_number(double number);
/* Number, text or null. */
json_t *wl_json_value(const struct wl_metric_value *value);
/* {"unit", "value", "mark"}, and "reason" where value is null; "name" too if with_name. */
json_t *wl_json_metric(const struct wl_metric_value *value, bool with_name);

#endif
