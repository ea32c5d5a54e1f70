#include "import/ncu_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"

static const char *const headings[WL_NCU_COLUMNS] = {
    [WL_NCU_ID] = "ID",
    [WL_NCU_PROCESS] = "Process ID",
    [WL_NCU_HOST] = "Host Name",
    [WL_NCU_PROGRAM] = "Process Name",
    [WL_NCU_TIME] = "Kernel Time",
    [WL_NCU_KERNEL] = "Kernel Name",
    [WL_NCU_CONTEXT] = "Context",
    [WL_NCU_STREAM] = "Stream",
    [WL_NCU_BLOCK] = "Block Size",
    [WL_NCU_GRID] = "Grid Size",
    [WL_NCU_DEVICE] = "Device",
    [WL_NCU_CAPABILITY] = "CC",
    [WL_NCU_MARK] = "Mark",
};

bool wl_ncu_number(const char *text, double *value)
{
    char plain[64], *end = NULL;
    size_t length = 0;
    for (; *text && length + 1 < sizeof plain; text++)
        if (*text != ',')
            plain[length++] = *text;
    plain[length] = '\0';
    *value = strtod(plain, &end);
    return length && !*end && !*text;
}

/* "(16, 16, 1)", "16,16,1" or "16 x 16 x 1" */
static void read_sizes(const char *text, uint32_t sizes[3])
{
    for (int i = 0; i < 3; i++) {
        while (*text && !isdigit((unsigned char)*text))
            text++;
        sizes[i] = (uint32_t)strtoul(text, (char **)&text, 10);
        sizes[i] = sizes[i] ? sizes[i] : 1;
    }
}

/* Spreadsheets take the quotes away, and put a byte order mark before the first name. */
char *wl_ncu_table_start(const struct wl_text *content)
{
    static const char *const firsts[] = {"\"ID\",", "ID,Process ID,"};
    static const char mark[] = "\xef\xbb\xbf";
    for (size_t i = 0; i < WL_COUNT(firsts); i++)
        for (char *at = content->data; (at = strstr(at, firsts[i])); at++) {
            const char *line = at;
            if (line - content->data >= 3 && memcmp(line - 3, mark, 3) == 0)
                line -= 3;
            if (line == content->data || line[-1] == '\n')
                return at;
        }
    return NULL;
}

void wl_ncu_table_begin(struct wl_ncu_table *table, struct wl_import_target *target)
{
    char *start = wl_ncu_table_start(&target->content);
    table->target = target;
    table->csv.next = start ? start : target->content.data;
    wl_csv_read(&table->csv);
    for (int i = 0; i < WL_NCU_COLUMNS; i++)
        table->columns[i] = wl_csv_find(&table->csv, headings[i]);
    for (size_t i = 0; i < table->csv.fields.count; i++)
        WL_PUSH(&table->names, table->csv.fields.items[i]);
}

bool wl_ncu_table_read(struct wl_ncu_table *table)
{
    if (!wl_csv_read(&table->csv))
        return false;
    table->short_rows += table->csv.fields.count < table->names.count || table->csv.is_cut;
    return true;
}

const char *wl_ncu_table_field(const struct wl_ncu_table *table, enum wl_ncu_column column)
{
    return wl_csv_field(&table->csv, table->columns[column]);
}

static uint32_t read_id(const struct wl_ncu_table *table, enum wl_ncu_column column)
{
    return (uint32_t)strtoul(wl_ncu_table_field(table, column), NULL, 10);
}

void wl_ncu_table_launch(struct wl_ncu_table *table, struct wl_import_launch *launch)
{
    uint64_t pid = strtoull(wl_ncu_table_field(table, WL_NCU_PROCESS), NULL, 10);
    if (!table->target->has_process || pid != table->pid)
        wl_import_begin_process(table->target, "ncu", pid,
                                wl_ncu_table_field(table, WL_NCU_PROGRAM),
                                wl_ncu_table_field(table, WL_NCU_HOST), 0);
    table->pid = pid;
    launch->kernel = wl_string_copy(wl_ncu_table_field(table, WL_NCU_KERNEL));
    launch->context_id = read_id(table, WL_NCU_CONTEXT);
    launch->stream_id = read_id(table, WL_NCU_STREAM);
    launch->device_id = read_id(table, WL_NCU_DEVICE);
    char *end = NULL;
    launch->capability_major =
        (uint32_t)strtoul(wl_ncu_table_field(table, WL_NCU_CAPABILITY), &end, 10);
    launch->capability_minor = *end == '.' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;
    read_sizes(wl_ncu_table_field(table, WL_NCU_GRID), launch->grid);
    read_sizes(wl_ncu_table_field(table, WL_NCU_BLOCK), launch->block);
}

static void use_number(const struct wl_import_launch *launch, const char *name, uint32_t *size)
{
    for (size_t i = 0; i < launch->attributes.count; i++)
        if (strcmp(launch->attributes.items[i].name, name) == 0 &&
            launch->attributes.items[i].number >= 1 &&
            launch->attributes.items[i].number <= UINT32_MAX)
            *size = (uint32_t)launch->attributes.items[i].number;
}

void wl_ncu_table_put(struct wl_ncu_table *table, struct wl_import_launch *launch)
{
    static const char *const totals[] = {"launch__grid_size", "launch__block_size"};
    static const char *const parts[][3] = {
        {"launch__grid_dim_x", "launch__grid_dim_y", "launch__grid_dim_z"},
        {"launch__block_dim_x", "launch__block_dim_y", "launch__block_dim_z"},
    };
    const enum wl_ncu_column columns[] = {WL_NCU_GRID, WL_NCU_BLOCK};
    uint32_t *const sizes[] = {launch->grid, launch->block};
    for (int i = 0; i < 2; i++) {
        uint32_t parted[3] = {0};
        if (table->columns[columns[i]] >= 0)
            continue;
        for (int axis = 0; axis < 3; axis++)
            use_number(launch, parts[i][axis], &parted[axis]);
        if (parted[0] && parted[1] && parted[2])
            memcpy(sizes[i], parted, sizeof parted);
        else
            use_number(launch, totals[i], &sizes[i][0]);
    }
    wl_import_launch_put(table->target, launch);
}

void wl_ncu_table_value(struct wl_import_launch *launch, const char *name, const char *text,
                        const char *unit, enum wl_mark mark)
{
    double value = 0;
    if (!*text || strcmp(text, "n/a") == 0 || strcmp(text, "N/A") == 0)
        return;
    if (wl_ncu_number(text, &value))
        wl_import_launch_number(launch, name, wl_import_base_unit(unit, value), mark);
    else
        wl_import_launch_text(launch, name, text);
}

void wl_ncu_table_end(struct wl_ncu_table *table)
{
    if (table->short_rows) {
        char *text = wl_string_format("%llu rows of the table are cut off or have too few fields: "
                                      "the file may not be whole",
                                      (unsigned long long)table->short_rows);
        wl_import_note(table->target, "import-short", text,
                       "values that are missing there are not shown");
        free(text);
    }
    free(table->names.items);
    wl_csv_free(&table->csv);
}
