#include "show/export/html_source_base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/keys.h"
#include "show/format/json.h"
#include "show/page/fields.h"

/* ---- the launch ---- */

typedef const char *launch_name(const struct wl_report_launch *launch);

/* The same invocation among those of the same name. */
static const struct wl_report_launch *find_same(const struct wl_view_context *own,
                                                const struct wl_view_context *base,
                                                const struct wl_report_launch *launch,
                                                launch_name *name_of)
{
    const char *name = name_of(launch);
    size_t before = 0;
    for (size_t i = 0; i < own->launch_count && own->launches[i] != launch; i++)
        before += strcmp(name_of(own->launches[i]), name) == 0;
    for (size_t i = 0; i < base->launch_count; i++)
        if (strcmp(name_of(base->launches[i]), name) == 0 && before-- == 0)
            return base->launches[i];
    return NULL;
}

/* As the page's details choose it. */
static const struct wl_report_launch *find_launch(const struct wl_html *html,
                                                  const struct wl_report_launch *launch)
{
    const struct wl_view_context *own = &html->contexts[0], *base = &html->contexts[1];
    const struct wl_report_launch *found = find_same(own, base, launch, wl_fields_kernel);
    if (!found)
        found = find_same(own, base, launch, wl_html_function);
    if (!found && own->launch_count == base->launch_count)
        for (size_t i = 0; i < own->launch_count; i++)
            if (own->launches[i] == launch)
                return base->launches[i];
    return found;
}

/* ---- its lines ---- */

/* How often each text was seen. */
struct texts {
    struct wl_keys keys;
    size_t *counts;
};

/* What a line is known by: its text and how many lines of it came before, or its number. */
static char *line_key(struct texts *texts, struct wl_source_model *model,
                      const struct wl_source_line *line)
{
    const char *text = wl_source_line_text(model, line->file, line->line);
    const char *slash = strrchr(line->file, '/');
    int64_t number;
    text += strspn(text, " \t");
    if (*text == '\0')
        return wl_string_format("%s:%" PRIu32, slash ? slash + 1 : line->file, line->line);
    wl_keys_intern(&texts->keys, text, strlen(text), &number);
    return wl_string_format("%zu %s", texts->counts[number]++, text);
}

/* Calls use for each line that has a number. */
static void each_line(struct wl_source_model *model,
                      void (*use)(void *self, const char *key, size_t line), void *self)
{
    struct texts texts = {{0}, wl_alloc_zero(model->line_count + 1, sizeof *texts.counts)};
    for (size_t i = 0; i < model->line_count; i++) {
        if (!model->lines[i].line)
            continue;
        char *key = line_key(&texts, model, &model->lines[i]);
        use(self, key, i);
        free(key);
    }
    wl_keys_free(&texts.keys);
    free(texts.counts);
}

struct matching {
    struct wl_keys keys; /* of the base's lines */
    size_t *lines;       /* by key */
    size_t *partners;
};

static void add_base_line(void *self, const char *key, size_t line)
{
    struct matching *matching = self;
    int64_t number;
    if (!wl_keys_intern(&matching->keys, key, strlen(key), &number))
        matching->lines[number] = line;
}

static void match_line(void *self, const char *key, size_t line)
{
    struct matching *matching = self;
    int64_t number = wl_keys_find(&matching->keys, key, strlen(key));
    if (number)
        matching->partners[line] = matching->lines[number];
}

static size_t *match_lines(struct wl_source_model *model, struct wl_source_model *base)
{
    struct matching matching = {
        .lines = wl_alloc_zero(base->line_count + 1, sizeof *matching.lines),
        .partners = wl_alloc((model->line_count + 1) * sizeof *matching.partners),
    };
    for (size_t i = 0; i < model->line_count; i++)
        matching.partners[i] = SIZE_MAX;
    each_line(base, add_base_line, &matching);
    each_line(model, match_line, &matching);
    wl_keys_free(&matching.keys);
    free(matching.lines);
    return matching.partners;
}

enum wl_code wl_html_source_base_open(const struct wl_html *html,
                                      const struct wl_report_launch *launch,
                                      struct wl_source_model *model,
                                      struct wl_html_source_base *base, struct wl_error *error)
{
    *base = (struct wl_html_source_base){0};
    const struct wl_report_launch *found =
        html->report_count > 1 ? find_launch(html, launch) : NULL;
    if (!found)
        return WL_OK;
    enum wl_code code = wl_source_build(html->contexts[1].report, found, NULL, &base->model, error);
    if (code)
        return code;
    base->launch = found;
    base->partners = match_lines(model, &base->model);
    return WL_OK;
}

void wl_html_source_base_close(struct wl_html_source_base *base)
{
    if (base->launch)
        wl_source_free(&base->model);
    free(base->partners);
    *base = (struct wl_html_source_base){0};
}

/* ---- what is put ---- */

static const struct wl_source_column *find_column(const struct wl_source_model *model,
                                                  const char *name)
{
    for (size_t i = 0; i < model->column_count; i++)
        if (strcmp(model->columns[i].name, name) == 0)
            return &model->columns[i];
    return NULL;
}

static bool read_value(const struct wl_source_column *column, const double *counts, double *value)
{
    return counts && wl_source_read(column, counts, value) && isfinite(*value);
}

void wl_html_source_base_put(const struct wl_html_source_base *base,
                             const struct wl_source_model *model, const char *name, json_t *column)
{
    const struct wl_source_column *found = base->launch ? find_column(&base->model, name) : NULL;
    json_t *places = json_array(), *values = json_array();
    double value = 0;
    for (size_t i = 0; found && i < model->line_count; i++) {
        size_t partner = base->partners[i];
        if (partner == SIZE_MAX || !read_value(found, base->model.lines[partner].counts, &value) ||
            value == 0)
            continue;
        json_array_append_new(places, json_integer((json_int_t)i));
        json_array_append_new(values, wl_json_number(value));
    }
    if (found)
        json_object_set_new(column, "base_lines", json_pack("[O,O]", places, values));
    if (found && read_value(found, base->model.totals, &value))
        json_object_set_new(column, "base_total", wl_json_number(value));
    json_decref(places);
    json_decref(values);
}

json_t *wl_html_source_base_lines(const struct wl_html_source_base *base,
                                  const struct wl_source_model *model)
{
    json_t *lines = json_array();
    for (size_t i = 0; base->launch && i < model->line_count; i++)
        if (base->partners[i] != SIZE_MAX)
            json_array_append_new(lines, json_integer((json_int_t)i));
    return lines;
}
