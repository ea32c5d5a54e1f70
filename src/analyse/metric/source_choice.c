/* Columns of the source page by the names that people give: --top, --metrics. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/catalog.h"
#include "analyse/metric/source_model.h"
#include "base/memory.h"
#include "base/near.h"
#include "gpu/stall_names.h"

static const char stall_prefix[] = "smsp__pcsamp_warps_issue_stalled_",
                  not_issued[] = "_not_issued";

/* A metric of the launch is led by the count of the same name: ptx__inst_executed.sum. */
static bool is_named(const struct wl_source_column *column, const char *name)
{
    static const char prefix[] = "ptx__", suffix[] = ".sum";
    if (strcmp(column->name, name) == 0)
        return true;
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    size_t length = strlen(name);
    if (length > sizeof suffix - 1 && strcmp(name + length - (sizeof suffix - 1), suffix) == 0)
        length -= sizeof suffix - 1;
    return strlen(column->name) == length && strncmp(column->name, name, length) == 0;
}

/* option: whose value asked is, as a message names it. */
static enum wl_code find_column(const struct wl_source_model *model, const char *option,
                                const char *asked, size_t *index, struct wl_error *error)
{
    char sampled[80];
    const char *state = wl_stall_find(asked), *name = asked;
    if (state) { /* "stall_long_sb" */
        snprintf(sampled, sizeof sampled, "%s%s", stall_prefix, state);
        name = sampled;
    }
    struct wl_near near = {.word = name};
    for (size_t i = 0; i < model->column_count; i++) {
        if (is_named(&model->columns[i], name)) {
            *index = i;
            return WL_OK;
        }
        wl_near_offer(&near, model->columns[i].name);
        if (strncmp(model->columns[i].label, "stall_", 6) == 0)
            wl_near_offer(&near, model->columns[i].label);
    }
    struct wl_text hint = {0};
    wl_near_print(&near, "", &hint);
    for (size_t i = 0; i < model->column_count && !near.names[0]; i++)
        wl_text_addf(&hint, "%s%s", i ? ", " : "", model->columns[i].name);
    wl_error_set(error, WL_ERR_USAGE, "%s: '%s' is not counted for each line", option, asked);
    wl_error_set_hint(error, near.names[0] ? "did you mean %s?" : "there are: %s",
                      hint.data ? hint.data : "none");
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

enum wl_code wl_source_find_top(struct wl_source_model *model, const char *name,
                                struct wl_error *error)
{
    size_t index = 0;
    double most = 0;
    enum wl_code code = find_column(model, "--top", name, &index, error);
    if (code)
        return code;
    model->top = &model->columns[index];
    for (size_t i = 0; i < model->line_count; i++) {
        double value = 0;
        if (wl_source_read(model->top, model->lines[i].counts, &value) && value > most) {
            most = value;
            model->top_line = &model->lines[i];
        }
    }
    return WL_OK;
}

/* ---- --metrics ---- */

static void add_once(struct wl_source_choice *choice, size_t index)
{
    for (size_t i = 0; i < choice->count; i++)
        if (choice->items[i] == index)
            return;
    WL_PUSH(choice, index);
}

/* ncu's names for all states that warps were sampled in. */
static bool add_group(const struct wl_source_model *model, const char *name,
                      struct wl_source_choice *choice)
{
    static const char group[] = "group:smsp__pcsamp_warp_stall_reasons";
    if (strncmp(name, group, sizeof group - 1) != 0)
        return false;
    const char *tail = name + sizeof group - 1;
    bool is_not_issued = strcmp(tail, not_issued) == 0;
    if (*tail && !is_not_issued)
        return false;
    for (size_t i = 0; i < model->column_count; i++) {
        const char *own = model->columns[i].name;
        size_t length = strlen(own), end = sizeof not_issued - 1;
        bool has_tail = length > end && strcmp(own + length - end, not_issued) == 0;
        double total = 0;
        if (strncmp(own, stall_prefix, sizeof stall_prefix - 1) == 0 && has_tail == is_not_issued &&
            wl_source_read(&model->columns[i], model->totals, &total) && total != 0)
            add_once(choice, i);
    }
    return true;
}

static enum wl_code add_matches(const struct wl_source_model *model, const char *text,
                                struct wl_source_choice *choice, struct wl_error *error)
{
    regex_t expression;
    size_t before = choice->count;
    int status = regcomp(&expression, text, REG_EXTENDED | REG_NOSUB);
    if (status != 0) {
        char reason[128];
        regerror(status, &expression, reason, sizeof reason);
        return wl_error_set(error, WL_ERR_USAGE, "bad expression '%s' for metrics: %s", text,
                            reason);
    }
    for (size_t i = 0; i < model->column_count; i++)
        if (regexec(&expression, model->columns[i].name, 0, NULL, 0) == 0)
            add_once(choice, i);
    regfree(&expression);
    if (choice->count == before)
        return wl_error_set(error, WL_ERR_USAGE, "no metric of lines matches '%s'", text);
    return WL_OK;
}

/* A name that is no column, but one of the launch, is another page's. */
static enum wl_code add_name(const struct wl_source_model *model,
                             const struct wl_metric_catalog *catalog, const char *name,
                             struct wl_source_choice *choice, struct wl_error *error)
{
    struct wl_error trouble = {0};
    size_t index = 0;
    enum wl_code code = find_column(model, "--metrics", name, &index, &trouble);
    if (!code)
        add_once(choice, index);
    else if (!wl_metric_find(catalog, name)) {
        if (error)
            *error = trouble;
        return code;
    }
    return WL_OK;
}

enum wl_code wl_source_choose(const struct wl_source_model *model,
                              const struct wl_metric_catalog *catalog, const char *list,
                              struct wl_source_choice *choice, struct wl_error *error)
{
    static const char regex[] = "regex:";
    enum wl_code code = WL_OK;
    for (size_t length; *list && !code; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        char *name = wl_string_copy_length(list, length);
        if (strncmp(name, regex, sizeof regex - 1) == 0)
            code = add_matches(model, name + sizeof regex - 1, choice, error);
        else if (length && !add_group(model, name, choice) && !wl_metric_is_group(name))
            code = add_name(model, catalog, name, choice, error);
        free(name);
    }
    return code;
}
