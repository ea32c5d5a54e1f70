/* What `ncu --csv` prints without --page raw: a row for each metric of a launch, under its name
 * (--metrics,
 * --print-metric-name) or under the label that its section has for it. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "import/ncu_table.h"

static const struct label {
    const char *title, *identifier, *label, *name;
} labels[] = {
#define WL_NCU_LABEL(title, identifier, label, name) {title, identifier, label, name},
#include "import/ncu_labels.def"
};

enum { MOST_TOLD = 6 };
struct details {
    struct wl_ncu_table table;
    int section, metric, unit, value;
    struct wl_import_launch launch;
    char *id, *process; /* of the launch at hand; they belong to the content */
    const char *unknown[MOST_TOLD];
    uint64_t unknown_count;
    bool is_more;
};

static const char *find_label(const char *section, const char *text)
{
    for (size_t i = 0; i < WL_COUNT(labels); i++)
        if (strcmp(labels[i].label, text) == 0 && (wl_text_starts(section, labels[i].title) ||
                                                   wl_text_starts(section, labels[i].identifier)))
            return labels[i].name;
    return NULL;
}

/* A metric's name, not a label: "dram__bytes.sum". */
static bool is_name(const char *text)
{
    return strstr(text, "__") && !strchr(text, ' ');
}

/* The name in "Theoretical Occupancy (sm__maximum_warps_per_active_cycle_pct)", which is cut out of
 * the text; NULL: there is none. */
static const char *take_name_in_brackets(char *text)
{
    char *open = strrchr(text, '('), *close = open ? strchr(open, ')') : NULL;
    if (!close || close[1])
        return NULL;
    *close = '\0';
    if (is_name(open + 1))
        return open + 1;
    *close = ')';
    return NULL;
}

/* Counts the value; the first labels are told. */
static void remember_unknown(struct details *details, const char *label)
{
    int i = 0;
    details->unknown_count++;
    while (i < MOST_TOLD && details->unknown[i] && strcmp(details->unknown[i], label) != 0)
        i++;
    details->is_more |= i == MOST_TOLD;
    if (i < MOST_TOLD)
        details->unknown[i] = label;
}

static enum wl_mark mark_of(const char *text)
{
    return strcmp(text, "predicted") == 0  ? WL_MARK_PREDICTED
           : strcmp(text, "modelled") == 0 ? WL_MARK_MODELLED
                                           : WL_MARK_EXACT;
}

static void put_row(struct details *details)
{
    const struct wl_csv *csv = &details->table.csv;
    char *metric = (char *)wl_csv_field(csv, details->metric);
    const char *value = wl_csv_field(csv, details->value), *name = NULL;
    if (!*metric) /* what a rule says */
        return;
    name = is_name(metric) ? metric : take_name_in_brackets(metric);
    if (!name)
        name = find_label(wl_csv_field(csv, details->section), metric);
    if (name)
        wl_ncu_table_value(&details->launch, name, value, wl_csv_field(csv, details->unit),
                           mark_of(wl_ncu_table_field(&details->table, WL_NCU_MARK)));
    else
        remember_unknown(details, metric);
}

static void put_launch(struct details *details)
{
    if (details->launch.kernel)
        wl_ncu_table_put(&details->table, &details->launch);
}

static void note_left_out(struct details *details)
{
    struct wl_text text = {0};
    if (!details->unknown_count)
        return;
    wl_text_addf(&text, "%llu values stand under labels of no metric that is known here: ",
                 (unsigned long long)details->unknown_count);
    for (int i = 0; i < MOST_TOLD && details->unknown[i]; i++)
        wl_text_addf(&text, "%s%s", i ? ", " : "", details->unknown[i]);
    wl_text_add(&text, details->is_more ? ", ..." : "");
    wl_import_note(details->table.target, "import-left-out", text.data,
                   "`ncu --page raw --csv` has every metric under its name");
    wl_text_free(&text);
}

/* Summaries have one row per kernel, for all its launches together. */
static enum wl_code refuse(const struct details *details, struct wl_error *error)
{
    wl_import_fail(details->table.target, WL_ERR_INPUT, error,
                   "it has averages of kernels (--print-summary), not launches");
    return wl_error_set_hint(error, "ncu -i REPORT --page raw --csv has every launch");
}

static enum wl_code read_details(struct wl_import_target *target, struct wl_error *error)
{
    struct details details = {0};
    wl_ncu_table_begin(&details.table, target);
    details.section = wl_csv_find(&details.table.csv, "Section Name");
    details.metric = wl_csv_find(&details.table.csv, "Metric Name");
    details.unit = wl_csv_find(&details.table.csv, "Metric Unit");
    details.value = wl_csv_find(&details.table.csv, "Metric Value");
    enum wl_code code = details.value < 0 ? refuse(&details, error) : WL_OK;
    while (!code && wl_ncu_table_read(&details.table)) {
        char *id = (char *)wl_ncu_table_field(&details.table, WL_NCU_ID);
        char *process = (char *)wl_ncu_table_field(&details.table, WL_NCU_PROCESS);
        if (!*wl_ncu_table_field(&details.table, WL_NCU_KERNEL))
            continue;
        if (!details.id || strcmp(details.id, id) != 0 || strcmp(details.process, process) != 0) {
            put_launch(&details);
            wl_ncu_table_launch(&details.table, &details.launch);
            details.id = id;
            details.process = process;
        }
        put_row(&details);
    }
    if (!code) {
        put_launch(&details);
        note_left_out(&details);
    }
    wl_ncu_table_end(&details.table);
    return code;
}

static bool is_details(const struct wl_text *content)
{
    const char *start = wl_ncu_table_start(content);
    const char *metric = start ? strstr(start, "Metric Name") : NULL;
    const char *end = start ? strchr(start, '\n') : NULL;
    return (metric && (!end || metric < end)) ||
           strstr(content->data, "\"Invocations\",\"Section Name\",\"Metric Name\"");
}

const struct wl_import_format wl_import_ncu_details = {"ncu's details page", is_details,
                                                       read_details};
